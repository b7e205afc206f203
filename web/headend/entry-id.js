// SPDX-License-Identifier: GPL-3.0-or-later
// The ids of new entries.

import { ApiError } from '../common/api.js';

/** @typedef {import('../common/api.js').Api} Api */
/** @typedef {import('./entries.js').Kind} Kind */
/** @typedef {import('./merge.js').Entry} Entry */

const TRIES = 5;
const GID_FIRST = 466560;

/**
 * An id that no known entry has: from the counter of the service, in base 36.
 * @param {Entry[]} list
 * @param {unknown} gid
 */
export function freshId(list, gid) {
	const known = new Set(list.map((one) => one.id));
	let next = Number(gid ?? GID_FIRST);

	while (known.has(next.toString(36)))
		next++;
	return next.toString(36);
}

/**
 * Stores a new one.  The counter is the service's: it increases with streams
 * that others make meanwhile.  If an id is taken meanwhile, the next is tried.
 * @param {Api} api
 * @param {Kind} kind
 * @param {Entry} entry
 * @param {{list: Entry[], gid: unknown}} known
 */
export async function make(api, kind, entry, { list, gid }) {
	const taken = [...list];

	if (kind.makesId)
		return api.cmd(kind.cmd, { [kind.field]: entry, warnings: true });
	for (let i = 1; ; i++) {
		const id = freshId(taken, gid);

		try {
			return await api.cmd(kind.cmd, { id, was: null,
				[kind.field]: { ...entry, id }, warnings: true });
		} catch (error) {
			if (!(error instanceof ApiError) ||
				error.status !== 409 || i === TRIES)
				throw error;
			taken.push({ id });
		}
	}
}
