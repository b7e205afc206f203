// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The wall of 1,000 streams that run, in Chromium: what the page, the control
 * process and the streams cost, and whether a packet is lost meanwhile.
 *
 * The page is judged in processor time: the streams need more than a core, and
 * an operator's browser runs on another machine.
 *
 *	WALL_STREAMS=1000	so many of them
 */
import fs from 'node:fs';
import { Visitor, noBrowser, openBrowser } from '../helpers/browser.mjs';
import { drawTicks, heap, watchWork } from '../helpers/crowd.mjs';
import { pageMs, quantile } from '../helpers/page-cost.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { now, sleep, udpPorts, waitUntil } from '../helpers/util.mjs';
import { Reporter, lostOf, startChecker, startGenerator } from './load.mjs';
import { Scope, cpuNs, median } from './measure.mjs';
import { ofAll } from './report.mjs';
import { number } from './soak.mjs';

// of a Mbit/s: what PAT, PMT and PCR of the generator leave room for
const LOAD = { streams: number('WALL_STREAMS', 1000), rate: 0.1 };
const FROM = 10000, TO = 20000;
const SETTLE_S = 10, TICKS = 10;
const LIMIT = { tick: 8, second: 150, elements: 3500, heap: 60 * 2 ** 20,
	// as `fleet': 1 % for 200 streams
	master: 5, events: 0.9 };

const house = () => ({ ...config(...Array.from({ length: LOAD.streams },
	(_, i) => stream(`s${String(i).padStart(4, '0')}`,
		`udp://127.0.0.1:${FROM + i}#bitrate_limit=50`,
		`udp://127.0.0.1:${TO + i}`,
		{ name: `Stream ${i}`, groups: { Genre: 'AB'[i % 2] } }))),
categories: [{ name: 'Genre', groups: [{ name: 'A' }, { name: 'B' }] }] });

const streamsOf = (sluice) => sluice.workers().filter(({ role }) =>
	role === 'stream').map(({ pid }) => pid);

// KiB of memory that belongs to this process alone, or its part of a share.
const pssKib = (pid) => Number(/^Pss: +(\d+) kB/m.exec(
	fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);

async function onAir(sluice) {
	const { streams } = await sluice.json('/api/overview');

	return streams.filter((one) => one.onair);
}

// All of them run and have packets; the seconds until each has its input.
async function startAll(scope) {
	const begin = now();
	const sluice = await Sluice.start(scope, house(), { wait: false });

	await waitUntil(`${LOAD.streams} open inputs`, () => {
		const ports = udpPorts();

		return Array.from({ length: LOAD.streams }, (_, i) => FROM + i)
			.every((port) => ports.has(port));
	}, 120000);
	const seconds = (now() - begin) / 1000;

	await sluice.ready();
	return { sluice, seconds };
}

async function openWall(scope, sluice) {
	const browser = await openBrowser(scope);
	const visitor = await Visitor.open(scope, browser,
		{ width: 1920, height: 1080 });
	const begin = now();

	await visitor.page.addInitScript(watchWork);
	await visitor.go(sluice.port);
	await visitor.until((n) => document.querySelectorAll('.tile')
		.length === n, LOAD.streams);
	const complete = { cpu: pageMs().main, ms: now() - begin };

	await sleep(SETTLE_S * 1000);
	await visitor.page.evaluate(
		'work.shift = 0; work.longest = 0; work.messages = 0');
	return { visitor, complete };
}

// What each process uses in a window of seconds, by the second.
async function watch(sluice, visitor, seconds) {
	const streams = streamsOf(sluice), begin = now(), page = pageMs();
	const before = { master: cpuNs([sluice.pid]), streams: cpuNs(streams) };

	await sleep(seconds * 1000);
	const after = pageMs(), took = (now() - begin) / 1000;
	const { messages, shift, longest } =
		await visitor.page.evaluate('work');

	return { main: (after.main - page.main) / took,
		all: (after.all - page.all) / took, shift, longest,
		events: messages / took / LOAD.streams,
		master: (cpuNs([sluice.pid]) - before.master) / 1e6 / took,
		streams: (cpuNs(streams) - before.streams) / 1e6 / took };
}

function run(seconds) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope, { ...LOAD,
			port: TO });
		const { sluice, seconds: ready } = await startAll(scope);
		const generator = new Reporter(startGenerator(scope,
			{ ...LOAD, port: FROM, seconds: 600 }));

		await waitUntil(`${LOAD.streams} streams on air`, async () =>
			(await onAir(sluice)).length === LOAD.streams, 60000);
		const { visitor, complete } = await openWall(scope, sluice);
		const used = await watch(sluice, visitor, seconds);
		const ticks = await drawTicks(visitor, TICKS,
			() => sleep(1000));
		const size = { heap: await heap(visitor),
			elements: await visitor.page.evaluate('document.' +
				'getElementsByTagName("*").length') };
		const air = await onAir(sluice), pids = streamsOf(sluice);
		const memory = { stream: median(pids.map(pssKib)),
			all: pids.map(pssKib).reduce((a, b) => a + b, 0),
			master: pssKib(sluice.pid) };
		const sent = await generator.stop();

		await sleep(1000);
		const seen = await checker.stop();

		return { ready, complete, used, ticks, size, memory,
			air: air.length, restarts: air.reduce((n, one) =>
				n + one.worker.restarts, 0),
			sent: sent.stamped, lost: lostOf(sent, seen),
			problems: visitor.problems };
	});
}

