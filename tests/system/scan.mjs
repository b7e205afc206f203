// SPDX-License-Identifier: GPL-3.0-or-later
// scan-*: an analyzer reports the tables of an input.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { crc32 } from '../helpers/ts.mjs';
import { always, now, start, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';

const LIMIT = 16;

async function init(sluice, scan) {
	const reply = await sluice.cmd('scan-init', { scan });

	assert.deepEqual(Object.keys(reply), ['scan-init', 'id']);
	assert.equal(reply['scan-init'], 'ok');
	return reply.id;
}

const check = (sluice, id) => sluice.cmd('scan-check', { id });

// Asks until the records satisfy probe; all that came.
async function collect(sluice, id, probe, timeoutMs = 20000) {
	const records = [];

	await waitUntil('records', async () => {
		const reply = await check(sluice, id);

		always(() => assert.equal(reply['scan-check'], 'ok'));
		records.push(...reply.scan ?? []);
		if (!probe(records))
			throw new Error(JSON.stringify(records));
		return true;
	}, timeoutMs);
	return records;
}

// An analyzer without a request for ten seconds ends, and a busy machine needs
// longer for some steps: each probe is a request to all that must stay.
const kept = (what, sluice, ids, probe) => waitUntil(what, async () => {
	await Promise.all(ids.map((id) => check(sluice, id)));
	return probe();
});

const of = (records, psi) => records.filter((r) => r.psi === psi);

function ended(sluice) {
	return waitUntil('end of all analyzers', () =>
		!sluice.workers().some((w) => w.role === 'scan'));
}

// The names that ffmpeg gives a service; two of them, in one multiplex.
function announced(t, url) {
	return start(t, 'ffmpeg', ['-nostdin', '-loglevel', 'error',
		'-re', '-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25',
		'-f', 'lavfi', '-i', 'sine=frequency=440',
		'-map', '0', '-map', '1', '-map', '1',
		'-metadata:s:1', 'language=deu',
		'-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25',
		'-c:a', 'aac',
		'-program', 'program_num=10:title=Première é:st=0:st=1',
		'-program', 'program_num=11:title=Radio Ж:st=2',
		'-metadata:p:0', 'service_provider=Häuser',
		'-metadata:p:1', 'service_provider=Häuser',
		'-mpegts_transport_stream_id', '77',
		'-mpegts_original_network_id', '88',
		'-f', 'mpegts', url]);
}

test('the services of a multicast group have the names of their sender',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const url = 'udp://239.1.0.9:5000?localaddr=127.0.0.1&pkt_size=1316';

	announced(t, url);
	const id = await init(sluice, 'udp://lo@239.1.0.9:5000');
	const records = await collect(sluice, id, (r) =>
		of(r, 'pmt').length >= 2 && of(r, 'sdt').length >= 1 &&
		of(r, 'pat').length >= 1);
	const [pat] = of(records, 'pat');
	assert.equal(pat.table_id, 0);
	assert.equal(pat.pid, 0);
	assert.equal(pat.tsid, 77);
	assert.deepEqual(pat.programs.map((p) => p.pnr), [10, 11]);
	for (const record of records)
		for (const key of ['table_id', 'pid', 'version', 'crc32'])
			assert.ok(Number.isInteger(record[key]), key);
	const tv = of(records, 'pmt').find((r) => r.pnr === 10);
	assert.equal(tv.table_id, 2);
	assert.equal(tv.pid, pat.programs[0].pid);
	assert.deepEqual(tv.streams.map((s) => s.type_name),
		['VIDEO', 'AUDIO']);
	assert.equal(tv.pcr, tv.streams[0].pid);
	assert.deepEqual(tv.streams[1].descriptors, [{ type_id: 10,
		type_name: 'lang', lang: 'deu', audio_type: 0 }]);
	const [sdt] = of(records, 'sdt');
	assert.equal(sdt.tsid, 77);
	assert.equal(sdt.onid, 88);
	// the table of the first text is not the one that we would take
	assert.match(sdt.services[0].descriptors[0].raw, /^0108154[^]*c3a9$/);
	assert.deepEqual(sdt.services.map((s) => [s.sid,
		s.descriptors.map(({ raw, ...fields }) => fields)]), [
		[10, [{ type_id: 72, type_name: 'service', service_type_id: 1,
			service_provider: 'Häuser',
			service_name: 'Première é' }]],
		[11, [{ type_id: 72, type_name: 'service', service_type_id: 1,
			service_provider: 'Häuser',
			service_name: 'Radio Ж' }]]]);
	// a reported section is not reported again
	const again = await check(sluice, id);
	assert.ok(!of(again.scan ?? [], 'pat').length);
	assert.deepEqual(await sluice.cmd('scan-kill', { id }),
		{ 'scan-kill': 'ok' });
	await ended(sluice);
});

