// SPDX-License-Identifier: GPL-3.0-or-later
// A control interface that the test plays: the page of this build, some
// replies, and the event channel at any speed.
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { builddir, sleep } from './util.mjs';
import { OP, frame } from './ws.mjs';

const tree = path.join(builddir, 'web/tree');
const TYPES = { js: 'text/javascript', css: 'text/css', html: 'text/html',
	svg: 'image/svg+xml', txt: 'text/plain' };
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

// The text of a masked frame of a few bytes.
function unmasked(data) {
	const mask = data.subarray(2, 6);

	return Buffer.from(data.subarray(6, 6 + (data[1] & 0x7f))
		.map((byte, i) => byte ^ mask[i % 4])).toString();
}

export class FakeService {
	#sockets = new Set();

	// answer: (name of a command or path, the request of a command, the
	// query of a path) => the reply, or a promise of it; one with an error
	// has the status 400
	static async start(t, answer) {
		const self = new FakeService();

		self.server = http.createServer((request, reply) =>
			self.#answer(request, reply, answer));
		self.server.on('upgrade', (request, socket) =>
			self.#upgrade(request, socket));
		await new Promise((done) =>
			self.server.listen(0, '127.0.0.1', done));
		t.after(() => {
			for (const socket of self.#sockets)
				socket.destroy();
			self.server.closeAllConnections();
			self.server.close();
		});
		self.port = self.server.address().port;
		return self;
	}

	async #answer(request, reply, answer) {
		const [, name] = /^\/(?:web\/[0-9a-f]{16}\/)?([^?]*)/
			.exec(request.url);
		const parts = [];

		for await (const part of request)
			parts.push(part);
		if (request.method === 'POST' || name.startsWith('api/')) {
			const body = request.method === 'POST' ?
				JSON.parse(Buffer.concat(parts)) : undefined;

			reply.setHeader('Content-Type', 'application/json');
			const { searchParams: query } =
				new URL(request.url, 'http://127.0.0.1');
			const value = await answer(body?.cmd ?? name, body,
				query);

			reply.statusCode = value.error ? 400 : 200;
			reply.end(JSON.stringify(value));
			return;
		}
		const file = name === '' ? 'headend/index.html' : name;

		reply.setHeader('Content-Type', TYPES[file.split('.').at(-1)] ??
			'application/octet-stream');
		reply.end(fs.readFileSync(path.join(tree, file)));
	}

	#upgrade(request, socket) {
		const accept = crypto.createHash('sha1')
			.update(request.headers['sec-websocket-key'] + GUID)
			.digest('base64');

		socket.write('HTTP/1.1 101 Switching Protocols\r\n' +
			'Upgrade: websocket\r\nConnection: Upgrade\r\n' +
			`Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
		this.#sockets.add(socket);
		socket.on('data', (data) => {
			if ((data[0] & 0xf) === OP.text &&
				unmasked(data) === 'ping')
				socket.write(text('pong'));
		});
		socket.on('close', () => this.#sockets.delete(socket));
		socket.on('error', () => {});
	}

	get listeners() { return this.#sockets.size; }

	// Waits until every listener has read what was sent.
	async drained() {
		for (const socket of this.#sockets)
			while (socket.writableNeedDrain && !socket.destroyed)
				await sleep(5);
	}

	// Sends messages, each as a text, to all listeners.
	send(messages) {
		const data = Buffer.concat(messages.map(text));

		for (const socket of this.#sockets)
			socket.write(data);
	}
}

const text = (message) => frame(OP.text, Buffer.from(message),
	{ masked: false });
