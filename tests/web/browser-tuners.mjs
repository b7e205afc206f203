// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser: tuners with their scans, and CAMs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor, noBrowser as skip } from '../helpers/browser.mjs';
import { FakeService } from '../helpers/fake-service.mjs';
import { EVIL, useBrowser } from '../helpers/page-scene.mjs';
import { theReference } from '../helpers/reference.mjs';
import { waitUntil } from '../helpers/util.mjs';

const own = useBrowser();

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
	// ATSC has transponders and ranges, and no NIT
	replies.load.dvb_tune = [{ ...TUNER, type: 'ATSC', enable: false,
		frequency: 557 }];
	replies['scan-check'] = { transponders: [{ ...transponder(1, 557),
		services: [{ pnr: 1, name: 'WABC', channel: '7.1',
			name_error: `compression ${EVIL}`,
			scrambled: false }] }],
	progress: { done: 1, total: 1, ended: true } };
	await page.reload();
	await page.waitForSelector('text=ATSC has no NIT');
	assert.deepEqual(await state(), ['transponder', false, true, false]);
	await page.click('button:has-text("Scan")');
	await page.waitForSelector('tr[data-service="1.1"] .is-warn:has-text(' +
		'"long name is not shown: compression <img")');
	await visitor.accessible('a tuner of ATSC');
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

test('a frozen display keeps the CAM as it was and asks for nothing', { skip },
	async (t) => {
	const { service, replies, asked, show } = await startTuner(t);
	const visitor = await Visitor.open(t, own.browser), { page } = visitor;
	const polls = () => asked.filter(({ cmd }) => cmd === 'get-cam').length;

	await visitor.go(service.port, '#/adapters');
	await page.click('td a:has-text("CAM")');
	await page.waitForSelector('.cam:has-text("ready")');
	await page.keyboard.press('Space');
	await page.waitForSelector('.banners:has-text("frozen")');
	const before = polls();

	show({ ...SLOT, state: 'silent' });
	replies['get-cam'] = { cam: [{ ...SLOT, state: 'error' }] };
	// longer than the five seconds between two requests
	await visitor.until((end) => performance.now() > end,
		await page.evaluate(() => performance.now() + 7000));
	assert.ok(await page.isVisible('.cam:has-text("ready")'));
	assert.equal(polls(), before);
	await page.keyboard.press('Space');
	await page.waitForSelector('.cam:has-text("error")');
	assert.ok(polls() > before);
	visitor.quiet();
});
