// SPDX-License-Identifier: GPL-3.0-or-later
// play: every stream is at /play/ID, beside its own outputs and for any change
// of its id and of the settings.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { call, cookie, done, enter, patient, sessionOf, startGuarded }
	from '../helpers/auth.mjs';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Sender } from '../helpers/udp.mjs';
import { run, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const PORT = 8100;
const settings = { http_play_stream: true, http_play_port: PORT };
const source = (id, more = {}) => stream(id, 'udp://127.0.0.1:5000',
	'udp://127.0.0.1:6000', more);
const sessions = async (sluice) => (await sluice.cmd('sessions')).sessions
	.map(({ channel_id: id }) => id).sort();
const more = (viewer) => {
	const got = viewer.bytes;

	return waitUntil('more', () => viewer.bytes > got + 100000);
};
const ask = async (path, method = 'HEAD') => (await request(PORT,
	{ path, method })).status;

async function play(t, document, options = {}) {
	const sluice = await Sluice.start(t, document, options);

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await sluice.onair('a');
	return sluice;
}

test('a stream is at its play path, whatever its id and the settings are',
	async (t) => {
		const sluice = await play(t, { ...config(source('a'),
			stream('b', 'stream://a', `http://127.0.0.1:${PORT}/b`),
			source('off', { enable: false })), settings });
		const viewer = await Viewer.open(t, PORT, '/play/a');

		await more(viewer);
		// the port of an output is another listener of the same address
		assert.equal(await ask('/play/b'), 200);
		assert.equal(await ask('/play/off'), 404);
		assert.equal(await ask('/play/x'), 404);
		assert.equal(await ask('/play/'), 404);
		assert.equal(await ask('/b'), 404);
		assert.deepEqual(await sessions(sluice), ['a']);
		await sluice.waitStatus('a', 'a session', (s) =>
			s.sessions === 1);
		const list = await request(PORT,
			{ path: '/playlist.m3u8?token=x' });
		const base = `http://127.0.0.1:${PORT}/play`;
		assert.equal(list.status, 200);
		assert.match(list.headers['content-type'],
			/^audio\/x-mpegurl/);
		assert.deepEqual(list.body.match(/^http.*$/gm),
			[`${base}/a?token=x`, `${base}/b?token=x`]);
		const xspf = await request(PORT, { path: '/playlist.xspf' });
		assert.ok(xspf.body.includes(`<location>${base}/a<`));

		await sluice.cmd('set-stream', { id: 'a',
			stream: source('news') });
		await more(viewer);
		assert.equal(await ask('/play/news'), 200);
		assert.equal(await ask('/play/a'), 404);
		await waitUntil('the session', async () =>
			(await sessions(sluice))[0] === 'news');
		await sluice.waitStatus('news', 'a session', (s) =>
			s.sessions === 1);

		const master = sluice.pid;
		await sluice.cmd('set-settings', { settings: { ...settings,
			instance_name: 'x' } });
		await waitUntil('the restart', async () => (await sluice.json(
			'/api/stream-status/news')).instance === 'x');
		assert.equal(sluice.pid, master);
		await more(viewer);
		await sluice.waitStatus('news', 'a session', (s) =>
			s.sessions === 1);

		await sluice.cmd('set-settings', { settings: {} });
		await waitUntil('the end', () => viewer.ended);
	});

test('a running process gets a play port that the settings add', async (t) => {
	const sluice = await play(t, config(source('a'),
		stream('b', 'stream://a', 'http://127.0.0.1:8101/b')));
	const deliver = sluice.worker('deliver', '1').pid;

	await sluice.cmd('set-settings', { settings });
	await waitUntil('the port', () => ask('/play/a').then((status) =>
		status === 200));
	assert.equal(sluice.worker('deliver', '1').pid, deliver);
});

test('the play port has an alarm while another program uses it', async (t) => {
	const server = net.createServer();

	t.after(() => server.close());
	await new Promise((done) => server.listen(PORT, '0.0.0.0', done));
	const sluice = await Sluice.start(t, { ...config(source('a')),
		settings });
	const alarms = async () => (await sluice.json('/api/system-status'))
		.alarms;

	await waitUntil('the alarm', async () => (await alarms())?.includes(
		'http_play_port: 0.0.0.0:8100: Address already in use'));
	server.close();
	await waitUntil('the port', async () => await alarms() === undefined);
	assert.equal(await ask('/play/a'), 200);
});

const demanded = (id, input, keep, more = {}) => stream(id, input,
	`http://127.0.0.1:${PORT}/${id}`, { http_keep_active: keep, ...more });
const waits = (sluice, id) => sluice.waitStatus(id, 'wait', (s) =>
	s.state === 'waiting for a viewer' && s.waiting && !s.active);
// A stream that waits for a viewer has no alarm and is not off air; one that
// runs is, while a busy machine sends it no packets.
function assertStopsQuietly(log, id) {
	let waiting = false;

	for (const line of log.split('\n')) {
		const [, event] = line.split(` stream ${id}: `);

		if (event === undefined)
			continue;
		if (/: starting$/.test(event))
			waiting = false;
		assert.ok(!waiting || !/^(off air|OFF AIR|alarm)/.test(event),
			line);
		if (event.startsWith('no viewer: stopping'))
			waiting = true;
	}
}
const runs = (sluice, id) => sluice.worker('stream', id) !== undefined;

test('a stream on demand that is renamed under a viewer stops after it',
	async (t) => {
		const demand = (id) => source(id, { output: [],
			http_keep_active: '0' });
		const sluice = await Sluice.start(t, { ...config(demand('a')),
			settings });
		await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
		await waits(sluice, 'a');
		const viewer = await Viewer.open(t, PORT, '/play/a');

		await more(viewer);
		await sluice.waitStatus('a', 'a session', (s) =>
			s.sessions === 1);
		await sluice.cmd('set-stream', { id: 'a',
			stream: demand('news') });
		await more(viewer);
		viewer.close();
		await waits(sluice, 'news');
		assert.equal((await sluice.status('news')).sessions, 0);
		// the next viewer counts
		const next = await Viewer.open(t, PORT, '/play/news');

		await more(next);
		await sluice.waitStatus('news', 'a session', (s) =>
			s.sessions === 1);
		next.close();
		await waits(sluice, 'news');
		await sluice.stop();
	});

test('a stream on demand runs while it has a viewer or a reader', async (t) => {
	const sluice = await Sluice.start(t, config(
		demanded('a', 'udp://127.0.0.1:5000', '0'),
		demanded('b', 'stream://a', '0'),
		stream('c', 'udp://127.0.0.1:5002', [
			`http://127.0.0.1:${PORT}/c`, 'udp://127.0.0.1:6001'],
		{ http_keep_active: '0' })));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);

	await waits(sluice, 'a');
	await waits(sluice, 'b');
	assert.ok(!runs(sluice, 'a') && !runs(sluice, 'b'));
	assert.ok(runs(sluice, 'c'));
	const { streams } = await sluice.json('/api/overview');
	for (const s of streams.filter(({ id }) => id !== 'c')) {
		assert.deepEqual(s.alarms, []);
		assert.equal(s.error, undefined);
		assert.ok(s.ok && !s.onair);
	}
	assert.equal((await sluice.cmd('check-stream', { id: 'a' }))[
		'check-stream'], 'ok');

	const { warnings } = await sluice.cmd('restart-stream', { id: 'a' });
	assert.match(warnings.join(), /waits for a viewer: nothing was/);

	// of a reader, through its source
	const viewer = await Viewer.open(t, PORT, '/b');
	await more(viewer);
	assert.ok(runs(sluice, 'a') && runs(sluice, 'b'));
	await sluice.logged(/stream b: first viewer: starting/);
	await sluice.logged(/stream a: b reads it: starting/);
	assert.doesNotMatch(sluice.log, /stream a: first viewer/);
	await sluice.onair('a');
	await sluice.onair('b');
	const second = await Viewer.open(t, PORT, '/a');

	viewer.close();
	await waits(sluice, 'b');
	await waitUntil('the end of b', () => !runs(sluice, 'b'));
	await more(second);
	assert.ok(runs(sluice, 'a'));
	second.close();
	await waits(sluice, 'a');
	await waitUntil('the end of a', () => !runs(sluice, 'a'));
	// a stopped stream has no old packets, and the next ones continue
	const third = await Viewer.open(t, PORT, '/a');
	await more(third);
	const { ccErrors, syncErrors, crcErrors } = checkTs(third.data());
	assert.equal(ccErrors + syncErrors + crcErrors, 0);
	for (const id of ['a', 'b'])
		assertStopsQuietly(sluice.log, id);

	// without its viewer it waits, disabled and enabled again, or elsewhere
	for (const path of ['a', 'other']) {
		const last = await Viewer.open(t, PORT, '/a');
		const next = demanded('a', 'udp://127.0.0.1:5000', '0',
			{ output: [`http://127.0.0.1:${PORT}/${path}`] });

		await more(last);
		if (path === 'a')
			await sluice.cmd('set-stream', { id: 'a',
				stream: { ...next, enable: false } });
		await sluice.cmd('set-stream', { id: 'a', stream: next });
		third.close();
		await waits(sluice, 'a');
		await waitUntil('the end', () => !runs(sluice, 'a'));
	}
	await sluice.cmd('set-stream', { id: 'a', stream: demanded('a',
		'udp://127.0.0.1:5000', '0',
		{ output: [`http://127.0.0.1:${PORT}/other#no_auth`] }) });
	// it connects right behind the change
	const fourth = await Viewer.open(t, PORT, '/other');

	assert.equal(fourth.status, 200);
	await more(fourth);
	assert.doesNotMatch(sluice.log, /is used by stream/);

	// another setting applies to the viewer's stream, which stays
	await sluice.cmd('set-stream', { id: 'a', stream: demanded('a',
		'udp://127.0.0.1:5000', '-1') });
	fourth.close();
	await sluice.waitStatus('a', 'no session', (s) => s.sessions === 0);
	await waitUntil('its worker', () => runs(sluice, 'a'));
	assert.ok(!(await sluice.status('a')).waiting);
});

