// SPDX-License-Identifier: GPL-3.0-or-later
// mpts: several inputs are sent as one multiplex of constant rate, whatever one
// of them does.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Ctl } from '../helpers/ctl.mjs';
import { judge } from '../helpers/media.mjs';
import { TsMux, catSection, sdtSection, section } from '../helpers/mux.mjs';
import { judgeRate, stepBack } from '../helpers/rate.mjs';
import { sections, tables } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { DATAGRAM, RECORD_HEAD, Recorder, Sender, joined }
	from '../helpers/udp.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const RATE = 12e6;
const RECORD = DATAGRAM + RECORD_HEAD;
const PORTS = [5000, 5001, 5002, 5003];
const one = { pnr: 1, pmtPid: 0x100, video: 0x101, audio: 0x102 };
const two = [7, 8].map((pnr) => ({ pnr, pmtPid: pnr * 0x100,
	video: pnr * 0x100 + 1 }));
// What the blocks, maps and numbers of the inputs say, by service number.
const PLAN = {
	101: { pmt: 156, streams: [157, 158] },
	201: { pmt: 256, streams: [257, 258] },
	1007: { pmt: 1092, streams: [1093] },
	1008: { pmt: 1048, streams: [1049] },
	77: { pmt: 492, streams: [2000] },
};

// A network, a stream, an adapter and one program of another network.
const document = (more = {}) => ({
	...config(stream('a', 'udp://127.0.0.1:5000', []),
		{ ...stream('m', ['udp://127.0.0.1:5001', 'stream://a',
			'dvb://d#pid_base=1000', 'udp://127.0.0.1:5002#pnr=7&' +
			'set_pnr=77&map.video=2000&priority=90&' +
			'rate_min=100&rate_max=9000'],
		['udp://127.0.0.1:6000', 'http://127.0.0.1:8100/m']),
		type: 'mpts', bitrate: RATE / 1000, tsid: 5, ...more }),
	dvb_tune: [{ id: 'd', name: 'D', type: 'S2', enable: true,
		address: 'udp://127.0.0.1:5003' }] });

const play = (t, i, clock) => Sender.start(t, [
	() => new TsMux({ programs: [one], clock: clock ?? 100 }),
	() => new TsMux({ programs: [one], clock: clock ?? 5000 }),
	() => new TsMux({ programs: two }),
	() => Object.assign(new TsMux({ programs: two, rate: 3e6 }),
		{ more: [[0x11, sdtSection([7, 8])]] }),
][i](), PORTS[i]);

async function open(t, more) {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, document(more));

	for (const port of PORTS)
		await waitUntil(`input ${port}`, () => udpBound(port));
	const senders = await Promise.all(PORTS.map((_, i) => play(t, i)));
	await sluice.waitStatus('m', 'five services', (s) =>
		s.services?.filter(({ onair }) => onair).length === 5, 30000);
	return { recorder, sluice, senders };
}

// The multiplex has a role of its own.
const workerOf = (sluice, id) =>
	sluice.worker(['m', 'n'].includes(id) ? 'mux' : 'stream', id);

const seconds = (recorder, n, rate = RATE) => {
	const size = recorder.size();

	return waitUntil(`${n} seconds`, () =>
		recorder.size() > size + n * rate / 8, 40000);
};

function assertPlan(ts) {
	const found = {};

	for (const [pnr, pmt] of ts.pat.programs)
		found[pnr] = { pmt, streams: [...ts.pmts.get(pnr)?.streams
			.keys() ?? []] };
	assert.deepEqual(found, PLAN);
}

// The API shows the same plan, with the reason of each number.
async function assertShownPlan(sluice) {
	const { inputs } = await sluice.json('/api/stream-plan/m');
	const found = {};

	for (const { services, pids, block } of inputs) {
		for (const { out, pmt_pid: pmt, from } of services) {
			const list = pids.filter(({ pid }) => pid % 256 > 0);

			assert.equal(from, out === 77 ? 'set_pnr' : 'block');
			found[out] = { pmt, streams: list.map(({ out }) =>
				out).filter((pid) => services.length === 1 ||
				PLAN[out].streams.includes(pid)) };
		}
		for (const { out, from } of pids)
			assert.equal(from, out < block.first ||
				out > block.last ? 'map' : 'block');
	}
	assert.deepEqual(found, PLAN);
	assert.equal((await sluice.get('/api/stream-plan/a')).status, 400);
	assert.equal((await sluice.get('/api/stream-plan/x')).status, 404);
}

