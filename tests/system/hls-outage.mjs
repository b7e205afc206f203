// SPDX-License-Identifier: GPL-3.0-or-later
// hls-outage: an outage of the input is no time of a segment.  The segment
// ends, and the next one is a discontinuity that begins with a picture.  A
// source that was late loses nothing, and the target duration does not change.
// Parts are as long as they say, also when packets come in bursts.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Clip } from '../helpers/clip.mjs';
import { Playlists, strictly } from '../helpers/playlist.mjs';
import { makeClip } from '../helpers/media.mjs';
import { playScene } from '../helpers/scene.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { DATAGRAM, Sender } from '../helpers/udp.mjs';
import { now, run, sleep, tempDir } from '../helpers/util.mjs';

const PORT = 8100;
const RATE = 700000;
const OPTIONS = '#duration=1&part=300';
const FRAME = 0.04;

async function get(target) {
	const reply = await fetch(`http://127.0.0.1:${PORT}${target}`);

	return { status: reply.status,
		body: Buffer.from(await reply.arrayBuffer()) };
}

// The pictures in these bytes.
async function packets(dir, ...parts) {
	const file = path.join(dir, 'probed');

	fs.writeFileSync(file, Buffer.concat(parts));
	const { out } = await run('ffprobe', ['-v', 'quiet', '-of', 'json',
		'-select_streams', 'v', '-show_packets', file]);
	return JSON.parse(out).packets;
}

// The pictures of a segment are as long as it says, and its first one decodes.
async function judgeSegment(dir, s, init) {
	const { status, body } = await get(`/${s.uri}`);

	assert.equal(status, 200, s.uri);
	const list = await packets(dir, init, body);
	assert.match(list[0].flags, /^K/, s.uri);
	const times = list.map((p) => Number(p.dts_time));
	assert.ok(Math.abs(times.at(-1) - times[0] + FRAME - s.duration) <
		0.002, `${s.uri}: ${s.duration}, ${times[0]} ${times.at(-1)}`);
	return body;
}

// The parts of a segment have as many pictures as they say, and the bytes of
// the segment.
async function judgeParts(dir, list, s, init) {
	const bodies = await Promise.all(s.parts.map(async ({ uri }) =>
		(await get(`/${uri}`)).body));
	const counts = [];

	assert.ok(s.parts.length > 2, list.text);
	for (const [i, body] of bodies.entries())
		if (list.map !== undefined)
			counts.push((await packets(dir, init, body)).length);
		else
			// the tables are in the first one
			counts.push((await packets(dir, ...bodies.slice(0,
				i + 1))).length -
				counts.reduce((sum, n) => sum + n, 0));
	for (const [i, { duration }] of s.parts.entries()) {
		assert.ok(duration <= list.part, list.text);
		assert.ok(i === s.parts.length - 1 ||
			duration >= 0.85 * list.part, list.text);
		assert.ok(Math.abs(counts[i] * FRAME - duration) < 0.001,
			`part ${i}: ${counts[i]} pictures\n${list.text}`);
	}
	if (list.map === undefined)
		assert.ok(Buffer.concat(bodies).equals(
			(await get(`/${s.uri}`)).body));
}

function inDatagrams(packets) {
	const list = [];

	for (let at = 0; at < packets.length; at += DATAGRAM)
		list.push(packets.subarray(at, at + DATAGRAM));
	return list;
}

const initOf = async (list) => list.map === undefined ? Buffer.alloc(0)
	: (await get(`/${list.map}`)).body;

