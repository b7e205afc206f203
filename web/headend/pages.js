// SPDX-License-Identifier: GPL-3.0-or-later
// The pages: a new one is a row here.

/** @typedef {import('../common/words.js').Word} Word */

/**
 * @typedef {object} Page
 * @property {Word} [word] its name
 * @property {string} [sign] in the rail; without one it has no place there
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
	incidents: { word: 'incidents', sign: '⚑', key: 'i', hasFilter: true,
		component: 'Incidents', load: () => import('./incidents.js') },
	network: { word: 'network', sign: '⇄', key: 'n', component: 'Network',
		load: () => import('./network.js') },
	adapters: { word: 'adapters', sign: '⌁', key: 'a',
		component: 'Adapters', load: () => import('./adapters.js') },
	transponders: { under: 'adapters', word: 'scan_adapter',
		isControl: true, component: 'Transponders',
		load: () => import('./transponders.js') },
	cam: { under: 'adapters', hasId: true, isControl: true,
		component: 'CamPage', load: () => import('./cam.js') },
	softcams: { word: 'softcams', sign: '▣', key: 'o',
		component: 'Softcams', load: () => import('./softcams.js') },
	cas: { word: 'cas', sign: '⚷', component: 'Cas',
		load: () => import('./cas.js') },
	scan: { under: 'network', word: 'scan', isControl: true, component: 'Scan',
		load: () => import('./scan.js') },
	settings: { word: 'setup', sign: '⚙', key: 'c', isControl: true,
		component: 'SettingsPage', load: () => import('./settings.js') },
	auth: { under: 'settings', word: 'setup_auth', isControl: true,
		component: 'AuthPage', load: () => import('./auth.js') },
	users: { under: 'settings', word: 'users', key: 'u', isControl: true,
		component: 'Users', load: () => import('./users.js') },
	categories: { under: 'settings', word: 'setup_categories',
		isControl: true, component: 'CategoriesPage',
		load: () => import('./categories.js') },
	outputs: { under: 'settings', word: 'setup_outputs', isControl: true,
		component: 'OutputGroupsPage',
		load: () => import('./output-groups.js') },
	servers: { under: 'settings', word: 'setup_servers', isControl: true,
		component: 'ServersPage',
		load: () => import('./setup-servers.js') },
	logging: { under: 'settings', word: 'setup_logging', isControl: true,
		component: 'LoggingPage', load: () => import('./logging.js') },
	configuration: { under: 'settings', word: 'setup_configuration',
		isControl: true, component: 'ConfigurationPage',
		load: () => import('./configuration.js') },
};

/**
 * The pages with a name that a user may see.
 * @param {boolean} isControl
 */
export function namedPages(isControl) {
	return Object.entries(PAGES).filter(([, page]) =>
		page.word !== undefined && (isControl || !page.isControl));
}

/**
 * Those of the rail.
 * @param {boolean} isControl
 */
export function railPages(isControl) {
	return namedPages(isControl).filter(([, page]) =>
		page.sign !== undefined);
}
