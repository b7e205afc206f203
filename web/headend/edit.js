// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of a stream: each key as a field, and the whole as JSON.

import { useEffect, useRef, useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { count } from '../common/units.js';
import { t } from '../common/words.js';
import { remove } from './actions.js';
import { AddressField } from './address-field.js';
import { useDrag } from './drag.js';
import { Changes, Conflicts, cleared, refusalOf, useDraft, useSaveKey,
	useUnsaved } from './draft.js';
import { FieldGroups, Rows } from './field.js';
import { Further, Groups, Problem, Whole, useOnce } from './fields.js';
import { diff, errorKey, fieldOf, moved } from './merge.js';
import { KEYS, MuxInput, MuxKeys } from './mux.js';
import { isMux, placesOf } from './mux-list.js';
import { Old, usePoll } from './poll.js';
import { fromHere, href } from './route.js';
import { Waiting, useForms } from './setup.js';
import { useTrial } from './trial.js';
import { Empty, Foreign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/api.js').ApiError} ApiError */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./field.js').Form} Form */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('./trial.js').Trial} Trial */
/** @typedef {import('../common/forms.js').Forms} Forms */
/** @typedef {(question: Question) => void} Ask */

/** @type {Entry} */
const FRESH = { name: '', type: 'spts', enable: true, input: [''],
	output: [''] };

/** They stand above the groups. */
const MAIN = ['name', 'id', 'type', 'enable'];
/** They have fields of their own. */
const OWN = ['input', 'output', 'groups'];

/** @param {Entry} entry without empty addresses and texts */
function cleaned(entry) {
	const list = (/** @type {unknown} */ value) => Array.isArray(value)
		? value.filter((text) => text !== '') : value;

	return Object.fromEntries(Object.entries({ ...entry,
		input: list(entry.input), output: list(entry.output) })
		.filter(([key, value]) => value !== undefined &&
			!(value === '' && key === 'id')));
}

/** @param {{app: App, forms: Forms, draft: Draft, error: string,
 *	which: 'input' | 'output', below?: (text: string, place: number,
 *	onChange: (text: string) => void) => any}} props below: what stands below
 *	an address */
function Addresses({ app, forms, draft, which, error, below }) {
	const list = Array.isArray(draft.mine[which]) ? draft.mine[which] : [];
	const field = fieldOf(error);
	const change = (/** @type {string[]} */ to) => draft.set(which, to);
	const move = (/** @type {number} */ from, /** @type {number} */ to) =>
		change(moved(list, from, to));
	const put = (/** @type {number} */ i) => (/** @type {string} */ to) =>
		change(list.map((/** @type {string} */ one,
			/** @type {number} */ k) => k === i ? to : one));
	const drag = useDrag(move);

	return html`<fieldset><legend>${t(which === 'input' ? 'inputs'
		: 'outputs')}</legend>
		${list.map((/** @type {unknown} */ text, /** @type {number} */ i) =>
			html`<${AddressField} key=${i} app=${app} forms=${forms}
			which=${which} place=${i} text=${text} count=${list.length}
			error=${field?.key === which && field.place === i ? error : ''}
			drag=${drag(i)} onMove=${move} onChange=${put(i)}
			onRemove=${() => change(list.filter(
				(/** @type {string} */ _, /** @type {number} */ k) =>
					k !== i))} />
			${below?.(String(text), i, put(i))}`)}
		<button type="button" onClick=${() => change([...list, ''])}>
			${t(which === 'input' ? 'add_input' : 'add_output')}</button>
	</fieldset>`;
}

/**
 * The event with a stream may come later than the reply.
 * @param {App} app
 * @param {string} id
 */
async function arrived(app, id) {
	for (let i = 0; i < 50 && !app.store.streams.has(id); i++)
		await new Promise((done) => setTimeout(done, 100));
}

/**
 * @param {App} app
 * @param {Draft} draft
 * @param {string} id
 * @param {(otherwise: () => void) => void} follow of useUnsaved()
 * @returns {Promise<string>} the error; "" without one
 */
async function save(app, draft, id, follow) {
	const stream = cleaned(draft.latest.current);
	const leave = fromHere();

	try {
		const { id: made, warnings = [] } = await app.api.cmd('set-stream', {
			...id === '' ? {} : { id }, was: draft.base, stream });

		app.say(warnings[0] ?? t('saved'), warnings.length > 0);
		await arrived(app, String(stream.id ?? made));
		follow(() => leave(href('stream', String(stream.id ?? made))));
		return '';
	} catch (error) {
		return refusalOf(error);
	}
}

/**
 * The viewers whom saving interrupts.  What the form shows may be older than
 * the last key.  Fails if the session is over.
 * @param {App} app
 * @param {string} id
 * @param {Entry} stream
 * @returns {Promise<number>}
 */
