// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with many streams at once.

import { useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { count } from '../common/units.js';
import { t } from '../common/words.js';
import { useOnce } from './fields.js';
import { groupCommand } from './selection.js';
import { html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('../common/words.js').Word} Word */

const NAME_MAX = 40; // of a name in a sentence with others

/**
 * One request after the other; the first refusals are named.
 * @param {App} app
 * @param {Stream[]} streams
 * @param {(stream: Stream) => Promise<any>} request
 */
async function runAll(app, streams, request) {
	/** @type {string[]} */
	const refused = [];
	let n = 0;

	for (const stream of streams) {
		app.say(t('bulk_runs', { n: ++n, all: streams.length }));
		try {
			await request(stream);
		} catch (problem) {
			refused.push(`${shown(stream.name).slice(0, NAME_MAX)}: ${
				/** @type {Error} */ (problem).message}`);
		}
	}
	app.store.wantsOverview = true;
	const done = t('bulk_done', { n: streams.length - refused.length,
		all: streams.length });

	app.say(refused.length === 0 ? done
		: `${done} ${refused.slice(0, 3).join('; ')}`,
	refused.length > 0);
}

/** @param {Stream[]} streams */
const viewersOf = (streams) => streams.reduce((sum, stream) =>
	sum + (stream.over?.sessions ?? 0), 0);

/** @param {Stream} stream */
const isOn = (stream) => stream.config?.enable ?? stream.over?.enable ?? false;

/**
 * @param {App} app
 * @param {Stream[]} streams
 * @param {Ask} ask
 * @param {'enable' | 'disable' | 'restart'} what
 * @param {typeof runAll} send
 */
function begin(app, streams, ask, what, send) {
	const list = streams.filter((stream) =>
		isOn(stream) === (what !== 'enable'));
	const run = () => send(app, list, ({ id }) => what === 'restart'
		? app.api.cmd('restart-stream', { id })
		: app.api.setEnabled('stream', id, what === 'enable'));

	if (list.length === 0)
		app.say(t('bulk_nothing'));
	else if (what === 'enable')
		run();
	else
		ask({ text: t(what === 'disable' ? 'ask_disable_n'
			: 'ask_restart_n', { n: list.length,
			viewers: count(viewersOf(list)) }),
		action: t(what), run });
}

/** @param {{app: App, streams: Stream[], busy: boolean,
 *	send: typeof runAll}} props */
function Groups({ app, streams, busy, send }) {
	const categories = app.store.config.categories ?? [];
	const [value, setValue] = useState('');

	if (categories.length === 0)
		return null;
	const choose = (/** @type {any} */ event) => {
		const [category, group] = JSON.parse(event.target.value);
		const command = groupCommand(category, group);

		setValue('');
		send(app, streams, (stream) => app.api.cmd(...command(stream)));
	};

	return html`<select aria-label=${t('set_group')} value=${value}
		disabled=${busy} onChange=${choose}>
		<option value="">${t('set_group')}</option>
		${categories.map(({ name, groups = [] }) => html`
		<optgroup label=${shown(name)}>
			${[...groups.map((one) => one?.name), ''].map((group) => html`
			<option value=${JSON.stringify([name, group])}>${group === ''
				? t('no_group') : shown(group)}</option>`)}
		</optgroup>`)}</select>`;
}

/** @param {{app: App, streams: Stream[], ask: Ask,
 *	onNone: () => void}} props */
export function Bulk({ app, streams, ask, onNone }) {
	/** @type {('enable' | 'disable' | 'restart')[]} */
	const actions = ['enable', 'disable', 'restart'];
	const { send, busy } = useOnce(runAll);

	return html`<div class="bulk" role="group" aria-label=${t('selected')}>
		<b>${t('selected_n', { n: count(streams.length) })}</b>
		${actions.map((what) => html`<button disabled=${busy} onClick=${() =>
			begin(app, streams, ask, what, send)}>${t(what)}</button>`)}
		<${Groups} app=${app} streams=${streams} busy=${busy}
			send=${send} />
		<button onClick=${onNone}>${t('select_none')}</button></div>`;
}
