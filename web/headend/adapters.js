// SPDX-License-Identifier: GPL-3.0-or-later
// Adapters: what they are tuned to, and how well they receive.

import { useEffect, useState } from '../parts/hooks.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { Entries, entriesOf, questionOf } from './entries.js';
import { decibel } from './units-dvb.js';
import { href } from './route.js';
import { SatipServers } from './satip-servers.js';
import { Foreign, MarkSign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('../common/forms.js').Row} Row */

/** @type {import('./entries.js').Kind} */
const KIND = { page: 'adapters', list: 'dvb_tune', cmd: 'set-adapter',
	field: 'adapter', makesId: true, title: 'adapters',
	empty: 'no_adapters', note: 'adapters_note',
	uses: (input, id) => /^dvb:\/\/([^#]*)/i.exec(input)?.[1] === id,
	fresh: { name: '', type: 'S2', enable: true, adapter: 0, device: 0 } };
const EVERY_MS = 2000;
const ASKED_MAX = 32;

/**
 * The status of the adapters, by id.
 * @param {App} app
 * @param {string[]} ids
 * @returns {Record<string, any>}
 */
function useStatus(app, ids) {
	const [all, setAll] = useState(/** @type {Record<string, any>} */ ({}));
	const key = ids.slice(0, ASKED_MAX).join();

	useEffect(() => {
		let over = false, busy = false;
		const ask = async () => {
			if (busy || document.hidden || app.lostAt !== null)
				return;
			busy = true;
			for (const id of key.split(',').filter(Boolean)) {
				try {
					const status = await app.api.get(
						`api/adapter-status/${encodeURIComponent(id)}?t=0`);

					if (!over)
						setAll((was) => ({ ...was, [id]: status }));
				} catch {
					// it was removed, or the next try follows
				}
			}
			busy = false;
		};
		const timer = setInterval(ask, EVERY_MS);

		ask();
		return () => {
			over = true;
			clearInterval(timer);
		};
	}, [app, key]);
	return all;
}

/** @param {{app: App, one: Entry, status: any}} props */
function Cells({ one, status }) {
	const isOn = one.enable === true;
	const state = status?.worker?.state ?? '';
	// a process that runs is no reason
	const reason = status?.worker?.alarm ?? status?.error ??
		(state === 'running' ? '' : state);
	const place = one.address ?? one.server ?? (one.device === undefined
		? one.adapter : `${one.adapter ?? ''}/${one.device}`) ?? '';
	// an address has no signal, only packets
	const tuner = one.address ? undefined : status;
	const receives = one.address ? 'receives' : 'lock';
	const fails = one.address ? 'no_packets' : 'no_lock';

	return html`<td><${MarkSign} mark=${!isOn ? 'disabled'
			: status === undefined ? 'stale' : status.lock ? 'on' : 'fault'}
			word=${t(!isOn ? 'mark_disabled'
				: status?.lock ? receives : fails)} /></td>
		<td><b><${Foreign} text=${one.name ?? ''} /></b></td>
		<td class="mono"><${Foreign} text=${one.id} /></td>
		<td><${Foreign} text=${one.type ?? ''} /></td>
		<td class="mono"><${Foreign} text=${String(place)} /></td>
		<td class="number">${tuner?.signal ?? ''}</td>
		<td class="number">${decibel(tuner?.signal_db)}</td>
		<td class="number">${tuner?.snr ?? ''}</td>
		<td class="number">${decibel(tuner?.snr_db)}</td>
		<td class="number">${tuner && count(tuner.ber ?? 0)}</td>
		<td class=${tuner?.unc > 0 ? 'number is-warn' : 'number'}>
			${tuner && count(tuner.unc ?? 0)}</td>
		<td class="number">${mbit(status?.bitrate ?? 0)}</td>
		<td class="reason"><${Foreign} text=${reason} /></td>`;
}

/** @param {{app: App, ask: Ask}} props */
export function Adapters({ app, ask }) {
	const status = useStatus(app, entriesOf(app, KIND).map((one) => one.id));
	const run = async (/** @type {() => Promise<any>} */ request) => {
		await app.run(request, t('saved'));
		app.store.wantsConfig = true;
	};
	const toggle = (/** @type {Entry} */ one) => {
		const send = () => run(() => app.api.setEnabled('adapter', one.id,
			!one.enable));

		if (one.enable)
			ask({ text: questionOf(app, KIND, one, 'ask_disable_adapter'),
				action: t('disable'), run: send });
		else
			send();
	};
	const restart = (/** @type {Entry} */ one) => ask({
		text: questionOf(app, KIND, one, 'ask_restart_adapter'),
		action: t('restart'), run: () => run(() =>
			app.api.cmd('restart-adapter', { id: one.id })) });

	return html`<${Entries} app=${app} ask=${ask} kind=${KIND}
		tools=${html`<a class="button" href=${href('transponders')}>
			${t('scan_go')}</a>`}
		heads=${[['state', ''], ['name', ''], ['id', ''], ['kind', ''],
			['device', ''], ['signal', 'number'], ['dbm', 'number'],
			['snr', 'number'], ['db', 'number'], ['ber', 'number'],
			['unc', 'number'], ['rate', 'number'], ['reason', '']]}
		cells=${(/** @type {Entry} */ one) => html`<${Cells} one=${one}
			status=${status[one.id]} />`}
		top=${(/** @type {Entry} */ entry, /** @type {Row[]} */ rows,
			/** @type {(keys: Entry) => void} */ set) => html`
			<${SatipServers} app=${app} entry=${entry} rows=${rows}
				onChoose=${set} />`}
		actions=${(/** @type {Entry} */ one) => html`
			<button onClick=${() => toggle(one)}>
				${t(one.enable ? 'disable' : 'enable')}</button>
			${one.enable && html`<button onClick=${() => restart(one)}>
				${t('restart')}</button>`}
			<a class="button" href=${href('transponders', '',
				{ adapter: one.id })}>${t('scan_go')}</a>
			${status[one.id]?.cam && html`<a class="button"
				href=${href('cam', one.id)}>${t('cam')}</a>`}`} />`;
}
