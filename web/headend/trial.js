// SPDX-License-Identifier: GPL-3.0-or-later
// What the service would say to a command: it judges, and changes nothing.

import { useEffect, useState } from '../parts/hooks.js';
import { ApiError } from '../common/api.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} Trial
 * @property {string} error
 * @property {string[]} warnings
 * @property {any} effects null: not known
 */

/** Typing goes on for so long. */
const PAUSE_MS = 400;

/** @type {Trial} */
const NOTHING = { error: '', warnings: [], effects: null };

/**
 * @param {App} app
 * @param {string} cmd
 * @param {Record<string, unknown>} fields
 * @param {boolean} isDirty there is something to judge
 * @returns {Trial}
 */
export function useTrial(app, cmd, fields, isDirty) {
	const [trial, setTrial] = useState(NOTHING);
	const request = JSON.stringify(fields);
	// after the login it is judged again
	const isOn = isDirty && !app.expired;

	useEffect(() => {
		if (!isOn) {
			setTrial(NOTHING);
			return;
		}
		let isOver = false;
		const timer = setTimeout(async () => {
			/** @type {Trial} */
			let result = NOTHING;

			try {
				const { warnings = [], effects = null } =
					await app.api.cmd(cmd, { ...JSON.parse(request),
						dry_run: true, warnings: true });

				result = { error: '', warnings, effects };
			} catch (problem) {
				const { message, status } =
					/** @type {ApiError} */ (problem);

				// without a connection nothing was judged
				if (status === 400)
					result = { ...NOTHING, error: message };
			}
			if (!isOver)
				setTrial(result);
		}, PAUSE_MS);

		return () => {
			isOver = true;
			clearTimeout(timer);
		};
	}, [app, cmd, request, isOn]);
	return trial;
}
