// SPDX-License-Identifier: GPL-3.0-or-later
// Debian's Firefox with the web interface in it, by WebDriver BiDi.  What the
// browser complains about fails the test.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { builddir, freePort, start, tempDir, waitUntil } from './util.mjs';
import { WsClient } from './ws.mjs';

const FIREFOX = '/usr/bin/firefox-esr';

function missing() {
	if (!fs.existsSync(path.join(builddir, 'web/tree/headend/main.js')))
		return 'this build has no web interface';
	return !fs.existsSync(FIREFOX) &&
		'no browser: install firefox-esr';
}

// The reason why there is no Firefox, or false.
export const noFirefox = missing();

// Nothing but the page: no first-run tab, no updates, no services elsewhere.
const PREFERENCES = {
	'app.normandy.enabled': false,
	'app.update.disabledForTesting': true,
	'browser.aboutwelcome.enabled': false,
	'browser.safebrowsing.downloads.enabled': false,
	'browser.safebrowsing.malware.enabled': false,
	'browser.shell.checkDefaultBrowser': false,
	'browser.startup.homepage_override.mstone': 'ignore',
	'browser.startup.page': 0,
	'datareporting.policy.dataSubmissionEnabled': false,
	'extensions.systemAddon.update.enabled': false,
	'media.autoplay.default': 0,
	'media.gmp-manager.updateEnabled': false,
	'network.captive-portal-service.enabled': false,
	'network.connectivity-service.enabled': false,
	'remote.active-protocols': 1,
	'toolkit.telemetry.reportingpolicy.firstRun': false,
	'ui.systemUsesDarkTheme': 1,
};

const KEYS = { Enter: '\ue007', Escape: '\ue00c' };
// Who is not logged in, or has just logged out, asks once more; and a password
// that cannot be checked while others take all the time of the machine.
const EXPECTED = /^(?:403|429) |^503 .*\/control\/$/;

class Bidi extends WsClient {
	#replies = new Map();
	#n = 0;
	onEvent = () => {};

	take({ id, method, params, result, error, message }) {
		if (method !== undefined) {
			this.onEvent(method, params);
			return;
		}
		const [done, fail] = this.#replies.get(id);

		this.#replies.delete(id);
		if (error === undefined)
			done(result);
		else
			fail(new Error(`${error}: ${message}`));
	}

	ask(method, params = {}) {
		const id = ++this.#n;

		this.send(JSON.stringify({ id, method, params }));
		return new Promise((done, fail) =>
			this.#replies.set(id, [done, fail]));
	}
}

// Reports a violation of the policy as an error of the console.
const reportPolicy = `() => document.addEventListener(
	'securitypolicyviolation', (event) => console.error('policy: ' +
		event.violatedDirective + ' ' + event.blockedURI))`;

export class Firefox {
	problems = [];

	static async open(t) {
		const self = new Firefox(), dir = tempDir(t);
		const port = await freePort();

		fs.writeFileSync(path.join(dir, 'user.js'),
			Object.entries(PREFERENCES).map(([key, value]) =>
				`user_pref("${key}", ${JSON.stringify(value)
				});\n`).join(''));
		const child = start(t, FIREFOX, ['--headless', '--no-remote',
			'--profile', dir,
			'--remote-debugging-port', String(port)],
		{ env: { ...process.env, HOME: dir,
			MOZ_CRASHREPORTER_DISABLE: '1',
			// the tests run as root in namespaces of their own
			MOZ_DISABLE_CONTENT_SANDBOX: '1' } });

		await waitUntil('Firefox', () => {
			if (child.exitCode !== null)
				throw new Error(child.text.err);
			return /BiDi listening/.test(child.text.err);
		});
		self.bidi = await Bidi.open(t, port, '/session');
		self.bidi.onEvent = (method, params) =>
			self.#note(method, params);
		await self.bidi.ask('session.new', { capabilities: {} });
		await self.bidi.ask('session.subscribe', { events: [
			'log.entryAdded', 'network.responseCompleted',
			'network.fetchError'] });
		await self.bidi.ask('script.addPreloadScript',
			{ functionDeclaration: reportPolicy });
		const { contexts } =
			await self.bidi.ask('browsingContext.getTree');

		self.context = contexts[0].context;
		await self.bidi.ask('browsingContext.setViewport',
			{ context: self.context,
				viewport: { width: 1280, height: 800 } });
		return self;
	}

	#note(method, { level, text, request, response, errorText }) {
		const note = (what) => {
			if (!EXPECTED.test(what))
				this.problems.push(what);
		};

		if (method === 'log.entryAdded' &&
			(level === 'error' || level === 'warn'))
			note(`console: ${text}`);
		else if (method === 'network.responseCompleted' &&
			response.status >= 400)
			note(`${response.status} ${request.url}`);
		else if (method === 'network.fetchError' &&
			errorText !== 'NS_BINDING_ABORTED')
			note(`failed: ${request.url}: ${errorText}`);
		if (request && !/^(?:http:\/\/127\.0\.0\.1:|data:|blob:)/
			.test(request.url))
			note(`foreign: ${request.url}`);
	}

	go(url) {
		return this.bidi.ask('browsingContext.navigate',
			{ context: this.context, url, wait: 'complete' });
	}

	// The value of an expression: a text, a number or a boolean.
	async evaluate(expression) {
		const { result, exceptionDetails } = await this.bidi.ask(
			'script.evaluate', { expression, awaitPromise: true,
				target: { context: this.context } });

		assert.equal(exceptionDetails, undefined);
		return result.value;
	}

	until(expression, timeoutMs) {
		return waitUntil(expression, () => this.evaluate(expression),
			timeoutMs);
	}

	seen(selector, text = '') {
		return this.until(`[...document.querySelectorAll(${
			JSON.stringify(selector)})].some((one) =>
			one.textContent.includes(${JSON.stringify(text)}))`);
	}

	#act(sources) {
		return this.bidi.ask('input.performActions',
			{ context: this.context, actions: sources });
	}

	// A name of KEYS, or a text that is typed.
	type(text) {
		const keys = [...KEYS[text] ?? text];

		return this.#act([{ type: 'key', id: 'keys',
			actions: keys.flatMap((value) => [
				{ type: 'keyDown', value },
				{ type: 'keyUp', value }]) }]);
	}

	async click(selector) {
		const [node] = await waitUntil(selector, async () => {
			const { nodes } = await this.bidi.ask(
				'browsingContext.locateNodes',
				{ context: this.context, locator: {
					type: 'css', value: selector } });

			return nodes.length > 0 && nodes;
		});
		const origin = { type: 'element', element: node };

		return this.#act([{ type: 'pointer', id: 'mouse', actions: [
			{ type: 'pointerMove', x: 0, y: 0, origin },
			{ type: 'pointerDown', button: 0 },
			{ type: 'pointerUp', button: 0 }] }]);
	}

	quiet() {
		assert.deepEqual(this.problems, []);
	}
}
