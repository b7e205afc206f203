// SPDX-License-Identifier: GPL-3.0-or-later
// Live programmes made by ffmpeg, and ffmpeg as the checker of our outputs.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { wholeUnits } from './ts.mjs';
import { builddir, run, start, tempDir } from './util.mjs';

const quiet = ['-nostdin', '-hide_banner', '-y', '-loglevel'];

// Programmes that make has encoded, by their number: tests/system/local.mk.
const liveClip = (programs) =>
	path.join(builddir, `tests/clips/live-${programs}.ts`);

// Starts H.264 + AAC programmes in one multiplex; url as ffmpeg writes it.
// live: in real time, and without a length to the end of the test.  delayS: how
// far packets precede their time at most; the 0.7 s of ffmpeg exceed the buffer
// that a decoder has for sound.
export function liveMultiplex(t, url, { programs = 1, live = true,
	seconds = live ? 600 : 8, delayS } = {}) {
	const args = [...quiet, 'error', ...live ? ['-re'] : [],
		'-stream_loop', '-1', '-i', liveClip(programs), '-map', '0',
		'-c', 'copy', '-t', String(seconds)];

	for (let i = 0; i < programs; i++)
		args.push('-program', `program_num=${i + 1}:title=P${i + 1}:` +
			`st=${2 * i}:st=${2 * i + 1}`);
	if (delayS !== undefined)
		args.push('-muxdelay', String(delayS));
	args.push('-muxrate', String(700000 * programs),
		'-f', url.startsWith('rtp:') ? 'rtp_mpegts' : 'mpegts', url);
	return start(t, 'ffmpeg', args);
}

// The folder with the files that ffmpeg writes there for these arguments, of
// which the last is the file's name. Another test, and the other build of
// contrib/quickstart, get the same folder; nobody changes its files.
export async function encoded(args) {
	const root = process.env.CLIPS ?? path.join(builddir, 'tests/clips');
	const key = createHash('sha256').update(JSON.stringify(args));
	const folder = path.join(root, key.digest('hex').slice(0, 16));

	if (fs.existsSync(folder))
		return folder;
	fs.mkdirSync(root, { recursive: true });
	const cwd = fs.mkdtempSync(path.join(root, 'new-'));
	const made = await run('ffmpeg', [...quiet, 'error', ...args], { cwd });

	try {
		assert.equal(made.err, '');
		fs.renameSync(cwd, folder);
	} catch (error) {
		fs.rmSync(cwd, { recursive: true });
		// another test was faster
		if (!fs.existsSync(folder))
			throw error;
	}
	return folder;
}

// A clip in a file: small pictures and a tone, PCR and time stamps from
// `offset` seconds on.
export async function makeClip(dir, name, { pictures, gop = 25, tone = 440,
	sound = ['-c:a', 'aac', '-b:a', '64k'], seconds = 20, offset = 5,
	size = '160x90', mux = [] }) {
	const file = path.join(dir, `${name}.ts`);
	const made = await encoded(['-f', 'lavfi', '-i',
		`testsrc2=size=${size}:rate=25`,
		'-f', 'lavfi', '-i', `sine=frequency=${tone}:sample_rate=48000`,
		'-t', String(seconds), ...pictures, '-pix_fmt', 'yuv420p',
		'-preset', 'ultrafast', '-g', String(gop), '-b:v', '200k',
		...sound, '-muxrate', '700k', ...mux, '-output_ts_offset',
		String(offset), 'clip.ts']);

	fs.copyFileSync(path.join(made, 'clip.ts'), file);
	return file;
}

// The findings of ts-judge in a file; socket: it is a record of udp-record.
export async function judge(file, socket) {
	const judged = await run(path.join(builddir, 'tests/helpers/ts-judge'),
		socket === undefined ? [file] : [file, String(socket)]);

	assert.equal(judged.code, 0, judged.err);
	return JSON.parse(judged.out);
}

