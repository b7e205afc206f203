// SPDX-License-Identifier: GPL-3.0-or-later
// The SAT>IP servers that answer on the network, for the form of an adapter.

import { useState } from '../parts/hooks.js';
import { age } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { Old, usePoll } from './poll.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('../common/forms.js').Row} Row */

/**
 * @typedef {object} Server
 * @property {string} server as the key of an adapter
 * @property {string} iface
 * @property {string} uuid
 * @property {string} [name]
 * @property {string} [manufacturer]
 * @property {string} [model]
 * @property {string} [note]
 * @property {Record<string, number>} frontends by system
 */

const FOUND = 'api/satip-servers', EVERY_S = 2;

/**
 * The keys that a choice sets; undefined: it removes the key.  Address and
 * numbers of the adapter are those of another source.  A name that the operator
 * wrote stays; that of the server before does not.
 * @param {Server[]} list
 * @param {Entry} entry
 * @param {Server} one
 * @param {string} [type]
 * @returns {Entry}
 */
function keysOf(list, entry, one, type) {
	const isOfServer = list.some(({ server, name }) =>
		server === entry.server && name === entry.name);

	return { server: one.server, ...type && { type },
		...(!entry.name || isOfServer) && { name: one.name ?? '' },
		...entry.server !== one.server && { address: undefined,
			adapter: undefined, device: undefined } };
}

/** @param {{one: Server, types: string[],
 *	onChoose: (type?: string) => void}} props */
function Choices({ one, types, onChoose }) {
	const systems = Object.entries(one.frontends);
	const name = `${t('satip_use')}: ${one.name ?? ''} ${one.server}`;
	const known = systems.filter(([system]) => types.includes(system));

	return html`${systems.map(([system, n]) => types.includes(system)
		? html`<button type="button" onClick=${() => onChoose(system)}
			aria-label=${`${system} × ${n}, ${name}`}>
			${system} × ${n}</button>${' '}`
		: html`<${Foreign} text=${`${system} × ${n}`} />${' '}`)}
		${known.length === 0 && html`<button type="button"
			onClick=${() => onChoose()}
			aria-label=${name}>
			${t('satip_use')}</button>`}`;
}

/** @param {{list: Server[], chosen: unknown, types: string[],
 *	onChoose: (one: Server, type?: string) => void}} props */
function List({ list, chosen, types, onChoose }) {
	return html`<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col">${t('name')}</th>
			<th scope="col">${t('address')}</th>
			<th scope="col">${t('satip_model')}</th>
			<th scope="col">${t('satip_frontends')}</th>
			<th scope="col">${t('interface')}</th>
			<th scope="col">${t('reason')}</th></tr></thead>
		<tbody>${list.map((one) => html`
		<tr key=${`${one.server} ${one.uuid} ${one.iface}`}
			aria-current=${one.server === chosen}>
			<td class="reason"><b><${Foreign} text=${one.name ?? ''} /></b>
			</td>
			<td class="mono"><${Foreign} text=${one.server} /></td>
			<td class="reason"><${Foreign} text=${[one.manufacturer,
				one.model].filter(Boolean).join(' ')} /></td>
			<td><${Choices} one=${one} types=${types}
				onChoose=${(/** @type {string} */ type) =>
					onChoose(one, type)} /></td>
			<td class="mono"><${Foreign} text=${one.iface} /></td>
			<td class="reason"><${Foreign} text=${one.note ?? ''} /></td>
		</tr>`)}</tbody></table></div>`;
}

/**
 * The search begins when the list is opened: it sends to the network.
 * @param {{app: App, entry: Entry, rows: Row[],
 *	onChoose: (keys: Entry) => void}} props rows: of an adapter
 */
export function SatipServers({ app, entry, rows, onChoose }) {
	const [isOpen, setOpen] = useState(false);
	const poll = usePoll(app, isOpen ? FOUND : '', EVERY_S);
	const found = poll.value;
	/** @type {Server[]} */
	const list = found?.servers ?? [];
	const types = rows.find(({ key }) => key === 'type')?.choices ?? [];

	return html`<details class="group satip" open=${isOpen}
		onToggle=${(/** @type {any} */ event) =>
			setOpen(event.currentTarget.open)}>
		<summary>${t('satip_servers')}${' '}<small class="dim">${found ?
			t('listening', { age: age(found.listening) }) : ''}
			</small></summary>
		${isOpen && html`<div class="found">
			${found && html`<${Old} app=${app} poll=${poll} />`}
			${(found?.error ?? (!found && poll.error?.message)) && html`
				<p class="problem"><${Foreign} text=${found?.error ??
					poll.error?.message} /></p>`}
			${list.length === 0 ? html`<p class="dim" role="status">
				${t('satip_none')}</p>`
				: html`<${List} list=${list} chosen=${entry.server}
					types=${types} onChoose=${(
						/** @type {Server} */ one,
						/** @type {string} */ type) =>
						onChoose(keysOf(list, entry, one, type))} />
				<${Curl} app=${app} request=${FOUND} />`}</div>`}
	</details>`;
}
