// SPDX-License-Identifier: GPL-3.0-or-later
// main, on a machine whose clock is set: an hour either way changes no session,
// limit, timer, viewer or recording, and numbers of HLS do not go back.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { call, cookie, done, enter, login, startGuarded }
	from '../helpers/auth.mjs';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { parsePlaylist } from '../helpers/playlist.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { Timing, wasHeldUp } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { builddir, now, tempDir, waitUntil } from '../helpers/util.mjs';
import { WsClient } from '../helpers/ws.mjs';

const HOUR = 3600;
const folder = path.join(builddir, 'tests/clock');
const stepped = { master: path.join(folder, 'sluice'),
	env: { SLUICE_WORKER: path.join(folder, 'sluice-worker') } };

// Of the programs that start from now on.
const resetClock = () =>
	fs.writeFileSync(path.join(folder, 'step'), Buffer.alloc(8));

// Sets the clock of all processes at once.
function setClock(seconds) {
	const data = Buffer.alloc(8);
	const fd = fs.openSync(path.join(folder, 'step'), 'r+');

	data.writeBigInt64LE(BigInt(seconds)); // the tests run on x86
	fs.writeSync(fd, data, 0, 8, 0);
	fs.closeSync(fd);
}

// A request whose head ends when the function is called; the answer as text.
async function begun(t, port) {
	const socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
	let got = '';

	t.after(() => socket.destroy());
	socket.on('data', (part) => { got += part; });
	await new Promise((done_) => socket.on('connect', done_));
	socket.write('GET /api/overview HTTP/1.1\r\nHost: 127.0.0.1\r\n');
	return (headers) => {
		socket.write(`Cookie: ${headers.Cookie}\r\n\r\n`);
		return waitUntil('an answer', () => got);
	};
}

test('sessions, limits, viewers and recordings outlive a clock that is set',
	async (t) => {
	const dir = tempDir(t), media = tempDir(t);
	const cert = await certificate(dir, 'cert');

	resetClock();
	const { sluice, admin } = await startGuarded(t, {
		users: { olga: { type: 2, password: 'look' } },
		options: { dir, ...stepped },
		config: { settings: settingsOf(cert), make_stream: [
			stream('a', 'udp://127.0.0.1:5000', [
				'udp://127.0.0.1:6000', 'http://0:8100/a',
				'https://0:8101/a', `file://${media}/a.ts`]),
			stream('b', ['udp://127.0.0.1:5001',
				'udp://127.0.0.1:5002'],
			'http://0:8100/b', { backup_type: 'passive' }),
		] } });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const recorder = await Recorder.start(t, { port: 6000 });

	for (const port of [5000, 5001, 5002])
		await Sender.start(t, new TsMux(), port);
	for (const id of ['a', 'b'])
		await waitUntil(`${id} on air`, async () => (await done(sluice,
			{ cmd: 'check-stream', id }, admin))['check-stream'] ===
				'ok');
	const viewers = [await Viewer.open(t, 8100, '/a'),
		await Viewer.open(t, 8100, '/b'),
		await Viewer.open(t, 8101, '/a', { ca: cert.pem })];
	const events = await WsClient.open(t, sluice.port,
		`/control/event/?scope=alarm&token=${(await done(sluice,
			{ cmd: 'ws-token' }, admin)).token}`);
	const workers = () => sluice.workers().map((w) => w.pid).sort();
	const before = workers();
	const logged = sluice.log.length;
	const overview = async (headers) => (await call(sluice,
		'', headers, { method: 'GET', path: '/api/overview' })).json;

	const timing = new Timing(t);

	// forwards, and two hours back
	for (const seconds of [HOUR, -HOUR]) {
		const { token } = await done(sluice, { cmd: 'ws-token' }, olga);
		const locked = now();
		for (let i = 0; i < 6; i++)
			await login(sluice, 'olga', 'wrong');
		const { timestamp } = await overview(olga);
		const received = viewers.map((v) => v.bytes);
		const finish = await begun(t, sluice.port);

		setClock(seconds);
		const after = await overview(olga);
		assert.ok(Math.abs(after.timestamp - timestamp) > HOUR / 2,
			'the clock was set');
		// a request that has begun; passwords may take longer than it
		assert.match(await finish(olga), /^HTTP\/1\.1 200 /);
		// the lock of an address; on a machine that stalls it has ended
		const guess = await login(sluice, 'olga', 'wrong');
		assert.ok(guess.status === 429 || now() - locked > 50000,
			`${guess.status}`);
		// sessions, tokens
		for (const headers of [admin, olga])
			assert.equal((await call(sluice, { cmd: 'whoami' },
				headers)).status, 200);
		const other = await WsClient.open(t, sluice.port,
			`/control/event/?token=${token}`);
		// three seconds of the data path
		const n = events.messages.length;
		await waitUntil('events of both streams', () => ['a', 'b']
			.every((id) => events.messages.slice(n).filter((m) =>
				m.scope === 'stream_event' && m.onair &&
				m.channel_id === id).length > 2));
		await waitUntil('viewers receive on', () => viewers.every(
			(v, i) => v.bytes > received[i] + 100000));
		await waitUntil('the other channel',
			() => other.messages.length > 0);
	}
	timing.stop();
	const lines = sluice.log.slice(logged).split('\n').filter((line) =>
		line !== '' &&
		!/Authentication failed|auth: |certificate/.test(line));
	const { alarms } = await overview(admin);
	// a limit of this host is none of the clock, and the certificate of
	// today is not valid yet
	assert.deepEqual(alarms.filter((a) => a.channel_id === undefined &&
		!['host', 'tls'].includes(a.alarm)), []);
	assert.deepEqual(workers(), before);
	assert.ok(viewers.every((v) => !v.ended));
	const statuses = [];
	for (const id of ['a', 'b'])
		statuses.push((await request(sluice.port, { headers: admin,
			path: `/api/stream-status/${id}?t=0` })).body);
	for (const viewer of viewers)
		viewer.close();
	const [list] = await recorder.stop();
	await sluice.stop();
	assert.deepEqual(fs.readdirSync(media), ['a.ts']);
	// a busy machine delays sources and drops packets: of a stream that
	// says nothing about the clock, of all else it does; that a process
	// waits for a processor is known by what the kernel counts
	const busy = timing.busy();
	const lost = wasHeldUp('', statuses.map(JSON.parse));

	assert.deepEqual(lines.filter((line) => !busy ||
		!/ stream [ab]: |: waiting for a processor/.test(line)), []);
	if (!busy)
		assert.deepEqual(events.messages.filter((m) => m.scope ===
			'stream_switch' || m.channel_id !== undefined &&
			m.scope === 'alarm'), []);
	assert.ok(!lost || busy, `packets were dropped: ${statuses}`);
	for (const data of [joined(list), fs.readFileSync(`${media}/a.ts`)]) {
		const seen = checkTs(data);

		assert.ok(lost || seen.ccErrors === 0, `${seen.ccErrors}`);
		assert.equal(seen.syncErrors, 0);
	}
});

