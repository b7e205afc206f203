// SPDX-License-Identifier: GPL-3.0-or-later
// Categories and their groups.  A stream has one group in each category.

import { useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { MoveButtons, useDrag } from './drag.js';
import { moved } from './merge.js';
import { NameDialog } from './name-dialog.js';
import { href } from './route.js';
import { Setup } from './setup.js';
import { Foreign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('./name-dialog.js').Naming} Naming */
/** @typedef {import('../common/api-types').Category} Category */
/** @typedef {(question: Question) => void} Ask */

/**
 * Sends a change of a category; its refusal has status 200.
 * @param {App} app
 * @param {Record<string, unknown>} fields
 */
async function change(app, fields) {
	const reply = await app.api.cmd('set-category',
		{ ...fields, warnings: true });

	app.store.wantsConfig = true;
	if (reply['set-category'] !== 'ok')
		throw Object.assign(new Error(reply.detail ?? reply.error),
			{ reply });
	app.say(t('saved'));
}

/**
 * The same where no dialog shows an error.  A removal that would give users
 * every stream asks again.
 * @param {App} app
 * @param {Ask} ask
 * @param {Record<string, unknown>} fields
 */
async function tryChange(app, ask, fields) {
	try {
		await change(app, fields);
	} catch (problem) {
		const { message, reply } = /** @type {any} */ (problem);

		app.store.wantsConfig = true;
		if (Array.isArray(reply?.users) && !fields.force)
			ask({ text: t('ask_force', { users:
				shown(reply.users.join(', ')) }), action: t('remove'),
			run: () => tryChange(app, ask, { ...fields, force: true }) });
		else
			app.say(t('refused', { error: message }), true);
	}
}

/**
 * @param {App} app
 * @param {string} category
 * @param {string} group
 */
function streamsOf(app, category, group) {
	return [...app.store.streams.values()].filter((stream) =>
		stream.config?.groups?.[category] === group).length;
}

/**
 * @param {{app: App, ask: Ask, category: Category, place: number,
 *	onName: (naming: Naming) => void}} props
 */
function CategoryBox({ app, ask, category, place, onName }) {
	const { name, groups = [] } = category;
	const guard = { id: place, was: category };
	const withGroups = (/** @type {unknown[]} */ list) => ({ ...guard,
		category: { ...category, groups: list } });
	const replaced = (/** @type {number} */ i, /** @type {unknown} */ one) =>
		withGroups(groups.map((group, k) => k === i ? one : group));
	const move = (/** @type {number} */ from, /** @type {number} */ to) =>
		tryChange(app, ask, { ...guard, category,
			reorder: moved(groups.map((group) => group.name), from, to) });
	const drag = useDrag(move);
	const used = groups.reduce((sum, group) =>
		sum + streamsOf(app, name, group.name), 0);
	const rename = () => onName({ title: t('rename'), value: name,
		run: (text) => change(app, { ...guard,
			category: { ...category, name: text } }) });
	const remove = () => ask({ text: t('ask_remove_category',
		{ name: shown(name), n: used }), action: t('remove'),
	run: () => tryChange(app, ask, { ...guard,
		category: { remove: true } }) });
	const add = () => onName({ title: t('add_group'), value: '',
		run: (text) => change(app, withGroups([...groups,
			{ name: text }])) });

	return html`<section class="box" aria-label=${shown(name)}>
		<div class="tools"><h2><${Foreign} text=${name} /></h2>
			<button onClick=${rename}>${t('rename')}</button>
			<button onClick=${remove}>${t('remove')}</button></div>
		<ul class="movable">${groups.map((group, i) => {
			const n = streamsOf(app, name, group.name);
			const { place: at, handle } = drag(i);

			return html`<li key=${group.name} ...${at}>
				<span class="handle" aria-hidden="true" ...${handle}
					title=${t('drag')}>⠿</span>
				<b><${Foreign} text=${group.name} /></b>
				<a href=${href('streams', '', { filter:
					`group:"${group.name}"` })}>
					${t('n_streams', { n })}</a>
				<${MoveButtons} name=${shown(group.name)} place=${i}
					count=${groups.length} onMove=${move} />
				<button onClick=${() => onName({ title: t('rename'),
					value: group.name, run: (text) => change(app,
						replaced(i, { ...group, name: text })) })}
					aria-label=${`${t('rename')}: ${shown(group.name)}`}>
					${t('rename')}</button>
				<button onClick=${() => ask({ text: t('ask_remove_group',
					{ name: shown(group.name), n }), action: t('remove'),
				run: () => tryChange(app, ask,
					replaced(i, { remove: true })) })}
					aria-label=${`${t('remove')}: ${shown(group.name)}`}
					title=${t('remove')}>✕</button></li>`;
		})}</ul>
		<button onClick=${add}
			aria-label=${`${t('add_group')}: ${shown(name)}`}>
			${t('add_group')}</button></section>`;
}

/** @param {{app: App, ask: Ask}} props */
export function CategoriesPage({ app, ask }) {
	useTick(app);
	const [naming, setNaming] = useState(/** @type {Naming | null} */ (
		null));
	const categories = app.store.config.categories ?? [];
	const add = () => setNaming({ title: t('add_category'), value: '',
		run: (name) => change(app, { category: { name, groups: [] } }) });

	return html`<${Setup} page="categories" tools=${html`
		<button onClick=${add}>${t('add_category')}</button>`}>
		<p class="dim">${t('categories_about')}</p>
		<div class="boxes">${categories.map((category, i) => html`
			<${CategoryBox} key=${category.name} app=${app} ask=${ask}
				category=${category} place=${i} onName=${setNaming} />`)}
		</div>
		${categories.length === 0 && html`<p>${t('no_categories')}</p>`}
		${naming && html`<${NameDialog} app=${app} ask=${ask}
			naming=${naming} onClose=${() => setNaming(null)} />`}<//>`;
}
