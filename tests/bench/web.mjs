// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make soak SOAK=web: the wall in Chromium with the events of 1,000 streams,
 * one a second each, all day.  Neither its heap nor its elements may grow.
 *
 *	SOAK_SECONDS=600	seconds of events ...
 *	SOAK_SPEED=1	... which come so many times as fast, with a draw of
 *			the page for each
 *
 * Eight hours in 24 minutes: SOAK_SECONDS=28800 SOAK_SPEED=20.  A machine that
 * is too slow for the speed takes longer, and draws as often.
 */
import { Visitor, noBrowser, openBrowser } from '../helpers/browser.mjs';
import { STREAMS, heap, play, received, startCrowd, watchWork }
	from '../helpers/crowd.mjs';
import { pageMs } from '../helpers/page-cost.mjs';
import { Scope } from './measure.mjs';
import { number } from './soak.mjs';

const SAMPLES = 20;
/* Seconds of events that may be on their way to a page that is slow. */
const LAG_S = 5;
/* Collections of a sample: the least heap is what no collection frees. */
const COLLECTIONS = 5;
/* By then the rings are full, which go by the clock, and the code is compiled,
 * which goes by the events. */
const SETTLE_S = 60, SETTLE_EVENTS_S = 600;
const LIMIT = { heap: 60 * 2 ** 20, growth: 0.02, core: 0.15, elements: 3500,
	task: 50 };

const mib = (bytes) => (bytes / 2 ** 20).toFixed(2);

// The page draws once a second of the clock: the other draws are asked for.
const drawNow = () => document.dispatchEvent(new Event('visibilitychange'));

// The events of seconds, as fast as the page takes them.
class Feed {
	#sent = 0; // seconds

	constructor(service, visitor, speed) {
		Object.assign(this, { service, visitor, speed });
	}

	async play(from, seconds) {
		const { page } = this.visitor, { speed } = this;

		for (let i = 0; i < seconds; i++) {
			await play(this.service, from + i, 1, speed);
			this.#sent++;
			if (speed > 1)
				await page.evaluate(drawNow);
			await this.#follow(LAG_S);
		}
	}

	// Waits until so many seconds or less are on their way.
	async #follow(lag) {
		await received(this.visitor, this.#sent - lag);
		const got = await this.visitor.page.evaluate('work.messages') /
			STREAMS;

		// a new connection has lost some
		if (got < this.#sent - lag)
			this.#sent = Math.floor(got);
	}

	// The least heap of some collections, with a second between them.
	async sample(from) {
		const list = [];

		for (let i = 0; i < COLLECTIONS; i++) {
			await this.play(from + i, 1);
			await this.#follow(0);
			list.push(await heap(this.visitor));
		}
		return Math.min(...list);
	}
}

// The heap now and after each part of the seconds.
async function watchHeap(feed, seconds) {
	const heaps = [], part = Math.round(seconds / SAMPLES);

	for (let i = 0; i <= SAMPLES; i++) {
		if (i > 0)
			await feed.play(part * (i - 1), part);
		heaps.push(await feed.sample(part * i));
		console.log(`${part * i} s: heap ${mib(heaps[i])} MiB`);
	}
	return heaps;
}

function run(seconds, speed) {
	return Scope.within(async (scope) => {
		const service = await startCrowd(scope);
		const browser = await openBrowser(scope);
		const visitor = await Visitor.open(scope, browser,
			{ width: 1920, height: 1080 });
		const { page } = visitor;
		const feed = new Feed(service, visitor, speed);

		await page.addInitScript(watchWork);
		await visitor.go(service.port);
		await visitor.until((n) => document.querySelectorAll('.tile')
			.length === n, STREAMS);
		const settled = Date.now() + SETTLE_S * 1000;

		for (let i = 0; i < SETTLE_EVENTS_S || Date.now() < settled;
			i++)
			await feed.play(i, 1);
		await page.evaluate('work.shift = 0; work.longest = 0');
		const cpu = pageMs().main, begin = Date.now();
		const heaps = await watchHeap(feed, seconds);
		const { shift, longest } = await page.evaluate('work');

		return { heap: Math.max(...heaps), shift, longest, heaps,
			wall: (Date.now() - begin) / 1000,
			growth: heaps.at(-1) / heaps[0] - 1,
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
	report.judge(r.growth <= LIMIT.growth, 'web: it grew by ' +
		`${(100 * r.growth).toFixed(1)} % in ${seconds} s of events, ` +
		`${Math.round(r.wall)} s of the clock (limit 2)`);
	// of the time that the events have at their usual speed
	report.judge(r.core <= LIMIT.core, 'web: ' +
		`${(100 * r.core).toFixed(1)} % of a core (limit 15)`);
	report.judge(r.elements <= LIMIT.elements,
		`web: ${r.elements} elements (limit ${LIMIT.elements})`);
	report.judge(r.shift === 0, `web: layout shift ${r.shift}`);
	report.judge(r.longest <= LIMIT.task, 'web: the longest task ' +
		`${r.longest} ms (limit ${LIMIT.task})`);
	report.judge(r.problems.length === 0,
		`web: ${r.problems.slice(0, 3).join('; ') || 'no problem'}`);
}
