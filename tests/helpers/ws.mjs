// SPDX-License-Identifier: GPL-3.0-or-later
// A WebSocket client of our own (RFC 6455): Debian 12's Node.js has none, and a
// test must send frames that a valid client would not.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import net from 'node:net';
import { judgeClose, judgeEvent } from './reference.mjs';
import tls from 'node:tls';
import { waitUntil } from './util.mjs';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
export const OP = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

export function frame(opcode, payload, { masked = true, fin = true } = {}) {
	const data = Buffer.from(payload);
	const bit = masked ? 0x80 : 0;
	let head;

	if (data.length < 126) {
		head = Buffer.from([0, bit | data.length]);
	} else if (data.length < 65536) {
		head = Buffer.alloc(4);
		head[1] = bit | 126;
		head.writeUInt16BE(data.length, 2);
	} else {
		head = Buffer.alloc(10);
		head[1] = bit | 127;
		head.writeBigUInt64BE(BigInt(data.length), 2);
	}
	head[0] = (fin ? 0x80 : 0) | opcode;
	if (!masked)
		return Buffer.concat([head, data]);
	const mask = randomBytes(4);
	for (let i = 0; i < data.length; i++)
		data[i] ^= mask[i & 3];
	return Buffer.concat([head, mask, data]);
}

export class WsClient {
	messages = [];      // JSON objects, in order
	texts = [];         // other text frames
	pongs = [];         // payloads
	closed = null;      // { code } once the connection has ended
	#rest = Buffer.alloc(0);

	// Resolves once the handshake has an answer; status 101 when open.
	// secure: options of tls.connect() for one over TLS.
	static open(t, port, path, headers = {}, secure = null) {
		const self = new this();
		const key = randomBytes(16).toString('base64');
		const all = { Host: `127.0.0.1:${port}`, Upgrade: 'websocket',
			Connection: 'Upgrade', 'Sec-WebSocket-Key': key,
			'Sec-WebSocket-Version': '13', ...headers };

		self.expected = createHash('sha1').update(key + GUID)
			.digest('base64');
		const dial = secure ? tls.connect : net.connect;
		self.socket = dial({ port, host: '127.0.0.1',
			...secure }, () => {
			let text = `GET ${path} HTTP/1.1\r\n`;
			for (const [name, value] of Object.entries(all))
				if (value !== null)
					text += `${name}: ${value}\r\n`;
			self.socket.write(text + '\r\n');
		});
		t.after(() => self.socket.destroy());
		return new Promise((done, fail) => {
			self.socket.on('error', (error) => {
				self.closed ??= { code: null, error };
				fail(error);
			});
			self.socket.on('close', () => {
				self.closed ??= { code: null };
				done(self);
			});
			self.socket.on('data', (data) =>
				self.#take(data, done));
		});
	}

	#take(data, opened) {
		this.#rest = Buffer.concat([this.#rest, data]);
		if (this.status === undefined) {
			const end = this.#rest.indexOf('\r\n\r\n');
			if (end < 0)
				return;
			this.head = this.#rest.subarray(0, end).toString();
			this.status = Number(this.head.split(' ')[1]);
			this.#rest = this.#rest.subarray(end + 4);
			this.accept = /^sec-websocket-accept: *(.*)$/im
				.exec(this.head)?.[1];
			opened(this);
		}
		if (this.status === 101)
			while (this.#oneFrame());
	}

	#oneFrame() {
		const data = this.#rest;
		let length = data.length < 2 ? 0 : data[1] & 127, at = 2;

		if (data.length < 2)
			return false;
		if (length === 126) {
			if (data.length < 4)
				return false;
			length = data.readUInt16BE(2);
			at = 4;
		} else if (length === 127) {
			if (data.length < 10)
				return false;
			length = Number(data.readBigUInt64BE(2));
			at = 10;
		}
		if (data.length < at + length)
			return false;
		this.#rest = data.subarray(at + length);
		this.#judge(data[0], data[1], data.subarray(at, at + length));
		return true;
	}

	// A message of the service; another protocol replaces this.
	take(message) {
		this.messages.push(message);
		judgeEvent(message);
	}

	#judge(first, second, payload) {
		if (second & 0x80 || !(first & 0x80))
			throw new Error('the server masked or split a frame');
		switch (first & 15) {
		case OP.text: {
			const text = payload.toString();
			if (text.startsWith('{'))
				this.take(JSON.parse(text));
			else
				this.texts.push(text);
			break;
		}
		case OP.pong:
			this.pongs.push(payload.toString());
			break;
		case OP.close:
			this.closed ??= { code: payload.length >= 2 ?
				payload.readUInt16BE(0) : null };
			judgeClose(this.closed.code ?? 'none');
			break;
		default:
			throw new Error(`the server sent opcode ${first & 15}`);
		}
	}

	send(text) { this.socket.write(frame(OP.text, text)); }
	write(bytes) { this.socket.write(bytes); }

	// The messages of a scope, in order.
	scope(name) { return this.messages.filter((m) => m.scope === name); }

	// The messages without those of every second, once there are n.
	async news(n) {
		const list = () => this.messages.filter((m) =>
			!['stream_event', 'softcam_event',
				'adapter_event'].includes(m.scope));

		await waitUntil(`${n} messages`, () => list().length >= n);
		return list();
	}

	// The news are these, and there are no others.
	async expectNews(wanted) {
		assert.deepEqual(await this.news(wanted.length), wanted);
	}

	wait(what, probe, timeoutMs = 10000) {
		return waitUntil(what, () => this.messages.find(probe),
			timeoutMs);
	}

	async waitClosed(timeoutMs = 10000) {
		await waitUntil('close', () => this.closed, timeoutMs);
		return this.closed.code;
	}
}
