// SPDX-License-Identifier: GPL-3.0-or-later
// join: a viewer begins at a picture that decodes, whatever the codec and the
// distance of such pictures.  `make joins' judges more streams and viewers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeJoin, inParallel, join, Joins } from '../helpers/joins.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { sleep, tempDir, waitUntil } from '../helpers/util.mjs';

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
