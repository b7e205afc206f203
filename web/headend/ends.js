// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs and outputs of a stream as tables.

import { useEffect } from '../parts/hooks.js';
import { outputMark } from '../common/state.js';
import { moment } from '../common/time.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { canSwitch, switchInput } from './actions.js';
import { Curl } from './curl.js';
import { statusPath } from './curl-line.js';
import { Foreign, MarkSign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('../common/api-types').StreamStatus} Status */
/** @typedef {import('../common/api-types').InputStatus} InputStatus */
/** @typedef {import('../common/state.js').Mark} Mark */

/** @param {InputStatus} input @returns {Mark} */
function inputMark(input) {
	if (input.onair)
		return input.alarms.length > 0 || input.damped ? 'warn' : 'on';
	if (!input.open && input.error === undefined)
		return 'wait';
	return input.active || input.error !== undefined ||
		input.state === 'down' ? 'fault' : 'wait';
}

/** @param {{app: App, stream: Stream, status: Status,
 *	ask: (q: Question) => void}} props */
export function Inputs({ app, stream, status, ask }) {
	const addresses = stream.config?.input ?? [];
	const mayChoose = app.isControl && canSwitch(stream);
	const wanted = Number(app.route.query.get('input'));

	// the address of the page names one of them
	useEffect(() => {
		document.getElementById(`input-${wanted}`)
			?.scrollIntoView({ block: 'center' });
	}, [wanted]);

	return html`<section><h2>${t('inputs')}</h2>
		<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col" class="number">#</th>
			<th scope="col">${t('state')}</th>
			<th scope="col">${t('address')}</th>
			<th scope="col" class="number">${t('rate')}</th>
			<th scope="col" class="number">${t('cc')}</th>
			<th scope="col" class="number">${t('pes')}</th>
			<th scope="col" class="number">${t('scr')}</th>
			<th scope="col">${t('alarms')}</th>
			<th scope="col">${t('since')}</th>
			<th scope="col">${t('reason')}</th>
			${mayChoose && html`<th scope="col">${t('action')}</th>`}
		</tr></thead>
		<tbody>${status.inputs.map((input) => html`
		<tr key=${input.position} id=${`input-${input.position}`}
			class=${input.active ? 'is-active' : ''}
			aria-current=${input.position === wanted ? 'true' : undefined}>
			<td class="number">${input.position}</td>
			<td><span class="mark" data-mark=${inputMark(input)}>
				<span class="mark-word">${input.state}</span></span></td>
			<td class="mono address">
				<${Foreign} text=${addresses[input.position - 1] ?? ''} />
				${input.interface && html` <span class="dim">
					<${Foreign} text=${input.interface} /></span>`}
				${input.peer && html` <span class="dim">
					<${Foreign} text=${input.peer} /></span>`}</td>
			<td class="number">${mbit(input.bitrate)}</td>
			<td class=${bad(input.cc_error)}>${count(input.cc_error)}</td>
			<td class=${bad(input.pes_error)}>${count(input.pes_error)}</td>
			<td class=${bad(input.sc_error)}>${count(input.sc_error)}</td>
			<td>${input.alarms.join(', ')}</td>
			<td><time>${input.since ? moment(input.since, app.now,
				app.zone) : ''}</time></td>
			<td class="reason">
				<${Foreign} text=${input.error ?? input.reason ?? ''} /></td>
			${mayChoose && html`<td>${!input.active && html`
				<button onClick=${() => switchInput(app, stream,
					input.position, ask)}>${t('switch_to')}</button>`}</td>`}
		</tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${statusPath(stream.id)} /></section>`;
}

/** @param {number} n */
function bad(n) {
	return n > 0 ? 'number is-warn' : 'number';
}

/** @param {{app: App, stream: Stream, status: Status}} props */
export function Outputs({ app, stream, status }) {
	const addresses = stream.config?.output ?? [];

	return html`<section><h2>${t('outputs')}</h2>
		${status.outputs.length === 0 ? html`<p class="dim">
			${t('no_outputs')}</p>` : html`
		<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col" class="number">#</th>
			<th scope="col">${t('state')}</th>
			<th scope="col">${t('address')}</th>
			<th scope="col" class="number">${t('rate')}</th>
			<th scope="col" class="number">${t('packets')}</th>
			<th scope="col" class="number">${t('dropped')}</th>
			<th scope="col">${t('since')}</th>
			<th scope="col">${t('error')}</th></tr></thead>
		<tbody>${status.outputs.map((output) => html`
		<tr key=${output.position}>
			<td class="number">${output.position}</td>
			<td><${MarkSign} mark=${outputMark(output,
				status.onair)} /></td>
			<td class="mono address"><${Foreign}
				text=${addresses[output.position - 1] ?? ''} />
				${output.peer && html` <span class="dim">
					<${Foreign} text=${output.peer} /></span>`}</td>
			<td class="number">${mbit(output.bitrate ?? 0)}</td>
			<td class="number">${count(output.packets ?? 0)}</td>
			<td class="number">${count(output.dropped ?? 0)}</td>
			<td><time>${output.reason_since ? moment(output.reason_since,
				app.now, app.zone) : ''}</time></td>
			<td class="reason"><${Foreign}
				text=${output.fault ?? output.error ?? ''} /></td>
		</tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${statusPath(stream.id)} />`}</section>`;
}
