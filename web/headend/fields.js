// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of the editor.

import { useEffect, useRef, useState } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { same } from './merge.js';
import { once } from './once.js';
import { Foreign, html } from './view.js';

/** @typedef {import('../common/api-types').Category} Category */
/** @typedef {import('./merge.js').Entry} Entry */

/** @param {{error: string}} props */
export function Problem({ error }) {
	return html`<span class="problem" role="alert">
		${error && html`<${Foreign} text=${error} />`}</span>`;
}

/**
 * An action of a button or a form, which may be pressed again while it runs.
 * @template {unknown[]} A
 * @param {(...args: A) => unknown} run
 * @returns {{send: (...args: A) => Promise<void>, busy: boolean}}
 */
export function useOnce(run) {
	const [busy, setBusy] = useState(false);
	const latest = useRef(run);
	const [send] = useState(() => once((/** @type {A} */ ...args) =>
		latest.current(...args), setBusy));

	latest.current = run;
	return { send, busy };
}

/**
 * What a form does; its submission is no page.
 * @param {(form: HTMLFormElement) => unknown} run
 * @returns {{submit: (event: SubmitEvent) => void, busy: boolean}}
 */
export function useSubmit(run) {
	const { send, busy } = useOnce(run);

	return { busy, submit: (event) => {
		event.preventDefault();
		send(/** @type {HTMLFormElement} */ (event.currentTarget));
	} };
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
 * An object as JSON that is typed.  It is shown anew when the object changes
 * elsewhere, and not while what is typed is broken.
 * @param {Entry} object
 * @param {(object: Entry) => void} take throws what is wrong
 * @param {(isBroken: boolean) => void} onBroken
 */
function useJson(object, take, onBroken) {
	const [text, setText] = useState(JSON.stringify(object, null, 2));
	const [error, setError] = useState('');

	useEffect(() => {
		try {
			if (!same(JSON.parse(text), object))
				setText(JSON.stringify(object, null, 2));
		} catch {
			// it is being typed
		}
	}, [JSON.stringify(object)]);
	return { text, error, change: (/** @type {any} */ event) => {
		const wanted = event.target.value;

		setText(wanted);
		try {
			const value = JSON.parse(wanted);

			if (typeof value !== 'object' || value === null ||
				Array.isArray(value))
				throw new SyntaxError(t('no_object'));
			take(value);
			setError('');
			onBroken(false);
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
			onBroken(true);
		}
	} };
}

/** @param {{label: string, json: ReturnType<typeof useJson>,
 *	max: number}} props */
function JsonArea({ label, json, max }) {
	return html`<label class="further">${label}
		<textarea class="mono" value=${json.text} spellcheck=${false}
			rows=${Math.min(max, json.text.split('\n').length + 1)}
			aria-invalid=${json.error !== ''} onInput=${json.change}>
		</textarea>
		<${Problem} error=${json.error} /></label>`;
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
	const json = useJson(rest, (value) => {
		const taken = Object.keys(value).find((key) =>
			fields.includes(key));

		if (taken !== undefined)
			throw new SyntaxError(t('has_field', { key: taken }));
		for (const key of Object.keys({ ...rest, ...value }))
			set(key, value[key]);
	}, onBroken);

	return html`<${JsonArea} label=${t('further')} json=${json} max=16 />`;
}

/**
 * The whole object as JSON.
 * @param {{entry: Entry, set: (entry: Entry) => void,
 *	onBroken: (broken: boolean) => void}} props
 */
export function Whole({ entry, set, onBroken }) {
	const json = useJson(entry, set, onBroken);

	return html`<${JsonArea} label=${t('whole')} json=${json} max=60 />`;
}
