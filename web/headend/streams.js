// SPDX-License-Identifier: GPL-3.0-or-later
// The table of all streams.  Only the rows on the screen are in the document.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { parseFilter } from '../common/filter.js';
import { shown } from '../common/text.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { href } from './route.js';
import { rowOf, sorted } from './rows.js';
import { drawStrip } from './strip.js';
import { Empty, Foreign, MarkSign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./rows.js').StreamRow} StreamRow */

const MORE = 6; // rows in front of the visible ones and behind them

/** @type {[string, import('../common/words.js').Word, string][]} */
const COLUMNS = [
	['state', 'state', 'wide'], ['name', 'name', 'name'], ['id', 'id', ''],
	['', 'input', 'number'], ['rate', 'rate', 'number'],
	['', 'minute', 'strip'],
	['cc', 'cc', 'number'], ['pes', 'pes', 'number'],
	['viewers', 'viewers', 'number'], ['', 'outputs', 'number'],
	['', 'groups', 'groups'], ['', 'reason', 'reason'],
];

/** The height of a row: more where fingers have to hit it. */
function rowHeight() {
	return matchMedia('(pointer: coarse)').matches ? 44 : 24;
}

/**
 * The part of a long list that is visible.
 * @param {number} n rows
 */
function useWindow(n) {
	const box = useRef(/** @type {HTMLElement | null} */ (null));
	const [place, setPlace] = useState({ top: 0, height: 600 });
	const high = rowHeight();

	useLayoutEffect(() => {
		const element = /** @type {HTMLElement} */ (box.current);
		const look = () => setPlace({ top: element.scrollTop,
			height: element.clientHeight });
		const watch = new ResizeObserver(look);

		look();
		watch.observe(element);
		element.addEventListener('scroll', look, { passive: true });
		return () => {
			watch.disconnect();
			element.removeEventListener('scroll', look);
		};
	}, []);
	const from = Math.max(0, Math.floor(place.top / high) - MORE);
	const to = Math.min(n, Math.ceil((place.top + place.height) / high) +
		MORE);

	return { box, from, to, high };
}

/** @param {{app: App, row: StreamRow}} props */
function Strip({ app, row }) {
	const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
	const stream = app.store.streams.get(row.id);

	useLayoutEffect(() => {
		if (canvas.current && stream)
			drawStrip(canvas.current, stream.ring,
				Math.floor(app.tick.now));
	});
	return html`<canvas ref=${canvas} width="90" height="18"></canvas>`;
}

/** @param {{app: App, row: StreamRow, place: number, isAt: boolean}} props */
function Row({ app, row, place, isAt }) {
	const open = () => {
		location.hash = href('stream', row.id);
	};
	const bad = (/** @type {number} */ n) => n > 0 ? 'number is-warn'
		: 'number';

	return html`<tr aria-rowindex=${place + 2} data-mark=${row.mark}
		data-id=${row.id} tabindex=${isAt ? 0 : -1} onDblClick=${open}>
		<td><${MarkSign} mark=${row.mark} /></td>
		<td class="name"><a tabindex="-1" href=${href('stream', row.id)}
			title=${shown(row.name)}><${Foreign} text=${row.name} /></a></td>
		<td class="mono" title=${row.id}><${Foreign} text=${row.id} /></td>
		<td class="number">${row.inputText}</td>
		<td class="number">${row.mark === 'disabled' ? ''
			: mbit(row.rate)}</td>
		<td class="strip"><${Strip} app=${app} row=${row} /></td>
		<td class=${bad(row.cc)}>${count(row.cc)}</td>
		<td class=${bad(row.pes)}>${count(row.pes)}</td>
		<td class="number">${count(row.viewers)}</td>
		<td class="number">${row.outputText}</td>
		<td class="groups" title=${shown(row.groups.join(', '))}>
			<${Foreign} text=${row.groups.join(', ')} /></td>
		<td class="reason" title=${shown(row.reason)}>
			<${Foreign} text=${row.reason} /></td>
	</tr>`;
}

/** @param {{sort: string, onSort: (sort: string) => void}} props */
function Head({ sort, onSort }) {
	const key = sort.replace(/^-/, '');
	const order = (/** @type {string} */ column) => column === '' ||
		column !== key ? undefined
		: sort.startsWith('-') ? 'descending' : 'ascending';

	return html`<thead><tr aria-rowindex="1">${COLUMNS.map(
		([column, word, kind]) => html`
		<th scope="col" class=${kind} aria-sort=${order(column)}>
			${column === '' ? t(word) : html`<button
				title=${t('sort_by', { column: t(word) })}
				onClick=${() => onSort(sort === column
					? `-${column}` : sort === `-${column}`
						? '' : column)}>${t(word)}</button>`}
		</th>`)}</tr></thead>`;
}

/**
 * The order holds still while the pointer or the focus is inside.
 * @param {StreamRow[]} rows
 * @param {string} sort
 * @param {boolean} hold
 */
function useOrder(rows, sort, hold) {
	const held = useRef(/** @type {string[]} */ ([]));
	const heldSort = useRef('');
	const wanted = sorted(rows, sort);
	const byId = new Map(rows.map((row) => [row.id, row]));
	const isSame = held.current.length === rows.length &&
		held.current.every((id) => byId.has(id));

	if (!hold || !isSame || heldSort.current !== sort) {
		held.current = wanted.map((row) => row.id);
		heldSort.current = sort;
	}
	const moved = wanted.filter((row, i) =>
		row.id !== held.current[i]).length;

	return { moved, list: held.current.map((id) =>
		/** @type {StreamRow} */ (byId.get(id))),
	again: () => {
		held.current = wanted.map((row) => row.id);
	} };
}

/**
 * Arrows, j and k move from row to row, Enter opens.
 * @param {StreamRow[]} list
 * @param {ReturnType<typeof useWindow>} view
 */
function useRows(list, view) {
	const [at, setAt] = useState(0);
	const wants = useRef(false);

	useLayoutEffect(() => {
		if (!wants.current)
			return;
		wants.current = false;
		/** @type {HTMLElement | null | undefined} */ (view.box.current
			?.querySelector('tr[tabindex="0"]'))?.focus();
	});
	const go = (/** @type {number} */ to) => {
		const i = Math.min(Math.max(to, 0), list.length - 1);
		const box = /** @type {HTMLElement} */ (view.box.current);
		const top = i * view.high, room = box.clientHeight - 2 *
			view.high;

		if (top < box.scrollTop)
			box.scrollTop = top;
		else if (top > box.scrollTop + room)
			box.scrollTop = top - room;
		wants.current = true;
		setAt(i);
	};
	const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
		const page = Math.floor(view.box.current
			? view.box.current.clientHeight / view.high : 20);
		/** @type {Record<string, number>} */
		const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1,
			PageDown: page, PageUp: -page, Home: -list.length,
			End: list.length };

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === 'Enter' && list[at] &&
			/** @type {HTMLElement} */ (event.target).tagName === 'TR')
			location.hash = href('stream', list[at].id);
		else if (Object.hasOwn(steps, event.key))
			go(at + steps[event.key]);
		else
			return;
		event.preventDefault();
	};

	return { at: Math.min(at, list.length - 1), onKeyDown };
}

