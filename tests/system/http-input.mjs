// SPDX-License-Identifier: GPL-3.0-or-later
// http-input: streams of other servers, at their pace, whatever the servers do.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import dgram from 'node:dgram';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, sanitized, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined, within } from '../helpers/udp.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

// A server on port 7000; handler(request, reply, requests so far).
async function serve(t, handler) {
	const seen = [];
	const server = http.createServer((request, reply) => {
		seen.push(request);
		reply.on('error', () => { /* the client has disconnected */ });
		handler(request, reply, seen.length);
	});

	await new Promise((done) => server.listen(7000, '127.0.0.1', done));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return seen;
}

// Sends the due packets of mux at intervals, until the reply ends.
function feed(reply, mux, everyMs) {
	const begin = performance.now(), first = mux.packets;
	const timer = setInterval(() => {
		const due = (performance.now() - begin) / 1000 * mux.rate /
			8 / 188;

		while (mux.packets - first < due)
			reply.write(mux.take(7));
	}, everyMs);

	reply.on('close', () => clearInterval(timer));
}

test('one burst each second is sent evenly and without loss', async (t) => {
	const timing = new Timing(t), rate = 4e6;
	const mux = new TsMux({ rate });
	const recorder = await Recorder.start(t, { port: 6000 });

	await serve(t, (request, reply) => feed(reply, mux, 1000));
	const sluice = await Sluice.start(t, config(stream('a001',
		'http://127.0.0.1:7000/x#buffer_time=2',
		'udp://127.0.0.1:6000')));

	// a server that catches up is ahead of the playback
	await waitUntil('six seconds', () => mux.seconds > 6 &&
		recorder.size() > 2.2 * rate / 8, 20000);
	const [list] = await recorder.stop();
	const later = list.filter(({ ns }) => ns - list[0].ns > 1000000000n);

	timing.stop();
	const status = await sluice.sent('a001', list.length * 7);

	await sluice.stop();
	timing.unlessHeldUp(sluice.log, [status], () =>
		assert.equal(checkTs(joined(list)).ccErrors, 0));
	assert.ok(list.length * 7 * 188 * 8 > 2 * rate, 'two seconds of it');
	// a second in one piece would be 1000
	const most = within(later, rate, 10);

	timing.assert(most[Math.floor(most.length * 0.99)] < 60,
		`${most.at(-1)} ms of the stream in 10 ms`);
});

// As much as the connection accepts, at once.
function flood(reply, mux) {
	const more = () => {
		while (!reply.destroyed && reply.write(mux.take(350)))
			;
	};

	reply.on('drain', more);
	more();
}

