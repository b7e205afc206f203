// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of tuners and modules as people read them.  Pure.

/** @param {number | undefined} hundredths */
export function decibel(hundredths) {
	return hundredths ? (hundredths / 100).toFixed(1) : '';
}

/** An identifier of 16 bits, such as a CAID.
 * @param {number} value */
export function hex(value) {
	return `0x${value.toString(16).padStart(4, '0')}`;
}
