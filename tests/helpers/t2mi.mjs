// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps the packets of a multiplex in T2-MI (ETSI TS 102 773), as the gateway
// of a DVB-T2 network does: high efficiency mode, null packets deleted.
import { crc32 } from './ts.mjs';

function crc8(data) {
	let crc = 0;

	for (const byte of data) {
		crc ^= byte;
		for (let i = 0; i < 8; i++)
			crc = (crc << 1 ^ (crc & 0x80 ? 0xd5 : 0)) & 0xff;
	}
	return crc;
}

export class T2mi {
	#count = 0;
	#cc = 0;
	#nulls = 0;

	constructor({ pid = 4096, plp = 0 } = {}) {
		this.pid = pid;
		this.plp = plp;
	}

	// The datagrams that carry these packets, with each frame in one; for
	// `shape' of a Sender.
	shape = (packets) => {
		const units = [];

		for (let at = 0; at < packets.length; at += 188) {
			const p = packets.subarray(at, at + 188);

			if ((p.readUInt16BE(1) & 0x1fff) === 0x1fff &&
				this.#nulls < 255) {
				this.#nulls++;
				continue;
			}
			units.push(p.subarray(1), Buffer.from([this.#nulls]));
			this.#nulls = 0;
		}
		return units.length === 0 ? [] :
			[this.#packets(this.#packet(Buffer.concat(units)))];
	};

	#packet(field) {
		const frame = Buffer.alloc(13), header = Buffer.alloc(6);
		const crc = Buffer.alloc(4);

		frame[1] = this.plp;
		frame[3] = 0xf4; // a transport stream without null packets
		frame.writeUInt16BE(field.length * 8, 7);
		frame[12] = crc8(frame.subarray(3, 12)) ^ 1;
		header[1] = this.#count++ & 0xff;
		header.writeUInt16BE((frame.length + field.length) * 8, 4);
		const whole = Buffer.concat([header, frame, field]);

		crc.writeUInt32BE(crc32(whole));
		return Buffer.concat([whole, crc]);
	}

	#packets(data) {
		const list = [];

		for (let at = 0; at < data.length;) {
			const p = Buffer.alloc(188, 0xff), begins = at === 0;
			const room = begins ? 183 : 184;
			const n = Math.min(room, data.length - at);

			p.writeUInt32BE(0x47000010 | begins << 22 |
				this.pid << 8 | this.#cc++ & 15);
			if (n < room) {
				p[3] |= 0x20;
				p[4] = room - n - 1;
				if (room - n > 1)
					p[5] = 0;
			}
			if (begins)
				p[188 - n - 1] = 0;
			data.copy(p, 188 - n, at, at + n);
			list.push(p);
			at += n;
		}
		return Buffer.concat(list);
	}
}
