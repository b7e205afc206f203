// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Playlists and segments to many clients: first 1,000 players, each of which
 * gets every listed segment in time; then as many requests as possible from
 * 1,000 connections of wrk, and over TLS from 100, beside nginx with the same
 * bytes in memory, by turns.
 *
 * All our processes are counted, all those of nginx, and the kernel's softirq
 * threads for both.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { makeClip } from '../helpers/media.mjs';
import { startNginx } from '../helpers/nginx.mjs';
import { lacks } from '../helpers/peers.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { memoryDir, run, sleep, start, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';
import { program, Reporter, startGenerator } from './load.mjs';
import { cpuNs, median, Scope, softirqThreads } from './measure.mjs';
import { ofAll } from './report.mjs';

const CLIENTS = 1000, FROM = 10000, PORT = 18100, NGINX = 18200;
/* Mbit/s, and segments of so many seconds: 1 MB each */
const RATE = 4, DURATION = 2;
const LIMIT = 1;

/* --- players --- */

function play(window) {
	return Scope.within(async (scope) => {
		const dir = tempDir(scope);

		await makeClip(dir, 'a', { pictures: ['-c:v', 'libx264'] });
		const sluice = await Sluice.start(scope, config(stream('a',
			`file://${dir}/a.ts#loop`, `http://127.0.0.1:${PORT}` +
			`/news.m3u8#duration=${DURATION}`)));

		await sluice.onair('a', 20000);
		await sleep(4 * DURATION * 1000);
		const farm = new Reporter(start(scope, program('hls_farm'),
			['--clients', CLIENTS, '--port', PORT, '--path',
				'/news.m3u8'].map(String)));
		await farm.ready(60000);
		const pids = [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)];
		const before = await farm.snapshot(), cpu = cpuNs(pids);
		await sleep(2 * window * 1000);
		const after = await farm.snapshot();
		const used = cpuNs(pids) - cpu;
		const requests = (of) => of.playlists + of.segments;

		await farm.stop();
		return { ...after, cpu: used,
			requests: requests(after) - requests(before) };
	});
}

/* --- requests --- */

const SCRIPT = `
local paths = {}
local i = 0
init = function(args)
	for path in io.lines(os.getenv("TARGETS")) do
		paths[#paths + 1] = wrk.format("GET", path)
	end
end
request = function()
	i = i % #paths + 1
	return paths[i]
end
done = function(sum, latency)
	io.write(string.format('\\n{"requests":%d,"bytes":%d,"us":%d,' ..
		'"failed":%d,"p99":%d}\\n', sum.requests, sum.bytes,
		sum.duration, sum.errors.status + sum.errors.connect +
		sum.errors.read + sum.errors.timeout,
		latency:percentile(99)))
end
`;

async function load(scope, url, targets, seconds) {
	// handshakes are measured by `tls'
	const connections = url.startsWith('https') ? 100 : CLIENTS;
	const dir = tempDir(scope);
	const file = path.join(dir, 'targets');
	const script = path.join(dir, 'script.lua');

	fs.writeFileSync(file, targets.join('\n'));
	fs.writeFileSync(script, SCRIPT);
	const { code, out, err } = await run('wrk', ['-t', '1', '-c',
		String(connections), '-d', String(seconds), '--timeout', '30',
		'-s', script, url], { env: { ...process.env, TARGETS: file } });

	assert.equal(code, 0, err);
	return JSON.parse(out.trim().split('\n').at(-1));
}

async function get(port, target, ca) {
	return new Promise((done, fail) => (ca ? https : http).get({ ca,
		host: '127.0.0.1', port, path: target, agent: false },
	(reply) => {
		const parts = [];

		reply.on('data', (part) => parts.push(part));
		reply.on('end', () => done(Buffer.concat(parts)));
	}).on('error', fail));
}

async function startSluice(scope, cert, secure) {
	const scheme = secure ? 'https' : 'http';
	const sluice = await Sluice.start(scope, { settings: settingsOf(cert),
		...config(stream('bench', `udp://127.0.0.1:${FROM}`,
			`${scheme}://127.0.0.1:${PORT}/news.m3u8` +
			`#duration=${DURATION}&quantity=6&` +
			'buffer_size=65536')) });

	await waitUntil('open input', () => udpBound(FROM), 15000);
	startGenerator(scope, { streams: 1, rate: RATE, port: FROM,
		seconds: 600 });
	await sluice.onair('bench', 20000);
	return sluice;
}

// The targets of a player now: the playlist and its segments.
async function targetsOf(ca) {
	const list = await waitUntil('six segments', async () => {
		const text = String(await get(PORT, '/news.m3u8', ca));
		const uris = text.match(/^news\/\d+\.ts$/gm) ?? [];

		return uris.length === 6 && uris;
	}, 60000);

	// those that stay longest; a request for each and its playlist
	return list.slice(2).flatMap((uri) => ['/news.m3u8', `/${uri}`]);
}

