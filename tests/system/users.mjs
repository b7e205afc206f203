// SPDX-License-Identifier: GPL-3.0-or-later
// users: get-user, set-user, toggle-user, the stored object and the events.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { PASSWORD, basic, call, checked, cookie, done, enter, login as ask,
	startGuarded } from '../helpers/auth.mjs';
import { MASTER, Sluice } from '../helpers/sluice.mjs';
import { run, waitUntil } from '../helpers/util.mjs';
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

test('set-user warns that a user without a password cannot log in',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, {
		config: { settings: { observer_redact: true } } });
	const warned = async (more, dry = {}) => ((await done(sluice, {
		cmd: 'set-user', id: 'olga', warnings: true, ...dry,
		user: { enable: true, type: 2, ...more } }, admin))
		.warnings ?? []).join();

	for (const dry of [{ dry_run: true }, {}]) {
		assert.match(await warned({}, dry),
			/^user: has no password: the user cannot log in/);
		assert.equal(await warned({ enable: false }, dry), '');
	}
	await sluice.logged(/warning user: olga: has no password: the user/);
	assert.equal(await warned({ password: 'look' }), '');
	assert.equal(await warned({}), '');
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
		'is less than 0: every viewer of the user is denied; 0 is ' +
		'any number'],
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

// The answer waits for the usual save; a restart saves at once.
test('the own password of an observer is answered before a restart',
	async (t) => {
		const { sluice, told } = await startWithEvents(t, {
			olga: { type: 2, password: 'look' } });
		const olga = cookie(await enter(sluice, 'olga', 'look'));

		await waitUntil('the save', () => JSON.parse(fs.readFileSync(
			sluice.file, 'utf8')).users.olga !== undefined);
		const pending = call(sluice, { cmd: 'set-user', id: 'olga',
			user: { password: 'new' } }, olga);
		await told(1);
		process.kill(sluice.pid, 'SIGUSR2');
		assert.equal((await pending).status, 200);
		await sluice.logged(/restarting: the streams continue/);
		await sluice.ready();
		await enter(sluice, 'olga', 'new');
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
			error: 'was: the user has changed meanwhile: ' +
				'"now" is its present value' }]);
	await sluice.stop();
});

// --- the last control user ---

const LOST = 'no control user can log in (type 1, enabled, with a password): ' +
	'streams and settings cannot be changed';
const IN_FILE = `${LOST} through the API until sluice --reset-password LOGIN ` +
	'-c FILE adds the new user LOGIN, or the file is edited, and SIGHUP ' +
	'or a restart loads the file';
const NO_FILE = `${LOST} until the service is stopped and started, which ` +
	'loses the configuration, because it has no file';
const NO_USER = 'there is no user: no login is possible until the service ' +
	'restarts (SIGUSR2), which creates the user admin and prints its ' +
	'password';

// without the warning about observers
const config = { settings: { observer_redact: true } };
const demoted = { enable: true, type: 2 };

const logs = (sluice, text) => waitUntil('the log', () =>
	sluice.log.includes(`warning auth: ${text}\n`));

// The commands that take the rights of admin.
async function demotions(sluice, admin) {
	const { users } = await done(sluice, { cmd: 'load' }, admin);

	return [
		...[{ enable: false, type: 1 }, demoted,
			{ enable: true, type: 3 }].map((user) =>
			({ cmd: 'set-user', id: 'admin', user })),
		{ cmd: 'toggle-user', id: 'admin' },
		{ cmd: 'set-config', key: 'users', data: { ...users,
			admin: { ...users.admin, enable: false } } },
	];
}

// The warnings of a dry run of this command.
const foreseen = async (sluice, command, headers) => (await done(sluice,
	{ ...command, dry_run: true, warnings: true }, headers)).warnings;

test('the last control user goes with a warning, which names the way back',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { config, users: {
		olga: { type: 2, password: 'look' } } });
	const control = (headers) => call(sluice, { cmd: 'toggle-user',
		id: 'olga' }, headers);
	const removal = { cmd: 'set-user', id: 'admin',
		user: { remove: true } };
	const ways = async () =>
		[removal, ...await demotions(sluice, admin)];
	const second = { cmd: 'set-user', id: 'carl', user: { enable: true,
		type: 1, password: 'x' } };
	const warned = { warnings: [`users: ${IN_FILE}`] };

	for (const way of await ways()) {
		assert.deepEqual(await foreseen(sluice, way, admin),
			warned.warnings, JSON.stringify(way));
		assert.equal((await done(sluice, { ...way, dry_run: true },
			admin)).warnings, undefined);
	}
	// an observer has no such warning, and no other control user causes it
	assert.equal(await foreseen(sluice, { cmd: 'set-user', id: 'olga',
		user: { password: 'new' } }, basic('olga', 'look')), undefined);
	for (const ask of [foreseen, done])
		assert.deepEqual((await ask(sluice, { ...second,
			warnings: true }, admin))?.warnings, undefined);
	for (const way of await ways())
		assert.equal(await foreseen(sluice, way, admin), undefined);
	await done(sluice, { cmd: 'set-user', id: 'carl',
		user: { remove: true } }, admin);
	assert.doesNotMatch(sluice.log, /no control user/);

	assert.deepEqual(await done(sluice, { cmd: 'set-user', id: 'admin',
		user: demoted, warnings: true }, admin),
	{ 'set-user': 'ok', ...warned });
	await logs(sluice, IN_FILE);
	assert.equal((await control(admin)).status, 403);
	const { code, out, err } = await run(MASTER, ['--reset-password',
		'boss', '-c', sluice.file]);
	assert.equal(code, 0, err);
	process.kill(sluice.pid, 'SIGHUP');
	await sluice.logged(/SIGHUP: configuration reloaded/);
	const boss = basic('boss', out.trim());
	assert.equal((await checked(() => control(boss))).status, 200);
	await sluice.stop();
});

