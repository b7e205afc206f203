// SPDX-License-Identifier: GPL-3.0-or-later
// api, the channel of events: its messages, their order, and how it closes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';
import { OP, WsClient, frame } from '../helpers/ws.mjs';

const PATH = '/control/event/';
const LISTEN = `${PATH}?token=x`;

const one = (more) => stream('a001', 'udp://127.0.0.1:5000',
	'udp://127.0.0.1:6000', more);

// The status that a handshake gets.
const shake = (sluice, headers) => new Promise((resolve, reject) => {
	const asked = http.request({ host: '127.0.0.1', port: sluice.port,
		path: LISTEN, headers: { Connection: 'Upgrade',
			Upgrade: 'websocket', 'Sec-WebSocket-Version': '13',
			'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
			...headers } });

	asked.on('upgrade', (answer, socket) => {
		socket.destroy();
		resolve(answer.statusCode);
	});
	asked.on('response', (answer) => {
		answer.resume();
		resolve(answer.statusCode);
	});
	asked.on('error', reject);
	asked.end();
});

const open = (t, sluice, path = LISTEN, headers = {}) =>
	WsClient.open(t, sluice.port, path, headers);

test('a page of another site receives no event', async (t) => {
	const sluice = await Sluice.start(t, config());
	const own = `http://127.0.0.1:${sluice.port}`;
	const cases = [
		[{}, 101],
		[{ Origin: own }, 101],
		[{ Origin: own, 'Sec-Fetch-Site': 'same-origin' }, 101],
		[{ Origin: 'http://evil.example' }, 403],
		[{ Origin: own, 'Sec-Fetch-Site': 'cross-site' }, 403],
	];

	for (const [headers, wanted] of cases)
		assert.equal(await shake(sluice, headers), wanted,
			JSON.stringify(headers));
	await sluice.stop();
});

test('changes are sent in order, with versions and the counter', async (t) => {
	const sluice = await Sluice.start(t, config());
	const clients = [await open(t, sluice), await open(t, sluice)];

	await sluice.cmd('set-stream', { stream: one(), gid: 466600 });
	await sluice.cmd('set-stream', { id: 'a001',
		stream: one({ name: 'New', pmt_version: 1 }) });
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await sluice.cmd('set-stream', { id: 'a001',
		stream: { ...one(), id: 'b001', enable: false } });
	await sluice.cmd('set-stream', { id: 'b001',
		stream: { remove: true } });
	const versions = (pmt, sdt) => ({ pmt_version: pmt, sdt_version: sdt });
	const scope = 'set-stream', gid = 466600;
	const wanted = [
		{ scope, stream: one(versions(1, 1)), gid },
		{ scope, stream: { id: 'a001', remove: true, up: true } },
		{ scope, stream: one({ name: 'New', ...versions(2, 1) }), gid },
		{ scope, stream: one({ name: 'New', ...versions(2, 1),
			enable: false }) },
		{ scope, stream: { id: 'a001', remove: true, up: true } },
		{ scope, stream: { ...one(versions(1, 1)), id: 'b001',
			enable: false }, gid },
		{ scope, stream: { id: 'b001', remove: true, up: false } },
	];
	for (const client of clients) {
		await waitUntil('all messages', () =>
			client.scope(scope).length >= wanted.length);
		assert.deepEqual(client.scope(scope), wanted);
	}
	await sluice.stop();
});

test('a configuration without a counter: messages without one', async (t) => {
	const sluice = await Sluice.start(t, {});
	const client = await open(t, sluice);

	await sluice.cmd('set-stream', { stream: one({ enable: false }) });
	const message = await client.wait('message',
		(m) => m.scope === 'set-stream');
	assert.equal('gid' in message, false);
	await sluice.stop();
});

test('a change is sent before it is saved, and never with null', async (t) => {
	const sluice = await Sluice.start(t, config());
	const client = await open(t, sluice);
	const stored = () => JSON.parse(fs.readFileSync(sluice.file, 'utf8'))
		.make_stream;

	let before, told;

	// a client that gets no processor for a second reads too late
	for (let turn = 0; turn < 5 && before !== 0; turn++) {
		const id = `a${turn}`;

		await sluice.cmd('set-stream', { stream: one({ id,
			enable: false, comment: null,
			kept: { inner: null } }) });
		({ stream: told } = await client.wait('message',
			(m) => m.stream?.id === id));
		before = stored().filter((s) => s.id === id).length;
	}
	assert.equal(before, 0);
	assert.equal('comment' in told, false);
	assert.deepEqual(told.kept, { inner: null });
	await waitUntil('the save', () => stored().at(-1)?.id === told.id);
	assert.deepEqual(stored().at(-1), told);
	await sluice.stop();
});

