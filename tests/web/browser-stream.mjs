// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser: charts, tables and preview of a stream, the
// selection of many, the palette, and single keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../helpers/auth.mjs';
import { noBrowser as skip, pressKeys } from '../helpers/browser.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { lacks } from '../helpers/peers.mjs';
import { Viewer, liveMultiplex } from '../helpers/media.mjs';
import { CONFIG, begin, useBrowser } from '../helpers/page-scene.mjs';
import { Sender } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

const own = useBrowser();

// How many pixels of a canvas are not empty.
const inked = (selector) => {
	const canvas = document.querySelector(selector);
	const { data } = canvas.getContext('2d').getImageData(0, 0,
		canvas.width, canvas.height);

	return data.filter((value, i) => i % 4 === 3 && value > 0).length;
};

test('a stream has charts, tables, its log, and says what cannot be played',
	{ skip }, async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);

	await Sender.start(t, new TsMux(), 5000);
	await sluice.logged(/stream news: on air/);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/stream/news');
	await page.waitForSelector('.plot canvas');
	await visitor.until(inked, '.plot canvas');
	await page.click('.ranges button:has-text("1 h")');
	assert.match(page.url(), /range=3600/);
	await page.click('.ranges button:has-text("30 d")');
	await page.waitForSelector('text=This version remembers one hour');
	await page.click('.ranges button:has-text("1 min")');
	await page.waitForSelector('.plot canvas');
	// its values, by keyboard
	await page.focus('.plot >> nth=1');
	await waitUntil('values of two seconds', async () => {
		const texts = [];

		await page.keyboard.press('End');
		for (let i = 0; i < 2; i++) {
			await page.keyboard.press('ArrowLeft');
			texts.push(await page.textContent('.readout'));
		}
		return texts.every((text) => / CC /.test(text)) &&
			texts[0] !== texts[1];
	});
	await page.click('[role=tab]:has-text("Tables")');
	await page.waitForSelector('.tree b:has-text("PAT")');
	await page.click('.tree summary:has-text("PMT 1")');
	await page.waitForSelector('.tree:has-text("VIDEO")');
	await visitor.accessible('tables');
	await page.click('[role=tab]:has-text("Log")');
	await page.waitForSelector('.stream-log li:has-text("on air")');
	assert.match(page.url(), /tab=log/);
	await sluice.logged(/stream film: off air: no packets/);
	await visitor.go(sluice.port, '#/incidents?kind=off');
	await page.waitForSelector('[data-incident=off]:has-text("Film 1")' +
		':has-text("no packets"):has-text("continues")');
	// on a busy machine it may have been off air, too, or be it now
	await waitUntil('an incident of News HD if there was one', async () =>
		await page.locator('tr:has-text("News HD")').count() > 0 ===
		/stream news: off air/.test(sluice.log));
	await visitor.accessible('incidents');
	await page.keyboard.press('/');
	await page.keyboard.type('nothing of the kind');
	await page.waitForSelector('text=No incident.');
	visitor.quiet();
	await sluice.stop();
});

test('a preview plays in the page, without sound, and a picture is shown',
	{ skip: skip || lacks('ffmpeg') }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const players = [];

	page.on('request', (request) => players.push(...request.url()
		.match(/(?<=parts\/)(?:hls|mpegts)/) ?? []));
	// the cookie replaces the permission of a viewer
	await done(sluice, { cmd: 'set-auth', auth: { enable: true } }, admin);
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.logged(/stream news: on air/);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/stream/news');
	// the analysis knows the codecs
	await page.waitForSelector('td:has-text("video")');
	const plays = () => visitor.until(() => document.querySelector('video')
		?.getVideoPlaybackQuality().totalVideoFrames > 25);

	assert.deepEqual(players, []);
	await page.keyboard.press('p');
	await plays();
	assert.ok(await page.evaluate('document.querySelector("video").muted'));
	await visitor.accessible('preview');
	await page.keyboard.press('p');
	await page.waitForSelector('video', { state: 'detached' });
	assert.deepEqual(players, ['mpegts']);
	// a player that fails is replaced by the other one
	visitor.allowed = /status of 404 .*play\/news$/;
	await page.route('**/play/news', (route) =>
		route.fulfill({ status: 404 }));
	await page.keyboard.press('p');
	await page.waitForSelector('text=Plays by HLS');
	await plays();
	assert.deepEqual(players, ['mpegts', 'hls']);
	await visitor.accessible('preview by HLS');
	await page.keyboard.press('p');
	await page.waitForSelector('video', { state: 'detached' });
	// until the key frame was decoded
	visitor.allowed = /status of 503 .*jpg/;
	await page.click('[role=tab]:has-text("Picture")');
	await visitor.until(() => document.querySelector('img.picture')
		?.naturalWidth === 320);
	visitor.quiet();
	await sluice.stop();
});

