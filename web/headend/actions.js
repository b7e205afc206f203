// SPDX-License-Identifier: GPL-3.0-or-later
// What a user can do to a stream.  What interrupts viewers asks first.

import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { href, parseRoute } from './route.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {(question: Question) => void} Ask */

/** @param {Stream} stream */
function names(stream) {
	return { name: shown(stream.name),
		viewers: stream.over?.sessions ?? 0 };
}

/**
 * @param {App} app
 * @param {Stream} stream
 * @param {Ask} ask
 */
export function toggle(app, stream, ask) {
	const isOn = stream.config?.enable ?? stream.over?.enable ?? false;
	const run = () => app.run(() =>
		app.api.setEnabled('stream', stream.id, !isOn),
	t(isOn ? 'done_disable' : 'done_enable', names(stream)));

	if (isOn)
		ask({ text: t('ask_disable', names(stream)),
			action: t('disable'), run });
	else
		run();
}

/**
 * @param {App} app
 * @param {Stream} stream
 * @param {Ask} ask
 */
export function restart(app, stream, ask) {
	ask({ text: t('ask_restart', names(stream)), action: t('restart'),
		run: () => app.act('restart-stream', { id: stream.id },
			t('done_restart', names(stream))) });
}

/**
 * @param {App} app
 * @param {Stream} stream
 * @param {number} input
 * @param {Ask} ask
 */
export function switchInput(app, stream, input, ask) {
	ask({ text: t('ask_switch', { ...names(stream), input }),
		action: t('switch_to'), run: () => app.act('set-stream-input',
			{ id: stream.id, input }, t('done_switch',
				{ ...names(stream), input })) });
}

/**
 * The input behind the active one; behind the last one is the first.
 * @param {App} app
 * @param {Stream} stream
 * @param {Ask} ask
 */
export function nextInput(app, stream, ask) {
	const n = stream.config?.input?.length ?? 0;

	switchInput(app, stream, (stream.over?.active_input ?? 0) % n + 1, ask);
}

/**
 * The place of an entry that comes back to its list: `before' of a request, or
 * nothing, which is the end.
 * @param {string[]} order the ids of the list before the removal
 * @param {string} id
 * @param {(id: string) => boolean} isThere
 * @returns {{before?: string}}
 */
export function placeOf(order, id, isThere) {
	const before = order.slice(order.indexOf(id) + 1).find(isThere);

	return before === undefined ? {} : { before };
}

/**
 * It can be undone for half a minute: the object is still known here.
 * @param {App} app
 * @param {Stream} stream
 * @param {Ask} ask
 */
export function remove(app, stream, ask) {
	const { id, config } = stream, text = t('done_remove', names(stream));
	/** @type {string[]} */
	let order = [];
	const undo = () => app.act('set-stream', { was: null, stream: config,
		...placeOf(order, id, (one) => app.store.streams.has(one)) },
	t('saved'));
	const run = async () => {
		order = [...app.store.streams.keys()];
		const isDone = await app.act('set-stream', { id, was: config,
			stream: { remove: true } }, text);

		if (!isDone)
			return;
		// from the pages of this stream
		if (parseRoute(location.hash).id === id)
			location.hash = href('streams');
		app.say(text, false, { word: t('undo'), run: undo });
	};

	ask({ text: t('ask_remove', names(stream)), action: t('remove'), run });
}

/** True where an input can be chosen by hand. @param {Stream} stream */
export function canSwitch(stream) {
	const type = stream.config?.backup_type;

	return (stream.config?.input?.length ?? 0) > 1 &&
		(type === 'passive' || type === 'disable');
}
