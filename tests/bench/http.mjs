// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One stream of 8 Mbit/s to many HTTP viewers: CPU a delivered Mbit beside a
 * plain fan-out that reads and writes, and the memory of the deliver worker.
 *
 * All our processes are counted, and the kernel's softirq threads for both:
 * on a loopback they do a part of the sending.
 */
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { sleep, start, udpBound, waitUntil } from '../helpers/util.mjs';
import { program, Reporter, startGenerator, startReady } from './load.mjs';
import { cpuNs, median, memoryKib, Scope, softirqThreads }
	from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 1, rate: 8 };
const FROM = 10000, PORT = 18100, WARM_MS = 3000;
const VIEWERS = [200, 1000];
const LIMIT = { fanout: 1 / 3, baseKib: 8 * 1024, viewerKib: 16,
	shareOfRate: 0.98 };

async function startFanout(scope, ...more) {
	const child = await startReady(scope, 'fanout',
		['--from', FROM, '--port', PORT, ...more]);

	return { pids: [child.pid] };
}

// Each starts and returns { pids, deliver }: the processes whose CPU and memory
// count.
const candidates = {
	fanout: (scope) => startFanout(scope),
	// for information: the gain of larger batches
	'fanout 50 ms': (scope) => startFanout(scope, '--tick', 50),

	async sluice(scope) {
		const sluice = await Sluice.start(scope, config(stream('bench',
			`udp://127.0.0.1:${FROM}`,
			`http://127.0.0.1:${PORT}/bench`)));

		await waitUntil('open input', () => udpBound(FROM), 15000);
		const deliver = await waitUntil('deliver worker',
			() => sluice.worker('deliver'));
		return { deliver: deliver.pid, pids: [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)] };
	},
};

function startFarm(scope, viewers) {
	const child = start(scope, program('viewer_farm'), ['--viewers',
		viewers, '--port', PORT, '--path', '/bench'].map(String));

	return new Reporter(child);
}

function measureOne(name, viewers, window) {
	return Scope.within(async (scope) => {
		const { pids, deliver } = await candidates[name](scope);
		const cpu = () => cpuNs([...pids, ...softirqThreads]);

		startGenerator(scope, { ...LOAD, port: FROM, seconds: 600 });
		await sleep(2000);
		const farm = startFarm(scope, viewers);
		await farm.ready(30000);
		await sleep(WARM_MS);
		const before = await farm.snapshot(), cpuBefore = cpu();
		await sleep(window * 1000);
		const after = await farm.snapshot(), cpuAfter = cpu();
		const memory = deliver && memoryKib(deliver);
		const seen = await farm.stop();
		const mbit = (after.bytes - before.bytes) * 8 / 1e6;
		const seconds = (after.at_ns - before.at_ns) / 1e9;
		return { cpu_us_per_mbit: (cpuAfter - cpuBefore) / 1000 / mbit,
			mbit, share: mbit / seconds / viewers / LOAD.rate,
			memory, seen };
	});
}

async function measureAll(viewers, { rounds, window }) {
	const runs = Object.fromEntries(
		Object.keys(candidates).map((name) => [name, []]));

	for (let round = 0; round < rounds; round++)
		for (const name of Object.keys(runs))
			runs[name].push(await measureOne(name, viewers,
				window));
	return runs;
}

function judge(report, viewers, runs, ratio) {
	const what = `http, ${viewers} viewers:`;
	const sum = (probe) =>
		runs.reduce((all, run) => all + probe(run.seen), 0);
	const bad = sum((seen) => seen.lost + seen.broken + seen.duplicated +
		seen.reordered);
	const gone = sum((seen) => seen.viewers - seen.watching);
	const share = Math.min(...runs.map((run) => run.share));
	const limit = LIMIT.baseKib + LIMIT.viewerKib * viewers;
	const rss = Math.max(...runs.map((run) => run.memory.rss));
	const pss = Math.max(...runs.map((run) => run.memory.pss));

	report.judge(ratio <= LIMIT.fanout, `${what} CPU ` +
		`${ratio.toFixed(2)} x a plain fan-out (at most ` +
		`${LIMIT.fanout.toFixed(2)})`);
	report.judge(bad === 0 && gone === 0 && share >= LIMIT.shareOfRate,
		`${what} ${ofAll(bad, sum((seen) => seen.packets))} packets ` +
		`lost or out of order, ${gone} viewers lost, ` +
		`${(share * 100).toFixed(1)} % of the rate delivered`);
	report.judge(rss <= limit, `${what} deliver weighs ${rss} KiB RSS, ` +
		`${pss} KiB PSS (at most ${limit})`);
}

export async function http(report, options) {
	for (const viewers of VIEWERS) {
		report.section(`http: 1 stream of ${LOAD.rate} Mbit/s to ` +
			`${viewers} viewers, medians of ${options.rounds} ` +
			'rounds');
		const runs = await measureAll(viewers, options);
		const of = (name, probe) => median(runs[name].map(probe));
		const cpu = (name) => of(name, (run) => run.cpu_us_per_mbit);
		report.table([['', 'CPU us/Mbit', 'x fan-out', 'lost',
			'join p99 ms', 'p99 ms'],
		...Object.keys(runs).map((name) => [name,
			cpu(name).toFixed(1),
			(cpu(name) / cpu('fanout')).toFixed(2),
			runs[name].reduce((n, run) => n + run.seen.lost, 0),
			of(name, (run) => run.seen.join_ms.p99),
			of(name, (run) => run.seen.latency_us.p99 / 1000)
				.toFixed(0)])]);
		report.keep(`http_${viewers}`, runs);
		judge(report, viewers, runs.sluice,
			cpu('sluice') / cpu('fanout'));
	}
}
