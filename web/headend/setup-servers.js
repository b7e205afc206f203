// SPDX-License-Identifier: GPL-3.0-or-later
// Other headends that the wall shows.

import { useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { LOAD } from './curl-line.js';
import { Dialog } from './dialog.js';
import { Rows } from './field.js';
import { Problem, useSubmit } from './fields.js';
import { Setup, Waiting, useForms } from './setup.js';
import { Foreign, MarkSign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {(question: Question) => void} Ask */

/** @param {App} app @returns {Entry[]} */
function serversOf(app) {
	const list = app.store.config.servers;

	return Array.isArray(list) ? list : [];
}

/**
 * @param {{app: App, place: number | null, server: Entry,
 *	onClose: () => void}} props place null: a new one
 */
function ServerDialog({ app, place, server, onClose }) {
	const { forms, error: missing } = useForms(app);
	const [base] = useState(server); // what the edit began with
	const [entry, setEntry] = useState(server);
	const [error, setError] = useState('');
	const form = { name: 'server', entry, base,
		set: (/** @type {string} */ key, /** @type {unknown} */ value) =>
			setEntry((was) => {
				const { [key]: _, ...rest } = was;

				return value === undefined ? rest
					: { ...was, [key]: value };
			}), errorOf: () => '', onBroken: () => {} };
	const { submit, busy } = useSubmit(async () => {
		try {
			await app.api.cmd('set-server', { server: entry,
				...place === null ? {} : { id: place, was: base } });
			app.store.wantsConfig = true;
			onClose();
			app.say(t('saved'));
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
		}
	});

	return html`<${Dialog} title=${place === null ? t('add_server')
		: shown(server.name ?? server.host)} onClose=${onClose}>
		<form class="dialog-form" onSubmit=${submit}>
			${forms === null ? html`<${Waiting} error=${missing} />`
				: html`<${Rows} form=${form} rows=${forms.rows('server')} />`}
			<p class="dim">${t('server_about')}</p>
			<${Problem} error=${error} />
			<div class="buttons"><button type="button" onClick=${onClose}>
				${t('cancel')}</button>
				<button class="primary" disabled=${busy}>
					${t('save')}</button></div>
		</form><//>`;
}

/**
 * @param {{app: App, server: Entry, place: number, ask: Ask,
 *	onEdit: () => void}} props
 */
function Row({ app, server, place, ask, onEdit }) {
	const name = shown(server.name ?? server.host ?? place);
	const run = async () => {
		const isDone = await app.act('set-server', { id: place, was: server,
			server: { remove: true } }, t('server_removed', { name }));

		app.store.wantsConfig = true;
		if (isDone)
			app.say(t('server_removed', { name }), false,
				{ word: t('undo'), run: () => app.act('set-server',
					{ server }, t('saved')) });
	};

	return html`<tr><td><b><${Foreign} text=${server.name ?? ''} /></b></td>
		<td class="mono"><${Foreign} text=${server.host ?? ''} />
			${server.port !== undefined && `:${shown(server.port)}`}</td>
		<td><${Foreign} text=${server.user ?? ''} /></td>
		<td><${MarkSign} mark=${server.enable === false ? 'disabled' : 'on'}
			word=${t(server.enable === false ? 'mark_disabled'
				: 'user_enabled')} /></td>
		<td class="actions"><button onClick=${onEdit}
			aria-label=${`${t('edit')}: ${name}`}>${t('edit')}</button>
			<button aria-label=${`${t('remove')}: ${name}`}
			onClick=${() => ask({ text: t('ask_remove_server', { name }),
				action: t('remove'), run })}>${t('remove')}</button></td>
	</tr>`;
}

/** @param {{app: App, ask: Ask}} props */
export function ServersPage({ app, ask }) {
	useTick(app);
	const [open, setOpen] = useState(/** @type {number | null} */ (null));
	const servers = serversOf(app);
	const fresh = { enable: true, name: '', host: '', port: 8000 };

	return html`<${Setup} page="servers" tools=${html`
		<button onClick=${() => setOpen(-1)}>${t('add_server')}</button>`}>
		<p class="dim">${t('servers_about')}</p>
		${servers.length > 0 && html`<div class="wide-box" tabindex="0">
			<table><thead><tr>
				<th scope="col">${t('name')}</th>
				<th scope="col">${t('address')}</th>
				<th scope="col">${t('login_name')}</th>
				<th scope="col">${t('state')}</th>
				<th scope="col">${t('action')}</th></tr></thead>
			<tbody>${servers.map((server, i) => html`<${Row} key=${i}
				app=${app} server=${server} place=${i} ask=${ask}
				onEdit=${() => setOpen(i)} />`)}</tbody></table></div>
			<${Curl} app=${app} request=${LOAD} />`}
		${servers.length === 0 && html`<p>${t('no_servers')}</p>`}
		${open !== null && html`<${ServerDialog} key=${open} app=${app}
			place=${open < 0 ? null : open}
			server=${servers[open] ?? fresh}
			onClose=${() => setOpen(null)} />`}<//>`;
}
