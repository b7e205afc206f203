// SPDX-License-Identifier: GPL-3.0-or-later
// api, from any address: no address takes all connections, exceeded limits are
// reported in JSON, and a path has one meaning.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { basic, call, cookie, enter, login, startGuarded }
	from '../helpers/auth.mjs';
import { NAMED, exchange, post, refused } from '../helpers/http-raw.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { freePort, run, waitUntil } from '../helpers/util.mjs';

// Addresses of clients, in the network namespace of this test.
const STRANGER = '192.0.2.1', OTHER = '192.0.2.2', PROXY = '198.51.100.1';

async function addAddresses() {
	for (const address of [STRANGER, OTHER, PROXY]) {
		const { code, err } = await run('ip',
			['address', 'replace', `${address}/32`, 'dev', 'lo']);
		assert.equal(code, 0, err);
	}
}

// A connection from that address; it returns the data received so far and
// whether it has ended.
async function visit(t, port, localAddress, text = '') {
	const socket = net.connect({ host: '127.0.0.1', port, localAddress });

	socket.heard = '';
	t.after(() => socket.destroy());
	socket.setEncoding('latin1');
	socket.on('data', (data) => { socket.heard += data; });
	socket.on('error', () => { socket.ended = true; });
	socket.on('close', () => { socket.ended = true; });
	await new Promise((done) => socket.once('connect', done));
	if (text)
		socket.write(text);
	return socket;
}

const GET = 'GET /api/system-status?t=0 HTTP/1.1\r\nHost: x\r\n\r\n';
const EVENTS = 'GET /control/event/ HTTP/1.1\r\nHost: x\r\n' +
	'Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

const JSON_TYPE = /^content-type: application\/json\r?$/im;

const answered = (socket, status) => waitUntil(`answer ${status}`, () => {
	if (!socket.heard.startsWith(`HTTP/1.1 ${status} `))
		throw new Error(socket.heard || `ended: ${socket.ended}`);
	return true;
});

test('an address has a share of the connections, others have theirs',
	async (t) => {
	await addAddresses();
	const sluice = await Sluice.start(t, { ...config(), settings: {
		...NAMED, connections_per_address: 6,
		real_ip_trusted: [PROXY] } });
	const { port } = sluice;
	const mine = [];

	// requests, a client of the event channel and a silent connection
	for (const text of [GET, GET, GET, EVENTS, EVENTS, ''])
		mine.push(await visit(t, port, STRANGER, text));
	await answered(mine[0], 200);
	await answered(mine[3], 101);
	// all at once: the silent connection gets no extra time
	for (const more of await Promise.all(Array.from({ length: 40 },
		() => visit(t, port, STRANGER, GET)))) {
		await answered(more, 503);
		await waitUntil('its end', () => more.ended);
		assert.match(more.heard, /^connection: close\r$/im);
		assert.match(more.heard, JSON_TYPE);
		const { error } = JSON.parse(more.heard.split('\r\n\r\n')[1]);
		assert.match(error, /too many connections/);
	}
	// logged, and not forty times
	await sluice.logged(new RegExp(
		`warning http: ${STRANGER}: connection rejected: too many`));
	const lines = sluice.log.split('connection rejected').length - 1;
	assert.ok(lines <= 15, `${lines} lines`);
	// no other client is affected
	await answered(await visit(t, port, OTHER, GET), 200);
	for (const address of [PROXY, '127.0.0.1'])
		for (const socket of await Promise.all(Array.from(
			{ length: 20 }, () => visit(t, port, address, GET))))
			await answered(socket, 200);
	assert.ok(mine.every((socket) => !socket.ended));
	// a place that is given back, whoever had it, is free
	for (const old of [mine[0], mine[3], mine[5]]) {
		old.destroy();
		await waitUntil('the place', async () => {
			const next = await visit(t, port, STRANGER, GET);
			await waitUntil('an answer', () => next.heard);
			return next.heard.startsWith('HTTP/1.1 200 ');
		});
	}
	await sluice.stop();
});

test('unlimited connections, and the default', async (t) => {
	await addAddresses();
	for (const [settings, places] of [[{}, 128],
		[{ connections_per_address: 0 }, 140]]) {
		const sluice = await Sluice.start(t,
			{ ...config(), settings: { ...NAMED, ...settings } });
		const all = await Promise.all(Array.from({ length: 140 },
			() => visit(t, sluice.port, STRANGER, GET)));

		await waitUntil('all answers', () => all.every((socket) =>
			socket.heard.startsWith('HTTP/1.1 ')));
		const taken = all.filter((socket) =>
			socket.heard.startsWith('HTTP/1.1 200'));
		assert.equal(taken.length, places);
		all.forEach((socket) => socket.destroy());
		await sluice.stop();
	}
});

