// SPDX-License-Identifier: GPL-3.0-or-later
// The generator and the checker around a candidate.
import path from 'node:path';
import { builddir, sleep, start, waitUntil } from '../helpers/util.mjs';

export const program = (name) => path.join(builddir, 'tests/bench', name);

const lines = (child) => child.text.out.split('\n').slice(0, -1);

// A program of ours that prints "ready" on a line and a report on others.
export class Reporter {
	constructor(child) { this.child = child; }

	ready(timeoutMs = 10000) {
		const { child } = this;

		return waitUntil(`ready ${child.spawnfile}`, () => {
			if (child.exitCode !== null)
				throw new Error(`it ended: ${child.text.err}`);
			return lines(child)[0] === 'ready';
		}, timeoutMs);
	}

	// Its counts so far.
	async snapshot() {
		const before = lines(this.child).length;

		this.child.kill('SIGUSR1');
		await waitUntil(`figures of ${this.child.spawnfile}`,
			() => lines(this.child).length > before);
		return JSON.parse(lines(this.child).at(-1));
	}

	async stop() {
		this.child.kill('SIGTERM');
		await this.child.ended;
		return JSON.parse(lines(this.child).at(-1));
	}
}

export async function startReady(scope, name, args) {
	const child = start(scope, program(name), args.map(String));

	await new Reporter(child).ready();
	return child;
}

export async function startChecker(scope, { streams, rate, port, rtp }) {
	return new Reporter(await startReady(scope, 'tscheck', ['--streams',
		streams, '--rate', rate, '--port', port,
		...rtp ? ['--rtp'] : []]));
}

// With programs, one multiplex of so many goes to one port.
export function startGenerator(scope, { streams, programs, rate, address,
	port, seconds, burst }) {
	return start(scope, program('tsgen'), [
		...programs ? ['--programs', programs] : ['--streams', streams],
		...address ? ['--address', address] : [],
		...burst ? ['--burst', burst] : [],
		'--rate', rate, '--port', port, '--seconds', seconds]
		.map(String));
}

// Stamped packets that were sent and did not come out, wherever they went:
// before the first that came, between, after the last.
export function lostOf(sent, seen) {
	let lost = seen.lost;

	for (const [i, next] of sent.next.entries())
		lost += seen.first[i] + next - seen.next[i];
	return lost;
}

// What several generators sent: the streams of the first one come first.
function joined(reports) {
	return { stamped: reports.reduce((n, { stamped }) => n + stamped, 0),
		next: reports.flatMap(({ next }) => next),
		late_max_us: Math.max(...reports.map(({ late_max_us: us }) =>
			us)) };
}

/*
 * One measurement: load through a running candidate, its CPU over the window at
 * full load, and all losses from first to last.  ports: a generator for each.
 */
export async function measureFlow(scope, checker, o, cpu) {
	const generators = (o.ports ?? [o.port]).map((port) =>
		startGenerator(scope, { ...o, port,
			seconds: o.warm + o.window + 1 }));

	await sleep(o.warm * 1000);
	const cpuBefore = cpu(), before = await checker.snapshot();
	await sleep(o.window * 1000);
	const cpuAfter = cpu(), after = await checker.snapshot();
	const ends = await Promise.all(generators.map(({ ended }) => ended));
	if (ends.some(({ code }) => code !== 0))
		throw new Error('the generator failed');
	await sleep(500);
	const seen = await checker.stop();
	const sent = joined(ends.map(({ out }) => JSON.parse(out)));
	const mbit = (after.bytes - before.bytes) * 8 / 1e6;
	return { cpu_us_per_mbit: (cpuAfter - cpuBefore) / 1000 / mbit, mbit,
		sent: sent.stamped, lost: lostOf(sent, seen),
		between: seen.lost,
		late_start: seen.first.reduce((sum, n) => sum + n, 0),
		duplicated: seen.duplicated, reordered: seen.reordered,
		cc_errors: seen.cc_errors, latency_us: seen.latency_us,
		burst_ms: seen.burst_ms,
		generator_late_us: sent.late_max_us };
}
