// SPDX-License-Identifier: GPL-3.0-or-later
// join: a viewer begins at a picture that decodes, whatever the codec and the
// distance of such pictures.  `make joins' judges more streams and viewers.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { encodeJoin, inParallel, join, Joins } from '../helpers/joins.mjs';
import { Viewer, makeClip } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { run, sleep, tempDir, waitUntil } from '../helpers/util.mjs';

const JOINS = 3;

const NAMES = [
	'h264-500',
	'h264-12000-no-indicator',
	'h264-open-4000-no-indicator',
	'h264-repeated-sets-no-indicator',
	'h264-false-indicator',
	'h264-rare-sets',
	'h264-long-sei',
	'h264-header-alone',
	'h264-indicator-before',
	'h264-intra-refresh',
	'hevc-repeated-sets',
	'hevc-open-4000-header-alone',
	'mpeg2-open-500',
	'mpeg2-10000-repeated-headers',
	'audio',
];

test('a viewer begins at a picture that decodes', async (t) => {
	const dir = tempDir(t);
	const joins = NAMES.map((name) => new Joins(name));

	await inParallel(NAMES, (name) => encodeJoin(dir, name));
	const sluice = await Sluice.start(t, config(...NAMES.map((name, i) =>
		stream(`a${100 + i}`, `file://${dir}/${name}.ts#loop`,
			`http://127.0.0.1:8100/${name}`))));

	await Promise.all(NAMES.map(async (name, i) => {
		for (let n = 0; n < JOINS; n++) {
			joins[i].add(await join(8100, `/${name}`));
			/* at another place of the group of pictures */
			await sleep(1100);
		}
	}));
	for (const [i, name] of NAMES.entries()) {
		const status = await sluice.status(`a${100 + i}`);
		const wanted = name === 'audio' ? 'audio' : 'picture';

		assert.deepEqual(await joins[i].judge(dir), [], name);
		assert.equal(status.random_access, wanted, name);
	}
	/* at the end of the file it is longer */
	await waitUntil('the distance of recovery points', async () =>
		(await sluice.status(`a${100 +
			NAMES.indexOf('h264-intra-refresh')}`)).gop === 2000);
	await sluice.stop();
});

test('buffer_fill says what a viewer gets at once', async (t) => {
	const dir = tempDir(t);
	const file = path.join(dir, 'seen.ts');
	const clip = await makeClip(dir, 'a', { pictures: ['-c:v', 'libx264'],
		seconds: 8 });
	// two seconds of the stream
	const fill = 700000 / 8 * 2;
	const news = (kib) => stream('a001', `file://${clip}#loop`,
		`http://127.0.0.1:8100/a#buffer_fill=${kib}`);
	const sluice = await Sluice.start(t, config(
		news(Math.ceil(fill / 1024))));

	await sluice.onair('a001');
	const first = await Viewer.open(t, 8100, '/a');
	await waitUntil('four seconds', () => first.bytes > 2 * fill);
	let before = first.bytes;
	const viewer = await Viewer.open(t, 8100, '/a');
	// by how much a viewer is ahead of one that receives the stream as it
	// arrives
	const ahead = (one) => one.bytes - (first.bytes - before);

	await waitUntil('its burst', () => ahead(viewer) > 0.8 * fill);
	// it begins with a picture that decodes, and then comes as it arrives
	fs.writeFileSync(file, viewer.data());
	const { out, err } = await run('ffprobe', ['-v', 'error',
		'-select_streams', 'v', '-show_entries', 'packet=flags',
		'-of', 'csv=p=0', file]);
	assert.equal(err, '');
	assert.match(out, /^K/);
	await waitUntil('more', () => viewer.bytes > 2 * fill);
	await waitUntil('the pace of the stream', () =>
		ahead(viewer) < 1.6 * fill);

	// others begin later; it stays
	await sluice.cmd('set-stream', { id: 'a001', stream: news(0) });
	before = first.bytes;
	const other = await Viewer.open(t, 8100, '/a');
	await waitUntil('two seconds', () => other.bytes > fill);
	await waitUntil('no burst', () => ahead(other) < 0.5 * fill);
	assert.equal(viewer.ended, false);
	await sluice.stop();
});
