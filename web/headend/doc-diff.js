// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between two configurations.  Pure.

import { same } from './merge.js';

/**
 * @typedef {object} Difference
 * @property {string} path such as "make_stream[news].output"
 * @property {unknown} before undefined: it is new
 * @property {unknown} after undefined: it is gone
 */

/** Objects below a section are shown by their keys, deeper ones whole. */
const DEPTH = 2;

/** @param {unknown} value @returns {value is Record<string, any>} */
function isObject(value) {
	return typeof value === 'object' && value !== null &&
		!Array.isArray(value);
}

/**
 * A list of objects as an object, by a key that each has once.
 * @param {unknown} value
 * @returns {Record<string, any> | null}
 */
function byKey(value) {
	if (!Array.isArray(value) || !value.every(isObject))
		return null;
	for (const key of ['id', 'name']) {
		const names = value.map((one) => one[key]);

		if (names.every((name) => typeof name === 'string' ||
			typeof name === 'number') &&
			new Set(names.map(String)).size === names.length)
			return Object.fromEntries(value.map((one) =>
				[`[${one[key]}]`, one]));
	}
	return null;
}

/**
 * @param {unknown} before
 * @param {unknown} after
 * @param {string} path
 * @param {number} depth
 * @param {Difference[]} found
 */
function compare(before, after, path, depth, found) {
	if (same(before, after))
		return;
	const x = byKey(before ?? []), y = byKey(after ?? []), n = found.length;

	if (depth > 0 && x !== null && y !== null)
		compareKeys(x, y, path, depth, found, '');
	else if (depth > 0 && isObject(before) && isObject(after))
		compareKeys(before, after, path, depth - 1, found, '.');
	// the order alone may differ
	if (found.length === n)
		found.push({ path, before, after });
}

/**
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 * @param {string} path
 * @param {number} depth
 * @param {Difference[]} found
 * @param {string} join between the path and a key
 */
function compareKeys(before, after, path, depth, found, join) {
	for (const key of new Set([...Object.keys(before),
		...Object.keys(after)]))
		compare(before[key], after[key], `${path}${join}${key}`, depth,
			found);
}

/**
 * @param {Record<string, any>} before
 * @param {Record<string, any>} after
 * @returns {Difference[]} in the order of the documents
 */
export function docDiff(before, after) {
	/** @type {Difference[]} */
	const found = [];

	compareKeys(before, after, '', DEPTH, found, '');
	return found;
}
