// SPDX-License-Identifier: GPL-3.0-or-later
// api, with observer_redact: no reply and no event tells an observer a secret
// of another host.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { call, cookie, done, enter, startGuarded }
	from '../helpers/auth.mjs';
import { MASTER, Sluice, request, stream } from '../helpers/sluice.mjs';
import { run, tempDir, waitUntil } from '../helpers/util.mjs';
import { WsClient } from '../helpers/ws.mjs';

// Every secret has this in it.
const MARK = 'GEHEIM';
const INPUTS = [
	`srt://127.0.0.1:9001#passphrase=${MARK}-srt-1`,
	`http://olga:${MARK}-2@127.0.0.1:1/a?token=${MARK}-3` +
		`#header.X-Key=${MARK}-4`,
	`rist://127.0.0.1:9002#secret=${MARK}-rist-5`,
];
const secrets = (n) => ({
	stream: stream('a001', INPUTS, [
		`np://x:${MARK}-6@127.0.0.1:1/in`,
		`srt://127.0.0.1:9003#passphrase=${MARK}-srt-7`], { n }),
	server: { type: 'streamer', enable: true, name: 'second', host: 'h',
		port: 8000, user: `${MARK}-8`, pass: `${MARK}-9` },
	softcam: { id: 's1', name: 'cam', type: 'newcamd', host: 'h', port: 1,
		user: `${MARK}-10`, pass: `${MARK}-11`,
		key: `${MARK}-12` },
	auth: { enable: false, securetoken: `${MARK}-13`,
		backend: { format: 'http', host: `u:${MARK}-14@h`, port: 80,
			secret: `${MARK}-15` },
		ministra: `http://u:${MARK}-16@h/` },
});

// Sends every command that stores a secret.
async function store(sluice, admin, n) {
	const { stream: s, server, softcam, auth } = secrets(n);

	await done(sluice, { cmd: 'set-stream', id: s.id, stream: s }, admin);
	await done(sluice, { cmd: 'set-server', ...n > 1 ? { id: 0 } : {},
		server }, admin);
	await done(sluice, { cmd: 'set-softcam', ...n > 1 ? { id: 's1' } : {},
		softcam }, admin);
	await done(sluice, { cmd: 'set-auth', auth }, admin);
	for (const [key, data] of [['servers', [server]], ['auth', auth],
		['softcam', [softcam]], ['mine', { list: [INPUTS[0]] }]])
		await done(sluice, { cmd: 'set-config', key, data }, admin);
	await done(sluice, { cmd: 'set-user', id: 'otto', user: { enable: true,
		type: 2, password: `p${n}` } }, admin);
}

const listen = async (t, sluice, headers) => WsClient.open(t, sluice.port,
	`/control/event/?scope=alarm&token=${
		(await done(sluice, { cmd: 'ws-token' }, headers)).token}`);

// All that a user can read, as text.
async function everything(sluice, headers) {
	const all = [];

	for (const command of [{ cmd: 'load' }, { cmd: 'sessions' },
		{ cmd: 'get-stream', id: 'a001' },
		{ cmd: 'get-user', id: 'otto' },
		{ cmd: 'check-stream', id: 'a001', status: true },
		{ cmd: 'get-adapter', id: 'x' }])
		all.push((await call(sluice, command, headers)).body);
	for (const path of ['system-status', 'stream-info/a001',
		'stream-status/a001?t=0', 'stream-inputs/a001',
		'stream-outputs/a001', 'stream-analysis/a001', 'overview',
		'announcements', 'network-status'])
		all.push((await request(sluice.port, { path: `/api/${path}`,
			headers })).body);
	return all.join('\n');
}

const users = { olga: { type: 2, password: 'look' } };
const redacts = { settings: { observer_redact: true } };

