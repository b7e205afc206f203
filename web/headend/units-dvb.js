// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of tuners and modules as people read them.  Pure.

/** @typedef {import('../common/words.js').Word} Word */

/** The status of a frontend, bit by bit.
 * @type {[number, Word][]} */
const BITS = [[0x01, 'bit_signal'], [0x02, 'bit_carrier'], [0x04, 'bit_fec'],
	[0x08, 'bit_sync'], [0x10, 'lock'], [0x20, 'bit_timeout'],
	[0x40, 'bit_reset']];

/**
 * @param {number} status 0: no signal, or the watchdog has stopped it
 * @returns {Word[]}
 */
export function bitsOf(status) {
	return status === 0 ? ['bit_none'] : BITS.filter(([bit]) =>
		(status & bit) !== 0).map(([, word]) => word);
}

/** @param {number | undefined} hundredths */
export function decibel(hundredths) {
	return hundredths ? (hundredths / 100).toFixed(1) : '';
}

/** An identifier of 16 bits, such as a CAID.
 * @param {number} value */
export function hex(value) {
	return `0x${value.toString(16).padStart(4, '0')}`;
}
