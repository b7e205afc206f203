// SPDX-License-Identifier: GPL-3.0-or-later
// hls-audio: audio with a playlist of its own is synchronous with its video.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Live, encrypted, ivOf, makeSegments, serveHls } from
	'../helpers/hls.mjs';
import { assertOneStream, assertPlays, judge } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { now, run, tempDir, waitUntil } from '../helpers/util.mjs';

const SECONDS = 10;
const pictures = { args: ['-map', '0:v'] };
const sound = (tone) => ({ args: ['-map', '1:a'], tone });

// Each frame and its presentation time, in ticks of 90 kHz.
async function frames(file) {
	const probed = await run('ffprobe', ['-v', 'error', '-show_packets',
		'-show_data_hash', 'md5', '-show_entries',
		'packet=codec_type,pts,data_hash', '-of', 'json', file]);

	assert.equal(probed.code, 0, probed.err);
	return JSON.parse(probed.out).packets.filter((p) => p.pts)
		.map((p) => ({ type: p.codec_type, at: p.pts,
			hash: p.data_hash }));
}

async function framesOf(dir, segments) {
	const file = path.join(dir, 'frames.ts');

	fs.writeFileSync(file, Buffer.concat(segments.map((s) => s.data)));
	return frames(file);
}

// RFC 8216 3.4: the frames unchanged, behind a tag with the first one's time.
function packed(segments, listed) {
	const clip = Buffer.concat(segments.map((s) => s.data));
	const adts = [];

	for (let at = 0; at + 7 < clip.length;) {
		const len = clip.readUInt32BE(at + 2) >> 5 & 0x1fff;

		assert.equal(clip.readUInt16BE(at) & 0xfff6, 0xfff0);
		adts.push(clip.subarray(at, at + len));
		at += len;
	}
	const parts = [];

	for (let i = 0; i < adts.length; i += 47) {
		const tag = Buffer.alloc(73);

		tag.write('ID3\x04', 0, 'latin1');
		tag[9] = 63;
		tag.write('PRIV', 10);
		tag[17] = 53;
		tag.write('com.apple.streaming.transportStreamTimestamp', 20);
		tag.writeBigUInt64BE(BigInt(listed[0].at +
			Math.round(i * 1024 * 90000 / 48000)), 65);
		parts.push({ duration: 47 * 1024 / 48000, data: Buffer.concat([
			tag, ...adts.slice(i, i + 47)]) });
	}
	return parts;
}

// A master playlist, pictures under v/ and sound under a/ and b/.
class Apart {
	buffer = 4;
	option = '';

	constructor(v, a, { media = [], ...options } = {}) {
		Object.assign(this, { media }, options);
		this.parts = { v, a };
		for (const live of Object.values(this.parts))
			live.clock = v.clock;
	}

	handle(request, reply, rest) {
		const [, part, file] = rest.match(/^(\w)\/(.*)/) ?? [];

		if (part !== undefined) {
			this.parts[part]?.handle(request, reply, file);
			return;
		}
		reply.end(['#EXTM3U',
			'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="Main",' +
				'LANGUAGE="eng",DEFAULT=YES,AUTOSELECT=YES,' +
				'URI="a/live.m3u8"',
			...this.media,
			'#EXT-X-STREAM-INF:BANDWIDTH=300000,AUDIO="aac"',
			'v/live.m3u8', ''].join('\n'));
	}
}

// Another clip from the eighth segment to the eleventh.
class Jumps extends Live {
	constructor(segments, others, options) {
		super(segments.map((s, i) => i >= 8 && i < 11 ? others[i] : s),
			options);
	}

	tags(i) { return i === 8 || i === 11 ? ['#EXT-X-DISCONTINUITY'] : []; }
}

// Never has three of those that are asked for.
class Misses extends Live {
	missing = new Set();

	refuses(request, rest) {
		const i = parseInt(rest, 10);

		if (i >= 9 && this.missing.size < 3)
			this.missing.add(i);
		return this.missing.has(i);
	}
}

class Keys extends Live {
	key = Buffer.from('sixteen bytes it');
	tags() { return ['#EXT-X-KEY:METHOD=AES-128,URI="key"']; }
	data(i) { return encrypted(super.data(i), this.key,
		ivOf(this.number(i))); }

	other(request, reply) { reply.end(this.key); }
}

class Fragments extends Live {
	head() { return ['#EXT-X-MAP:URI="init.mp4"']; }
}

