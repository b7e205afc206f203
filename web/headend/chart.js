// SPDX-License-Identifier: GPL-3.0-or-later
// The bit rate of the last ten minutes, on a canvas.

import { useLayoutEffect, useRef } from '../parts/hooks.js';
import { RING_SECONDS } from '../common/ring.js';
import { clock } from '../common/time.js';
import { ceiling, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/store.js').Stream} Stream */

const HEIGHT = 120, LEFT = 56, FOOT = 18;

/**
 * @param {CanvasRenderingContext2D} paint
 * @param {{width: number, top: number, now: number, app: App,
 *	colour: (name: string) => string}} plan
 */
function drawAxes(paint, { width, top, now, app, colour }) {
	const high = HEIGHT - FOOT;

	paint.font = `11px ${getComputedStyle(document.body).fontFamily}`;
	paint.textBaseline = 'middle';
	paint.strokeStyle = colour('--line');
	paint.fillStyle = colour('--dim');
	for (let i = 0; i <= 2; i++) {
		const y = Math.round((high - 8) * i / 2) + 6.5;

		paint.beginPath();
		paint.moveTo(LEFT, y);
		paint.lineTo(width, y);
		paint.stroke();
		paint.textAlign = 'right';
		paint.fillText(String(+(top * (2 - i) / 2).toPrecision(3)),
			LEFT - 6, y);
	}
	paint.textAlign = 'center';
	for (let s = now - now % 120; s > now - RING_SECONDS; s -= 120) {
		const x = LEFT + (width - LEFT) *
			(1 - (now - s) / RING_SECONDS);

		if (x > LEFT + 20 && x < width - 20)
			paint.fillText(clock(s, app.zone).slice(0, 5), x,
				HEIGHT - 6);
	}
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {App} app
 * @param {Stream} stream
 */
function draw(canvas, app, stream) {
	const width = canvas.clientWidth, dots = devicePixelRatio || 1;
	const style = getComputedStyle(document.documentElement);
	const colour = (/** @type {string} */ name) =>
		style.getPropertyValue(name);
	const paint = canvas.getContext('2d');
	const now = Math.floor(app.tick.now), { ring } = stream;
	let most = 0;

	if (paint === null || width === 0)
		return;
	if (canvas.width !== Math.round(width * dots)) {
		canvas.width = Math.round(width * dots);
		canvas.height = HEIGHT * dots;
	}
	for (let s = now - RING_SECONDS; s <= now; s++)
		most = Math.max(most, ring.rate(s) ?? 0);
	const top = ceiling(most), high = HEIGHT - FOOT;
	const step = (width - LEFT) / RING_SECONDS;

	paint.setTransform(dots, 0, 0, dots, 0, 0);
	paint.clearRect(0, 0, width, HEIGHT);
	drawAxes(paint, { width, top, now, app, colour });
	for (let i = 0; i < RING_SECONDS; i++) {
		const s = now - RING_SECONDS + 1 + i, rate = ring.rate(s);

		if (rate === null)
			continue;
		const tall = rate / 1000 / top * (high - 8);

		paint.fillStyle = colour(!ring.onair(s) ? '--fault'
			: (ring.cc(s) ?? 0) > 0 ? '--warn-mark' : '--strip');
		paint.fillRect(LEFT + i * step, high - 2 - tall,
			Math.max(step, 1), Math.max(tall, 2));
	}
}

/** @param {{app: App, stream: Stream}} props */
export function Chart({ app, stream }) {
	const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));

	useLayoutEffect(() => {
		if (canvas.current)
			draw(canvas.current, app, stream);
	});
	return html`<section><h2>${t('charts')}
		<span class="dim">${t('rate')}</span></h2>
		<canvas class="chart" ref=${canvas} role="img"
			aria-label=${t('chart_text',
				{ rate: mbit(stream.rate(app.tick.now)) })}></canvas>
	</section>`;
}
