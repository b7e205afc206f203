// SPDX-License-Identifier: GPL-3.0-or-later
// Sending and recording datagrams.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { builddir, now, start, tempDir, udpWaiting, waitUntil }
	from './util.mjs';

export const DATAGRAM = 7 * 188;
export const RECORD_HEAD = 12;

// A wake-up up to this late is caught up at once, a later one gradually.
const BURST_MS = 200;

// The time of a stream, in milliseconds. A process that was delayed catches up
// at one and a half of the speed: seconds of a stream at once are dropped, and
// rightly so.
export class Pace {
	#begin = now();
	#last = 0;
	#at = 0;

	ms() {
		const real = now() - this.#begin;
		const step = Math.min(real - this.#last, BURST_MS);

		this.#last = real;
		this.#at = Math.min(real, this.#at + 1.5 * step);
		return this.#at;
	}
}

// Sends a multiplex in real time until stopped.  shape turns the packets of
// one datagram into the datagrams to send: [] drops them.
export class Sender {
	sent = 0;               // datagrams
	#timer;
	#socket;

	// from: the local address to send from; everyMs: how often it wakes.
	static async start(t, mux, port, { address = '127.0.0.1', iface,
		shape = (packets) => [packets], per = 7, from,
		everyMs = 5 } = {}) {
		const self = new Sender();

		self.mux = mux;
		self.shape = shape;
		self.#socket = dgram.createSocket(
			net.isIPv6(address) ? 'udp6' : 'udp4');
		await new Promise((done) => self.#socket.bind(0, from, done));
		self.#socket.setSendBufferSize(1 << 20);
		if (iface)
			self.#socket.setMulticastInterface(iface);
		self.#socket.on('error', () => { /* no receiver yet */ });
		const pace = new Pace(), first = mux.packets;
		self.#timer = setInterval(() => {
			const due = pace.ms() / 1000 * mux.rate / 8 / 188;
			while (mux.packets - first < due)
				for (const d of self.shape(mux.take(per))) {
					self.#socket.send(d, port, address);
					self.sent++;
				}
		}, everyMs);
		t.after(() => self.stop());
		return self;
	}

	stop() {
		if (this.#timer) {
			clearInterval(this.#timer);
			this.#timer = undefined;
			const socket = this.#socket;
			setTimeout(() => socket.close(), 50);
		}
	}
}

// Records what arrives at some addresses: [{ address, port, iface }].
export class Recorder {
	static async start(t, ...places) {
		const self = new Recorder();

		self.n = places.length;
		self.file = path.join(tempDir(t), 'record');
		self.child = start(t, path.join(builddir,
			'tests/helpers/udp-record'), [self.file,
			...places.flatMap(({ address = '127.0.0.1', port,
				iface = '-' }) => [address, port, iface])]);
		await waitUntil('recorder', () => {
			assert.equal(self.child.exitCode, null,
				self.child.text.err);
			return self.child.text.out.startsWith('ready');
		});
		return self;
	}

	// Waits until no datagram has arrived for so long that a delayed
	// process has continued, and none waits to be read.
	async quiet(ms = 2000, enough = () => false) {
		let size = -1, since = 0, idle = 0;

		await waitUntil('silence', () => {
			const span = enough(size) ? 100 : ms;

			if (size !== this.size()) {
				size = this.size();
				since = now();
			}
			// other streams of the same test may have their traffic
			if (udpWaiting() === 0)
				idle = now();
			return now() - since > span && idle - since > span / 2;
		}, 20000);
	}

	// Stops the senders and waits for all that they have sent.  Where each
	// place has a sender of its own, it is known when all has come.
	async all(...senders) {
		const sent = senders.reduce((sum, { sent: n }) => sum + n, 0);

		senders.forEach((sender) => sender.stop());
		await this.quiet(undefined, (size) =>
			senders.length === this.n &&
			size >= sent * (DATAGRAM + RECORD_HEAD));
	}

	size() { return fs.statSync(this.file).size; }

	// Per place the list of { ns, data }.
	async stop() {
		this.child.kill('SIGTERM');
		const { out, err } = await this.child.ended;
		assert.equal(out, 'ready\n0\n',
			`the recorder itself lost datagrams: ${out}${err}`);
		return this.lists();
	}

	// The same while it records.
	lists() {
		const all = fs.readFileSync(this.file);
		const lists = Array.from({ length: this.n }, () => []);
		for (let at = 0; at + RECORD_HEAD <= all.length;) {
			const end = at + RECORD_HEAD +
				all.readUInt16LE(at + 10);
			if (end > all.length)
				break;
			lists[all.readUInt16LE(at + 8)].push({
				ns: all.readBigUInt64LE(at),
				data: all.subarray(at + RECORD_HEAD, end) });
			at = end;
		}
		return lists;
	}
}

// For each datagram the data that arrived within ms milliseconds up to it,
// itself included, in milliseconds of the stream; the smallest first.
export function within(list, rate, ms) {
	const span = BigInt(Math.round(ms * 1e6));
	let first = 0, bytes = 0;

	return list.map(({ ns, data }) => {
		bytes += data.length;
		while (ns - list[first].ns > span)
			bytes -= list[first++].data.length;
		return bytes * 8 / rate * 1000;
	}).sort((a, b) => a - b);
}

export const joined = (list) => Buffer.concat(list.map((d) => d.data));

// The deepest burst in a recording, in milliseconds of a stream of rate
// bit/s: how far arrivals ever ran ahead of a smooth stream.
export function burstMs(list, rate) {
	let level = 0, deepest = 0, last = list[0].ns;

	for (const { ns, data } of list) {
		level -= Number(ns - last) / 1e9 * rate;
		last = ns;
		level = Math.max(level, 0) + data.length * 8;
		deepest = Math.max(deepest, level);
	}
	return deepest / rate * 1000;
}