// Serves the files; returns its processes.
async function serve(scope, cert, secure, files) {
	const dir = await memoryDir(scope, '128m');

	for (const [target, data] of Object.entries(files)) {
		fs.mkdirSync(path.dirname(path.join(dir, target)),
			{ recursive: true });
		fs.writeFileSync(path.join(dir, target), data);
	}
	const { pid } = await startNginx(scope, dir, {
		main: `user root; worker_processes 1; error_log stderr crit;
			worker_rlimit_nofile 8192;`,
		events: 'worker_connections 4096;',
		http: `access_log off; sendfile on; tcp_nopush on;
			keepalive_requests 10000000; open_file_cache max=100;`,
		server: `listen 127.0.0.1:${NGINX} ${secure ? 'ssl' : ''}
				backlog=2048;
			ssl_certificate ${cert.chain};
			ssl_certificate_key ${cert.key};` });

	return () => [pid, ...fs.readFileSync(`/proc/${pid}/task/` +
		`${pid}/children`, 'utf8').trim().split(' ').map(Number)];
}

async function measure(scope, pids, url, targets, seconds) {
	const cpu = () => cpuNs([...pids, ...softirqThreads]);
	const before = cpu();
	const seen = await load(scope, url, targets, seconds);
	const used = (cpu() - before) / 1e9;

	// an answer that is not complete at the end is no request
	return { ...seen, perCpuSecond: seen.requests / used,
		mbPerCpuSecond: seen.bytes / 1e6 / used,
		gbits: seen.bytes * 8 / seen.us / 1000 };
}

// One of each by turns: their order changes.
function compare(secure, { rounds, window }) {
	return Scope.within(async (scope) => {
		const scheme = secure ? 'https' : 'http';
		const cert = await certificate(tempDir(scope), 'bench');
		const ca = secure ? cert.pem : undefined;
		const sluice = await startSluice(scope, cert, secure);
		const files = {};
		const targets = await targetsOf(ca);

		for (const target of targets)
			files[target] ??= await get(PORT, target, ca);
		const nginx = await serve(scope, cert, secure, files);
		const seconds = Math.max(2, Math.ceil(window / 2));
		const runs = { sluice: [], nginx: [] };

		for (let round = 0; round < rounds; round++) {
			runs.sluice.push(await measure(scope, [sluice.pid,
				...sluice.workers().map(({ pid }) => pid)],
			`${scheme}://127.0.0.1:${PORT}`, await targetsOf(ca),
			seconds));
			runs.nginx.push(await measure(scope, nginx(),
				`${scheme}://127.0.0.1:${NGINX}`, targets,
				seconds));
		}
		return runs;
	});
}

export async function hls(report, options) {
	report.section(`hls: ${CLIENTS} players`);
	const seen = await play(options.window);

	report.keep('hls_players', seen);
	report.judge(seen.missed + seen.failed === 0, `hls: ${ofAll(
		seen.missed, seen.segments + seen.missed)} listed segments ` +
		`and ${seen.failed} playlists were not served to ${CLIENTS} ` +
		`players (${(seen.cpu / 1e3 / seen.requests).toFixed(0)} us ` +
		'of CPU a request, a playlist p99 after ' +
		`${(seen.playlist_us.p99 / 1000).toFixed(0)} ms, a segment ` +
		`after ${(seen.segment_us.p99 / 1000).toFixed(0)} ms)`);
	const why = lacks('wrk') || lacks('nginx');
	if (why) {
		report.skip(`hls: ${why}`);
		return;
	}
	for (const secure of [false, true]) {
		const what = secure ? 'hls over TLS' : 'hls';
		report.section(`${what}: requests by wrk, medians of ` +
			`${options.rounds} rounds`);
		const runs = await compare(secure, options);
		const of = (name, key) => median(runs[name].map(
			(one) => one[key]));
		const ratio = of('sluice', 'perCpuSecond') /
			of('nginx', 'perCpuSecond');
		const failed = runs.sluice.reduce((sum, one) =>
			sum + one.failed, 0);

		report.table([['', 'requests/CPU s', 'MB/CPU s', 'requests',
			'Gbit/s', 'p99 ms', 'failed'],
		...Object.keys(runs).map((name) =>
			[name, of(name, 'perCpuSecond').toFixed(0),
				of(name, 'mbPerCpuSecond').toFixed(0),
				of(name, 'requests'),
				of(name, 'gbits').toFixed(2),
				(of(name, 'p99') / 1000).toFixed(0),
				of(name, 'failed')])]);
		report.keep(secure ? 'hls_tls' : 'hls_plain', runs);
		report.judge(ratio >= LIMIT && failed === 0, `${what}: ` +
			`${ratio.toFixed(2)} x the requests of nginx per CPU ` +
			`second (at least ${LIMIT}), ${failed} failed`);
	}
}
