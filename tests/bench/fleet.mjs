// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A large installation: the time until 200 streams are ready, and the cost of
 * the master while they run and 20 dashboards watch.
 */
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { now, sleep, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 200, rate: 1, warm: 3 };
const FROM = 10000, TO = 20000, CLIENTS = 20;
const LIMIT = { readyS: 4, masterPercent: 1 };

const streams = Array.from({ length: LOAD.streams }, (_, i) => stream(`s${i}`,
	`udp://127.0.0.1:${FROM + i}`, `udp://127.0.0.1:${TO + i}`));

// Ready from outside: every worker has its input open.
async function startAll(scope) {
	const begin = now();
	const sluice = await Sluice.start(scope, config(...streams),
		{ wait: false });

	await waitUntil(`${LOAD.streams} open inputs`, () => streams.every(
		(_, i) => udpBound(FROM + i)), 30000);
	const seconds = (now() - begin) / 1000;
	await sluice.ready();
	return { sluice, seconds };
}

function countEvents(client) {
	return client.scope('stream_event').filter((m) => m.onair === true ||
		m.stream_event?.onair === true).length;
}

function watch(scope, sluice) {
	return Promise.all(Array.from({ length: CLIENTS },
		() => sluice.events(scope, '?token=bench')));
}

function measureOne(window) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope, { ...LOAD,
			port: TO });
		const { sluice, seconds } = await startAll(scope);
		const clients = await watch(scope, sluice);
		const begin = now();
		const flow = await measureFlow(scope, checker, { ...LOAD,
			port: FROM, window }, () => cpuNs([sluice.pid]));
		const watched = (now() - begin) / 1000;
		const masterNs = flow.cpu_us_per_mbit * flow.mbit * 1000;

		await sleep(100);
		return { ready_s: seconds, flow, watched_s: watched,
			master_percent: masterNs / (window * 1e9) * 100,
			events: clients.map(countEvents) };
	});
}

function judge(report, runs) {
	const ready = median(runs.map((run) => run.ready_s));
	const master = median(runs.map((run) => run.master_percent));
	const sum = (probe) => runs.reduce((all, run) => all + probe(run), 0);
	const lost = sum((run) => run.flow.lost);
	const events = Math.min(...runs.map((run) =>
		Math.min(...run.events) / run.watched_s));

	report.judge(ready <= LIMIT.readyS, `fleet: ${LOAD.streams} streams ` +
		`ready in ${ready.toFixed(2)} s (at most ${LIMIT.readyS})`);
	report.judge(master < LIMIT.masterPercent, 'fleet: master ' +
		`${master.toFixed(2)} % of a core with ${CLIENTS} WebSocket ` +
		`clients (less than ${LIMIT.masterPercent})`);
	report.judge(events > LOAD.streams * 0.5, 'fleet: clients received ' +
		`at least ${events.toFixed(0)} events a second of streams on ` +
		`air (${LOAD.streams} streams)`);
	report.judge(lost === 0, 'fleet: ' +
		`${ofAll(lost, sum((run) => run.flow.sent))} packets lost`);
}

export async function fleet(report, { rounds, window }) {
	const runs = [];

	report.section(`fleet: ${LOAD.streams} streams of ${LOAD.rate} ` +
		`Mbit/s, ${CLIENTS} WebSocket clients`);
	for (let round = 0; round < rounds; round++)
		runs.push(await measureOne(window));
	report.table([['round', 'ready s', 'master %', 'lost', 'p99 ms'],
		...runs.map((run, i) => [i + 1, run.ready_s.toFixed(2),
			run.master_percent.toFixed(2), run.flow.lost,
			(run.flow.latency_us.p99 / 1000).toFixed(1)])]);
	report.keep('fleet', runs);
	judge(report, runs);
}
