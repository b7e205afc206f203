// SPDX-License-Identifier: GPL-3.0-or-later
// What the pages share: the template function and small parts.

import { h } from '../parts/preact.js';
import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import htm from '../parts/htm.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/state.js').Mark} Mark */

/** @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(h);

/**
 * Renders with each change of the page's state.
 * @param {App} app
 */
export function useApp(app) {
	const [, again] = useState(0);

	// at once: the next change may come before the next frame
	useLayoutEffect(() => app.watch(() => again((n) => n + 1)), [app]);
}

/** Something lies above the page and has the keys. */
export function isCovered() {
	return document.querySelector('dialog[open], .login') !== null;
}

/**
 * Renders once a second, for views with little on them.
 * @param {App} app
 */
export function useTick(app) {
	const [, again] = useState(0);

	useEffect(() => app.tick.add(() => again((n) => n + 1)), [app]);
}

/**
 * The present; while the display is frozen, what was made last.
 * @template T
 * @param {App} app
 * @param {() => T} make
 * @returns {T}
 */
export function useKept(app, make) {
	const kept = useRef(/** @type {{value: T} | null} */ (null));

	if (!app.tick.frozen || kept.current === null)
		kept.current = { value: make() };
	return kept.current.value;
}

/**
 * A text of a stream or of another program, for which nothing is assumed.
 * @param {{text: unknown, title?: boolean}} props
 */
export function Foreign({ text }) {
	const safe = shown(text);

	return html`<bdi>${safe}</bdi>`;
}

/** @type {Record<Mark, import('../common/words.js').Word>} */
const WORDS = { on: 'mark_on', fault: 'mark_fault', warn: 'mark_warn',
	wait: 'mark_wait', change: 'mark_change', disabled: 'mark_disabled',
	stale: 'mark_stale' };

/** @param {Mark} mark */
export function markWord(mark) {
	return t(WORDS[mark]);
}

/** @param {{mark: Mark, word?: string}} props */
export function MarkSign({ mark, word = markWord(mark) }) {
	return html`<span class="mark" data-mark=${mark}>
		<span class="mark-word">${word}</span></span>`;
}

/**
 * The next step instead of an empty page.
 * @param {{title: string, children?: any}} props
 */
export function Empty({ title, children }) {
	return html`<div class="empty"><h2>${title}</h2>${children}</div>`;
}
