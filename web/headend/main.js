// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface of a headend.

import { render } from '../parts/preact.js';
import { t } from '../common/words.js';
import { App } from './app.js';
import { Login } from './login.js';
import { Shell } from './shell.js';
import { html, useApp } from './view.js';

/** @param {{app: App}} props */
function Root({ app }) {
	useApp(app);
	if (app.user === undefined)
		return html`<p class="loading">${t('loading')}</p>`;
	return app.user === null ? html`<${Login} app=${app} />`
		: html`<${Shell} app=${app} />`;
}

const app = new App();

render(html`<${Root} app=${app} />`,
	/** @type {HTMLElement} */ (document.getElementById('app')));
app.start();
