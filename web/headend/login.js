// SPDX-License-Identifier: GPL-3.0-or-later
// The page for who is not logged in.

import { useEffect, useRef, useState } from '../parts/hooks.js';
import { ApiError } from '../common/api.js';
import { clock } from '../common/time.js';
import { t } from '../common/words.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */

const LOCK_S = 60;

/** True where the password would cross the network in the clear. */
function isPlain() {
	return location.protocol === 'http:' &&
		!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
			.test(location.hostname);
}

/**
 * Counts seconds down.
 * @returns {[number, (seconds: number) => void]}
 */
function useCountdown() {
	const [left, setLeft] = useState(0);

	useEffect(() => {
		if (left <= 0)
			return;
		const timer = setTimeout(() => setLeft(left - 1), 1000);

		return () => clearTimeout(timer);
	}, [left]);
	return [left, setLeft];
}

/** @param {unknown} error */
function reason(error) {
	if (error instanceof ApiError && error.status === 403)
		return t('login_wrong');
	return /** @type {Error} */ (error).message;
}

/** The form that the session has left behind. @param {{app: App}} props */
function Kept({ app }) {
	const { keptUntil, user, zone } = app;

	if (keptUntil === 0)
		return null;
	return html`<p class="note warn" role="status"><${Foreign}
		text=${t(app.expired ? 'login_kept' : 'login_dropped', {
			login: user?.login ?? '', time: clock(keptUntil, zone)
		})} /></p>`;
}

/** @param {{app: App}} props */
export function Login({ app }) {
	const [error, setError] = useState('');
	const [busy, setBusy] = useState(false);
	const [locked, lock] = useCountdown();
	const form = useRef(/** @type {HTMLFormElement | null} */ (null));

	const submit = async (/** @type {SubmitEvent} */ event) => {
		event.preventDefault();
		const data = new FormData(
			/** @type {HTMLFormElement} */ (form.current));

		setBusy(true);
		setError('');
		try {
			await app.login(String(data.get('login')),
				String(data.get('password')),
				data.get('remember') !== null);
		} catch (e) {
			setBusy(false);
			if (e instanceof ApiError && e.status === 429)
				lock(LOCK_S);
			else
				setError(reason(e));
			/** @type {any} */ (form.current)?.password.select();
		}
	};

	useEffect(() => {
		document.title = `${t('title_login')} · Sluice`;
	});
	return html`<main class="login" id="main">
		<form ref=${form} onSubmit=${submit}>
			<h1>Sluice</h1>
			${isPlain() && html`<p class="note warn">
				${t('login_plain')}</p>`}
			<${Kept} app=${app} />
			<label>${t('login_name')}
				<input name="login" autocomplete="username"
					autocapitalize="none" spellcheck=${false}
					required autofocus /></label>
			<label>${t('password')}
				<input name="password" type="password"
					autocomplete="current-password"
					required /></label>
			<label class="check">
				<input name="remember" type="checkbox" />
				${t('remember')}</label>
			<p class="problem" role="alert">${locked > 0
				? t('locked', { s: locked }) : error}</p>
			<button class="primary" disabled=${busy || locked > 0}>
				${t('login')}</button>
		</form>
	</main>`;
}