test('a changed table is reported once more', async (t) => {
	const sluice = await Sluice.start(t, config());
	const mux = new TsMux();

	await Sender.start(t, mux, 5000);
	const id = await init(sluice, 'udp://127.0.0.1:5000');
	const first = await collect(sluice, id, (r) =>
		of(r, 'pat').length && of(r, 'pmt').length);
	assert.deepEqual(of(first, 'pat')[0].programs,
		[{ pnr: PROGRAM.pnr, pid: PROGRAM.pmtPid }]);
	mux.patVersion = 1;
	const second = await collect(sluice, id, (r) => r.length);
	assert.deepEqual(second.map((r) => [r.psi, r.version]),
		[['pat', 1]]);
	assert.notEqual(second[0].crc32, of(first, 'pat')[0].crc32);
});

test('tables with a wrong checksum are not reported', async (t) => {
	const sluice = await Sluice.start(t, config());
	const mux = new TsMux();

	mux.breakCrc = true;
	await Sender.start(t, mux, 5000);
	const id = await init(sluice, 'udp://127.0.0.1:5000');
	await waitUntil('two seconds', () => mux.seconds > 2);
	assert.deepEqual(await check(sluice, id), { 'scan-check': 'ok' });
	mux.breakCrc = false;
	await collect(sluice, id, (r) => of(r, 'pat').length);
});

test('a silent input yields no record and no error', async (t) => {
	const sluice = await Sluice.start(t, config());
	const id = await init(sluice, 'udp://127.0.0.1:5000');

	await waitUntil('analyzer', () => sluice.worker('scan'));
	assert.deepEqual(await check(sluice, id), { 'scan-check': 'ok' });
});

test('garbage yields no record, and the analyzer continues', async (t) => {
	const sluice = await Sluice.start(t, config());
	const id = await init(sluice, 'udp://127.0.0.1:5000');
	const socket = dgram.createSocket('udp4');
	let seed = 1;

	await waitUntil('analyzer', () => sluice.worker('scan'));
	const { pid } = sluice.worker('scan');
	for (let i = 0; i < 2000; i++) {
		const data = Buffer.alloc(1316);
		for (let k = 0; k < data.length; k++) {
			seed = Math.imul(seed, 1664525) + 1013904223 | 0;
			data[k] = seed >>> 24;
		}
		// half of it with packets in the right places
		for (let k = 0; i % 2 && k < data.length; k += 188) {
			data[k] = 0x47;
			data[k + 1] &= 0x40;
			data[k + 2] &= 0x1f;
		}
		await new Promise((done) =>
			socket.send(data, 5000, '127.0.0.1', done));
	}
	socket.close();
	await Sender.start(t, new TsMux(), 5000);
	await collect(sluice, id, (r) => of(r, 'pmt').length);
	assert.equal(sluice.worker('scan').pid, pid);
});

// Packets of sections on one PID.
function packed(sections, pid, cc) {
	const list = [];

	for (const section of sections)
		for (let at = 0; at < section.length;) {
			const packet = Buffer.alloc(188, 0xff);
			const head = at === 0 ? 5 : 4;
			packet[0] = 0x47;
			packet[1] = (at === 0 ? 0x40 : 0) | pid >> 8;
			packet[2] = pid & 255;
			packet[3] = 0x10 | cc.n++ & 15;
			if (at === 0)
				packet[4] = 0;
			at += section.copy(packet, head, at);
			list.push(packet);
		}
	return list;
}

