// SPDX-License-Identifier: GPL-3.0-or-later
// The last minute of a stream as a strip: its rate, with red where it was off
// air and amber where packets were missing.

/** @typedef {import('../common/ring.js').Ring} Ring */

const SECONDS = 60;

/** @type {Record<string, string>} */
let colours = {};
let coloursOf = '';

/** The colours of the theme; looked up once for each theme. */
function theme() {
	const style = getComputedStyle(document.documentElement);
	const key = style.getPropertyValue('--strip') +
		style.getPropertyValue('--surface');

	if (key === coloursOf)
		return colours;
	coloursOf = key;
	colours = Object.fromEntries(['strip', 'fault', 'warn-mark']
		.map((name) => [name, style.getPropertyValue(`--${name}`)]));
	return colours;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Ring} ring
 * @param {number} now
 */
export function drawStrip(canvas, ring, now) {
	const paint = canvas.getContext('2d');
	const { width, height } = canvas, step = width / SECONDS;
	const colour = theme();
	let most = 1;

	if (paint === null)
		return;
	paint.clearRect(0, 0, width, height);
	for (let s = now - SECONDS + 1; s <= now; s++)
		most = Math.max(most, ring.rate(s) ?? 0);
	for (let i = 0; i < SECONDS; i++) {
		const s = now - SECONDS + 1 + i, rate = ring.rate(s);

		if (rate === null)
			continue;
		const tall = Math.max(1, Math.round(rate / most *
			(height - 2)));

		paint.fillStyle = colour.strip;
		if (!ring.onair(s))
			paint.fillStyle = colour.fault;
		else if ((ring.cc(s) ?? 0) > 0)
			paint.fillStyle = colour['warn-mark'];
		paint.fillRect(i * step, height - tall,
			Math.max(1, step - 0.5), tall);
		if (!ring.onair(s))
			paint.fillRect(i * step, height - 3, step, 3);
	}
}
