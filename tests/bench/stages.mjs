// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What each thing that a stream can do costs, twice: as whole processes, 10
 * streams of 8 Mbit/s of each kind side by side at the same time, so that
 * whatever else the machine does concerns all of them; and as functions,
 * without what the kernel does, in caches that others have used meanwhile.
 *
 * AGAINST=DIR puts the plain relay of another build beside it.
 */
import path from 'node:path';
import process from 'node:process';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { builddir, run, sleep, udpBound, waitUntil }
	from '../helpers/util.mjs';
import { program, startChecker, startGenerator } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';

const LOAD = { streams: 10, rate: 8 };
const FROM = 10000, TO = 20000;
const SETTLE_S = 3;
const LIMIT = { relay: 1.05 };

const candidates = {
	count: { title: 'relay, no_analyze', options: '#no_analyze' },
	relay: { title: '+ analysis: the plain relay' },
	cut: { title: '+ splice behind a cut', cut: true },
	remux: { title: '+ remux (map.*)',
		options: '#map.pmt=512&map.video=513' },
};

if (process.env.AGAINST)
	candidates.against = { title: 'the plain relay of AGAINST',
		from: process.env.AGAINST };

const portsOf = (place) => Array.from({ length: LOAD.streams },
	(_, i) => FROM + place * LOAD.streams + i);

// The same names in each master: they choose when a stream has its tick.
async function startOne(scope, { options = '', from = builddir }, place) {
	const sluice = await Sluice.start(scope, config(
		...portsOf(place).map((port, i) => stream(`s${i}`,
			`udp://127.0.0.1:${port}${options}`,
			`udp://127.0.0.1:${port - FROM + TO}`))),
	{ master: path.join(from, 'sluice'),
		env: { SLUICE_WORKER: path.join(from, 'sluice-worker') } });

	await waitUntil('open inputs', () => portsOf(place).every(udpBound),
		15000);
	const log = await waitUntil('workers', () => {
		const all = [...sluice.log.matchAll(/running, pid (\d+)/g)];
		return all.length === LOAD.streams && all;
	});
	return log.map(([, pid]) => Number(pid));
}

// A source that ends; the next source begins at its own time.
async function anotherBefore(scope, place) {
	await startGenerator(scope, { ...LOAD, port: portsOf(place)[0],
		seconds: 2 }).ended;
}

// { name: [us/Mbit of each window] }
function measureAll(names, { rounds, window }) {
	return Scope.within(async (scope) => {
		const all = { rate: LOAD.rate,
			streams: LOAD.streams * names.length };
		const costs = names.map(() => []), pids = [];

		await startChecker(scope, { ...all, port: TO });
		for (const [place, name] of names.entries())
			pids.push(await startOne(scope, candidates[name],
				place));
		for (const [place, name] of names.entries())
			if (candidates[name].cut)
				await anotherBefore(scope, place);
		startGenerator(scope, { ...all, port: FROM,
			seconds: SETTLE_S + rounds * window + 2 });
		await sleep(SETTLE_S * 1000);
		for (let round = 0; round < rounds; round++) {
			const before = pids.map(cpuNs);

			await sleep(window * 1000);
			pids.map(cpuNs).forEach((ns, i) => costs[i].push(
				(ns - before[i]) / 1000 /
				(window * LOAD.rate * LOAD.streams)));
		}
		return Object.fromEntries(names.map(
			(name, i) => [name, costs[i]]));
	});
}

// { chain: us/Mbit } of the functions alone.
async function measureFunctions(args) {
	const { code, out, err } = await run(program('stage_cost'), args);

	if (code !== 0)
		throw new Error(`stage_cost: ${err}`);
	return Object.fromEntries(out.trim().split('\n')
		.map((line) => JSON.parse(line))
		.map((line) => [line.chain, line.us_per_mbit]));
}

async function showFunctions(report) {
	const cold = await measureFunctions([]);
	const warm = await measureFunctions(['--warm']);

	report.table([['us/Mbit in our functions, up to', 'others between',
		'alone'], ...Object.keys(cold).map((name) => [name,
		cold[name].toFixed(1), warm[name].toFixed(1)])]);
	report.keep('stages functions', { cold, warm });
}

export async function stages(report, options) {
	report.section(`stages: ${LOAD.streams} streams of ${LOAD.rate} ` +
		`Mbit/s each, medians of ${options.rounds} windows`);
	const names = Object.keys(candidates);
	const runs = await measureAll(names, options);
	const ratio = (name, to) => median(runs[name].map((cost, i) =>
		cost / runs[to][i]));

	report.table([['us/Mbit of the stream workers', 'CPU', 'x relay'],
		...names.map((name) => [candidates[name].title,
			median(runs[name]).toFixed(0),
			ratio(name, 'relay').toFixed(2)])]);
	report.keep('stages', runs);
	await showFunctions(report);
	if (runs.against !== undefined)
		report.judge(ratio('relay', 'against') <= LIMIT.relay,
			`stages: the relay costs ${
				ratio('relay', 'against').toFixed(2)} x that ` +
			`of AGAINST (at most ${LIMIT.relay})`);
}
