// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the service in the zone that the user chose.  Pure.

/** @typedef {'local' | 'utc'} Zone */

const two = (/** @type {number} */ n) => String(n).padStart(2, '0');

/**
 * The parts of a date in a zone.
 * @param {number} seconds Unix time
 * @param {Zone} zone
 */
function parts(seconds, zone) {
	const d = new Date(seconds * 1000);

	return zone === 'utc' ? {
		year: d.getUTCFullYear(), month: d.getUTCMonth() + 1,
		day: d.getUTCDate(), hour: d.getUTCHours(),
		minute: d.getUTCMinutes(), second: d.getUTCSeconds(),
	} : {
		year: d.getFullYear(), month: d.getMonth() + 1,
		day: d.getDate(), hour: d.getHours(),
		minute: d.getMinutes(), second: d.getSeconds(),
	};
}

/**
 * 14:03:12
 * @param {number} seconds
 * @param {Zone} zone
 */
export function clock(seconds, zone) {
	const p = parts(seconds, zone);

	return `${two(p.hour)}:${two(p.minute)}:${two(p.second)}`;
}

/**
 * 2026-11-26 14:03:12
 * @param {number} seconds
 * @param {Zone} zone
 */
export function dateTime(seconds, zone) {
	const p = parts(seconds, zone);

	return `${p.year}-${two(p.month)}-${two(p.day)} ` +
		clock(seconds, zone);
}

/**
 * The time alone on the day of now, otherwise with its date.
 * @param {number} seconds
 * @param {number} now
 * @param {Zone} zone
 */
export function moment(seconds, now, zone) {
	const a = dateTime(seconds, zone), b = dateTime(now, zone);

	return a.slice(0, 10) === b.slice(0, 10) ? a.slice(11) : a;
}

/**
 * Follows the difference of the service's clock to the browser's.  A reply is
 * late by its journey, so the earliest one counts.
 */
export class Skew {
	/** @type {number[]} */
	#last = [];

	/**
	 * @param {number} service Unix time in a reply, whole seconds
	 * @param {number} browser Unix time of its arrival
	 */
	note(service, browser) {
		// the service has cut the second: half of one is lost on average
		this.#last.push(service + 0.5 - browser);
		if (this.#last.length > 20)
			this.#last.shift();
	}

	/** Seconds to add to the browser's time. */
	get value() {
		if (this.#last.length === 0)
			return 0;
		const best = Math.max(...this.#last);

		return Math.abs(best) < 2 ? 0 : best;
	}
}

/**
 * A time as a field of the type datetime-local has it.
 * @param {number} seconds Unix time
 * @param {Zone} zone
 */
export function timeField(seconds, zone) {
	const time = new Date(seconds * 1000);

	if (zone === 'local')
		time.setMinutes(time.getMinutes() - time.getTimezoneOffset());
	return time.toISOString().slice(0, 16);
}

/**
 * @param {string} text of such a field; "" is no time
 * @param {Zone} zone
 * @returns {number | undefined} Unix time
 */
export function fieldTime(text, zone) {
	const ms = Date.parse(zone === 'utc' ? `${text}Z` : text);

	return Number.isNaN(ms) ? undefined : ms / 1000;
}
