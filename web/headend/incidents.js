// SPDX-License-Identifier: GPL-3.0-or-later
// The place of incidents, which this version does not record.

import { useEffect } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { Empty, html } from './view.js';

export function Incidents() {
	useEffect(() => {
		document.title = `${t('incidents')} · Sluice`;
	});
	return html`<div class="page"><div class="tools">
			<h1>${t('incidents')}</h1></div>
		<${Empty} title=${t('incidents_none')}>
		<p>${t('incidents_next')}</p>
		<p><a href="#/wall">${t('wall')}</a> · <a href="#/log">${t('log')}
			</a></p><//></div>`;
}
