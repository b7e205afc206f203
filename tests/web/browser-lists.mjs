// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser: adapters, softcams with their test, and CAS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../helpers/auth.mjs';
import { TRIAL_REFUSED, noBrowser as skip, pressKeys }
	from '../helpers/browser.mjs';
import { fillForm, forms } from '../helpers/form-fields.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { CamServer } from '../helpers/newcamd.mjs';
import { begin, useBrowser } from '../helpers/page-scene.mjs';
import { Sender } from '../helpers/udp.mjs';
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

	visitor.allowed = TRIAL_REFUSED;
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
	await page.waitForSelector('tr:has-text("Card 1") >> text=not used');
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
	// an undo that the service refuses can be tried again
	const set = (softcam) => done(sluice, { cmd: 'set-softcam', id: 'a000',
		softcam }, admin);

	visitor.allowed = /status of 409 \S+ set-softcam$/;
	await page.click('td button:has-text("Remove")');
	await page.click('dialog .primary');
	await page.waitForSelector('.toast:has-text("Card 2 was removed.")');
	await set({ ...made, id: 'a000' });
	await page.click('.toast button');
	await page.waitForSelector('.toast.fault:has-text("refused")');
	await set({ remove: true });
	await page.click('.toast button:has-text("Undo")');
	await page.waitForSelector('td:has-text("Card 2")');
	visitor.quiet();
	await sluice.stop();
});

test('adapters and CAS entries are configured; what does not run says so',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);

	visitor.allowed = TRIAL_REFUSED;
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/adapters');
	await page.waitForSelector('text=An adapter receives a multiplex');
	await page.click('.tools button:has-text("New")');
	await page.fill('[id="adapter.name"]', '19.2E');
	// a hand that clicks twice saves once
	await page.locator('.save .primary').evaluate((button) => {
		button.click();
		requestAnimationFrame(() => button.click());
	});
	await page.waitForSelector('td:has-text("19.2E")');
	await page.waitForSelector('tr:has-text("19.2E") >> text=no lock');
	await visitor.accessible('adapters');
	// the buttons of a row, and the links that look like them
	const boxes = await page.$$eval('tbody tr:first-child .actions > *',
		(all) => all.map((one) =>
			one.getBoundingClientRect().toJSON()));

	assert.ok(boxes.length > 2 && boxes.every(({ top, bottom, left }, i) =>
		top === boxes[0].top && bottom === boxes[0].bottom &&
		(i === 0 || left >= boxes[i - 1].right + 6)),
	JSON.stringify(boxes));
	// they stay in sight, whatever the table has in front of them
	await page.setViewportSize({ width: 360, height: 740 });
	assert.ok(await page.$$eval('tbody tr:first-child .actions > *',
		(all) => all.length > 2 && all.map((one) =>
			one.getBoundingClientRect()).every(({ left, right }) =>
			left >= 0 && right <= innerWidth)));
	await visitor.accessible('adapters, narrow');
	await page.setViewportSize({ width: 1280, height: 800 });
	await page.click('td button:has-text("Disable")');
	await page.waitForSelector('dialog:has-text("use it: 0.")');
	await page.click('dialog .primary');
	await page.waitForSelector('tr:has-text("19.2E") >> text=disabled');
	const { dvb_tune: adapters } = await done(sluice, { cmd: 'load' },
		admin);

	assert.deepEqual(adapters.map(({ name, type, enable }) =>
		[name, type, enable]), [['19.2E', 'S2', false]]);
	await visitor.go(sluice.port, '#/cas');
	await page.click('.tools button:has-text("New")');
	await page.fill('[id="cas.name"]', 'Own');
	await page.click('.save .primary');
	await page.waitForSelector('td:has-text("The entry lacks ' +
		'ecmg_channel_id, ecmg_host, ecmg_port.")');
	await visitor.accessible('cas');
	visitor.quiet();
	await sluice.stop();
});

