// SPDX-License-Identifier: GPL-3.0-or-later
// One stream: its state in a sentence, its inputs, outputs and analysis.

import { useEffect, useState } from '../parts/hooks.js';
import { reasonOf } from '../common/state.js';
import { shown } from '../common/text.js';
import { moment } from '../common/time.js';
import { age, count } from '../common/units.js';
import { t } from '../common/words.js';
import { canSwitch, nextInput, restart, toggle } from './actions.js';
import { Analysis } from './analysis.js';
import { Charts } from './charts.js';
import { isOld } from './current.js';
import { Curl } from './curl.js';
import { statusPath } from './curl-line.js';
import { Inputs, Outputs } from './ends.js';
import { MuxServices } from './mux.js';
import { rangeOf } from './history.js';
import { StreamLog } from './log.js';
import { Picture } from './picture.js';
import { Old, usePoll } from './poll.js';
import { Preview } from './preview.js';
import { Psi } from './psi.js';
import { href, replaceQuery } from './route.js';
import { addStyle } from './style.js';
import { Empty, Foreign, MarkSign, html, markWord, useTick }
	from './view.js';
import { Viewers } from './viewers.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('../common/api-types').StreamStatus} Status */

/** @param {{app: App, stream: Stream, status: Status | null}} props */
function Sentence({ app, stream, status }) {
	const over = stream.over, mark = stream.mark(app.tick.now);
	const state = status?.state ?? over?.state ?? '';
	const error = status?.error ?? (over && mark === 'warn'
		? reasonOf(over, stream.alarms) : over?.error);
	const since = status?.off_since ?? over?.off_since ??
		status?.error_since;

	// not the same words twice
	const isSaid = state.toLowerCase().startsWith(markWord(mark));

	return html`<p class=${isSaid ? 'sentence is-said' : 'sentence'}>
		<${MarkSign} mark=${mark} />
		<b><${Foreign} text=${state} /></b>
		${since ? html` <time>${t('off_air_for',
			{ age: age(app.now - since) })}</time>` : ''}
		${error && error !== state ? html`<span class="why">: <${Foreign}
			text=${error} /></span>` : ''}
	</p>`;
}

/** @param {{app: App, stream: Stream, ask: (q: Question) => void,
 *	onPreview: () => void}} props */
