// SPDX-License-Identifier: GPL-3.0-or-later
// sessions: every viewer is listed with address and time, and can be closed.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { checked } from '../helpers/auth.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { freePort, sleep, waitUntil } from '../helpers/util.mjs';

// A connection that requests path and reads the reply.
function view(t, port, path) {
	const socket = net.connect(port, '127.0.0.1', () => socket.write(
		`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`));

	socket.ended = new Promise((done) => socket.on('close', done));
	socket.on('error', () => {});
	socket.resume();
	t.after(() => socket.destroy());
	return socket;
}

async function start(t) {
	const port = await freePort();
	const sluice = await Sluice.start(t, config(
		stream('a', 'udp://127.0.0.1:5000',
			`http://127.0.0.1:${port}/a`),
		stream('b', 'udp://127.0.0.1:5001',
			`http://127.0.0.1:${port}/b`, { name: 'Bee' })));
	// a deliver that gets no processor for two seconds does not answer: 503
	const ask = (cmd, fields) => checked(() => sluice.post({ cmd,
		...fields }));
	const list = async () => JSON.parse((await ask('sessions')).body)
		.sessions;

	await waitUntil('the port', () => new Promise((done) => {
		const probe = net.connect(port, '127.0.0.1');
		probe.on('connect', () => { probe.destroy(); done(true); });
		probe.on('error', () => done(false));
	}));
	return { sluice, port, ask, list };
}

test('viewers appear in the list and disappear', async (t) => {
	const { sluice, port, list } = await start(t);

	assert.deepEqual(await list(), []);
	const one = view(t, port, '/a'), two = view(t, port, '/b');
	const both = await waitUntil('two sessions', async () => {
		const sessions = await list();
		return sessions.length === 2 && sessions;
	});
	both.sort((x, y) => x.channel_id < y.channel_id ? -1 : 1);
	assert.deepEqual(both.map(({ client_id: id, uptime, ...rest }) => {
		assert.ok(Number.isSafeInteger(id) && id > 0);
		assert.ok(uptime >= 0 && uptime < 60);
		return rest;
	}), [{ channel_id: 'a', channel_name: 'Stream a', addr: '127.0.0.1',
		protocol: 'http' },
	{ channel_id: 'b', channel_name: 'Bee', addr: '127.0.0.1',
		protocol: 'http' }]);
	assert.notEqual(both[0].client_id, both[1].client_id);
	await sleep(1100);
	const later = await list();
	assert.ok(later.every((s) => s.uptime >= 1));
	one.destroy();
	await waitUntil('one session', async () => (await list()).length === 1);
	two.destroy();
	await waitUntil('no session', async () => (await list()).length === 0);
	await sluice.stop();
});

test('a session is closed, the others are not', async (t) => {
	const { sluice, port, ask, list } = await start(t);
	const close = (id) => ask('close-session', { id });
	const first = view(t, port, '/a');

	await waitUntil('the first', async () => (await list()).length === 1);
	const [{ client_id: id }] = await list();
	const second = view(t, port, '/a');
	await waitUntil('the second', async () => (await list()).length === 2);

	assert.deepEqual(JSON.parse((await close(id)).body),
		{ 'close-session': 'ok' });
	await first.ended;
	assert.equal(second.destroyed, false);
	const [left, ...none] = await list();
	assert.deepEqual(none, []);
	assert.equal((await close(id)).status, 404);
	assert.equal((await close(String(left.client_id))).status, 200);
	await second.ended;
	assert.equal((await sluice.post({ cmd: 'close-session' })).status, 400);
	await sluice.stop();
});

test('a thousand sessions are listed, each once', async (t) => {
	const { sluice, port, list } = await start(t);
	const count = 1000;

	for (let i = 0; i < count; i++)
		view(t, port, i % 2 ? '/a' : '/b');
	const all = await waitUntil('all sessions', async () => {
		const sessions = await list();
		return sessions.length === count && sessions;
	}, 30000);
	assert.equal(new Set(all.map((s) => s.client_id)).size, count);
	// whoever asks at the same time is not forgotten
	const many = await Promise.all(Array.from({ length: 50 }, list));
	assert.ok(many.every((sessions) => sessions.length === count));
	await sluice.stop();
});

test('while deliver is replaced the list is empty', async (t) => {
	const { sluice, port, list } = await start(t);

	view(t, port, '/a');
	await waitUntil('a viewer', async () => (await list()).length === 1);
	const [{ client_id: before }] = await list();
	const { pid } = sluice.worker('deliver');
	process.kill(pid, 'SIGKILL');
	await waitUntil('nobody', async () => (await list()).length === 0);
	await sluice.replaced('deliver', undefined, pid);
	view(t, port, '/a');
	await waitUntil('a viewer again', async () =>
		(await list()).length === 1);
	// a number is unique, even after a crash
	assert.notEqual((await list())[0].client_id, before);
	await sluice.stop();
});
