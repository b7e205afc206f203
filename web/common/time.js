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
 * Follows the difference of the service's clock to the browser's.  The service
 * wrote its time after the request and before the reply arrived: these are the
 * bounds of the difference, and a slow reply has wide ones.
 */
export class Skew {
	/** @type {{least: number, most: number}[]} */
	#last = [];
	#differs = false;

	/**
	 * @param {number} service Unix time in a reply, whole seconds
	 * @param {number} asked Unix time of the request, of the browser
	 * @param {number} browser Unix time of the arrival
	 */
	note(service, asked, browser) {
		const { least, most } = this.#bounds();
		// the service has cut the second
		const one = { least: service - browser, most: service + 1 - asked };

		// a clock was set
		if (one.least > most || one.most < least) {
			this.#last = [];
			this.#differs = false;
		}
		this.#last.push(one);
		if (this.#last.length > 20)
			this.#last.shift();
		this.#judge();
	}

	/** The bounds depend on the fraction of the second in which the replies
	 * are written: a difference that was certain may be less so later. */
	#judge() {
		const { least, most } = this.#bounds();
		const limit = this.#differs ? 0.5 : 1.5;

		this.#differs = least >= limit || most <= -limit;
	}

	/** Bounds that no reply contradicts. */
	#bounds() {
		return { least: Math.max(...this.#last.map((one) => one.least)),
			most: Math.min(...this.#last.map((one) => one.most)) };
	}

	/** Seconds to add to the browser's time; 0: the clocks may agree. */
	get value() {
		const { least, most } = this.#bounds();

		return this.#differs ? (least + most) / 2 : 0;
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
