// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Streams that are fetched: a transport stream over HTTP and an HLS playlist,
 * 8 Mbit/s each, eight of a kind, to UDP; beside `ffmpeg -c copy', a process
 * each, by turns: as it likes, and so that it keeps its bursts as small as we
 * do.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Live } from '../helpers/hls.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { now, run, sleep, start } from '../helpers/util.mjs';
import { startChecker } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';

const STREAMS = 8, RATE = 8e6, SECONDS = 60, TO = 20000, PORT = 7000;
const WARM_MS = 8000, LIMIT = 1 / 3;
// 10 ms of the stream, and the output is little more than the input
const PACED = `bitrate=${RATE * 1.05}&burst_bits=${RATE / 100}`;

// One clip, whole and in segments of two seconds.
async function makeClip(dir) {
	const made = await run('ffmpeg', ['-nostdin', '-y', '-v', 'error',
		'-f', 'lavfi', '-i', 'testsrc2=size=720x576:rate=25',
		'-f', 'lavfi', '-i', 'sine=sample_rate=48000',
		'-t', String(SECONDS), '-c:v', 'mpeg2video', '-g', '25',
		'-b:v', '7.3M', '-minrate', '7.3M', '-maxrate', '7.3M',
		'-bufsize', '1.8M', '-c:a', 'mp2', '-b:a', '192k',
		'-f', 'tee', '-map', '0', '-map', '1',
		`[f=mpegts:muxrate=${RATE}]${dir}/clip.ts|` +
		`[f=hls:hls_time=2:hls_list_size=0]${dir}/list.m3u8`]);

	assert.equal(made.code, 0, made.err);
	const read = (name, how) => fs.readFileSync(path.join(dir, name), how);

	return { whole: read('clip.ts'), segments: [...read('list.m3u8', 'utf8')
		.matchAll(/^#EXTINF:([\d.]+),\n(.*)$/gm)]
		.map(([, duration, file]) => ({ duration: Number(duration),
			data: read(file) })) };
}

// At the pace of the clip.
function feed(reply, whole) {
	const begin = now();
	let at = 0;
	const timer = setInterval(() => {
		const due = Math.floor((now() - begin) / 1000 * RATE / 8);

		reply.write(whole.subarray(at, due));
		at = due;
	}, 20);

	reply.on('close', () => clearInterval(timer));
	reply.on('error', () => { /* the client has disconnected */ });
}

async function serve(scope, clip) {
	const live = new Live(clip.segments, { window: 5, target: 2,
		lasts: 2 });
	const server = http.createServer((request, reply) => {
		if (request.url === '/ts')
			feed(reply, clip.whole);
		else
			live.handle(request, reply, request.url.slice(5));
	});

	await new Promise((done) => server.listen(PORT, '127.0.0.1', done));
	scope.after(() => {
		server.closeAllConnections();
		server.close();
	});
}

const url = (kind) => `http://127.0.0.1:${PORT}/` +
	(kind === 'hls' ? 'hls/live.m3u8' : 'ts');
const each = (make) => Array.from({ length: STREAMS }, (_, i) => make(i));

function ffmpeg(scope, kind, before, to) {
	const children = each((i) => start(scope, 'ffmpeg', ['-nostdin', '-v',
		'error', ...before, '-i', url(kind), '-map', '0', '-c', 'copy',
		'-f', 'mpegts',
		`udp://127.0.0.1:${TO + i}?pkt_size=1316${to}`]));

	return () => children.map((child) => child.pid);
}

const candidates = {
	async sluice(scope, kind) {
		const sluice = await Sluice.start(scope, config(...each((i) =>
			stream(`s${i}`, `${url(kind)}#buffer_time=1`,
				`udp://127.0.0.1:${TO + i}`))));

		return () => [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)];
	},

	// As it comes; segments at the pace of their time stamps.
	ffmpeg: (scope, kind) =>
		ffmpeg(scope, kind, kind === 'hls' ? ['-re'] : [], ''),

	'ffmpeg, paced': (scope, kind) =>
		ffmpeg(scope, kind, ['-re'], `&${PACED}`),
};

// CPU for a Mbit of input: ffmpeg drops null packets.
function measureOne(clip, kind, name, window) {
	return Scope.within(async (scope) => {
		await serve(scope, clip);
		const checker = await startChecker(scope, { streams: STREAMS,
			rate: RATE / 1e6, port: TO });
		const pids = await candidates[name](scope, kind);

		await sleep(WARM_MS);
		const before = await checker.snapshot(), cpu = cpuNs(pids());
		await sleep(window * 1000);
		const spent = cpuNs(pids()) - cpu;
		const after = await checker.snapshot();
		const came = STREAMS * RATE / 1e6 * window;
		const sent = (after.bytes - before.bytes) * 8 / 1e6;

		assert.ok(sent > came * 0.8, `${name} sends ${sent} Mbit of ` +
			`${came} by ${kind}`);
		return { cpu: spent / 1000 / came,
			rate: sent / window / STREAMS,
			errors: after.cc_errors - before.cc_errors,
			burst: after.burst_ms.p99 };
	});
}

function summarise(runs) {
	const of = (key) => median(runs.map((one) => one[key]));

	return { cpu: of('cpu'), rate: of('rate'), burst: of('burst'),
		errors: runs.reduce((sum, one) => sum + one.errors, 0) };
}

// { candidate: summary }
async function measureKind(clip, kind, { rounds, window }) {
	const names = Object.keys(candidates);
	const runs = Object.fromEntries(names.map((name) => [name, []]));

	for (let i = 0; i < rounds; i++)
		for (const name of names)
			runs[name].push(await measureOne(clip, kind, name,
				window));
	return Object.fromEntries(names.map(
		(name) => [name, summarise(runs[name])]));
}

function judge(report, kind, of) {
	const { sluice } = of;

	report.judge(sluice.errors === 0,
		`pull: ${kind}: ${sluice.errors} continuity errors`);
	for (const name of ['ffmpeg', 'ffmpeg, paced']) {
		const part = sluice.cpu / of[name].cpu;

		report.judge(part <= LIMIT, `pull: ${kind}: CPU ` +
			`${part.toFixed(2)} x ${name}, -c copy ` +
			`(at most ${LIMIT.toFixed(2)}); bursts of ` +
			`${sluice.burst} ms, its are of ${of[name].burst}`);
	}
}

export async function pull(report, options) {
	report.section(`pull: ${STREAMS} streams of ${RATE / 1e6} Mbit/s, ` +
		`medians of ${options.rounds} rounds`);
	if (spawnSync('ffmpeg', ['-version']).error !== undefined) {
		report.skip('pull: ffmpeg makes the clip: it is not installed');
		return;
	}
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-bench-'));
	const rows = [['input', 'candidate', 'us/Mbit in', 'Mbit/s each out',
		'burst p99 ms']];
	const kept = {};

	try {
		const clip = await makeClip(dir);

		for (const kind of ['ts', 'hls']) {
			kept[kind] = await measureKind(clip, kind, options);
			judge(report, kind, kept[kind]);
			for (const [name, o] of Object.entries(kept[kind]))
				rows.push([`http, ${kind}`, name,
					o.cpu.toFixed(0), o.rate.toFixed(2),
					o.burst]);
		}
	} finally {
		fs.rmSync(dir, { recursive: true });
	}
	report.table(rows);
	report.keep('pull', kept);
}
