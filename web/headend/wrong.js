// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong now: streams and the service, newest first.  Pure.

import { reasonOf, sinceOf } from '../common/state.js';

/** @typedef {import('../common/state.js').Mark} Mark */
/** @typedef {import('../common/store.js').Store} Store */

/**
 * @typedef {object} Wrong
 * @property {string} key
 * @property {'fault' | 'warn'} mark
 * @property {string} id of the stream; "" is the service
 * @property {string} title
 * @property {string} reason
 * @property {number} since Unix time of the browser; 0: unknown
 * @property {string} [base] of the page of another headend
 * @property {string} [place] its name
 */

/**
 * The name of the alarm, and its subject unless the reason names it.
 * @param {{alarm: string, subject?: string, reason?: string}} alarm
 */
export function titleOf({ alarm, subject, reason = '' }) {
	return subject === undefined || reason.includes(subject) ? alarm
		: `${alarm} ${subject}`;
}

/**
 * The clocks of headends may differ: times of all are compared in one.
 * @param {number | undefined} since of a service; 0 or undefined: unknown
 * @param {number} skew seconds that its clock is ahead of the browser's
 */
function inBrowser(since, skew) {
	return since ? since - skew : 0;
}

/**
 * @param {Store} store
 * @param {number} skew
 * @returns {Wrong[]}
 */
function ofService(store, skew) {
	const alarms = store.overview?.alarms ?? [];

	return alarms.filter((alarm) => alarm.channel_id === undefined)
		.map((alarm) => ({
			key: `${alarm.alarm} ${alarm.subject ?? ''}`,
			mark: /** @type {const} */ ('warn'), id: '',
			title: titleOf(alarm),
			reason: alarm.reason ?? '',
			since: inBrowser(alarm.since, skew) }));
}

/**
 * @param {Store} store
 * @param {number} now Unix time of the browser
 * @param {number} [skew] of the clock of this service
 * @returns {Wrong[]}
 */
export function wrongNow(store, now, skew = 0) {
	const list = ofService(store, skew);

	for (const stream of store.streams.values()) {
		const mark = stream.mark(now);

		if (stream.over === null || (mark !== 'fault' &&
			mark !== 'warn'))
			continue;
		// the reply is of the time before the event
		const isOld = mark === 'fault' && stream.over.ok;

		list.push({ key: `stream ${stream.id}`, mark, id: stream.id,
			title: stream.name,
			reason: isOld ? '' : reasonOf(stream.over, stream.alarms),
			since: isOld ? stream.eventTime
				: inBrowser(sinceOf(stream.over), skew) });
	}
	return inOrder(list);
}

/** Off air first, newest first. @param {Wrong[]} list */
function inOrder(list) {
	const rank = (/** @type {Wrong} */ one) => one.mark === 'fault' ? 1 : 0;

	return list.sort((a, b) => rank(b) - rank(a) || b.since - a.since ||
		(a.key < b.key ? -1 : 1));
}

/**
 * With what is wrong at other headends.  One that does not answer is a fault of
 * itself; what it said last is not.
 * @param {Wrong[]} own
 * @param {import('./servers.js').Neighbour[]} neighbours
 * @param {number} now
 * @param {{unreachable: string, refused: string}} words
 */
export function wrongEverywhere(own, neighbours, now, words) {
	if (neighbours.length === 0)
		return own;
	const of = (
		/** @type {import('./servers.js').Neighbour} */ neighbour) => {
		const { name, base, headend } = neighbour;

		/** @type {Wrong[]} */
		const list = headend.lostAt !== null ? [{ id: '', title: name,
			key: `server ${base}`, mark: 'warn',
			reason: headend.live.state === 'refused'
				? words.refused : words.unreachable,
			since: headend.lostAt }]
			: wrongNow(headend.store, now, headend.skew.value)
				.map((one) => ({ ...one, base, place: name,
					key: `${base} ${one.key}` }));

		return list;
	};

	return inOrder([...own, ...neighbours.flatMap(of)]);
}

/**
 * @typedef {object} Sums
 * @property {Record<Mark, number>} marks
 * @property {number} rate kbit/s
 * @property {number} viewers
 */

/**
 * @param {Store} store
 * @param {number} now
 * @returns {Sums}
 */
export function sums(store, now) {
	/** @type {Sums} */
	const all = { rate: 0, viewers: 0, marks: { on: 0, fault: 0, warn: 0,
		wait: 0, change: 0, disabled: 0, stale: 0 } };

	for (const stream of store.streams.values()) {
		const mark = stream.mark(now);

		all.marks[mark]++;
		all.rate += mark === 'disabled' ? 0 : stream.rate(now);
		all.viewers += stream.over?.sessions ?? 0;
	}
	return all;
}
