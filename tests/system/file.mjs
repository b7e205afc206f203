// SPDX-License-Identifier: GPL-3.0-or-later
// inputs, files: played in real time, and for ever, without a seam.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertDecodes, assertOneStream, assertPlays, judge, makeClip }
	from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { sections } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { builddir, run, srcdir, start, tempDir, waitUntil }
	from '../helpers/util.mjs';

// Everything the clock of a stream promises: PCRs go on, closely, and agree
// with the time at which the packets came.
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
	// the demo clip is 9.6 s: one seam is in it
	// of each, whichever of them begins first
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

test('a list of files is one stream', async (t) => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const pictures = ['-c:v', 'libx264'];

	await makeClip(dir, 'one', { pictures, seconds: 2 });
	await makeClip(dir, 'two', { pictures, seconds: 3, offset: 900,
		size: '320x180', tone: 880 });
	fs.writeFileSync(path.join(dir, 'list'),
		'#EXTM3U\none.ts\nnone.ts\r\n\ntwo.ts\n');
	const sluice = await Sluice.start(t, config(stream('a001',
		`file://${path.join(dir, 'list')}#list&loop`,
		'udp://127.0.0.1:6000')));

	await sluice.onair('a001');
	// twice round, and some more
	await waitUntil('eleven seconds', () => recorder.size() >
		11 * 7e5 / 8, 30000);
	timing.stop();
	const [list] = await recorder.stop();
	const held = timing.heldUp('',
		await sluice.sent('a001', list.length * 7));
	await sluice.stop();
	if (held)
		return;
	const data = joined(list);
	const seen = checkTs(data);
	assert.equal(seen.ccErrors + seen.syncErrors + seen.crcErrors, 0);
	const file = path.join(dir, 'all.ts');
	fs.writeFileSync(file, wholeUnits(data));
	assertOneStream(await judge(file));
	await assertPlays(file);
	assert.match(sluice.log, /none\.ts: No such file or directory/);
});

test('a file of a list that cannot be played is told once, and alarmed',
	async (t) => {
	const dir = tempDir(t);
	const at = (name) => path.join(dir, name);
	const put = (name, data) => {
		fs.writeFileSync(at(`${name}.new`), data);
		fs.renameSync(at(`${name}.new`), at(name));
	};
	const clip = new TsMux().take(1330); // a second
	const recorder = await Recorder.start(t, { port: 6000 });

	put('one.ts', clip);
	put('empty.ts', '');
	put('list', '\ufeff#EXTM3U\none.ts\nnöne  two.ts \nempty.ts\n');
	const sluice = await Sluice.start(t, config(stream('a001',
		`file://${at('list')}#list&loop`, 'udp://127.0.0.1:6000')));
	const times = (pattern) => [...sluice.log.matchAll(pattern)].length;
	const alarmed = (what, is, pattern) => sluice.waitStatus('a001', what,
		({ inputs: [input], alarms }) =>
			!alarms.includes('unplayable') &&
			input.alarms.includes('unplayable') === is &&
			pattern.test(input.error ?? ''), 20000);

	await alarmed('the alarm', true,
		/^2 files cannot be played, .*empty\.ts: no transport stream$/);
	await waitUntil('five rounds', () => recorder.size() >
		5 * clip.length, 40000);
	assert.equal(times(/nöne {2}two\.ts: No such file or dir/g), 1);
	assert.equal(times(/empty\.ts: no transport stream/g), 1);
	put('nöne  two.ts', clip);
	await alarmed('one of them', true, /^\S*empty\.ts: no transport/);
	await sluice.logged(/nöne {2}two\.ts: is played again/);
	fs.rmSync(at('nöne  two.ts'));
	fs.mkdirSync(at('nöne  two.ts'));
	await sluice.logged(/nöne {2}two\.ts: is a folder, not a file/);
	put('list', 'one.ts\n');
	await alarmed('the end', false, /^$/);
	await sluice.stop();
});

// One table of a stream as it changes: where it says something else, or bears
// another version.
function changes(list) {
	const seen = [];

	for (const s of list) {
		const says = JSON.stringify([s.extension, s.pcr, s.streams,
			[...s.programs ?? []]]);
		const last = seen.at(-1);
		if (last?.says !== says || last?.version !== s.version)
			seen.push({ ...s, says });
	}
	return seen;
}

// The stream from each of these packets to the next, but the last.
const parts = (data, starts) => starts.slice(0, -1).map((start, i) =>
	data.subarray(start * 188, starts[i + 1] * 188));