// Begins n requests with bodies of 8 MiB, sends most of each, and returns the
// connections.
async function hold(t, port, n, headers = '') {
	const body = Buffer.alloc(7 << 20, ' ');

	return Promise.all(Array.from({ length: n }, async () => {
		const socket = await visit(t, port, STRANGER, post(
			`Host: x\r\n${headers}Content-Length: ${8 << 20}`, ''));
		socket.write(body);
		return socket;
	}));
}

test('a long body is received after the credential was judged', async (t) => {
	await addAddresses();
	const { sluice, admin, password } = await startGuarded(t);
	const { port } = sluice;
	const long = { cmd: 'set-config', key: 'k', data: 'x'.repeat(100000) };

	// without a credential, with a wrong one, and in chunks
	const strangers = await hold(t, port, 20);
	const guesser = (await hold(t, port, 1,
		'Authorization: Basic YWRtaW46d3Jvbmc=\r\n'))[0];
	const chunks = await visit(t, port, STRANGER, post('Host: x\r\n' +
		'Transfer-Encoding: chunked', `4000\r\n${'x'.repeat(0x4000)}`));
	for (const socket of [...strangers, guesser, chunks]) {
		await answered(socket, 403);
		await waitUntil('its end', () => socket.ended);
	}
	// others are not affected, and a right credential is enough
	assert.equal((await call(sluice, long, admin)).status, 200);
	assert.equal((await call(sluice, long, basic('admin', password)))
		.status, 200);
	// a short body needs none in the head
	assert.equal((await login(sluice, 'admin', password)).status, 200);
	await sluice.stop();
});

test('one address has a share of the memory for bodies', async (t) => {
	await addAddresses();
	const { sluice, admin } = await startGuarded(t);
	const { port } = sluice;
	const { Cookie } = admin;

	// three need more than 16 MiB
	const held = await hold(t, port, 3, `Cookie: ${Cookie}\r\n`);
	await waitUntil('the limit', () => held.filter((socket) =>
		socket.heard.startsWith('HTTP/1.1 503')).length > 0);
	// another address has its own
	const reply = await call(sluice, { cmd: 'set-config', key: 'k',
		data: 'x'.repeat(100000) }, admin, { localAddress: OTHER });
	assert.equal(reply.status, 200);
	await sluice.stop();
});

const big = 9 << 20;