const network = { nit: 'own', bat: 'own', network_id: 12, bouquet_id: 13,
	network_name: 'Netz', onid: 34, si_interval: 500, textcode: 21,
	si: [{ hex: '90b00a 0001 c1 00 00 aa', pid: 0x300, interval: 100 }],
	descriptors: [{ table: 'pmt', pnr: 1007, hex: '050443554549' },
		{ table: 'sdt', pnr: 1008, hex: '5f0400000028' }],
	sdt: Object.keys(PLAN).map((pnr) => ({ pnr: Number(pnr),
		lcn: Number(pnr) % 1000, name: `S${pnr}`,
		type: Number(pnr) === 1007 ? 25 : 1 })) };
const SERVICE = 0x48;
const sorted = (list) => list.map(Number).sort((a, b) => a - b);

// Number and type of each service in the service_list_descriptor.
function listed({ transports: [{ descriptors }] }) {
	const { data } = descriptors.find(({ tag }) => tag === 0x41);

	return Array.from({ length: data.length / 3 }, (_, i) =>
		[data.readUInt16BE(3 * i), data[3 * i + 2]])
		.sort(([a], [b]) => a - b);
}

// In the tables of one service each, and in no other.
function assertDescriptors({ fixed, pmt }) {
	const tags = ({ descriptors }) => descriptors.map(({ tag }) => tag);
	const { services } = fixed.findLast((s) => s.kind === 'sdt');

	for (const pnr of Object.keys(PLAN).map(Number))
		assert.deepEqual(tags(pmt(pnr)), pnr === 1007 ? [5] : []);
	for (const [pnr, s] of services)
		assert.deepEqual(tags(s), pnr === 1008 ? [SERVICE, 0x5f]
			: [SERVICE]);
}

// Own tables of the network are sent, and list the services of all inputs.
function assertNetwork(data) {
	const { fixed, pat } = tables(data);
	const services = network.sdt.map(({ pnr, type }) => [pnr, type])
		.sort(([a], [b]) => a - b);
	const sdt = fixed.findLast((s) => s.kind === 'sdt').services;

	// type and name, as the lists have them
	assert.deepEqual([...sdt].map(([pnr, { descriptors: [{ data }] }]) =>
		[pnr, data[0]]).sort(([a], [b]) => a - b), services);
	for (const [pnr, { descriptors: [{ data }] }] of sdt)
		// its first byte is that of UTF-8
		assert.equal(data.subarray(3).toString(), `\x15S${pnr}`);
	assert.equal(pat.programs.get(0), 16);
	for (const [id, pid, extension] of [[0x40, 16, 12], [0x4a, 17, 13]]) {
		const list = fixed.filter((s) => s.id === id);

		assert.ok(list.length >= 4, `${list.length} of table ${id}`);
		assert.ok(list.every((s) => s.pid === pid &&
			s.extension === extension));
		assert.deepEqual(listed(list.at(-1)), services);
	}
	assertDescriptors(tables(data));
	assert.ok(sections(data, new Set([0x300])).length >= 10);
}

// No buffer of a decoder overflows, and tables repeat as they must. No table
// names the PID of `si'.
function assertBuffers({ buffers, pmtMs: [least, most] }, timing) {
	const { events, unreferenced, alien } = buffers;
	const faults = Object.keys(buffers).filter((name) =>
		buffers[name] > 0 && !/judged|unref/.test(name));

	assert.deepEqual([unreferenced, alien], [1, 0], `${events}`);
	// what comes or leaves late, without a processor, is one burst
	timing.assert(faults.length === 0, `${faults}: ${events}`);
	timing.assert(most <= 100, `PMTs up to ${most} ms apart`);
	timing.assert(least > 24, `PMTs ${least} ms apart`);
}

// Each service has its name, limits and PIDs.
function assertServices(services) {
	assert.deepEqual(services.map(({ pnr, input }) => [pnr, input]),
		[[101, 1], [201, 2], [1007, 3], [1008, 3], [77, 4]]);
	for (const { pnr, name, pmt_pid: pmt, pids, priority, filler,
		rate_min: min, rate_max: max } of services) {
		assert.equal(name, `S${pnr}`);
		assert.deepEqual({ pmt, streams: pids }, PLAN[pnr]);
		assert.deepEqual([priority, min, max, filler],
			pnr === 77 ? [90, 100, 9000, null] : [100, 0, 0, null]);
	}
}

