// SPDX-License-Identifier: GPL-3.0-or-later
// The wall: what is wrong, and a tile for each stream.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { pref } from '../common/prefs.js';
import { age, count, rateSum } from '../common/units.js';
import { t } from '../common/words.js';
import { sectionsOf } from './groups.js';
import { href } from './route.js';
import { fit } from './sizes.js';
import { Tiles } from './tiles.js';
import { Empty, Foreign, MarkSign, html, useTick } from './view.js';
import { sums, wrongNow } from './wrong.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./sizes.js').Size} Size */

const LINES = 5;

/** @param {{app: App}} props */
function Summary({ app }) {
	useTick(app);
	const { marks, rate, viewers } = sums(app.store, app.tick.now);
	const system = app.store.overview?.system;
	const cpu = system ? system.sys_cpu_usage / system.cpu_cores : 0;
	const faults = marks.fault + marks.change + marks.stale;

	return html`<div class="summary">
		<span><b>${count(marks.on + marks.warn)}</b> ${t('on_air_n')}</span>
		<a class=${faults > 0 ? 'is-fault' : ''}
			href=${href('streams', '', { filter: 'off' })}>
			<b>${count(faults)}</b> ${t('faults_n')}</a>
		<a class=${marks.warn > 0 ? 'is-warn' : ''}
			href=${href('streams', '', { filter: 'backup' })}>
			<b>${count(marks.warn)}</b> ${t('mark_warn')}</a>
		${marks.wait > 0 && html`<span><b>${count(marks.wait)}</b>
			${' '}${t('mark_wait')}</span>`}
		<span><b>${count(marks.disabled)}</b> ${t('disabled_n')}</span>
		<span class="apart">${t('rate_in')} <b>${rateSum(rate)}</b></span>
		<span><b>${count(viewers)}</b> ${t('viewers_n')}</span>
		<span class="apart">${t('cpu')} <b>${Math.round(cpu)} %</b></span>
		<span>RAM <b>${system?.sys_mem_usage ?? 0} %</b></span>
	</div>`;
}

/** @param {{app: App}} props */
function WrongNow({ app }) {
	useTick(app);
	const all = wrongNow(app.store, app.tick.now);
	const lines = all.slice(0, all.length > LINES ? LINES - 1 : LINES);

	return html`<section class="wrong" aria-label=${t('wrong_now')}>
		${all.length === 0 && html`<p class="calm">
			${t('nothing_wrong')}</p>`}
		<ul>${lines.map((one) => html`<li key=${one.key}>
			<${MarkSign} mark=${one.mark} />
			${one.id === '' ? html`<b><${Foreign} text=${one.title} /></b>`
				: html`<a href=${href('stream', one.id)}>
				<${Foreign} text=${one.title} /></a>`}
			<span class="why" title=${one.reason}>
				<${Foreign} text=${one.reason} /></span>
			<time>${one.since > 0 ? t('off_air_for',
				{ age: age(app.now - one.since) }) : ''}</time>
		</li>`)}</ul>
		${all.length > lines.length && html`<a class="more"
			href=${href('streams', '', { sort: 'state' })}>
			${t('more', { n: all.length - lines.length })}</a>`}
	</section>`;
}

/** The size of the tiles and the room for them. @param {App} app
 * @param {number[]} counts */
function useSize(app, counts) {
	const box = useRef(/** @type {HTMLElement | null} */ (null));
	const [size, setSize] = useState(/** @type {Size} */ ('s'));
	const chosen = pref('tiles', 'auto');
	const key = counts.join();

	useLayoutEffect(() => {
		const measure = () => {
			const place = /** @type {HTMLElement} */ (box.current)
				.getBoundingClientRect();

			setSize(chosen !== 'auto' ? /** @type {Size} */ (chosen)
				: fit(counts, place.width, innerHeight -
					(place.top + scrollY) - 16));
		};

		measure();
		addEventListener('resize', measure);
		return () => removeEventListener('resize', measure);
	}, [chosen, key]);
	return /** @type {const} */ ([box, size]);
}

/** @param {{app: App}} props */
function Grid({ app }) {
	const { store } = app;
	const sections = sectionsOf(store.streams.values(),
		store.config.categories ?? [],
		{ all: t('all_streams'), rest: t('ungrouped') });
	const [box, size] = useSize(app,
		sections.map((section) => section.streams.length));
	const tiles = useRef(/** @type {Tiles | null} */ (null));

	useLayoutEffect(() => {
		tiles.current ??= new Tiles(
			/** @type {HTMLElement} */ (box.current));
		tiles.current.build(sections, size);
		tiles.current.update(app.tick.now, false);
	}, [store, store.shape, size, document.documentElement.lang]);
	useEffect(() => app.tick.add((now) =>
		tiles.current?.update(now, app.lostAt !== null)), [app]);
	return html`<div class="grid" ref=${box}></div>`;
}

/** @param {{app: App}} props */
function FirstStream({ app }) {
	const line = 'curl -u LOGIN -d \'{"cmd":"set-stream","stream":' +
		'{"id":"news","name":"News","type":"spts","enable":true,' +
		'"input":["udp://239.1.1.1:1234"],' +
		`"output":["http://0.0.0.0:8100/news"]}}' ${app.api.url('control/')}`;

	return html`<${Empty} title=${t('empty_wall')}>
		${app.isControl && html`<p><a class="button primary"
			href=${href('new')}>${t('new_stream')}</a></p>`}
		<p>${t('empty_wall_next')}</p><pre tabindex="0">${line}</pre><//>`;
}

/** @param {{app: App}} props */
export function Wall({ app }) {
	const chosen = pref('tiles', 'auto');

	return html`<div class="wall">
		<h1 class="hidden">${t('wall')}</h1>
		<div class="wall-head"><${Summary} app=${app} />
			<label class="tile-size">${t('size')}
			<select onChange=${(/** @type {any} */ event) =>
				app.choose('tiles', event.target.value)}>
				${['auto', 's', 'm', 'l'].map((size) => html`
				<option value=${size} selected=${size === chosen}>
				${size === 'auto' ? t('size_auto')
					: size.toUpperCase()}</option>`)}
			</select></label></div>
		<${WrongNow} app=${app} />
		${app.store.streams.size === 0 ?
			html`<${FirstStream} app=${app} />` :
			html`<${Grid} app=${app} />`}
	</div>`;
}
