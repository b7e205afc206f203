// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of objects with an id: adapters, softcams, CAS.  A table, and the form
// of the object that is edited.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { placeOf } from './actions.js';
import { Curl } from './curl.js';
import { LOAD } from './curl-line.js';
import { isOld } from './current.js';
import { freshId, make } from './entry-id.js';
import { Changes, Conflicts, askDiscard, cleared, refusalOf, useDraft,
	useSaveKey, useUnsaved } from './draft.js';
import { FieldGroups } from './field.js';
import { Further, Problem } from './fields.js';
import { diff, errorKey, same } from './merge.js';
import { Old } from './poll.js';
import { replaceQuery } from './route.js';
import { Waiting, useForms } from './setup.js';
import { useTrial } from './trial.js';
import { Foreign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('../common/api-types').StreamConfig} StreamConfig */
/** @typedef {import('../common/forms.js').Row} Row */
/** @typedef {import('../common/words.js').Word} Word */

/**
 * @typedef {object} Kind
 * @property {string} page
 * @property {string} list in the configuration
 * @property {string} cmd that stores one
 * @property {string} field of it, and the name of the form
 * @property {boolean} makesId the service makes the id of a new one
 * @property {Entry} fresh what a new one begins with
 * @property {Word} title
 * @property {Word} empty
 * @property {Word} note what this version does with them
 * @property {(input: string, id: string) => boolean} [uses] an input of a
 *	stream names the entry; absent: no input does
 */

/** @typedef {(entry: Entry, rows: Row[], set: (keys: Entry) => void) =>
 *	any} Top */

/**
 * @param {App} app
 * @param {Kind} kind
 * @returns {Entry[]}
 */
export function entriesOf(app, kind) {
	const list = app.store.config[kind.list];

	return (Array.isArray(list) ? list : []).filter((one) =>
		typeof one?.id === 'string');
}

/**
 * The streams whose inputs name the entry.
 * @param {App} app
 * @param {Kind} kind
 * @param {string} id
 */
export function usersOf(app, { uses }, id) {
	return [...app.store.streams.values()].filter(({ config }) =>
		(config?.input ?? []).some((input) =>
			typeof input === 'string' && uses?.(input, id)));
}

/**
 * A question about the entry, with the number of these streams and of their
 * viewers.
 * @param {App} app
 * @param {Kind} kind
 * @param {Entry} entry
 * @param {Word} word
 */
export function questionOf(app, kind, entry, word) {
	const streams = usersOf(app, kind, entry.id);
	const text = t(word, { name: shown(entry.name || entry.id) });

	return kind.uses === undefined ? text : `${text} ${t('entry_users', {
		n: streams.length, viewers: streams.reduce((sum, { over }) =>
			sum + (over?.sessions ?? 0), 0) })}`;
}

/**
 * The ids of the entries and of all streams, in their order.
 * @param {App} app
 * @param {Kind} kind
 */
const ordersOf = (app, kind) => ({
	entries: entriesOf(app, kind).map((one) => one.id),
	streams: [...app.store.streams.keys()] });

/**
 * Brings back a removed entry, and then each stream that its removal has
 * changed or removed.  The service refuses a stream that was changed since.
 * @param {App} app
 * @param {Kind} kind
 * @param {Entry} entry
 * @param {{before: StreamConfig[], after: StreamConfig[], done: Set<unknown>,
 *	orders: ReturnType<typeof ordersOf>}} known after: all streams, after the
 *	removal; orders: before it; done: what an earlier try has brought back
 */
async function bringBack(app, kind, entry, { before, after, done, orders }) {
	/** @type {string[]} */
	const refused = [];
	const { entries, streams } = ordersOf(app, kind);

	app.store.wantsConfig = true;
	if (!done.has(entry))
		await app.api.cmd(kind.cmd, { was: null, id: entry.id,
			[kind.field]: entry, ...placeOf(orders.entries, entry.id,
				(one) => entries.includes(one)) });
	done.add(entry);
	for (const stream of before) {
		const { id, name } = stream;
		const was = after.find((one) => one.id === id) ?? null;

		if (done.has(stream) || same(was, stream))
			continue;
		try {
			await app.api.cmd('set-stream', { was, stream, ...was
				? { id } : placeOf(orders.streams, id, (one) =>
					streams.includes(one)) });
			done.add(stream);
		} catch (problem) {
			refused.push(`${shown(name || id)}: ${
				/** @type {Error} */ (problem).message}`);
		}
	}
	app.store.wantsConfig = true;
	if (refused.length > 0)
		throw new Error(refused.slice(0, 3).join('; '));
	return {};
}

/**
 * @param {App} app
 * @param {Kind} kind
 * @param {Entry} entry
 * @param {() => void} onDone
 */
