// SPDX-License-Identifier: GPL-3.0-or-later
// Two readers of HTTP, one input: a request that Node rejects is never
// accepted, and one that both accept has the same method and body.  Requests
// are made of valid and invalid pieces and then damaged.  STRICT_RUNS=1000000
// for a long run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { builddir } from '../helpers/util.mjs';

const RUNS = Number(process.env.STRICT_RUNS ?? 50000);
const BATCH = 500;

// A small generator of our own: the same run everywhere.
let state = Number(process.env.STRICT_SEED ?? 1);
function random(n) {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor(state / 2 ** 32 * n);
}
const pick = (list) => list[random(list.length)];

const methods = ['GET', 'POST', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE',
	'get', 'BREW', 'M-SEARCH', 'CONNECT', 'PRI', ''];
const targets = ['/', '/a?b=c', '/control/', 'http://h/a', '*', '/a b', 'h:80',
	'/\x01', '/\x80', '//x', '/%41', '', '/a#b', '/\t'];
const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9',
	'HTTP/2.0', 'HTTP/1.2', 'http/1.1', 'RTSP/1.0', 'HTTP/1.1 ', 'ICE/1.0'];
const ends = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n',
	'\n', '\r', '\r\r\n', '\n\r', ' \r\n', '\r\n\r'];
const fields = ['Host: a', 'Host: a', 'Host:', 'Host: a b', 'Host : a',
	'Content-Length: 5', 'Content-Length: 5', 'Content-Length: 0',
	'Content-Length: -5', 'Content-Length: +5', 'Content-Length: 5, 5',
	'Content-Length: 0x5', 'Content-Length:', 'Content-Length: 5 5',
	'Content-Length : 5', 'Content-Length: 99999999999999999999',
	'Content-Length:\t5', 'Content-Length: 5\t', 'content-length: 05',
	'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked',
	'Transfer-Encoding: Chunked', 'Transfer-Encoding: xchunked',
	'Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, x',
	'Transfer-Encoding : chunked', 'Transfer-Encoding: \x0bchunked',
	'Transfer-Encoding:', 'Transfer-Encoding: identity',
	'X:', 'X: y', 'X: a\x01b', 'X: a\0b', 'X: a\x7f', 'X: \x80\xff', 'X',
	': x', 'X[]: y', ' folded', '\tfolded',
	'X:\rTransfer-Encoding: chunked',
	'Connection: close', 'Connection: keep-alive', 'Connection: upgrade',
	'Upgrade: websocket', 'Connection: close, keep-alive'];
const bodies = ['', '', 'hello', 'hello', '5\r\nhello\r\n0\r\n\r\n',
	'5\r\nhello\r\n0\r\n\r\n', '5;a=b\r\nhello\r\n0\r\n\r\n',
	'5 \r\nhello\r\n0\r\n\r\n', '0\n\r\n', '0\r\nX: y\r\n\r\n',
	'0\r\n X: y\r\n\r\n', '0\r\nX: y\r\n z\r\n\r\n',
	'5\nhello\r\n0\r\n\r\n',
	'5\r\nhello0\r\n\r\n', '5\r\nhello\n0\r\n\r\n', '-5\r\nhello\r\n',
	'0x5\r\nhello\r\n0\r\n\r\n', '10000000000000005\r\nhello\r\n0\r\n\r\n',
	'5;\x01\r\nhello\r\n0\r\n\r\n', '5;a\nb\r\nhello\r\n0\r\n\r\n',
	'05\r\nhello\r\n000\r\n\r\n', '0\r\nContent-Length: 5\r\n\r\nhello',
	'5\r\r\nhello\r\n0\r\n\r\n', '0\r\n\r', '0\r\nX:\ry\r\n\r\n'];

function oneRequest() {
	const sound = random(3) > 0;
	const end = () => sound ? '\r\n' : pick(ends);
	const line = sound
		? `${pick(['GET', 'POST'])} / HTTP/1.1`
		: `${pick(methods)} ${pick(targets)} ${pick(versions)}`;
	let text = line + end() + (random(8) ? `Host: a${end()}` : '');

	for (let n = random(4); n > 0; n--)
		text += pick(fields) + end();
	return text + end() + pick(bodies);
}

