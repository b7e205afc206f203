// SPDX-License-Identifier: GPL-3.0-or-later
// The configuration as a whole: to keep, to replace, to bring back.

import { useEffect, useState } from '../parts/hooks.js';
import { ApiError } from '../common/api.js';
import { shown } from '../common/text.js';
import { dateTime } from '../common/time.js';
import { bytes, count } from '../common/units.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { docDiff } from './doc-diff.js';
import { Changes } from './draft.js';
import { Problem, useOnce } from './fields.js';
import { Setup } from './setup.js';
import { useTrial } from './trial.js';
import { Changed, upload } from './upload.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {(question: Question) => void} Ask */

/** @typedef {{title: string, config: Entry}} Candidate */

/** @typedef {{n: number, time: number, bytes: number,
 *	author?: string}} Revision */

/** Their values are not repeated. */
const SECRET = new RegExp('(^|[.\\]])(cipher|pass|key|crt_key|' +
	'securetoken|token|http_token_deny)$');
const FILE_MAX = 8 * 1024 * 1024;

/** @typedef {{was: Entry, changes: {key: string, before: unknown,
 *	after: unknown}[]}} Difference was: the present document */

/**
 * What a document would change; null: not known yet.
 * @param {App} app
 * @param {Entry} config
 * @param {number} round another one compares again
 */
function useDifference(app, config, round) {
	const [difference, setDifference] = useState(
		/** @type {Difference | null} */ (null));

	useEffect(() => {
		let isOver = false;

		app.api.get('api/config').then((was) => {
			if (!isOver)
				setDifference({ was, changes: docDiff(was, config)
					.map(({ path, ...rest }) =>
						({ key: path, ...rest })) });
		}, () => {});
		return () => { isOver = true; };
	}, [config, round]);
	return difference;
}

/**
 * A document that may replace the present one.
 * @param {{app: App, candidate: Candidate, ask: Ask,
 *	onClose: () => void}} props
 */
function Review({ app, candidate, ask, onClose }) {
	const { title, config } = candidate;
	const [round, setRound] = useState(0);
	const difference = useDifference(app, config, round);
	const changes = difference?.changes ?? null;
	const [error, setError] = useState('');
	const { send: run, busy } = useOnce(async () => {
		if (difference === null)
			return;
		try {
			await upload(app.api, config, difference.was);
			await app.api.cmd('restart');
			app.awaitRestart();
			onClose();
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
			if (problem instanceof Changed)
				setRound(round + 1);
		}
	});
	const trial = useTrial(app, 'upload', { config }, !busy);
	const wrong = trial.error || error;
	const viewers = trial.effects?.viewers ?? 0;
	const secrets = new Set((changes ?? []).map(({ key }) => key)
		.filter((key) => SECRET.test(key)));

	return html`<section class="review" aria-label=${shown(title)}>
		<h2><${Foreign} text=${title} /></h2>
		${changes === null ? html`<p class="loading">${t('loading')}</p>`
			: changes.length === 0 ? html`<p>${t('no_difference')}</p>`
				: html`<${Changes} changes=${changes} secrets=${secrets}
					isOpen />`}
		<${Problem} error=${wrong} />
		${trial.warnings.map((text) => html`<p class="is-warn">
			<${Foreign} text=${text} /></p>`)}
		${trial.effects !== null && html`<p>${t('upload_effects', {
			n: count(trial.effects.streams.length),
			viewers: count(viewers) })}</p>`}
		<div class="buttons">
			<button class="primary" disabled=${busy || trial.error !== '' ||
				trial.effects === null || !changes?.length}
				onClick=${() => ask({ text: t('ask_upload',
					{ viewers: count(viewers) }),
				action: t('upload_restart'), run })}>
				${t('upload_restart')}</button>
			<button onClick=${onClose}>${t('cancel')}</button></div>
	</section>`;
}

