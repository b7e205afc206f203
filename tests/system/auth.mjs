// SPDX-License-Identifier: GPL-3.0-or-later
// auth: login and logout, the credentials of a request, and the end of a
// session.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { basic, bearer, call as callOnce, checked, cookie, done, enter,
	login as loginOnce, sessionOf, startGuarded }
	from '../helpers/auth.mjs';
import { Sluice, request } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

const call = (...args) => checked(() => callOnce(...args));
const login = (...args) => checked(() => loginOnce(...args));
const who = (sluice, headers) => call(sluice, { cmd: 'whoami' }, headers);
const inside = async (sluice, headers) =>
	(await who(sluice, headers)).status === 200;

const users = {
	olga: { type: 2, password: 'look' },
	carl: { type: 1, password: 'rule' },
	viewer: { type: 3, password: 'watch' },
	off: { type: 1, password: 'off', enable: false },
};

test('login returns the user and sets the cookie', async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const plain = await login(sluice, 'olga', 'look');

	assert.deepEqual([plain.status, plain.json],
		[200, { login: 'olga', type: 2 }]);
	assert.match(plain.headers['set-cookie'][0],
		/^svc_session=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax$/);
	const long = await login(sluice, 'carl', 'rule', { remember: true });
	assert.match(long.headers['set-cookie'][0], new RegExp(
		'^svc_session=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Lax; ' +
		'Max-Age=2592000$'));
	assert.notEqual(sessionOf(plain), sessionOf(long));
	await sluice.stop();
});

test('an invalid login is rejected, and no cookie is set', async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const cases = [
		[{ cmd: 'login' }, 400, ''],
		[{ cmd: 'login', login: 'olga' }, 400, ''],
		[{ cmd: 'login', password: 'look' }, 400, ''],
		[{ cmd: 'login', login: 1, password: 'look' }, 400, ''],
		[{ cmd: 'login', login: 'olga', password: null }, 400, ''],
		[{ cmd: 'login', login: 'olga', password: 'look',
			remember: 1 }, 400],
		[{ cmd: 'login', login: 'nobody', password: 'x' }, 403],
		[{ cmd: 'login', login: 'olga', password: 'x' }, 403],
		[{ cmd: 'login', login: 'off', password: 'off' }, 403],
		[{ cmd: 'login', login: 'viewer', password: 'watch' }, 403],
		[{ cmd: 'login', login: 'olga', password: '' }, 403],
	];

	for (const [command, status, body] of cases) {
		const reply = await call(sluice, command);
		assert.equal(reply.status, status, JSON.stringify(command));
		assert.equal(reply.headers['set-cookie'], undefined);
		if (body !== undefined)
			assert.equal(reply.body, body);
		else
			assert.equal(typeof reply.json.error, 'string');
	}
	await sluice.stop();
});

test('the log names the failed login and its address, but no password',
	async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const failed = (name) => sluice.log.split('\n').filter((line) =>
		line.includes('[main] Authentication failed. ' +
			`Login:${name} IP:127.0.0.1`)).length;

	await login(sluice, 'nobody', 'Geheim-1');
	await login(sluice, 'olga', 'Geheim-2');
	await login(sluice, 'off', 'off');
	await login(sluice, 'viewer', 'watch');
	await login(sluice, 'evil\nmain: [main] \x1b[2J\u0085', 'Geheim-3');
	await waitUntil('line', () => sluice.log.includes('evil'));
	assert.deepEqual(['nobody', 'olga', 'off', 'viewer'].map(failed),
		[1, 1, 1, 0]);
	assert.doesNotMatch(sluice.log, /Geheim|\nmain|\x1b|\u0085/);
	await sluice.stop();
});

