// SPDX-License-Identifier: GPL-3.0-or-later
// Players of other projects.  Each plays an address for some seconds; the
// promise that it returns is fulfilled with its findings: { errors, damaged }
// (lines about pictures that do not decode), and perhaps { pictures, late }
// (pictures that it had no time for) and { times } (what happened because the
// player, or the stream, was late).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gstreamer, lacks, lacksUser, vlc } from './peers.mjs';
import { freePort, run, sleep, srcdir, start, tempDir, waitUntil }
	from './util.mjs';

export const RATE = 25; // pictures per second of every clip

const lines = (text) => text.split('\n').filter((line) => line !== '');

// About pictures and sound, not about the transport of whole packets.
const undecodable = new RegExp('\\[(h264|aac) @|SEI type \\d+ size \\d+ ' +
	'truncated|corrupt (decoded frame|input packet)|PES packet size|' +
	'Packet corrupt|Error while decoding|' +
	'Last message repeated|openh264dec|faad|^decoder: ');

// Findings from lines that are all complaints.
const sorted = (all) => ({ errors: all.filter((line) =>
	!undecodable.test(line)), damaged: all.filter((line) =>
	undecodable.test(line)) });

// ffmpeg and ffprobe have read segments too late.
const SKIPPED = /skipping \d+ segments ahead, expired from playlists/;

const withSkips = ({ errors, damaged }) => ({ damaged,
	errors: errors.filter((line) => !SKIPPED.test(line)),
	times: errors.filter((line) => SKIPPED.test(line)) });

const isPlaylist = (url) => url.endsWith('.m3u8');

async function ffmpeg(t, url, seconds) {
	const child = start(t, 'ffmpeg', ['-nostdin', '-hide_banner', '-v',
		'warning', '-progress', 'pipe:1', '-stats_period',
		'5', '-i', url, '-t', String(seconds), '-f', 'null', '-']);
	const { code, out, err } = await child.ended;
	const last = (name) => Number(out.match(
		new RegExp(`^${name}=(\\d+)$`, 'gm'))?.at(-1).split('=')[1]);

	return { ...withSkips(sorted([...lines(err),
		...code === 0 ? [] : [`${code}`]])),
		pictures: last('frame'),
		late: last('drop_frames') + last('dup_frames') };
}

async function ffprobe(t, url, seconds) {
	const { code, out, err } = await run('ffprobe', ['-v', 'warning',
		'-select_streams', 'v', '-show_entries', 'packet=dts_time',
		'-of', 'csv=p=0', '-read_intervals', `%+${seconds}`, url]);
	const times = lines(out).map(Number);
	const steps = times.slice(1).map((time, i) => time - times[i])
		.filter((step) => Math.abs(step - 1 / RATE) > 0.002);
	const seen = withSkips(sorted([...lines(err),
		...code === 0 ? [] : [`${code}`]]));
	// a segment that was skipped is a step
	const unexplained = steps.length > seen.times.length ? steps : [];

	return { ...seen, errors: [...seen.errors, ...unexplained.map((step) =>
		`a step of ${step.toFixed(3)} s`)], pictures: times.length };
}

// A player's process until the time is over.
async function until(child, seconds, ready) {
	await waitUntil(`a picture of ${child.spawnfile}`, () => {
		assert.equal(child.exitCode, null, child.text.err);
		return ready();
	}, 20000);
	await sleep(seconds * 1000);
	const ended = child.exitCode !== null;
	// while it stops, its threads find their neighbours gone
	const { err } = child.text;

	child.kill('SIGINT');
	await child.ended;
	return [...ended ? ['ended'] : [], ...lines(err)];
}

const dropping = /discontinuity|lost|corrupt|deadlock|too late|underflow/i;
// A time base that a playlist announces.
const ofBases = /Ending demuxer stream|Draining on discontinuity/;
// A segment that was skipped is a gap.
const ofGaps = /discontinuity|lost/i;

