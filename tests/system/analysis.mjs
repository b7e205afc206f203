// SPDX-License-Identifier: GPL-3.0-or-later
// stream-analysis: exactly the planted faults are counted; real captures give
// the results of two other programs.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Ctl } from '../helpers/ctl.mjs';
import { makeClip } from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Sender } from '../helpers/udp.mjs';
import { sleep, srcdir, tempDir, udpBound, udpDrops, udpWaiting, waitUntil }
	from '../helpers/util.mjs';

const SIZE = 188, PER = 7;
// Sends at most 40 Mbit/s, much less than a socket holds at a time, and only
// when most of the data before was read.
const BURST = 20, EVERY_MS = 5, WAITING_MAX = 50000;

const pidOf = (p) => p.readUInt16BE(1) & 0x1fff;
const isWhole = (p) => (p[3] & 0x10) !== 0;
const startOf = (p) => p[3] & 0x20 ? 5 + p[4] : 4;
const count = (place, alarm) =>
	place.indicators.find((i) => i.alarm === alarm).count;
const ofPid = (place, pid) => place.pids.find((p) => p.pid === pid);
const sum = (place, key) => place.pids.reduce((n, p) => n + p[key], 0);

function packetsOf(data) {
	return Array.from({ length: data.length / SIZE }, (_, i) =>
		Buffer.from(data.subarray(i * SIZE, (i + 1) * SIZE)));
}

// Sends every packet once.
async function send(packets, port) {
	const socket = dgram.createSocket('udp4');
	const post = (part) => new Promise((done, fail) => socket.send(part,
		port, '127.0.0.1', (error) => error ? fail(error) : done()));

	for (let i = 0; i < packets.length;) {
		for (let k = 0; k < BURST && i < packets.length; k++, i += PER)
			await post(Buffer.concat(packets.slice(i, i + PER)));
		do
			await sleep(EVERY_MS);
		while (udpWaiting() > WAITING_MAX);
	}
	socket.close();
}

const analysis = (sluice, id) => sluice.json(`/api/stream-analysis/${id}`);

// Returns the stream's input when it has received so many packets and one more
// second has ended, in which their faults were counted.
async function judged(sluice, id, packets) {
	const whole = await waitUntil(`${packets} packets`, async () => {
		const { inputs: [input] } = await analysis(sluice, id);
		if (input.packets !== packets)
			throw new Error(`${input.packets} of ${packets}`);
		return input;
	}, 15000);

	return waitUntil('the end of the second', async () => {
		const { inputs: [input] } = await analysis(sluice, id);
		return input.watched_s >= whole.watched_s + 2 && input;
	}, 15000);
}

// Plants faults, those of a PID far from each other: each is an index into
// packets.
class Planter {
	#taken = new Set();

	constructor(packets) {
		this.packets = packets;
		this.drop = new Set();
		this.twice = new Set();
	}