function damage(bytes) {
	for (let n = random(3); n > 0 && bytes.length > 0; n--) {
		const at = random(bytes.length);

		switch (random(4)) {
		case 0:
			bytes[at] = random(256);
			break;
		case 1:
			bytes = Buffer.concat([bytes.subarray(0, at),
				bytes.subarray(at + 1)]);
			break;
		case 2:
			bytes = Buffer.concat([bytes.subarray(0, at),
				Buffer.from(pick(['\r', '\n', ' ', '\0', ':',
					'\t', '0'])), bytes.subarray(at)]);
			break;
		default:
			bytes = Buffer.concat([bytes.subarray(0, at),
				bytes.subarray(random(bytes.length))]);
		}
	}
	return bytes;
}

function vector() {
	let text = '';

	for (let n = 1 + random(3); n > 0; n--)
		text += oneRequest();
	const bytes = Buffer.from(text, 'latin1');

	return random(3) ? bytes : damage(bytes);
}

// A connection to Node's server without a network.
class Wire extends Duplex {
	constructor(bytes) {
		super();
		this.bytes = bytes;
	}
	_read() {
		if (this.bytes)
			this.push(this.bytes);
		this.bytes = null;
	}
	_write(chunk, encoding, done) { done(); }
	setTimeout() { return this; }
	setNoDelay() { return this; }
	setKeepAlive() { return this; }
	ref() { return this; }
	unref() { return this; }
}

// The requests that Node reads of one connection, as http-read prints them.
function nodeReads(server, bytes) {
	return new Promise((done) => {
		const wire = new Wire(bytes);

		wire.said = '';
		wire.on('error', () => {});
		server.emit('connection', wire);
		// the data is parsed in the next turns of the loop
		setImmediate(() => setImmediate(() => setImmediate(() => {
			wire.destroy();
			done(wire.said.trim());
		})));
	});
}

function nodeServer() {
	const server = http.createServer({ keepAliveTimeout: 0,
		requestTimeout: 0, headersTimeout: 0,
		connectionsCheckingInterval: 1000000 }, (req, res) => {
		const parts = [];

		req.on('data', (part) => parts.push(part));
		req.on('error', () => {});
		req.on('end', () => {
			const body = Buffer.concat(parts).toString('hex');

			req.socket.said += `${req.method}:${body} `;
			res.end();
		});
	});

	// complete requests before the fault are still reported
	server.on('clientError', () => {});
	return server;
}

// The requests that we read of each connection.
function weRead(vectors) {
	return new Promise((done, fail) => {
		const child = spawn(path.join(builddir,
			'tests/helpers/http-read'), { stdio: ['pipe', 'pipe',
			'inherit'] });
		let out = '';

		child.on('error', fail);
		child.stdout.on('data', (data) => { out += data; });
		child.on('close', (code, signal) => {
			assert.equal(signal, null);
			done(out.split('\n').map((line) => line.trim()));
		});
		for (const bytes of vectors) {
			const length = Buffer.alloc(4);

			length.writeUInt32LE(bytes.length);
			child.stdin.write(length);
			child.stdin.write(bytes);
		}
		child.stdin.end();
	});
}

test('a request that Node rejects is never accepted', async () => {
	const server = nodeServer();
	let ours = 0, theirs = 0;

	for (let run = 0; run < RUNS; run += BATCH) {
		const vectors = Array.from({ length: BATCH }, vector);
		const we = await weRead(vectors);

		for (const [i, bytes] of vectors.entries()) {
			const node = await nodeReads(server, bytes);

			// each request of ours is one of theirs, in order
			assert.ok(`${node} `.startsWith(`${we[i]} `) ||
				we[i] === '',
				`we: "${we[i]}", Node: "${node}": ` +
				JSON.stringify(bytes.toString('latin1')));
			ours += we[i].split(' ').filter(Boolean).length;
			theirs += node.split(' ').filter(Boolean).length;
		}
	}
	// and the comparison has something to compare
	assert.ok(ours > RUNS / 10, `${ours} of ours`);
	assert.ok(theirs >= ours);
	console.log(`# ${RUNS} connections: ${ours} requests read by us, ` +
		`${theirs} by Node`);
});
