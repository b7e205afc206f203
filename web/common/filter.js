// SPDX-License-Identifier: GPL-3.0-or-later
// The grammar of the filter box: words, states, comparisons, key:value.  Pure.

/**
 * What a filter looks at.
 * @typedef {object} Row
 * @property {string} id
 * @property {string} name
 * @property {string[]} groups
 * @property {string[]} inputs
 * @property {string[]} outputs
 * @property {string[]} alarms
 * @property {Mark} mark
 * @property {number} cc
 * @property {number} pes
 * @property {number} sc
 * @property {number} rate kbit/s
 * @property {number} viewers
 */

/** @typedef {import('./state.js').Mark} Mark */
/** @typedef {(row: Row) => boolean} Test */

/**
 * @typedef {object} Filter
 * @property {Test} test
 * @property {boolean} empty
 * @property {{from: number, to: number, text: string}[]} unknown parts that
 *	the grammar does not have; they match everything
 */

/** @type {Record<string, Test>} */
const STATES = {
	off: (row) => row.mark === 'fault',
	on: (row) => row.mark === 'on' || row.mark === 'warn',
	backup: (row) => row.mark === 'warn',
	alarm: (row) => row.alarms.length > 0,
	disabled: (row) => row.mark === 'disabled',
};

/** @type {Record<string, (row: Row) => number>} */
const NUMBERS = {
	cc: (row) => row.cc,
	pes: (row) => row.pes,
	scr: (row) => row.sc,
	rate: (row) => row.rate / 1000,
	viewers: (row) => row.viewers,
};

/** @type {Record<string, (row: Row) => string[]>} */
const LISTS = {
	group: (row) => row.groups,
	input: (row) => row.inputs,
	output: (row) => row.outputs,
	alarm: (row) => row.alarms,
	id: (row) => [row.id],
	name: (row) => [row.name],
};

/** @type {Record<string, (a: number, b: number) => boolean>} */
const COMPARE = {
	'>': (a, b) => a > b,
	'<': (a, b) => a < b,
	'=': (a, b) => a === b,
	'>=': (a, b) => a >= b,
	'<=': (a, b) => a <= b,
};

export const STATE_WORDS = Object.keys(STATES);

const has = (/** @type {string[]} */ list, /** @type {string} */ part) =>
	list.some((text) => text.toLowerCase().includes(part));

/**
 * @param {string} word
 * @param {boolean} quoted
 * @returns {Test | undefined} undefined: the grammar has no such word
 */
function testOf(word, quoted) {
	const low = word.toLowerCase();

	if (!quoted) {
		const number = /^([a-z]+)(>=|<=|=|>|<)(.*)$/.exec(low);
		const pair = /^([a-z]+):(.+)$/.exec(low);

		if (Object.hasOwn(STATES, low))
			return STATES[low];
		if (number) {
			const [, key, sign, text] = number, value = Number(text);

			return Object.hasOwn(NUMBERS, key) && text !== '' &&
				Number.isFinite(value) ? (row) => COMPARE[sign](
					NUMBERS[key](row), value) : undefined;
		}
		// a colon is a part of addresses, too
		if (pair && Object.hasOwn(LISTS, pair[1]))
			return (row) => has(LISTS[pair[1]](row), pair[2]);
	}
	return (row) => has([row.name, row.id, ...row.groups, ...row.inputs,
		...row.outputs], low);
}

/**
 * @param {string} text
 * @returns {Filter}
 */
export function parseFilter(text) {
	/** @type {Test[]} */
	const tests = [];
	/** @type {Filter['unknown']} */
	const unknown = [];

	for (const found of text.matchAll(
		/(-?)(?:([a-z]+:)?"([^"]*)"?|(\S+))/gi)) {
		const [whole, minus, key, inside, bare] = found;
		const word = (key ?? '') + (inside ?? bare ?? '');

		if (word === '' || (word === '-' && bare !== undefined))
			continue;
		const test = testOf(word, inside !== undefined && !key);

		if (test === undefined)
			unknown.push({ from: found.index,
				to: found.index + whole.length, text: word });
		else
			tests.push(minus ? (row) => !test(row) : test);
	}
	return { empty: tests.length === 0, unknown,
		test: (row) => tests.every((test) => test(row)) };
}
