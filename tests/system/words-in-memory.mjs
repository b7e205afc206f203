// SPDX-License-Identifier: GPL-3.0-or-later
// Control words of periods that have ended are in the memory of no process:
// neither as bytes nor as digits.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { entry, link, play } from '../helpers/cas-scene.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { CamServer, wordsOf } from '../helpers/newcamd.mjs';
import { Ecmg } from '../helpers/simulcrypt.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { builddir, waitUntil } from '../helpers/util.mjs';

const CAID = 0x0b00, ECM = 0x200, RATE = 2e6, PERIOD = 800;
const PART = 1 << 20, OVERLAP = 64;

// Calls on_part with the writable memory of a process, in parts that overlap.
function readMemory(pid, on_part) {
	const fd = fs.openSync(`/proc/${pid}/mem`);
	const room = Buffer.alloc(PART + OVERLAP);

	for (const line of fs.readFileSync(`/proc/${pid}/maps`, 'utf8')
		.split('\n')) {
		const [, from, to] = /^(\w+)-(\w+) rw/.exec(line) ?? [];
		const end = parseInt(to, 16);

		for (let at = parseInt(from, 16); at < end; at += PART)
			try {
				const n = fs.readSync(fd, room, 0, Math.min(
					room.length, end - at), at);

				on_part(room.subarray(0, n));
			} catch {
				break; // a hole of the sanitizer
			}
	}
	fs.closeSync(fd);
}

// The words that a process has.
function find(pid, words) {
	const found = new Set();

	readMemory(pid, (part) => {
		for (const word of words)
			if ([Buffer.from(word, 'hex'), word.toUpperCase(), word]
				.some((form) => part.includes(form)))
				found.add(word);
	});
	return [...found];
}

test('of a stream that is scrambled', async (t) => {
	const ecmg = await Ecmg.start(t, { masked: true });
	const { sluice } = await play(t, [entry(ecmg)], [link]);

	await waitUntil('five periods', () =>
		ecmg.provisions.some(({ cp }) => cp === 5), 30000);
	// of the periods before the last one, and of the others
	const split = () => {
		const now = Math.max(...ecmg.provisions.map(({ cp }) => cp));
		const past = [], present = [];

		for (const [n, word] of ecmg.words)
			(n < now - 1 ? past : present).push(word);
		assert.ok(past.length > 2);
		return { past, present };
	};

	// a stream that gets no processor is behind its generator
	await waitUntil('no word of an ended period', () =>
		find(sluice.worker('stream', 's').pid,
			split().past).length === 0,
	10000);
	await waitUntil('no word at the generator client', () =>
		find(sluice.worker('cas', 'c1').pid,
			[...ecmg.words.values()]).length === 0, 10000);
	assert.deepEqual(find(sluice.child.pid, [...ecmg.words.values()]), []);
	// the search finds a word that is there
	await waitUntil('the present word', () => find(sluice.worker('stream',
		's').pid, split().present).length > 0, 10000);
});

test('of a stream that is descrambled', async (t) => {
	const mux = new TsMux({ rate: RATE, programs: [{ ...PROGRAM,
		ca: { system: CAID, pid: ECM } }] });
	const clear = mux.take(Math.round(8 * RATE / 8 / 188));
	const scrambled = execFileSync(
		path.join(builddir, 'tests/helpers/scramble-file'),
		[PERIOD, ECM, PROGRAM.video, PROGRAM.audio].map(String),
		{ input: clear, maxBuffer: 1 << 28 });
	const cam = await CamServer.start(t);
	const sluice = await Sluice.start(t, { ...config(stream('d',
		'udp://127.0.0.1:5000#cam=c', 'udp://127.0.0.1:6000')),
	softcam: [cam.entry('c')] });

	await waitUntil('login', () => cam.logins > 0);
	await Sender.start(t, { packets: 0, rate: RATE, take(n) {
		const at = this.packets;

		this.packets += n;
		return scrambled.subarray(at * 188, this.packets * 188);
	} }, 5000, { shape: (p) => p.length > 0 ? [p] : [] });
	await waitUntil('six ECMs', () => cam.ecms.length >= 6, 20000);
	// of the periods before, and the next word of the last one
	const words = () => cam.ecms.map((m) => {
		const both = wordsOf(m).toString('hex');

		return m.type & 1 ? both.slice(16) : both.slice(0, 16);
	});
	const { pid } = sluice.worker('stream', 'd');

	// a stream that gets no processor is behind its softcam, and keeps no
	// word of a period that ends meanwhile either
	await waitUntil('no word of an ended period', () =>
		find(pid, words().slice(0, -2)).length === 0, 10000);
	assert.deepEqual(find(sluice.child.pid, words()), []);
	await waitUntil('the present word', () =>
		find(pid, words()).length > 0, 10000);
});
