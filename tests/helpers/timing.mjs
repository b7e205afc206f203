// SPDX-License-Identifier: GPL-3.0-or-later
// Promises about time.  They can be judged where a process that wants to run
// does: the kernel counts how long each waited for a core, and how often it got
// one.
import assert from 'node:assert/strict';
import fs from 'node:fs';

// A turn that waits longer than this in the mean makes times those of the
// machine, not ours.
const MOST_MEAN_WAIT_MS = 1;

function read(file) {
	try {
		return fs.readFileSync(file, 'latin1');
	} catch {
		return ''; // it has ended
	}
}

// This process and all below it.
function family() {
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

export class Timing {
	constructor(t) {
		this.t = t;
		this.begin = turns();
	}

	// The mean wait for a core since the beginning, of who still runs.
	meanWaitMs() {
		let waited = 0, n = 0;

		for (const [tid, [ns, count]] of turns()) {
			const [ns0, count0] = this.begin.get(tid) ?? [0, 0];

			waited += ns - ns0;
			n += count - count0;
		}
		return n > 0 ? waited / n / 1e6 : 0;
	}

	// To be called while the processes still run: what counts is the
	// time until then.
	stop() {
		this.waitMs = this.meanWaitMs();
	}

	// As assert.ok(); on a machine that is too busy to tell, the test is
	// left out instead of failing.
	assert(ok, message) {
		const ms = this.waitMs ?? this.meanWaitMs();

		if (ok || ms <= MOST_MEAN_WAIT_MS)
			assert.ok(ok, message);
		else
			this.t.skip('too busy to judge times: ' +
				`${ms.toFixed(1)} ms for a core, ${message}`);
	}
}
