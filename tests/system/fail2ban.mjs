// SPDX-License-Identifier: GPL-3.0-or-later
// auth: a program that bans addresses by the log bans those that guess, and a
// login cannot make it ban another address.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { call, checked, cookie, enter, login, startGuarded }
	from '../helpers/auth.mjs';
import { run, srcdir, tempDir, waitUntil } from '../helpers/util.mjs';

const FILTER = path.join(srcdir, 'etc/fail2ban-sluice.conf');
// What a victim's address would look like in a login.
const VICTIM = '192.0.2.99';
const FORGED = [
	`x IP:${VICTIM}`,
	`x IP:${VICTIM} Login:admin IP:${VICTIM}`,
	`IP:${VICTIM}`,
	`x\n2026-11-20T12:34:56.789+01:00 warning auth: [main] ` +
		`Authentication failed. Login:x IP:${VICTIM}`,
	`x\u00a0IP:${VICTIM}`,
	`x\u2028IP:${VICTIM}`,
	`x" IP:${VICTIM} "`,
	`auth: [main] Authentication failed. Login:x IP:${VICTIM}`,
];

// The addresses that the filter finds in the lines.
async function banned(t, lines) {
	const dir = tempDir(t), file = path.join(dir, 'log');

	// where the filter is installed, its neighbour common.conf is found
	fs.mkdirSync(path.join(dir, 'filter.d'));
	for (const name of ['common.conf', 'common.local'])
		if (fs.existsSync(`/etc/fail2ban/filter.d/${name}`))
			fs.copyFileSync(`/etc/fail2ban/filter.d/${name}`,
				path.join(dir, 'filter.d', name));
	fs.copyFileSync(FILTER, path.join(dir, 'filter.d/sluice.conf'));
	fs.writeFileSync(file, lines.join('\n') + '\n');
	const { code, out, err } = await run('fail2ban-regex', ['-o', 'ip',
		file, path.join(dir, 'filter.d/sluice.conf')]);
	assert.ok(code === 0 || out === '', err);
	return out.split('\n').filter((line) => line !== '');
}

async function isMissing(t) {
	try {
		await run('fail2ban-regex', ['--version']);
		return false;
	} catch {
		t.skip('no fail2ban-regex here');
		return true;
	}
}

test('the filter finds each guess, and no address that a login names',
	async (t) => {
	if (await isMissing(t))
		return;
	const settings = { allow_real_ip: true,
		real_ip_trusted: ['127.0.0.0/8'] };
	const log = path.join(tempDir(t), 'sluice.log');
	const { sluice, admin } = await startGuarded(t, {
		config: { settings, log: { filename: log, api_access: true } },
		users: { olga: { type: 2, password: 'look' } } });
	const own = FORGED.map((_, i) => `198.51.100.${i + 1}`);

	for (const [i, name] of FORGED.entries())
		assert.equal((await checked(() => login(sluice, name, 'x', {},
			{ 'X-Real-IP': own[i] }))).status, 403);
	// a user that is inside, in the lines of its calls
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	for (const id of FORGED) {
		await call(sluice, { cmd: 'get-stream', id }, olga);
		await call(sluice, { cmd: id }, olga);
		await call(sluice, { cmd: 'get-user', id }, admin);
	}
	const lines = () => fs.readFileSync(log, 'utf8').split('\n');
	await waitUntil('the last line', () =>
		lines().filter((line) => /get user id:auth/.test(line)).length);
	assert.deepEqual(await banned(t, lines()), own);
	// a loose filter finds no other address either
	for (const line of lines().filter((l) => /Authentication/.test(l)))
		assert.equal(line.match(/IP:\S+/g)?.length, 1, line);
	await sluice.stop();
});

test('the filter reads the lines of the journal and of the system log',
	async (t) => {
	if (await isMissing(t))
		return;
	const text = 'auth: [main] Authentication failed. Login:olga ' +
		'IP:2001:db8::7';
	const heads = [
		'2026-11-20T12:34:56.789+01:00 warning ',
		'Nov 20 12:34:56 headend sluice[4711]: ',
		'Nov 20 12:34:56 headend-1 sluice[4711]: ',
	];

	assert.deepEqual(await banned(t, heads.map((head) => head + text)),
		heads.map(() => '2001:db8::7'));
	// other lines, other programs, more behind the address
	assert.deepEqual(await banned(t, [
		`Nov 20 12:34:56 headend other[1]: ${text}`,
		`Nov 20 12:34:56 headend sluice[1]: api: ${text}`,
		`Nov 20 12:34:56 headend sluice[1]: ${text} x`,
		'Nov 20 12:34:56 headend sluice[1]: auth: 192.0.2.1 is locked',
	]), []);
});
