// SPDX-License-Identifier: GPL-3.0-or-later
// The state of the page: who is logged in, what this browser prefers, and the
// service.

import { Api, ApiError } from '../common/api.js';
import { Headend } from '../common/headend.js';
import { pref, setPref } from '../common/prefs.js';
import { Tick } from '../common/tick.js';
import { languageOf, setLanguage, t } from '../common/words.js';
import { parseRoute } from './route.js';

/** @typedef {import('../common/api-types').WhoAmI} WhoAmI */
/** @typedef {import('../common/time.js').Zone} Zone */
/** @typedef {'system' | 'light' | 'dark'} Theme */
/** @typedef {{word: string, run: () => unknown}} Action */
/** @typedef {{text: string, error: boolean, action?: Action}} Toast */

/** A restart begins a second after the reply. */
const RESTART_WAIT_MS = 15000;
/** A form waits so long for the login of its user. */
const KEEP_MS = 15 * 60 * 1000;

export class App {
	/** undefined: not known yet; null: nobody.
	 * @type {WhoAmI | null | undefined} */
	user;
	/** The session ended over a form with changes: it waits for the login of
	 * the same user. */
	expired = false;
	/** Unix time at which such a form is dropped, or was; 0: there is none. */
	keptUntil = 0;
	/** Those with changes; true keeps the address of the form.
	 * @type {Set<(event: HashChangeEvent) => boolean>} */
	forms = new Set();
	/** At most one without an action.
	 * @type {Toast[]} */
	toasts = [];
	/** The service was asked to restart, and is not back yet. */
	restarting = false;
	/** The filter gets the focus with the next draw. */
	wantsFilter = false;
	route = parseRoute(location.hash);
	/** The address of the wall or table that was seen last. */
	list = '#/wall';
	/** Entries of other headends that refused the login, as JSON: they are
	 * not asked again by themselves.
	 * @type {Set<string>} */
	refusedServers = new Set();
	/** The user has logged in since the document was loaded. */
	hasLoggedIn = false;
	tick = new Tick();
	api = new Api(document.baseURI);
	home = new Headend(this.api, { changed: () => {
			this.#followRestart();
			this.changed();
		}, draw: () => this.tick.draw(), lost: () => {
			// the session may have ended with the service
			if (this.user)
				this.#askWho();
		} });

	#wasLost = false;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#keeping;
	/** @type {Set<() => void>} */
	#watchers = new Set();

	get store() {
		return this.home.store;
	}

	get live() {
		return this.home.live;
	}

	get skew() {
		return this.home.skew;
	}

	get ready() {
		return this.home.ready;
	}

	get lostAt() {
		return this.home.lostAt;
	}

	/** @type {Theme} */
	get theme() {
		return /** @type {Theme} */ (pref('theme', 'system'));
	}

	/** @type {Zone} */
	get zone() {
		return /** @type {Zone} */ (pref('zone', 'local'));
	}

	get language() {
		const chosen = pref('language', '');

		return languageOf(chosen ? [chosen] : navigator.languages);
	}

	get isControl() {
		return this.user?.type === 1;
	}

	/** Single keys do something. */
	get hasKeys() {
		return pref('keys', 'on') !== 'off';
	}

	get isFree() {
		return this.user?.login === '-';
	}

	/** The service's time, as well as it is known. */
	get now() {
		return Date.now() / 1000 + this.skew.value;
	}

	/**
	 * @param {'theme' | 'zone' | 'language' | 'tiles' | 'keys'} name
	 * @param {string} value
	 */
	choose(name, value) {
		setPref(name, value);
		this.#applyPrefs();
		this.changed();
	}

	#applyPrefs() {
		const root = document.documentElement;

