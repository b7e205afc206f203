// SPDX-License-Identifier: GPL-3.0-or-later
// The analysis of a stream: the checks of TR 101 290, and its PIDs.

import { useState } from '../parts/hooks.js';
import { checksOf } from '../common/state.js';
import { moment } from '../common/time.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { Old, usePoll } from './poll.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/api-types').AnalyzedEnd} End */
/** @typedef {import('../common/api-types').Indicator} Indicator */
/** @typedef {import('../common/api-types').StreamAnalysis} Reply */

/** @param {string} id */
const pathOf = (id) => `api/stream-analysis/${encodeURIComponent(id)}`;

/** @param {{app: App, id: string, list: Indicator[]}} props */
function Checks({ app, id, list }) {
	// of the standard first, by its priorities
	const rank = (/** @type {Indicator} */ one) => one.priority || 9;
	const sorted = [...list].sort((a, b) => rank(a) - rank(b));

	return html`<div class="wide-box" tabindex="0"><table class="checks">
		<thead><tr><th scope="col" class="number">${t('priority')}</th>
			<th scope="col">${t('alarm')}</th>
			<th scope="col">${t('state')}</th>
			<th scope="col" class="number">${t('count')}</th>
			<th scope="col">${t('last')}</th></tr></thead>
		<tbody>${sorted.map((one) => html`<tr key=${one.alarm}>
			<td class="number">${one.priority || '–'}</td>
			<td class="mono">${one.alarm}</td>
			<td>${one.raised ? html`<span class="mark" data-mark="warn">
				<span class="mark-word">${t('raised')}</span></span>` : ''}
			</td>
			<td class="number">${count(one.count)}</td>
			<td><time>${one.last ? moment(one.last, app.now, app.zone)
				: ''}</time></td></tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${pathOf(id)} />`;
}

/** @param {{app: App, id: string, end: End}} props */
function Pids({ app, id, end }) {
	const bad = (/** @type {number} */ n) => n > 0 ? 'number is-warn'
		: 'number';

	return html`<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col" class="number">${t('pid')}</th>
			<th scope="col">${t('kind')}</th>
			<th scope="col">${t('programs')}</th>
			<th scope="col" class="number">${t('rate')}</th>
			<th scope="col" class="number">${t('packets')}</th>
			<th scope="col" class="number">${t('cc')}</th>
			<th scope="col" class="number">${t('pes')}</th>
			<th scope="col" class="number">${t('scr')}</th></tr></thead>
		<tbody>${(end.pids ?? []).map((pid) => html`<tr key=${pid.pid}>
			<td class="number">${pid.pid}</td>
			<td>${pid.kind ?? ''}${pid.stream_type !== undefined ? html`
				<span class="dim"> 0x${pid.stream_type.toString(16)
					.padStart(2, '0')}</span>` : ''}</td>
			<td>${(pid.programs ?? []).join(', ')}</td>
			<td class="number">${mbit(pid.bitrate)}</td>
			<td class="number">${count(pid.packets)}</td>
			<td class=${bad(pid.cc_errors)}>${count(pid.cc_errors)}</td>
			<td class=${bad(pid.pes_errors)}>${count(pid.pes_errors)}</td>
			<td class=${bad(pid.scrambled)}>${count(pid.scrambled)}</td>
		</tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${pathOf(id)} />`;
}

/** @param {{app: App, id: string}} props */
export function Analysis({ app, id }) {
	const runs = app.store.streams.get(id)?.over?.worker.state === 'running';
	const poll = usePoll(app, runs ? pathOf(id) : '');
	const [at, setAt] = useState('output');
	const reply = /** @type {Reply | null} */ (poll.value);

	if (!runs)
		return html`<p class="dim">${t('no_running')}</p>`;
	if (reply === null && poll.error !== null)
		return html`<${Old} app=${app} poll=${poll} />`;
	if (reply === null)
		return html`<p class="dim">${t('loading')}</p>`;
	const input = reply.inputs.find((one) => String(one.position) === at);
	const relayed = !input && reply.output.relay ? reply.inputs.find(
		(one) => one.watched) : undefined;
	const end = input ?? relayed ?? reply.output;

	return html`<${Old} app=${app} poll=${poll} />
		<label class="choice">${t('place')}
		<select onChange=${(/** @type {any} */ event) =>
			setAt(event.target.value)}>
			<option value="output" selected=${at === 'output'}>
				${t('output')}</option>
			${reply.inputs.map((one) => html`
			<option value=${one.position}
				selected=${String(one.position) === at}>
				${t('input_n', { n: one.position ?? 0 })}</option>`)}
		</select></label>
		${relayed && html`<p class="dim">${t('relay')}</p>`}
		${end.watched === false ? html`<p class="dim">
			${t('watched')}</p>` : html`<div class="beside">
			<div><h3>${t('checks')}</h3><${Checks} app=${app}
				id=${id} list=${checksOf(end, reply.output,
					input !== undefined)} /></div>
			<div><h3>${t('pids')}</h3><${Pids} app=${app} id=${id}
				end=${end} /></div>
		</div>`}`;
}
