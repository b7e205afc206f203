// SPDX-License-Identifier: GPL-3.0-or-later
// The request that changes a group of outputs.

import { t } from '../common/words.js';
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
