// SPDX-License-Identifier: GPL-3.0-or-later
// A button that copies the request behind a table.

import { t } from '../common/words.js';
import { Copy } from './copy.js';
import { curlLine } from './curl-line.js';
import { html } from './view.js';

/** @typedef {import('./curl-line.js').Request} Request */

/** @param {{app: import('./app.js').App, request: Request}} props */
export function Curl({ app, request }) {
	const login = app.isFree ? '' : app.user?.login ?? '';

	return html`<div class="curl"><${Copy} app=${app} word=${t('copy_curl')}
		text=${curlLine((path) => app.api.url(path), request,
			login)} /></div>`;
}
