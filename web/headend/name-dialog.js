// SPDX-License-Identifier: GPL-3.0-or-later
// A dialog for one name.

import { useState } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { Dialog } from './dialog.js';
import { Problem, useSubmit } from './fields.js';
import { html } from './view.js';

/**
 * @typedef {object} Naming
 * @property {string} title
 * @property {string} value
 * @property {(name: string) => Promise<void>} run fails with a sentence
 */

/** @param {{naming: Naming, onClose: () => void}} props */
export function NameDialog({ naming, onClose }) {
	const [name, setName] = useState(naming.value);
	const [error, setError] = useState('');
	const { submit, busy } = useSubmit(async () => {
		try {
			await naming.run(name);
			onClose();
		} catch (problem) {
			setError(/** @type {Error} */ (problem).message);
		}
	});

	return html`<${Dialog} title=${naming.title} onClose=${onClose}>
		<form class="dialog-form" onSubmit=${submit}>
			<label>${t('name')}<input name="name" value=${name} required
				autofocus autocomplete="off" aria-invalid=${error !== ''}
				onInput=${(/** @type {any} */ event) =>
					setName(event.target.value)} /></label>
			<${Problem} error=${error} />
			<div class="buttons"><button type="button" onClick=${onClose}>
				${t('cancel')}</button>
				<button class="primary" disabled=${busy}>
				${t('save')}</button></div>
		</form><//>`;
}
