// SPDX-License-Identifier: GPL-3.0-or-later
// np: an HTTP POST without an end pushes the stream to a server.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import fs from 'node:fs';
import { test } from 'node:test';
import { Ctl } from '../helpers/ctl.mjs';
import { liveMultiplex } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { start, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const output = async (sluice) => (await sluice.json(
	'/api/stream-outputs/a001')).outputs[0];

// Accepts the pushed data: each request with its bytes so far.
async function server(t, port, answer = () => {}) {
	const requests = [];
	const s = http.createServer((req, res) => {
		const one = { method: req.method, url: req.url,
			headers: req.headers, socket: req.socket, data: [],
			size: 0 };

		requests.push(one);
		req.on('data', (d) => {
			one.data.push(d);
			one.size += d.length;
		});
		req.on('error', () => {});
		answer(req, res, requests.length);
	});

	await new Promise((done) => s.listen(port, '127.0.0.1', done));
	t.after(() => {
		s.closeAllConnections();
		s.close();
	});
	return requests;
}

// The kind of the first packets; a picture that needs no other says so.
function beginning(data) {
	const at = (i) => data.subarray(i * 188, (i + 1) * 188);
	const pid = (i) => at(i).readUInt16BE(1) & 0x1fff;
	const table = (i) => at(i)[4 + 1 + at(i)[4]];

	return [pid(0) === 0 ? 'PAT' : pid(0),
		table(1) === 2 ? 'PMT' : pid(1),
		at(2)[3] & 0x20 && at(2)[5] & 0x40 ? 'picture' : pid(2)];
}

async function push(t, address) {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', [address, 'udp://127.0.0.1:6000'])));

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	return sluice;
}

test('after a broken connection the push restarts with whole packets',
	async (t) => {
	const timing = new Timing(t);
	const requests = await server(t, 8200);
	const sluice = await push(t, 'np://joe:p%20w@127.0.0.1:8200/in/a?x=1' +
		'#header.X-Name=news&ua=Pusher');

	await waitUntil('bytes', () => requests[0]?.size > 100000);
	requests[0].socket.destroy();
	await waitUntil('the next', () => requests[1]?.size > 100000);
	for (const one of requests.slice(0, 2)) {
		const data = Buffer.concat(one.data);

		assert.equal(one.method, 'POST');
		assert.equal(one.url, '/in/a?x=1');
		assert.equal(one.headers['transfer-encoding'], 'chunked');
		assert.equal(one.headers['content-type'], 'video/mp2t');
		assert.equal(one.headers.authorization,
			`Basic ${Buffer.from('joe:p w').toString('base64')}`);
		assert.equal(one.headers['x-name'], 'news');
		assert.equal(one.headers['user-agent'], 'Pusher');
		assert.equal(one.headers.expect, undefined);
		assert.equal(checkTs(data.subarray(0, data.length -
			data.length % 188)).ccErrors, 0);
		const [pat, pmt, picture] = beginning(data);
		assert.deepEqual([pat, pmt], ['PAT', 'PMT']);
		// without a picture for two seconds, any packet will do
		timing.assert(picture === 'picture', `PID ${picture}`);
	}
	// a server without a processor breaks other connections
	await waitUntil('its numbers', async () => {
		const { stats, error } = await output(sluice);

		assert.deepEqual([stats.connects, stats.peers, error],
			[requests.length, 1, undefined]);
		return true;
	});
	await sluice.stop();
});

// The status that an operator sees.
async function seen(sluice, ctl) {
	return { list: await ctl.out(['stream', 'ls']),
		status: await ctl.out(['status']),
		check: (await sluice.cmd('check-stream', { id: 'a001' }))
			['check-stream'] };
}

test('a push without a server is an error, and one line reports its loss',
	async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'np://127.0.0.1:8204/in')));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const told = await sluice.events(t, '&scope=alarm');
	const of = (m) => m.alarm === 'output_fault';

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('a001');
	const up = await told.wait('raised', of, 30000);
	assert.deepEqual([up.place, up.output, up.raised], ['output', 1, true]);
	assert.equal(up.reason, 'connect: Connection refused');
	// a source that waits for a core is off air meanwhile
	await waitUntil('the error', async () => {
		const broken = await seen(sluice, ctl);

		assert.match(broken.list, /on air .*output 1: .*connect/);
		assert.match(broken.status, new RegExp('^on air \\(the ' +
			'output does not send\\) a001 .*output 1: .*connect',
		'm'));
		assert.equal(broken.check, false);
		return true;
	});
	const lost = await waitUntil('packets to be lost', async () => {
		const s = await sluice.status('a001');

		return s.alarms.includes('output_fault') &&
			s.outputs[0].dropped > 3000 && s.outputs[0].dropped;
	}, 30000);

	const requests = await server(t, 8204);
	await waitUntil('bytes', () => requests[0]?.size > 100000, 30000);
	const down = await told.wait('cleared', (m) => of(m) && !m.raised,
		30000);
	assert.equal(down.output, 1);
	await sluice.logged(/output 1: open again after [\d.]+ s/);
	const [, all] = sluice.log.match(/s; (\d+) packets were dropped/);
	assert.ok(Number(all) >= lost, `${all} of ${lost}`);
	const well = await seen(sluice, ctl);
	assert.doesNotMatch(well.list + well.status, /output 1/);
	await waitUntil('no error', async () =>
		(await seen(sluice, ctl)).check === 'ok');
	await sluice.stop();
	// of the first outage: a server without a processor makes others
	const [outage] = sluice.log.match(/^[^]*?output 1: open again.*/);

	assert.equal(outage.match(/output 1:/g).length, 2,
		`a line for each end of the outage: ${outage}`);
});

