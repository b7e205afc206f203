// SPDX-License-Identifier: GPL-3.0-or-later
// A hand that clicks twice does a thing once.

/**
 * A function that does nothing while its last call runs.
 * @template {unknown[]} A
 * @param {(...args: A) => unknown} run
 * @param {(isBusy: boolean) => void} onBusy hears when a call begins and ends
 * @returns {(...args: A) => Promise<void>}
 */
export function once(run, onBusy) {
	let isBusy = false;
	const set = (/** @type {boolean} */ now) => {
		isBusy = now;
		onBusy(now);
	};

	return async (...args) => {
		if (isBusy)
			return;
		set(true);
		try {
			await run(...args);
		} finally {
			set(false);
		}
	};
}
