// SPDX-License-Identifier: GPL-3.0-or-later
// api, without credentials: a page whose name was made to lead to this machine
// is refused, and names of this machine are answered.
import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { basic, startGuarded } from '../helpers/auth.mjs';
import { Sluice, config, request } from '../helpers/sluice.mjs';
import { run } from '../helpers/util.mjs';

const EVIL = 'evil.example';

// What a browser sends for a page of http://EVIL:PORT.
const rebound = (port) => ({ Host: `${EVIL}:${port}`,
	Origin: `http://${EVIL}:${port}`, 'Sec-Fetch-Site': 'same-origin' });

const post = (port, headers, command) => request(port, { method: 'POST',
	path: '/control/', headers }, JSON.stringify(command));

test('a page of a rebound name can neither read nor change anything',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const { port } = sluice;

	for (const command of [
		{ cmd: 'set-user', id: 'mallory', user: { enable: true, type: 1,
			password: 'secret' } },
		{ cmd: 'load' },
		{ cmd: 'login', login: 'x', password: 'x' },
	]) {
		const reply = await post(port, rebound(port), command);

		assert.equal(reply.status, 403, command.cmd);
		assert.match(JSON.parse(reply.body).error, /control_hosts/);
	}
	for (const path of ['/api/config', '/api/system-status', '/nowhere'])
		assert.equal((await request(port, { path,
			headers: rebound(port) })).status, 403, path);
	assert.equal((await request(port, { path: '/control/event/?token=x',
		headers: { ...rebound(port), Upgrade: 'websocket',
			Connection: 'Upgrade', 'Sec-WebSocket-Version': 13,
			'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' } }))
		.status, 403);
	assert.equal((await sluice.cmd('load')).users, undefined);
	await sluice.stop();
});

test('names of this machine and of the setting are answered', async (t) => {
	const sluice = await Sluice.start(t, { ...config(), settings: {
		control_hosts: ['proxy.example.org'] } });
	const { code, err } = await run('ip', ['address', 'replace',
		'192.0.2.1/32', 'dev', 'lo']);
	const status = async (Host, host = '127.0.0.1') => (await request(
		sluice.port, { host, path: '/api/system-status?t=0',
			headers: { Host } })).status;

	assert.equal(code, 0, err);
	for (const name of ['localhost', '127.0.0.1', '[::1]', os.hostname(),
		'proxy.example.org'])
		assert.equal(await status(`${name}:${sluice.port}`), 200, name);
	assert.equal(await status('localhost'), 200);
	// an address counts for the connections to it
	assert.equal(await status('192.0.2.1', '192.0.2.1'), 200);
	assert.equal(await status('192.0.2.1'), 403);
	for (const name of [EVIL, `localhost.${EVIL}`, `${os.hostname()}.x.y`])
		assert.equal(await status(name), 403, name);
	await sluice.stop();
});

test('with credentials every name is answered', async (t) => {
	const { sluice, password } = await startGuarded(t);

	assert.equal((await request(sluice.port, { path: '/api/config',
		headers: { Host: EVIL, ...basic('admin', password) } })).status,
	200);
	await sluice.stop();
});
