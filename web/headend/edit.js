// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of a stream: its main fields, and all others as JSON.

import { useEffect, useRef, useState } from '../parts/hooks.js';
import { ApiError } from '../common/api.js';
import { shown } from '../common/text.js';
import { count } from '../common/units.js';
import { t } from '../common/words.js';
import { remove } from './actions.js';
import { Address, Further, Groups, Problem } from './fields.js';
import { diff, fieldOf, merge, restarts, same } from './merge.js';
import { href } from './route.js';
import { Empty, Foreign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('./merge.js').Entry} Entry */

/** @type {Entry} */
const FRESH = { name: '', type: 'spts', enable: true, input: [''],
	output: [''] };

/** Fields of the form; the rest is JSON. */
const FIELDS = ['id', 'name', 'type', 'enable', 'input', 'output', 'groups',
	'backup_type'];
const BACKUPS = ['', 'active', 'stop', 'passive', 'disable'];

/** @param {Entry} entry without empty addresses and texts */
function cleaned(entry) {
	const list = (/** @type {unknown} */ value) => Array.isArray(value)
		? value.filter((text) => text !== '') : value;

	return Object.fromEntries(Object.entries({ ...entry,
		input: list(entry.input), output: list(entry.output) })
		.filter(([key, value]) => value !== undefined && !(value === '' &&
			['id', 'backup_type'].includes(key))));
}

/**
 * What the user edits, beside what the service has.
 * @param {App} app
 * @param {string} id "" is a new stream
 */
function useDraft(app, id) {
	const now = id === '' ? null
		: app.store.streams.get(id)?.config ?? null;
	const [base, setBase] = useState(now);
	const [mine, show] = useState(/** @type {Entry} */ (
		structuredClone(now ?? FRESH)));
	// a key may come before the next frame: what was typed counts
	const latest = useRef(mine);
	const setMine = (/** @type {Entry} */ to) => {
		latest.current = to;
		show(to);
	};
	const [conflicts, setConflicts] = useState(
		/** @type {string[]} */ ([]));

	// somebody else has changed it: untouched fields follow
	useEffect(() => {
		if (now === null || base === null || same(now, base))
			return;
		const result = merge(base, latest.current, now);

		setBase(now);
		setMine(result.merged);
		setConflicts((was) => [...new Set([...was,
			...result.conflicts])]);
	}, [now]);
	return { base, mine, latest, conflicts,
		isGone: id !== '' && now === null,
		set: (/** @type {string} */ key, /** @type {unknown} */ value) =>
			setMine({ ...latest.current, [key]: value }),
		settle: (/** @type {string} */ key, /** @type {boolean} */ theirs) => {
			if (theirs)
				setMine({ ...latest.current, [key]: base?.[key] });
			setConflicts((was) => was.filter((one) => one !== key));
		} };
}

/** @typedef {ReturnType<typeof useDraft>} Draft */

/** @param {{draft: Draft}} props */
function Conflicts({ draft }) {
	return draft.conflicts.map((key) => html`<div class="note warn">
		<p>${t('conflict', { key })}</p>
		<p>${t('theirs')}: <code><${Foreign}
			text=${JSON.stringify(draft.base?.[key])} /></code>
			${' '}<button onClick=${() => draft.settle(key, true)}>
			${t('take')}</button></p>
		<p>${t('yours')}: <code><${Foreign}
			text=${JSON.stringify(draft.mine[key])} /></code>
			${' '}<button onClick=${() => draft.settle(key, false)}>
			${t('keep')}</button></p></div>`);
}

/** @param {{changes: ReturnType<typeof diff>}} props */
function Changes({ changes }) {
	return html`<details class="changes"><summary>
		${t('changes', { n: changes.length })}</summary>
		<dl>${changes.map(({ key, before, after }) => html`
			<dt class="mono">${shown(key)}</dt>
			<dd><del><${Foreign} text=${JSON.stringify(before) ?? ''} /></del>
			${' '}<ins><${Foreign} text=${JSON.stringify(after) ?? ''} />
			</ins></dd>`)}</dl></details>`;
}

/** @param {{draft: Draft, which: 'input' | 'output',
 *	error: string}} props */
function Addresses({ draft, which, error }) {
	const list = Array.isArray(draft.mine[which]) ? draft.mine[which] : [];
	const field = fieldOf(error);
	const change = (/** @type {string[]} */ to) => draft.set(which, to);

	return html`<fieldset><legend>${t(which === 'input' ? 'inputs'
		: 'outputs')}</legend>
		${list.map((/** @type {unknown} */ text, /** @type {number} */ i) =>
			html`<${Address} which=${which} place=${i}
			text=${text} count=${list.length}
			error=${field?.key === which && field.place === i ? error : ''}
			onChange=${(/** @type {string} */ to) =>
				change(list.with(i, to))}
			onRemove=${() => change(list.toSpliced(i, 1))}
			onUp=${() => change(list.toSpliced(i - 1, 2, list[i],
				list[i - 1]))} />`)}
		<button type="button" onClick=${() => change([...list, ''])}>
			${t(which === 'input' ? 'add_input' : 'add_output')}</button>
	</fieldset>`;
}