test('Basic, the cookie and Bearer admit a request', async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const id = await enter(sluice, 'olga', 'look');
	const is = { login: 'olga', type: 2 };
	const no = { ...bearer('0'.repeat(64)) };

	for (const headers of [cookie(id), bearer(id), basic('olga', 'look'),
		{ ...cookie('0'.repeat(64)), ...basic('olga', 'look') },
		{ Cookie: `a=b; svc_session=${id}; c=d` }])
		assert.deepEqual((await who(sluice, headers)).json, is);
	for (const headers of [{}, no, cookie('x'), cookie(''),
		cookie('0'.repeat(64)), cookie(id.toUpperCase()),
		basic('viewer', 'watch'), basic('off', 'off'),
		{ Authorization: 'Basic !' }, { Authorization: 'Digest a' },
		{ ...cookie(id), ...no }]) {
		const reply = await who(sluice, headers);
		assert.equal(reply.status, 403, JSON.stringify(headers));
		assert.equal(reply.headers['www-authenticate'], undefined);
	}
	// also on the paths
	const path = '/api/system-status';
	assert.equal((await request(sluice.port,
		{ path, headers: cookie(id) })).status, 200);
	assert.equal((await request(sluice.port,
		{ path, headers: basic('olga', 'look') })).status, 200);
	const bare = await request(sluice.port, { path });

	assert.equal(bare.status, 403);
	assert.match(bare.text ?? `${bare.body}`, /login needed: send login/);
	await sluice.stop();
});

test('logout ends only the session that requests it', async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const [one, two] = [await enter(sluice, 'olga', 'look'),
		await enter(sluice, 'olga', 'look')];
	const clearing = [
		'svc_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0'];

	for (const headers of [cookie(one), basic('olga', 'look')]) {
		const reply = await call(sluice, { cmd: 'logout' }, headers);
		assert.deepEqual([reply.status, reply.json], [200, {}]);
		assert.deepEqual(reply.headers['set-cookie'], clearing);
	}
	assert.equal(await inside(sluice, cookie(one)), false);
	assert.equal(await inside(sluice, cookie(two)), true);
	assert.equal((await call(sluice, { cmd: 'logout' }, cookie(one)))
		.status, 403);
	await sluice.stop();
});

test('a session that was logged out stays invalid after a crash',
	async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const [one, two] = [await enter(sluice, 'olga', 'look'),
		await enter(sluice, 'olga', 'look')];

	// users and both sessions are in the files
	await waitUntil('the files', () => assert.equal(Object.keys(JSON.parse(
		fs.readFileSync(`${sluice.file}.sessions`)).sessions).length,
	3) ?? JSON.parse(fs.readFileSync(sluice.file)).users?.olga);
	await call(sluice, { cmd: 'logout' }, cookie(one));
	sluice.child.kill('SIGKILL');
	await sluice.child.ended;
	const again = await Sluice.start(t, null,
		{ auth: true, dir: sluice.dir });

	assert.equal(await inside(again, cookie(two)), true);
	assert.equal(await inside(again, cookie(one)), false);
	await again.stop();
});

test('a 17th session ends the session that expires first', async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const ids = [];

	for (let i = 0; i < 17; i++)
		ids.push(await enter(sluice, 'olga', 'look',
			{ remember: i !== 5 }));
	for (let i = 0; i < 17; i++)
		assert.equal(await inside(sluice, cookie(ids[i])), i !== 5,
			`session ${i}`);
	await sluice.stop();
});