test('a preview starts a stream on demand, and its viewer is disconnected',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);

	// while no process of the stream runs
	visitor.allowed = /status of 503 .*stream-analysis/;
	await Sender.start(t, new TsMux(), 5000);
	await done(sluice, { cmd: 'set-stream', id: 'news', stream: {
		...CONFIG.make_stream.find(({ id }) => id === 'news'),
		output: [], http_keep_active: '0',
		hls_on_demand: true } }, admin);
	await visitor.login('admin', password);
	await visitor.untilMark('News HD', 'wait');
	await visitor.go(sluice.port, '#/stream/news');
	await page.waitForSelector('h1:has-text("News HD")');
	const announced = await visitor.watch('[role=status]', 'The stream ' +
		'waits for a viewer: the preview starts it.');

	await page.keyboard.press('p');
	await page.waitForSelector('video', { state: 'attached' });
	await waitUntil('the announcement', announced);
	await page.keyboard.press('p');
	const viewer = await Viewer.open(t, sluice.port, '/play/news',
		{ headers: admin });

	await waitUntil('packets', () => viewer.bytes > 0);
	await visitor.go(sluice.port, '#/sessions');
	await visitor.accessible('viewers');
	// the button is at the edge of a phone
	await page.setViewportSize({ width: 360, height: 740 });
	assert.ok(await page.evaluate(() => document.querySelector(
		'td.actions button').getBoundingClientRect().right <=
		innerWidth));
	await page.setViewportSize({ width: 1280, height: 800 });
	// no reply: the values are told as old ones
	visitor.disturbed = true;
	await page.route('**/control/', (route) => route.abort());
	await page.waitForSelector('.problem:has-text("Values as of")');
	await page.unroute('**/control/');
	await page.waitForSelector('.problem:has-text("Values as of")',
		{ state: 'detached' });
	visitor.disturbed = false;
	await page.click('tr:has-text("News HD") button:has-text(' +
		'"Disconnect")');
	await waitUntil('the end of the viewer', () => viewer.ended);
	await page.waitForSelector('text=The viewer was disconnected.');
	visitor.quiet();
	await sluice.stop();
});

test('many streams are selected and changed at once', { skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const enabled = async () => (await done(sluice, { cmd: 'load' }, admin))
		.make_stream.filter((one) => one.enable).map((one) => one.id)
		.sort().join(' ');

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/streams?sort=id');
	await page.waitForSelector('tr[data-id=news]');
	// a frozen table keeps its values under the pointer
	const toggle = async () => {
		const renewed = page.waitForResponse(/api\/overview/);

		await done(sluice, { cmd: 'toggle-stream', id: 'idle' }, admin);
		await renewed;
	};

	await page.click('button:has-text("Freeze")');
	await toggle();
	await page.hover('tr[data-id=idle]');
	await page.hover('tr[data-id=news]');
	assert.equal(await page.getAttribute('tr[data-id=idle]', 'data-mark'),
		'disabled');
	await page.click('button:has-text("Continue")');
	await page.waitForSelector(
		'tr[data-id=idle]:not([data-mark=disabled])');
	await toggle();
	await page.waitForSelector('tr[data-id=idle][data-mark=disabled]');
	await page.mouse.move(0, 0);
	await page.locator('tr[data-id=evil]').focus();
	await page.keyboard.press('j');
	await page.keyboard.press('x');
	await page.waitForSelector('.bulk:has-text("1 selected")');
	assert.match(page.url(), /selected=film/);
	// the row that a pointer has focused is the row of the keys
	await page.keyboard.press('x');
	await page.click('tr[data-id=idle] td:nth-child(2)');
	await page.keyboard.press('x');
	await visitor.until(() => /selected=idle$/.test(location.hash));
	await page.mouse.move(0, 0);
	await page.keyboard.press('x');
	await page.keyboard.press('k');
	await page.keyboard.press('x');
	await visitor.until(() => /selected=film$/.test(location.hash));
	await page.keyboard.press('j');
	await page.keyboard.press('j');
	await page.keyboard.press('Shift+X');
	await page.waitForSelector('.bulk:has-text("3 selected")');
	await visitor.accessible('selection');
	// the address has it
	await page.reload();
	await page.waitForSelector('.bulk:has-text("3 selected")');
	await page.click('.bulk button:has-text("Disable")');
	await page.waitForSelector('dialog:has-text("Disable 2 streams?")');
	await page.click('dialog .primary');
	await page.waitForSelector('.toast:has-text("2 of 2 streams")');
	assert.equal(await enabled(), 'evil');
	await visitor.until(() => document.querySelectorAll(
		'tr[data-mark=disabled]').length === 3);
	await page.click('.bulk button:has-text("Enable")');
	await page.waitForSelector('.toast:has-text("3 of 3 streams")');
	assert.equal(await enabled(), 'evil film idle news');
	await page.selectOption('.bulk select', { label: 'News' });
	await page.waitForSelector('.toast:has-text("3 of 3 streams")');
	await visitor.until(() => [...document.querySelectorAll(
		'.is-selected td.in-groups')].every((cell) =>
		cell.textContent.trim() === 'News'));
	const { make_stream: streams } = await done(sluice, { cmd: 'load' },
		admin);

	assert.ok(streams.every((one) => one.id === 'evil' ||
		one.groups.Type === 'News'));
	await page.check('th.check input');
	await page.waitForSelector('.bulk:has-text("4 selected")');
	// a refusal is named
	visitor.allowed = /status of 400 \S+ set-stream$/;
	await page.selectOption('.bulk select', { label: 'Films' });
	await page.waitForSelector('.toast:has-text("3 of 4 streams are ' +
		'done. <img")');
	await page.click('.bulk button:has-text("Select none")');
	await page.waitForSelector('.bulk', { state: 'detached' });
	visitor.quiet();
	await sluice.stop();
});

