// SPDX-License-Identifier: GPL-3.0-or-later
// The frame around each page: bar, rail, banners, keys, dialogs.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { clock } from '../common/time.js';
import { addLaterWords, t } from '../common/words.js';
import { Confirm } from './dialog.js';
import { useKeys } from './keys.js';
import { Menu } from './menu.js';
import { PAGES, railPages } from './pages.js';
import { href } from './route.js';
import { addStyle } from './style.js';
import { Foreign, Empty, html, useApp } from './view.js';
import { Wall } from './wall.js';
import { wrongNow } from './wrong.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('../common/words.js').Word} Word */

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
	// without answers it stops at the last one
	const time = useClock(app, () => clock(app.lostAt === null ? app.now
		: app.lostAt + app.skew.value, app.zone));
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

/** @param {{app: App, ask: (question: Question) => void,
 *	onOpen: (over: Over) => void}} props */
function Bar({ app, ask, onOpen }) {
	const instance = app.store.overview?.instance;

	return html`<header class="bar">
		<a class="brand" href="#/wall">Sluice${instance ? html`
			<span class="dim"> · <${Foreign} text=${instance} /></span>`
			: ''}</a>
		<${LiveMark} app=${app} />
		<button class="freeze" aria-pressed=${app.tick.frozen}
			title=${`${t('freeze')} (Space)`}
			aria-label=${t('freeze')}
			onClick=${() => app.freeze()}>${app.tick.frozen ? '▶' : '❚❚'}
			<span> ${t(app.tick.frozen ? 'continue' : 'freeze')}</span>
		</button>
		<span class="room"></span>
		<button class="find" onClick=${() => onOpen('palette')}
			title=${t('palette')} aria-label=${`${t('find')} Ctrl-K`}>
			<i aria-hidden="true">⌕</i>
			<span> ${t('find')} <kbd>Ctrl-K</kbd></span></button>
		<${FaultLink} app=${app} />
		<${Menu} app=${app} ask=${ask} onOpen=${onOpen} />
	</header>`;
}

/** @param {{app: App}} props */
function Rail({ app }) {
	const here = PAGES[app.route.page]?.under ?? app.route.page;

	// on a phone the bar is longer than the screen
	useEffect(() => {
		document.querySelector('.rail [aria-current]')
			?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
	}, [here]);
	return html`<nav class="rail" aria-label="Sluice">
		${railPages(app.isControl).map(([page, { word, sign }]) => html`
		<a href=${href(page)} aria-current=${page === here ? 'page'
			: undefined}>
			<span class="sign" aria-hidden="true">${sign}</span>
			<span>${t(/** @type {Word} */ (word))}</span></a>`)}
	</nav>`;
}

/** @param {{app: App}} props */
function Banners({ app }) {
	return html`<div class="banners">
		${app.isFree && html`<p class="note warn">${t('no_auth')}</p>`}
		${app.restarting && html`<p class="note warn" role="status">
			${t('restarting')}</p>`}
		${app.lostAt !== null && !app.restarting && html`
			<p class="note fault" role="status">
			${t('lost', { time: clock(app.lostAt + app.skew.value,
				app.zone) })}</p>`}
		${app.skew.value !== 0 && html`<p class="note warn">${t('skew',
			{ s: Math.round(app.skew.value) })}</p>`}
		${app.tick.frozen && html`<p class="note" role="status">
			${t('frozen', { time: clock(app.tick.frozenAt
			+ app.skew.value, app.zone) })}
			${' '}<button onClick=${() => app.freeze()}>
			${t('continue')}</button></p>`}
	</div>`;
}

/**
 * Gets the page of another version, whose files replaced those of this one, as
 * soon as the service answers.  Once: if that does not help, the user decides.
 * @param {App} app
 * @param {() => boolean} isOver the user has left the page
 */
function reloadOnce(app, isOver) {
	const reload = () => {
		// a removal could not be undone any more
		if (isOver() || app.toasts.some(({ action, error }) =>
			action && !error))
			return;
		history.replaceState({ reloaded: true }, '');
		location.reload();
	};
	const wait = () => isOver() || fetch(import.meta.url,
		{ cache: 'no-store' }).then(reload, () => setTimeout(wait, 1000));

	if (!history.state?.reloaded)
		wait();
}

/**
 * A page that is not loaded with the first one, or a dialog, which has onClose.
 * @param {{app: App, load: () => Promise<any>, name: string,
 *	onClose?: () => void}} props and those of the page
 */
