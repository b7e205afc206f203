// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser, with a real service and real streams: what it
// shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, login } from '../helpers/auth.mjs';
import { Visitor, noBrowser as skip, pressKeys }
	from '../helpers/browser.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { CONFIG, begin, useBrowser } from '../helpers/page-scene.mjs';
import { Sluice } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

const own = useBrowser();

test('login: wrong, right, and out again', { skip }, async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);

	await visitor.login('admin', 'wrong');
	await visitor.until(() => document.querySelector('.problem')
		.textContent === 'Login or password is wrong.');
	await visitor.accessible('login');
	await page.fill('[name=password]', password);
	await page.keyboard.press('Enter');
	await page.waitForSelector('.tile');
	assert.deepEqual(await page.evaluate(() => [document.cookie,
		JSON.stringify({ ...localStorage }), location.href.includes(
			'token')]), ['', '{}', false]);
	await page.click('.menu summary');
	await page.click('text=Log out');
	await page.waitForSelector('[name=login]');
	await page.reload();
	await page.waitForSelector('[name=login]');
	visitor.quiet();
	await sluice.stop();
});

test('after too many wrong passwords the login counts down', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);
	while ((await login(sluice, 'admin', 'wrong')).status !== 429)
		;
	await page.fill('[name=login]', 'admin');
	await page.fill('[name=password]', password);
	await page.click('form button');
	await page.waitForSelector('.problem:has-text("Too many wrong")');
	assert.ok(await page.isDisabled('form button'));
	const before = await page.textContent('.problem');

	assert.match(before, /in [1-6]?\d s\.$/);
	await visitor.until((text) => !['', text].includes(
		document.querySelector('.problem').textContent), before);
	visitor.quiet();
	await sluice.stop();
});

// Counts in the page: full seconds that were drawn, and at which of them the
// event and the mark came.
const watchTicks = () => {
	const Socket = WebSocket;

	globalThis.seen = { ticks: 0, event: null };
	globalThis.WebSocket = class extends Socket {
		constructor(...args) {
			super(...args);
			this.addEventListener('message', ({ data }) => {
				if (/"stream_event"/.test(data) &&
					/"news"/.test(data) &&
					/"onair":false/.test(data))
					seen.event ??= seen.ticks;
			});
		}
	};
	const frame = () => {
		const text = document.querySelector('.live time')?.textContent;

		if (text !== seen.text) {
			seen.text = text;
			seen.ticks++;
		}
		if (document.querySelector('.tile[title^="News HD:"]')
			?.dataset.mark === 'fault')
			seen.mark ??= seen.ticks;
		requestAnimationFrame(frame);
	};

	requestAnimationFrame(frame);
};

const countTones = () => {
	const { start } = OscillatorNode.prototype;

	globalThis.tones = 0;
	OscillatorNode.prototype.start = function (...args) {
		globalThis.tones++;
		return start.apply(this, args);
	};
};

