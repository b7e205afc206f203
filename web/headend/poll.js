// SPDX-License-Identifier: GPL-3.0-or-later
// What is only asked for while it is on the screen.

import { useEffect, useState } from '../parts/hooks.js';

/** @typedef {import('./app.js').App} App */

/**
 * Asks for a path again with each tick, one request at a time.
 * @param {App} app
 * @param {string} path "": there is nothing to ask
 * @param {number} [every] seconds
 * @returns {{value: any, error: Error | null}}
 */
export function usePoll(app, path, every = 1) {
	const [state, setState] = useState(
		/** @type {{value: any, error: Error | null}} */ (
			{ value: null, error: null }));

	useEffect(() => {
		if (path === '')
			return;
		let busy = false, over = false, at = 0;
		const ask = async () => {
			const now = Date.now() / 1000;

			if (busy || now - at < every - 0.5 || app.lostAt !== null)
				return;
			busy = true;
			at = now;
			try {
				const value = await app.api.get(path);

				if (!over)
					setState({ value, error: null });
			} catch (error) {
				if (!over)
					setState((was) => ({ ...was, error:
						/** @type {Error} */ (error) }));
			}
			busy = false;
		};

		ask();
		const end = app.tick.add(ask);

		return () => {
			over = true;
			end();
		};
	}, [app, path]);
	return state;
}
