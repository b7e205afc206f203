// SPDX-License-Identifier: GPL-3.0-or-later
// Servers of HLS that are hostile.
import crypto from 'node:crypto';
import zlib from 'node:zlib';
import { TsMux } from './mux.mjs';

// Answers by a table: { path: (request, reply) }.
export class Scripted {
	constructor(pages) { this.pages = pages; }

	handle(request, reply, rest) { this.pages[rest](request, reply); }
}

export const page = (text) => (request, reply) => reply.end(text);
export const list = (...lines) => page(['#EXTM3U', '#EXT-X-TARGETDURATION:1',
	...lines, ''].join('\n'));
export const segments = (...uris) => uris.flatMap((uri) => ['#EXTINF:1,', uri]);
// Lists a new segment at each request: a segment that a busy machine delivers
// too slowly is not the last one.
export const advancing = (...lines) => {
	let number = 0;

	return (request, reply) => list(`#EXT-X-MEDIA-SEQUENCE:${number++}`,
		...lines)(request, reply);
};
export const moved = (to) => (request, reply) =>
	reply.writeHead(302, { Location: to }).end();

// Sends the same bytes for as long as the client accepts them.
export const endless = (head, more) => (request, reply) => {
	const fill = () => {
		while (reply.write(more))
			;
	};

	reply.write(head);
	reply.on('drain', fill);
	fill();
};

// Headers behind the body, for as long as the client accepts them.
export const trailers = (head) => (request, { socket }) => {
	const more = `X-X: ${'x'.repeat(2000)}\r\n`.repeat(30);
	const fill = () => {
		while (socket.write(more))
			;
	};

	socket.on('error', () => { /* the client has disconnected */ });
	socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n' +
		`\r\n${head.length.toString(16)}\r\n${head}\r\n0\r\n`);
	socket.on('drain', fill);
	fill();
};

// A jar of cookies that is never full.
export function jar() {
	const mux = new TsMux({ rate: 1e6 });
	const uris = Array.from({ length: 250 }, (_, i) => `s${i}`);
	const send = (request, reply) => {
		reply.setHeader('Set-Cookie', Array.from({ length: 48 }, () =>
			`${crypto.randomUUID()}=${'x'.repeat(4000)}`));
		reply.end(mux.take(10));
	};

	return Object.fromEntries([['live.m3u8',
		list(...segments(...uris), '#EXT-X-ENDLIST')],
	...uris.map((uri) => [uri, send])]);
}

// Shows this list once, and those by turns from then on.
export const byTurns = (first, ...lists) => {
	let n = 0;

	return (request, reply) => (n++ === 0 ? first
		: lists[n % lists.length])(request, reply);
};

export const packed = (data) => {
	const body = zlib.gzipSync(data, { level: 1 });

	return (request, reply) => {
		reply.setHeader('Content-Encoding', 'gzip');
		reply.end(body);
	};
};
