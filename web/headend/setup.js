// SPDX-License-Identifier: GPL-3.0-or-later
// What the pages of the configuration share: their tabs, the forms of the
// service, the bar to save.

import { useEffect, useState } from '../parts/hooks.js';
import { Forms } from '../common/forms.js';
import { t } from '../common/words.js';
import { Problem } from './fields.js';
import { href } from './route.js';
import { html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/words.js').Word} Word */

/** The pages, in the order of their tabs. */
const TABS = ['settings', 'auth', 'users', 'categories', 'outputs',
	'servers', 'logging', 'configuration'];

/** @type {WeakMap<App, Promise<Forms>>} */
const asked = new WeakMap();

/**
 * The forms of the service; null: not here yet.
 * @param {App} app
 * @returns {{forms: Forms | null, error: string}}
 */
export function useForms(app) {
	const [state, setState] = useState(
		/** @type {{forms: Forms | null, error: string}} */ (
			{ forms: null, error: '' }));

	useEffect(() => {
		let isOver = false;
		const promise = asked.get(app) ?? app.api.get('api/forms')
			.then((reply) => new Forms(reply));

		asked.set(app, promise);
		promise.then((forms) => isOver || setState({ forms, error: '' }),
			(error) => {
				asked.delete(app);
				if (!isOver)
					setState({ forms: null, error: error.message });
			});
		return () => { isOver = true; };
	}, [app]);
	return state;
}

/** @param {{error: string}} props */
export function Waiting({ error }) {
	return error === '' ? html`<p class="loading">${t('loading')}</p>`
		: html`<${Problem} error=${error} />`;
}

/**
 * The frame of a page of the configuration.
 * @param {{page: string, tools?: any, children?: any}} props
 */
export function Setup({ page, tools, children }) {
	const title = t(/** @type {Word} */ (`setup_${page}`));

	useEffect(() => {
		document.title = `${title} · Sluice`;
	});
	return html`<div class="page edit">
		<nav class="tabs" aria-label=${t('setup')}>
			${TABS.map((one) => html`<a href=${href(one)}
				aria-current=${one === page ? 'page' : undefined}>
				${t(/** @type {Word} */ (`setup_${one}`))}</a>`)}</nav>
		<div class="tools"><h1>${title}</h1>${tools}</div>
		${children}</div>`;
}
