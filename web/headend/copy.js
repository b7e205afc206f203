// SPDX-License-Identifier: GPL-3.0-or-later
// A button that copies a text.

import { t } from '../common/words.js';
import { html } from './view.js';

/** @param {{app: import('./app.js').App, text: string, word?: string}} props */
export function Copy({ app, text, word = t('copy') }) {
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text);
			app.say(t('copied'));
		} catch {
			// plain HTTP of another machine has no clipboard
			app.say(text);
		}
	};

	return html`<button onClick=${copy}>${word}</button>`;
}
