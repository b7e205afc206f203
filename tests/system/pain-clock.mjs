// SPDX-License-Identifier: GPL-3.0-or-later
// Clocks of sources: a valid clock is unchanged, a jump is corrected, and the
// time of the output never goes back.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Clip, moveClip } from '../helpers/clip.mjs';
import { makeClip } from '../helpers/media.mjs';
import { Scene, playScene } from '../helpers/scene.mjs';
import { Sluice, config } from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { joined } from '../helpers/udp.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const RATE = 700000, SECOND = RATE / 8;
const WRAP = 2 ** 33 / 90000;
const HOUR = 3600;

// The PCRs of a recording, in order.
const pcrsOf = (data) => [...checkTs(data).pcrs.values()][0]
	.map(({ value }) => value);

// Plays a clock that passes 2^33 after two seconds.
async function wraps(t, sluice, clip, options) {
	const scene = await Scene.open(t, sluice, options);
	const data = moveClip(clip, WRAP - 5 - 2.5);

	// a viewer that connects before the stream waits for its first picture:
	// it receives the wrap, however late the stream is on air
	await scene.record();
	const source = await Clip.play(t, data, RATE, scene.ports[0]);
	await scene.onair();
	await waitUntil('the wrap', () =>
		source.packets > 4.5 * SECOND / 188);
	await scene.assertFree('pcr_discontinuity', 'continuity');
	const { list } = await scene.assertSeamless();
	const pcrs = pcrsOf(joined(list)), sent = pcrsOf(data);

	assert.ok(pcrs.some((pcr, i) => pcr < pcrs[i - 1]), 'it wrapped');
	return { list, pcrs, data, missing: pcrs.filter((pcr) =>
		!sent.includes(pcr)) };
}

const scenes = {
	async 'the wrap of 33 bits is relayed byte by byte'(t, sluice, clip) {
		const { list, data } = await wraps(t, sluice, clip);
		const output = joined(list);
		const first = data.indexOf(output.subarray(0, 188 * 7));

		assert.ok(first >= 0);
		assert.ok(output.equals(data.subarray(first,
			first + output.length)));
	},

	async 'the wrap behind a map: every PCR is unchanged'(t, sluice,
		clip) {
		const { missing } = await wraps(t, sluice, clip,
			{ inputs: ['#map.video=300&map.audio=301'] });

		assert.deepEqual(missing, []);
	},

	async 'jumps of an hour: an alarm, and one clock in the output'(t,
		sluice, clip) {
		const scene = await Scene.open(t, sluice);
		const source = await Clip.play(t, clip, RATE, scene.ports[0]);

		await scene.onair();
		await scene.record();
		await scene.more(SECOND);
		source.change(clip, { jump: HOUR });
		await scene.more(1.5 * SECOND);
		await sluice.waitStatus(scene.id, 'the alarm', ({ inputs }) =>
			inputs[0].alarms.includes('pcr_discontinuity'));
		source.change(clip, { jump: -HOUR });
		await scene.more(1.5 * SECOND);
		await scene.assertFree('pcr_discontinuity', 'continuity');
		await scene.assertSeamless({ pauses: 2 });
	},

	async 'a jump over the wrap while a map moves its PIDs'(t, sluice,
		clip) {
		const scene = await Scene.open(t, sluice,
			{ inputs: ['#map.video=300&map.audio=301'] });
		const source = await Clip.play(t, moveClip(clip, WRAP - 6),
			RATE, scene.ports[0]);

		await scene.onair();
		await scene.record();
		await scene.more(SECOND);
		source.change(clip, { jump: 7 });
		await scene.more(2.5 * SECOND);
		await scene.assertSeamless({ pauses: 1 });
	},
};

test('clocks', { concurrency: true }, async (t) => {
	const clip = fs.readFileSync(await makeClip(tempDir(t), 'clip',
		{ pictures: ['-c:v', 'libx264', '-bf', '2'], gop: 12 }));
	const sluice = await Sluice.start(t, config());

	await Promise.all(Object.entries(scenes).map(([name, play]) =>
		t.test(name, (sub) => playScene(sub, () =>
			play(sub, sluice, clip)))));
	await sluice.stop();
});
