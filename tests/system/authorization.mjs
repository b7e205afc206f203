// SPDX-License-Identifier: GPL-3.0-or-later
// authorization: who may watch, also after a change of the configuration.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, WORKER, config, request, stream }
	from '../helpers/sluice.mjs';
import { certificate, secureRequest, settingsOf } from '../helpers/tls.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Sender } from '../helpers/udp.mjs';
import { start, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const curl = promisify(execFile);
const WATCH = { type: 3, enable: true };

function user(token, more = {}) {
	return { ...WATCH, token, ...more };
}

async function playing(t, auth, users = {}, more = {}, options = {}) {
	const sluice = await Sluice.start(t, {
		...config({ ...stream('a001', 'udp://127.0.0.1:5000',
			['http://127.0.0.1:8100/one',
				'http://127.0.0.1:8100/free#no_auth',
				'http://127.0.0.1:8100/live.m3u8#duration=1']),
		groups: { News: 'Local' } }),
		categories: [{ name: 'News', groups: [{ name: 'Local' }] },
			{ name: 'Sport', groups: [] }],
		auth: { enable: true, ...auth }, users, ...more }, options);

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	return sluice;
}

const status = async (query, path = '/one') =>
	(await request(8100, { path: path + query, method: 'HEAD' })).status;

async function watch(t, query) {
	const viewer = await Viewer.open(t, 8100, `/one${query}`);

	assert.equal(viewer.status, 200, query);
	await waitUntil('video', () => viewer.bytes > 10000);
	return viewer;
}

const gone = (viewer) => waitUntil('its end', () => viewer.ended);
const sessions = async (sluice) =>
	(await sluice.cmd('sessions')).sessions;

function secureToken(address, start, end) {
	const hash = createHash('sha1')
		.update(`a001${address}${start}${end}s3cretsalt`).digest('hex');

	return `${hash}-salt-${end}-${start}`;
}

test('tokens, passwords, addresses and secure tokens decide', async (t) => {
	const now = Math.floor(Date.now() / 1000);
	const sluice = await playing(t, { securetoken: 's3cret',
		http_token_deny: ['stolen'], http_ip_deny: ['192.0.2.0/24'],
		x_real_ip: true }, {
		anna: user('anna'), stolen: user('stolen'),
		old: user('old', { expire: now - 1 }),
		sport: user('sport', { packages: ['Sport'] }),
		news: user('news', { packages: ['News'] }),
		home: user('home', { ip: '10.0.0.7' }),
	}, { settings: { real_ip_trusted: ['127.0.0.0/8'],
		http_play_stream: true, http_play_port: 8101 } });
	const real = (ip) => ({ 'X-Real-IP': ip });

	assert.equal(await status(''), 403);
	assert.equal(await status('', '/free'), 200);
	assert.equal(await status('?token=anna'), 200);
	assert.equal(await status('?token=nobody'), 403);
	assert.equal(await status('?token=stolen'), 403);
	assert.equal(await status('?token=old'), 403);
	assert.equal(await status('?token=sport'), 403);
	assert.equal(await status('?token=news'), 200);
	assert.equal(await status('?token=anna&token=news'), 403);
	assert.equal(await status(
		`?token=${secureToken('127.0.0.1', now - 9, now + 900)}`), 200);
	assert.equal(await status(
		`?token=${secureToken('127.0.0.2', now - 9, now + 900)}`), 403);
	const past = secureToken('127.0.0.1', now - 900, now - 90);
	assert.equal(await status(`?token=${past}`), 403);
	// the address that a trusted proxy names
	assert.equal(await status('?token=home'), 403);
	for (const [ip, token, expected] of [['10.0.0.7', 'home', 200],
		['10.0.0.8', 'home', 403], ['192.0.2.9', 'anna', 403]])
		assert.equal((await request(8100, { method: 'HEAD',
			path: `/one?token=${token}`,
			headers: real(ip) })).status, expected, ip);
	// a password is hashed by the auth worker
	await sluice.cmd('set-user', { id: 'bert',
		user: { ...WATCH, password: 'p w' } });
	assert.equal(await status('?auth=bert:p%20w'), 200);
	assert.equal(await status('?auth=bert:wrong'), 403);
	const { stdout } = await curl('curl', ['-s', '-m', '2', '-w',
		'%{http_code}', '-o', '/dev/null',
		'http://127.0.0.1:8100/one?auth=bert:p+w'])
		.catch((error) => error);
	assert.equal(stdout, '200');
	// a playlist has what its viewer may watch, at both ports
	const list = async (port, query, ...more) => (await curl('curl',
		['-s', ...more, `http://127.0.0.1:${port}/playlist.m3u8` +
			query])).stdout;

	for (const port of [sluice.port, 8101]) {
		assert.equal((await list(port, '?token=anna')).split('\n')[2],
			'http://127.0.0.1:8101/play/a001?token=anna');
		assert.equal(await list(port, '?token=sport'), '#EXTM3U\n');
		assert.equal(await list(port, ''), '#EXTM3U\n');
		// also the one that a trusted proxy names
		assert.match(await list(port, '?token=home', '-H',
			'X-Real-IP: 10.0.0.7'), /a001/);
		assert.doesNotMatch(await list(port, '?token=home', '-H',
			'X-Real-IP: 10.0.0.8'), /a001/);
	}
	assert.match(await list(8101, '?auth=bert:p%20w', '-i'),
		/^HTTP\S+ 200 .*\?auth=bert%3Ap%20w\n/s);
	assert.equal((await request(8100, { path: '/playlist.m3u8' })).status,
		404);
	// a password that is not checked is no empty playlist
	await waitUntil('the lock', async () =>
		/^HTTP\S+ 503 .*Retry-After: .*cannot be checked/s
			.test(await list(sluice.port, '?auth=bert:bad', '-i')));
	await waitUntil('503', async () => /^HTTP\S+ 503 .*Retry-After: /s
		.test(await list(8101, '?auth=bert:bad', '-i')));
	assert.doesNotMatch(sluice.log, /tok-|s3cret|p w|token=/);
	await sluice.stop();
});

test('HLS and the play paths need the same permission', async (t) => {
	const sluice = await playing(t, {}, { anna: user('anna') },
		{ settings: { http_play_stream: true } });
	const get = (target) => request(8100, { path: target });
	const play = async (query) => (await curl('curl', ['-sI', '-w',
		'%{http_code}', '-o', '/dev/null',
		`http://127.0.0.1:${sluice.port}/play/a001${query}`])).stdout;

	assert.equal(await play(''), '403');
	assert.equal(await play('?token=anna'), '200');
	assert.equal((await get('/live.m3u8')).status, 403);
	assert.equal((await get('/live.m3u8?token=nobody')).status, 403);
	const list = await get('/live.m3u8?token=anna');
	const [entry] = /^[^#\n].*$/m.exec(list.body);
	const { pathname, search } = new URL(entry, 'http://host/live.m3u8');

	assert.equal(list.status, 200);
	assert.equal(search, '?token=anna');
	assert.equal((await get(pathname + search)).status, 200);
	assert.equal((await get(pathname)).status, 403);
	assert.deepEqual((await sessions(sluice)).map((s) =>
		[s.login, s.protocol]), [['anna', 'hls']]);
	// a change applies to the next segment
	await sluice.cmd('set-user', { id: 'anna',
		user: user('anna', { enable: false }) });
	await waitUntil('403', async () =>
		(await get(pathname + search)).status === 403);
	await sluice.stop();
});

test('over TLS a token decides as well, and a change applies at once',
	async (t) => {
	const port = 8200;
	const cert = await certificate(tempDir(t), 'headend.example');
	const sluice = await playing(t, {}, { anna: user('anna') },
		{ settings: { ...settingsOf(cert), http_play_port: port,
			http_play_stream: true, http_play_hls: true } });
	const get = (path) => secureRequest(port, cert, { path });
	const list = '/play/a001/index.m3u8';

	await waitUntil('TLS', async () => (await get(list)).status === 403);
	for (const path of ['/play/a001', '/play/a001?token=nobody',
		`${list}?token=nobody`])
		assert.equal((await get(path)).status, 403, path);
	const viewer = await Viewer.open(t, port, '/play/a001?token=anna',
		{ ca: cert.pem });
	assert.equal(viewer.status, 200);
	await waitUntil('video', () => viewer.bytes > 100000);
	const { body, status: listed } = await get(`${list}?token=anna`);
	assert.equal(listed, 200);
	const [entry] = /^index\/\d+\.ts\?token=anna$/m.exec(body);
	const segment = new URL(entry, `https://host${list}`);
	const path = segment.pathname + segment.search;
	assert.equal((await get(path)).status, 200);
	assert.equal((await get(segment.pathname)).status, 403);
	assert.deepEqual((await sessions(sluice)).map((s) =>
		[s.login, s.protocol]).sort(), [['anna', 'hls'],
		['anna', 'https']]);
	await sluice.cmd('set-user', { id: 'anna',
		user: user('anna', { enable: false }) });
	await gone(viewer);
	await waitUntil('403', async () => (await get(path)).status === 403);
	const whole = viewer.bytes - viewer.bytes % 188;
	const { ccErrors, syncErrors } = checkTs(viewer.data()
		.subarray(0, whole));
	assert.equal(ccErrors + syncErrors, 0);
	await sluice.stop();
});

test('a change applies to the viewers that watch', async (t) => {
	const sluice = await playing(t, {}, { anna: user('anna'),
		bert: user('bert'),
		carl: user('carl', { packages: ['News'] }) });
	const events = await sluice.events(t);
	const anna = await watch(t, '?token=anna');
	const bert = await watch(t, '?token=bert');
	const carl = await watch(t, '?token=carl');
	const list = await sessions(sluice);

	assert.deepEqual(list.map((s) => s.login), ['anna', 'bert', 'carl']);
	assert.ok(list[0].bytes > 0 && list[0].protocol === 'http');
	const told = (wanted) => waitUntil('session_event', () =>
		events.messages.filter((e) => e.scope === 'session_event')
			.flatMap((e) => e.sessions).find(wanted));

	assert.equal((await told((s) => s.login === 'anna')).channel_id,
		'a001');
	// one user
	await sluice.cmd('set-user', { id: 'anna',
		user: user('anna', { enable: false }) });
	await gone(anna);
	await told((s) => s.client_id === list[0].client_id &&
		s.addr === undefined);
	// the packages of a user, by its category
	const { stream: one } = await sluice.cmd('get-stream', { id: 'a001' });
	await sluice.cmd('set-stream', { id: 'a001',
		stream: { ...one, groups: {} } });
	await gone(carl);
	assert.equal(bert.ended, false);
	// all
	await sluice.cmd('set-auth', { auth: { enable: true,
		http_token_deny: ['bert'] } });
	await gone(bert);
	await sluice.cmd('set-auth', { auth: { enable: false } });
	const open = await watch(t, '');
	await sluice.cmd('set-auth', { auth: { enable: true } });
	await gone(open);
	assert.deepEqual(await sessions(sluice), []);
	await sluice.stop();
});

test('a user has at most conlimit viewers', async (t) => {
	const sluice = await playing(t, { promo: 'http://promo.example/' },
		{ anna: user('anna', { conlimit: 1 }) });
	const first = await watch(t, '?token=anna');
	const denied = await request(8100, { path: '/one?token=anna' });

	assert.equal(denied.status, 302);
	assert.equal(denied.headers.location, 'http://promo.example/');
	await sluice.logged(/denied: login anna has 1 of 1 sessions$/m);
	// the place is free again when the viewer has left: a player that
	// changes the stream has it at once, unless the machine is very slow
	let second = first, denials = 0;

	for (let i = 0; i < 6; i++) {
		second.close();
		second = await waitUntil('a place', async () => {
			const viewer = await Viewer.open(t, 8100,
				'/one?token=anna');

			denials += viewer.status !== 200;
			return viewer.status === 200 && viewer;
		});
	}
	assert.ok(denials < 6, `${denials} of 6 were denied at first`);
	await sluice.cmd('set-auth', { auth: { enable: true,
		conlimit_mode: 'oldest' } });
	const third = await watch(t, '?token=anna');
	await gone(second);
	// and the limit holds in the next master
	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await waitUntil('the new master', async () =>
		(await sessions(sluice).catch(() => [])).length === 1);
	assert.equal(third.ended, false);
	const fourth = await watch(t, '?token=anna');
	await gone(third);
	const [{ client_id: id }] = await sessions(sluice);
	await sluice.cmd('close-session', { id });
	await gone(fourth);
	await sluice.stop();
});

test('a backend decides about viewers without a user', async (t) => {
	const asked = [];
	let answer = (query) => ({ ok: 200, no: 403, long: 403,
		slow: 403, moved: 200 })[
		query.get('token')] ?? 500;
	const backend = http.createServer((request, reply) => {
		const { searchParams } = new URL(request.url, 'http://x');
		const token = searchParams.get('token');

		asked.push({ url: request.url, headers: request.headers });
		reply.writeHead(answer(searchParams), {
			'X-Session-Name': `name-${token}`,
			'X-AuthDuration': '1',
			...token === 'moved' && {
				'X-Location': 'http://other.example/' } });
		if (token === 'slow')
			reply.write('text');
		else
			reply.end('text'.repeat(
				token === 'long' ? 50000 : 1));
	}).listen(9000, '127.0.0.1');

	t.after(() => {
		backend.close();
		backend.closeAllConnections();
	});
	const url = 'http://127.0.0.1:9000/a?b=c';
	const sluice = await playing(t, { backend: url,
		backend_unreachable: 'deny' }, { anna: user('anna') });
	const viewer = await watch(t, '?token=ok&more=1');

	assert.equal(asked[0].url, '/a?b=c&token=ok&more=1');
	assert.equal(asked[0].headers['x-channel-id'], 'a001');
	assert.equal(asked[0].headers['x-real-ip'], '127.0.0.1');
	assert.equal(asked[0].headers['x-real-path'], '/one');
	assert.equal(asked[0].headers['x-real-host'],
		'127.0.0.1:8100');
	assert.equal((await sessions(sluice))[0].login, 'name-ok');
	assert.equal(await status('?token=anna'), 200);
	assert.equal(await status('?token=no'), 403);
	assert.equal(await status('?token=moved'), 302);
	// the head decides, whatever its body is
	assert.equal(await status('?token=long'), 403);
	assert.equal(await status('?token=slow'), 403);
	assert.doesNotMatch(sluice.log, /the backend does not answer/);
	// an error is no decision
	assert.equal(await status('?token=other'), 403);
	await sluice.logged(/the backend does not answer: it answers 500/);
	// it is asked again when its decision has expired
	answer = () => 403;
	await gone(viewer);
	// without an answer an older decision counts, then the setting
	answer = () => 200;
	const again = await waitUntil('a permission', async () => {
		const v = await Viewer.open(t, 8100, '/one?token=ok');

		return v.status === 200 && v;
	}, 20000);
	const before = asked.length;
	answer = () => 500;
	await waitUntil('another question', () => asked.length > before, 20000);
	assert.equal(again.ended, false);
	assert.equal(await status('?token=new'), 403);
	// the alarm has the present policy and the present error
	const alarm = async () => (await sluice.json('/api/system-status'))
		.alarms?.find((text) => text.startsWith('auth: the backend'));

	assert.match(await alarm(), /it answers 500: new viewers are denied$/);
	await sluice.cmd('set-auth', { auth: { enable: true, backend: url,
		backend_unreachable: 'allow' } });
	assert.match(await alarm(), /it answers 500: new viewers are allowed/);
	answer = () => 502;
	assert.equal(await status('?token=newer'), 200);
	assert.match(await alarm(), /it answers 502: new viewers are allowed/);
	await sluice.cmd('set-auth', { auth: { enable: false, backend: url } });
	assert.equal(await alarm(), undefined);
	await sluice.cmd('set-auth', { auth: { enable: true,
		backend: 'http://127.0.0.1:9/',
		backend_unreachable: 'allow' } });
	assert.equal(await status('?token=new'), 200);
	await sluice.stop();
});

test('a flood of questions to a silent backend lets nobody in unasked',
	async (t) => {
	let asked = 0;
	const backend = http.createServer(() => asked++)
		.listen(9000, '127.0.0.1');

	t.after(() => {
		backend.close();
		backend.closeAllConnections();
	});
	const sluice = await playing(t, { backend: 'http://127.0.0.1:9000/',
		backend_unreachable: 'allow' });
	const answers = await Promise.all(Array.from({ length: 200 },
		(_, i) => status(`?token=guess${i}`)));
	const allowed = answers.filter((s) => s === 200).length;

	assert.ok(allowed <= asked, `${allowed} allowed, ${asked} asked`);
	assert.ok(answers.every((s) => s === 200 || s === 503));
	await sluice.stop();
});

test('a backend worker that cannot start is a backend without an answer',
	async (t) => {
	const program = path.join(tempDir(t), 'sluice-worker');

	for (const kind of ['', '-tls'])
		fs.copyFileSync(WORKER + kind, program + kind);
	const auth = { enable: true, backend: 'http://127.0.0.1:9000/' };
	const sluice = await playing(t, { ...auth,
		backend_unreachable: 'allow' }, {}, {},
	{ env: { SLUICE_WORKER: program } });

	assert.equal(await status('?token=new'), 200);
	await sluice.logged(new RegExp('the backend does not answer: its ' +
		'worker does not run: new viewers are allowed'));
	await waitUntil('the quarantine', async () =>
		(await sluice.json('/api/system-status')).alarms?.some(
			(text) => /^backend worker: .* in a row/.test(text)));
	assert.equal(await status('?token=other'), 200);
	await sluice.cmd('set-auth', { auth: { ...auth,
		backend_unreachable: 'deny' } });
	assert.equal(await status('?token=new'), 403);
	await sluice.stop();
});

test('without an answer of the master nobody gets in, and nobody is cut',
	async (t) => {
	const sluice = await playing(t, {}, { anna: user('anna') });
	const anna = await watch(t, '?token=anna');

	sluice.child.kill('SIGSTOP');
	try {
		assert.equal(await status('?token=anna'), 503);
	} finally {
		sluice.child.kill('SIGCONT');
	}
	const { bytes } = anna;
	await waitUntil('more', () => anna.bytes > bytes);
	await waitUntil('an answer', async () =>
		await status('?token=anna') === 200);
	await sluice.stop();
});

// A caller of the srt output; the program takes the stream id as it is.
function call(t, streamid, port = 9002) {
	return start(t, 'srt-live-transmit', ['-q', '-a:no', '-chunk:1316',
		`srt://127.0.0.1:${port}?streamid=${streamid}`,
		'udp://127.0.0.1:6009']);
}

// libsrt sometimes misses the answer to its own call, and waits for ever.
async function refused(caller) {
	const timer = setTimeout(() => caller.kill('SIGKILL'), 10000);

	await caller.ended;
	clearTimeout(timer);
}

const callFfmpeg = (t, streamid, file = '/dev/null') => start(t, 'ffmpeg', [
	'-nostdin', '-v', 'error', '-f', 'data', '-i',
	`srt://127.0.0.1:9002?streamid=${streamid}`, '-map', '0', '-c', 'copy',
	'-flush_packets', '1', '-f', 'data', '-y', file]);

async function callable(t, auth, users) {
	const sluice = await Sluice.start(t, {
		...config(stream('a001', 'udp://127.0.0.1:5000',
			['srt://:9002',
				'srt://:9003#no_auth'])),
		auth: { enable: true, ...auth }, users });

	await waitUntil('ports', () =>
		[5000, 9002, 9003].every(udpBound));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	return sluice;
}

const logins = async (sluice) =>
	(await sessions(sluice)).map((s) => s.login).sort();

test('a caller of an srt output needs a permission, by its stream id',
	async (t) => {
	const sluice = await callable(t, { securetoken: 's3cret',
		http_token_deny: ['stolen'] }, {
		anna: user('anna'), stolen: user('stolen'),
		news: user('news', { packages: ['News'] }),
		home: user('home', { ip: '10.0.0.7' }) });
	const now = Math.floor(Date.now() / 1000);
	const events = await sluice.events(t);

	await sluice.cmd('set-user', { id: 'bert',
		user: { ...WATCH, password: 'p w' } });
	for (const id of ['anna', 'token=nobody', 'token=stolen',
		'token=news', 'token=home', 'anna:anna', 'bert:wrong',
		'#!::u=bert,s=bad', '#!::s=nobody', '#!::s=anna,m=publish',
		'#!::s=anna,s=anna',
		`token=${secureToken('127.0.0.2', now - 9, now + 900)}`])
		await refused(call(t, id));
	assert.deepEqual(await sessions(sluice), []);
	assert.equal((await sluice.status('a001')).outputs[0].packets, 0);
	await sluice.logged(/call refused: its stream id does not ask for/);
	for (const id of ['token=anna', '#!::s=anna', 'bert:p w',
		'auth=bert:p%20w', '#!::r=any,u=bert,s=p w,m=request',
		`token=${secureToken('127.0.0.1', now - 9, now + 900)}`])
		call(t, id);
	callFfmpeg(t, 'token=anna');
	call(t, 'any', 9003);
	const list = await waitUntil('sessions', async () => {
		const all = await sessions(sluice);

		return all.length === 8 && all.every((s) => s.bytes > 0) &&
			all;
	}, 20000);
	assert.deepEqual(list.map((s) => s.login ?? '').sort(), ['', '',
		'anna', 'anna', 'anna', 'bert', 'bert', 'bert']);
	assert.ok(list.every((s) => s.protocol === 'srt' &&
		s.channel_id === 'a001' && s.addr === '127.0.0.1'));
	assert.equal((await sluice.status('a001')).sessions, 8);
	const told = () => events.messages.filter((e) =>
		e.scope === 'session_event').flatMap((e) => e.sessions);

	await waitUntil('session_event', () => list.every(({ client_id: id }) =>
		told().some((s) => s.client_id === id && s.addr)));
	const [{ client_id: id }] = list;
	await sluice.cmd('close-session', { id });
	await waitUntil('its end', () => told().some((s) =>
		s.client_id === id && s.addr === undefined));
	assert.doesNotMatch(sluice.log, /s3cret|p w|p%20w|token=/);
	await sluice.stop();
});

test('a change and the limit of a user apply to srt callers', async (t) => {
	const sluice = await callable(t, { conlimit_mode: 'oldest' }, {
		anna: user('anna', { conlimit: 1 }), bert: user('bert') });
	const has = (...wanted) => waitUntil(`${wanted}`, async () =>
		`${await logins(sluice)}` === `${wanted}`, 20000);
	const anna = call(t, 'token=anna'), bert = call(t, 'token=bert');
	const file = path.join(tempDir(t), 'received');

	await has('anna', 'bert');
	// the newest has the place of the oldest
	const second = call(t, 'token=anna');
	await anna.ended;
	await has('anna', 'bert');
	// the next master knows them
	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await waitUntil('the new master', async () =>
		(await sessions(sluice).catch(() => [])).length === 2);
	const third = call(t, 'token=anna');
	await second.ended;
	// without an answer nobody gets in, and nobody is cut
	sluice.child.kill('SIGSTOP');
	try {
		await callFfmpeg(t, 'token=bert', file).ended;
	} finally {
		sluice.child.kill('SIGCONT');
	}
	assert.ok(!fs.existsSync(file) || fs.statSync(file).size === 0);
	await has('anna', 'bert');
	await sluice.cmd('set-user', { id: 'bert',
		user: user('bert', { enable: false }) });
	await bert.ended;
	await sluice.cmd('set-auth', { auth: { enable: false } });
	const open = call(t, 'any');
	await waitUntil('it', async () =>
		(await sessions(sluice)).length === 2);
	await sluice.cmd('set-auth', { auth: { enable: true } });
	await open.ended;
	await has('anna');
	await sluice.cmd('set-auth', { auth: { enable: true,
		http_ip_deny: ['127.0.0.1'] } });
	await third.ended;
	assert.deepEqual(await sessions(sluice), []);
	await sluice.stop();
});