// What holds in every second, whatever happens to an input.
function assertSound(found, list, timing) {
	for (const fault of ['sync', 'tei', 'crc', 'pcrBack', 'idleVersions',
		'silentChanges', 'cutShort'])
		assert.equal(found[fault], 0, JSON.stringify(found));
	// an input without a processor loses what its socket has no room for
	timing.assert(found.cc === 0, `${found.cc} of ${found.events}`);
	const ts = checkTs(joined(list));

	assert.ok(list.every(({ data }) => data.length === 7 * 188));
	assertPlan(ts);
	return ts;
}

test('inputs of all kinds become one multiplex of constant rate', async (t) => {
	const timing = new Timing(t);
	const { recorder, sluice, senders } = await open(t, { ...network });

	await seconds(recorder, 9); // an SDT is awaited for five
	const status = await sluice.status('m');
	const found = await judge(recorder.file, 0);
	await assertShownPlan(sluice);
	senders.forEach((sender) => sender.stop());
	const [list] = await recorder.stop();
	const ts = assertSound(found, list, timing);

	assertNetwork(joined(list));
	assertBuffers(found, timing);
	timing.assert(Math.abs(status.bitrate / RATE * 1000 - 1) < 0.05,
		`${status.bitrate}`);
	assertServices(status.services);
	// what comes late, without a processor, has a new clock
	timing.assert(found.pcrJump === 0, `jumps: ${found.events}`);
	// what the network sends, not what its worker passes on
	const { received_bitrate: received, bitrate } = status.inputs[3];

	assert.ok(received > 1.5 * bitrate, `${received} ${bitrate}`);
	for (const pnr of Object.keys(PLAN)) {
		const seen = judgeRate(list, ts.pmts.get(Number(pnr)).pcr,
			RATE);

		assert.ok(seen.wrongNs <= 500, `a PCR ${seen.wrongNs} ns off`);
		assert.ok(seen.gapMs <= 40, `${seen.gapMs} ms without a PCR`);
		timing.assert(seen.rateOff <= 0.001,
			`${seen.rateOff} of the rate off`);
		assert.ok(seen.nulls > 0);
	}
	await sluice.stop();
});

// Of these packets PAT and SDT are those in front of them.  A service whose
// packets a busy machine has late is silent.
function assertKept(data, from, end, timing) {
	const { fixed } = tables(data);

	for (const name of ['pat', 'sdt']) {
		const list = fixed.filter(({ kind }) => kind === name);
		const { version } = list.findLast(({ packet }) =>
			packet < from);
		const seen = [...new Set(list.filter(({ packet }) =>
			packet >= from && packet < end)
			.map((s) => s.version))];

		timing.assert(seen.length === 1 && seen[0] === version,
			`${name}: versions ${seen} behind ${version}`);
	}
}

