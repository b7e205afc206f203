// SPDX-License-Identifier: GPL-3.0-or-later
// users: get-user, set-user, toggle-user, the stored object and the events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, call, checked, cookie, done, enter, login as ask, startGuarded }
	from '../helpers/auth.mjs';
import { WsClient } from '../helpers/ws.mjs';

const login = (...args) => checked(() => ask(...args));

async function startWithEvents(t, users) {
	const all = await startGuarded(t, { users });
	const { token } = await done(all.sluice, { cmd: 'ws-token' },
		all.admin);
	const client = await WsClient.open(t, all.sluice.port,
		`/control/event/?token=${token}`);

	// the messages since the last look
	let seen = 0;
	const told = async (n) => {
		await client.wait('message', () =>
			client.scope('set-user').length >= seen + n);
		const news = client.scope('set-user').slice(seen);
		seen += news.length;
		return news;
	};
	return { ...all, told };
}

test('a user is created, changed and removed', async (t) => {
	const { sluice, admin, told } = await startWithEvents(t);
	const set = (user) => done(sluice, { cmd: 'set-user', id: 'Olga Ö.',
		user }, admin);
	const get = () => done(sluice, { cmd: 'get-user', id: 'Olga Ö.' },
		admin);
	const ok = { 'set-user': 'ok' };

	assert.deepEqual(await set({ enable: true, type: 2, password: 'look',
		comment: 'x', token: 'abc', ip: '192.0.2.1', expire: 1900000000,
		conlimit: '2', packages: ['ALL'], own: { a: [1] },
		nothing: null, cipher: '$y$forged', created: 1 }), ok);
	const made = await get();
	const { cipher, created, ...rest } = made;
	assert.deepEqual(rest, { enable: true, type: 2, comment: 'x',
		token: 'abc', ip: '192.0.2.1', expire: 1900000000,
		conlimit: '2', packages: ['ALL'], own: { a: [1] } });
	assert.match(cipher, /^\$y\$j9T\$/);
	assert.ok(Math.abs(created - Date.now() / 1000) < 60);
	assert.deepEqual(await told(1),
		[{ scope: 'set-user', id: 'Olga Ö.', user: made }]);
	assert.equal((await login(sluice, 'Olga Ö.', 'look')).status, 200);

	// replaced: of the old entry only the hash stays
	assert.deepEqual(await set({ enable: true, type: 1, password: '' }),
		ok);
	assert.deepEqual(await get(), { enable: true, type: 1, cipher });
	assert.deepEqual((await told(1))[0].user,
		{ enable: true, type: 1, cipher });
	assert.equal((await login(sluice, 'Olga Ö.', 'look')).status, 200);
	await set({ enable: true, type: 1, created });
	assert.equal((await told(1))[0].user.created, created);

	// another password
	await set({ enable: true, type: 1, password: 'new' });
	const [{ user }] = await told(1);
	assert.notEqual(user.cipher, cipher);
	assert.equal(user.password, undefined);
	assert.equal((await login(sluice, 'Olga Ö.', 'look')).status, 403);
	assert.equal((await login(sluice, 'Olga Ö.', 'new')).status, 200);

	assert.deepEqual(await set({ remove: true }), ok);
	assert.deepEqual(await told(1), [{ scope: 'set-user', id: 'Olga Ö.',
		user: { remove: true } }]);
	assert.equal((await call(sluice, { cmd: 'get-user', id: 'Olga Ö.' },
		admin)).status, 404);
	await sluice.stop();
});

test('toggle-user inverts the stored flag', async (t) => {
	const { sluice, admin, told } = await startWithEvents(t,
		{ olga: { type: 2, password: 'look', comment: 'x' } });
	const before = await done(sluice, { cmd: 'get-user', id: 'olga' },
		admin);

	for (const enable of [false, true]) {
		assert.deepEqual(await done(sluice, { cmd: 'toggle-user',
			id: 'olga' }, admin), { 'toggle-user': 'ok' });
		assert.deepEqual((await told(1))[0],
			{ scope: 'set-user', id: 'olga',
				user: { ...before, enable } });
		assert.equal((await login(sluice, 'olga', 'look')).status,
			enable ? 200 : 403);
	}
	await sluice.stop();
});

