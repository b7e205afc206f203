// SPDX-License-Identifier: GPL-3.0-or-later
// own-network: a NIT of its own in the output of a stream.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from '../helpers/capture.mjs';
import { PROGRAM, TsMux, eitSection, sdtSection } from '../helpers/mux.mjs';
import { sections, tables } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const OTHER = { pnr: 2, pmtPid: 0x200, video: 0x201, audio: 0x202 };
const NIT = 0x40, PID = 0x10;
const keys = {
	type: 'mpts', nit: 'own', network_id: 12, network_name: 'Netz',
	onid: 34, si_interval: 300, nit_version: 7,
	nit_actual: { type: 'C', frequency: 306, symbolrate: 6900,
		modulation: 'QAM256', lcn_version: 'nordig-v1' },
	sdt: [{ pnr: 1, lcn: 101, type: 1 }, { pnr: 2, lcn: 102, type: 25 }],
};
const one = (more) => stream('a001', 'udp://127.0.0.1:5000',
	'udp://127.0.0.1:6000', { ...keys, ...more });

// Where the counter of the PID jumps, by packets.
function gaps(data) {
	const counters = [];

	for (let at = 0; at < data.length; at += 188)
		if ((data.readUInt16BE(at + 1) & 0x1fff) === PID)
			counters.push(data[at + 3] & 15);
	return counters.flatMap((cc, i) => i > 0 &&
		cc !== (counters[i - 1] + 1) % 16 ? [i] : []);
}

// The longest time between two of these packets, or from the last one to the
// end, in milliseconds, without the longest pause of all packets in it: a
// process that gets no processor sends none.
function repetition(list, packets) {
	const wanted = new Set(packets);
	let packet = 0, last, from, pause = 0n, most = 0n;
	const judge = () => {
		if (from !== undefined && last - from - pause > most)
			most = last - from - pause;
	};

	for (const { ns, data } of list) {
		if (last !== undefined && ns - last > pause)
			pause = ns - last;
		last = ns;
		for (const end = packet + data.length / 188; packet < end;
			packet++) {
			if (!wanted.has(packet))
				continue;
			judge();
			from = ns;
			pause = 0n;
		}
	}
	judge();
	return Number(most) / 1e6;
}

test('the NIT has the network, its services and their numbers', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(one()));

	await waitUntil('input', () => udpBound(5000));
	const seen = await capture(t, 'lo', 'udp port 6000', ['dvb_nit.sid',
		'mpeg_descr.net_name.name', 'mpeg_descr.svc_list.id']);
	const mux = new TsMux({ programs: [PROGRAM, OTHER], rate: 4e6 });

	// tables of network 1
	mux.more = [[0x11, sdtSection([PROGRAM.pnr, OTHER.pnr])],
		[0x12, eitSection(OTHER.pnr, [])]];
	const sender = await Sender.start(t, mux, 5000);

	await sluice.onair('a001');
	await waitUntil('a NIT', () => seen().some((p) => p['dvb_nit.sid']));
	const [judged] = seen().filter((p) => p['dvb_nit.sid']);

	// its successor continues counters and version
	process.kill(sluice.worker('stream', 'a001').pid, 'SIGKILL');
	await waitUntil('its successor', () => sluice.worker('stream', 'a001'));
	await sluice.onair('a001');
	const from = mux.seconds;

	await waitUntil('two seconds', () => mux.seconds > from + 2);
	await sluice.cmd('set-stream', { id: 'a001',
		stream: one({ network_name: 'Anders' }) });
	await waitUntil('the other name', () => seen().some((p) =>
		p['mpeg_descr.net_name.name']?.includes('Anders')), 20000);
	const then = mux.seconds;

	await waitUntil('two seconds', () => mux.seconds > then + 2);
	await recorder.all(sender);
	const [list] = await recorder.stop();
	const data = joined(list);

	timing.stop();
	await sluice.stop();
	const { fixed, pat } = tables(data);
	const nits = fixed.filter((s) => s.id === NIT);
	const most = repetition(list, nits.map((s) => s.packet));

	assert.equal(pat.programs.get(0), PID);
	assert.deepEqual([...pat.programs.keys()].sort(), [0, 1, 2]);
	assert.ok(nits.every((s) => s.pid === PID && s.extension === 12));
	t.diagnostic(`${nits.length} NITs, at most ${most.toFixed()} ms apart`);
	timing.assert(most <= 1.5 * keys.si_interval, `${most} ms`);
	// SDT and EIT pass, with the network of the NIT
	const networks = (id) => [...new Set(fixed.filter((s) =>
		s.id === id).map((s) => s.network))];

	assert.deepEqual(networks(0x42), [keys.onid]);
	assert.deepEqual(networks(0x4e), [keys.onid]);
	// as nit_version says; another content has another version
	const versions = [...new Set(nits.map((s) => s.version))];

	assert.deepEqual(versions, [7, 8]);
	// a worker that stood still had more packets than it leaves behind
	timing.assert(gaps(data).length === 0, `gaps at ${gaps(data)}`);
	// another reader of the same bytes
	assert.deepEqual(Object.values(judged).map((text) => text.split(',')),
		[['0x000c'], ['Netz'], ['0x0001', '0x0002']]);
});

