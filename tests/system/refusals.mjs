// SPDX-License-Identifier: GPL-3.0-or-later
// refusals: one sentence names the field and the error of a command, and
// nothing is changed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { basic, call, checked, startGuarded } from '../helpers/auth.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const LONG = 'x'.repeat(262144);
const known = () => ({ ...config(stream('a', 'udp://127.0.0.1:5000', [],
	{ enable: false })), dvb_tune: [{ id: 'd', type: 'S2', enable: true }],
categories: [{ name: 'Type', groups: [] }] });

// cmd: [fields, status, sentence]
const REFUSALS = {
	upload: [[{ config: 1 }, 400, 'config: is not an object']],
	'set-settings': [
		[{ settings: 1 }, 400, 'settings: is not an object'],
		[{ settings: {}, gid: -1 }, 400, 'gid: is not a whole number'],
		[{ settings: { control_port: 8000 } }, 400,
			/^settings\.control_port: .*string/],
	],
	'set-config': [
		[{ key: 1 }, 400, 'key: is not a string'],
		[{ key: '' }, 400, 'key: is empty'],
		[{ key: 'x', restart: 1 }, 400,
			'restart: is not true or false'],
		[{ key: 'users', data: 1 }, 400, /^users: /],
	],
	'set-auth': [[{ auth: 'on' }, 400, 'auth: is not an object'],
		[{ auth: { promo: LONG } }, 400,
			'auth: is longer than 262144 bytes']],
	'set-log': [[{ set: true }, 400, 'set: is not an object'],
		[{ set: { debug: 1 } }, 400, /^set\.debug: /]],
	'set-server': [
		[{ server: 1 }, 400, 'server: is not an object'],
		[{ server: {}, id: 'x' }, 400, 'id: is not a whole number'],
		[{ server: {}, id: 0 }, 404, 'id: there is no server 0'],
		[{ server: {}, before: '0' }, 400, 'before: is not a position'],
		[{ server: {}, before: -1 }, 400, 'before: is not a position'],
	],
	'set-license': [[{ license: 7 }, 400, 'license: is not a string']],
	cue: [
		[{ id: 'nope', cue: {} }, 404, 'id: there is no stream "nope"'],
		[{ id: 'a', cue: {} }, 400, 'the stream has no cue_pid'],
	],
	'set-stream-image': [
		[{ url: 'x' }, 400, 'id: is missing'],
		[{ id: 'nope', url: 'x' }, 404,
			'id: there is no stream "nope"'],
		[{ id: 'a' }, 400, 'url: is missing'],
		[{ id: 'a', url: 1 }, 400, 'url: is not a string'],
	],
	'get-adapter': [[{}, 400, 'id: is missing'],
		[{ id: 1 }, 400, 'id: is not a string'],
		[{ id: 'x' }, 404, 'id: there is no adapter "x"']],
	'toggle-adapter': [[{ id: 'x' }, 404,
		'id: there is no adapter "x"']],
	'get-cam': [[{}, 400, 'id: is missing'],
		[{ id: 'x' }, 404, 'id: there is no adapter "x"']],
	'cam-menu': [[{ id: 'x' }, 404, 'id: there is no adapter "x"']],
	'restart-adapter': [[{}, 400, 'id: is missing'],
		[{ id: 'x' }, 404, 'id: there is no adapter "x"']],
	'set-adapter': [
		[{}, 400, 'adapter: is missing'],
		[{ adapter: { type: 'S2' } }, 400,
			'adapter.enable: is missing'],
		[{ adapter: { enable: true } }, 400,
			'adapter.type: is missing'],
		[{ adapter: { remove: true } }, 400, 'id: is missing'],
		[{ id: 'x', adapter: { remove: true } }, 404,
			'id: there is no adapter "x"'],
	],
	'set-stream': [
		[{}, 400, 'stream: is missing'],
		[{ stream: { type: 'spts' } }, 400, /^stream\.enable: /],
		[{ stream: { enable: true } }, 400, /^stream\.type: /],
		[{ stream: { remove: true } }, 400, 'id: is missing'],
		[{ id: 'x', stream: { remove: true } }, 404,
			'id: there is no stream "x"'],
		[{ stream: { id: 'a', enable: true, type: 'spts' } }, 400,
			/^stream\.id: "a" exists/],
		[{ stream: { enable: true, type: 'spts' }, before: 1 }, 400,
			'before: is not a string'],
		[{ id: 'a', stream: { enable: true, type: 'spts' },
			before: 'a' }, 400, 'before: is only possible for a ' +
			'new entry, and this stream exists'],
	],
	'set-category': [[{ category: { name: 'Big', more: LONG } }, 400,
		'category: is longer than 262144 bytes']],
	'set-user': [
		[{ user: {} }, 400, 'id: is missing'],
		[{ id: 'u' }, 400, 'user: is missing'],
		[{ id: 'u', user: { type: 2 } }, 400, /^user\.enable: /],
		[{ id: 'u', user: { enable: true } }, 400, /^user\.type: /],
		[{ id: 'u', user: { enable: true, type: 4 } }, 400,
			'user.type: 4 is not 1, 2 or 3'],
		[{ id: 'u', user: { remove: true } }, 404,
			'id: there is no user "u"'],
	],
	'test-softcam': [
		[{ config: { type: 'newcamd', host: 1, port: 1 } }, 400,
			'config.host: is not a host name or address'],
		[{ config: { type: 'newcamd', host: 'h', port: 0 } }, 400,
			'config.port: is not a port (1 to 65535)'],
	],
	'scan-kill': [[{ id: 7 }, 400, 'id: is not the id of an analyzer'],
		[{ id: 'zz' }, 404, 'id: there is no analyzer "zz"']],
	'close-session': [[{}, 400, 'id: is missing'],
		[{ id: 'x' }, 400, 'id: is not the number of a session'],
		[{ id: 77 }, 404, 'id: there is no session 77']],
};