/** @param {App} app */
function useRevisions(app) {
	const [state, setState] = useState(
		/** @type {{list: Revision[] | null, error: string}} */ (
			{ list: null, error: '' }));

	useEffect(() => {
		let isOver = false;

		app.api.get('api/revisions').then(
			({ revisions }) => isOver || setState({ error: '',
				list: revisions.filter((/** @type {Revision} */ one) =>
					one.n > 0) }),
			(error) => isOver || setState({ list: [],
				error: /** @type {ApiError} */ (error).message }));
		return () => { isOver = true; };
	}, [app]);
	return state;
}

/** @param {{app: App, onChoose: (candidate: Candidate) => void}} props */
function Revisions({ app, onChoose }) {
	const { list, error } = useRevisions(app);
	const choose = async (/** @type {Revision} */ revision) => {
		try {
			const config = await app.api.get(
				`api/revisions/${revision.n}`);

			onChoose({ config, title: t('revision_of', {
				time: dateTime(revision.time, app.zone) }) });
		} catch (problem) {
			app.say(t('refused', { error:
				/** @type {Error} */ (problem).message }), true);
		}
	};

	return html`<section><h2>${t('revisions')}</h2>
		<p class="dim">${t('revisions_about')}</p>
		<${Problem} error=${error} />
		${list === null && html`<p class="loading">${t('loading')}</p>`}
		${list?.length === 0 && error === '' && html`
			<p>${t('no_revisions')}</p>`}
		${list !== null && list.length > 0 && html`
		<div class="wide-box" tabindex="0"><table><thead><tr>
			<th scope="col">${t('time')}</th>
			<th scope="col" class="number">${t('length')}</th>
			<th scope="col">${t('author')}</th>
			<th scope="col">${t('action')}</th></tr></thead>
		<tbody>${list.map((one) => html`<tr key=${one.n}>
			<td><time>${dateTime(one.time, app.zone)}</time></td>
			<td class="number">${bytes(one.bytes)}</td>
			<td class="reason"><${Foreign} text=${one.author ?? ''} /></td>
			<td class="actions"><button onClick=${() => choose(one)}
				aria-label=${`${t('compare')}: ${dateTime(one.time,
					app.zone)}`}>${t('compare')}</button></td></tr>`)}
		</tbody></table></div>
		<${Curl} app=${app} request="api/revisions" />`}</section>`;
}

/** @param {{app: App, ask: Ask}} props */
export function ConfigurationPage({ app, ask }) {
	const [candidate, setCandidate] = useState(
		/** @type {Candidate | null} */ (null));
	const [error, setError] = useState('');
	const name = String(app.store.overview?.instance ?? 'sluice')
		.replaceAll(/[^\w.-]/g, '_');
	const take = async (/** @type {any} */ event) => {
		const [file] = event.target.files;

		setCandidate(null);
		setError('');
		if (file === undefined)
			return;
		try {
			if (file.size > FILE_MAX)
				throw new Error(t('too_large', { size: bytes(FILE_MAX) }));
			const config = JSON.parse(await file.text());

			if (typeof config !== 'object' || config === null ||
				Array.isArray(config))
				throw new Error(t('no_object'));
			setCandidate({ title: file.name, config });
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
		} finally {
			// the same file, changed, can be chosen again
			event.target.value = '';
		}
	};

	return html`<${Setup} page="configuration">
		<section><h2>${t('download')}</h2>
			<p class="dim">${t('download_about')}</p>
			<p><a class="button" href=${app.api.url('api/config').href}
				download=${`${name}.json`}>${t('download')}</a></p></section>
		<section><h2>${t('upload')}</h2>
			<p class="dim">${t('upload_about')}</p>
			<label>${t('file')} <input type="file" accept=".json"
				onChange=${take} /></label>
			<${Problem} error=${error} /></section>
		${candidate && html`<${Review} key=${candidate.title} app=${app}
			candidate=${candidate} ask=${ask}
			onClose=${() => setCandidate(null)} />`}
		<${Revisions} app=${app} onChoose=${setCandidate} /><//>`;
}
