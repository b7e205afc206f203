// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them.  Pure, but for the language of the page.

import { t } from './words.js';

const THIN = '\u2009';

/**
 * A whole number, its thousands set apart.
 * @param {number} value
 * @returns {string}
 */
export function count(value) {
	return Math.trunc(value).toString()
		.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/**
 * kbit/s as Mbit/s, always with three digits behind the point.
 * @param {number} kbps
 * @returns {string}
 */
export function mbit(kbps) {
	const whole = Math.trunc(kbps / 1000);
	const rest = Math.trunc(kbps % 1000);

	return `${count(whole)}.${String(rest).padStart(3, '0')}`;
}

/**
 * A sum of rates with its unit, in three significant digits.
 * @param {number} kbps
 * @returns {string}
 */
export function rateSum(kbps) {
	if (kbps >= 1e6)
		return `${(kbps / 1e6).toPrecision(3)} ${t('gbit')}`;
	return `${(kbps / 1e3).toFixed(1)} ${t('rate')}`;
}

/**
 * Seconds as a duration: 00:41, 14:03, 2:14:03, 3 d 4 h.
 * @param {number} seconds
 * @returns {string}
 */
export function age(seconds) {
	const s = Math.max(0, Math.floor(seconds));
	const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
	const hours = Math.floor(s / 3600), minutes = Math.floor(s / 60) % 60;

	if (hours >= 48)
		return t('days', { d: Math.floor(hours / 24), h: hours % 24 });
	if (hours > 0)
		return `${hours}:${two(minutes)}:${two(s % 60)}`;
	return `${two(minutes)}:${two(s % 60)}`;
}

/**
 * @param {number} bytes
 * @returns {string}
 */
export function bytes(bytes) {
	const units = t('byte_units').split(' ');
	let i = 0;

	for (; bytes >= 1000 && i < units.length - 1; i++)
		bytes /= 1000;
	return `${i === 0 ? bytes : bytes.toPrecision(3)} ${units[i]}`;
}
