// SPDX-License-Identifier: GPL-3.0-or-later
// Transponders and services that a scan has found, and what is made of them.

import { useState } from '../parts/hooks.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { useOnce } from './fields.js';
import { fromHere, href } from './route.js';
import { toggled } from './selection.js';
import { addressOf, plansOf, scanOf, serviceKey, targetOf, tuningText, usersOf }
	from './transponder-list.js';
import { useTrial } from './trial.js';
import { decibel, hex } from './units-dvb.js';
import { Foreign, MarkSign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./transponder-list.js').Choice} Choice */
/** @typedef {import('./transponder-list.js').Plan} Plan */
/** @typedef {import('./transponder-list.js').Service} Service */
/** @typedef {import('./transponder-list.js').Transponder} Transponder */

const ROWS_MAX = 1000;

/** Beside a short name: ATSC has a long one. @param {{error: string}} props */
export function NameError({ error }) {
	return error !== '' && html`<br /><span class="is-warn">
		${t('name_undecoded')} <${Foreign} text=${error} /></span>`;
}

/** @param {{app: App, scan: unknown, list: Transponder[], address: string}}
 *	props */
function Tunings({ app, scan, list, address }) {
	return html`<section><h2>${t('transponders')}</h2>
		<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col" class="number">#</th>
			<th scope="col">${t('tuning')}</th>
			<th scope="col">${t('state')}</th>
			<th scope="col" class="number">${t('signal')}</th>
			<th scope="col" class="number">${t('dbm')}</th>
			<th scope="col" class="number">${t('snr')}</th>
			<th scope="col" class="number">${t('db')}</th>
			<th scope="col" class="number">${t('rate')}</th>
			<th scope="col" class="number">${t('services')}</th>
			<th scope="col">${t('all_tables')}</th>
			<th scope="col">${t('reason')}</th></tr></thead>
		<tbody>${list.slice(0, ROWS_MAX).map((one) => html`
		<tr key=${one.number} data-transponder=${one.number}>
			<td class="number">${one.number}</td>
			<td class="mono"><${Foreign} text=${address ||
				tuningText(one.tuning)} /></td>
			<td><${MarkSign} mark=${one.lock ? 'on' : 'fault'}
				word=${t(address !== ''
					? one.lock ? 'receives' : 'no_packets'
					: one.lock ? 'lock' : 'no_lock')} /></td>
			<td class="number">${one.signal ?? ''}</td>
			<td class="number">${decibel(one.signal_db)}</td>
			<td class="number">${one.snr ?? ''}</td>
			<td class="number">${decibel(one.snr_db)}</td>
			<td class="number">${one.bitrate === undefined ? ''
				: mbit(one.bitrate)}</td>
			<td class="number">${count(one.services.length)}</td>
			<td>${one.complete ? t('yes') : ''}</td>
			<td class="reason"><${Foreign} text=${one.error ?? ''} /></td>
		</tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${{ cmd: 'scan-init', scan }} /></section>`;
}

/**
 * @param {{app: App, scan: unknown, rows: [Transponder, Service][],
 *	users: Map<number, string>, chosen: Set<string>,
 *	onToggle: (key: string) => void}} props
 */
function Services({ app, scan, rows, users, chosen, onToggle }) {
	return html`<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col" class="check">
				<span class="hidden">${t('selected')}</span></th>
			<th scope="col" class="number">#</th>
			<th scope="col" class="number">PNR</th>
			<th scope="col">${t('name')}</th>
			<th scope="col">${t('provider')}</th>
			<th scope="col" class="number">${t('kind')}</th>
			<th scope="col">${t('scrambled')}</th>
			<th scope="col">${t('stream')}</th></tr></thead>
		<tbody>${rows.slice(0, ROWS_MAX).map(([transponder, one]) => {
			const key = serviceKey(transponder, one);

			return html`<tr key=${key} data-service=${key}>
			<td class="check"><input type="checkbox"
				checked=${chosen.has(key)}
				aria-label=${t('select_row', { name: key })}
				onClick=${() => onToggle(key)} /></td>
			<td class="number">${transponder.number}</td>
			<td class="number">${one.pnr}</td>
			<td><b><${Foreign} text=${one.name ?? ''} /></b>
				<${NameError} error=${one.name_error ?? ''} /></td>
			<td><${Foreign} text=${one.provider ?? ''} /></td>
			<td class="number">${one.service_type ?? ''}</td>
			<td class="mono">${one.scrambled ? t('yes') : ''}
				${' '}${(one.caids ?? []).map(hex).join(' ')}</td>
			<td><${Foreign} text=${users.get(one.pnr) ?? ''} /></td>
			</tr>`;
		})}</tbody></table></div>
		<${Curl} app=${app} request=${{ cmd: 'scan-init', scan }} />
		${rows.length > ROWS_MAX && html`<p class="dim">
			${t('more', { n: count(rows.length - ROWS_MAX) })}</p>`}`;
}

/** An adapter, its streams, and what the service says about them.
 * @param {{app: App, plan: Plan, isStored: boolean}} props */
function Planned({ app, plan, isStored }) {
	const { adapter, request } = plan;
	const trial = useTrial(app, 'set-adapter', request, true);
	const { id } = request;

	return html`<li data-plan=${plan.key}><b><${Foreign}
			text=${adapter.name || adapter.id} /></b>
		${' '}<span class="dim">${t(isStored ? 'adapter'
			: 'adapter_is_new')}</span>
		<ul>${request.adapter.scan.map((/** @type {any} */ stream) => html`
			<li><${Foreign} text=${stream.name} />${' '}
			<code>dvb://${id ?? '…'}#pnr=${stream.pnr}</code></li>`)}</ul>
		${trial.error !== '' && html`<p class="problem" role="status">
			<${Foreign} text=${trial.error} /></p>`}
		${trial.warnings.map((text) => html`<p class="is-warn">
			<${Foreign} text=${text} /></p>`)}</li>`;
}

/**
 * @param {App} app
 * @param {Plan[]} plans
 * @param {(plan: Plan) => void} onStored the next try leaves it out
 */
async function make(app, plans, onStored) {
	const leave = fromHere();
	let n = 0;

	try {
		for (const plan of plans) {
			await app.api.cmd('set-adapter', plan.request);
			n += plan.request.adapter.scan.length;
			onStored(plan);
		}
		app.say(t('made_streams', { n: count(n) }));
		leave(href('streams', '', { filter: 'disabled' }));
	} catch (problem) {
		const { message } = /** @type {Error} */ (problem);

		app.say(`${n > 0 ? `${t('made_streams', { n: count(n) })} ` : ''}${
			t('refused', { error: message })}`, true);
	} finally {
		app.store.wantsConfig = true;
	}
}

/** @param {{app: App, choice: Choice, list: Transponder[],
 *	onMake: () => void}} props */
export function Found({ app, choice, list, onMake }) {
	const [chosen, setChosen] = useState(/** @type {Set<string>} */ (
		new Set()));
	const target = targetOf(choice), scan = scanOf(choice);
	const users = target === null ? new Map()
		: usersOf(app.store.streams.values(), target.id);
	const rows = list.flatMap((one) => one.services.map((service) =>
		/** @type {[Transponder, Service]} */ ([one, service])));
	const fresh = rows.filter(([, { pnr }]) => !users.has(pnr));
	const plans = plansOf(choice, list, chosen);
	const n = plans.reduce((sum, { request }) =>
		sum + request.adapter.scan.length, 0);
	const { send: run, busy } = useOnce(() => {
		// an adapter that is stored may need the tuner of the scan
		onMake();
		return make(app, plans, ({ key }) => setChosen((was) => new Set([...was]
			.filter((one) => !one.startsWith(`${key}.`)))));
	});

	if (list.length === 0)
		return null;
	return html`<${Tunings} app=${app} scan=${scan} list=${list}
			address=${addressOf(choice)} />
		<section><h2>${t('services')}</h2>
		${rows.length === 0 ? html`<p class="dim">${t('psi_waits')}</p>`
			: html`<${Services} app=${app} scan=${scan} rows=${rows}
				users=${users} chosen=${chosen}
				onToggle=${(/** @type {string} */ key) =>
					setChosen((was) => toggled(was, key))} />
		<div class="buttons"><button type="button"
			onClick=${() => setChosen(new Set(fresh.map((pair) =>
				serviceKey(...pair))))}>${t('select_all')}</button>
		<button type="button" class="primary"
			disabled=${busy || n === 0}
			onClick=${() => run()}>
			${t('make_streams', { n: count(n) })}</button>
		<span class="dim">${t('make_streams_help')}</span></div>`}
		</section>
		${plans.length > 0 && html`<section><h2>${t('will_be_set')}</h2>
			<ul class="plans">${plans.map((plan) => html`<${Planned}
				key=${plan.key} app=${app} plan=${plan}
				isStored=${target !== null} />`)}</ul></section>`}`;
}
