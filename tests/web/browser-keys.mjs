// SPDX-License-Identifier: GPL-3.0-or-later
// Each page of the web interface, with texts that want to be more: no action
// needs a pointer, each table can be had by curl, and texts stay texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../helpers/auth.mjs';
import { TRIAL_REFUSED, noBrowser as skip } from '../helpers/browser.mjs';
import { walk } from '../helpers/keyboard.mjs';
import { Viewer } from '../helpers/media.mjs';
import { PROGRAM, TsMux, sdtSection } from '../helpers/mux.mjs';
import { CONFIG, EVIL, begin, useBrowser } from '../helpers/page-scene.mjs';
import { Sender } from '../helpers/udp.mjs';
import { run, waitUntil } from '../helpers/util.mjs';

const own = useBrowser();
const LONG = `${EVIL}${'y'.repeat(10000)}`;
// What the page makes of it: a mark of direction is not obeyed.
const SHOWN = '<img src=x onerror=alert(1)>';

// What others choose: names of lists, of services, and of programs that ask.
async function poison({ sluice, admin }) {
	await done(sluice, { cmd: 'set-softcam', id: 'cam1', softcam: {
		id: 'cam1', name: LONG, type: 'newcamd', host: '127.0.0.1',
		port: 9, user: EVIL, pass: 'p' } }, admin);
	await done(sluice, { cmd: 'set-cas', id: 'cas1', cas: { id: 'cas1',
		name: LONG } }, admin);
	await done(sluice, { cmd: 'set-adapter', id: 's1', adapter: {
		id: 's1', name: LONG, type: 'S2', enable: false } }, admin);
	await done(sluice, { cmd: 'set-server', server: { type: 'streamer',
		enable: false, name: LONG, host: '127.0.0.1', port: 9 } },
	admin);
	// the log has the name of who logs in
	await done(sluice, { cmd: 'set-user', id: 'vera', user: { type: 2,
		enable: true, password: 'look', comment: LONG } }, admin);
	await sluice.post({ cmd: 'login', login: EVIL, password: 'x' });
}

// Each page, and what is on it when it is complete.
const PAGES = [['wall', '.tile'], ['streams', `tr:has-text("${SHOWN}")`],
	['stream/news', 'td:has-text("continuity")'],
	['stream/news?tab=tables', '.tree b:has-text("SDT")'],
	['stream/news?tab=switches', '#tab-panel p, #tab-panel table'],
	['stream/news?tab=viewers', `#tab-panel td:has-text("${SHOWN}")`],
	['stream/news?tab=log', '.stream-log li'],
	['edit/evil', '.edit .address-row'], ['new', '.edit .address-row'],
	['sessions', `td:has-text("${SHOWN}")`],
	['log', `.log li:has-text("${SHOWN}")`],
	['incidents', '[data-incident]'], ['network', 'text=No session was'],
	['adapters', `td:has-text("${SHOWN}")`],
	['adapters?edit=s1', '[id="adapter.name"]'],
	['transponders', '[id="adapter.name"]'],
	['softcams', `td:has-text("${SHOWN}")`],
	['softcams?edit=cam1', '[id="softcam.name"]'],
	['cas', `td:has-text("${SHOWN}")`],
	['scan?address=udp://127.0.0.1:5000', `td:has-text("${SHOWN}")`],
	['settings', '[id="settings.instance_name"]'],
	['auth', '[id="auth.enable"]'], ['users', `td:has-text("${SHOWN}")`],
	['categories', '.box:has-text("News")'], ['outputs', '.tools button'],
	['servers', `td:has-text("${SHOWN}")`], ['logging',
		'[id="log.debug"]'], ['configuration', 'input[type=file]']];

// In the page: elements that a text has made, and what is wider than the page.
const escaped = () => [...[...document.querySelectorAll(
	'img[src=x], [onerror], bdi *, option *')].map((one) => one.outerHTML
	.slice(0, 200)), ...document.documentElement.scrollWidth > innerWidth
	? ['the page is wider than its window'] : []];

// The line that a button of the page copies, of each table.
async function copied(page) {
	const lines = [];

	for (const button of await page.locator('.curl button').all()) {
		await button.focus();
		await page.keyboard.press('Enter');
		lines.push(await page.evaluate(() =>
			navigator.clipboard.readText()));
	}
	return lines;
}

test('each page: by keyboard, by curl, and text stays text', { skip },
	async (t) => {
	const scene = await begin(t, own);
	const { sluice, admin, password, visitor, page } = scene;
	const source = new TsMux({ programs: [PROGRAM] });
	const lines = new Set(), found = {};

	source.more = [[0x11, sdtSection([1], { names: { 1: EVIL } })]];
	await Sender.start(t, source, 5000);
	await poison(scene);
	await done(sluice, { cmd: 'set-stream', id: 'news', stream: {
		...CONFIG.make_stream.find(({ id }) => id === 'news'),
		output: ['http://127.0.0.1:8100/news'] } }, admin);
	await sluice.logged(/stream news: on air/);
	const viewer = await Viewer.open(t, 8100, '/news', { headers: {
		'User-Agent': Buffer.from(EVIL.repeat(20)).toString('latin1'),
	} });

	await waitUntil('packets', () => viewer.bytes > 0);
	await visitor.context.grantPermissions(['clipboard-read',
		'clipboard-write']);
	visitor.allowed = TRIAL_REFUSED;
	await visitor.login('admin', password);
	for (const [hash, complete] of PAGES) {
		await visitor.go(sluice.port, `#/${hash}`);
		await page.waitForSelector(complete);
		assert.deepEqual(await page.evaluate(escaped), [], hash);
		await visitor.usable(hash);
		found[hash] = (await walk(page, hash)).length;
		for (const line of await copied(page))
			lines.add(line);
	}
	t.diagnostic(JSON.stringify({ found, lines: [...lines] }));
	visitor.quiet();
	// each line is one of a shell, and curl gets a reply
	for (const line of lines) {
		const { code, out, err } = await run('sh', ['-c', line.replace(
			'-u \'admin\'', '-sf -u "$CREDENTIAL"')], { env: {
			...process.env, CREDENTIAL: `admin:${password}` } });

		assert.equal(code, 0, `${line}: ${err}`);
		assert.doesNotThrow(() => JSON.parse(out), line);
	}
	assert.ok(lines.size >= 8, [...lines].join('\n'));
	await sluice.stop();
});
