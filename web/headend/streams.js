// SPDX-License-Identifier: GPL-3.0-or-later
// The table of all streams.  Only the rows on the screen are in the document.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { parseFilter } from '../common/filter.js';
import { shown } from '../common/text.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { Bulk } from './bulk.js';
import { Curl } from './curl.js';
import { href, replaceQuery } from './route.js';
import { rowOf, sorted } from './rows.js';
import { extended, parseSelection, printSelection, toggled }
	from './selection.js';
import { drawStrip } from './strip.js';
import { addStyle } from './style.js';
import { Empty, Foreign, MarkSign, html, useKept, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./rows.js').StreamRow} StreamRow */

/**
 * @typedef {object} Selection
 * @property {Set<string>} ids
 * @property {(ids: Set<string>) => void} change
 * @property {(id: string, isRange: boolean) => void} select
 */

const MORE = 6; // rows in front of the visible ones and behind them

/** @type {[string, import('../common/words.js').Word, string][]} */
const COLUMNS = [
	['state', 'state', 'wide'], ['name', 'name', 'name'],
	['id', 'id', 'id'],
	['', 'input', 'number is-more'], ['rate', 'rate', 'number rate'],
	['', 'minute', 'strip'],
	['cc', 'cc', 'number is-more'], ['pes', 'pes', 'number is-more'],
	['viewers', 'viewers', 'number is-more'],
	['', 'outputs', 'number is-more'],
	['', 'groups', 'in-groups'], ['', 'reason', 'reason'],
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

/** @param {{id: string, name: string, selection: Selection}} props */
function Check({ id, name, selection }) {
	return html`<td class="check"><input type="checkbox" tabindex="-1"
		checked=${selection.ids.has(id)}
		aria-label=${t('select_row', { name: shown(name) })}
		onClick=${(/** @type {MouseEvent} */ event) =>
			selection.select(id, event.shiftKey)} /></td>`;
}

/** @param {{app: App, row: StreamRow, place: number, isAt: boolean,
 *	selection: Selection}} props */
function Row({ app, row, place, isAt, selection }) {
	const open = () => {
		location.hash = href('stream', row.id);
	};
	const bad = (/** @type {number} */ n) => n > 0
		? 'number is-more is-warn' : 'number is-more';

	return html`<tr aria-rowindex=${place + 2} data-mark=${row.mark}
		data-id=${row.id} tabindex=${isAt ? 0 : -1} onDblClick=${open}
		class=${selection.ids.has(row.id) ? 'is-selected' : ''}>
		${app.isControl && html`<${Check} id=${row.id} name=${row.name}
			selection=${selection} />`}
		<td><${MarkSign} mark=${row.mark} /></td>
		<td class="name"><a tabindex="-1" href=${href('stream', row.id)}
			title=${shown(row.name)}><${Foreign} text=${row.name} /></a></td>
		<td class="mono id" title=${row.id}><${Foreign} text=${row.id} /></td>
		<td class="number is-more">${row.inputText}</td>
		<td class="number">${row.mark === 'disabled' ? ''
			: mbit(row.rate)}</td>
		<td class="strip"><${Strip} app=${app} row=${row} /></td>
		<td class=${bad(row.cc)}>${count(row.cc)}</td>
		<td class=${bad(row.pes)}>${count(row.pes)}</td>
		<td class="number is-more">${count(row.viewers)}</td>
		<td class="number is-more">${row.outputText}</td>
		<td class="in-groups" title=${shown(row.groups.join(', '))}>
			<${Foreign} text=${row.groups.join(', ')} /></td>
		<td class="reason" title=${shown(row.reason)}>
			<${Foreign} text=${row.reason} /></td>
	</tr>`;
}

/** @param {{app: App, list: StreamRow[], sort: string,
 *	onSort: (sort: string) => void, selection: Selection}} props */
function Head({ app, list, sort, onSort, selection }) {
	const { ids, change } = selection;
	const isAll = list.every((row) => ids.has(row.id));

	const key = sort.replace(/^-/, '');
	const order = (/** @type {string} */ column) => column === '' ||
		column !== key ? undefined
		: sort.startsWith('-') ? 'descending' : 'ascending';

	return html`<thead><tr aria-rowindex="1">
		${app.isControl && html`<th scope="col" class="check">
			<input type="checkbox" checked=${isAll}
			indeterminate=${!isAll && ids.size > 0}
			aria-label=${t('select_all')} onClick=${() => change(isAll
				? new Set() : new Set(list.map((row) => row.id)))} />
			</th>`}
		${COLUMNS.map(
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
 * The order holds still while the pointer is inside, or the focus in a row.
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
 * The stream whose row contains the element.
 * @param {EventTarget | null} target
 */
function rowIdOf(target) {
	const row = /** @type {HTMLElement | null} */ (
		target instanceof Element ? target.closest('tr[data-id]') : null);

	return row?.dataset.id;
}

/**
 * Arrows, j and k move from row to row, Enter opens, x selects.
 * @param {App} app
 * @param {StreamRow[]} list
 * @param {ReturnType<typeof useWindow>} view
 * @param {Selection} selection
 */
function useRows(app, list, view, selection) {
	const [id, setId] = useState('');
	// where the row was last: another row is there when it is gone
	const place = useRef(0);
	const wants = useRef(false);
	const found = list.findIndex((row) => row.id === id);

	place.current = found >= 0 ? found
		: Math.max(0, Math.min(place.current, list.length - 1));
	useLayoutEffect(() => {
		// a row far away is there with the next window
		const row = /** @type {HTMLElement | null | undefined} */ (
			wants.current ? view.box.current
				?.querySelector('tr[tabindex="0"]') : null);

		if (row) {
			wants.current = false;
			row.focus();
		}
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
		place.current = i;
		setId(list[i].id);
	};
	const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
		const page = Math.floor(view.box.current
			? view.box.current.clientHeight / view.high : 20);
		/** @type {Record<string, number>} */
		const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1,
			PageDown: page, PageUp: -page, Home: -list.length,
			End: list.length };
		const row = rowIdOf(event.target);

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === 'Enter' && row !== undefined &&
			/** @type {HTMLElement} */ (event.target).tagName === 'TR')
			location.hash = href('stream', row);
		else if (event.key.toLowerCase() === 'x' && row !== undefined &&
			app.isControl && app.hasKeys)
			selection.select(row, event.shiftKey);
		else if ('jk'.includes(event.key) && !app.hasKeys)
			return;
		else if (Object.hasOwn(steps, event.key))
			go(place.current + steps[event.key]);
		else
			return;
		event.preventDefault();
	};

	return { at: place.current, onKeyDown,
		onFocus: (/** @type {FocusEvent} */ event) =>
			setId((was) => rowIdOf(event.target) ?? was) };
}

/**
 * Reports whether the pointer is in the table or the focus in one of its rows.
 * @param {{current: HTMLElement | null}} box
 * @param {(hold: boolean) => void} onHold
 */
function useHold(box, onHold) {
	const inside = useRef({ pointer: false, focus: false });
	const note = (/** @type {'pointer' | 'focus'} */ what,
		/** @type {boolean} */ is) => {
		inside.current[what] = is;
		onHold(inside.current.pointer || inside.current.focus);
	};

	// a focused row that scrolls away may leave without an event
	useLayoutEffect(() => {
		if (inside.current.focus &&
			!box.current?.contains(document.activeElement))
			note('focus', false);
	});
	return note;
}

/** @param {{app: App, list: StreamRow[], sort: string,
 *	selection: Selection, onSort: (sort: string) => void,
 *	onHold: (hold: boolean) => void}} props */
function Table({ app, list, sort, selection, onSort, onHold }) {
	const view = useWindow(list.length);
	const rows = useRows(app, list, view, selection);
	const hold = useHold(view.box, onHold);
	const { from, to, high } = view, wide = COLUMNS.length + 1;

	return html`<div class="scroll" ref=${view.box}
		onPointerEnter=${() => hold('pointer', true)}
		onPointerLeave=${() => hold('pointer', false)}
		onFocusin=${(/** @type {FocusEvent} */ event) => {
			rows.onFocus(event);
			hold('focus', rowIdOf(event.target) !== undefined);
		}}
		onFocusout=${() => hold('focus', false)}
		onKeyDown=${rows.onKeyDown}>
		<table class="streams" aria-rowcount=${list.length + 1}
			aria-label=${t('streams')}>
			<${Head} app=${app} list=${list} sort=${sort}
				onSort=${onSort} selection=${selection} />
			<tbody>
			<tr class="space" aria-hidden="true"><td colspan=${wide}
				style=${{ height: `${from * high}px` }}></td></tr>
			${list.slice(from, to).map((row, i) => html`<${Row}
				key=${row.id} app=${app} row=${row} place=${from + i}
				isAt=${from + i === rows.at}
				selection=${selection} />`)}
			<tr class="space" aria-hidden="true"><td colspan=${wide}
				style=${{ height: `${(list.length - to) * high}px` }}>
			</td></tr>
			</tbody>
		</table>
	</div>`;
}

/** @param {Record<string, string>} query */
const setQuery = (query) => replaceQuery('streams', '', query);

/**
 * The selected rows, which are in the address.
 * @param {App} app
 * @param {StreamRow[]} list
 * @param {(ids: string) => void} onChange
 * @returns {Selection}
 */
function useSelection(app, list, onChange) {
	const last = useRef('');
	const ids = parseSelection(app.route.query.get('selected'), (id) =>
		app.store.streams.has(id));
	const change = (/** @type {Set<string>} */ after) =>
		onChange(printSelection(after));

	return { ids, change, select: (id, isRange) => {
		change(isRange ? extended(ids, list.map((row) => row.id),
			last.current, id) : toggled(ids, id));
		last.current = id;
	} };
}

/** @param {{app: App, text: string, onText: (text: string) => void,
 *	unknown: {text: string}[]}} props */
function FilterBox({ app, text, onText, unknown }) {
	useEffect(() => {
		if (app.wantsFilter)
			document.getElementById('filter')?.focus();
		app.wantsFilter = false;
	});
	return html`<label class="filter">
			<span class="hidden">${t('filter')}</span>
			<input type="search" id="filter" placeholder=${t('filter')}
				value=${text} title=${t('filter_help')}
				aria-describedby="filter-problem" spellcheck=${false}
				autocomplete="off" onInput=${(/** @type {any} */ e) =>
					onText(e.target.value)} /></label>
		<span id="filter-problem" class="problem" role="status">
			${unknown.length > 0 && t('filter_unknown', {
				words: unknown.map((one) => one.text).join(', ') })}
		</span>`;
}

/** @param {{app: App, ask: Ask}} props */
export function Streams({ app, ask }) {
	addStyle('streams.css');
	useTick(app);
	const { query } = app.route;
	const text = query.get('filter') ?? '', sort = query.get('sort') ?? '';
	const selected = query.get('selected') ?? '';
	const [hold, setHold] = useState(false);
	const filter = parseFilter(text);
	const all = useKept(app, () => [...app.store.streams.values()].map(
		(stream) => rowOf(stream, app.tick.now)));
	const order = useOrder(all.filter(filter.test), sort, hold);
	const selection = useSelection(app, order.list, (ids) =>
		setQuery({ filter: text, sort, selected: ids }));

	useEffect(() => {
		document.title = `${t('streams')} · Sluice`;
	});
	return html`<div class="page fill">
		<div class="tools">
			<h1>${t('streams')}</h1>
			<${FilterBox} app=${app} text=${text} unknown=${filter.unknown}
				onText=${(/** @type {string} */ to) =>
					setQuery({ filter: to, sort, selected })} />
			<span class="dim">${t('streams_n',
				{ n: count(order.list.length), all: count(all.length) })}</span>
			<${Curl} app=${app} request="api/overview" />
			${app.isControl && html`<a class="button" href=${href('new')}>
				${t('new_stream')}</a>`}
			${order.moved > 0 && hold && html`<button onClick=${() => {
				order.again();
				setHold(false);
			}}>${t('resort', { n: order.moved })}</button>`}
			${app.isControl && selection.ids.size > 0 && html`<${Bulk}
				app=${app} ask=${ask} streams=${[...selection.ids].map(
					(id) => app.store.streams.get(id))}
				onNone=${() => selection.change(new Set())} />`}
		</div>
		${order.list.length === 0 ? html`<${Empty} title=${all.length > 0 ?
			t('empty_filter') : t('empty_wall')}>${all.length > 0 && html`
			<p><button onClick=${() => setQuery({ sort, selected })}>
				${t('empty_filter_next', { n: all.length })}</button></p>`}<//>`
			: html`<${Table} app=${app} list=${order.list} sort=${sort}
				selection=${selection} onHold=${setHold}
				onSort=${(/** @type {string} */ to) =>
					setQuery({ filter: text, sort: to, selected })} />`}
	</div>`;
}
