// SPDX-License-Identifier: GPL-3.0-or-later
// The selected rows of a table, and what is sent for each.  Pure.

/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {(stream: Stream) => [string, Record<string, unknown>]} Command */

/**
 * From the address.
 * @param {string | null} text
 * @param {(id: string) => boolean} exists
 * @returns {Set<string>}
 */
export function parseSelection(text, exists) {
	return new Set((text ?? '').split(',').map((part) => {
		try {
			return decodeURIComponent(part);
		} catch {
			return '';
		}
	}).filter(exists));
}

/** @param {Iterable<string>} selection */
export function printSelection(selection) {
	return [...selection].map(encodeURIComponent).join();
}

/**
 * @param {Set<string>} selection
 * @param {string} id
 */
export function toggled(selection, id) {
	const after = new Set(selection);

	if (!after.delete(id))
		after.add(id);
	return after;
}

/**
 * With all rows from the last selected one to this.
 * @param {Set<string>} selection
 * @param {string[]} order ids as shown
 * @param {string} last
 * @param {string} id
 */
export function extended(selection, order, last, id) {
	const from = order.indexOf(last), to = order.indexOf(id);

	if (from < 0 || to < 0)
		return toggled(selection, id);
	return new Set([...selection, ...order.slice(Math.min(from, to),
		Math.max(from, to) + 1)]);
}

/**
 * The group is written beside what the stream has in other categories.
 * @param {string} category
 * @param {string} group "": none
 * @returns {Command}
 */
export function groupCommand(category, group) {
	return ({ id, config }) => {
		const { [category]: _before, ...groups } = config?.groups ?? {};

		return ['set-stream', { id, was: config, stream: { ...config,
			groups: group === '' ? groups
				: { ...groups, [category]: group } } }];
	};
}
