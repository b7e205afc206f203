// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser, over TLS, behind a proxy, and with other
// headends on its wall.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { PASSWORD, done } from '../helpers/auth.mjs';
import { Visitor, noBrowser as skip } from '../helpers/browser.mjs';
import { begin, useBrowser } from '../helpers/page-scene.mjs';
import { startProxy } from '../helpers/proxy.mjs';
import { Sluice, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const own = useBrowser();

test('behind a proxy with a prefix and TLS everything works', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const cert = await certificate(tempDir(t), 'proxy');
	const port = await startProxy(t, { to: sluice.port, prefix: '/tv/',
		key: fs.readFileSync(cert.key), chain: cert.pem });

	await page.goto(`https://127.0.0.1:${port}/tv/`);
	await page.waitForSelector('[name=login]');
	assert.equal(await page.locator('text=not encrypted').count(), 0);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	// events arrive
	await page.waitForSelector('[data-stale=false] .live[data-mark=on]');
	await done(sluice, { cmd: 'toggle-stream', id: 'film' }, admin);
	await visitor.untilMark('Film 1', 'disabled');
	await page.click('.tile[title^="News HD:"]');
	await page.waitForSelector('.plot canvas');
	assert.match(page.url(), /\/tv\/#\/stream\/news$/);
	await page.reload();
	await page.waitForSelector('h1:has-text("News HD")');
	visitor.quiet();
	await sluice.stop();
});

test('the service itself speaks TLS', { skip }, async (t) => {
	const cert = await certificate(tempDir(t), 'own');
	const sluice = await Sluice.start(t, { settings: settingsOf(cert),
		make_stream: [stream('news', 'udp://127.0.0.1:5000',
			'udp://127.0.0.1:5100')] },
	{ auth: true, wait: false });
	const password = await waitUntil('first password',
		() => PASSWORD.exec(sluice.log)?.[1]);
	const visitor = await Visitor.open(t, own.browser);
	const { page } = visitor;

	await waitUntil('the page', () => page.goto(
		`https://127.0.0.1:${sluice.port}/`).then(() => true));
	visitor.problems.length = 0;
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await page.waitForSelector('.live[data-mark=on]');
	const [cookie] = await visitor.context.cookies();

	assert.deepEqual([cookie.secure, cookie.httpOnly], [true, true]);
	visitor.quiet();
	await sluice.stop();
});
