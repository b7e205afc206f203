// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make soak SOAK=web: the wall in Chromium with the events of 1,000 streams,
 * one a second each, all day.  Neither its heap nor its elements may grow.
 *
 *	SOAK_SECONDS=600	seconds of events ...
 *	SOAK_SPEED=1	... which come so many times as fast
 */
import { Visitor, noBrowser, openBrowser } from '../helpers/browser.mjs';
import { STREAMS, heap, play, startCrowd, watchWork }
	from '../helpers/crowd.mjs';
import { pageMs } from '../helpers/page-cost.mjs';
import { Scope, median } from './measure.mjs';
import { number } from './soak.mjs';

const SAMPLES = 20, PART = 5;
/* By then the rings are full, and the code is compiled. */
const SETTLE_S = 60;
const LIMIT = { heap: 60 * 2 ** 20, growth: 0.02, core: 0.15, elements: 3500,
	task: 50 };

function run(seconds, speed) {
	return Scope.within(async (scope) => {
		const service = await startCrowd(scope);
		const browser = await openBrowser(scope);
		const visitor = await Visitor.open(scope, browser,
			{ width: 1920, height: 1080 });
		const { page } = visitor, heaps = [];

		await page.addInitScript(watchWork);
		await visitor.go(service.port);
		await visitor.until((n) => document.querySelectorAll('.tile')
			.length === n, STREAMS);
		await play(service, 0, SETTLE_S, speed);
		await page.evaluate('work.shift = 0; work.longest = 0');
		const cpu = pageMs().main, begin = Date.now();

		for (let i = 0; i < SAMPLES; i++) {
			await play(service, i, seconds / SAMPLES, speed);
			heaps.push(await heap(visitor));
		}
		const used = (pageMs().main - cpu) / 1000;
		const { shift, longest } = await page.evaluate('work');

		return { heap: Math.max(...heaps), shift, longest, heaps,
			wall: (Date.now() - begin) / 1000,
			growth: median(heaps.slice(-PART)) /
				median(heaps.slice(0, PART)) - 1,
			core: used / (Date.now() - begin) * 1000,
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
	const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);

	report.keep('web', { seconds, speed, ...r });
	report.judge(r.heap <= LIMIT.heap, `web: heap ${mib(r.heap)} MiB ` +
		`(limit ${mib(LIMIT.heap)})`);
	report.judge(r.growth <= LIMIT.growth, 'web: it grew by ' +
		`${(100 * r.growth).toFixed(1)} % (limit 2)`);
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
