// SPDX-License-Identifier: GPL-3.0-or-later
// inputs, files: played in real time, and in a loop without a seam.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { hangingFolder } from '../helpers/hang.mjs';
import { assertDecodes } from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { builddir, processes, run, srcdir, start, tempDir, waitUntil }
	from '../helpers/util.mjs';

// The properties of a stream's clock: PCRs continue in small steps, and agree
// with the arrival times of the packets.
function assertClock(list, pid, timing) {
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
	timing.assert(Math.abs(media - wall) < 0.15,
		`${media} s of media took ${wall} s`);
	return media;
}

test('a looped file is a stream without an end or a seam', async (t) => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const file = path.join(dir, 'two seconds.ts');
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });

	fs.writeFileSync(file, new TsMux().take(2660));
	const sluice = await Sluice.start(t, config(
		stream('a001', `file://${file}#loop`, 'udp://127.0.0.1:6000'),
		stream('a002', `file://${path.resolve(srcdir, 'etc/demo.ts')}` +
			'#loop', 'udp://127.0.0.1:6001')));
	await sluice.waitStatus('a001', 'its rate', (s) => s.onair &&
		Math.abs(s.bitrate - 2000) < 100);
	// the demo clip lasts 9.6 s: it has one seam of each, whichever of them
	// begins first
	for (const [id, rate] of [['a001', 2e6], ['a002', 480e3]])
		await sluice.waitStatus(id, 'twelve seconds',
			({ outputs: [{ packets }] }) =>
				packets > 12 * rate / 8 / 188, 25000);
	timing.stop();
	const [short, demo] = await recorder.stop();
	const held = timing.heldUp(sluice.log,
		await sluice.sent('a001', short.length * 7),
		await sluice.sent('a002', demo.length * 7));

	await sluice.stop();
	if (held)
		return;
	for (const list of [short, demo]) {
		const seen = checkTs(joined(list));
		assert.equal(seen.ccErrors + seen.syncErrors +
			seen.crcErrors, 0);
	}
	assert.ok(assertClock(short, PROGRAM.video, timing) > 10);
	assert.ok(assertClock(demo, 256, timing) > 10);
	await assertDecodes(t, wholeUnits(joined(demo)),
		{ minPictures: 10 * 25 });
});

test('a missing file is named, and played when it appears', async (t) => {
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

// With a source that fails, one that was never there, and a file that appears
// where the worker has no rule for it.
test('the file of a filler plays while no input is on air', async (t) => {
	const dir = tempDir(t);
	const file = path.join(dir, 'filler.ts');
	const late = path.join(dir, 'late', 'filler.ts');
	const sender = await Sender.start(t, new TsMux(), 5000);

	fs.writeFileSync(file, new TsMux().take(2660));
	const sluice = await Sluice.start(t, config(
		...[file, file, late].map((filler, i) => stream(`a00${i}`,
			`udp://127.0.0.1:${5000 + i}`,
			`udp://127.0.0.1:${6000 + i}`, { filler,
				backup_start_delay: 1,
				backup_initial_delay: 1 }))));
	const plays = (id) => sluice.waitStatus(id, 'its filler', (s) =>
		s.filler && s.outputs[0].packets > 500, 30000);

	await sluice.onair('a000');
	await sluice.logged(new RegExp(`a002: .*${late}`));
	const { pid } = sluice.worker('stream', 'a000');
	sender.stop();
	await plays('a001');
	await plays('a000');
	await Sender.start(t, new TsMux(), 5000);
	await sluice.waitStatus('a000', 'its input', (s) => s.onair &&
		!s.filler, 30000);
	assert.equal(sluice.worker('stream', 'a000').pid, pid);
	fs.mkdirSync(path.dirname(late));
	fs.copyFileSync(file, late);
	await plays('a002');
	assert.doesNotMatch(sluice.log, /forbidden system call|killed/);
	await sluice.stop();
});

test('a file that does not answer stops no other input', async (t) => {
	const folder = await hangingFolder(t,
		new TsMux().take(13300));
	if (folder === null)
		return;
	const quick = { backup_start_delay: 1, backup_return_delay: 1,
		backup_initial_delay: 2 };
	const sluice = await Sluice.start(t, config(...['a', 'b'].map(
		(id, i) => stream(id, [`file://${folder.file}#loop`,
			`udp://127.0.0.1:${5000 + i}`],
		`udp://127.0.0.1:${6000 + i}`, { ...quick,
			enable: id === 'a' }))));
	const inputs = async (id) =>
		(await sluice.json(`/api/stream-inputs/${id}`)).inputs;
	const plays = (id, n) => waitUntil(`input ${n} of ${id}`, async () => {
		const all = await inputs(id);
		if (all[n - 1].state !== 'active' || !all[n - 1].onair)
			throw new Error(JSON.stringify(all));
		return true;
	}, 20000);

	await plays('a', 1);
	const { pid } = sluice.worker('stream', 'a');
	folder.hang();
	for (const i of [0, 1])
		await Sender.start(t, new TsMux(), 5000 + i);
	// of b not even the opening is answered
	await sluice.cmd('toggle-stream', { id: 'b' });
	await plays('a', 2);
	await plays('b', 2);
	await waitUntil('an error', async () =>
		(await inputs('b'))[0].error === `${folder.file}: the disk ` +
			'does not answer', 20000);
	// only the waiting thread retries it
	await sluice.logged(/stream a: input 1: .* does not answer/);
	const tasks = (id) => fs.readdirSync(
		`/proc/${sluice.worker('stream', id).pid}/task`).length;
	assert.ok(tasks('a') <= 2, 'one thread waits');
	// what looks for the files that a sandbox allows is no thread of it
	assert.ok(tasks('b') <= 2, 'one thread waits');
	assert.deepEqual(processes('sluice-grants'), []);
	assert.equal(sluice.worker('stream', 'a').pid, pid, 'no watchdog bit');
	folder.goOn();
	await plays('a', 1);
	await plays('b', 1);
	assert.equal(sluice.worker('stream', 'a').pid, pid);
	// and a file that hangs when it is no longer needed
	folder.hang();
	await plays('a', 2);
	await sluice.cmd('toggle-stream', { id: 'a' });
	await waitUntil('its end', () =>
		sluice.worker('stream', 'a') === undefined, 10000);
	folder.goOn();
	await sluice.stop();
});

test('a path that is no file is named', async (t) => {
	const dir = tempDir(t);
	const pipe = path.join(dir, 'pipe');

	assert.equal((await run('mkfifo', [pipe])).code, 0);
	const sluice = await Sluice.start(t, config(
		stream('a', `file://${pipe}`, []),
		stream('b', `file://${dir}`, []),
		stream('c', 'file:///dev/zero', [])));
	await sluice.logged(/stream a: input 1: .*: is a pipe, not a file/);
	await sluice.logged(/stream b: input 1: .*: is a folder, not a file/);
	await sluice.logged(/stream c: input 1: .*: is a device, not a file/);
	await sluice.stop();
});