test('the wall shows a stream that ends, at its place, and why', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);
	const sender = await Sender.start(t, new TsMux(), 5000);

	await sluice.logged(/stream news: on air/);
	await page.addInitScript(watchTicks);
	await page.addInitScript(countTones);
	await page.reload();
	await visitor.login('admin', password);
	await visitor.untilMark('News HD', 'on');
	assert.equal(await visitor.mark('Idle'), 'disabled');
	assert.equal(await visitor.mark('Film 1'), 'fault');
	const names = () => page.locator('.tile b').allTextContents();
	const before = await names();

	assert.deepEqual(before.slice(0, 2), ['News HD', 'Film 1']);
	assert.deepEqual(await page.locator('.grid h2').allTextContents(),
		['Type / News', 'Type / Films', 'Without a group']);
	await page.evaluate('seen.event = null; delete seen.mark');
	// no sound without a request
	assert.equal(await page.evaluate('globalThis.tones'), 0);
	await page.click('button:has-text("Sound")');
	await visitor.until(() => globalThis.tones === 2);
	await sender.stop?.();
	await visitor.untilMark('News HD', 'fault');
	await visitor.until(() => seen.mark !== undefined);
	const seen = await page.evaluate('seen');

	t.diagnostic(JSON.stringify(seen));
	assert.ok(seen.mark - seen.event <= 2, JSON.stringify(seen));
	// two tones when the sound was switched on, and two for the fault
	await visitor.until(() => globalThis.tones >= 4);
	await page.click('button:has-text("Sound")');
	assert.equal(await page.getAttribute('button:has-text("Sound")',
		'aria-pressed'), 'false');
	await visitor.until(() => [...document.querySelectorAll('.wrong li')]
		.some((line) => /^off air\s*News HD\s*no packets/.test(
			line.innerText.replace(/\s+/g, ' '))));
	assert.deepEqual(await names(), before);
	// the text of a name is text
	assert.equal(await page.locator('.tile img, .tile b b').count(), 0);
	const evil = before.find((name) => name.startsWith('<img'));

	assert.match(evil, /^<img src=x onerror=alert\(1\)>\ufffd<\/b>"'`x+…$/);
	await visitor.accessible('wall');
	await page.click('button.full');
	await visitor.until(() => document.fullscreenElement !== null);
	await page.waitForSelector('.rail', { state: 'hidden' });
	// a banner is in sight
	await page.keyboard.press('Space');
	await visitor.until(() => {
		const note = document.querySelector('.banners .note');
		const { x, y } = note?.getBoundingClientRect() ?? {};

		return note !== null &&
			document.elementFromPoint(x + 1, y + 1) === note;
	});
	await page.keyboard.press('Space');
	visitor.quiet();
	await sluice.stop();
});

test('the sound follows streams that a display does not show', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);
	const isHeard = async () => {
		await page.evaluate('globalThis.tones = 0');
		sender.stop();
		await visitor.until(() => globalThis.tones === 2);
	};
	let sender = await Sender.start(t, new TsMux(), 5000);

	await page.addInitScript(countTones);
	await page.reload();
	await visitor.login('admin', password);
	await visitor.untilMark('News HD', 'on');
	await page.click('button:has-text("Sound")');
	await visitor.until(() => globalThis.tones === 2);
	await page.locator('main').focus();
	await page.keyboard.press('Space');
	await page.waitForSelector('text=Frozen since');
	// a busy machine loses packets, which is a warning
	const frozen = await visitor.mark('News HD');
	assert.match(frozen, /^(on|warn)$/);
	await isHeard();
	assert.equal(await visitor.mark('News HD'), frozen);
	await page.keyboard.press('Space');
	sender = await Sender.start(t, new TsMux(), 5000);
	await visitor.untilMark('News HD', 'on');
	await page.evaluate(() => Object.defineProperty(document, 'hidden',
		{ value: true }));
	await isHeard();
	visitor.quiet();
	await sluice.stop();
});

test('a frozen wall shows the present with Continue', { skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const texts = () => page.locator('.tile, .summary, .wrong')
		.evaluateAll((all) => all.map((one) =>
			`${one.title.slice(-20)} ${one.innerText}`
				.replace(/x{99,}/g, '')));
	const sender = await Sender.start(t, new TsMux(), 5000);

	await visitor.login('admin', password);
	await visitor.untilMark('News HD', 'on');
	await page.locator('main').focus();
	await page.keyboard.press('Space');
	await page.waitForSelector('text=Frozen since');
	const before = await texts();
	const overview = page.waitForResponse(async (response) => {
		if (!response.url().endsWith('api/overview'))
			return false;
		const { streams } = await response.json();

		return streams.some(({ id }) => id === 'late') && streams.some(
			({ id, onair }) => id === 'news' && !onair);
	});

	sender.stop();
	await done(sluice, { cmd: 'set-stream', stream: { id: 'late',
		name: 'Late', type: 'spts', enable: true,
		input: ['udp://127.0.0.1:5004'], output: [] } }, admin);
	await overview;
	// the clock is not frozen: the page has drawn with this reply
	for (let i = 0; i < 2; i++) {
		const time = await page.textContent('.live time');

		await visitor.until((text) => document.querySelector(
			'.live time').textContent !== text, time);
	}
	assert.deepEqual(await texts(), before);
	await page.keyboard.press('Space');
	await visitor.untilMark('News HD', 'fault');
	await visitor.untilMark('Late', 'fault');
	await page.waitForSelector('.summary:has-text("4 off air")');
	await page.waitForSelector('.wrong li:has-text("News HD")');
	visitor.quiet();
	await sluice.stop();
});

