// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of every page, wide and narrow, dark and light, with no stream, with
// one, with twenty and with a thousand.  doc/web.md has some of them; all are
// for the eye.  `make screenshots' writes them.
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Visitor, noBrowser as skip } from '../helpers/browser.mjs';
import { STREAMS, play, startCrowd } from '../helpers/crowd.mjs';
import { useBrowser } from '../helpers/page-scene.mjs';
import { startPlayed, startShow } from '../helpers/show-scene.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { builddir } from '../helpers/util.mjs';

const own = useBrowser();
const folder = path.join(builddir, 'screenshots');
const WIDE = { width: 1280, height: 800 }, NARROW = { width: 360, height: 740 };
const LARGE = { width: 1920, height: 1080 };
const CHART_MS = 60000; // the charts of a minute are full

// NAME-LOOK of some pictures; without it all are taken.
const only = (process.env.PICTURES ?? '').split(' ').filter(Boolean);
const wants = (name) => only.length === 0 || only.includes(name);

fs.mkdirSync(folder, { recursive: true });

// All pages of the scene: name, hash, and what makes it complete.
const PAGES = [
	['streams', '#/streams', 'tr[data-id]'],
	['stream', '#/stream/newshd?range=60', '.plot canvas'],
	['stream-off', '#/stream/arena?range=60&tab=log', '.stream-log li'],
	['stream-backup', '#/stream/film3?range=60&tab=switches',
		'.plot canvas'],
	['tables', '#/stream/newshd?tab=tables', '.tree b'],
	['edit', '#/edit/film3', '.save'],
	['new', '#/new', '.save'],
	['viewers', '#/sessions', 'td:has-text("VLC")'],
	['log', '#/log', '.lines li, li:has-text("on air")'],
	['incidents', '#/incidents', 'tr[data-incident]'],
	['network', '#/network', 'h1'],
	['scan', '#/scan', 'h1'],
	['adapters', '#/adapters', 'td:has-text("Transponder")'],
	['adapter', '#/adapters?edit=tp1', '.save'],
	['transponders', '#/transponders?adapter=tp1', '.scan-form'],
	['softcams', '#/softcams?edit=cam1', '.save'],
	['cas', '#/cas?edit=cas1', '.save'],
	['settings', '#/settings', '.save'],
	['auth', '#/auth', 'h1'],
	['users', '#/users', 'td:has-text("olga")'],
	['categories', '#/categories', 'h1'],
	['outputs', '#/outputs', 'h1'],
	['servers', '#/servers', 'h1'],
	['logging', '#/logging', 'h1'],
	['configuration', '#/configuration', 'h1'],
];

class Camera {
	constructor(visitor, port, look) {
		Object.assign(this, { visitor, port, look,
			page: visitor.page });
	}

	static async open(t, port, look, scheme, size) {
		const visitor = await Visitor.open(t, own.browser,
			{ scheme, ...size });

		await visitor.go(port);
		return new Camera(visitor, port, look);
	}

	async take(name) {
		if (wants(`${name}-${this.look}`))
			await this.page.screenshot({ path: path.join(folder,
				`${name}-${this.look}.png`) });
	}

	async go(name, hash, complete) {
		if (!wants(`${name}-${this.look}`))
			return;
		await this.visitor.go(this.port, hash);
		await this.page.waitForSelector(complete);
		await pause(1200); // the values of a second
		await this.take(name);
	}
}

// The looks of which a picture is wanted.
const wanted = (looks) => looks.filter(([look]) => only.length === 0 ||
	only.some((name) => name.endsWith(look)));
const LOOKS = wanted([['wide-dark', 'dark', WIDE],
	['wide-light', 'light', WIDE], ['narrow-dark', 'dark', NARROW],
	['narrow-light', 'light', NARROW]]);

test('every page of a headend with twenty streams', { skip }, async (t) => {
	const { sluice, password } = await startShow(t);

	await pause(CHART_MS);
	for (const [look, scheme, size] of LOOKS) {
		const camera = await Camera.open(t, sluice.port, look, scheme,
			size);
		const { page, visitor } = camera;

		await page.waitForSelector('[name=login]');
		await camera.take('login');
		await visitor.login('admin', password);
		await page.waitForSelector('.tile');
		for (const one of PAGES)
			await camera.go(...one);
		await visitor.go(sluice.port, '#/stream/newshd?range=60');
		await page.waitForSelector('.plot canvas');
		await page.keyboard.press('p');
		await visitor.until(() => document.querySelector('video')
			?.getVideoPlaybackQuality().totalVideoFrames > 40);
		await camera.take('preview');
		await page.keyboard.press('Control+k');
		await page.waitForSelector('.palette');
		await camera.take('palette');
		await page.keyboard.press('Escape');
		await page.waitForSelector('dialog', { state: 'detached' });
		await page.keyboard.press('?');
		await page.waitForSelector('dialog[open]');
		await camera.take('help');
		await page.keyboard.press('Escape');
		await page.click('.menu summary');
		await camera.take('menu');
		await page.selectOption('.sheet select >> nth=2', 'ru');
		await camera.go('wall-ru', '#/wall', '.tile');
		await camera.go('edit-ru', '#/edit/film3', '.save');
	}
});

test('the wall with twenty streams', { skip }, async (t) => {
	const service = await startPlayed(t);

	for (const [look, scheme, size] of LOOKS)
		await (await Camera.open(t, service.port, look, scheme, size))
			.go('wall', '#/wall', '.tile');
});

for (const [n, streams] of [[0, []], [1, [stream('news',
	'udp://127.0.0.1:5000', 'udp://127.0.0.1:5100',
	{ name: 'News HD' })]]])
	test(`${n} streams`, { skip }, async (t) => {
		const sluice = await Sluice.start(t, config(...streams));

		for (const [look, scheme, size] of LOOKS) {
			const camera = await Camera.open(t, sluice.port, look,
				scheme, size);

			await camera.go(`wall-${n}`, '#/wall', 'main');
			await camera.go(`streams-${n}`, '#/streams', 'main');
		}
		await sluice.stop();
	});

test('1,000 streams', { skip }, async (t) => {
	const service = await startCrowd(t);

	const large = wanted([['large-dark', 'dark', LARGE],
		['large-light', 'light', LARGE]]);

	for (const [look, scheme, size] of [...large, ...LOOKS]) {
		const camera = await Camera.open(t, service.port, look, scheme,
			size);

		await camera.visitor.until((n) => document.querySelectorAll(
			'.tile').length === n, STREAMS);
		await play(service, 0, 3, 1);
		await camera.take('wall-1000');
		await camera.visitor.go(service.port, '#/streams');
		await camera.page.waitForSelector('tr[data-id]');
		await play(service, 3, 2, 1);
		await camera.take('streams-1000');
		await camera.visitor.context.close();
	}
});
