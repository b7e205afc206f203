// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser, with a real service and real streams.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { done, startGuarded } from '../helpers/auth.mjs';
import { Visitor, noBrowser, openBrowser } from '../helpers/browser.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

const skip = noBrowser;
let browser;

if (!skip) {
	const end = [];

	before(async () => {
		browser = await openBrowser({ after: (run) => end.push(run) });
	});
	after(() => Promise.all(end.map((run) => run())));
}

// Text that wants to be more.
const EVIL = '<img src=x onerror=alert(1)>\u202e</b>"\'`';
const source = (id, port, more = {}) => stream(id,
	`udp://127.0.0.1:${port}`, `udp://127.0.0.1:${port + 100}`, more);

const CONFIG = {
	gid: 466560,
	settings: { instance_name: 'north' },
	categories: [{ name: 'Type', groups: [{ name: 'News' },
		{ name: 'Films' }] }],
	make_stream: [
		source('film', 5001, { name: 'Film 1',
			groups: { Type: 'Films' } }),
		source('news', 5000, { name: 'News HD',
			groups: { Type: 'News' } }),
		source('evil', 5002, { name: `${EVIL}${'x'.repeat(10000)}` }),
		source('idle', 5003, { name: 'Idle', enable: false }),
	],
};

const users = { olga: { type: 2, password: 'look', enable: true } };

async function begin(t, more = {}) {
	const guarded = await startGuarded(t, { config: CONFIG, users });
	const visitor = await Visitor.open(t, browser, more);

	await visitor.go(guarded.sluice.port);
	return { ...guarded, visitor, page: visitor.page };
}

test('login: wrong, right, and out again', { skip }, async (t) => {
	const { sluice, password, visitor, page } = await begin(t);

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

test('the wall shows a stream that ends, at its place, and why', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t);
	const sender = await Sender.start(t, new TsMux(), 5000);

	await sluice.logged(/stream news: on air/);
	await page.addInitScript(watchTicks);
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
	await sender.stop?.();
	await visitor.untilMark('News HD', 'fault');
	const seen = await page.evaluate('seen');

	t.diagnostic(JSON.stringify(seen));
	assert.ok(seen.mark - seen.event <= 2, JSON.stringify(seen));
	await visitor.until(() => [...document.querySelectorAll('.wrong li')]
		.some((line) => /^off air\s*News HD\s*no packets/.test(
			line.innerText.replace(/\s+/g, ' '))));
	assert.deepEqual(await names(), before);
	// the text of a name is text
	assert.equal(await page.locator('.tile img, .tile b b').count(), 0);
	const evil = before.find((name) => name.startsWith('<img'));

	assert.match(evil, /^<img src=x onerror=alert\(1\)>\ufffd<\/b>"'`x+…$/);
	await visitor.accessible('wall, dark');
	await page.emulateMedia({ colorScheme: 'light' });
	await visitor.accessible('wall, light');
	visitor.quiet();
	await sluice.stop();
});

test('the table filters, sorts and opens by keys alone', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t);
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
	await visitor.accessible('streams, dark');
	await page.emulateMedia({ colorScheme: 'light' });
	await visitor.accessible('streams, light');
	await page.locator('tr[tabindex="0"]').focus();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('j');
	await page.keyboard.press('Enter');
	await page.waitForSelector('h1:has-text("Film 1")');
	await page.keyboard.press('Escape');
	await page.waitForSelector('tr[data-id]');
	await page.keyboard.press('g');
	await page.keyboard.press('w');
	await page.waitForSelector('.tile');
	await page.keyboard.press('?');
	await page.waitForSelector('dialog[open]');
	await visitor.accessible('keys');
	await page.keyboard.press('Escape');
	await page.waitForSelector('dialog', { state: 'detached' });
	visitor.quiet();
	await sluice.stop();
});

