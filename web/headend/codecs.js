// SPDX-License-Identifier: GPL-3.0-or-later
// What a browser can play of a stream, and where a player finds it.  Pure.

/** @typedef {import('../common/api-types').AnalyzedPid} AnalyzedPid */
/** @typedef {import('../common/api-types').StreamConfig} StreamConfig */
/** @typedef {{kind: 'video' | 'audio', name: string, plays: boolean}} Codec */

/** By stream_type.  Without a type of media no browser plays it.
 * @type {Record<number, ['video' | 'audio', string, string?]>} */
const TYPES = {
	0x01: ['video', 'MPEG-1'],
	0x02: ['video', 'MPEG-2'],
	0x03: ['audio', 'MPEG-1 layer II'],
	0x04: ['audio', 'MPEG-2 layer II'],
	0x0f: ['audio', 'AAC', 'audio/mp4; codecs="mp4a.40.2"'],
	0x10: ['video', 'MPEG-4 part 2'],
	0x11: ['audio', 'AAC LATM', 'audio/mp4; codecs="mp4a.40.2"'],
	0x1b: ['video', 'H.264', 'video/mp4; codecs="avc1.640028"'],
	0x24: ['video', 'H.265', 'video/mp4; codecs="hvc1.1.6.L120.B0"'],
	0x33: ['video', 'H.266'],
	0x42: ['video', 'AVS'],
	0x81: ['audio', 'AC-3', 'audio/mp4; codecs="ac-3"'],
	0x87: ['audio', 'E-AC-3', 'audio/mp4; codecs="ec-3"'],
};

/** How a preview is delivered: as MPEG-TS, or by HLS.
 * @typedef {'ts' | 'hls'} Way */

/** The address, port and path of an http output. */
const HTTP = /^http:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*):(\d+)(\/[^#]*)?/;

/**
 * @param {AnalyzedPid[]} pids
 * @param {(type: string) => boolean} supports MediaSource.isTypeSupported
 * @returns {Codec[]} each once, video first
 */
export function codecsOf(pids, supports) {
	/** @type {Map<string, Codec>} */
	const found = new Map();

	for (const { stream_type, kind } of pids) {
		const known = TYPES[stream_type ?? -1];

		if (known !== undefined)
			found.set(known[1], { kind: known[0], name: known[1],
				plays: known[2] !== undefined &&
					supports(known[2]) });
		else if (kind === 'audio' || kind === 'video')
			found.set(`0x${(stream_type ?? 0).toString(16)}`,
				{ kind, plays: false,
					name: `0x${(stream_type ?? 0).toString(16)}` });
	}
	return [...found.values()].sort((a, b) =>
		Number(b.kind === 'video') - Number(a.kind === 'video'));
}

/**
 * What a preview shows.  A stream with pictures that the browser lacks is not
 * played: a black box with sound looks like a fault.
 * @param {Codec[]} codecs
 * @returns {{plays: boolean, video: boolean, audio: boolean,
 *	lacking: string[]}}
 */
export function judge(codecs) {
	const of = (/** @type {'video' | 'audio'} */ kind) =>
		codecs.filter((one) => one.kind === kind);
	const can = (/** @type {Codec[]} */ list) =>
		list.some((one) => one.plays);
	const hasVideo = of('video').length > 0;
	const video = can(of('video')), audio = can(of('audio'));

	return { plays: hasVideo ? video : audio, video, audio,
		lacking: codecs.filter((one) => !one.plays &&
			!can(of(one.kind))).map((one) => one.name) };
}

/** @param {string} output */
const isHls = (output) => /^https?:[^#]*\.m3u8(?:#|$)/.test(output);

/**
 * The ways to preview a stream, the better one first: MPEG-TS, which is less
 * late, or that of its own outputs.
 * @param {StreamConfig | null} config
 * @param {Record<string, unknown> | null} settings null: not known, an observer
 *	asks
 * @param {boolean} hasMse the browser has MediaSource, which MPEG-TS needs
 * @returns {Way[]} none: the settings have none
 */
export function waysOf(config, settings, hasMse) {
	const served = (config?.output ?? []).filter((output) =>
		/^https?:/.test(output));
	/** @type {Way[]} */
	const ways = served.length > 0 && served.every(isHls)
		? ['hls', 'ts'] : ['ts', 'hls'];

	return ways.filter((way) => (way === 'hls' || hasMse) &&
		(settings === null || settings[way === 'ts'
			? 'http_play_stream' : 'http_play_hls'] === true));
}

/**
 * The address for a player: an http output, or the path of the play port.
 * @param {StreamConfig | null} config
 * @param {Record<string, unknown>} settings
 * @param {string} host of this page
 * @returns {string} "": there is none
 */
export function playerAddress(config, settings, host) {
	for (const output of config?.output ?? []) {
		const [, at, port, path] = HTTP.exec(output) ?? [];

		if (port !== undefined)
			return `http://${['0.0.0.0', '', '[::]'].includes(at) ? host
				: at}:${port}${path ?? '/'}`;
	}
	const play = settings.http_play_port;
	const isTs = settings.http_play_stream === true;

	if (!(isTs || settings.http_play_hls === true) || !play || !config)
		return '';
	const port = /(\d+)$/.exec(String(play))?.[1] ?? '';

	return `http://${host}:${port}/play/${encodeURIComponent(config.id)}${
		isTs ? '' : '/index.m3u8'}`;
}