test('a stream is at its playlist, whatever its id is', async (t) => {
	const sluice = await play(t, { ...config(source('a')), settings: {
		http_play_hls: true, http_play_port: PORT } });
	const list = async (id) => {
		// waits for the first segment
		const { status, body } = await request(PORT,
			{ path: `/play/${id}/index.m3u8` });

		assert.equal(status, 200);
		return [...body.matchAll(/^index\/\d+\.ts$/gm)]
			.map(([uri]) => uri);
	};
	const [first] = await list('a');

	assert.equal(await ask(`/play/a/${first}`), 200);
	assert.equal(await ask('/play/a'), 404, 'no http_play_stream');
	await sluice.cmd('set-stream', { id: 'a', stream: source('news') });
	await waitUntil('the new path', async () =>
		await ask('/play/news/index.m3u8') === 200);
	assert.ok((await list('news')).includes(first), 'the same ring');
	assert.equal(await ask(`/play/news/${first}`), 200);
	assert.equal(await ask(`/play/a/${first}`), 404);
	await sluice.stop();
});

const curl = async (...args) => {
	const { code, out, err } = await run('curl',
		['-s', '-S', '-m', '20', '-k', ...args]);

	assert.equal(code, 0, err);
	return out;
};
const head = (url, ...args) => curl('-o', '/dev/null', '-w',
	'%{http_code} %{content_type}', ...args, url);

