// SPDX-License-Identifier: GPL-3.0-or-later
// What is only asked for while it is on the screen.

import { useEffect, useState } from '../parts/hooks.js';
import { clock } from '../common/time.js';
import { t } from '../common/words.js';
import { isOld } from './current.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} Poll
 * @property {any} value null: none came yet
 * @property {number} at Unix time of the browser at which it came
 * @property {number} every seconds
 * @property {Error | null} error of the last request: the value is older
 */

/**
 * Asks for a path again with each tick, one request at a time; a frozen display
 * has no tick.
 * @param {App} app
 * @param {string} path "": there is nothing to ask
 * @param {number} [every] seconds
 * @param {() => Promise<any>} [request] instead of that of the path
 * @returns {Poll}
 */
export function usePoll(app, path, every = 1,
	request = () => app.api.get(path)) {
	const [state, setState] = useState(/** @type {Poll} */ (
		{ value: null, at: 0, every, error: null }));

	useEffect(() => {
		if (path === '')
			return;
		let busy = false, over = false, at = 0;
		const ask = async () => {
			const now = Date.now() / 1000;

			if (busy || Math.abs(now - at) < every - 0.5 ||
				app.lostAt !== null)
				return;
			busy = true;
			at = now;
			try {
				const value = await request();

				if (!over)
					setState({ value, at: Date.now() / 1000, every,
						error: null });
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

/**
 * Why the values are not the present ones, and of when they are.
 * @param {{app: App, poll: Poll}} props
 */
export function Old({ app, poll }) {
	const { at, every, error } = poll;
	const hasOld = isOld(at, app.tick, every);

	if (error === null && !hasOld)
		return null;
	return html`<p class="problem" role="status">${at > 0 ? t('values_of',
		{ time: clock(at + app.skew.value, app.zone) }) : ''}
		${' '}<${Foreign} text=${error?.message ?? ''} /></p>`;
}
