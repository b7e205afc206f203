// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface in Debian's Firefox: it logs in, shows and follows streams,
// plays one, edits one and logs out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, startGuarded } from '../helpers/auth.mjs';
import { Firefox, noFirefox } from '../helpers/firefox.mjs';
import { liveMultiplex } from '../helpers/media.mjs';
import { CONFIG } from '../helpers/page-scene.mjs';
import { lacks } from '../helpers/peers.mjs';

const skip = noFirefox || lacks('ffmpeg');
const mark = (name) => `document.querySelector('.tile[title^="${name}:"]')
	?.dataset.mark`;

test('Firefox shows the headend, plays a stream and saves a change', { skip },
	async (t) => {
	const [firefox, { sluice, admin, password }] = await Promise.all([
		Firefox.open(t), startGuarded(t, { config: CONFIG })]);

	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await firefox.go(`http://127.0.0.1:${sluice.port}/`);
	await firefox.click('[name=login]');
	await firefox.type('admin');
	await firefox.click('[name=password]');
	await firefox.type(password);
	await firefox.type('Enter');
	await firefox.until(`${mark('News HD')} === "on" ||
		${mark('News HD')} === "warn"`);
	assert.equal(await firefox.evaluate(mark('Idle')), 'disabled');
	assert.equal(await firefox.evaluate('document.cookie'), '');
	// events arrive
	await done(sluice, { cmd: 'toggle-stream', id: 'film' }, admin);
	await firefox.until(`${mark('Film 1')} === "disabled"`);
	await firefox.click('.tile[title^="News HD:"]');
	await firefox.seen('.plot canvas');
	await firefox.seen('td', 'video');
	// a Firefox without the codec says so
	await firefox.type('p');
	await firefox.until(`document.querySelector('video')
		?.getVideoPlaybackQuality().totalVideoFrames > 10 ||
		/cannot play H.264/.test(document.querySelector('.preview')
			?.innerText)`);
	t.diagnostic(await firefox.evaluate(
		'document.querySelector(".preview").innerText'));
	await firefox.type('p');
	await firefox.type('e');
	await firefox.seen('.save button', 'Save');
	await firefox.evaluate(
		'document.getElementById("stream.name").select()');
	await firefox.type('News One');
	await firefox.seen('.save', 'News One');
	await firefox.click('.save .primary:not(:disabled)');
	await firefox.seen('h1', 'News One');
	const { stream } = await done(sluice, { cmd: 'get-stream', id: 'news' },
		admin);

	assert.equal(stream.name, 'News One');
	await firefox.click('.menu summary');
	await firefox.evaluate(`[...document.querySelectorAll('.menu button')]
		.find((one) => one.textContent.includes('Log out')).click()`);
	await firefox.seen('form label', '');
	await firefox.until('document.querySelector("[name=login]") !== null');
	firefox.quiet();
	await sluice.stop();
});
