// SPDX-License-Identifier: GPL-3.0-or-later
// DVB Simulcrypt: a receiver with the control words of the ECMs gets the clear
// stream over many changes of the word; the word stays while an ECM generator
// or a process is away; EMMs go out.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { CAT_PID, ECM_PID, EMM_PID, assertSame, changes, entry, firstClear,
	link, packets, play, receive, scrambled, udp }
	from '../helpers/cas-scene.mjs';
import { Viewer } from '../helpers/media.mjs';
import { PROGRAM } from '../helpers/mux.mjs';
import { Ecmg, Emmg, emmOf, packetOf } from '../helpers/simulcrypt.mjs';
import { stream } from '../helpers/sluice.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

test('a receiver gets the clear stream', async (t) => {
	// one word a message, sections, ahead of the change
	const ecmg = await Ecmg.start(t, { lead: 0, perMsg: 1,
		packets: false, delay: -300, version: 3, pieces: true });
	const { recorder } = await play(t, [entry(ecmg,
		{ ecmg_version: ecmg.version })], [link]);

	await waitUntil('six periods', () =>
		ecmg.provisions.some(({ cp }) => cp === 6), 30000);
	const viewer = await Viewer.open(t, 8100, '/s');

	await waitUntil('a viewer', () => viewer.bytes > 100000);
	const [clear, data] = (await recorder.stop()).map(joined);
	const got = receive(data);

	assert.equal(ecmg.superId, 0x4ae10001);
	assert.equal(ecmg.channel, 7);
	assert.deepEqual([...ecmg.streams.keys()], [0]);
	assert.equal(ecmg.provisions[0].ac, 'aabbcc');
	assert.ok(got.changes >= 4, `${got.changes} changes`);
	assert.ok(got.ecms >= got.changes, `${got.ecms} ECMs`);
	// before the first ECM nobody has the word
	assert.ok(got.lost < scrambled(data).length / 2);
	assertSame(clear, got.data);

	// tables, PCRs and the ring
	assert.ok(data.includes(Buffer.from([9, 6, 0x4a, 0xe1, 0xe6, 0,
		0xd1, 0xd2])), 'CA descriptor of the PMT');
	assert.ok(packets(data, 0).every((p) => !(p[3] & 0xc0)));
	assert.ok(packets(data, PROGRAM.pmtPid)
		.every((p) => !(p[3] & 0xc0)));
	assert.ok(packets(data, CAT_PID).length > 0);
	assert.equal(scrambled(clear).length, 0);
	assert.ok(scrambled(viewer.data()).length > 100);
	for (const pid of [PROGRAM.video, PROGRAM.audio])
		assert.ok(packets(data, pid).every((p) =>
			p[3] & 0x80 || !(p[3] & 0x10)),
		'none is clear');
});

test('the word stays while the generator and the process are away',
	async (t) => {
		const ecmg = await Ecmg.start(t);
		const { sluice, recorder } = await play(t, [entry(ecmg)],
			[link]);
		const viewer = await Viewer.open(t, 8100, '/s');
		const next = async (what) => {
			const n = ecmg.provisions.length;

			await waitUntil(what, () =>
				ecmg.provisions.length >= n + 2, 30000);
		};
		const told = (pattern) => sluice.waitStatus('s', `${pattern}`,
			(s) => pattern.test(s.cas_error ?? ''));
		const well = () => sluice.waitStatus('s', 'no error',
			(s) => !s.cas_error);

		await next('periods');
		ecmg.silent = true;
		await told(/CAS c1: no ECM for \d+ s: the last control word/);
		ecmg.silent = false;
		await well();
		await next('periods after a silence');
		// a parameter that is longer than its message
		ecmg.raw = Buffer.from([2, 2, 2, 0, 4, 0, 0x0e, 0, 9]);
		await told(/CAS c1: ECMG 127\.0\.0\.1:\d+: malformed message/);
		ecmg.raw = undefined;
		await well();
		ecmg.stop();
		await told(/CAS c1: ECMG 127\.0\.0\.1:\d+: /);
		await ecmg.listen();
		await well();
		await next('periods after a lost connection');
		process.kill(sluice.worker('cas', 'c1').pid, 'SIGKILL');
		await next('periods after the end of the process');
		process.kill(sluice.worker('stream', 's').pid, 'SIGKILL');
		await next('periods after the end of the stream');
		await well();

		const [clear, data] = (await recorder.stop()).map(joined);
		const got = receive(data);

		assert.equal(viewer.ended, false, 'the viewer stays');
		assert.ok(got.changes >= 10, `${got.changes} changes`);
		// a stream that is replaced has other counters and times
		const payloads = (from) => packets(from, PROGRAM.video)
			.filter((p) => !(p[1] & 0x40) && p[3] >> 4 === 1)
			.map((p) => p.toString('hex', 4));
		const list = payloads(got.data);
		const bad = firstClear(got.data);
		const want = new Set(payloads(clear));
		const strange = list.map((p) => !want.has(p)).lastIndexOf(true);

		assert.ok(bad < list.length / 4, `${bad} of ${list.length}`);
		assert.ok(strange < bad, `packet ${strange} is scrambled`);
	});