	// n packets that `fits`, each far from another fault of its PID.
	take(n, fits) {
		const { packets } = this, found = [];
		const name = (i) => `${pidOf(packets[i])} ${i}`;

		for (let i = 50; found.length < n; i += 37) {
			while (i < packets.length - 50 &&
				(!fits(packets[i], i) ||
				this.#taken.has(name(i))))
				i++;
			assert.ok(i < packets.length - 50, 'no room');
			for (let k = i - 12; k <= i + 12; k++)
				this.#taken.add(`${pidOf(packets[i])} ${k}`);
			found.push(i);
		}
		return found;
	}

	result() {
		return this.packets.flatMap((p, i) => this.drop.has(i) ? [] :
			this.twice.has(i) ? [p, p] : [p]);
	}
}

test('planted faults are counted, each once', async (t) => {
	const clip = await makeClip(tempDir(t), 'clip', { seconds: 8,
		pictures: ['-c:v', 'libx264'] });
	const clean = fs.readFileSync(clip), packets = packetsOf(clean);
	const before = checkTs(clean), [pmt] = before.pmts.values();
	const pmtPid = [...before.pat.programs.values()][0];
	const [video] = [...pmt.streams].find(([, type]) => type === 0x1b);
	const [audio] = [...pmt.streams].find(([, type]) => type === 0x0f);
	const planter = new Planter(packets);
	const plain = (pid) => (p) => pidOf(p) === pid && isWhole(p) &&
		!(p[1] & 0x40) && !(p[3] & 0x20);
	const at = (i) => packets[i];

	assert.equal(before.ccErrors, 0);
	// two adjacent packets of one PID change places
	const pairs = planter.take(4, (p, i) => plain(video)(p) &&
		plain(video)(at(i + 1)));
	for (const i of pairs)
		[packets[i], packets[i + 1]] = [at(i + 1), at(i)];
	const dropped = planter.take(7, plain(video));
	dropped.forEach((i) => planter.drop.add(i));
	const doubled = planter.take(5, plain(video));
	doubled.forEach((i) => planter.twice.add(i));
	const errors = planter.take(6, plain(audio));
	errors.forEach((i) => { at(i)[1] |= 0x80; });
	const sections = planter.take(3, (p) => pidOf(p) === pmtPid);
	sections.forEach((i) => { at(i)[12] ^= 1; });
	const bytes = planter.take(2, (p) => pidOf(p) === 0x1fff);
	bytes.forEach((i) => { at(i)[0] = 0; });
	const units = planter.take(3, (p) => pidOf(p) === audio &&
		p[1] & 0x40);
	units.forEach((i) => { at(i)[startOf(at(i)) + 2] = 7; });

	const sent = planter.result();
	const sluice = await Sluice.start(t, config(
		stream('s', 'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));
	await waitUntil('input', () => udpBound(5000));
	await send(sent, 5000);
	const input = await judged(sluice, 's', sent.length - bytes.length);

	// a packet that arrives too late is one gap and two steps back
	assert.equal(ofPid(input, video).cc_errors,
		dropped.length + 3 * pairs.length);
	assert.equal(sum(input, 'cc_errors'), ofPid(input, video).cc_errors);
	assert.equal(count(input, 'continuity'), sum(input, 'cc_errors'));
	assert.equal(ofPid(input, video).duplicates, doubled.length);
	assert.equal(sum(input, 'duplicates'), doubled.length);
	assert.equal(ofPid(input, audio).transport_errors, errors.length);
	assert.equal(count(input, 'transport'), errors.length);
	assert.equal(count(input, 'crc'), sections.length);
	assert.equal(input.sync_errors, bytes.length);
	assert.equal(count(input, 'sync_byte'), bytes.length);
	assert.equal(sum(input, 'pes_errors'), units.length);
	assert.deepEqual(input.loss, { network: 0, recovered: 0, socket: 0,
		sync: 0 });
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const told = await ctl.out(['stream', 'analysis', 's']);
	assert.match(told, /^input 1: .*, lost: network 0, socket 0/);
	assert.match(told, new RegExp(`^ +transport \\w+, ${errors.length} `,
		'm'));
	assert.match(told, new RegExp(`^ +${video}  video .* ${
		ofPid(input, video).cc_errors} +0 +0 +0$`, 'm'));
	assert.match(told, /^output: the same$/m);
	// every other packet is where it belongs
	for (const [pid, n] of before.pids)
		if (![0x1fff, video, audio].includes(pid))
			assert.equal(ofPid(input, pid).packets, n);
	assert.equal(ofPid(input, video).packets, before.pids.get(video) -
		dropped.length + doubled.length);
	assert.equal(ofPid(input, audio).packets,
		before.pids.get(audio) - errors.length);
	assert.equal(input.null_packets, before.pids.get(0x1fff) -
		bytes.length);
	await sluice.stop();
});

test('the output is analyzed separately where Sluice regenerates it',
	async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config(stream('s',
		'udp://127.0.0.1:5000#map.pmt=512&map.video=513&set_pnr=7',
		['udp://127.0.0.1:6000', 'http://0:8100/s']),
	stream('off', 'udp://127.0.0.1:5001', [], { enable: false })));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('s');
	const all = await waitUntil('both', async () => {
		const now = await analysis(sluice, 's');

		if (!now.output.watched || !now.output.programs[0]?.pmt ||
			!(ofPid(now.output, 0x201)?.packets > 100))
			throw new Error(JSON.stringify(now));
		return now;
	});
	const { inputs: [input], output } = all;

	assert.equal(output.relay, false);
	assert.deepEqual(input.programs.map((p) => [p.number, p.pmt_pid]),
		[[PROGRAM.pnr, PROGRAM.pmtPid]]);
	assert.deepEqual(output.programs.map((p) => [p.number, p.pmt_pid]),
		[[7, 0x200]]);
	assert.equal(ofPid(output, 0x201).kind, 'video');
	assert.equal(ofPid(output, PROGRAM.video), undefined);
	assert.equal(sum(output, 'cc_errors'), 0);
	assert.deepEqual(input.remux, { table_changes: 2, broken_sections: 0,
		dropped_sections: 0 });
	assert.equal(output.remux, undefined);
	timing.assert(output.outputs.every((o) => o.dropped === 0),
		'packets were dropped');
	for (const [id, status, why] of [['off', 503, /does not run/],
		['nobody', 404, /no stream "nobody"/]]) {
		const reply = await sluice.get(`/api/stream-analysis/${id}`);
		assert.equal(reply.status, status);
		assert.match(JSON.parse(reply.body).error, why);
	}
	await sluice.stop();
});

const rtp = (sequence, packets) => {
	const head = Buffer.from([0x80, 33, sequence >> 8 & 255, sequence & 255,
		0, 0, 0, 0, 0, 0, 0xca, 0xfe]);

	return Buffer.concat([head, packets]);
};

test('loss in the network is distinguished from loss in the socket',
	async (t) => {
	const sluice = await Sluice.start(t, config(stream('s',
		'rtp://127.0.0.1:5000#socket_size=60000',
		'udp://127.0.0.1:6000')));
	const lost = async () => (await analysis(sluice, 's')).inputs[0].loss;
	let sequence = 0, missing = 0;

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 4e6 }), 5000, {
		shape: (packets) => {
			const skip = missing > 0 && sequence % 10 === 0;
			missing -= skip;
			const datagram = rtp(sequence++, packets);
			return skip ? [] : [datagram];
		} });
	await sluice.onair('s');
	const before = await lost();

	missing = 12;
	await waitUntil('loss in the network', async () =>
		(await lost()).network === before.network + 12);

	// a reader that does not read loses data that its socket cannot hold
	const { pid } = sluice.worker('stream');
	const dropped = udpDrops(5000);

	process.kill(pid, 'SIGSTOP');
	await waitUntil('a full socket', () => udpDrops(5000) > dropped + 50);
	process.kill(pid, 'SIGCONT');
	const after = await waitUntil('loss in the socket', async () => {
		const now = await lost();
		if (now.socket !== udpDrops(5000))
			throw new Error(`${now.socket} of ${udpDrops(5000)}`);
		return now;
	});
	assert.equal(after.network, before.network + 12);
	assert.equal((await analysis(sluice, 's')).viewers_cut, 0);
	await sluice.stop();
});

