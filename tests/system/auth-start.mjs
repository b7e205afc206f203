// SPDX-License-Identifier: GPL-3.0-or-later
// auth-start: the first password, a lost one, and those of another product.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { PASSWORD, again, basic, call as callOnce, checked, done, enter,
	login as loginOnce, startGuarded } from '../helpers/auth.mjs';
import { AS_SELF, MASTER, Sluice, WORKER } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { memoryDir, run, tempDir, waitUntil } from '../helpers/util.mjs';

const read = (sluice) => JSON.parse(fs.readFileSync(sluice.file, 'utf8'));
const OLD = '0123456789abcdef0123456789ABCDEF';
const call = (...args) => checked(() => callOnce(...args));
const login = (...args) => checked(() => loginOnce(...args));

test('the first start creates admin, prints the password once, stores a hash',
	async (t) => {
	const timing = new Timing(t);
	const { sluice, password } = await startGuarded(t,
		{ config: { gid: 7, users: {} },
			options: { dir: await memoryDir(t) } });
	const begin = Date.now();
	const { users, gid } = await waitUntil('save', () => {
		const file = read(sluice);
		return file.users.admin && file;
	});

	// at once, not a second later
	timing.assert(Date.now() - begin < 900);
	assert.equal(gid, 7);
	assert.deepEqual(Object.keys(users), ['admin']);
	assert.deepEqual([users.admin.enable, users.admin.type], [true, 1]);
	assert.match(users.admin.cipher, /^\$y\$/);
	assert.ok(Math.abs(users.admin.created - Date.now() / 1000) < 60);
	assert.equal(sluice.log.split(password).length, 2, 'printed once');
	assert.ok(!fs.readFileSync(sluice.file, 'utf8').includes(password));
	const next = await again(t, sluice);
	assert.doesNotMatch(next.log, PASSWORD);
	assert.equal((await login(next, 'admin', password)).status, 200);
	await next.stop();
});

test('a start without a file creates an admin too', async (t) => {
	const { sluice, password } = await startGuarded(t,
		{ config: undefined });

	assert.equal((await login(sluice, 'admin', password)).status, 200);
	await sluice.stop();
});

test('--no-web-auth creates no user', async (t) => {
	const sluice = await Sluice.start(t, {});

	assert.deepEqual(await sluice.cmd('load'), {});
	await sluice.stop();
});

test('--reset-password prints a new password and stores its hash',
	async (t) => {
	const { sluice, password, admin } = await startGuarded(t, { users: {
		olga: { type: 2, password: 'look', comment: 'x' } } });
	const reset = (...args) => run(MASTER, ['--reset-password', ...args]);
	const id = await enter(sluice, 'olga', 'look');

	await done(sluice, { cmd: 'set-config', key: 'own', data: [1] }, admin);
	await sluice.stop();
	const before = read(sluice);
	const { code, out, err } = await reset('olga', '-c', sluice.file);
	assert.equal(code, 0, err);
	assert.match(out, /^[a-z0-9]{16}\n$/);
	const after = read(sluice);
	assert.notEqual(after.users.olga.cipher, before.users.olga.cipher);
	after.users.olga.cipher = before.users.olga.cipher;
	assert.deepEqual(after, before, 'nothing else changes');

	const next = await again(t, sluice);
	assert.equal((await login(next, 'olga', 'look')).status, 403);
	assert.equal((await login(next, 'olga', out.trim())).status, 200);
	assert.equal((await login(next, 'admin', password)).status, 200);
	assert.equal((await call(next, { cmd: 'whoami' },
		{ Cookie: `svc_session=${id}` })).status, 403,
	'the session of the old password');
	await next.stop();

	// a failed reset changes nothing
	const text = fs.readFileSync(sluice.file, 'utf8');
	assert.notEqual((await reset('nobody', '-c', sluice.file)).code, 0);
	assert.equal((await reset('olga')).code, 64);
	assert.equal((await reset('olga', '-c', '/nonexistent/x')).code, 78);
	assert.equal(fs.readFileSync(sluice.file, 'utf8'), text);
});

test('-t warns if no control user can log in, --reset-password adds one',
	async (t) => {
	const file = path.join(tempDir(t), 'viewers.json');
	const write = (users) => fs.writeFileSync(file,
		JSON.stringify({ settings: {}, users }), { mode: 0o600 });
	const warned = async () => /users: warning: no control user can log in/
		.test((await run(MASTER, ['-t', ...AS_SELF, '-c', file])).err);
	const reset = (login) => run(MASTER,
		['--reset-password', login, '-c', file]);
	const viewer = { enable: true, type: 3, token: 't' };
	const off = { enable: false, type: 1, cipher: '$y$x' };

	// an observer gets the password, and remains one
	write({ olga: { enable: true, type: 2, cipher: '$y$x' } });
	assert.match((await reset('olga')).err,
		/"olga" is an observer, and no control user can log in/);
	write({ viewer, off });
	assert.ok(await warned());
	// a password that admits no login is refused
	for (const [login, error] of [['viewer', /its type is not 1 or 2/],
		['off', /it is disabled/]]) {
		const { code, out, err } = await reset(login);

		assert.deepEqual([code, out], [65, '']);
		assert.match(err, error);
	}
	// with such a login nobody could log in, and no other would be added
	for (const login of ['', 'x'.repeat(129), 'a\nb']) {
		const { code, out, err } = await reset(login);

		assert.deepEqual([code, out], [65, '']);
		assert.match(err, /is not a login of 1 to 128 bytes/);
	}
	assert.deepEqual(read({ file }).users, { viewer, off });
	const { code, out, err } = await reset('boss');
	assert.equal(code, 0, err);
	assert.match(err, /"boss" is added as a control user/);
	assert.ok(!await warned());
	assert.equal((await reset('other')).code, 65);
	const sluice = await Sluice.start(t, read({ file }), { auth: true });
	assert.equal((await call(sluice, { cmd: 'whoami' },
		basic('boss', out.trim()))).json.type, 1);
	await sluice.stop();
	for (const users of [{}, [], { a: { ...off, enable: true } }]) {
		write(users);
		assert.ok(!await warned());
	}
});