/** @param {{app: App, list: StreamRow[], sort: string,
 *	onSort: (sort: string) => void, onHold: (hold: boolean) => void}} props */
function Table({ app, list, sort, onSort, onHold }) {
	const view = useWindow(list.length), rows = useRows(list, view);
	const { from, to, high } = view;

	return html`<div class="scroll" ref=${view.box}
		onPointerEnter=${() => onHold(true)}
		onPointerLeave=${() => onHold(false)}
		onFocusin=${() => onHold(true)}
		onFocusout=${() => onHold(false)} onKeyDown=${rows.onKeyDown}>
		<table class="streams" aria-rowcount=${list.length + 1}
			aria-label=${t('streams')}>
			<${Head} sort=${sort} onSort=${onSort} />
			<tbody>
			<tr class="space" aria-hidden="true"><td colspan="12"
				style=${{ height: `${from * high}px` }}></td></tr>
			${list.slice(from, to).map((row, i) => html`<${Row}
				key=${row.id} app=${app} row=${row} place=${from + i}
				isAt=${from + i === rows.at} />`)}
			<tr class="space" aria-hidden="true"><td colspan="12"
				style=${{ height: `${(list.length - to) * high}px` }}>
			</td></tr>
			</tbody>
		</table>
	</div>`;
}

/** Changes the address without another entry in the history.
 * @param {Record<string, string>} query */
function setQuery(query) {
	history.replaceState(null, '', href('streams', '', query));
	dispatchEvent(new HashChangeEvent('hashchange'));
}

/** @param {{app: App}} props */
export function Streams({ app }) {
	useTick(app);
	const { query } = app.route;
	const text = query.get('filter') ?? '', sort = query.get('sort') ?? '';
	const [hold, setHold] = useState(false);
	const filter = parseFilter(text);
	const all = [...app.store.streams.values()].map((stream) =>
		rowOf(stream, app.tick.now));
	const order = useOrder(all.filter(filter.test), sort, hold);
	const onSort = (/** @type {string} */ to) =>
		setQuery({ filter: text, sort: to });

	useEffect(() => {
		document.title = `${t('streams')} · Sluice`;
		if (app.wantsFilter)
			document.getElementById('filter')?.focus();
		app.wantsFilter = false;
	});
	return html`<div class="page fill">
		<div class="tools">
			<h1>${t('streams')}</h1>
			<label class="filter"><span class="hidden">${t('filter')}</span>
			<input type="search" id="filter" placeholder=${t('filter')}
				value=${text} title=${t('filter_help')}
				aria-describedby="filter-problem" spellcheck=${false}
				autocomplete="off" onInput=${(/** @type {any} */ e) =>
					setQuery({ filter: e.target.value, sort })} />
			</label>
			<span class="dim">${t('streams_n',
				{ n: count(order.list.length), all: count(all.length) })}</span>
			<span id="filter-problem" class="problem" role="status">
				${filter.unknown.length > 0 && t('filter_unknown', {
					words: filter.unknown.map((one) => one.text)
						.join(', ') })}</span>
			${app.isControl && html`<a class="button" href=${href('new')}>
				${t('new_stream')}</a>`}
			${order.moved > 0 && hold && html`<button onClick=${() => {
				order.again();
				setHold(false);
			}}>${t('resort', { n: order.moved })}</button>`}
		</div>
		${order.list.length === 0 ? html`<${Empty} title=${all.length > 0 ?
			t('empty_filter') : t('empty_wall')}>${all.length > 0 && html`
			<p><button onClick=${() => setQuery({ sort })}>
				${t('empty_filter_next', { n: all.length })}</button></p>`}<//>`
			: html`<${Table} app=${app} list=${order.list} sort=${sort}
				onSort=${onSort} onHold=${setHold} />`}
	</div>`;
}
