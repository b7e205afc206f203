// SPDX-License-Identifier: GPL-3.0-or-later
// The frame around each page: bar, rail, banners, keys, dialogs.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { clock } from '../common/time.js';
import { t } from '../common/words.js';
import { restart, toggle } from './actions.js';
import { Confirm, Keys } from './dialog.js';
import { href } from './route.js';
import { Streams } from './streams.js';
import { Foreign, Empty, html, useApp } from './view.js';
import { Wall } from './wall.js';
import { wrongNow } from './wrong.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */

/** @param {App} app @param {(now: number) => string} textOf */
function useClock(app, textOf) {
	const place = useRef(/** @type {HTMLElement | null} */ (null));

	useLayoutEffect(() => {
		const draw = (/** @type {number} */ now) => {
			const text = textOf(now);

			if (place.current && place.current.textContent !== text)
				place.current.textContent = text;
		};

		draw(app.tick.now);
		return app.tick.addClock(draw);
	});
	return place;
}

/** @param {{app: App}} props */
function LiveMark({ app }) {
	const time = useClock(app, () => clock(app.now, app.zone));
	const state = app.lostAt !== null ? 'stale'
		: app.live.state === 'open' ? 'on' : 'change';

	return html`<span class="live" data-mark=${state}
		title=${app.skew.value === 0 ? '' : t('skew',
			{ s: Math.round(app.skew.value) })}>
		<time ref=${time}></time>${app.zone === 'utc' ? ' UTC' : ''}</span>`;
}

/** @param {{app: App}} props */
function FaultLink({ app }) {
	const n = useClock(app, (now) => {
		const all = wrongNow(app.store, now).length;

		return all > 0 ? String(all) : '';
	});

	return html`<a class="fault-link" href=${href('streams', '',
		{ sort: 'state' })} title=${t('wrong_now')}><b ref=${n}></b>
		<span class="hidden">${t('wrong_now')}</span></a>`;
}

/** @param {{app: App, onKeys: () => void, onPassword: () => void}} props */
function Menu({ app, onKeys, onPassword }) {
	const chosen = (/** @type {'theme' | 'zone' | 'language'} */ name) =>
		(/** @type {any} */ event) => app.choose(name,
			event.target.value);
	const option = (/** @type {string} */ value, /** @type {string} */ now,
		/** @type {string} */ text) => html`<option value=${value}
			selected=${value === now}>${text}</option>`;

	const leave = (/** @type {any} */ event) => {
		const { currentTarget: menu, relatedTarget: to } = event;

		// a click beside it, or Tab behind its end
		if (to !== null && !menu.contains(to))
			menu.open = false;
	};

	return html`<details class="menu" onFocusout=${leave}>
		<summary>${app.isFree ? t('menu')
			: html`<${Foreign} text=${app.user?.login} />`}
			${!app.isControl && html` <small>${t('observer')}</small>`}
		</summary>
		<div class="sheet">
			<label>${t('theme')}<select onChange=${chosen('theme')}>
				${option('system', app.theme, t('system'))}
				${option('light', app.theme, t('light'))}
				${option('dark', app.theme, t('dark'))}</select></label>
			<label>${t('time')}<select onChange=${chosen('zone')}>
				${option('local', app.zone, t('local_time'))}
				${option('utc', app.zone, t('utc'))}</select></label>
			<label>${t('language')}<select onChange=${chosen('language')}>
				${option('en', app.language, 'English')}
				${option('ru', app.language, 'Русский')}</select></label>
			<button onClick=${onKeys}>${t('help')} <kbd>?</kbd></button>
			<a href=${new URL('../licences.txt', import.meta.url).href}
				target="_blank" rel="noreferrer">${t('licences')}</a>
			<small>Sluice ${app.store.overview?.version ?? ''}</small>
			${!app.isFree && html`<button onClick=${onPassword}>
				${t('own_password')}</button>`}
			${!app.isFree && html`<button onClick=${() => app.logout()}>
				${t('logout')}</button>`}
		</div>
	</details>`;
}

/** @param {{app: App, onKeys: () => void, onPassword: () => void}} props */
function Bar({ app, onKeys, onPassword }) {
	const instance = app.store.overview?.instance;

	return html`<header class="bar">
		<a class="brand" href="#/wall">Sluice${instance ? html`
			<span class="dim"> · <${Foreign} text=${instance} /></span>`
			: ''}</a>
		<${LiveMark} app=${app} />
		<button class="freeze" aria-pressed=${app.tick.frozen}
			title=${`${t('freeze')} (Space)`}
			aria-label=${t('freeze')}
			onClick=${() => freeze(app)}>${app.tick.frozen ? '▶' : '❚❚'}
			<span> ${t(app.tick.frozen ? 'continue' : 'freeze')}</span>
		</button>
		<span class="room"></span>
		<${FaultLink} app=${app} />
		<${Menu} app=${app} onKeys=${onKeys} onPassword=${onPassword} />
	</header>`;
}

