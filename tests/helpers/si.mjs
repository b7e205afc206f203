// SPDX-License-Identifier: GPL-3.0-or-later
// All sections of a transport stream and their contents: an independent reader,
// for checks of our output.
import { Sections, crc32 } from './ts.mjs';

const SIZE = 188;

function descriptors(data, at, end) {
	const list = [];

	while (at < end) {
		const len = data[at + 1];
		if (at + 2 + len > end)
			throw new Error('a descriptor runs over its loop');
		list.push({ tag: data[at],
			data: data.subarray(at + 2, at + 2 + len) });
		at += 2 + len;
	}
	return list;
}

function loop(data, at) {
	const end = at + 2 + (data.readUInt16BE(at) & 0xfff);

	if (end > data.length - 4)
		throw new Error('a loop runs over its section');
	return { end, list: descriptors(data, at + 2, end) };
}

const decoders = {
	pat(s) {
		const programs = new Map();
		for (let at = 8; at < s.length - 4; at += 4)
			programs.set(s.readUInt16BE(at),
				s.readUInt16BE(at + 2) & 0x1fff);
		return { programs };
	},
	cat: (s) => ({ descriptors: descriptors(s, 8, s.length - 4) }),
	pmt(s) {
		const info = loop(s, 10);
		const streams = [];
		for (let at = info.end; at < s.length - 4;) {
			const es = loop(s, at + 3);
			streams.push({ type: s[at], descriptors: es.list,
				pid: s.readUInt16BE(at + 1) & 0x1fff });
			at = es.end;
		}
		return { pcr: s.readUInt16BE(8) & 0x1fff,
			descriptors: info.list, streams };
	},
	sdt(s) {
		const services = new Map();
		for (let at = 11; at < s.length - 4;) {
			const one = loop(s, at + 3);
			services.set(s.readUInt16BE(at), { flags: s[at + 2] & 3,
				status: s[at + 3] >> 5,
				scrambled: Boolean(s[at + 3] & 0x10),
				descriptors: one.list });
			at = one.end;
		}
		return { network: s.readUInt16BE(8), services };
	},
	nit(s) {
		const info = loop(s, 8);
		const transports = [];
		for (let at = info.end + 2; at < s.length - 4;) {
			const one = loop(s, at + 4);
			transports.push({ tsid: s.readUInt16BE(at),
				network: s.readUInt16BE(at + 2),
				descriptors: one.list });
			at = one.end;
		}
		return { descriptors: info.list, transports };
	},
	eit(s) {
		const events = [];
		for (let at = 14; at < s.length - 4;) {
			const one = loop(s, at + 10);
			events.push({ id: s.readUInt16BE(at),
				status: s[at + 10] >> 5,
				scrambled: Boolean(s[at + 10] & 0x10),
				descriptors: one.list });
			at = one.end;
		}
		return { tsid: s.readUInt16BE(8), network: s.readUInt16BE(10),
			events };
	},
	ait(s) {
		const common = loop(s, 8);
		const applications = [];
		for (let at = common.end + 2; at < s.length - 4;) {
			const one = loop(s, at + 7);
			applications.push({ control: s[at + 6],
				descriptors: one.list });
			at = one.end;
		}
		return { applications };
	},
};

function kind(id) {
	if (id >= 0x4e && id <= 0x6f)
		return 'eit';
	return { 0: 'pat', 1: 'cat', 2: 'pmt', 0x40: 'nit', 0x41: 'nit',
		0x42: 'sdt', 0x46: 'sdt', 0x4a: 'nit', 0x74: 'ait' }[id];
}

// Every section with the long header, in order: { pid, packet, id, extension,
// version, number, last, kind, size, ...its fields }. A section with a wrong
// CRC, or whose loops do not fit, throws; with lax, for streams of other
// programs, it is skipped.
export function sections(data, pids = undefined, lax = false) {
	const collected = new Map(), found = [];

	for (let at = 0, n = 0; at + SIZE <= data.length; at += SIZE, n++) {
		const pid = data.readUInt16BE(at + 1) & 0x1fff;
		if (pids ? !pids.has(pid) : pid > 0x1f)
			continue;
		const packet = data.subarray(at, at + SIZE);
		const control = packet[3] >> 4 & 3;
		const start = control & 2 ? 5 + packet[4] : 4;
		if (!(control & 1) || start >= SIZE)
			continue;
		if (!collected.has(pid))
			collected.set(pid, new Sections());
		collected.get(pid).push(packet, start,
			Boolean(packet[1] & 0x40),
			(s) => {
				if (!lax || crc32(s) === 0)
					add(found, pid, n, s);
			});
	}
	return found;
}

function add(found, pid, packet, section) {
	const s = Buffer.from(section);

	if (!(s[1] & 0x80))
		return;
	if (crc32(s) !== 0)
		throw new Error(`PID ${pid}: a wrong CRC`);
	const limit = kind(s[0]) === 'eit' ? 4096 : 1024;
	if (s.length > limit)
		throw new Error(`PID ${pid}: ${s.length} bytes`);
	const name = kind(s[0]);
	found.push({ pid, packet, id: s[0], extension: s.readUInt16BE(3),
		version: s[5] >> 1 & 31, number: s[6], last: s[7], kind: name,
		size: s.length, ...(name ? decoders[name](s) : {}) });
}

// The tables of a stream: the last PAT, the PMT of each program in it, and
// everything on the fixed PIDs.
export function tables(data) {
	const fixed = sections(data);
	const pat = fixed.findLast((s) => s.kind === 'pat');
	const pids = new Set([...pat?.programs.values() ?? []]);
	const pmts = sections(data, pids).filter((s) => s.kind === 'pmt');
	const aits = new Set(pmts.flatMap((p) => p.streams
		.filter((s) => s.type === 5 &&
			s.descriptors.some((d) => d.tag === 0x6f))
		.map((s) => s.pid)));

	return { fixed, pat, pmts, aits: sections(data, aits),
		of: (name) => fixed.filter((s) => s.kind === name),
		pmt: (pnr) => pmts.findLast((s) => s.extension === pnr) };
}

// { type, provider, name } of a service, bytes as they stand.
export function serviceOf(list) {
	const d = list.find((one) => one.tag === 0x48)?.data;

	if (!d)
		return undefined;
	const provider = d.subarray(2, 2 + d[1]);
	const name = d.subarray(3 + d[1], 3 + d[1] + d[2 + d[1]]);
	return { type: d[0], provider, name };
}
