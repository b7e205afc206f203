// SPDX-License-Identifier: GPL-3.0-or-later
// hls: a path that ends in .m3u8 is a live playlist of segments, which players
// accept and which no death of a process breaks.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { patient } from '../helpers/auth.mjs';
import { checkBases } from '../helpers/hls.mjs';
import { makeClip } from '../helpers/media.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { always, builddir, run, tempDir, waitUntil } from '../helpers/util.mjs';

const PORT = 8100;
const URL = `http://127.0.0.1:${PORT}/news.m3u8`;

// The parsers of players (make reference-tools).
const tools = path.join(builddir, 'reference-tools');
const parsers = fs.existsSync(path.join(tools, 'node_modules/hls-parser'))
	? createRequire(path.join(tools, 'package.json')) : undefined;

function judgeStrictly(t, text) {
	if (parsers === undefined) {
		t.diagnostic('no parsers: run make reference-tools');
		return undefined;
	}
	const HLS = parsers('hls-parser');

	HLS.setOptions({ strictMode: true });
	return HLS.parse(text);
}

// The parsers of other projects read the same playlist, without a complaint.
function judgeByOthers(t, list) {
	const strict = judgeStrictly(t, list.text);

	if (strict === undefined)
		return;
	const { Parser } = parsers('m3u8-parser');
	const parser = new Parser();
	const complaints = [];

	assert.equal(strict.mediaSequenceBase, list.first);
	assert.equal(strict.segments.length, list.segments.length);
	for (const kind of ['warn', 'info', 'error'])
		parser.on(kind, ({ message }) => complaints.push(message));
	parser.push(list.text);
	parser.end();
	assert.deepEqual(complaints, []);
	const { manifest } = parser;
	assert.equal(manifest.mediaSequence, list.first);
	assert.equal(manifest.targetDuration, list.target);
	assert.equal(manifest.discontinuitySequence, list.base);
	assert.deepEqual(manifest.segments.map((s) => [s.uri, s.duration,
		s.dateTimeObject.getTime(), s.timeline]),
	list.segments.map((s) => [s.uri, s.duration, s.date, s.base]));
	assert.deepEqual(strict.segments.map((s) => s.discontinuity === true),
		list.segments.map((s) => s.jump));
}

