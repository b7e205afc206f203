// SPDX-License-Identifier: GPL-3.0-or-later
// HLS and conlimit: a client closes nothing when it leaves, and its place is
// free when another one wants it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { playing, sessions, user } from '../helpers/authorization.mjs';
import { Sluice, request, stream } from '../helpers/sluice.mjs';
import { now, waitUntil } from '../helpers/util.mjs';

const get = (path, port = 8100) => request(port,
	{ path: `${path}?token=anna` });
const statusOf = async (path, port) => (await get(path, port)).status;
const streams = [stream('a001', 'udp://127.0.0.1:5000', ['/one', '/two']
	.map((path) => `http://127.0.0.1:8100${path}.m3u8#duration=1`))];

async function begin(t, auth, settings = {}, make = streams) {
	const sluice = await playing(t, auth,
		{ anna: user('anna', { conlimit: 1 }) },
		{ make_stream: make, settings });
	const list = await waitUntil('a segment', async () => {
		const reply = await get('/one.m3u8');

		return reply.status === 200 && reply.body;
	});
	const target = /^#EXT-X-TARGETDURATION:(\d+)$/m.exec(list)[1] * 1000;

	return { sluice, target };
}

// Requests as of a player, until the promise is settled: its result, their
// statuses, and the longest time between two of them.
async function play(path, target, until, port) {
	const statuses = new Set();
	let done = false, last = now(), pause = 0;

	until.finally(() => {
		done = true;
	});
	while (!done) {
		statuses.add(await statusOf(path, port));
		pause = Math.max(pause, now() - last);
		last = now();
		await delay(target / 2);
	}
	return { result: await until, pause, statuses: [...statuses] };
}

// A player leaves no place to another one. A test that is delayed makes its
// requests too late, and tries again.
async function assertKeeps(path, target, other, port) {
	for (let left = 5;; left--) {
		const { result, pause, statuses } = await play(path, target,
			statusOf(other, port), port);

		if (pause < target || left === 0) {
			assert.deepEqual(statuses, [200], path);
			assert.equal(result, 403);
			return;
		}
		// the other one leaves, and this one returns
		await waitUntil(path, async () => {
			if (await statusOf(path, port) === 200)
				return true;
			await delay(3 * target);
			return false;
		});
	}
}

test('a player changes the stream', async (t) => {
	const { sluice, target } = await begin(t, {});

	// less than the wait for a place
	assert.ok(2 * target < 5000, `${target}`);
	for (const path of ['/two.m3u8', '/one.m3u8', '/two.m3u8'])
		assert.equal(await statusOf(path), 200, path);
	assert.equal((await sessions(sluice)).length, 1);
	// one that plays keeps its place
	await assertKeeps('/two.m3u8', target, '/one.m3u8');
	await sluice.logged(/denied: login anna has 1 of 1 sessions/);
	await sluice.stop();
});

test('with conlimit_mode oldest it comes back', async (t) => {
	const { sluice, target } = await begin(t, { conlimit_mode: 'oldest' });

	assert.equal(await statusOf('/two.m3u8'), 200);
	// that of another player, which would end this one again
	await waitUntil('its end', async () =>
		await statusOf('/one.m3u8') === 403);
	const heard = now(), next = await statusOf('/one.m3u8');
	// a test that is delayed returns too late for that
	assert.equal(next, now() - heard < target ? 403 : next);
	await delay(2 * target);
	assert.equal(await statusOf('/one.m3u8'), 200);
	assert.equal(await statusOf('/two.m3u8'), 200);
	// the operator ends it for longer
	const [{ client_id: id }, ...more] = await sessions(sluice);
	assert.deepEqual(more, []);
	await sluice.cmd('close-session', { id });
	await delay(2 * target);
	assert.equal(await statusOf('/two.m3u8'), 403);
	await sluice.stop();
});

test('a player that asks twice for the index has one place', async (t) => {
	const port = 8200;
	const { sluice, target } = await begin(t, {}, { http_play_hls: true,
		hls_session_playlists: true, http_play_port: port });
	const index = '/play/a001/index.m3u8';
	const [first, second] = await waitUntil('the play port', async () => {
		const bodies = [await get(index, port), await get(index, port)]
			.map(({ body }) => /^[0-9a-f]{16}\.m3u8/m.exec(body));

		return bodies.every((body) => body !== null) && bodies
			.map(([name]) => `/play/a001/${name}`);
	});

	assert.notEqual(first, second);
	assert.equal(await statusOf(second, port), 200);
	assert.equal((await sessions(sluice)).length, 1);
	// one that plays keeps its place
	await assertKeeps(second, target, index, port);
	await sluice.stop();
});

