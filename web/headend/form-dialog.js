// SPDX-License-Identifier: GPL-3.0-or-later
// A dialog with a form: what is typed into it is not lost unasked, and waits
// below the login if the session ends.

import { useLayoutEffect, useRef, useState } from '../parts/hooks.js';
import { askDiscard, useUnsaved } from './draft.js';
import { Problem } from './fields.js';
import { t } from '../common/words.js';
import { html, useApp } from './view.js';

/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./app.js').App} App */

/**
 * Escape closes no dialog that waits for a reply: the service may refuse it.
 * @param {boolean} busy
 */
export function useHeld(busy) {
	useLayoutEffect(() => {
		// the button that had the focus is disabled: the key is the page's
		const onKey = (/** @type {KeyboardEvent} */ event) =>
			event.key === 'Escape' && event.preventDefault();

		if (!busy)
			return undefined;
		addEventListener('keydown', onKey, true);
		return () => removeEventListener('keydown', onKey, true);
	}, [busy]);
}

/**
 * The native dialog, open while the page is not below the login: an open one
 * would take the keys of the login.
 * @param {App} app
 * @param {() => void} onClose
 */
function useNative(app, onClose) {
	const box = useRef(/** @type {HTMLDialogElement | null} */ (null));

	useApp(app);
	useLayoutEffect(() => {
		const before = /** @type {HTMLElement | null} */ (
			document.activeElement);

		return () => before?.focus();
	}, []);
	useLayoutEffect(() => {
		if (app.expired)
			box.current?.close();
		else
			box.current?.showModal();
	}, [app.expired]);
	return { box, close: () => {
		// the event of the closing below the login comes later
		if (!app.expired && !box.current?.open)
			onClose();
	} };
}

/**
 * @param {{app: App, ask: Ask, title: string, error: string, busy: boolean,
 *	isReady?: boolean, onSubmit: (event: SubmitEvent) => void,
 *	onClose: () => void, children?: any}} props
 */
export function FormDialog({ app, ask, title, error, busy, isReady = true,
	onSubmit, onClose, children }) {
	const [isTyped, setTyped] = useState(false);
	const { box, close } = useNative(app, onClose);
	// a key may come before the next frame
	const typed = useRef(false);
	const note = (/** @type {Event} */ event) => {
		// their value is taken with the event behind this one: a redraw
		// between both would undo it
		if (event.type === 'input' && event.target instanceof Element &&
			event.target.matches('select, [type=checkbox]'))
			return;
		typed.current = true;
		setTyped(true);
	};

	useHeld(busy);
	useUnsaved(app, isTyped, busy, ask, onClose);
	useLayoutEffect(() => {
		const onKey = (/** @type {KeyboardEvent} */ event) => {
			if (event.key !== 'Escape' || busy || !typed.current)
				return;
			// a browser closes a dialog with the second Escape at last
			event.preventDefault();
			event.stopPropagation();
			askDiscard(ask, onClose);
		};
		const { current } = box;

		current?.addEventListener('keydown', onKey);
		return () => current?.removeEventListener('keydown', onKey);
	});
	return html`<dialog ref=${box} class="form-dialog" onClose=${close}
		aria-labelledby="dialog-title"><h2 id="dialog-title">${title}</h2>
		<form class="dialog-form" onSubmit=${onSubmit} onInput=${note}
			onChange=${note}>${children}
			<${Problem} error=${error} />
			<div class="buttons"><button type="button" disabled=${busy}
				onClick=${onClose}>${t('cancel')}</button>
				<button class="primary" disabled=${busy || !isReady}>
				${t('save')}</button></div></form></dialog>`;
}
