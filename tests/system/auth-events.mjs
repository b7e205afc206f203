// SPDX-License-Identifier: GPL-3.0-or-later
// auth-events: one token admits one handshake, and some changes invalidate it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { again, basic, call, cookie, done, enter, startGuarded }
	from '../helpers/auth.mjs';
import { request } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';
import { WsClient } from '../helpers/ws.mjs';

const users = { olga: { type: 2, password: 'look' } };
const token = async (sluice, headers) =>
	(await done(sluice, { cmd: 'ws-token' }, headers)).token;
const open = (t, sluice, text, headers = {}) => WsClient.open(t, sluice.port,
	`/control/event/${text === null ? '' : `?token=${text}`}`, headers);
const status = async (...args) => (await open(...args)).status;

test('a token is valid for one handshake', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const text = await token(sluice, admin);

	assert.match(text, /^[0-9a-f]{64}$/);
	assert.equal(await status(t, sluice, text), 101);
	assert.equal(await status(t, sluice, text), 403);
	assert.ok(!sluice.log.includes(text), 'a token is in the log');
	await sluice.stop();
});

test('clients of both roles receive the same events', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const clients = [await open(t, sluice, await token(sluice, admin)),
		await open(t, sluice, await token(sluice, olga)),
		await open(t, sluice, await token(sluice,
			basic('olga', 'look')))];

	await done(sluice, { cmd: 'set-config', key: 'own', data: 1 }, admin);
	for (const client of clients)
		assert.deepEqual(await client.wait('message', (m) =>
			m.scope === 'set-config'),
		{ scope: 'set-config', key: 'own', data: 1 });
	await sluice.stop();
});

test('lines of the log are for control users only', async (t) => {
	const carl = { type: 1, password: 'look' };
	const { sluice, admin } = await startGuarded(t, {
		users: { ...users, carl } });
	// of a list of any length
	const scopes = `${'set-stream,'.repeat(30)}log`;
	const listen = async (headers) => open(t, sluice,
		`${await token(sluice, headers)}&scope=${scopes}`);
	const observer = await listen(basic('olga', 'look'));
	const control = await listen(basic('carl', 'look'));
	const lines = (client) => client.messages.filter(({ scope }) =>
		scope === 'log').flatMap((m) => m.lines);

	assert.equal((await call(sluice, { cmd: 'whoami' },
		basic('carl', 'wrong'))).status, 403);
	await waitUntil('a line', () => lines(control).some(({ text }) =>
		text.includes('Authentication failed')));
	await done(sluice, { cmd: 'set-config', key: 'own', data: 1 }, admin);
	await observer.wait('message', (m) => m.scope === 'set-config');
	assert.deepEqual(lines(observer), []);
	// carl becomes an observer: his channel ends
	await done(sluice, { cmd: 'set-user', id: 'carl', user: { enable: true,
		type: 2 } }, admin);
	await waitUntil('the end', () => control.closed);
	assert.equal(control.closed.code, 1001);
	await sluice.stop();
});

test('a user who may not log in any more loses the lines of the log',
	async (t) => {
	const { sluice, admin } = await startGuarded(t);
	const carl = { enable: true, type: 1 };
	const changes = [{ cmd: 'toggle-user' }, { cmd: 'set-user',
		user: { remove: true } }, { cmd: 'set-user', user: { ...carl,
		type: 3 } }];

	for (const change of changes) {
		await done(sluice, { cmd: 'set-user', id: 'carl',
			user: { ...carl, password: 'look' } }, admin);
		const client = await open(t, sluice, `${await token(sluice,
			basic('carl', 'look'))}&scope=log`);

		await done(sluice, { ...change, id: 'carl' }, admin);
		await waitUntil(`the end: ${JSON.stringify(change)}`,
			() => client.closed);
		assert.equal(client.closed.code, 1001);
	}
	await sluice.stop();
});

test('only the token admits a client to the events', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });

	for (const text of ['', '0'.repeat(64), 'x', 'x'.repeat(2000), '%zz',
		'%00'])
		assert.equal(await status(t, sluice, text, admin), 403, text);
	// without a token the connection only answers ping
	const client = await open(t, sluice, null);
	assert.equal(client.status, 101);
	client.send('ping');
	await waitUntil('pong', () => client.texts.includes('pong'));
	await done(sluice, { cmd: 'set-config', key: 'own', data: 1 }, admin);
	client.send('ping');
	await waitUntil('pong', () => client.texts.length === 2);
	assert.deepEqual(client.messages, []);
	await sluice.stop();
});

test('the rejection is a page without effect', async (t) => {
	const { sluice } = await startGuarded(t);
	const reply = await request(sluice.port, {
		path: '/control/event/?token=%3Cscript%3E',
		headers: { Upgrade: 'websocket', Connection: 'Upgrade' } });

	assert.equal(reply.status, 403);
	assert.match(reply.headers['content-type'], /^text\/html/);
	assert.match(reply.headers['content-security-policy'],
		/default-src 'none'/);
	assert.equal(reply.headers['x-content-type-options'], 'nosniff');
	assert.doesNotMatch(reply.body, /script/);
	await sluice.stop();
});

test('an invalid handshake does not consume the token', async (t) => {
	const { sluice, admin } = await startGuarded(t);
	const text = await token(sluice, admin);

	assert.equal((await request(sluice.port,
		{ path: `/control/event/?token=${text}` })).status, 400);
	assert.equal(await status(t, sluice, text), 101);
	await sluice.stop();
});

test('the oldest of seventeen tokens expires', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const texts = [];

	for (let i = 0; i < 17; i++)
		texts.push(await token(sluice, admin));
	assert.equal(await status(t, sluice, texts[0]), 403);
	for (const text of texts.slice(1))
		assert.equal(await status(t, sluice, text), 101);
	await sluice.stop();
});

test('a restart invalidates tokens', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const text = await token(sluice, admin);
	const next = await again(t, sluice);

	assert.equal(await status(t, next, text), 403);
	assert.equal(await status(t, next, await token(next, admin)), 101);
	await next.stop();
});

test('a changed user loses his tokens, and open connections stay',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const olga = { enable: true, type: 2 };
	const changes = [{ ...olga, enable: false }, { remove: true },
		{ ...olga, password: 'other' }, { ...olga, type: 3 }];

	for (const user of changes) {
		await done(sluice, { cmd: 'set-user', id: 'olga',
			user: { ...olga, password: 'look' } }, admin);
		const id = cookie(await enter(sluice, 'olga', 'look'));
		const client = await open(t, sluice, await token(sluice, id));
		const unused = await token(sluice, id);
		await done(sluice, { cmd: 'set-user', id: 'olga', user },
			admin);
		assert.equal(await status(t, sluice, unused), 403,
			JSON.stringify(user));
		client.send('ping');
		await waitUntil('pong', () => client.texts.includes('pong'));
		assert.equal(client.closed, null);
		assert.equal((await call(sluice, { cmd: 'ws-token' }, id))
			.status, 403);
	}
	await sluice.stop();
});
