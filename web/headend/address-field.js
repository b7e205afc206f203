// SPDX-License-Identifier: GPL-3.0-or-later
// An address as fields: its type, its target, its options; and as text.

import { useState } from '../parts/hooks.js';
import { formatAddress, formatEndpoint, judgeAddress, parseAddress,
	parseEndpoint } from '../common/address.js';
import { searchRows } from '../common/forms.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { MoveButtons } from './drag.js';
import { Field } from './field.js';
import { Problem } from './fields.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/address.js').Address} Parts */
/** @typedef {import('../common/address.js').Option} Option */
/** @typedef {import('../common/forms.js').Forms} Forms */
/** @typedef {import('../common/forms.js').Row} Row */

const FOUND_MAX = 8;

/** The value that a field shows. @param {Row} row @param {Option} option */
function valueOfOption(row, { value }) {
	if (row.type === 'boolean') {
		if (value === null || ['', '1', 'true'].includes(value))
			return true;
		return ['0', 'false'].includes(value) ? false : value;
	}
	if (row.type === 'integer' && value !== null &&
		String(Number(value)) === value)
		return Number(value);
	return value === '' || value === null ? undefined : value;
}

/** @param {Row} row @param {string} key @param {unknown} value */
function optionOf(row, key, value) {
	return { key, value: row.type === 'boolean' && value === true ? null
		: String(value ?? '') };
}

/**
 * @param {{parts: Parts, name: string, forms: Forms, app: App,
 *	which: 'input' | 'output', set: (parts: Parts) => void}} props
 */
function Target({ app, parts, name, forms, which, set }) {
	const { type, target } = parts;
	const to = (/** @type {string} */ text) => set({ ...parts, target: text });
	const end = parseEndpoint(target);
	const field = (/** @type {'iface' | 'host' | 'port'} */ key,
		/** @type {import('../common/words.js').Word} */ word) => html`
		<label>${t(word)}<input class="mono" value=${end[key]}
			spellcheck=${false} aria-label=${`${name}: ${t(word)}`}
			inputmode=${key === 'port' ? 'numeric' : undefined}
			onInput=${(/** @type {any} */ event) =>
				to(formatEndpoint({ ...end,
					[key]: event.target.value }))} /></label>`;

	if ((type === 'udp' || type === 'rtp') && formatEndpoint(end) === target)
		return html`${field('iface', 'interface')}
			${field('host', 'address')}${field('port', 'port')}`;
	if (type === 'stream' && which === 'input')
		return html`<label class="grow">${t('stream')}<select
			aria-label=${`${name}: ${t('stream')}`}
			onChange=${(/** @type {any} */ event) =>
				to(event.target.value)}>
			${!app.store.streams.has(target) && html`
				<option value=${target} selected>${shown(target)}</option>`}
			${[...app.store.streams.values()].map((one) => html`
				<option value=${one.id} selected=${one.id === target}>
				${shown(one.name)} (${shown(one.id)})</option>`)}
			</select></label>`;
	return html`<label class="grow"><span class="mono">
		${forms.target(which, type) || t('address')}</span>
		<input class="mono" value=${target} spellcheck=${false}
			aria-label=${`${name}: ${t('address')}`}
			onInput=${(/** @type {any} */ event) =>
				to(event.target.value)} /></label>`;
}

/**
 * Finds an option by its name or meaning, and adds it.
 * @param {{rows: Row[], name: string, options: Option[],
 *	onAdd: (option: Option) => void}} props
 */
function AddOption({ rows, name, options, onAdd }) {
	const [text, setText] = useState('');
	const found = text.trim() === '' ? [] : searchRows(rows, text)
		.filter((row) => row.prefix || row.repeats ||
			!options.some(({ key }) => key === row.key));
	const add = (/** @type {Row} */ row) => {
		// of "map." the rest is what was typed, as in "map.101"
		const key = row.prefix && text.startsWith(row.key) ? text : row.key;

		setText('');
		// an empty word is none of the choices
		onAdd(optionOf(row, key, row.type === 'boolean' ? true
			: row.choices ? row.default ?? row.choices[0] : ''));
	};
	const prefixed = rows.find((row) => row.prefix &&
		text.startsWith(row.key) && text.length > row.key.length);
	const list = prefixed === undefined ? found : [prefixed];

	return html`<div class="add-option"><label>${t('add_option')}
		<input type="search" value=${text} spellcheck=${false}
			aria-label=${`${name}: ${t('add_option')}`}
			onInput=${(/** @type {any} */ event) =>
				setText(event.target.value)}
			onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
				if (event.key === 'Enter' && !event.ctrlKey &&
					list.length > 0) {
					event.preventDefault();
					add(list.find((row) => row.key === text.trim()) ??
						list[0]);
				}
			}} /></label>
		${text.trim() !== '' && html`<ul>${list.slice(0, FOUND_MAX)
			.map((row) => html`<li><button type="button"
				onClick=${() => add(row)}><code>${row.prefix &&
				prefixed === row ? text : row.key}</code>
				<span>${row.help ?? ''}</span></button></li>`)}
			${list.length > FOUND_MAX && html`<li class="dim">
				${t('more', { n: list.length - FOUND_MAX })}</li>`}
			${list.length === 0 && html`<li class="dim">
				${t('no_option')}</li>`}</ul>`}</div>`;
}