function judgePage(report, { ticks, used, size, problems }) {
	const tick = quantile(ticks, 0.2);

	report.judge(tick <= LIMIT.tick,
		`wall: a tick ${tick.toFixed(1)} ms (limit ${LIMIT.tick})`);
	report.judge(used.main <= LIMIT.second, 'wall: the page ' +
		`${used.main.toFixed(0)} ms of a processor a second ` +
		`(limit ${LIMIT.second})`);
	report.judge(size.elements <= LIMIT.elements, 'wall: ' +
		`${size.elements} elements (limit ${LIMIT.elements})`);
	report.judge(size.heap <= LIMIT.heap, 'wall: heap ' +
		`${(size.heap / 2 ** 20).toFixed(1)} MiB ` +
		`(limit ${LIMIT.heap / 2 ** 20})`);
	report.judge(used.shift === 0, `wall: layout shift ${used.shift}`);
	report.judge(problems.length === 0,
		`wall: ${problems.slice(0, 3).join('; ') || 'no problem'}`);
}

export async function wall(report, { window }) {
	if (noBrowser) {
		report.skip(`wall: ${noBrowser}`);
		return;
	}
	report.section(`wall: ${LOAD.streams} streams of ${LOAD.rate} Mbit/s ` +
		'and a browser');
	const r = await run(window);
	const { used, memory } = r;

	report.table([['', 'CPU ms a second'],
		['control process', used.master.toFixed(1)],
		['all streams', used.streams.toFixed(0)],
		['a stream', (used.streams / LOAD.streams).toFixed(2)],
		['page, main thread', used.main.toFixed(0)],
		['page, all threads', used.all.toFixed(0)]]);
	report.table([['', ''],
		['ready, s', r.ready.toFixed(1)],
		['wall complete, CPU ms', r.complete.cpu.toFixed(0)],
		['wall complete, ms', r.complete.ms.toFixed(0)],
		['longest task, ms', used.longest.toFixed(0)],
		['PSS of a stream, KiB', memory.stream],
		['PSS of all streams, MiB', (memory.all / 1024).toFixed(0)],
		['PSS of the control process, MiB',
			(memory.master / 1024).toFixed(1)]]);
	report.keep('wall', r);
	judgePage(report, r);
	report.judge(used.master / 10 < LIMIT.master, 'wall: control process ' +
		`${(used.master / 10).toFixed(2)} % of a core ` +
		`(less than ${LIMIT.master})`);
	report.judge(used.events >= LIMIT.events, 'wall: ' +
		`${used.events.toFixed(2)} events a second of each stream ` +
		`(at least ${LIMIT.events})`);
	report.judge(r.air === LOAD.streams && r.restarts === 0,
		`wall: ${r.air} streams on air, ${r.restarts} processes ` +
		'started again');
	report.judge(r.lost === 0,
		`wall: ${ofAll(r.lost, r.sent)} packets lost`);
}
