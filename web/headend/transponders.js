// SPDX-License-Identifier: GPL-3.0-or-later
// A scan of an adapter: a transponder, its network or a range of frequencies.
// Chosen services become streams.

import { useEffect, useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { count } from '../common/units.js';
import { t } from '../common/words.js';
import { useAnalyzer } from './analyzer.js';
import { FieldGroups } from './field.js';
import { Problem } from './fields.js';
import { Found } from './found.js';
import { href, replaceQuery } from './route.js';
import { SatipServers } from './satip-servers.js';
import { Waiting, useForms } from './setup.js';
import { addStyle } from './style.js';
import { addTransponders, lacksNetwork, scanOf, singleBy }
	from './transponder-list.js';
import { html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('./transponder-list.js').Choice} Choice */
/** @typedef {import('./transponder-list.js').Search} Search */
/** @typedef {import('./transponder-list.js').Transponder} Transponder */
/** @typedef {import('../common/forms.js').Row} Row */
/** @typedef {import('../common/words.js').Word} Word */

/** @type {Record<Search, Word>} */
const SEARCHES = { transponder: 'search_transponder',
	network: 'search_network', blind: 'search_blind' };
/** Why the others are not offered.
 * @type {Record<string, Word>} */
const SINGLE = { address: 'search_single_address', t2mi: 'search_single_t2mi',
	lnb_sharing: 'search_single_lnb' };
/** @type {[string, Word, string][]} */
const GRID = [['from', 'grid_from', '10700'], ['to', 'grid_to', '11700'],
	['step', 'grid_step', ''], ['polarization', 'polarization', 'VH'],
	['symbolrate', 'symbol_rates', '22000, 27500']];
/** @type {Entry} */
const FRESH = { type: 'S2', adapter: 0, device: 0 };
const NO_FIELDS = ['id', 'enable', 'scan'];

/**
 * @typedef {object} Progress
 * @property {number} done
 * @property {number} total
 * @property {boolean} ended
 */

/**
 * @typedef {object} Run
 * @property {Choice} choice
 * @property {string} scan as JSON; "": it was stopped
 * @property {number} round counts starts and stops
 * @property {number} start counts starts: what is chosen is of this one
 */

/**
 * @param {App} app
 * @param {Run | null} run null: nothing was started
 */
function useTransponders(app, run) {
	const [list, setList] = useState(/** @type {Transponder[]} */ ([]));
	const [progress, setProgress] = useState(
		/** @type {Progress | null} */ (null));
	const [error, setError] = useState('');
	const [isOver, setOver] = useState(false);

	useAnalyzer(app, { scan: run?.scan ?? '', round: run?.round,
		isOnce: true,
		onStart: () => {
			// the end of a scan leaves what it has found
			if (run === null || run.scan === '')
				return;
			setList([]);
			setProgress(null);
			setError('');
			setOver(false);
		},
		onReply: (reply) => {
			setError(reply.error ?? '');
			setProgress(reply.progress ?? null);
			if (reply.transponders)
				setList((was) => addTransponders(was,
					reply.transponders));
			setOver(reply.progress?.ended === true);
		},
		onError: ({ message, status }) => {
			setError(message);
			setOver(status !== 0);
		},
		isLast: (reply) => reply.progress?.ended === true });
	return { list, progress, error, isOver };
}

/** @param {{grid: Record<string, string>,
 *	set: (grid: Record<string, string>) => void}} props */
function Grid({ grid, set }) {
	return html`<fieldset class="choices"><legend>
		${t('search_blind')}</legend>
		${GRID.map(([key, word, example]) => html`<label>${t(word)}
			<input name=${`grid.${key}`} class="mono" placeholder=${example}
			value=${grid[key] ?? ''} spellcheck=${false} autocomplete="off"
			onInput=${(/** @type {any} */ event) => set({ ...grid,
				[key]: event.target.value })} /></label>`)}</fieldset>`;
}

/** The keys of an adapter that is not stored.
 * @param {{app: App, rows: Row[], entry: Entry, error: string,
 *	set: (entry: Entry) => void}} props */
function FreshAdapter({ app, rows, entry, error, set }) {
	const form = { name: 'adapter', entry, base: FRESH, onBroken: () => {},
		set: (/** @type {string} */ key, /** @type {unknown} */ value) =>
			set({ ...entry, [key]: value }),
		errorOf: (/** @type {string} */ key) =>
			error.startsWith(`scan.adapter.${key}:`) ? error : '' };

	return html`<div class="edit">
		<${SatipServers} app=${app} entry=${entry} rows=${rows}
			onChoose=${(/** @type {Entry} */ keys) =>
				set({ ...entry, ...keys })} />
		<${FieldGroups} form=${form} isOpen
		rows=${rows.filter(({ key }) => !NO_FIELDS.includes(key))} /></div>`;
}

/** @param {{progress: Progress | null, isOver: boolean, n: number,
 *	error: string}} props */
function State({ progress, isOver, n, error }) {
	return html`<div class="scan-state">
		${progress !== null && progress.total > 1 && html`<label>
			${t('tunings', { done: progress.done,
				total: progress.total })}
			<progress max=${progress.total} value=${progress.done}
			></progress></label>`}
		<p role="status">${isOver ? t('scan_ended', { n: count(n) })
			: t('scan_runs')}</p>
		<${Problem} error=${error} /></div>`;
}

/**
 * @param {{app: App, adapters: Entry[], rows: Row[], isRunning: boolean,
 *	error: string, onRun: (choice: Choice | null) => void}} props
 */
function Start({ app, adapters, rows, isRunning, error, onRun }) {
	const { query } = app.route;
	const id = query.get('adapter') ?? '';
	const stored = adapters.find((one) => one.id === id) ?? null;
	const [fresh, setFresh] = useState(FRESH);
	const [grid, setGrid] = useState(/** @type {Record<string, string>} */ (
		{}));
	const single = singleBy(stored ?? fresh);
	const wanted = /** @type {Search} */ (Object.keys(SEARCHES).find(
		(one) => one === query.get('search')) ?? 'transponder');
	const noNetwork = lacksNetwork(stored ?? fresh);
	const isOffered = (/** @type {string} */ one) => one === 'transponder' ||
		(single === '' && !(noNetwork && one === 'network'));
	const search = isOffered(wanted) ? wanted : 'transponder';
	const change = (/** @type {Record<string, string>} */ to) =>
		replaceQuery('transponders', '', { adapter: id, search: wanted,
			...to });
	const submit = (/** @type {Event} */ event) => {
		event.preventDefault();
		onRun(isRunning ? null : { stored, fresh, search, grid });
	};

	return html`<form class="scan-form" onSubmit=${submit}>
		<div class="choices"><label>${t('adapter')}
			<select name="adapter" disabled=${isRunning}
				onChange=${(/** @type {any} */ event) =>
					change({ adapter: event.target.value })}>
			<option value="" selected=${stored === null}>
				${t('new_adapter')}</option>
			${adapters.map((one) => html`<option value=${one.id}
				selected=${one.id === id}>${shown(one.name || one.id)}
				${' '}(${shown(one.id)})</option>`)}</select></label>
		<label>${t('search_in')}<select name="search" disabled=${isRunning}
			onChange=${(/** @type {any} */ event) =>
				change({ search: event.target.value })}>
			${Object.entries(SEARCHES).map(([one, word]) => html`
			<option value=${one} selected=${one === search}
				disabled=${!isOffered(one)}>
				${t(word)}</option>`)}</select></label>
		<button class="primary">${t(isRunning ? 'stop' : 'scan_go')}
		</button></div>
		${single !== '' ? html`<p class="dim">${t(SINGLE[single])}</p>`
			: noNetwork && html`<p class="dim">${t('search_no_network')}</p>`}
		${!isRunning && search === 'blind' && html`<${Grid} grid=${grid}
			set=${setGrid} />`}
		${!isRunning && stored === null && html`<${FreshAdapter}
			app=${app} rows=${rows} entry=${fresh} error=${error}
			set=${setFresh} />`}</form>`;
}

/** @param {{app: App}} props */
export function Transponders({ app }) {
	addStyle('network.css');
	addStyle('edit.css');
	useTick(app);
	const { forms, error: formsError } = useForms(app);
	const [run, setRun] = useState(/** @type {Run | null} */ (null));
	const { list, progress, error, isOver } = useTransponders(app, run);
	const isRunning = run !== null && run.scan !== '' && !isOver;
	const start = (/** @type {Choice | null} */ choice) => setRun((was) => ({
		choice: choice ?? /** @type {Run} */ (was).choice,
		scan: choice === null ? '' : JSON.stringify(scanOf(choice)),
		round: (was?.round ?? 0) + 1,
		start: (was?.start ?? 0) + (choice === null ? 0 : 1) }));
	/** @type {Entry[]} */
	const adapters = Array.isArray(app.store.config.dvb_tune)
		? app.store.config.dvb_tune.filter((one) =>
			typeof one?.id === 'string') : [];

	useEffect(() => {
		document.title = `${t('scan_adapter')} · Sluice`;
	});
	return html`<div class="page"><div class="tools">
			<h1>${t('scan_adapter')}</h1>
			<a href=${href('adapters')}>${t('adapters')}</a></div>
		<p class="dim">${t('scan_about')}</p>
		${forms === null ? html`<${Waiting} error=${formsError} />`
			: html`<${Start} app=${app} adapters=${adapters}
				rows=${forms.rows('adapter')} isRunning=${isRunning}
				error=${error} onRun=${start} />`}
		${run !== null && html`<${State} progress=${progress}
			isOver=${!isRunning} n=${list.length} error=${error} />
		<${Found} key=${run.start} app=${app} choice=${run.choice} list=${list}
			onMake=${() => start(null)} />`}
	</div>`;
}
