// SPDX-License-Identifier: GPL-3.0-or-later
// The pages: a new one is a row here.

/** @typedef {import('../common/words.js').Word} Word */

/**
 * @typedef {object} Page
 * @property {Word} [word] its name; without one it has no place in the rail
 * @property {string} [sign] in the rail
 * @property {string} [key] behind "g"
 * @property {string} [under] the page of the rail that it belongs to
 * @property {boolean} [hasId] it shows one object
 * @property {boolean} [isControl] for control users only
 * @property {boolean} [hasFilter] "/" leads into its filter
 * @property {string} [component] of the module
 * @property {() => Promise<any>} [load] the module; the wall is always there
 */

/** In the order of the rail.
 * @type {Record<string, Page>} */
export const PAGES = {
	wall: { word: 'wall', sign: '▦', key: 'w' },
	streams: { word: 'streams', sign: '☰', key: 's', hasFilter: true,
		component: 'Streams', load: () => import('./streams.js') },
	stream: { under: 'streams', hasId: true, component: 'StreamPage',
		load: () => import('./stream.js') },
	edit: { under: 'streams', hasId: true, component: 'EditPage',
		isControl: true, load: () => import('./edit.js') },
	new: { under: 'streams', component: 'EditPage', isControl: true,
		load: () => import('./edit.js') },
	sessions: { word: 'viewers', sign: '◉', key: 'v',
		component: 'Sessions', load: () => import('./sessions.js') },
	log: { word: 'log', sign: '≡', key: 'l', isControl: true,
		hasFilter: true, component: 'LogPage',
		load: () => import('./log.js') },
	incidents: { word: 'incidents', sign: '⚑', key: 'i',
		component: 'Incidents', load: () => import('./incidents.js') },
	network: { word: 'network', sign: '⇄', key: 'n', component: 'Network',
		load: () => import('./network.js') },
	scan: { under: 'network', isControl: true, component: 'Scan',
		load: () => import('./scan.js') },
	users: { word: 'users', sign: '◍', key: 'u', isControl: true,
		component: 'Users', load: () => import('./users.js') },
};

/**
 * The pages of the rail that a user may see.
 * @param {boolean} isControl
 */
export function railPages(isControl) {
	return Object.entries(PAGES).filter(([, page]) =>
		page.word !== undefined && (isControl || !page.isControl));
}