test('a list of files of other codecs, PIDs and programs is announced as a ' +
	'change of source is', async (t) => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const mpeg2 = { pictures: ['-c:v', 'mpeg2video', '-bf', '2'],
		seconds: 2 };
	const aac = ['-c:a', 'aac', '-b:a', '64k'];
	const mp2 = ['-c:a', 'mp2', '-b:a', '64k'];

	// all of them say version 0 of everything
	await makeClip(dir, 'one', { pictures: ['-c:v', 'libx264'],
		sound: mp2, seconds: 2 });
	await makeClip(dir, 'two', { ...mpeg2, sound: aac, offset: 900 });
	await makeClip(dir, 'three', { ...mpeg2, sound: mp2, offset: 70,
		mux: ['-mpegts_start_pid', '0x300', '-mpegts_service_id', '9',
			'-mpegts_pmt_start_pid', '0x200'] });
	// one that begins in the middle of a group of pictures
	const whole = fs.readFileSync(path.join(dir, 'one.ts'));
	fs.writeFileSync(path.join(dir, 'four.ts'),
		whole.subarray(188 * 300));
	fs.writeFileSync(path.join(dir, 'list'),
		'one.ts\ntwo.ts\nthree.ts\nfour.ts\none.ts\n');
	const sluice = await Sluice.start(t, config(stream('a001',
		`file://${path.join(dir, 'list')}#list&loop`,
		'udp://127.0.0.1:6000')));

	await sluice.onair('a001');
	await waitUntil('all of it and more', () => recorder.size() >
		11 * 7e5 / 8, 30000);
	timing.stop();
	const [list] = await recorder.stop();
	const held = timing.heldUp('',
		await sluice.sent('a001', list.length * 7));
	await sluice.stop();
	if (held)
		return;
	const data = joined(list);
	const file = path.join(dir, 'all.ts');
	fs.writeFileSync(file, wholeUnits(data));
	// a PID that is away for a file comes back later
	assertOneStream(await judge(file), { pauses: 4 });
	const pats = changes(sections(data).filter((s) => s.kind === 'pat'));
	const pmts = changes(sections(data, new Set([0x200, 0x1000]))
		.filter((s) => s.kind === 'pmt'));
	// there and back; four and one are alike
	assert.deepEqual(pats.slice(0, 3).map((s) => s.version), [0, 1, 0]);
	assert.deepEqual(pmts.slice(0, 4).map((s) => [s.extension, s.version,
		s.streams.map(({ type, pid }) => [type, pid])]), [
		[1, 0, [[0x1b, 0x100], [3, 0x101]]],
		[1, 1, [[2, 0x100], [0x0f, 0x101]]],
		[9, 0, [[2, 0x300], [3, 0x301]]],
		[1, 0, [[0x1b, 0x100], [3, 0x101]]],
	]);
	// each can be played from its announcement on
	const heads = pmts.map((s) => sections(data).findLast((p) =>
		p.kind === 'pat' && p.packet < s.packet).packet);
	for (const [i, part] of parts(data, heads).slice(0, 4).entries()) {
		const one = path.join(dir, `part${i}.ts`);
		fs.writeFileSync(one, wholeUnits(part));
		await assertPlays(one);
	}
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

// A folder with a clip in it that can be told not to answer; null where nobody
// may mount one.
async function hangingFolder(t) {
	let folder;
	// before the folder goes
	t.after(() => run('umount', ['-l', folder]));
	const dir = tempDir(t);
	const [clip, sign] = ['clip', 'sign'].map((name) =>
		path.join(dir, name));

	folder = path.join(dir, 'mnt');
	fs.mkdirSync(folder);
	fs.writeFileSync(clip, new TsMux().take(13300));
	const child = start(t, path.join(builddir, 'tests/helpers/hang-fs'),
		[folder, clip, sign], { stdio: ['pipe', 'pipe', 'pipe'] });
	await waitUntil('a mount', () => child.text.out !== '' ||
		child.exitCode !== null);
	if (child.text.out !== 'ready\n') {
		t.skip(`no mount: ${child.text.out}`);
		return null;
	}
	return {
		file: path.join(folder, 'clip.ts'),
		hang: () => fs.writeFileSync(sign, ''),
		goOn: () => fs.rmSync(sign, { force: true }),
	};
}

test('a file that does not answer stops no other input', async (t) => {
	const folder = await hangingFolder(t);
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
	await waitUntil('a complaint', async () =>
		(await inputs('b'))[0].error === `${folder.file}: does not ` +
			'answer', 20000);
	// it is tried again and again, by nobody but the thread that waits
	await sluice.logged(/stream a: input 1: .* does not answer/);
	const tasks = (id) => fs.readdirSync(
		`/proc/${sluice.worker('stream', id).pid}/task`).length;
	assert.ok(tasks('a') <= 2 && tasks('b') <= 2, 'one thread waits');
	assert.equal(sluice.worker('stream', 'a').pid, pid, 'no watchdog bit');
	folder.goOn();
	await plays('a', 1);
	await plays('b', 1);
	assert.equal(sluice.worker('stream', 'a').pid, pid);
	// and one that hangs when it is not needed any more
	folder.hang();
	await plays('a', 2);
	await sluice.cmd('toggle-stream', { id: 'a' });
	await waitUntil('its end', () =>
		sluice.worker('stream', 'a') === undefined, 10000);
	folder.goOn();
	await sluice.stop();
});

test('what is no file is named', async (t) => {
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