test('sessions outlive a restart; closed and expired ones do not',
	async (t) => {
	let { sluice } = await startGuarded(t, { users });
	const kept = await enter(sluice, 'olga', 'look');
	const ended = await enter(sluice, 'olga', 'look');
	const old = await enter(sluice, 'carl', 'rule');
	const long = await enter(sluice, 'olga', 'look', { remember: true });
	const file = `${sluice.file}.sessions`;

	await call(sluice, { cmd: 'logout' }, cookie(ended));
	await sluice.stop();
	assert.equal(fs.statSync(file).mode & 0o777, 0o600);
	const text = fs.readFileSync(file, 'utf8');
	for (const id of [kept, ended, old, long])
		assert.ok(!text.includes(id), 'an id is in the file');
	const saved = JSON.parse(text);
	const days = saved.sessions.filter((s) => s.login === 'olga')
		.map((s) => (s.expires - Date.now() / 1000) / 86400)
		.sort((a, b) => a - b);
	assert.equal(days.length, 2);
	assert.ok(Math.abs(days[0] - 1) < 0.01, `${days[0]} days`);
	assert.ok(Math.abs(days[1] - 30) < 0.01, `${days[1]} days`);
	for (const session of saved.sessions)
		if (session.login === 'carl')
			session.expires = Math.floor(Date.now() / 1000) + 2;
	fs.writeFileSync(file, JSON.stringify(saved));
	sluice = await Sluice.start(t, null, { auth: true, dir: sluice.dir });
	assert.deepEqual((await who(sluice, cookie(kept))).json,
		{ login: 'olga', type: 2 });
	assert.equal(await inside(sluice, cookie(ended)), false);
	await waitUntil('end of a session', async () =>
		!await inside(sluice, cookie(old)));
	// a file that is broken costs the sessions and nothing else
	await sluice.stop();
	fs.writeFileSync(file, '{"sessions": [');
	sluice = await Sluice.start(t, null, { auth: true, dir: sluice.dir });
	assert.equal(await inside(sluice, cookie(kept)), false);
	assert.equal((await login(sluice, 'olga', 'look')).status, 200);
	await sluice.stop();
});

test('sessions are stored in the state folder if there is one', async (t) => {
	const dir = fs.mkdtempSync('/tmp/sluice-state-');
	t.after(() => fs.rmSync(dir, { recursive: true }));
	const { sluice } = await startGuarded(t, { options: {
		env: { STATE_DIRECTORY: `${dir}:/nowhere` } } });

	await waitUntil('file', () => fs.existsSync(`${dir}/sessions.json`));
	assert.equal(fs.existsSync(`${sluice.file}.sessions`), false);
	await sluice.stop();
});

test('a change of the user applies to live sessions at once', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const set = (id, user) => done(sluice, { cmd: 'set-user', id, user },
		admin);
	const olga = { enable: true, type: 2 };
	let id = cookie(await enter(sluice, 'olga', 'look'));

	await set('olga', { ...olga, type: 1 });
	assert.deepEqual((await who(sluice, id)).json,
		{ login: 'olga', type: 1 });
	await set('olga', { ...olga, type: 3 });
	assert.equal(await inside(sluice, id), false);
	await set('olga', olga);
	assert.equal(await inside(sluice, id), true, 'it was not revoked');

	// a disabled session stays closed, however it was disabled
	for (const disable of [
		() => done(sluice, { cmd: 'toggle-user', id: 'olga' }, admin),
		() => set('olga', { ...olga, enable: false })]) {
		await disable();
		assert.equal(await inside(sluice, id), false);
		assert.equal((await login(sluice, 'olga', 'look')).status,
			403);
		await set('olga', olga);
		assert.equal(await inside(sluice, id), false);
		id = cookie(await enter(sluice, 'olga', 'look'));
	}
	// another password
	await set('olga', { ...olga, password: 'new' });
	assert.equal(await inside(sluice, id), false);
	assert.equal(await inside(sluice, basic('olga', 'look')), false);
	id = cookie(await enter(sluice, 'olga', 'new'));
	// removed, and made again with the same password
	await set('olga', { remove: true });
	assert.equal(await inside(sluice, id), false);
	await set('olga', { ...olga, password: 'new' });
	assert.equal(await inside(sluice, id), false);
	await sluice.stop();
});

test('cached Basic credentials expire with their password', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const olga = { enable: true, type: 2 };

	for (let i = 0; i < 3; i++)
		assert.equal(await inside(sluice, basic('olga', 'look')), true);
	await done(sluice, { cmd: 'set-user', id: 'olga',
		user: { ...olga, password: 'new' } }, admin);
	assert.equal(await inside(sluice, basic('olga', 'look')), false);
	assert.equal(await inside(sluice, basic('olga', 'new')), true);
	await done(sluice, { cmd: 'toggle-user', id: 'olga' }, admin);
	assert.equal(await inside(sluice, basic('olga', 'new')), false);
	await sluice.stop();
});

