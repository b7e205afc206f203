// SPDX-License-Identifier: GPL-3.0-or-later
// Promises about time.  They can be checked where a runnable process runs: the
// kernel counts how long each waited for a processor, and how often it got one.
import assert from 'node:assert/strict';
import fs from 'node:fs';

// A mean delay above this, of all turns or of one thread with so many turns,
// makes times those of the machine, not ours.
const MOST_MEAN_WAIT_MS = 1;
const MANY_TURNS = 100;
// Nor are they ours where the host took a processor from the machine for longer
// than this, of all of them together.
const MOST_STOLEN_MS = 200;
const MS_PER_JIFFY = 10;
// The log lines about a valid source that pauses, or is not read in time.  An
// input that was chosen by hand is off air until its first packets.
const HELD_UP = /(?<!but )off air: no packets|alarms: .*(sync_loss|continuity)/;

// By the log, or by what these statuses count.
export const wasHeldUp = (log, statuses) => HELD_UP.test(log) || statuses.some(
	({ inputs = [], outputs = [], lost = 0 }) => lost > 0 ||
		// those that exceed a constant rate are not the machine's
		outputs.some(({ dropped, stats }) =>
			dropped > (stats?.cbr_overflow ?? 0)) ||
		inputs.some(({ socket_drops: n }) => n > 0));

function read(file) {
	try {
		return fs.readFileSync(file, 'latin1');
	} catch {
		return ''; // it has ended
	}
}

// This process and all below it.
export function family() {
	const parents = fs.readdirSync('/proc').filter((name) =>
		/^\d+$/.test(name)).map((name) => {
		const fields = read(`/proc/${name}/stat`).replace(/^.*\) /s, '')
			.split(' ');

		return [Number(name), Number(fields[1])];
	});
	const found = new Set([process.pid]);

	for (let before = 0; before !== found.size;) {
		before = found.size;
		for (const [pid, parent] of parents)
			if (found.has(parent))
				found.add(pid);
	}
	return [...found];
}

// [nanoseconds waited, turns] of each thread.
function turns() {
	const threads = new Map();

	for (const pid of family()) {
		let names = [];

		try {
			names = fs.readdirSync(`/proc/${pid}/task`);
		} catch {
			// it has ended
		}
		for (const tid of names) {
			const file = `/proc/${pid}/task/${tid}/schedstat`;
			const [, waited = 0, n = 0] = read(file).split(' ')
				.map(Number);

			threads.set(tid, [waited, n]);
		}
	}
	return threads;
}

// Processor time that the host took from the machine since it started.
function stolenMs() {
	const fields = read('/proc/stat').split(/\s+/, 9);

	return MS_PER_JIFFY * Number(fields[8] ?? 0);
}

export class Timing {
	constructor(t) {
		this.t = t;
		this.begin = turns();
		this.stolen = stolenMs();
	}

	// The mean wait for a processor since the beginning, of the processes
	// that still run, or of the thread that waits longest.
	meanWaitMs() {
		let waited = 0, n = 0, most = 0;

		for (const [tid, [ns, count]] of turns()) {
			const [ns0, count0] = this.begin.get(tid) ?? [0, 0];

			waited += ns - ns0;
			n += count - count0;
			if (count - count0 >= MANY_TURNS)
				most = Math.max(most, (ns - ns0) /
					(count - count0));
		}
		return Math.max(most, n > 0 ? waited / n : 0) / 1e6;
	}

	// To be called while the processes still run: the measure is the time
	// until then.
	stop() {
		this.was = this.#state();
	}

	#state() {
		return this.was ?? { wait: this.meanWaitMs(),
			stolen: stolenMs() - this.stolen };
	}

	// Is the machine too busy to judge?
	busy() {
		const { wait, stolen } = this.#state();

		return wait > MOST_MEAN_WAIT_MS || stolen > MOST_STOLEN_MS;
	}

	// As assert.ok(); on a machine that is too busy to judge, the test is
	// skipped instead of failing.
	assert(ok, message, t = this.t) {
		if (ok || !this.busy())
			assert.ok(ok, message);
		else
			t.skip('too busy to judge times: ' +
				`${JSON.stringify(this.#state())}, ${message}`);
	}

	// Waits for the promise for so long; returns its result.
	async within(ms, promise) {
		const begin = performance.now();
		const result = await promise;
		const took = performance.now() - begin;

		this.assert(took <= ms, `it took ${took.toFixed()} ms`);
		return result;
	}

	// A process without a processor for half a second drops the packets
	// that wait to be sent or read, or sends nothing: did one have to, by
	// our log and these statuses of streams with a valid source, and of
	// adapters? As
	// assert(), where the machine is not the cause.
	heldUp(log, ...statuses) {
		const held = wasHeldUp(log, statuses);

		this.assert(!held, 'packets were dropped, or none came');
		return held;
	}

	// Checks the received data. A failure is skipped where a process was
	// delayed, as above or as the caller saw, by a machine that is too
	// busy.
	unlessHeldUp(log, statuses, judge, delayed = false) {
		try {
			judge();
		} catch (error) {
			if (!this.busy() ||
			    !(delayed || wasHeldUp(log, statuses)))
				throw error;
			this.t.skip(`too busy, and held up: ${error.message}`);
		}
	}
}