/**
 * @param {{parts: Parts, name: string, app: App, forms: Forms,
 *	which: 'input' | 'output', set: (parts: Parts) => void}} props
 */
function AddressParts(props) {
	const { parts, name, forms, which, set } = props;
	const { type, options } = parts;
	const rows = forms.options(which, type);
	const types = forms.types(which);
	const put = (/** @type {Option[]} */ list) =>
		set({ ...parts, options: list });

	return html`<div class="address-parts">
		<div class="target"><label>${t('address_type')}<select
			aria-label=${`${name}: ${t('address_type')}`}
			onChange=${(/** @type {any} */ event) =>
				set({ ...parts, type: event.target.value })}>
			${(types.includes(type) ? types : [type, ...types])
				.map((one) => html`<option value=${one}
				selected=${one === type}>${one}</option>`)}</select></label>
			<${Target} ...${props} /></div>
		${options.map((option, i) => {
			const row = forms.find(rows, option.key) ?? { key: option.key,
				type: /** @type {const} */ ('text'),
				help: t('unknown_option') };

			return html`<${Field} key=${`${i} ${option.key}`} row=${row}
				id=${`${name} ${i} ${option.key}`} name=${option.key}
				value=${valueOfOption(row, option)} isFixed
				set=${(/** @type {unknown} */ value) => put(options.map(
					(one, k) => k === i ? optionOf(row, one.key, value)
						: one))}
				onRemove=${() => put(options.filter((_, k) => k !== i))} />`;
		})}
		<${AddOption} rows=${rows.filter((row) => !row.idle)} name=${name}
			options=${options} onAdd=${(/** @type {Option} */ option) =>
				put([...options, option])} /></div>`;
}

/**
 * @param {{app: App, forms: Forms, which: 'input' | 'output', place: number,
 *	count: number, text: unknown, error: string, drag: any,
 *	onChange: (text: string) => void, onRemove: () => void,
 *	onMove: (from: number, to: number) => void}} props
 */
export function AddressField({ app, forms, which, place, count, text, error,
	drag, onChange, onRemove, onMove }) {
	const name = `${t(which)} ${place + 1}`;
	const [open, setOpen] = useState(text === '');

	// an entry of another form is not ours to change
	if (typeof text !== 'string')
		return html`<p class="mono"><${Foreign}
			text=${JSON.stringify(text)} /></p>`;
	const { address } = parseAddress(text);
	const parts = address ?? { type: 'udp', target: '', options: [] };
	const wrong = error || (text === '' ? ''
		: judgeAddress(text, which, forms));

	return html`<div class="address-row" ...${drag.place}>
		<span class="number handle" ...${drag.handle}
			title=${t('drag')}>${place + 1}</span>
		<input class="mono" value=${text} aria-label=${name}
			aria-invalid=${wrong !== ''} spellcheck=${false}
			placeholder=${which === 'input' ? 'udp://eth0@239.1.1.1:1234'
				: 'udp://239.2.1.1:1234'}
			onInput=${(/** @type {any} */ event) =>
				onChange(event.target.value)} />
		<button type="button" aria-expanded=${open}
			aria-label=${`${t('options')}: ${name}`}
			onClick=${() => setOpen(!open)}>${t('options')}
			${' '}${open ? '▴' : '▾'}</button>
		<${MoveButtons} name=${name} place=${place} count=${count}
			onMove=${onMove} />
		<button type="button" onClick=${onRemove}
			aria-label=${`${t('remove')}: ${name}`}
			title=${t('remove')}>✕</button>
		<${Problem} error=${wrong} />
		${open && (text === '' || address !== null) && html`
			<${AddressParts} app=${app} forms=${forms} parts=${parts}
			name=${name} which=${which}
			set=${(/** @type {Parts} */ to) =>
				onChange(formatAddress(to))} />`}</div>`;
}