test('a reload without a control user has the warning, as sluice -t',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { config });
	const reload = async (users) => {
		fs.writeFileSync(sluice.file, JSON.stringify(
			{ ...config, users }));
		return done(sluice, { cmd: 'reload' }, admin);
	};
	const read = () => JSON.parse(fs.readFileSync(sluice.file, 'utf8'));
	const { users } = await waitUntil('the save', () =>
		read().users && read());

	assert.equal((await reload(users)).warnings, undefined);
	assert.deepEqual((await reload({ admin: { ...users.admin,
		enable: false } })).warnings, [`users: ${IN_FILE}`]);
	await logs(sluice, IN_FILE);
	const { err } = await run(MASTER, ['-t', '-c', sluice.file]);
	assert.ok(err.includes(`users: warning: ${IN_FILE}\n`), err);
	await sluice.stop();
});

test('without a user the restart, which the warning names, creates admin',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { config });
	const removal = { cmd: 'set-user', id: 'admin',
		user: { remove: true } };

	for (const way of [removal, { cmd: 'set-config', key: 'users' },
		{ cmd: 'set-config', key: 'users', data: {} }])
		assert.deepEqual(await foreseen(sluice, way, admin),
			[`users: ${NO_USER}`], JSON.stringify(way));
	assert.deepEqual(await done(sluice, { ...removal, warnings: true },
		admin), { 'set-user': 'ok', warnings: [`users: ${NO_USER}`] });
	await logs(sluice, NO_USER);
	assert.equal((await call(sluice, { cmd: 'whoami' }, admin)).status,
		403);
	const { length } = sluice.log;
	process.kill(sluice.pid, 'SIGUSR2');
	const [, password] = await waitUntil('the password', () =>
		PASSWORD.exec(sluice.log.slice(length)));
	assert.equal((await checked(() => call(sluice, { cmd: 'load' },
		basic('admin', password)))).json.users.admin.type, 1);
	await sluice.stop();
});

test('the warning without a file names the way that is left', async (t) => {
	const { sluice, admin } = await startGuarded(t,
		{ options: { withoutFile: true } });

	assert.deepEqual(await done(sluice, { cmd: 'toggle-user', id: 'admin',
		warnings: true }, admin), { 'toggle-user': 'ok',
		warnings: [`users: ${NO_FILE}`] });
	await logs(sluice, NO_FILE);
	await sluice.stop();
});

test('set-config without a file does not name the file as a way',
	async (t) => {
	const { sluice, admin } = await startGuarded(t,
		{ options: { withoutFile: true } });

	assert.deepEqual((await done(sluice, { cmd: 'set-config', key: 'users',
		data: { olga: { enable: true, type: 3, cipher: '$y$x' } },
		warnings: true }, admin)).warnings, [`users: ${NO_FILE}`]);
	await logs(sluice, NO_FILE);
	assert.doesNotMatch(sluice.log, /-c FILE/);
	await sluice.stop();
});

test('where no login is needed no observer is locked out', async (t) => {
	const users = { olga: { enable: true, type: 2, cipher: '$y$x' } };
	const sluice = await Sluice.start(t, { ...config, users });
	const check = async (...more) => (await run(MASTER, ['-t', '-c',
		sluice.file, ...more])).err;

	for (const fields of [{ cmd: 'set-config', key: 'users', data: users },
		{ cmd: 'upload', config: { ...config, users } },
		{ cmd: 'reload' }])
		assert.equal((await sluice.cmd(fields.cmd, { ...fields,
			warnings: true })).warnings, undefined, fields.cmd);
	assert.match(await check(), /no control user/);
	assert.doesNotMatch(await check('--no-web-auth'), /no control user/);
	await sluice.stop();
	assert.doesNotMatch(sluice.log, /no control user|cannot be changed/);
});

test('where no login is needed no user is missed', async (t) => {
	const users = { admin: { enable: true, type: 1, cipher: '$y$x' } };
	const sluice = await Sluice.start(t, { ...config, users });

	for (const fields of [{ cmd: 'toggle-user' },
		{ cmd: 'set-user', user: { remove: true } }])
		assert.equal((await sluice.cmd(fields.cmd, { ...fields,
			id: 'admin', warnings: true })).warnings, undefined);
	await sluice.stop();
	assert.doesNotMatch(sluice.log, /no control user|no user/);
});