test('every rejection names the field, and changes nothing', async (t) => {
	const sluice = await Sluice.start(t, known());
	const ws = await sluice.events(t);
	const before = await sluice.cmd('load');

	for (const [cmd, list] of Object.entries(REFUSALS))
		for (const [fields, status, sentence] of list) {
			const reply = await sluice.post({ cmd, ...fields });
			const what = `${cmd} ${JSON.stringify(fields)
				.slice(0, 200)}`;
			assert.equal(reply.status, status,
				`${what}: ${reply.body}`);
			const { error } = JSON.parse(reply.body);
			if (typeof sentence === 'string')
				assert.equal(error, sentence, what);
			else
				assert.match(error, sentence, what);
		}
	assert.deepEqual(await sluice.cmd('load'), before);
	await sluice.cmd('set-license', {});
	await sluice.cmd('set-stream-image', { id: 'a', url: 'end' });
	await ws.expectNews([{ scope: 'stream_image', channel_id: 'a',
		src: 'end' }]);
	await sluice.stop();
});

test('a file that cannot be written is reported at once: 500', async (t) => {
	const dir = path.join(tempDir(t), 'gone');

	fs.mkdirSync(dir);
	const sluice = await Sluice.start(t, config(), { dir });
	const ws = await sluice.events(t);
	fs.rmSync(dir, { recursive: true });
	for (const command of [{ cmd: 'upload', config: {} },
		{ cmd: 'set-settings', settings: { instance_name: 'x' } },
		{ cmd: 'set-config', key: 'mine', data: 1, restart: true }]) {
		const reply = await sluice.post(command);
		assert.equal(reply.status, 500, `${command.cmd} ${reply.body}`);
		assert.match(JSON.parse(reply.body).error,
			/^the configuration is not saved: .*No such file/);
	}
	// it does not restart with unsaved changes either
	await waitUntil('three seconds', async () =>
		(await sluice.json('/api/system-status')).app_uptime >= 3);
	assert.equal(ws.closed, null);
	fs.mkdirSync(dir);
	await sluice.stop();
});

test('an observer is told that the file is missing or damaged', async (t) => {
	const users = { olga: { type: 2, password: 'pw' } };
	const { sluice } = await startGuarded(t, { users });
	const load = () => checked(() => call(sluice, { cmd: 'load' },
		basic('olga', 'pw')));

	assert.equal((await load()).status, 200);
	// a later save would replace the file
	await waitUntil('the save', () =>
		fs.readFileSync(sluice.file, 'utf8').includes('olga'));
	fs.writeFileSync(sluice.file, '{"users":');
	const broken = await load();
	assert.equal(broken.status, 500);
	assert.match(broken.json.error, /^the configuration file: /);
	fs.rmSync(sluice.file);
	const gone = await load();
	assert.equal(gone.status, 404);
	assert.equal(gone.json.error, 'there is no configuration file');
	await sluice.stop();
});

test('no input of an mpts is chosen: 400 says why', async (t) => {
	const sluice = await Sluice.start(t, config(stream('m',
		['udp://127.0.0.1:5000', 'udp://127.0.0.1:5001'], [],
		{ type: 'mpts', bitrate: 6000 })));
	const reply = await sluice.post({ cmd: 'set-stream-input', id: 'm',
		input: 2 });

	assert.equal(reply.status, 400, reply.body);
	assert.equal(JSON.parse(reply.body).error,
		'all inputs of an mpts are sent at the same time');
	await sluice.stop();
});

test('a switch that no worker carries out is an error: 503', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a',
		['udp://127.0.0.1:5000', 'udp://127.0.0.1:5001'], [],
		{ backup_type: 'disable' })));

	await sluice.waitStatus('a', 'a second', (s) =>
		s.worker.state === 'running');
	process.kill(sluice.worker('stream', 'a').pid, 'SIGSTOP');
	const reply = await sluice.post({ cmd: 'set-stream-input', id: 'a',
		input: 2 });
	assert.equal(reply.status, 503, reply.body);
	assert.match(JSON.parse(reply.body).error, /^input: /);
	await sluice.stop();
});
