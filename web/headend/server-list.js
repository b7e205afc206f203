// SPDX-License-Identifier: GPL-3.0-or-later
// The entries of the list "servers" that a page can ask.  Pure.

/**
 * @typedef {object} Server
 * @property {string} [name]
 * @property {string} host
 * @property {number} port
 * @property {string} user
 * @property {string} pass
 */

/**
 * The enabled ones.  An observer does not see their logins, so that there is
 * nothing to ask with.
 * @param {unknown} list
 * @returns {Server[]}
 */
export function wantedServers(list) {
	return (Array.isArray(list) ? list : []).filter((one) =>
		one !== null && typeof one === 'object' && one.enable === true &&
		typeof one.host === 'string' && one.host !== '' &&
		Number(one.port) > 0 && typeof one.user === 'string' &&
		typeof one.pass === 'string');
}

/**
 * A page over https cannot ask over http, so that both use the same.
 * @param {Server} server
 * @param {string} protocol of this page
 */
export function serverBase({ host, port }, protocol) {
	const isV6 = host.includes(':') && !host.startsWith('[');

	return `${protocol}//${isV6 ? `[${host}]` : host}:${port}/`;
}