test('a stream: its inputs, analysis, and what a user may do', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t);

	await Sender.start(t, new TsMux(), 5000);
	await sluice.logged(/stream news: on air/);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/stream/news');
	await page.waitForSelector('td:has-text("udp://127.0.0.1:5000")');
	await page.waitForSelector('.sentence b:has-text("on air")');
	await page.waitForSelector('td:has-text("continuity")');
	await page.waitForSelector('td:has-text("video")');
	await visitor.accessible('stream, dark');
	await page.emulateMedia({ colorScheme: 'light' });
	await visitor.accessible('stream, light');
	const { pid } = sluice.worker('stream', 'news');

	// for a moment no process of the stream answers
	visitor.allowed = /503.*(stream-analysis|Unavailable)/;
	await page.keyboard.press('r');
	await page.waitForSelector('dialog:has-text("Viewers now: 0")');
	await visitor.accessible('question');
	await page.click('dialog .primary');
	await page.waitForSelector('text=News HD was restarted.');
	await sluice.replaced('stream', 'news', pid);
	await page.click('button:has-text("Disable")');
	await page.click('dialog .primary');
	await page.waitForSelector('.sentence b:has-text("disabled")');
	assert.equal((await done(sluice, { cmd: 'get-stream', id: 'news' },
		admin)).stream.enable, false);
	// another user's change is here without a reload
	await done(sluice, { cmd: 'toggle-stream', id: 'news' }, admin);
	await page.waitForSelector('button:has-text("Disable")');
	await page.click('[role=tab]:has-text("Switches")');
	await page.click('[role=tab]:has-text("Viewers")');
	await page.waitForSelector('text=Nobody watches.');
	visitor.quiet();
	await sluice.stop();
});

test('the log grows, is searched, and holds still when it is read', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t,
		{ height: 300 });
	const texts = () => page.locator('.log li').evaluateAll((lines) =>
		lines.map((line) => line.lastElementChild.textContent));

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await page.keyboard.press('g');
	await page.keyboard.press('l');
	await page.waitForSelector('.log li:has-text("running, pid")');
	await visitor.accessible('log');
	await page.fill('#filter', 'RUNNING');
	await visitor.until(() => [...document.querySelectorAll('.log li')]
		.every((line) => /running/.test(line.textContent)));
	const before = (await texts()).length;

	await done(sluice, { cmd: 'restart-stream', id: 'film' }, admin);
	await visitor.until((n) => document.querySelectorAll('.log li')
		.length > n, before);
	await page.fill('#filter', '');
	await page.selectOption('.tools select', 'warning');
	await page.waitForSelector('.log [data-level=warning]');
	await visitor.until(() => document.querySelector(
		'.log [data-level=info]') === null);
	await page.selectOption('.tools select', 'info');
	await page.waitForSelector('.log [data-level=info]');
	// scrolled up: what is read stays, and news are counted
	await page.locator('.log').evaluate((box) => { box.scrollTop = 0; });
	await done(sluice, { cmd: 'restart-stream', id: 'film' }, admin);
	await page.waitForSelector('.news:has-text("new")');
	assert.equal(await page.locator('.log').evaluate((box) =>
		box.scrollTop), 0);
	await page.click('.news');
	await page.waitForSelector('.news', { state: 'detached' });
	await page.click('.log a:has-text("stream film") >> nth=0');
	await page.waitForSelector('h1:has-text("Film 1")');
	await page.click('text=Log of this stream');
	await visitor.until(() => [...document.querySelectorAll('.log li a')]
		.every((link) => link.textContent === 'stream film'));
	await page.keyboard.press('g');
	await page.keyboard.press('v');
	await page.waitForSelector('text=Nobody watches.');
	await visitor.accessible('viewers');
	visitor.quiet();
	await sluice.stop();
});

