// SPDX-License-Identifier: GPL-3.0-or-later
// test-softcam: reports within ten seconds whether a server can be reached, and
// does nothing else.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { Sluice, config, request } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { freePort, now, run, waitUntil } from '../helpers/util.mjs';

// An address that no name server and no network makes slower.
const LIMIT_MS = 10000;
const AT_ONCE = 4;

const about = (more) => ({ type: 'newcamd', name: 'x', user: 'u', pass: 'p',
	key: '0102030405060708091011121314', timeout: 1, ...more });

async function judged(sluice, more) {
	const begin = now();
	const reply = await sluice.post({ cmd: 'test-softcam',
		config: about(more) });
	const ms = now() - begin;

	return { status: reply.status, body: JSON.parse(reply.body), ms };
}

// A server of the kind, up to the end of the test.
async function listening(t, on_client) {
	const server = net.createServer(on_client);

	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	t.after(() => server.close());
	return server.address().port;
}

// 192.0.2.1 is on it, and nothing reports that it is absent: two ends of a
// cable, the other one in no use.
async function quietWire(t) {
	for (const args of [
		['link', 'add', 'quiet', 'type', 'veth', 'peer', 'name', 'end'],
		['addr', 'add', '192.0.2.2/24', 'dev', 'quiet'],
		['link', 'set', 'quiet', 'up', 'arp', 'off'],
		['link', 'set', 'end', 'up'],
	]) {
		const { code, err } = await run('ip', args);
		assert.equal(code, 0, `ip ${args.join(' ')}: ${err}`);
	}
	t.after(() => run('ip', ['link', 'del', 'quiet']));
}

test('another type is rejected at once, with the text of the contract',
	async (t) => {
	const sluice = await Sluice.start(t, config());

	for (const type of ['oscam', '', 7, undefined]) {
		const { status, body } = await judged(sluice, { type });
		assert.equal(status, 200);
		assert.deepEqual(body,
			{ error: 'failed to initialize softcam' });
	}
});

test('a port without a listener is a failed connection', async (t) => {
	const sluice = await Sluice.start(t, config());
	const { status, body } = await judged(sluice, { host: '127.0.0.1',
		port: await freePort() });

	assert.equal(status, 200);
	assert.deepEqual(body, { error: 'connection failed', status: 0 });
	// nothing is left, nothing was stored
	await waitUntil('end of the test', () => !sluice.worker('softcam'));
	assert.equal((await sluice.cmd('load')).softcam, undefined);
});

test('a name without an address is a timeout of the connection', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config());
	const { status, body, ms } = await judged(sluice, {
		host: 'no-such-host.invalid', port: 15050 });

	assert.equal(status, 200);
	assert.deepEqual(body, { error: 'connection timeout', status: 0 });
	timing.assert(ms < LIMIT_MS + 2000, `${ms} ms`);
});

test('a server that can be reached: this version reports how far it came',
	async (t) => {
	let connected = 0;
	const port = await listening(t, (socket) => {
		connected++;
		socket.resume();
		socket.on('error', () => {});
	});
	const sluice = await Sluice.start(t, config());
	const { status, body, ms } = await judged(sluice, {
		host: 'localhost', port });

	assert.equal(status, 200);
	assert.deepEqual(body, { status: 0,
		error: 'connected, but this version cannot log in' });
	// the answer may be read first
	await waitUntil('the connection', () => connected > 0);
	assert.equal(connected, 1);
	assert.ok(ms > 20, `${ms} ms`);
	assert.ok(!sluice.log.includes('test-softcam'));
});

test('few tests run at a time; a server that never answers takes eight seconds',
	async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config());
	const silent = about({ host: '192.0.2.1', port: 15050 });
	const text = JSON.stringify({ cmd: 'test-softcam', config: silent });
	const running = () => sluice.workers().filter((w) =>
		w.role === 'softcam').length;

	await quietWire(t);
	const answer = judged(sluice, silent);
	const clients = Array.from({ length: AT_ONCE - 1 }, () => {
		const socket = net.connect(sluice.port, '127.0.0.1');
		socket.on('error', () => {});
		socket.write('POST /control/ HTTP/1.1\r\nHost: [::1]\r\n' +
			'Content-Type: application/json\r\n' +
			`Content-Length: ${text.length}\r\n\r\n${text}`);
		return socket;
	});
	await waitUntil('tests', () => running() === AT_ONCE);
	const reply = await sluice.post(text);
	assert.equal(reply.status, 503);
	assert.deepEqual(JSON.parse(reply.body),
		{ error: `${AT_ONCE} tests run already` });
	// a test without a waiting client is ended
	for (const socket of clients)
		socket.resetAndDestroy();
	await timing.within(6000,
		waitUntil('end of three', () => running() === 1));
	const { status, body, ms } = await answer;
	assert.equal(status, 200);
	assert.ok(['connection timeout', 'timeout'].includes(body.error),
		JSON.stringify(body));
	assert.ok(ms > 7900, `${ms} ms`);
	timing.assert(ms < LIMIT_MS + 2000, `${ms} ms`);
});

test('a request without a required field gets no answer, and changes nothing',
	async (t) => {
	const sluice = await Sluice.start(t, config());

	for (const body of [{ cmd: 'test-softcam' },
		{ cmd: 'test-softcam', config: 'x' },
		{ cmd: 'test-softcam', config: about({ port: 1 }) },
		{ cmd: 'test-softcam', config: about({ host: 'h' }) }])
		await assert.rejects(request(sluice.port, { method: 'POST',
			path: '/control/' }, JSON.stringify(body)),
			/socket hang up|ECONNRESET/);
	assert.ok(await sluice.cmd('version'));
	assert.ok(!sluice.worker('softcam'));
});
