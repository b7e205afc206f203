// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * UDP to UDP, 50 streams of 8 Mbit/s: the CPU for a delivered Mbit of Sluice,
 * of a bare forwarder (one process), of a bare forwarder a stream (the floor of
 * a process a stream, woken as often as the workers) and of multicat, in turns.
 */
import { spawnSync } from 'node:child_process';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { start, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker, startReady } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 50, rate: 8, warm: 2 };
const FROM = 10000, TO = 20000;
const LIMIT = { forwarder: 1.9, forwarders: 1.2, multicat: 0.5,
	latencyMs: 40 };
const GRID_MS = 10; // of the workers' ticks

const ports = (first) =>
	Array.from({ length: LOAD.streams }, (_, i) => first + i);

function allBound() {
	return waitUntil('open inputs', () => ports(FROM).every(udpBound),
		15000);
}

const candidates = {
	async forwarder(scope) {
		const child = await startReady(scope, 'forwarder', [
			'--streams', LOAD.streams, '--from', FROM, '--to', TO]);

		return () => [child.pid];
	},

	async forwarders(scope) {
		const children = [];

		for (const [i, port] of ports(FROM).entries())
			children.push(await startReady(scope, 'forwarder', [
				'--from', port, '--to', TO + i,
				'--tick', GRID_MS]));
		return () => children.map((child) => child.pid);
	},

	async sluice(scope) {
		const sluice = await Sluice.start(scope, config(
			...ports(FROM).map((port, i) => stream(`s${i}`,
				`udp://127.0.0.1:${port}`,
				`udp://127.0.0.1:${TO + i}`))));

		await allBound();
		return () => [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)];
	},

	async multicat(scope) {
		const children = ports(FROM).map((port, i) => start(scope,
			'multicat', ['-u', '-U', `@127.0.0.1:${port}`,
				`127.0.0.1:${TO + i}`]));

		await allBound();
		return () => children.map((child) => child.pid);
	},
};

function measureOne(name, window) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope, { ...LOAD,
			port: TO });
		const pids = await candidates[name](scope);
		const fixed = pids();

		return measureFlow(scope, checker,
			{ ...LOAD, port: FROM, window }, () => cpuNs(fixed));
	});
}

function hasMulticat() {
	return spawnSync('multicat', ['-h']).error === undefined;
}

async function measureAll(names, { rounds, window }) {
	const runs = Object.fromEntries(names.map((name) => [name, []]));

	for (let round = 0; round < rounds; round++)
		for (const name of names)
			runs[name].push(await measureOne(name, window));
	return runs;
}

function summarise(runs) {
	const over = (probe) => median(runs.map(probe));
	const sum = (key) => runs.reduce((all, run) => all + run[key], 0);

	return { cpu: over((run) => run.cpu_us_per_mbit),
		p50: over((run) => run.latency_us.p50) / 1000,
		p99: over((run) => run.latency_us.p99) / 1000,
		burst: over((run) => run.burst_ms.p99),
		lost: sum('lost'), sent: sum('sent'),
		disorder: sum('duplicated') + sum('reordered') };
}

function judge(report, of) {
	const { sluice, forwarder, forwarders, multicat } = of;
	const ofOne = sluice.cpu / forwarder.cpu;
	const ofMany = sluice.cpu / forwarders.cpu;

	report.judge(ofOne <= LIMIT.forwarder, 'udp: CPU ' +
		`${ofOne.toFixed(2)} x the bare forwarder ` +
		`(at most ${LIMIT.forwarder})`);
	report.judge(ofMany <= LIMIT.forwarders, 'udp: CPU ' +
		`${ofMany.toFixed(2)} x a bare forwarder a stream ` +
		`(at most ${LIMIT.forwarders})`);
	if (multicat === undefined) {
		report.skip('udp: CPU beside multicat: it is not installed');
	} else {
		const peer = sluice.cpu / multicat.cpu;
		report.judge(peer < LIMIT.multicat, 'udp: CPU ' +
			`${peer.toFixed(2)} x multicat ` +
			`(less than ${LIMIT.multicat})`);
	}
	report.judge(sluice.lost === 0 && sluice.disorder === 0, 'udp: ' +
		`${ofAll(sluice.lost, sluice.sent)} packets lost, ` +
		`${sluice.disorder} doubled or out of order`);
	report.judge(sluice.p99 <= LIMIT.latencyMs, 'udp: added latency p99 ' +
		`${sluice.p99.toFixed(1)} ms (at most ${LIMIT.latencyMs})`);
}

export async function udp(report, options) {
	report.section(`udp: ${LOAD.streams} streams of ${LOAD.rate} Mbit/s, ` +
		`medians of ${options.rounds} rounds`);
	const names = Object.keys(candidates).filter(
		(name) => name !== 'multicat' || hasMulticat());
	const runs = await measureAll(names, options);
	const of = Object.fromEntries(names.map((name) =>
		[name, summarise(runs[name])]));

	report.table([['', 'CPU us/Mbit', 'x floor', 'lost', 'p50 ms',
		'p99 ms', 'burst p99 ms'], ...names.map((name) => [name,
		of[name].cpu.toFixed(0),
		(of[name].cpu / of.forwarder.cpu).toFixed(2),
		of[name].lost, of[name].p50.toFixed(1),
		of[name].p99.toFixed(1), of[name].burst.toFixed(1)])]);
	report.keep('udp', runs);
	judge(report, of);
}