test('intervals between datagrams are measured for a steady sender',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('s', 'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));
	const mux = new TsMux({ rate: 4e6 });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, mux, 5000);
	await sluice.onair('s');
	const input = await waitUntil('a measured second', async () => {
		const { inputs: [one] } = await analysis(sluice, 's');
		// a second in which the machine did not delay the sender
		return one.iat && one.pcr[0].jitter_us !== undefined &&
			Math.abs(one.iat.rate - mux.rate / 1000) <
			mux.rate / 2000 && one;
	}, 20000);
	const { iat, mdi } = input;

	assert.ok(iat.min_us <= iat.p50_us && iat.p50_us <= iat.p95_us &&
		iat.p95_us <= iat.p99_us && iat.p99_us <= iat.max_us,
	JSON.stringify(iat));
	// the longest pause nearly fills a buffer of that size
	assert.ok(mdi.df_us * 1.2 >= iat.max_us, JSON.stringify({ iat, mdi }));
	assert.equal(mdi.mlr, 0);
	assert.equal(sum(input, 'cc_errors'), 0);
	// the reply stays the same
	await waitUntil('the next second', async () => {
		const { inputs: [one] } = await analysis(sluice, 's');
		return one.iat.age_s <= 1 && one.watched_s > input.watched_s;
	});
	await sluice.stop();
});

test('sluicectl prints the age of a measurement', async (t) => {
	// their seconds without a request differ: one in ten is measured
	const ids = ['q1', 'q2', 'q3', 'q4', 'q5', 'q6'];
	const mux = new TsMux({ rate: 1e6 });

	// their first seconds have datagrams
	await Sender.start(t, mux, 5010, { address: '239.1.1.5',
		from: '127.0.0.1', iface: '127.0.0.1' });
	const sluice = await Sluice.start(t, config(...ids.map((id, i) =>
		stream(id, 'udp://lo@239.1.1.5:5010',
			`udp://127.0.0.1:${6010 + i}`))));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	// a request makes the next seconds measured ones: each is asked once
	for (const id of ids)
		await sluice.sent(id, 5 * mux.rate / 8 / SIZE);
	const heads = [];
	for (const id of ids)
		heads.push((await ctl.out(['stream', 'analysis', id])).split(
			'\n', 1)[0]);
	const aged = heads.filter((line) =>
		/ MDI [\d.]+:\d+ \(\d s ago\)$/.test(line));
	assert.ok(aged.length > 0, heads.join('\n'));
	await waitUntil('a measurement of now', async () =>
		/ MDI [\d.]+:\d+$/m.test(await ctl.out(['stream', 'analysis',
			'q1'])));
	await sluice.stop();
});