test('who is logged in previews streams, apart from the viewers of the login',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, {
		users: { olga: { type: 2, password: 'look' } },
		config: { ...config(source('a')), auth: { enable: true },
			settings: { http_play_stream: true } } });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const status = async (headers, path = '/play/a') => (await request(
		sluice.port, { path, method: 'HEAD', headers })).status;
	const listed = async () => (await done(sluice, { cmd: 'sessions' },
		admin)).sessions.map(({ login }) => login).sort();

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await waitUntil('a picture', async () => await status(admin) === 200);
	assert.equal(await status({}), 403);
	assert.equal(await status({ ...olga,
		'Sec-Fetch-Site': 'same-site' }), 403);
	assert.equal(await status(cookie('0'.repeat(64))), 403);
	assert.equal(await status({}, `/play/a?token=preview-${
		'0'.repeat(64)}`), 403);
	// four at the same time
	const viewers = [];

	for (const query of ['', '?token=x', '?token=x&token=y', '?x'])
		viewers.push(await Viewer.open(t, sluice.port,
			`/play/a${query}`, { headers: olga }));
	assert.deepEqual(viewers.map((viewer) => viewer.status),
		[200, 200, 200, 200]);
	await waitUntil('four sessions', async () =>
		(await listed()).join() === 'olga,olga,olga,olga');
	assert.equal(await status(olga), 403);
	// the end of the account ends them
	await done(sluice, { cmd: 'toggle-user', id: 'olga' }, admin);
	await waitUntil('no session', async () =>
		(await listed()).length === 0);
	await sluice.stop();
});

