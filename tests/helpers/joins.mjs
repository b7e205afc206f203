// SPDX-License-Identifier: GPL-3.0-or-later
// Clips of real encoders with known random access points, viewers that join
// them over HTTP, and ffprobe as the judge of the first picture.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { checkTs, wholeUnits } from './ts.mjs';
import { run } from './util.mjs';

const SIZE = 188;
const VIDEO = 0x100;
const RATE = 10; // pictures per second
const BYTES = 20000; // of each viewer

const gop = (seconds) => `keyint=${seconds * RATE}:` +
	`min-keyint=${seconds * RATE}`;
const avc = (params) => ['-c:v', 'libx264', '-preset', 'ultrafast',
	'-x264-params', `scenecut=0:${params}`];
const hevc = (params) => ['-c:v', 'libx265', '-preset', 'ultrafast',
	'-x265-params', `log-level=none:scenecut=0:${params}`];
const mpeg2 = (seconds, ...more) => ['-c:v', 'mpeg2video', '-strict', '-1',
	'-sc_threshold', '1000000000', '-g', String(seconds * RATE), ...more];
const repeated = ['-flags:v', '+global_header', '-bsf:v', 'dump_extra=all'];
const longSei = ['-bsf:v', 'h264_metadata=sei_user_data=' +
	`086f3693-b7b3-4f2c-9653-21492feee5b8+${'long '.repeat(400)}`];

function* packets(data) {
	for (let at = 0; at < data.length; at += SIZE)
		yield data.subarray(at, at + SIZE);
}

const pidOf = (packet) => packet.readUInt16BE(1) & 0x1fff;
const field = (packet) => packet[3] & 0x20 && packet[4] > 0;

// Clears random_access_indicator in all packets.
export function withoutIndicator(data) {
	for (const packet of packets(data))
		if (field(packet))
			packet[5] &= ~0x40;
	return data;
}

// A packet of the video with these bytes as payload; fields: its flags.
function videoPacket(start, fields, payload) {
	const packet = Buffer.alloc(SIZE, 0xff);

	packet.writeUInt32BE(0x47000020 | (start ? 0x400000 : 0) | VIDEO << 8 |
		(payload.length > 0 ? 0x10 : 0));
	packet[4] = SIZE - 5 - payload.length;
	if (packet[4] > 0)
		packet[5] = fields & 0x40;
	payload.copy(packet, SIZE - payload.length);
	return packet;
}

// Counts the packets of the video again.
function counted(parts) {
	let cc = 0;

	for (const packet of parts.filter((p) => pidOf(p) === VIDEO)) {
		cc += packet[3] & 0x10 ? 1 : 0;
		packet[3] = packet[3] & 0xf0 | cc & 15;
	}
	return Buffer.concat(parts);
}

// The header of each PES of the video has a packet of its own; the PCR of the
// PES too.
function headerAlone(data) {
	const parts = [];

	for (const packet of packets(data)) {
		if (pidOf(packet) !== VIDEO || !(packet[1] & 0x40)) {
			parts.push(packet);
			continue;
		}
		const at = packet[3] & 0x20 ? 5 + packet[4] : 4;
		const end = at + 9 + packet[at + 8];
		if (field(packet) && packet[5] & 0x10) {
			const clock = Buffer.from(packet.fill(0xff, 12, at));
			clock.fill(0xff, 12);
			clock[1] &= ~0x40;
			clock[3] = 0x20;
			clock[4] = 183;
			clock[5] &= ~0x40;
			parts.push(clock);
		}
		parts.push(videoPacket(true, field(packet) ? packet[5] : 0,
			packet.subarray(at, end)));
		if (end < SIZE)
			parts.push(videoPacket(false, 0,
				packet.subarray(end)));
	}
	return counted(parts);
}

// random_access_indicator has a packet without payload in front of the PES.
function indicatorBefore(data) {
	const parts = [];

	for (const packet of packets(headerAlone(data))) {
		if (pidOf(packet) === VIDEO && packet[1] & 0x40 &&
		    field(packet) && packet[5] & 0x40) {
			packet[5] &= ~0x40;
			parts.push(videoPacket(false, 0x40, Buffer.alloc(0)));
		}
		parts.push(packet);
	}
	return counted(parts);
}

