// SPDX-License-Identifier: GPL-3.0-or-later
// A multiplex: the rates of its inputs and services against the whole, and the
// keys of its own tables.

import { valueOf, textOf } from '../common/forms.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { LOAD, statusPath } from './curl-line.js';
import { Rows } from './field.js';
import { optionOf, rateOf, serviceRows, share, withOption, withService }
	from './mux-list.js';
import { addStyle } from './style.js';
import { Foreign, MarkSign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./field.js').Form} Form */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('../common/api-types').MuxService} MuxService */
/** @typedef {import('../common/forms.js').Forms} Forms */
/** @typedef {import('../common/forms.js').Row} Row */

const INPUT_KEYS = ['priority', 'rate_min', 'rate_max'];
const MUX_KEYS = ['bitrate', 'mux_delay', 'pid_mode', 'tsid'];
const TABLE_KEYS = ['nit', 'network_id', 'network_name', 'onid', 'nit_other',
	'private_data_specifier', 'si_interval'];
/** Of a service, beside its number. */
const SERVICE_KEYS = ['lcn', 'type'];
/** They have fields here, and none among the others. */
export const KEYS = [...MUX_KEYS, ...TABLE_KEYS, 'nit_actual', 'sdt'];

/** @param {{kbps: number, total: unknown}} props */
function Bar({ kbps, total }) {
	return html`<span class="mux-bar" aria-hidden="true"><span
		style=${{ width: `${share(kbps, total)}%` }}></span></span>`;
}

/**
 * The name of a service, where it is known: that of the stream that it is.
 * @param {App} app
 * @param {unknown} address of its input
 */
function nameOf(app, address) {
	const id = /^stream:\/\/([^#]*)/.exec(String(address))?.[1];

	return id === undefined ? String(address ?? '').split('#')[0]
		: app.store.streams.get(id)?.name ?? id;
}

/**
 * PIDs and limits of a service, as the fields of the status name them.
 * @param {MuxService} live
 */
function detailOf({ pmt_pid, pids, priority, rate_min, rate_max, filler }) {
	return [`PID ${[pmt_pid, ...pids].join(', ')}`,
		...Object.entries({ priority, rate_min, rate_max, filler })
			.filter(([, value]) => value)
			.map(([key, value]) => `${key} ${value}`)].join('\n');
}

/** @param {{live: MuxService | undefined}} props */
function AirSign({ live }) {
	return html`<${MarkSign} mark=${live === undefined ? 'disabled'
		: !live.onair ? 'fault' : live.excess > 0 ? 'warn' : 'on'}
		word=${t(live === undefined ? 'not_sent' : live.onair
			? 'mark_on' : 'mark_fault')} />`;
}

/** Why the stored multiplex is off air: its services are not sent then.
 * @param {{app: App, id: string}} props */
function Fault({ app, id }) {
	const { onair, error, state } = app.store.streams.get(id)?.over ?? {};

	return onair === false && error ? html`<p class="is-warn">
		<${Foreign} text=${`${state}: ${error}`} /></p>` : null;
}

/** The whole rate, and what the services leave of it.
 * @param {{services: MuxService[], total: unknown}} props */
export function MuxRate({ services, total }) {
	const sum = rateOf(services);

	if (!(Number(total) > 0))
		return html`<p class="mux-rate">${t('mux_sum_alone',
			{ sum: mbit(sum) })}</p>`;
	return html`<p class="mux-rate">${t('mux_sum', { sum: mbit(sum),
		total: mbit(Number(total)), percent: share(sum, total) })}
		<${Bar} kbps=${sum} total=${total} /></p>`;
}

/**
 * The number fields of a service in the own NIT.
 * @param {{row: import('./mux-list.js').ServiceRow, fields: Row[],
 *	draft: Draft}} props
 */
function ServiceFields({ row: { pnr, set }, fields, draft }) {
	return fields.map((field) => html`<td key=${field.key}><input
		class="mono number" inputmode="numeric" title=${field.help}
		aria-label=${`${pnr}: ${field.key}`} spellcheck=${false}
		value=${textOf(field, set?.[field.key])}
		onInput=${(/** @type {any} */ event) => draft.set('sdt',
			withService(draft.latest.current.sdt, pnr, field.key,
				valueOf(field, event.target.value)))} /></td>`);
}

/**
 * Each service with its rate.  With a draft, its entry of `sdt` is edited.
 * @param {{app: App, services: MuxService[], config: Entry, draft?: Draft,
 *	fields?: Row[]}} props
 */
export function MuxServices({ app, services, config, draft, fields = [] }) {
	const rows = serviceRows(services, draft?.mine.sdt ?? config.sdt);
	// the services are those of the stored inputs
	const inputs = (draft?.base ?? config).input ?? [];

	addStyle('mux.css');
	if (rows.length === 0)
		return html`<p class="dim">${t('no_services')}</p>`;
	return html`<${MuxRate} services=${services} total=${config.bitrate} />
		<div class="wide-box" tabindex="0"><table class="mux">
		<thead><tr><th scope="col" class="number">PNR</th>
			<th scope="col">${t('state')}</th>
			<th scope="col" class="number">${t('input')}</th>
			<th scope="col">${t('name')}</th>
			<th scope="col" class="number">${t('rate')}</th>
			<th scope="col">${t('mux_share')}</th>
			<th scope="col" class="number">${t('dropped')}</th>
			<th scope="col" class="number">${t('eit_dropped')}</th>
			${draft && fields.map(({ key }) => html`<th scope="col"
				class="mono">${key}</th>`)}</tr></thead>
		<tbody>${rows.map((row) => {
			const { pnr, live } = row;

			return html`<tr key=${pnr} data-pnr=${pnr}>
			<td class="number">${pnr}</td>
			<td><${AirSign} live=${live} /></td>
			<td class="number">${live?.input ?? ''}</td>
			<td class="address" title=${live ? detailOf(live) : ''}>
				<${Foreign} text=${live ? live.name || nameOf(app,
					inputs[live.input - 1]) : ''} /></td>
			<td class="number">${live ? mbit(live.bitrate) : ''}</td>
			<td><${Bar} kbps=${live?.bitrate ?? 0}
				total=${config.bitrate} /></td>
			<td class=${live && live.excess > 0 ? 'number is-warn'
				: 'number'}>${live ? count(live.dropped) : ''}</td>
			<td class="number">${live ? count(live.eit_dropped) : ''}</td>
			${draft && html`<${ServiceFields} row=${row} fields=${fields}
				draft=${draft} />`}</tr>`;
		})}</tbody></table></div>
		<${Curl} app=${app} request=${typeof config.id === 'string'
			? statusPath(config.id) : LOAD} />`;
}

/**
 * What an input of a multiplex has beside its address.
 * @param {{app: App, forms: Forms, text: string, name: string,
 *	services: MuxService[], total: unknown,
 *	onChange: (text: string) => void}} props services: of this input
 */
export function MuxInput({ app, forms, text, name, services, total,
	onChange }) {
	const rows = forms.rows('remux_options').filter(({ key }) =>
		INPUT_KEYS.includes(key));
	const rate = rateOf(services);
	const air = services.find(({ onair }) => onair) ?? services[0];

	addStyle('mux.css');
	return html`<div class="mux-input">
		<span class="mux-now"><b><${Foreign} text=${nameOf(app, text)} />
			</b>${' '}<${AirSign} live=${air} />${' '}
			<span class="dim">${services.map(({ pnr }) => pnr).join(', ')}
			</span></span>
		<span class="mux-now"><span class="number">${mbit(rate)}</span>
			<${Bar} kbps=${rate} total=${total} /></span>
		${rows.map((row) => html`<label title=${row.help}>
			<span class="mono">${row.key}</span><input
			class="mono number" inputmode="numeric" spellcheck=${false}
			aria-label=${`${name}: ${row.key}`}
			placeholder=${row.default ?? ''}
			value=${optionOf(text, row.key)}
			onInput=${(/** @type {any} */ event) => onChange(withOption(
				text, row.key, event.target.value.trim()))} />
			<span class="unit">${row.unit ?? ''}</span></label>`)}</div>`;
}

/**
 * The keys of the whole, and of its own tables.
 * @param {{app: App, forms: Forms, draft: Draft, form: Form,
 *	services: MuxService[]}} props
 */
export function MuxKeys({ app, forms, draft, form, services }) {
	const all = forms.rows('stream');
	const of = (/** @type {string[]} */ keys) => keys.flatMap((key) =>
		all.filter((row) => row.key === key));
	const delivery = of(['nit_actual'])[0]?.fields ?? [];
	const [sdt] = of(['sdt']);
	const { mine, base } = draft;
	const nested = { ...form, name: 'stream.nit_actual',
		// the service names the whole key
		errorOf: () => '',
		entry: mine.nit_actual ?? {}, base: base?.nit_actual ?? {},
		set: (/** @type {string} */ key, /** @type {unknown} */ value) => {
			const { [key]: _, ...rest } =
				draft.latest.current.nit_actual ?? {};
			const to = value === undefined ? rest
				: { ...rest, [key]: value };

			draft.set('nit_actual', Object.keys(to).length > 0 ? to
				: undefined);
		} };

	return html`<fieldset><legend>${t('mux')}</legend>
			<${Fault} app=${app} id=${String(base?.id ?? '')} />
			<${Rows} form=${form} rows=${of(MUX_KEYS)} />
			<${MuxServices} app=${app} services=${services} config=${mine}
				draft=${draft} fields=${(sdt?.fields ?? []).filter(
					({ key }) => SERVICE_KEYS.includes(key))}
				/></fieldset>
		<fieldset><legend>${t('mux_tables')}</legend>
			<${Rows} form=${form} rows=${of(TABLE_KEYS)} />
			<details class="group" open=${mine.nit_actual !== undefined}>
				<summary class="mono">nit_actual</summary>
				<${Rows} form=${nested} rows=${delivery} /></details>
		</fieldset>`;
}
