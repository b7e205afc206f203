// SPDX-License-Identifier: GPL-3.0-or-later
// sluicectl login: sessions that it stores, and passwords that it reads.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { AUTH, Ctl, OK } from '../helpers/ctl.mjs';
import { startGuarded } from '../helpers/auth.mjs';
import { Sluice, config } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

test('a login is stored for its user alone, and can be ended', async (t) => {
	const { sluice, password } = await startGuarded(t,
		{ users: { olga: { type: 2, password: 'look' } } });
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const kept = path.join(ctl.home,
		'.local/state/sluicectl/sessions.json');
	const secret = path.join(sluice.dir, 'password');

	await ctl.fails(['status'], AUTH, /login needed: sluicectl login/);
	await ctl.fails(['login'], AUTH, /wrong login or password/, 'wrong\n');
	assert.ok(!fs.existsSync(kept));
	assert.match(await ctl.out(['login'], `${password}\n`),
		/admin is logged in$/m);
	assert.equal(fs.statSync(kept).mode & 0o777, 0o600);
	assert.ok(!fs.readFileSync(kept, 'utf8').includes(password));
	await ctl.out(['status']);

	// another one beside it, by a file; the last option is effective
	fs.writeFileSync(secret, 'look\n');
	assert.deepEqual(await ctl.json(['login', '-u', 'olga',
		'--password-file', secret, '--remember']),
	{ url: `http://127.0.0.1:${sluice.port}`, login: 'olga', type: 2 });
	await ctl.fails(['session', 'kick', '1'], AUTH,
		/observer may not do this: the login is "olga"$/m);
	await sluice.logged(new RegExp('info auth: close-session refused: ' +
		'the user is an observer\\. Login:olga IP:127\\.0\\.0\\.1'));
	assert.match(await ctl.out(['whoami']), /: olga, observer$/m);
	assert.match(await ctl.out(['whoami', '-u', 'admin']),
		/: admin, control user$/m);
	assert.deepEqual(await ctl.json(['whoami']), { type: 2, login: 'olga',
		url: `http://127.0.0.1:${sluice.port}` });
	// the service hides this command from observers
	await ctl.fails(['config', 'set', 'x', '--value', '1'], AUTH,
		/observer/);
	await ctl.out(['config', 'set', 'x', '--value', '1', '-u', 'admin']);

	// the session ends there
	await ctl.out(['config', 'set', 'users.olga.password', '--value',
		'other', '-u', 'admin']);
	await ctl.fails(['status'], AUTH, /the session has ended/);

	// and here
	fs.chmodSync(kept, 0o644);
	await ctl.fails(['status'], AUTH, /other users may read it: chmod 600/);
	fs.chmodSync(kept, 0o600);
	await ctl.out(['logout', '-u', 'admin']);
	await ctl.fails(['status', '-u', 'admin'], AUTH,
		/sluicectl --user admin login/);
	assert.match(await ctl.out(['logout', '-u', 'admin']),
		/not logged in/);
	await sluice.stop();
});

test('repeated wrong passwords get a delay', async (t) => {
	const { sluice } = await startGuarded(t);
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	for (let i = 0; i < 5; i++)
		await ctl.fails(['login'], AUTH, /wrong/, 'wrong\n');
	await ctl.fails(['login'], AUTH, /wait a minute/, 'wrong\n');
	await sluice.stop();
});

test('without logins no password is requested', async (t) => {
	const sluice = await Sluice.start(t, config());
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	assert.match(await ctl.out(['login'], 'x\n'), /needs no login/);
	await ctl.out(['config', 'set', 'own', '--value', 'x']);
	assert.match(await ctl.out(['logout']), /not logged in/);
	await sluice.stop();
});

test('a password is typed at a terminal without being shown', async (t) => {
	const { sluice, password } = await startGuarded(t);
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const child = ctl.terminal(['login']);

	await waitUntil('the question', () =>
		/Password of admin at .*: /.test(child.text.out));
	child.stdin.write(`${password}\r`);
	const { code, out } = await child.ended;
	assert.equal(code, OK, out);
	assert.match(out, /admin is logged in/);
	assert.ok(!out.includes(password));
	await sluice.stop();
});
