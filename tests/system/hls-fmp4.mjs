// SPDX-License-Identifier: GPL-3.0-or-later
// hls-fmp4: with segment=fmp4 the segments are fMP4 that players accept, with
// every picture and sound of the stream, on one clock.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { makeClip } from '../helpers/media.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { builddir, run, tempDir, waitUntil } from '../helpers/util.mjs';

const PORT = 8100;
const H264 = ['-c:v', 'libx264', '-bf', '2'];
const CLIPS = {
	// its clock wraps in the middle of the clip
	aac: { pictures: H264, offset: 2 ** 33 / 90000 - 4 },
	ac3: { pictures: ['-c:v', 'libx265', '-x265-params', 'log-level=none'],
		sound: ['-c:a', 'ac3'], size: '322x182' },
	eac3: { pictures: H264, sound: ['-c:a', 'eac3'] },
	mp2: { pictures: H264, sound: ['-c:a', 'mp2', '-ar', '44100'] },
};
const VIDEO = { aac: 'h264', ac3: 'hevc', eac3: 'h264', mp2: 'h264' };

// The parsers of players (make reference-tools) read the playlist, too.
function judgeByOthers(t, list) {
	const tools = path.join(builddir, 'reference-tools');

	if (!fs.existsSync(path.join(tools, 'node_modules/hls-parser'))) {
		t.diagnostic('no parsers: run make reference-tools');
		return;
	}
	const require = createRequire(path.join(tools, 'package.json'));
	const HLS = require('hls-parser');
	const { Parser } = require('m3u8-parser');
	const parser = new Parser();

	HLS.setOptions({ strictMode: true });
	const { segments } = HLS.parse(list.text);
	parser.push(list.text);
	parser.end();
	assert.deepEqual(segments.map(({ uri }) => uri), list.uris);
	assert.equal(segments[0].map.uri, list.map);
	for (const s of parser.manifest.segments)
		assert.equal(s.map.uri, list.map);
}

// The bytes of a path; undefined: there are none now.
async function get(target) {
	const file = `http://127.0.0.1:${PORT}${target}`;
	const reply = await fetch(file);

	return { status: reply.status, type: reply.headers.get('content-type'),
		body: Buffer.from(await reply.arrayBuffer()) };
}

async function playlist(id) {
	const { status, body } = await get(`/${id}.m3u8`);
	const text = body.toString();

	assert.ok([200, 503].includes(status), `${id}: ${status}`);
	return { text, map: /^#EXT-X-MAP:URI="(.*)"$/m.exec(text)?.[1],
		uris: [...text.matchAll(/^.*\.m4s$/gm)].map(([uri]) => uri) };
}

async function packets(file) {
	const { out, err } = await run('ffprobe', ['-v', 'error', '-of', 'json',
		'-show_packets', '-show_streams', '-show_entries',
		'packet=codec_type,pts,dts,duration,size,flags:' +
		'stream=codec_type,codec_name,width,height,sample_rate,' +
		'channels,time_base', file]);

	assert.equal(err, '', file);
	return JSON.parse(out);
}

const of = (probed, type) => probed.packets.filter((p) =>
	p.codec_type === type);

// The packets that do not begin where the one before them ends.
function gaps(list) {
	const starts = list.map((p) => Number(p.pts ?? p.dts));

	return starts.filter((start, i) => i > 0 && Math.abs(start -
		starts[i - 1] - starts[1] + starts[0]) > 2).length;
}

// The boxes of a level: name and content.
function boxes(data) {
	const list = [];

	for (let at = 0; at < data.length;) {
		const size = data.readUInt32BE(at);

		assert.ok(size >= 8 && at + size <= data.length, `at ${at}`);
		list.push([data.toString('latin1', at + 4, at + 8),
			data.subarray(at + 8, at + size)]);
		at += size;
	}
	return list;
}

// The samples of the fragment are the bytes of its mdat.
function assertBoxes(init, media) {
	assert.deepEqual(boxes(init).map(([name]) => name), ['ftyp', 'moov']);
	const all = boxes(media);
	assert.deepEqual(all.map(([name]) => name), ['styp', 'moof', 'mdat']);
	const styp = 8 + all[0][1].length, mdat = all[2][1].length;
	let next = all[1][1].length + 8 + 8;
	for (const [name, traf] of boxes(all[1][1])) {
		if (name !== 'traf')
			continue;
		const [, trun] = boxes(traf).find(([n]) => n === 'trun');
		assert.equal(trun.readUInt32BE(8), next);
		for (let i = 0; i < trun.readUInt32BE(4); i++)
			next += trun.readUInt32BE(12 + 16 * i + 4);
	}
	assert.equal(styp + next, styp + all[1][1].length + 8 + 8 + mdat);
}

