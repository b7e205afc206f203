// SPDX-License-Identifier: GPL-3.0-or-later
// The page with 1,000 streams, whose events come at 20 times the speed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor, noBrowser as skip, pressKeys }
	from '../helpers/browser.mjs';
import { STREAMS, config, drawTicks, event, heap, play, received, startCrowd,
	watchWork } from '../helpers/crowd.mjs';
import { Day } from '../helpers/day.mjs';
import { costMs, pageMs, quantile } from '../helpers/page-cost.mjs';
import { useBrowser } from '../helpers/page-scene.mjs';
import { theReference } from '../helpers/reference.mjs';
import { Timing } from '../helpers/timing.mjs';

const own = useBrowser();
const SPEED = 20, SECONDS = 100, TICKS = 15, SLICE = 100;
// ms: of the whole wall, a tick, a task, what a user does, and all that a
// second of events costs
const LIMIT = { complete: 1000, tick: 8, task: 50, wait: 100, second: 150 };

// A tick in which each tile changes: the ms of its scripts, as a fifth of them
// has without an interruption, and what it costs with its styles and its frame.
async function tickMs(visitor, service) {
	const costs = [];
	const list = await drawTicks(visitor, TICKS, async (i) => {
		await play(service, SECONDS + i, 1, SPEED);
		await received(visitor, SECONDS + i + 1);
	}, async (draw) => costs.push(await costMs(draw)));

	return { tick: quantile(list, 0.2), frame: quantile(costs, 0.5) };
}

test('the day of `make soak\' has events that a service sends', () => {
	const reference = theReference(), day = new Day(1790000000);
	const seen = new Set();

	for (let i = 0; i < 120; i++)
		// those of the streams are behind the others
		for (const text of day.next().slice(0, 5)) {
			const message = JSON.parse(text);

			seen.add(message.scope);
			assert.equal(reference?.judgeEvent(message), undefined,
				text);
		}
	assert.deepEqual([...seen].sort(), ['alarm', 'log', 'stream_event',
		'stream_switch']);
});

// A stream gets another name: no tile is made anew.
async function rename(service, visitor) {
	const { page } = visitor;

	await page.evaluate(() => {
		work.kept = [...document.querySelectorAll('.tile')];
	});
	service.send([JSON.stringify({ scope: 'set-stream', stream: {
		...config.make_stream[500], name: 'Another' } })]);
	await page.waitForSelector('.tile[title^="Another:"]');
	assert.ok(await page.evaluate(() => {
		const { kept } = work;

		work.kept = null;
		return [...document.querySelectorAll('.tile')].every(
			(one, i) => one === kept[i]);
	}));
}