test('the NIT lists other streams of the network, as they change',
	async (t) => {
	const other = (more) => ({ ...stream('a002', 'udp://127.0.0.1:5001',
		'udp://127.0.0.1:6001'), set_tsid: 77, onid: 34,
	nit_actual: { type: 'C', frequency: 314, symbolrate: 6900 },
	sdt: [{ pnr: 20, lcn: 20 }], ...more });
	const sluice = await Sluice.start(t, config(one({
		nit_other: ['a002', 'a009'] }), other()));
	const mux = new TsMux({ programs: [PROGRAM, OTHER], rate: 4e6 });

	await waitUntil('input', () => udpBound(5000));
	const seen = await capture(t, 'lo', 'udp port 6000', ['dvb_nit.ts.id',
		'mpeg_descr.svc_list.id', 'dvb_nit.version']);
	const sender = await Sender.start(t, mux, 5000);
	const listed = () => seen().filter((p) => p['dvb_nit.ts.id']);
	const { pid } = await waitUntil('the worker', () =>
		sluice.worker('stream', 'a001'));

	await sluice.onair('a001');
	await waitUntil('the other', () => listed().some((p) =>
		p['dvb_nit.ts.id'].includes('0x004d') &&
		p['mpeg_descr.svc_list.id'].includes('0x0014')));
	await sluice.cmd('set-stream', { id: 'a002',
		stream: other({ sdt: [{ pnr: 21, lcn: 21 }] }) });
	await waitUntil('its change', () => listed().some((p) =>
		p['mpeg_descr.svc_list.id'].includes('0x0015')));
	await sluice.cmd('toggle-stream', { id: 'a002' });
	const n = listed().length;

	await waitUntil('its end', () => {
		const last = listed().slice(-4);

		return listed().length > n + 8 && last.every((p) =>
			!p['dvb_nit.ts.id'].includes('0x004d'));
	});
	// no restart
	assert.equal(sluice.worker('stream', 'a001').pid, pid);
	sender.stop();
	await sluice.stop();
});

// Two seconds of the output of a stream with these options.
async function outputOf(t, options) {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(one(options)));
	const mux = new TsMux({ programs: [PROGRAM, OTHER], rate: 4e6 });

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, mux, 5000);
	await sluice.onair('a001');
	const from = mux.seconds;

	await waitUntil('two seconds', () => mux.seconds > from + 2);
	await recorder.all(sender);
	const data = joined((await recorder.stop())[0]);

	await sluice.stop();
	return data;
}

test('nit=off takes the NIT of the source away', async (t) => {
	const data = await outputOf(t, { nit: 'off', bat: 'own', bouquet_id: 5,
		bouquet_name: 'Paket' });
	const bats = sections(data, new Set([17])).filter((s) => s.id === 0x4a);

	assert.equal(checkTs(data).ccErrors, 0);
	// a bouquet of its own is beside it
	assert.ok(bats.length >= 3 && bats.every((s) => s.extension === 5));
	assert.ok(data.includes('Paket'));
	// the numbers and types of both services
	assert.ok(data.includes(Buffer.from('410600010100' +
		'0219', 'hex')));
	assert.deepEqual(tables(data).fixed.filter((s) => s.pid === PID), []);
	assert.deepEqual([...tables(data).pat.programs.keys()], [1, 2]);
});

// A BAT of a single section as the analyzer shows it, and a section of a
// private table.
const BAT = { psi: 'bat', table_id: 74, bouquet_id: 7, descriptors: [],
	streams: [] };
const PRIVATE = '90b00a 0001 c1 00 00 aa';

test('sections of the operator go out, but not on a PID of a program',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const si = [{ section: BAT, pid: 17, interval: 200, version: 9 },
		{ hex: PRIVATE, pid: 0x300, interval: 100 },
		{ hex: PRIVATE, pid: OTHER.audio, interval: 100 }];
	const sluice = await Sluice.start(t, config(one({ nit: 'pass', si })));
	const mux = new TsMux({ programs: [PROGRAM, OTHER], rate: 4e6 });

	await waitUntil('input', () => udpBound(5000));
	const seen = await capture(t, 'lo', 'udp port 6000',
		['dvb_bat.bouquet_id']);
	const sender = await Sender.start(t, mux, 5000);
	await sluice.onair('a001');
	const from = mux.seconds;

	await waitUntil('two seconds', () => mux.seconds > from + 2);
	await waitUntil('a BAT', () => seen().some((p) =>
		p['dvb_bat.bouquet_id'] === '0x0007'));
	await sluice.logged(/si: PID 514 is not sent: a program uses it/);
	await recorder.all(sender);
	const [list] = await recorder.stop();
	const data = joined(list);

	timing.stop();
	await sluice.stop();
	assert.equal(checkTs(data).ccErrors, 0);
	const found = sections(data, new Set([17, 0x300]));
	const bats = found.filter((s) => s.id === 0x4a);
	const others = found.filter((s) => s.id === 0x90);

	for (const [sent, interval] of [[bats, 200], [others, 100]]) {
		const most = repetition(list, sent.map((s) => s.packet));

		assert.ok(sent.length > 3);
		timing.assert(most <= 1.5 * interval, `${most} ms`);
	}
	assert.ok(bats.every((s) => s.version === 9 && s.extension === 7 &&
		s.pid === 17));
	assert.ok(others.every((s) => s.pid === 0x300 && s.version === 0));
});