/** @param {{app: App, draft: Draft, isNew: boolean, error: string}} props */
function Main({ app, draft, isNew, error }) {
	const { mine, set } = draft;
	const field = fieldOf(error)?.key;
	const text = (/** @type {string} */ key) => (/** @type {any} */ event) =>
		set(key, event.target.value);

	return html`<div class="fields">
		<label>${t('name')}<input id="name" value=${mine.name ?? ''}
			onInput=${text('name')} />
			<${Problem} error=${field === 'name' ? error : ''} /></label>
		<label>${t('id')}<input class="mono" value=${mine.id ?? ''}
			placeholder=${isNew ? t('id_made') : ''} spellcheck=${false}
			onInput=${text('id')} />
			<${Problem} error=${field === 'id' ? error : ''} /></label>
		<label class="check"><input type="checkbox" checked=${mine.enable}
			onChange=${(/** @type {any} */ event) =>
				set('enable', event.target.checked)} />
			${t('is_enabled')}</label>
		<label>${t('backup')}<select onChange=${text('backup_type')}>
			${BACKUPS.map((one) => html`<option value=${one}
				selected=${one === (mine.backup_type ?? '')}>
				${one || t('default')}</option>`)}</select></label>
		<${Groups} categories=${app.store.config.categories ?? []}
			groups=${mine.groups ?? {}}
			onChange=${(/** @type {Entry} */ to) => set('groups', to)} />
	</div>`;
}

/**
 * The id that the service has made; the event with it may come later than the
 * reply, and waits for an overview that was requested before.
 * @param {App} app
 * @param {Set<string>} known
 */
async function freshId(app, known) {
	for (let i = 0; i < 50; i++) {
		for (const id of app.store.streams.keys())
			if (!known.has(id))
				return id;
		await new Promise((done) => setTimeout(done, 100));
	}
	return undefined;
}

/**
 * @param {App} app
 * @param {Draft} draft
 * @param {string} id
 * @param {(error: string) => void} setError
 */
async function save(app, draft, id, setError) {
	const stream = cleaned(draft.latest.current);
	const known = new Set(app.store.streams.keys());

	try {
		const { warnings = [] } = await app.api.cmd('set-stream', {
			...id === '' ? {} : { id }, was: draft.base, stream });

		app.say(warnings[0] ?? t('saved'), warnings.length > 0);
		const fresh = stream.id ?? await freshId(app, known);

		location.hash = fresh ? href('stream', String(fresh))
			: href('streams');
	} catch (error) {
		const { message } = /** @type {Error} */ (error);

		if (error instanceof ApiError && error.status === 409)
			setError(t('changed_meanwhile'));
		else
			setError(message);
	}
}

/** @param {{app: App, draft: Draft, id: string, error: string,
 *	setError: (error: string) => void, isBroken: boolean}} props */
function Save({ app, draft, id, error, setError, isBroken }) {
	const [busy, setBusy] = useState(false);
	const before = draft.base ?? {}, after = cleaned(draft.mine);
	const changes = diff(before, after);
	const viewers = app.store.streams.get(id)?.over?.sessions ?? 0;
	const isReady = !busy && !isBroken && draft.conflicts.length === 0;
	const run = async () => {
		if (!isReady ||
			diff(before, cleaned(draft.latest.current)).length === 0)
			return;
		setBusy(true);
		setError('');
		await save(app, draft, id, setError);
		setBusy(false);
	};

	useEffect(() => {
		const onKey = (/** @type {KeyboardEvent} */ event) => {
			if (event.key === 'Enter' && event.ctrlKey)
				run();
		};

		addEventListener('keydown', onKey);
		return () => removeEventListener('keydown', onKey);
	});
	return html`<div class="save">
		<${Problem} error=${error} />
		${id !== '' && changes.length > 0 && html`<${Changes}
			changes=${changes} />`}
		<div class="buttons">
			<button class="primary" onClick=${run}
				disabled=${!isReady || changes.length === 0}>
				${t('save')} <kbd>Ctrl-Enter</kbd></button>
			<a class="button" href=${id ? href('stream', id)
				: href('streams')}>${t('cancel')}</a>
			<span class="dim">${restarts(before, after) &&
				t('save_restarts', { n: count(viewers) })}</span>
		</div></div>`;
}

/** @param {{app: App, id: string, ask: (q: Question) => void}} props */
export function EditPage({ app, id, ask }) {
	useTick(app);
	const draft = useDraft(app, id);
	const [error, setError] = useState('');
	const [isBroken, setBroken] = useState(false);
	const stream = app.store.streams.get(id);

	useEffect(() => {
		document.title = `${id ? shown(stream?.name ?? id)
			: t('new_stream')} · Sluice`;
	});
	if (!app.isControl || draft.isGone)
		return html`<${Empty} title=${t('missing', { id: shown(id) })} />`;
	return html`<div class="page edit">
		<div class="tools"><h1>${id === '' ? t('new_stream')
			: html`<${Foreign} text=${stream?.name ?? id} />`}</h1>
			${stream && html`<button onClick=${() => remove(app, stream,
				ask)}>${t('remove')}</button>`}</div>
		<${Conflicts} draft=${draft} />
		<${Main} app=${app} draft=${draft} isNew=${id === ''}
			error=${error} />
		<${Addresses} draft=${draft} which="input" error=${error} />
		<${Addresses} draft=${draft} which="output" error=${error} />
		<${Further} entry=${draft.mine} fields=${FIELDS} set=${draft.set}
			onBroken=${setBroken} />
		<${Save} app=${app} draft=${draft} id=${id} error=${error}
			setError=${setError} isBroken=${isBroken} />
	</div>`;
}
