// SPDX-License-Identifier: GPL-3.0-or-later
// The event channel: a token, a socket, a ping with a deadline, the state that
// events change, and a new try after growing pauses.

import { ApiError } from './api.js';

/** @typedef {import('./api-types').Message} Message */
/** refused: the service does not accept the login, and there is no new try.
 * @typedef {'connecting' | 'open' | 'lost' | 'refused'} LiveState */

/**
 * @typedef {object} LiveConfig
 * @property {import('./api.js').Api} api
 * @property {string} [scopes] further ones, such as "alarm"
 * @property {(message: Message) => void} onMessage
 * @property {() => Promise<void>} onOpen loads the state; without it there is a
 *	new try
 * @property {(state: LiveState) => void} onState
 * @property {boolean} [endsRefused] with the first 403: each try sends the
 *	password, and wrong ones lock the address
 * @property {new (url: string) => WebSocket} [Socket]
 * @property {() => number} [random]
 */

export const PING_MS = 1000;
export const DEADLINE_MS = 9000;
/** A ping without an answer for so long is late. */
export const SILENT_S = 1;
export const PAUSE_MIN_MS = 500;
export const PAUSE_MAX_MS = 30000;

/**
 * The pause before a try, with jitter so that many pages do not come at once.
 * @param {number} failures in a row, from 1
 * @param {number} random 0 to 1
 */
export function pauseMs(failures, random) {
	const most = Math.min(PAUSE_MAX_MS,
		PAUSE_MIN_MS * 2 ** Math.min(failures - 1, 10));

	return Math.max(PAUSE_MIN_MS, most * (0.5 + random / 2));
}

export class Live {
	/** @type {LiveState} */
	state = 'connecting';
	#failures = 0;
	/** @type {WebSocket | null} */
	#socket = null;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#timer;
	#waitsForPong = false;
	#pingedAt = 0;
	/** Unix time of the last answer or event; 0: none came. */
	heardAt = 0;
	// of the current try: an answer to an earlier one is too late
	#round = 0;

	/** @param {LiveConfig} config */
	constructor(config) {
		this.config = config;
	}

	/** @param {string} [scopes] instead of the configured ones */
	start(scopes = this.config.scopes) {
		this.stop();
		this.config = { ...this.config, scopes };
		this.#failures = 0;
		this.heardAt = 0;
		this.#set('connecting');
		this.#connect();
	}

	stop() {
		this.#round++;
		clearTimeout(this.#timer);
		const socket = this.#socket;

		this.#socket = null;
		socket?.close();
	}

	/** The login was refused before. */
	refuse() {
		this.stop();
		this.#set('refused');
	}

	/** The network is there again: does not wait for the end of the pause. */
	hurry() {
		if (this.state !== 'lost' || this.#socket !== null)
			return;
		clearTimeout(this.#timer);
		this.#connect();
	}

	/**
	 * The time of the last answer or event if the service does not answer,
	 * although its socket is open; otherwise null.
	 * @param {number} now Unix time of the browser
	 */
	silentSince(now) {
		return this.state === 'open' && this.#waitsForPong &&
			now - this.#pingedAt >= SILENT_S ? this.heardAt : null;
	}

	/** @param {LiveState} state */
	#set(state) {
		if (this.state === state)
			return;
		this.state = state;
		this.config.onState(state);
	}

	async #connect() {
		const round = ++this.#round;
		const { api, scopes = 'alarm', Socket = WebSocket } =
			this.config;
		let token;

		try {
			({ token } = await api.cmd('ws-token'));
		} catch (error) {
			if (round !== this.#round)
				return;
			// the page ends the tries itself if its session is over
			if (this.config.endsRefused && error instanceof ApiError &&
				error.status === 403)
				this.refuse();
			else
				this.#retry();
			return;
		}
		if (round !== this.#round)
			return;
		const url = api.url(`control/event/?token=${token}` +
			`&scope=${scopes}`);

		url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
		const socket = new Socket(url.href);

		this.#socket = socket;
		socket.onopen = () => this.#opened(socket);
		socket.onmessage = (event) => this.#take(socket, event.data);
		socket.onclose = () => this.#closed(socket);
		// a handshake without an answer
		this.#timer = setTimeout(() => this.#closed(socket),
			PING_MS + DEADLINE_MS);
	}

	/** @param {WebSocket} socket */
	async #opened(socket) {
		if (socket !== this.#socket)
			return;
		this.#waitsForPong = false;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#ping(socket), PING_MS);
		try {
			await this.config.onOpen();
		} catch {
			this.#closed(socket);
			return;
		}
		if (socket !== this.#socket)
			return;
		this.#failures = 0;
		this.heardAt = Date.now() / 1000;
		this.#set('open');
	}

	/** @param {WebSocket} socket */
	#ping(socket) {
		this.#waitsForPong = true;
		this.#pingedAt = Date.now() / 1000;
		socket.send('ping');
		this.#timer = setTimeout(() => this.#closed(socket),
			DEADLINE_MS);
	}

	/**
	 * @param {WebSocket} socket
	 * @param {unknown} data
	 */
	#take(socket, data) {
		if (socket !== this.#socket || typeof data !== 'string')
			return;
		this.heardAt = Date.now() / 1000;
		// on a slow page the answer waits behind events, which prove as
		// much
		if (this.#waitsForPong) {
			this.#waitsForPong = false;
			clearTimeout(this.#timer);
			this.#timer = setTimeout(() => this.#ping(socket),
				PING_MS);
		}
		if (data !== 'pong')
			this.config.onMessage(JSON.parse(data));
	}

	/** @param {WebSocket} socket */
	#closed(socket) {
		if (socket !== this.#socket)
			return;
		this.#socket = null;
		clearTimeout(this.#timer);
		socket.close();
		this.#retry();
	}

	#retry() {
		const { random = Math.random } = this.config;

		this.#failures++;
		this.#set('lost');
		this.#timer = setTimeout(() => this.#connect(),
			pauseMs(this.#failures, random()));
	}
}