// Faults that no record of an output may have, however often the source
// changes. pauses: so often there was nothing to send for a while. The clock is
// compared with the bytes of sources of one bitRate, or with the arrival times
// where those are exact, because no process had to wake up for it.
export function assertOneStream(found, { pauses = 0, bitRate = false,
	exactTimes = false } = {}) {
	for (const fault of ['sync', 'tei', 'cc', 'discontinuities', 'pcrBack',
		'dtsBack', 'dtsLate', 'cutShort', 'crc', 'idleVersions',
		'silentChanges'])
		assert.equal(found[fault], 0,
			`${fault}: ${JSON.stringify(found)}`);
	assert.ok(found.pcrJump <= pauses, `${found.pcrJump} jumps of PCRs`);
	assert.ok(pauses > 0 || found.pcrGap <= 100,
		`${found.pcrGap} ms without a PCR`);
	assert.ok(!exactTimes || found.pcrStray <= 60,
		`PCRs stray ${found.pcrStray} ms from their time`);
	assert.ok(!bitRate || found.pcrWander <= 120,
		`PCRs stray ${found.pcrWander} ms from their bytes`);
	// behind a pause a unit may come before the PCR of its time
	assert.ok(found.leadMax < 3000 + found.pcrGap,
		`a unit ${found.leadMax} ms before its time`);
}

// Every error of a decoder fails the test. Times have full resolution: spliced
// streams do not share one grid of pictures.
export async function assertPlays(file) {
	fs.writeFileSync(`${file}.whole`, wholeUnits(fs.readFileSync(file)));
	const decoded = await run('ffmpeg', ['-nostdin', '-v', 'warning', '-i',
		`${file}.whole`, '-enc_time_base:v', '1:90000', '-f', 'null',
		'-']);

	assert.equal(decoded.err, '', 'the decoder has no error');
	assert.equal(decoded.code, 0);
}

// Decodes all data; every error of demultiplexer and decoder fails the test,
// warnings as well: ffmpeg reports a corrupt packet as a warning.
export async function assertDecodes(t, data, { programs = 1,
	minPictures = 1 } = {}) {
	const file = path.join(tempDir(t), 'judged.ts');

	fs.writeFileSync(file, data);
	const decoded = await run('ffmpeg', [...quiet, 'warning', '-i', file,
		'-map', '0', '-enc_time_base:v', '1:90000', '-f',
		'null', '-']);
	assert.equal(decoded.err, '', 'the decoder has no error');
	assert.equal(decoded.code, 0);
	const probed = await run('ffprobe', ['-v', 'warning', '-count_frames',
		'-show_streams', '-show_programs', '-of', 'json', file]);
	assert.equal(probed.err, '');
	const { streams, programs: found } = JSON.parse(probed.out);
	assert.equal(found.length, programs);
	const names = streams.map((s) => s.codec_name);
	assert.equal(names.filter((n) => n === 'h264').length, programs);
	assert.equal(names.filter((n) => n === 'aac').length, programs);
	for (const s of streams.filter((s) => s.codec_type === 'video'))
		assert.ok(Number(s.nb_read_frames) >= minPictures,
			`${s.nb_read_frames} pictures of ${minPictures}`);
}

// The result of ffprobe for data: { programs, streams }.
export async function probe(t, data) {
	const file = path.join(tempDir(t), 'probed.ts');

	fs.writeFileSync(file, data);
	const probed = await run('ffprobe', ['-v', 'quiet', '-show_programs',
		'-show_streams', '-of', 'json', file]);
	assert.equal(probed.code, 0);
	return JSON.parse(probed.out);
}

// A viewer over HTTP; data() returns the bytes received so far.
export class Viewer {
	#parts = [];
	bytes = 0;
	ended = false;
	lastByte = 0;

	// ca: the certificate of a viewer over TLS
	static open(t, port, target, { method = 'GET', ca = null,
		headers = {} } = {}) {
		const self = new Viewer();

		const options = { host: '127.0.0.1', port, path: target,
			method, agent: false, ca, headers };
		const { request } = ca ? https : http;
		return new Promise((done, fail) => {
			self.call = request(options, (reply) => {
				self.reply = reply;
				self.status = reply.statusCode;
				reply.on('data', (part) => {
					self.#parts.push(part);
					self.bytes += part.length;
					self.lastByte = performance.now();
				});
				reply.on('close', () => { self.ended = true; });
				reply.on('error', () => { self.ended = true; });
				done(self);
			});
			self.call.on('error', (error) => {
				self.ended = true;
				fail(error);
			});
			self.call.end();
			t.after(() => self.call.destroy());
		});
	}

	data() { return Buffer.concat(this.#parts); }
	close() { this.call.destroy(); }
}