test('a removed adapter or softcam comes back with its streams', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const set = (cmd, fields) => done(sluice, { cmd, ...fields }, admin);
	const stored = async () => JSON.parse(JSON.stringify(await done(sluice,
		{ cmd: 'load' }, admin), (key, value) =>
		// the service counts them with every change
		key.endsWith('_version') ? undefined : value));
	const stream = (id, ...input) => set('set-stream', { stream: { id,
		name: id, type: 'spts', enable: true, input, output: [] } });
	const card = (id, name) => set('set-softcam', { softcam: { id, name,
		type: 'newcamd', host: '::', port: 1, user: 'u', pass: 'p' } });

	await set('set-adapter', { adapter: { id: 'd', name: 'Dish', type: 'S2',
		enable: true, address: 'udp://127.0.0.1:5300' } });
	await card('c', 'Card');
	await stream('both', 'dvb://d#pnr=1', 'udp://127.0.0.1:5400');
	await stream('cards', 'udp://127.0.0.1:5401#pnr=1&cam=x,c');
	await stream('card', 'udp://127.0.0.1:5402#cam=c&pnr=1');
	await stream('only', 'dvb://d#pnr=2');
	await set('set-adapter', { adapter: { id: 'e', name: 'Dish 2',
		type: 'S2', enable: false } });
	await card('f', 'Spare');
	await stream('last', 'udp://127.0.0.1:5403');
	const before = await stored();

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	for (const [hash, left] of [['adapters', 8], ['softcams', 9]]) {
		await visitor.go(sluice.port, `#/${hash}`);
		await page.click('td button:has-text("Remove")');
		await page.waitForSelector('dialog:has-text("that use it: 2' +
			'. Viewers now: 0.")');
		await page.click('dialog .primary');
		await page.waitForSelector('.toast button:has-text("Undo")');
		const after = await stored();

		assert.equal(after.make_stream.length, left, hash);
		assert.notDeepEqual(after, before, hash);
		await page.click('.toast button:has-text("Undo")');
		await page.waitForSelector('.toast:has-text("Saved")');
		assert.deepEqual(await stored(), before, hash);
	}
	// the form of what another user removes keeps what was typed
	visitor.allowed = /status of 40\d \S+ \S+ trial$/;
	await page.click('tr:has-text("Card") >> text=Edit');
	await page.fill('[id="softcam.name"]', 'Mine');
	await set('set-softcam', { id: 'c', softcam: { remove: true } });
	await page.waitForSelector('.entry .note:has-text("was removed")');
	assert.equal(await page.inputValue('[id="softcam.name"]'), 'Mine');
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
	visitor.allowed = TRIAL_REFUSED;
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

test('services of an adapter become streams, and the adapter an entry',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const programs = [1, 2, 3].map((pnr) => ({ pnr, pmtPid: 0x100 * pnr,
		video: 0x100 * pnr + 1 }));
	const stored = () => done(sluice, { cmd: 'load' }, admin);

	await Sender.start(t, new TsMux({ programs }), 5300);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/adapters');
	await page.click('.tools a:has-text("Scan")');
	await page.fill('[id="adapter.name"]', 'Multiplex');
	await page.fill('[id="adapter.address"]', 'udp://127.0.0.1:5300');
	await page.click('button:has-text("Scan")');
	await page.waitForSelector('[data-service="1.3"]');
	await page.check('[data-service="1.2"] input');
	await page.waitForSelector('[data-plan]:has-text("Multiplex")' +
		':has-text("dvb://…#pnr=2")');
	await page.click('text=Make 1 streams');
	await page.waitForSelector('tr[data-id]:has-text("disabled")' +
		' >> text="2"');
	const { dvb_tune: [{ id, ...made }] } = await stored();

	assert.deepEqual(made, { name: 'Multiplex', type: 'S2', enable: false,
		adapter: 0, device: 0, address: 'udp://127.0.0.1:5300' });
	// the port of the analyzer is free again
	await done(sluice, { cmd: 'toggle-adapter', id }, admin);
	await page.setViewportSize({ width: 390, height: 740 });
	await page.emulateMedia({ colorScheme: 'light' });
	await visitor.go(sluice.port, '#/adapters');
	await page.waitForSelector('td button:has-text("Disable")');
	await page.click('td a:has-text("Scan")');
	await page.click('button:has-text("Scan")');
	// it has a stream already
	await page.waitForSelector('[data-service="1.2"] td:last-child' +
		':has-text("2")');
	assert.ok(await page.evaluate(() => document.querySelector('main')
		.scrollWidth <= innerWidth));
	await page.click('button:has-text("Select all")');
	await visitor.accessible('services of an adapter, narrow, light');
	await page.click('text=Make 2 streams');
	await page.waitForSelector('.toast:has-text("2 streams were made")');
	assert.deepEqual((await stored()).make_stream.slice(-3).map((one) =>
		[one.input, one.enable]), [2, 1, 3].map((pnr) =>
		[[`dvb://${id}#pnr=${pnr}`], false]));
	visitor.quiet();
	await sluice.stop();
});

test('names of pages and actions of a table are not cut', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own,
		{ width: 1024 });

	await done(sluice, { cmd: 'set-adapter', adapter: { id: 'd',
		name: 'Transponder 1', type: 'S2', enable: true,
		address: 'udp://127.0.0.1:5300' } }, admin);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/adapters');
	for (const language of ['en', 'ru']) {
		await page.click('.menu summary');
		await page.selectOption('.sheet select >> nth=2', language);
		await visitor.until((tag) => document.documentElement.lang ===
			tag, language);
		await page.click('.menu summary');
		await page.waitForSelector('.actions');
		assert.deepEqual(await page.evaluate(() => [
			...document.querySelectorAll('.rail a span')]
			.filter((one) => one.offsetWidth >
				one.parentElement.clientWidth)
			.map((one) => one.textContent)), []);
		assert.ok(await page.evaluate(() => {
			const edge = (css) => document.querySelector(css)
				.getBoundingClientRect().right;

			return edge('.actions button:last-child') <=
				edge('.wide-box');
		}), language);
		await visitor.go(sluice.port, '#/streams');
		await page.waitForSelector('tr[data-id=news]');
		assert.deepEqual(await page.evaluate((word) => {
			const mark = document.querySelector('tbody .mark');

			mark.dataset.mark = 'warn';
			mark.querySelector('.mark-word').textContent = word;
			return [...document.querySelectorAll('thead th'),
				mark.closest('td')].filter((one) =>
				one.scrollWidth > one.clientWidth)
				.map((one) => one.textContent);
		}, language === 'ru' ? 'с помехами' : 'degraded'), []);
		await visitor.go(sluice.port, '#/adapters');
	}
	visitor.quiet();
	await sluice.stop();
});
