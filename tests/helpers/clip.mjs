// SPDX-License-Identifier: GPL-3.0-or-later
// A recording as a source: it plays in real time, and a scenario replaces,
// cuts, shifts and stops it.
import fs from 'node:fs';
import { crc32 } from './ts.mjs';
import { DATAGRAM, Sender } from './udp.mjs';

const SIZE = 188;
const WRAP = 2 ** 33;

const pidAt = (data, at) => data.readUInt16BE(at + 1) & 0x1fff;

// The places between two pictures and between two frames.
function pauses(data) {
	const whole = new Map(), found = new Set();

	for (let at = data.length - SIZE; at >= 0; at -= SIZE) {
		const pid = pidAt(data, at);
		if (pid < 0x20 || pid === 0x1fff || !(data[at + 3] & 0x10))
			continue;
		whole.set(pid, Boolean(data[at + 1] & 0x40));
		if ([...whole.values()].every((starts) => starts))
			found.add(at / SIZE);
	}
	return found;
}

function inDatagrams(packets) {
	const list = [];

	for (let at = 0; at < packets.length; at += DATAGRAM)
		list.push(packets.subarray(at, at + DATAGRAM));
	return list;
}

// Use as a multiplex of Sender.
export class Clip {
	packets = 0;
	ended = false;          // it has played to its end, or was stopped
	#at = 0;
	#next;
	#hold = false;
	#held = null;           // how many packets wait

	constructor(data, rate) {
		this.rate = rate;
		this.#load(data);
	}

