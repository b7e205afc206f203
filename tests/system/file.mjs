// SPDX-License-Identifier: GPL-3.0-or-later
// inputs, files: played in real time, and for ever, without a seam.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertDecodes } from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { srcdir, tempDir, waitUntil } from '../helpers/util.mjs';

// Everything the clock of a stream promises: PCRs go on, closely, and agree
// with the time at which the packets came.
function assertClock(list, pid) {
	const { pcrs } = checkTs(joined(list));
	const all = pcrs.get(pid);
	const arrival = all.map(({ packet }) => {
		let passed = 0;
		return list.find(({ data }) =>
			(passed += data.length / 188) > packet).ns;
	});

	for (let i = 1; i < all.length; i++) {
		const ms = (all[i].value - all[i - 1].value) / 27000;
		assert.ok(ms > 0 && ms <= 100, `${ms} ms between PCRs`);
	}
	const last = all.length - 1;
	const media = (all[last].value - all[0].value) / 27e6;
	const wall = Number(arrival[last] - arrival[0]) / 1e9;
	assert.ok(Math.abs(media - wall) < 0.15,
		`${media} s of media took ${wall} s`);
	return media;
}

test('a looped file is a stream without an end or a seam', async (t) => {
	const dir = tempDir(t);
	const file = path.join(dir, 'two seconds.ts');
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });

	fs.writeFileSync(file, new TsMux().take(2660));
	const sluice = await Sluice.start(t, config(
		stream('a001', `file://${file}#loop`, 'udp://127.0.0.1:6000'),
		stream('a002', `file://${path.resolve(srcdir, 'etc/demo.ts')}` +
			'#loop', 'udp://127.0.0.1:6001')));
	const status = await sluice.onair('a001');
	assert.ok(Math.abs(status.bitrate - 2000) < 100, status.bitrate);
	// the demo clip is 9.6 s: one seam is in it
	await waitUntil('twelve seconds', () => recorder.size() >
		12 * (2e6 + 480e3) / 8, 25000);
	await sluice.stop();
	const [short, demo] = await recorder.stop();

	for (const list of [short, demo]) {
		const seen = checkTs(joined(list));
		assert.equal(seen.ccErrors + seen.syncErrors +
			seen.crcErrors, 0);
	}
	assert.ok(assertClock(short, PROGRAM.video) > 10);
	assert.ok(assertClock(demo, 256) > 10);
	await assertDecodes(t, wholeUnits(joined(demo)),
		{ minPictures: 10 * 25 });
});

test('a file that is not there is named, and taken when it comes',
	async (t) => {
	const file = path.join(tempDir(t), 'late.ts');
	const sluice = await Sluice.start(t, config(
		stream('a001', `file://${file}#loop`, 'udp://127.0.0.1:6000')));

	await waitUntil('complaint', () => sluice.log.includes(file));
	assert.equal((await sluice.status('a001')).onair, false);
	fs.writeFileSync(`${file}.new`, new TsMux().take(2660));
	fs.renameSync(`${file}.new`, file);
	await sluice.onair('a001', 10000);
	await sluice.stop();
});
