// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of the editor.

import { useEffect, useState } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { same } from './merge.js';
import { Foreign, html } from './view.js';

/** @typedef {import('../common/api-types').Category} Category */
/** @typedef {import('./merge.js').Entry} Entry */

/** @param {{error: string}} props */
export function Problem({ error }) {
	return html`<span class="problem" role="alert">
		${error && html`<${Foreign} text=${error} />`}</span>`;
}

/**
 * @param {{which: 'input' | 'output', place: number, count: number,
 *	text: unknown, error: string, onChange: (text: string) => void,
 *	onRemove: () => void, onUp: () => void}} props
 */
export function Address({ which, place, count, text, error, onChange,
	onRemove, onUp }) {
	const name = `${t(which)} ${place + 1}`;

	// an entry of another form is not ours to change
	if (typeof text !== 'string')
		return html`<p class="mono"><${Foreign}
			text=${JSON.stringify(text)} /></p>`;
	return html`<div class="address-row">
		<span class="number">${place + 1}</span>
		<input class="mono" value=${text} aria-label=${name}
			aria-invalid=${error !== ''} spellcheck=${false}
			placeholder=${which === 'input' ? 'udp://eth0@239.1.1.1:1234'
				: 'udp://239.2.1.1:1234'}
			onInput=${(/** @type {any} */ event) =>
				onChange(event.target.value)} />
		<button type="button" disabled=${place === 0} onClick=${onUp}
			aria-label=${`${t('move_up')}: ${name}`}
			title=${t('move_up')}>↑</button>
		<button type="button" disabled=${count === 0} onClick=${onRemove}
			aria-label=${`${t('remove')}: ${name}`}
			title=${t('remove')}>✕</button>
		<${Problem} error=${error} /></div>`;
}

/**
 * @param {{categories: Category[], groups: Entry,
 *	onChange: (groups: Entry) => void}} props
 */
export function Groups({ categories, groups, onChange }) {
	return categories.map(({ name, groups: list = [] }) => html`
		<label><${Foreign} text=${name} />
		<select onChange=${(/** @type {any} */ event) => {
			const { [name]: _, ...rest } = groups;

			onChange(event.target.value === '' ? rest
				: { ...rest, [name]: event.target.value });
		}}><option value="">${t('none')}</option>
			${list.map((group) => html`<option value=${group.name}
				selected=${groups[name] === group.name}>
				${group.name}</option>`)}</select></label>`);
}

/**
 * All keys that have no field, as JSON.  They are kept as they are.
 * @param {{entry: Entry, fields: string[],
 *	set: (key: string, value: unknown) => void,
 *	onBroken: (broken: boolean) => void}} props
 */
export function Further({ entry, fields, set, onBroken }) {
	const rest = Object.fromEntries(Object.entries(entry)
		.filter(([key, value]) => !fields.includes(key) &&
			value !== undefined));
	const [text, setText] = useState(JSON.stringify(rest, null, 2));
	const [error, setError] = useState('');

	// somebody else has changed it
	useEffect(() => {
		try {
			if (!same(JSON.parse(text), rest))
				setText(JSON.stringify(rest, null, 2));
		} catch {
			// it is being typed
		}
	}, [JSON.stringify(rest)]);
	const change = (/** @type {any} */ event) => {
		const wanted = event.target.value;

		setText(wanted);
		try {
			const value = JSON.parse(wanted);

			if (typeof value !== 'object' || value === null ||
				Array.isArray(value))
				throw new SyntaxError(t('no_object'));
			const taken = Object.keys(value).find((key) =>
				fields.includes(key));

			if (taken !== undefined)
				throw new SyntaxError(t('has_field', { key: taken }));
			for (const key of Object.keys({ ...rest, ...value }))
				set(key, value[key]);
			setError('');
			onBroken(false);
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
			onBroken(true);
		}
	};

	return html`<label class="further">${t('further')}
		<textarea class="mono" value=${text} spellcheck=${false}
			rows=${Math.min(16, text.split('\n').length + 1)}
			aria-invalid=${error !== ''} onInput=${change}></textarea>
		<${Problem} error=${error} /></label>`;
}