	#load(data) {
		this.data = typeof data === 'string' ?
			fs.readFileSync(data) : data;
		this.pauses = pauses(this.data);
		this.#at = 0;
	}

	// The clip that replaces it when the current units end; null: none.
	follow(data) { this.#next = data; }

	// The same of one multiplexer: clock and counters continue; jump: the
	// clock jumps by so many seconds.
	change(data, { jump = 0 } = {}) {
		this.#next = (before, at) => {
			const copy = moveClip(data, jump +
				secondsAt(before, at, this.rate) -
				secondsAt(data, 0, this.rate));

			goOn(before.subarray(0, at), copy);
			return copy;
		};
	}

	// So that no decoder can show half of a picture.
	end() { this.follow(null); }

	// Hangs, and then sends all at once that was to be sent meanwhile.
	hang() { this.#hold = true; }
	release() { this.#hold = false; }
	get hangs() { return this.#held !== null; }

	take(n) {
		if (this.#next !== undefined && this.pauses.has(this.#at)) {
			this.ended = this.#next === null;
			if (!this.ended)
				this.#load(typeof this.#next === 'function' ?
					this.#next(this.data,
						this.#at * SIZE) : this.#next);
			this.#next = undefined;
		}
		this.packets += n;
		if (this.#hold && (this.hangs || this.pauses.has(this.#at))) {
			this.#held += n;
			return Buffer.alloc(0);
		}
		n += this.#held;
		this.#held = null;
		if (this.ended || this.#at * SIZE >= this.data.length) {
			this.ended = true;
			return Buffer.alloc(0);
		}
		const first = this.#at * SIZE;
		this.#at += n;
		return this.data.subarray(first, first + n * SIZE);
	}

	static async play(t, data, rate, port, options = {}) {
		const clip = new Clip(data, rate);

		clip.sender = await Sender.start(t, clip, port, { per: 1,
			shape: inDatagrams,
			...options });
		return clip;
	}
}

function readTime(data, at) {
	return (data[at] >> 1 & 7) * 2 ** 30 +
		(data.readUInt16BE(at + 1) >> 1) * 2 ** 15 +
		(data.readUInt16BE(at + 3) >> 1);
}

function writeTime(data, at, value) {
	data[at] = data[at] & 0xf1 | Math.floor(value / 2 ** 30) << 1;
	data.writeUInt16BE((value / 2 ** 15 & 0x7fff) << 1 | 1, at + 1);
	data.writeUInt16BE((value & 0x7fff) << 1 | 1, at + 3);
}

const hasPcr = (packet) => packet[3] & 0x20 && packet[4] >= 7 &&
	packet[5] & 0x10;
const pcrOf = (packet) => packet.readUInt32BE(6) * 2 + (packet[10] >> 7);

// The clock of a multiplex of constant rate at a place in it.
function secondsAt(data, at, rate) {
	let from = at;

	while (!hasPcr(data.subarray(from)))
		from += at > 0 ? -SIZE : SIZE;
	return pcrOf(data.subarray(from)) / 90000 + (at - from) * 8 / rate;
}

// Lets the counters in data continue those before.
function goOn(before, data) {
	const first = new Map(), last = new Map();

	for (let at = 0; at < before.length; at += SIZE)
		last.set(pidAt(before, at), before[at + 3] & 15);
	for (let at = 0; at < data.length; at += SIZE) {
		const pid = pidAt(data, at);
		if (pid === 0x1fff || !last.has(pid))
			continue;
		if (!first.has(pid))
			first.set(pid, data[at + 3] & 15);
		data[at + 3] = data[at + 3] & 0xf0 | data[at + 3] +
			last.get(pid) + 1 - first.get(pid) & 15;
	}
}

function moveTimes(packet, ticks) {
	const moved = (value) => (value + ticks + WRAP) % WRAP;
	const control = packet[3] >> 4 & 3;
	const at = control & 2 ? 5 + packet[4] : 4;

	if (hasPcr(packet)) {
		const base = moved(pcrOf(packet));
		packet.writeUInt32BE(Math.floor(base / 2), 6);
		packet[10] = packet[10] & 0x7f | base % 2 << 7;
	}
	if (!(packet[1] & 0x40) || !(control & 1) || at + 19 > SIZE ||
	    packet.readUIntBE(at, 3) !== 1)
		return;
	if (packet[at + 7] & 0x80)
		writeTime(packet, at + 9, moved(readTime(packet, at + 9)));
	if ((packet[at + 7] & 0xc0) === 0xc0)
		writeTime(packet, at + 14, moved(readTime(packet, at + 14)));
}

// All times, as they follow each other on whatever PID, in seconds:
// { at, pid, pcr } and { at, pid, dts }.
export function timesIn(data) {
	const found = [];

	for (let at = 0; at + SIZE <= data.length; at += SIZE) {
		const packet = data.subarray(at, at + SIZE);
		const control = packet[3] >> 4 & 3, pid = pidAt(data, at);
		const pes = control & 2 ? 5 + packet[4] : 4;

		if (hasPcr(packet))
			found.push({ at, pid, pcr: pcrOf(packet) / 90000 });
		if (packet[1] & 0x40 && control & 1 && pes + 19 <= SIZE &&
		    packet.readUIntBE(pes, 3) === 1 &&
		    packet[pes + 7] & 0x80)
			found.push({ at, pid, dts: readTime(packet, pes +
				(packet[pes + 7] & 0x40 ? 14 : 9)) / 90000 });
	}
	return found;
}

// From behind its `n`th tables on, for a receiver that starts in the middle of
// it.
export function behindTables(data, n) {
	for (let at = 0; at < data.length; at += SIZE)
		if (pidAt(data, at) === 0 && n-- === 0)
			return data.subarray(at + 2 * SIZE);
	throw new Error('there are not as many tables');
}

// The same with all its clocks so many seconds on.
export function moveClip(data, seconds) {
	const copy = Buffer.from(data);
	const ticks = Math.round(seconds * 90000) % WRAP;

	for (let at = 0; at < copy.length; at += SIZE)
		moveTimes(copy.subarray(at, at + SIZE), ticks);
	return copy;
}

// The same of one program whose PIDs are others from its second `from` on (of a
// constant rate); its PMT says so from second `later` on.
export function movePids(data, pmtPid, moves, from, later, rate) {
	const copy = Buffer.from(data);
	const move = (place) => {
		const pid = copy.readUInt16BE(place) & 0x1fff;

		copy.writeUInt16BE(copy.readUInt16BE(place) & 0xe000 |
			(moves.get(pid) ?? pid), place);
	};
	const moveTable = (section) => {
		const end = section - 1 +
			(copy.readUInt16BE(section + 1) & 0xfff);

		copy[section + 5] ^= 2; // the version
		move(section + 8);
		for (let es = section + 12 + (copy.readUInt16BE(section + 10) &
			0xfff); es < end; es += 5 + (copy.readUInt16BE(es + 3) &
			0xfff))
			move(es + 1);
		copy.writeUInt32BE(crc32(copy.subarray(section, end)), end);
	};

	for (let at = 0; at < copy.length; at += SIZE) {
		const seconds = at * 8 / rate;

		if (pidAt(copy, at) !== pmtPid && seconds >= from)
			move(at + 1);
		else if (pidAt(copy, at) === pmtPid && seconds >= later)
			moveTable(at + 5); // the multiplexer has one a packet
	}
	return copy;
}

// Without the packets of `pid` before its second `seconds` (of a constant
// rate), up to the next start of a unit.
export function muteClip(data, pid, rate, seconds) {
	const from = seconds * rate / 8;
	const kept = Buffer.from(data);

	for (let at = 0; at < kept.length; at += SIZE) {
		if (pidAt(kept, at) !== pid)
			continue;
		if (at >= from && kept[at + 1] & 0x40)
			break;
		kept.writeUInt16BE(0x1fff, at + 1);
		kept[at + 3] = 0x10;
	}
	return kept;
}