// The bytes that end the connection, and the status in them.
const limits = {
	'a body of 9 MiB': [413, post(`Host: x\r\nContent-Length: ${big}`, '')],
	'a chunk of 9 MiB': [413, post('Host: x\r\nTransfer-Encoding: chunked',
		`${big.toString(16)}\r\n`)],
	'a target of 9,000 bytes':
		[414, `GET /${'x'.repeat(9000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
	'an unknown expectation':
		[417, post('Host: x\r\nExpect: wonders\r\nContent-Length: 1')],
	'a head of 17,000 bytes': [431, `GET / HTTP/1.1\r\nHost: x\r\nA: ${
		'x'.repeat(17000)}\r\n\r\n`],
	'65 fields': [431, `GET / HTTP/1.1\r\nHost: x\r\n${
		'A: b\r\n'.repeat(64)}\r\n`],
	'CONNECT': [501, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
	'HTTP/2.0': [505, 'GET / HTTP/2.0\r\nHost: x\r\n\r\n'],
};

test('exceeded limits are reported in JSON, and the connection ends',
	async (t) => {
	const sluice = await Sluice.start(t,
		{ ...config(), settings: NAMED });

	await Promise.all(Object.entries(limits).map(
		async ([what, [status, text]]) => {
		const { got, replies } = await exchange(t, sluice.port, text);
		const [head, body] = got.split('\r\n\r\n');

		assert.deepEqual(replies, [status], what);
		assert.match(head, /^connection: close\r?$/im, what);
		assert.match(head, JSON_TYPE);
		assert.match(head, /^x-content-type-options: nosniff\r?$/im);
		const { error, ...rest } = JSON.parse(body);
		assert.ok(error.length > 3, what);
		assert.deepEqual(rest, {}, what);
	}));
	await sluice.stop();
});

test('JSON that is too deep, too long, duplicate or missing changes nothing',
	async (t) => {
	const sluice = await Sluice.start(t,
		{ ...config(), settings: NAMED });
	const before = await sluice.cmd('load');
	const data = (json) => `{"cmd":"set-config","key":"k","data":${json}}`;
	const nested = (n) => '['.repeat(n) + ']'.repeat(n);

	for (const [text, error] of [
		[data(nested(64)), /nested deeper than 64/],
		['['.repeat(100000), /nested deeper than 64/],
		[data('{"a":'.repeat(100000)), /nested deeper than 64/],
		[data(`[${'0,'.repeat(200001)}0]`), /more than 200000 values/],
		[data('{"a":1,"a":2}'), /duplicate/],
		['{"cmd":"version","cmd":"restart"}', /duplicate/],
		['{"cmd":"version"} x', /not JSON/],
		['{"cmd":"version"', /not JSON/],
		['\ufeff{"cmd":"version"}', /not JSON/],
		['{"cmd":"version\\u0000"}', /not JSON|not a command/],
		['', /not JSON/],
		['[]', /not a JSON object/],
	]) {
		const reply = await sluice.post(text);

		assert.equal(reply.status, 400, text.slice(0, 60));
		assert.match(JSON.parse(reply.body).error, error,
			text.slice(0, 60));
	}
	for (const bytes of ['{"cmd":"version\xff"}', '{"cmd":"\xc0\xaf"}',
		'{"cmd":"version"}\0']) {
		const { replies } = await exchange(t, sluice.port, Buffer.from(
			post(`Host: x\r\nConnection: close\r\nContent-Length: ${
				bytes.length}`, bytes), 'latin1'));
		assert.deepEqual(replies, [400], bytes);
	}
	await sluice.cmd('set-config', { key: 'k',
		data: JSON.parse(nested(63)) });
	const { k, ...rest } = await sluice.cmd('load');
	assert.deepEqual(k, JSON.parse(nested(63)));
	assert.deepEqual(rest, before);
	await sluice.stop();
});

// Other spellings of a path: each byte as its code, and empty segments.
function* spellings(route) {
	for (let i = 1; i < route.length; i++) {
		const code = route.charCodeAt(i).toString(16);

		if (route[i] === '/') {
			yield route.slice(0, i) + '//' + route.slice(i + 1);
			yield route.slice(0, i) + '/./' + route.slice(i + 1);
		} else {
			yield `${route.slice(0, i)}%${code}${
				route.slice(i + 1)}`;
			yield `${route.slice(0, i)}%${code.toUpperCase()}${
				route.slice(i + 1)}`;
		}
	}
	yield '/' + route;
	yield '/.' + route;
	yield route + '?x=%2f..%2f';
}

// Paths that may be read as the route, and are not the route.
function* traps(route) {
	for (let i = 0; i < route.length; i++) {
		const code = route.charCodeAt(i).toString(16);

		if (route[i] === '/') {
			for (const way of ['%2f', '%2F', '%5c', '\\', '%252f',
				'/../', '/%2e%2e/', '/.%2e/', '/..;/', '%c0%af',
				';/', '%00/', '/%00', '/x/../'])
				yield `/${route.slice(1, i)}${way}${
					route.slice(i + 1)}`;
		} else {
			// coded twice
			yield `${route.slice(0, i)}%25${code}${
				route.slice(i + 1)}`;
		}
	}
	for (const behind of ['%00', '%20', ';x', '.json', '%0d%0a', '%', '%4',
		'%zz', '%u0041', '/..', '/%2e%2e', '#x'])
		yield route + behind;
	yield route.toUpperCase();
}

test('a path has one meaning, for the route and for access control',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users: {
		olga: { type: 2, password: 'look' } } });
	const callers = { nobody: {}, observer: cookie(await enter(sluice,
		'olga', 'look')), admin };
	let paths = 0;

	for (const route of ['/api/config', '/api/system-status', '/control/'])
		for (const [who, headers] of Object.entries(callers)) {
			const status = async (path) => (await request(
				sluice.port, { path, headers })).status;
			const plain = await status(route);

			for (const path of spellings(route)) {
				assert.equal(await status(path), plain,
					`${path} of ${who}`);
				paths++;
			}
			for (const path of traps(route)) {
				const got = await status(path);

				assert.ok(got === 400 || got === 404 ||
					got === 401 || got === 403,
				`${path} of ${who}: ${got}`);
				assert.ok(who !== 'admin' || got === 400 ||
					got === 404, `${path}: ${got}`);
				paths++;
			}
		}
	assert.ok(paths >= 500, `${paths} paths`);
	t.diagnostic(`${paths} paths`);
	await sluice.stop();
});

test('the port of the viewers is as strict', async (t) => {
	const port = await freePort();
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', `http://127.0.0.1:${port}/a`)));

	await waitUntil('its port', async () =>
		(await request(port, { path: '/b' })).status === 404);
	for (const [what, bytes] of Object.entries(refused)) {
		const { replies, got } = await exchange(t, port,
			Buffer.concat([Buffer.from(bytes), Buffer.from(
				'\r\n\r\nGET /a HTTP/1.1\r\n' +
				'Host: x\r\n\r\n')]));

		// a body is never read there: its faults are not seen
		assert.equal(replies.length, 1, `${what}: ${got}`);
		assert.ok([400, 404, 501, 505].includes(replies[0]),
			`${what}: ${got}`);
		assert.ok(replies[0] !== 404 || /chunk|last/.test(what),
			`${what}: ${got}`);
		assert.match(got, /^connection: close\r$/im, what);
	}
	await sluice.stop();
});
