// SPDX-License-Identifier: GPL-3.0-or-later
// The sizes of tiles.  Pure.

/** @typedef {'s' | 'm' | 'l'} Size */

/** Width and height with the gap, in px. */
export const SIZES = { l: [202, 98], m: [122, 50], s: [54, 24] };
const HEAD = 26; // of a section

/**
 * The largest tiles with which all sections fit.
 * @param {number[]} counts of tiles in each section
 * @param {number} width
 * @param {number} height
 * @returns {Size}
 */
export function fit(counts, width, height) {
	for (const size of /** @type {Size[]} */ (['l', 'm'])) {
		const [w, h] = SIZES[size];
		const perRow = Math.max(1, Math.floor((width + 2) / w));
		const need = counts.reduce((sum, n) => sum + HEAD +
			Math.ceil(n / perRow) * h, 0);

		if (need <= height)
			return size;
	}
	return 's';
}