test('a preview by HLS needs the cookie alone, and its addresses have no token',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, {
		users: { olga: { type: 2, password: 'look', conlimit: 1 } },
		config: { ...config(source('a')), auth: { enable: true },
			settings: { http_play_hls: true } } });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const list = '/play/a/index.m3u8';
	const get = (path, headers) => request(sluice.port,
		{ path, headers });

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	const { body } = await waitUntil('a playlist', async () => {
		const reply = await get(list, olga);

		return reply.status === 200 && reply;
	});
	const [name] = body.match(/^[^#\n]+$/m);
	const segment = new URL(name, `http://127.0.0.1${list}`);

	assert.equal(segment.search, '');
	assert.doesNotMatch(body, /token|preview/);
	const [first, second] = await Promise.all([1, 2].map(() =>
		get(segment.pathname, olga)));

	assert.deepEqual([first.status, second.status], [200, 200]);
	// no cache has it for others: the address is the same for all
	for (const reply of [first, await get(list, olga)])
		assert.match(reply.headers['cache-control'], /^private, /);
	for (const headers of [{}, { ...olga, 'Sec-Fetch-Site': 'same-site' },
		cookie('0'.repeat(64))])
		for (const path of [list, segment.pathname])
			assert.equal((await get(path, headers)).status, 403);
	// all requests of a page are one session
	assert.deepEqual((await done(sluice, { cmd: 'sessions' }, admin))
		.sessions.map(({ login, protocol }) => `${login} ${protocol}`),
	['olga hls']);
	await done(sluice, { cmd: 'toggle-user', id: 'olga' }, admin);
	await waitUntil('the end', async () =>
		(await get(segment.pathname, olga)).status === 403);
	await sluice.stop();
});

test('a list comes behind the check of a password', async (t) => {
	const { sluice } = await startGuarded(t, {
		users: { carl: { type: 3, password: 'pw' } },
		config: { ...config(source('a')), auth: { enable: true },
			settings: { http_play_stream: true } } });
	const get = (password) => request(sluice.port,
		{ path: `/playlist.m3u8?auth=carl:${password}` });

	await waitUntil('deliver', async () => (await request(sluice.port,
		{ path: '/playlist.m3u8' })).status !== 503);
	// a player asks once
	assert.match((await patient(() => get('pw'))).body,
		/\/play\/a\?auth=carl%3Apw\n/);
	assert.doesNotMatch((await get('no')).body, /play/);
	await sluice.stop();
});

test('the list is empty while no stream is enabled', async (t) => {
	const sluice = await Sluice.start(t, { ...config(
		source('off', { enable: false })),
	settings: { http_play_stream: true } });
	const list = await request(sluice.port, { path: '/playlist.m3u8' });

	assert.equal(list.status, 200);
	assert.equal(list.body, '#EXTM3U\n');
	await sluice.stop();
});

