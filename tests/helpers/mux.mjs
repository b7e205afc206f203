// SPDX-License-Identifier: GPL-3.0-or-later
// Makes transport streams to order: constant rate, PCR on the video PID, PES
// with PTS, every table a test wants to change or break.
import { crc32 } from './ts.mjs';

const SIZE = 188;
const GROUP = 25; // pictures from one random access point to the next

const NULL_PACKET = Buffer.concat([Buffer.from([0x47, 0x1f, 0xff, 0x10]),
	Buffer.alloc(SIZE - 4, 0xff)]);

export function section(tableId, extension, version, body, number = 0,
	last = 0) {
	const length = 5 + body.length + 4;
	const head = Buffer.from([tableId, 0xb0 | length >> 8, length & 255,
		extension >> 8, extension & 255, 0xc1 | version << 1, number,
		last]);
	const data = Buffer.concat([head, body]);
	const crc = Buffer.alloc(4);

	crc.writeUInt32BE(crc32(data));
	return Buffer.concat([data, crc]);
}

const word = (value, flags = 0) =>
	[flags | value >> 8 & 0x1f, value & 255];

export function patSection(programs, version = 0, tsid = 1) {
	return section(0, tsid, version, Buffer.from(programs.flatMap(
		(p) => [p.pnr >> 8, p.pnr & 255, ...word(p.pmtPid, 0xe0)])));
}

// One program in each of n sections: `programs` last, and in front of them
// programs from 1000 on without a PMT.
export function patSections(programs, version, n) {
	const list = Array.from({ length: n }, (_, i) =>
		programs[i - (n - programs.length)] ??
		{ pnr: 1000 + i, pmtPid: 0x1000 + i });

	return list.map((p, i) => section(0, 1, version, Buffer.from([
		p.pnr >> 8, p.pnr & 255, ...word(p.pmtPid, 0xe0)]), i, n - 1));
}

export function pmtSection(program, version = 0) {
	const list = [[0x1b, program.video], [0x0f, program.audio],
		[0x86, program.cues]].filter(([, pid]) => pid);

	// CA_descriptor: CA_system_ID and CA_PID
	const ca = program.ca ? [9, 4, program.ca.system >> 8,
		program.ca.system & 255, ...word(program.ca.pid, 0xe0)] : [];

	return section(2, program.pnr, version, Buffer.from([
		...word(program.video ?? program.audio, 0xe0),
		...word(ca.length, 0xf0), ...ca,
		...list.flatMap(([type, pid]) =>
			[type, ...word(pid, 0xe0), 0xf0, 0])]));
}

function pesHeader(streamId, pts90k) {
	const pts = BigInt(pts90k) & 0x1ffffffffn;
	const byte = (value) => Number(value & 0xffn);

	return Buffer.from([0, 0, 1, streamId, 0, 0, 0x80, 0x80, 5,
		0x21 | byte(pts >> 29n & 0xen), byte(pts >> 22n),
		1 | byte(pts >> 14n & 0xfen), byte(pts >> 7n),
		1 | byte(pts << 1n & 0xfen)]);
}

const bcd = (n) => Math.floor(n / 10) << 4 | n % 10;

// An EIT of a service: present and following (0x4e) or schedule (0x50) of
// events { id, start (Unix time), minutes, title }, in English.
export function eitSection(pnr, events, version = 0, tableId = 0x4e) {
	const list = events.map(({ id, start, minutes, title }) => {
		const date = new Date(start * 1000);
		const mjd = 40587 + Math.floor(start / 86400);
		const name = Buffer.from(title, 'latin1');
		const text = Buffer.from([0x4d, name.length + 5, 0x65, 0x6e,
			0x67, name.length, ...name, 0]);

		return Buffer.from([id >> 8, id & 255, mjd >> 8, mjd & 255,
			bcd(date.getUTCHours()), bcd(date.getUTCMinutes()),
			bcd(date.getUTCSeconds()),
			bcd(Math.floor(minutes / 60)),
			bcd(minutes % 60), 0, 0, text.length, ...text]);
	});

	return section(tableId, pnr, version, Buffer.concat([
		Buffer.from([0, 1, 0, 1, 0, tableId]), ...list]));
}

