// SPDX-License-Identifier: GPL-3.0-or-later
// A stream in the browser, on request and without sound at first.

import { useEffect, useRef, useState } from '../parts/hooks.js';
import { shown } from '../common/text.js';
import { t } from '../common/words.js';
import { codecsOf, judge, playerAddress, waysOf } from './codecs.js';
import { Copy } from './copy.js';
import { PLAYERS } from './players.js';
import { Foreign, html } from './view.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {{text: string, isError: boolean}} Said */

const PICTURE_S = 3; // within which a picture has to be decoded
/** Within which a stream has to start: one on demand, or a segment of HLS. */
const START_MS = { ts: 8000, hls: 30000 };

/** Safari on telephones has this one alone. */
const Source = globalThis.MediaSource ??
	/** @type {any} */ (globalThis).ManagedMediaSource;

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
			Source?.isTypeSupported(type) ?? false) : null;
	} catch {
		return null;
	}
}

/** @param {HTMLVideoElement} video */
const pictures = (video) => video.getVideoPlaybackQuality().totalVideoFrames;

/**
 * The ways that the settings allow; an observer may not know them.
 * @param {App} app
 * @param {Stream} stream
 */
const waysTo = (app, stream) => waysOf(stream.config, app.isControl
	? app.store.config.settings ?? {} : null, 'MediaSource' in globalThis);

/** One way to play a stream, until it ends or does not play. */
class Attempt {
	isOver = false;
	/** @type {import('./players.js').End} */
	#end = () => {};
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	#timer;

	/**
	 * @param {import('./codecs.js').Way} way
	 * @param {Omit<import('./players.js').Wanted, 'onError'>} wanted
	 * @param {import('./codecs.js').Codec[] | null} codecs
	 * @param {(error: string) => void} onError
	 */
	constructor(way, wanted, codecs, onError) {
		const { video } = wanted;
		const fail = (/** @type {string} */ error) => {
			// the first one is the cause
			if (this.isOver)
				return;
			this.end();
			onError(error);
		};
		const judgePictures = () => {
			if (video.readyState === 0 || (codecs?.some((one) =>
				one.kind === 'video') && pictures(video) === 0))
				fail(t('preview_no_picture', { codecs: (codecs ?? [])
					.map((one) => one.name).join(', ') }));
		};

		this.onData = () => this.#judgeIn(judgePictures,
			PICTURE_S * 1000);
		this.video = video;
		video.addEventListener('loadedmetadata', this.onData,
			{ once: true });
		this.#judgeIn(judgePictures, START_MS[way]);
		PLAYERS[way]({ ...wanted, onError: (error) => fail(
			t('preview_failed', { error })) }).then((end) => {
			if (this.isOver)
				end();
			else
				this.#end = end;
		}, ({ message }) => fail(message));
	}

	/**
	 * @param {() => void} judgeNow
	 * @param {number} ms
	 */
	#judgeIn(judgeNow, ms) {
		clearTimeout(this.#timer);
		if (!this.isOver)
			this.#timer = setTimeout(judgeNow, ms);
	}

	end() {
		this.isOver = true;
		clearTimeout(this.#timer);
		this.video.removeEventListener('loadedmetadata', this.onData);
		this.#end();
	}
}

/**
 * Plays in the first way that works.
 * @param {App} app
 * @param {Stream} stream
 * @param {HTMLVideoElement} video
 * @param {(said: Said) => void} say
 * @returns {() => void} ends it
 */
function play(app, stream, video, say) {
	const ways = waysTo(app, stream);
	/** @type {Attempt | null} */
	let attempt = null;
	let isOver = false;
	const start = async () => {
		const codecs = await ask(app, stream.id);
		const { plays, video: hasVideo, audio, lacking } =
			judge(codecs ?? []);
		const lacks = lacking.length > 0 ?
			t('preview_lacks', { codecs: lacking.join(', ') }) : '';

		if (isOver)
			return;
		if (codecs !== null && !plays) {
			say({ text: lacks, isError: true });
			return;
		}
		const has = codecs && { video: hasVideo, audio };
		const next = (/** @type {string} */ error) => {
			const way = ways.shift();

			if (way === undefined) {
				say({ text: error, isError: true });
				return;
			}
			say({ isError: false, text: [lacks, way === 'hls' &&
				t('preview_by_hls')].filter(Boolean).join(' ') });
			attempt = new Attempt(way, { app, id: stream.id, video, has },
				codecs, next);
		};

		next('');
	};

	start();
	return () => {
		isOver = true;
		attempt?.end();
	};
}

/**
 * True if the paths of the previews are switched off; an observer may not know.
 * @param {App} app
 */
export function isPlayOff(app) {
	const { settings } = app.store.config;

	return app.isControl && settings?.http_play_stream !== true &&
		settings?.http_play_hls !== true;
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
