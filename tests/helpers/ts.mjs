// SPDX-License-Identifier: GPL-3.0-or-later
// A second, independent reader of transport streams, which shares no code with
// the programs whose output and status it checks.

const SIZE = 188;
const table = new Uint32Array(256).map((_, i) => {
	let crc = i << 24;
	for (let bit = 0; bit < 8; bit++)
		crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
	return crc >>> 0;
});

export function crc32(data) {
	let crc = 0xffffffff;

	for (const byte of data)
		crc = ((crc << 8) ^ table[(crc >>> 24) ^ byte]) >>> 0;
	return crc;
}

// Collects the sections of one PID.
export class Sections {
	#data = null;

	push(packet, at, unitStart, take) {
		let payload = packet.subarray(at);

		if (unitStart) {
			const pointer = payload[0];
			if (this.#data)
				this.#add(payload.subarray(1, 1 + pointer),
					take);
			payload = payload.subarray(1 + pointer);
			this.#data = Buffer.alloc(0);
		}
		if (this.#data)
			this.#add(payload, take);
	}

	#add(bytes, take) {
		this.#data = Buffer.concat([this.#data, bytes]);
		while (this.#data.length >= 3 && this.#data[0] !== 0xff) {
			const end = 3 + (this.#data.readUInt16BE(1) & 0xfff);
			if (this.#data.length < end)
				return;
			take(this.#data.subarray(0, end));
			this.#data = this.#data.subarray(end);
		}
		if (this.#data[0] === 0xff)
			this.#data = null;
	}
}

export class TsChecker {
	packets = 0;
	syncErrors = 0;
	crcErrors = 0;
	ccErrors = 0;
	pids = new Map();       // pid -> packets
	pat = null;             // { version, programs: Map pnr -> pmt pid }
	pmts = new Map();       // pnr -> { version, pcr, streams: Map }
	// pid -> [{ packet, value in 27 MHz, jump: announced }]
	pcrs = new Map();
	order = [];             // the PIDs of the first packets
	first = null;           // first video start: { rai, packet }
	#rest = Buffer.alloc(0);
	#last = new Map();      // pid -> { cc, packet }
	#sections = new Map();
	#pmtPids = new Set();

	// It keeps packets of data, which nobody may change.
	push(data) {
		this.#rest = this.#rest.length ?
			Buffer.concat([this.#rest, data]) : data;
		let at = 0;
		while (this.#rest.length - at >= SIZE) {
			const packet = this.#rest.subarray(at, at + SIZE);
			at += SIZE;
			if (packet[0] === 0x47)
				this.#packet(packet);
			else
				this.syncErrors++;
		}
		this.#rest = Buffer.from(this.#rest.subarray(at));
		return this;
	}

	// Bytes that are no whole packet yet.
	get tail() { return this.#rest.length; }

	#packet(packet) {
		const pid = packet.readUInt16BE(1) & 0x1fff;
		const unitStart = Boolean(packet[1] & 0x40);
		const control = packet[3] >> 4 & 3;
		const jump = control & 2 && packet[4] > 0 && packet[5] & 0x80;

		if (this.order.length < 16)
			this.order.push(pid);
		this.pids.set(pid, (this.pids.get(pid) ?? 0) + 1);
		if (pid !== 0x1fff)
			this.#continuity(pid, packet, control, jump);
		if (control & 2 && packet[4] > 0)
			this.#adaptation(pid, packet);
		const at = control & 2 ? 5 + packet[4] : 4;
		if (control & 1 && at < SIZE)
			this.#payload(pid, packet, at, unitStart);
		this.packets++;
	}

	#continuity(pid, packet, control, jump) {
		const cc = packet[3] & 15;
		const last = this.#last.get(pid);

		// a damaged packet may be of another PID (TR 101 290, 5.2.2)
		if (packet[1] & 0x80 && !(last && control & 1 &&
			cc === (last.cc + 1 & 15)))
			return;
		if (last && !jump) {
			const step = control & 1 ? 1 : 0;
			const twice = last.packet.equals(packet);
			if (cc !== (last.cc + step & 15) && !twice)
				this.ccErrors++;
		}
		this.#last.set(pid, { cc, packet });
	}

	#adaptation(pid, packet) {
		if (packet[5] & 0x10 && packet[4] >= 7) {
			const base = packet.readUInt32BE(6) * 2 +
				(packet[10] >> 7);
			const value = base * 300 +
				(packet.readUInt16BE(10) & 0x1ff);
			if (!this.pcrs.has(pid))
				this.pcrs.set(pid, []);
			this.pcrs.get(pid).push({ packet: this.packets,
				value, jump: Boolean(packet[5] & 0x80) });
		}
	}

	#payload(pid, packet, at, unitStart) {
		if (pid === 0 || this.#pmtPids.has(pid)) {
			if (!this.#sections.has(pid))
				this.#sections.set(pid, new Sections());
			this.#sections.get(pid).push(packet, at, unitStart,
				(section) => this.#section(pid, section));
			return;
		}
		if (unitStart && !this.first && this.#isVideo(pid))
			this.first = { packet: this.packets, rai: Boolean(
				packet[3] & 0x20 && packet[4] > 0 &&
				packet[5] & 0x40) };
	}

	#isVideo(pid) {
		for (const pmt of this.pmts.values())
			if ([1, 2, 0x1b, 0x24].includes(pmt.streams.get(pid)))
				return true;
		return false;
	}

	#section(pid, section) {
		if (crc32(section) !== 0) {
			this.crcErrors++;
			return;
		}
		const version = section[5] >> 1 & 31;
		const end = section.length - 4;
		if (pid === 0 && section[0] === 0) {
			const programs = new Map();
			for (let i = 8; i + 4 <= end; i += 4)
				if (section.readUInt16BE(i) !== 0)
					programs.set(section.readUInt16BE(i),
						section.readUInt16BE(i + 2) &
						0x1fff);
			this.pat = { version, programs };
			this.#pmtPids = new Set(programs.values());
		} else if (section[0] === 2) {
			const streams = new Map();
			let i = 12 + (section.readUInt16BE(10) & 0xfff);
			while (i + 5 <= end) {
				streams.set(section.readUInt16BE(i + 1) &
					0x1fff, section[i]);
				i += 5 + (section.readUInt16BE(i + 3) & 0xfff);
			}
			this.pmts.set(section.readUInt16BE(3), { version,
				pcr: section.readUInt16BE(8) & 0x1fff,
				streams });
		}
	}
}

export function checkTs(data) {
	return new TsChecker().push(data);
}

// Without the last unit of each PID, which may be incomplete: for a decoder
// that checks a recording of a continuous stream.
export function wholeUnits(data) {
	const lastStart = new Map(), kept = [];
	const pidAt = (at) => data.readUInt16BE(at + 1) & 0x1fff;

	for (let at = 0; at < data.length; at += SIZE)
		if (data[at + 1] & 0x40)
			lastStart.set(pidAt(at), at);
	for (let at = 0; at < data.length; at += SIZE)
		if (at < (lastStart.get(pidAt(at)) ?? 0))
			kept.push(data.subarray(at, at + SIZE));
	return Buffer.concat(kept);
}

// From the first place on where a decoder can begin, for a receiver that
// started in the middle.
export function fromEntry(data) {
	for (let at = 0; at + SIZE <= data.length; at += SIZE)
		if (data[at + 1] & 0x40 && data[at + 3] & 0x20 &&
		    data[at + 4] > 0 && data[at + 5] & 0x40 &&
		    data.readUInt32BE(at + 5 + data[at + 4]) === 0x1e0)
			return data.subarray(at);
	throw new Error('there is no place to begin');
}
