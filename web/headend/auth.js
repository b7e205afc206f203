// SPDX-License-Identifier: GPL-3.0-or-later
// Who may watch: the rules of the section auth, in the order of judgement.

import { t } from '../common/words.js';
import { SectionFields } from './section.js';
import { Setup } from './setup.js';
import { html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('../common/words.js').Word} Word */
/** @typedef {import('./merge.js').Entry} Entry */

/** The first rule that matches decides.
 * @type {[string, Word][]} */
const ORDER = [
	['http_ip_deny', 'rule_ip_deny'], ['http_ip_allow', 'rule_ip_allow'],
	['http_token_deny', 'rule_token_deny'], ['securetoken', 'rule_secure'],
	['users', 'rule_user'], ['backend', 'rule_backend'],
	['', 'rule_rest'],
];

const BACKENDS = ['backend', 'iptvportal', 'ministra', 'smarty'];

/** @param {unknown} value */
function isGiven(value) {
	return Array.isArray(value) ? value.length > 0
		: value !== undefined && value !== null && value !== '';
}

/**
 * Whether a rule has something to decide.
 * @param {App} app
 * @param {string} key
 */
function isUsed(app, key) {
	const auth = /** @type {Entry} */ (app.store.config.auth ?? {});

	switch (key) {
	case '': return true;
	case 'users': return Object.keys(app.store.config.users ?? {})
		.length > 0;
	case 'backend': return BACKENDS.some((one) => isGiven(auth[one]));
	default: return isGiven(auth[key]);
	}
}

const section = {
	name: 'auth', form: 'auth', cmd: 'set-auth',
	request: (/** @type {Entry} */ auth) => ({ auth }),
};

/** @param {{app: App, ask: Ask}} props */
export function AuthPage({ app, ask }) {
	const auth = /** @type {Entry} */ (app.store.config.auth ?? {});

	return html`<${Setup} page="auth">
		<p class="dim">${t('auth_about')}</p>
		${auth.enable !== true && html`<p class="note warn">
			${t('auth_off')}</p>`}
		<section><h2>${t('auth_order')}</h2>
		<ol class="order">${ORDER.map(([key, word]) => html`
			<li class=${isUsed(app, key) ? '' : 'dim'}>
				${key !== '' && html`<code>${key}</code> `}${t(word)}
				${!isUsed(app, key) && ` (${t('rule_unused')})`}</li>`)}
		</ol></section>
		<${SectionFields} app=${app} section=${section} ask=${ask} /><//>`;
}
