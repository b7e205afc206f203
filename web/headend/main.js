// SPDX-License-Identifier: GPL-3.0-or-later
// The web interface of a headend.

import { render } from '../parts/preact.js';
import { t } from '../common/words.js';
import { App } from './app.js';
import { Later, Shell } from './shell.js';
import { html, useApp } from './view.js';

const login = () => import('./login.js');

/** @param {{app: App}} props */
function Root({ app }) {
	useApp(app);
	if (app.user === undefined)
		return html`<p class="loading">${t('loading')}</p>`;
	return html`${(app.user === null || app.expired) && html`<${Later}
			app=${app} name="Login" load=${login} />`}
		${app.user !== null && html`<${Shell} app=${app}
			key=${`${app.user.type} ${app.user.login}`} />`}`;
}

const app = new App();

render(html`<${Root} app=${app} />`,
	/** @type {HTMLElement} */ (document.getElementById('app')));
app.start();