// random_access_indicator is set at every third picture as well, which is none.
function falseIndicator(data) {
	let n = 0;

	for (const packet of packets(data))
		if (pidOf(packet) === VIDEO && packet[1] & 0x40 &&
		    field(packet) && n++ % 3 === 0)
			packet[5] |= 0x40;
	return data;
}

// Two of three IDR pictures have no parameter sets: those become filler data.
function rareSets(data) {
	let n = 0, bare = false;

	for (const packet of packets(data)) {
		if (pidOf(packet) !== VIDEO)
			continue;
		if (packet[1] & 0x40 && field(packet) && packet[5] & 0x40)
			bare = n++ % 3 !== 0;
		for (const type of [0x67, 0x68]) {
			const at = packet.indexOf(Buffer.of(0, 0, 1, type));

			if (bare && at >= 0)
				packet[at + 3] = 0x0c;
		}
	}
	return data;
}

const GOPS = [0.5, 1, 2, 4, 8, 12];

// Each codec with closed and open groups of pictures of each length.
function byLength() {
	const kinds = {};

	for (const s of GOPS) {
		const ms = s * 1000;

		kinds[`h264-${ms}`] = { gop: s, video: avc(gop(s)) };
		kinds[`h264-open-${ms}`] = { gop: s,
			video: avc(`${gop(s)}:open-gop=1:bframes=2`) };
		kinds[`hevc-${ms}`] = { gop: s,
			video: hevc(`${gop(s)}:open-gop=0`) };
		kinds[`hevc-open-${ms}`] = { gop: s,
			video: hevc(`${gop(s)}:open-gop=1`) };
		kinds[`mpeg2-${ms}`] = { gop: s,
			video: mpeg2(s, '-flags:v', '+cgop') };
		kinds[`mpeg2-open-${ms}`] = { gop: s,
			video: mpeg2(s, '-bf', '2') };
	}
	return kinds;
}

export const KINDS = {
	...byLength(),
	'h264-12000-no-indicator': { gop: 12, video: avc(gop(12)),
		change: withoutIndicator },
	'h264-open-4000-no-indicator': { gop: 4,
		video: avc(`${gop(4)}:open-gop=1:bframes=3`),
		change: withoutIndicator },
	'h264-repeated-sets': { gop: 4, video: [...avc(gop(4)), ...repeated] },
	'h264-repeated-sets-no-indicator': { gop: 4,
		video: [...avc(gop(4)), ...repeated],
		change: withoutIndicator },
	'h264-repeat-headers': { gop: 4,
		video: avc(`${gop(4)}:repeat-headers=1`),
		change: withoutIndicator },
	'h264-false-indicator': { gop: 4, video: [...avc(gop(4)), ...repeated],
		change: falseIndicator },
	'h264-rare-sets': { gop: 2, seconds: 26, video: avc(gop(2)),
		change: rareSets },
	'h264-long-sei': { gop: 2, video: [...avc(gop(2)), ...longSei],
		change: withoutIndicator },
	'h264-header-alone': { gop: 2, video: avc(gop(2)),
		change: (data) => withoutIndicator(headerAlone(data)) },
	'h264-indicator-before': { gop: 2, video: avc(gop(2)),
		change: indicatorBefore },
	'h264-fields': { gop: 2,
		video: ['-flags:v', '+ildct', ...avc(`${gop(2)}:tff=1`)],
		change: withoutIndicator },
	'h264-intra-refresh': { gop: 2,
		video: avc(`${gop(2)}:intra-refresh=1`) },
	'h264-intra-refresh-no-indicator': { gop: 2,
		video: avc(`${gop(2)}:intra-refresh=1`),
		change: withoutIndicator },
	'hevc-open-4000-header-alone': { gop: 4,
		video: hevc(`${gop(4)}:open-gop=1:bframes=3`),
		change: (data) => withoutIndicator(headerAlone(data)) },
	'hevc-repeated-sets': { gop: 10,
		video: [...hevc(`${gop(10)}:open-gop=0`), ...repeated],
		change: withoutIndicator },
	'mpeg2-10000-repeated-headers': { gop: 10,
		video: [...mpeg2(10, '-flags:v', '+cgop+global_header'),
			'-bsf:v', 'dump_extra=all'],
		change: withoutIndicator },
	'mpeg2-open-header-alone': { gop: 2,
		video: mpeg2(2, '-bf', '2'),
		change: (data) => withoutIndicator(headerAlone(data)) },
	// a radio program is the first one
	'h264-multiplex': { gop: 4, video: [...avc(gop(4)), '-map', '0', '-map',
		'1', '-map', '0', '-map', '1', '-program',
		'program_num=1:st=1', '-program', 'program_num=2:st=0:st=3',
		'-program', 'program_num=3:st=2'],
		change: withoutIndicator },
	audio: { video: ['-vn'] },
};

