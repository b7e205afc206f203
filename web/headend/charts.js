// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a stream: rate and errors of each second, with one range and
// one cursor.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { Ring } from '../common/ring.js';
import { clock } from '../common/time.js';
import { count, mbit } from '../common/units.js';
import { t } from '../common/words.js';
import { RANGES, columns, fill } from './history.js';
import { Plot, themeKey } from './plot.js';
import { html } from './view.js';

const HOUR_S = 3600;

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('../common/api-types').StreamStatus} Status */
/** @typedef {import('./plot.js').Mark} Mark */

/**
 * The last hour: what the service remembers, then what the events bring.
 * @param {App} app
 * @param {string} id
 */
function useHour(app, id) {
	const [hour, setHour] = useState(() => new Ring(HOUR_S));
	// minutes by which they differ: after a clock was set, times are others
	const clocks = Math.round(app.skew.value / 60);

	useEffect(() => {
		let over = false;
		const ask = async () => {
			const ring = new Ring(HOUR_S);

			try {
				fill(ring, await app.api.get(
					`api/history/${encodeURIComponent(id)}`),
				app.skew.value);
			} catch {
				// what the page has seen itself remains
			}
			if (!over)
				setHour(ring);
		};

		if (app.lostAt === null)
			ask();
		return () => {
			over = true;
		};
	}, [app, id, app.lostAt === null, clocks]);
	return hour;
}

/** @param {{app: App, stream: Stream, range: number,
 *	onRange: (range: number) => void}} props */
function Ranges({ range, onRange }) {
	return html`<span class="ranges" role="group" aria-label=${t('range')}>
		${RANGES.map(({ seconds, word }) => html`<button
			aria-pressed=${seconds === range}
			onClick=${() => onRange(seconds)}>${t(word)}</button>`)}</span>`;
}

/**
 * @param {{app: App, label: string, height: number,
 *	series: import('./plot.js').PlotOptions['series'],
 *	data: {times: number[], values: (number | null)[][], marks: Mark[],
 *	off: [number, number][]}, onCursor: (i: number | null) => void}} props
 */
function Chart({ app, label, height, series, data, onCursor }) {
	const box = useRef(/** @type {HTMLElement | null} */ (null));
	const plot = useRef(/** @type {Plot | null} */ (null));

	useLayoutEffect(() => {
		plot.current = new Plot(/** @type {HTMLElement} */ (box.current),
			{ height, series, onCursor, text: (time) =>
				clock(time + app.skew.value, app.zone) });
		return () => plot.current?.destroy();
	}, [themeKey()]);
	useLayoutEffect(() => {
		plot.current?.show(data.times, data.values, data);
	});
	const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
		if (!event.ctrlKey && !event.altKey && !event.metaKey &&
			plot.current?.press(event.key))
			event.preventDefault();
	};

	return html`<div class="plot" role="img" aria-label=${label}
		tabindex="0" onKeyDown=${onKeyDown}
		style=${{ height: `${height}px` }} ref=${box}></div>`;
}

/** @param {{app: App, stream: Stream, status: Status | null, range: number,
 *	onRange: (range: number) => void}} props */
export function Charts({ app, stream, status, range, onRange }) {
	const hour = useHour(app, stream.id);
	const cursor = useRef(/** @type {HTMLElement | null} */ (null));
	const seen = useRef(/** @type {ReturnType<typeof columns> | null} */ (
		null));
	const isKept = range <= hour.size, { skew } = app;

	hour.follow(stream.ring);
	const data = columns(hour, Math.floor(app.tick.now),
		isKept ? range : 60);
	/** @type {Mark[]} */
	const marks = [...(status?.switches ?? []).map((one) => ({
		time: one.time - skew.value,
		kind: /** @type {const} */ ('switch') })),
	...stream.marks.map((one) => ({ time: one.time - skew.value,
		kind: /** @type {const} */ ('alarm') }))];

	seen.current = data;
	const onCursor = (/** @type {number | null} */ i) => {
		const d = seen.current, place = cursor.current;

		if (place === null || d === null)
			return;
		const rate = i === null ? null : d.rate[i];

		place.textContent = i === null || rate === null ? ''
			: `${clock(d.times[i] + skew.value, app.zone)}  ${
				mbit(rate * 1000)} ${t('rate')}  CC ${count(d.cc[i] ?? 0)}` +
				`  PES ${count(d.pes[i] ?? 0)}`;
	};

	return html`<section><div class="tools"><h2>${t('charts')}</h2>
		<${Ranges} range=${range} onRange=${onRange} />
		<span class="readout mono dim" ref=${cursor}></span></div>
		${isKept ? html`<div class="plots">
		<${Chart} app=${app} height=${150} onCursor=${onCursor}
			series=${[{ colour: 'strip', fill: 'raised' }]}
			label=${t('chart_text',
				{ rate: mbit(stream.rate(app.tick.now)) })}
			data=${{ ...data, values: [data.rate], marks }} />
		<${Chart} app=${app} height=${76} onCursor=${onCursor}
			series=${[{ colour: 'warn-mark', bars: true },
				{ colour: 'accent', bars: true }]}
			label=${t('chart_errors')}
			data=${{ ...data, values: [data.cc, data.pes], marks }} />
		<p class="legend dim"><span data-kind="rate">${t('rate')}</span>
			<span data-kind="off">${t('mark_fault')}</span>
			<span data-kind="cc">CC</span>
			<span data-kind="pes">PES</span>
			<span><i class="switch">▲</i> ${t('switch')}</span>
			<span><i class="is-fault">■</i> ${t('alarm')}</span></p></div>`
			: html`<p class="dim">${t('history_none')}</p>`}
	</section>`;
}
