// SPDX-License-Identifier: GPL-3.0-or-later
// new-files: files that a worker reads when it connects, and that appear or
// are replaced after its start.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { config, sanitized, Sluice, stream } from '../helpers/sluice.mjs';
import { certificate } from '../helpers/tls.mjs';
import { Sender } from '../helpers/udp.mjs';
import { now, replaceFile, tempDir, udpBound, waitUntil } from
	'../helpers/util.mjs';

// A server that resolves every name to 127.0.0.1.
async function resolve(t, address) {
	const server = dgram.createSocket('udp4');

	server.on('message', (query, from) => {
		// behind the header, the labels and their end
		const type = query.readUInt16BE(query.indexOf(0, 12) + 1);
		const end = query.indexOf(0, 12) + 5;
		const is4 = type === 1;

		server.send(Buffer.concat([query.subarray(0, 2),
			Buffer.from([0x81, 0x80, 0, 1, 0, is4 ? 1 : 0, 0, 0, 0,
				0]), query.subarray(12, end),
			Buffer.from(is4 ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60,
				0, 4, 127, 0, 0, 1] : [])]),
		from.port, from.address);
	});
	await new Promise((done) => server.bind(53, address, done));
	t.after(() => server.close());
}

// Accepts what a np output sends, and sends a stream to an input.
async function serve(t, server, port) {
	await new Promise((done) => server.listen(port, '127.0.0.1', done));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
}

function send(request, reply) {
	const mux = new TsMux();
	const timer = setInterval(() => reply.write(mux.take(70)), 40);

	request.resume();
	reply.on('error', () => { /* the client has disconnected */ });
	reply.on('close', () => clearInterval(timer));
}

// The names of an input and of an output resolve once the file is there.
async function namesAppear(t, file, text) {
	replaceFile(t, '/etc/resolv.conf', 'nameserver 127.0.0.2\n');
	await serve(t, http.createServer(send), 7000);
	await Sender.start(t, new TsMux(), 5000);
	const sluice = await Sluice.start(t, config(
		stream('a001', 'http://source.example.org:7000/x',
			'udp://127.0.0.1:6000'),
		stream('a002', 'udp://127.0.0.1:5000',
			'np://target.example.org:7000/x'),
		stream('a003', 'srt://caller.example.org:7002',
			'udp://127.0.0.1:6001')));
	const unresolved = (s) =>
		/resolve|host|has no address/i.test(s.error ?? '');

	await waitUntil('input', () => udpBound(5000));
	await sluice.waitStatus('a001', 'a name without an address', (s) =>
		unresolved(s.inputs[0]), 20000);
	await sluice.waitStatus('a002', 'a name without an address', (s) =>
		unresolved(s.outputs[0]), 20000);
	await sluice.waitStatus('a003', 'a name without an address', (s) =>
		unresolved(s.inputs[0]), 20000);
	const { pid } = sluice.worker('stream', 'a003');

	await resolve(t, '127.0.0.3');
	replaceFile(t, file, text);
	await sluice.onair('a001', 20000);
	await sluice.waitStatus('a002', 'connected', (s) =>
		s.outputs[0].packets > 0 && !s.outputs[0].error, 20000);
	await sluice.replaced('stream', 'a003', pid, 20000);
	await sluice.stop();
}

// such a build hides no file from a worker
const skip = sanitized && 'a build with sanitizers is not confined';

test('a new resolv.conf resolves names', { skip }, (t) =>
	namesAppear(t, '/etc/resolv.conf', 'nameserver 127.0.0.3\n'));

test('a new file of hosts resolves names', { skip }, (t) =>
	namesAppear(t, '/etc/hosts', '127.0.0.1 source.example.org ' +
		'target.example.org caller.example.org\n'));

test('a new resolv.conf leaves a worker alone that needs no name',
	async (t) => {
	let requests = 0;

	await serve(t, http.createServer((request, reply) => {
		requests++;
		reply.writeHead(503).end();
	}), 7000);
	const sluice = await Sluice.start(t, config(stream('a001',
		'http://127.0.0.1:7000/x', 'udp://127.0.0.1:6000')));

	await waitUntil('a request', () => requests > 0);
	const { pid } = sluice.worker('stream', 'a001');
	const before = requests;

	replaceFile(t, '/etc/resolv.conf', 'nameserver 127.0.0.3\n');
	await waitUntil('two requests', () => requests > before + 1, 20000);
	assert.equal(sluice.worker('stream', 'a001').pid, pid);
	await sluice.stop();
});

test('a file of ca= that appears or is replaced is used', async (t) => {
	const dir = tempDir(t), ca = path.join(dir, 'ca.pem');
	const certs = [await certificate(dir, 'first'),
		await certificate(dir, 'second')];
	const keys = ({ key, pem }) => ({ key: fs.readFileSync(key),
		cert: pem });
	const server = https.createServer(keys(certs[0]), send);
	const put = ({ pem }) => {
		fs.writeFileSync(`${ca}.new`, pem);
		fs.renameSync(`${ca}.new`, ca);
	};

	await serve(t, server, 7001);
	const sluice = await Sluice.start(t, config(stream('a001',
		`https://127.0.0.1:7001/x#ca=${ca}`,
		'udp://127.0.0.1:6000')));
	const refused = (s) => /certificate|verify/i.test(
		s.inputs[0].error ?? '');

	await sluice.waitStatus('a001', 'no file', refused, 20000);
	put(certs[0]);
	await sluice.onair('a001', 20000);
	server.setSecureContext(keys(certs[1]));
	server.closeAllConnections();
	await sluice.waitStatus('a001', 'another certificate', refused, 20000);
	put(certs[1]);
	await sluice.onair('a001', 20000);
	await sluice.stop();
});

// A process of the stream has a rule for the new folder; the old one has not.
test('another folder of a recording costs the stream no failure', { skip },
	async (t) => {
	const dir = path.join(tempDir(t), 'rec');
	const has = (folder) => fs.readdirSync(folder).some((f) =>
		fs.statSync(path.join(folder, f)).size > 20000);
	let n = 0;
	const replaceFolder = () => {
		fs.renameSync(dir, `${dir}.${n++}`);
		fs.mkdirSync(dir);
	};
	const waiting = (s) => s.outputs[0].error?.includes(
		'after the start of this worker');

	fs.mkdirSync(dir);
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', [
			`file://${dir}/a.ts#min_free=0`,
			'udp://127.0.0.1:6000'])));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await waitUntil('a recording', () => has(dir));
	const from = now();
	const isEarly = () => now() - from < 60000;

	for (let i = 0; i < 3; i++) {
		replaceFolder();
		await waitUntil(`recording ${i}`, () => has(dir), 20000);
	}
	// in the first minute a fourth process has to wait, and the other
	// output does not
	const { pid } = sluice.worker('stream', 'a001');

	replaceFolder();
	await sluice.waitStatus('a001', 'the recording waits', (s) =>
		waiting(s) || !isEarly(), 20000);
	const { packets } = (await sluice.status('a001')).outputs[1];

	await sluice.waitStatus('a001', 'the other output', (s) =>
		s.outputs[1].packets > packets || !isEarly());
	const status = await sluice.status('a001');
	const last = sluice.worker('stream', 'a001')?.pid;

	if (isEarly())
		assert.deepEqual([last, status.worker.state],
			[pid, 'running']);
	else
		t.diagnostic('too slow for three processes in a minute');
	assert.equal(status.worker.restarts, 0);
	assert.doesNotMatch(sluice.log, /exit code|restarting|alarm worker/);
	await sluice.stop();
});
