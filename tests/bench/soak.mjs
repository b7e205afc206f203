// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make soak: many streams for a long time.  Nothing may be lost, and neither
 * memory nor descriptors may grow.
 *
 *	SOAK_SECONDS=600 SOAK_STREAMS=100 SOAK_RATE=8 (Mbit/s each)
 */
import fs from 'node:fs';
import process from 'node:process';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { sleep, udpBound, waitUntil } from '../helpers/util.mjs';
import { lostOf, startChecker, startGenerator } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const FROM = 10000, TO = 20000;
const SAMPLES = 20, PART = 5;
/* By then each action of every ten seconds was done twice. */
export const SETTLE_S = 25;
/* Pages that are touched late for the first time are no leak; steady growth
 * would be far above it in the end. */
const LIMIT = { workerKib: 64, masterKib: 256, fds: 0 };

export function number(name, standard) {
	const value = Number(process.env[name] || standard);

	if (!(value > 0))
		throw new Error(`${name}: ${process.env[name]} is no number`);
	return value;
}

const fdsOf = (pid) => fs.readdirSync(`/proc/${pid}/fd`).length;

// PSS of all writable mappings of a process except the ring, which has one size
// and is filled gradually. The share of a library depends on the other
// processes of the machine.
function writtenKib(pid) {
	let writable = false, sum = 0;

	for (const line of fs.readFileSync(`/proc/${pid}/smaps`, 'utf8')
		.split('\n')) {
		const [, rights] =
			/^[0-9a-f]+-[0-9a-f]+ (\S+)/.exec(line) ?? [];
		if (rights !== undefined)
			writable = rights.includes('w') &&
				!line.includes('/memfd:ring ');
		else if (writable)
			sum += Number(/^Pss: +(\d+) kB/.exec(line)?.[1] ?? 0);
	}
	return sum;
}

// The resources of one process now.
function weigh(pid) {
	return { pid, pss: writtenKib(pid), fds: fdsOf(pid) };
}

// Others may run the same programs on this machine.
export function workersOf(sluice) {
	return [...sluice.log.matchAll(/running, pid (\d+)/g)]
		.map(([, pid]) => Number(pid));
}

export function weighAll(sluice) {
	return { master: weigh(sluice.pid),
		workers: workersOf(sluice).map(weigh) };
}

export async function watch(sluice, seconds, samples) {
	for (let i = 1; i < SAMPLES; i++) {
		await sleep(seconds * 1000 / (SAMPLES - 1));
		samples.push(weighAll(sluice));
	}
}

// The least of some samples: memory that is used sometimes, and freed, is no
// growth.
function least(samples, pid, what) {
	return Math.min(...samples.map((sample) =>
		[sample.master, ...sample.workers].find((one) =>
			one.pid === pid)?.[what] ?? -Infinity));
}

// Of one process, from the first samples to the last.
export function growthOf(samples, pid, what) {
	return least(samples.slice(-PART), pid, what) -
		least(samples.slice(0, PART), pid, what);
}

export function growth(samples) {
	const of = (pid, what) => growthOf(samples, pid, what);
	const { master, workers } = samples[0];
	const pids = workers.map(({ pid }) => pid);

	return { workers: Math.max(...pids.map((pid) => of(pid, 'pss'))),
		middle: median(pids.map((pid) => of(pid, 'pss'))),
		master: of(master.pid, 'pss'),
		fds: Math.max(...[master.pid, ...pids].map((pid) =>
			of(pid, 'fds'))) };
}

function run({ seconds, streams, rate }) {
	return Scope.within(async (scope) => {
		const ports = Array.from({ length: streams },
			(_, i) => FROM + i);
		const checker = await startChecker(scope, { streams, rate,
			port: TO });
		const sluice = await Sluice.start(scope, config(
			...ports.map((port, i) => stream(`s${i}`,
				`udp://127.0.0.1:${port}`,
				`udp://127.0.0.1:${TO + i}`))));

		await waitUntil('open inputs', () => ports.every(udpBound),
			30000);
		const generator = startGenerator(scope, { streams, rate,
			port: FROM, seconds: SETTLE_S + seconds + 2 });
		await sleep(SETTLE_S * 1000);
		const samples = [weighAll(sluice)];
		const pids = [sluice.pid, ...workersOf(sluice)];
		const before = cpuNs(pids);

		await watch(sluice, seconds, samples);
		const cpu = cpuNs(pids) - before;
		const { out } = await generator.ended;
		await sleep(1000);
		const seen = await checker.stop(), sent = JSON.parse(out);
		return { sent: sent.stamped, lost: lostOf(sent, seen),
			disorder: seen.duplicated + seen.reordered,
			late_us: sent.late_max_us, failed: sent.failed,
			p99: seen.latency_us.p99 / 1000,
			restarts: (sluice.log.match(/restart(ing| in)/g) ?? [])
				.length,
			mbit: seen.bytes * 8 / 1e6 /
				(SETTLE_S + seconds + 2),
			cores: cpu / 1e9 / seconds, ...growth(samples) };
	});
}

export function judgeGrowth(report, name, r, limit) {
	report.judge(r.workers <= limit.workerKib, `${name}: the PSS of a ` +
		`worker grew by ${r.workers} KiB at most ` +
		`(limit ${limit.workerKib})`);
	report.judge(r.master <= limit.masterKib, `${name}: that of the ` +
		`master by ${r.master} KiB (limit ${limit.masterKib})`);
	report.judge(r.fds <= limit.fds,
		`${name}: descriptors grew by ${r.fds} at most`);
}

function judge(report, r) {
	report.judge(r.lost === 0 && r.disorder === 0, 'soak: ' +
		`${ofAll(r.lost, r.sent)} packets lost, ${r.disorder} ` +
		'doubled or out of order');
	report.judge(r.restarts === 0,
		`soak: ${r.restarts} workers were replaced`);
	judgeGrowth(report, 'soak', r, LIMIT);
}

export async function soak(report) {
	const o = { seconds: number('SOAK_SECONDS', 600),
		streams: number('SOAK_STREAMS', 100),
		rate: number('SOAK_RATE', 8) };

	report.section(`soak: ${o.streams} streams of ${o.rate} Mbit/s for ` +
		`${o.seconds} s`);
	const r = await run(o);

	report.table([['Mbit/s out', 'cores', 'p99 ms', 'PSS +KiB (middle)',
		'generator late ms'], [r.mbit.toFixed(0), r.cores.toFixed(2),
		r.p99.toFixed(1), `${r.workers} (${r.middle})`,
		(r.late_us / 1000).toFixed(0)]]);
	report.keep('soak', { ...o, ...r });
	judge(report, r);
}