test('the palette leads everywhere, and single keys can be turned off',
	{ skip }, async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await page.keyboard.press('Control+k');
	await page.waitForSelector('.palette:focus');
	await page.keyboard.type('film 1');
	await page.waitForSelector('#palette-list li:has-text("Film 1")');
	await visitor.accessible('palette');
	await page.keyboard.press('Enter');
	await page.waitForSelector('h1:has-text("Film 1")');
	// an action of the stream, with its key beside it
	await page.keyboard.press('Control+k');
	await page.waitForSelector('.palette:focus');
	await page.keyboard.type('restart');
	await page.waitForSelector('#palette-list li:has-text("Restart")' +
		' >> kbd:has-text("r")');
	await page.keyboard.press('Enter');
	await page.waitForSelector('dialog:has-text("Restart Film 1?")');
	await page.keyboard.press('Escape');
	await page.waitForSelector('dialog', { state: 'detached' });
	await page.keyboard.press('Control+k');
	await page.waitForSelector('.palette:focus');
	await page.keyboard.type('netw');
	await page.keyboard.press('Enter');
	await page.waitForSelector('h1:has-text("Network")');
	await page.waitForSelector('text=No session was announced so far');
	await visitor.accessible('network');
	// a page without a place in the rail
	await page.keyboard.press('Control+k');
	await page.waitForSelector('.palette:focus');
	await page.keyboard.type('categor');
	await page.keyboard.press('Enter');
	await page.waitForSelector('h1:has-text("Categories")');
	await pressKeys(page, 'g', 'i');
	await page.waitForSelector('text=Made of the lines of the log');
	await page.click('.menu summary');
	await page.selectOption('.sheet select >> nth=3', 'off');
	await page.click('h1');
	await page.keyboard.press('?');
	await pressKeys(page, 'g', 'w');
	assert.equal(await page.locator('dialog').count(), 0);
	assert.match(page.url(), /#\/incidents$/);
	await page.keyboard.press('Control+k');
	await page.waitForSelector('.palette:focus');
	await page.keyboard.press('Escape');
	visitor.quiet();
	await sluice.stop();
});

test('programs of an address become streams', { skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const programs = [1, 2].map((pnr) => ({ pnr, pmtPid: 0x100 * pnr,
		video: 0x100 * pnr + 1, audio: 0x100 * pnr + 2 }));

	await Sender.start(t, new TsMux({ programs }), 5300);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/scan');
	await page.fill('[name=address]', 'udp://127.0.0.1:5300');
	await page.keyboard.press('Enter');
	await page.waitForSelector('tr:has-text("VIDEO, AUDIO") >> nth=1');
	await visitor.accessible('scan');
	// the second one is refused: the next try leaves out the first
	await page.route('**/control/', (route) => {
		const { cmd, stream } = route.request().postDataJSON() ?? {};

		return cmd === 'set-stream' && /pnr=2/.test(stream.input[0])
			? route.fulfill({ status: 400, json: { error: 'no' } })
			: route.fallback();
	});
	visitor.allowed = /status of 400 \S+ set-stream$/;
	await page.click('button:has-text("Select all")');
	await page.click('text=Make 2 streams');
	await page.waitForSelector('.toast:has-text("1 streams were made"):' +
		'has-text("refused: no")');
	await page.waitForSelector('[aria-label="Select 1"]:not(:checked)');
	await page.unroute('**/control/');
	await page.click('text=Make 1 streams');
	await page.waitForSelector('tr[data-id]:has-text("disabled")' +
		' >> text="2"');
	const { make_stream: streams } = await done(sluice, { cmd: 'load' },
		admin);

	assert.deepEqual(streams.at(-1).input, ['udp://127.0.0.1:5300#pnr=2']);
	assert.equal(streams.at(-1).enable, false);
	visitor.quiet();
	await sluice.stop();
});
