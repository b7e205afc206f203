// SPDX-License-Identifier: GPL-3.0-or-later
// The modules (CAM) of an adapter: their state, and the menus that they show.

import { useEffect, useRef, useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { count } from '../common/units.js';
import { t } from '../common/words.js';
import { withSlot } from './cam-slots.js';
import { Curl } from './curl.js';
import { Problem } from './fields.js';
import { href } from './route.js';
import { addStyle } from './style.js';
import { hex } from './units-dvb.js';
import { Empty, Foreign, MarkSign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./cam-slots.js').Menu} Menu */
/** @typedef {import('./cam-slots.js').Slot} Slot */
/** @typedef {import('../common/state.js').Mark} Mark */
/** @typedef {(action: Record<string, unknown>) => void} Send */

/** Of an adapter that has started anew no event may come. */
const EVERY_S = 5;
/** A module may leave an answer without a new menu. */
const WAIT_MS = 3000;

/** @type {Record<string, Mark>} */
const MARKS = { absent: 'fault', empty: 'disabled', present: 'change',
	initialising: 'change', ready: 'on', silent: 'fault', error: 'fault' };

/** @typedef {{slots: Slot[] | null, error: string}} Slots */

/** @type {Slots} */
const NO_SLOTS = { slots: null, error: '' };

/**
 * The slots, as get-cam and the events report them.  A frozen display keeps the
 * first ones and asks for no others.
 * @param {App} app
 * @param {string} id
 */
function useSlots(app, id) {
	const [state, setState] = useState(NO_SLOTS);

	useEffect(() => {
		let over = false, busy = false, heard = 0, at = 0;
		let now = NO_SLOTS;
		const put = (/** @type {Partial<Slots>} */ to) => {
			const isFirst = now === NO_SLOTS;

			now = { ...now, ...to };
			if (!over && (isFirst || !app.tick.frozen))
				setState(now);
		};
		const load = async () => {
			const began = Date.now() / 1000;

			if (busy || over || Math.abs(began - at) < EVERY_S - 0.5 ||
				app.lostAt !== null)
				return;
			busy = true;
			const before = heard;

			try {
				const { cam } = await app.api.cmd('get-cam', { id });

				// an event in between is newer
				if (before === heard)
					put({ slots: cam, error: '' });
			} catch (problem) {
				put({ error: /** @type {Error} */ (problem).message });
			}
			at = began;
			busy = false;
		};
		const endEvents = app.home.listen((message) => {
			if (message.scope !== 'cam_event' || message.dvb_id !== id)
				return;
			heard++;
			put({ error: '',
				slots: withSlot(now.slots ?? [], message.cam) });
		});
		// what came while the display was frozen
		const end = app.tick.add(() => {
			setState(now);
			load();
		});

		load();
		return () => {
			over = true;
			endEvents();
			end();
		};
	}, [app, id]);
	return state;
}

/** @param {{menu: Menu, send: Send}} props */
function Question({ menu, send }) {
	const [text, setText] = useState('');
	const submit = (/** @type {Event} */ event) => {
		event.preventDefault();
		send({ action: 'text', text });
		setText('');
	};

	return html`<form class="inline" onSubmit=${submit}>
		<label>${menu.length > 0 ? t('cam_answer_of', { n: menu.length })
			: t('cam_answer')}
			<input name="answer" class="mono" value=${text}
			type=${menu.blind ? 'password' : 'text'} autocomplete="off"
			spellcheck=${false} maxlength=${menu.length || undefined}
			onInput=${(/** @type {any} */ event) =>
				setText(event.target.value)} /></label>
		<button class="primary">${t('cam_send')}</button>
		<button type="button" onClick=${() => send({ action: 'cancel' })}>
			${t('cancel')}</button></form>`;
}

/** @param {{menu: Menu, send: Send}} props */
function Items({ menu, send }) {
	const choose = (/** @type {number} */ choice) =>
		send({ action: 'choice', choice });

	return html`<ol class="cam-items">${menu.items.map((text, i) => html`
		<li key=${i}>${menu.kind === 'menu' ? html`<button type="button"
			onClick=${() => choose(i + 1)}>${i + 1}${' '}<${Foreign}
			text=${text} /></button>` : html`<${Foreign} text=${text} />`}
		</li>`)}</ol>
		${menu.more > 0 && html`<p class="dim">
			${t('more', { n: count(menu.more) })}</p>`}
		<button type="button" onClick=${() => choose(0)}>
			${t('cam_back')}</button>`;
}

/** @param {{menu: Menu, send: Send, isBusy: boolean}} props */
function Dialogue({ menu, send, isBusy }) {
	const box = useRef(/** @type {HTMLElement | null} */ (null));

	// who answered goes on in the next menu
	useEffect(() => {
		const { activeElement: at } = document;

		if (at === null || at === document.body)
			/** @type {HTMLElement | null | undefined} */ (
				box.current?.querySelector('input, button'))?.focus();
	}, [JSON.stringify(menu)]);
	return html`<div class="cam-menu" ref=${box} aria-busy=${isBusy}
		data-kind=${menu.kind}>
		<div role="status"><h3><${Foreign} text=${menu.title} /></h3>
		${menu.subtitle !== '' && html`<p><${Foreign}
			text=${menu.subtitle} /></p>`}</div>
		${menu.kind === 'question' ? html`<${Question}
				key=${JSON.stringify(menu)} menu=${menu} send=${send} />`
			: html`<${Items} menu=${menu} send=${send} />`}
		${menu.bottom !== '' && html`<p class="dim"><${Foreign}
			text=${menu.bottom} /></p>`}</div>`;
}

/** @param {{app: App, id: string, slot: Slot}} props */
function Facts({ app, id, slot }) {
	const code = `${hex(slot.manufacturer)} ${hex(slot.code)}`;

	return html`<dl class="facts-list">
		<dt>${t('name')}</dt><dd><${Foreign} text=${slot.name} /></dd>
		<dt>${t('cam_code')}</dt><dd class="mono">${code}</dd>
		<dt>CAID</dt><dd class="mono">${slot.caids.map(hex).join(' ')}</dd>
		<dt>${t('cam_resets')}</dt><dd>${count(slot.resets)}</dd>
		${slot.ciplus && html`<dt>CI Plus</dt>
			<dd>${t('cam_ciplus')}</dd>`}</dl>
		${slot.programs.length > 0 && html`<div class="wide-box"
			tabindex="0"><table><thead><tr>
			<th scope="col" class="number">PNR</th>
			<th scope="col">${t('state')}</th></tr></thead>
		<tbody>${slot.programs.map((one) => html`<tr key=${one.pnr}>
			<td class="number">${one.pnr}</td>
			<td><${Foreign} text=${one.state} /></td></tr>`)}</tbody>
		</table></div>
		<${Curl} app=${app} request=${{ cmd: 'get-cam', id }} />`}`;
}

/** @param {{app: App, id: string, slot: Slot}} props */
function SlotBox({ app, id, slot }) {
	const [asked, setAsked] = useState(/** @type {string | null} */ (
		null));
	const timer = useRef(/** @type {any} */ (undefined));
	const shows = JSON.stringify(slot.menu ?? {});
	const isBusy = asked === shows;
	// a second click would answer the next menu
	const send = async (/** @type {Record<string, unknown>} */ action) => {
		if (isBusy)
			return;
		setAsked(shows);
		clearTimeout(timer.current);
		timer.current = setTimeout(() => setAsked(null), WAIT_MS);
		try {
			await app.api.cmd('cam-menu', { id, slot: slot.slot,
				...action });
		} catch (problem) {
			setAsked(null);
			app.say(t('refused', { error:
				/** @type {Error} */ (problem).message }), true);
		}
	};

	useEffect(() => () => clearTimeout(timer.current), []);
	return html`<section class="box cam" data-slot=${slot.slot}>
		<div class="tools"><h2>${t('cam_slot', { n: slot.slot })}</h2>
			<${MarkSign} mark=${MARKS[slot.state] ?? 'stale'}
				word=${shown(slot.state)} /></div>
		<${Problem} error=${slot.error ?? ''} />
		<${Facts} app=${app} id=${id} slot=${slot} />
		<div class="buttons"><button type="button"
			disabled=${slot.state !== 'ready'}
			onClick=${() => send({ action: 'open' })}>${t('cam_open')}
			</button>
		${slot.menu && html`<button type="button"
			onClick=${() => send({ action: 'close' })}>${t('cam_close')}
			</button>`}</div>
		${slot.menu ? html`<${Dialogue} menu=${slot.menu} send=${send}
				isBusy=${isBusy} />`
			: html`<p class="dim">${t('cam_no_menu')}</p>`}</section>`;
}

/** @param {{app: App, id: string}} props */
export function CamPage({ app, id }) {
	addStyle('edit.css');
	addStyle('network.css');
	useTick(app);
	const { slots, error } = useSlots(app, id);
	const list = app.store.config.dvb_tune;
	const adapter = Array.isArray(list)
		? list.find((one) => one?.id === id) : undefined;

	useEffect(() => {
		document.title = `${t('cam')} · Sluice`;
	});
	if (adapter === undefined)
		return html`<${Empty} title=${t('no_adapter', { id: shown(id) })}>
			<p><a href=${href('adapters')}>${t('adapters')}</a></p><//>`;
	return html`<div class="page">
		<div class="tools"><h1>${t('cam')}: <${Foreign}
			text=${adapter.name || id} /></h1>
			<a href=${href('adapters')}>${t('adapters')}</a></div>
		<${Problem} error=${error} />
		${slots === null ? html`<p class="dim">${t('loading')}</p>`
			: slots.length === 0 ? html`<p class="dim">${t('cam_none')}</p>`
			: html`<div class="boxes">${slots.map((slot) => html`
				<${SlotBox} key=${slot.slot} app=${app} id=${id}
				slot=${slot} />`)}</div>`}
	</div>`;
}
