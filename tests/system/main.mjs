// SPDX-License-Identifier: GPL-3.0-or-later
// main: a live programme passes from UDP to UDP and HTTP without a fault that a
// decoder could find.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Viewer, assertDecodes, liveMultiplex } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const PICTURES = 25;

// The packets that are not stuffing.
function content(data) {
	const kept = [];

	for (let at = 0; at < data.length; at += 188)
		if ((data.readUInt16BE(at + 1) & 0x1fff) !== 0x1fff)
			kept.push(data.subarray(at, at + 188));
	return Buffer.concat(kept);
}

test('three programmes, multicast in, UDP out: no bit is lost', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 },
		{ address: '239.1.0.1', port: 5000, iface: 'lo' });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://lo@239.1.0.1:5000',
			'udp://127.0.0.1:6000')));

	await sluice.waitStatus('a001', 'activity', (s) => s.active &&
		s.inputs[0].open);
	const live = liveMultiplex(t, 'udp://239.1.0.1:5000?pkt_size=1316',
		{ programs: 3, seconds: 6 });
	await sluice.waitStatus('a001', 'three programmes', (s) => s.onair &&
		s.video_count === 3 && s.audio_count === 3);
	const { length } = sluice.log;
	const { code, err } = await live.ended;
	assert.equal(code, 0, err);
	const log = sluice.log.slice(length);
	await recorder.quiet(2000);
	const [output, input] = (await recorder.stop()).map(joined);

	timing.stop();
	const held = content(output).compare(content(input)) !== 0;
	if (held)
		assert.ok(timing.heldUp(log, await sluice.status('a001')),
			'the output is not the input');
	else
		await assertDecodes(t, output, { programs: 3,
			minPictures: 6 * PICTURES });
	const { code: end } = await sluice.stop();
	assert.equal(end, 0, sluice.log);
});

test('a viewer over HTTP receives it from a whole picture on', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'http://0.0.0.0:8100/live')));

	await waitUntil('input', () => udpBound(5000));
	const live = liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('a001');
	// three viewers that connect at different places in a group of pictures
	const viewers = [];
	for (let i = 0; i < 3; i++) {
		const viewer = await Viewer.open(t, 8100, '/live');
		viewers.push(viewer);
		assert.equal(viewer.status, 200);
		assert.equal(viewer.reply.headers['content-type'],
			'video/mp2t');
		await waitUntil('video', () => viewer.bytes > 20000 * (i + 1));
	}
	await sluice.waitStatus('a001', 'viewers', (s) => s.sessions === 3);
	await waitUntil('five seconds for each', () =>
		viewers.every(({ bytes }) => bytes > 5 * 700000 / 8));
	live.kill('SIGINT');
	await live.ended;
	timing.stop();
	for (const viewer of viewers) {
		await waitUntil('silence', () =>
			performance.now() - viewer.lastByte > 2000);
		const data = viewer.data();
		const seen = checkTs(data);
		assert.equal(seen.tail, 0, 'half a packet at the end');
		assert.equal(seen.syncErrors + seen.crcErrors, 0);
		assert.equal(seen.ccErrors, 0);
		assert.equal(seen.order[0], 0, 'the PAT comes first');
		assert.equal(seen.order[1], [...seen.pat.programs.values()][0],
			'the PMT comes second');
		// without a picture for two seconds the viewer starts with any
		// packet
		const whole = seen.first.rai && seen.first.packet <= 4;
		timing.assert(whole,
			`the first picture starts at ${seen.first.packet}`);
		if (whole)
			await assertDecodes(t, data,
				{ minPictures: 4 * PICTURES });
		viewer.close();
	}
	await sluice.waitStatus('a001', 'no viewers', (s) => s.sessions === 0);
	await sluice.stop();
});
