// SPDX-License-Identifier: GPL-3.0-or-later
// api, its HTTP: an ambiguous request is rejected.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { BODY, LENGTH, NAMED, exchange, post, refused }
	from '../helpers/http-raw.mjs';
import { Sluice, config } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { now, waitUntil } from '../helpers/util.mjs';

test('a request that Node rejects is rejected once, and the connection ends',
	async (t) => {
	const sluice = await Sluice.start(t,
		{ ...config(), settings: NAMED });

	for (const [what, bytes] of Object.entries(refused)) {
		// a second request behind it must never be answered
		const { replies, got } = await exchange(t, sluice.port,
			Buffer.concat([Buffer.from(bytes), Buffer.from(
				'\r\n\r\nGET /api/config HTTP/1.1\r\n' +
				'Host: x\r\n\r\n')]));
		assert.equal(replies.length, 1, `${what}: ${got}`);
		assert.ok([400, 501, 505].includes(replies[0]),
			`${what}: ${replies}`);
		assert.match(got, /^connection: close\r$/im, what);
	}
	await sluice.ready();
	await sluice.stop();
});

test('chunked bodies, pipelines, pieces and HTTP/1.0', async (t) => {
	const sluice = await Sluice.start(t,
		{ ...config(), settings: NAMED });
	const close = 'Connection: close';
	const answer = '{"version":';

	const chunked = await exchange(t, sluice.port, post('Host: x\r\n' +
		`Transfer-Encoding: chunked\r\n${close}`,
		`5;ext=1\r\n${BODY.slice(0, 5)}\r\n` +
		`c\r\n${BODY.slice(5)}\r\n0\r\nTrailer: x\r\n\r\n`));
	assert.deepEqual(chunked.replies, [200]);
	const three = await exchange(t, sluice.port,
		post(`Host: x\r\n${LENGTH}`) + post(`Host: x\r\n${LENGTH}`) +
		post(`Host: x\r\n${LENGTH}\r\n${close}`));
	assert.deepEqual(three.replies, [200, 200, 200]);
	assert.equal(three.got.split(answer).length, 4);
	const bytes = await exchange(t, sluice.port,
		...post(`Host: x\r\n${LENGTH}\r\n${close}`));
	assert.deepEqual(bytes.replies, [200]);
	const old = await exchange(t, sluice.port,
		`POST /control/ HTTP/1.0\r\n${LENGTH}\r\n\r\n${BODY}`);
	assert.deepEqual(old.replies, [200], 'closed without being asked');
	const head = await exchange(t, sluice.port,
		`HEAD /api/config HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`);
	assert.deepEqual(head.replies, [200]);
	assert.match(head.got, /^content-length: [1-9]/im);
	assert.ok(head.got.endsWith('\r\n\r\n'), 'no body');
	await sluice.stop();
});

test('limits of the head and of the body', async (t) => {
	const sluice = await Sluice.start(t,
		{ ...config(), settings: NAMED });
	const close = 'Connection: close';
	const get = (more) => `GET /api/config HTTP/1.1\r\nHost: x\r\n${more}` +
		`${close}\r\n\r\n`;

	const fits = await exchange(t, sluice.port,
		get(`A: ${'x'.repeat(15000)}\r\n`));
	assert.deepEqual(fits.replies, [200]);
	const big = await exchange(t, sluice.port,
		get(`A: ${'x'.repeat(17000)}\r\n`));
	assert.deepEqual(big.replies, [431]);
	const huge = await exchange(t, sluice.port, post(
		`Host: x\r\nContent-Length: ${9 << 20}`, ''));
	assert.deepEqual(huge.replies, [413], 'before the body is sent');
	const long = await exchange(t, sluice.port,
		`GET /${'x'.repeat(20000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
	assert.ok([414, 431].includes(long.replies[0]));
	await sluice.stop();
});

test('slow clients are disconnected, and delay no other client', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t,
		{ ...config(), settings: NAMED });
	const sockets = Array.from({ length: 300 }, () => {
		const socket = net.connect(sluice.port, '127.0.0.1', () =>
			socket.write('POST /control/ HTTP/1.1\r\nHost: x\r\n'));
		socket.on('error', () => {});
		socket.heard = '';
		socket.on('data', (data) => { socket.heard += data; });
		socket.on('close', () => { socket.gone = true; });
		t.after(() => socket.destroy());
		return socket;
	});
	const begin = now();
	const drip = setInterval(() => sockets.forEach((socket) => {
		if (!socket.gone)
			socket.write('A: b\r\n');
	}), 1000);

	t.after(() => clearInterval(drip));
	for (let i = 0; i < 20; i++) {
		const asked = now();
		await sluice.cmd('version');
		const ms = now() - asked;
		timing.assert(ms < 500, `${ms} ms`);
	}
	await waitUntil('the end of the slow', () =>
		sockets.every((socket) => socket.gone), 20000);
	assert.ok(now() - begin > 5000);
	for (const { heard } of sockets) {
		const [head, body] = heard.split('\r\n\r\n');

		assert.match(head, /^HTTP\/1\.1 408 /);
		assert.match(head, /^content-type: application\/json\r?$/im);
		assert.match(JSON.parse(body).error, /request timeout/);
	}
	await sluice.stop();
});
