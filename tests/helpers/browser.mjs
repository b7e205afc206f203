// SPDX-License-Identifier: GPL-3.0-or-later
// Chromium with the web interface in it.  What the browser complains about
// fails the test.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { builddir, srcdir } from './util.mjs';

const require = createRequire(path.resolve(srcdir, 'web/package.json'));
// Debian's build without windows takes half of the processor time.
const CHROMIUM = '/usr/bin/chromium-headless-shell';

function missing() {
	if (!fs.existsSync(path.join(builddir, 'web/tree/headend/main.js')))
		return 'this build has no web interface';
	if (!fs.existsSync(CHROMIUM))
		return 'no browser: install chromium-headless-shell';
	try {
		require.resolve('playwright-core');
		require.resolve('axe-core');
	} catch {
		return 'no packages of npm: npm --prefix web ci ' +
			'--ignore-scripts';
	}
	return false;
}

// A name under which the browser finds the services of this machine.
export const OTHER_HOST = 'headend.test';

// The reason why there is no browser, or false.
export const noBrowser = missing();

export async function openBrowser(t) {
	const { chromium } = require('playwright-core');
	const browser = await chromium.launch({ executablePath: CHROMIUM,
		// the tests run as root in namespaces of their own
		// and a headend on another machine is this one
		args: ['--no-sandbox', '--disable-dev-shm-usage',
			`--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`] });

	t.after(() => browser.close());
	return browser;
}

// The question who is logged in, of who is not; and a password that cannot be
// checked while others take all the time of the machine.
const EXPECTED = /status of (403|429|503 \S*\/control\/( |$))/;

// The response to a form that is half filled, for Visitor.allowed.
export const TRIAL_REFUSED = /status of 400 \S+ \S+ trial$/;

// "status of 400 ADDRESS COMMAND trial"; the last two words of a command alone,
// and of one that is only judged.
function describe(response) {
	const words = ['status of', response.status(), response.url()];

	try {
		const { cmd, dry_run: trial } =
			response.request().postDataJSON();

		words.push(cmd, trial === true && 'trial');
	} catch {
		// no command
	}
	return words.filter(Boolean).join(' ');
}

// Keeps for which events each element listens.
const keepListeners = () => {
	const add = EventTarget.prototype.addEventListener;

	globalThis.listeners = new WeakMap();
	EventTarget.prototype.addEventListener = function (type, ...rest) {
		listeners.set(this, (listeners.get(this) ?? new Set())
			.add(type));
		return add.call(this, type, ...rest);
	};
};

// In the page: what a pointer can do and a keyboard cannot, and tables that do
// not say how to get them by curl.
const barriers = () => {
	const native = 'a[href], button, input, select, textarea, summary';
	const hears = (one, ...types) => types.some((type) =>
		listeners.get(one)?.has(type));
	const hasKeys = (one) => {
		for (let at = one; at; at = at.parentElement)
			if (hears(at, 'keydown') && at.closest(
				'[tabindex], [role=listbox]'))
				return true;
		// the field in front of a list has its keys
		return one.matches('[role=option]') && document.querySelector(
			`[aria-controls="${one.parentElement.id}"]`) !== null;
	};
	const acts = [...document.querySelectorAll('body *')].filter((one) =>
		hears(one, 'click', 'dblclick', 'mousedown', 'pointerdown'));
	const handles = [...document.querySelectorAll('[draggable=true]')];
	const tables = [...document.querySelectorAll('main table')];
	const name = (what, one) => `${what}: ${one.outerHTML.slice(0, 120)}`;

	return [...acts.filter((one) => !one.matches(native) && !hasKeys(one))
		.map((one) => name('no key', one)),
	...handles.filter((one) => !one.parentElement.querySelector('button'))
		.map((one) => name('moves by pointer alone', one)),
	...tables.filter((one) => (one.closest('.wide-box')
		?.nextElementSibling ?? one.closest('.page')
		?.querySelector('.tools .curl'))?.matches('.curl') !== true)
		.map((one) => name('no curl', one))];
};

// Reports a violation of the policy as an error of the console.
const reportPolicy = () => document.addEventListener(
	'securitypolicyviolation', (event) => console.error('policy: ' +
		`${event.violatedDirective} ${event.blockedURI}`));

// Presses keys one behind the other without waiting for the page, as fingers
// do: a busy page would get the second one too late.
export const pressKeys = (page, ...keys) =>
	Promise.all(keys.map((key) => page.keyboard.press(key)));

// A login to a headend with other headends loads the page again, for its
// policy: the form has gone, and with it what was found there.
function reloaded(error) {
	if (!error.message.includes('context was destroyed'))
		throw error;
	return '';
}

export class Visitor {
	problems = [];
	// While it is true, lost connections are part of the test.
	disturbed = false;
	// A pattern of complaints that are part of the test, or null.  That of
	// a response has the words of describe().
	allowed = null;
	// when it was asked for an analyzer last
	#scannedMs = Infinity;

	static async open(t, browser, { scheme = 'dark', width = 1280,
		height = 800 } = {}) {
		const self = new Visitor();
		const context = await browser.newContext({
			colorScheme: scheme, viewport: { width, height },
			locale: 'en-GB',
			// certificates of the tests are their own
			ignoreHTTPSErrors: true });

		self.page = await context.newPage();
		self.context = context;
		self.page.setDefaultTimeout(60000);
		await self.page.addInitScript(reportPolicy);
		await self.page.addInitScript(keepListeners);
		self.#listen();
		t.after(() => context.close());
		return self;
	}