test('set-config of the users ends the sessions of removed users',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const [olga, carl] = [cookie(await enter(sluice, 'olga', 'look')),
		cookie(await enter(sluice, 'carl', 'rule'))];
	const { users: data } = await done(sluice, { cmd: 'load' }, admin);

	delete data.olga;
	await done(sluice, { cmd: 'set-config', key: 'users', data }, admin);
	assert.equal(await inside(sluice, olga), false);
	assert.equal(await inside(sluice, carl), true);
	assert.equal(await inside(sluice, admin), true);
	await sluice.stop();
});

test('a page of another site cannot make the browser send a command',
	async (t) => {
	const { sluice, admin } = await startGuarded(t);
	const open = await Sluice.start(t, {});
	const here = `http://127.0.0.1:${sluice.port}`;

	for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' },
		{ 'Sec-Fetch-Site': 'same-site' }, { Origin: 'null' },
		{ Origin: 'http://evil.example' }]) {
		assert.equal((await who(sluice, { ...admin, ...headers }))
			.status, 403);
		assert.equal((await who(open, headers)).status, 403);
		assert.equal((await login(sluice, 'a', 'b', {}, headers))
			.status, 403);
	}
	for (const headers of [{}, { 'Sec-Fetch-Site': 'same-origin' },
		{ 'Sec-Fetch-Site': 'none' }, { Origin: here }])
		assert.equal((await who(sluice, { ...admin, ...headers }))
			.status, 200);
	// first the user with a worker: no other worker may remain
	await sluice.stop();
	await open.stop();
});

test('the cookie is limited to the prefix of the paths', async (t) => {
	const { sluice } = await startGuarded(t, {
		config: { settings: { control_path: '' } }, users });

	await sluice.stop();
	const file = JSON.parse(fs.readFileSync(sluice.file, 'utf8'));
	file.settings.control_path = '/tv/';
	fs.writeFileSync(sluice.file, JSON.stringify(file));
	const next = await Sluice.start(t, null, { auth: true, wait: false,
		dir: sluice.dir });
	const reply = await waitUntil('answer', () => call(next,
		{ cmd: 'login', login: 'olga', password: 'look' }, {},
		{ path: '/tv/control/' }));
	assert.match(reply.headers['set-cookie'][0], /; Path=\/tv\/; /);
	await next.stop();
});

test('--no-web-auth admits every request as "-"', async (t) => {
	const sluice = await Sluice.start(t, {});
	const is = { login: '-', type: 1 };

	for (const headers of [{}, basic('x', 'y'), cookie('0'.repeat(64))])
		assert.deepEqual((await who(sluice, headers)).json, is);
	const reply = await login(sluice, 'any', 'thing');
	assert.deepEqual([reply.status, reply.json], [200, is]);
	assert.equal(reply.headers['set-cookie'], undefined);
	const empty = await call(sluice, { cmd: 'login' });
	assert.deepEqual([empty.status, empty.body], [400, '']);
	const out = await call(sluice, { cmd: 'logout' });
	assert.deepEqual(out.json, {});
	assert.match(out.headers['set-cookie'][0], /^svc_session=; /);
	assert.match((await sluice.cmd('ws-token')).token, /^[0-9a-f]{64}$/);
	assert.equal(sluice.worker('auth'), undefined, 'nothing was hashed');
	await sluice.stop();
});

test('a client disconnects while its password is checked', async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const hurry = (i) => request(sluice.port, { method: 'POST',
		path: '/control/', timeout: 3,
		headers: basic('olga', i % 2 ? 'look' : `x${i}`) },
	'{"cmd":"whoami"}').catch(() => 'gone');

	await Promise.all(Array.from({ length: 6 }, (_, i) => hurry(i)));
	assert.equal((await call(sluice, { cmd: 'login' })).status, 400);
	assert.equal(sluice.child.exitCode, null);
	await sluice.stop();
});