// The number of the newest segment, as soon as it is another one.
const newest = (before) => waitUntil('a segment', async () => {
	const { status, body } = await request(8100, { path: '/news.m3u8' });
	const last = status === 200 &&
		parsePlaylist(body.toString()).segments.at(-1)?.number;

	return last !== before && last;
}, 20000);

test('numbers of segments do not go back with the clock', async (t) => {
	resetClock();
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000',
		'http://127.0.0.1:8100/news.m3u8#duration=1')), stepped);

	await Sender.start(t, new TsMux(), 5000);
	const first = await newest();
	setClock(-HOUR);
	assert.equal((await sluice.stop()).code, 0);

	const second = await Sluice.start(t, null,
		{ ...stepped, dir: sluice.dir });
	const other = await newest(first);
	assert.ok(other > first, `${other} after ${first}`);
	// they are ahead of the clock, and the service does not end in order
	const last = await newest(other);
	second.child.kill('SIGKILL');
	await second.child.ended;
	await waitUntil('no worker', () => second.workers().length === 0);

	const third = await Sluice.start(t, null,
		{ ...stepped, dir: sluice.dir });
	const next = await newest(last);
	assert.ok(next > last, `${next} after ${last}`);
	await third.stop();
});

test('an answer that is being read outlives a clock that is set', async (t) => {
	resetClock();
	// more than the buffers of both sockets
	const text = 'x'.repeat(24 << 20);
	const sluice = await Sluice.start(t, { ...config(), text }, stepped);
	const socket = net.connect(sluice.port, '127.0.0.1');
	let bytes = 0;

	t.after(() => socket.destroy());
	socket.write('GET /api/config HTTP/1.1\r\nHost: 127.0.0.1\r\n' +
		'Connection: close\r\n\r\n');
	await new Promise((done_, fail) => {
		socket.on('error', fail);
		socket.once('data', (part) => {
			bytes += part.length;
			socket.pause();
			done_();
		});
	});
	setClock(HOUR);
	await new Promise((done_) => {
		socket.on('close', done_);
		socket.on('data', (part) => { bytes += part.length; });
		socket.resume();
	});
	assert.ok(bytes > text.length, `${bytes} of ${text.length} bytes`);
	await sluice.stop();
});