	// The service ends an analyzer that nobody asks for ten seconds.  Did
	// the page, without a processor, ask this one too late?
	#asksLate(response, text) {
		const { startTime } = response.request().timing();
		const sinceMs = Date.now() - this.#scannedMs;

		if (/ scan-(init|check)$/.test(text))
			this.#scannedMs = startTime;
		return / 404 .* scan-check$/.test(text) && sinceMs >= 10000;
	}

	#listen() {
		const { page, problems } = this;
		const note = (what) => {
			if (!this.disturbed && !this.allowed?.test(what))
				problems.push(what);
		};

		page.on('console', (message) => {
			const text = `${message.text()} ` +
				message.location().url;

			// the response itself says more
			if (['error', 'warning'].includes(message.type()) &&
				!text.startsWith('Failed to load resource: ' +
				'the server responded with a status'))
				note(`console: ${text}`);
		});
		page.on('pageerror', (error) => note(`error: ${error.stack}`));
		page.on('requestfailed', (request) => {
			// a page that is left drops what it has asked for
			if (request.failure()?.errorText !== 'net::ERR_ABORTED')
				note(`failed: ${request.url()}`);
		});
		page.on('request', (request) => {
			const { protocol, hostname } = new URL(request.url());

			if (protocol !== 'data:' &&
				!['127.0.0.1', OTHER_HOST].includes(hostname))
				problems.push(`foreign: ${request.url()}`);
		});
		page.on('response', (response) => {
			const text = describe(response);

			const isLate = this.#asksLate(response, text);

			if (response.status() >= 400 && !isLate &&
				!EXPECTED.test(text))
				note(text);
		});
	}

	go(port, hash = '', prefix = '/') {
		return this.page.goto(
			`http://127.0.0.1:${port}${prefix}${hash}`);
	}

	async login(name, password) {
		const { page } = this;

		await page.fill('[name=login]', name);
		await page.fill('[name=password]', password);
		await this.submit('.login form button', '.login ');
	}

	// Clicks until the service has had the time to hash the password.  A
	// form may be hidden behind that of the scope.
	async submit(button, scope = '') {
		const problem = `${scope}.problem`;

		for (;;) {
			await this.page.click(button);
			const end = await this.until(([text, field]) => {
				const said = [...document.querySelectorAll(
					text)].map((one) => one.textContent)
					.join('').trim();

				return said !== '' || !document.querySelector(
					field) ? { said } : null;
			}, [problem, `${scope}[type=password]`]);
			const said = await end.jsonValue().then(
				(found) => found.said, reloaded);

			if (!said.includes('try again'))
				return;
		}
	}

	// Waits until the function is true in the page.
	until(probe, arg) {
		return this.page.waitForFunction(probe, arg,
			{ timeout: 60000, polling: 50 });
	}

	// Records in the page from now on whether an element matches and has
	// the text, be it for a moment: waitForSelector() looks twice a second.
	// The result is a function: has one matched?
	async watch(selector, text = '') {
		const seen = await this.page.evaluateHandle(([css, part]) => {
			const state = { is: false };
			const look = () => {
				state.is ||= [...document.querySelectorAll(css)]
					.some((one) => one.textContent
						.includes(part));
			};

			new MutationObserver(look).observe(document, {
				subtree: true, childList: true,
				attributes: true, characterData: true });
			look();
			return state;
		}, [selector, text]);

		return () => seen.evaluate((state) => state.is);
	}

	mark(name) {
		return this.page.locator(`.tile[title^="${name}:"]`)
			.getAttribute('data-mark');
	}

	untilMark(name, mark) {
		return this.until(([n, m]) => document.querySelector(
			`.tile[title^="${n}:"]`)?.dataset.mark === m,
		[name, mark]);
	}

	// By keyboard, and each table by curl.
	async usable(what) {
		assert.deepEqual(await this.page.evaluate(barriers), [], what);
	}

	// No barrier that axe finds, of these rules.
	async #judge(what, runOnly) {
		const found = await this.page.evaluate(async (only) => {
			const { violations } = await axe.run(document, {
				// what passes is not described, and no style
				// is fetched again: half the time
				resultTypes: ['violations'],
				preload: { assets: ['media'] },
				runOnly: only });

			return violations.map((v) => `${v.id}: ${v.help}: ` +
				v.nodes.slice(0, 4).map((node) =>
					`${node.html.slice(0, 120)} ` +
					node.failureSummary.slice(0, 300))
					.join('\n'));
		}, runOnly);

		assert.deepEqual(found, [], what);
	}

	// No barrier, in both themes: they differ in colours alone.
	async accessible(what) {
		const { page } = this;

		if (!await page.evaluate('typeof axe === "object"'))
			await page.evaluate(fs.readFileSync(require.resolve(
				'axe-core/axe.min.js'), 'utf8'));
		await this.usable(what);
		await this.#judge(what, ['wcag2a', 'wcag2aa', 'wcag21a',
			'wcag21aa', 'wcag22aa', 'best-practice']);
		const isDark = await page.evaluate(() => matchMedia(
			'(prefers-color-scheme: dark)').matches);

		await page.emulateMedia({ colorScheme: isDark ? 'light'
			: 'dark' });
		await this.#judge(`${what}, ${isDark ? 'light' : 'dark'}`,
			{ type: 'rule', values: ['color-contrast',
				'link-in-text-block'] });
		await page.emulateMedia({ colorScheme: isDark ? 'dark'
			: 'light' });
	}

	// Nothing was complained about so far.
	quiet() {
		assert.deepEqual(this.problems, []);
	}
}