test('previews and pictures are below control_path too', async (t) => {
	const document = { ...config(source('a')), auth: { enable: true,
		http_ip_deny: ['127.0.0.3'] },
	settings: { http_play_stream: true } };
	const first = await startGuarded(t, { config: document });

	await first.sluice.stop();
	const file = JSON.parse(fs.readFileSync(first.sluice.file, 'utf8'));
	file.settings.control_path = '/tv/x';
	fs.writeFileSync(first.sluice.file, JSON.stringify(file));
	const sluice = await Sluice.start(t, null, { auth: true, wait: false,
		dir: first.sluice.dir });
	const reply = await waitUntil('answer', () => call(sluice,
		{ cmd: 'login', login: 'admin', password: first.password }, {},
		{ path: '/tv/x/control/' }));
	const admin = cookie(sessionOf(reply));
	const status = async (path, more = {}) => (await request(sluice.port,
		{ path, method: 'HEAD', headers: admin, ...more })).status;

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await waitUntil('a preview', async () =>
		await status('/tv/x/play/a') === 200);
	assert.equal(await status('/play/a'), 200);
	assert.equal(await status('/tv/x/play/b'), 404);
	assert.equal(await status('/tv/x/play/a', { headers: {} }), 403);
	assert.equal(await status('/tv/play/a'), 404);
	assert.notEqual(await status('/tv/x/play/a.jpg'), 404);
	const viewer = await Viewer.open(t, sluice.port, '/tv/x/play/a',
		{ headers: admin });
	await more(viewer);
	// the deny list precedes the token of a preview
	assert.equal(await status('/tv/x/play/a',
		{ localAddress: '127.0.0.3' }), 403);
	await sluice.stop();
});

test('the control port serves viewers without a credential', async (t) => {
	const cert = await certificate(tempDir(t), 'headend.example');
	const sluice = await Sluice.start(t, { ...config(
		source('a', { name: 'A, "b"', lcn: 2,
			groups: { Type: 'News' } }),
		source('off', { enable: false }),
		stream('c', 'stream://a', [], { name: 'C', lcn: 1,
			http_keep_active: '0' })),
	settings: { http_play_stream: true, playlist_arrange: 'Type',
		...settingsOf(cert) } }, { auth: true });
	const url = `http://127.0.0.1:${sluice.port}`;

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await waitUntil('the play path', async () => await head(
		`${url}/play/a`, '-I') === '200 video/mp2t');
	// a browser sends its session with the request, for which deliver has
	// no use
	const viewer = await Viewer.open(t, sluice.port, '/play/a');
	assert.equal(viewer.status, 200);
	await more(viewer);
	assert.equal(viewer.reply.headers.connection, 'close');
	assert.equal(await head(`${url}/play/x`), '404 text/plain');
	assert.equal(await head(`${url}/play/a%2fb`), '400 application/json');
	assert.equal(await head(`${url}/play/a`, '-d', 'x'), '405 text/plain');
	assert.equal(await head(`${url}/api/config`), '403 application/json');
	// another name of the machine, and a stream on demand
	const second = await Viewer.open(t, sluice.port, '/play/c');
	await more(second);

	const list = await curl(`${url}/playlist.m3u8?token=a%26b&x=1`,
		'-H', 'Host: tv.example.org:81');
	assert.equal(list, '#EXTM3U\n' +
		'#EXTINF:-1 tvg-id="c" tvg-name="C" tvg-chno="1",C\n' +
		'http://tv.example.org:81/play/c?token=a%26b\n' +
		'#EXTINF:-1 tvg-id="a" tvg-name="A  \'b\'" tvg-chno="2" ' +
		'group-title="News",A, "b"\n' +
		'http://tv.example.org:81/play/a?token=a%26b\n');
	assert.match(await curl(`${url}/playlist.xspf`),
		/<location>http:\/\/127\.0\.0\.1:\d+\/play\/c<\/location>/);
	assert.match(await head(`${url}/playlist.m3u8`, '-H', 'Host: a"b'),
		/^400 /);
	// over TLS
	const tls = await Viewer.open(t, sluice.port, '/play/a',
		{ ca: cert.pem });
	await more(tls);
	assert.match(await curl(`${url.replace('http', 'https')}` +
		'/playlist.m3u8'), /\nhttps:\/\/127\.0\.0\.1:\d+\/play\/c\n/);
	const { ccErrors, syncErrors, crcErrors } = checkTs(tls.data()
		.subarray(0, Math.floor(tls.bytes / 188) * 188));
	assert.equal(ccErrors + syncErrors + crcErrors, 0);
});
