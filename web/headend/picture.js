// SPDX-License-Identifier: GPL-3.0-or-later
// The last key frame of a stream.

import { useEffect, useState } from '../parts/hooks.js';
import { t } from '../common/words.js';
import { isPlayOff } from './preview.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */

const EVERY_MS = 5000;

/** @param {Blob} blob @returns {Promise<string>} a data URL */
function dataUrl(blob) {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();

		reader.onload = () => resolve(String(reader.result));
		reader.onerror = () => reject(reader.error);
		reader.readAsDataURL(blob);
	});
}

/** @param {{app: App, id: string}} props */
export function Picture({ app, id }) {
	const [source, setSource] = useState('');
	const [error, setError] = useState('');
	const isOff = isPlayOff(app);

	useEffect(() => {
		if (isOff)
			return;
		let over = false;
		const ask = async () => {
			if (document.hidden || app.lostAt !== null ||
				app.tick.frozen)
				return;
			try {
				const url = await dataUrl(await app.api.blob(
					`play/${encodeURIComponent(id)}.jpg`));

				if (!over) {
					setSource(url);
					setError('');
				}
			} catch (problem) {
				if (!over)
					setError(/** @type {Error} */ (problem).message);
			}
		};
		const timer = setInterval(ask, EVERY_MS);

		ask();
		return () => {
			over = true;
			clearInterval(timer);
		};
	}, [app, id, isOff]);
	if (isOff)
		return html`<p class="dim">${t('preview_off')}</p>`;
	if (error !== '')
		return html`<p class="dim"><${Foreign} text=${error} /></p>`;
	return source === '' ? html`<p class="dim">${t('loading')}</p>`
		: html`<img class="picture" src=${source}
			alt=${t('picture_of')} />`;
}
