// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What each thing that a stream can do costs, twice: as whole processes of 20
 * streams of 8 Mbit/s, by turns; and as functions, without what the kernel
 * does, in caches that others have used meanwhile.
 *
 * AGAINST=DIR puts the plain relay of another build beside it.
 */
import path from 'node:path';
import process from 'node:process';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { builddir, run, sleep, udpBound, waitUntil }
	from '../helpers/util.mjs';
import { measureFlow, program, startChecker, startGenerator }
	from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';

const LOAD = { streams: 20, rate: 8, warm: 2 };
const FROM = 10000, TO = 20000;
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

function startSluice(scope, { options = '', from = builddir }) {
	return Sluice.start(scope, config(...Array.from(
		{ length: LOAD.streams }, (_, i) => stream(`s${i}`,
			`udp://127.0.0.1:${FROM + i}${options}`,
			`udp://127.0.0.1:${TO + i}`))),
	{ master: path.join(from, 'sluice'),
		env: { SLUICE_WORKER: path.join(from, 'sluice-worker') } });
}

// A source that ends; the one that follows it begins at its own time.
async function anotherBefore(scope) {
	await startGenerator(scope, { ...LOAD, port: FROM, seconds: 2 }).ended;
	await sleep(100);
}

function measureOne(candidate, window) {
	return Scope.within(async (scope) => {
		const sluice = await startSluice(scope, candidate);

		await waitUntil('open inputs', () => Array.from(
			{ length: LOAD.streams }, (_, i) => FROM + i)
			.every(udpBound), 15000);
		if (candidate.cut)
			await anotherBefore(scope);

		const checker = await startChecker(scope, { ...LOAD,
			port: TO });
		const pids = sluice.workers().map(({ pid }) => pid);

		return measureFlow(scope, checker,
			{ ...LOAD, port: FROM, window }, () => cpuNs(pids));
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

export async function stages(report, { rounds, window }) {
	report.section(`stages: ${LOAD.streams} streams of ${LOAD.rate} ` +
		`Mbit/s, medians of ${rounds} rounds`);
	const names = Object.keys(candidates);
	const runs = Object.fromEntries(names.map((name) => [name, []]));

	for (let round = 0; round < rounds; round++)
		for (const name of names)
			runs[name].push(await measureOne(candidates[name],
				window));
	const cpu = (name) => median(runs[name].map(
		(one) => one.cpu_us_per_mbit));
	const ratio = (name, to) => median(runs[name].map((one, i) =>
		one.cpu_us_per_mbit / runs[to][i].cpu_us_per_mbit));

	report.table([['us/Mbit of the stream workers', 'CPU', 'x relay'],
		...names.map((name) => [candidates[name].title,
			cpu(name).toFixed(0),
			ratio(name, 'relay').toFixed(2)])]);
	report.keep('stages', runs);
	await showFunctions(report);
	if (runs.against !== undefined)
		report.judge(ratio('relay', 'against') <= LIMIT.relay,
			`stages: the relay costs ${
				ratio('relay', 'against').toFixed(2)} x that ` +
			`of AGAINST (at most ${LIMIT.relay})`);
}
