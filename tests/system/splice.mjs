// SPDX-License-Identifier: GPL-3.0-or-later
// From one source to another and back, a thousand times: one stream.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertOneStream, assertPlays, judge, makeClip, probe }
	from '../helpers/media.mjs';
import { builddir, run, tempDir } from '../helpers/util.mjs';

// Plays clips in turns; the output is in out.ts, and in out.record with its
// times.
async function splice(dir, switches, everyMs, clips) {
	const out = path.join(dir, 'out');
	const played = await run(path.join(builddir,
		'tests/helpers/splice-run'),
	[out, switches, everyMs, ...clips]);

	assert.equal(played.err, '');
	assert.equal(played.code, 0);
	return { ...JSON.parse(played.out), out };
}

test('counters, clocks and pictures continue across a thousand switches',
	async (t) => {
	const dir = tempDir(t);
	const clips = [
		await makeClip(dir, 'plain', { tone: 440, gop: 25, pictures:
			['-c:v', 'libx264', '-bf', '0'] }),
		await makeClip(dir, 'reordered', { tone: 880, gop: 12, pictures:
			['-c:v', 'libx264', '-bf', '2'], offset: 7000 }),
	];
	const played = await splice(dir, 1000, 470, clips);
	const found = await judge(`${played.out}.record`, 0);

	assert.equal(played.switched, 1000);
	assert.equal(played.jumps, 0, 'every cut was announced');
	assertOneStream(found, { exactTimes: true });
	assert.ok(found.pcrSpan > 470e3, 'no time is missing');
	await assertPlays(`${played.out}.ts`);
});

const h264 = ['-c:v', 'libx264', '-bf', '2'];
const mpeg2 = ['-c:v', 'mpeg2video', '-bf', '2'];
const hevc = ['-c:v', 'libx265', '-x265-params',
	'log-level=error:pools=1:frame-threads=1'];

for (const [name, pictures, sound] of [
	['H.264 and AAC', h264, ['-c:a', 'aac']],
	['H.264 and LATM', h264, ['-c:a', 'aac', '-mpegts_flags', 'latm']],
	['MPEG-2 and MPEG audio', mpeg2, ['-c:a', 'mp2']],
	['HEVC and AC-3', hevc, ['-c:a', 'ac3']],
	['H.264 and E-AC-3', h264, ['-c:a', 'eac3']],
])
	test(`the filler replaces ${name}, and ends with its return`,
		async (t) => {
		const dir = tempDir(t);
		const clip = await makeClip(dir, 'clip',
			{ pictures, sound, seconds: 6 });
		const played = await splice(dir, 6, 2500, [clip, '-']);

		assert.equal(played.switched, 6);
		assertOneStream(await judge(`${played.out}.record`, 0),
			{ exactTimes: true });
		await assertPlays(`${played.out}.ts`);
	});

for (const [name, pictures, sound] of [
	['MPEG-2 and MPEG audio', mpeg2, ['-c:a', 'mp2', '-b:a', '128k']],
	['HEVC and AC-3', hevc, ['-c:a', 'ac3', '-b:a', '128k']],
	['interlaced H.264 with pyramids', [...h264, '-bf', '4', '-flags',
		'+ilme+ildct', '-x264-params', 'b-pyramid=normal:b-adapt=0'],
	['-c:a', 'aac']],
	['interlaced MPEG-2', [...mpeg2, '-flags', '+ilme+ildct'],
		['-c:a', 'mp2', '-b:a', '128k']],
])
	test(`${name}: counters, clocks and pictures continue`, async (t) => {
		const dir = tempDir(t);
		const clips = [];

		for (const [i, gop] of [25, 10].entries())
			clips.push(await makeClip(dir, `clip${i}`, { gop,
				tone: 440 * (i + 1), pictures, sound,
				size: '160x96', seconds: 6,
				offset: 95000 * i }));
		const played = await splice(dir, 30, 1470, clips);

		assertOneStream(await judge(`${played.out}.record`, 0),
			{ exactTimes: true });
		await assertPlays(`${played.out}.ts`);
	});

test('H.264 and AAC, HEVC and AC-3 in turns: one clock, and the PMT ' +
	'signals each',
	async (t) => {
	const dir = tempDir(t);
	const clips = [
		await makeClip(dir, 'one', { pictures: h264, gop: 25,
			seconds: 6, sound: ['-c:a', 'aac'] }),
		await makeClip(dir, 'other', { pictures: hevc, gop: 12,
			seconds: 6, offset: 7000, tone: 880,
			sound: ['-c:a', 'ac3', '-b:a', '128k'],
			mux: ['-mpegts_start_pid', '0x500',
				'-mpegts_pmt_start_pid', '0x1500',
				'-tables_version', '1'] }),
	];
	const played = await splice(dir, 31, 1470, clips);

	assert.equal(played.switched, 31);
	assertOneStream(await judge(`${played.out}.record`, 0));
	await assertPlays(`${played.out}.ts`);
	const { programs: [{ streams }] } = await probe(t,
		fs.readFileSync(`${played.out}.ts`));
	assert.deepEqual(streams.map((s) => s.codec_name).sort(),
		['aac', 'ac3', 'h264', 'hevc']);
});
