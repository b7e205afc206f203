// SPDX-License-Identifier: GPL-3.0-or-later
// Certificates made on the spot, and clients that check them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { run, start, waitUntil } from './util.mjs';

// A self-signed certificate of 127.0.0.1 and its key, in files of dir:
// { chain, key, pem, name }.
export async function certificate(dir, name, { days = 30,
	algorithm = 'ec:P-256' } = {}) {
	const chain = path.join(dir, `${name}.pem`);
	const key = path.join(dir, `${name}.key`);
	const [kind, size] = algorithm.split(':');
	const how = kind === 'ec' ? ['-newkey', 'ec', '-pkeyopt',
		`ec_paramgen_curve:${size}`] : ['-newkey', `rsa:${size}`];
	const made = await run('openssl', ['req', '-x509', ...how, '-nodes',
		'-subj', `/CN=${name}`, '-days', String(days), '-addext',
		'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', chain]);

	assert.equal(made.code, 0, made.err);
	return { name, chain, key, pem: fs.readFileSync(chain, 'utf8') };
}

// The settings that use it, as files.
export const settingsOf = (cert) => ({ crt_chain: cert.chain,
	crt_key: cert.key });

// One exchange over TLS, the certificate checked: { status, headers, body, name
// (of the certificate) }.
export function secureRequest(port, cert, options = {}, body = undefined) {
	return new Promise((done, fail) => {
		const call = https.request({ host: '127.0.0.1', port,
			ca: cert.pem, agent: false, timeout: 60000,
			...options }, (reply) => {
			const name = reply.socket.getPeerCertificate()
				.subject?.CN;
			const parts = [];
			reply.on('data', (part) => parts.push(part));
			reply.on('error', fail);
			reply.on('end', () => done({ name,
				status: reply.statusCode,
				headers: reply.headers,
				body: Buffer.concat(parts).toString() }));
		});
		call.on('timeout', () => call.destroy(new Error('no answer')));
		call.on('error', fail);
		call.end(body);
	});
}

export async function secureCommand(sluice, cert, command, options = {}) {
	const text = JSON.stringify(command);
	const reply = await secureRequest(sluice.port, cert, {
		method: 'POST', path: '/control/', ...options,
		headers: { 'Content-Length': Buffer.byteLength(text),
			...options.headers } }, text);

	if (reply.headers['content-type']?.startsWith('application/json'))
		reply.json = JSON.parse(reply.body);
	return reply;
}

// Waits until the port shows this certificate.
export const shown = (port, cert) => waitUntil(`certificate ${cert.name}`,
	async () => (await secureRequest(port, cert,
		{ path: '/api/system-status' })).name === cert.name);

// An open TLS connection; .closed once it has ended.
export function secureSocket(t, port, cert, options = {}) {
	return new Promise((done, fail) => {
		const socket = tls.connect({ host: '127.0.0.1', port,
			ca: cert.pem, ...options }, () => done(socket));

		socket.on('error', fail);
		socket.on('close', () => { socket.closed_ = true; });
		socket.resume();
		t.after(() => socket.destroy());
	});
}

// A TCP connection that sends these bytes; .closed_ once the server has closed
// it.
export function rawSocket(t, port, bytes) {
	return new Promise((done) => {
		const socket = net.connect(port, '127.0.0.1', () => {
			socket.write(bytes);
			done(socket);
		});

		socket.on('error', () => {});
		socket.on('close', () => { socket.closed_ = true; });
		socket.resume();
		t.after(() => socket.destroy());
	});
}

// openssl s_client with this input; returns its output to the end.
export async function sClient(t, port, cert, args, say = '') {
	const child = start(t, 'openssl', ['s_client', '-connect',
		`127.0.0.1:${port}`, '-CAfile', cert.chain, ...args],
	{ stdio: ['pipe', 'pipe', 'pipe'] });

	child.stdin.on('error', () => {});
	if (say !== null)
		child.stdin.end(say);
	return child;
}
