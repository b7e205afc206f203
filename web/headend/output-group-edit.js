// SPDX-License-Identifier: GPL-3.0-or-later
// The requests that change a group of outputs.

import { t } from '../common/words.js';
import { placeOf } from './actions.js';
import { same } from './merge.js';

/** @typedef {import('../common/api.js').Api} Api */
/** @typedef {import('./merge.js').Entry} Entry */

/**
 * The service has no `was` for these groups, so the page compares itself.
 * @param {Api} api
 * @param {string} name of the group that is changed; "" adds one
 * @param {Entry | null} known as the page has shown it
 * @param {Entry} group
 */
export async function saveGroup(api, name, known, group) {
	const { output } = await api.cmd('load');
	const now = (Array.isArray(output) ? output : []).find((one) =>
		name !== '' && one?.name === name) ?? null;

	if (name !== '' && !same(now, known))
		throw new Error(t('group_changed'));
	await api.post(`api/output-group${name === '' ? ''
		: `/${encodeURIComponent(name)}`}`, group);
}

/**
 * A removed group is back at its place: a request for a group would append it.
 * @param {Api} api
 * @param {Entry} group
 * @param {string[]} order of the names before the removal
 */
export async function bringBackGroup(api, group, order) {
	const { output = null } = await api.cmd('load');
	/** @type {any[]} */
	const list = Array.isArray(output) ? [...output] : [];
	const at = (/** @type {string | undefined} */ name) =>
		name === undefined ? -1 : list.findIndex((one) =>
			one?.name === name);
	const { before } = placeOf(order, group.name, (one) => at(one) >= 0);
	const place = at(before);

	if (at(group.name) >= 0)
		throw new Error(t('group_exists'));
	list.splice(place < 0 ? list.length : place, 0, group);
	return api.cmd('set-config', { key: 'output', was: output, data: list });
}
