// SPDX-License-Identifier: GPL-3.0-or-later
// The palette: pages, streams and actions by their names.

import { useLayoutEffect, useRef, useState } from '../parts/hooks.js';
import { parseFilter } from '../common/filter.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { canSwitch, nextInput, restart, toggle } from './actions.js';
import { Dialog } from './dialog.js';
import { namedPages } from './pages.js';
import { href } from './route.js';
import { rowOf } from './rows.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('../common/words.js').Word} Word */
/** @typedef {{text: string, kind: string, key?: string,
 *	run: () => void}} Entry */

const SHOWN_MAX = 12;
const go = (/** @type {string} */ to) => () => {
	location.hash = to;
};

/**
 * What can be done with the stream of the page.
 * @param {App} app
 * @param {Ask} ask
 * @returns {Entry[]}
 */
function ofStream(app, ask) {
	const stream = app.route.page === 'stream'
		? app.store.streams.get(app.route.id) : undefined;

	if (!app.isControl || stream === undefined)
		return [];
	const isOn = stream.config?.enable ?? stream.over?.enable;
	const entry = (/** @type {Word} */ word, /** @type {string} */ key,
		/** @type {() => void} */ run) => ({
		text: `${t(word)}: ${shown(stream.name)}`,
		kind: t('action'), key, run });

	return [entry(isOn ? 'disable' : 'enable', 't', () =>
		toggle(app, stream, ask)),
	...isOn ? [entry('restart', 'r', () => restart(app, stream, ask))] : [],
	...canSwitch(stream) ? [entry('next_input', 'b', () =>
		nextInput(app, stream, ask))] : [],
	entry('edit', 'e', go(href('edit', stream.id)))];
}

/**
 * @param {App} app
 * @param {Ask} ask
 * @param {(over: 'help') => void} onOpen
 * @returns {Entry[]}
 */
function fixed(app, ask, onOpen) {
	return [...ofStream(app, ask),
		...namedPages(app.isControl).map(([page, { word, key }]) => ({
			text: t(/** @type {Word} */ (word)), kind: t('page'),
			key: key && `g ${key}`, run: go(href(page)) })),
		...app.isControl ? [{ text: t('new_stream'), kind: t('action'),
			run: go(href('new')) }] : [],
		{ text: t(app.tick.frozen ? 'continue' : 'freeze'),
			kind: t('action'), key: 'Space', run: () => app.freeze() },
		{ text: t('help'), kind: t('action'), key: '?',
			run: () => onOpen('help') }];
}

/**
 * Actions and pages, then streams with the text in their name, then those that
 * match it as a filter.
 * @param {App} app
 * @param {Entry[]} entries
 * @param {string} text
 * @returns {Entry[]}
 */
function matching(app, entries, text) {
	const low = text.trim().toLowerCase();
	const found = entries.filter((entry) =>
		entry.text.toLowerCase().includes(low));

	if (low === '')
		return found.slice(0, SHOWN_MAX);
	const filter = parseFilter(text), all = [...app.store.streams.values()];
	const named = all.filter((stream) =>
		stream.name.toLowerCase().includes(low));
	const others = named.length >= SHOWN_MAX ? [] : all.filter((stream) =>
		!named.includes(stream) &&
		filter.test(rowOf(stream, app.tick.now)));

	return [...found, ...[...named, ...others].slice(0, SHOWN_MAX)
		.map(({ id, name }) => ({ text: name, kind: t('stream'),
			run: go(href('stream', id)) }))].slice(0, SHOWN_MAX);
}

/**
 * @param {{app: App, ask: Ask, onOpen: (over: 'help') => void,
 *	onClose: () => void}} props
 */
export function Palette({ app, ask, onOpen, onClose }) {
	const [text, setText] = useState(''), [at, setAt] = useState(0);
	const box = useRef(/** @type {HTMLInputElement | null} */ (null));
	const list = matching(app, fixed(app, ask, onOpen), text);
	const i = Math.min(at, list.length - 1);
	const run = (/** @type {Entry | undefined} */ entry) => {
		if (entry === undefined)
			return;
		onClose();
		entry.run();
	};
	const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];

		if (event.key === 'Enter')
			run(list[i]);
		else if (step)
			setAt((i + step + list.length) % Math.max(1, list.length));
		else
			return;
		event.preventDefault();
	};

	useLayoutEffect(() => box.current?.focus(), []);
	return html`<${Dialog} title=${t('palette')} onClose=${onClose}>
		<input ref=${box} type="search" class="palette" role="combobox"
			aria-expanded="true" aria-controls="palette-list"
			aria-activedescendant=${list.length > 0 ? `palette-${i}`
				: undefined} aria-label=${t('palette')}
			autocomplete="off" spellcheck=${false} value=${text}
			onInput=${(/** @type {any} */ event) => {
				setText(event.target.value);
				setAt(0);
			}} onKeyDown=${onKeyDown} />
		<ul id="palette-list" role="listbox" class="palette-list"
			aria-label=${t('palette')}>${list.map((entry, n) => html`
			<li role="option" id=${`palette-${n}`} aria-selected=${n === i}
				onClick=${() => run(entry)}><${Foreign} text=${entry.text} />
				<span class="dim">${entry.kind}</span>
				${entry.key ? html`<kbd>${entry.key}</kbd>` : html`<span />`}
			</li>`)}</ul>
		${list.length === 0 && html`<p class="dim">${t('palette_none')}</p>`}
	<//>`;
}
