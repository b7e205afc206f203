// SPDX-License-Identifier: GPL-3.0-or-later
// Reaches everything on a page by Tab, as somebody without a pointer does.
import assert from 'node:assert/strict';
import { pressKeys } from './browser.mjs';

// In the page: notes each element that gets the focus.
const noteFocus = () => {
	globalThis.reached = new WeakSet();
	document.addEventListener('focusin', (event) =>
		reached.add(event.target), true);
	document.activeElement?.blur();
};

// In the page: the actions that one can see, and those of them that the focus
// has not reached.  Of a list with arrow keys one is in the order of Tab.
const look = () => {
	const actions = [...document.querySelectorAll('a[href], button, ' +
		'input, select, textarea, summary, [role=button], ' +
		'[role=link], [role=menuitem], [role=tab], [role=checkbox]')]
		.filter((one) => !one.disabled && one.checkVisibility({
			visibilityProperty: true }) && one.type !== 'hidden');
	const roves = (one) => {
		const list = one.closest('[role=tablist], .grid, tbody');

		return one.tabIndex < 0 && list !== null &&
			[...list.querySelectorAll('[tabindex="0"]')]
				.some((other) => reached.has(other));
	};
	const name = (one) => `${one.tagName.toLowerCase()} ${
		(one.ariaLabel || one.innerText || one.id || one.name)
			.trim().slice(0, 40)}`;

	return { names: actions.map(name), missing: actions.filter((one) =>
		!reached.has(one) && !roves(one)).map(name) };
};

// Returns the names of all actions; fails if Tab does not lead to one.
export async function walk(page, what) {
	await page.evaluate(noteFocus);
	let { names, missing } = await page.evaluate(look);

	// a page that draws again meanwhile has others
	for (let round = 0; missing.length > 0 && round < 4; round++) {
		for (let n = names.length + 4; n > 0; n -= 20)
			await pressKeys(page, ...Array(Math.min(n, 20))
				.fill('Tab'));
		({ names, missing } = await page.evaluate(look));
	}
	assert.deepEqual(missing, [], `${what}: not reached by Tab`);
	return names;
}