		if (this.theme === 'system')
			delete root.dataset.theme;
		else
			root.dataset.theme = this.theme;
		this.#speak();
	}

	async #speak() {
		try {
			await setLanguage(this.language);
			document.documentElement.lang = this.language;
			this.changed();
		} catch {
			this.say(t('not_loaded'), true, { word: t('reload'),
				run: () => location.reload() });
		}
	}

	freeze() {
		this.tick.frozen = !this.tick.frozen;
		this.changed();
	}

	start() {
		this.#applyPrefs();
		this.tick.start();
		this.tick.addClock(() => this.home.everySecond());
		this.api.onRefused = () => this.#askWho();
		addEventListener('hashchange', (event) => {
			if ([...this.forms].some((keeps) => keeps(event)))
				return;
			this.route = parseRoute(location.hash);
			this.#remember();
			this.changed();
		});
		this.#remember();
		addEventListener('online', () => this.live.hurry());
		this.#askWho();
	}

	#remember() {
		if (this.route.page === 'wall' || this.route.page === 'streams')
			this.list = location.hash || '#/wall';
	}

	/**
	 * Calls with every change that needs another tree of components.
	 * @param {() => void} watcher
	 */
	watch(watcher) {
		this.#watchers.add(watcher);
		return () => this.#watchers.delete(watcher);
	}

	changed() {
		for (const watcher of this.#watchers)
			watcher();
	}

	/** @type {Promise<void> | null} */
	#asking = null;

	#askWho() {
		this.#asking ??= this.#who().finally(() => {
			this.#asking = null;
		});
		return this.#asking;
	}

	async #who() {
		try {
			const user = await this.api.cmd('whoami');

			if (this.expired || !this.#isSame(user))
				this.#enter(user);
		} catch (error) {
			if (error instanceof ApiError && error.status === 403)
				this.#leave(true);
			else
				setTimeout(() => this.#askWho(), 2000);
		}
	}

	/** @param {WhoAmI} user */
	#isSame(user) {
		return this.user?.login === user.login &&
			this.user?.type === user.type;
	}

	/** @param {WhoAmI} user */
	#enter(user) {
		if (this.expired && !this.#isSame(user))
			this.home.stop();
		clearTimeout(this.#keeping);
		this.expired = false;
		this.keptUntil = 0;
		this.user = user;
		this.home.start(this.isControl ? 'alarm,log,cam'
			: 'alarm');
		this.changed();
	}

	/** @param {boolean} [isOver] the service has ended the session */
	#leave(isOver = false) {
		if (this.user === null || this.expired)
			return;
		this.expired = isOver && this.forms.size > 0;
		if (this.expired) {
			// nothing is asked for below the login
			this.live.refuse();
			this.#keeping = setTimeout(() => this.#end(), KEEP_MS);
			this.keptUntil = (Date.now() + KEEP_MS) / 1000;
			this.changed();
		} else {
			this.#end();
		}
		// they have passwords
		this.refusedServers.clear();
	}

	#end() {
		this.expired = false;
		this.user = null;
		this.home.stop();
		this.changed();
	}

	/**
	 * @param {string} login
	 * @param {string} password
	 * @param {boolean} remember
	 */
	async login(login, password, remember) {
		this.api.onRefused = () => {};
		try {
			this.#enter(await this.api.cmd('login',
				{ login, password, remember }));
			this.hasLoggedIn = true;
		} finally {
			this.api.onRefused = () => this.#askWho();
		}
	}

	async logout() {
		try {
			await this.api.cmd('logout');
		} catch {
			// the session was over
		}
		this.#leave();
	}

	/** After a request that restarts the service: it is awaited. */
	awaitRestart() {
		this.restarting = true;
		this.#wasLost = false;
		setTimeout(() => {
			// it went on without one
			if (this.lostAt === null)
				this.restarting = false;
			this.changed();
		}, RESTART_WAIT_MS);
		this.changed();
	}

	#followRestart() {
		if (!this.restarting)
			return;
		this.#wasLost ||= this.live.state === 'lost';
		if (!this.#wasLost || this.lostAt !== null)
			return;
		this.restarting = false;
		this.say(t('restarted'));
	}

	/**
	 * A command of the user; its result is a toast.
	 * @param {string} cmd
	 * @param {Record<string, unknown>} fields
	 * @param {string} done
	 */
	act(cmd, fields, done) {
		return this.run(() => this.api.cmd(cmd, fields), done);
	}

	/**
	 * @param {() => Promise<any>} request
	 * @param {string} done
	 */
	async run(request, done) {
		try {
			const [warning] = (await request()).warnings ?? [];

			this.say(warning ?? done, warning !== undefined);
			return true;
		} catch (error) {
			this.say(t('refused', { error:
				/** @type {Error} */ (error).message }), true);
			return false;
		} finally {
			this.store.wantsOverview = true;
		}
	}

	/**
	 * Messages with an action stay, and an error beside them.
	 * @param {string} text
	 * @param {boolean} [error]
	 * @param {Action} [action]
	 */
	say(text, error = false, action = undefined) {
		const toast = { text, error, action };

		this.toasts = [...this.toasts.filter((one) => one.action ||
			(action && one.error)).slice(-3), toast];
		setTimeout(() => this.dismiss(toast),
			action ? 30000 : error ? 15000 : 5000);
		this.changed();
		return toast;
	}

	/** @param {Toast} toast */
	dismiss(toast) {
		if (!this.toasts.includes(toast))
			return;
		this.toasts = this.toasts.filter((one) => one !== toast);
		this.changed();
	}
}