export function Later({ load, name, ...props }) {
	const { app, onClose } = props;
	const [page, setPage] = useState(/** @type {any} */ (null));

	useEffect(() => {
		let isOver = false;

		Promise.all([load(), addLaterWords(), addStyle('edit.css')]).then(
			([module]) => setPage(() => module[name]), () => {
				if (!onClose) {
					setPage(() => NotLoaded);
					// it would lose the form below the login
					return app.expired || reloadOnce(app, () => isOver);
				}
				// what was typed into the page below stays
				app.say(t('not_loaded'), true, { word: t('reload'),
					run: () => location.reload() });
				return onClose();
			});
		return () => {
			isOver = true;
		};
	}, [load]);
	if (page === null && (!app.user || app.expired))
		return html`<p class="loading">${t('loading')}</p>`;
	return page && html`<${page} ...${props} />`;
}

/**
 * Instead of a page whose files are gone.
 * @param {{app: App}} props
 */
function NotLoaded({ app }) {
	const box = html`<div class="empty" role="alert">
		<h1>${t('not_loaded')}</h1>
		<button onClick=${() => location.reload()}>${t('reload')}</button>
		</div>`;

	return !app.user || app.expired ? html`<main class="login">${box}</main>`
		: box;
}

/** @param {{app: App}} props */
function Toasts({ app }) {
	return html`<div class="toasts" role="status">${app.toasts.map(
		(toast) => html`<p class=${toast.error ? 'toast fault' : 'toast'}>
		<${Foreign} text=${toast.text} />
		${toast.action && html` <button onClick=${async () => {
			app.dismiss(toast);
			if (await toast.action?.run() === false)
				app.say(toast.text, toast.error, toast.action);
		}}>${toast.action.word}</button>`}</p>`)}</div>`;
}

/** Is there no page at this address for this user? @param {App} app */
function isMissing(app) {
	const { page } = app.route, entry = PAGES[page];

	return page !== 'wall' &&
		(entry === undefined || (!!entry.isControl && !app.isControl));
}

/** @param {{app: App, ask: (question: Question) => void}} props */
function Page({ app, ask }) {
	const { page, id } = app.route, entry = PAGES[page];

	if (!app.ready)
		return html`<p class="loading">${t('loading')}</p>`;
	if (page === 'wall')
		return html`<${Wall} app=${app} />`;
	if (isMissing(app))
		return html`<${Empty} title=${t('missing_page')}>
			<p><a href="#/wall">${t('wall')}</a></p><//>`;
	return html`<${Later} name=${entry.component} key=${`${page} ${id}`}
		load=${entry.load} app=${app} id=${id} ask=${ask} />`;
}

/** What lies above a page, on request.
 * @typedef {'' | 'help' | 'palette' | 'password'} Over */

/** @type {Record<string, {name: string, load: () => Promise<any>}>} */
const OVER = {
	help: { name: 'Keys', load: () => import('./help.js') },
	palette: { name: 'Palette', load: () => import('./palette.js') },
	password: { name: 'OwnPassword', load: () => import('./users.js') },
};

/** @param {{app: App}} props */
export function Shell({ app }) {
	useApp(app);
	const [question, setQuestion] = useState(
		/** @type {Question | null} */ (null));
	const [over, setOver] = useState(/** @type {Over} */ (''));
	const main = useRef(/** @type {HTMLElement | null} */ (null));
	const { page, id } = app.route;
	// a reply may come behind the end of the session
	const ask = (/** @type {Question} */ one) => {
		if (!app.expired)
			setQuestion(one);
	};

	useKeys(app, { ask, help: () => setOver('help'),
		palette: () => setOver('palette') });
	useEffect(() => {
		// other pages set their own
		if (page === 'wall' || isMissing(app))
			document.title = `${t(page === 'wall' ? 'wall'
				: 'missing_page')} · Sluice`;
		if (app.ready && !main.current?.contains(document.activeElement))
			main.current?.focus({ preventScroll: true });
	}, [page, id]);
	// the numbers in a question are old after the login
	useLayoutEffect(() => {
		if (app.expired) {
			setQuestion(null);
			setOver('');
		}
	}, [app.expired]);
	return html`<div class="shell" hidden=${app.expired}
		data-stale=${app.lostAt !== null}>
		<a class="skip" href="#main" onClick=${
			(/** @type {Event} */ event) => {
				event.preventDefault();
				main.current?.focus();
			}}>${t('skip')}</a>
		<${Bar} app=${app} ask=${ask} onOpen=${setOver} />
		<${Rail} app=${app} />
		<main ref=${main} id="main" tabindex="-1">
			<${Banners} app=${app} />
			<${Page} app=${app} ask=${ask} /></main>
		<${Toasts} app=${app} />
		${question && !app.expired && html`<${Confirm} question=${question}
			onClose=${() => setQuestion(null)} />`}
		${over !== '' && !app.expired && html`<${Later} key=${over}
			...${OVER[over]} app=${app} ask=${ask} onOpen=${setOver}
			onClose=${() => setOver('')} />`}
	</div>`;
}
