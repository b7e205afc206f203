// SPDX-License-Identifier: GPL-3.0-or-later
// All viewers of all streams.

import { useEffect } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { html } from './view.js';
import { Viewers } from './viewers.js';

/** @typedef {import('./app.js').App} App */

/** @param {{app: App}} props */
export function Sessions({ app }) {
	useEffect(() => {
		document.title = `${t('viewers')} · Sluice`;
	});
	return html`<div class="page"><div class="tools">
		<h1>${t('viewers')}</h1></div>
		<${Viewers} app=${app} /></div>`;
}
