// SPDX-License-Identifier: GPL-3.0-or-later
// How old a value may be that is shown as the present one.  Pure.

/** Beyond the pause between two requests: a reply takes time. */
const LATE_S = 2;

/**
 * True if requests or their replies are missing since.
 * @param {number} at Unix time at which the value came; 0: none came
 * @param {{now: number, frozen: boolean}} tick
 * @param {number} [every] seconds between two requests
 */
export function isOld(at, { now, frozen }, every = 1) {
	const most = every + LATE_S;

	// a clock may be set back; a frozen one is behind what comes
	return at > 0 && (now - at >= most || (!frozen && at - now >= most));
}