test('a stream is made, edited by two users, removed and brought back',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t);
	const get = async (id) => (await done(sluice, { cmd: 'get-stream', id },
		admin)).stream;
	const input = (n) => page.locator('.address-row input').nth(n);
	const save = () => page.keyboard.press('Control+Enter');

	// a request that the service refuses is a part of the test
	visitor.allowed = /40[09] /;
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/new');
	await page.fill('#name', 'Fresh');
	await input(0).fill('udp://127.0.0.1:70000');
	await input(1).fill('udp://127.0.0.1:5200');
	await visitor.accessible('new stream');
	await save();
	await page.waitForSelector('.address-row .problem:has-text("70000")');
	assert.equal(await input(0).getAttribute('aria-invalid'), 'true');
	await visitor.accessible('an error at its field');
	await input(0).fill('udp://127.0.0.1:5200');
	await input(1).fill('udp://127.0.0.1:5201');
	await save();
	await page.waitForSelector('h1:has-text("Fresh")');
	const id = decodeURIComponent(page.url().split('/stream/')[1]);
	const { name, ...made } = await get(id);

	assert.equal(name, 'Fresh');
	assert.deepEqual(made.output, ['udp://127.0.0.1:5201']);
	// another user changes one field that is touched, and one that is not
	await page.keyboard.press('e');
	await page.waitForSelector('.edit');
	await page.fill('#name', 'Mine');
	await page.fill('textarea', '{"my_note": 7, "broken"');
	await page.waitForSelector('.further .problem:has-text("JSON")');
	assert.ok(await page.locator('.save .primary').isDisabled());
	await page.fill('textarea', '{"my_note": 7}');
	await done(sluice, { cmd: 'set-stream', id, stream: { ...made,
		name: 'Theirs', output: ['udp://127.0.0.1:5202'] } }, admin);
	await page.waitForSelector('.note:has-text("Theirs")');
	await visitor.accessible('two users');
	assert.equal(await input(1).inputValue(), 'udp://127.0.0.1:5202');
	assert.ok(await page.locator('.save .primary').isDisabled());
	await page.click('text=Keep yours');
	await page.click('.changes summary');
	await page.waitForSelector('.changes ins:has-text("Mine")');
	await page.click('.save .primary');
	await page.waitForSelector('h1:has-text("Mine")');
	const merged = await get(id);

	assert.deepEqual([merged.name, merged.my_note, merged.output],
		['Mine', 7, ['udp://127.0.0.1:5202']]);
	// removed, and brought back
	await visitor.go(sluice.port, `#/edit/${id}`);
	await page.click('.tools button:has-text("Remove")');
	await page.click('dialog .primary');
	await page.waitForSelector('.toast:has-text("Mine was removed.")');
	await visitor.until((gone) => !document.querySelector(
		`tr[data-id="${gone}"]`), id);
	await page.click('.toast button');
	await page.waitForSelector(`tr[data-id="${id}"]`);
	assert.equal((await get(id)).my_note, 7);
	visitor.quiet();
	await sluice.stop();
});

test('an observer gets no control that would be refused', { skip },
	async (t) => {
	const { sluice, visitor, page } = await begin(t, { width: 360 });

	await visitor.login('olga', 'look');
	await page.waitForSelector('.tile');
	assert.equal(await page.locator('.rail a:has-text("Log")').count(), 0);
	await visitor.go(sluice.port, '#/stream/news');
	await page.waitForSelector('td:has-text("udp://127.0.0.1:5000")');
	assert.equal(await page.locator('main button:not([role=tab])').count(),
		0);
	await page.keyboard.press('r');
	await page.keyboard.press('t');
	await page.keyboard.press('e');
	assert.equal(await page.locator('dialog').count(), 0);
	assert.match(page.url(), /#\/stream\/news$/);
	// nothing is wider than a phone
	assert.ok(await page.evaluate(
		'document.documentElement.scrollWidth <= innerWidth'));
	await visitor.accessible('stream, narrow');
	visitor.quiet();
	await sluice.stop();
});

test('a restart of the service and the death of a process are survived',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t);

	await Sender.start(t, new TsMux(), 5000);
	await visitor.login('admin', password);
	await visitor.untilMark('News HD', 'on');
	process.kill(sluice.worker('stream', 'news').pid, 'SIGKILL');
	await page.waitForSelector('.wrong li:has-text("News HD")');
	visitor.quiet();
	visitor.disturbed = true;
	await done(sluice, { cmd: 'restart' }, admin);
	await page.waitForSelector('[data-stale=true]');
	await page.waitForSelector('[data-stale=false]');
	visitor.disturbed = false;
	// events arrive again
	await done(sluice, { cmd: 'toggle-stream', id: 'film' }, admin);
	await visitor.untilMark('Film 1', 'disabled');
	visitor.quiet();
	await sluice.stop();
});

test('below a prefix, without accounts and without a stream', { skip },
	async (t) => {
	const sluice = await Sluice.start(t, { settings:
		{ control_path: 'tv' } }, { wait: false });
	const visitor = await Visitor.open(t, browser);
	const { page } = visitor;

	await waitUntil('the page', () => visitor.go(sluice.port, '', '/tv')
		.then(() => true));
	await page.waitForSelector('text=Accounts are switched off');
	await page.waitForSelector('text=There is no stream yet.');
	assert.match(page.url(), /\/tv\/$/);
	await visitor.accessible('empty wall');
	await page.keyboard.press('Space');
	await page.waitForSelector('text=Frozen since');
	await page.click('.menu summary');
	await page.selectOption('.sheet select >> nth=2', 'ru');
	await page.waitForSelector('text=Потоков пока нет.');
	visitor.quiet();
	await sluice.stop();
});
