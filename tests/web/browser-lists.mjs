// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser: adapters, softcams with their test, and CAS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../helpers/auth.mjs';
import { noBrowser as skip, pressKeys } from '../helpers/browser.mjs';
import { fillForm, forms } from '../helpers/form-fields.mjs';
import { CamServer } from '../helpers/newcamd.mjs';
import { begin, useBrowser } from '../helpers/page-scene.mjs';
import { freePort } from '../helpers/util.mjs';

const own = useBrowser();

test('a softcam is made, tested with each result, removed, brought back',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const cam = await CamServer.start(t, () => null);
	const list = async () => (await done(sluice, { cmd: 'load' }, admin))
		.softcam;
	const field = (key) => page.locator(`[id="softcam.${key}"]`);
	const tested = async (text) => {
		await page.click('.test button');
		await page.waitForSelector(`.test:has-text("${text}")`);
	};

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await pressKeys(page, 'g', 'o');
	await page.waitForSelector('text=There is no softcam.');
	await page.click('.tools button:has-text("New")');
	await field('name').fill('Card 1');
	await field('host').fill('127.0.0.1');
	await field('port').fill(String(await freePort()));
	await field('user').fill('u');
	await field('pass').fill('wrong');
	await visitor.accessible('new softcam');
	await tested('connection failed');
	await field('port').fill(String(cam.port));
	await tested('login failed');
	await field('pass').fill('p');
	await tested('The softcam works.');
	await page.waitForSelector('.test dd:has-text("0x0b00")');
	await page.click('.save .primary');
	await page.waitForSelector('td:has-text("Card 1")');
	const [{ id, ...made }] = await list();

	assert.equal(id, 'a000');
	assert.deepEqual([made.name, made.port, made.pass, made.type],
		['Card 1', cam.port, 'p', 'newcamd']);
	// a password is not repeated on the page
	assert.ok(!(await page.textContent('main')).includes('wrong'));
	await page.click('td .button, td button:has-text("Edit")');
	await field('name').fill('Card 2');
	await page.click('.save .primary');
	await page.waitForSelector('td:has-text("Card 2")');
	assert.equal((await list())[0].id, 'a000');
	await page.setViewportSize({ width: 360, height: 740 });
	assert.ok(await page.evaluate(
		'document.documentElement.scrollWidth <= innerWidth'));
	await visitor.accessible('softcams, narrow');
	await page.click('td button:has-text("Remove")');
	await page.click('dialog .primary');
	await page.waitForSelector('text=There is no softcam.');
	await page.click('.toast button');
	await page.waitForSelector('td:has-text("Card 2")');
	assert.equal((await list())[0].pass, 'p');
	visitor.quiet();
	await sluice.stop();
});

test('adapters and CAS entries are configured; what does not run says so',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/adapters');
	await page.waitForSelector('text=An adapter receives a multiplex');
	await page.click('.tools button:has-text("New")');
	await page.fill('[id="adapter.name"]', '19.2E');
	await page.click('.save .primary');
	await page.waitForSelector('td:has-text("19.2E")');
	await page.waitForSelector('tr:has-text("19.2E") >> text=no lock');
	await visitor.accessible('adapters');
	await page.click('td button:has-text("Disable")');
	await page.waitForSelector('tr:has-text("19.2E") >> text=disabled');
	const { dvb_tune: [adapter] } = await done(sluice, { cmd: 'load' },
		admin);

	assert.deepEqual([adapter.name, adapter.type, adapter.enable],
		['19.2E', 'S2', false]);
	await visitor.go(sluice.port, '#/cas');
	await page.click('.tools button:has-text("New")');
	await page.fill('[id="cas.name"]', 'Own');
	await page.click('.save .primary');
	await page.waitForSelector('td:has-text("The entry lacks ' +
		'ecmg_channel_id, ecmg_host, ecmg_port.")');
	await visitor.accessible('cas');
	await page.emulateMedia({ colorScheme: 'light' });
	await visitor.accessible('cas, light');
	visitor.quiet();
	await sluice.stop();
});

test('each key of an adapter, a softcam and a CAS entry comes back equal',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const all = await forms(sluice, admin);

	// no lines of text
	assert.equal(all.adapter.find(({ key }) => key === 'scan').item,
		'object');
	// the trial of a form that is half filled
	visitor.allowed = /status of 400 /;
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	for (const [hash, form, list] of [['adapters', 'adapter', 'dvb_tune'],
		['softcams', 'softcam', 'softcam'], ['cas', 'cas', 'cas']]) {
		await visitor.go(sluice.port, `#/${hash}?edit=%2B`);
		await page.waitForSelector(`[id="${form}.name"]`);
		const rows = all[form].filter(({ key }) => key !== 'id');
		const wanted = await fillForm(page, rows, form);

		await page.click('.save .primary:enabled');
		await page.waitForSelector('.save', { state: 'detached' });
		const [{ id, ...stored }] = (await done(sluice, { cmd: 'load' },
			admin))[list];

		assert.deepEqual(stored, wanted, form);
		// the fields show it again, and nothing is changed
		await visitor.go(sluice.port, `#/${hash}?edit=${id}`);
		for (const [key, value] of Object.entries(wanted)) {
			const field = page.locator(`[id="${form}.${key}"]`);

			assert.equal(typeof value === 'boolean'
				? await field.isChecked()
				: await field.inputValue(),
			typeof value === 'boolean' ? value : String(value),
			key);
		}
		assert.equal(await page.locator('.changes').count(), 0);
		await visitor.accessible(`all keys of ${form}`);
	}
	visitor.quiet();
	await sluice.stop();
});