test('a wrong request changes nothing and names the error', async (t) => {
	const { sluice, admin } = await startGuarded(t);
	const good = { enable: true, type: 2 };
	const set = (id, user) => ({ cmd: 'set-user', id, user });
	const before = await done(sluice, { cmd: 'load' }, admin);
	const cases = [
		[set(undefined, good), 400, 'id: is missing'],
		[set(7, good), 400, 'id: is not a string'],
		[set('', good), 400], [set('a\n', good), 400],
		[set('x'.repeat(129), good), 400],
		[set('a'), 400, 'user: is missing'],
		[set('a', []), 400, 'user: is not an object'],
		[set('a', { type: 2 }), 400], [set('a', { enable: true }), 400],
		[set('a', { ...good, enable: 1 }), 400],
		[set('a', { ...good, type: '2' }), 400],
		[set('a', { ...good, type: 4 }), 400,
			'user.type: 4 is not 1, 2 or 3'],
		[set('a', { ...good, type: 1.5 }), 400],
		[set('a', { ...good, password: 5 }), 400],
		[set('a', { ...good, password: 'p'.repeat(512) }), 400],
		[set('a', { ...good, packages: 'ALL' }), 400],
		[set('a', { ...good, packages: [1] }), 400],
		[set('a', { ...good, expire: 'never' }), 400],
		[set('a', { ...good, conlimit: [] }), 400],
		[set('a', { ...good, conlimit: -1 }), 400, 'user.conlimit: ' +
			'is less than 0, which admits no viewer; 0 is any ' +
			'number'],
		[set('a', { ...good, ip: 5 }), 400],
		[set('a', { remove: true }), 404],
		[{ cmd: 'get-user', id: 'a' }, 404],
		[{ cmd: 'get-user' }, 400, 'id: is missing'],
		[{ cmd: 'toggle-user', id: 'a' }, 404],
		[{ cmd: 'toggle-user', id: {} }, 400, 'id: is not a string'],
	];

	for (const [command, status, error] of cases) {
		const reply = await call(sluice, command, admin);
		assert.equal(reply.status, status, JSON.stringify(command));
		assert.equal(typeof reply.json.error, 'string');
		if (error)
			assert.equal(reply.json.error, error);
	}
	assert.deepEqual(await done(sluice, { cmd: 'load' }, admin), before);
	await sluice.stop();
});

test('a password of 511 bytes of any kind is accepted', async (t) => {
	const { sluice, admin } = await startGuarded(t);
	const odd = 'ä"\\\u0001 :€';
	const password = odd + 'x'.repeat(511 - Buffer.byteLength(odd));

	await done(sluice, { cmd: 'set-user', id: 'olga',
		user: { enable: true, type: 2, password } }, admin);
	assert.equal((await login(sluice, 'olga', password)).status, 200);
	assert.equal((await login(sluice, 'olga', password.slice(0, -1)))
		.status, 403);
	assert.equal((await checked(() => call(sluice, { cmd: 'whoami' },
		basic('olga', password)))).status, 200);
	await sluice.stop();
});

test('an observer changes his own password and no other key', async (t) => {
	const { sluice } = await startGuarded(t, { users: {
		olga: { type: 2, password: 'look', comment: 'x' },
		other: { type: 2, password: 'x' } } });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const set = (id, user) => checked(() => call(sluice,
		{ cmd: 'set-user', id, user }, olga));

	for (const [id, user] of [['other', { password: 'n' }],
		['admin', { password: 'n' }], ['new', { password: 'n' }],
		['olga', { password: 'n', type: 1 }], ['olga', { type: 1 }],
		['olga', { password: 'n', enable: true, type: 2 }],
		['olga', { remove: true }], ['olga', {}],
		['olga', { password: '' }], ['olga', { password: 7 }]])
		assert.equal((await set(id, user)).status, 403,
			JSON.stringify([id, user]));
	assert.equal((await set('olga', { password: 'new' })).status, 200);
	assert.equal((await call(sluice, { cmd: 'whoami' }, olga)).status, 403,
		'his sessions are over');
	const next = cookie(await enter(sluice, 'olga', 'new'));
	const entry = await done(sluice, { cmd: 'get-user', id: 'olga' }, next);
	assert.equal(entry.comment, 'x');
	assert.equal(entry.type, 2);
	assert.equal(entry.cipher, undefined, 'observers see no hash');
	await sluice.stop();
});

test('a change of a user while a password is hashed is not lost', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users: {
		olga: { type: 2, password: 'look' } } });
	const get = () => done(sluice, { cmd: 'get-user', id: 'olga' }, admin);
	const was = await get();
	const { pid } = sluice.worker('auth');

	process.kill(pid, 'SIGSTOP');
	const pending = call(sluice, { cmd: 'set-user', id: 'olga', was,
		user: { enable: true, type: 2, password: 'new' } }, admin);
	// so that the request has arrived
	await done(sluice, { cmd: 'whoami' }, admin);
	await done(sluice, { cmd: 'toggle-user', id: 'olga' }, admin);
	process.kill(pid, 'SIGCONT');
	const { status, json } = await pending;
	const now = { ...was, enable: false };

	assert.deepEqual(await get(), now);
	// 503: the hash took longer than five seconds
	if (status !== 503)
		assert.deepEqual([status, json], [409, { now,
			error: 'was: the user is another one now' }]);
	await sluice.stop();
});
