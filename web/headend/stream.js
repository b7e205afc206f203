// SPDX-License-Identifier: GPL-3.0-or-later
// One stream: its state in a sentence, its inputs, outputs and analysis.

import { useEffect, useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { moment } from '../common/time.js';
import { age, count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { canSwitch, restart, switchInput, toggle } from './actions.js';
import { Analysis } from './analysis.js';
import { Chart } from './chart.js';
import { usePoll } from './poll.js';
import { href } from './route.js';
import { Empty, Foreign, MarkSign, html, markWord, useTick }
	from './view.js';
import { Viewers } from './viewers.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('../common/api-types').StreamStatus} Status */
/** @typedef {import('../common/api-types').InputStatus} InputStatus */
/** @typedef {import('../common/state.js').Mark} Mark */

/** @param {{app: App, stream: Stream, status: Status | null}} props */
function Sentence({ app, stream, status }) {
	const over = stream.over, mark = stream.mark(app.tick.now);
	const state = status?.state ?? over?.state ?? '';
	const error = status?.error ?? over?.error;
	const since = status?.off_since ?? over?.off_since ??
		status?.error_since;

	// not the same words twice
	const isSaid = state.toLowerCase().startsWith(markWord(mark));

	return html`<p class=${isSaid ? 'sentence is-said' : 'sentence'}>
		<${MarkSign} mark=${mark} />
		<b><${Foreign} text=${state} /></b>
		${since ? html` <time>${t('off_air_for',
			{ age: age(app.now - since) })}</time>` : ''}
		${error ? html`<span class="why">: <${Foreign} text=${error} />
			</span>` : ''}
	</p>`;
}

/** @param {{app: App, stream: Stream, ask: (q: Question) => void}} props */
function Actions({ app, stream, ask }) {
	// an observer may only look, and not at the log
	if (!app.isControl)
		return null;
	const isOn = stream.config?.enable ?? stream.over?.enable;

	return html`<div class="buttons">
		<button onClick=${() => toggle(app, stream, ask)}>
			${t(isOn ? 'disable' : 'enable')} <kbd>t</kbd></button>
		${isOn && html`<button onClick=${() => restart(app, stream, ask)}>
			${t('restart')} <kbd>r</kbd></button>`}
		<a class="button" href=${href('edit', stream.id)}>
			${t('edit')} <kbd>e</kbd></a>
		<a class="button" href=${href('log', '', { stream: stream.id })}>
			${t('to_log')}</a>
	</div>`;
}

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
function Inputs({ app, stream, status, ask }) {
	const addresses = stream.config?.input ?? [];
	const mayChoose = app.isControl && canSwitch(stream);

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
		<tr key=${input.position} class=${input.active ? 'is-active' : ''}>
			<td class="number">${input.position}</td>
			<td><span class="mark" data-mark=${inputMark(input)}>
				<span class="mark-word">${input.state}</span></span></td>
			<td class="mono address">
				<${Foreign} text=${addresses[input.position - 1] ?? ''} />
				${input.interface && html` <span class="dim">
					<${Foreign} text=${input.interface} /></span>`}</td>
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
		</tr>`)}</tbody></table></div></section>`;
}

/** @param {number} n */
function bad(n) {
	return n > 0 ? 'number is-warn' : 'number';
}

/** @param {{app: App, stream: Stream, status: Status}} props */
function Outputs({ app, stream, status }) {
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
			<td><${MarkSign} mark=${output.fault ? 'fault'
				: output.open ? 'on' : 'wait'} /></td>
			<td class="mono address"><${Foreign}
				text=${addresses[output.position - 1] ?? ''} /></td>
			<td class="number">${mbit(output.bitrate ?? 0)}</td>
			<td class="number">${count(output.packets ?? 0)}</td>
			<td class="number">${count(output.dropped ?? 0)}</td>
			<td><time>${output.fault_since ? moment(output.fault_since,
				app.now, app.zone) : ''}</time></td>
			<td class="reason"><${Foreign}
				text=${output.fault ?? output.error ?? ''} /></td>
		</tr>`)}</tbody></table></div>`}</section>`;
}

/** @param {{app: App, status: Status}} props */
function Switches({ app, status }) {
	const list = [...status.switches].reverse();
	const end = (/** @type {number | undefined} */ n) =>
		n === undefined ? t('none') : String(n);

	if (list.length === 0)
		return html`<p class="dim">${t('no_switches')}</p>`;
	return html`<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col">${t('time')}</th>
			<th scope="col">${t('input')}</th>
			<th scope="col">${t('reason')}</th></tr></thead>
		<tbody>${list.map((one) => html`<tr>
			<td><time>${moment(one.time, app.now, app.zone)}</time></td>
			<td>${t('from_to', { from: end(one.from),
				to: one.filler ? t('filler') : end(one.to) })}</td>
			<td class="reason"><${Foreign} text=${[one.reason, one.fault]
				.filter(Boolean).join(': ')} /></td>
		</tr>`)}</tbody></table></div>`;
}

/** @type {import('../common/words.js').Word[]} */
const TABS = ['analysis', 'switches', 'viewers'];

/** @param {{app: App, stream: Stream, status: Status}} props */
function Tabs({ app, stream, status }) {
	const [tab, setTab] = useState(TABS[0]);
	const move = (/** @type {KeyboardEvent} */ event) => {
		const step = event.key === 'ArrowRight' ? 1
			: event.key === 'ArrowLeft' ? -1 : 0;

		if (step === 0)
			return;
		const to = TABS[(TABS.indexOf(tab) + step + TABS.length) %
			TABS.length];

		setTab(to);
		document.getElementById(`tab-${to}`)?.focus();
		event.preventDefault();
	};

	return html`<section>
		<div class="tabs" role="tablist" onKeyDown=${move}>
		${TABS.map((name) => html`<button role="tab" id=${`tab-${name}`}
			aria-selected=${name === tab} aria-controls="tab-panel"
			tabindex=${name === tab ? 0 : -1}
			onClick=${() => setTab(name)}>${t(name)}</button>`)}</div>
		<div role="tabpanel" id="tab-panel" aria-labelledby=${`tab-${tab}`}>
		${tab === 'analysis' && html`<${Analysis} app=${app}
			id=${stream.id} />`}
		${tab === 'switches' && html`<${Switches} app=${app}
			status=${status} />`}
		${tab === 'viewers' && html`<${Viewers} app=${app} id=${stream.id} />`}
		</div></section>`;
}

/** @param {{app: App, stream: Stream}} props */
function Facts({ stream }) {
	const worker = stream.over?.worker;

	return html`<p class="facts dim">
		<span class="mono"><${Foreign} text=${stream.id} /></span>
		${stream.groups.map((name) => html` · <${Foreign} text=${name} />`)}
		${' '}· ${t('viewers')}: ${count(stream.over?.sessions ?? 0)}
		${worker?.pid ? ` · ${t('process')} ${worker.pid}` : ''}
		${worker?.restarts ? `, ${worker.restarts} ${t('restarts')}` : ''}
	</p>`;
}

/** @param {{app: App, id: string, ask: (q: Question) => void}} props */
export function StreamPage({ app, id, ask }) {
	useTick(app);
	const stream = app.store.streams.get(id);
	const { value: status } = usePoll(app,
		`api/stream-status/${encodeURIComponent(id)}?t=0`);

	useEffect(() => {
		document.title = `${shown(stream?.name ?? id)} · Sluice`;
	});
	if (stream === undefined)
		return html`<${Empty} title=${t('missing', { id: shown(id) })}>
			<p><a href="#/streams">${t('streams')}</a></p><//>`;
	return html`<div class="page">
		<div class="tools"><h1><${Foreign} text=${stream.name} /></h1>
			<${Actions} app=${app} stream=${stream} ask=${ask} /></div>
		<${Facts} app=${app} stream=${stream} />
		<${Sentence} app=${app} stream=${stream} status=${status} />
		<${Chart} app=${app} stream=${stream} />
		${status && html`
			<${Inputs} app=${app} stream=${stream} status=${status}
				ask=${ask} />
			<${Outputs} app=${app} stream=${stream} status=${status} />
			<${Tabs} app=${app} stream=${stream} status=${status} />`}
	</div>`;
}