test('a server that sends as fast as it can waits for the stream',
	async (t) => {
	const timing = new Timing(t), rate = 4e6, seconds = 5;
	const mux = new TsMux({ rate });
	const recorder = await Recorder.start(t, { port: 6000 });
	let begun;

	await serve(t, (request, reply) => {
		begun = performance.now();
		flood(reply, mux);
	});
	const sluice = await Sluice.start(t, config(stream('a001',
		'http://127.0.0.1:7000/x#buffer_time=1&buffer_size=1024',
		'udp://127.0.0.1:6000')));

	await sluice.onair('a001', 20000);
	await waitUntil(`${seconds} s`, () => begun !== undefined &&
		performance.now() - begun > seconds * 1000, 20000);
	const { pid } = sluice.worker('stream', 'a001');
	const [, kib] = /^RssAnon:\s+(\d+)/m.exec(
		fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
	const ahead = mux.packets * 188 -
		(performance.now() - begun) / 1000 * rate / 8;
	const [list] = await recorder.stop();
	const { ccErrors } = checkTs(joined(list));
	const lasts = Number(list.at(-1).ns - list[0].ns) / 1e9;
	const came = list.length * 7 * 188 * 8 / rate;

	const status = await sluice.sent('a001', list.length * 7);

	timing.unlessHeldUp(sluice.log, [status], () =>
		assert.equal(ccErrors, 0));
	timing.assert(lasts > seconds / 2 && Math.abs(came - lasts) < 1,
		`${came} s of the stream in ${lasts} s`);
	assert.ok(Number(kib) < (sanitized ? 200 : 16) * 1024, `${kib} KiB`);
	// 1 MiB of ours, and the socket buffers on both sides
	assert.ok(ahead < 24 * 1024 * 1024, `${ahead} bytes ahead`);
	await sluice.stop();
});

test('the cookie of a redirect opens the stream behind it', async (t) => {
	const mux = new TsMux({ rate: 2e6 });
	const seen = await serve(t, (request, reply) => {
		if (request.url === '/x')
			reply.writeHead(302, { Location: '/live',
				'Set-Cookie': 'pass=1; Path=/live' }).end();
		else if (request.headers.cookie === 'pass=1')
			feed(reply, mux, 50);
		else
			reply.writeHead(403).end();
	});
	const sluice = await Sluice.start(t, config(stream('a001',
		'http://127.0.0.1:7000/x#buffer_time=0',
		'udp://127.0.0.1:6000')));

	await sluice.onair('a001', 20000);
	assert.deepEqual(seen.slice(0, 2).map(({ url }) => url),
		['/x', '/live']);
	await sluice.stop();
});

test('a broken connection is invisible while the buffer lasts', async (t) => {
	const timing = new Timing(t);
	const mux = new TsMux({ rate: 2e6 });
	const recorder = await Recorder.start(t, { port: 6000 });
	const seen = await serve(t, (request, reply, n) => {
		feed(reply, mux, 50);
		if (n === 1)
			setTimeout(() => reply.destroy(), 4000);
	});
	const sluice = await Sluice.start(t, config(stream('a001',
		'http://127.0.0.1:7000/x#buffer_time=3',
		'udp://127.0.0.1:6000')));

	await waitUntil('a second request', () => seen.length > 1, 20000);
	await sluice.onair('a001');
	const at = mux.seconds;

	await waitUntil('three more seconds', () => mux.seconds > at + 3,
		20000);
	const [list] = await recorder.stop();
	let pause = 0;

	for (let i = 1; i < list.length; i++)
		pause = Math.max(pause, Number(list[i].ns - list[i - 1].ns));
	timing.assert(pause < 1e9, `nothing for ${pause / 1e6} ms`);
	await sluice.stop();
});

test('short replies are played whole, and the next one is requested meanwhile',
	async (t) => {
	const timing = new Timing(t), rate = 2e6, replies = 3, seconds = 2;
	const mux = new TsMux({ rate });
	const recorder = await Recorder.start(t, { port: 6000 });
	const bytes = Math.floor(rate * seconds / 8 / 188 / 7) * 7 * 188;
	let first, last;

	const seen = await serve(t, (request, reply, n) => {
		first ??= performance.now();
		last = performance.now();
		if (n > replies)
			return;
		reply.writeHead(200, { 'Content-Length': bytes });
		reply.end(mux.take(bytes / 188));
	});
	const sluice = await Sluice.start(t, config(stream('a001',
		'http://127.0.0.1:7000/x', 'udp://127.0.0.1:6000')));

	// the start of a stream may wait for its first picture
	await waitUntil('all of them', () => seen.length > replies &&
		recorder.size() > (replies - 0.3) * bytes, 30000);
	const [list] = await recorder.stop();
	const lasts = Number(list.at(-1).ns - list[0].ns) / 1e9;

	timing.stop();
	await sluice.stop();
	assert.equal(checkTs(joined(list)).ccErrors, 0);
	timing.assert(Math.abs(lasts - replies * seconds) < 1,
		`${replies * seconds} s of the stream in ${lasts} s`);
	timing.assert(last - first < (replies + 2) * 1000,
		`${last - first} ms until the request ${replies + 1}`);
});

test('a silent server is requested again after the watchdog', async (t) => {
	const seen = await serve(t, (request, reply, n) => {
		const mux = new TsMux({ rate: 2e6 });

		if (n === 1)
			reply.write(mux.take(700));
		else
			feed(reply, mux, 50);
	});
	const sluice = await Sluice.start(t, config(stream('a001',
		'http://127.0.0.1:7000/x#timeout=600&watchdog=2' +
		'&buffer_time=0', 'udp://127.0.0.1:6000')));

	await waitUntil('a second request', () => seen.length > 1, 60000);
	await sluice.onair('a001', 60000);
	await sluice.logged(/input 1: no packets for 2 s: opening it again/);
	await sluice.stop();
});

test('credentials, agent, headers, redirects; rejections are reported',
	async (t) => {
	const mux = new TsMux({ rate: 2e6 });
	const seen = await serve(t, (request, reply) => {
		switch (request.url) {
		case '/live?a=1':
			if (request.headers.authorization)
				feed(reply, mux, 50);
			else
				reply.writeHead(401, { 'WWW-Authenticate':
					'Basic realm="x"' }).end();
			break;
		case '/moved':
			reply.writeHead(302, { Location: '/live?a=1' }).end();
			break;
		case '/loop':
			reply.writeHead(302, { Location: '/loop' }).end();
			break;
		case '/file':
			reply.writeHead(302,
				{ Location: 'file:///etc/passwd' }).end();
			break;
		case '/silent':
			break;
		case '/ends':
			reply.end('no transport stream');
			break;
		default:
			reply.writeHead(404).end();
		}
	});
	const inputs = {
		a001: 'http://me:secret@127.0.0.1:7000/moved#ua=Box&' +
			'header.X-Token=abc',
		a002: 'http://127.0.0.1:7000/loop',
		a003: 'http://127.0.0.1:7000/file',
		a004: 'http://127.0.0.1:7000/silent#timeout=1',
		a005: 'http://127.0.0.1:7000/ends',
		a006: 'http://127.0.0.1:7000/none',
		a007: 'http://127.0.0.1:1/x',
	};
	const errors = {
		a002: /redirects/i,
		a003: RegExp('^the server redirects to file:///etc/passwd: ' +
			'only http and https are allowed$'),
		a004: /time|slow/i,
		a005: /server ended/,
		a006: /answers 404/,
		a007: /connect/i,
	};
	const sluice = await Sluice.start(t, config(...Object.entries(inputs)
		.map(([id, input], i) => stream(id, input,
			`udp://127.0.0.1:${6001 + i}`))));

	await sluice.onair('a001', 20000);
	const live = seen.findLast(({ url }) => url === '/live?a=1');

	assert.equal(live.headers['user-agent'], 'Box');
	assert.equal(live.headers['x-token'], 'abc');
	assert.equal(live.headers.authorization,
		`Basic ${Buffer.from('me:secret').toString('base64')}`);
	for (const [id, why] of Object.entries(errors))
		await sluice.waitStatus(id, String(why),
			(s) => why.test(s.inputs[0].error ?? ''), 15000);
	await sluice.stop();
});

test('the http output of Sluice is an input as well', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'http://127.0.0.1:8100/x'),
		stream('a002', 'http://127.0.0.1:8100/x',
			'udp://127.0.0.1:6000')));

	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a002', 20000);
	const status = await sluice.status('a002');

	assert.equal(status.inputs[0].cc_error, 0);
	await sluice.stop();
});

test('a name server that does not answer delays no other input', async (t) => {
	const resolv = path.join(tempDir(t), 'resolv.conf');
	const mute = dgram.createSocket('udp4');

	fs.writeFileSync(resolv, 'nameserver 127.0.0.1\n');
	execFileSync('mount', ['--bind', resolv, '/etc/resolv.conf']);
	t.after(() => {
		execFileSync('umount', ['/etc/resolv.conf']);
		mute.close();
	});
	let asked = 0;

	mute.on('message', () => { asked++; });
	await new Promise((done) => mute.bind(53, '127.0.0.1', done));
	const sluice = await Sluice.start(t, config(stream('a001',
		['udp://127.0.0.1:5000',
			'http://dead.example.org/x#timeout=1'],
		'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	const { pid } = sluice.worker('stream', 'a001');

	// the request is given up, and begun again
	await sluice.waitStatus('a001', 'the dead one is reported', (s) =>
		/resolv|tim/i.test(s.inputs[1].error ?? ''), 20000);
	const before = asked;

	assert.ok(before > 0);
	await waitUntil('it is asked again', () => asked > before, 20000);
	assert.equal(sluice.worker('stream', 'a001').pid, pid);
	await sluice.onair('a001');
	await sluice.stop();
});