// The service descriptor with a name in UTF-8; the provider has it too.
function serviceDescriptor(text) {
	const name = [0x15, ...Buffer.from(text)];
	const body = [1, name.length, ...name, name.length, ...name];

	return [0x48, body.length, ...body];
}

// An SDT of services without descriptors; names: of some of them, by number.
export function sdtSection(pnrs, { tsid = 1, onid = 1, names = {},
	status = 0x80 } = {}) {
	return section(0x42, tsid, 0, Buffer.from([onid >> 8, onid & 255, 0xff,
		...pnrs.flatMap((pnr) => {
			const list = names[pnr] === undefined ? []
				: serviceDescriptor(names[pnr]);

			return [pnr >> 8, pnr & 255, 0xfc,
				...word(list.length, status), ...list];
		})]));
}

// A CAT with a CA descriptor of each [system, PID].
export const catSection = (list, version = 0) => section(1, 0xffff, version,
	Buffer.from(list.flatMap(([system, pid]) => [9, 4, system >> 8,
		system & 255, ...word(pid, 0xe0)])));

// A cue message (SCTE 35 time_signal).
function cueSection(pts90k) {
	const pts = BigInt(pts90k) & 0x1ffffffffn;
	const data = Buffer.from([0xfc, 0x30, 22, 0, 0, 0, 0, 0, 0, 0xff, 0xff,
		0xf0, 5, 6, 0xfe | Number(pts >> 32n), 0, 0, 0, 0, 0, 0]);
	const crc = Buffer.alloc(4);

	data.writeUInt32BE(Number(pts & 0xffffffffn), 15);
	crc.writeUInt32BE(crc32(data));
	return Buffer.concat([data, crc]);
}

// A message comes so many seconds before its time.
export const CUE_LEAD = 2;

export const PROGRAM = { pnr: 1, pmtPid: 0x100, video: 0x101,
	audio: 0x102 };

export class TsMux {
	// All of these may be changed while it runs.
	programs; rate; patVersion = 0; pmtVersion = 0;
	psi = true;             // false: no tables at all
	patSections = 0;        // of the PAT, one program each; 0: one for all
	more = [];              // further sections: [PID, section]
	breakCrc = false;       // tables with a wrong check sum
	breakPes = false;       // invalid PES start codes
	scrambled = false;      // transport_scrambling_control of all ES
	frozen;                 // where PCR and PTS freeze, in seconds
	isFull = () => true;    // of seconds: null packets fill it up if not
	packets = 0;
	#cc = new Map();
	#queue = [];
	#due = { psi: 0, pcr: 0, video: 0, audio: 0, cues: 0 };
	#pictures = 0;

	// clock: where PCR begins, in seconds.
	constructor({ programs = [PROGRAM], rate = 2e6, clock = 0 } = {}) {
		this.programs = programs;
		this.rate = rate;
		this.clock = clock;
	}

	get seconds() { return this.packets * SIZE * 8 / this.rate; }

