// SPDX-License-Identifier: GPL-3.0-or-later
// The slots of an adapter for modules (CAM), as the service reports them.
// Pure.

/**
 * @typedef {object} Menu
 * @property {'menu' | 'list' | 'question'} kind
 * @property {string} title
 * @property {string} subtitle
 * @property {string} bottom
 * @property {boolean} blind
 * @property {number} length of the answer; 0: any
 * @property {number} more items that are not in the list
 * @property {string[]} items
 */

/**
 * @typedef {object} Slot
 * @property {number} slot
 * @property {string} state
 * @property {string} [error]
 * @property {string} name
 * @property {number} manufacturer
 * @property {number} code
 * @property {number} resets
 * @property {boolean} ciplus
 * @property {number[]} caids
 * @property {{pnr: number, state: string}[]} programs
 * @property {Menu} [menu]
 */

/**
 * The slots with one that has changed.
 * @param {Slot[]} slots
 * @param {Slot} changed
 */
export function withSlot(slots, changed) {
	return [...slots.filter(({ slot }) => slot !== changed.slot), changed]
		.sort((a, b) => a.slot - b.slot);
}
