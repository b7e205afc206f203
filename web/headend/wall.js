// SPDX-License-Identifier: GPL-3.0-or-later
// The wall: what is wrong, and a tile for each stream.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { pref } from '../common/prefs.js';
import { shown } from '../common/text.js';
import { clock } from '../common/time.js';
import { age, count, rateSum } from '../common/units.js';
import { t } from '../common/words.js';
import { chosenFirst, sectionsOf } from './groups.js';
import { href, replaceQuery } from './route.js';
import { useNeighbours } from './servers.js';
import { fit } from './sizes.js';
import { Tiles } from './tiles.js';
import { Empty, Foreign, MarkSign, html, useKept, useTick } from './view.js';
import { sums, wrongEverywhere, wrongNow } from './wrong.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./sizes.js').Size} Size */
/** @typedef {import('./servers.js').Neighbour} Neighbour */
/** @typedef {import('./siren.js').Siren} Siren */
/** @typedef {import('../common/headend.js').Headend} Headend */

const LINES = 5;
const SOUND_MS = 1000;

/** @param {App} app @param {Neighbour[]} neighbours @param {number} now */
function allWrong(app, neighbours, now) {
	return wrongEverywhere(wrongNow(app.store, now, app.skew.value),
		neighbours, now, { refused: t('login_refused'),
			unreachable: t('unreachable_short') });
}

/**
 * The sound follows the events: a display that is frozen, hidden or covered is
 * not drawn.
 * @param {App} app
 * @param {Neighbour[]} neighbours
 * @param {Siren | null} siren
 */
function useSound(app, neighbours, siren) {
	useEffect(() => {
		if (siren === null)
			return undefined;
		const headends = [app.home, ...neighbours.map(
			({ headend }) => headend)];
		let isOver = false, heardMs = -Infinity;
		const hear = async (/** @type {Headend} */ headend) => {
			const { overviewTime } = headend.store;

			// the clock of a hidden page rests
			if (document.hidden)
				await headend.everySecond();
			const isSame = overviewTime === headend.store.overviewTime;

			if (isOver || (isSame &&
				performance.now() - heardMs < SOUND_MS))
				return;
			heardMs = performance.now();
			siren.hear(allWrong(app, neighbours, Date.now() / 1000));
		};
		// a browser slows the timers of a hidden page down
		const ends = headends.map((headend) =>
			headend.listen(() => hear(headend)));
		const timer = setInterval(() => headends.forEach(hear), SOUND_MS);

		hear(app.home);
		return () => {
			isOver = true;
			clearInterval(timer);
			ends.forEach((end) => end());
		};
	}, [app, neighbours, siren]);
}

/** @param {{app: App}} props */
function Summary({ app }) {
	useTick(app);
	const { marks, rate, viewers, system } = useKept(app, () => ({
		...sums(app.store, app.tick.now),
		system: app.store.overview?.system }));
	const cpu = system ? system.sys_cpu_usage / system.cpu_cores : 0;

	return html`<div class="summary">
		<span><b>${count(marks.on + marks.warn)}</b> ${t('on_air_n')}
			${' '}<span class=${marks.warn > 0 ? '' : 'none'}>(<a
				class="is-warn"
				href=${href('streams', '', { filter: 'backup' })}>
				<b>${count(marks.warn)}</b> ${t('mark_warn')}</a>)</span></span>
		<a class=${marks.fault > 0 ? 'is-fault' : ''}
			href=${href('streams', '', { filter: 'off' })}>
			<b>${count(marks.fault)}</b> ${t('faults_n')}</a>
		<span><b>${count(marks.disabled)}</b> ${t('disabled_n')}</span>
		<span class="apart">${t('rate_in')}
			${' '}<b class="rate">${rateSum(rate)}</b></span>
		<span>${t('viewers')}
			${' '}<b class="many">${count(viewers)}</b></span>
		<span class="apart">${t('cpu')}
			${' '}<b class="share">${Math.round(cpu)} %</b></span>
		<span>${t('ram')} <b class="share">${system?.sys_mem_usage ?? 0} %</b>
			</span>
		${/** @type {const} */ (['change', 'stale', 'wait']).map((mark) =>
			marks[mark] > 0 && html`<span><b>${count(marks[mark])}</b>
			${' '}${t(`mark_${mark}`)}</span>`)}
	</div>`;
}

/** @param {{one: import('./wrong.js').Wrong}} props */
function Culprit({ one }) {
	const title = html`<${Foreign} text=${one.place
		? `${one.place}: ${one.title}` : one.title} />`;

	if (one.id === '')
		return html`<b>${title}</b>`;
	return one.base ? html`<a href=${one.base + href('stream', one.id)}
		target="_blank" rel="noreferrer">${title}</a>`
		: html`<a href=${href('stream', one.id)}>${title}</a>`;
}

