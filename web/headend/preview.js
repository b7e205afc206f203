// SPDX-License-Identifier: GPL-3.0-or-later
// A stream in the browser, on request and without sound at first.

import { useEffect, useRef, useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { codecsOf, judge, playerAddress } from './codecs.js';
import { Copy } from './copy.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {{text: string, isError: boolean}} Said */

const PICTURE_S = 3; // within which a picture has to be decoded
const START_MS = 8000; // a stream on demand has to start

/**
 * The codecs of the stream, from its analysis; null: not known.
 * @param {App} app
 * @param {string} id
 */
async function ask(app, id) {
	try {
		const { inputs, output } = await app.api.get(
			`api/stream-analysis/${encodeURIComponent(id)}`);
		const end = [output, ...inputs].find((one) =>
			(one.pids ?? []).some((/** @type {any} */ pid) =>
				pid.kind === 'video' || pid.kind === 'audio'));

		return end ? codecsOf(end.pids, (type) =>
			'MediaSource' in globalThis &&
			MediaSource.isTypeSupported(type)) : null;
	} catch {
		return null;
	}
}

/** @param {HTMLVideoElement} video */
const pictures = (video) => video.getVideoPlaybackQuality().totalVideoFrames;

/**
 * @param {App} app
 * @param {Stream} stream
 * @param {HTMLVideoElement} video
 * @param {(said: Said) => void} say
 * @returns {() => void} ends it
 */
function play(app, stream, video, say) {
	/** @type {any} */
	let player = null;
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	let over = false;
	const error = (/** @type {string} */ text) => {
		// the first one is the cause
		clearTimeout(timer);
		if (!over)
			say({ text, isError: true });
	};
	const start = async () => {
		const codecs = await ask(app, stream.id);
		const { plays, video: hasVideo, audio, lacking } =
			judge(codecs ?? []);

		if (over)
			return;
		if (codecs !== null && !plays) {
			error(t('preview_lacks', { codecs: lacking.join(', ') }));
			return;
		}
		const { default: mpegts } = await import('../parts/mpegts.js');

		if (over)
			return;
		mpegts.LoggingControl.applyConfig({ enableAll: false });
		player = mpegts.createPlayer({ type: 'mpegts', isLive: true,
			url: app.api.url(`play/${encodeURIComponent(stream.id)}`)
				.href, ...codecs === null ? {}
				: { hasVideo, hasAudio: audio } },
		{ enableWorker: false, lazyLoad: false,
			liveBufferLatencyChasing: true,
			liveBufferLatencyMaxLatency: 4,
			autoCleanupSourceBuffer: true,
			autoCleanupMaxBackwardDuration: 30,
			autoCleanupMinBackwardDuration: 10 });
		player.on(mpegts.Events.ERROR, (/** @type {string} */ type,
			/** @type {string} */ detail, /** @type {any} */ info) =>
			error(t('preview_failed', { error: shown(
				[type, detail, info?.msg].filter(Boolean)
					.join(': ')) })));
		player.attachMediaElement(video);
		player.load();
		// the browser may want a click first: its controls are there
		player.play()?.catch?.(() => {});
		say({ isError: false, text: lacking.length > 0 ?
			t('preview_lacks', { codecs: lacking.join(', ') }) : '' });
		const judgePictures = () => {
			if (codecs?.some((one) => one.kind === 'video') &&
				pictures(video) === 0)
				error(t('preview_no_picture', { codecs:
					codecs.map((one) => one.name).join(', ') }));
		};

		video.addEventListener('loadedmetadata', () => {
			clearTimeout(timer);
			timer = setTimeout(judgePictures, PICTURE_S * 1000);
		}, { once: true });
		timer = setTimeout(judgePictures, START_MS);
	};

	start().catch((problem) => error(problem.message));
	return () => {
		over = true;
		clearTimeout(timer);
		player?.destroy();
	};
}

/**
 * True if the paths of the previews are switched off; an observer may not know.
 * @param {App} app
 */
export function isPlayOff(app) {
	return app.isControl &&
		app.store.config.settings?.http_play_stream !== true;
}

/** @param {{app: App, stream: Stream, onClose: () => void}} props */
export function Preview({ app, stream, onClose }) {
	const video = useRef(/** @type {HTMLVideoElement | null} */ (null));
	const isOff = isPlayOff(app);
	const [said, say] = useState(/** @type {Said} */ ({ isError: isOff,
		text: t(isOff ? 'preview_off' : stream.over?.waiting
			? 'preview_wakes' : 'loading') }));
	const address = playerAddress(stream.config,
		app.store.config.settings ?? {}, location.hostname);

	useEffect(() => {
		if (video.current && !isOff)
			return play(app, stream, video.current, say);
	}, [app, stream.id]);
	return html`<section class="preview">
		<div class="tools"><h2>${t('preview')}</h2>
			<button onClick=${onClose}>${t('close')}</button></div>
		<video ref=${video} muted playsinline controls
			hidden=${said.isError} aria-label=${t('preview')}></video>
		<p role="status" class=${said.isError ? 'problem' : 'dim'}>
			<${Foreign} text=${said.text} /></p>
		${address !== '' && html`<p>${t('for_player')}
			${' '}<code>${shown(address)}</code>
			${' '}<${Copy} app=${app} text=${address} /></p>`}
	</section>`;
}
