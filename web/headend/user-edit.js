// SPDX-License-Identifier: GPL-3.0-or-later
// Requests that change users.  Each names the entry that the page shows, so
// that the service refuses it if somebody else has changed the user.

import { t } from '../common/words.js';
import { placeOf } from './actions.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./merge.js').Entry} Entry */

/** The entry as a request has it: the service keeps the hash.
 * @param {Entry} entry
 */
export function withoutHash({ cipher, ...rest }) {
	return rest;
}

/**
 * @param {string} id
 * @param {Entry | null} was the user as the page knows it; null: a new one
 * @param {Entry} user
 */
export function userChange(id, was, user) {
	return { id, was, user };
}

/**
 * @param {string} id
 * @param {Entry} known
 */
export function userRemoval(id, known) {
	return userChange(id, known, { remove: true });
}

/**
 * An observer does not know its entry; the service stores the password alone.
 * @param {string} id
 * @param {Entry | null} known null: an observer
 * @param {string} password
 */
export function passwordChange(id, known, password) {
	return known === null ? { id, user: { password } }
		: userChange(id, known, { ...withoutHash(known), password });
}

/**
 * A removed user is back at its place, with its password, which only the
 * section has.
 * @param {App} app
 * @param {string} login
 * @param {Entry} entry
 * @param {string[]} order of the logins before the removal
 */
export function bringBack(app, login, entry, order) {
	return app.run(async () => {
		const { users = null } = await app.api.cmd('load');
		const list = Object.entries(users ?? {});
		const { before } = placeOf(order, login, (one) =>
			Object.hasOwn(users ?? {}, one));
		const place = list.findIndex(([one]) => one === before);

		if (Object.hasOwn(users ?? {}, login))
			throw new Error(t('user_exists'));
		list.splice(place < 0 ? list.length : place, 0, [login, entry]);
		return app.api.cmd('set-config', { key: 'users', was: users,
			data: Object.fromEntries(list) });
	}, t('saved')).finally(() => {
		app.store.wantsConfig = true;
	});
}
