// SPDX-License-Identifier: GPL-3.0-or-later
// softcams: set-softcam and set-cas update their streams, in the given order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

const cam = (id, more) => ({ id, name: id, type: 'newcamd', host: '127.0.0.1',
	port: 1, user: 'u', pass: 'p', ...more });
const on = (id, port, options, more) => stream(id,
	`udp://127.0.0.1:${port}${options}`, [], more);

async function pids(sluice, ...ids) {
	return Promise.all(ids.map((id) => waitUntil(`worker of ${id}`, () =>
		sluice.worker('stream', id)?.pid)));
}

test('replacing a softcam restarts the enabled streams that use it',
	async (t) => {
		const sluice = await Sluice.start(t, { ...config(
			on('a', 5000, '#cam=c'), on('b', 5001, ''),
			on('off', 5002, '#cam=c', { enable: false })),
		softcam: [cam('c'), cam('d')] });
		const events = await sluice.events(t);
		const [a, b] = await pids(sluice, 'a', 'b');

		assert.deepEqual(await sluice.cmd('set-softcam', { id: 'c',
			gid: 470000, softcam: cam('c', { host: 'new' }) }),
		{ 'set-softcam': 'ok' });
		await sluice.replaced('stream', 'a', a);
		assert.equal(sluice.worker('stream', 'b').pid, b);
		assert.equal(sluice.worker('stream', 'off'), undefined);
		assert.deepEqual((await sluice.cmd('load')).softcam,
			[cam('d'), cam('c', { host: 'new' })]);
		await events.expectNews([
			{ scope: 'set-softcam', softcam: { id: 'c',
				remove: true, up: true } },
			{ scope: 'set-softcam', gid: 470000,
				softcam: cam('c', { host: 'new' }) }]);
		await sluice.stop();
	});

test('renaming and removing a softcam changes the addresses', async (t) => {
	const sluice = await Sluice.start(t, { ...config(
		on('a', 5000, '#cam=c&id=main'), on('b', 5001, '#cam=d')),
	softcam: [cam('c'), cam('d')] });
	const events = await sluice.events(t);
	const [, b] = await pids(sluice, 'a', 'b');
	const inputs = async () => (await sluice.cmd('load')).make_stream
		.map((s) => s.input[0]);

	await sluice.cmd('set-softcam', { id: 'c', softcam: cam('e') });
	assert.deepEqual(await inputs(), [
		'udp://127.0.0.1:5000#cam=e&id=main',
		'udp://127.0.0.1:5001#cam=d']);
	await sluice.cmd('set-softcam', { id: 'e', softcam: { remove: true } });
	assert.deepEqual(await inputs(), ['udp://127.0.0.1:5000#id=main',
		'udp://127.0.0.1:5001#cam=d']);
	await sluice.cmd('set-softcam', { id: 'e', softcam: { remove: true } });
	assert.equal(sluice.worker('stream', 'b').pid, b);
	assert.deepEqual((await events.news(5)).map((m) => [m.scope,
		m.softcam ?? m.stream.input[0]]), [
		['set-softcam', { id: 'c', remove: true, up: true }],
		['set-softcam', cam('e')],
		['set-stream', 'udp://127.0.0.1:5000#cam=e&id=main'],
		['set-softcam', { id: 'e', remove: true, up: false }],
		['set-stream', 'udp://127.0.0.1:5000#id=main']]);
	await sluice.stop();
});

test('an incomplete request closes the connection and changes nothing',
	async (t) => {
		const sluice = await Sluice.start(t, { ...config(
			on('a', 5000, '#cam=c')), softcam: [cam('c')] });
		const [a] = await pids(sluice, 'a');
		const before = await sluice.cmd('load');

		for (const command of [{ cmd: 'set-softcam' },
			{ cmd: 'set-softcam', id: 'c', softcam: {} },
			...['id', 'name', 'type', 'host', 'port', 'user',
				'pass'].map((field) => ({ cmd: 'set-softcam',
				id: 'c', softcam: cam('c',
					{ [field]: undefined }) })),
			{ cmd: 'set-cas' }, { cmd: 'set-cas', cas: {} }])
			await assert.rejects(sluice.post(command),
				/ECONNRESET|hang up/, JSON.stringify(command));
		assert.deepEqual(await sluice.cmd('load'), before);
		assert.equal(sluice.worker('stream', 'a').pid, a);
		await sluice.stop();
	});

test('set-cas appends, replaces and removes; streams keep running',
	async (t) => {
	const sluice = await Sluice.start(t, config(on('a', 5000, '', {
		cas_list: [{ cas_id: 'x' }] })));
	const events = await sluice.events(t);
	const [a] = await pids(sluice, 'a');
	const cas = (id) => ({ id, ecmg_channel_id: 1, ecmg_host: 'h',
		ecmg_port: 2 });

	await sluice.cmd('set-cas', { cas: cas('x') });
	await sluice.cmd('set-cas', { id: 'x', cas: { id: 'x', emm_pid: 0 } });
	await waitUntil('its line in the log', () =>
		/\[CAS x\] configuration error/.test(sluice.log));
	assert.deepEqual((await sluice.cmd('load')).cas,
		[{ id: 'x', emm_pid: 0 }]);
	await sluice.cmd('set-cas', { id: 'x', cas: { remove: true } });
	await sluice.cmd('set-cas', { id: 'x', cas: { remove: true } });
	assert.deepEqual((await sluice.cmd('load')).cas, []);
	const gid = 466560;
	await events.expectNews([
		{ scope: 'set-cas', gid, cas: cas('x') },
		{ scope: 'set-cas', cas: { id: 'x', remove: true, up: true } },
		{ scope: 'set-cas', gid, cas: { id: 'x', emm_pid: 0 } },
		{ scope: 'set-cas', cas: { id: 'x', remove: true,
			up: false } }]);
	assert.equal(sluice.worker('stream', 'a').pid, a);
	await sluice.stop();
});

test('unknown keys of an entry are stored as they were sent', async (t) => {
	const sluice = await Sluice.start(t, config());
	const own = { force: true, key: 'short', own: { a: [null, 1.5] } };
	const server = { type: 'streamer', enable: false, name: 'n',
		host: 'h', port: 1, user: 'u', pass: 'p', own: [] };

	await sluice.cmd('set-softcam', { softcam: cam('c', own) });
	await sluice.cmd('set-cas', { cas: { id: 'x', ...own } });
	assert.match((await sluice.cmd('set-server', { server,
		warnings: true })).warnings.join(), /^server: "own" is not/);
	assert.deepEqual(await sluice.cmd('set-server', { warnings: true,
		server: { name: 'n' }, dry_run: true }).then((r) =>
		r.warnings), ['server: host: is missing']);
	const { softcam, cas, servers } = await sluice.cmd('load');
	assert.deepEqual([softcam, cas, servers], [[cam('c', own)],
		[{ id: 'x', ...own }], [server]]);
	await sluice.logged(/c: key: is not 28 hexadecimal digits/);
	await sluice.stop();
});

test('a stream that names an unknown softcam is stored with a warning',
	async (t) => {
	const sluice = await Sluice.start(t, { ...config(),
		softcam: [cam('c')] });
	const reply = await sluice.cmd('set-stream', {
		stream: on('a', 5000, '#cam=c,x') });

	assert.deepEqual(reply.warnings,
		['stream.input[0]: there is no softcam "x"']);
	await sluice.waitStatus('a', 'worker', (s) => s.worker?.pid);
	await sluice.stop();
});
