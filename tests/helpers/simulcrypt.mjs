// SPDX-License-Identifier: GPL-3.0-or-later
// Generators of ECMs and EMMs (ETSI TS 103 197) that do as a test says.
import net from 'node:net';
import dgram from 'node:dgram';

const u8 = (n) => Buffer.from([n]);
const u16 = (n) => Buffer.from([n >> 8 & 255, n & 255]);
const u32 = (n) => Buffer.concat([u16(n >>> 16), u16(n & 0xffff)]);

// parameters: [[tag, value], ...]
export function message(version, type, parameters) {
	const body = Buffer.concat(parameters.flatMap(([tag, value]) =>
		[u16(tag), u16(value.length), value]));

	return Buffer.concat([u8(version), u16(type), u16(body.length), body]);
}

// The whole messages of a buffer, and the bytes behind them.
export function parse(data) {
	const list = [];
	let at = 0;

	while (data.length - at >= 5) {
		const end = at + 5 + data.readUInt16BE(at + 3);
		const parameters = [];

		if (end > data.length)
			break;
		for (let p = at + 5; p < end;) {
			const len = data.readUInt16BE(p + 2);

			parameters.push([data.readUInt16BE(p),
				Buffer.from(data.subarray(p + 4,
					p + 4 + len))]);
			p += 4 + len;
		}
		list.push({ version: data[at], parameters,
			type: data.readUInt16BE(at + 1) });
		at = end;
	}
	return { list, rest: data.subarray(at) };
}

const find = (m, tag) => m.parameters.find(([t]) => t === tag)?.[1];
const number = (m, tag) => {
	const value = find(m, tag);

	return value && value.readUIntBE(0, value.length);
};

// An ECM as a section, which contains its control words.
export function ecmOf(cp, words, ac) {
	const tlv = (tag, value) =>
		Buffer.concat([u16(tag), u16(value.length), value]);
	const payload = Buffer.concat([
		...words.map(([n, word]) => tlv(0x10 | n & 1, word)),
		...ac ? [tlv(0x12, ac)] : []]);
	const body = Buffer.concat([Buffer.from([0x80, 0xaa, 3]),
		u16(payload.length), payload]);

	return Buffer.concat([u8(0x80 | cp & 1), u16(0x7000 | body.length),
		body]);
}

// A section in one packet.
export function packetOf(section) {
	const packet = Buffer.alloc(188, 0xff);

	packet.set([0x47, 0x5f, 0xff, 0x10, 0]);
	packet.set(section, 5);
	return packet;
}

// An ECM generator.  The members may be changed while it runs.
export class Ecmg {
	version = 2; lead = 1; perMsg = 2; delay = 200; repetition = 100;
	minPeriod = 10; packets = true; compTime = 100;
	transition = undefined; // [start, stop] beside clear packets, ms
	acDelay = undefined; // [start, stop] where access criteria change
	silent = false;   // no answer to provisions
	error = 0;        // an error of the stream instead
	raw = undefined;  // bytes instead of each ECM response
	masked = false;   // the control words in ECMs are inverted
	pieces = false;   // messages leave byte by byte
	words = new Map(); // of all crypto periods, by number
	provisions = [];
	streams = new Map();
	closed = [];      // numbers of streams that were closed
	setups = 0;
	#sockets = new Set();

