// SPDX-License-Identifier: GPL-3.0-or-later
// A server of newcamd whose behaviour a test decides.  The cipher of the
// protocol is OpenSSL's.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import net from 'node:net';
import { now } from './util.mjs';

export const CAM_KEY = '0102030405060708091011121314';
export const GREETING = Buffer.from('071b97ba8504ad7107e5052fe61c', 'hex');
export const CARD = Buffer.from('010b000000a1b2c3d4e5f602' +
	'00000000000000deadbeef' + '0000120000000001020304', 'hex');

const spread = (key) => Buffer.concat([key.subarray(0, 7), key.subarray(7)]
	.map((half) => {
		const bits = BigInt(`0x${half.toString('hex')}`);

		return Buffer.from(Array.from({ length: 8 }, (_, i) =>
			Number(bits >> BigInt(49 - 7 * i) & 127n) << 1));
	}));

// A frame.
export function seal(key, type, body = Buffer.alloc(0), id = 0) {
	const plain = Buffer.alloc(Math.ceil((14 + body.length) / 8) * 8);
	const iv = Buffer.from('8 bytes!');

	plain.writeUInt16BE(id, 0);
	plain[10] = type;
	plain.writeUInt16BE(body.length, 11);
	body.copy(plain, 13);
	plain[plain.length - 1] = plain.reduce((a, b) => a ^ b);
	const c = crypto.createCipheriv('des-ede-cbc', key, iv);
	c.setAutoPadding(false);
	const sealed = Buffer.concat([c.update(plain), c.final(), iv]);

	return Buffer.concat([Buffer.from([sealed.length >> 8,
		sealed.length & 255]), sealed]);
}

// The content of a frame; false: the key is another one.
export function open(key, frame) {
	const d = crypto.createDecipheriv('des-ede-cbc', key,
		frame.subarray(-8));
	d.setAutoPadding(false);
	const plain = Buffer.concat([d.update(frame.subarray(2, -8)),
		d.final()]);
	const end = 13 + (plain.readUInt16BE(11) & 4095);

	return plain.reduce((a, b) => a ^ b) === 0 &&
		{ id: plain.readUInt16BE(0), sid: plain.readUInt16BE(2),
			caid: plain.readUInt16BE(4),
			type: plain[10], body: plain.subarray(13, end) };
}

// The keys of the login and of the session, and the hash of the password.
export function camKeys(password, config = CAM_KEY) {
	const key = Buffer.from(config, 'hex');
	const hash = execFileSync('openssl', ['passwd', '-1', '-salt',
		'abcdefgh', password]).toString().trim();
	const mixed = Buffer.from(key);

	Buffer.from(hash).forEach((b, i) => { mixed[i % 14] ^= b; });
	return { hash, session: spread(mixed),
		login: spread(key.map((b, i) => b ^ GREETING[i])) };
}

// The control words of an ECM of scramble-file.
export const wordsOf = (ecm) => Buffer.from(ecm.body.subarray(1, 17)
	.map((b) => ~b & 255));

// A server that answers ECMs as on_ecm(ecm, server) says: a Buffer; null: not
// found; undefined: no answer, or the test sends it.  The user is u, the
// password p.
export class CamServer {
	logins = 0;
	ecms = [];
	answered = new Map(); // when, by the first byte of the body
	emms = [];
	delayMs = 0;      // of the answers
	pieces = false;   // the answers come byte by byte
	accepts = true;   // false: a connection is closed at once
	#sockets = new Set();

	static async start(t, on_ecm = wordsOf, { card = CARD } = {}) {
		const self = new CamServer();

		self.on_ecm = on_ecm;
		self.card = card;
		self.keys = camKeys('p');
		self.server = net.createServer((s) => self.#accept(s));
		await new Promise((done) =>
			self.server.listen(0, '127.0.0.1', done));
		self.port = self.server.address().port;
		t.after(() => { self.drop(); self.server.close(); });
		return self;
	}

	// Its entry of the configuration.
	entry(id, more = {}) {
		return { id, name: id, type: 'newcamd', host: '127.0.0.1',
			port: this.port, user: 'u', pass: 'p', ...more };
	}

	// Closes all connections.
	drop() {
		for (const socket of this.#sockets)
			socket.destroy();
	}

	get connections() { return this.#sockets.size; }

	#accept(socket) {
		let got = Buffer.alloc(0), key = this.keys.login;

		if (!this.accepts) {
			socket.destroy();
			return;
		}
		this.#sockets.add(socket);
		socket.setNoDelay();
		socket.on('error', () => {});
		socket.on('close', () => this.#sockets.delete(socket));
		socket.on('data', (data) => {
			got = Buffer.concat([got, data]);
			while (got.length >= 2 &&
				got.length >= got.readUInt16BE() + 2) {
				const end = got.readUInt16BE() + 2;
				const m = open(key, got.subarray(0, end));

				got = got.subarray(end);
				key = this.#take(socket, m, key);
			}
		});
		socket.write(GREETING);
	}

	#take(socket, m, key) {
		if (!m) {
			socket.destroy();
		} else if (m.type === 0xe0) {
			if (m.body.toString() === `u\0${this.keys.hash}\0`) {
				socket.write(seal(key, 0xe1));
				return this.keys.session;
			}
			socket.end(seal(key, 0xe2));
		} else if (m.type === 0xe3) {
			this.logins++;
			socket.write(seal(key, 0xe4, this.card, m.id));
		} else if (m.type === 0x80 || m.type === 0x81) {
			this.ecms.push(m);
			this.#answer(socket, m, this.on_ecm(m, this));
		} else if (m.type >= 0x82 && m.type <= 0x8f) {
			this.emms.push(m);
			socket.write(seal(key, m.type, undefined, m.id));
		} else if (m.type === 0xfd) {
			socket.write(seal(key, 0xfd, undefined, m.id));
		}
		return key;
	}

	#answer(socket, m, words) {
		if (words === undefined)
			return;
		const frame = seal(this.keys.session, m.type,
			words ?? undefined, m.id);
		const list = this.pieces ? [...frame].map((b) =>
			Buffer.from([b])) : [frame];

		setTimeout(() => {
			list.forEach((b) => socket.write(b));
			this.answered.set(m.body[0], now());
		}, this.delayMs);
	}
}
