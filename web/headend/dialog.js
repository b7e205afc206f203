// SPDX-License-Identifier: GPL-3.0-or-later
// Dialogs: native ones, so that the browser keeps the focus inside.

import { useLayoutEffect, useRef } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { html } from './view.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} Question
 * @property {string} text with the consequence
 * @property {string} action the word on the button
 * @property {() => void} run
 */

/** @param {{title: string, onClose: () => void, children?: any}} props */
export function Dialog({ title, onClose, children }) {
	const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));

	// at once: the next key is the dialog's
	useLayoutEffect(() => {
		const before = document.activeElement;

		dialog.current?.showModal();
		return () => /** @type {HTMLElement | null} */ (before)?.focus();
	}, []);
	return html`<dialog ref=${dialog} onClose=${onClose}
		aria-labelledby="dialog-title">
		<h2 id="dialog-title">${title}</h2>${children}</dialog>`;
}

/** @param {{question: Question, onClose: () => void}} props */
export function Confirm({ question, onClose }) {
	const run = () => {
		onClose();
		question.run();
	};

	return html`<${Dialog} title=${question.text} onClose=${onClose}>
		<div class="buttons">
			<button onClick=${onClose} autofocus>${t('cancel')}</button>
			<button class="primary" onClick=${run}>
				${question.action}</button>
		</div><//>`;
}