test('a lost input, a killed worker of an input and a killed multiplex ' +
	'cost no counter', async (t) => {
	const { recorder, sluice, senders } = await open(t);
	const worker = (id) => workerOf(sluice, id);
	const timing = new Timing(t);
	const replaced = (id, pid) => waitUntil(`another ${id}`, () =>
		worker(id) && worker(id).pid !== pid);
	const all = (n) => sluice.waitStatus('m', `${n} services`, (s) =>
		s.services?.filter(({ onair }) => onair).length === n, 20000);

	senders[1].stop();
	await all(4);
	const lost = await sluice.waitStatus('m', 'a reason', ({ inputs }) =>
		/no packets|kbit\/s is below/.test(inputs[0].error), 10000);
	// its tables alone
	await sluice.waitStatus('m', 'a silent input', ({ inputs }) =>
		inputs[0].bitrate < 100, 10000);
	assert.equal(lost.onair, true);
	senders[1] = await play(t, 1, 9000);
	// the same of a stream, whose numbers are those of the multiplex
	senders[0].stop();
	await sluice.waitStatus('m', 'a silent stream', ({ inputs }) =>
		inputs[1].bitrate < 100, 10000);
	// its clock is behind now
	senders[0] = await play(t, 0, 50);
	await all(5);
	// the stream is disabled, and enabled again
	const [a] = document().make_stream;

	await sluice.cmd('set-stream', { id: 'a',
		stream: { ...a, enable: false } });
	await all(4);
	await sluice.cmd('set-stream', { id: 'a', stream: a });
	await all(5);
	// the input alone
	let { pid } = worker('m/4');
	process.kill(pid, 'SIGKILL');
	await replaced('m/4', pid);
	await seconds(recorder, 2);
	// and all at once, while one is silent
	senders[1].stop();
	await all(4);
	// what the next one finds is kept once a second
	await seconds(recorder, 2);
	({ pid } = worker('m'));
	const feed = worker('m/1').pid;
	const before = recorder.size();

	process.kill(pid, 'SIGKILL');
	await replaced('m', pid);
	await sluice.waitStatus('m', 'a silent service', ({ services }) =>
		services?.length === 5 && services.every(({ pnr, onair }) =>
			onair === (pnr !== 101)), 20000);
	await seconds(recorder, 2);
	assert.equal(worker('m/1').pid, feed);
	const found = await judge(recorder.file, 0);
	const end = recorder.size();

	senders.forEach((sender) => sender.stop());
	const [list] = await recorder.stop();
	// packets that are later than mux_delay move the clock
	const back = stepBack(joined(list),
		assertSound(found, list, timing).pmts.get(201).pcr);

	timing.assert(back === 0, `a PCR went back by ${back / 90} ms`);
	// the rate continues, at its place
	const gap = Math.max(...list.slice(Math.floor(before / RECORD)).map(
		({ ns }, i, rest) => i > 0 ? Number(ns - rest[i - 1].ns) : 0));

	timing.assert(gap < 500e6, `${gap / 1e6} ms without packets`);
	assertKept(joined(list), before / RECORD * 7, end / RECORD * 7,
		timing);
	await sluice.stop();
});

// The own NIT, BAT and EIT are those of these services.
function assertListed(data, pnrs) {
	const { fixed } = tables(data);
	const own = new Set(sections(data, new Set([18]))
		.filter(({ id }) => id === 0x4e)
		.map(({ extension }) => extension));

	for (const id of [0x40, 0x4a]) {
		const list = fixed.filter((s) => s.id === id);

		assert.ok(list.length > 0, `table ${id}`);
		for (const one of list)
			assert.deepEqual(listed(one).map(([pnr]) => pnr),
				sorted(pnrs));
	}
	assert.deepEqual(sorted([...own]), sorted(pnrs));
}

// The video of the second program is away.
const silenced = (packets) => {
	for (let at = 0; at < packets.length; at += 188)
		if ((packets.readUInt16BE(at + 1) & 0x1fff) === two[1].video)
			packets.writeUInt16BE(0x1fff, at + 1);
	return [packets];
};

// The second program, with less than half of the rate of its input.
function fillerFile(t) {
	const file = path.join(tempDir(t), 'filler.ts');
	const mux = new TsMux({ programs: [two[1]], rate: 8e5, clock: 300 });

	fs.writeFileSync(file, mux.take(2000));
	return file;
}

