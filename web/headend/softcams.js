// SPDX-License-Identifier: GPL-3.0-or-later
// Softcams: which there are, who uses them, and whether they work.

import { useState } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { Entries, usersOf } from './entries.js';
import { hex } from './units-dvb.js';
import { Foreign, MarkSign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./merge.js').Entry} Entry */

/** @type {import('./entries.js').Kind} */
const KIND = { page: 'softcams', list: 'softcam', cmd: 'set-softcam',
	field: 'softcam', makesId: false, title: 'softcams',
	empty: 'no_softcams', note: 'softcams_note',
	// an option may have several, with commas
	uses: (input, id) => input.split('#').slice(1).join('#').split('&')
		.some((option) => option.startsWith('cam=') &&
			option.slice(4).split(',').includes(id)),
	fresh: { name: '', type: 'newcamd', host: '', port: 10000, user: '',
		pass: '' } };

/** @param {{result: any}} props */
function Result({ result }) {
	if (result === null)
		return html`<p role="status" class="dim">${t('testing')}</p>`;
	if (result.error !== undefined)
		return html`<p role="alert" class="problem">
			${t('test_failed')} <${Foreign} text=${result.error} /></p>`;
	const { info = {} } = result;
	const caid = typeof result.caid === 'number' ? hex(result.caid)
		: String(result.caid ?? '');

	return html`<div role="status"><p>${t('test_works')}</p>
		<dl class="keys"><dt>CAID</dt><dd class="mono">
			<${Foreign} text=${caid} /></dd>
		<dt>EMM</dt><dd>${info.au ? t('yes') : t('none')}</dd>
		<dt>UA</dt><dd class="mono"><${Foreign} text=${info.ua ?? ''} />
			</dd>
		${(info.idents ?? []).map((/** @type {any} */ one) => html`
		<dt>Ident</dt><dd class="mono"><${Foreign} text=${`${one.id} ${
			one.sa ?? ''}`} /></dd>`)}</dl></div>`;
}

/** @param {{app: App, entry: Entry}} props */
function Test({ app, entry }) {
	const [result, setResult] = useState(/** @type {any} */ (undefined));
	const run = async () => {
		setResult(null);
		try {
			setResult(await app.api.cmd('test-softcam',
				{ config: entry }));
		} catch (problem) {
			setResult({ error: /** @type {Error} */ (problem).message });
		}
	};

	return html`<div class="test"><button type="button"
		disabled=${result === null} onClick=${run}>${t('test')}</button>
		${result !== undefined && html`<${Result} result=${result} />`}
	</div>`;
}

/** The status of a softcam that is logged in. */
const LOGGED_IN = 3;

/**
 * @param {{over: import('../common/api-types').SoftcamOverview |
 *	undefined}} props
 */
function State({ over }) {
	const is = (/** @type {string} */ mark,
		/** @type {import('../common/words.js').Word} */ word) =>
		html`<${MarkSign} mark=${mark} word=${t(word)} />`;

	if (over === undefined)
		return is('stale', 'mark_stale');
	if (over.status === LOGGED_IN)
		return is('on', 'logged_in');
	return over.used || over.error ? is('fault', 'not_logged_in')
		: is('wait', 'not_used');
}

/** @param {{app: App, ask: Ask}} props */
export function Softcams({ app, ask }) {
	const stateOf = (/** @type {string} */ id) =>
		app.store.overview?.softcams?.find((one) => one.id === id);

	useTick(app);
	return html`<${Entries} app=${app} ask=${ask} kind=${KIND}
		heads=${[['state', ''], ['name', ''], ['id', ''], ['kind', ''],
			['address', ''], ['login_name', ''], ['streams', 'number'],
			['reason', '']]}
		cells=${(/** @type {Entry} */ one) => html`
			<td><${State} over=${stateOf(one.id)} /></td>
			<td><b><${Foreign} text=${one.name ?? ''} /></b></td>
			<td class="mono"><${Foreign} text=${one.id} /></td>
			<td><${Foreign} text=${one.type ?? ''} /></td>
			<td class="mono"><${Foreign} text=${one.host === undefined ? ''
				: `${one.host}:${one.port}`} /></td>
			<td><${Foreign} text=${one.user ?? ''} /></td>
			<td class="number">${usersOf(app, KIND, one.id).length}</td>
			<td class="reason"><${Foreign} text=${stateOf(one.id)
				?.error ?? ''} /></td>`}
		more=${(/** @type {Entry} */ entry) => html`<${Test} app=${app}
			entry=${entry} />`} />`;
}
