// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser: adapters with scans and CAMs, softcams with
// their test, and CAS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../helpers/auth.mjs';
import { TRIAL_REFUSED, Visitor, noBrowser as skip, pressKeys }
	from '../helpers/browser.mjs';
import { FakeService } from '../helpers/fake-service.mjs';
import { fillForm, forms } from '../helpers/form-fields.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { CamServer } from '../helpers/newcamd.mjs';
import { EVIL, begin, useBrowser } from '../helpers/page-scene.mjs';
import { theReference } from '../helpers/reference.mjs';
import { Sender } from '../helpers/udp.mjs';
import { freePort, waitUntil } from '../helpers/util.mjs';

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
	// a page that gets no processor for ten seconds begins another scan
	visitor.allowed = /status of 404 .* scan-check/;
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

const TUNER = { id: 's1', name: `Tuner ${EVIL}`, type: 'S2', enable: true,
	adapter: 0, device: 0, frequency: 11362, polarization: 'H',
	symbolrate: 22000, modulation: 'QPSK' };
const transponder = (number, frequency) => ({ number, lock: true, snr: 80,
	complete: true, bitrate: 38000, tuning: { type: 'S2', frequency,
		polarization: 'V', symbolrate: 27500, tsid: number },
	services: [{ pnr: 10 * number, name: EVIL, scrambled: true,
		caids: [0x0b00] }] });
const SLOT = { slot: 0, state: 'ready', name: EVIL, manufacturer: 0x1234,
	code: 1, resets: 2, ciplus: false, caids: [0x0b00],
	programs: [{ pnr: 10, state: 'descrambled' }] };
const menu = (kind, more = {}) => ({ ...SLOT, menu: { kind, title: EVIL,
	subtitle: '', bottom: 'Choose', blind: false, length: 0, more: 0,
	items: [], ...more } });

// A headend with a tuner and a CAM: what it is asked, and what it replies.
async function startTuner(t) {
	const asked = [], events = theReference();
	const replies = { whoami: { login: '-', type: 1 },
		'ws-token': { token: 'x' },
		load: { make_stream: [], dvb_tune: [TUNER], categories: [] },
		'api/overview': { timestamp: 1, version: '1', alarms: [],
			adapters: [{ id: 's1', lock: true, cam: [SLOT] }],
			softcams: [], streams: [],
			system: { cpu_cores: 2 } },
		'api/forms': { adapter: [{ key: 'type', type: 'text' }] },
		'scan-init': { id: 'a' },
		'scan-check': { transponders: [transponder(1, 11362)],
			progress: { done: 1, total: 3, ended: false } },
		'get-cam': { cam: [SLOT] } };
	const service = await FakeService.start(t, (cmd, body) => {
		if (cmd !== 'scan-check')
			asked.push(body ?? cmd);
		return typeof replies[cmd] === 'function'
			? replies[cmd](body) : replies[cmd] ?? {};
	});

	return { service, replies, asked, show: (cam) => {
		const event = { scope: 'cam_event', dvb_id: 's1', cam };

		assert.equal(events?.judgeEvent(event), undefined);
		// the page asks again every few seconds
		replies['get-cam'] = { cam: [cam] };
		service.send([JSON.stringify(event)]);
	}, until: (cmd, wanted) => waitUntil(`${cmd}`, () => {
		const last = asked.findLast((one) => one.cmd === cmd);

		if (last !== undefined) {
			const { cmd: _, ...fields } = last;

			assert.deepEqual(fields, wanted);
		}
		return last;
	}) };
}