test('the table filters, sorts and opens by keys alone', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const ids = () => page.locator('tr[data-id]').evaluateAll((rows) =>
		rows.map((row) => row.dataset.id).join(' '));

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await page.keyboard.press('/');
	await page.waitForSelector('#filter:focus');
	await page.keyboard.type('disabled');
	await visitor.until(() => document.querySelectorAll('tr[data-id]')
		.length === 1);
	assert.equal(await ids(), 'idle');
	assert.match(page.url(), /#\/streams\?filter=disabled$/);
	await page.fill('#filter', '-disabled id:e size>1');
	await page.waitForSelector('text=The filter does not have: size>1');
	assert.equal(await ids(), 'news evil');
	await page.fill('#filter', '');
	await page.click('th button:has-text("Id")');
	assert.equal(await ids(), 'evil film idle news');
	await page.click('th button:has-text("Id")');
	assert.equal(await ids(), 'news idle film evil');
	await visitor.accessible('streams');
	// a row below the pointer stays there
	await page.click('th button:has-text("Name")');
	assert.equal(await ids(), 'evil film idle news');
	await page.hover('tr[data-id=film]');
	await done(sluice, { cmd: 'set-stream', id: 'news', stream: {
		...CONFIG.make_stream.find(({ id }) => id === 'news'),
		name: 'A first' } }, admin);
	await page.waitForSelector('tr:has-text("A first")');
	await page.waitForSelector('button:has-text("Sort again (")');
	assert.equal(await ids(), 'evil film idle news');
	await page.mouse.move(0, 0);
	await visitor.until(() => [...document.querySelectorAll('tr[data-id]')]
		.map((row) => row.dataset.id).join(' ') ===
		'evil news film idle');
	await page.click('th button:has-text("Id")');
	await page.click('th button:has-text("Id")');
	await page.locator('tr[tabindex="0"]').focus();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('j');
	await page.keyboard.press('Enter');
	await page.waitForSelector('h1:has-text("Film 1")');
	await page.keyboard.press('Escape');
	await page.waitForSelector('tr[data-id]');
	assert.match(page.url(), /#\/streams\?sort=-id$/);
	// Escape never leaves the page
	for (let i = 0; i < 3; i++)
		await page.keyboard.press('Escape');
	await page.waitForSelector('.tile');
	await pressKeys(page, 'g', 's');
	await page.waitForSelector('tr[data-id]');
	await pressKeys(page, 'g', 'w');
	await page.waitForSelector('.tile');
	await page.keyboard.press('?');
	await page.waitForSelector('dialog[open]');
	await visitor.accessible('keys');
	await page.keyboard.press('Escape');
	await page.waitForSelector('dialog', { state: 'detached' });
	visitor.quiet();
	await sluice.stop();
});

test('a dialog or page that does not load reloads nothing by itself', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);
	const without = (modules) => page.route(modules,
		(route) => route.abort());

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await page.evaluate('globalThis.marker = 1');
	visitor.disturbed = true;
	// the service answers
	await without(/\/help\.js/);
	await page.keyboard.press('?');
	await page.waitForSelector('.toast button:has-text("Reload")');
	// it does not
	await without(/\.js/);
	const asked = page.waitForRequest(/\/shell\.js/);
	await pressKeys(page, 'g', 's');
	await asked;
	assert.equal(await page.evaluate('globalThis.marker'), 1);
	await page.unrouteAll();
	await page.waitForSelector('tr[data-id=news]');
	visitor.disturbed = false;
	visitor.quiet();
	await sluice.stop();
});

