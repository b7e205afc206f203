// SPDX-License-Identifier: GPL-3.0-or-later
// Objects of the configuration: what differs, and one from the changes of two
// users.  Pure.

/** @typedef {Record<string, any>} Entry */

/** Counted by the service with every change. */
const COUNTERS = /^(pat|pmt|sdt|cat|nit)_version$/;

/**
 * As the service compares: the order of keys does not matter.
 * @param {unknown} a
 * @param {unknown} b
 * @returns {boolean}
 */
export function same(a, b) {
	if (a === b || ((a ?? null) === null && (b ?? null) === null))
		return true;
	if (typeof a !== 'object' || typeof b !== 'object' || !a || !b)
		return false;
	const x = Object.entries(a), y = /** @type {Entry} */ (b);

	if (x.length !== Object.keys(y).length)
		return false;
	// an empty list equals an empty object
	return x.length === 0 || (Array.isArray(a) === Array.isArray(b) &&
		x.every(([key, value]) => Object.hasOwn(y, key) &&
			same(value, y[key])));
}

/**
 * The keys of two objects, those of the first one first.
 * @param {Entry[]} objects
 */
function keysOf(...objects) {
	return [...new Set(objects.flatMap((one) => Object.keys(one)))];
}

/**
 * @param {Entry} before
 * @param {Entry} after
 * @returns {{key: string, before: unknown, after: unknown}[]}
 */
export function diff(before, after) {
	return keysOf(before, after)
		.filter((key) => !COUNTERS.test(key) &&
			!same(before[key], after[key]))
		.map((key) => ({ key, before: before[key], after: after[key] }));
}

/**
 * The object with the changes of both.  Where both changed one key it has
 * mine, and names it.
 * @param {Entry} base that both knew
 * @param {Entry} mine
 * @param {Entry} theirs
 * @returns {{merged: Entry, conflicts: string[]}}
 */
export function merge(base, mine, theirs) {
	/** @type {Entry} */
	const merged = {};
	/** @type {string[]} */
	const conflicts = [];

	for (const key of keysOf(mine, theirs)) {
		const isMine = !same(base[key], mine[key]) &&
			!COUNTERS.test(key);
		const value = isMine ? mine[key] : theirs[key];

		if (isMine && !same(base[key], theirs[key]) &&
			!same(mine[key], theirs[key]))
			conflicts.push(key);
		if (value !== undefined)
			merged[key] = value;
	}
	return { merged, conflicts };
}

/**
 * The field that an error of the service names: "stream.input[1]: …" is
 * ["input", 1].
 * @param {string} error
 * @returns {{key: string, place: number} | null}
 */
export function fieldOf(error) {
	const found = /^stream\.(\w+)(?:\[(\d+)\])?/.exec(error);

	return found && { key: found[1], place: Number(found[2] ?? -1) };
}

/**
 * The key of a section that an error of the service names, or "".
 * @param {string} error
 * @param {string} section
 */
export function errorKey(error, section) {
	return error.startsWith(`${section}.`)
		? /^[^\s:.[\]]+/.exec(error.slice(section.length + 1))?.[0] ?? ''
		: '';
}

/**
 * The list with an item at another place.
 * @template T
 * @param {T[]} list
 * @param {number} from
 * @param {number} to
 * @returns {T[]}
 */
export function moved(list, from, to) {
	const copy = [...list], [item] = copy.splice(from, 1);

	copy.splice(to, 0, item);
	return copy;
}