test('a network is scanned: each transponder becomes an adapter', { skip },
	async (t) => {
	const { service, replies, asked, until } = await startTuner(t);
	const visitor = await Visitor.open(t, own.browser), { page } = visitor;
	const { id, enable, ...keys } = TUNER;

	await visitor.go(service.port, '#/adapters');
	await page.click('td a:has-text("Scan")');
	await page.selectOption('[name=search]', 'network');
	await page.click('button:has-text("Scan")');
	await page.waitForSelector('text=Tunings: 1 of 3');
	await until('scan-init', { scan: { search: 'network',
		adapter: keys } });
	replies['scan-check'] = { transponders: [transponder(2, 11400)],
		progress: { done: 3, total: 3, ended: true } };
	await page.waitForSelector(
		'text=The scan has ended. Transponders: 2.');
	await until('scan-kill', { id: 'a' });
	// the numbers of another scan are other transponders
	await page.check('[data-service="2.20"] input');
	replies['scan-check'].transponders.push(transponder(1, 11362));
	await page.click('button:has-text("Scan")');
	await waitUntil('another scan', () => asked.filter(({ cmd }) =>
		cmd === 'scan-init').length === 2);
	await page.waitForSelector('[data-service="2.20"] input:not(:checked)');
	await page.check('[data-service="1.10"] input');
	await page.check('[data-service="2.20"] input');
	await page.waitForSelector('[data-plan="2"]');
	await visitor.accessible('transponders');
	// the second one is refused: the next try leaves out the first
	replies['set-adapter'] = ({ adapter, dry_run }) => adapter.frequency ===
		11400 && !dry_run ? { error: 'no' } : {};
	visitor.allowed = /status of 400 \S+ set-adapter$/;
	await page.click('text=Make 2 streams');
	await page.waitForSelector('.toast:has-text("1 streams were made"):' +
		'has-text("refused: no")');
	await page.waitForSelector('[data-service="1.10"] input:not(:checked)');
	replies['set-adapter'] = {};
	await page.click('text=Make 1 streams');
	await page.waitForURL(/#\/streams/);
	const { modulation, ...base } = keys;

	// the modulation was that of another transponder
	await until('set-adapter', { adapter: { ...base, enable: false,
		name: `${TUNER.name} 11400 V 27500 S2`, frequency: 11400,
		polarization: 'V', symbolrate: 27500, scan: [{ pnr: 20,
			name: EVIL, type: 'spts', enable: false,
			output: [] }] } });
	assert.equal(asked.filter((one) => one.cmd === 'set-adapter' &&
		!one.dry_run).length, 3);
	visitor.quiet();
});

const USER = { id: 'a', type: 'spts', enable: true, state: 'on air', ok: true,
	onair: true, inputs: 1, active_input: 1, bitrate: 1, sessions: 3,
	alarms: [], input_faults: [], output_faults: [],
	worker: { state: 'running' } };

test('an adapter that viewers need is restarted after a question', { skip },
	async (t) => {
	const { service, replies, asked, until } = await startTuner(t);
	const visitor = await Visitor.open(t, own.browser), { page } = visitor;

	replies.load.make_stream = ['dvb://s1#pnr=1', 'dvb://s11#pnr=1'].map(
		(input, i) => ({ id: 'ab'[i], name: EVIL, type: 'spts',
			enable: true, input: [input], output: [] }));
	replies['api/overview'].streams = [USER, { ...USER, id: 'b' }];
	await visitor.go(service.port, '#/adapters');
	await page.click('td button:has-text("Restart")');
	await page.waitForSelector('dialog[open]:has-text("Streams that use ' +
		'it: 1. Viewers now: 3.")');
	assert.ok(!asked.some(({ cmd }) => cmd === 'restart-adapter'));
	await visitor.accessible('a question about an adapter');
	await page.click('dialog .primary');
	await until('restart-adapter', { id: 's1' });
	visitor.quiet();
});

test('the state of every adapter is shown, and when it is not known',
	{ skip }, async (t) => {
	const { service, replies } = await startTuner(t);
	const visitor = await Visitor.open(t, own.browser), { page } = visitor;
	const overview = replies['api/overview'];
	const all = (mark, n = 33) => visitor.until(([wanted, count]) =>
		document.querySelectorAll(`td .mark[data-mark=${wanted}]`)
			.length === count, [mark, n]);

	replies.load.dvb_tune = Array.from({ length: 33 }, (_, i) =>
		({ ...TUNER, id: `s${i}` }));
	await visitor.go(service.port, '#/adapters');
	// the service has a status of the second one alone
	await all('stale', 32);
	replies['api/overview'] = { ...overview, adapters: replies.load
		.dvb_tune.map(({ id }) => ({ id, lock: true })) };
	await all('on');
	// the bits of a tuner, as long as events have them
	const tell = setInterval(() => service.send([JSON.stringify({
		scope: 'adapter_event', dvb_id: 's1', status: 0x07, signal: 1,
		snr: 1, signal_db: 1, snr_db: 1, ber: 0, unc: 0,
		bitrate: 1 })]), 300);
	const bits = 'tr:has-text("s1") >> text=signal, carrier, FEC';

	t.after(() => clearInterval(tell));
	await page.waitForSelector(bits);
	clearInterval(tell);
	await page.waitForSelector(bits, { state: 'detached' });
	visitor.allowed = /status of 400 \S+api\/overview/;
	replies['api/overview'] = { error: 'no' };
	await all('stale');
	await page.waitForSelector('.problem:has-text("Values as of")');
	await visitor.accessible('adapters without a present state');
	replies['api/overview'] = { ...overview, adapters: replies.load
		.dvb_tune.map(({ id }) => ({ id, lock: false })) };
	await all('fault');
	visitor.quiet();
});

test('a SAT>IP server that was found fills in the form of an adapter', { skip },
	async (t) => {
	const { service, replies, asked, until } = await startTuner(t);
	const visitor = await Visitor.open(t, own.browser), { page } = visitor;
	const server = page.locator('[id="adapter.server"]');
	const name = page.locator('[id="adapter.name"]');

	replies['api/forms'] = { adapter: [{ key: 'name', type: 'text' },
		{ key: 'type', type: 'text', choices: ['S2', 'T2'] },
		{ key: 'adapter', type: 'integer' },
		{ key: 'device', type: 'integer' },
		{ key: 'address', type: 'text' },
		{ key: 'server', type: 'text' }] };
	replies['api/satip-servers'] = { listening: 12, servers: [
		{ server: '192.0.2.9', iface: 'eth0', uuid: 'u', heard: 1,
			name: `Roof ${EVIL}`, manufacturer: EVIL, model: EVIL,
			frontends: { S2: 4, T2: 2, [EVIL]: 1 } },
		{ server: '192.0.2.10:8554', iface: 'eth0', uuid: 'v', heard: 1,
			name: 'Cellar', frontends: {}, note: EVIL }] };
	await visitor.go(service.port, '#/adapters?edit=%2B');
	await server.waitFor();
	// the search sends to the network: only on request
	assert.ok(!asked.includes('api/satip-servers'));
	await page.click('.satip summary');
	await page.click('.satip button:has-text("Use")');
	assert.equal(await server.inputValue(), '192.0.2.10:8554');
	assert.equal(await name.inputValue(), 'Cellar');
	await page.fill('[id="adapter.device"]', '3');
	await page.click('.satip button:has-text("T2 × 2")');
	assert.equal(await server.inputValue(), '192.0.2.9');
	// the name follows the choice, but one that was written stays
	assert.equal(await name.inputValue(), `Roof ${EVIL}`);
	await name.fill('Dish');
	await page.click('.satip button:has-text("Use")');
	assert.equal(await name.inputValue(), 'Dish');
	await name.fill('Cellar');
	await page.click('.satip button:has-text("T2 × 2")');
	await visitor.accessible('servers that were found');
	let answer;

	replies['set-adapter'] = ({ dry_run: trial }) => trial ? {}
		: new Promise((done_) => { answer = done_; });
	await page.click('.save .primary:enabled');
	await until('set-adapter', { adapter: { name: `Roof ${EVIL}`,
		type: 'T2', enable: true, server: '192.0.2.9' },
	warnings: true });
	// who leaves before the reply stays where he went; there the keys of an
	// adapter that is not stored, for a scan
	await visitor.go(service.port, '#/transponders');
	await page.waitForSelector('.satip summary');
	answer({});
	await page.waitForSelector('.toast:has-text("Saved")');
	assert.match(page.url(), /#\/transponders$/);
	await page.click('.satip summary');
	await page.click('.satip button:has-text("S2 × 4")');
	await page.click('.scan-form .primary');
	await until('scan-init', { scan: { search: 'transponder',
		adapter: { type: 'S2', name: `Roof ${EVIL}`,
			server: '192.0.2.9' } } });
	visitor.quiet();
});

test('a search that the service refuses is not offered', { skip },
	async (t) => {
	const { service, replies, until } = await startTuner(t);
	const visitor = await Visitor.open(t, own.browser), { page } = visitor;
	const shared = { ...TUNER, id: 's2', name: 'Shared', enable: false,
		lnb_sharing: true };
	const { id, enable, ...keys } = shared;
	const state = () => page.evaluate(() => {
		const list = document.querySelector('[name=search]');

		return [list.value, ...[...list.options].map((one) =>
			one.disabled)];
	});

	replies.load.dvb_tune = [TUNER, shared];
	await visitor.go(service.port,
		'#/transponders?adapter=s2&search=network');
	await page.waitForSelector('text=With lnb_sharing another tuner');
	assert.deepEqual(await state(), ['transponder', false, true, true]);
	await visitor.accessible('a tuner with lnb_sharing');
	await page.click('button:has-text("Scan")');
	await until('scan-init', { scan: { search: 'transponder',
		adapter: keys } });
	await page.click('.scan-form button:has-text("Stop")');
	await page.selectOption('[name=adapter]', 's1');
	await page.waitForSelector('text=With lnb_sharing', {
		state: 'detached' });
	assert.deepEqual(await state(), ['network', false, false, false]);
	visitor.quiet();
});

test('the menu of a CAM is read, answered and closed, by keyboard', { skip },
	async (t) => {
	const { service, show, until } = await startTuner(t);
	const visitor = await Visitor.open(t, own.browser), { page } = visitor;

	await visitor.go(service.port, '#/adapters');
	await page.click('td a:has-text("CAM")');
	await page.waitForSelector('.cam:has-text("0x0b00")');
	await page.focus('button:has-text("Open the menu")');
	await page.keyboard.press('Enter');
	await until('cam-menu', { id: 's1', slot: 0, action: 'open' });
	show(menu('menu', { items: ['Card', EVIL], more: 3 }));
	await page.waitForSelector('.cam-items button >> nth=1');
	await visitor.accessible('a menu');
	await page.focus('.cam-items button >> nth=1');
	await page.keyboard.press('Enter');
	// a second answer would be one to the next menu
	await page.keyboard.press('Enter');
	await until('cam-menu', { id: 's1', slot: 0, action: 'choice',
		choice: 2 });
	show(menu('question', { blind: true, length: 4 }));
	// who answers by keyboard stays in the dialogue
	await page.waitForSelector('[name=answer][type=password]:focus');
	await page.keyboard.type('12345');
	await page.emulateMedia({ colorScheme: 'light' });
	await page.setViewportSize({ width: 390, height: 740 });
	await visitor.accessible('a question, narrow, light');
	await page.keyboard.press('Enter');
	await until('cam-menu', { id: 's1', slot: 0, action: 'text',
		text: '1234' });
	show(menu('list', { items: ['Valid until 2030'] }));
	await page.click('button:has-text("Back")');
	await until('cam-menu', { id: 's1', slot: 0, action: 'choice',
		choice: 0 });
	show({ ...SLOT, state: 'error', error: 'the CAM does not answer' });
	await page.waitForSelector('text=No menu is open.');
	await page.waitForSelector('.problem:has-text("does not answer")');
	visitor.quiet();
});
