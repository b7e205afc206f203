// SPDX-License-Identifier: GPL-3.0-or-later
// The menu of the bar: what a user chooses for this browser, and the way out.

import { t } from '../common/words.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */

/** @param {{app: App, ask: import('./actions.js').Ask,
 *	onOpen: (over: 'help' | 'password') => void}} props */
export function Menu({ app, ask, onOpen }) {
	const logout = () => app.forms.size > 0 ? ask({
		text: t('ask_discard'), action: t('discard'),
		run: () => app.logout() }) : app.logout();
	const chosen = (/** @type {'theme' | 'zone' | 'language' | 'keys'
		} */ name) =>
		(/** @type {any} */ event) => app.choose(name,
			event.target.value);
	const option = (/** @type {string} */ value, /** @type {string} */ now,
		/** @type {string} */ text) => html`<option value=${value}
			selected=${value === now}>${text}</option>`;

	const keys = app.hasKeys ? 'on' : 'off';
	const leave = (/** @type {any} */ event) => {
		const { currentTarget: menu, relatedTarget: to } = event;

		// a click beside it, or Tab behind its end
		if (to !== null && !menu.contains(to))
			menu.open = false;
	};

	return html`<details class="menu" onFocusout=${leave}>
		<summary>${app.isFree ? t('menu')
			: html`<${Foreign} text=${app.user?.login} />`}
			${!app.isControl && html` <small>${t('observer')}</small>`}
		</summary>
		<div class="sheet">
			<label>${t('theme')}<select onChange=${chosen('theme')}>
				${option('system', app.theme, t('system'))}
				${option('light', app.theme, t('light'))}
				${option('dark', app.theme, t('dark'))}</select></label>
			<label>${t('time')}<select onChange=${chosen('zone')}>
				${option('local', app.zone, t('local_time'))}
				${option('utc', app.zone, t('utc'))}</select></label>
			<label>${t('language')}<select onChange=${chosen('language')}>
				${option('en', app.language, 'English')}
				${option('ru', app.language, 'Русский')}</select></label>
			<label>${t('single_keys')}<select onChange=${chosen('keys')}>
				${option('on', keys, t('keys_on'))}
				${option('off', keys, t('keys_off'))}</select></label>
			<button onClick=${() => onOpen('help')}>
				${t('help')} <kbd>?</kbd></button>
			<a href=${new URL('../licences.txt', import.meta.url).href}
				target="_blank" rel="noreferrer">${t('licences')}</a>
			<small>Sluice ${app.store.overview?.version ?? ''}</small>
			${!app.isFree && html`<button
				onClick=${() => onOpen('password')}>
				${t('own_password')}</button>`}
			${!app.isFree && html`<button onClick=${logout}>
				${t('logout')}</button>`}
		</div>
	</details>`;
}
