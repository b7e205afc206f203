// SPDX-License-Identifier: GPL-3.0-or-later
// The users: who may control, who may look, who may watch.

import { useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { dateTime, fieldTime, timeField } from '../common/time.js';
import { t } from '../common/words.js';
import { Curl } from './curl.js';
import { LOAD } from './curl-line.js';
import { Dialog } from './dialog.js';
import { Conflicts, refusalOf, useDraft } from './draft.js';
import { Rows } from './field.js';
import { Problem, useSubmit } from './fields.js';
import { FormDialog, useHeld } from './form-dialog.js';
import { Setup, useForms } from './setup.js';
import { bringBack, passwordChange, userChange, userRemoval, withoutHash }
	from './user-edit.js';
import { Foreign, MarkSign, html, useTick } from './view.js';

/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./app.js').App} App */
/** @typedef {import('./dialog.js').Question} Question */
/** @typedef {import('./merge.js').Entry} Entry */

/** @type {Record<number, import('../common/words.js').Word>} */
const TYPES = { 1: 'type_control', 2: 'type_observer', 3: 'type_viewer' };

/** @param {App} app @returns {[string, Entry][]} */
function usersOf(app) {
	return Object.entries(app.store.config.users ?? {});
}

/** They have fields of their own, or none. */
const OWN = ['type', 'enable', 'comment', 'password', 'cipher', 'created',
	'expire'];

/** @type {Entry} */
const FRESH = { type: 2, enable: true };

/**
 * A user in a dialog; an empty password keeps the old one.
 * @param {{app: App, ask: Ask, login: string, entry: Entry | null,
 *	onClose: () => void}} props entry: null of a new one, and of one that
 *	somebody else has removed
 */
function UserDialog({ app, ask, login, entry, onClose }) {
	const [error, setError] = useState('');
	const draft = useDraft(entry, FRESH);
	const { forms } = useForms(app);
	const isNew = login === '';
	/** @type {Entry} */
	const shownUser = { ...FRESH, ...draft.mine };
	const { submit, busy } = useSubmit(async (form) => {
		const data = new FormData(form);
		const text = (/** @type {string} */ key) =>
			String(data.get(key) ?? '');
		const id = isNew ? text('login') : login;
		/** @type {Entry} */
		const user = { ...withoutHash(draft.latest.current),
			type: shownUser.type, enable: shownUser.enable };

		if (text('password') !== '')
			user.password = text('password');
		if (isNew && Object.hasOwn(app.store.config.users ?? {}, id)) {
			setError(t('user_exists'));
			return;
		}
		try {
			await app.api.cmd('set-user', userChange(id,
				draft.base, user));
			app.store.wantsConfig = true;
			onClose();
			app.say(t('saved'));
		} catch (problem) {
			setError(refusalOf(problem));
			// refused: the dialog gets the user as it is now
			app.store.wantsConfig = true;
		}
	});

	return html`<${FormDialog} app=${app} ask=${ask} title=${isNew
		? t('new_user') : shown(login)} error=${error} busy=${busy}
		isReady=${!draft.isGone && draft.conflicts.length === 0}
		onSubmit=${submit} onClose=${onClose}>
		<${Conflicts} draft=${draft} />
		${isNew && html`<label>${t('login_name')}
			<input name="login" required autocomplete="off"
				autocapitalize="none" spellcheck=${false} />
		</label>`}
		<label>${t('role')}<select name="type"
			onChange=${(/** @type {any} */ event) =>
				draft.set('type', Number(event.target.value))}>
			${Object.entries(TYPES).map(([type, word]) => html`
			<option value=${type}
				selected=${Number(type) === shownUser.type}>
				${t(word)}</option>`)}</select></label>
		<label>${isNew ? t('password') : t('new_password')}
			<input name="password" type="password"
				autocomplete="new-password" required=${isNew} />
		</label>
		<label>${t('comment')}<input name="comment"
			value=${shownUser.comment ?? ''}
			onInput=${(/** @type {any} */ event) =>
				draft.set('comment', event.target.value)} /></label>
		<label class="check"><input type="checkbox" name="enable"
			checked=${shownUser.enable}
			onChange=${(/** @type {any} */ event) =>
				draft.set('enable', event.target.checked)} />
			${t('is_enabled')}</label>
		${forms !== null && html`<details class="group"
			open=${shownUser.type === 3}>
			<summary>${t('group_viewer')}</summary>
			<div class="option"><label>${t('expires')}
				<input type="datetime-local" name="expire"
				value=${shownUser.expire ? timeField(
					shownUser.expire, app.zone) : ''}
				onChange=${(/** @type {any} */ event) =>
					draft.set('expire', fieldTime(event.target.value,
						app.zone))} /></label></div>
			<${Rows} rows=${forms.rows('user').filter(({ key }) =>
				!OWN.includes(key))} form=${{ name: 'user',
				entry: shownUser, base: draft.base ?? FRESH,
				errorOf: () => '', set: draft.set,
				onBroken: () => {} }} />
		</details>`}<//>`;
}

/**
 * @param {{app: App, login: string, entry: Entry, onEdit: () => void,
 *	ask: (q: Question) => void}} props
 */
function Row({ app, login, entry, onEdit, ask }) {
	const isOwn = login === app.user?.login;
	const enable = async (/** @type {boolean} */ isOn) => {
		await app.run(() => app.api.setEnabled('user', login, isOn),
			t('saved'));
		app.store.wantsConfig = true;
	};
	const toggle = () => entry.enable === false ? enable(true)
		: ask({ text: t('ask_disable_user', { name: shown(login) }),
			action: t('disable'), run: () => enable(false) });
	const run = async () => {
		const order = usersOf(app).map(([one]) => one);
		const isDone = await app.act('set-user',
			userRemoval(login, entry), t('saved'));

		app.store.wantsConfig = true;
		if (isDone)
			app.say(t('done_remove', { name: shown(login) }), false,
				{ word: t('undo'), run: () =>
					bringBack(app, login, entry, order) });
	};
	const remove = () => ask({ text: t('ask_remove_user',
		{ name: shown(login) }), action: t('remove'), run });

	return html`<tr>
		<td><b><${Foreign} text=${login} /></b></td>
		<td>${TYPES[entry.type] ? t(TYPES[entry.type]) : shown(entry.type)}
		</td>
		<td><${MarkSign} mark=${entry.enable === false ? 'disabled' : 'on'}
			word=${entry.enable === false ? t('mark_disabled')
				: t('user_enabled')} /></td>
		<td class="reason"><${Foreign} text=${entry.comment ?? ''} /></td>
		<td><time>${entry.created ? dateTime(entry.created, app.zone)
			: ''}</time></td>
		<td><time>${entry.expire ? dateTime(entry.expire, app.zone) : ''}
			</time></td>
		<td class="actions"><button onClick=${onEdit}>${t('edit')}</button>
			${!isOwn && html`<button onClick=${toggle}>
				${t(entry.enable === false ? 'enable' : 'disable')}</button>
			<button onClick=${remove}>${t('remove')}</button>`}</td>
	</tr>`;
}

/** @param {{app: App, ask: (q: Question) => void}} props */
export function Users({ app, ask }) {
	useTick(app);
	const [open, setOpen] = useState(/** @type {string | null} */ (null));
	const users = usersOf(app);
	const entry = users.find(([login]) => login === open)?.[1] ?? null;

	return html`<${Setup} page="users" tools=${html`
		<button onClick=${() => setOpen('')}>${t('new_user')}</button>`}>
		<div class="wide-box" tabindex="0"><table>
		<thead><tr><th scope="col">${t('login_name')}</th>
			<th scope="col">${t('role')}</th>
			<th scope="col">${t('state')}</th>
			<th scope="col">${t('comment')}</th>
			<th scope="col">${t('created')}</th>
			<th scope="col">${t('expires')}</th>
			<th scope="col">${t('action')}</th></tr></thead>
		<tbody>${users.map(([login, one]) => html`<${Row} key=${login}
			app=${app} login=${login} entry=${one} ask=${ask}
			onEdit=${() => setOpen(login)} />`)}</tbody></table></div>
		<${Curl} app=${app} request=${LOAD} />
		${open !== null && html`<${UserDialog} key=${open} app=${app}
			ask=${ask} login=${open} entry=${entry}
			onClose=${() => setOpen(null)} />`}
	<//>`;
}

/**
 * The own password; afterwards all sessions of the user are over.
 * @param {{app: App, onClose: () => void}} props
 */
export function OwnPassword({ app, onClose }) {
	const [error, setError] = useState('');
	const login = app.user?.login ?? '';
	const { submit, busy } = useSubmit(async ({ elements }) => {
		const [password, again] = ['password', 'again'].map((name) =>
			/** @type {HTMLInputElement} */ (elements.namedItem(name))
				.value);
		/** @type {Entry | null} */
		const known = Object(app.store.config.users)[login] ?? null;

		if (password !== again) {
			setError(t('not_twice'));
			return;
		}
		try {
			await app.api.cmd('set-user', passwordChange(login,
				app.isControl ? known ?? {} : null, password));
			onClose();
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
			// refused: the dialog gets the user as it is now
			app.store.wantsConfig = true;
		}
	});

	useHeld(busy);
	return html`<${Dialog} title=${t('own_password')} onClose=${onClose}>
		<form class="dialog-form" onSubmit=${submit}>
			<label>${t('new_password')}<input name="password" required
				type="password" autocomplete="new-password" /></label>
			<label>${t('password_again')}<input name="again" required
				type="password" autocomplete="new-password" /></label>
			<p class="dim">${t('own_password_then')}</p>
			<${Problem} error=${error} />
			<div class="buttons">
				<button type="button" disabled=${busy} onClick=${onClose}>
					${t('cancel')}</button>
				<button class="primary" disabled=${busy}>
					${t('save')}</button></div>
		</form><//>`;
}
