// SPDX-License-Identifier: GPL-3.0-or-later
// The last seconds of a stream, in typed arrays of one size.  Pure.

export const RING_SECONDS = 600;

const ONAIR = 1, KNOWN = 2;

export class Ring {
	#rate = new Float32Array(RING_SECONDS);
	#cc = new Uint16Array(RING_SECONDS);
	#flags = new Uint8Array(RING_SECONDS);
	#last = 0;

	/**
	 * Writes a second; the ones between it and the last one are unknown.
	 * @param {number} second Unix time
	 * @param {{onair: boolean, bitrate: number, cc_error: number}} value
	 */
	write(second, value) {
		const from = Math.max(this.#last + 1,
			second - RING_SECONDS + 1);

		if (second < this.#last)
			return; // the clock was set back: it catches up
		for (let s = from; s < second; s++)
			this.#flags[s % RING_SECONDS] = 0;
		const i = second % RING_SECONDS;

		this.#last = second;
		this.#rate[i] = value.bitrate;
		this.#cc[i] = Math.min(value.cc_error, 65535);
		this.#flags[i] = KNOWN | (value.onair ? ONAIR : 0);
	}

	/** @param {number} second */
	#has(second) {
		return second <= this.#last && second > 0 &&
			second > this.#last - RING_SECONDS &&
			(this.#flags[second % RING_SECONDS] & KNOWN) !== 0;
	}

	/**
	 * kbit/s in that second; null: unknown.
	 * @param {number} second
	 */
	rate(second) {
		return this.#has(second) ? this.#rate[second % RING_SECONDS]
			: null;
	}

	/** @param {number} second */
	cc(second) {
		return this.#has(second) ? this.#cc[second % RING_SECONDS]
			: null;
	}

	/** @param {number} second */
	onair(second) {
		return this.#has(second) ?
			(this.#flags[second % RING_SECONDS] & ONAIR) !== 0
			: null;
	}

	get last() {
		return this.#last;
	}
}
