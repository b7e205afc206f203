// SPDX-License-Identifier: GPL-3.0-or-later
// The log of the service, as it grows.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { moment } from '../common/time.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { streamOf } from './place.js';
import { href, replaceQuery } from './route.js';
import { addStyle } from './style.js';
import { Empty, Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} Line
 * @property {number} n
 * @property {number} time
 * @property {number} ms
 * @property {'error' | 'warning' | 'info' | 'debug'} level
 * @property {string} where
 * @property {string} text
 */

const LEVELS = ['error', 'warning', 'info', 'debug'];
const LINES_MAX = 500; // in the document

/**
 * The lines that match, from the service.  An event tells that there are new
 * ones; a frozen display asks for them when it continues.
 * @param {App} app
 * @param {string} query
 * @param {string} level
 */
function useLines(app, query, level) {
	const [lines, setLines] = useState(/** @type {Line[] | null} */ (null));

	useEffect(() => {
		const wanted = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
		/** @type {number | null} */
		let last = null;
		let busy = false, over = false, wants = true;
		const ask = async () => {
			if (busy || over || !wants || app.lostAt !== null ||
				app.tick.frozen)
				return;
			busy = true;
			wants = false;
			try {
				const since = last === null ? ''
					: `&since=${last}`;
				const reply = await app.api.get(`api/log?limit=` +
					`${LINES_MAX}&level=${level}${query}${since}`);

				if (over)
					return;

				const isFirst = last === null;

				last = reply.last;
				if (isFirst || reply.lines.length > 0)
					setLines((was) => [...isFirst ? [] : was ?? [],
						...reply.lines].slice(-LINES_MAX));
			} catch {
				// the next tick tries again
				wants = true;
				busy = false;
				return;
			}
			busy = false;
			ask();
		};
		const endEvents = app.home.listen((message) => {
			if (message.scope !== 'log' || !(message.dropped > 0 ||
				message.lines.some((/** @type {Line} */ line) =>
					wanted.includes(line.level))))
				return;
			wants = true;
			ask();
		});
		// after a lost connection events are missing
		const endTick = app.tick.add(() => {
			wants ||= app.lostAt !== null;
			ask();
		});

		setLines(null);
		ask();
		return () => {
			over = true;
			endEvents();
			endTick();
		};
	}, [app, query, level]);
	return lines;
}

/** @param {{app: App, line: Line}} props */
function LogLine({ app, line }) {
	const place = streamOf(line.where);
	const stamp = `${moment(line.time, app.now, app.zone)}.` +
		String(line.ms).padStart(3, '0');

	return html`<li data-level=${line.level}><time>${stamp}</time>
		<span class="level">${line.level}</span>
		${place !== null && app.store.streams.has(place.id)
			? html`<a href=${href('stream', place.id,
				{ input: place.input })}>
				<${Foreign} text=${line.where} /></a>`
			: html`<span><${Foreign} text=${line.where} /></span>`}
		<span><${Foreign} text=${line.text} /></span></li>`;
}

/**
 * Stays at the end, unless somebody has scrolled up.
 * @param {Line[]} lines
 */
function useFollow(lines) {
	const box = useRef(/** @type {HTMLElement | null} */ (null));
	const follows = useRef(true), seen = useRef(0);
	const [news, setNews] = useState(0);
	const last = lines.at(-1)?.n ?? 0;
	const toEnd = () => {
		if (box.current)
			box.current.scrollTop = box.current.scrollHeight;
	};

	useLayoutEffect(() => {
		if (follows.current) {
			toEnd();
			seen.current = last;
		}
		setNews(lines.filter((line) => line.n > seen.current).length);
	}, [last]);
	const onScroll = () => {
		const element = /** @type {HTMLElement} */ (box.current);

		follows.current = element.scrollTop + element.clientHeight >
			element.scrollHeight - 30;
		if (follows.current) {
			seen.current = last;
			setNews(0);
		}
	};

	return { box, onScroll, news, toEnd };
}

/** @param {{app: App, lines: Line[]}} props */
function Lines({ app, lines }) {
	addStyle('log.css');
	const { box, onScroll, news, toEnd } = useFollow(lines);

	return html`<div class="log" ref=${box} tabindex="0" onScroll=${onScroll}
		role="region" aria-label=${t('log')}>
		<ul>${lines.map((line) => html`<${LogLine} key=${line.n}
			app=${app} line=${line} />`)}</ul>
		${news > 0 && html`<button class="news" onClick=${toEnd}>
			${t('new_lines', { n: news })} ▾</button>`}
	</div>`;
}

const setQuery = (/** @type {Record<string, string>} */ query) =>
	replaceQuery('log', '', query);

/** @param {{app: App}} props */
export function LogPage({ app }) {
	const { query } = app.route;
	const chosen = { level: query.get('level') ?? 'info',
		text: query.get('text') ?? '', stream: query.get('stream') ?? '' };
	const { text, stream } = chosen;
	const wanted = new URLSearchParams(Object.entries({ text, stream })
		.filter(([, value]) => value !== '')).toString();
	const level = LEVELS.find((one) => one === chosen.level) ?? 'info';
	const lines = useLines(app, wanted && `&${wanted}`, level);
	const change = (/** @type {string} */ key) => (/** @type {any} */ event) =>
		setQuery({ ...chosen, [key]: event.target.value });

	useEffect(() => {
		document.title = `${t('log')} · Sluice`;
		if (app.wantsFilter)
			document.getElementById('filter')?.focus();
		app.wantsFilter = false;
	});
	return html`<div class="page fill">
		<div class="tools"><h1>${t('log')}</h1>
			<label class="choice">${t('level')}
				<select onChange=${change('level')}>${LEVELS.map((one) =>
					html`<option selected=${one === level}>
						${one}</option>`)}</select></label>
			<label class="filter"><span class="hidden">${t('search')}</span>
				<input type="search" id="filter" value=${chosen.text}
					placeholder=${t('search')} spellcheck=${false}
					autocomplete="off" onInput=${change('text')} /></label>
			${chosen.stream !== '' && html`<span>${t('stream')}
				${' '}<b><${Foreign} text=${chosen.stream} /></b>
				${' '}<button title=${shown(t('clear_filter'))}
					onClick=${() => setQuery({ ...chosen, stream: '' })}>
					${t('clear_filter')}</button></span>`}
			<${Curl} app=${app} request=${`api/log?level=${level}` +
				(wanted && `&${wanted}`)} />
		</div>
		${lines === null ? html`<p class="loading">${t('loading')}</p>`
			: lines.length === 0 ? html`<${Empty}
				title=${t('empty_log')} />`
				: html`<${Lines} app=${app} lines=${lines} />`}
	</div>`;
}

/** The last lines about a stream. @param {{app: App, id: string}} props */
export function StreamLog({ app, id }) {
	const lines = useLines(app, `&stream=${encodeURIComponent(id)}`,
		'info');

	if (lines === null)
		return html`<p class="dim">${t('loading')}</p>`;
	if (lines.length === 0)
		return html`<p class="dim">${t('empty_log')}</p>`;
	return html`<div class="stream-log"><${Lines} app=${app}
		lines=${lines} /></div>`;
}
