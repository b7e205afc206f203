// SPDX-License-Identifier: GPL-3.0-or-later
// viewers: a viewer over HTTP gets a picture at once, and delays no other
// viewer.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { MASTER, Sluice, config, request, stream }
	from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sender } from '../helpers/udp.mjs';
import { now, run, udpBound, waitUntil } from '../helpers/util.mjs';

const OTHER = { pnr: 2, pmtPid: 0x190, video: 0x191, audio: 0x192 };

async function playing(t, { rate = 2e6, options = '' } = {}) {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			`http://127.0.0.1:8100/one${options}`),
		stream('a002', 'udp://127.0.0.1:5001',
			[`http://127.0.0.1:8100/two${options}`,
				'http://127.0.0.1:8101/%74hree'])));

	await waitUntil('inputs', () => udpBound(5000) && udpBound(5001));
	await Sender.start(t, new TsMux({ rate }), 5000);
	await Sender.start(t, new TsMux({ rate, programs: [OTHER] }), 5001);
	await sluice.onair('a001');
	await sluice.onair('a002');
	return { sluice, begun: sluice.log.length };
}

// Sends raw bytes; returns the reply until its end, or until it is sufficient.
function raw(t, port, text, enough = () => false) {
	return new Promise((done) => {
		let got = Buffer.alloc(0);
		const socket = net.connect(port, '127.0.0.1',
			() => socket.write(text));
		t.after(() => socket.destroy());
		socket.on('data', (data) => {
			got = Buffer.concat([got, data]);
			if (enough(got))
				socket.destroy();
		});
		socket.on('error', () => {});
		socket.on('close', () => done(got));
	});
}

const split = (got) => {
	const at = got.indexOf('\r\n\r\n');

	return { head: got.subarray(0, at).toString(),
		body: got.subarray(at + 4) };
};

// Without a picture for two seconds, because the sender waits for a processor,
// it starts with any packet.
function assertPicture(timing, { order, first }, program) {
	assert.deepEqual(order.slice(0, 2), [0, program.pmtPid]);
	timing.assert(order[2] === program.video && first.rai &&
		first.packet === 2, JSON.stringify({ order, first }));
}

test('streams share a port, a stream may have several', async (t) => {
	const timing = new Timing(t);
	const { sluice } = await playing(t);
	const places = [[8100, '/one', PROGRAM], [8100, '/two', OTHER],
		[8101, '/three', OTHER]];

	for (const [port, path, program] of places) {
		const viewer = await Viewer.open(t, port, path);
		await waitUntil('video', () => viewer.bytes > 300000);
		viewer.close();
		const seen = checkTs(viewer.data());
		assert.equal(viewer.status, 200);
		assert.equal(seen.ccErrors + seen.syncErrors +
			seen.crcErrors, 0);
		assertPicture(timing, seen, program);
	}
	await sluice.stop();
});

test('HTTP/1.0, HTTP/1.1, HEAD, and rejected requests', async (t) => {
	const { sluice } = await playing(t);
	const some = (got) => got.length > 50000;
	const ask = async (line, enough) => split(await raw(t, 8100,
		`${line}\r\nHost: x\r\n\r\n`, enough));

	for (const version of ['1.0', '1.1']) {
		const { head, body } = await ask(`GET /one HTTP/${version}`,
			some);
		assert.match(head, /^HTTP\/1\.[01] 200 /);
		assert.match(head, /^content-type: video\/mp2t$/im);
		assert.doesNotMatch(head, /^transfer-encoding/im);
		assert.equal(body[0], 0x47);
	}
	const plain = split(await raw(t, 8100, 'GET /one HTTP/1.0\r\n\r\n',
		some));
	assert.match(plain.head, / 200 /, 'HTTP/1.0 needs no Host');
	const { head, body } = await ask('HEAD /one HTTP/1.1\r\n' +
		'Connection: close');
	assert.match(head, /^HTTP\/1\.1 200 /);
	assert.match(head, /^content-type: video\/mp2t$/im);
	assert.equal(body.length, 0);
	for (const [line, status] of [
		['GET /none HTTP/1.1\r\nConnection: close', 404],
		['GET / HTTP/1.1\r\nConnection: close', 404],
		['GET /one/ HTTP/1.1\r\nConnection: close', 404],
		['GET /ONE HTTP/1.1\r\nConnection: close', 404],
		['HEAD /none HTTP/1.1\r\nConnection: close', 404],
		['POST /one HTTP/1.1\r\nContent-Length: 0\r\n' +
			'Connection: close', 405],
		['DELETE /one HTTP/1.1\r\nConnection: close', 405],
		['GET /%2e%2e%2fone HTTP/1.1', 400],
		['GET /one HTTP/1.1\r\nHost: y', 400],
		['GET /one HTTP/2.5', 505],
		['GET /one HTTP/1.1\r\nX: ' + 'x'.repeat(20000), 431],
	]) {
		const reply = await ask(line);
		assert.match(reply.head, new RegExp(`^HTTP/1\\.1 ${status} `),
			`${line.slice(0, 40)}: ${reply.head}`);
		if (status === 405)
			assert.match(reply.head, /^allow: .*GET/im);
	}
	await sluice.stop();
});

