// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of streams, viewers and other programs, made safe to look at.  Pure.

const LONGEST = 2000;

// Controls, and those that turn the direction of the text around them.
const HIDDEN = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b-' +
	'\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]', 'g');

/**
 * The text with a visible sign for each character that would be invisible or
 * change others, and not longer than a screen.
 * @param {unknown} value
 * @returns {string}
 */
export function shown(value) {
	let text = typeof value === 'string' ? value : String(value ?? '');

	if (text.length > LONGEST)
		text = `${text.slice(0, LONGEST)}…`;
	return text.replace(HIDDEN, '\ufffd');
}
