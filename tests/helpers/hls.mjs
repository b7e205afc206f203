// SPDX-License-Identifier: GPL-3.0-or-later
// A server of HLS with every fault that a test needs.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { encoded } from './media.mjs';
import { checkTs } from './ts.mjs';
import { now, start } from './util.mjs';

const SIZE = 188;

// A programme in segments of a second, a picture to begin with in each:
// { folder, segments: [{ duration, data }] }.
export async function makeSegments({ seconds, tone = 440, size = '160x90',
	offset = 5, args = [] }) {
	const folder = await encoded(['-f', 'lavfi', '-i',
		`testsrc2=size=${size}:rate=25`,
		'-f', 'lavfi', '-i', `sine=frequency=${tone}:sample_rate=48000`,
		'-t', String(seconds), '-c:v', 'libx264',
		'-preset', 'ultrafast',
		'-pix_fmt', 'yuv420p', '-g', '25', '-keyint_min', '25',
		'-sc_threshold', '0', '-b:v', '200k', '-c:a', 'aac',
		'-b:a', '64k', ...args, '-output_ts_offset', String(offset),
		'-f', 'hls', '-hls_time', '1', '-hls_list_size', '0',
		'-hls_segment_filename', '%03d.ts', 'all.m3u8']);
	const list = fs.readFileSync(path.join(folder, 'all.m3u8'), 'utf8');
	const segments = [...list.matchAll(/^#EXTINF:([\d.]+),\n(.*)$/gm)]
		.map(([, duration, file]) => ({ duration: Number(duration),
			data: fs.readFileSync(path.join(folder, file)) }));

	return { folder, segments };
}

// The counters of each PID begin with 0.
export function withNewCounters(data) {
	const copy = Buffer.from(data), counters = new Map();

	for (let at = 0; at + SIZE <= copy.length; at += SIZE) {
		const pid = copy.readUInt16BE(at + 1) & 0x1fff;
		const payload = copy[at + 3] & 0x10 ? 1 : 0;
		const before = counters.get(pid) ?? 15;
		const cc = before + payload & 15;

		counters.set(pid, cc);
		copy[at + 3] = copy[at + 3] & 0xf0 | cc;
	}
	return copy;
}

// Other PCRs: change(pcr), in 90 kHz, is a number, or null for no PCR.
export function withPcrs(data, change) {
	const copy = Buffer.from(data);

	for (let at = 0; at + SIZE <= copy.length; at += SIZE) {
		if (!(copy[at + 3] & 0x20) || copy[at + 4] < 7 ||
			!(copy[at + 5] & 0x10))
			continue;
		const pcr = change(copy.readUInt32BE(at + 6) * 2 +
			(copy[at + 10] >> 7));

		if (pcr === null) {
			copy[at + 5] &= ~0x10;
			copy.fill(0xff, at + 6, at + 12);
			continue;
		}
		copy.writeUInt32BE(Math.floor(pcr / 2), at + 6);
		copy[at + 10] = pcr % 2 << 7 | 0x7e;
		copy[at + 11] = 0;
	}
	return copy;
}

// AES-128 as RFC 8216 has it.
export function encrypted(data, key, iv) {
	const cipher = crypto.createCipheriv('aes-128-cbc', key, iv);

	return Buffer.concat([cipher.update(data), cipher.final()]);
}

export function ivOf(sequence) {
	const iv = Buffer.alloc(16);

	iv.writeBigUInt64BE(BigInt(sequence), 8);
	return iv;
}

// Time that begins with the first look at it.
class Clock {
	#begin;

	get seconds() {
		this.#begin ??= now();
		return (now() - this.#begin) / 1000;
	}
}

// One live programme: a segment every `lasts` seconds, `window` of them in the
// playlist; it begins at the first request.
export class Live {
	seen = new Map();       // how often each path was asked for
	clock = new Clock();
	late = 0;               // so many seconds behind the clock

	// buffer: the seconds a client is to be behind.
	constructor(segments, { window = 6, sequence = 100, target = 1,
		buffer = 2, lasts = 1 } = {}) {
		Object.assign(this, { segments, window, sequence, target,
			buffer, lasts });
	}

	// The number of segments that were there so far.
	get count() {
		return Math.min(Math.floor(this.window +
			(this.clock.seconds - this.late) / this.lasts),
			this.segments.length);
	}

	// The listed segments: indices.
	listed() {
		const end = this.count;
		const first = Math.max(end - this.window, 0);

		return Array.from({ length: end - first }, (_, i) => first + i);
	}

	name(i) { return `${i}.ts`; }
	number(i) { return this.sequence + i; }
	tags() { return []; }                 // in front of segment i
	head() { return []; }

	text(listed = this.listed()) {
		return ['#EXTM3U', '#EXT-X-VERSION:6',
			`#EXT-X-TARGETDURATION:${this.target}`,
			`#EXT-X-MEDIA-SEQUENCE:${listed.length
				? this.number(listed[0]) : 0}`,
			...this.head(listed),
			...listed.flatMap((i) => [...this.tags(i),
				`#EXTINF:${this.segments[i].duration},`,
				this.name(i)]), ''].join('\n');
	}

	// n: so often it was asked for, this time included.
	playlist(request, reply) {
		reply.setHeader('Content-Type',
			'application/vnd.apple.mpegurl');
		reply.end(this.text());
	}

	segment(request, reply, i) { reply.end(this.data(i)); }
	data(i) { return this.segments[i].data; }

	refuses() { return false; }
	// did the playlist list every segment that it has?
	isDone() { return true; }

	// The last part of the path, which is neither of them.
	other(request, reply) { reply.writeHead(404).end(); }

	handle(request, reply, rest) {
		const n = (this.seen.get(rest) ?? 0) + 1;
		const [, i] = rest.match(/^(\d+)\.ts/) ?? [];

		this.seen.set(rest, n);
		if (this.refuses(request, rest)) {
			reply.writeHead(403).end();
			return;
		}
		if (rest === 'live.m3u8')
			this.playlist(request, reply, n);
		else if (i !== undefined && Number(i) < this.segments.length)
			this.segment(request, reply, Number(i), n);
		else
			this.other(request, reply, rest, n);
	}
}

// Serves /NAME/… of each programme on port 7000.
export async function serveHls(t, programmes) {
	const server = http.createServer((request, reply) => {
		const [, name, rest] = request.url.split(/\/([^/]*)\/(.*)/s);
		const programme = programmes[name];

		reply.on('error', () => { /* the client has disconnected */ });
		if (programme)
			programme.handle(request, reply, rest);
		else
			reply.writeHead(404).end();
	});

	server.keepAliveTimeout = 60000;
	await new Promise((done) => server.listen(7000, '0.0.0.0', done));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
}

// The segments of a playlist, by their time bases: each of these is one stream,
// whose pictures decode.
export async function checkBases(t, { segments }, bodies) {
	for (const base of new Set(segments.map((s) => s.base))) {
		const data = Buffer.concat(bodies.filter((_, i) =>
			segments[i].base === base));
		const { ccErrors, syncErrors } = checkTs(data);
		const judge = start(t, 'ffmpeg', ['-v', 'error', '-xerror',
			'-i', '-', '-map', '0:v', '-f', 'null', '-'],
		{ stdio: ['pipe', 'pipe', 'pipe'] });

		assert.equal(ccErrors + syncErrors, 0);
		judge.stdin.on('error', () => {}); // its result has the reason
		judge.stdin.end(data);
		const { code, err } = await judge.ended;

		assert.equal(code, 0, `${base}: ${err}`);
	}
}