// An SDT of a service with as many descriptors, of two bytes each, as fit.
function bulky(service, version, descriptors) {
	const loop = Buffer.alloc(2 * descriptors);
	const data = Buffer.alloc(16 + loop.length + 4);

	for (let i = 0; i < loop.length; i += 2)
		loop[i] = 0x0c;
	Buffer.from([0x42, 0xf0 | data.length - 3 >> 8, data.length - 3 & 255,
		service >> 8, service & 255, 0xc1 | (version & 31) << 1, 0, 0,
		0, 1, 0xff, 0, 1, 0xfc, loop.length >> 8, loop.length & 255])
		.copy(data);
	loop.copy(data, 16);
	data.writeUInt32BE(crc32(data.subarray(0, -4)), data.length - 4);
	return data;
}

test('a flood of changing tables is bounded, and its analyzer is not killed',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const id = await init(sluice, 'udp://127.0.0.1:5000');
	const socket = dgram.createSocket('udp4');
	const cc = { n: 0 };
	let bytes = 0, records = 0, brief = 0, slowest = 0;

	t.after(() => socket.close());
	await waitUntil('analyzer', () => udpBound(5000));
	const { pid } = sluice.worker('scan');
	const begin = now();
	const enough = () => records > 10 && brief > 0;
	// for two seconds, and longer where less comes through
	for (let version = 0; now() - begin < 2000 || (!enough() &&
		now() - begin < 60000); version++) {
		const sections = Array.from({ length: 30 }, (_, i) =>
			bulky(i, version, i === 0 ? 2030 : 850));
		const packets = packed(sections, 0x11, cc);
		while (packets.length)
			await new Promise((done) => socket.send(
				Buffer.concat(packets.splice(0, 7)), 5000,
				'127.0.0.1', done));
		if (version % 10)
			continue;
		const asked = now();
		const reply = await sluice.post({ cmd: 'scan-check', id });
		slowest = Math.max(slowest, now() - asked);
		const { scan = [] } = JSON.parse(reply.body);
		bytes += reply.body.length;
		records += scan.length;
		brief += scan.filter((r) =>
			r.error === 'record too long for a message').length;
	}
	const seconds = (now() - begin) / 1000 + 1;
	t.diagnostic(`${records} records, ${bytes} bytes, ${brief} brief, ` +
		`${seconds} s, slowest answer ${slowest} ms`);
	assert.ok(enough());
	assert.ok(bytes < seconds * 64 * 1024 * 33);
	assert.equal(sluice.worker('scan')?.pid, pid, sluice.log);
	// and without a request the master keeps a limited number
	await sluice.cmd('scan-kill', { id });
	await ended(sluice);
});

test('a file is read; a missing file is an error of the scan', async (t) => {
	const sluice = await Sluice.start(t, config());
	const file = path.join(tempDir(t), 'a.ts');

	const missing = await init(sluice, `file://${file}`);
	await waitUntil('error', async () => {
		const { error } = await check(sluice, missing);
		return error?.includes('No such file');
	});
	fs.writeFileSync(file, new TsMux().take(4000));
	const records = await collect(sluice, missing, (r) =>
		of(r, 'pat').length && of(r, 'pmt').length);
	assert.equal(of(records, 'pmt')[0].pnr, PROGRAM.pnr);
	const looped = await init(sluice, `file://${file}#loop`);
	await collect(sluice, looped, (r) => of(r, 'pmt').length);
});

test('a scan ends ten seconds after its last request', async (t) => {
	const sluice = await Sluice.start(t, config());
	const kept = await init(sluice, 'udp://127.0.0.1:5000');
	const left = await init(sluice, 'udp://127.0.0.1:5001');
	const running = () => sluice.workers().filter((w) =>
		w.role === 'scan').length;

	await waitUntil('both', async () => {
		await check(sluice, kept);
		await check(sluice, left);
		return running() === 2;
	});
	const begin = now();

	await waitUntil('end of the one', async () => {
		await check(sluice, kept);
		return running() === 1;
	}, 20000);
	const ms = now() - begin;
	assert.ok(ms > 9000, `it lived ${ms} ms`);
	const reply = await sluice.post({ cmd: 'scan-check', id: left });
	assert.equal(reply.status, 404);
	assert.deepEqual(JSON.parse(reply.body),
		{ error: `id: there is no analyzer "${left}"` });
	await check(sluice, kept);
});

