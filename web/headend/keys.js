// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of every page.

import { useEffect } from '../parts/hooks.js';
import { canSwitch, nextInput, restart, toggle } from './actions.js';
import { PAGES } from './pages.js';
import { href } from './route.js';
import { isCovered } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */

/**
 * @typedef {object} Openers
 * @property {Ask} ask
 * @property {() => void} help
 * @property {() => void} palette
 */

/** @param {EventTarget | null} target */
function isTyping(target) {
	return target instanceof Element &&
		target.closest('input, select, textarea, dialog') !== null;
}

/**
 * @param {App} app
 * @param {Openers} open
 */
export function useKeys(app, open) {
	useEffect(() => {
		// the time of a "g", which a second key completes
		let g = -Infinity;

		/** @param {KeyboardEvent} event */
		const onKey = (event) => {
			if (isPalette(event)) {
				event.preventDefault();
				if (!isCovered())
					open.palette();
				return;
			}
			if (event.ctrlKey || event.altKey || event.metaKey ||
				event.defaultPrevented || isTyping(event.target) ||
				isCovered())
				return;
			// a letter may be a word of who speaks to the computer
			if (!app.hasKeys && event.key !== 'Escape')
				return;
			const isSecond = event.timeStamp - g < 1500;

			g = event.key === 'g' ? event.timeStamp : -Infinity;
			if (isSecond ? goTo(app, event.key)
				: press(app, open, event))
				event.preventDefault();
		};

		addEventListener('keydown', onKey);
		return () => removeEventListener('keydown', onKey);
	}, [app]);
}

/** @param {KeyboardEvent} event */
function isPalette(event) {
	return (event.ctrlKey || event.metaKey) && !event.altKey &&
		!event.shiftKey && event.key === 'k';
}

/**
 * Where Escape leads: never out of the page.
 * @param {App} app
 */
function parentOf(app) {
	const { page, id } = app.route;

	if (page === 'edit')
		return href('stream', id);
	return page === 'stream' || page === 'new' ? app.list
		: href(PAGES[page]?.under ?? 'wall');
}

/** @param {App} app @param {string} key */
function goTo(app, key) {
	const found = Object.entries(PAGES).find(([, page]) =>
		page.key === key && (app.isControl || !page.isControl));

	if (found === undefined)
		return false;
	location.hash = href(found[0]);
	return true;
}

/**
 * @param {App} app
 * @param {Openers} open
 * @param {KeyboardEvent} event
 * @returns {boolean} true: the key has been used
 */
function press(app, open, event) {
	const isButton = event.target instanceof Element &&
		event.target.closest('button, summary, a') !== null;

	switch (event.key) {
	case '/':
		app.wantsFilter = true;
		if (!PAGES[app.route.page]?.hasFilter)
			location.hash = href('streams');
		app.changed();
		return true;
	case '?':
		open.help();
		return true;
	case ' ':
		if (isButton)
			return false;
		app.freeze();
		return true;
	case 'Escape':
		location.hash = parentOf(app);
		return app.route.page !== 'wall';
	case 'p':
		return click('p');
	case 't': case 'r': case 'e': case 'b':
		return act(app, open.ask, event.key, event.target);
	default:
		return false;
	}
}

/** Presses the button of the page that has the key. @param {string} key */
function click(key) {
	const button = /** @type {HTMLElement | null} */ (
		document.querySelector(`main [data-key="${key}"]`));

	button?.click();
	return button !== null;
}

/**
 * The action of a key on the stream of the page or of the row with the focus.
 * @param {App} app
 * @param {Ask} ask
 * @param {'t' | 'r' | 'e' | 'b'} key
 * @param {EventTarget | null} target
 */
function act(app, ask, key, target) {
	const id = app.route.page === 'stream' ? app.route.id
		: target instanceof Element ?
			/** @type {HTMLElement | null} */ (target.closest(
				'tr[data-id]'))?.dataset.id : undefined;
	const stream = app.store.streams.get(id ?? '');

	if (!app.isControl || stream === undefined)
		return false;
	if (key === 'e')
		location.hash = href('edit', stream.id);
	else if (key === 'b' && !canSwitch(stream))
		return false;
	else if (key === 'b')
		nextInput(app, stream, ask);
	else
		(key === 't' ? toggle : restart)(app, stream, ask);
	return true;
}