async function interrupted(app, id, stream) {
	try {
		const { effects } = await app.api.cmd('set-stream', {
			...id === '' ? {} : { id }, stream, dry_run: true });

		return effects.viewers;
	} catch (error) {
		const { status } = /** @type {ApiError} */ (error);

		if (status === 403)
			throw error;
		// a refused one interrupts nobody
		return status === 400 ? 0
			: app.store.streams.get(id)?.over?.sessions ?? 0;
	}
}

/** What saving interrupts. @param {{trial: Trial}} props */
function Effects({ trial }) {
	if (trial.effects === null)
		return null;
	/** @type {{id: string, change: 'start' | 'restart' | 'stop',
	 *	viewers: number}[]} */
	const list = trial.effects.streams;
	const [first] = list;

	if (first === undefined)
		return html`<span class="dim">${t('save_quiet')}</span>`;
	return html`<span class=${trial.effects.viewers > 0 ? 'is-warn' : 'dim'}>
		${t(`save_${first.change}s`, { n: count(first.viewers) })}
		${list.length > 1 && ` ${t('save_others', {
			n: list.length - 1 })}`}</span>`;
}

/** @param {{app: App, draft: Draft, id: string, trial: Trial, error: string,
 *	setError: (error: string) => void, busy: boolean,
 *	setBusy: (busy: boolean) => void, isBroken: boolean, ask: Ask}} props */
function Save({ app, draft, id, trial, error, setError, busy, setBusy, isBroken,
	ask }) {
	const before = draft.base ?? {}, after = cleaned(draft.mine);
	const changes = diff(before, after);
	const isReady = !busy && !isBroken && !draft.isGone &&
		draft.conflicts.length === 0;
	const send = async () => {
		setBusy(true);
		const problem = await save(app, draft, id, follow);

		setError(problem);
		// else the page is left
		if (problem !== '')
			setBusy(false);
	};
	const { send: run, busy: isJudged } = useOnce(async () => {
		const stream = cleaned(draft.latest.current);

		if (!isReady || diff(before, stream).length === 0)
			return;
		setError('');
		try {
			const viewers = await interrupted(app, id, stream);

			if (viewers > 0)
				ask({ text: t('ask_save', { n: count(viewers) }),
					action: t('save'), run: send });
			else
				await send();
		} catch (problem) {
			setError(refusalOf(problem));
		}
	});

	useSaveKey(run);
	const follow = useUnsaved(app, diff(draft.base ?? cleaned(FRESH),
		after).length > 0, busy, ask, () => {
			location.hash = id === '' ? app.list : href('stream', id);
		});
	return html`<div class="save">
		<${Problem} error=${error} />
		${trial.warnings.map((text) => html`<p class="is-warn">
			<${Foreign} text=${text} /></p>`)}
		${id !== '' && changes.length > 0 && html`<${Changes}
			changes=${changes} />`}
		<div class="buttons">
			<button class="primary" onClick=${run}
				disabled=${!isReady || isJudged || changes.length === 0}>
				${t('save')} <kbd>Ctrl-Enter</kbd></button>
			<a class="button" href=${id ? href('stream', id)
				: href('streams')}>${t('cancel')}</a>
			<${Effects} trial=${trial} />
		</div></div>`;
}

/**
 * The services of a multiplex that runs, once a second.
 * @param {App} app
 * @param {Draft} draft
 * @returns {{services: import('../common/api-types').MuxService[],
 *	poll: import('./poll.js').Poll | null}} poll: null without one that runs
 */
function useServices(app, { base, isGone }) {
	const runs = base !== null && !isGone && base.enable === true &&
		isMux(base);
	const poll = usePoll(app, runs ? `api/stream-status/${
		encodeURIComponent(base.id)}?t=0` : '');

	return runs ? { services: poll.value?.services ?? [], poll }
		: { services: [], poll: null };
}

/** @param {{app: App, forms: Forms, draft: Draft, error: string,
 *	form: Form, isNew: boolean}} props */
