// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of the configuration, as the service describes them in
// GET api/forms.  Pure.

/**
 * @typedef {object} Row
 * @property {string} key
 * @property {'boolean' | 'integer' | 'number' | 'text' | 'list' | 'object' |
 *	'scalar' | 'any'} type
 * @property {number} [min] of a number, of a text's bytes, of a list's items
 * @property {number} [max]
 * @property {string | number | boolean} [default]
 * @property {string[]} [choices]
 * @property {string} [item] the type of the items of a list
 * @property {Row[]} [fields] of an object, or of the items of a list
 * @property {string} [unit]
 * @property {string} [help]
 * @property {string} [needs] has no effect without this key
 * @property {string} [beside] has no effect beside this key
 * @property {boolean} [required]
 * @property {boolean} [secret]
 * @property {boolean} [restart] takes effect at the next start
 * @property {boolean} [idle] without effect
 * @property {boolean} [prefix] every key that begins so
 * @property {boolean} [repeats]
 * @property {boolean} [commas]
 * @property {boolean} [custom] the choices are a proposal
 */

/** @typedef {{type: string, target: string, options: Row[]}} AddressForm */

export class Forms {
	/** @param {Record<string, any>} reply of GET api/forms */
	constructor(reply) {
		this.reply = reply;
	}

	/**
	 * The rows of an object: "settings", "stream", "user" and others.
	 * @param {string} name
	 * @returns {Row[]}
	 */
	rows(name) {
		return this.reply[name] ?? [];
	}

	/** @param {'input' | 'output'} which @returns {string[]} */
	types(which) {
		return this.reply[which].map((/** @type {AddressForm} */ one) =>
			one.type);
	}

	/**
	 * @param {'input' | 'output'} which
	 * @param {string} type
	 */
	target(which, type) {
		/** @type {AddressForm[]} */
		const list = this.reply[which];

		return list.find((one) => one.type === type)?.target ?? '';
	}

	/**
	 * The options of a type of addresses; the first row of a key counts.
	 * @param {'input' | 'output'} which
	 * @param {string} type
	 * @returns {Row[]}
	 */
	options(which, type) {
		/** @type {AddressForm[]} */
		const list = this.reply[which];
		const own = list.find((one) => one.type === type)?.options ?? [];
		const all = which === 'output' ? own
			: [...this.rows('input_options'),
				...this.rows('remux_options'), ...own];

		return all.filter((row, i) =>
			all.findIndex((one) => one.key === row.key) === i);
	}

	/**
	 * @param {Row[]} rows
	 * @param {string} key
	 */
	find(rows, key) {
		return rows.find((row) => !row.prefix && row.key === key) ??
			rows.find((row) => row.prefix && key.startsWith(row.key) &&
				key.length > row.key.length) ?? null;
	}
}

/**
 * The rows that have all words in their key or their sentence.
 * @param {Row[]} rows
 * @param {string} text
 */
export function searchRows(rows, text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);

	return rows.filter(({ key, help = '', unit = '' }) => {
		const all = `${key} ${help} ${unit}`.toLowerCase();

		return words.every((word) => all.includes(word));
	});
}

/**
 * What a field of a row holds for a value.
 * @param {Row} row
 * @param {unknown} value
 * @returns {string}
 */
export function textOf(row, value) {
	if (value === undefined || value === null)
		return '';
	if (Array.isArray(value) && value.every((one) => typeof one === 'string' ||
		typeof one === 'number'))
		return value.join(row.type === 'list' ? '\n' : ', ');
	return typeof value === 'object' ? JSON.stringify(value, null, 2)
		: String(value);
}

/**
 * The value of what was typed; undefined: none.  A text that is no number, or
 * not written as the service would, stays a text: the service names the error.
 * @param {Row} row
 * @param {string} text
 * @returns {unknown}
 */
export function valueOf(row, text) {
	if (text === '')
		return undefined;
	switch (row.type) {
	case 'integer': case 'number': {
		const number = Number(text);

		return String(number) === text && Number.isFinite(number)
			? number : text;
	}
	case 'boolean':
		return text === 'true' ? true : text === 'false' ? false : text;
	case 'list':
		return text.split('\n').map((line) => line.trim())
			.filter((line) => line !== '');
	default:
		return text;
	}
}

/** A form of its own: the value is no text. @param {Row} row */
export function isJson(row) {
	return row.type === 'object' || (row.type === 'list' &&
		(row.fields !== undefined || (row.item !== undefined &&
			row.item !== 'text')));
}
