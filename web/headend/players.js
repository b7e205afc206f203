// SPDX-License-Identifier: GPL-3.0-or-later
// The players of the preview.  Each is loaded when a preview needs it.

import { shown } from '../common/text.js';

/** @typedef {import('./app.js').App} App */

/**
 * @typedef {object} Wanted
 * @property {App} app
 * @property {string} id of the stream
 * @property {HTMLVideoElement} video
 * @property {{video: boolean, audio: boolean} | null} has null: not known
 * @property {(error: string) => void} onError after which it does not play
 */

/** @typedef {() => void} End ends it */

/** @param {(string | undefined)[]} parts */
const sentence = (...parts) => shown(parts.filter(Boolean).join(': '));

/** @param {Wanted} wanted @returns {Promise<End>} */
async function playTs({ app, id, video, has, onError }) {
	const { default: mpegts } = await import('../parts/mpegts.js');

	mpegts.LoggingControl.applyConfig({ enableAll: false });
	const player = mpegts.createPlayer({ type: 'mpegts', isLive: true,
		url: app.api.url(`play/${encodeURIComponent(id)}`).href,
		...has === null ? {} : { hasVideo: has.video,
			hasAudio: has.audio } },
	{ enableWorker: false, lazyLoad: false,
		liveBufferLatencyChasing: true,
		liveBufferLatencyMaxLatency: 4,
		autoCleanupSourceBuffer: true,
		autoCleanupMaxBackwardDuration: 30,
		autoCleanupMinBackwardDuration: 10 });

	player.on(mpegts.Events.ERROR, (/** @type {string} */ type,
		/** @type {string} */ detail, /** @type {any} */ info) =>
		onError(sentence(type, detail, info?.msg)));
	player.attachMediaElement(video);
	player.load();
	// the browser may want a click first: its controls are there
	player.play()?.catch?.(() => {});
	return () => player.destroy();
}

/** @param {Wanted} wanted @returns {Promise<End>} */
async function playHls({ app, id, video, onError }) {
	const { default: Hls } = await import('../parts/hls.js');
	/** A stream on demand has no segment at first. */
	const patient = { maxTimeToFirstByteMs: 15000, maxLoadTimeMs: 20000,
		timeoutRetry: { maxNumRetry: 2, retryDelayMs: 0,
			maxRetryDelayMs: 0 },
		errorRetry: { maxNumRetry: 15, retryDelayMs: 1000,
			maxRetryDelayMs: 1000 } };
	const player = new Hls({ enableWorker: false, lowLatencyMode: false,
		backBufferLength: 30, maxBufferLength: 20,
		manifestLoadPolicy: { default: patient } });

	player.on(Hls.Events.ERROR, (/** @type {string} */ _event,
		/** @type {any} */ { fatal, details, response, error }) => {
		if (fatal)
			onError(sentence(details, response?.code ?
				String(response.code) : '', error?.message));
	});
	player.loadSource(app.api.url(
		`play/${encodeURIComponent(id)}/index.m3u8`).href);
	player.attachMedia(video);
	video.play().catch(() => {});
	return () => player.destroy();
}

/** @type {Record<import('./codecs.js').Way,
 *	(wanted: Wanted) => Promise<End>>} */
export const PLAYERS = { ts: playTs, hls: playHls };