test('many scans at once are bounded, and each has its own input',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const replies = await Promise.all(Array.from({ length: 20 }, (_, i) =>
		sluice.post({ cmd: 'scan-init',
			scan: `udp://127.0.0.1:${5000 + i}` })));
	const good = replies.filter((r) => r.status === 200);
	const bad = replies.filter((r) => r.status === 503);

	assert.equal(good.length, LIMIT);
	assert.equal(bad.length, 20 - LIMIT);
	assert.deepEqual(JSON.parse(bad[0].body),
		{ error: `${LIMIT} analyzers run already` });
	const ids = good.map((r) => JSON.parse(r.body).id);
	assert.equal(new Set(ids).size, LIMIT);
	await kept('workers', sluice, ids, () => sluice.workers().filter((w) =>
		w.role === 'scan').length === LIMIT);
	await sluice.cmd('scan-kill', { id: ids[0] });
	const next = await init(sluice, 'udp://127.0.0.1:5100');
	await check(sluice, next);
	const { code } = await sluice.stop();
	assert.equal(code, 0);
});

test('a crash ends only that scan', async (t) => {
	const sluice = await Sluice.start(t, config());
	const id = await init(sluice, 'udp://127.0.0.1:5000');

	await kept('analyzer', sluice, [id], () => sluice.worker('scan'));
	const first = sluice.worker('scan').pid;
	const other = await init(sluice, 'udp://127.0.0.1:5001');
	// a signal that a sanitizer does not report at length
	process.kill(first, 'SIGABRT');
	await kept('error', sluice, [other], async () => {
		const { error } = await check(sluice, id);
		return /^the analyzer has ended: killed by signal 6/
			.test(error);
	});
	assert.deepEqual(await check(sluice, other), { 'scan-check': 'ok' });
	assert.ok(!sluice.workers().some((w) => w.pid === first));
	await kept('the other', sluice, [other], () =>
		sluice.workers().some((w) => w.role === 'scan'));
	assert.equal(sluice.workers().filter((w) =>
		w.role === 'scan').length, 1, 'it is not started again');
});

test('scans do not survive a restart, streams do', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));
	const id = await init(sluice, 'udp://127.0.0.1:5001');

	await waitUntil('workers', () => sluice.worker('scan') &&
		sluice.worker('stream'));
	const { pid } = sluice.worker('stream');
	const scan = sluice.worker('scan').pid;
	await sluice.cmd('restart');
	await waitUntil('the new master', async () => (await sluice.post({
		cmd: 'scan-check', id })).status === 404);
	await sluice.logged(new RegExp(`pid ${scan} \\(scan [^)]*\\): ended`));
	await ended(sluice);
	assert.equal(sluice.worker('stream').pid, pid);
});

test('an address that is no input is rejected', async (t) => {
	const sluice = await Sluice.start(t, config());

	for (const [request, status, error] of [
		[{ cmd: 'scan-init' }, 400, 'scan: is missing'],
		[{ cmd: 'scan-init', scan: 'news' }, 400, /^scan: /],
		[{ cmd: 'scan-init', scan: 'udp://239.1.1.1:0' }, 400,
			/^scan: port: /],
		[{ cmd: 'scan-init', scan: { format: 'dvb', adapter: 1 } },
			400, 'scan.format: type "dvb" is not supported by ' +
			'this version'],
		[{ cmd: 'scan-check', id: 'x' }, 404,
			'id: there is no analyzer "x"'],
		[{ cmd: 'scan-kill', id: 'x' }, 404,
			'id: there is no analyzer "x"'],
		[{ cmd: 'scan-check' }, 400, /^id: /],
	]) {
		const reply = await sluice.post(request);
		const text = JSON.parse(reply.body).error;
		assert.equal(reply.status, status, text);
		if (error instanceof RegExp)
			assert.match(text, error);
		else
			assert.equal(text, error);
	}
	assert.ok(!sluice.worker('scan'));
});
