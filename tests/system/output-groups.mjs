// SPDX-License-Identifier: GPL-3.0-or-later
// output-groups: stored as sent; images pass through; the active input is
// reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';


test('groups of outputs are added, changed and removed', async (t) => {
	const sluice = await Sluice.start(t, config());
	const events = await sluice.events(t);
	const post = async (name, body) => {
		const reply = await request(sluice.port, { method: 'POST',
			path: `/api/output-group${name}` },
		JSON.stringify(body));
		return [reply.status, JSON.parse(reply.body)];
	};
	const ok = [200, { 'post-output-group': 'ok' }];
	const scope = 'post-output-group';

	assert.deepEqual(await post('', { name: 'Group one', x: [1] }), ok);
	assert.deepEqual(await post('', { name: 'two' }), ok);
	assert.deepEqual(await post('/Group%20one', { y: 2 }), ok);
	assert.deepEqual(await post('/two', { remove: true }), ok);
	assert.deepEqual((await post('/two', { remove: true }))[0], 404);
	assert.deepEqual((await post('', { name: 'Group one' }))[0], 400);
	assert.deepEqual((await sluice.cmd('load')).output,
		[{ name: 'Group one', y: 2 }]);
	assert.equal((await sluice.get('/api/output-group')).status, 405);
	await events.expectNews([
		{ scope, group: { name: 'Group one', x: [1] } },
		{ scope, group: { name: 'two' } },
		{ scope, index: 0, group: { name: 'Group one', y: 2 } },
		{ scope, index: 1, remove: true }]);
	await sluice.stop();
});

test('a picture of a stream is announced and not stored', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a',
		'udp://127.0.0.1:5000', [])));
	const events = await sluice.events(t);
	const before = await sluice.cmd('load');
	const url = 'data:image/png;base64,AAAA';

	assert.deepEqual(await sluice.cmd('set-stream-image',
		{ id: 'a', url }), { 'set-stream-image': 'ok' });
	assert.deepEqual(await events.wait('the picture',
		(m) => m.scope === 'stream_image'),
	{ scope: 'stream_image', channel_id: 'a', src: url });
	assert.deepEqual(await sluice.cmd('load'), before);
	await sluice.stop();
});

test('an input is selected by hand where its stream allows that', async (t) => {
	const inputs = ['udp://127.0.0.1:5000', 'udp://127.0.0.1:5001'];
	const sluice = await Sluice.start(t, config(
		stream('a', inputs, [], { backup_type: 'passive' }),
		stream('b', inputs, []),
		stream('d', inputs, [], { backup_type: 'disable',
			enable: false })));
	const choose = async (id, input) => (await sluice.post(
		{ cmd: 'set-stream-input', id, input })).status;

	await sluice.waitStatus('a', 'status', (s) => s.active);
	for (const input of [1, '1', 2, undefined])
		assert.equal(await choose('a', input), 200);
	assert.equal(await choose('a', 3), 400);
	assert.equal(await choose('b', 1), 400);
	assert.equal(await choose('c', 1), 404);
	// a disabled stream starts with it
	assert.equal(await choose('d', 2), 200);
	await sluice.cmd('toggle-stream', { id: 'd' });
	await sluice.waitStatus('d', 'input 2', (s) => s.input_id === 2);
	await sluice.stop();
});
