// SPDX-License-Identifier: GPL-3.0-or-later
// durability: the newest valid version replaces a configuration that is damaged
// or crashes the service, and the log, status and alarms report it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { basic, call, checked, cookie, done, enter, startGuarded }
	from '../helpers/auth.mjs';
import { AS_SELF, MASTER, Sluice, config, stream }
	from '../helpers/sluice.mjs';
import { freePort, now, run, tempDir, waitUntil } from '../helpers/util.mjs';

const off = (id, n) => stream(id, [], [], { enable: false, n });
const version = (n) => config(off('a001', n));
const nameIn = (dir) => path.join(dir, 'sluice.json');

function put(dir, suffix, content, ageSeconds) {
	const file = nameIn(dir) + suffix;
	const at = Date.now() / 1000 - ageSeconds;

	fs.writeFileSync(file, typeof content === 'string' ? content :
		JSON.stringify(content));
	fs.utimesSync(file, at, at);
}

const read = (dir, suffix = '') =>
	JSON.parse(fs.readFileSync(nameIn(dir) + suffix, 'utf8'));
const broken = (dir) => fs.readdirSync(dir).filter((name) =>
	/^sluice\.json\.broken-\d{8}T\d{6}Z$/.test(name));
const alarms = async (sluice) =>
	(await sluice.json('/api/system-status?t=0')).alarms;
const startIn = (t, dir) => Sluice.start(t, null, { dir });

test('exactly the last ten versions are kept', async (t) => {
	const sluice = await Sluice.start(t, version(0));

	assert.equal(await alarms(sluice), undefined);
	for (let n = 1; n <= 12; n++) {
		await sluice.cmd('set-config', { key: 'n', data: n });
		await waitUntil(`version ${n}`, () =>
			read(sluice.dir).n === n, 30000);
	}
	await sluice.stop();
	assert.equal(read(sluice.dir).n, 12);
	for (let i = 1; i <= 10; i++)
		assert.equal(read(sluice.dir, `.${i}`).n, 12 - i);
	assert.ok(!fs.existsSync(`${sluice.file}.11`));
	assert.ok(!fs.existsSync(`${sluice.file}.0`));
});

test('after a damaged file the newest valid version runs', async (t) => {
	for (const text of ['', '{"make_stream": [', '[]', '\0\0\0\0',
		'{"settings":{"control_port":"99999"}}']) {
		const dir = tempDir(t);

		put(dir, '.backup', version(1), 3000);
		put(dir, '.1', version(2), 2000);
		put(dir, '.2', '{"half": ', 100);
		put(dir, '', text, 50);
		const sluice = await startIn(t, dir);
		const said = await alarms(sluice);
		assert.equal((await sluice.cmd('load')).make_stream[0].n, 2);
		assert.match(said[0], /cannot be used: .*sluice\.json\.1 /);
		assert.match(said[1], /kept as .*broken-/);
		await sluice.logged(/error config: .*cannot be used/);
		assert.deepEqual(read(dir), version(2));
		assert.equal(broken(dir).length, 1);
		assert.equal(fs.readFileSync(path.join(dir, broken(dir)[0]),
			'utf8'), text);
		await sluice.stop();
		// valid again: no further report
		const next = await startIn(t, dir);
		assert.equal(await alarms(next), undefined);
		assert.equal(broken(dir).length, 1);
		await next.stop();
	}
});

test('an alarm from before the log is open is written to its file',
	async (t) => {
	const dir = tempDir(t);
	const log = path.join(dir, 'sluice.log');

	put(dir, '.1', { ...version(1), log: { filename: log } }, 100);
	put(dir, '', '{', 50);
	const sluice = await startIn(t, dir);
	const [first, second] = await alarms(sluice);
	const text = await waitUntil('the file', () => {
		const all = fs.readFileSync(log, 'utf8');
		return all.includes(second) && all;
	});
	assert.match(text, / error config: /);
	assert.ok(text.includes(first));
	assert.equal(text.split(` error config: ${first}`).length, 2, 'once');
	await sluice.stop();
});

test('no valid version: exit status 78, and every file is unchanged',
	async (t) => {
	const dir = tempDir(t);

	put(dir, '', '{"make_stream": [', 50);
	put(dir, '.backup', '[]', 60);
	put(dir, '.1', '', 70);
	const before = fs.readdirSync(dir);
	const { code, err } = await run(MASTER, [...AS_SELF, '-c', nameIn(dir),
		'--no-web-auth', '-p', String(await freePort())]);
	assert.equal(code, 78);
	assert.match(err, /sluice\.json: line 1/);
	assert.deepEqual(fs.readdirSync(dir).filter((name) =>
		!name.endsWith('.lock')), before);
	assert.equal(fs.readFileSync(nameIn(dir), 'utf8'),
		'{"make_stream": [');
});

// Of the run before.
const NO_END = /warning config: .* did not shut down cleanly/;

async function die(t, dir) {
	const sluice = await startIn(t, dir);

	sluice.child.kill('SIGKILL');
	await sluice.child.ended;
	return sluice;
}

test('after three crashes behind a change the version before runs',
	async (t) => {
	const dir = tempDir(t);

	put(dir, '.1', version(1), 100);
	put(dir, '', version(2), 50);
	for (let i = 0; i < 3; i++) {
		const dead = await die(t, dir);
		assert.doesNotMatch(dead.log, /crashed/, `start ${i}`);
		assert.deepEqual(read(dir), version(2));
	}
	const sluice = await startIn(t, dir);
	assert.equal((await sluice.cmd('load')).make_stream[0].n, 1);
	assert.match((await alarms(sluice))[0], /crashed 3 times/);
	await sluice.logged(/error config: .*crashed 3 times/);
	assert.deepEqual(read(dir), version(1));
	assert.deepEqual(JSON.parse(fs.readFileSync(
		path.join(dir, broken(dir)[0]))), version(2));
	// a restored version is not left again, however often it crashes
	sluice.child.kill('SIGKILL');
	await sluice.child.ended;
	for (let i = 0; i < 4; i++)
		await die(t, dir);
	assert.deepEqual(read(dir), version(1));
	assert.equal(broken(dir).length, 1);
});

