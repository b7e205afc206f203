// SPDX-License-Identifier: GPL-3.0-or-later
// A service with some streams, and its web interface in Chromium.
import { after, before } from 'node:test';
import { cookie, done, startGuarded } from './auth.mjs';
import { Visitor, noBrowser, openBrowser } from './browser.mjs';
import { stream } from './sluice.mjs';

// Text that wants to be more.
export const EVIL = '<img src=x onerror=alert(1)>\u202e</b>"\'`';
const source = (id, port, more = {}) => stream(id,
	`udp://127.0.0.1:${port}`, `udp://127.0.0.1:${port + 100}`, more);

export const CONFIG = {
	gid: 466560,
	settings: { instance_name: 'north', http_play_stream: true,
		http_play_hls: true },
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

// One browser for all tests of a file: { browser } after the first hook.
export function useBrowser() {
	const end = [], self = { browser: null };

	if (!noBrowser) {
		before(async () => {
			self.browser = await openBrowser(
				{ after: (run) => end.push(run) });
		});
		after(() => Promise.all(end.map((run) => run())));
	}
	return self;
}

// more: of Visitor.open()
export async function begin(t, { browser }, more = {}) {
	const [guarded, visitor] = await Promise.all([
		startGuarded(t, { config: CONFIG, users }),
		Visitor.open(t, browser, more)]);

	await visitor.go(guarded.sluice.port);
	return { ...guarded, visitor, page: visitor.page };
}

// The service ends the session of the page.  Another user changes a stream, so
// that the page asks for the state and is refused.
export async function endSession({ sluice, admin, visitor }) {
	const { value } = (await visitor.context.cookies()).find(({ name }) =>
		name === 'svc_session');

	await done(sluice, { cmd: 'logout' }, cookie(value));
	await done(sluice, { cmd: 'toggle-stream', id: 'idle' }, admin);
}

// Stops the first command of the page that is wanted: a function that waits
// for its route.  Other requests pass.
export async function hold(page, wanted) {
	let take;
	const held = new Promise((resolve) => {
		take = resolve;
	});

	await page.route('**/control/', (route) => {
		if (take === null || !wanted(route.request().postDataJSON()))
			return route.fallback();
		take(route);
		take = null;
		return undefined;
	});
	return () => held;
}
