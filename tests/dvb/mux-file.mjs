// SPDX-License-Identifier: GPL-3.0-or-later
// mux-file.mjs FILE SECONDS MBIT_PER_S [PLP]: a multiplex of three programs,
// which have CA descriptors, with the SDT and NIT of a terrestrial network of
// two channels.  PLP: a file with the same as T2-MI in PID 4096 of program 9.
import fs from 'node:fs';
import { TsMux, patSection, pmtSection } from '../helpers/mux.mjs';
import { T2mi } from '../helpers/t2mi.mjs';
import { crc32 } from '../helpers/ts.mjs';

const PER_FRAME = 21 * 188;
const [file, seconds, mbitPerS, plpFile] = process.argv.slice(2);
const rate = mbitPerS * 1e6;
const programs = [1, 2, 3].map((pnr) => ({ pnr, pmtPid: 0x100 * pnr,
	video: 0x100 * pnr + 1, audio: 0x100 * pnr + 2,
	// of a CAM; the packets are not scrambled
	ca: { system: 0x0b00, pid: 0x100 * pnr + 3 } }));
const text = (s) => [s.length, ...Buffer.from(s)];
const loop = (bytes) => [0xf0 | bytes.length >> 8, bytes.length & 0xff,
	...bytes];

function wrap(pid, counter, section) {
	const data = Buffer.alloc(188, 0xff);

	data.set([0x47, 0x40 | pid >> 8, pid & 0xff, 0x10 | counter & 15, 0,
		...section]);
	return data;
}

function packet(pid, counter, tableId, extension, body) {
	const length = body.length + 9;
	const section = Buffer.from([tableId, 0xf0 | length >> 8, length & 0xff,
		0, extension, 0xc1, 0, 0, ...body, 0, 0, 0, 0]);

	section.writeUInt32BE(crc32(section.subarray(0, -4)) >>> 0,
		section.length - 4);
	return wrap(pid, counter, section);
}

function writePlp(name, list) {
	const carrier = { pnr: 9, pmtPid: 0x900, video: 4096,
		ca: { system: 0x0b00, pid: 0x903 } };
	const t2mi = new T2mi(), plp = fs.openSync(name, 'w');

	for (const [i, second] of list.entries()) {
		fs.writeSync(plp, wrap(0, i, patSection([carrier])));
		fs.writeSync(plp, wrap(0x900, i, pmtSection(carrier)));
		for (let at = 0; at < second.length; at += PER_FRAME)
			for (const data of t2mi.shape(second.subarray(at,
				at + PER_FRAME)))
				fs.writeSync(plp, data);
	}
}

const service = ({ pnr }) => [0, pnr, 0xfc, 0x80, ...loop([0x48, 3 + 8 + 6,
	1, ...text('Provider'), ...text(`News ${pnr}`)]).slice(1)];
const sdt = [0, 1, 0xff, ...programs.flatMap(service)];
const channel = (khz, i) => [0, i + 1, 0, 1, ...loop([0x5a, 11,
	...[24, 16, 8, 0].map((n) => khz * 100 >>> n & 0xff), 0x1f, 0x98, 0x5a,
	0xff, 0xff, 0xff, 0xff])];
const nit = [...loop([0x40, ...text('Network')]),
	...loop([474000, 490000].flatMap(channel))];
const mux = new TsMux({ programs, rate });
const list = Array.from({ length: Number(seconds) }, (_, i) => Buffer.concat([
	packet(17, i, 0x42, 1, sdt), packet(16, i, 0x40, 7, nit),
	mux.take(Math.floor(rate / 8 / 188))]));

fs.writeFileSync(file, Buffer.concat(list));
if (plpFile)
	writePlp(plpFile, list);
