// SPDX-License-Identifier: GPL-3.0-or-later
// faults: a process that is killed or hangs is replaced, no other process is
// affected, and its viewers stay connected.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { now, sleep, udpBound, waitUntil } from '../helpers/util.mjs';

const RATE = 4e6;
const N = 4;
// From a closer look at a silent worker to its end it is a second.
const ALONE_MS = 900;

// Several streams under load, each with a recorded UDP output and a viewer.
async function load(t) {
	const numbers = Array.from({ length: N }, (_, i) => i);
	const recorder = await Recorder.start(t,
		...numbers.map((i) => ({ port: 6000 + i })));
	const sluice = await Sluice.start(t, config(...numbers.map((i) =>
		stream(`s${i}`, `udp://127.0.0.1:${5000 + i}`,
			[`udp://127.0.0.1:${6000 + i}`,
				`http://127.0.0.1:8100/s${i}`]))));

	await waitUntil('inputs', () => numbers.every(
		(i) => udpBound(5000 + i)));
	const senders = [];
	for (const i of numbers)
		senders.push(await Sender.start(t,
			new TsMux({ rate: RATE }), 5000 + i));
	for (const i of numbers)
		await sluice.onair(`s${i}`);
	const viewers = [];
	for (const i of numbers)
		viewers.push(await Viewer.open(t, 8100, `/s${i}`));
	await waitUntil('video', () => viewers.every((v) => v.bytes > 1e5));
	return { sluice, recorder, senders, viewers };
}

async function finish({ recorder, senders }) {
	await recorder.all(...senders);
	return recorder.stop();
}

// The longest silence of an output, in milliseconds.
function longestGap(list) {
	let longest = 0;

	for (let i = 1; i < list.length; i++)
		longest = Math.max(longest,
			Number(list[i].ns - list[i - 1].ns) / 1e6);
	return longest;
}

// A worker that waits for a processor for a second counts its dropped packets;
// all others are present, and with enough processors none is dropped.  Returns
// the streams without a loss.
async function assertSent(timing, all, lists, from = 0) {
	const whole = [];

	for (let i = from; i < N; i++) {
		const missing = all.senders[i].sent - lists[i].length;

		await waitUntil(`${missing} lost of s${i}`, async () => {
			const { outputs: [{ dropped }] } =
				await all.sluice.status(`s${i}`);
			const { inputs: [{ loss }] } = await all.sluice.json(
				`/api/stream-analysis/s${i}`);

			if (missing * 7 !== dropped + loss.socket * 7)
				throw new Error(`${dropped}, ${loss.socket}`);
			return true;
		});
		timing.assert(missing === 0, `s${i} dropped datagrams`);
		if (missing > 0)
			continue;
		const seen = checkTs(joined(lists[i]));
		assert.equal(seen.ccErrors + seen.syncErrors, 0);
		whole.push(i);
	}
	return whole;
}

function assertViewed(all, streams) {
	for (const i of streams) {
		const viewed = checkTs(all.viewers[i].data());
		assert.equal(viewed.ccErrors + viewed.syncErrors, 0);
		assert.equal(all.viewers[i].ended, false);
	}
}

// Kills the worker of s0; every other worker must continue unaffected.
async function strike(t, signal, limitMs) {
	const timing = new Timing(t);
	const all = await load(t);
	const { sluice, viewers } = all;
	const { pid } = sluice.worker('stream', 's0');

	process.kill(pid, signal);
	await sluice.replaced('stream', 's0', pid);
	const bytes = viewers[0].bytes;
	await waitUntil('the viewer of the dead one to see more', () =>
		viewers[0].bytes > bytes + 300000);
	assert.equal(viewers[0].ended, false, 'the viewer stays connected');
	await sluice.onair('s0');
	const status = await sluice.status('s0');
	timing.assert(status.worker.restarts === 1,
		`${status.worker.restarts} restarts`);
	await sluice.waitStatus('s0', 'its viewer', (s) => s.sessions === 1);
	const lists = await finish(all);
	const gap = longestGap(lists[0]);
	t.diagnostic(`${signal}: off for ${Math.round(gap)} ms`);
	timing.assert(gap <= limitMs, `off for ${gap} ms`);
	const viewed = checkTs(viewers[0].data());
	assert.equal(viewed.syncErrors, 0, 'only whole packets');
	assertViewed(all, await assertSent(timing, all, lists, 1));
	await sluice.stop();
}

test('kill -9 of a stream: it returns within 1.5 s', (t) =>
	strike(t, 'SIGKILL', 1500));

test('kill -STOP of a stream: it returns within 5 s', (t) =>
	strike(t, 'SIGSTOP', 5000));