test('the version that replaces a crashing one keeps the present users',
	async (t) => {
	const dir = tempDir(t);
	const users = { noc: { type: 1, enable: true,
		cipher: 'a'.repeat(40) } };

	put(dir, '.1', { ...version(1), users: { noc: { ...users.noc,
		enable: false }, former: users.noc } }, 100);
	put(dir, '', { ...version(2), users }, 50);
	for (let i = 0; i < 3; i++)
		await die(t, dir);
	const sluice = await startIn(t, dir);
	assert.match((await alarms(sluice))[0], /except to user accounts/);
	const { make_stream: streams, users: kept } = read(dir);
	assert.deepEqual(streams, version(1).make_stream);
	assert.deepEqual(kept, users);
	await sluice.stop();
});

test('a clean end in between resets the counter of crashes', async (t) => {
	const dir = tempDir(t);

	put(dir, '.1', version(1), 100);
	put(dir, '', version(2), 50);
	assert.doesNotMatch((await die(t, dir)).log, NO_END);
	assert.match((await die(t, dir)).log, NO_END);
	const orderly = await startIn(t, dir);
	await orderly.logged(NO_END);
	await orderly.stop();
	assert.doesNotMatch((await die(t, dir)).log, NO_END);
	await die(t, dir);
	const sluice = await startIn(t, dir);
	assert.equal((await sluice.cmd('load')).make_stream[0].n, 2);
	await sluice.stop();
});

test('a restart through the API is no crash', async (t) => {
	const dir = tempDir(t);

	put(dir, '.1', version(1), 100);
	put(dir, '', version(2), 50);
	const sluice = await startIn(t, dir);
	for (let i = 1; i <= 4; i++) {
		await sluice.cmd('restart');
		await waitUntil(`restart ${i}`, () =>
			sluice.log.split('restarting').length > i, 20000);
		await sluice.ready();
	}
	assert.equal((await sluice.cmd('load')).make_stream[0].n, 2);
	assert.equal(await alarms(sluice), undefined);
	await sluice.stop();
	assert.doesNotMatch(sluice.log, NO_END);
	assert.equal(JSON.parse(fs.readFileSync(`${nameIn(dir)}.starts`))
		.unclean, 0);
});

// kill -9 right behind the answer, and a start with what is on the disk.
async function killed(t, all) {
	all.sluice.child.kill('SIGKILL');
	await all.sluice.child.ended;
	return Sluice.start(t, null, { dir: all.sluice.dir, auth: true });
}

for (const [what, command] of Object.entries({
	'removed': { cmd: 'set-user', id: 'eve', user: { remove: true } },
	'disabled': { cmd: 'toggle-user', id: 'eve' },
	'given another password': { cmd: 'set-user', id: 'eve',
		user: { enable: true, type: 1, password: 'other' } },
	'given another type': { cmd: 'set-user', id: 'eve',
		user: { enable: true, type: 3 } },
	'left out of the section': { cmd: 'set-config', key: 'users' },
}))
	test(`a user that was ${what} stays so behind kill -9`, async (t) => {
		const all = await startGuarded(t, { users: {
			eve: { type: 1, password: 'secret' } } });
		const session = cookie(await enter(all.sluice, 'eve',
			'secret'));

		await waitUntil('the save', () =>
			read(all.sluice.dir).users.eve !== undefined);
		const more = command.key ? { data: { admin: (await done(
			all.sluice, { cmd: 'load' }, all.admin)).users.admin } }
			: {};

		await done(all.sluice, { ...command, ...more }, all.admin);
		const next = await killed(t, all);
		for (const headers of [basic('eve', 'secret'), session])
			assert.equal((await checked(() => call(next,
				{ cmd: 'whoami' }, headers))).status, 403);
		await done(next, { cmd: 'whoami' },
			basic('admin', all.password));
		await next.stop();
	});

test('the own password of an observer is saved before the reply, but not at ' +
	'once', async (t) => {
	const all = await startGuarded(t, { users: {
		eve: { type: 2, password: 'secret' } } });
	const session = cookie(await enter(all.sluice, 'eve', 'secret'));

	await waitUntil('the save', () =>
		read(all.sluice.dir).users.eve !== undefined);
	const begin = now();
	await done(all.sluice, { cmd: 'set-user', id: 'eve',
		user: { password: 'other' } }, session);
	// an observer could make the service write all the time
	assert.ok(now() - begin > 900);
	const next = await killed(t, all);
	for (const [password, status] of [['secret', 403], ['other', 200]])
		assert.equal((await checked(() => call(next, { cmd: 'whoami' },
			basic('eve', password)))).status, status, password);
	await next.stop();
});

test('viewers that set-auth excludes stay so behind kill -9', async (t) => {
	const all = await startGuarded(t);
	const auth = { enable: true, http_token_deny: ['stolen'] };

	await done(all.sluice, { cmd: 'set-auth', auth }, all.admin);
	const next = await killed(t, all);
	assert.deepEqual((await done(next, { cmd: 'load' },
		basic('admin', all.password))).auth, auth);
	await next.stop();
});
