// SPDX-License-Identifier: GPL-3.0-or-later
// The state of the page: who is logged in, the connection, the store, and the
// requests that keep it up to date.

import { Api, ApiError } from '../common/api.js';
import { Live } from '../common/live.js';
import { pref, setPref } from '../common/prefs.js';
import { Store } from '../common/store.js';
import { Tick } from '../common/tick.js';
import { Skew } from '../common/time.js';
import { languageOf, setLanguage, t } from '../common/words.js';
import { parseRoute } from './route.js';

/** @typedef {import('../common/api-types').WhoAmI} WhoAmI */
/** @typedef {import('../common/live.js').LiveState} LiveState */
/** @typedef {import('../common/time.js').Zone} Zone */
/** @typedef {'system' | 'light' | 'dark'} Theme */
/** @typedef {{word: string, run: () => void}} Action */

/** Without a reason to look, the overview is this old at most. */
const OVERVIEW_MAX_S = 10;
/** A reply of so many streams is large: it is asked for less often. */
const MANY_STREAMS = 200;

export class App {
	/** undefined: not known yet; null: nobody.
	 * @type {WhoAmI | null | undefined} */
	user;
	/** The first state of the service is here. */
	ready = false;
	/** Unix time since when there is no connection. @type {number | null} */
	lostAt = null;
	/** @type {{text: string, error: boolean, action?: Action} | null} */
	toast = null;
	/** The filter gets the focus with the next draw. */
	wantsFilter = false;
	route = parseRoute(location.hash);
	/** The address of the wall or table that was seen last. */
	list = '#/wall';
	store = new Store();
	tick = new Tick();
	skew = new Skew();
	api = new Api(document.baseURI);
	live = new Live({ api: this.api,
		onMessage: (message) =>
			this.store.apply(message, Date.now() / 1000),
		onOpen: () => this.#reload(),
		onState: (state) => this.#connection(state) });

	/** @type {Set<() => void>} */
	#watchers = new Set();
	/** Of the last request for the state: the reply to an earlier one is too
	 * old. */
	#round = 0;
	#loading = false;
	#askedAt = 0;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#toastTimer;

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
		const { language } = this;

		await setLanguage(language);
		document.documentElement.lang = language;
		this.changed();
	}

	start() {
		this.#applyPrefs();
		this.tick.start();
		this.tick.addClock(() => this.#everySecond());
		this.api.onRefused = () => this.#askWho();
		addEventListener('hashchange', () => {
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

			if (this.user?.login !== user.login ||
				this.user?.type !== user.type)
				this.#enter(user);
		} catch (error) {
			if (error instanceof ApiError && error.status === 403)
				this.#leave();
			else
				setTimeout(() => this.#askWho(), 2000);
		}
	}

	/** @param {WhoAmI} user */
	#enter(user) {
		this.user = user;
		this.live.start();
		this.changed();
	}

	#leave() {
		if (this.user === null)
			return;
		this.user = null;
		this.ready = false;
		this.store = new Store();
		this.#round++;
		this.#loading = false;
		this.live.stop();
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

	/** @param {LiveState} state */
	#connection(state) {
		if (state === 'lost')
			this.lostAt ??= Date.now() / 1000;
		else if (state === 'open')
			this.lostAt = null;
		this.changed();
		// the session may have ended with the service
		if (state === 'lost' && this.user)
			this.#askWho();
	}

	/** The whole state; fails without it. */
	async #reload() {
		if (!await this.#load(true))
			return;
		this.ready = true;
		this.changed();
		this.tick.draw();
	}

	/**
	 * Asks for the state.
	 * @param {boolean} withConfig
	 * @returns {Promise<boolean>} false: a later call has replaced it
	 */
	async #load(withConfig) {
		const round = ++this.#round, { api, store } = this;
		const { wantsOverview, wantsConfig } = store;
		const isOver = () => round !== this.#round;

		this.#askedAt = Date.now() / 1000;
		this.#loading = true;
		store.hold();
		try {
			const [config, overview] = await Promise.all([
				withConfig ? api.cmd('load') : null,
				api.get('api/overview')]);

			if (isOver())
				return false;
			const now = Date.now() / 1000;

			this.skew.note(overview.timestamp, now);
			if (config !== null)
				store.load(config);
			store.take(overview, now);
		} catch (error) {
			if (isOver())
				return false;
			store.wantsOverview ||= wantsOverview;
			store.wantsConfig ||= wantsConfig;
			throw error;
		} finally {
			if (!isOver()) {
				this.#loading = false;
				store.release(Date.now() / 1000);
			}
		}
		return true;
	}

	/** Asks for what the events did not carry. */
	async #everySecond() {
		const { store } = this, now = Date.now() / 1000;
		const least = store.streams.size > MANY_STREAMS ? 1.9 : 0.9;

		if (this.#loading || this.live.state !== 'open' ||
			now - this.#askedAt < least)
			return;
		const isOld = now - this.#askedAt >= OVERVIEW_MAX_S;

		if (!store.wantsOverview && !store.wantsConfig && !isOld)
			return;
		const { shape } = store;

		try {
			await this.#load(store.wantsConfig);
		} catch {
			// the event channel reports the loss
		}
		if (shape !== store.shape)
			this.changed();
		this.tick.draw();
	}

	/**
	 * A command of the user; its result is a toast.
	 * @param {string} cmd
	 * @param {Record<string, unknown>} fields
	 * @param {string} done
	 * @returns {Promise<boolean>}
	 */
	async act(cmd, fields, done) {
		try {
			const reply = await this.api.cmd(cmd, fields);
			const [warning] = reply.warnings ?? [];

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
	 * @param {string} text
	 * @param {boolean} [error]
	 * @param {Action} [action]
	 */
	say(text, error = false, action = undefined) {
		clearTimeout(this.#toastTimer);
		this.toast = { text, error, action };
		this.#toastTimer = setTimeout(() => {
			this.toast = null;
			this.changed();
		}, action ? 30000 : error ? 15000 : 5000);
		this.changed();
	}
}