test('a page whose files are gone says so, and reloads once', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);
	const gone = (file) => page.route(file, (route) =>
		route.fulfill({ status: 404 }));
	const says = () => page.waitForSelector(
		'[role=alert]:has-text("did not load") button');

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	visitor.disturbed = true;
	await page.evaluate('globalThis.marker = 1');
	await gone(/\/streams\.js/);
	await page.click('.rail a:has-text("Streams")');
	await visitor.until(() => globalThis.marker === undefined);
	await says();
	// not again
	await page.evaluate('globalThis.marker = performance.now()');
	await visitor.until(() => performance.now() > marker + 3000);
	await visitor.accessible('a page that did not load');
	// a removal could not be undone any more
	await visitor.go(sluice.port, '#/edit/idle');
	await page.click('.tools button:has-text("Remove")');
	await page.click('dialog .primary');
	await page.waitForSelector('.toast button:has-text("Undo")');
	await page.click('.rail a:has-text("Streams")');
	await says();
	await page.click('.toast button:has-text("Undo")');
	await page.waitForSelector('.toast:has-text("Saved")');
	// a language
	await gone(/\/words-ru\.js/);
	await page.click('.menu summary');
	await page.selectOption('.sheet select >> nth=2', 'ru');
	await page.waitForSelector('.toast:has-text("did not load") button');
	await page.selectOption('.sheet select >> nth=2', 'en');
	assert.ok(await page.evaluate('marker > 0'));
	await page.unrouteAll();
	await page.click('main [role=alert] button');
	await page.waitForSelector('tr[data-id=news]');
	// and the first page
	await gone(/\/view\.js/);
	await page.reload();
	await page.waitForSelector('p:has-text("did not load") a:visible');
	await page.unrouteAll();
	await page.click('p a');
	await page.waitForSelector('.tile');
	visitor.disturbed = false;
	visitor.quiet();
	await sluice.stop();
});

test('a restart of the service and the death of a process are survived',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);

	await Sender.start(t, new TsMux(), 5000);
	await visitor.login('admin', password);
	await visitor.untilMark('News HD', 'on');
	const isWrong = await visitor.watch('.wrong a[href$="/news"]');

	// a successor may be on air before the wall is drawn
	await waitUntil('the death on the wall', async () => {
		if (await visitor.mark('News HD') === 'on')
			process.kill(sluice.worker('stream', 'news').pid,
				'SIGKILL');
		return isWrong();
	});
	visitor.quiet();
	visitor.disturbed = true;
	// a new service may be there at once
	const wasStale = await visitor.watch('[data-stale=true]');

	await done(sluice, { cmd: 'restart' }, admin);
	await waitUntil('the end of the service', wasStale);
	await page.waitForSelector('[data-stale=false]');
	visitor.disturbed = false;
	// events arrive again
	await done(sluice, { cmd: 'toggle-stream', id: 'film' }, admin);
	await visitor.untilMark('Film 1', 'disabled');
	visitor.quiet();
	await sluice.stop();
});

// Keeps in the page when the last message came.
const noteMessages = () => {
	const Socket = WebSocket;

	globalThis.WebSocket = class extends Socket {
		constructor(...args) {
			super(...args);
			this.addEventListener('message', () => {
				globalThis.heardAt = Date.now();
			});
		}
	};
};

test('values of a service that is stopped are those of its last answer',
	{ skip }, async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);

	await Sender.start(t, new TsMux(), 5000);
	await page.addInitScript(noteMessages);
	await page.reload();
	await visitor.login('admin', password);
	await visitor.untilMark('News HD', 'on');
	// the state may come from the first answer, before any message
	await visitor.until(() => globalThis.heardAt !== undefined);
	process.kill(sluice.pid, 'SIGSTOP');
	await page.waitForSelector('[data-stale=true]');
	await visitor.until(() => ['.banners .fault', 'header time'].every(
		// the page reads its clock a moment after the message
		(shown) => [0, 500].some((ms) => document.querySelector(shown)
			.textContent.includes(new Date(heardAt + ms)
				.toLocaleTimeString('en-GB')))));
	process.kill(sluice.pid, 'SIGCONT');
	await page.waitForSelector('[data-stale=false]');
	visitor.quiet();
	await sluice.stop();
});