async function remove(app, kind, entry, onDone) {
	const before = usersOf(app, kind, entry.id).map(({ config }) =>
		/** @type {StreamConfig} */ (config));
	const text = t('done_remove', { name: shown(entry.name || entry.id) });
	const orders = ordersOf(app, kind);
	const isDone = await app.act(kind.cmd, { id: entry.id, was: entry,
		[kind.field]: { remove: true } }, text);

	app.store.wantsConfig = true;
	if (!isDone)
		return;
	onDone();
	try {
		const after = before.length === 0 ? []
			: (await app.api.cmd('load')).make_stream ?? [];

		const known = { before, after, done: new Set(), orders };

		app.say(text, false, { word: t('undo'), run: () => app.run(() =>
			bringBack(app, kind, entry, known), t('saved')) });
	} catch {
		// an undo without the streams would be half of one
	}
}

/**
 * Saves the draft.  An entry that streams use asks first.
 * @param {{app: App, kind: Kind, draft: Draft, ask: Ask, isReady: boolean,
 *	isDirty: boolean, request: (now: Entry) => Entry,
 *	known: {list: Entry[], gid: unknown},
 *	setError: (error: string) => void, onClose: () => void}} props
 * @returns {{save: () => void, busy: boolean}}
 */
function useSaving({ app, kind, draft, ask, isReady, isDirty, request, known,
	setError, onClose }) {
	const [busy, setBusy] = useState(false);
	const follow = useUnsaved(app, isDirty, busy, ask, onClose);
	const { base } = draft;
	const send = async () => {
		const now = draft.latest.current;

		setBusy(true);
		setError('');
		try {
			const { warnings = [] } = await (base === null
				? make(app.api, kind, now, known)
				: app.api.cmd(kind.cmd, { ...request(now),
					warnings: true }));

			app.store.wantsConfig = true;
			app.say(warnings[0] ?? t('saved'), warnings.length > 0);
			onClose();
			follow();
		} catch (problem) {
			setError(refusalOf(problem));
			app.store.wantsConfig = true;
			setBusy(false);
		}
	};
	const save = () => {
		if (!isReady || busy || same(base, draft.latest.current))
			return;
		if (base !== null && usersOf(app, kind, base.id).length > 0)
			ask({ text: questionOf(app, kind, base, 'ask_save_entry'),
				action: t('save'), run: send });
		else
			send();
	};

	useSaveKey(save);
	return { save, busy };
}

/**
 * The form opens below a table: it gets the focus, and gives it back.
 * @returns {{current: HTMLElement | null}} for the form
 */
function useOwnFocus() {
	const box = useRef(/** @type {HTMLElement | null} */ (null));

	useLayoutEffect(() => {
		const before = /** @type {HTMLElement | null} */ (
			document.activeElement), form = box.current;
		const first = /** @type {HTMLElement | null | undefined} */ (
			form?.querySelector('.option :is(input, select, textarea)'));

		if (form && form.getBoundingClientRect().top > innerHeight / 2)
			form.scrollIntoView();
		first?.focus({ preventScroll: true });
		return () => {
			const now = document.activeElement;

			if (now === document.body || form?.contains(now))
				before?.focus();
		};
	}, []);
	return box;
}

/** @param {{app: App, kind: Kind, rows: Row[], draft: Draft, wrong: string,
 *	onBroken: (key: string, isBroken: boolean) => void, top?: Top}} props */
function EntryFields({ app, kind, rows, draft, wrong, onBroken, top }) {
	const { base, mine } = draft;
	const fields = rows.filter((row) => row.key !== 'id');
	const form = { name: kind.field, entry: mine,
		base: base ?? kind.fresh,
		set: draft.set, onBroken, errorOf: (/** @type {string} */ key) =>
			errorKey(wrong, kind.field) === key ? wrong : '' };

	return html`${top?.(mine, fields, (keys) => Object.entries(keys).forEach(
			([key, value]) => draft.set(key, value)))}
		<${FieldGroups} form=${form} rows=${fields} isOpen=${true} />
		<${Further} entry=${mine} fields=${[...fields.map((row) =>
			row.key), 'id']} set=${draft.set}
			onBroken=${(/** @type {boolean} */ isOne) =>
				onBroken('{}', isOne)} />`;
}

/**
 * @param {{app: App, kind: Kind, entry: Entry | null, rows: Row[], ask: Ask,
 *	onClose: () => void, dirty: {current: boolean},
 *	more?: (entry: Entry) => any, top?: Top}} props dirty: something would be
 *	lost without the form
 */
