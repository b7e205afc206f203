// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * 50 pages open at once, on 1,000 streams: what each of them asks before its
 * first picture, files and event channel included.  Measures the requests from
 * their first byte to the end of the answer, and what the streams lose.
 *
 * The processor time that the control process uses meanwhile is measured, too:
 * while others take the processors it is what an answer would take without
 * them.
 */
import assert from 'node:assert/strict';
import { enter, startGuarded } from '../helpers/auth.mjs';
import { quantile } from '../helpers/page-cost.mjs';
import { config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { always, sleep, start, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, program, startChecker } from './load.mjs';
import { Scope, cpuNs } from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 200, rate: 1, warm: 3 };
const STREAMS = 1000, PAGES = 50, ROUNDS = 5, STAY_MS = 1000;
// A login has 16 tokens of the event channel at a time.
const USERS = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) =>
	[name, { type: 2, password: `${name}-secret`, enable: true }]));
const FROM = 10000, TO = 20000, LIMIT_MS = 20, WINDOW_S = 15;

const house = () => config(...Array.from({ length: STREAMS }, (_, i) =>
	i < LOAD.streams ? stream(`s${i}`, `udp://127.0.0.1:${FROM + i}`,
		`udp://127.0.0.1:${TO + i}`) :
		stream(`s${i}`, `udp://239.1.${i >> 8}.${i & 255}:1234`,
			`udp://239.3.${i >> 8}.${i & 255}:1234`,
			{ enable: false, groups: { Genre: 'News' } })));

/*
 * They open once: the report of the farm, with the CPU nanoseconds of the
 * master.  They stay for a while, as pages do.
 */
async function openOnce(scope, sluice, sessions, pages = PAGES) {
	const before = cpuNs([sluice.pid]);
	const farm = start(scope, program('page_farm'), ['--pages', pages,
		'--port', sluice.port, '--server', sluice.pid,
		'--sessions', sessions.join()]
		.map(String));

	await waitUntil('open pages', () => {
		always(() => assert.equal(farm.exitCode, null, farm.text.err));
		return farm.text.out.includes('\n');
	}, 60000);
	const cpu = cpuNs([sluice.pid]) - before;

	await sleep(STAY_MS);
	farm.kill('SIGTERM');
	await farm.ended;
	const seen = JSON.parse(farm.text.out.split('\n')[0]);

	if (seen.open !== pages)
		throw new Error(`${seen.open} of ${pages} pages are open`);
	return { ...seen, cpu };
}

function measure() {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope, { ...LOAD,
			port: TO });
		const { sluice } = await startGuarded(scope,
			{ config: house(), users: USERS });
		const sessions = await Promise.all(Object.entries(USERS).map(
			([name, { password }]) =>
				enter(sluice, name, password)));
		const timing = new Timing(), rounds = [];

		await waitUntil(`${LOAD.streams} open inputs`, () => Array.from(
			{ length: LOAD.streams }, (_, i) => FROM + i)
			.every(udpBound), 30000);
		const flowing = measureFlow(scope, checker, { ...LOAD,
			port: FROM, window: WINDOW_S }, () => 0);

		await sleep(LOAD.warm * 1000);
		// the users are new: the first page reads the changed file
		await openOnce(scope, sluice, sessions, 1);
		for (let i = 0; i < ROUNDS; i++)
			rounds.push(await openOnce(scope, sluice, sessions));
		const wait = timing.meanWaitMs(), busy = timing.busy();

		return { flow: await flowing, rounds, wait, busy };
	});
}

// p50, p99 and the most of microseconds, in ms.
const figures = (list) => [0.5, 0.99, 1].map((share) =>
	quantile(list, share) / 1000);

export async function opening(report) {
	report.section(`opening: ${PAGES} pages at once, ${STREAMS} streams`);
	const { rounds, flow, wait, busy } = await measure();
	const kinds = Object.keys(rounds[0].api_us);
	const listOf = (key, kind) => rounds.flatMap((one) => one[key][kind]);
	const all = (key) => figures(kinds.flatMap((kind) =>
		listOf(key, kind)));
	const api = all('api_us'), cpu = all('api_cpu_us');
	const mean = (of) => rounds.reduce((sum, one) => sum + of(one), 0) /
		rounds.length;
	const rowOf = (kind) => [kind, ...['api_us', 'api_cpu_us'].flatMap(
		(key) => figures(listOf(key, kind))).map((ms) =>
		ms.toFixed(1))];
	const own = mean((one) => one.cpu) / 1e6 / PAGES;

	report.table([['ms', 'p50', 'p99', 'most', 'CPU p50', 'p99', 'most'],
		...kinds.map(rowOf)]);
	report.table([['of a page', ''], ['files', rounds[0].files / PAGES],
		['kB', (mean((one) => one.bytes) / PAGES / 1000).toFixed(0)],
		['CPU of the control process, ms', own.toFixed(2)],
		['ms until all are open', mean((one) => one.ms).toFixed(0)],
		['mean wait for a processor, ms', wait.toFixed(1)]]);
	report.keep('opening', { api, cpu, rounds, lost: flow.lost, own });
	report.judge(cpu[1] <= LIMIT_MS, `opening: p99 of the API ${
		cpu[1].toFixed(1)} ms of a processor (at most ${LIMIT_MS})`);
	const judgeWall = (ok, text) => busy && !ok ?
		report.skip(`${text}: others take the processors`) :
		report.judge(ok, text);

	judgeWall(api[1] <= LIMIT_MS, `opening: p99 of the API ${
		api[1].toFixed(1)} ms (at most ${LIMIT_MS})`);
	judgeWall(flow.lost === 0,
		`opening: ${ofAll(flow.lost, flow.sent)} packets lost`);
}
