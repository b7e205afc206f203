// SPDX-License-Identifier: GPL-3.0-or-later
// test-softcam: logs in to a server, reports within ten seconds how far it
// came, and does nothing else.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { CAM_KEY, CARD, GREETING, camKeys, open, seal }
	from '../helpers/newcamd.mjs';
import { Sluice, config, request } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { freePort, now, run, waitUntil } from '../helpers/util.mjs';

// An address that no name server and no network makes slower.
const LIMIT_MS = 10000;
// For an answer of the server.
const RESPONSE_MS = 8000;
const AT_ONCE = 4;

const about = (more) => ({ type: 'newcamd', name: 'x', user: 'u', pass: 'p',
	key: CAM_KEY, timeout: 1, ...more });

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
	timing.assert(ms < LIMIT_MS + 500, `${ms} ms`);
});

// What a server does with the answers to the login and for the card: they are
// sent by send().
const SERVERS = {
	good: ({ ack, card, send }) => ({ login: () => send(ack),
		card: () => send(card) }),
	slow: ({ ack, card, send, keepalive }) => {
		const bytes = async (frame) => {
			for (const byte of frame)
				await send(Buffer.from([byte]));
		};

		return { login: () => bytes(ack),
			card: () => bytes(Buffer.concat([keepalive, card])) };
	},
	denied: ({ nak, send }) => ({ login: () => send(nak) }),
	closed: ({ close }) => ({ login: close }),
	silent: () => ({ login: () => {} }),
	garbage: ({ send }) => ({ login: () =>
		send(Buffer.alloc(64, 0x20)) }),
	huge: ({ send }) => ({ login: () =>
		send(Buffer.from([0xff, 0xf8, 1, 2])) }),
	other: ({ ack, send }) => ({ login: () => send(ack),
		card: () => send(ack) }),
	dropped: ({ ack, send, close }) => ({ login: () => send(ack),
		card: close }),
};

// A server of newcamd with the account u, p.
async function softcam(t, behave) {
	const { hash, login, session } = camKeys('p');
	const seen = {};

	const port = await listening(t, (socket) => {
		seen.connected ??= now();
		const act = behave({
			ack: seal(login, 0xe1), nak: seal(login, 0xe2),
			keepalive: seal(session, 0xfd),
			card: seal(session, 0xe4, CARD),
			close: () => socket.end(),
			send: (data) => new Promise((done) =>
				socket.write(data, done)),
		});
		let got = Buffer.alloc(0);

		socket.setNoDelay();
		socket.on('error', () => {});
		socket.on('data', (data) => {
			got = Buffer.concat([got, data]);
			if (got.length < 2 ||
				got.length < got.readUInt16BE() + 2)
				return;
			const frame = got;

			got = Buffer.alloc(0);
			if (seen.login) {
				seen.card = open(session, frame);
				act.card();
			} else {
				seen.login = open(login, frame);
				// as OSCam with another key
				if (seen.login)
					act.login();
				else
					socket.end();
			}
		});
		socket.write(GREETING);
	});
	return { port, seen, hash };
}

test('a login shows the card of the server', async (t) => {
	const sluice = await Sluice.start(t, config());

	for (const name of ['good', 'slow']) {
		const { port, seen, hash } = await softcam(t, SERVERS[name]);
		const { status, body, ms } = await judged(sluice, {
			host: 'localhost', port,
			...(name === 'slow' && { caid: '0c00' }) });

		assert.equal(status, 200);
		assert.deepEqual(body, { status: 3,
			caid: name === 'slow' ? 0x0c00 : 0x0b00,
			ecm_rate: 0, emm_rate: 0, info: {
				caid: 0x0b00, au: true, ua: '0000A1B2C3D4E5F6',
				idents: [['000000', '00000000DEADBEEF'],
					['000012', '0000000001020304']]
					.map(([id, sa]) => ({ id, sa })),
			} });
		assert.ok(ms > 20, `${ms} ms`);
		assert.equal(seen.login.type, 0xe0);
		assert.equal(seen.login.body.toString(), `u\0${hash}\0`);
		assert.equal(seen.card.type, 0xe3);
	}
	assert.ok(!sluice.log.includes('test-softcam'));
	await waitUntil('end of the tests', () => !sluice.worker('softcam'));
});

test('each fault of a server has the text of the contract', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config());
	const expected = { denied: 'login failed', closed: 'login failed',
		silent: 'response timeout', garbage: 'failed to parse response',
		huge: 'failed to parse response',
		other: 'failed to parse response',
		dropped: 'connection failed' };
	const names = Object.keys(expected);

	while (names.length > 0)
		await Promise.all(names.splice(0, AT_ONCE).map(async (name) => {
			const { port, seen } = await softcam(t, SERVERS[name]);
			const begin = now();
			const { status, body, ms } = await judged(sluice, {
				host: '127.0.0.1', port });

			assert.equal(status, 200);
			// a worker that is late, at its start or at its end:
			// the test ends before the time of its server
			const late = timing.busy() || seen.connected + 500 >=
				begin + LIMIT_MS - RESPONSE_MS;

			if (body.error === 'timeout' && late)
				assert.ok(ms >= LIMIT_MS, `${ms} ms`);
			else
				assert.deepEqual(body, { error: expected[name],
					status: 0 }, name);
			timing.assert(ms < LIMIT_MS + 500, `${name}: ${ms} ms`);
		}));
	const { port, seen } = await softcam(t, SERVERS.good);
	const { body } = await judged(sluice, { host: '127.0.0.1', port,
		key: 'f'.repeat(28) });

	assert.deepEqual(body, { error: 'login failed', status: 0 });
	assert.equal(seen.login, false);
	assert.doesNotMatch(sluice.log, /f{28}/);
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
	timing.assert(ms < LIMIT_MS + 500, `${ms} ms`);
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
