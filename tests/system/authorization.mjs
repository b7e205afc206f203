// SPDX-License-Identifier: GPL-3.0-or-later
// authorization: who may watch, also after a change of the configuration.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { WATCH, gone, playing, secureToken, sessions, status, user, watch }
	from '../helpers/authorization.mjs';
import { Viewer } from '../helpers/media.mjs';
import { request } from '../helpers/sluice.mjs';
import { certificate, secureRequest, settingsOf } from '../helpers/tls.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const curl = promisify(execFile);

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
	const plus = await Viewer.open(t, 8100, '/one?auth=bert:p+w');
	assert.equal(plus.status, 200);
	plus.close();
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
	let n = 0;

	for (const port of [sluice.port, 8101])
		await waitUntil('the lock', async () =>
			/^HTTP\S+ 503 .*Retry-After: /s.test(await list(port,
				`?auth=bert:bad${n++}`, '-i')));
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
	// HEAD is judged, and begins no session
	await waitUntil('a playlist', async () =>
		await status('?token=anna', '/live.m3u8') === 200);
	for (const query of ['', '?token=nobody'])
		assert.equal(await status(query, '/live.m3u8'), 403);
	assert.deepEqual(await sessions(sluice), []);
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

test('a change of no_auth disconnects only those who may not watch',
	async (t) => {
	const sluice = await playing(t, {}, { anna: user('anna') });
	const { stream: one } = await sluice.cmd('get-stream', { id: 'a001' });
	const set = (first) => sluice.cmd('set-stream', { id: 'a001', stream:
		{ ...one, output: [first, ...one.output.slice(1)] } });
	const anna = await watch(t, '?token=anna');

	await set('http://127.0.0.1:8100/one#no_auth');
	const anybody = await watch(t, '');
	await set('http://127.0.0.1:8100/one');
	await gone(anybody);
	const { bytes } = anna;
	await waitUntil('more of it', () => anna.bytes > bytes + 100000);
	assert.equal(anna.ended, false);
	assert.deepEqual((await sessions(sluice)).map((s) => s.login),
		['anna']);
	assert.equal(await status(''), 403);
	await sluice.stop();
});

test('set-config of auth opens outputs that a faulty section closed',
	async (t) => {
	const sluice = await playing(t, { enable: 'yes' },
		{ anna: user('anna') });

	assert.notEqual(await status('?token=anna'), 200);
	await sluice.cmd('set-config', { key: 'auth', data: { enable: true,
		http_ip_allow: ['10.0.0.0/8', '10.1.0.0/16'] } });
	const anna = await waitUntil('a viewer', async () => {
		const viewer = await Viewer.open(t, 8100, '/one?token=anna');

		return viewer.status === 200 && viewer;
	});
	await waitUntil('video', () => anna.bytes > 100000);
	assert.equal(await status('?token=nobody'), 403);
	assert.deepEqual((await sluice.cmd('load')).auth.http_ip_allow,
		['10.1.0.0/16', '10.0.0.0/8']);
	await sluice.stop();
});

test('a user has at most conlimit viewers', async (t) => {
	const sluice = await playing(t, { promo: 'http://promo.example/' },
		{ anna: user('anna', { conlimit: 1 }),
			carl: user('carl', { enable: false }) });
	await request(8100, { path: '/one?token=carl' });
	await sluice.logged(
		/denied: the user is disabled: login carl \(http\)$/m);
	const first = await watch(t, '?token=anna');
	const denied = await request(8100, { path: '/one?token=anna' });

	assert.equal(denied.status, 302);
	assert.equal(denied.headers.location, 'http://promo.example/');
	await sluice.logged(new RegExp('denied: login anna has 1 of 1 ' +
		'sessions: 127\\.0\\.0\\.1 since 2\\d{3}(-\\d\\d){2} ' +
		'\\d\\d(:\\d\\d){2} \\S+ \\(http\\)$', 'm'));
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
	// HEAD begins no viewer
	const { bytes } = third;
	assert.equal(await status('?token=anna'), 200);
	await waitUntil('more of it', () => third.ended ||
		third.bytes > bytes + 100000);
	assert.equal(third.ended, false);
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
