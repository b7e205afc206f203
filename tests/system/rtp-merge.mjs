// SPDX-License-Identifier: GPL-3.0-or-later
// rtp#merge: two paths are one input (SMPTE 2022-7).  A datagram is lost only
// if both paths lose it.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Fault, pair } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Pace, Recorder, joined } from '../helpers/udp.mjs';
import { now, udpBound, waitUntil } from '../helpers/util.mjs';

const OUTPUT = 'udp://127.0.0.1:6000';
// A path that is later than the allowed difference has not delivered it: #skew
// is 500.
const LATE_MS = 500;

// Sends one multiplex on two paths, each with a delay of its own.
class Paths {
	sent = 0;
	delays = [0, 0];
	longest = 0;    // between a datagram of one path and of the other
	#waiting = [];

	static async start(t, ...ports) {
		const self = new Paths(), pace = new Pace();

		self.ports = ports;
		self.mux = new TsMux();
		self.socket = dgram.createSocket('udp4');
		await new Promise((done) => self.socket.bind(0, done));
		const timer = setInterval(() => self.#turn(pace.ms()), 5);
		t.after(() => {
			clearInterval(timer);
			self.socket.close();
		});
		return self;
	}

	#turn(ms) {
		const { mux } = this;

		while (!this.ended && mux.packets * 188 * 8 / mux.rate * 1000 <
			ms)
			this.#write(mux.take(7), ms);
		// a delay that changes lets nothing overtake
		this.#waiting = this.#waiting.filter((one) => {
			if (one.at > ms)
				return true;
			this.socket.send(one.datagram, one.port, '127.0.0.1');
			this.#note(one.twin);
			return false;
		});
	}

	#write(packets, ms) {
		const head = Buffer.alloc(12), n = this.sent++;

		head[0] = 0x80;
		head[1] = 33;
		head.writeUInt16BE((65000 + n) & 0xffff, 2);
		head.writeUInt32BE((n * 470) >>> 0, 4);
		head.writeUInt32BE(77, 8);
		const datagram = Buffer.concat([head, packets]), twin = {};

		this.ports.forEach((port, i) => this.#waiting.push(
			{ at: ms + this.delays[i], port, datagram, twin }));
	}

	#note(twin) {
		twin.first ??= now();
		this.longest = Math.max(this.longest, now() - twin.first);
	}

	// Nothing new; true when all has been sent.
	end() {
		this.ended = true;
		return this.#waiting.length === 0;
	}

	// Packets are dropped on one path by the two low bits of the number.
	lose(t, path, bits) {
		return Fault.start(t, this.ports[path],
			`@th,80,16 & 0x0003 == ${bits}`);
	}

	cut(t, path) {
		return Fault.start(t, this.ports[path], '');
	}

	async more(n) {
		const target = this.sent + n;

		await waitUntil(`${n} more`, () => this.sent >= target, 20000);
	}
}

const stats = async (sluice, id) => (await sluice.json(
	`/api/stream-inputs/${id}`)).inputs[0].stats ?? {};

// The loss of each path; and is the difference of their delays reported?
const faults = [
	async function eachLosesAQuarter(t, told, paths, lost) {
		const both = [await paths.lose(t, 0, 1),
			await paths.lose(t, 1, 3)];

		await paths.more(90);
		lost[0] += await both[0].stop();
		lost[1] += await both[1].stop();
	},
	async function oneIsCutAndThenTheOther(t, told, paths, lost) {
		for (const path of [0, 1]) {
			const fault = await paths.cut(t, path);
			await paths.more(130);
			lost[path] += await fault.stop();
			await paths.more(100);
		}
	},
	async function oneIsLate(t, told, paths) {
		paths.delays = [0, 300];
		await paths.more(130);
		await waitUntil('a skew of 300 ms', async () => {
			const { skew_us: skew, paths: n } = await told();
			assert.equal(n, 2);
			return skew > 250000 && skew < 350000;
		});
	},
	async function theFasterOneLosesAndIsCut(t, told, paths, lost) {
		const few = await paths.lose(t, 0, 2);
		await paths.more(90);
		lost[0] += await few.stop();
		const all = await paths.cut(t, 0);
		await paths.more(110);
		lost[0] += await all.stop();
		await paths.more(90);
	},
	async function theyChangePlaces(t, told, paths) {
		paths.delays = [300, 0];
		await paths.more(200);
	},
	async function theSlowerOneIsCut(t, told, paths, lost) {
		const fault = await paths.cut(t, 0);
		await paths.more(110);
		lost[0] += await fault.stop();
		await paths.more(110);
	},
];

async function losesNothing(t, sluice, id, ports, record) {
	const paths = await Paths.start(t, ...ports);
	const told = () => stats(sluice, id), lost = [0, 0];

	await sluice.onair(id);
	for (const fault of faults)
		await fault(t, told, paths, lost);
	await paths.more(100);
	await waitUntil('the end', () => paths.end());
	if (paths.longest > LATE_MS) {
		t.skip(`the paths were ${paths.longest} ms apart`);
		return;
	}
	const end = await waitUntil('the count', async () => {
		const all = await told();
		assert.equal(all.path1_lost, lost[0],
			JSON.stringify({ all, lost, sent: paths.sent }));
		assert.equal(all.path2_lost, lost[1]);
		assert.equal(all.path1_received, paths.sent - lost[0]);
		assert.equal(all.path2_received, paths.sent - lost[1]);
		return all;
	});
	assert.equal(end.lost, lost[0] + lost[1], 'of one path each');
	assert.equal(end.recovered, end.lost);
	assert.equal(end.duplicates, 0);
	const output = await record(), { packets } = paths.mux;
	const sent = new TsMux().take(packets);

	assert.ok(output.length > sent.length - 300 * 188,
		`${(sent.length - output.length) / 188} are missing`);
	assert.equal(output.compare(sent.subarray(0, output.length)), 0,
		'nothing in between is missing');
}

test('no packet is lost, with a delay and without', async (t) => {
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'rtp://127.0.0.1:5000#merge=' +
			'rtp://127.0.0.1:5010', 'udp://127.0.0.1:6000'),
		stream('a002', 'rtp://127.0.0.1:5100#delay=500&merge=' +
			'rtp://127.0.0.1:5110', 'udp://127.0.0.1:6001')));
	let ended;
	const record = (i) => async () => {
		ended ??= recorder.quiet(2000).then(() => recorder.stop());
		return joined((await ended)[i]);
	};

	await waitUntil('inputs', () =>
		[5000, 5010, 5100, 5110].every(udpBound));
	await Promise.all([
		losesNothing(t, sluice, 'a001', [5000, 5010], record(0)),
		losesNothing(t, sluice, 'a002', [5100, 5110], record(1)),
	]);
	await sluice.stop();
});

test('a path that cannot be opened is opened as soon as possible',
	async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'rtp://wa@239.1.0.1:5010#merge=rtp://127.0.0.1:5000',
		OUTPUT)));

	await waitUntil('one input', () => udpBound(5000));
	const paths = await Paths.start(t, 5000, 5010);
	await sluice.onair('a001');
	assert.equal((await stats(sluice, 'a001')).paths, 1);
	await pair(t, 'wa', 'wb');
	await waitUntil('the other', () => udpBound(5010));
	await paths.more(50);
	const told = await stats(sluice, 'a001');
	assert.equal(told.lost, 0, JSON.stringify(told));
	await sluice.stop();
});
