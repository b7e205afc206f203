// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of outputs: addresses that several streams may take from here.

import { useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { Conflicts, refusalOf, useDraft } from './draft.js';
import { MoveButtons, useDrag } from './drag.js';
import { Further, useOnce, useSubmit } from './fields.js';
import { FormDialog } from './form-dialog.js';
import { moved, same } from './merge.js';
import { bringBackGroup, saveGroup } from './output-group-edit.js';
import { Setup } from './setup.js';
import { Foreign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {(question: Question) => void} Ask */

/**
 * @param {App} app
 * @param {string} name of the group that is changed; "" adds one
 * @param {Entry | null} known as it was shown
 * @param {Entry} group
 */
async function save(app, name, known, group) {
	try {
		await saveGroup(app.api, name, known, group);
		return {};
	} finally {
		app.store.wantsConfig = true;
	}
}

/** @param {App} app @returns {Entry[]} */
function groupsOf(app) {
	return /** @type {Entry[]} */ (app.store.config.output ?? []);
}

/** @param {Entry} group @returns {string[]} */
function addressesOf(group) {
	return Array.isArray(group.output) ? group.output.filter(
		(/** @type {unknown} */ one) => typeof one === 'string') : [];
}

/** @type {Entry} */
const FRESH = { name: '', output: [] };

/** @param {string} text */
const linesOf = (text) => text.split('\n').filter(Boolean);

/** @param {{app: App, ask: Ask, group: Entry | null, name: string,
 *	onClose: () => void}} props group: null of a new one, and of one that
 *	somebody else has removed */
function GroupDialog({ app, ask, group, name, onClose }) {
	const draft = useDraft(group, FRESH);
	const { mine: entry, set } = draft, addresses = addressesOf(entry);
	// as it is typed, as long as it means these addresses
	const [typed, setTyped] = useState('');
	const text = same(linesOf(typed), addresses) ? typed
		: addresses.join('\n');
	const [error, setError] = useState('');
	const [isBroken, setBroken] = useState(false);
	const isReady = !isBroken && !draft.isGone &&
		draft.conflicts.length === 0;
	const { submit, busy } = useSubmit(async () => {
		try {
			await save(app, name, draft.base, draft.latest.current);
			onClose();
			app.say(t('saved'));
		} catch (problem) {
			setError(refusalOf(problem));
		}
	});

	return html`<${FormDialog} app=${app} ask=${ask} title=${name === ''
		? t('add_output_group') : shown(name)} error=${error} busy=${busy}
		isReady=${isReady} onSubmit=${submit} onClose=${onClose}>
		<${Conflicts} draft=${draft} />
		<label>${t('name')}<input name="name" required autocomplete="off"
			value=${entry.name ?? ''} onInput=${(
				/** @type {any} */ event) =>
				set('name', event.target.value)} /></label>
		<label>${t('addresses')}<textarea class="mono" rows="4"
			spellcheck=${false} placeholder=${t('one_a_line')}
			value=${text} onInput=${(/** @type {any} */ event) => {
				setTyped(event.target.value);
				set('output', linesOf(event.target.value));
			}}></textarea></label>
		<${Further} entry=${entry} fields=${['name', 'output']}
			set=${set} onBroken=${setBroken} /><//>`;
}

/** @param {{app: App, group: Entry, onEdit: () => void}} props */
function GroupBox({ app, group, onEdit }) {
	const list = addressesOf(group);
	const run = (/** @type {Entry} */ to) => app.run(() =>
		save(app, group.name, group, to), t('saved'));
	const move = (/** @type {number} */ from, /** @type {number} */ to) =>
		run({ ...group, output: moved(list, from, to) });
	const drag = useDrag(move);
	const { send: remove } = useOnce(async () => {
		const order = groupsOf(app).map(({ name }) => name);
		const undo = () => app.run(() => bringBackGroup(app.api, group,
			order), t('saved')).finally(() => {
			app.store.wantsConfig = true;
		});

		if (await run({ remove: true }))
			app.say(t('group_removed', { name: shown(group.name) }), false,
				{ word: t('undo'), run: undo });
	});

	return html`<section class="box" aria-label=${shown(group.name)}>
		<div class="tools"><h2><${Foreign} text=${group.name} /></h2>
			<button onClick=${onEdit}>${t('edit')}</button>
			<button onClick=${() => remove()}>${t('remove')}</button></div>
		<ul class="movable">${list.map((text, i) => {
			const { place, handle } = drag(i);

			return html`<li key=${`${i} ${text}`} ...${place}>
				<span class="handle" aria-hidden="true" ...${handle}
					title=${t('drag')}>⠿</span>
				<span class="mono"><${Foreign} text=${text} /></span>
				<${MoveButtons} name=${shown(text)} place=${i}
					count=${list.length} onMove=${move} /></li>`;
		})}</ul></section>`;
}

/** @param {{app: App, ask: Ask}} props */
export function OutputGroupsPage({ app, ask }) {
	useTick(app);
	const [open, setOpen] = useState(/** @type {string | null} */ (null));
	const groups = groupsOf(app);
	const group = groups.find((one) => one.name === open) ?? null;

	return html`<${Setup} page="outputs" tools=${html`
		<button onClick=${() => setOpen('')}>${t('add_output_group')}
		</button>`}>
		<p class="dim">${t('outputs_about')}</p>
		<div class="boxes">${groups.map((one) => html`<${GroupBox}
			key=${one.name} app=${app} group=${one}
			onEdit=${() => setOpen(one.name)} />`)}</div>
		${groups.length === 0 && html`<p>${t('no_output_groups')}</p>`}
		${open !== null && html`<${GroupDialog} key=${open} app=${app}
			ask=${ask} group=${group} name=${open}
			onClose=${() => setOpen(null)} />`}
	<//>`;
}
