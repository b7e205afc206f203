// SPDX-License-Identifier: GPL-3.0-or-later
// Adapters: what they are tuned to, and how well they receive.

import { useEffect, useRef } from '../parts/hooks.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { isOld } from './current.js';
import { Entries, questionOf } from './entries.js';
import { bitsOf, decibel } from './units-dvb.js';
import { href } from './route.js';
import { SatipServers } from './satip-servers.js';
import { Foreign, MarkSign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('../common/api-types').AdapterOverview
 *	} AdapterOverview */
/** @typedef {import('../common/forms.js').Row} Row */
/** @typedef {import('../common/words.js').Word} Word */

/** @type {import('./entries.js').Kind} */
const KIND = { page: 'adapters', list: 'dvb_tune', cmd: 'set-adapter',
	field: 'adapter', makesId: true, title: 'adapters',
	empty: 'no_adapters', note: 'adapters_note',
	uses: (input, id) => /^dvb:\/\/([^#]*)/i.exec(input)?.[1] === id,
	fresh: { name: '', type: 'S2', enable: true, adapter: 0, device: 0 } };

/**
 * The status of all adapters, by id; the overview has it, and is asked for with
 * each tick.
 * @param {App} app
 */
function useStatus(app) {
	useTick(app);
	useEffect(() => {
		const ask = () => {
			app.store.wantsOverview = true;
		};

		ask();
		return app.tick.add(ask);
	}, [app]);
	return new Map((app.store.overview?.adapters ?? []).map((one) =>
		[one.id, one]));
}

/**
 * The status bits of tuners, by id, as the events of the last seconds have
 * them.  A frozen display keeps those that it shows.
 * @param {App} app
 * @returns {Map<string, number>}
 */
function useBits(app) {
	const heard = useRef(
		/** @type {Map<string, {status: number, at: number}>} */ (
			new Map()));
	const seen = useRef(/** @type {Map<string, number>} */ (new Map()));

	useEffect(() => app.home.listen(({ scope, dvb_id: id, status }) => {
		// an address has none
		if (scope === 'adapter_event' && typeof status === 'number')
			heard.current.set(id, { status, at: Date.now() / 1000 });
	}), [app]);
	if (!app.tick.frozen)
		seen.current = new Map([...heard.current]
			.filter(([, { at }]) => !isOld(at, app.tick))
			.map(([id, { status }]) => [id, status]));
	return seen.current;
}

/**
 * @param {{one: Entry, status: AdapterOverview | undefined,
 *	bits: number | undefined, hasOld: boolean}} props status: undefined until
 *	one came
 */
function Cells({ one, status, bits, hasOld }) {
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
	const [mark, word] = /** @type {[string, Word]} */ (!isOn
		? ['disabled', 'mark_disabled']
		: status === undefined || hasOld ? ['stale', 'mark_stale']
			: status.lock ? ['on', receives] : ['fault', fails]);

	return html`<td><${MarkSign} mark=${mark} word=${t(word)} />
			${bits !== undefined && html` <small class="dim">
				${bitsOf(bits).map((one) => t(one)).join(', ')}</small>`}</td>
		<td><b><${Foreign} text=${one.name ?? ''} /></b></td>
		<td class="mono"><${Foreign} text=${one.id} /></td>
		<td><${Foreign} text=${one.type ?? ''} /></td>
		<td class="mono"><${Foreign} text=${String(place)} /></td>
		<td class="number">${tuner?.signal ?? ''}</td>
		<td class="number">${decibel(tuner?.signal_db)}</td>
		<td class="number">${tuner?.snr ?? ''}</td>
		<td class="number">${decibel(tuner?.snr_db)}</td>
		<td class="number">${tuner && count(tuner.ber ?? 0)}</td>
		<td class=${tuner && tuner.unc > 0 ? 'number is-warn' : 'number'}>
			${tuner && count(tuner.unc ?? 0)}</td>
		<td class="number">${status && mbit(status.bitrate ?? 0)}</td>
		<td class="reason"><${Foreign} text=${reason} /></td>`;
}

/** @param {{app: App, ask: Ask}} props */
export function Adapters({ app, ask }) {
	const status = useStatus(app), bits = useBits(app);
	const { overviewTime: at } = app.store;
	const hasOld = isOld(at, app.tick);
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

	return html`<${Entries} app=${app} ask=${ask} kind=${KIND} at=${at}
		tools=${html`<a class="button" href=${href('transponders')}>
			${t('scan_go')}</a>`}
		heads=${[['state', ''], ['name', ''], ['id', ''], ['kind', ''],
			['device', ''], ['signal', 'number'], ['dbm', 'number'],
			['snr', 'number'], ['db', 'number'], ['ber', 'number'],
			['unc', 'number'], ['rate', 'number'], ['reason', '']]}
		cells=${(/** @type {Entry} */ one) => html`<${Cells} one=${one}
			status=${status.get(one.id)} bits=${bits.get(one.id)}
			hasOld=${hasOld} />`}
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
			${status.get(one.id)?.cam && html`<a class="button"
				href=${href('cam', one.id)}>${t('cam')}</a>`}`} />`;
}
