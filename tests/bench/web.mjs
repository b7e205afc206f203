// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make soak SOAK=web: the wall in Chromium with the events of 1,000 streams,
 * one a second each, all day, with streams that go off air, switches, alarms
 * and lines of the log.  Each part of the day visits other pages.  Neither the
 * heap nor the elements of the wall may grow.
 *
 *	SOAK_SECONDS=600	seconds of events ...
 *	SOAK_SPEED=1	... which come so many times as fast, with a draw of
 *			the page for each
 *
 * Eight hours in 24 minutes: SOAK_SECONDS=28800 SOAK_SPEED=20.  A machine that
 * is too slow for the speed takes longer, and draws as often.
 *
 * The clock of the page follows the events: rings, charts, ages and requests
 * for the state have the pace of the day.  Its timers do not: the ping of the
 * event channel goes by the clock of the machine.  The events appear on the
 * socket of the page without the network of Chromium, which takes several times
 * as long for them as the page; browser-load.mjs sends them.
 *
 * The growth is that of the objects: code that runs rarely is compiled after
 * hours.
 */
import { Visitor, noBrowser, openBrowser } from '../helpers/browser.mjs';
import { STREAMS, heap, id, objects, startCrowd, watchWork }
	from '../helpers/crowd.mjs';
import { Day } from '../helpers/day.mjs';
import { pageMs } from '../helpers/page-cost.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Scope } from './measure.mjs';
import { number } from './soak.mjs';

/* The growth is that since the sample WARM: an hour of eight. */
const SAMPLES = 24, WARM = 3;
/* Collections of a sample: the least heap is what no collection frees. */
const COLLECTIONS = 5;
/* By then the rings are full, and the code is compiled. */
const SETTLE_S = 600;
/* Parts of a part on other pages. */
const VISIT = 0.05;
const LIMIT = { heap: 60 * 2 ** 20, growth: 0.02, core: 0.15, elements: 3500,
	task: 50 };

const mib = (bytes) => (bytes / 2 ** 20).toFixed(2);
const visitsOf = (i) => [`#/stream/${id(100 + i)}?range=3600`,
	`#/stream/${id(200 + i)}?tab=log`, '#/streams', '#/log', '#/incidents'];

/*
 * The messages of a second, in batches as the service sends them.  The page
 * draws once a second of the machine: the other draws are asked for.
 */
const take = async ([list, speed]) => {
	const batch = Math.ceil(list.length / 10);

	for (let at = 0; at < list.length; at += batch) {
		for (const data of list.slice(at, at + batch))
			work.socket.dispatchEvent(new MessageEvent('message',
				{ data }));
		await scheduler.postTask(() => {}, { delay: 100 / speed });
	}
	if (speed > 1)
		document.dispatchEvent(new Event('visibilitychange'));
};

// A clock that goes on by a second with the events of all streams.
const followEvents = ([begin, streams]) => {
	const Machine = Date;

	globalThis.Date = class extends Machine {
		constructor(...args) {
			super(...args.length > 0 ? args : [Date.now()]);
		}

		static now() {
			return (begin + work.messages / streams) * 1000;
		}
	};
};

// The seconds of the day, as fast as the page takes them.
class Feed {
	constructor(visitor, day, speed) {
		Object.assign(this, { visitor, day, speed });
	}

	async play(seconds) {
		const { page } = this.visitor;

		for (let i = 0; i < seconds; i++)
			await page.evaluate(take,
				[this.day.next(), this.speed]);
	}

	// The pages that an operator looks at in between.
	async visit(hashes, seconds) {
		const { page } = this.visitor;
		const { moves, longest } = await page.evaluate('work');

		for (const hash of [...hashes, '#/wall']) {
			await page.evaluate((to) => {
				location.hash = to;
			}, hash);
			await this.play(seconds);
		}
		await this.visitor.until((n) => document.querySelectorAll(
			'.tile').length === n, STREAMS);
		await this.play(1);
		// the wall alone is judged
		await page.evaluate((was) => Object.assign(work, was),
			{ moves, longest });
	}

	// The least heap of some collections, with a second between them, and
	// the objects in it.
	async sample() {
		const list = [];

		for (let i = 0; i < COLLECTIONS; i++) {
			await this.play(1);
			list.push(await heap(this.visitor));
		}
		return { heap: Math.min(...list),
			objects: await objects(this.visitor) };
	}
}

