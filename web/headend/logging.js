// SPDX-License-Identifier: GPL-3.0-or-later
// Where the log goes.

import { t } from '../common/words.js';
import { href } from './route.js';
import { SectionFields } from './section.js';
import { Setup } from './setup.js';
import { html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./merge.js').Entry} Entry */

const section = {
	name: 'log', form: 'log', field: 'set', cmd: 'set-log',
	request: (/** @type {Entry} */ set) => ({ set }),
};

/** @param {{app: App, ask: Ask}} props */
export function LoggingPage({ app, ask }) {
	return html`<${Setup} page="logging">
		<p class="dim">${t('logging_about')} <a href=${href('log')}>
			${t('log')}</a></p>
		<${SectionFields} app=${app} section=${section} ask=${ask} /><//>`;
}
