// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in a browser, over TLS, behind a proxy, and with other
// headends on its wall.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { PASSWORD, done, startGuarded } from '../helpers/auth.mjs';
import { OTHER_HOST, Visitor, noBrowser as skip } from '../helpers/browser.mjs';
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
	const warning = page.locator('text=not encrypted');

	// within this machine nobody listens
	await page.waitForSelector('[name=login]');
	assert.equal(await warning.count(), 0);
	await page.goto(`http://${OTHER_HOST}:${sluice.port}/`);
	await warning.waitFor();
	await visitor.accessible('login over plain HTTP');
	const port = await startProxy(t, { to: sluice.port, prefix: '/tv/',
		key: fs.readFileSync(cert.key), chain: cert.pem });

	await page.goto(`https://127.0.0.1:${port}/tv/`);
	await page.waitForSelector('[name=login]');
	assert.equal(await warning.count(), 0);
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

test('another headend is a section of the wall, with its state', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const origin = `http://127.0.0.1:${sluice.port}`;
	const far = await startGuarded(t, { users: {
		wall: { type: 2, password: 'look' } },
	config: { settings: { web_origins: [origin] },
		make_stream: [stream('sport', 'udp://127.0.0.1:5400',
			'udp://127.0.0.1:5500', { name: 'Sport' })] } });

	await done(sluice, { cmd: 'set-server', server: { type: 'streamer',
		enable: true, name: 'oslo', host: '127.0.0.1',
		port: far.sluice.port, user: 'wall', pass: 'look' } }, admin);
	await visitor.login('admin', password);
	await page.waitForSelector('.other h2:has-text("oslo")');
	await page.waitForSelector('.other:has-text("connected")');
	await visitor.untilMark('Sport', 'fault');
	await page.waitForSelector('.wrong li:has-text("oslo: Sport")');
	const link = page.locator('.tile[title^="Sport:"]');

	assert.equal(await link.getAttribute('href'),
		`http://127.0.0.1:${far.sluice.port}/#/stream/sport`);
	// its events arrive too
	await done(far.sluice, { cmd: 'toggle-stream', id: 'sport' },
		far.admin);
	await visitor.untilMark('Sport', 'disabled');
	await visitor.accessible('two headends');
	visitor.quiet();
	visitor.disturbed = true;
	// the processes of the other one stay
	far.sluice.child.kill('SIGTERM');
	await far.sluice.child.ended;
	await page.waitForSelector('.other:has-text("unreachable since")');
	await page.waitForSelector('.wrong li:has-text("oslo")');
	// this one goes on
	await page.waitForSelector(
		'[data-stale=false]:not(:has(.banners .fault))');
	await sluice.stop();
});

test('an entry whose password is corrected has the last minute again',
	{ skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const far = await startGuarded(t, { users: {
		wall: { type: 2, password: 'look' } },
	config: { settings: {
		web_origins: [`http://127.0.0.1:${sluice.port}`] },
	make_stream: [stream('sport', 'udp://127.0.0.1:5400',
		'udp://127.0.0.1:5500', { name: 'Sport' })] } });
	const enter = (pass, more) => done(sluice, { cmd: 'set-server',
		server: { type: 'streamer', enable: true, name: 'oslo',
			host: '127.0.0.1', port: far.sluice.port, user: 'wall',
			pass }, ...more }, admin);

	await enter('wrong');
	await visitor.login('admin', password);
	await page.waitForSelector('.other:has-text("login refused")');
	await page.selectOption('.wall-tools select >> nth=-1', 'l');
	await enter('look', { id: 0 });
	await visitor.untilMark('Sport', 'fault');
	await visitor.until(() => {
		const strip = document.querySelector('.other canvas');
		const blank = strip.cloneNode();

		return strip.toDataURL() !== blank.toDataURL();
	});
	visitor.quiet();
	far.sluice.child.kill('SIGTERM');
	await far.sluice.child.ended;
	await sluice.stop();
});
