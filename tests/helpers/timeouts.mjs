// SPDX-License-Identifier: GPL-3.0-or-later
// setTimeout() by a clock that the test moves.  In the mock of Node.js 18,
// clearTimeout() of a timer that ran ends another one.
export class Timeouts {
	#now = 0;
	#waiting = new Map();

	constructor(t) {
		const { setTimeout, clearTimeout } = globalThis;

		t.after(() => Object.assign(globalThis,
			{ setTimeout, clearTimeout }));
		Object.assign(globalThis, {
			setTimeout: (run, ms = 0, ...args) => {
				const timer = {};

				this.#waiting.set(timer, { at: this.#now + ms,
					run: () => run(...args) });
				return timer;
			},
			clearTimeout: (timer) => this.#waiting.delete(timer),
		});
	}

	// Runs what is due within ms, in order.
	tick(ms) {
		const end = this.#now + ms;

		for (;;) {
			const [first] = [...this.#waiting]
				.sort(([, a], [, b]) => a.at - b.at);

			if (!first || first[1].at > end)
				break;
			this.#waiting.delete(first[0]);
			this.#now = first[1].at;
			first[1].run();
		}
		this.#now = end;
	}
}