async function judge(dir, id) {
	const list = await waitUntil(`three segments of ${id}`, async () => {
		const l = await playlist(id);
		return l.uris.length >= 3 && l;
	}, 30000);
	const init = await get(`/${list.map}`);
	const media = await Promise.all(list.uris.map((uri) =>
		get(`/${uri}`)));
	const ts = await Promise.all(list.uris.map((uri) => get(
		`/ts-${uri.replace('m4s', 'ts')}`)));

	assert.match(list.text, /^#EXT-X-VERSION:7$/m);
	assert.equal(init.type, 'video/mp4');
	for (const reply of media) {
		assert.equal(reply.status, 200);
		assertBoxes(init.body, reply.body);
	}
	const mp4 = path.join(dir, `${id}.mp4`);
	const raw = path.join(dir, `${id}.raw.ts`);
	fs.writeFileSync(mp4, Buffer.concat([init, ...media]
		.map(({ body }) => body)));
	fs.writeFileSync(raw, Buffer.concat(ts.map(({ body }) => body)));
	const [got, wanted] = [await packets(mp4), await packets(raw)];

	assert.equal(got.streams.find((s) => s.codec_type === 'video')
		.codec_name, VIDEO[id]);
	for (const s of got.streams) {
		const same = wanted.streams.find((w) =>
			w.codec_type === s.codec_type);
		for (const key of ['width', 'height', 'sample_rate',
			'channels'])
			assert.equal(s[key], same[key], `${id} ${key}`);
		// the clip is repeated, perhaps with a gap
		if (s.codec_type === 'audio')
			assert.ok(gaps(of(got, 'audio')) <=
				gaps(of(wanted, 'audio')), `${id}: gaps`);
	}
	// every picture, at its time
	const pictures = of(got, 'video'), same = of(wanted, 'video');
	assert.equal(pictures.length, same.length, id);
	// a transport stream has 33 bits of them
	const after = (list, key) => list.map((p) => ((p[key] - list[0].dts) %
		2 ** 33 + 2 ** 33) % 2 ** 33);
	for (const key of ['pts', 'dts'])
		assert.deepEqual(after(pictures, key), after(same, key), id);
	assert.equal(pictures.filter((p) => p.flags.startsWith('K')).length,
		same.filter((p) => p.flags.startsWith('K')).length);
	assert.ok(pictures[0].flags.startsWith('K'));
	// sound begins with its picture
	const sound = of(got, 'audio');
	const rate = Number(got.streams.find((s) =>
		s.codec_type === 'audio').time_base.split('/')[1]);
	assert.ok(Math.abs(sound[0].pts / rate - pictures[0].pts / 90000) < 1);
	return { list, init, media };
}

// Low latency: requests wait, and the parts of a segment are the segment.  A
// player without a processor requests parts that have left the playlist.
async function judgeParts(t, dir, tries = 3) {
	const list = await waitUntil('a segment', async () => {
		const l = await playlist('low');
		return l.uris.some((uri) => /^low/.test(uri)) && l;
	}, 30000);
	const last = Number(/(\d+)\.m4s$/.exec(list.text.match(
		/^low.*\.m4s$/gm).at(-1))[1]);
	const { status, body } = await get(
		`/low.m3u8?_HLS_msn=${last + 2}&_HLS_part=1`);
	const text = body.toString();
	const parts = [...text.matchAll(new RegExp('^#EXT-X-PART:DURATION=' +
		'([\\d.]+),URI="(low/(\\d+)\\.(\\d+)\\.m4s)"', 'gm'))]
		.map(([, duration, uri, number, index]) => ({ uri,
			duration: Number(duration), number: Number(number),
			index: Number(index) }));
	const tools = path.join(builddir, 'reference-tools');

	assert.equal(status, 200);
	assert.match(text, /^#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,/m);
	assert.ok(parts.some(({ number, index }) => number === last + 2 &&
		index === 1), text);
	if (fs.existsSync(path.join(tools, 'node_modules/hls-parser'))) {
		const HLS = createRequire(path.join(tools, 'package.json'))(
			'hls-parser');

		HLS.setOptions({ strictMode: true });
		assert.equal(HLS.parse(text).segments.at(-1).parts.length,
			parts.filter(({ number }) => number === last + 2)
				.length + 1, 'and the hint');
	}
	// the part of the hint is not complete when it is asked for
	const [, hint] = /TYPE=PART,URI="(.*)"$/m.exec(text);
	assert.equal((await get(`/${hint}`)).status, 200);

	const mine = parts.filter(({ number }) => number === last + 1);
	assert.ok(mine.length >= 6, text);
	assert.ok(mine.every(({ duration }) => duration <= 0.4), text);
	const init = await get(`/${list.map}`);
	const whole = path.join(dir, 'whole.mp4');
	const pieces = path.join(dir, 'pieces.mp4');
	const replies = await Promise.all(mine.map(({ uri }) =>
		get(`/${uri}`)));
	if (tries > 1 && replies.some((reply) => reply.status === 404)) {
		await judgeParts(t, dir, tries - 1);
		return;
	}
	for (const reply of replies)
		assertBoxes(init.body, reply.body);
	fs.writeFileSync(whole, Buffer.concat([init.body,
		(await get(`/low/${last + 1}.m4s`)).body]));
	fs.writeFileSync(pieces, Buffer.concat([init.body,
		...replies.map((reply) => reply.body)]));
	const [one, many] = [await packets(whole), await packets(pieces)];
	const samples = (probed, type) => of(probed, type).map((p) =>
		[p.pts, p.dts, p.size, p.flags]);
	assert.ok(of(one, 'audio').length > 50);
	for (const type of ['video', 'audio'])
		assert.deepEqual(samples(many, type), samples(one, type), type);
}

test('every codec is carried, on one clock, for players', async (t) => {
	const dir = tempDir(t);
	const ids = Object.keys(CLIPS);

	await Promise.all(ids.map((id) => makeClip(dir, id,
		{ seconds: 8, ...CLIPS[id] })));
	await makeClip(dir, 'mpeg2', { pictures: ['-c:v', 'mpeg2video'],
		seconds: 8 });
	const sluice = await Sluice.start(t, config(
		...[...ids, 'mpeg2'].map((id) => stream(id,
			`file://${dir}/${id}.ts#loop`, [
				`http://127.0.0.1:${PORT}/${id}.m3u8#` +
				'duration=1&segment=fmp4&quantity=30',
				`http://127.0.0.1:${PORT}/ts-${id}.m3u8#` +
				'duration=1&quantity=30'])),
		stream('low', `file://${dir}/aac.ts#loop`,
			`http://127.0.0.1:${PORT}/low.m3u8#duration=2&` +
			'segment=fmp4&part=300')));

	// it warns about the initialization that it reads with each playlist
	const played = run('ffmpeg', ['-nostdin', '-v', 'error', '-xerror',
		'-i', `http://127.0.0.1:${PORT}/aac.m3u8`, '-t', '5', '-f',
		'null', '-']);
	let first;
	for (const id of ids) {
		const judged = await judge(dir, id);
		first ??= judged;
	}
	judgeByOthers(t, first.list);
	const { code, err } = await played;
	assert.equal(err, '');
	assert.equal(code, 0);

	// one name, one content; ranges and conditions as of any segment
	const newest = (await playlist('aac')).uris.at(-1);
	const once = await get(`/${newest}`), again = await get(`/${newest}`);
	assert.equal(once.status, 200);
	assert.ok(again.body.equals(once.body));
	const part = await fetch(`http://127.0.0.1:${PORT}/${newest}`,
		{ headers: { Range: 'bytes=8-15' } });
	assert.equal(part.status, 206);
	assert.ok(Buffer.from(await part.arrayBuffer())
		.equals(again.body.subarray(8, 16)));
	for (const missing of [first.list.uris[0].replace('m4s', 'ts'),
		'aac/1.m4s', 'aac/i0123456789abcdef.mp4',
		`ts-${newest}`])
		assert.equal((await get(`/${missing}`)).status, 404, missing);

	// what cannot be carried has a reason
	await waitUntil('501', async () =>
		(await get('/mpeg2.m3u8')).status === 501, 30000);
	await sluice.logged(/mpeg2.*video of stream_type 0x02 cannot be/);
	await judgeParts(t, dir);

	// a new deliver makes the same fragments, the initialization first
	const { pid } = sluice.worker('deliver');
	process.kill(pid, 'SIGKILL');
	await sluice.replaced('deliver', '1', pid);
	const anew = await waitUntil('deliver', async () => {
		const reply = await get(`/${first.list.map}`);

		return reply.status === 200 && reply;
	});
	assert.ok(anew.body.equals(first.init.body));
	const same = await get(`/${newest}`);
	if (same.status === 200)
		assert.ok(same.body.equals(again.body));
	assert.ok((await request(PORT, { path: '/aac.m3u8' })).status === 200);
	await sluice.stop();
});