test('a player of a master playlist changes the variant', async (t) => {
	const high = stream('a002', 'stream://a001',
		'http://127.0.0.1:8100/high.m3u8#duration=1');
	const { sluice, target } = await begin(t, {}, {},
		[...streams, high].map((one) => ({ ...one, hls_group: 'g' })));

	await sluice.onair('a002');
	assert.deepEqual((await play('/one.m3u8', target, waitUntil(
		'a segment', async () => await statusOf('/high.m3u8') ===
			200))).statuses, [200]);
	const list = await sessions(sluice);
	assert.deepEqual(list.map((s) => s.channel_id), ['a001', 'a002']);
	// a change of the user applies to both
	const set = (enable) => sluice.cmd('set-user', { id: 'anna',
		user: user('anna', { conlimit: 1, enable }) });
	await set(false);
	for (const path of ['/one.m3u8', '/high.m3u8'])
		await waitUntil(path, async () => await statusOf(path) === 403);
	await set(true);
	for (const path of ['/one.m3u8', '/high.m3u8'])
		assert.equal(await statusOf(path), 200, path);
	// the end of one is that of both
	const [{ client_id: id }] = await sessions(sluice);
	await sluice.cmd('close-session', { id });
	for (const path of ['/high.m3u8', '/one.m3u8', '/two.m3u8'])
		assert.equal(await statusOf(path), 403, path);
	assert.deepEqual(await sessions(sluice), []);
	await sluice.stop();
});

test('a closed player that needs no permission begins no other variant',
	async (t) => {
		const high = stream('a002', 'stream://a001',
			'http://127.0.0.1:8100/high.m3u8#duration=1');
		const { sluice } = await begin(t, { enable: false }, {},
			[...streams, high].map((one) =>
				({ ...one, hls_group: 'g' })));
		const other = async (path) => (await request(8100,
			{ path, localAddress: '127.0.0.2' })).status;

		await sluice.onair('a002');
		await waitUntil('a segment', async () =>
			await other('/high.m3u8') === 200);
		// the control process has its report, too
		const { client_id: id } = await waitUntil('its session',
			async () => (await sessions(sluice)).find((s) =>
				s.channel_id === 'a001' && s.uptime > 0));
		await sluice.cmd('close-session', { id });
		await waitUntil('its end', async () =>
			await statusOf('/one.m3u8') === 403);
		// it has read neither
		for (const path of ['/high.m3u8', '/two.m3u8'])
			assert.equal(await statusOf(path), 403, path);
		for (const path of ['/high.m3u8', '/one.m3u8'])
			assert.equal(await other(path), 200, path);
		await sluice.stop();
	});

test('streams that become variants while a player watches', async (t) => {
	const high = stream('a002', 'stream://a001',
		'http://127.0.0.1:8100/high.m3u8#duration=1');
	const { sluice, target } = await begin(t, {}, {}, [...streams, high]);
	const group = async (id, name) => {
		const { stream: old } = await sluice.cmd('get-stream', { id });

		await sluice.cmd('set-stream', { id,
			stream: { ...old, hls_group: name } });
	};

	await sluice.onair('a002');
	await assertKeeps('/one.m3u8', target, '/high.m3u8');
	await group('a001', 'g');
	await group('a002', 'g');
	assert.deepEqual((await play('/one.m3u8', target, waitUntil(
		'the other one', async () => await statusOf('/high.m3u8') ===
			200))).statuses, [200]);
	// and where the worker does not ask: sessions that begin as variants
	await sluice.cmd('set-auth', { auth: { enable: false } });
	for (const path of ['/one.m3u8', '/high.m3u8'])
		assert.equal(await statusOf(path), 200, path);
	await sessions(sluice);
	await group('a002', 'other');
	const [{ client_id: id }, { channel_id: other }] =
		await sessions(sluice);
	assert.equal(other, 'a002');
	await sluice.cmd('close-session', { id });
	await waitUntil('its end', async () =>
		await statusOf('/one.m3u8') === 403);
	assert.equal(await statusOf('/high.m3u8'), 200);
	await sluice.stop();
});

async function outlives(t, settings, switchOn) {
	const { sluice } = await begin(t, {}, settings);
	const at = (one, name) => statusOf(`/play/a001/${name}`, one.port);

	await switchOn(sluice);
	const name = await waitUntil('its name', async () =>
		/^[0-9a-f]{16}\.m3u8/m.exec((await get(
			'/play/a001/index.m3u8', sluice.port)).body)?.[0]);

	assert.equal(await at(sluice, name), 200);
	assert.equal((await sluice.stop()).code, 0);
	const { mode } = fs.statSync(`${sluice.dir}/sluice.json.seed`);

	assert.equal(mode & 0o777, 0o600);
	const next = await Sluice.start(t, null, { dir: sluice.dir });

	await waitUntil('the playlist', async () =>
		await at(next, name) === 200);
	assert.equal(await at(next, '0123456789abcdef.m3u8'), 404);
	await next.stop();
}

const session = { hls_session_playlists: true };

test('the playlist of a session outlives a stop of the service', (t) =>
	outlives(t, { http_play_hls: true, ...session }, () => {}));

test('the playlist of a session that was enabled at run time outlives a stop',
	(t) =>
	outlives(t, { http_play_hls: true }, async (sluice) => {
		const restarts = () => sluice.log.match(/restarting/g)?.length;

		await sluice.cmd('set-settings', { settings:
			{ http_play_hls: true, ...session } });
		await waitUntil('the restart', restarts);
		await sluice.ready();
	}));
