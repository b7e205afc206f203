// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a section of the configuration, and the bar that saves it.

import { useState } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { Changes, Conflicts, cleared, refusalOf, useDraft, useSaveKey,
	useUnsaved } from './draft.js';
import { FieldGroups } from './field.js';
import { Further, Problem } from './fields.js';
import { diff, errorKey, same } from './merge.js';
import { useForms, Waiting } from './setup.js';
import { useTrial } from './trial.js';
import { Foreign, html, useTick } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('../common/forms.js').Row} Row */

/**
 * @typedef {object} Section
 * @property {string} name in the configuration
 * @property {string} form its rows in the forms
 * @property {string} [field] of the request, which errors name; absent: the
 *	name of the section
 * @property {(entry: Entry) => Record<string, unknown>} request
 * @property {string} cmd
 * @property {(run: () => void, entry: Entry) => void} [before] asks first
 * @property {(entry: Entry) => void} [after] it has been saved
 */

/** An empty object may be stored as a list. @param {unknown} value */
function asObject(value) {
	return /** @type {Entry} */ (typeof value === 'object' &&
		value !== null && !Array.isArray(value) ? value : {});
}

/**
 * @param {{app: App, section: Section, rows: Row[], ask: Ask,
 *	isOpen?: boolean}} props
 */
function SectionForm({ app, section, rows, ask, isOpen = true }) {
	useTick(app);
	const [error, setError] = useState('');
	const draft = cleared(useDraft(asObject(
		app.store.config[section.name]), {}), setError);
	const [broken, setBroken] = useState(/** @type {string[]} */ ([]));
	const [busy, setBusy] = useState(false);
	// until the next load brings it
	const [saved, setSaved] = useState(/** @type {unknown} */ (null));
	const base = draft.base ?? {};
	const changes = diff(base, draft.mine);
	const trial = useTrial(app, section.cmd, section.request(draft.mine),
		changes.length > 0 && !busy);
	const wrong = error || trial.error;
	const errorOf = (/** @type {string} */ key) =>
		errorKey(wrong, section.field ?? section.name) === key
			? wrong : '';
	const secrets = new Set(rows.filter((row) => row.secret)
		.map((row) => row.key));
	const isReady = !busy && broken.length === 0 && changes.length > 0 &&
		draft.conflicts.length === 0;
	const send = async () => {
		const entry = draft.latest.current;

		// the service tells an empty section from none
		const was = Object.keys(base).length > 0 ? base
			: app.store.config[section.name] ?? null;

		setBusy(true);
		setError('');
		try {
			const { warnings = [] } = await app.api.cmd(section.cmd,
				{ ...section.request(entry), was, warnings: true });

			app.store.wantsConfig = true;
			setSaved(entry);
			app.say(warnings[0] ?? t('saved'), warnings.length > 0);
			section.after?.(entry);
			follow();
		} catch (problem) {
			setError(refusalOf(problem));
			app.store.wantsConfig = true;
		}
		setBusy(false);
	};
	const save = () => {
		if (!isReady)
			return;
		if (section.before)
			section.before(send, draft.latest.current);
		else
			send();
	};

	useSaveKey(save);
	const discard = () => {
		setError('');
		draft.replace(structuredClone(base));
	};

	const follow = useUnsaved(app, changes.length > 0 &&
		!same(draft.mine, saved), busy, ask, discard);
	const known = rows.map((row) => row.key);
	const form = { name: section.form, entry: draft.mine, base,
		set: draft.set, errorOf,
		onBroken: (/** @type {string} */ key, /** @type {boolean} */ isOne) =>
			setBroken((was) => isOne ? [...new Set([...was, key])]
				: was.filter((one) => one !== key)) };
	const hasOthers = Object.keys(draft.mine).some((key) =>
		!known.includes(key));

	return html`<${Conflicts} draft=${draft} />
		<${FieldGroups} form=${form} rows=${rows} isOpen=${isOpen} />
		${hasOthers && html`<${Further} entry=${draft.mine} fields=${known}
			set=${draft.set} onBroken=${(/** @type {boolean} */ isOne) =>
				form.onBroken('{}', isOne)} />`}
		<div class="save">
			<${Problem} error=${wrong} />
			${trial.warnings.map((text) => html`<p class="is-warn">
				<${Foreign} text=${text} /></p>`)}
			${changes.length > 0 && html`<${Changes} changes=${changes}
				secrets=${secrets} />`}
			<div class="buttons">
				<button class="primary" disabled=${!isReady}
					onClick=${save}>${t('save')} <kbd>Ctrl-Enter</kbd>
				</button>
				<button disabled=${busy || changes.length === 0}
					onClick=${discard}>${t('discard')}</button>
			</div></div>`;
}

/**
 * The form, when the service has described it.
 * @param {{app: App, section: Section, ask: Ask}} props
 */
export function SectionFields({ app, section, ask }) {
	const { forms, error } = useForms(app);

	return forms === null ? html`<${Waiting} error=${error} />`
		: html`<${SectionForm} app=${app} section=${section} ask=${ask}
			rows=${forms.rows(section.form)} />`;
}