test('kill -SEGV of a stream: it returns within 1.5 s', (t) =>
	strike(t, 'SIGSEGV', 1500));

// The master may have ended it meanwhile.
function resume(pid) {
	try {
		process.kill(pid, 'SIGCONT');
	} catch (error) {
		assert.equal(error.code, 'ESRCH');
	}
}

// All of them stop, as on a virtual machine that is moved or suspended; the
// control process may be the first that runs again.
test('a machine that is suspended costs no worker its process', async (t) => {
	const { sluice } = await load(t);
	const pids = () => [...Array(N).keys()].map((i) =>
		sluice.worker('stream', `s${i}`).pid)
		.concat(sluice.worker('deliver').pid);
	const before = pids();

	for (const ms of [2200, 2800]) {
		let begin = now();
		for (const pid of [...before, sluice.pid])
			process.kill(pid, 'SIGSTOP');
		let alone = now() - begin;
		await sleep(ms);
		begin = now();
		process.kill(sluice.pid, 'SIGCONT');
		await sleep(300);
		for (const { pid } of sluice.workers())
			resume(pid);
		alone += now() - begin;
		// the master was right to end workers that were stopped for so
		// long
		if (alone > ALONE_MS) {
			t.skip(`they stood still alone for ${alone} ms`);
			return;
		}
		for (let i = 0; i < N; i++)
			await sluice.onair(`s${i}`);
	}
	// a worker that the master judged hung ends before its third status
	for (let i = 0; i < N; i++)
		for (let k = 0; k < 2; k++) {
			const sent = async () => (await sluice
				.status(`s${i}`)).outputs[0].packets;
			const last = await sent();

			await waitUntil('the next status', async () =>
				await sent() !== last);
		}
	assert.deepEqual(pids(), before);
	for (let i = 0; i < N; i++)
		assert.equal((await sluice.status(`s${i}`)).worker.restarts, 0);
	await sluice.stop();
});

test('kill -9 of deliver: UDP loses nothing, it listens within 1 s',
	async (t) => {
	const timing = new Timing(t);
	const all = await load(t);
	const { sluice, viewers } = all;
	const { pid } = sluice.worker('deliver');

	const begin = now();
	process.kill(pid, 'SIGKILL');
	// a viewer that connects in that moment is served, not rejected
	const early = await Viewer.open(t, 8100, '/s1');
	assert.equal(early.status, 200);
	await waitUntil('video', () => early.bytes > 1e5);
	const ms = now() - begin;
	t.diagnostic(`served again after ${Math.round(ms)} ms`);
	await waitUntil('end of the old viewers', () =>
		viewers.every((viewer) => viewer.ended));
	const again = await Promise.all([0, 1, 2, 3].map((i) =>
		Viewer.open(t, 8100, `/s${i}`)));
	await waitUntil('video', () => again.every((v) => v.bytes > 1e5));
	const lists = await finish(all);
	for (const i of await assertSent(timing, all, lists))
		assert.equal(checkTs(again[i].data()).ccErrors, 0);
	timing.assert(ms < 1000 + 500, `${ms} ms`);
	await sluice.stop();
});

test('kill -STOP of deliver: it is replaced, UDP loses nothing', async (t) => {
	const timing = new Timing(t);
	const all = await load(t);
	const { sluice } = all;
	const { pid } = sluice.worker('deliver');

	process.kill(pid, 'SIGSTOP');
	await timing.within(6000,
		sluice.replaced('deliver', undefined, pid));
	await waitUntil('service', async () => (await request(8100,
		{ path: '/s0', method: 'HEAD' })).status === 200);
	const lists = await finish(all);
	await assertSent(timing, all, lists);
	await sluice.stop();
});

test('each worker is killed in turn, and each returns', async (t) => {
	const ROUNDS = 2, timing = new Timing(t);
	const all = await load(t);
	const { sluice } = all;

	for (let round = 0; round < ROUNDS; round++) {
		for (let i = 0; i < N; i++) {
			const worker = sluice.worker('stream', `s${i}`);
			process.kill(worker.pid, 'SIGKILL');
			await sluice.replaced('stream', `s${i}`, worker.pid);
		}
	}
	for (let i = 0; i < N; i++) {
		await sluice.onair(`s${i}`);
		const { restarts } = (await sluice.status(`s${i}`)).worker;

		assert.ok(restarts >= ROUNDS, `${restarts} restarts`);
		timing.assert(restarts === ROUNDS, `${restarts} restarts`);
	}
	assert.ok(all.viewers.every((viewer) => !viewer.ended));
	assert.equal(sluice.workers().length, N + 1);
	await sleep(0);
	await sluice.stop();
});
