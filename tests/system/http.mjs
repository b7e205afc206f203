// SPDX-License-Identifier: GPL-3.0-or-later
// api, its HTTP: what could be understood in two ways is refused.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { Sluice, config } from '../helpers/sluice.mjs';
import { now, sleep, waitUntil } from '../helpers/util.mjs';

// Sends bytes (several pieces one after the other) and waits for the end.
function exchange(t, port, ...pieces) {
	return new Promise((done) => {
		let got = '';
		const begin = now();
		const socket = net.connect(port, '127.0.0.1', async () => {
			for (const piece of pieces) {
				socket.write(piece);
				await sleep(5);
			}
		});
		t.after(() => socket.destroy());
		socket.setEncoding('latin1');
		socket.on('data', (data) => { got += data; });
		socket.on('error', () => {});
		socket.on('close', () => done({ got, ms: now() - begin,
			replies: [...got.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
				.map(([, status]) => Number(status)) }));
	});
}

const BODY = '{"cmd":"version"}';
const post = (head, body = BODY) =>
	`POST /control/ HTTP/1.1\r\n${head}\r\n\r\n${body}`;
const LENGTH = `Content-Length: ${BODY.length}`;

const refused = {
	'a negative length': post('Host: x\r\nContent-Length: -5'),
	'length and chunks': post(`Host: x\r\n${LENGTH}\r\n` +
		'Transfer-Encoding: chunked', `11\r\n${BODY}\r\n0\r\n\r\n`),
	'two lengths': post(`Host: x\r\n${LENGTH}\r\nContent-Length: 3`),
	'the same length twice': post(`Host: x\r\n${LENGTH}\r\n${LENGTH}`),
	'a list of lengths': post('Host: x\r\nContent-Length: 17, 17'),
	'a signed length': post('Host: x\r\nContent-Length: +17'),
	'a hexadecimal length': post('Host: x\r\nContent-Length: 0x11'),
	'an empty length': post('Host: x\r\nContent-Length:'),
	'a length beyond all numbers':
		post('Host: x\r\nContent-Length: 18446744073709551617'),
	'a space before the colon': post('Host: x\r\nContent-Length : 17'),
	'a folded line': post(`Host: x\r\n${LENGTH}\r\nA: b\r\n c`),
	'a bare CR': post(`Host: x\r\nA:\rTransfer-Encoding: chunked`),
	'CR instead of the last LF':
		`POST /control/ HTTP/1.1\r\nHost: x\r\n${LENGTH}\r\n\rX${BODY}`,
	'bare LF': post(`Host: x\n${LENGTH}`),
	'only LF': `POST /control/ HTTP/1.1\nHost: x\n${LENGTH}\n\n${BODY}`,
	'a last chunk with a bare LF': post('Host: x\r\n' +
		'Transfer-Encoding: chunked', `11\r\n${BODY}\r\n0\n\r\n`),
	'an unknown transfer coding': post('Host: x\r\n' +
		'Transfer-Encoding: xchunked', `11\r\n${BODY}\r\n0\r\n\r\n`),
	'two transfer codings': post('Host: x\r\n' +
		'Transfer-Encoding: gzip, chunked'),
	'a chunk beyond all numbers': post('Host: x\r\n' +
		'Transfer-Encoding: chunked', `ffffffffffffffff1\r\n${BODY}`),
	'a chunk that is no number': post('Host: x\r\n' +
		'Transfer-Encoding: chunked', `zz\r\n${BODY}\r\n`),
	'a control byte in a value': post(`Host: x\r\n${LENGTH}\r\nA: b\u0001`),
	'NUL in a value': post(`Host: x\r\n${LENGTH}\r\nA: b\u0000`),
	'a control byte in a name': post(`Host: x\r\n${LENGTH}\r\nA\u0002: b`),
	'no Host': post(LENGTH),
	'two Hosts': post(`Host: x\r\nHost: x\r\n${LENGTH}`),
	'a space in the path':
		`GET /api/config x HTTP/1.1\r\nHost: x\r\n\r\n`,
	'a tab behind the method':
		`GET\t/api/config HTTP/1.1\r\nHost: x\r\n\r\n`,
	'no version': 'GET /api/config\r\nHost: x\r\n\r\n',
	'another protocol': 'GET /api/config RTSP/1.0\r\nHost: x\r\n\r\n',
	'an encoded slash': 'GET /api%2fconfig HTTP/1.1\r\nHost: x\r\n\r\n',
	'an encoded NUL': 'GET /api/config%00 HTTP/1.1\r\nHost: x\r\n\r\n',
	'half an escape': 'GET /api/config%2 HTTP/1.1\r\nHost: x\r\n\r\n',
	'TLS': Buffer.from('16030100a5010000a10303', 'hex'),
	'nonsense': '\u0000\u0001\u0002\r\n\r\n',
};

test('what Node refuses is refused, once, and the connection ends',
	async (t) => {
	const sluice = await Sluice.start(t, config());

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
	const sluice = await Sluice.start(t, config());
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
	const sluice = await Sluice.start(t, config());
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

test('slow clients are cut, and hold up nobody', async (t) => {
	const sluice = await Sluice.start(t, config());
	const sockets = Array.from({ length: 300 }, () => {
		const socket = net.connect(sluice.port, '127.0.0.1', () =>
			socket.write('POST /control/ HTTP/1.1\r\nHost: x\r\n'));
		socket.on('error', () => {});
		socket.on('data', () => {});
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
		assert.ok(now() - asked < 500, `${now() - asked} ms`);
	}
	await waitUntil('the end of the slow', () =>
		sockets.every((socket) => socket.gone), 20000);
	assert.ok(now() - begin > 5000);
	await sluice.stop();
});
