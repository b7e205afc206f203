// SPDX-License-Identifier: GPL-3.0-or-later
// What was wrong, as far back as the service has lines of the log in memory.

import { useEffect, useState } from '../parts/hooks.js';
import { moment } from '../common/time.js';
import { age } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { Incidents as Book, chosen } from './incident-list.js';
import { href, replaceQuery } from './route.js';
import { Empty, Foreign, MarkSign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./incident-list.js').Incident} Incident */
/** @typedef {import('./incident-list.js').Kind} Kind */
/** @typedef {import('../common/words.js').Word} Word */

const EVERY_S = 5;
const LINES = 1000; // in a reply
const ROWS_MAX = 200;

/** @type {Record<Kind, {word: Word,
 *	mark: import('../common/state.js').Mark}>} */
const KINDS = { off: { word: 'mark_fault', mark: 'fault' },
	backup: { word: 'incident_backup', mark: 'warn' },
	alarm: { word: 'incident_alarm', mark: 'warn' },
	process: { word: 'incident_process', mark: 'fault' } };

/**
 * @typedef {object} State
 * @property {Incident[] | null} list null: not read yet
 * @property {number} since Unix time of the oldest line
 */

/**
 * Reads all lines in memory, then every five seconds the new ones.
 * @param {App} app
 * @returns {State}
 */
function useIncidents(app) {
	const [state, setState] = useState(
		/** @type {State} */ ({ list: null, since: 0 }));

	useEffect(() => {
		let book = new Book(), last = 0, since = 0, at = 0;
		let isBusy = false, isOver = false;
		const read = async () => {
			for (;;) {
				const reply = await app.api.get(
					`api/log?level=info&limit=${LINES}&since=${last}`);

				// the lines began anew
				if (reply.last < last) {
					book = new Book();
					since = 0;
				}
				since ||= reply.lines[0]?.time ?? 0;
				book.take(reply.lines);
				last = reply.last;
				if (isOver || reply.lines.length < LINES)
					return;
			}
		};
		const ask = async () => {
			const now = Date.now() / 1000;

			if (isBusy || isOver ||
				Math.abs(now - at) < EVERY_S - 0.5 ||
				app.lostAt !== null || app.tick.frozen)
				return;
			isBusy = true;
			at = now;
			try {
				await read();
				if (!isOver)
					setState({ list: book.list, since });
			} catch {
				// the next try follows
			}
			isBusy = false;
		};
		const end = app.tick.add(ask);

		ask();
		return () => {
			isOver = true;
			end();
		};
	}, [app]);
	return state;
}

/** @param {{app: App, one: Incident}} props */
function Row({ app, one }) {
	const { mark, word } = KINDS[one.kind], { stream: id, input } = one;
	// the worker of an input knows it as its only one
	const part = input === '' ? one.part : `input ${input}`;
	const name = app.store.streams.get(id)?.name;

	return html`<tr data-incident=${one.kind}>
		<td><time>${moment(one.start, app.now, app.zone)}</time></td>
		<td class="number">${age((one.end ?? app.now) - one.start)}
			${one.end === null && html` <b>${t('incident_open')}</b>`}</td>
		<td>${name === undefined ? html`<${Foreign} text=${one.where} />`
			: html`<a href=${href('stream', id, { input })}>
				<${Foreign} text=${name} /></a>`}</td>
		<td><${MarkSign} mark=${one.end === null ? mark : 'disabled'}
			word=${t(word)} />
			${part !== '' && html` <span class="dim">
				<${Foreign} text=${part} /></span>`}</td>
		<td class="reason"><${Foreign} text=${one.cause} /></td>
		<td>${name !== undefined && html`<a href=${href('log', '',
				{ stream: id })}>${t('log')}</a>${' '}
			<a href=${href('stream', id, { range: '3600' })}>
				${t('charts')}</a>`}</td></tr>`;
}

/** @param {{app: App, state: State}} props */
function Table({ app, state: { list, since } }) {
	const { query } = app.route;
	const kind = /** @type {Kind | ''} */ (query.get('kind') ?? '');
	const text = query.get('text') ?? '';
	const change = (/** @type {Record<string, string>} */ changes) =>
		replaceQuery('incidents', '', { ...Object.fromEntries(query),
			...changes });
	const found = chosen(list ?? [], kind, text, (id) =>
		app.store.streams.get(id)?.name ?? '');

	useEffect(() => {
		if (app.wantsFilter)
			document.getElementById('filter')?.focus();
		app.wantsFilter = false;
	});

	return html`<div class="tools"><label>${t('kind')}${' '}
			<select onChange=${(/** @type {any} */ event) =>
				change({ kind: event.target.value })}>
			<option value="" selected=${kind === ''}>${t('incident_all')}
			</option>${Object.entries(KINDS).map(([one, { word }]) => html`
			<option value=${one} selected=${one === kind}>${t(word)}
			</option>`)}</select></label>
		<label class="filter"><span class="hidden">${t('search')}</span>
			<input id="filter" type="search" value=${text}
				placeholder=${t('search')} spellcheck=${false}
				onInput=${(/** @type {any} */ event) =>
					change({ text: event.target.value })} /></label></div>
		<p class="dim">${t('incidents_from', { time: since === 0 ? '–'
			: moment(since, app.now, app.zone) })}</p>
		${list === null ? html`<p class="dim">${t('loading')}</p>`
			: found.length === 0 ? html`<p class="dim">
				${t('incidents_none')}</p>` : html`
		<div class="wide-box" tabindex="0"><table><thead><tr>
			<th scope="col">${t('start')}</th>
			<th scope="col" class="number">${t('duration')}</th>
			<th scope="col">${t('stream')}</th>
			<th scope="col">${t('incident')}</th>
			<th scope="col">${t('reason')}</th>
			<th scope="col">${t('evidence')}</th></tr></thead>
		<tbody>${found.slice(0, ROWS_MAX).map((one) => html`<${Row}
			key=${`${one.n} ${one.kind} ${one.part}`} app=${app}
			one=${one} />`)}</tbody></table></div>
		<${Curl} app=${app}
			request=${`api/log?level=info&limit=${LINES}`} />
		${found.length > ROWS_MAX && html`<p class="dim">${t('first_of',
			{ n: ROWS_MAX, all: found.length })}</p>`}`}`;
}

/** @param {{app: App}} props */
function OfTheLog({ app }) {
	useTick(app);
	return html`<${Table} app=${app} state=${useIncidents(app)} />`;
}

/** @param {{app: App}} props */
export function Incidents({ app }) {
	useEffect(() => {
		document.title = `${t('incidents')} · Sluice`;
	});
	return html`<div class="page"><div class="tools">
			<h1>${t('incidents')}</h1></div>
		${app.isControl ? html`<${OfTheLog} app=${app} />` : html`
		<${Empty} title=${t('incidents_log')}>
		<p>${t('incidents_next')}</p>
		<p><a href="#/wall">${t('wall')}</a></p><//>`}</div>`;
}
