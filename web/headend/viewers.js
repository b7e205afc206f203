// SPDX-License-Identifier: GPL-3.0-or-later
// Who watches a stream, or all of them.

import { age, bytes } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { isOld } from './current.js';
import { Old, usePoll } from './poll.js';
import { href } from './route.js';
import { Foreign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} Session
 * @property {number} client_id
 * @property {string} channel_id
 * @property {string} [channel_name]
 * @property {string} addr
 * @property {number} uptime
 * @property {string} [login]
 * @property {string} [agent]
 * @property {string} [protocol]
 * @property {number} [bytes]
 */

const EVERY_S = 5;
const ROWS_MAX = 300;

/** @param {{app: App, id?: string}} props */
export function Viewers({ app, id }) {
	useTick(app);
	const poll = usePoll(app, 'sessions', EVERY_S,
		() => app.api.cmd('sessions'));
	/** @type {Session[] | undefined} */
	const all = poll.value?.sessions;
	const list = all?.filter((one) => id === undefined ||
		one.channel_id === id);
	const old = html`<${Old} app=${app} poll=${poll} />`;

	if (list === undefined)
		return html`<p class="dim">${t('loading')}</p>${old}`;
	if (list.length === 0)
		return html`<p class="dim">${t('no_viewers')}</p>${old}`;
	return html`${old}${list.length > ROWS_MAX && html`<p class="dim">
			${t('first_of', { n: ROWS_MAX, all: list.length })}</p>`}
		<div class="wide-box" tabindex="0"
			data-stale=${isOld(poll.at, app.tick, EVERY_S)}><table>
		<thead><tr>
			${id === undefined && html`<th scope="col">${t('stream')}</th>`}
			<th scope="col">${t('address')}</th>
			<th scope="col">${t('login_name')}</th>
			<th scope="col">${t('protocol')}</th>
			<th scope="col" class="number">${t('duration')}</th>
			<th scope="col" class="number">${t('traffic')}</th>
			<th scope="col">${t('agent')}</th>
			${app.isControl && html`<th scope="col">${t('action')}</th>`}
		</tr></thead>
		<tbody>${list.slice(0, ROWS_MAX).map((one) => html`
		<tr key=${one.client_id}>
			${id === undefined && html`<td>
				<a href=${href('stream', one.channel_id)}><${Foreign}
					text=${one.channel_name || one.channel_id} /></a></td>`}
			<td class="mono"><${Foreign} text=${one.addr} /></td>
			<td><${Foreign} text=${one.login ?? ''} /></td>
			<td>${one.protocol ?? ''}</td>
			<td class="number">${age(one.uptime)}</td>
			<td class="number">${one.bytes === undefined ? ''
				: bytes(one.bytes)}</td>
			<td class="reason"><${Foreign} text=${one.agent ?? ''} /></td>
			${app.isControl && html`<td class="actions"><button
				onClick=${() => app.act('close-session', {
					id: one.client_id }, t('done_kick'))}>
				${t('kick')}</button></td>`}
		</tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${{ cmd: 'sessions' }} />`;
}
