// SPDX-License-Identifier: GPL-3.0-or-later
// mux-file.mjs FILE SECONDS: a multiplex of three programs at 2 Mbit/s.
import fs from 'node:fs';
import { TsMux } from '../helpers/mux.mjs';

const RATE = 2e6;
const [file, seconds] = process.argv.slice(2);
const programs = [1, 2, 3].map((pnr) => ({ pnr, pmtPid: 0x100 * pnr,
	video: 0x100 * pnr + 1, audio: 0x100 * pnr + 2 }));

fs.writeFileSync(file, new TsMux({ programs, rate: RATE })
	.take(Math.floor(RATE * Number(seconds) / 8 / 188)));