function StreamFields({ app, forms, draft, error, form, isNew }) {
	const rows = forms.rows('stream');
	const main = MAIN.flatMap((key) => rows.filter((row) => row.key === key))
		.map((row) => ({ ...row, required: true,
			...row.key === 'id' && isNew && { default: t('id_made') } }));
	const hasMux = isMux(draft.mine);
	const others = rows.filter(({ key }) => !MAIN.includes(key) &&
		!OWN.includes(key) && !(hasMux && KEYS.includes(key)));
	const { services, poll } = useServices(app, draft);
	const places = placesOf(draft.base?.input, draft.mine.input);
	const below = (/** @type {string} */ text, /** @type {number} */ i,
		/** @type {(text: string) => void} */ onChange) => html`
		<${MuxInput} app=${app} forms=${forms} text=${text}
			name=${`${t('input')} ${i + 1}`} total=${draft.mine.bitrate}
			services=${services.filter(({ input }) =>
				input === places[i])} onChange=${onChange} />`;

	return html`<fieldset class="main"><legend>${t('stream')}</legend>
			<${Rows} form=${form} rows=${main} /></fieldset>
		<fieldset class="plain"><legend>${t('groups')}</legend>
			<div class="fields"><${Groups} groups=${draft.mine.groups ?? {}}
			categories=${app.store.config.categories ?? []}
			onChange=${(/** @type {Entry} */ to) =>
				draft.set('groups', to)} /></div></fieldset>
		<${Addresses} app=${app} forms=${forms} draft=${draft} which="input"
			error=${error} below=${hasMux ? below : undefined} />
		${hasMux && poll && html`<${Old} app=${app} poll=${poll} />`}
		${hasMux && html`<${MuxKeys} app=${app} forms=${forms}
			draft=${draft} form=${form} services=${services} />`}
		<${Addresses} app=${app} forms=${forms} draft=${draft} which="output"
			error=${error} />
		<fieldset><legend>${t('options')}</legend>
			<${FieldGroups} form=${form} rows=${others} />
			<${Further} entry=${draft.mine} set=${draft.set}
				fields=${rows.map((row) => row.key)}
				onBroken=${(/** @type {boolean} */ isOne) =>
					form.onBroken('{}', isOne)} /></fieldset>`;
}

/** @param {{app: App, forms: Forms, id: string, ask: Ask}} props */
function Editor({ app, forms, id, ask }) {
	useTick(app);
	const stream = app.store.streams.get(id);
	const [saved, setError] = useState('');
	const [busy, setBusy] = useState(false);
	const own = useDraft(id === '' ? null : stream?.config ?? null, FRESH);
	// a new id is no removal
	const draft = { ...cleared(own, setError), isGone: own.isGone && !busy };
	const [broken, setBroken] = useState(/** @type {string[]} */ ([]));
	const [isRaw, setRaw] = useState(false);
	const base = draft.base ?? {}, after = cleaned(draft.mine);
	const trial = useTrial(app, 'set-stream', { ...id === '' ? {} : { id },
		stream: after }, !busy && !own.isGone &&
			diff(base, after).length > 0 &&
			(id !== '' || /** @type {Entry} */ (after).input?.length > 0));
	const error = saved || trial.error;
	const onBroken = (/** @type {string} */ key,
		/** @type {boolean} */ isOne) =>
		setBroken((was) => isOne ? [...new Set([...was, key])]
			: was.filter((one) => one !== key));
	const form = { name: 'stream', entry: draft.mine,
		base: draft.base ?? FRESH, set: draft.set, onBroken,
		errorOf: (/** @type {string} */ key) =>
			errorKey(error, 'stream') === key ? error : '' };

	return html`<div class="page edit">
		<div class="tools"><h1>${id === '' ? t('new_stream')
			: html`<${Foreign} text=${stream?.name ?? id} />`}</h1>
			<button aria-pressed=${isRaw} onClick=${() => setRaw(!isRaw)}>
				JSON</button>
			${stream && html`<button onClick=${() => remove(app, stream,
				ask)}>${t('remove')}</button>`}</div>
		<${Conflicts} draft=${draft} />
		<div class=${isRaw ? 'both' : ''}><div class="form">
			<${StreamFields} app=${app} forms=${forms} draft=${draft}
				error=${error} form=${form} isNew=${id === ''} /></div>
			${isRaw && html`<${Whole} entry=${draft.mine}
				set=${draft.replace} onBroken=${(
					/** @type {boolean} */ isOne) =>
					onBroken('JSON', isOne)} />`}</div>
		<${Save} app=${app} draft=${draft} id=${id} trial=${trial}
			error=${error} setError=${setError} busy=${busy}
			setBusy=${setBusy} ask=${ask}
			isBroken=${broken.length > 0} />
	</div>`;
}

/** @param {{app: App, id: string, ask: Ask}} props */
export function EditPage({ app, id, ask }) {
	const { forms, error } = useForms(app);
	const stream = app.store.streams.get(id);
	// the form of one that somebody else removes stays
	const known = useRef('');

	if (stream !== undefined)
		known.current = id;
	useEffect(() => {
		document.title = `${id ? shown(stream?.name ?? id)
			: t('new_stream')} · Sluice`;
	});
	if (id !== '' && id !== known.current)
		return html`<${Empty} title=${t('missing', { id: shown(id) })} />`;
	return forms === null ? html`<${Waiting} error=${error} />`
		: html`<${Editor} app=${app} forms=${forms} id=${id} ask=${ask} />`;
}
