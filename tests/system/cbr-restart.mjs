// SPDX-License-Identifier: GPL-3.0-or-later
// cbr= behind workers that are killed or restarted: the next worker continues
// the queue, the positions and the clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { judgeRate } from '../helpers/rate.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const RATE = 3e6, RESTARTS = 8;
// Runs of one kill and one restart, until no worker was killed in a send.
const REPEATS = 5;

// Peaks of 6 Mbit/s fill the queue for a fifth of each second.
function makeSource() {
	const mux = new TsMux({ rate: 6e6, clock: 1000 });

	mux.isFull = (s) => s % 1 < 0.2 || s % 0.1 < 0.015;
	return mux;
}

async function endWorker(sluice, how) {
	const { pid } = sluice.worker('stream', 'a001');

	if (how === 'kill')
		process.kill(pid, 'SIGKILL');
	else
		await sluice.cmd('restart-stream', { id: 'a001' });
	await sluice.replaced('stream', 'a001', pid);
}

// A worker that is killed takes along what it has read and not queued: it often
// has some where it waits for a processor.
function checkLoss(timing, { ccErrors }) {
	timing.assert(ccErrors === 0, `${ccErrors} losses`);
	return ccErrors === 0;
}

function checkRate(list) {
	const seen = judgeRate(list, PROGRAM.video, RATE);

	assert.equal(seen.jumps, 0);
	assert.ok(seen.wrongNs <= 500, `a PCR ${seen.wrongNs} ns off`);
	assert.ok(seen.gapMs <= 40, `${seen.gapMs} ms without a PCR`);
	assert.ok(seen.rateOff <= 0.001, `${seen.rateOff} of the rate off`);
}

// False: a worker was killed while it sent, so packets may be missing.
async function checkRestarts(t, restarts) {
	const timing = new Timing(t);
	const mux = makeSource();
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000',
		`udp://127.0.0.1:6000#cbr=${RATE / 1000}`)));
	const plays = (ms) => {
		const until = recorder.size() + RATE / 8 * ms / 1000;

		return waitUntil('the output', () => recorder.size() > until,
			ms + 20000);
	};

	await waitUntil('the input', () => udpBound(5000));
	const sender = await Sender.start(t, mux, 5000);
	await sluice.onair('a001');
	await plays(2000);
	for (let i = 0; i < restarts; i++) {
		// in the middle of a peak
		const peak = Math.ceil(mux.seconds) + 0.15;

		await waitUntil('a peak', () => mux.seconds > peak);
		await endWorker(sluice, i % 2 ? 'restart' : 'kill');
		await plays(1500);
	}
	timing.stop();
	const { log } = sluice;
	const status = await sluice.status('a001');

	sender.stop();
	const [list] = await recorder.stop();

	await sluice.stop();
	const ts = checkTs(joined(list));

	assert.equal(ts.syncErrors, 0);
	if (timing.heldUp(log, status))
		return true; // the test is skipped
	if (/ended while it sent/.test(log))
		return false;
	if (checkLoss(timing, ts))
		checkRate(list);
	return true;
}

test('workers that are killed or restarted move no packet and no PCR of cbr',
	async (t) => {
	let checked = await checkRestarts(t, RESTARTS);

	for (let i = 0; i < REPEATS && !checked; i++)
		checked = await checkRestarts(t, 2);
	assert.ok(checked, 'each run had a worker that was killed in a send');
});

test('a worker that is killed takes no queue of an output with burst along',
	async (t) => {
	const timing = new Timing(t);
	const mux = makeSource();
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', ['udp://127.0.0.1:6000#burst=2',
			'udp://127.0.0.1:6001'])));

	await waitUntil('the input', () => udpBound(5000));
	const sender = await Sender.start(t, mux, 5000);
	await sluice.onair('a001');
	for (let i = 0; i < RESTARTS / 2; i++) {
		const peak = Math.ceil(mux.seconds) + 3.15;

		await waitUntil('a peak', () => mux.seconds > peak);
		await endWorker(sluice, 'kill');
	}
	await waitUntil('the end', () => mux.seconds % 1 > 0.9);
	timing.stop();
	const { log } = sluice;
	const status = await sluice.status('a001');

	sender.stop();
	const lists = await recorder.stop();

	await sluice.stop();
	if (timing.heldUp(log, status))
		return;
	for (const list of lists)
		checkLoss(timing, checkTs(joined(list)));
});