test('a rejection by the server is reported, and retried', async (t) => {
	const sluice = await push(t, 'np://127.0.0.1:8201/in');
	const told = await sluice.events(t, '&scope=alarm');
	const raised = (reason) => told.wait(reason, (m) => m.raised &&
		m.alarm === 'output_fault' && m.reason === reason, 30000);
	const timing = new Timing(t);
	let refuses = true;

	await raised('connect: Connection refused');
	const silent = net.createServer((s) => s.destroy());
	await new Promise((done) => silent.listen(8201, '127.0.0.1', done));
	await told.wait('its end', (m) => m.raised &&
		/server closed the connection|connection to the server broke/
			.test(m.reason), 30000);
	await new Promise((done) => silent.close(done));
	const requests = await server(t, 8201, (req, res) => {
		if (!refuses)
			return;
		res.writeHead(403);
		res.end('no');
	});

	// alarm and log have the reason of now, in our words
	await raised('the server answers 403');
	timing.assert(await sluice.logged(/output 1: the server answers 403/)
		.then(() => true, () => false), 'the log has another reason');
	refuses = false;
	await waitUntil('another try', () => requests.at(-1)?.size > 50000,
		60000);
	await sluice.logged(/output 1: open again/);
	await sluice.stop();
});

test('a server that never ends its headers costs little', async (t) => {
	await server(t, 8205, (req, { socket }) => {
		const more = `X-X: ${'x'.repeat(2000)}\r\n`.repeat(30);
		const fill = () => {
			while (socket.write(more))
				;
		};

		socket.on('error', () => { /* it has enough */ });
		socket.write('HTTP/1.1 200 OK\r\n' +
			'Transfer-Encoding: chunked\r\n\r\n0\r\n');
		socket.on('drain', fill);
		fill();
	});
	const sluice = await push(t, 'np://127.0.0.1:8205/in');

	await sluice.logged(/output 1: the headers of the reply are longer/);
	await sluice.stop();
});

test('a server that stops reading delays no other output', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });

	// the kernel accepts a fraction of a second
	for (const name of ['tcp_wmem', 'tcp_rmem'])
		fs.writeFileSync(`/proc/sys/net/ipv4/${name}`,
			'4096 16384 16384');
	await server(t, 8202, (req) => req.pause());
	const sluice = await push(t, 'np://127.0.0.1:8202/in#timeout=2');

	await waitUntil('its loss', async () =>
		(await output(sluice)).stats?.queued_kib > 0, 20000);
	await sluice.logged(/output 1: the server accepted no data for 2 s/);
	assert.ok(recorder.size() > 0);
	const { inputs, outputs: [, good] } = await sluice.status('a001');

	timing.stop();
	await sluice.stop();
	const [list] = await recorder.stop();

	timing.unlessHeldUp('', [{ inputs, outputs: [good] }], () =>
		assert.equal(checkTs(joined(list)).ccErrors, 0));
});

test('ffmpeg receives the push', async (t) => {
	const file = path.join(tempDir(t), 'a.ts');

	start(t, 'ffmpeg', ['-v', 'error', '-listen', '1', '-i',
		'http://127.0.0.1:8203/in', '-c', 'copy', '-y', '-f', 'mpegts',
		'-flush_packets', '1', file]);
	const sluice = await push(t, 'np://127.0.0.1:8203/in');

	await waitUntil('its copy', () => (fs.statSync(file,
		{ throwIfNoEntry: false })?.size ?? 0) > 100000, 30000);
	await sluice.stop();
});