test('the handshake', async (t) => {
	const sluice = await Sluice.start(t, config());
	const good = await open(t, sluice);

	assert.equal(good.status, 101);
	assert.equal(good.accept, good.expected);
	const keyless = await open(t, sluice, LISTEN,
		{ 'Sec-WebSocket-Key': null, 'Sec-WebSocket-Version': null,
			Connection: 'x' });
	assert.equal(keyless.status, 101);
	assert.equal(keyless.accept, undefined);
	for (const upgrade of [null, 'h2c'])
		assert.equal((await open(t, sluice, LISTEN,
			{ Upgrade: upgrade })).status, 400, upgrade);
	await sluice.stop();
});

test('ping, in text and in frames; no events without a token', async (t) => {
	const sluice = await Sluice.start(t, config());
	const listener = await open(t, sluice);
	const deaf = await open(t, sluice, PATH);

	for (const client of [listener, deaf]) {
		client.send('ping');
		client.write(frame(OP.ping, 'hello'));
		client.send('ping');
		await waitUntil('pongs', () => client.texts.length === 2 &&
			client.pongs.length === 1);
		assert.deepEqual(client.texts, ['pong', 'pong']);
		assert.deepEqual(client.pongs, ['hello']);
	}
	// a text in two frames, a ping in between
	listener.write(Buffer.concat([frame(OP.text, 'pi', { fin: false }),
		frame(OP.ping, 'x'), frame(0, 'ng')]));
	await waitUntil('pong', () => listener.texts.length === 3);
	// one byte at a time
	for (const byte of frame(OP.text, 'ping'))
		listener.write(Buffer.from([byte]));
	await waitUntil('pong', () => listener.texts.length === 4);
	await sluice.cmd('set-stream', { stream: one() });
	await listener.wait('event', (m) => m.scope === 'stream_event');
	assert.deepEqual(deaf.messages, []);
	assert.equal(listener.closed ?? deaf.closed, null);
	await sluice.stop();
});

test('each cause of a closed connection has its code', async (t) => {
	const sluice = await Sluice.start(t, config());
	const cases = [
		['other text', frame(OP.text, 'hello'), 1008],
		['text like ping', frame(OP.text, 'ping '), 1008],
		['empty text', frame(OP.text, ''), 1008],
		['binary', frame(OP.binary, 'ping'), null],
		['the largest', frame(OP.text, Buffer.alloc(256 * 1024, 97)),
			1008],
		['too big', frame(OP.text, Buffer.alloc(256 * 1024 + 1, 97)),
			null],
		['unmasked', frame(OP.text, 'ping', { masked: false }), 1002],
		['reserved opcode', frame(3, 'x'), 1002],
		['long ping', frame(OP.ping, Buffer.alloc(126)), 1002],
		['split ping', frame(OP.ping, 'x', { fin: false }), 1002],
		['continuation of nothing', frame(0, 'x'), 1002],
		['close', frame(OP.close, Buffer.from([3, 232])), null],
		['empty close', frame(OP.close, ''), null],
	];

	for (const [what, bytes, code] of cases) {
		const client = await open(t, sluice);
		client.write(bytes);
		assert.equal(await client.waitClosed(), code, what);
	}
	const last = await open(t, sluice);
	await sluice.stop();
	assert.equal(await last.waitClosed(), 1001);
});

test('a client that does not read is closed, the others receive every event',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const slow = await open(t, sluice);
	const good = await open(t, sluice);
	const text = 'x'.repeat(200000);
	let n = 0;

	slow.socket.pause();
	while (!/slow client/.test(sluice.log)) {
		await sluice.cmd('set-stream', { id: 'a001', stream: one({
			enable: false, comment: text, n }) });
		await good.wait('it', (m) => m.stream?.n === n);
		assert.ok(++n < 200, '40 MB, and no client is slow');
	}
	slow.socket.resume();
	assert.ok([1001, null].includes(await slow.waitClosed()));
	const heard = good.messages.filter((m) => m.stream?.comment);
	assert.deepEqual(heard.map((m) => m.stream.n), [...Array(n).keys()]);
	assert.equal(good.closed, null);
	await sluice.stop();
});

test('forty clients receive every second of forty streams', async (t) => {
	const ids = Array.from({ length: 40 }, (_, i) => `s${i}`);
	const sluice = await Sluice.start(t, config(...ids.map((id, i) =>
		stream(id, `udp://127.0.0.1:${5000 + i}`,
			`udp://127.0.0.1:${6000 + i}`))));
	// a worker that has just started reports the silence before it, too
	await waitUntil('all of them', () => ids.every((id, i) =>
		udpBound(5000 + i)), 20000);
	const timing = new Timing(t);
	const clients = await Promise.all(ids.map(() => open(t, sluice)));

	await waitUntil('four seconds of each', () => clients.every((client) =>
		ids.every((id) => client.messages.filter(
			(m) => m.channel_id === id).length >= 4)), 20000);
	const counts = ids.map((id) => clients[0].messages.filter(
		(m) => m.channel_id === id).length);
	timing.assert(Math.max(...counts) - Math.min(...counts) <= 2,
		`${Math.min(...counts)} to ${Math.max(...counts)} events`);
	await sluice.stop();
});
