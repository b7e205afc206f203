// SPDX-License-Identifier: GPL-3.0-or-later
// The page with 1,000 streams, whose events come at 20 times the speed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor, noBrowser as skip } from '../helpers/browser.mjs';
import { FakeService } from '../helpers/fake-service.mjs';
import { useBrowser } from '../helpers/page-scene.mjs';
import { theReference } from '../helpers/reference.mjs';

const own = useBrowser();
const STREAMS = 1000, SPEED = 20, SECONDS = 100;

const id = (i) => `s${String(i).padStart(4, '0')}`;
const config = { categories: [{ name: 'Type', groups: [{ name: 'A' },
	{ name: 'B' }] }],
make_stream: Array.from({ length: STREAMS }, (_, i) => ({ id: id(i),
	name: `Stream ${i}`, type: 'spts', enable: true,
	input: [`udp://239.1.1.1:${i + 1}`], output: [],
	groups: { Type: 'AB'[i % 2] } })) };

const overview = () => ({ timestamp: Math.floor(Date.now() / 1000),
	version: '1', alarms: [], adapters: [], softcams: [],
	system: { cpu_cores: 2, sys_cpu_usage: 20, sys_mem_usage: 5 },
	streams: config.make_stream.map((one, i) => ({ id: one.id,
		name: one.name, type: 'spts', enable: true, state: 'on air',
		ok: i > 2, onair: i > 2, inputs: 1, active_input: 1,
		active: true, waiting: false, filler: false,
		scrambled: false, bitrate: 8000, cc_error: 0, pes_error: 0,
		sc_error: 0, sessions: i % 7, alarms: [], input_faults: [],
		output_faults: [], worker: { state: 'running' },
		...i > 2 ? {} : { error: 'no packets',
			off_since: 1, state: 'OFF AIR' } })) });
const replies = { whoami: () => ({ login: '-', type: 1 }),
	'ws-token': () => ({ token: 'x' }), load: () => config,
	'api/overview': overview };

const event = (i, second) => ({ scope: 'stream_event', channel_id: id(i),
	input_id: 1, onair: i > 2, bitrate: i > 2 ? 7000 + (second * 7 + i) %
		2000 : 0, scrambled: false, cc_error: second % 50 === i % 50 ?
		1 : 0, pes_error: 0 });

// Notes what the browser does: long tasks and moved content.
const watchWork = () => {
	globalThis.work = { longest: 0, tasks: 0, shift: 0, moved: [] };
	new PerformanceObserver((list) => {
		for (const { duration } of list.getEntries()) {
			work.tasks++;
			work.longest = Math.max(work.longest, duration);
		}
	}).observe({ type: 'longtask' });
	new PerformanceObserver((list) => {
		for (const { hadRecentInput, value, sources } of
			list.getEntries()) {
			if (hadRecentInput)
				continue;
			work.shift += value;
			work.moved.push(...sources.map(({ node }) =>
				node?.outerHTML?.slice(0, 90)));
		}
	}).observe({ type: 'layout-shift', buffered: true });
};

// Bytes of the heap that are in use after a collection.
async function heap(visitor) {
	const session = await visitor.context.newCDPSession(visitor.page);

	await session.send('HeapProfiler.collectGarbage');
	const { usedSize } = await session.send('Runtime.getHeapUsage');

	await session.detach();
	return usedSize;
}

// Seconds of all streams, in batches as the service sends them.
async function play(service, from, seconds, each) {
	for (let second = from; second < from + seconds; second++) {
		const list = Array.from({ length: STREAMS },
			(_, i) => JSON.stringify(event(i, second)));

		for (let at = 0; at < STREAMS; at += 100) {
			service.send(list.slice(at, at + 100));
			await new Promise((done) =>
				setTimeout(done, 100 / SPEED));
		}
		await each?.(second);
	}
}

test('1,000 streams at 20 times the speed: nothing moves, nothing grows',
	{ skip }, async (t) => {
	const service = await FakeService.start(t, (name) => replies[name]());
	const visitor = await Visitor.open(t, own.browser,
		{ width: 1920, height: 1080 });
	const { page } = visitor, reference = theReference();

	assert.equal(reference?.judgeEvent(event(5, 1)), undefined);
	await page.addInitScript(watchWork);
	await visitor.go(service.port);
	await visitor.until((n) => document.querySelectorAll('.tile')
		.length === n, STREAMS);
	const complete = await page.evaluate('performance.now()');
	const places = () => page.locator('.tile').evaluateAll((all) =>
		all.map((one) => one.offsetTop * 10000 + one.offsetLeft)
			.join());
	const before = await places();

	// all 1,000 are on the screen
	assert.ok(await page.evaluate(() => Math.max(...[
		...document.querySelectorAll('.tile')].map((one) =>
		one.getBoundingClientRect().bottom)) <= innerHeight));
	await visitor.until(() => document.querySelectorAll(
		'.wrong li').length === 3);
	await play(service, 0, SECONDS / 4);
	const first = await heap(visitor);

	await page.evaluate('work.shift = 0; work.longest = 0; ' +
		'work.moved = []');
	await play(service, SECONDS / 4, SECONDS * 3 / 4);
	const last = await heap(visitor), work = await page.evaluate('work');
	const elements = await page.evaluate(
		'document.getElementsByTagName("*").length');

	t.diagnostic(JSON.stringify({ complete, work, elements, first, last }));
	assert.equal(await places(), before);
	assert.equal(work.shift, 0, work.moved.slice(0, 5).join('\n'));
	assert.ok(elements <= 3500, `${elements} elements`);
	assert.ok(last <= 60 * 2 ** 20, `${last} bytes`);
	assert.ok(last - first <= 4 * 2 ** 20, `${last - first} bytes more`);
	// a key is answered while they come
	const busy = play(service, SECONDS, 20);

	await page.keyboard.press('g');
	await page.keyboard.press('s');
	await page.waitForSelector('tr[data-id]');
	await page.fill('#filter', 'id:s0999');
	await visitor.until(() => document.querySelectorAll('tr[data-id]')
		.length === 1);
	await page.fill('#filter', 'off');
	await visitor.until(() => document.querySelectorAll('tr[data-id]')
		.length === 3);
	await page.fill('#filter', '');
	await page.locator('.scroll').evaluate((box) => {
		box.scrollTop = box.scrollHeight;
	});
	await page.waitForSelector('tr[data-id=s0999]');
	assert.ok(await page.locator('tr[data-id]').count() < 80);
	await busy;
	visitor.quiet();
});