	// The next n packets in one buffer.
	take(n) {
		const list = [];

		for (let i = 0; i < n; i++)
			list.push(this.#next());
		return Buffer.concat(list);
	}

	#next() {
		const t = this.seconds;

		this.packets++;
		if (t >= this.#due.psi) {
			this.#due.psi = t + 0.1;
			if (this.psi)
				this.#tables();
		}
		if (t >= this.#due.cues) {
			this.#due.cues = t + 0.3;
			for (const { cues } of this.programs)
				if (cues)
					this.#section(cues, cueSection(
						this.#pts(t + CUE_LEAD)));
		}
		if (this.#queue.length)
			return this.#queue.shift();
		// programs take turns in carrying the filling
		const p = this.programs[this.packets % this.programs.length];
		if (t >= this.#due.audio && p.audio) {
			this.#due.audio = t + 0.024;
			return this.#es(p.audio, { pes: 0xc0, t });
		}
		const carrier = p.video ?? p.audio;
		if (t >= this.#due.video) {
			this.#due.video = t + 0.04;
			const rai = this.#pictures++ % GROUP === 0;
			for (const other of this.programs)
				if (other !== p)
					this.#queue.push(this.#es(other.video ??
						other.audio, { pcr: t, t, rai,
						pes: 0xe0 }));
			this.#due.pcr = t + 0.02;
			return this.#es(carrier, { pcr: t, t, rai,
				pes: p.video ? 0xe0 : 0xc0 });
		}
		if (t >= this.#due.pcr) {
			this.#due.pcr = t + 0.02;
			return this.#es(carrier, { pcr: t });
		}
		return this.isFull(t) ? this.#es(carrier, {}) : NULL_PACKET;
	}

	#section(pid, data) {
		const packet = this.#packet(pid, true);

		packet.fill(0xff, 4);
		packet[4] = 0; // pointer_field
		data.copy(packet, 5);
		this.#queue.push(packet);
	}

	#tables() {
		const add = (pid, data) => {
			const text = Buffer.from(data);
			if (this.breakCrc)
				text[text.length - 1] ^= 1;
			this.#section(pid, text);
		};

		for (const data of this.patSections
			? patSections(this.programs, this.patVersion,
				this.patSections)
			: [patSection(this.programs, this.patVersion)])
			add(0, data);
		for (const p of this.programs)
			add(p.pmtPid, pmtSection(p, this.pmtVersion));
		for (const [pid, data] of this.more)
			add(pid, data);
	}

	// The time stamp of a frame that is sent at t, half a second before it
	// is shown.
	#pts(t) {
		return Math.round(((this.frozen ?? t) + this.clock + 0.5) *
			90000);
	}

	// How many pictures come before that of the next random access point.
	get picturesLeft() {
		return (GROUP - this.#pictures % GROUP) % GROUP;
	}

	// A packet whose header alone is written.
	#packet(pid, unitStart, control = 1) {
		const cc = this.#cc.get(pid) ?? 0;
		const packet = Buffer.allocUnsafe(SIZE);
		const es = unitStart === undefined || pid > 0x100;
		const tsc = this.scrambled && es &&
			!this.programs.some((p) => p.pmtPid === pid) ? 2 : 0;

		this.#cc.set(pid, cc + 1 & 15);
		packet[0] = 0x47;
		packet[1] = (unitStart ? 0x40 : 0) | pid >> 8;
		packet[2] = pid & 255;
		packet[3] = tsc << 6 | control << 4 | cc;
		return packet;
	}

	#es(pid, { pcr, pes, t, rai }) {
		const packet = this.#packet(pid, pes !== undefined,
			pcr !== undefined ? 3 : 1);
		let used = 4;

		if (pcr !== undefined)
			used = this.#pcr(packet, pcr, rai);
		if (pes !== undefined) {
			const start = pesHeader(pes, this.#pts(t));
			if (this.breakPes)
				start[2] = 7;
			start.copy(packet, used);
			used += start.length;
		}
		packet.fill(0x55, used, SIZE - 4);
		packet.writeUInt32BE(this.packets, SIZE - 4);
		return packet;
	}

	// Writes an adaptation field of 8 bytes; returns the payload's place.
	#pcr(packet, seconds, rai) {
		const ticks = Math.round(
			((this.frozen ?? seconds) + this.clock) * 27e6);
		const base = Math.floor(ticks / 300), ext = ticks - base * 300;

		packet[4] = 7;
		packet[5] = 0x10 | (rai ? 0x40 : 0);
		packet.writeUInt32BE(Number(BigInt.asUintN(32,
			BigInt(Math.floor(base / 2)))), 6);
		packet[10] = Math.abs(base % 2) << 7 | 0x7e | ext >> 8;
		packet[11] = ext & 255;
		return 12;
	}
}
