// SPDX-License-Identifier: GPL-3.0-or-later
// The last key frame of a stream.

import { useEffect, useState } from '../parts/hooks.js';
import { clock } from '../common/time.js';
import { age } from '../common/units.js';
import { t } from '../common/words.js';
import { isOld } from './current.js';
import { isPlayOff } from './preview.js';
import { Foreign, html, useTick } from './view.js';

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
	const [picture, setPicture] = useState({ source: '', at: 0 });
	const [error, setError] = useState('');
	const isOff = isPlayOff(app);

	useTick(app);
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
					setPicture({ source: url, at: Date.now() / 1000 });
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
	if (picture.at === 0 || app.lostAt !== null)
		return html`<p class="dim">${t('loading')}</p>`;
	return html`<figure data-stale=${isOld(picture.at, app.tick,
		EVERY_MS / 1000)}><img class="picture" src=${picture.source}
		alt=${t('picture_of')} /><figcaption class="dim">
		${t('picture_at', { time: clock(picture.at + app.skew.value,
			app.zone), age: age(app.tick.now - picture.at) })}
		</figcaption></figure>`;
}
