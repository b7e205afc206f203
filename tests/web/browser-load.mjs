// SPDX-License-Identifier: GPL-3.0-or-later
// The page with 1,000 streams, whose events come at 20 times the speed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor, noBrowser as skip, pressKeys }
	from '../helpers/browser.mjs';
import { STREAMS, event, heap, play, startCrowd, watchWork }
	from '../helpers/crowd.mjs';
import { useBrowser } from '../helpers/page-scene.mjs';
import { theReference } from '../helpers/reference.mjs';
import { Timing } from '../helpers/timing.mjs';

const own = useBrowser();
const SPEED = 20, SECONDS = 100;

test('1,000 streams at 20 times the speed: nothing moves, nothing grows',
	{ skip }, async (t) => {
	const service = await startCrowd(t);
	const visitor = await Visitor.open(t, own.browser,
		{ width: 1920, height: 1080 });
	const { page } = visitor, reference = theReference();
	const timing = new Timing(t);

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
	await play(service, 0, SECONDS / 4, SPEED);
	const first = await heap(visitor);

	await page.evaluate('work.shift = 0; work.longest = 0; ' +
		'work.moved = []');
	const usual = (await page.locator('.banners p').allTextContents())
		.map((text) => text.trim());

	await play(service, SECONDS / 4, SECONDS * 3 / 4, SPEED);
	const last = await heap(visitor), work = await page.evaluate('work');
	const elements = await page.evaluate(
		'document.getElementsByTagName("*").length');

	t.diagnostic(JSON.stringify({ complete, work, elements, first, last }));
	assert.equal(await places(), before);
	const later = (await page.evaluate('[...work.banners]'))
		.filter((text) => !usual.includes(text));

	// one about a late reply moves the wall, and is the machine's
	if (later.length === 0 || !timing.busy())
		assert.equal(work.shift, 0, later.concat(work.moved)
			.slice(0, 5).join('\n'));
	assert.ok(elements <= 3500, `${elements} elements`);
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
	await busy;
	visitor.quiet();
});