/** @param {{app: App, neighbours: Neighbour[]}} props */
function WrongNow({ app, neighbours }) {
	useTick(app);
	const { all, now } = useKept(app, () => ({ now: Date.now() / 1000,
		all: allWrong(app, neighbours, app.tick.now) }));
	const lines = all.slice(0, all.length > LINES ? LINES - 1 : LINES);

	return html`<section class="wrong" aria-label=${t('wrong_now')}>
		${all.length === 0 && html`<p class="calm">
			${t('nothing_wrong')}</p>`}
		<ul>${lines.map((one) => html`<li key=${one.key}>
			<${MarkSign} mark=${one.mark} />
			<${Culprit} one=${one} />
			<span class="why" title=${one.reason}>
				<${Foreign} text=${one.reason} /></span>
			<time>${one.since > 0 ? t('off_air_for',
				{ age: age(now - one.since) }) : ''}</time>
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

/**
 * @param {{app: App, headend: Headend, by: string, base?: string,
 *	others?: number[]}} props others: numbers of tiles of other headends,
 *	which share the screen
 */
function Grid({ app, headend, by, base = '', others = [] }) {
	const { store } = headend;
	const sections = sectionsOf(store.streams.values(),
		chosenFirst(store.config.categories ?? [], by),
		{ all: t('all_streams'), rest: t('ungrouped') });
	const [box, size] = useSize(app, [...others,
		...sections.map((section) => section.streams.length)]);
	const tiles = useRef(/** @type {Tiles | null} */ (null));

	useLayoutEffect(() => {
		// whatever draws it again
		if (app.tick.frozen && tiles.current?.isEmpty === false)
			return;
		tiles.current ??= new Tiles(
			/** @type {HTMLElement} */ (box.current), base);
		tiles.current.build(sections, size, app.tick.now);
	}, [store, store.shape, size, by, document.documentElement.lang,
		app.tick.frozen]);
	useEffect(() => app.tick.add((now) =>
		tiles.current?.update(now, headend.lostAt !== null)),
	[app, headend]);
	return html`<div class="grid" ref=${box}></div>`;
}

/** @param {{app: App, neighbour: Neighbour, by: string,
 *	others: number[]}} props */
function Other({ app, neighbour, by, others }) {
	const { name, base, headend, again } = neighbour;
	const { lostAt, live } = headend, isRefused = live.state === 'refused';
	const size = useKept(app, () => headend.store.streams.size);
	const mark = lostAt !== null ? 'stale' : live.state === 'open' ? 'on'
		: 'change';

	return html`<section class="other" data-stale=${lostAt !== null}>
		<h2><a href=${base} target="_blank" rel="noreferrer">
			<${Foreign} text=${name} /></a>
			<span class="mark live" data-mark=${mark}>
			<span class="mark-word">${isRefused ? t('login_refused')
				: lostAt !== null ? t('unreachable_since',
					{ time: clock(lostAt + app.skew.value, app.zone) })
				: live.state === 'open' ? t('connected')
					: t('loading')}</span></span>
			${isRefused && html`<button onClick=${again}>
				${t('try_again')}</button>`}
			<span class="dim">${t('streams_count',
				{ n: count(size) })}</span></h2>
		<${Grid} app=${app} headend=${headend} by=${by} base=${base}
			others=${others} /></section>`;
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

/** @param {{app: App, by: string, onSiren: (siren: Siren | null) => void,
 *	siren: Siren | null}} props */
function Tools({ app, by, siren, onSiren }) {
	const chosen = pref('tiles', 'auto');
	const categories = app.store.config.categories ?? [];
	const full = () => document.documentElement.requestFullscreen();
	const sound = async () => {
		if (siren)
			return onSiren(null);
		// within the click: a browser allows no other sound
		const audio = new AudioContext();

		audio.resume();
		try {
			const { Siren } = await import('./siren.js');

			onSiren(new Siren(audio));
		} catch {
			audio.close();
			app.say(t('not_loaded'), true);
		}
	};

	return html`<div class="wall-tools">
		${categories.length > 1 && html`<label class="tile-size">
			${t('category')}
			<select disabled=${app.tick.frozen}
				onChange=${(/** @type {any} */ event) => replaceQuery(
					'wall', '', { by: event.target.value })}>
				${categories.map(({ name }) => html`<option value=${name}
					selected=${name === by}>${shown(name)}</option>`)}
			</select></label>`}
		<label class="tile-size">${t('size')}
			<select disabled=${app.tick.frozen}
				onChange=${(/** @type {any} */ event) =>
					app.choose('tiles', event.target.value)}>
				${['auto', 's', 'm', 'l'].map((size) => html`
				<option value=${size} selected=${size === chosen}>
				${size === 'auto' ? t('size_auto')
					: size.toUpperCase()}</option>`)}
			</select></label>
		<button aria-pressed=${siren !== null} onClick=${sound}
			title=${t('sound_help')}>${t('sound')}</button>
		<button class="full" onClick=${full}>${t('full_screen')}</button>
	</div>`;
}

/** @param {{app: App}} props */
export function Wall({ app }) {
	const [siren, setSiren] = useState(/** @type {Siren | null} */ (null));
	const neighbours = useNeighbours(app);
	const by = app.route.query.get('by') ?? '';
	const isEmpty = useKept(app, () => app.store.streams.size === 0);
	const sizes = [{ headend: app.home }, ...neighbours].map(
		({ headend }) => headend.store.streams.size);

	useSound(app, neighbours, siren);
	useEffect(() => () => siren?.end(), [siren]);
	return html`<div class="wall">
		<h1 class="hidden">${t('wall')}</h1>
		<div class="wall-head"><${Summary} app=${app} />
			<${Tools} app=${app} by=${by} siren=${siren}
				onSiren=${setSiren} /></div>
		<${WrongNow} app=${app} neighbours=${neighbours} />
		${isEmpty ? html`<${FirstStream} app=${app} />` :
			html`<${Grid} app=${app} headend=${app.home} by=${by}
				others=${sizes.slice(1)} />`}
		${neighbours.map((neighbour, i) => html`<${Other}
			key=${neighbour.base} app=${app} neighbour=${neighbour} by=${by}
			others=${sizes.filter((_, n) => n !== i + 1)} />`)}
	</div>`;
}