test('an observer reads no secret, and a control user reads all',
	async (t) => {
	const { sluice, admin } = await startGuarded(t,
		{ users, config: redacts });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const hers = await listen(t, sluice, olga);
	const his = await listen(t, sluice, admin);

	await store(sluice, admin, 1);
	await store(sluice, admin, 2);
	await done(sluice, { cmd: 'set-config', key: 'last', data: 1 }, admin);
	for (const client of [hers, his])
		await client.wait('message', (m) => m.key === 'last');
	const heard = hers.messages.filter((m) => m.scope.startsWith('set-'));
	assert.deepEqual(heard.map((m) => m.scope), his.messages.filter((m) =>
		m.scope.startsWith('set-')).map((m) => m.scope));
	const text = JSON.stringify(hers.messages);
	assert.doesNotMatch(text, new RegExp(MARK));
	assert.doesNotMatch(text, /\$y\$/);
	assert.match(text, /"srt:\/\/127\.0\.0\.1:9001#passphrase=\*\*\*"/);
	assert.match(JSON.stringify(his.messages), /\$y\$/);
	for (let i = 1; i <= 16; i++)
		assert.match(JSON.stringify(his.messages),
			new RegExp(`${MARK}[a-z-]*-${i}\\b`));

	await waitUntil('the save', () =>
		fs.readFileSync(sluice.file, 'utf8').includes('"last"'));
	const read = await everything(sluice, olga);
	assert.match(read, /"id":"a001"/);
	assert.doesNotMatch(read, new RegExp(MARK));
	assert.doesNotMatch(read, /\$y\$/);
	assert.match(await everything(sluice, admin), new RegExp(MARK));
	await sluice.stop();
});

test('without the setting an observer receives what the document says',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const hers = await listen(t, sluice, olga);

	await store(sluice, admin, 1);
	const { user } = await hers.wait('message', (m) => m.id === 'otto');
	assert.match(user.cipher, /^\$y\$/);
	const { stream: seen } = JSON.parse((await call(sluice,
		{ cmd: 'get-stream', id: 'a001' }, olga)).body);
	assert.deepEqual(seen.input, INPUTS);
	await sluice.stop();
});

test('an open channel sends no more than its user may receive now',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users: { ...users,
		carl: { type: 1, password: 'rule' } } });
	const open = async (name, password) => listen(t, sluice,
		cookie(await enter(sluice, name, password)));
	const set = (id, user) => done(sluice, { cmd: 'set-user', id,
		user: { enable: true, type: 1, ...user } }, admin);
	const hers = await open('olga', 'look');
	const carls = await open('carl', 'rule');
	const his = await listen(t, sluice, admin);

	await set('carl', { description: 'the same rights' });
	const { settings } = await done(sluice, { cmd: 'load' }, admin);
	await done(sluice, { cmd: 'set-config', key: 'settings',
		data: { ...settings, ...redacts.settings } }, admin);
	assert.equal(await hers.waitClosed(), 1001);
	const reduced = await open('olga', 'look');
	await set('carl', { type: 2 });
	assert.equal(await carls.waitClosed(), 1001);
	await store(sluice, admin, 1);
	await done(sluice, { cmd: 'set-config', key: 'last', data: 1 }, admin);
	for (const client of [reduced, his])
		await client.wait('message', (m) => m.key === 'last');
	for (const client of [hers, carls, reduced])
		assert.doesNotMatch(JSON.stringify(client.messages),
			new RegExp(MARK));
	await sluice.stop();
});

test('a first start hides, and observers without the setting raise a warning',
	async (t) => {
	const first = await Sluice.start(t, null, { auth: true });
	await waitUntil('the file', () => fs.existsSync(first.file));
	await first.stop();
	assert.equal(JSON.parse(fs.readFileSync(first.file, 'utf8'))
		.settings.observer_redact, true);

	const file = `${tempDir(t)}/x.json`;
	const pattern =
		/observer_redact: (warning: )?is not true: observers \(1\)/;
	const document = { users: { olga: { enable: true, type: 2 } } };
	fs.writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
	const checked = await run(MASTER, ['-t', '-c', file]);
	assert.equal(checked.code, 0);
	assert.match(checked.err, pattern);
	const sluice = await Sluice.start(t, document);
	await sluice.logged(pattern);
	await sluice.stop();
	fs.writeFileSync(file, JSON.stringify({ ...document, ...redacts }));
	assert.doesNotMatch((await run(MASTER, ['-t', '-c', file])).err,
		/observer/);
});