function EntryForm({ app, kind, entry, rows, ask, onClose, dirty, more, top }) {
	const box = useOwnFocus();
	const [error, setError] = useState('');
	const draft = cleared(useDraft(entry, kind.fresh), setError);
	const [broken, setBroken] = useState(/** @type {string[]} */ ([]));
	const { base, mine } = draft, isNew = base === null;
	const changes = diff(base ?? {}, mine);
	const known = { list: entriesOf(app, kind), gid: app.store.config.gid };
	const request = (/** @type {Entry} */ now) => isNew
		? { [kind.field]: now }
		: { id: base.id, was: base, [kind.field]: now };
	const isReady = broken.length === 0 && draft.conflicts.length === 0 &&
		!draft.isGone;
	const isDirty = !same(mine, base ?? kind.fresh);
	const { save, busy } = useSaving({ app, kind, draft, ask, isReady,
		isDirty, request, known, setError, onClose });
	const trial = useTrial(app, kind.cmd, request(isNew && !kind.makesId
		? { ...mine, id: freshId(known.list, known.gid) }
		: mine), changes.length > 0 && !busy && !draft.isGone);
	const wrong = error || trial.error;
	const onBroken = (/** @type {string} */ key,
		/** @type {boolean} */ isOne) => setBroken((was) => isOne
		? [...new Set([...was, key])] : was.filter((one) => one !== key));

	useEffect(() => {
		dirty.current = isDirty;
		return () => {
			dirty.current = false;
		};
	});
	return html`<section ref=${box} class="edit entry" aria-label=${t(isNew
		? 'new_entry' : 'edit')}>
		<h2>${isNew ? t('new_entry') : html`<${Foreign}
			text=${base.name ?? base.id} />`}</h2>
		<${Conflicts} draft=${draft} />
		<${EntryFields} app=${app} kind=${kind} rows=${rows} draft=${draft}
			wrong=${wrong} onBroken=${onBroken} top=${top} />
		${more?.(mine)}
		<div class="save"><${Problem} error=${wrong} />
			${trial.warnings.map((text) => html`<p class="is-warn">
				<${Foreign} text=${text} /></p>`)}
			${changes.length > 0 && html`<${Changes} changes=${changes}
				secrets=${new Set(rows.filter((row) => row.secret)
					.map((row) => row.key))} />`}
			<div class="buttons"><button class="primary"
				disabled=${!isReady || busy || changes.length === 0}
				onClick=${save}>${t('save')} <kbd>Ctrl-Enter</kbd></button>
				<button disabled=${busy} onClick=${onClose}>
				${t('cancel')}</button></div></div></section>`;
}

/**
 * @param {{app: App, kind: Kind, ask: Ask, heads: [Word, string][],
 *	cells: (entry: Entry) => any, more?: (entry: Entry) => any,
 *	actions?: (entry: Entry) => any, tools?: any, top?: Top,
 *	at?: number}} props heads: words and classes of the columns; cells: the td
 *	of an entry; top: stands at the start of the form, more at its end; at: Unix
 *	time at which the values in the cells came
 */
export function Entries({ app, kind, ask, heads, cells, more, actions,
	tools, top, at = 0 }) {
	useTick(app);
	const { forms, error } = useForms(app);
	const edited = app.route.query.get('edit');
	const list = entriesOf(app, kind);
	const entry = list.find((one) => one.id === edited) ?? null;
	// the form of one that somebody else removes stays
	const known = useRef(/** @type {string | undefined} */ (undefined));
	const open = (/** @type {string} */ id) =>
		replaceQuery(kind.page, '', { edit: id });
	const dirty = useRef(false);
	const change = (/** @type {string} */ id) => dirty.current
		? id !== edited && askDiscard(ask, () => open(id)) : open(id);
	const askRemove = (/** @type {Entry} */ one) => ask({
		text: questionOf(app, kind, one, 'ask_remove_entry'),
		action: t('remove'), run: () => remove(app, kind, one, () =>
			edited === one.id && open('')) });

	if (entry !== null)
		known.current = entry.id;
	useEffect(() => {
		document.title = `${t(kind.title)} · Sluice`;
	});
	return html`<div class="page" data-stale=${isOld(at, app.tick)}>
		<div class="tools"><h1>${t(kind.title)}</h1>
		${app.isControl && html`<button onClick=${() => change('+')}>
			${t('new_entry')}</button>${tools}`}</div>
		<p class="dim">${t(kind.note)}</p>
		<${Old} app=${app} poll=${{ value: null, at, every: 1,
			error: null }} />
		${list.length === 0 ? html`<p class="dim">${t(kind.empty)}</p>`
			: html`<div class="wide-box" tabindex="0"><table><thead><tr>
			${heads.map(([word, kindOf]) => html`<th scope="col"
				class=${kindOf}>${t(word)}</th>`)}
			${app.isControl && html`<th scope="col">${t('action')}</th>`}
			</tr></thead><tbody>${list.map((one) => html`
			<tr key=${one.id}>${cells(one)}
			${app.isControl && html`<td class="actions">
				<button onClick=${() => change(one.id)}>${t('edit')}</button>
				${actions?.(one)}
				<button onClick=${() => askRemove(one)}>${t('remove')}
				</button></td>`}</tr>`)}</tbody></table></div>
			<${Curl} app=${app} request=${LOAD} />`}
		${app.isControl && (edited === '+' || edited === known.current) &&
			(forms === null ? html`<${Waiting} error=${error} />`
				: html`<${EntryForm} key=${edited} app=${app} kind=${kind}
					entry=${entry} rows=${forms.rows(kind.field)} ask=${ask}
					dirty=${dirty} more=${more} top=${top}
					onClose=${() => open('')} />`)}
	</div>`;
}