// Checks the times of a recording: every frame has the same offset, and none is
// missing in between.
function assertTogether(found, source, { gaps = 0 } = {}) {
	const places = new Map(source.map((f, i) => [f.hash, i]));
	const shifts = new Set(), missing = {};

	for (const type of ['video', 'audio']) {
		const seen = found.filter((f) => f.type === type &&
			places.has(f.hash)).map((f) => ({ ...f,
			place: places.get(f.hash) }));

		assert.ok(seen.length > SECONDS * 20, `${seen.length} ${type}`);
		for (const f of seen)
			shifts.add(Math.round((f.at - source[f.place].at) / 9));
		const own = source.filter((f) => f.type === type);
		const first = own.findIndex((f) => f.hash === seen[0].hash);
		const last = own.findLastIndex((f) =>
			f.hash === seen.at(-1).hash);

		missing[type] = last - first + 1 - seen.length;
	}
	assert.ok(Math.max(...shifts) - Math.min(...shifts) <= 1,
		`moved by ${[...shifts]}`);
	assert.equal(missing.video, 0);
	assert.ok(missing.audio <= gaps, `${missing.audio} frames of sound`);
	return missing.audio;
}

async function clips(dir) {
	const made = [];

	for (const options of [pictures, sound(440), sound(660), {},
		{ ...pictures, offset: 5000 }, { ...sound(880), offset: 5000 }])
		made.push(await makeSegments({ seconds: 60, ...options }));
	const [v, a, b, va, ov, oa] = made.map((one) => one.segments);
	const aac = path.join(dir, 'a.aac');
	const copied = await run('ffmpeg', ['-v', 'error', '-i', path.join(
		made[1].folder, 'all.m3u8'), '-c', 'copy', '-f', 'adts', aac]);

	assert.equal(copied.code, 0, copied.err);
	return { v, a, b, va, ov, oa, adts: packed([{
		data: fs.readFileSync(aac) }], await framesOf(dir, a)) };
}

test('audio with its own playlist is synchronous with its video', async (t) => {
	const dir = tempDir(t);
	const c = await clips(dir);
	const german = ['#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="Ton",' +
		'LANGUAGE="deu",AUTOSELECT=YES,URI="b/live.m3u8"'];
	const late = new Live(c.a);
	const programmes = {
		apart: new Apart(new Live(c.v), new Live(c.a)),
		packed: new Apart(new Live(c.v), new Live(c.adts,
			{ lasts: 47 * 1024 / 48000 })),
		german: new Apart(new Live(c.v), new Live(c.a),
			{ media: german, option: '&audio=deu' }),
		// the audio in the video playlist is not sent
		both: new Apart(new Live(c.va), new Live(c.b)),
		jumps: new Apart(new Jumps(c.v, c.ov), new Jumps(c.a, c.oa)),
		keys: new Apart(new Live(c.v), new Keys(c.a)),
		late: new Apart(new Live(c.v), late),
		misses: new Apart(new Live(c.v), new Misses(c.a)),
		fragments: new Apart(new Live(c.v), new Fragments(c.a)),
	};
	const names = Object.keys(programmes);

	programmes.german.parts.b = new Live(c.b);
	programmes.german.parts.b.clock = programmes.german.parts.v.clock;
	// each is there two seconds after its pictures
	late.late = 2;
	programmes.late.buffer = 5;
	await serveHls(t, programmes);
	const sluice = await Sluice.start(t, config(...names.map((name, i) =>
		stream(name, `http://127.0.0.1:7000/${name}/live.m3u8#` +
			`buffer_time=${programmes[name].buffer}` +
			programmes[name].option,
		`udp://127.0.0.1:${6000 + i}`))));
	const recorder = await Recorder.start(t, ...names.map((_, i) => ({
		port: 6000 + i })));
	const timing = new Timing(t);
	for (const name of names)
		await sluice.onair(name, 20000);
	const until = now() + SECONDS * 1000;

	await sluice.waitStatus('fragments', 'its error', (s) =>
		/group "aac": segments of MP4 are not/.test(
			s.inputs[0].error ?? ''), 30000);
	// that has ended
	await sluice.logged(new RegExp('stream misses: hls: audio "Main" of ' +
		'group "aac": (.*403|no audio arrives)'));
	await waitUntil('enough of it', () => now() > until, SECONDS * 3000);
	timing.stop();
	const lists = await recorder.stop();
	const status = {};

	for (const name of names)
		status[name] = await sluice.status(name);
	await sluice.stop();
	const source = {}, shown = await framesOf(dir, c.v);

	for (const name of ['a', 'b'])
		source[name] = [...shown, ...await framesOf(dir, c[name])];
	for (const [i, name] of names.entries())
		await t.test(name, async () => {
			const file = path.join(dir, `${name}.out`);
			const found = await judge(recorder.file, i);

			fs.writeFileSync(file, joined(lists[i]));
			assertOneStream(found);
			timing.assert(found.pcrStray < 1500,
				`strayed ${found.pcrStray} ms`);
			if (name !== 'misses')
				await assertPlays(file);
			assert.equal(status[name].audio_count,
				name === 'fragments' ? 0 : 1);
			const seen = await frames(file);

			if (name === 'fragments')
				return;
			if (name === 'jumps') {
				assert.ok(seen.filter((f) =>
					f.type === 'audio').length > 400);
				return;
			}
			const lost = assertTogether(seen, source[
				/german|both/.test(name) ? 'b' : 'a'],
			{ gaps: name === 'misses' ? 150 : 0 });

			assert.equal(lost > 0, name === 'misses');
		});
});
