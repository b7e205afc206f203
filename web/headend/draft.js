// SPDX-License-Identifier: GPL-3.0-or-later
// What a user edits, beside what the service has.

import { useEffect, useLayoutEffect, useRef, useState }
	from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { diff, merge, same } from './merge.js';
import { parseRoute } from './route.js';
import { Foreign, html, isCovered } from './view.js';

/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/api.js').ApiError} ApiError */
/** @typedef {import('./merge.js').Entry} Entry */

/**
 * @param {Entry | null} now as the service has it; null: it has none
 * @param {Entry} fresh what a new one begins with
 */
export function useDraft(now, fresh) {
	const [base, setBase] = useState(now);
	const [mine, show] = useState(/** @type {Entry} */ (
		structuredClone(now ?? fresh)));
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
		isGone: base !== null && now === null,
		set: (/** @type {string} */ key, /** @type {unknown} */ value) => {
			const { [key]: _, ...rest } = latest.current;

			// a key that was there keeps its place
			setMine(value === undefined ? rest
				: { ...latest.current, [key]: value });
		},
		replace: setMine,
		settle: (/** @type {string} */ key, /** @type {boolean} */ theirs) => {
			if (theirs)
				setMine({ ...latest.current, [key]: base?.[key] });
			setConflicts((was) => was.filter((one) => one !== key));
		} };
}

/** @typedef {ReturnType<typeof useDraft>} Draft */

/**
 * The draft, whose changes end the error of an earlier one.
 * @param {Draft} draft
 * @param {(error: string) => void} setError
 * @returns {Draft}
 */
export function cleared(draft, setError) {
	return { ...draft, set: (key, value) => {
		setError('');
		draft.set(key, value);
	} };
}

/** Ctrl-Enter saves. @param {() => void} save */
export function useSaveKey(save) {
	useEffect(() => {
		const onKey = (/** @type {KeyboardEvent} */ event) => {
			if (event.key === 'Enter' && event.ctrlKey && !isCovered())
				save();
		};

		addEventListener('keydown', onKey);
		return () => removeEventListener('keydown', onKey);
	});
}

/** Why a form is not saved. @param {unknown} problem @returns {string} */
export function refusalOf(problem) {
	const { status, message } = /** @type {ApiError} */ (problem);

	return status === 409 ? t('changed_meanwhile')
		: status === 403 ? t('session_ended') : message;
}

/**
 * @param {Ask} ask
 * @param {() => void} run loses what is typed
 */
export function askDiscard(ask, run) {
	ask({ text: t('ask_discard'), action: t('discard'), run });
}

/** Where a form is: filters and sorts do not end it. @param {string} url */
function formAt(url) {
	const { page, id, query } = parseRoute(new URL(url).hash);

	return JSON.stringify([page, id, query.get('edit')]);
}

/**
 * What is typed is not lost unasked, neither with the page nor by another
 * address or Escape.  While it is saved the form stays: the service may refuse
 * it.
 * @param {App} app
 * @param {boolean} isDirty
 * @param {boolean} busy it is being saved
 * @param {Ask} ask
 * @param {() => void} leave
 * @returns {(otherwise?: () => void) => void} to be called when it is saved:
 *	leads to the address that the user chose meanwhile, otherwise to another
 */
export function useUnsaved(app, isDirty, busy, ask, leave) {
	const isLeaving = useRef(false), isAway = useRef(false);
	// a reply may come before the next frame
	const isBusy = useRef(busy);

	isBusy.current = busy;
	// it was refused: its error is here
	if (!busy)
		isAway.current = false;

	useLayoutEffect(() => {
		const askFirst = (/** @type {() => void} */ run) =>
			askDiscard(ask, () => {
				isLeaving.current = true;
				run();
			});
		const onHash = (/** @type {HashChangeEvent} */ event) => {
			if (isLeaving.current || event.oldURL === '' ||
				formAt(event.oldURL) === formAt(event.newURL))
				return false;
			history.pushState(null, '', event.oldURL);
			if (isBusy.current)
				isAway.current = true;
			else
				askFirst(() => history.back());
			return true;
		};
		const onUnload = (/** @type {Event} */ event) =>
			event.preventDefault();
		const onKey = (/** @type {KeyboardEvent} */ event) => {
			if (event.key !== 'Escape' || isCovered() ||
				(event.target instanceof Element &&
				event.target.closest('input, select, textarea')))
				return;
			event.preventDefault();
			if (!isBusy.current)
				askFirst(leave);
		};

		if (!isDirty) {
			isLeaving.current = false;
			return undefined;
		}
		addEventListener('beforeunload', onUnload);
		app.forms.add(onHash);
		// in front of the keys of every page
		addEventListener('keydown', onKey, true);
		return () => {
			app.forms.delete(onHash);
			removeEventListener('beforeunload', onUnload);
			removeEventListener('keydown', onKey, true);
		};
	});
	return (otherwise = undefined) => {
		isLeaving.current = isAway.current || otherwise !== undefined;
		if (isAway.current)
			history.back();
		else
			otherwise?.();
	};
}

/** What other users did meanwhile. @param {{draft: Draft}} props */
export function Conflicts({ draft }) {
	if (draft.isGone)
		return html`<p class="note warn" role="alert">${t('gone')}</p>`;
	return draft.conflicts.map((key) => html`<div class="note warn">
		<p>${t('conflict', { key })}</p>
		<p>${t('theirs')}: <code><${Foreign}
			text=${JSON.stringify(draft.base?.[key])} /></code>
			${' '}<button type="button"
			onClick=${() => draft.settle(key, true)}>
			${t('take')}</button></p>
		<p>${t('yours')}: <code><${Foreign}
			text=${JSON.stringify(draft.mine[key])} /></code>
			${' '}<button type="button"
			onClick=${() => draft.settle(key, false)}>
			${t('keep')}</button></p></div>`);
}

/** @param {unknown} value */
function asText(value) {
	return typeof value === 'string' ? value
		: JSON.stringify(value, null, 1) ?? '';
}

/**
 * Each change, before and after; secrets are not repeated.
 * @param {{changes: ReturnType<typeof diff>, secrets?: Set<string>,
 *	isOpen?: boolean}} props
 */
export function Changes({ changes, secrets, isOpen = false }) {
	const text = (/** @type {string} */ key, /** @type {unknown} */ value) =>
		value === undefined ? '' : secrets?.has(key) ? '•••'
			: asText(value);

	return html`<details class="changes" open=${isOpen}><summary>
		${t('changes', { n: changes.length })}</summary>
		<dl>${changes.map(({ key, before, after }) => html`
			<dt class="mono">${shown(key)}</dt>
			<dd><del><${Foreign} text=${text(key, before)} /></del>
			${' '}<ins><${Foreign} text=${text(key, after)} />
			</ins></dd>`)}</dl></details>`;
}
