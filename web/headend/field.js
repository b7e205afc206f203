// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of forms, made from the rows that the service describes.

import { useState } from '../parts/hooks.js';
import { isJson, searchRows, textOf, valueOf } from '../common/forms.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { groupRows } from './field-groups.js';
import { Problem } from './fields.js';
import { same } from './merge.js';
import { html } from './view.js';

/** @typedef {import('../common/forms.js').Row} Row */
/** @typedef {import('../common/words.js').Word} Word */
/** @typedef {import('./merge.js').Entry} Entry */

/**
 * @typedef {object} FieldProps
 * @property {Row} row
 * @property {string} id of the control
 * @property {string} [name] the key, if the row is the prefix of several
 * @property {unknown} value undefined: there is none
 * @property {(value: unknown) => void} set
 * @property {string} [error]
 * @property {boolean} [isChanged]
 * @property {boolean} [isFixed] it cannot be left out
 * @property {(isBroken: boolean) => void} [onBroken]
 * @property {() => void} [onRemove] instead of leaving the key out
 */

/**
 * What is typed, as long as it means the value; otherwise the value.
 * @param {Row} row
 * @param {unknown} value
 * @param {(value: unknown) => void} set
 * @returns {[string, (text: string) => void]}
 */
function useTyped(row, value, set) {
	const [typed, setTyped] = useState(() => textOf(row, value));

	return [same(valueOf(row, typed), value) ? typed : textOf(row, value),
		(text) => {
			setTyped(text);
			set(valueOf(row, text));
		}];
}

/** @param {Row} row */
function usual(row) {
	return row.default === undefined ? '' : String(row.default);
}

/** @param {FieldProps} props */
function Choice({ row, id, value, set, isFixed, error }) {
	const text = textOf(row, value);
	const all = row.type === 'boolean' ? ['true', 'false']
		: row.choices ?? [];
	const list = text === '' || all.includes(text) ? all : [...all, text];

	return html`<select id=${id} aria-describedby=${`${id}-help`}
		aria-invalid=${Boolean(error)}
		onChange=${(/** @type {any} */ event) =>
			set(valueOf(row, event.target.value))}>
		${(!isFixed || text === '') && html`<option value=""
			selected=${text === ''}>${row.default === undefined ? '–'
				: t('usual', { value: usual(row) })}</option>`}
		${list.map((one) => html`<option value=${one}
			selected=${one === text}>${shown(one)}</option>`)}</select>`;
}

/** @param {FieldProps} props */
function Flag({ row, id, value, set, error }) {
	// a value of another form is not ours to hide
	if (value !== undefined && typeof value !== 'boolean')
		return html`<${Choice} row=${row} id=${id} value=${value} set=${set}
			error=${error} />`;
	return html`<input type="checkbox" id=${id}
		aria-describedby=${`${id}-help`}
		checked=${value ?? row.default ?? false}
		onChange=${(/** @type {any} */ event) =>
			set(event.target.checked)} />`;
}

/** @param {FieldProps} props */
function Text({ row, id, value, set, error }) {
	const [text, change] = useTyped(row, value, set);
	const [isOpen, setOpen] = useState(false);
	const isNumber = row.type === 'integer' || row.type === 'number';

	return html`<span class="typed"><input id=${id} value=${text}
		class=${isNumber ? 'mono number' : 'mono'} spellcheck=${false}
		autocomplete=${row.secret ? 'new-password' : 'off'}
		type=${row.secret && !isOpen ? 'password' : 'text'}
		inputmode=${isNumber ? 'decimal' : undefined}
		placeholder=${usual(row)} aria-describedby=${`${id}-help`}
		aria-invalid=${Boolean(error)}
		onInput=${(/** @type {any} */ event) =>
			change(event.target.value)} />
		${row.unit && html`<span class="unit">${row.unit}</span>`}
		${row.secret && html`<button type="button" aria-pressed=${isOpen}
			onClick=${() => setOpen(!isOpen)}>${t('reveal')}</button>`}
	</span>`;
}

/** @param {FieldProps} props */
function Lines({ row, id, value, set, error }) {
	const [text, change] = useTyped(row, value, set);

	return html`<textarea id=${id} class="mono" value=${text}
		spellcheck=${false} aria-describedby=${`${id}-help`}
		aria-invalid=${Boolean(error)}
		rows=${Math.min(8, text.split('\n').length + 1)}
		placeholder=${t('one_a_line')}
		onInput=${(/** @type {any} */ event) =>
			change(event.target.value)}></textarea>`;
}

/** @param {FieldProps} props */
function Json({ id, value, set, onBroken, row }) {
	const [typed, setTyped] = useState(() => textOf(row, value));
	const [error, setError] = useState('');
	const isSame = () => {
		try {
			return same(typed === '' ? undefined : JSON.parse(typed),
				value);
		} catch {
			return false;
		}
	};
	const text = error !== '' || isSame() ? typed : textOf(row, value);
	const change = (/** @type {any} */ event) => {
		const wanted = event.target.value;

		setTyped(wanted);
		try {
			set(wanted.trim() === '' ? undefined : JSON.parse(wanted));
			setError('');
			onBroken?.(false);
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
			onBroken?.(true);
		}
	};

	return html`<textarea id=${id} class="mono" value=${text}
		spellcheck=${false} aria-describedby=${`${id}-help`}
		aria-invalid=${error !== ''} onInput=${change}
		rows=${Math.min(10, text.split('\n').length + 1)}
		placeholder="JSON"></textarea>
		<${Problem} error=${error} />`;
}

