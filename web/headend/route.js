// SPDX-License-Identifier: GPL-3.0-or-later
// The address behind '#': the page, its object, filter and sort.  Pure.

import { PAGES } from './pages.js';

/**
 * @typedef {object} Route
 * @property {string} page of PAGES, or "none"
 * @property {string} id of the object of the page
 * @property {URLSearchParams} query
 */

/**
 * @param {string} hash
 * @returns {Route}
 */
export function parseRoute(hash) {
	const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
	const [page, ...rest] = path.split('/');
	let id;

	try {
		id = decodeURIComponent(rest.join('/'));
	} catch {
		return { page: 'none', id: '', query: new URLSearchParams() };
	}
	const params = new URLSearchParams(query);

	if (page === '')
		return { page: 'wall', id: '', query: params };
	if (Object.hasOwn(PAGES, page) && (id !== '') === !!PAGES[page].hasId)
		return { page, id, query: params };
	return { page: 'none', id: '', query: params };
}

/**
 * @param {string} page
 * @param {string} [id]
 * @param {Record<string, string>} [query] empty values are left out
 */
export function href(page, id = '', query = {}) {
	const params = new URLSearchParams(Object.entries(query)
		.filter(([, value]) => value !== '')).toString();

	return `#/${page}${id ? `/${encodeURIComponent(id)}` : ''}` +
		(params ? `?${params}` : '');
}

/**
 * Leads from the present page to another one, after a reply that may come when
 * the user has left it.
 * @returns {(to: string) => void}
 */
export function fromHere() {
	const here = location.hash;

	return (to) => {
		if (location.hash === here)
			location.hash = to;
	};
}

/**
 * Changes what is chosen on a page, without another entry in the history; not
 * if the user has left the page.
 * @param {string} page
 * @param {string} id
 * @param {Record<string, string>} query
 */
export function replaceQuery(page, id, query) {
	const now = parseRoute(location.hash);

	if (now.page !== page || now.id !== id)
		return;
	history.replaceState(null, '', href(page, id, query));
	dispatchEvent(new HashChangeEvent('hashchange'));
}
