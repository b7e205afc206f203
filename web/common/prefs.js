// SPDX-License-Identifier: GPL-3.0-or-later
// What this browser remembers: theme, language, zone, sizes.  No credential.

const KEY = 'sluice.';

/**
 * @param {string} name
 * @param {string} fallback
 * @returns {string}
 */
export function pref(name, fallback) {
	try {
		return localStorage.getItem(KEY + name) ?? fallback;
	} catch {
		return fallback; // the browser forbids it
	}
}

/**
 * @param {string} name
 * @param {string} value
 */
export function setPref(name, value) {
	try {
		localStorage.setItem(KEY + name, value);
	} catch {
		// it holds until the page is closed
	}
}