test('the input is silent for seven seconds',
	(t) => playScene(t, async () => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const clip = new Clip(await makeClip(dir, 'a',
		{ pictures: ['-c:v', 'libx264', '-bf', '2'], seconds: 60 }),
	RATE);
	const lists = new Playlists(get, ['/ts.m3u8', '/mp4.m3u8']);
	let silent = false;

	await Sender.start(t, clip, 5000,
		{ shape: (p) => silent ? [] : inDatagrams(p) });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', [
			`http://127.0.0.1:${PORT}/ts.m3u8${OPTIONS}`,
			`http://127.0.0.1:${PORT}/mp4.m3u8${OPTIONS}` +
				'&segment=fmp4'])));
	const [first] = await lists.reach((l) => l.segments.length >= 1);

	// nothing for most of a second, and then all at once
	clip.hang();
	await sleep(800);
	clip.release();
	const before = await lists.reach((l) =>
		l.segments.at(-1).number >= first.segments[0].number + 3);
	for (const list of before) {
		assert.equal(list.part, 0.3, list.text);
		assert.equal(list.target, 1, list.text);
		strictly(t, list.text);
		assert.ok(list.segments.every(({ jump }) => !jump));
		await judgeParts(dir, list, list.segments.at(-1),
			await initOf(list));
	}

	silent = true;
	const since = now();
	// it has its last packets, and no next part
	const stopped = await lists.reach((l) => l.hint === undefined);
	const last = stopped[0].segments.at(-1);
	timing.assert(now() - since < 5000, `${now() - since} ms`);
	for (const list of stopped) {
		assert.equal(list.segments.at(-1).number, last.number);
		assert.ok(list.segments.at(-1).parts.length > 0);
		strictly(t, list.text);
	}
	// a request that waits has an answer
	const waited = get(`/ts.m3u8?_HLS_msn=${last.number + 1}&_HLS_part=0`);
	const { pid } = sluice.worker('stream', 'a001');
	process.kill(pid, 'SIGKILL');
	await sluice.replaced('stream', 'a001', pid);
	assert.equal((await waited).status, 503);
	timing.assert(now() - since < 12000, `${now() - since} ms`);

	silent = false;
	const returned = Date.now();
	const after = await lists.reach((l) =>
		l.segments.at(-1).number >= last.number + 2);
	for (const [i, list] of after.entries()) {
		const init = await initOf(list);
		const bodies = [];

		assert.equal(list.target, 1, list.text);
		strictly(t, list.text);
		for (const s of list.segments)
			bodies.push(await judgeSegment(dir, s, init));
		const at = list.segments.findIndex(({ number }) =>
			number === last.number + 1);
		const next = list.segments[at], old = list.segments[at - 1];
		assert.ok(next.jump, list.text);
		assert.equal(next.base, old.base + 1);
		assert.deepEqual(list.segments.filter(({ jump }) => jump),
			[next]);
		// the first picture comes within a group of pictures
		const late = next.date - returned;

		assert.ok(late > -200, `${late} ms`);
		timing.assert(late < 2500, `${late} ms`);
		assert.ok(next.date - old.date > 5000);
		if (i === 0) {
			const seen = checkTs(bodies[at]);

			assert.equal(seen.ccErrors + seen.syncErrors, 0);
		}
	}
	await sluice.stop();
}));

// Packets wait here while it is late, wherever a picture is.
class Late {
	isLate = false;
	#held = [];

	shape = (p) => {
		this.#held.push(p);
		if (this.isLate)
			return [];
		const all = Buffer.concat(this.#held);

		this.#held = [];
		return inDatagrams(all);
	};
}

// Every picture once, at its time.  The pictures of two encoders are not
// exactly as far apart.
const NEAR = FRAME / 2;

function assertWhole(list, found) {
	const times = found.map(({ dts_time: at }) => Number(at));

	for (const [i, at] of times.entries())
		assert.ok(i === 0 || Math.abs(at - times[i - 1] - FRAME) < NEAR,
			`${times[i - 1]} ${at}\n${list.text}`);
}

test('the input is late, and then more of its pictures need others',
	(t) => playScene(t, async () => {
	const dir = tempDir(t);
	const clips = await Promise.all([25, 100].map((gop) => makeClip(dir,
		`g${gop}`, { pictures: ['-c:v', 'libx264', '-bf', '2',
			'-sc_threshold', '0'], gop, seconds: 30 })));
	const clip = new Clip(clips[0], RATE);
	const lists = new Playlists(get, ['/ts.m3u8', '/mp4.m3u8']);
	const late = new Late();

	await Sender.start(t, clip, 5000, { shape: late.shape });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', [
			`http://127.0.0.1:${PORT}/ts.m3u8#duration=1` +
				'&quantity=30',
			`http://127.0.0.1:${PORT}/mp4.m3u8#duration=1` +
				'&quantity=30&segment=fmp4'])));

	await lists.reach((l) => l.segments.length >= 2);
	late.isLate = true;
	const [stopped] = await lists.reach((l) =>
		l.segments.at(-1).duration < 0.99);
	const { number } = stopped.segments.at(-1);
	late.isLate = false;
	await lists.reach((l) => l.segments.at(-1).number >= number + 3);
	// another encoder, of the same clock
	clip.change(fs.readFileSync(clips[1]));
	const after = await lists.reach((l) =>
		l.segments.at(-1).number >= number + 10);
	const long = ({ alarms }) => alarms.includes('hls_gop');

	// its pictures that decode alone are 4 s apart, the target is 1 s
	await sluice.waitStatus('a001', 'hls_gop', long);
	await sluice.logged(/hls_gop: GOP of [\d.]+ s is longer than the /);
	clip.change(fs.readFileSync(clips[0]));
	for (const list of after) {
		const init = await initOf(list), bodies = [], found = [];

		assert.equal(list.target, 1, list.text);
		strictly(t, list.text);
		assert.ok(list.segments.every(({ jump, duration }) => !jump &&
			duration < 1.5), list.text);
		for (const { uri, duration } of list.segments) {
			const { body } = await get(`/${uri}`);

			bodies.push(body);
			if (list.map === undefined)
				continue;
			const some = await packets(dir, init, body);
			assert.ok(Math.abs(some.length * FRAME - duration) <
				NEAR, `${uri}: ${some.length}\n${list.text}`);
			found.push(...some);
		}
		assertWhole(list, list.map === undefined
			? await packets(dir, ...bodies) : found);
		if (list.map === undefined)
			assert.equal(checkTs(Buffer.concat(bodies)).ccErrors,
				0);
	}
	await sluice.waitStatus('a001', 'hls_gop ended', (s) => !long(s),
		20000);
	await sluice.stop();
}));
