// SPDX-License-Identifier: GPL-3.0-or-later
// Requests to the service.  Each error becomes a sentence.

const TIMEOUT_MS = 15000;
// A busy service may take 25 s to hash a password.
const PASSWORD_MS = 30000;

/** The answer was not the wanted one; status 0: there was none. */
export class ApiError extends Error {
	/**
	 * @param {number} status
	 * @param {string} message
	 */
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

/** @param {Response} reply */
async function sentence(reply) {
	try {
		const { error } = await reply.json();

		if (typeof error === 'string')
			return error;
	} catch {
		// a proxy's page
	}
	return `${reply.status} ${reply.statusText}`.trim();
}

export class Api {
	/** Called with every 403: the session may be over. */
	onRefused = () => {};

	/**
	 * @param {string} base address of the page, whose folder is the prefix
	 * @param {typeof fetch} [ask]
	 * @param {string} [authorization] of another service; this one has the
	 *	cookie
	 */
	constructor(base, ask = (...args) => fetch(...args),
		authorization = '') {
		this.base = base;
		this.ask = ask;
		this.authorization = authorization;
	}

	/** @param {string} path below the prefix */
	url(path) {
		return new URL(path, this.base);
	}

	/**
	 * @param {string} path
	 * @param {RequestInit} [init]
	 * @param {{read?: (reply: Response) => Promise<any>, ms?: number}} [how]
	 * @returns {Promise<any>}
	 */
	async #request(path, { headers, ...init } = {},
		{ read = (reply) => reply.json(), ms = TIMEOUT_MS } = {}) {
		const { authorization } = this;
		let reply;

		try {
			reply = await this.ask(this.url(path), { ...init,
				headers: { ...headers, ...authorization &&
					{ Authorization: authorization } },
				cache: 'no-store', credentials: authorization
					? 'omit' : 'same-origin',
				redirect: 'error', referrerPolicy:
					'no-referrer',
				signal: AbortSignal.timeout(ms) });
		} catch {
			throw new ApiError(0, 'the service does not answer');
		}
		if (!reply.ok) {
			if (reply.status === 403)
				this.onRefused();
			throw new ApiError(reply.status, await sentence(reply));
		}
		try {
			return await read(reply);
		} catch {
			throw new ApiError(0, 'the answer is incomplete');
		}
	}

	/**
	 * A command of POST control/.
	 * @param {string} cmd
	 * @param {Record<string, unknown>} [fields]
	 */
	cmd(cmd, fields = {}) {
		return this.post('control/', { cmd, ...fields },
			cmd === 'set-user' ? PASSWORD_MS : TIMEOUT_MS);
	}

	/**
	 * The service can only invert `enable`, and the page may know an old
	 * state: it asks right before.
	 * @param {'stream' | 'user' | 'adapter'} noun
	 * @param {string} id
	 * @param {boolean} wanted
	 */
	async setEnabled(noun, id, wanted) {
		const reply = await this.cmd(`get-${noun}`, { id });
		const { enable } = reply[noun] ?? reply;

		return (enable === true) === wanted ? {}
			: this.cmd(`toggle-${noun}`, { id });
	}

	/**
	 * @param {string} path
	 * @param {unknown} body
	 * @param {number} [ms]
	 */
	post(path, body, ms) {
		return this.#request(path, { method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(body) }, { ms });
	}

	/** @param {string} path such as "api/overview" */
	get(path) {
		return this.#request(path);
	}

	/** @param {string} path @returns {Promise<Blob>} */
	blob(path) {
		return this.#request(path, {}, { read: (reply) => reply.blob() });
	}
}
