// SPDX-License-Identifier: GPL-3.0-or-later
// Other headends that the wall shows.

import { useRef, useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { LOAD } from './curl-line.js';
import { Conflicts, cleared, refusalOf, useDraft } from './draft.js';
import { Rows } from './field.js';
import { useSubmit } from './fields.js';
import { FormDialog } from './form-dialog.js';
import { same } from './merge.js';
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

/** @type {Entry} */
const FRESH = { enable: true, name: '', host: '', port: 8000 };

/**
 * Where the entry of an open form is now: others move and remove entries, which
 * have no ids.
 * @param {Entry[]} servers
 * @param {number} place where it was; below 0: a new one
 * @returns {number} below 0: it is gone
 */
function usePlace(servers, place) {
	const known = useRef({ place, n: servers.length, entry: servers[place] });
	const { place: was, n, entry } = known.current;

	if (was < 0)
		return was;
	const isThere = same(servers[was], entry);
	const to = isThere ? was : servers.findIndex((one) => same(one, entry));
	// the same number of entries: this one was changed
	const now = to < 0 && servers.length === n ? was : to;

	if (now >= 0)
		known.current = { place: now, n: servers.length,
			entry: servers[now] };
	return now;
}

/**
 * @param {{app: App, ask: Ask, place: number, onClose: () => void}} props
 *	place below 0: a new one
 */
function ServerDialog({ app, ask, place, onClose }) {
	const { forms, error: missing } = useForms(app);
	const servers = serversOf(app), now = usePlace(servers, place);
	const [error, setError] = useState('');
	const draft = cleared(useDraft(servers[now] ?? null, FRESH), setError);
	const { base, mine } = draft;
	const form = { name: 'server', entry: mine, base: base ?? FRESH,
		set: draft.set, errorOf: () => '', onBroken: () => {} };
	const isReady = !draft.isGone && draft.conflicts.length === 0;
	const { submit, busy } = useSubmit(async () => {
		try {
			await app.api.cmd('set-server', { server: draft.latest.current,
				...base === null ? {} : { id: now, was: base } });
			onClose();
			app.say(t('saved'));
		} catch (problem) {
			setError(refusalOf(problem));
		} finally {
			// refused: the dialog gets the entry as it is now
			app.store.wantsConfig = true;
		}
	});

	return html`<${FormDialog} app=${app} ask=${ask} title=${base === null
		? t('add_server') : shown(base.name ?? base.host)} error=${error}
		busy=${busy} isReady=${isReady} onSubmit=${submit}
		onClose=${onClose}>
		<${Conflicts} draft=${draft} />
		${forms === null ? html`<${Waiting} error=${missing} />`
			: html`<${Rows} form=${form} rows=${forms.rows('server')} />`}
		<p class="dim">${t('server_about')}</p><//>`;
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
					{ server, before: place }, t('saved')) });
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
			ask=${ask} place=${open} onClose=${() => setOpen(null)} />`}<//>`;
}
