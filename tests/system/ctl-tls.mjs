// SPDX-License-Identifier: GPL-3.0-or-later
// sluicectl over TLS: it checks a certificate before it sends a request.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { AUTH, Ctl, UNREACHABLE, USAGE } from '../helpers/ctl.mjs';
import { startGuarded } from '../helpers/auth.mjs';
import { Sluice, config } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { tempDir } from '../helpers/util.mjs';

test('every command works over TLS, and only with a trusted certificate',
	async (t) => {
	const dir = tempDir(t);
	const mine = await certificate(dir, 'mine');
	const other = await certificate(dir, 'other');
	const { sluice, password } = await startGuarded(t,
		{ config: { settings: settingsOf(mine) } });
	const ctl = new Ctl(t, `https://127.0.0.1:${sluice.port}`);

	// wrong passwords, which are never sent: the log reports none
	for (const args of [['login'], ['login', '--cacert', other.chain]])
		await ctl.fails(args, UNREACHABLE,
			/certificate is not trusted; name its authority/,
			'wrong\n');
	await ctl.fails(['status', '--cacert', path.join(dir, 'none.pem')],
		UNREACHABLE, /none\.pem contains no certificates/);
	await ctl.fails(['status', '--cacert'], USAGE, /needs a value/);
	assert.ok(!sluice.log.includes('Authentication failed'));
	await ctl.fails(['login', '-k'], AUTH, /wrong login or password/,
		'wrong\n');
	await sluice.logged(/Authentication failed/);

	const trusted = ['--cacert', mine.chain];
	const { err } = await ctl.run(['login', ...trusted], `${password}\n`);
	assert.equal(err, '', 'no warning of a password in the clear');
	await ctl.out(['status', ...trusted]);
	assert.equal((await ctl.json(['config', 'set', 'own', '--value', '1',
		'-k'])).path, 'own');
	const child = ctl.start(['events', '--json', '-n', '1', '--scope',
		'set-config', ...trusted]);
	for (let n = 0; child.exitCode === null && n < 200; n++)
		await ctl.out(['config', 'set', 'own', '--value', String(n),
			...trusted]);
	const { code, out } = await child.ended;
	assert.equal(code, 0);
	assert.equal(JSON.parse(out).key, 'own');
	await sluice.stop();
});

test('https to an http port is reported', async (t) => {
	const sluice = await Sluice.start(t, config());
	const ctl = new Ctl(t, `https://127.0.0.1:${sluice.port}`);

	await ctl.fails(['status'], UNREACHABLE, /is it http:\/\/\?/);
	await sluice.stop();
});
