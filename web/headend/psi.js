// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of an input, as an analyzer reports them.

import { useState } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { useAnalyzer } from './analyzer.js';
import { addSections, label, rest } from './tables.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tables.js').Section} Section */
/** @typedef {Map<string, Section>} Sections */

/**
 * The sections so far; the analyzer ends with the view.
 * @param {App} app
 * @param {Record<string, unknown> | string} scan
 * @returns {{sections: Sections, error: string}}
 */
export function useScan(app, scan) {
	const [sections, setSections] = useState(/** @type {Sections} */ (
		new Map()));
	const [error, setError] = useState('');

	useAnalyzer(app, { scan: JSON.stringify(scan),
		onStart: () => setSections(new Map()),
		onReply: (reply) => {
			setError(reply.error ?? '');
			if (reply.scan)
				setSections((was) => addSections(was, reply.scan));
		},
		onError: ({ message }) => setError(message) });
	return { sections, error };
}

/** A value and what is inside of it.
 * @param {{name: string, value: any}} props */
function Branch({ name, value }) {
	if (value === null || typeof value !== 'object')
		return html`<li><span class="dim">${name}</span>
			${' '}<${Foreign} text=${value} /></li>`;
	const entries = Object.entries(value);

	if (entries.length === 0)
		return null;
	const list = html`<ul>${entries.map(([key, one]) => html`<${Branch}
		key=${key} name=${Array.isArray(value) ? label(one) || key : key}
		value=${one} />`)}</ul>`;

	return html`<li><details open=${Array.isArray(value)}>
		<summary><span class="dim"><${Foreign} text=${name} /></span>
		${Array.isArray(value) ? ` (${entries.length})` : ''}</summary>
		${list}</details></li>`;
}

/** @param {{sections: Sections}} props */
function Tree({ sections }) {
	const [open, setOpen] = useState(/** @type {string | null} */ (null));
	const list = [...sections].sort(([a], [b]) => a < b ? -1 : 1);

	return html`<ul class="tree">${list.map(([key, section]) => html`
		<li key=${key}><details open=${open === key}>
			<summary onClick=${(/** @type {Event} */ event) => {
				event.preventDefault();
				setOpen(open === key ? null : key);
			}}><b>${label(section)}</b>
			<span class="dim"> PID ${section.pid} · ${t('version')}
			${' '}${section.version ?? '–'}${section.next ?
				` · ${t('next_table')}` : ''}</span>
			${section.error && html` <span class="is-warn">
				<${Foreign} text=${section.error} /></span>`}</summary>
			${open === key && html`<ul>${Object.entries(rest(section))
				.map(([name, value]) => html`<${Branch} key=${name}
					name=${name} value=${value} />`)}</ul>`}
		</details></li>`)}</ul>`;
}

/** @param {{app: App, id: string, inputs: number}} props */
export function Psi({ app, id, inputs }) {
	const active = app.store.streams.get(id)?.over?.active_input || 1;
	const [input, setInput] = useState(active);
	const { sections, error } = useScan(app, { stream: id, input });

	return html`<label class="choice">${t('input')}
		<select onChange=${(/** @type {any} */ event) =>
			setInput(Number(event.target.value))}>
			${Array.from({ length: inputs }, (_, i) => html`
			<option value=${i + 1} selected=${i + 1 === input}>
				${i + 1}</option>`)}</select></label>
		${error !== '' && html`<p class="problem">
			<${Foreign} text=${error} /></p>`}
		${sections.size === 0 ? html`<p class="dim">${t('psi_waits')}</p>`
			: html`<${Tree} sections=${sections} />`}`;
}