test('an absent input leaves the tables, or a picture or a file is sent',
	async (t) => {
	const timing = new Timing(t);
	const inputs = document().make_stream[1].input;
	const { recorder, sluice, senders } = await open(t, { input: [
		`${inputs[0]}#absent=2`, inputs[1],
		`${inputs[2]}&absent=${fillerFile(t)}`,
		`${inputs[3]}&absent=still`],
	...network, eit: 'own', si_interval: 200,
	si_intervals: { eit: 300 } });
	const service = ({ services }, number) =>
		services?.find(({ pnr }) => pnr === number);

	// one service of two
	senders[3].shape = silenced;
	await sluice.waitStatus('m', 'a file for a service', (s) =>
		service(s, 1008)?.filler === 'file' &&
		service(s, 1007).filler === null, 20000);
	senders[1].stop();
	senders[2].stop();
	const status = await sluice.waitStatus('m', 'an absent service', (s) =>
		service(s, 101)?.absent, 20000);
	assert.equal(service(status, 101).onair, false);
	await seconds(recorder, 1);
	const still = await sluice.status('m');
	assert.ok(service(still, 77).onair && service(still, 77).bitrate > 0,
		JSON.stringify(still.services));
	assert.equal(service(still, 77).absent, false);
	assert.equal(service(still, 77).filler, 'still');
	assert.match(await new Ctl(t, `http://127.0.0.1:${
		sluice.port}`).out(['stream', 'show', 'm']),
		/service 77 "S77" of input 4 .* on air, filler still, at/);
	const before = recorder.size();

	await seconds(recorder, 1);
	const middle = recorder.size();

	senders[1] = await play(t, 1, 9000);
	senders[2] = await play(t, 2);
	senders[3].shape = (packets) => [packets];
	await sluice.waitStatus('m', 'all services', (s) =>
		s.services?.length === 5 && s.services.every(({ onair,
			filler }) => onair && filler === null), 20000);
	await seconds(recorder, 1);
	const after = recorder.size();

	await seconds(recorder, 1);
	const found = await judge(recorder.file, 0);

	senders.forEach((sender) => sender.stop());
	const [list] = await recorder.stop();
	const window = joined(list.slice(
		Math.ceil(before / RECORD), Math.floor(middle / RECORD)));
	const absent = checkTs(window);

	// while no packet of input 3 arrives, the program of its file is sent
	timing.unlessHeldUp(sluice.log, [], () => {
		assertSound(found, list, timing);
		assertListed(window, Object.keys(PLAN)
			.filter((pnr) => pnr !== '101'));
		assertListed(joined(list.slice(Math.ceil(after / RECORD))),
			Object.keys(PLAN));
		// the file of the service, and its clock
		assert.ok(absent.pids.get(PLAN[1008].streams[0]) > 20,
			`${[...absent.pids]}`);
		assert.deepEqual(sorted([...absent.pat.programs.keys()]),
			sorted(Object.keys(PLAN)).filter((n) => n !== 101));
	}, /stream m\/3: input 1: no packets/.test(sluice.log));
	await sluice.stop();
});

// Every packet of the video is damaged.
const damaged = (packets) => {
	for (let at = 0; at < packets.length; at += 188)
		if ((packets.readUInt16BE(at + 1) & 0x1fff) === two[0].video)
			packets[at + 1] |= 0x80;
	return [packets];
};

// The output has the alarm of an input: events say so, the log has it once.
async function assertOneCause({ sluice, events, sender, timing }) {
	const raised = (place) => events.wait(`transport of ${place}`, (m) =>
		m.channel_id === 'm' && m.place === place &&
		m.alarm === 'transport' && m.raised, 30000);

	sender.shape = damaged;
	assert.equal((await raised(4)).cause, undefined);
	const { cause } = await raised('output');

	timing.assert(cause === 4, `its cause is ${cause}`);
	await sluice.logged(/stream m\/4: input 1: alarms: .*transport/);
	const { lines } = await sluice.json('/api/log?stream=m');

	assert.ok(lines.some(({ where }) => where === 'stream m/4'));
	assert.ok(lines.some(({ where }) => where === 'stream m'));
}

test('inputs beyond the rate are an alarm that names their services',
	async (t) => {
	const timing = new Timing(t);
	const { sluice, senders } = await open(t);
	const events = await sluice.events(t, '&scope=alarm');
	const [, m] = document({ bitrate: 4000 }).make_stream;

	await assertOneCause({ sluice, events, sender: senders[2], timing });
	assert.doesNotMatch(sluice.log,
		/stream m: (input 4|output): alarms: .*transport/);

	await sluice.cmd('set-stream', { id: 'm', stream: m });
	const raised = await events.wait('mux_overflow', ({ alarm, raised }) =>
		alarm === 'mux_overflow' && raised, 30000);

	assert.equal(raised.place, 'output');
	assert.ok(raised.count > 0);
	assert.ok(raised.services.length > 0);
	for (const { pnr, input, excess } of raised.services) {
		assert.ok(PLAN[pnr] !== undefined && excess > 0);
		assert.ok(input >= 1 && input <= 4);
	}
	senders.forEach((sender) => sender.stop());
	await sluice.stop();
});