test('a running service adopts the new password at SIGHUP', async (t) => {
	const { sluice, password, admin } = await startGuarded(t);

	await waitUntil('save', () => read(sluice).users?.admin);
	const { out } = await run(MASTER, ['--reset-password', 'admin',
		'-c', sluice.file]);
	process.kill(sluice.pid, 'SIGHUP');
	// an earlier attempt counts as a guess, and locks the address
	await sluice.logged(/SIGHUP: configuration reloaded/);
	assert.equal((await login(sluice, 'admin', out.trim())).status, 200);
	assert.equal((await login(sluice, 'admin', password)).status, 403);
	assert.equal((await call(sluice, { cmd: 'whoami' }, admin)).status,
		403);
	await sluice.stop();
});

test('a hash of another product is kept, reported, and admits no login',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users: {
		olga: { type: 2, password: 'look' } } });
	const { users } = await done(sluice, { cmd: 'load' }, admin);

	users.old = { enable: true, type: 1, cipher: OLD };
	await done(sluice, { cmd: 'set-config', key: 'users', data: users },
		admin);
	await sluice.logged(/warning config: users\.old: .*of another product/);
	for (const password of [OLD, '', OLD.toLowerCase()])
		assert.equal((await login(sluice, 'old', password)).status,
			403);
	const entry = await done(sluice, { cmd: 'get-user', id: 'old' }, admin);
	assert.equal(entry.cipher, OLD);
	await done(sluice, { cmd: 'set-user', id: 'old',
		user: { enable: true, type: 1 } }, admin);
	assert.equal((await done(sluice, { cmd: 'get-user', id: 'old' }, admin))
		.cipher, OLD);
	await done(sluice, { cmd: 'set-user', id: 'old',
		user: { enable: true, type: 1, password: 'new' } }, admin);
	assert.equal((await call(sluice, { cmd: 'whoami' },
		basic('old', 'new'))).status, 200);
	await sluice.stop();
});

test('an auth worker that dies costs no login', async (t) => {
	const timing = new Timing(t);
	const { sluice } = await startGuarded(t, { users: {
		olga: { type: 2, password: 'look' } } });
	const { pid } = sluice.worker('auth');

	process.kill(pid, 'SIGSTOP');
	const pending = loginOnce(sluice, 'olga', 'look');
	process.kill(pid, 'SIGKILL');
	const { status } = await pending;
	if (status === 503)
		timing.assert(false, 'another one is not there in 5 s');
	else
		assert.equal(status, 200);
	await sluice.replaced('auth', undefined, pid);
	await sluice.stop();
});

test('a hung auth worker: 503 within five seconds, then normal replies',
	async (t) => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const [program, flag, pids] = ['worker', 'flag', 'pids'].map((name) =>
		path.join(dir, name));

	// with the flag, the replacements of hung workers hang too
	fs.writeFileSync(program, `#!/bin/sh
if [ "$1" = auth ] && [ -e '${flag}' ]; then
	echo $$ >>'${pids}'
	kill -STOP $$
fi
exec '${WORKER}' "$@"
`, { mode: 0o755 });
	const { sluice } = await startGuarded(t, { users: {
		olga: { type: 2, password: 'look' } },
	options: { env: { SLUICE_WORKER: program } } });

	const { pid } = sluice.worker('auth');
	fs.writeFileSync(pids, `${pid}\n`);
	fs.writeFileSync(flag, '');
	process.kill(pid, 'SIGSTOP');
	const begin = Date.now();
	const reply = await loginOnce(sluice, 'olga', 'look');
	const ms = Date.now() - begin;

	fs.rmSync(flag);
	for (const line of fs.readFileSync(pids, 'utf8').trim().split('\n'))
		try {
			process.kill(Number(line), 'SIGCONT');
		} catch {
			// it has been ended
		}
	assert.equal(reply.status, 503, reply.body);
	assert.equal(typeof reply.json.error, 'string');
	assert.ok(ms > 4500, `${ms} ms`);
	timing.assert(ms < 7000, `${ms} ms`);
	await waitUntil('login', async () =>
		(await loginOnce(sluice, 'olga', 'look')).status === 200,
	30000);
	await sluice.stop();
});
