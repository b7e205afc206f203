// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser: forms ask before they interrupt viewers, and
// before they lose what was typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../helpers/auth.mjs';
import { noBrowser as skip } from '../helpers/browser.mjs';
import { begin, useBrowser } from '../helpers/page-scene.mjs';

const own = useBrowser();

// An adapter and the stream that reads it, on the page of adapters.
async function beginDish(t) {
	const scene = await begin(t, own);
	const { sluice, admin, password, visitor, page } = scene;

	await done(sluice, { cmd: 'set-adapter', adapter: { id: 'd',
		name: 'Dish', type: 'S2', enable: true,
		address: 'udp://127.0.0.1:5300' } }, admin);
	await done(sluice, { cmd: 'set-stream', stream: { id: 'user',
		name: 'User', type: 'spts', enable: true,
		input: ['dvb://d#pnr=1'], output: [] } }, admin);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	return { ...scene, stored: async () => (await done(sluice,
		{ cmd: 'load' }, admin)).dvb_tune[0] };
}

test('an entry that streams use is saved after a question', { skip },
	async (t) => {
	const { sluice, stored, visitor, page } = await beginDish(t);

	await visitor.go(sluice.port, '#/adapters?edit=d');
	await page.fill('[id="adapter.name"]', 'Dish 2');
	await page.fill('[id="adapter.address"]', 'udp://127.0.0.1:5301');
	// what the service says about it
	await page.waitForSelector('.save .is-warn:has-text("user")');
	await visitor.accessible('a warning about an adapter');
	await page.keyboard.press('Control+Enter');
	await page.waitForSelector('dialog:has-text("Save Dish?"):has-text(' +
		'"use it: 1. Viewers now: 0.")');
	await page.click('dialog button:has-text("Cancel")');
	assert.equal((await stored()).name, 'Dish');
	await page.click('.save .primary');
	await page.click('dialog .primary');
	await page.waitForSelector('td:has-text("Dish 2")');
	assert.equal((await stored()).address, 'udp://127.0.0.1:5301');
	// the warning of a change that was made
	await page.waitForSelector('.toast.fault:has-text("user")');
	visitor.quiet();
	await sluice.stop();
});

test('a refusal ends with the next change, a warning is told', { skip },
	async (t) => {
	const { sluice, visitor, page } = await beginDish(t);

	visitor.allowed = /status of 400 \S+ set-softcam( trial)?$/;
	await visitor.go(sluice.port, '#/softcams?edit=%2B');
	for (const [key, value] of [['host', 'h'], ['user', 'u'], ['pass', 'p'],
		['port', '0x']])
		await page.fill(`[id="softcam.${key}"]`, value);
	await page.keyboard.press('Control+Enter');
	await page.waitForSelector('[data-key=port] .problem:not(:empty)');
	await page.fill('[id="softcam.port"]', '7000');
	await page.waitForSelector('.problem:not(:empty)',
		{ state: 'detached' });
	await page.fill('.further textarea', '{"nonsense": 1}');
	await page.waitForSelector('.save .is-warn:has-text("nonsense")');
	await page.keyboard.press('Control+Enter');
	await page.waitForSelector('.toast.fault:has-text("nonsense")');
	visitor.quiet();
	await sluice.stop();
});
