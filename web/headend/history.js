// SPDX-License-Identifier: GPL-3.0-or-later
// The seconds of a stream as columns for charts.  Pure.

/** @typedef {import('../common/ring.js').Ring} Ring */

/** @type {{seconds: number, word: import('../common/words.js').Word}[]} */
export const RANGES = [{ seconds: 60, word: 'range_minute' },
	{ seconds: 600, word: 'range_minutes' },
	{ seconds: 3600, word: 'range_hour' },
	{ seconds: 86400, word: 'range_day' },
	{ seconds: 2592000, word: 'range_month' }];

/**
 * A range of the address, or the standard one.
 * @param {string | null} text
 */
export function rangeOf(text) {
	return RANGES.find(({ seconds }) => String(seconds) === text)
		?.seconds ?? 600;
}

/**
 * Writes what the service remembers.
 * @param {Ring} ring
 * @param {any} reply of GET api/history
 * @param {number} skew seconds that the service's clock is ahead
 */
export function fill(ring, { first, columns: all }, skew) {
	if (all === undefined)
		return; // too many streams: it is not recorded
	all.bitrate.forEach((/** @type {number | null} */ bitrate,
		/** @type {number} */ i) => {
		if (bitrate !== null)
			ring.write(Math.round(first + i - skew), { bitrate,
				onair: all.onair[i] === true,
				cc_error: all.cc_error[i] ?? 0,
				pes_error: all.pes_error[i] ?? 0 });
	});
}

/**
 * @param {Ring} ring
 * @param {number} now the last second
 * @param {number} seconds
 */
export function columns(ring, now, seconds) {
	const times = [], rate = [], cc = [], pes = [];
	/** @type {[number, number][]} */
	const off = [];

	for (let s = now - seconds + 1; s <= now; s++) {
		const kbps = ring.rate(s), before = off.at(-1);

		times.push(s);
		rate.push(kbps === null ? null : kbps / 1000);
		cc.push(ring.cc(s) || null);
		pes.push(ring.pes(s) || null);
		if (ring.onair(s) !== false)
			continue;
		if (before?.[1] === s)
			before[1] = s + 1;
		else
			off.push([s, s + 1]);
	}
	return { times, rate, cc, pes, off };
}
