// SPDX-License-Identifier: GPL-3.0-or-later
// cbr= behind a source whose clock stops for a while: pictures are sent by the
// clock of the output.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Pace, Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const RATE = 4e6, PORT = 7000;

// A server that sends mux to its last client while it is not held.
async function serve(t, mux) {
	const source = { held: false };
	let reply, pace = new Pace(), first = 0;
	const timer = setInterval(() => {
		const due = first + pace.ms() / 1000 * mux.rate / 8 / 188;

		if (source.held || !reply) {
			pace = new Pace();
			first = mux.packets;
			return;
		}
		while (mux.packets < due)
			reply.write(mux.take(7));
	}, 10);
	const server = http.createServer((request, to) => {
		to.on('error', () => { /* the client has disconnected */ });
		to.on('close', () => {
			if (reply === to)
				reply = undefined;
		});
		to.writeHead(200);
		to.flushHeaders();
		reply = to;
	});

	await new Promise((done) => server.listen(PORT, '127.0.0.1', done));
	t.after(() => {
		clearInterval(timer);
		server.closeAllConnections();
		server.close();
	});
	return source;
}

const pcrOf = (p) => p[3] & 0x20 && p[4] >= 7 && p[5] & 0x10 ?
	(p.readUInt32BE(6) * 2 + (p[10] >> 7)) / 90000 +
	(p.readUInt16BE(10) & 0x1ff) / 27e6 : undefined;

function ptsOf(p) {
	const at = p[3] & 0x20 ? 5 + p[4] : 4;

	if (!(p[1] & 0x40) || !(p[3] & 0x10) || p.readUIntBE(at, 3) !== 1)
		return undefined;
	return ((p[at + 9] >> 1 & 7) * 2 ** 30 +
		(p.readUInt16BE(at + 10) >> 1) * 2 ** 15 +
		(p.readUInt16BE(at + 12) >> 1)) / 90000;
}

// The jumps of the clock with their announcements, and the extremes of the
// times of video and audio against it.
function read(data) {
	const seen = { jumps: [], told: 0, least: Infinity, most: -Infinity };
	let last;

	for (let at = 0; at < data.length; at += 188) {
		const p = data.subarray(at, at + 188);
		const pid = p.readUInt16BE(1) & 0x1fff;
		const pcr = pid === PROGRAM.video ? pcrOf(p) : undefined;

		if (pcr !== undefined) {
			const step = pcr - (last?.pcr ?? pcr) -
				(at - (last?.at ?? at)) * 8 / RATE;
			const told = Boolean(p[5] & 0x80);

			seen.told += told ? 1 : 0;
			if (Math.abs(step) > 0.05)
				seen.jumps.push({ step, told });
			last = { pcr, at };
		}
		if (![PROGRAM.video, PROGRAM.audio].includes(pid) || !last)
			continue;
		const pts = ptsOf(p);
		if (pts === undefined)
			continue;
		seen.least = Math.min(seen.least, pts - last.pcr);
		seen.most = Math.max(seen.most, pts - last.pcr);
	}
	return seen;
}

test('after a stall of the source the clock resumes with its pictures',
	async (t) => {
	const timing = new Timing(t);
	const mux = new TsMux({ rate: 2e6, clock: 1000 });
	const recorder = await Recorder.start(t, { port: 6000 });
	const source = await serve(t, mux);
	const sluice = await Sluice.start(t, config(stream('a001',
		`http://127.0.0.1:${PORT}/x#buffer_time=1`,
		`udp://127.0.0.1:6000#cbr=${RATE / 1000}`)));

	await sluice.onair('a001', 20000);
	await waitUntil('four seconds of it', () =>
		recorder.size() > 4 * RATE / 8, 20000);
	source.held = true;
	// the queue, and two seconds of nulls and PCRs
	await sluice.waitStatus('a001', 'off air', (s) => !s.onair, 30000);
	await recorder.quiet(3000);
	const before = recorder.size(), at = mux.seconds;
	source.held = false;
	// until long after a clock that is wrong would be found out
	await waitUntil('ten more', () => mux.seconds > at + 10 &&
		recorder.size() > before + 9 * RATE / 8, 60000);
	timing.stop();
	const [list] = await recorder.stop();
	const { jumps, told, least, most } = read(joined(list));

	await sluice.stop();
	assert.deepEqual(jumps.filter((j) => !j.told), [], 'not announced');
	assert.ok(told > 0, 'the clock stopped, and that was announced');
	timing.assert(told === 1,
		`${told} announced, ${JSON.stringify(jumps)}`);
	timing.assert(least > 0 && most < 2,
		`units ${least} to ${most} s before their time`);
});

test('a worker that is stopped for two seconds announces the step of its clock',
	async (t) => {
	const timing = new Timing(t);
	const mux = new TsMux({ rate: 1e6, clock: 1000 });
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000',
		`udp://127.0.0.1:6000#cbr=${RATE / 1000}`)));

	await waitUntil('the input', () => udpBound(5000));
	const sender = await Sender.start(t, mux, 5000);
	await sluice.onair('a001');
	await waitUntil('four seconds of it', () =>
		recorder.size() > 4 * RATE / 8, 20000);
	const { pid } = sluice.worker('stream', 'a001');
	const at = mux.seconds;

	process.kill(pid, 'SIGSTOP');
	await waitUntil('two seconds', () => mux.seconds > at + 2);
	process.kill(pid, 'SIGCONT');
	const before = recorder.size();

	await waitUntil('five more', () =>
		recorder.size() > before + 5 * RATE / 8, 60000);
	await recorder.all(sender);
	timing.stop();
	const [list] = await recorder.stop();
	const { jumps, least, most } = read(joined(list));

	assert.equal(sluice.worker('stream', 'a001').pid, pid);
	await sluice.stop();
	assert.deepEqual(jumps.filter((j) => !j.told), [], 'not announced');
	assert.ok(jumps.length > 0);
	timing.assert(jumps.length === 1 && least > 0 && most < 2,
		`${jumps.length} jumps, units ${least} to ${most} s early`);
});