test('EMMs go out, within their rate', async (t) => {
	const ecmg = await Ecmg.start(t);
	const { sluice, recorder } = await play(t, [entry(ecmg, {
		emmg_port: 5555, emmg_protocol: 'udp', emm_pid: EMM_PID,
		emm_data: 'E1', emm_clone: true,
		emmg_bitrate: 200 })], [link]);

	await sluice.waitStatus('s', 'ECMs', (s) => !s.cas_error);
	const emmg = await Emmg.start(t, 5555);

	// emm_clone: another stream gets them, too
	const other = await Recorder.start(t, { port: 6002 });

	await sluice.cmd('set-stream', { stream: stream('o', 'stream://clear',
		udp(6002), { cas_list: [link] }) });
	await sluice.waitStatus('o', 'ECMs', (s) => s.onair && !s.cas_error);
	emmg.setUp(500);
	await waitUntil('an allocation', () => emmg.allocated);
	assert.equal(emmg.allocated, 200);
	for (let i = 0; i < 20; i++)
		emmg.provide(emmOf(150, i));
	emmg.provideByUdp(emmOf(100, 0x77), emmOf(100, 0x78));
	emmg.provide(Buffer.from('no section'));
	await waitUntil('an error', () => emmg.errors().includes(0x0d));
	// beyond the rate; errors about data come once a second
	await waitUntil('an error', () => {
		for (let i = 0; i < 10; i++)
			emmg.provide(emmOf(1000, 0x99));
		return emmg.errors().includes(0x0f);
	});

	const cat = Buffer.from([9, 5, 0x4a, 0xe1, 0xe7, 0, 0xe1]);
	const bytes = await Emmg.start(t, 5555, { packets: true, version: 3,
		client: 0x0b000002 });

	bytes.setUp(10);
	bytes.provide(packetOf(emmOf(64, 'second generator')));
	await waitUntil('the counts', () => bytes.received.length >= 3);
	await waitUntil('the last EMM', () => fs.readFileSync(recorder.file)
		.includes('second generator'));
	const data = joined((await recorder.stop())[1]);
	const emms = packets(data, EMM_PID);
	const of = (fill) => emms.some((p) =>
		p.includes(Buffer.alloc(16, fill)));

	const [cloned] = (await other.stop()).map(joined);

	assert.ok(packets(cloned, EMM_PID).length > 10);
	for (const fill of [0, 1, 19, 0x77, 0x78, 'second generator'])
		assert.ok(of(fill), `EMM ${fill}`);
	emms.forEach((p, i) => assert.equal(p[3] & 0x0f, i & 0x0f));
	assert.ok(data.includes(cat), 'CA descriptor of the CAT');
});

// 800 in a second, more than a stream accepts messages.
test('many short EMMs share messages', async (t) => {
	const ecmg = await Ecmg.start(t);
	const { sluice } = await play(t, [entry(ecmg, { emmg_port: 5555,
		emm_pid: EMM_PID, emmg_bitrate: 2000 })], [link]);

	await sluice.waitStatus('s', 'ECMs', (s) => !s.cas_error);
	const emmg = await Emmg.start(t, 5555);

	emmg.setUp(2000);
	await waitUntil('an allocation', () => emmg.allocated);
	const begin = Date.now();
	let sent = 0;

	await waitUntil('three seconds', () => {
		// a test that was delayed does not send them all at once
		const due = Math.min((Date.now() - begin) * 0.8, sent + 200);

		for (; sent < due; sent++)
			emmg.provide(emmOf(90, sent & 255));
		return sent >= 2400;
	});
	const n = ecmg.provisions.length;

	await waitUntil('the next period', () => ecmg.provisions.length > n,
		10000);
	assert.doesNotMatch(sluice.log, /sends too m/);
});

test('two systems share a word, and what cannot work is named', async (t) => {
	const a = await Ecmg.start(t), b = await Ecmg.start(t);
	const dead = await Ecmg.start(t);

	dead.stop();
	const { sluice, recorder } = await play(t, [
		entry(dead, { ecmg_host2: '127.0.0.1', ecmg_port2: a.port }),
		entry(b, { id: 'c2', super_cas_id: '0B000000',
			first_stream_id: false }),
		{ id: 'c3', ecmg_host: 'h' }],
	[link, { cas_id: 'c2', ecm_pid: ECM_PID + 1 }]);

	await waitUntil('four periods', () =>
		a.provisions.some(({ cp }) => cp === 4) &&
		b.provisions.some(({ cp }) => cp === 4), 30000);
	const [clear, data] = (await recorder.stop()).map(joined);

	for (const pid of [ECM_PID, ECM_PID + 1]) {
		const got = receive(data, pid);

		assert.ok(got.changes >= 2, `${got.changes} changes`);
		assertSame(clear, got.data);
	}
	for (const [n, word] of a.words)
		if (b.words.has(n))
			assert.equal(b.words.get(n), word);
	assert.deepEqual([...b.streams.keys()], [1]);
	// the bytes that receivers take for checksums
	for (const word of a.words.values()) {
		const w = Buffer.from(word, 'hex');

		assert.equal(w[3], w[0] + w[1] + w[2] & 255);
		assert.equal(w[7], w[4] + w[5] + w[6] & 255);
	}

	const of = (id) => ({ stream: { ...stream('s', udp(5001), udp(6001),
		{ cas_list: [{ cas_id: id }] }) } });

	await sluice.cmd('set-stream', { id: 's', ...of('c3') });
	await sluice.waitStatus('s', 'its error', (s) => s.cas_error ===
		'CAS c3: configuration error: ecmg_channel_id: is missing');
	await sluice.cmd('set-stream', { id: 's', ...of('none') });
	await sluice.waitStatus('s', 'its error', (s) => s.cas_error ===
		'CAS none: cas has no entry with this id');
	// on a machine that stalls a period may have no packets
	assert.ok(changes(data) >= 2);
});
