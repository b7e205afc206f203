// SPDX-License-Identifier: GPL-3.0-or-later
// A chart over time with marks, by uPlot.

import uPlot from '../parts/uplot.js';

/**
 * @typedef {object} Mark
 * @property {number} time
 * @property {'switch' | 'alarm'} kind
 */

/**
 * @typedef {object} PlotOptions
 * @property {number} height
 * @property {{colour: string, bars?: boolean, fill?: string}[]} series
 *	names of colours of the theme
 * @property {(time: number) => string} text of a time in the data
 * @property {(i: number | null) => void} onCursor the place in the data
 */

/** A shared cursor of all charts of a page. */
const GROUP = 'stream';
const AXIS_WIDTH = 56;

/** Changes with the theme: uPlot keeps the colours that it was given. */
export function themeKey() {
	return colour('strip') + colour('surface');
}

/** @param {string} name */
function colour(name) {
	return getComputedStyle(document.documentElement)
		.getPropertyValue(`--${name}`).trim();
}

/**
 * Round steps from 0.
 * @param {uPlot} _plot
 * @param {number} _min
 * @param {number} max
 * @returns {[number, number]}
 */
function fromZero(_plot, _min, max) {
	return [0, Math.max(max * 1.1, 1)];
}

/** @param {PlotOptions['series'][0]} one @returns {uPlot.Series} */
function seriesOf({ colour: name, bars, fill }) {
	return { stroke: () => colour(name), width: bars ? 0 : 1,
		fill: () => colour(fill ?? name), points: { show: false },
		paths: bars ? uPlot.paths.bars?.({ size: [1, 6] })
			: uPlot.paths.stepped?.({ align: 1 }) };
}

export class Plot {
	/** @type {Mark[]} */
	#marks = [];
	/** From and to, of the times without a picture.
	 * @type {[number, number][]} */
	#off = [];

	/**
	 * @param {HTMLElement} box
	 * @param {PlotOptions} options
	 */
	constructor(box, { height, series, text, onCursor }) {
		/** @type {uPlot.Axis} */
		const axis = { stroke: () => colour('dim'), size: AXIS_WIDTH,
			font: '11px system-ui, sans-serif', gap: 4,
			ticks: { show: false },
			grid: { stroke: () => colour('line'), width: 1 } };

		this.plot = new uPlot({ width: box.clientWidth || 600, height,
			padding: [12, 26, 0, 0], legend: { show: false },
			cursor: { sync: { key: GROUP }, y: false,
				points: { show: false },
				drag: { x: false, y: false } },
			scales: { y: { range: fromZero } },
			axes: [{ ...axis, size: 22, grid: { show: false },
				values: (_, times) => times.map(text) }, axis],
			series: [{}, ...series.map(seriesOf)],
			hooks: { drawClear: [() => this.#drawOff()],
				draw: [() => this.#drawMarks()],
				setCursor: [(plot) => onCursor(
					plot.cursor.idx ?? null)] },
		}, /** @type {any} */ ([[], ...series.map(() => [])]), box);
		this.watch = new ResizeObserver(() => this.plot.setSize(
			{ width: box.clientWidth, height }));
		this.watch.observe(box);
	}

	/**
	 * @param {number[]} times
	 * @param {(number | null)[][]} values of each series
	 * @param {{marks: Mark[], off: [number, number][]}} more
	 */
	show(times, values, { marks, off }) {
		this.#marks = marks;
		this.#off = off;
		this.plot.setData(/** @type {any} */ ([times, ...values]), false);
		this.plot.setScale('x', { min: times[0], max: times.at(-1) ?? 0 });
	}

	/**
	 * Moves the cursor, as the pointer does.
	 * @param {string} key
	 * @returns {boolean} it is one of these keys
	 */
	press(key) {
		const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10,
			PageDown: 10, Home: -Infinity, End: Infinity };
		const [times] = this.plot.data, last = times.length - 1;

		if (!Object.hasOwn(steps, key) || last < 0)
			return false;
		const to = (this.plot.cursor.idx ?? last) +
			steps[/** @type {keyof typeof steps} */ (key)];

		// the other charts follow with the third argument, which the types
		// do not have
		/** @type {any} */ (this.plot).setCursor({ top: 0,
			left: this.plot.valToPos(
				times[Math.min(Math.max(to, 0), last)], 'x') },
		true, true);
		return true;
	}

	#drawOff() {
		const { ctx, bbox } = this.plot;

		ctx.save();
		ctx.fillStyle = colour('fault-soft');
		for (const [from, to] of this.#off) {
			const x = this.plot.valToPos(from, 'x', true);

			ctx.fillRect(x, bbox.top, Math.max(1,
				this.plot.valToPos(to, 'x', true) - x), bbox.height);
		}
		ctx.restore();
	}

	#drawMarks() {
		const { ctx, bbox } = this.plot, size = 8 * devicePixelRatio;

		ctx.save();
		for (const { time, kind } of this.#marks) {
			const x = this.plot.valToPos(time, 'x', true);

			if (!(x >= bbox.left && x <= bbox.left + bbox.width))
				continue;
			ctx.fillStyle = colour(kind === 'alarm' ? 'fault'
				: 'accent');
			ctx.globalAlpha = 0.4;
			ctx.fillRect(x, bbox.top, devicePixelRatio, bbox.height);
			ctx.globalAlpha = 1;
			ctx.beginPath();
			if (kind === 'alarm') {
				ctx.rect(x - size / 2, bbox.top - size, size, size);
			} else {
				ctx.moveTo(x, bbox.top - size);
				ctx.lineTo(x + size / 2, bbox.top);
				ctx.lineTo(x - size / 2, bbox.top);
			}
			ctx.fill();
		}
		ctx.restore();
	}

	destroy() {
		this.watch.disconnect();
		this.plot.destroy();
	}
}
