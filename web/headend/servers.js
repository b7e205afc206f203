// SPDX-License-Identifier: GPL-3.0-or-later
// Other headends on the wall: those of the list "servers".

import { useEffect, useState } from '../parts/hooks.js';
import { Api } from '../common/api.js';
import { Headend } from '../common/headend.js';
import { serverBase, wantedServers } from './server-list.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./server-list.js').Server} Server */
/** @typedef {{name: string, base: string, headend: Headend,
 *	again: () => void}} Neighbour again: after a refused login */

/** @param {string} text @returns {string} Base64 of its UTF-8 */
function base64(text) {
	return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/**
 * @param {App} app
 * @param {Server} server
 * @returns {Neighbour}
 */
function connect(app, server) {
	const base = serverBase(server, location.protocol);
	const api = new Api(base, undefined,
		`Basic ${base64(`${server.user}:${server.pass}`)}`);
	const key = JSON.stringify(server), { refusedServers } = app;
	const headend = new Headend(api, { draw: () => {}, changed: () => {
		if (headend.live.state === 'refused')
			refusedServers.add(key);
		app.changed();
	} }, true);
	const again = () => {
		refusedServers.delete(key);
		headend.start();
	};

	if (refusedServers.has(key))
		headend.live.refuse();
	else
		headend.start();
	return { name: server.name || server.host, base, headend, again };
}

/** The list of when the document was loaded: its policy allows these alone.
 * @type {string | null} */
let allowed = null;

/**
 * The other headends, connected while the wall is shown.
 * @param {App} app
 * @returns {Neighbour[]}
 */
export function useNeighbours(app) {
	const [list, setList] = useState(/** @type {Neighbour[]} */ ([]));
	const servers = wantedServers(app.store.config.servers);
	const key = JSON.stringify(servers);

	useEffect(() => {
		const hosts = servers.map((server) =>
			serverBase(server, location.protocol)).sort().join(' ');

		if ((allowed ?? hosts) !== hosts ||
			(app.hasLoggedIn && hosts !== '')) {
			// the policy of the document does not have them
			location.reload();
			return;
		}
		allowed = hosts;
		const all = servers.map((server) => connect(app, server));
		const end = app.tick.addClock(() => {
			for (const { headend } of all)
				headend.everySecond();
		});

		setList(all);
		return () => {
			end();
			for (const { headend } of all)
				headend.stop();
		};
	}, [app, key]);
	return list;
}
