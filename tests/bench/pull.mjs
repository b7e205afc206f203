// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Streams that are fetched: a transport stream over HTTP and an HLS playlist,
 * 8 Mbit/s each, four of a kind, to UDP; beside `ffmpeg -c copy', a process
 * each, by turns.
 */
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Live } from '../helpers/hls.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { now, run, sleep, start } from '../helpers/util.mjs';
import { cpuNs, median, Scope } from './measure.mjs';

const STREAMS = 4, RATE = 8e6, SECONDS = 36, TO = 20000, PORT = 7000;
const LIMIT = 1 / 3;

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
	reply.on('error', () => { /* the other side is gone */ });
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

// Counts what comes.
async function count(scope) {
	const counted = { bytes: 0 };

	for (let i = 0; i < STREAMS; i++) {
		const socket = dgram.createSocket('udp4');

		socket.on('message', (data) => {
			counted.bytes += data.length;
		});
		await new Promise((done) => socket.bind(TO + i, done));
		socket.setRecvBufferSize(1 << 20);
		scope.after(() => socket.close());
	}
	return counted;
}

const url = (kind) => `http://127.0.0.1:${PORT}/` +
	(kind === 'hls' ? 'hls/live.m3u8' : 'ts');
const each = (make) => Array.from({ length: STREAMS }, (_, i) => make(i));

const candidates = {
	async sluice(scope, kind) {
		const sluice = await Sluice.start(scope, config(...each((i) =>
			stream(`s${i}`, `${url(kind)}#buffer_time=1`,
				`udp://127.0.0.1:${TO + i}`))));

		return () => [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)];
	},

	async ffmpeg(scope, kind) {
		const children = each((i) => start(scope, 'ffmpeg', [
			'-nostdin', '-v', 'error',
			...kind === 'hls' ? ['-re'] : [], '-i', url(kind),
			'-map', '0', '-c', 'copy', '-f', 'mpegts',
			`udp://127.0.0.1:${TO + i}?pkt_size=1316`]));

		return () => children.map((child) => child.pid);
	},
};

function measureOne(clip, kind, name, window) {
	return Scope.within(async (scope) => {
		await serve(scope, clip);
		const counted = await count(scope);
		const pids = await candidates[name](scope, kind);

		await sleep(8000);
		const before = { cpu: cpuNs(pids()), bytes: counted.bytes };
		await sleep(window * 1000);
		const mbit = (counted.bytes - before.bytes) * 8 / 1e6;

		return { cpu: (cpuNs(pids()) - before.cpu) / 1000 / mbit,
			rate: mbit / window / STREAMS };
	});
}

export async function pull(report, { rounds, window }) {
	report.section(`pull: ${STREAMS} streams of ${RATE / 1e6} Mbit/s, ` +
		`medians of ${rounds} rounds`);
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-bench-'));
	const rows = [['input', 'candidate', 'us/Mbit', 'Mbit/s each']];
	const kept = {};

	try {
		const clip = await makeClip(dir);

		for (const kind of ['ts', 'hls']) {
			const of = { sluice: [], ffmpeg: [] };

			for (let i = 0; i < rounds; i++)
				for (const name of Object.keys(of))
					of[name].push(await measureOne(clip,
						kind, name, window));
			for (const [name, runs] of Object.entries(of)) {
				of[name] = median(runs.map((r) => r.cpu));
				const rate = median(runs.map((r) => r.rate));

				rows.push([`http, ${kind}`, name,
					of[name].toFixed(0), rate.toFixed(2)]);
			}
			const part = of.sluice / of.ffmpeg;

			kept[kind] = of;
			report.judge(part <= LIMIT, `pull: ${kind}: CPU ` +
				`${part.toFixed(2)} x ffmpeg -c copy ` +
				`(at most ${LIMIT.toFixed(2)})`);
		}
	} finally {
		fs.rmSync(dir, { recursive: true });
	}
	report.table(rows);
	report.keep('pull', kept);
}