test('a refusal and an overload of a moment are survived', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);
	const refused = { 'ws-token': 403, load: 503 };
	const asked = [];

	visitor.allowed = /status of 503 \S+ load$/;
	await page.route('**/control/', (route) => {
		const { cmd } = route.request().postDataJSON();
		const status = refused[cmd];

		asked.push(cmd);
		delete refused[cmd];
		if (status === undefined)
			return route.continue();
		return route.fulfill({ status, json: { error: 'busy' } });
	});
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await page.waitForSelector('[data-stale=false]');
	assert.deepEqual(asked.filter((cmd) => cmd === 'ws-token' ||
		cmd === 'load').slice(0, 5), ['ws-token', 'ws-token', 'load',
		'ws-token', 'load']);
	visitor.quiet();
	await sluice.stop();
});

test('a clock that differs is told, and times are those of the service',
	{ skip }, async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own);

	await page.addInitScript(() => {
		const { now } = Date;

		Date.now = () => now() - 90000;
	});
	await page.reload();
	await visitor.login('admin', password);
	await page.waitForSelector('.banners .note:has-text("differs")');
	assert.match(await page.textContent('.banners .note'), / (89|9[01]) s/);
	// the age of what is wrong is that of the service
	await visitor.until(() => [...document.querySelectorAll('.wrong time')]
		.every((one) => /^for 0[0-9]:/.test(one.textContent.trim())));
	await visitor.accessible('another clock');
	// the chart and the banner of a frozen display
	const isNow = (text) => {
		const [h, m, s] = /(\d\d):(\d\d):(\d\d)/.exec(text).slice(1);
		const now = new Date(), ago = now.getHours() * 3600 +
			now.getMinutes() * 60 + now.getSeconds() -
			(h * 3600 + m * 60 + Number(s));

		assert.ok((ago + 86410) % 86400 < 60, `${text}, ${now}`);
	};

	await Sender.start(t, new TsMux(), 5000);
	await visitor.go(sluice.port, '#/stream/news?range=60');
	await page.focus('.plot >> nth=0');
	await waitUntil('values of a second', async () => {
		await page.keyboard.press('End');
		await page.keyboard.press('ArrowLeft');
		return / CC /.test(await page.textContent('.readout'));
	});
	isNow(await page.textContent('.readout'));
	await page.click('button:has-text("Freeze")');
	isNow(await page.textContent('.banners .note:has-text("Continue")'));
	visitor.quiet();
	await sluice.stop();
});

test('below a prefix, without accounts and without a stream', { skip },
	async (t) => {
	const sluice = await Sluice.start(t, { settings:
		{ control_path: 'tv' } }, { wait: false });
	const visitor = await Visitor.open(t, own.browser);
	const { page } = visitor;

	visitor.disturbed = true; // until the service listens
	await waitUntil('the page', () => visitor.go(sluice.port, '', '/tv')
		.then(() => true));
	visitor.disturbed = false;
	await page.waitForSelector('text=Accounts are switched off');
	await page.waitForSelector('text=There is no stream yet.');
	assert.match(page.url(), /\/tv\/$/);
	await visitor.accessible('empty wall');
	await page.keyboard.press('Space');
	await page.waitForSelector('text=Frozen since');
	await page.click('.menu summary');
	await page.selectOption('.sheet select >> nth=2', 'ru');
	await page.waitForSelector('text=Потоков пока нет.');
	await page.click('main');
	assert.equal(await page.locator('.menu[open]').count(), 0);
	visitor.quiet();
	await sluice.stop();
});