test('a new master, a new id and a new input leave the others alone',
	async (t) => {
	const { recorder, sluice, senders } = await open(t);
	const ids = ['m', 'm/1', 'm/3', 'm/4', 'a'];
	const pids = (list) => list.map((id) => workerOf(sluice, id)?.pid);
	const before = pids(ids);
	const m = document().make_stream[1];

	await sluice.cmd('restart');
	await sluice.waitStatus('m', 'services', (s) =>
		s.services?.length === 5, 20000);
	assert.deepEqual(pids(ids), before);
	await sluice.cmd('set-stream', { id: 'm',
		stream: { ...m, id: 'n' } });
	await sluice.waitStatus('n', 'the same services', (status) =>
		status.services?.length === 5, 20000);
	// the arguments of a process stay
	assert.deepEqual(pids(ids), before);
	// another input at the first place: its worker goes
	const inputs = ['stream://a#pid_base=3000', ...m.input.slice(1)];
	await sluice.cmd('set-stream', { id: 'n',
		stream: { ...m, id: 'n', input: inputs } });
	await waitUntil('the end of a worker', () =>
		sluice.worker('stream', 'm/1') === undefined);
	await sluice.waitStatus('n', 'another service', (status) =>
		status.services?.some(({ pnr, onair }) => onair && pnr > 3000),
	20000);
	assert.deepEqual(pids(['m/3', 'm/4', 'a']), before.slice(2));
	// by hand: all processes of the stream
	await sluice.cmd('restart-stream', { id: 'n' });
	const own = ['n', 'n/3', 'n/4'];

	await waitUntil('other processes', () => own.every((id) =>
		workerOf(sluice, id) !== undefined));
	assert.deepEqual(pids(['a']), before.slice(4));
	await sluice.cmd('set-stream', { id: 'n', stream: { remove: true } });
	await waitUntil('no worker', () => own.every((id) =>
		workerOf(sluice, id) === undefined));
	senders.forEach((sender) => sender.stop());
	const [list] = await recorder.stop();
	assert.ok(list.length > 0);
	await sluice.stop();
});

// Datagrams of packets of 204 bytes, whose last 16 are zero: the packets.
function of204(list) {
	const packets = [];

	for (const { data } of list) {
		assert.equal(data.length, 7 * 204);
		for (let at = 0; at < data.length; at += 204) {
			packets.push(data.subarray(at, at + 188));
			assert.ok(data.subarray(at + 188, at + 204)
				.equals(Buffer.alloc(16)));
		}
	}
	return Buffer.concat(packets);
}

test('CATs and EMMs of all inputs are merged, and an output has packets of ' +
	'204 bytes', async (t) => {
	const EMM = 0x50, systems = [0xb00, 0x1700], KBPS = 8000;
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config({ ...stream('m',
		['udp://127.0.0.1:5000#cas&absent=1',
			'udp://127.0.0.1:5001#cas'],
		'udp://127.0.0.1:6000#ts_size=204'),
	type: 'mpts', bitrate: KBPS }));
	const senders = await Promise.all(systems.map(async (system, i) => {
		await waitUntil(`input ${i}`, () => udpBound(PORTS[i]));
		return Sender.start(t, Object.assign(
			new TsMux({ programs: [one], clock: 100 }), { more: [
				[1, catSection([[system, EMM]])],
				[EMM, section(0x82, system, 0,
					Buffer.from([1]))]] }), PORTS[i]);
	}));
	const grow = () => seconds(recorder, 2, KBPS * 1000);

	await sluice.waitStatus('m', 'two services', (s) => s.services
		?.filter(({ onair }) => onair).length === 2, 30000);
	await grow();
	senders[0].stop();
	await sluice.waitStatus('m', 'an absent service', (s) =>
		s.services?.some(({ absent }) => absent), 20000);
	await grow();
	senders[1].stop();
	const data = of204((await recorder.stop())[0]);
	const cats = sections(data).filter((s) => s.kind === 'cat')
		.map(({ descriptors }) => descriptors.map(({ data: d }) =>
			[d.readUInt16BE(0), d.readUInt16BE(2) & 0x1fff]));
	const both = cats.find((list) => list.length === 2);

	assert.deepEqual(both?.map(([system]) => system), systems);
	assert.notEqual(both[0][1], both[1][1]);
	for (const [system, pid] of both) {
		const emms = sections(data, new Set([pid]));

		assert.ok(emms.length > 5, `${emms.length} EMMs`);
		assert.ok(emms.every(({ id, extension }) => id === 0x82 &&
			extension === system));
	}
	assert.deepEqual(cats.at(-1), [both[1]]);
	assert.equal(checkTs(data).ccErrors, 0);
	await sluice.stop();
});
