// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the table of streams: what a row has, and how rows are ordered.
// Pure.

import { MARKS, reasonOf } from '../common/state.js';

/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('../common/filter.js').Row} Row */

/**
 * @param {Stream} stream
 * @param {number} now
 * @returns {Row & {reason: string, inputText: string, outputText: string}}
 */
export function rowOf(stream, now) {
	const { over, config } = stream;
	const texts = (/** @type {unknown} */ list) => Array.isArray(list) ?
		list.filter((text) => typeof text === 'string') : [];
	const outputs = texts(config?.output);
	const failed = over?.output_faults.length ?? 0;

	return { id: stream.id, name: stream.name, groups: stream.groups,
		inputs: texts(config?.input), outputs,
		alarms: stream.alarms, mark: stream.mark(now),
		cc: stream.cc(now), pes: stream.pes(now),
		sc: over?.sc_error ?? 0, rate: stream.rate(now),
		viewers: over?.sessions ?? 0,
		reason: over ? reasonOf(over, stream.alarms) : '',
		inputText: over ? `${over.active_input}/${over.inputs}` : '',
		outputText: `${outputs.length - failed}/${outputs.length}` };
}

/** @typedef {ReturnType<typeof rowOf>} StreamRow */

/** @type {Record<string, (a: StreamRow, b: StreamRow) => number>} */
const ORDERS = {
	state: (a, b) => MARKS.indexOf(a.mark) - MARKS.indexOf(b.mark),
	name: (a, b) => a.name.localeCompare(b.name),
	id: (a, b) => a.id < b.id ? -1 : a.id > b.id ? 1 : 0,
	rate: (a, b) => b.rate - a.rate,
	cc: (a, b) => b.cc - a.cc,
	pes: (a, b) => b.pes - a.pes,
	viewers: (a, b) => b.viewers - a.viewers,
};

export const SORTS = Object.keys(ORDERS);

/**
 * The rows in the wanted order; rows that are equal keep theirs.  A minus
 * turns the order, "" keeps that of the configuration.
 * @param {StreamRow[]} rows
 * @param {string} sort
 * @returns {StreamRow[]}
 */
export function sorted(rows, sort) {
	const isTurned = sort.startsWith('-');
	const key = isTurned ? sort.slice(1) : sort;

	if (!Object.hasOwn(ORDERS, key))
		return rows;
	const order = ORDERS[key];

	return [...rows].sort((a, b) => isTurned ? order(b, a) : order(a, b));
}