// The result of `tsp -P analyze` of TSDuck for captures of its test suite:
// packets, PTS and PCRs of each PID, the rate by the PCRs in bit/s; no errors
// in any.
const captures = {
	'test-012': { total: 1987, bitrate: 0, program: [4006, 160, 1060],
		pids: { 0: [78, 0, 0], 160: [77, 0, 0], 1060: [0, 0, 0],
			1061: [0, 0, 0], 1062: [0, 0, 0], 1063: [0, 0, 0],
			1067: [0, 0, 0], 1068: [1832, 916, 0] } },
	'test-025': { total: 9751, bitrate: 4963330, program: [2064, 2064, 256],
		pids: { 0: [31, 0, 0], 17: [32, 0, 0], 256: [87, 0, 87],
			2064: [31, 0, 0], 4096: [9077, 75, 0],
			4097: [493, 123, 0] } },
	'test-072': { total: 9692, bitrate: 1213134, program: [1, 99],
		pids: { 0: [1, 0, 0], 99: [1, 0, 0], 100: [1131, 559, 0],
			101: [8559, 300, 300] } },
	'test-139': { total: 2660, bitrate: 33150450, program: [1, 256, 4097],
		pids: { 0: [16, 0, 0], 31: [16, 0, 0], 256: [16, 0, 0],
			4097: [2, 0, 2], 4113: [2477, 5, 0],
			4352: [105, 16, 0], 4353: [28, 4, 0] } },
};
const folder = path.join(srcdir, '../shared/data/ts');
const skip = fs.existsSync(folder) ? false : `no captures in ${folder}`;

// A packet comes thrice: our other reader lets that pass.
const THRICE = 'test-041';

// The result of our other reader for a capture.
function assertCounted(input, name, data) {
	const { packets, pids, ccErrors } = checkTs(data);

	assert.equal(input.packets, packets, name);
	for (const [pid, n] of pids)
		assert.equal(pid === 0x1fff ? input.null_packets :
			ofPid(input, pid).packets +
			ofPid(input, pid).transport_errors, n,
		`${name}: ${pid}`);
	if (name !== THRICE)
		assert.equal(sum(input, 'cc_errors'), ccErrors, name);
}

// The result of TSDuck for it.
function assertAgrees(input, name) {
	const { total, bitrate, program, pids } = captures[name];
	const [number, pmtPid, pcrPid] = program;

	assert.equal(input.packets, total);
	assert.deepEqual(Object.fromEntries(input.pids.map((p) =>
		[p.pid, [p.packets, pids[p.pid]?.[1],
			input.pcr.find((c) => c.pid === p.pid)?.count ??
			0]])), pids, name);
	// before the PMT no PID is known to contain PES
	for (const [pid, [, pts]] of Object.entries(pids))
		assert.ok(pts - (ofPid(input, Number(pid)).pts ?? 0) <
			4 + pts / 40, `${name}: PTS of ${pid}`);
	assert.deepEqual(input.programs, [{ number, pmt_pid: pmtPid,
		pmt: true, ...pcrPid && { pcr_pid: pcrPid } }], name);
	for (const key of ['cc_errors', 'duplicates', 'scrambled',
		'transport_errors', 'pes_errors'])
		assert.equal(sum(input, key), 0, `${name}: ${key}`);
	// theirs is the mean of all intervals, ours by the whole span
	const rate = Math.max(0, ...input.pcr.map((c) => c.bitrate));
	assert.ok(Math.abs(rate * 1000 - bitrate) <= bitrate / 100 + 1000,
		`${name}: ${rate} kbit/s for ${bitrate}`);
}

test('two other readers find the same in the captures', { skip }, async (t) => {
	const names = fs.readdirSync(folder).filter((name) =>
		name.endsWith('.ts')).map((name) => name.slice(0, -3));
	const sluice = await Sluice.start(t, config(...names.map((name, i) =>
		stream(`s${i}`, `udp://127.0.0.1:${5000 + i}`,
			`udp://127.0.0.1:${6000 + i}`))));

	for (const name of Object.keys(captures))
		assert.ok(names.includes(name), name);
	await Promise.all(names.map(async (name, i) => {
		const data = fs.readFileSync(path.join(folder, `${name}.ts`));

		await waitUntil('input', () => udpBound(5000 + i));
		await send(packetsOf(data), 5000 + i);
		const input = await judged(sluice, `s${i}`,
			data.length / SIZE);
		assertCounted(input, name, data);
		if (name in captures)
			assertAgrees(input, name);
	}));
	await sluice.stop();
});
