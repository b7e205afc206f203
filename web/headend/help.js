// SPDX-License-Identifier: GPL-3.0-or-later
// The list of all keys.

import { t } from '../common/words.js';
import { Dialog } from './dialog.js';
import { PAGES } from './pages.js';
import { html } from './view.js';

/** @typedef {import('./app.js').App} App */

/** @type {[string, import('../common/words.js').Word][]} */
const KEYS = [
	['Ctrl-K', 'key_palette'], ['/', 'key_filter'],
	['↑ ↓ ← → j k', 'key_move'], ['Enter', 'key_enter'],
	['Esc', 'key_escape'], ['Space', 'key_freeze'],
	['x', 'key_select'], ['Shift-x', 'key_select_to'],
	['e', 'key_edit'], ['t', 'key_toggle'], ['r', 'key_restart'],
	['b', 'key_next_input'], ['p', 'key_preview'],
	['Ctrl-Enter', 'key_save'], ['?', 'key_help'],
];
const FOR_CONTROL = 'etrbx';

/** @param {{app: App, onClose: () => void}} props */
export function Keys({ app, onClose }) {
	const keys = KEYS.filter(([key]) => app.isControl ||
		!FOR_CONTROL.includes(key.at(-1) ?? ''));
	const pages = Object.values(PAGES).filter((page) => page.key &&
		(app.isControl || !page.isControl));

	return html`<${Dialog} title=${t('help')} onClose=${onClose}>
		${!app.hasKeys && html`<p class="note">${t('keys_are_off')}</p>`}
		<dl class="keys" tabindex="0">${keys.map(([key, word]) => html`
			<dt><kbd>${key}</kbd></dt><dd>${t(word)}</dd>`)}
			${pages.map(({ key, word }) => html`
			<dt><kbd>g ${key}</kbd></dt><dd>${t('go_to', { page: t(
				/** @type {import('../common/words.js').Word} */ (word)) })}
			</dd>`)}</dl>
		<div class="buttons"><button autofocus onClick=${onClose}>
			${t('close')}</button></div><//>`;
}
