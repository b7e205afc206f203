// SPDX-License-Identifier: GPL-3.0-or-later
// settings: sections are replaced as specified, saved, and announced.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

const onDisk = (sluice) => JSON.parse(fs.readFileSync(sluice.file, 'utf8'));

test('a missing required field closes the connection, streams keep running',
	async (t) => {
		const sluice = await Sluice.start(t, config(stream('a001',
			'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));
		const { pid } = await waitUntil('the worker', () =>
			sluice.worker('stream', 'a001'));
		const before = await sluice.cmd('load');

		for (const command of [{ cmd: 'set-settings' },
			{ cmd: 'set-settings', settings: null },
			{ cmd: 'set-config' }, { cmd: 'set-log' },
			{ cmd: 'set-server' }, { cmd: 'upload' },
			{ cmd: 'set-server', server: { remove: true } }])
			await assert.rejects(sluice.post(command),
				/ECONNRESET|hang up/, JSON.stringify(command));
		assert.deepEqual(await sluice.cmd('load'), before);
		assert.equal(sluice.worker('stream', 'a001').pid, pid);
		assert.deepEqual(onDisk(sluice), before);
		await sluice.stop();
	});

test('set-settings answers when the settings are on disk', async (t) => {
	const sluice = await Sluice.start(t, { ...config(),
		settings: { instance_name: 'a', http_port: 1 } });
	const events = await sluice.events(t);

	assert.deepEqual(await sluice.cmd('set-settings', { gid: 500000,
		settings: { instance_name: 'b' } }), { 'set-settings': 'ok' });
	assert.deepEqual(onDisk(sluice).settings, { instance_name: 'b' });
	assert.equal(onDisk(sluice).gid, 500000);
	assert.deepEqual(await events.wait('the event',
		(m) => m.scope === 'set-settings'), { scope: 'set-settings',
		gid: 500000, settings: { instance_name: 'b' } });
	// a command that is unanswered at the restart gets no answer
	assert.equal(await events.waitClosed(), 1001);
	await sluice.ready();
	await sluice.cmd('load');
});

test('set-config with restart is on disk when it answers', async (t) => {
	const sluice = await Sluice.start(t, config());
	const events = await sluice.events(t);

	await sluice.cmd('set-config', { key: 'mine', data: { a: [1] } });
	await sluice.cmd('set-config', { key: 'other', data: 1 });
	await sluice.cmd('set-config', { key: 'mine' });
	await sluice.cmd('set-config', { key: 'last', data: false,
		restart: true });
	const { mine, other, last } = onDisk(sluice);
	assert.deepEqual([mine, other, last], [undefined, 1, false]);
	await events.wait('the last event', (m) => m.key === 'last');
	assert.deepEqual(events.scope('set-config'), [
		{ scope: 'set-config', key: 'mine', data: { a: [1] } },
		{ scope: 'set-config', key: 'other', data: 1 },
		{ scope: 'set-config', key: 'mine' },
		{ scope: 'set-config', key: 'last', data: false }]);
});

test('upload writes the file, not the running configuration', async (t) => {
	const sluice = await Sluice.start(t, config());
	const wanted = { anything: 1, make_stream: 5 };

	assert.deepEqual(await sluice.cmd('upload', { config: wanted }),
		{ upload: 'ok' });
	assert.deepEqual(onDisk(sluice), wanted);
	const told = await sluice.cmd('upload', { config: wanted,
		warnings: true });
	assert.ok(told.warnings.includes('make_stream: is not a list'));
	assert.deepEqual((await sluice.cmd('upload', { config: wanted,
		dry_run: true })).warnings, told.warnings);
	assert.deepEqual(onDisk(sluice), wanted);
	// nothing starts with it
	const restart = await sluice.post({ cmd: 'restart' });
	assert.equal(restart.status, 503);
	assert.match(restart.body, /make_stream: is not a list/);
	assert.deepEqual(await sluice.cmd('load'), config());
	await sluice.cmd('set-config', { key: 'x', data: 1 });
	await waitUntil('the running configuration on disk', () =>
		onDisk(sluice).x === 1);
	assert.deepEqual(onDisk(sluice), await sluice.cmd('load'));
	await sluice.stop();
});

test('without a file upload is rejected', async (t) => {
	const sluice = await Sluice.start(t, undefined);

	assert.equal((await sluice.post({ cmd: 'upload', config: {} })).status,
		404);
	await assert.rejects(sluice.post({ cmd: 'upload' }));
	await sluice.cmd('set-config', { key: 'x', data: 1 });
	assert.equal((await sluice.cmd('load')).x, 1);
	await sluice.stop();
});

test('auth, log and servers are stored, and their events are sent',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const events = await sluice.events(t);
	const auth = { enable: false, http_ip_allow: ['10.0.0.0/8', 'nobody',
		'10.1.1.1', '10.1.0.0/16'] };
	const sorted = { enable: false, http_ip_allow: ['10.1.1.1',
		'10.1.0.0/16', '10.0.0.0/8'] };

	await sluice.cmd('set-auth', { auth });
	await sluice.cmd('set-log', { set: { debug: true } });
	await sluice.cmd('set-server', { server: { host: 'a' } });
	await sluice.cmd('set-server', { id: 0, server: { host: 'b' } });
	const stored = await sluice.cmd('load');
	assert.deepEqual([stored.auth, stored.log, stored.servers],
		[sorted, { debug: true }, [{ host: 'b' }]]);
	await waitUntil('its line in the log', () =>
		/http_ip_allow\[1\]: "nobody"/.test(sluice.log));
	// a removed one comes back to its place
	await sluice.cmd('set-server', { server: { host: 'a' }, before: 0 });
	assert.deepEqual((await sluice.cmd('load')).servers,
		[{ host: 'a' }, { host: 'b' }]);
	await sluice.cmd('set-server', { id: 1, server: { remove: true } });
	await sluice.cmd('set-server', { server: { host: 'b' }, before: 7 });
	assert.deepEqual((await sluice.cmd('load')).servers,
		[{ host: 'a' }, { host: 'b' }]);
	await sluice.cmd('set-server', { id: 1, server: { remove: true } });
	await sluice.cmd('set-server', { id: 0, server: { remove: true } });
	await sluice.cmd('set-auth');
	await sluice.cmd('set-log', { set: {} });
	const { auth: gone, servers, log } = await sluice.cmd('load');
	assert.deepEqual([gone, servers, log], [undefined, undefined, []]);
	await events.expectNews([
		{ scope: 'set-auth', auth: sorted },
		{ scope: 'log_event', set: { debug: true } },
		{ scope: 'set-server', server: { host: 'a' } },
		{ scope: 'set-server', id: 0, server: { host: 'b' } },
		{ scope: 'set-server', before: 0, server: { host: 'a' } },
		{ scope: 'set-server', id: 1, server: { remove: true } },
		{ scope: 'set-server', server: { host: 'b' } },
		{ scope: 'set-server', id: 1, server: { remove: true } },
		{ scope: 'set-server', id: 0, server: { remove: true } },
		{ scope: 'set-auth' },
		{ scope: 'log_event', set: [] }]);
	await sluice.stop();
});

test('an empty section of settings is the default', async (t) => {
	const sluice = await Sluice.start(t, { ...config(),
		settings: { instance_name: 'a' } });
	const events = await sluice.events(t);

	await sluice.cmd('set-settings', { settings: {} });
	assert.equal(onDisk(sluice).settings, undefined);
	await events.expectNews([{ scope: 'set-settings', gid: 466560 }]);
	assert.equal(await events.waitClosed(), 1001);
	await sluice.ready();
	const { instance } = await sluice.json('/api/system-status');
	assert.equal(instance, undefined);
	await sluice.stop();
});

test('set-config of settings takes effect after a reload', async (t) => {
	const sluice = await Sluice.start(t, { ...config(),
		settings: { instance_name: 'a' } });
	const name = async () => (await sluice.json('/api/system-status'))
		.instance;

	await sluice.cmd('set-config', { key: 'settings',
		data: { instance_name: 'b' } });
	assert.equal(await name(), 'a');
	await waitUntil('the save', () =>
		onDisk(sluice).settings.instance_name === 'b');
	process.kill(sluice.pid, 'SIGHUP');
	await waitUntil('the reload', async () => await name() === 'b');
	await sluice.stop();
});

test('set-config of streams takes effect after a restart', async (t) => {
	const sluice = await Sluice.start(t, config());
	const made = stream('a', 'udp://127.0.0.1:5000', []);

	await sluice.cmd('set-config', { key: 'make_stream', data: [made] });
	await sluice.cmd('sessions'); // a request to a worker and back
	assert.equal(sluice.worker('stream', 'a'), undefined);
	await sluice.cmd('restart');
	await waitUntil('its worker', () => sluice.worker('stream', 'a'));
	await sluice.stop();
});

test('addresses are sorted by their prefix, the longest first', async (t) => {
	const sluice = await Sluice.start(t, config());
	const deny = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1', '::1',
		'10.1.0.0/16', '2001:db8:1::/48', 'no/8', '300.1.1.1', 7];

	await sluice.cmd('set-auth', { auth: { http_ip_deny: deny,
		http_token_deny: ['b', 'a'], own: { kept: [1] } } });
	assert.deepEqual((await sluice.cmd('load')).auth, {
		http_ip_deny: ['::1', '2001:db8:1::/48', '2001:db8::/32',
			'192.0.2.1', '10.1.0.0/16', '10.0.0.0/8'],
		http_token_deny: ['b', 'a'], own: { kept: [1] } });
	for (const line of [/http_ip_deny\[6\]: "no\/8" is not an address/,
		/http_ip_deny\[7\]/, /http_ip_deny\[8\]/])
		await sluice.logged(line);
	await sluice.stop();
});

test('a backend that is no URL is logged and stored', async (t) => {
	const sluice = await Sluice.start(t, config());

	await sluice.cmd('set-auth', { auth: { backend: 'example.net' } });
	await sluice.logged(/backend: is not a URL/);
	for (const backend of ['http://127.0.0.1:1/x',
		{ format: 'http', host: '127.0.0.1', port: 1 }])
		await sluice.cmd('set-auth', { auth: { backend } });
	await sluice.stop();
	assert.equal(sluice.log.match(/is not a URL/g).length, 1);
});