/** @param {FieldProps} props */
function Control(props) {
	const { row, value } = props;
	const isObject = typeof value === 'object' && value !== null &&
		!Array.isArray(value);

	if (isJson(row) || (isObject && !isJson(row)))
		return html`<${Json} ...${props} />`;
	if (row.choices !== undefined && row.type !== 'list')
		return html`<${Choice} ...${props} />`;
	if (row.type === 'boolean')
		return html`<${Flag} ...${props} />`;
	return html`<${row.type === 'list' ? Lines : Text} ...${props} />`;
}

/** What to know of a row, beside its sentence. @param {Row} row */
function facts(row) {
	const { min, max } = row, list = [];

	if (row.type === 'integer' || row.type === 'number') {
		if (min !== undefined && max !== undefined)
			list.push(t('from_to_n', { min, max }));
		else if (min !== undefined && min !== 0)
			list.push(t('at_least', { min }));
		else if (max !== undefined)
			list.push(t('at_most', { max }));
	}
	if (row.default !== undefined && row.type === 'boolean' &&
		row.default !== false)
		list.push(t('usual_is', { value: usual(row) }));
	if (row.needs)
		list.push(t('needs', { key: row.needs }));
	if (row.beside)
		list.push(t('beside_key', { key: row.beside }));
	if (row.idle)
		list.push(t('is_idle'));
	return list.join(' ');
}

/** @param {FieldProps} props */
export function Field(props) {
	const { row, id, name = row.key, value, set, error = '', isChanged,
		isFixed = row.required, onRemove } = props;
	const remove = onRemove ?? (value === undefined || isFixed ? null
		: () => set(undefined));

	return html`<div class="option" data-key=${name}
		data-changed=${Boolean(isChanged)}>
		<label for=${id} class="mono">${shown(name)}${isChanged
			&& html`<span class="hidden"> (${t('is_changed')})</span>`}
		</label>
		<div class="control"><${Control} ...${props} isFixed=${isFixed} />
			${remove !== null && html`<button type="button" class="reset"
				title=${t('leave_out', { key: shown(name) })}
				aria-label=${t('leave_out', { key: shown(name) })}
				onClick=${remove}>✕</button>`}</div>
		<p class="hint" id=${`${id}-help`}>${row.help ?? ''}
			${' '}<span class="facts">${facts(row)}</span></p>
		<${Problem} error=${error} /></div>`;
}

/**
 * @typedef {object} Form what the groups of an object share
 * @property {string} name of its table of groups
 * @property {Entry} entry
 * @property {Entry} base
 * @property {(key: string, value: unknown) => void} set
 * @property {(key: string) => string} errorOf
 * @property {(key: string, isBroken: boolean) => void} onBroken
 */

/** @param {{form: Form, rows: Row[]}} props */
export function Rows({ form, rows }) {
	const { name, entry, base, set, errorOf, onBroken } = form;

	return rows.map((row) => html`<${Field} key=${row.key} row=${row}
		id=${`${name}.${row.key}`} value=${entry[row.key]}
		set=${(/** @type {unknown} */ value) => set(row.key, value)}
		isChanged=${!same(entry[row.key], base[row.key])}
		error=${errorOf(row.key)}
		onBroken=${(/** @type {boolean} */ isBroken) =>
			onBroken(row.key, isBroken)} />`);
}

/**
 * @param {{form: Form, word: Word, rows: Row[], isSearch: boolean,
 *	isOpen: boolean}} props
 */
function Group({ form, word, rows, isSearch, isOpen }) {
	const given = rows.filter(({ key }) => form.entry[key] !== undefined)
		.length;
	const [open, setOpen] = useState(isOpen || given > 0);
	const mustOpen = isSearch ||
		rows.some(({ key }) => form.errorOf(key) !== '');

	return html`<details class="group" open=${open || mustOpen}
		onToggle=${(/** @type {any} */ event) => {
			if (!mustOpen)
				setOpen(event.currentTarget.open);
		}}>
		<summary>${t(word)}${' '}<small class="dim">${given > 0
			? t('n_given', { n: given }) : ''}</small></summary>
		${(open || mustOpen) && html`<${Rows} form=${form}
			rows=${rows} />`}</details>`;
}

/**
 * The rows of an object in their groups, with a search over them.
 * @param {{form: Form, rows: Row[], isOpen?: boolean}} props
 */
export function FieldGroups({ form, rows, isOpen = false }) {
	const [search, setSearch] = useState('');
	const found = searchRows(rows, search);

	return html`<div class="groups">
		<label class="search">${t('search_options')}
			<input type="search" value=${search}
			id=${`${form.name}-search`}
			onInput=${(/** @type {any} */ event) =>
				setSearch(event.target.value)} /></label>
		${found.length === 0 && html`<p class="dim">${t('no_option')}</p>`}
		${groupRows(form.name, found).map(([word, list]) => html`
			<${Group} key=${word} form=${form} word=${word} rows=${list}
				isSearch=${search.trim() !== ''} isOpen=${isOpen} />`)}
	</div>`;
}