function Actions({ app, stream, ask, onPreview }) {
	const isOn = stream.config?.enable ?? stream.over?.enable;
	const preview = isOn && html`<button onClick=${onPreview}
		data-key="p">${t('preview')} <kbd>p</kbd></button>`;

	// an observer may only look, and not at the log
	if (!app.isControl)
		return html`<div class="buttons">${preview}</div>`;
	return html`<div class="buttons">${preview}
		${isOn && canSwitch(stream) && html`<button onClick=${() =>
			nextInput(app, stream, ask)}>${t('next_input')} <kbd>b</kbd>
			</button>`}
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

/** @param {{app: App, id: string, status: Status}} props */
function Switches({ app, id, status }) {
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
			<td>${one.reason === 'failed' && one.to !== undefined
				? end(one.to)
				: t('from_to', { from: end(one.from),
					to: one.filler ? t('filler') : end(one.to) })}</td>
			<td class="reason"><${Foreign} text=${[one.reason, one.fault]
				.filter(Boolean).join(': ')} /></td>
		</tr>`)}</tbody></table></div>
		<${Curl} app=${app} request=${statusPath(id)} />`;
}

/** @typedef {import('../common/words.js').Word} Word */

/** @type {Word[]} */
const TABS = ['analysis', 'tables', 'switches', 'viewers', 'picture', 'log'];

/** @param {{app: App, stream: Stream, status: Status, tab: Word}} props */
function Panel({ app, stream, status, tab }) {
	const { id } = stream;

	switch (tab) {
	case 'tables': return html`<${Psi} app=${app} id=${id}
		inputs=${status.inputs.length} />`;
	case 'switches': return html`<${Switches} app=${app} id=${id}
		status=${status} />`;
	case 'viewers': return html`<${Viewers} app=${app} id=${id} />`;
	case 'picture': return html`<${Picture} app=${app} id=${id} />`;
	case 'log': return html`<${StreamLog} app=${app} id=${id} />`;
	default: return html`<${Analysis} app=${app} id=${id} />`;
	}
}

/** @param {{app: App, stream: Stream, status: Status, tab: string,
 *	onTab: (tab: string) => void}} props */
function Tabs({ app, stream, status, tab: wanted, onTab }) {
	const tabs = TABS.filter((name) => name !== 'log' || app.isControl);
	const tab = tabs.find((name) => name === wanted) ?? tabs[0];
	const move = (/** @type {KeyboardEvent} */ event) => {
		const step = event.key === 'ArrowRight' ? 1
			: event.key === 'ArrowLeft' ? -1 : 0;

		if (step === 0)
			return;
		const to = tabs[(tabs.indexOf(tab) + step + tabs.length) %
			tabs.length];

		onTab(to);
		document.getElementById(`tab-${to}`)?.focus();
		event.preventDefault();
	};

	return html`<section>
		<div class="tabs" role="tablist" onKeyDown=${move}>
		${tabs.map((name) => html`<button role="tab" id=${`tab-${name}`}
			aria-selected=${name === tab} aria-controls="tab-panel"
			tabindex=${name === tab ? 0 : -1}
			onClick=${() => onTab(name)}>${t(name)}</button>`)}</div>
		<div role="tabpanel" id="tab-panel" aria-labelledby=${`tab-${tab}`}>
		<${Panel} key=${tab} app=${app} stream=${stream} status=${status}
			tab=${tab} /></div></section>`;
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
	addStyle('stream.css');
	useTick(app);
	const [plays, setPlays] = useState(false);
	const stream = app.store.streams.get(id), { query } = app.route;
	const poll = usePoll(app, statusPath(id));
	const status = /** @type {Status | null} */ (poll.value);
	const choose = (/** @type {Record<string, string>} */ changes) =>
		replaceQuery('stream', id, { ...Object.fromEntries(query),
			...changes });

	useEffect(() => {
		document.title = `${shown(stream?.name ?? id)} · Sluice`;
	});
	if (stream === undefined)
		return html`<${Empty} title=${t('missing', { id: shown(id) })}>
			<p><a href="#/streams">${t('streams')}</a></p><//>`;
	return html`<div class="page" data-stale=${isOld(poll.at,
		app.tick)}>
		<div class="tools"><h1><${Foreign} text=${stream.name} /></h1>
			<${Actions} app=${app} stream=${stream} ask=${ask}
				onPreview=${() => setPlays(!plays)} /></div>
		<${Facts} app=${app} stream=${stream} />
		<${Old} app=${app} poll=${poll} />
		<${Sentence} app=${app} stream=${stream} status=${status} />
		${plays && html`<${Preview} app=${app} stream=${stream}
			onClose=${() => setPlays(false)} />`}
		<${Charts} app=${app} stream=${stream} status=${status}
			range=${rangeOf(query.get('range'))}
			onRange=${(/** @type {number} */ range) =>
				choose({ range: String(range) })} />
		${status && html`
			<${Inputs} app=${app} stream=${stream} status=${status}
				ask=${ask} />
			${status.services && html`<section><h2>${t('services')}</h2>
				<${MuxServices} app=${app} services=${status.services}
					config=${stream.config ?? {}} /></section>`}
			<${Outputs} app=${app} stream=${stream} status=${status} />
			<${Tabs} app=${app} stream=${stream} status=${status}
				tab=${query.get('tab') ?? ''}
				onTab=${(/** @type {string} */ tab) =>
					choose({ tab })} />`}
	</div>`;
}
