// SPDX-License-Identifier: GPL-3.0-or-later
// The sizes of tiles.  Pure.

/** @typedef {'s' | 'm' | 'l'} Size */

/** Width and height with the gap, in px. */
const SIZES = { l: [202, 98], m: [122, 50], s: [54, 24] };
const GAP = 2;
const HEAD = 24; // of a section, with the gap to the next but no row's
const PHONE = 600; // px: a screen that is scrolled anyway
const SHORT = 7; // characters of a name in the smallest tile

/** Tiles, as the grid has them. @param {Size} size @param {number} width */
export function perRow(size, width) {
	return Math.max(1, Math.floor((width + GAP) / SIZES[size][0]));
}

/**
 * Of sections with so many tiles.
 * @param {number[]} counts
 * @param {Size} size
 * @param {number} width
 */
export function heightOf(counts, size, width) {
	const [, h] = SIZES[size], columns = perRow(size, width);

	if (size !== 's')
		return counts.reduce((sum, n) => sum + HEAD +
			Math.ceil(n / columns) * h, 0);
	let at = 0; // places

	// they share their rows, and a title has two places of one row
	for (const n of counts)
		at += (at % columns === columns - 1 ? 1 : 0) + 2 + n;
	return Math.ceil(at / columns) * h - GAP;
}

/**
 * The largest tiles with which all sections fit; on a phone, on three screens.
 * @param {number[]} counts of tiles in each section
 * @param {number} width
 * @param {number} height
 * @returns {Size}
 */
export function fit(counts, width, height) {
	for (const size of /** @type {Size[]} */ (['l', 'm']))
		if (heightOf(counts, size, width) <=
			(width < PHONE && size === 'm' ? 3 * height : height))
			return size;
	return 's';
}

/**
 * Names for the smallest tiles, whose end is cut.  Several that begin alike
 * would look the same: those lose their middle.
 * @param {string[]} names
 * @returns {(name: string) => string}
 */
export function shortNames(names) {
	const head = (/** @type {string} */ name) =>
		[...name].slice(0, SHORT).join('');
	/** @type {Map<string, number>} */
	const counts = new Map();

	for (const name of new Set(names))
		counts.set(head(name), (counts.get(head(name)) ?? 0) + 1);
	return (name) => {
		const all = [...name];

		return all.length <= SHORT || (counts.get(head(name)) ?? 0) < 2
			? name : `${all.slice(0, 2).join('')}…${
				all.slice(-3).join('').trim()}`;
	};
}