test('1,000 streams at 20 times the speed: nothing moves, nothing grows',
	{ skip }, async (t) => {
	const service = await startCrowd(t);
	const visitor = await Visitor.open(t, own.browser,
		{ width: 1920, height: 1080 });
	const { page } = visitor, reference = theReference();
	const timing = new Timing(t);
	// others take caches too
	const judge = (ms, limit, what) => assert.ok(ms <= limit *
		(timing.busy() ? 2 : 1), `${what}: ${ms} ms of a processor`);

	assert.equal(reference?.judgeEvent(event(5, 1)), undefined);
	await page.addInitScript(watchWork);
	await visitor.go(service.port);
	await visitor.until((n) => document.querySelectorAll('.tile')
		.length === n, STREAMS);
	const cost = { complete: pageMs().main };
	const { complete, slice, shift, moved } = await page.evaluate('work');

	// each of its frames has some tiles, which stay where they are
	assert.ok(slice <= SLICE, `${slice} tiles at once`);
	if (!timing.busy())
		assert.equal(shift, 0, moved.join('\n'));
	judge(cost.complete, LIMIT.complete, 'the wall');
	if (!timing.busy())
		assert.ok(complete <= LIMIT.complete, `${complete} ms`);
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
	await play(service, 0, SECONDS / 4, SPEED);
	const first = await heap(visitor);

	await page.evaluate('work.shift = 0; work.longest = 0; ' +
		'work.moved = []');
	const usual = (await page.locator('.banners p').allTextContents())
		.map((text) => text.trim());

	await received(visitor, SECONDS / 4);
	const began = pageMs();

	await play(service, SECONDS / 4, SECONDS * 3 / 4, SPEED);
	await received(visitor, SECONDS);
	const ended = pageMs();

	cost.second = (ended.main - began.main) / (SECONDS * 3 / 4);
	cost.threads = (ended.all - began.all) / (SECONDS * 3 / 4);
	const last = await heap(visitor), work = await page.evaluate('work');
	const elements = await page.evaluate(
		'document.getElementsByTagName("*").length');

	t.diagnostic(JSON.stringify({ complete, work, elements, first, last }));
	assert.equal(await places(), before);
	// the number of backups has its room while there are none
	assert.deepEqual(await page.locator('.summary .is-warn').evaluateAll(
		(all) => all.map((one) => getComputedStyle(one).visibility)),
	['hidden']);
	await rename(service, visitor);
	const later = (await page.evaluate('[...work.banners]'))
		.filter((text) => !usual.includes(text));

	// one about a late reply moves the wall, and is the machine's
	if (later.length === 0 || !timing.busy())
		assert.equal(work.shift, 0, later.concat(work.moved)
			.slice(0, 5).join('\n'));
	Object.assign(cost, await tickMs(visitor, service));
	t.diagnostic(JSON.stringify(cost));
	if (!timing.busy())
		assert.ok(work.longest <= LIMIT.task, `${work.longest} ms`);
	judge(cost.tick, LIMIT.tick, 'a tick');
	// at the usual speed there is a tick in each second
	judge(cost.second + cost.frame, LIMIT.second, 'a second');
	assert.ok(elements <= 3500, `${elements} elements`);
	// the smallest tiles have no room for their rate
	assert.equal(await page.locator('.tile i').count(), 0);
	assert.ok(last <= 60 * 2 ** 20, `${last} bytes`);
	assert.ok(last - first <= 4 * 2 ** 20, `${last - first} bytes more`);
	// a key is answered while they come
	const busy = play(service, SECONDS, 20, SPEED);

	await pressKeys(page, 'g', 's');
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
	// every cell is one, whatever its class means elsewhere
	assert.deepEqual(await page.evaluate(() => [...new Set([
		...document.querySelectorAll('th, tr[data-id] td')]
		.map((cell) => getComputedStyle(cell).display))]),
	['table-cell']);
	await page.keyboard.press('Control+k');
	await page.waitForSelector('.palette:focus');
	await page.keyboard.type('stream 99');
	// those with this name are in front
	await visitor.until(() => {
		const names = [...document.querySelectorAll(
			'#palette-list bdi')].slice(0, 11);

		return names.length === 11 && names.every((one) =>
			one.textContent.startsWith('Stream 99'));
	});
	// each key of a filter, rows and pages
	await page.keyboard.press('Escape');
	const keys = [...'/stream 7', ...Array(9).fill('Backspace'), 'Escape',
		...Array(8).fill('ArrowDown'), 'g', 'w', 'g', 's', 'g', 'w'];
	const costs = [];

	for (const key of keys)
		costs.push(await costMs(async () => {
			await page.keyboard.press(key);
			await page.evaluate(() => new Promise((done) =>
				requestAnimationFrame(() =>
					requestAnimationFrame(done))));
		}));
	await busy;
	const waits = Object.values(await page.evaluate('work.waits'));
	const inTime = keys.length - waits.length;
	const wait = quantile([...Array(Math.max(0, inTime)).fill(16),
		...waits], 0.95);

	cost.key = quantile(costs, 0.95);
	t.diagnostic(JSON.stringify({ wait, key: cost.key, waits }));
	judge(cost.key, LIMIT.wait, 'a key');
	if (!timing.busy())
		assert.ok(wait <= LIMIT.wait, `${wait} ms until the frame`);
	visitor.quiet();
});

test('the focus stays on its stream when the tiles get another size', { skip },
	async (t) => {
	const service = await startCrowd(t);
	const visitor = await Visitor.open(t, own.browser,
		{ width: 1920, height: 1080 });
	const { page } = visitor;
	const sized = async (size, width, height) => {
		await page.setViewportSize({ width, height });
		await visitor.until(([name, n]) => document.querySelectorAll(
			`[data-size=${name}] .tile`).length === n &&
			document.activeElement.title.startsWith('Stream 500:'),
		[size, STREAMS]);
	};

	await visitor.go(service.port);
	await visitor.until((n) => document.querySelectorAll('.tile')
		.length === n, STREAMS);
	await page.focus('.tile[title^="Stream 500:"]');
	await sized('m', 3840, 2160);
	await sized('s', 1920, 1080);
	// a change while the tiles are being made does not lose it
	await page.setViewportSize({ width: 3840, height: 2160 });
	await page.waitForSelector('[data-size=m] .tile');
	service.send([JSON.stringify({ scope: 'set-stream', stream: {
		...config.make_stream[7], name: 'Another' } })]);
	await page.waitForSelector('.tile[title^="Another:"]');
	await sized('m', 3840, 2160);
	// the next one of its group
	await page.keyboard.press('ArrowRight');
	assert.match(await page.evaluate('document.activeElement.title'),
		/^Stream 502:/);
	// the one below, in rows without a pixel to spare: tiles of 120, gaps
	// of 2
	await page.setViewportSize({ height: 2160, width: 3840 -
		await page.evaluate(() => (document.querySelector('.grid')
			.clientWidth + 2) % 122) });
	await page.keyboard.press('Home');
	await page.keyboard.press('ArrowDown');
	assert.deepEqual(await page.evaluate(() => {
		const first = document.querySelector('.tile');
		const { activeElement: one } = document;

		return [one.offsetLeft - first.offsetLeft,
			one.offsetTop - first.offsetTop];
	}), [0, 50]);
	visitor.quiet();
});