/** @type {['wall' | 'streams' | 'sessions' | 'log' | 'users',
 *	import('../common/words.js').Word, string][]} */
const PAGES = [['wall', 'wall', '▦'], ['streams', 'streams', '☰'],
	['sessions', 'viewers', '◉'], ['log', 'log', '≡'],
	['users', 'users', '◍']];

/** @param {{app: App}} props */
function Rail({ app }) {
	return html`<nav class="rail" aria-label="Sluice">
		${PAGES.map(([page, word, sign]) => {
			// for control users
			if ((page === 'log' || page === 'users') && !app.isControl)
				return null;
			const isHere = app.route.page === page ||
				(page === 'streams' && ['stream', 'edit', 'new']
					.includes(app.route.page));

			return html`<a href=${href(page)}
				aria-current=${isHere ? 'page' : undefined}>
				<span class="sign" aria-hidden="true">${sign}</span>
				<span>${t(word)}</span></a>`;
		})}</nav>`;
}

/** @param {{app: App}} props */
function Banners({ app }) {
	return html`<div class="banners">
		${app.isFree && html`<p class="note warn">${t('no_auth')}</p>`}
		${app.lostAt !== null && html`<p class="note fault" role="status">
			${t('lost', { time: clock(app.lostAt, app.zone) })}</p>`}
		${app.tick.frozen && html`<p class="note" role="status">
			${t('frozen', { time: clock(app.tick.frozenAt, app.zone) })}
			${' '}<button onClick=${() => freeze(app)}>
			${t('continue')}</button></p>`}
	</div>`;
}

/** @param {App} app */
function freeze(app) {
	app.tick.frozen = !app.tick.frozen;
	app.changed();
}

const streamPage = () => import('./stream.js');
const sessionsPage = () => import('./sessions.js');
const logPage = () => import('./log.js');
const editPage = () => import('./edit.js');
const usersPage = () => import('./users.js');

/**
 * A page that is not loaded with the first one.
 * @param {{load: () => Promise<any>, name: string}} props and those of the page
 */
function Later({ load, name, ...props }) {
	const [page, setPage] = useState(/** @type {any} */ (null));

	useEffect(() => {
		// the files of another version are gone: get the new page
		load().then((module) => setPage(() => module[name]),
			() => location.reload());
	}, [load]);
	return page && html`<${page} ...${props} />`;
}

/** @param {{app: App, ask: (question: Question) => void}} props */
function Page({ app, ask }) {
	const { page, id } = app.route;

	if (!app.ready)
		return html`<p class="loading">${t('loading')}</p>`;
	switch (page) {
	case 'wall': return html`<${Wall} app=${app} />`;
	case 'streams': return html`<${Streams} app=${app} />`;
	case 'stream': return html`<${Later} name="StreamPage" key=${id}
		load=${streamPage} app=${app} id=${id} ask=${ask} />`;
	case 'edit': case 'new': return html`<${Later} name="EditPage"
		key=${`edit ${id}`} load=${editPage} app=${app} id=${id}
		ask=${ask} />`;
	case 'users': return html`<${Later} name="Users" key="users"
		load=${usersPage} app=${app} ask=${ask} />`;
	case 'sessions': return html`<${Later} name="Sessions" key="sessions"
		load=${sessionsPage} app=${app} />`;
	case 'log': return html`<${Later} name="LogPage" key="log"
		load=${logPage} app=${app} />`;
	default: return html`<${Empty} title=${t('missing_page')}>
		<p><a href="#/wall">${t('wall')}</a></p><//>`;
	}
}

/** @param {EventTarget | null} target */
function isTyping(target) {
	return target instanceof Element &&
		target.closest('input, select, textarea, dialog') !== null;
}

/**
 * The keys of every page.
 * @param {App} app
 * @param {(question: Question) => void} ask
 * @param {() => void} help
 */