// A clip of two groups of pictures and more.
export async function encodeJoin(dir, name) {
	const { video, change, gop: length = 1,
		seconds = Math.max(8, 2 * length + 2) } = KINDS[name];
	const file = path.join(dir, `${name}.ts`);
	const made = await run('ffmpeg', ['-nostdin', '-v', 'error', '-f',
		'lavfi', '-i', `testsrc2=size=128x96:rate=${RATE}`, '-f',
		'lavfi', '-i', 'sine=sample_rate=48000', '-t',
		String(seconds), ...video,
		'-pix_fmt', 'yuv420p', '-b:v', '150k', '-c:a', 'mp2', '-b:a',
		'64k', '-threads', '1', file]);

	assert.equal(made.err, '', name);
	if (change !== undefined)
		fs.writeFileSync(file, change(fs.readFileSync(file)));
	return file;
}

// The first bytes that a new viewer receives.
export function join(port, target) {
	return new Promise((done, fail) => {
		const call = http.get({ host: '127.0.0.1', port, path: target,
			agent: false, timeout: 60000 }, (reply) => {
			const parts = [];
			let bytes = 0;

			reply.on('data', (part) => {
				parts.push(part);
				bytes += part.length;
				if (bytes < BYTES)
					return;
				call.destroy();
				done(Buffer.concat(parts)
					.subarray(0, BYTES - BYTES % SIZE));
			});
			reply.on('error', fail);
			reply.on('end', () => fail(new Error(
				`${target}: the viewer was disconnected`)));
		});
		call.on('timeout', () => call.destroy(
			new Error(`${target}: no packets`)));
		call.on('error', fail);
	});
}

// Calls work for each item, on all processors.
export async function inParallel(items, work) {
	const left = [...items];

	await Promise.all(os.cpus().map(async () => {
		while (left.length > 0)
			await work(left.shift());
	}));
}

// A picture in front of an open group of pictures, which a marking names, is
// missing; the decoder reports it and shows all pictures.
const LEADING = /mmco: unref short failure|^ *Last message repeated/;

// The first fault of a start of this kind; null: none.
async function judgeStart(dir, name, data) {
	const kind = name === 'audio' ? 'a:0' : 'v:0';

	if (checkTs(data).order[0] !== 0)
		return 'no PAT in front';

	const file = path.join(dir, `${createHash('sha1').update(data)
		.digest('hex')}.ts`);

	fs.writeFileSync(file, wholeUnits(data));
	const { out, err } = await run('ffprobe', ['-v', 'error',
		'-select_streams', kind, '-show_entries',
		'packet=flags:frame=pict_type', '-of', 'csv', file]);

	fs.rmSync(file);
	if (!out.startsWith('packet,K'))
		return `no key: ${out.slice(0, out.indexOf('\n'))}`;
	return err.split('\n').find((line) =>
		line !== '' && !LEADING.test(line)) ?? null;
}

// The joins of one stream.  Joins with the same bytes are judged once.
export class Joins {
	#name;
	#starts = new Map(); // text of the bytes -> number of joins
	count = 0;

	constructor(name) { this.#name = name; }

	get starts() { return this.#starts.size; }

	add(data) {
		const key = data.toString('latin1');

		this.count++;
		this.#starts.set(key, (this.#starts.get(key) ?? 0) + 1);
	}

	// A text for each join that is faulty.
	async judge(dir) {
		const faults = [];

		await inParallel(this.#starts, async ([key, n]) => {
			const fault = await judgeStart(dir, this.#name,
				Buffer.from(key, 'latin1'));

			if (fault !== null)
				faults.push(...Array(n).fill(fault));
		});
		return faults;
	}
}