// VLC logs each segment that it fetches.  It skips some, or fetches one again,
// when it is late, and reports the gap.
function skipsOf(said) {
	const all = said.map((line) => /Retrieving .*\/(\d+)\.ts/.exec(line))
		.filter(Boolean).map(([, number]) => Number(number));

	return all.slice(1).map((number, i) => [all[i], number])
		.filter(([before, after]) => after !== before + 1)
		.map(([before, after]) =>
			`segment ${after} fetched after ${before}`);
}

async function cvlc(t, url, seconds) {
	const child = vlc(t, '-vv', '--vout', 'dummy', '--aout', 'adummy', url);
	const said = await until(child, seconds, () =>
		/Received first picture/.test(child.text.err));

	const faults = sorted(said.filter((line) => dropping.test(line) &&
		!ofBases.test(line) && !/too late/.test(line)));
	const skips = skipsOf(said);
	const gaps = skips.length === 0 ? [] :
		faults.errors.filter((line) => ofGaps.test(line));

	return { ...faults,
		errors: faults.errors.filter((line) => !gaps.includes(line)),
		times: gaps.length > 0 ? [...skips, ...gaps] : [],
	late: said.filter((line) => /too late/.test(line)).length };
}

// Other warnings are about plugins that are not installed.
const ofElements =
	/ERROR|^ended|WARN.*(tsdemux|souphttp|openh264dec|h264parse|queue)/;

async function gst(t, url, seconds) {
	const from = `souphttpsrc location=${url} ` + (isPlaylist(url) ?
		'! hlsdemux ' : 'is-live=true ');
	const child = gstreamer(t, `${from}! tsdemux name=d`,
		'd. ! queue ! h264parse ! openh264dec',
		'! progressreport update-freq=1 do-query=false',
		'! fakesink sync=true',
		'd. ! queue ! aacparse ! faad ! fakesink sync=true');
	const shown = () => Number(child.text.out.match(
		/\(\d+:\d\d:\d\d\): (\d+)/g)?.at(-1).split(': ')[1]);
	const said = await until(child, seconds, () => shown() > 0);

	return sorted(said.filter((line) => ofElements.test(line)));
}

// The stream without a player, in a file.
export async function curl(t, url, seconds) {
	const file = path.join(tempDir(t), 'seen.ts');
	const { code, err } = await run('curl', ['-s', '-S', '-m',
		String(seconds), '-o', file, url]);

	assert.equal(code, 28, err);
	const size = fs.statSync(file).size;

	fs.truncateSync(file, size - size % 188);
	return file;
}

export const players = {
	ffmpeg: { play: ffmpeg, lacks: lacks('ffmpeg') },
	ffprobe: { play: ffprobe, lacks: lacks('ffprobe') },
	VLC: { play: cvlc, lacks: lacks('cvlc') || lacksUser() },
	GStreamer: { play: gst, lacks: lacks('gst-launch-1.0', 'gst:hlsdemux',
		'gst:openh264dec', 'gst:faad') },
};

/* --- a browser --- */

const CHROMIUM = '/usr/bin/chromium';
const require = createRequire(path.join(srcdir, 'web/package.json'));
const SCRIPTS = { '/hls.js': 'hls.js/dist/hls.min.js',
	'/mpegts.js': 'mpegts.js/dist/mpegts.js' };
const modules = path.join(srcdir, 'web/node_modules');

export const lacksBrowser = () => {
	const missing = [CHROMIUM, path.join(modules, 'playwright-core'),
		...Object.values(SCRIPTS).map((name) =>
			path.join(modules, name))]
		.find((file) => !fs.existsSync(file));

	return missing ? `not installed: ${path.basename(missing)}` : false;
};

