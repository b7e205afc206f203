// SPDX-License-Identifier: GPL-3.0-or-later
// A tone for each new fault, on request.

/** @typedef {import('./wrong.js').Wrong} Wrong */

/**
 * The faults that were not there before.
 * @param {Set<string> | null} before null: nothing was known
 * @param {Wrong[]} now
 */
export function newFaults(before, now) {
	return before === null ? [] : now.filter((one) =>
		one.mark === 'fault' && !before.has(one.key));
}

export class Siren {
	/** @type {Set<string> | null} */
	#known = null;

	/** @param {AudioContext} audio */
	constructor(audio) {
		this.audio = audio;
		// so that the volume can be judged
		this.#tone();
	}

	/** Two tones, half a second. */
	#tone() {
		const { audio } = this, at = audio.currentTime;

		[880, 660].forEach((hertz, i) => {
			const tone = audio.createOscillator();
			const volume = audio.createGain();

			tone.frequency.value = hertz;
			volume.gain.value = 0.2;
			tone.connect(volume).connect(audio.destination);
			tone.start(at + i * 0.25);
			tone.stop(at + i * 0.25 + 0.2);
		});
	}

	/** @param {Wrong[]} list what is wrong now */
	hear(list) {
		if (newFaults(this.#known, list).length > 0)
			this.#tone();
		this.#known = new Set(list.filter((one) =>
			one.mark === 'fault').map((one) => one.key));
	}

	end() {
		this.audio.close();
	}
}