// The heap now and after each part of the seconds.
async function watchHeap(feed, seconds) {
	const samples = [], part = Math.round(seconds / SAMPLES);
	const away = Math.ceil(part * VISIT);

	for (let i = 0; i <= SAMPLES; i++) {
		const visits = visitsOf(i);

		if (i > 0)
			await feed.play(part - away * (visits.length + 1) - 1);
		await feed.visit(visits, away);
		samples.push(await feed.sample());
		console.log(`${part * i} s: heap ${mib(samples[i].heap)} ` +
			`MiB, objects ${mib(samples[i].objects)} MiB`);
	}
	return samples;
}

// The wall of a day, with the clock of the page.
async function openDay(scope, speed) {
	const day = new Day(Math.floor(Date.now() / 1000));
	const browser = await openBrowser(scope);
	const visitor = await Visitor.open(scope, browser,
		{ width: 1920, height: 1080 });
	const { page } = visitor;
	const service = await startCrowd(scope, (name, query) =>
		day.answer(name, query));

	await page.addInitScript(watchWork);
	await page.addInitScript(followEvents, [day.begin, STREAMS]);
	await visitor.go(service.port);
	await visitor.until((n) => document.querySelectorAll('.tile')
		.length === n, STREAMS);
	return { visitor, feed: new Feed(visitor, day, speed) };
}

function run(seconds, speed) {
	return Scope.within(async (scope) => {
		const { visitor, feed } = await openDay(scope, speed);
		const { page } = visitor, timing = new Timing();

		await feed.play(SETTLE_S);
		await page.evaluate('work.moves = 0; work.longest = 0');
		const cpu = pageMs().main, begin = Date.now();
		const samples = await watchHeap(feed, seconds);
		const growthOf = (key) => samples.at(-1)[key] /
			samples[WARM][key] - 1;
		const { moves: shift, longest } = await page.evaluate('work');

		return { heap: Math.max(...samples.map((one) => one.heap)),
			shift, longest, samples,
			busy: timing.busy(),
			wall: (Date.now() - begin) / 1000,
			growth: growthOf('objects'), all: growthOf('heap'),
			core: (pageMs().main - cpu) / 1000 / seconds,
			elements: await page.evaluate('document.' +
				'getElementsByTagName("*").length'),
			problems: visitor.problems };
	});
}

export async function web(report) {
	if (noBrowser)
		throw new Error(noBrowser);
	const seconds = number('SOAK_SECONDS', 600);
	const speed = number('SOAK_SPEED', 1);

	report.section(`web: the wall with ${STREAMS} streams for ` +
		`${seconds} s at ${speed} times the speed`);
	const r = await run(seconds, speed);

	report.keep('web', { seconds, speed, ...r });
	report.judge(r.heap <= LIMIT.heap, `web: heap ${mib(r.heap)} MiB ` +
		`(limit ${mib(LIMIT.heap)})`);
	report.judge(r.growth <= LIMIT.growth, 'web: its objects grew by ' +
		`${(100 * r.growth).toFixed(1)} %, with their code it grew ` +
		`by ${(100 * r.all).toFixed(1)} %, from ` +
		`${Math.round(seconds * WARM / SAMPLES)} to ${seconds} s of ` +
		`events, in ${Math.round(r.wall)} s (limit 2)`);
	// of the time that the events have at their usual speed
	report.judge(r.core <= LIMIT.core, 'web: ' +
		`${(100 * r.core).toFixed(1)} % of a core (limit 15)`);
	report.judge(r.elements <= LIMIT.elements,
		`web: ${r.elements} elements (limit ${LIMIT.elements})`);
	report.judge(r.shift === 0, `web: layout shift ${r.shift}`);
	const task = `web: the longest task of the wall ${r.longest} ms ` +
		`(limit ${LIMIT.task})`;

	if (r.busy && r.longest > LIMIT.task)
		report.skip(`${task}: others take the processors`);
	else
		report.judge(r.longest <= LIMIT.task, task);
	report.judge(r.problems.length === 0,
		`web: ${r.problems.slice(0, 3).join('; ') || 'no problem'}`);
}
