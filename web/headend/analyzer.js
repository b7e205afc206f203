// SPDX-License-Identifier: GPL-3.0-or-later
// An analyzer of the service: it is started, asked once a second, and ends with
// the view.

import { useEffect } from '../parts/hooks.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/api.js').ApiError} ApiError */

const EVERY_MS = 1000;

/**
 * @typedef {object} Analysis
 * @property {string} scan of scan-init, as JSON; "": none runs
 * @property {number} [round] another one starts it anew
 * @property {() => void} onStart
 * @property {(reply: any) => void} onReply of scan-check
 * @property {(error: ApiError) => void} onError
 * @property {(reply: any) => boolean} [isLast] nothing follows the reply
 * @property {boolean} [isOnce] it ends with the first refusal, and continues
 *	while the page is hidden, as long as events of the service come
 */

/**
 * @param {App} app
 * @param {Analysis} analysis
 */
export function useAnalyzer(app, { scan, round = 0, onStart, onReply, onError,
	isLast = () => false, isOnce = false }) {
	useEffect(() => {
		let busy = false, over = scan === '', id = '', askedMs = 0;
		const kill = () => {
			if (id !== '')
				app.api.cmd('scan-kill', { id }).catch(() => {});
			id = '';
		};
		const refused = (/** @type {ApiError} */ error) => {
			// a lost connection does not end what took minutes
			if (!isOnce || error.status !== 0)
				id = '';
			if (over)
				return;
			over = isOnce && error.status !== 0;
			onError(error);
		};
		const check = async () => {
			if (busy || over || app.lostAt !== null ||
				(document.hidden && !isOnce))
				return;
			busy = true;
			askedMs = performance.now();
			try {
				if (id === '')
					({ id } = await app.api.cmd('scan-init',
						{ scan: JSON.parse(scan) }));
				const reply = await app.api.cmd('scan-check', { id });

				if (!over) {
					onReply(reply);
					over = isLast(reply);
				}
			} catch (problem) {
				refused(/** @type {ApiError} */ (problem));
			}
			busy = false;
			if (over)
				kill();
		};

		onStart();
		check();
		// no clock of the page: it rests while the page is hidden, and the
		// service ends what is not asked for ten seconds
		const timer = setInterval(check, EVERY_MS);
		// a browser slows the timers of a hidden page down to one run a minute
		const unlisten = app.home.listen(() => {
			if (document.hidden &&
				performance.now() - askedMs >= EVERY_MS)
				check();
		});

		return () => {
			over = true;
			clearInterval(timer);
			unlisten();
			if (!busy)
				kill();
		};
	}, [app, scan, round]);
}
