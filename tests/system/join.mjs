// SPDX-License-Identifier: GPL-3.0-or-later
// join: a viewer begins at a picture that decodes, whatever the codec and the
// distance of such pictures.  JOINS is the number of viewers of each stream.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { now, run, sleep, tempDir, waitUntil } from '../helpers/util.mjs';

const JOINS = Number(process.env.JOINS ?? 3);
const SECONDS = 26;
const BYTES = 20000;

const avc = (params) => ['-c:v', 'libx264', '-preset', 'ultrafast',
	'-x264-params', `scenecut=0:${params}`];
const hevc = (params) => ['-c:v', 'libx265', '-preset', 'ultrafast',
	'-x265-params', `log-level=none:scenecut=0:${params}`];
const mpeg2 = (gop, ...more) => ['-c:v', 'mpeg2video', '-strict', '-1',
	'-sc_threshold', '1000000000', '-g', String(gop), ...more];
const repeated = ['-flags:v', '+global_header', '-bsf:v', 'dump_extra=all'];

// Clears random_access_indicator in all packets.
function withoutIndicator(data) {
	for (let at = 0; at < data.length; at += 188)
		if (data[at + 3] & 0x20 && data[at + 4] > 0)
			data[at + 5] &= ~0x40;
	return data;
}

const KINDS = {
	'h264-half-second': { video: avc('keyint=5') },
	'h264-default': { video: avc('keyint=100:min-keyint=100') },
	'h264-12s-no-indicator': {
		video: avc('keyint=120:min-keyint=120'),
		change: withoutIndicator,
	},
	'h264-open-gop': {
		video: avc('keyint=40:min-keyint=40:open-gop=1:bframes=3'),
		change: withoutIndicator,
	},
	'h264-repeated-sets': {
		video: [...avc('keyint=16:min-keyint=16'), ...repeated],
	},
	'h264-repeated-sets-no-indicator': {
		video: [...avc('keyint=16:min-keyint=16'), ...repeated],
		change: withoutIndicator,
	},
	'h264-intra-refresh': { video: avc('keyint=20:intra-refresh=1') },
	'hevc-open-gop': { video: hevc('keyint=60:min-keyint=60:open-gop=1') },
	'hevc-repeated-sets': {
		video: [...hevc('keyint=100:min-keyint=100:open-gop=0'),
			...repeated],
		change: withoutIndicator,
	},
	'mpeg2-open-gop': { video: mpeg2(6, '-bf', '2') },
	'mpeg2-10s-repeated-headers': {
		video: [...mpeg2(100, '-flags:v', '+cgop+global_header'),
			'-bsf:v', 'dump_extra=all'],
		change: withoutIndicator,
	},
	audio: { video: ['-vn'] },
};

async function encode(dir, name, { video, change }) {
	const file = path.join(dir, `${name}.ts`);
	const made = await run('ffmpeg', ['-nostdin', '-v', 'error', '-f',
		'lavfi', '-i', 'testsrc2=size=128x96:rate=10', '-f', 'lavfi',
		'-i', 'sine=sample_rate=48000', '-t', String(SECONDS), ...video,
		'-pix_fmt', 'yuv420p', '-b:v', '150k', '-c:a', 'mp2', '-b:a',
		'64k', '-threads', '1', file]);

	assert.equal(made.err, '', name);
	if (change !== undefined)
		fs.writeFileSync(file, change(fs.readFileSync(file)));
	return file;
}

// The flags of the first video packet, or of the first audio packet.
async function firstFlags(dir, data, kind) {
	const file = path.join(dir, 'joined.ts');

	fs.writeFileSync(file, data);
	const { out } = await run('ffprobe', ['-v', 'quiet', '-select_streams',
		kind, '-show_entries', 'packet=flags', '-read_intervals',
		'%+#1', '-of', 'csv=p=0', file]);
	return out.split('\n')[0];
}

async function joinOnce(t, dir, name, index) {
	const began = now();
	const viewer = await Viewer.open(t, 8100, `/${name}`);

	await waitUntil(`${name}: packets`, () => viewer.bytes > BYTES);
	viewer.close();
	const data = viewer.data(), seen = checkTs(data);
	assert.equal(seen.order[0], 0, `${name}: the PAT is first`);
	const flags = await firstFlags(dir, data,
		name === 'audio' ? 'a:0' : 'v:0');
	assert.ok(flags.startsWith('K'),
		`${name}: join ${index} begins with "${flags}" ` +
		`(${Math.round(now() - began)} ms)`);
}

test('a viewer begins at a picture that decodes', async (t) => {
	const dir = tempDir(t), names = Object.keys(KINDS);

	await Promise.all(names.map((name) => encode(dir, name, KINDS[name])));
	const sluice = await Sluice.start(t, config(...names.map((name, i) =>
		stream(`a${100 + i}`, `file://${dir}/${name}.ts#loop`,
			`http://127.0.0.1:8100/${name}`))));

	for (let index = 0; index < JOINS; index++) {
		for (const name of names)
			await joinOnce(t, dir, name, index);
		/* at another place of the group of pictures */
		await sleep(700);
	}
	for (const [i, name] of names.entries()) {
		const status = await sluice.status(`a${100 + i}`);
		const wanted = name === 'audio' ? 'audio' : 'picture';
		assert.equal(status.random_access, wanted, name);
	}
	const { gop } = await sluice.status('a106');
	assert.equal(gop, 2000, 'the recovery points of intra refresh');
	await sluice.stop();
});
