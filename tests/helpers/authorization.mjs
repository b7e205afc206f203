// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of who may watch.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Viewer } from './media.mjs';
import { TsMux } from './mux.mjs';
import { Sluice, config, request, stream } from './sluice.mjs';
import { Sender } from './udp.mjs';
import { udpBound, waitUntil } from './util.mjs';

export const WATCH = { type: 3, enable: true };

export function user(token, more = {}) {
	return { ...WATCH, token, ...more };
}

export async function playing(t, auth, users = {}, more = {}, options = {}) {
	const sluice = await Sluice.start(t, {
		...config({ ...stream('a001', 'udp://127.0.0.1:5000',
			['http://127.0.0.1:8100/one',
				'http://127.0.0.1:8100/free#no_auth',
				'http://127.0.0.1:8100/live.m3u8#duration=1']),
		groups: { News: 'Local' } }),
		categories: [{ name: 'News', groups: [{ name: 'Local' }] },
			{ name: 'Sport', groups: [] }],
		auth: { enable: true, ...auth }, users, ...more }, options);

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	return sluice;
}

export const status = async (query, path = '/one') =>
	(await request(8100, { path: path + query, method: 'HEAD' })).status;

export async function watch(t, query) {
	const viewer = await Viewer.open(t, 8100, `/one${query}`);

	assert.equal(viewer.status, 200, query);
	await waitUntil('video', () => viewer.bytes > 10000);
	return viewer;
}

export const gone = (viewer) => waitUntil('its end', () => viewer.ended);
export const sessions = async (sluice) =>
	(await sluice.cmd('sessions')).sessions;

export function secureToken(address, start, end) {
	const hash = createHash('sha1')
		.update(`a001${address}${start}${end}s3cretsalt`).digest('hex');

	return `${hash}-salt-${end}-${start}`;
}
