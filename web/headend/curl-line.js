// SPDX-License-Identifier: GPL-3.0-or-later
// The request behind a table, as a line for a shell.  Pure.

/** A path of a GET below the prefix, or a command.
 * @typedef {string | {cmd: string, [field: string]: unknown}} Request */

/** The configuration, as this user may see it. @type {Request} */
export const LOAD = { cmd: 'load' };

/** The state of a stream over the last second. @param {string} id */
export const statusPath = (id) =>
	`api/stream-status/${encodeURIComponent(id)}?t=0`;

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll('\'', '\'\\\'\'')}'`;

/**
 * @param {(path: string) => URL} url
 * @param {Request} request
 * @param {string} login curl asks for its password; "": there are no accounts
 */
export function curlLine(url, request, login) {
	const isGet = typeof request === 'string';

	return ['curl', ...login === '' ? [] : ['-u', quoted(login)],
		...isGet ? [] : ['-d', quoted(JSON.stringify(request))],
		quoted(url(isGet ? request : 'control/').href)].join(' ');
}