// Runs in the page, which has an object of counts for each player.  A browser
// stops at a picture that does not decode: both recover as their manuals say.
const script = `
const state = {};
function watch(name, attach) {
	const video = document.createElement('video');
	const seen = state[name] = { errors: [], times: [], pictures: 0,
		late: 0 };
	let recovers = true; // until the first picture

	function count() {
		seen.pictures++;
		recovers = false;
		seen.late = video.getVideoPlaybackQuality().droppedVideoFrames;
		video.requestVideoFrameCallback(count);
	}
	video.muted = true;
	document.body.append(video);
	video.requestVideoFrameCallback(count);
	video.addEventListener('waiting', () => {
		if (!recovers)
			seen.times.push('a stall at ' + video.currentTime);
	});
	video.addEventListener('error', () =>
		seen.errors.push('decoder: ' + video.error.message));
	attach(video, seen, (error) => seen.errors.push(error), () => {
		if (recovers)
			return false;
		recovers = true;
		return true;
	});
	video.play();
}
function playHls(url) {
	watch('hls.js', (video, seen, fail, recover) => {
		const hls = new Hls();

		hls.on(Hls.Events.ERROR, (event, data) => {
			const { fatal, type, details } = data;
			const decodes = type !== Hls.ErrorTypes.MEDIA_ERROR ||
				details === 'bufferStalledError';

			// the player has ended a request of its own
			if (details === Hls.ErrorDetails.INTERNAL_ABORTED)
				return;
			if (/Stalled|NudgeOnStall|TimeOut/.test(details))
				seen.times.push(details);
			else
				fail(decodes ? details : 'decoder: ' + details);
			// one that is not fatal leads to a new source anyway
			if (!decodes && recover() && fatal)
				hls.recoverMediaError();
		});
		// a new source pauses the element
		hls.on(Hls.Events.MEDIA_ATTACHED, () => video.play());
		hls.loadSource(url);
		hls.attachMedia(video);
	});
}
function playTs(url) {
	watch('mpegts.js', (video, seen, fail, recover) => {
		function begin() {
			const player = mpegts.createPlayer({ type: 'mpegts',
				url, isLive: true },
			{ liveBufferLatencyChasing: false });

			player.on(mpegts.Events.ERROR, (type, what) => {
				const decodes = type !== 'MediaError';

				fail(decodes ? what : 'decoder: ' + what);
				if (!decodes && recover()) {
					player.destroy();
					begin();
					video.play();
				}
			});
			player.attachMediaElement(video);
			player.load();
		}
		begin();
	});
}`;

const page = `<!DOCTYPE html><meta charset="utf-8"><title>players</title><body>
${Object.keys(SCRIPTS).map((src) => `<script src="${src}"></script>`).join('')}
<script>${script}</script>`;

async function servePage(t) {
	const port = await freePort();
	const server = http.createServer((call, reply) => {
		const name = SCRIPTS[call.url];

		reply.writeHead(200, { 'Content-Type': name ?
			'text/javascript' : 'text/html' });
		reply.end(name ? fs.readFileSync(path.join(modules, name)) :
			page);
	});

	await new Promise((done) => server.listen(port, '127.0.0.1', done));
	t.after(() => {
		server.close();
		server.closeAllConnections();
	});
	return `http://127.0.0.1:${port}/`;
}

export async function openBrowser(t) {
	const { chromium } = require('playwright-core');
	const context = await chromium.launchPersistentContext(tempDir(t), {
		executablePath: CHROMIUM, headless: true,
		chromiumSandbox: false, args: ['--disable-gpu',
			'--disable-quic', '--no-first-run',
			'--disable-background-networking',
			'--disable-component-update', '--disable-sync',
			'--autoplay-policy=no-user-gesture-required'] });

	t.after(() => context.close());
	return context;
}

// Plays both in one page; the findings of each by its name.  The timing stops
// while the browser still runs.
export async function playInBrowser(t, { hls, ts }, seconds, timing) {
	const context = await openBrowser(t);
	const tab = await context.newPage();

	await tab.goto(await servePage(t));
	await tab.evaluate(([a, b]) => {
		/* global playHls, playTs */
		playHls(a);
		playTs(b);
	}, [hls, ts]);
	/* global state */
	const read = () => tab.evaluate(() => state);

	await waitUntil('pictures in the browser', async () => {
		const seen = await read();

		if (!Object.values(seen).every(({ pictures }) => pictures > 5))
			throw new Error(JSON.stringify(seen));
		return true;
	}, 20000);
	const before = await read();
	await sleep(seconds * 1000);
	const after = await read();

	timing.stop();
	await context.close();
	return Object.entries(after).map(([name, seen]) =>
		({ name, ...sorted(seen.errors), late: seen.late,
			times: seen.times,
			pictures: seen.pictures - before[name].pictures }));
}
