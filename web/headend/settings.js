// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of the service, its certificate, its licence and its restart.

import { useState } from '../parts/hooks.js';
import { ApiError } from '../common/api.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { Certificate } from './certificate.js';
import { Problem, useSubmit } from './fields.js';
import { SectionFields } from './section.js';
import { Setup } from './setup.js';
import { html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {(question: Question) => void} Ask */

/** @param {App} app */
export function viewersOf(app) {
	return [...app.store.streams.values()].reduce((sum, stream) =>
		sum + (stream.over?.sessions ?? 0), 0);
}

/**
 * Where the page will be, if it moves.
 * @param {Entry} before
 * @param {Entry} after
 */
function moveOf(before, after) {
	const port = /(\d+)$/.exec(String(after.control_port ?? ''));
	const url = new URL(document.baseURI);

	if (before.control_port === after.control_port &&
		before.control_path === after.control_path)
		return '';
	if (before.control_port !== after.control_port && port !== null)
		url.port = port[1];
	if (before.control_path !== after.control_path)
		url.pathname = `/${after.control_path ?? ''}/`
			.replaceAll(/\/+/g, '/');
	return url.href;
}

/**
 * Asks, restarts the service, and waits until it is back.
 * @param {App} app
 * @param {Ask} ask
 * @param {boolean} [interrupt] another version may stop the streams
 */
export function restartService(app, ask, interrupt = false) {
	const viewers = viewersOf(app);
	const run = async () => {
		try {
			await app.api.cmd('restart', interrupt ? { interrupt } : {});
			app.awaitRestart();
		} catch (error) {
			const { message, status } = /** @type {ApiError} */ (error);

			app.say(t('refused', { error: message }), true);
			if (status === 503 && /protocol/.test(message) && !interrupt)
				restartService(app, ask, true);
		}
	};

	ask({ text: t(interrupt ? 'ask_restart_hard' : 'ask_restart_service',
		{ viewers }), action: t('restart'), run });
}

/** @param {{app: App}} props */
function Licence({ app }) {
	const [number, setNumber] = useState('');
	const [error, setError] = useState('');
	const { submit, busy } = useSubmit(async () => {
		try {
			await app.api.cmd('set-license', { license: number });
			setError('');
			app.say(t('licence_done'));
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
		}
	});

	return html`<section><h2>${t('licence')}</h2>
		<form class="inline" onSubmit=${submit}>
			<label>${t('licence_number')}<input class="mono" value=${number}
				autocomplete="off" required
				onInput=${(/** @type {any} */ event) =>
					setNumber(event.target.value)} /></label>
			<button disabled=${busy}>${t('save')}</button></form>
		<p class="dim">${t('licence_about')}</p>
		<${Problem} error=${error} /></section>`;
}

/** @param {{app: App, ask: Ask}} props */
export function SettingsPage({ app, ask }) {
	const now = () => /** @type {Entry} */ (app.store.config.settings ?? {});
	const section = {
		name: 'settings', form: 'settings', cmd: 'set-settings',
		request: (/** @type {Entry} */ settings) => ({ settings }),
		before: (/** @type {() => void} */ run,
			/** @type {Entry} */ entry) => {
			const moved = moveOf(now(), entry);

			ask({ text: t('ask_settings', { viewers: viewersOf(app) }) +
				(moved === '' ? '' : ` ${t('page_moves', { url:
					shown(moved) })}`), action: t('save_restart'), run });
		},
		after: () => app.awaitRestart(),
	};

	return html`<${Setup} page="settings" tools=${html`
		<button onClick=${() => restartService(app, ask)}>
			${t('restart_service')}</button>`}>
		<p class="dim">${t('settings_about')}</p>
		<${SectionFields} app=${app} section=${section} ask=${ask} />
		<${Certificate} app=${app} />
		<${Licence} app=${app} /><//>`;
}