	static async start(t, more = {}) {
		const self = Object.assign(new Ecmg(), more);

		self.server = net.createServer((socket) =>
			self.#accept(socket));
		await new Promise((done) => self.server.listen(
			{ port: more.port ?? 0, host: '127.0.0.1' }, done));
		self.port = self.server.address().port;
		t.after(() => self.stop());
		return self;
	}

	// Nobody can connect until start() again.
	stop() {
		this.server.close();
		this.cut();
	}

	async listen() {
		this.server = net.createServer((socket) =>
			this.#accept(socket));
		await new Promise((done) => this.server.listen(
			{ port: this.port, host: '127.0.0.1' }, done));
	}

	cut() {
		for (const socket of this.#sockets)
			socket.destroy();
	}

	get connected() { return this.#sockets.size; }

	#accept(socket) {
		let rest = Buffer.alloc(0);

		this.#sockets.add(socket);
		socket.setNoDelay(true);
		socket.on('error', () => { /* reset by the test */ });
		socket.on('close', () => this.#sockets.delete(socket));
		socket.on('data', (data) => {
			const { list, rest: left } =
				parse(Buffer.concat([rest, data]));

			rest = left;
			for (const m of list)
				this.#take(m, socket);
		});
	}

	#send(socket, type, parameters) {
		const data = message(this.version, type, parameters);

		if (!this.pieces)
			socket.write(data);
		for (let i = 0; i < data.length && this.pieces; i++)
			socket.write(data.subarray(i, i + 1));
	}

	#take(m, socket) {
		const channel = [0x0e, u16(number(m, 0x0e) ?? 0)];
		const stream = [0x0f, u16(number(m, 0x0f) ?? 0)];

		if (m.version !== this.version) {
			this.#send(socket, 5, [channel, [0x7000, u16(2)]]);
			return;
		}
		if (m.type === 1) {
			this.setups++;
			this.superId = number(m, 1);
			this.channel = number(m, 0x0e);
		}
		if (m.type === 1 || m.type === 2)
			this.#send(socket, 3, [channel, [2, u8(+this.packets)],
				[3, u16(this.delay)], [4, u16(this.delay)],
				[7, u16(this.repetition)], [8, u16(0)],
				[9, u16(this.minPeriod)], [0x0a, u8(this.lead)],
				[0x0b, u8(this.perMsg)],
				[0x0c, u16(this.compTime)],
				...(this.transition ?? []).map((ms, i) =>
					[5 + i, u16(ms)]),
				...(this.acDelay ?? []).map((ms, i) =>
					[0x16 + i, u16(ms)])]);
		if (m.type === 0x101) {
			this.streams.set(number(m, 0x0f), {
				ecmId: number(m, 0x19), cp: number(m, 0x10) });
			this.#send(socket, 0x103, [channel, stream,
				[0x19, u16(number(m, 0x19))], [0x11, u8(0)]]);
		}
		if (m.type === 0x104) {
			this.streams.delete(number(m, 0x0f));
			this.closed.push(number(m, 0x0f));
			this.#send(socket, 0x105, [channel, stream]);
		}
		if (m.type === 0x201)
			this.#provide(m, socket, channel, stream);
	}

	#provide(m, socket, channel, stream) {
		const cp = number(m, 0x12);
		const words = m.parameters.filter(([tag]) => tag === 0x14)
			.map(([, value]) => [value.readUInt16BE(0),
				value.subarray(2)]);
		const ac = find(m, 0x0d);

		for (const [n, word] of words)
			this.words.set(n, word.toString('hex'));
		if (ac)
			this.streams.get(number(m, 0x0f)).ac = ac;
		this.provisions.push({ cp, words: words.map(([n]) => n),
			stream: number(m, 0x0f), ac: ac?.toString('hex') });
		if (this.silent)
			return;
		if (this.raw) {
			socket.write(this.raw);
			return;
		}
		if (this.error) {
			this.#send(socket, 0x106, [channel, stream,
				[0x7000, u16(this.error)]]);
			return;
		}
		const inside = this.masked ? words.map(([n, word]) =>
			[n, word.map((b) => ~b)]) : words;
		const ecm = ecmOf(cp, inside, this.streams.get(
			number(m, 0x0f))?.ac);

		this.#send(socket, 0x202, [channel, stream, [0x12, u16(cp)],
			[0x15, this.packets ? packetOf(ecm) : ecm]]);
	}
}

// An EMM generator.
export class Emmg {
	received = [];
	#rest = Buffer.alloc(0);

	static async start(t, port, { version = 2, client = 0x0b000001,
		packets = false } = {}) {
		const self = new Emmg();

		Object.assign(self, { version, client, packets, port });
		self.socket = net.connect(port, '127.0.0.1');
		self.socket.on('error', () => { self.closed = true; });
		self.socket.on('close', () => { self.closed = true; });
		self.socket.on('data', (data) => {
			const { list, rest } =
				parse(Buffer.concat([self.#rest, data]));

			self.#rest = rest;
			self.received.push(...list);
		});
		await new Promise((done) => self.socket.on('connect', done));
		t.after(() => self.socket.destroy());
		return self;
	}

	get ids() {
		return [[3, u16(3)], [4, u16(4)], [1, u32(this.client)]];
	}

	send(type, parameters) {
		this.socket.write(message(this.version, type, parameters));
	}

	setUp(kbps) {
		this.send(0x11, [[3, u16(3)], [1, u32(this.client)],
			[2, u8(+this.packets)]]);
		this.send(0x111, [...this.ids, [8, u16(5)], [7, u8(0)]]);
		this.send(0x117, [...this.ids, [6, u16(kbps)]]);
	}

	// The kbit/s that it may send; undefined: no answer yet.
	get allocated() {
		const m = this.received.find(({ type }) => type === 0x118);

		return m && number(m, 6);
	}

	errors() {
		return this.received.filter(({ type }) =>
			type === 0x15 || type === 0x116)
			.map((m) => number(m, 0x7000));
	}

	data(datagrams) {
		return message(this.version, 0x211, [...this.ids, [8, u16(5)],
			...datagrams.map((d) => [5, d])]);
	}

	provide(...datagrams) { this.socket.write(this.data(datagrams)); }

	provideByUdp(...datagrams) {
		const socket = dgram.createSocket('udp4');

		socket.send(this.data(datagrams), this.port, '127.0.0.1',
			() => socket.close());
	}
}

// An EMM section with n bytes behind its header.
export const emmOf = (n, fill = 0) => Buffer.concat([
	Buffer.from([0x82, 0x70 | n >> 8, n & 255]), Buffer.alloc(n, fill)]);