test('a hundred viewers receive the same', async (t) => {
	const timing = new Timing(t);
	const { sluice, begun } = await playing(t);
	const viewers = await Promise.all(Array.from({ length: 100 },
		() => Viewer.open(t, 8100, '/one')));

	await sluice.waitStatus('a001', 'viewers', (s) => s.sessions === 100);
	await waitUntil('two seconds', () => viewers.every((viewer) =>
		viewer.bytes > 2 * 2e6 / 8));
	timing.stop();
	const status = await sluice.status('a001');
	for (const viewer of viewers) {
		viewer.close();
		const seen = checkTs(viewer.data());
		assert.deepEqual(seen.order.slice(0, 2), [0, PROGRAM.pmtPid]);
		timing.unlessHeldUp(sluice.log.slice(begun), [status], () =>
			assert.equal(seen.ccErrors + seen.syncErrors, 0));
	}
	await sluice.waitStatus('a001', 'nobody', (s) => s.sessions === 0);
	await sluice.stop();
});

test('a viewer that does not read is disconnected, the others do not notice',
	async (t) => {
	const timing = new Timing(t);
	// two seconds and more: this process reads, and may be held up
	const { sluice, begun } = await playing(t,
		{ rate: 4e6, options: '#buffer_size=1024' });
	const healthy = await Viewer.open(t, 8100, '/one');
	const slow = net.connect({ port: 8100, host: '127.0.0.1' }, () => {
		slow.write('GET /one HTTP/1.1\r\nHost: x\r\n\r\n');
		slow.pause();
	});

	t.after(() => slow.destroy());
	slow.on('error', () => {});
	await sluice.waitStatus('a001', 'two viewers', (s) => s.sessions === 2);
	await sluice.waitStatus('a001', 'the cut', (s) => s.sessions <= 1,
		30000);
	const bytes = healthy.bytes;
	await waitUntil('more', () =>
		healthy.bytes > bytes + 1e6 || healthy.ended);
	timing.stop();
	timing.assert(!healthy.ended, 'the reader was cut');
	if (healthy.ended) {
		await sluice.stop();
		return;
	}
	const status = await sluice.status('a001');
	const { sessions_cut, outputs } = status;
	const seen = checkTs(healthy.data());
	timing.unlessHeldUp(sluice.log.slice(begun), [status], () =>
		assert.equal(seen.ccErrors + seen.syncErrors, 0));
	assert.equal(sessions_cut, 1);
	assert.deepEqual(outputs[0].stats, { peers: 1, cut: 1 });
	// a counter of the stream does not go back with an output
	const [document] = (await sluice.cmd('load')).make_stream;

	await sluice.cmd('set-stream', { id: 'a001',
		stream: { ...document, output: [] } });
	await waitUntil('the end of the viewer', () => healthy.ended);
	assert.equal((await sluice.status('a001')).sessions_cut, 1);
	await sluice.stop();
});

test('a viewer of a stream that is off air receives no old packets',
	async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'http://127.0.0.1:8100/one')));
	const mux = new TsMux({ rate: 2e6 });
	const off = () => sluice.waitStatus('a001', 'off air', (s) =>
		!s.onair && s.bitrate === 0, 20000);

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, mux, 5000);
	const before = await Viewer.open(t, 8100, '/one');
	await waitUntil('video', () => before.bytes > 300000);
	sender.stop();
	const { timestamp } = await off();
	await sluice.waitStatus('a001', 'two seconds', (s) =>
		s.timestamp > timestamp + 2, 20000);
	const viewer = await Viewer.open(t, 8100, '/one');
	assert.equal(viewer.status, 200);
	const { bytes } = before;
	await sluice.waitStatus('a001', 'two more', (s) =>
		s.timestamp > timestamp + 4, 20000);
	assert.equal(viewer.bytes, 0);
	assert.equal(before.bytes, bytes);
	assert.equal(before.ended, false);
	await Sender.start(t, mux, 5000);
	await waitUntil('video', () => viewer.bytes > 300000);
	const seen = checkTs(viewer.data());
	assertPicture(timing, seen, PROGRAM);
	assert.equal(seen.syncErrors, 0);
	await sluice.stop();
});

