// SPDX-License-Identifier: GPL-3.0-or-later
// A service as the page knows it: the event channel, the store, and the
// requests that keep it up to date.

import { Live } from './live.js';
import { Store } from './store.js';
import { Skew } from './time.js';

/** @typedef {import('./api.js').Api} Api */
/** @typedef {import('./live.js').LiveState} LiveState */
/** @typedef {import('./api-types').Message} Message */

/** Without a reason to look, the overview is this old at most. */
const OVERVIEW_MAX_S = 10;
/** A reply of so many streams is large: it is asked for less often. */
const MANY_STREAMS = 200;

export class Headend {
	/** The first state of the service is here. */
	ready = false;
	/** Unix time of the last answer, if the service does not answer or there
	 * is no connection. @type {number | null} */
	lostAt = null;
	store = new Store();
	skew = new Skew();

	/** Of the last request for the state: the reply to an earlier one is too
	 * old. */
	#round = 0;
	#loading = false;
	#askedAt = 0;
	/** A second ago.  A busy page reads its answers before the second look. */
	#isSilent = false;
	/** Of the store, when the tree of components was last made. */
	#shapeDrawn = 0;
	/** @type {Set<(message: Message) => void>} */
	#listeners = new Set();

	/**
	 * @param {Api} api
	 * @param {{changed: () => void, draw: () => void, lost?: () => void}} on
	 *	changed: another tree of components; draw: other values
	 * @param {boolean} [endsRefused] a refused login ends the tries
	 */
	constructor(api, on, endsRefused = false) {
		this.api = api;
		this.on = on;
		this.live = new Live({ api, endsRefused, onMessage: (message) => {
			this.store.apply(message, Date.now() / 1000);
			for (const listener of this.#listeners)
				listener(message);
		},
		onOpen: () => this.#reload(),
		onState: (state) => this.#connection(state) });
	}

	/** @param {string} [scopes] of events, beside those for everybody */
	start(scopes) {
		this.lostAt = null;
		this.live.start(scopes);
	}

	/**
	 * @param {(message: Message) => void} listener
	 */
	listen(listener) {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	stop() {
		this.ready = false;
		this.store = new Store();
		this.#shapeDrawn = 0;
		this.#round++;
		this.#loading = false;
		this.live.stop();
	}

	/** @param {LiveState} state */
	#connection(state) {
		if (state === 'lost' || state === 'refused')
			this.lostAt ??= this.live.heardAt || Date.now() / 1000;
		else if (state === 'open')
			this.lostAt = null;
		this.on.changed();
		if (state === 'lost')
			this.on.lost?.();
	}

	/** The whole state; fails without it. */
	async #reload() {
		if (!await this.#load(true))
			return;
		this.ready = true;
		this.#shapeDrawn = this.store.shape;
		this.on.changed();
		this.on.draw();
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
		const asked = Date.now() / 1000;

		this.#askedAt = asked;
		this.#loading = true;
		store.hold();
		try {
			const [config, overview] = await Promise.all([
				withConfig ? api.cmd('load') : null,
				api.get('api/overview')]);

			if (isOver())
				return false;
			const now = Date.now() / 1000;

			this.skew.note(overview.timestamp, asked, now);
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

	/** @param {number} now Unix time of the browser */
	#judgeSilence(now) {
		if (this.live.state !== 'open')
			return;
		const since = this.live.silentSince(now);
		const wasSilent = this.#isSilent;

		this.#isSilent = since !== null;
		if ((since === null) === (this.lostAt === null) ||
			(since !== null && !wasSilent))
			return;
		this.lostAt = since;
		this.on.changed();
	}

	/** Events and replies change the set of streams. */
	#followShape() {
		const { shape } = this.store;

		if (shape === this.#shapeDrawn)
			return;
		this.#shapeDrawn = shape;
		this.on.changed();
	}

	/** Asks for what the events did not carry. */
	async everySecond() {
		const { store } = this, now = Date.now() / 1000;

		this.#judgeSilence(now);
		this.#followShape();
		const since = Math.abs(now - this.#askedAt);
		const least = store.streams.size > MANY_STREAMS ? 1.9 : 0.9;

		if (this.#loading || this.live.state !== 'open' ||
			this.lostAt !== null || since < least)
			return;
		if (!store.wantsOverview && !store.wantsConfig &&
			since < OVERVIEW_MAX_S)
			return;
		try {
			await this.#load(store.wantsConfig);
		} catch {
			// the event channel reports the loss
		}
		this.#followShape();
		this.on.draw();
	}
}
