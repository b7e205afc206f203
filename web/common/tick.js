// SPDX-License-Identifier: GPL-3.0-or-later
// Draws once a second, at the same moment for all views, in one frame.

/** @typedef {(now: number) => void} Draw */

const BEHIND_MS = 150; // behind the full second: the events have come

export class Tick {
	/** @type {Set<Draw>} */
	#draws = new Set();
	/** @type {Set<Draw>} of clocks, which a frozen display keeps */
	#clocks = new Set();
	#frozen = false;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#timer;

	/** Unix time of the last draw, in seconds. */
	now = Date.now() / 1000;
	frozenAt = 0;

	start() {
		document.addEventListener('visibilitychange', () => {
			if (!document.hidden)
				this.draw();
		});
		this.#wait();
	}

	#wait() {
		const ms = 1000 - (Date.now() - BEHIND_MS) % 1000;

		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			if (!document.hidden)
				requestAnimationFrame(() => this.draw());
			this.#wait();
		}, ms);
	}

	draw() {
		const now = Date.now() / 1000;

		for (const draw of this.#clocks)
			draw(now);
		if (this.#frozen)
			return;
		this.now = now;
		for (const draw of this.#draws)
			draw(now);
	}

	/** @param {Draw} draw */
	add(draw) {
		this.#draws.add(draw);
		return () => this.#draws.delete(draw);
	}

	/** @param {Draw} draw */
	addClock(draw) {
		this.#clocks.add(draw);
		return () => this.#clocks.delete(draw);
	}

	get frozen() {
		return this.#frozen;
	}

	set frozen(frozen) {
		this.#frozen = frozen;
		this.frozenAt = Date.now() / 1000;
		this.draw();
	}
}
