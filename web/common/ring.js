// SPDX-License-Identifier: GPL-3.0-or-later
// The last seconds of a stream, in typed arrays of one size.  Pure.

export const RING_SECONDS = 600;

const ONAIR = 1, KNOWN = 2;

export class Ring {
	/** @type {Float32Array} */
	#rate;
	/** @type {Uint16Array} */
	#cc;
	/** @type {Uint16Array} */
	#pes;
	/** @type {Uint8Array} */
	#flags;
	#last = 0;

	/** @param {number} [size] seconds */
	constructor(size = RING_SECONDS) {
		this.size = size;
		this.#rate = new Float32Array(size);
		this.#cc = new Uint16Array(size);
		this.#pes = new Uint16Array(size);
		this.#flags = new Uint8Array(size);
	}

	/**
	 * Writes a second; the ones between it and the last one are unknown.
	 * @param {number} second Unix time
	 * @param {{onair: boolean, bitrate: number, cc_error: number,
	 *	pes_error: number}} value
	 */
	write(second, value) {
		const from = Math.max(this.#last + 1,
			second - this.size + 1);

		// the clock was set back
		if (second < this.#last - 5)
			this.#flags.fill(0);
		else if (second < this.#last)
			return; // it catches up
		for (let s = from; s < second; s++)
			this.#flags[s % this.size] = 0;
		const i = second % this.size;

		this.#last = second;
		this.#rate[i] = value.bitrate;
		this.#cc[i] = Math.min(value.cc_error, 65535);
		this.#pes[i] = Math.min(value.pes_error, 65535);
		this.#flags[i] = KNOWN | (value.onair ? ONAIR : 0);
	}

	/** @param {number} second */
	#has(second) {
		return second <= this.#last && second > 0 &&
			second > this.#last - this.size &&
			(this.#flags[second % this.size] & KNOWN) !== 0;
	}

	/**
	 * kbit/s in that second; null: unknown.
	 * @param {number} second
	 */
	rate(second) {
		return this.#has(second) ? this.#rate[second % this.size]
			: null;
	}

	/** @param {number} second */
	cc(second) {
		return this.#has(second) ? this.#cc[second % this.size]
			: null;
	}

	/** @param {number} second */
	pes(second) {
		return this.#has(second) ? this.#pes[second % this.size]
			: null;
	}

	/** @param {number} second */
	onair(second) {
		return this.#has(second) ?
			(this.#flags[second % this.size] & ONAIR) !== 0
			: null;
	}

	/**
	 * Copies the seconds of another ring that are newer than the own ones.
	 * @param {Ring} other
	 */
	follow(other) {
		const from = Math.max(this.#last,
			other.last - other.size) + 1;

		for (let s = from; s <= other.last; s++) {
			const bitrate = other.rate(s);

			if (bitrate !== null)
				this.write(s, { bitrate,
					onair: other.onair(s) ?? false,
					cc_error: other.cc(s) ?? 0,
					pes_error: other.pes(s) ?? 0 });
		}
	}

	get last() {
		return this.#last;
	}
}