test('auth that cannot be enforced is rejected, or closes the outputs',
	async (t) => {
	const open = config(stream('a001', 'udp://127.0.0.1:5000',
		'http://127.0.0.1:8100/one'));
	const sluice = await Sluice.start(t, open);
	const status = () => request(8100, { path: '/one' })
		.then((reply) => reply.status, (error) => error.code);

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	const viewer = await Viewer.open(t, 8100, '/one');
	for (const auth of [{ enable: 1 }, { enable: 'true' },
		{ enable: {} }, { enable: true, securetoken: [] },
		{ enable: true, http_ip_deny: '10.0.0.0/8' },
		{ enable: true, http_token_deny: 'stolen' },
		{ enable: true, http_token_deny: [7] },
		{ enable: true, backend: 'nowhere' }]) {
		for (const command of [{ cmd: 'set-auth', auth },
			{ cmd: 'set-config', key: 'auth', data: auth }])
			assert.equal((await sluice.post(command)).status, 400,
				JSON.stringify(command));
		fs.writeFileSync(sluice.file,
			JSON.stringify({ ...open, auth }));
		const { code } = await run(MASTER, ['-t', '-c', sluice.file]);
		assert.equal(code, 78, JSON.stringify(auth));
	}
	// nothing changed: the file is rejected
	sluice.child.kill('SIGHUP');
	await sluice.logged(/SIGHUP: reload failed, nothing changed/);
	assert.equal(viewer.ended, false);
	// a document that a restart reads without a check
	await sluice.cmd('upload', { config: { ...open,
		auth: { enable: 'yes' } } });
	await sluice.cmd('restart');
	await sluice.waitStatus('a001', 'its closed output',
		(s) => /^closed: the section auth/.test(s.outputs[0].error));
	await waitUntil('a closed path', async () => await status() !== 200);
	await waitUntil('the end of the viewer', () => viewer.ended);
	await sluice.cmd('set-auth', { auth: {} });
	const again = await waitUntil('viewer', async () => {
		const v = await Viewer.open(t, 8100, '/one');
		return v.status === 200 && v;
	});
	await waitUntil('video', () => again.bytes > 100000);
	await sluice.stop();
});

test('a removed stream ends its viewers; a new stream is served at once',
	async (t) => {
	const timing = new Timing(t);
	const { sluice } = await playing(t);
	const one = await Viewer.open(t, 8100, '/one');
	const two = await Viewer.open(t, 8100, '/two');

	await sluice.cmd('set-stream', { id: 'a001',
		stream: { remove: true } });
	await waitUntil('end of the viewer', () => one.ended);
	const reply = await request(8100, { path: '/one' });
	assert.equal(reply.status, 404);
	const bytes = two.bytes;
	await waitUntil('the other', () => two.bytes > bytes + 100000);
	await sluice.cmd('set-stream', { stream: stream('a003',
		'udp://127.0.0.1:5000', 'http://127.0.0.1:8100/fresh') });
	const begin = now();
	const fresh = await waitUntil('new path', async () => {
		const viewer = await Viewer.open(t, 8100, '/fresh');
		return viewer.status === 200 && viewer;
	});
	await waitUntil('video', () => fresh.bytes > 100000);
	timing.assert(now() - begin < 5000);
	assert.equal(checkTs(two.data()).ccErrors, 0);
	await sluice.stop();
});

test('a port of another program is named, and used when it is free',
	async (t) => {
	const squatter = net.createServer();
	await new Promise((done) => squatter.listen(8100, '127.0.0.1', done));
	t.after(() => squatter.close());
	const { sluice } = await playing(t);

	await waitUntil('complaint', () => /8100/.test(sluice.log));
	const one = 'stream a00\\d: http://127\\.0\\.0\\.1:8100/(one|two): ';
	await sluice.logged(new RegExp(
		`error .*${one}.*in use \\(and 1 more output\\)\n`));
	const three = await Viewer.open(t, 8101, '/three');
	assert.equal(three.status, 200, 'other ports are served');
	const { outputs } = await sluice.waitStatus('a001', 'its error', (s) =>
		/in use/i.test(s.outputs[0].error));
	assert.equal(outputs[0].open, false);
	assert.equal(outputs[0].stats, undefined);
	await new Promise((done) => squatter.close(done));
	await waitUntil('the port', async () =>
		(await request(8100, { path: '/one', method: 'HEAD' }))
			.status === 200, 15000);
	await sluice.logged(new RegExp(`info .*${one}listening`));
	await sluice.stop();
});