function useKeys(app, ask, help) {
	useEffect(() => {
		// the time of a "g", which a second key completes
		let g = -Infinity;

		/** @param {KeyboardEvent} event */
		const onKey = (event) => {
			if (event.ctrlKey || event.altKey || event.metaKey ||
				event.defaultPrevented || isTyping(event.target))
				return;
			const isSecond = event.timeStamp - g < 1500;

			g = event.key === 'g' ? event.timeStamp : -Infinity;
			if (isSecond ? goTo(event.key)
				: press(app, ask, help, event))
				event.preventDefault();
		};

		addEventListener('keydown', onKey);
		return () => removeEventListener('keydown', onKey);
	}, [app]);
}

/**
 * Where Escape leads: never out of the page.
 * @param {App} app
 */
function parentOf(app) {
	const { page, id } = app.route;

	if (page === 'edit')
		return href('stream', id);
	return page === 'stream' || page === 'new' ? app.list : href('wall');
}

/** @param {string} key */
function goTo(key) {
	/** @type {Record<string, string>} */
	const pages = { w: 'wall', s: 'streams', v: 'sessions', l: 'log',
		u: 'users' };

	if (!Object.hasOwn(pages, key))
		return false;
	location.hash = href(pages[key]);
	return true;
}

/**
 * @param {App} app
 * @param {(question: Question) => void} ask
 * @param {() => void} help
 * @param {KeyboardEvent} event
 * @returns {boolean} true: the key has been used
 */
function press(app, ask, help, event) {
	const isButton = event.target instanceof Element &&
		event.target.closest('button, summary, a') !== null;

	switch (event.key) {
	case '/':
		app.wantsFilter = true;
		if (app.route.page !== 'streams' && app.route.page !== 'log')
			location.hash = href('streams');
		app.changed();
		return true;
	case '?':
		help();
		return true;
	case ' ':
		if (isButton)
			return false;
		freeze(app);
		return true;
	case 'Escape':
		location.hash = parentOf(app);
		return app.route.page !== 'wall';
	case 't': case 'r': case 'e':
		return act(app, ask, event.key, event.target);
	default:
		return false;
	}
}

/**
 * The action of a key on the stream of the page or of the row with the focus.
 * @param {App} app
 * @param {(question: Question) => void} ask
 * @param {'t' | 'r' | 'e'} key
 * @param {EventTarget | null} target
 */
function act(app, ask, key, target) {
	const id = app.route.page === 'stream' ? app.route.id
		: target instanceof Element ?
			/** @type {HTMLElement | null} */ (target.closest(
				'tr[data-id]'))?.dataset.id : undefined;
	const stream = app.store.streams.get(id ?? '');

	if (!app.isControl || stream === undefined)
		return false;
	if (key === 'e')
		location.hash = href('edit', stream.id);
	else
		(key === 't' ? toggle : restart)(app, stream, ask);
	return true;
}

/** @param {{app: App}} props */
export function Shell({ app }) {
	useApp(app);
	const [question, ask] = useState(/** @type {Question | null} */ (null));
	const [help, setHelp] = useState(false);
	const [password, setPassword] = useState(false);
	const main = useRef(/** @type {HTMLElement | null} */ (null));
	const { page, id } = app.route;

	useKeys(app, ask, () => setHelp(true));
	useEffect(() => {
		document.title = page === 'wall' ? `${t('wall')} · Sluice`
			: document.title;
		if (app.ready && !main.current?.contains(document.activeElement))
			main.current?.focus({ preventScroll: true });
	}, [page, id]);
	return html`<div class="shell" data-stale=${app.lostAt !== null}>
		<a class="skip" href="#main" onClick=${
			(/** @type {Event} */ event) => {
				event.preventDefault();
				main.current?.focus();
			}}>${t('skip')}</a>
		<${Bar} app=${app} onKeys=${() => setHelp(true)}
			onPassword=${() => setPassword(true)} />
		<${Rail} app=${app} />
		<main ref=${main} id="main" tabindex="-1">
			<${Banners} app=${app} />
			<${Page} app=${app} ask=${ask} /></main>
		<div class="toasts" role="status">${app.toast && html`
			<p class=${app.toast.error ? 'toast fault' : 'toast'}>
			<${Foreign} text=${app.toast.text} />
			${app.toast.action && html` <button onClick=${
				app.toast.action.run}>${app.toast.action.word}</button>`}
			</p>`}</div>
		${question && html`<${Confirm} question=${question}
			onClose=${() => ask(null)} />`}
		${password && html`<${Later} name="OwnPassword" load=${usersPage}
			app=${app} onClose=${() => setPassword(false)} />`}
		${help && html`<${Keys} onClose=${() => setHelp(false)} />`}
	</div>`;
}

