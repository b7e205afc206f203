// SPDX-License-Identifier: GPL-3.0-or-later
// The network: who asks for groups, and which sessions are announced.

import { useEffect } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { moment } from '../common/time.js';
import { age, count } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { Old, usePoll } from './poll.js';
import { href } from './route.js';
import { addStyle } from './style.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/state.js').Mark} Mark */

/**
 * @typedef {object} Interface
 * @property {string} interface
 * @property {number} index
 * @property {string} protocol
 * @property {number} inputs
 * @property {number} silent
 * @property {'unknown' | 'heard' | 'missing'} state
 * @property {{address: string, version: number, interval?: number,
 *	age: number}} [querier]
 * @property {string} [advice]
 */

/**
 * @typedef {object} Announcement
 * @property {string} [name]
 * @property {string} sender
 * @property {string} iface
 * @property {number} heard
 * @property {string} [input]
 * @property {string} [note]
 */

const STATUS = 'api/network-status', ANNOUNCED = 'api/announcements';

/** @type {Record<Interface['state'], [Mark,
 *	import('../common/words.js').Word]>} */
const STATES = { heard: ['on', 'querier_heard'],
	missing: ['warn', 'querier_missing'],
	unknown: ['stale', 'querier_unknown'] };

/** @param {{app: App, list: Interface[]}} props */
function Interfaces({ app, list }) {
	if (list.length === 0)
		return html`<p class="dim">${t('no_interfaces')}</p>`;
	return html`<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col">${t('interface')}</th>
			<th scope="col">${t('protocol')}</th>
			<th scope="col" class="number">${t('inputs')}</th>
			<th scope="col" class="number">${t('silent')}</th>
			<th scope="col">${t('querier')}</th>
			<th scope="col">${t('address')}</th>
			<th scope="col" class="number">${t('version')}</th>
			<th scope="col" class="number">${t('interval')}</th>
			<th scope="col" class="number">${t('age')}</th>
			<th scope="col">${t('reason')}</th></tr></thead>
		<tbody>${list.map((one) => html`
		<tr key=${`${one.index} ${one.protocol}`}>
			<td class="mono"><${Foreign} text=${one.interface} /></td>
			<td>${one.protocol === 'mld' ? 'MLD' : 'IGMP'}</td>
			<td class="number">${count(one.inputs)}</td>
			<td class=${one.silent > 0 ? 'number is-warn' : 'number'}>
				${count(one.silent)}</td>
			<td><span class="mark" data-mark=${STATES[one.state][0]}>
				<span class="mark-word">${t(STATES[one.state][1])}</span>
				</span></td>
			<td class="mono"><${Foreign} text=${one.querier?.address ?? ''}
				/></td>
			<td class="number">${one.querier?.version ?? ''}</td>
			<td class="number">${one.querier?.interval !== undefined
				? age(one.querier.interval) : ''}</td>
			<td class="number">${one.querier ? age(one.querier.age) : ''}
				</td>
			<td class="advice"><${Foreign} text=${one.advice ?? ''} /></td>
		</tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${STATUS} />`;
}

/** @param {{app: App, list: Announcement[]}} props */
function Sessions({ app, list }) {
	return html`<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col">${t('name')}</th>
			<th scope="col">${t('sender')}</th>
			<th scope="col">${t('interface')}</th>
			<th scope="col">${t('last_heard')}</th>
			<th scope="col">${t('address')}</th>
			<th scope="col">${t('reason')}</th>
			${app.isControl && html`<th scope="col">${t('action')}</th>`}
		</tr></thead>
		<tbody>${list.map((one) => html`
		<tr key=${`${one.sender} ${one.name} ${one.input}`}>
			<td class="reason" title=${shown(one.name ?? '')}>
				<b><${Foreign} text=${one.name ?? ''} /></b></td>
			<td class="mono"><${Foreign} text=${one.sender} /></td>
			<td class="mono"><${Foreign} text=${one.iface} /></td>
			<td><time>${moment(one.heard, app.now, app.zone)}</time></td>
			<td class="mono address" title=${shown(one.input ?? '')}>
				<${Foreign} text=${one.input ?? ''} /></td>
			<td class="reason" title=${shown(one.note ?? '')}>
				<${Foreign} text=${one.note ?? ''} /></td>
			${app.isControl && html`<td>${one.input && html`
				<a href=${href('scan', '', { address: one.input })}>
				${t('to_streams')}</a>`}</td>`}
		</tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${ANNOUNCED} />`;
}

/** @param {{app: App}} props */
export function Network({ app }) {
	addStyle('network.css');
	const poll = usePoll(app, STATUS, 5);
	const announced = usePoll(app, ANNOUNCED, 5);
	const status = poll.value, heard = announced.value;
	/** @type {Announcement[]} */
	const sessions = heard?.announcements ?? [];

	useEffect(() => {
		document.title = `${t('network')} · Sluice`;
	});
	return html`<div class="page"><div class="tools">
			<h1>${t('network')}</h1></div>
		<${Old} app=${app} poll=${poll.error ? poll : announced} />
		<section><h2>${t('queriers')}</h2>
			${[status?.igmp_error, status?.mld_error].map((text) =>
				text && html`<p class="problem">
					<${Foreign} text=${text} /></p>`)}
			${status ? html`<${Interfaces} app=${app}
				list=${status.interfaces} />`
				: html`<p class="dim">${t('loading')}</p>`}</section>
		<section><h2>${t('announcements')} <span class="dim">${heard ?
				t('listening', { age: age(heard.listening) }) : ''}
			</span></h2>
			${heard?.error && html`<p class="problem">
				<${Foreign} text=${heard.error} /></p>`}
			${sessions.length === 0 ? html`<p class="dim">
				${t('no_announcements')}</p>` : html`<${Sessions}
				app=${app} list=${sessions} />`}</section>
	</div>`;
}
