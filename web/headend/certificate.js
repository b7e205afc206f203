// SPDX-License-Identifier: GPL-3.0-or-later
// What the certificate in use says of itself.

import { shown } from '../common/text.js';
import { dateTime } from '../common/time.js';
import { t } from '../common/words.js';
import { Old, usePoll } from './poll.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */

/** Before its end an operator must act. */
const SOON_DAYS = 14;

/** @param {{app: App}} props */
export function Certificate({ app }) {
	const poll = usePoll(app, 'api/system-status?t=0', 60);
	const { value } = poll;
	const facts = value?.certificate;

	return html`<section><h2>${t('certificate')}</h2>
		<p class="dim">${t('certificate_about')}</p>
		<${Old} app=${app} poll=${poll} />
		${value !== null && facts === undefined && html`
			<p>${t('certificate_none')}</p>`}
		${facts && html`<dl class="facts-list">
			<dt>${t('certificate_subject')}</dt>
			<dd><${Foreign} text=${facts.subject} /></dd>
			<dt>${t('certificate_names')}</dt>
			<dd><${Foreign} text=${facts.names.join(', ')} /></dd>
			<dt>${t('certificate_issuer')}</dt>
			<dd><${Foreign} text=${facts.issuer} /></dd>
			<dt>${t('certificate_key')}</dt><dd>${shown(facts.key)}</dd>
			<dt>${t('certificate_starts')}</dt>
			<dd>${dateTime(facts.not_before, app.zone)}</dd>
			<dt>${t('certificate_ends')}</dt>
			<dd class=${facts.days_left <= SOON_DAYS ? 'is-warn' : ''}>
				${dateTime(facts.not_after, app.zone)}
				(${t('days_left', { n: facts.days_left })})</dd></dl>`}
	</section>`;
}