test('descriptors are added, replaced and removed', async (t) => {
	const descriptors = [
		{ table: 'pmt', pnr: 2, pid: OTHER.audio, descriptor: {
			type_id: 10, lang: 'eng', audio_type: 0 } },
		{ table: 'pmt', action: 'replace', hex: '050443554549' },
		{ table: 'nit', action: 'remove', tag: 0x44 },
		{ table: 'nit', hex: '5f0400000028' },
	];
	const data = await outputOf(t, { descriptors });
	const si = tables(data);
	const tags = (list) => list.map((d) => [d.tag,
		d.data.toString('latin1')]);

	assert.deepEqual(tags(si.pmt(1).descriptors), [[5, 'CUEI']]);
	assert.deepEqual(tags(si.pmt(2).descriptors), [[5, 'CUEI']]);
	for (const pnr of [1, 2])
		for (const s of si.pmt(pnr).streams)
			assert.deepEqual(tags(s.descriptors).filter(([tag]) =>
				tag === 10), s.pid === OTHER.audio
				? [[10, 'eng\0']] : []);
	// 16 bytes of the frame, the name of 6, 6 of the transport stream; of
	// its descriptors 8 list services, 16 have numbers, and 6 are added
	assert.equal(si.fixed.findLast((s) => s.id === NIT).size,
		16 + 6 + 6 + 8 + 16 + 6);
});

test('wrong values are refused with the name of the key', async (t) => {
	const sluice = await Sluice.start(t, config());
	const set = async (more) => JSON.parse((await sluice.post({
		cmd: 'set-stream', stream: one(more) })).body).error;

	for (const [more, expected] of [
		[{ nit: 'x' }, /nit: .*"x"/],
		[{ network_id: 0 }, /network_id: 0 is not between 1/],
		[{ nit_actual: { type: 'C', frequency: 306 } },
			/nit_actual\.symbolrate: is missing/],
		[{ nit_actual: 'C' }, /nit_actual: is not an object/],
		[{ sdt: [{ pnr: 1, lcn: 1000 }] },
			/sdt\[0\]\.lcn: 1000 is not between 0 and 999/],
		[{ sdt: [{ lcn: 1 }] }, /sdt\[0\]\.pnr: is missing/],
		[{ sdt: Array.from({ length: 129 }, () => ({ pnr: 1 })) },
			/sdt: has 129 items, more than 128/],
		[{ network_name: 'x'.repeat(251) },
			/network_name: is longer than 250 bytes/],
		[{ si: [{ section: BAT, pid: 0 }] },
			/si\[0\]\.pid: 0 is not between 16 and 8190/],
		[{ si: [{ hex: 'zz', pid: 17 }] },
			/si\[0\]\.hex: has a character at 0/],
		[{ si: [{ section: BAT, pid: 17, version: 32 }] },
			/si\[0\]\.version: 32 is not between 0 and 31/],
		[{ si: [{ section: BAT, pid: 17, interval: 24 }] },
			/si\[0\]\.interval: 24 is not between 25/],
		[{ si: [{ pid: 17,
			section: { ...BAT, streams: [{ tsid: 1 }] } }] },
			/si\[0\]\.section\.streams\[0\]\.onid: is missing/],
		[{ descriptors: [{ table: 'bat', descriptor: { type_id: 10,
			lang: 'de' } }] },
		/descriptors\[0\]\.descriptor: lang: has 2 bytes instead of 3/],
		[{ descriptors: [{ table: 'pmt', descriptor: { type_id: 64,
			type_name: 'broken', data: '40ff01' } }] },
		/descriptors\[0\]\.descriptor: has a number of bytes/],
		[{ descriptors: [{ table: 'pat', hex: '0500' }] },
			/descriptors\[0\]\.table: .*"pat"/],
		[{ descriptors: [{ table: 'pmt', hex: '0501' }] },
			/descriptors\[0\]\.hex: has 0 bytes after its length/],
		[{ descriptors: [{ table: 'pmt', action: 'remove' }] },
			/descriptors\[0\]\.tag: is missing/],
		[{ nit_other: 'a002' }, /nit_other: is not a list/],
		[{ nit_other: [7] }, /nit_other\[0\]: /],
		[{ bat: 'own', bouquet_id: 65536 }, /bouquet_id: 65536 is not/],
		[{ si_interval: 1 }, /si_interval: 1 is not between 25/],
	])
		assert.match(await set(more) ?? '', expected);
	await sluice.stop();
});
