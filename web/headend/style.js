// SPDX-License-Identifier: GPL-3.0-or-later
// Style sheets that come with a page that is loaded later.

/** @type {Map<string, Promise<unknown>>} */
const asked = new Map();

/**
 * @param {string} name of a file beside this one
 * @returns {Promise<unknown>} it is in force
 */
export function addStyle(name) {
	const link = document.createElement('link');
	const here = asked.get(name) ?? new Promise((done, fail) => {
		link.onload = done;
		link.onerror = (error) => {
			asked.delete(name);
			link.remove();
			fail(error);
		};
		link.rel = 'stylesheet';
		link.href = new URL(name, import.meta.url).href;
		document.head.append(link);
	});

	asked.set(name, here);
	return here;
}
