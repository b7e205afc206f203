// SPDX-License-Identifier: GPL-3.0-or-later
// A dialog for one name.

import { useState } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { refusalOf } from './draft.js';
import { useSubmit } from './fields.js';
import { FormDialog } from './form-dialog.js';
import { html } from './view.js';

/** @typedef {import('./actions.js').Ask} Ask */
/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} Naming
 * @property {string} title
 * @property {string} value
 * @property {(name: string) => Promise<void>} run fails with a sentence
 */

/** @param {{app: App, ask: Ask, naming: Naming, onClose: () => void}} props */
export function NameDialog({ app, ask, naming, onClose }) {
	const [name, setName] = useState(naming.value);
	const [error, setError] = useState('');
	const { submit, busy } = useSubmit(async () => {
		try {
			await naming.run(name);
			onClose();
		} catch (problem) {
			setError(refusalOf(problem));
		}
	});

	return html`<${FormDialog} app=${app} ask=${ask} title=${naming.title}
		error=${error} busy=${busy} onSubmit=${submit} onClose=${onClose}>
		<label>${t('name')}<input name="name" value=${name} required
			autofocus autocomplete="off" aria-invalid=${error !== ''}
			onInput=${(/** @type {any} */ event) =>
				setName(event.target.value)} /></label><//>`;
}
