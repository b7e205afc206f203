// SPDX-License-Identifier: GPL-3.0-or-later
// inputs, lists of files: one stream, whatever the files are.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertOneStream, assertPlays, judge, makeClip }
	from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { sections } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { start, tempDir, waitUntil } from '../helpers/util.mjs';

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

test('an unplayable file of a list is logged once and raises an alarm',
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
		/^2 files cannot be played, .*empty\.ts: .* no transport .*$/);
	await waitUntil('five rounds', () => recorder.size() >
		5 * clip.length, 40000);
	assert.equal(times(/nöne {2}two\.ts: No such file or dir/g), 1);
	assert.equal(times(/empty\.ts: .* no transport stream/g), 1);
	put('nöne  two.ts', clip);
	await alarmed('one of them', true, /^\S*empty\.ts: .* no transport/);
	await sluice.logged(/nöne {2}two\.ts: playing again/);
	fs.rmSync(at('nöne  two.ts'));
	fs.mkdirSync(at('nöne  two.ts'));
	await sluice.logged(/nöne {2}two\.ts: is a folder, not a file/);
	put('list', 'one.ts\n');
	await alarmed('the end', false, /^$/);
	await sluice.stop();
});

// A table of a stream over time: each change of its content or version.
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

test('a list of files of other codecs, PIDs and programs is ' +
	'announced as a change of source', async (t) => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const mpeg2 = { pictures: ['-c:v', 'mpeg2video', '-bf', '2'],
		seconds: 2 };
	const aac = ['-c:a', 'aac', '-b:a', '64k'];
	const mp2 = ['-c:a', 'mp2', '-b:a', '64k'];

	// every table has version 0
	await makeClip(dir, 'one', { pictures: ['-c:v', 'libx264'],
		sound: mp2, seconds: 2 });
	await makeClip(dir, 'two', { ...mpeg2, sound: aac, offset: 900 });
	await makeClip(dir, 'three', { ...mpeg2, sound: mp2, offset: 70,
		mux: ['-mpegts_start_pid', '0x300', '-mpegts_service_id', '9',
			'-mpegts_pmt_start_pid', '0x200'] });
	// a file that begins in the middle of a group of pictures
	const whole = fs.readFileSync(path.join(dir, 'one.ts'));
	fs.writeFileSync(path.join(dir, 'four.ts'),
		whole.subarray(188 * 300));
	fs.writeFileSync(path.join(dir, 'list'),
		'one.ts\ntwo.ts\nthree.ts\nfour.ts\none.ts\n');
	const sluice = await Sluice.start(t, config(stream('a001',
		`file://${path.join(dir, 'list')}#list&loop`,
		'udp://127.0.0.1:6000')));

	await sluice.onair('a001');
	await waitUntil('the whole list and more', () => recorder.size() >
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
	// a PID that is absent for one file returns later
	assertOneStream(await judge(file), { pauses: 4 });
	const pats = changes(sections(data).filter((s) => s.kind === 'pat'));
	const pmts = changes(sections(data, new Set([0x200, 0x1000]))
		.filter((s) => s.kind === 'pmt'));
	// there and back; four and one are alike.  A version never goes back
	assert.deepEqual(pats.slice(0, 3).map((s) => s.version), [0, 1, 2]);
	assert.deepEqual(pmts.slice(0, 4).map((s) => [s.extension, s.version,
		s.streams.map(({ type, pid }) => [type, pid])]), [
		[1, 0, [[0x1b, 0x100], [3, 0x101]]],
		[1, 1, [[2, 0x100], [0x0f, 0x101]]],
		[9, 0, [[2, 0x300], [3, 0x301]]],
		[1, 2, [[0x1b, 0x100], [3, 0x101]]],
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

test('a list plays no file of the service', async (t) => {
	const dir = tempDir(t);
	const clip = new TsMux().take(1330);
	const own = tempDir(t); // of the configuration
	const put = (folder, name, data = clip) =>
		fs.writeFileSync(path.join(folder, name), data);

	fs.mkdirSync(path.join(own, 'media'));
	for (const [folder, name] of [[own, 'state.ts'], [dir, 'one.ts'],
		[path.join(own, 'media'), 'two.ts']])
		put(folder, name);
	fs.symlinkSync(path.join(own, 'state.ts'), path.join(dir, 'alias.ts'));
	const cert = await certificate(tempDir(t), 'cert');
	put(dir, 'list', `one.ts\nalias.ts\n${own}/state.ts\n${cert.key}\n`);
	// beside the configuration: what the folder of the list has
	put(path.join(own, 'media'), 'list', 'two.ts\n../state.ts\n');
	const list = (folder) => `file://${path.join(folder, 'list')}` +
		'#list&loop';
	const document = config(
		stream('a', list(dir), 'udp://127.0.0.1:6000'),
		stream('b', list(path.join(own, 'media')),
			'udp://127.0.0.1:6001'),
		stream('c', `file://${cert.key}`, 'udp://127.0.0.1:6002'));
	const sluice = await Sluice.start(t, { ...document,
		settings: settingsOf(cert) }, { dir: own });

	const { pid } = await waitUntil('a worker', () =>
		sluice.worker('stream', 'a'));
	for (const [id, n, name] of [['a', '3 files cannot be played, ',
		'.*'], ['b', '', '.*state\\.ts']]) {
		const error = new RegExp(
			`^${n}${name}: is a file of the service`);

		await sluice.waitStatus(id, 'the error',
			({ inputs: [input] }) => error.test(input.error ?? ''),
			20000);
		await sluice.onair(id, 20000);
	}
	assert.equal(sluice.worker('stream', 'a').pid, pid);
	// nor is the key read where an address names it
	const at = sluice.worker('stream', 'c').pid;
	await sluice.waitStatus('c', 'the error', ({ inputs: [input] }) =>
		/is the private key of the service$/.test(input.error ?? ''));
	assert.equal(sluice.worker('stream', 'c').pid, at);
	await sluice.stop();
	assert.doesNotMatch(sluice.log, /after the start of this worker/);
});

test('a list plays no recording of another stream', async (t) => {
	const [lists, store, source] = [tempDir(t), tempDir(t), tempDir(t)];
	const clip = new TsMux().take(1330);
	const put = (folder, name, data = clip) =>
		fs.writeFileSync(path.join(folder, name), data);
	const list = (folder) => `file://${path.join(folder, 'list')}` +
		'#list&loop';
	const record = (folder, more = {}) => stream('record',
		`file://${path.join(source, 'clip.ts')}#loop`,
		`file://${path.join(folder, 'now.ts')}`, more);

	put(source, 'clip.ts');
	put(store, 'old.ts');
	put(lists, 'own.ts');
	put(lists, 'list', `own.ts\n${store}/old.ts\n`);
	put(store, 'list', 'old.ts\n');
	const sluice = await Sluice.start(t, config(record(store),
		stream('other', list(lists), 'udp://127.0.0.1:6000'),
		// its own folder, and a stream that records there
		stream('inside', list(store), 'udp://127.0.0.1:6001'),
		stream('itself', list(lists), [`file://${store}/itself.ts`])));
	const errors = (id, pattern) => sluice.waitStatus(id, pattern,
		({ inputs: [input] }) => pattern.test(input.error ?? ''),
		20000);
	const refused = /old\.ts: is .* a recording of another stream/;

	await errors('other', refused);
	for (const id of ['other', 'inside', 'itself']) {
		await sluice.onair(id, 20000);
		if (id !== 'other')
			await errors(id, /^$/);
	}
	assert.doesNotMatch(sluice.log, /stream (inside|itself): .*recording/);

	// the folders change: the worker of a list is replaced
	const { pid } = sluice.worker('stream', 'other');
	await sluice.cmd('set-stream', { id: 'itself',
		stream: { id: 'itself', remove: true } });
	await sluice.cmd('set-stream', { id: 'record',
		stream: record(source) });
	await sluice.replaced('stream', 'other', pid);
	await errors('other', /^$/);
	const next = sluice.worker('stream', 'other').pid;
	await sluice.cmd('set-stream', { id: 'record', stream: record(store) });
	await sluice.replaced('stream', 'other', next);
	await errors('other', refused);
	// a restart of the service replaces none
	const last = sluice.worker('stream', 'other').pid;
	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await sluice.ready();
	await errors('other', refused);
	assert.equal(sluice.worker('stream', 'other').pid, last);
	await sluice.stop();
});