// The playlist as an object; its segments have numbers, uris and durations.
function parse(text) {
	const tag = (name) => Number(
		new RegExp(`^#EXT-X-${name}:(\\d+)$`, 'm').exec(text)?.[1]);
	const first = tag('MEDIA-SEQUENCE');
	const entry = new RegExp('(#EXT-X-DISCONTINUITY\n)?' +
		'#EXT-X-PROGRAM-DATE-TIME:(.*)\n(?:#EXT-X-PART:.*\n)*' +
		'#EXTINF:([\\d.]+),\n(.+)\n',
	'g');

	assert.match(text, /^#EXTM3U\n#EXT-X-VERSION:[36]\n/);
	const start = tag('DISCONTINUITY-SEQUENCE');
	let base = start;

	return { text, target: tag('TARGETDURATION'), first, base: start,
		segments: [...text.matchAll(entry)].map(([, jump, date,
			duration, uri], i) => ({ number: first + i, uri,
			jump: jump !== undefined, date: Date.parse(date),
			base: base += jump !== undefined ? 1 : 0,
			duration: Number(duration) })) };
}

// The time of the first picture, in seconds.
function pictureTime(data) {
	for (let at = 0; at + 188 <= data.length; at += 188) {
		const adaptation = data[at + 3] & 0x20 ? 1 + data[at + 4] : 0;
		const pes = at + 4 + adaptation;

		if ((data[at + 1] & 0x40) && data.readUIntBE(pes, 3) === 1 &&
			(data[pes + 3] & 0xf0) === 0xe0)
			return ((data[pes + 9] >> 1 & 7) * 2 ** 30 +
				(data.readUInt16BE(pes + 10) >> 1) * 2 ** 15 +
				(data.readUInt16BE(pes + 12) >> 1)) / 90000;
	}
	throw new Error('no picture');
}

// A number keeps its segment and its time base in every playlist, whatever
// happens to the processes.
const kept = new Map();

function keep({ segments }) {
	for (const { number, base, duration, date } of segments) {
		const same = kept.get(number) ?? { base, duration, date };

		assert.deepEqual({ base, duration, date }, same, `${number}`);
		kept.set(number, same);
	}
}

// The base of a later playlist counts the time bases that began in segments
// which left it (RFC 8216, 6.2.2); a busy machine has not seen all of these.
function continues(between, before) {
	const gone = between.base - before.base - before.segments.filter(
		({ jump, number }) => jump && number < between.first).length;
	const unseen = between.first - 1 - before.segments.at(-1).number;

	assert.ok(gone >= 0 && gone <= Math.max(0, unseen),
		`${between.text} after ${before.text}`);
}

const ask = (target, options = {}) => new Promise((done, fail) =>
	http.request({ host: '127.0.0.1', port: PORT, path: target,
		agent: false,
		...options }, (reply) => {
		const parts = [];

		reply.on('data', (part) => parts.push(part));
		reply.on('error', fail);
		reply.on('end', () => {
			const body = Buffer.concat(parts);

			done({ status: reply.statusCode,
				headers: reply.headers, body,
				text: body.toString() });
		});
	}).on('error', fail).end());

async function playlist(query = '') {
	const reply = await ask(`/news.m3u8${query}`);

	if (reply.status !== 200)
		return undefined;
	const list = parse(reply.text);

	keep(list);
	return list;
}

// A playlist with a segment of at least this number.
async function reaches(number) {
	let list;

	await waitUntil(`segment ${number}`, async () => {
		list = await playlist().catch(() => undefined);
		return list?.segments.at(-1)?.number >= number;
	}, 20000);
	return list;
}

async function fetchAll(list) {
	const bodies = [];

	for (const { uri, number } of list.segments) {
		assert.equal(uri, `news/${number}.ts`);
		const reply = await ask(`/${uri}`);
		assert.equal(reply.status, 200, uri);
		bodies.push(reply.body);
	}
	return bodies;
}

// One service for all steps: a stream with segments, and one with parts.
let outer, sluice, played;
const steps = [];
const step = (name, run) => steps.push([name, run]);

async function begin(t) {
	const dir = tempDir(t);

	outer = t;
	await makeClip(dir, 'a', { pictures: ['-c:v', 'libx264'], seconds: 8 });
	sluice = await Sluice.start(t, config(
		stream('a001', `file://${dir}/a.ts#loop`,
			`${URL}#duration=1`),
		stream('a002', `file://${dir}/a.ts#loop`,
			`http://127.0.0.1:${PORT}/low.m3u8#duration=1` +
			'&part=300')));
	await reaches(0);
	played = run('ffmpeg', ['-nostdin', '-hide_banner', '-v', 'warning',
		'-xerror', '-i', URL, '-t', '6', '-f', 'null', '-']);
}

step('parsers accept it, and every listed segment is whole', async (t) => {
	let list;

	await waitUntil('four segments', async () => {
		list = await playlist();
		return list?.segments.length === 4;
	}, 20000);
	assert.equal(list.target, 1);
	assert.match(list.text, /^#EXT-X-INDEPENDENT-SEGMENTS$/m);
	// a new ring begins with the present time
	assert.ok(Math.abs(list.first - Date.now() / 1000) < 60);
	const data = Buffer.concat(await fetchAll(list));
	const seen = checkTs(data);
	assert.equal(seen.ccErrors + seen.syncErrors + seen.crcErrors, 0);
	for (const [i, s] of list.segments.entries()) {
		assert.ok(Math.abs(s.duration - 1) < 0.2, `${s.duration}`);
		assert.ok(Math.abs(s.date - Date.now()) < 60000);
		if (i > 0)
			assert.ok(Math.abs(s.date - list.segments[i - 1].date -
				1000) < 200);
	}
	judgeByOthers(t, list);
});

step('HEAD, ranges, conditions and pages of other origins', async () => {
	const list = await reaches(0);
	const target = `/${list.segments.at(-1).uri}`;
	const whole = await ask(target);
	const { etag, expires } = whole.headers;

	assert.equal(whole.headers['content-type'], 'video/mp2t');
	assert.match(whole.headers['cache-control'], /max-age=\d+, immutable/);
	assert.ok(Date.parse(expires) > Date.now());
	const head = await ask(target, { method: 'HEAD' });
	assert.equal(Number(head.headers['content-length']),
		whole.body.length);
	assert.equal(head.body.length, 0);
	const part = await ask(target, { headers: { Range: 'bytes=188-375' } });
	assert.equal(part.status, 206);
	assert.equal(part.headers['content-range'],
		`bytes 188-375/${whole.body.length}`);
	assert.ok(part.body.equals(whole.body.subarray(188, 376)));
	const beyond = await ask(target,
		{ headers: { Range: 'bytes=99999999-' } });
	assert.equal(beyond.status, 416);
	for (const headers of [{ 'If-None-Match': etag },
		{ 'If-Modified-Since': whole.headers['last-modified'] }])
		assert.equal((await ask(target, { headers })).status, 304);
	const other = await ask(target, { headers: { Range: 'bytes=0-0',
		'If-Range': '"other"' } });
	assert.equal(other.status, 200);
	const options = await ask('/news.m3u8', { method: 'OPTIONS' });
	assert.equal(options.status, 204);
	assert.equal(options.headers['access-control-allow-origin'], '*');
	assert.match(options.headers['access-control-allow-methods'], /GET/);

	// a token goes with every segment
	const reply = await ask('/news.m3u8?token=a%20b');
	assert.match(reply.headers['content-type'], /mpegurl/);
	assert.equal(reply.headers['cache-control'], 'max-age=1');
	assert.ok(Date.parse(reply.headers.expires) -
		Date.parse(reply.headers.date) <= 2000);
	assert.match(reply.text, /^news\/\d+\.ts\?token=a%20b$/m);
	for (const [missing, status] of [['/news/1.ts', 404],
		['/news/x.ts', 404], ['/news/', 404], ['/news', 404],
		['/other/1.ts', 404], [`${target}.ts`, 404],
		[`/news.m3u8?${'x'.repeat(2000)}`, 414]])
		assert.equal((await ask(missing)).status, status, missing);
	assert.equal((await ask(target, { method: 'DELETE' })).status, 405);
	// one connection for many requests
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	const ports = new Set();
	for (let i = 0; i < 5; i++)
		await new Promise((done, fail) => http.get(URL, { agent },
			(got) => {
				ports.add(got.socket.localPort);
				got.resume().on('end', done);
			}).on('error', fail));
	assert.equal(ports.size, 1);
	agent.destroy();
});

step('low latency: parts are their segment, and requests wait', async (t) => {
	const part = new RegExp('^#EXT-X-PART:DURATION=([\\d.]+),' +
		'URI="low/(\\d+)\\.(\\d+)\\.ts"', 'gm');
	// a request that comes too late does not wait, and its answer lists
	// later parts
	const [next, text, mine] = await waitUntil('the parts', async () => {
		const list = parse((await ask('/low.m3u8')).text);
		const number = list.first + list.segments.length;

		if (list.segments.length < 2)
			return false;
		const reply = await ask('/low.m3u8?' +
			`_HLS_msn=${number + 1}&_HLS_part=1`);
		const parts = [...reply.text.matchAll(part)].map((found) =>
			found.slice(1).map(Number)).map(([duration, n,
			index]) => ({ duration, number: n, index }));

		always(() => assert.equal(reply.status, 200));
		assert.ok(parts.some((p) => p.number === number + 1 &&
			p.index === 1), reply.text);
		const whole = parts.filter((p) => p.number === number);

		assert.ok(whole.length >= 3, reply.text);
		return [number, reply.text, whole];
	}, 20000);

	assert.match(text, /^#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,/m);
	judgeStrictly(t, text);
	assert.ok(mine.every(({ duration }) => duration <= 0.3 + 0.1));
	const whole = await ask(`/low/${next}.ts`);
	const pieces = [];
	for (const { index } of mine)
		pieces.push((await ask(`/low/${next}.${index}.ts`)).body);
	assert.ok(Buffer.concat(pieces).equals(whole.body));
	// the part of the hint is not complete when it is asked for
	const hint = /TYPE=PART,URI="(.*)"$/m.exec(text)[1];
	assert.equal((await ask(`/${hint}`)).status, 200);
});

step('names by hash and missing segments are settings', async () => {
	const { settings = {} } = await sluice.cmd('load');
	const named = (pattern) => waitUntil(pattern, async () =>
		pattern.exec((await ask('/news.m3u8')).text)?.[0]);

	await sluice.cmd('set-settings', { settings: { ...settings,
		hls_hash_names: true, hls_missing_empty: true } });
	const name = await named(/^news\/h[0-9a-f]{16}\.ts$/m);
	assert.ok((await ask(`/${name}`)).body.length > 188);
	const missing = await ask('/news/1.ts');
	assert.equal(missing.status, 200);
	assert.equal(missing.body.length, 0);
	assert.equal(missing.headers['content-type'], 'video/mp2t');
	assert.equal((await ask('/news/x.ts')).status, 404);
	await sluice.cmd('set-settings', { settings });
	await named(/^news\/\d+\.ts$/m);
	assert.equal((await ask('/news/1.ts')).status, 404);
});

step('a player plays it without an error', async () => {
	const { code, err } = await played;

	assert.equal(err, '');
	assert.equal(code, 0);
});

step('numbers go on when the service stops and starts, or restarts',
	async (t) => {
	const restarts = () => sluice.log.match(/restarting/g)?.length;
	const first = await reaches(0);

	assert.equal((await sluice.stop()).code, 0);
	// the ring ends with the service
	sluice = await Sluice.start(outer, null, { dir: sluice.dir });
	const before = await reaches(0);
	assert.ok(before.first > first.segments.at(-1).number,
		`${before.text} after ${first.text}`);
	assert.ok(before.base >= first.base +
		first.segments.filter(({ jump }) => jump).length,
	`${before.text} after ${first.text}`);
	await checkBases(t, before, await fetchAll(before));
	await sluice.cmd('restart');
	await waitUntil('the restart', restarts);
	await sluice.ready();
	const after = await reaches(before.segments.at(-1).number + 3);
	continues(after, before);
	await checkBases(t, after, await fetchAll(after));
});

step('numbers go on when processes are killed', async (t) => {
	const before = await reaches(0);
	const deliver = sluice.worker('deliver').pid;
	const worker = sluice.worker('stream', 'a001').pid;

	process.kill(deliver, 'SIGKILL');
	await sluice.replaced('deliver', '1', deliver);
	const between = await reaches(before.segments.at(-1).number + 1);
	continues(between, before);
	// the same segments, if they are still listed
	for (const s of between.segments) {
		const same = before.segments.find(({ number }) =>
			number === s.number);
		if (same !== undefined)
			assert.deepEqual(s, same);
	}

	process.kill(worker, 'SIGKILL');
	await sluice.replaced('stream', 'a001', worker);
	const after = await reaches(between.segments.at(-1).number + 3);
	const bodies = await fetchAll(after);
	await checkBases(t, after, bodies);
	judgeByOthers(t, after);
	// the times of the pictures go on in a time base
	const times = bodies.map(pictureTime);
	for (const [i, s] of after.segments.entries()) {
		const passed = times[i] - times[i - 1];
		const on = Math.abs(passed - after.segments[i - 1]?.duration) <
			0.2;

		assert.ok(i === 0 || on || s.jump, `${passed} ${after.text}`);
	}
	assert.ok(after.segments.every(({ duration }) =>
		Math.round(duration) <= after.target));
});

step('players of one address are sessions with playlists of their own',
	async () => {
	const { settings = {} } = await sluice.cmd('load');
	const get = (name, agent) => request(sluice.port, { path:
		`/play/a001/${name}`, headers: { 'User-Agent': agent } });
	const begin = async (agent) => /^([0-9a-f]{16})\.m3u8$/m
		.exec((await get('index.m3u8', agent)).body)?.[1];
	const sessions = async (agent) => (await sluice.cmd('sessions'))
		.sessions.filter((s) => s.agent === agent).length;

	await sluice.cmd('set-settings', { settings: { ...settings,
		http_play_hls: true, hls_session_playlists: true } });
	await waitUntil('the setting', () => begin('other/1'), 60000);
	const ids = [await begin('own/1'), await begin('own/1')];
	assert.notEqual(ids[0], ids[1]);
	for (const id of [...ids, ...ids]) {
		const { body } = await get(`${id}.m3u8`, 'own/1');
		const [uri] = new RegExp(`^${id}/\\d+\\.ts$`, 'm').exec(body);

		assert.equal((await get(uri, 'own/1')).status, 200);
	}
	assert.equal(await sessions('own/1'), 2);
	// the new setting has cut a packet of sound
	const { code, err } = await run('ffmpeg', ['-nostdin', '-v', 'error',
		'-user_agent', 'ffmpeg/1', '-i',
		`http://127.0.0.1:${sluice.port}/play/a001/index.m3u8`,
		'-t', '3', '-f', 'null', '-']);
	assert.equal(code, 0, err);
	assert.equal(await sessions('ffmpeg/1'), 1);
});

test('a client is a session, and keeps a stream on demand', async (t) => {
	const dir = tempDir(t);

	await makeClip(dir, 'a', { pictures: ['-c:v', 'libx264'], seconds: 8 });
	const one = await Sluice.start(t, config(stream('a001',
		`file://${dir}/a.ts#loop`, `${URL}#duration=1`,
		{ http_keep_active: '0', hls_on_demand: true })));
	const events = await one.events(t);
	const list = async () => (await one.cmd('sessions')).sessions;
	const waits = () => one.waitStatus('a001', 'wait', (s) =>
		s.state === 'waiting for a viewer' && !s.active);
	const get = (target) => ask(target,
		{ headers: { 'User-Agent': 'player/1' } });

	await waits();
	assert.equal(one.worker('stream', 'a001'), undefined);
	// waits for the first segment
	const first = parse((await get('/news.m3u8')).text);
	const { pid } = one.worker('stream', 'a001');
	const [session] = await list();
	assert.equal(session.protocol, 'hls');
	assert.equal(session.agent, 'player/1');
	assert.equal(session.channel_id, 'a001');
	assert.equal((await one.waitStatus('a001', 'a session', (s) =>
		s.sessions === 1)).active, true);
	// between its requests the client has no connection
	const { body } = await get(`/${first.segments.at(-1).uri}`);
	await waitUntil('the bytes', async () =>
		(await list())[0].bytes > body.length);
	const next = await reaches(first.segments.at(-1).number + 3);
	assert.equal((await list()).length, 1);
	assert.equal(one.worker('stream', 'a001').pid, pid);

	await one.cmd('close-session', { id: session.client_id });
	await one.logged(/auth: stream a001: HLS session of .* closed/);
	assert.equal((await get('/news.m3u8')).status, 403);
	assert.equal((await get(`/${next.segments.at(-1).uri}`)).status, 403);
	await waits();
	// a client that comes before that continues the run
	await one.waitStatus('a001', 'the end of the run', (s) =>
		s.worker.state === 'stopped');
	assert.equal(one.worker('stream', 'a001'), undefined);
	assert.deepEqual(await list(), []);
	const told = await waitUntil('its end', () => {
		const all = events.messages
			.filter((e) => e.scope === 'session_event')
			.flatMap((e) => e.sessions);

		return all.length > 1 && all;
	});
	assert.deepEqual(told.map((s) => [s.client_id, s.protocol]),
		[[session.client_id, 'hls'], [session.client_id, undefined]]);

	// another client gets no segment of the earlier run
	const again = parse((await ask('/news.m3u8',
		{ localAddress: '127.0.0.2' })).text);
	assert.ok(again.first > next.segments.at(-1).number, again.text);
	await one.stop();
});

test('streams of a group have a master playlist', async (t) => {
	const dir = tempDir(t);
	const header = 'CODECS="avc1.4d401f",RESOLUTION=320x240';
	const member = (id, more) => stream(id, `file://${dir}/a.ts#loop`, [],
		{ hls_group: 'news', hls_header: header, ...more });

	await makeClip(dir, 'a', { pictures: ['-c:v', 'libx264'], seconds: 8 });
	const one = await Sluice.start(t, { ...config(
		member('high', { groups: { Pay: 'A' } }),
		member('low', { groups: { Free: 'B' }, hls_header:
			'BANDWIDTH=100000' }),
		member('dead', { input: ['udp://127.0.0.1:5009'] }),
		member('off', { enable: false }), member('other',
			{ hls_group: 'sport' })),
	categories: [{ name: 'Pay', groups: [{ name: 'A' }] },
		{ name: 'Free', groups: [{ name: 'B' }] }],
	settings: { http_play_hls: true, http_play_port: PORT } });
	const MASTER = '/play/news/master.m3u8';
	// not on air yet
	const master = (query, wanted = /^/) => waitUntil('it', async () => {
		const reply = await ask(`${MASTER}${query}`)
			.catch(() => ({ status: 503 }));

		return reply.status !== 503 && wanted.test(reply.text) && reply;
	}, 30000);
	// the codecs of the second one are measured
	const all = await master('?token=x',
		/high\/index[^]*CODECS[^]*low\/index/);

	assert.equal(all.headers['content-type'],
		'application/vnd.apple.mpegurl');
	assert.deepEqual(all.text.match(/^\.\..*$/gm), [
		'../high/index.m3u8?token=x', '../low/index.m3u8?token=x']);
	assert.match(all.text, /^#EXT-X-INDEPENDENT-SEGMENTS$/m);
	const strict = judgeStrictly(t, all.text);
	if (strict !== undefined) {
		const [high, low] = strict.variants;
		assert.equal(low.bandwidth, 100000);
		assert.ok(high.bandwidth >= high.averageBandwidth &&
			high.averageBandwidth > 10000);
		assert.equal(high.codecs, 'avc1.4d401f');
		assert.deepEqual(high.resolution, { width: 320, height: 240 });
		assert.match(low.codecs, /^avc1\.[0-9a-f]{6}(,mp4a[.\w]+)*$/);
		const { codecs, width, height } = await one.status('low');
		assert.equal(codecs, low.codecs);
		assert.deepEqual(low.resolution, { width, height });
		const { Parser } = parsers('m3u8-parser');
		const parser = new Parser();
		parser.push(all.text);
		parser.end();
		assert.equal(parser.manifest.playlists.length, 2);
	}
	// the rates are those of the segments
	const list = parse((await ask('/play/high/index.m3u8')).text);
	const rates = await Promise.all(list.segments.map(async (s) =>
		8 * (await ask(`/play/high/${s.uri}`)).body.length /
			s.duration));
	const [, told] = /BANDWIDTH=(\d+)/.exec((await master('')).text);
	assert.ok(Math.max(...rates) <= Number(told) + 1, `${rates} ${told}`);
	const probed = await run('ffprobe', ['-v', 'error', '-of', 'json',
		'-show_programs', `http://127.0.0.1:${PORT}${MASTER}`]);
	assert.equal(probed.err, '');
	assert.equal(JSON.parse(probed.out).programs.length, 2);

	// the control port has it, too
	const url = `http://127.0.0.1:${one.port}${MASTER}`;
	await waitUntil('the same', async () =>
		/\n\.\.\/low\/index\.m3u8\n$/
			.test((await run('curl', ['-s', url])).out));
	await waitUntil('404', async () =>
		(await ask('/play/high/master.m3u8')).status === 404);
	// a viewer gets what it may watch
	await one.cmd('set-user', { id: 'anna', user: { enable: true, type: 3,
		token: 'anna', packages: ['Free'] } });
	await one.cmd('set-user', { id: 'bert', user: { enable: true, type: 3,
		token: 'bert', packages: ['None'] } });
	await one.cmd('set-user', { id: 'carl', user: { enable: true, type: 3,
		password: 'p w', packages: ['Free'] } });
	await one.cmd('set-auth', { auth: { enable: true } });
	// a player asks once: the answer waits until the password is checked
	const carl = await patient(() => ask(`${MASTER}?auth=carl:p%20w`));
	assert.equal(carl.status, 200, carl.text);
	assert.deepEqual(carl.text.match(/^\.\..*$/gm),
		['../low/index.m3u8?auth=carl:p%20w']);
	assert.equal((await master('?auth=carl:wrong')).status, 403);
	assert.deepEqual((await master('?token=anna')).text
		.match(/^\.\..*$/gm), ['../low/index.m3u8?token=anna']);
	assert.equal((await master('?token=bert')).status, 403);
	assert.equal((await master('')).status, 403);
	// a session of its own
	const { settings } = await one.cmd('load');
	await one.cmd('set-settings', { settings: { ...settings,
		hls_session_playlists: true } });
	const named = await master('?token=anna', /low\/[0-9a-f]{16}\.m3u8/);
	const [variant] = /low\/[0-9a-f]{16}\.m3u8\?token=anna$/m
		.exec(named.text);
	await waitUntil('the first', async () =>
		(await ask(`/play/${variant}`)).status === 200);
	await one.stop();
});

test('an output that ends in .m3u8', async (t) => {
	await begin(t);
	for (const [name, run] of steps)
		await t.test(name, run);
	await sluice.stop();
});
