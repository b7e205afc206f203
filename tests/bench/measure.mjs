// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of the processes of a candidate, as the kernel counts it.
import fs from 'node:fs';

// CPU nanoseconds of all threads of all pids.
export function cpuNs(pids) {
	let sum = 0;

	for (const pid of pids)
		for (const task of fs.readdirSync(`/proc/${pid}/task`)) {
			const text = fs.readFileSync(
				`/proc/${pid}/task/${task}/schedstat`, 'utf8');
			sum += Number(text.split(' ')[0]);
		}
	return sum;
}

// The kernel's threads that do a part of the sending on a loopback.
export const softirqThreads = fs.readdirSync('/proc').filter((entry) => {
	try {
		return /^\d+$/.test(entry) && fs.readFileSync(
			`/proc/${entry}/comm`, 'utf8').startsWith('ksoftirqd/');
	} catch {
		return false; // ended meanwhile
	}
});

// { pss, rss } of a process in KiB, and the part of each in mappings whose name
// fits shared (a ring).
export function memoryKib(pid, shared = /$^/) {
	const sum = { pss: 0, rss: 0, sharedPss: 0, sharedRss: 0 };
	let inShared = false;

	for (const line of fs.readFileSync(`/proc/${pid}/smaps`, 'utf8')
		.split('\n')) {
		if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) {
			inShared = shared.test(line);
			continue;
		}
		const [, key, kib] = /^(Pss|Rss): +(\d+) kB/.exec(line) ?? [];
		if (key === undefined)
			continue;
		sum[key.toLowerCase()] += Number(kib);
		if (inShared)
			sum['shared' + key] += Number(kib);
	}
	return sum;
}

export function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;

	return sorted.length % 2 === 1 ? sorted[middle] :
		(sorted[middle - 1] + sorted[middle]) / 2;
}

// The actions to undo, in reverse: the shape that the test helpers expect of
// node:test's context.
export class Scope {
	#undo = [];

	after(undo) { this.#undo.push(undo); }

	async close() {
		for (const undo of this.#undo.splice(0).reverse())
			await undo();
	}

	// Runs body with a scope of its own that is closed whatever happens.
	static async within(body) {
		const scope = new Scope();

		try {
			return await body(scope);
		} finally {
			await scope.close();
		}
	}
}
