// SPDX-License-Identifier: GPL-3.0-or-later
// tls: the control port accepts TLS beside plain HTTP, with a key that only one
// process has, and a certificate that changes while it runs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import { basic, checked, startGuarded } from '../helpers/auth.mjs';
import { Sluice, request, sanitized } from '../helpers/sluice.mjs';
import { certificate, rawSocket, sClient, secureCommand, secureRequest,
	secureSocket, settingsOf, shown } from '../helpers/tls.mjs';
import { run, start, tempDir, waitUntil } from '../helpers/util.mjs';
import { WsClient } from '../helpers/ws.mjs';

const STATUS = { path: '/api/system-status' };
const HELLO = Buffer.from([0x16, 3, 1, 2, 0, 1]);

async function served(t, more = {}, options = {}) {
	const cert = await certificate(tempDir(t), 'headend.example');
	const sluice = await Sluice.start(t, { settings: {
		...settingsOf(cert), ...more } }, options);

	await sluice.logged(/certificate in use: CN = headend.example/);
	return { cert, sluice };
}

test('https and http are answered on one port', async (t) => {
	const { cert, sluice } = await served(t);
	const url = `https://127.0.0.1:${sluice.port}/api/system-status`;

	assert.equal((await secureRequest(sluice.port, cert, STATUS)).status,
		200);
	assert.equal((await request(sluice.port, STATUS)).status, 200);
	const curl = await run('curl', ['-sS', '--cacert', cert.chain, '-o',
		'/dev/null', '-w', '%{http_code} %{http_version}', url]);
	assert.equal(curl.out, '200 1.1', curl.err);
	const stranger = await run('curl', ['-sS', url]);
	assert.notEqual(stranger.code, 0);
	// many requests on one connection, and a large answer and question
	const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
	const streams = Array.from({ length: 3000 }, (_, i) => ({
		id: `s${i}`, name: 'x'.repeat(300), type: 'spts',
		enable: false, input: [], output: [] }));
	const set = await secureCommand(sluice, cert, { cmd: 'set-config',
		key: 'make_stream', data: streams }, { agent });
	assert.equal(set.status, 200, set.body);
	for (let i = 0; i < 5; i++) {
		const load = await secureCommand(sluice, cert,
			{ cmd: 'load' }, { agent });
		assert.equal(load.json.make_stream.length, 3000);
	}
	agent.destroy();
	await sluice.stop();
});

test('TLS 1.2 and 1.3, forward secrecy, http/1.1, no renegotiation',
	async (t) => {
		const { cert, sluice } = await served(t);
		const ask = 'GET /api/system-status HTTP/1.0\r\n\r\n';
		const speak = async (args, say) => (await (await sClient(t,
			sluice.port, cert, ['-ign_eof', ...args], say)).ended);

		for (const version of ['1_2', '1_3']) {
			const said = await speak([`-tls${version}`, '-alpn',
				'h2,http/1.1'], ask);
			assert.match(said.out, /Verify return code: 0 \(ok\)/);
			assert.match(said.out, /ALPN protocol: http\/1.1/);
			assert.match(said.out, /HTTP\/1.1 200 OK/);
			assert.match(said.out, new RegExp(
				`TLSv${version.replace('_', '.')}`));
			if (version === '1_2')
				assert.match(said.out, /Cipher is ECDHE-/);
			assert.match(said.out, /Compression: NONE/);
			assert.match(said.out, /Max Early Data: 0|TLSv1.2/);
		}
		for (const args of [
			['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'],
			['-tls1', '-cipher', 'ALL:@SECLEVEL=0'],
			['-tls1_2', '-cipher', 'AES128-GCM-SHA256'],
			['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-SHA'],
			['-alpn', 'h2'],
		]) {
			const said = await speak(args, ask);
			assert.match(said.err + said.out, /alert|no ciphers/,
				args.join(' '));
			assert.doesNotMatch(said.out, /200 OK/, args.join(' '));
		}
		const again = await sClient(t, sluice.port, cert, ['-tls1_2'],
			null);
		await waitUntil('a handshake', () =>
			/Verify return code/.test(again.text.out));
		again.stdin.write('R\n');
		await again.ended;
		assert.match(again.text.err, /no renegotiation/);
		await sluice.stop();
	});

test('the status has the facts of the certificate, and an alarm of its end',
	async (t) => {
	const dir = await tempDir(t);
	const lasting = await certificate(dir, 'lasting');
	const ending = await certificate(dir, 'ending', { days: 9,
		algorithm: 'rsa:2048' });
	const sluice = await Sluice.start(t,
		{ settings: settingsOf(lasting) });
	const facts = (name) => waitUntil(`facts of ${name}`, async () => {
		const { certificate: c } = await sluice.json(
			'/api/system-status?t=0');

		return c?.subject === `CN = ${name}` && c;
	});
	const { not_before: begin, not_after: end, days_left: left, ...rest } =
		await facts('lasting');
	const alarms = async () => (await sluice.json('/api/overview')).alarms
		.filter((alarm) => alarm.subject === 'certificate');

	assert.deepEqual(rest, { subject: 'CN = lasting',
		issuer: 'CN = lasting', names: ['127.0.0.1'], key: 'EC 256' });
	assert.equal(end - begin, 30 * 86400);
	// whole days: 30 in the second in which it was made
	assert.ok(left === 29 || left === 30, `${left} days`);
	assert.deepEqual(await alarms(), []);
	await sluice.cmd('set-settings', { settings: settingsOf(ending) });
	assert.equal((await facts('ending')).key, 'RSA 2048');
	const [{ alarm, reason }] = await waitUntil('the alarm', async () => {
		const list = await alarms();
		return list.length > 0 && list;
	});

	assert.equal(alarm, 'tls');
	assert.match(reason,
		/the certificate of CN = ending expires in [89] days/);
	await sluice.stop();
});

test('a certificate in use keeps its facts and its alarm without a key file',
	async (t) => {
	const cert = await certificate(tempDir(t), 'ending', { days: 9 });
	const sluice = await Sluice.start(t, { settings: settingsOf(cert) });
	const status = () => sluice.json('/api/system-status?t=0');
	const raised = async () => (await sluice.json('/api/overview')).alarms
		.find((alarm) => alarm.subject === 'certificate');
	const { since } = await waitUntil('the alarm', raised);
	const { certificate: facts } = await status();
	const same = async () => {
		assert.deepEqual({ ...(await status()).certificate,
			days_left: facts.days_left }, facts);
		assert.equal((await raised())?.since, since);
		await shown(sluice.port, cert);
	};
	const fault = (pattern) => waitUntil(`the alarm ${pattern}`,
		async () => (await status()).alarms.some((alarm) =>
			pattern.test(alarm)));

	fs.writeFileSync(cert.key, 'nonsense');
	sluice.child.kill('SIGHUP');
	await fault(/contains no private key/);
	await same();
	fs.rmSync(cert.key);
	for (let i = 0; i < 2; i++) {
		const from = sluice.log.length;

		await sluice.cmd('restart');
		await waitUntil('the restart', () =>
			sluice.log.slice(from).includes('restarting'));
		await sluice.ready();
		await fault(/settings.crt_key: .*: No such file/);
		await same();
	}
	assert.doesNotMatch(sluice.log, /alarm tls \(certificate\) cleared/);
	await sluice.stop();
});

test('a session is resumed, also after the certificate was read again',
	async (t) => {
		const { cert, sluice } = await served(t);
		const session = path.join(sluice.dir, 'session');
		const reused = async (...args) => {
			const client = await sClient(t, sluice.port, cert,
				['-ign_eof', ...args],
				'GET / HTTP/1.0\r\n\r\n');
			return /^Reused/m.test((await client.ended).out);
		};

		assert.equal(await reused('-sess_out', session), false);
		assert.equal(await reused('-sess_in', session), true);
		sluice.child.kill('SIGHUP');
		await waitUntil('a second reading', () => sluice.log.match(
			/certificate in use/g).length === 2);
		assert.equal(await reused('-sess_in', session), true);
		await sluice.stop();
	});

test('a cookie is Secure when it was requested over TLS', async (t) => {
	const cert = await certificate(tempDir(t), 'headend.example');
	const { sluice, password } = await startGuarded(t, { config: {
		settings: settingsOf(cert) } });
	const login = { cmd: 'login', login: 'admin', password };
	const plain = await checked(() => sluice.post(login));
	const secure = await checked(() => secureCommand(sluice, cert, login));

	assert.equal(plain.status, 200);
	assert.doesNotMatch(plain.headers['set-cookie'][0], /Secure/);
	assert.equal(secure.status, 200);
	assert.match(secure.headers['set-cookie'][0], /; Secure/);
	assert.equal(secure.headers['strict-transport-security'], undefined);
	const logout = await secureCommand(sluice, cert, { cmd: 'logout' },
		{ headers: { Cookie: secure.headers['set-cookie'][0]
			.split(';')[0] } });
	assert.match(logout.headers['set-cookie'][0], /Max-Age=0/);
	assert.match(logout.headers['set-cookie'][0], /; Secure/);
	await sluice.stop();
});

test('the address of a client over TLS is its own', async (t) => {
	const cert = await certificate(tempDir(t), 'headend.example');
	const { sluice, password } = await startGuarded(t, { config: {
		settings: settingsOf(cert), log: { api_access: true } } });
	const from = (localAddress, headers = {}) => checked(() =>
		secureCommand(sluice, cert, { cmd: 'whoami' },
			{ localAddress, headers }));
	const login = (localAddress, word) => checked(() =>
		secureCommand(sluice, cert, { cmd: 'login', login: 'admin',
			password: word }, { localAddress }));

	for (let i = 0; i < 5; i++)
		assert.equal((await login('127.0.0.2', 'x')).status, 403);
	assert.equal((await login('127.0.0.2', password)).status, 429);
	assert.equal((await login('127.0.0.3', password)).status, 200);
	await sluice.logged(
		/Authentication failed. Login:admin IP:127.0.0.2/);
	assert.equal((await from('127.0.0.4', basic('admin', password)))
		.status, 200);
	await sluice.logged(/whoami Login:admin IP:127.0.0.4/);
	await sluice.stop();
});

test('events are sent over TLS, to their end', async (t) => {
	const { cert, sluice } = await served(t);
	const wss = await WsClient.open(t, sluice.port,
		'/control/event/?token=x', {}, { ca: cert.pem });

	assert.equal(wss.status, 101);
	await sluice.cmd('set-config', { key: 'note', data: 'y'.repeat(1e5) });
	await waitUntil('the event', () => wss.messages.some((m) =>
		m.scope === 'set-config' && m.data.length === 1e5));
	wss.send('ping');
	await waitUntil('pong', () => wss.texts.includes('pong'));
	await sluice.cmd('restart');
	await waitUntil('its end', () => wss.closed);
	assert.equal(wss.closed.code, 1001);
	await sluice.ready();
	await shown(sluice.port, cert);
	await sluice.stop();
});

// Sends requests over TLS all the time; returns the failures.
function load(port, ca) {
	const seen = { answered: 0, failed: [], names: new Set() };
	let going = true;

	const worker = async () => {
		while (going) {
			try {
				const reply = await secureRequest(port,
					{ pem: ca }, STATUS);
				assert.equal(reply.status, 200);
				seen.answered++;
				seen.names.add(reply.name);
			} catch (error) {
				seen.failed.push(String(error));
			}
		}
	};
	const all = Array.from({ length: 4 }, worker);
	seen.stop = async () => {
		going = false;
		await Promise.all(all);
	};
	return seen;
}

test('a certificate is replaced under load, and no client is rejected',
	async (t) => {
		const { cert, sluice } = await served(t);
		const next = await certificate(sluice.dir, 'next.example');
		const pid = sluice.worker('tls').pid;
		const agent = new https.Agent({ keepAlive: true,
			maxSockets: 1 });
		// an earlier client stays connected while it sends requests
		const kept = async () => assert.equal((await secureRequest(
			sluice.port, cert, { ...STATUS, agent })).name,
		cert.name);
		const until = (what, probe) => waitUntil(what, async () => {
			await kept();
			return probe();
		});

		await kept();
		const seen = load(sluice.port, [cert.pem, next.pem]);

		await until('load', () => seen.answered > 20);
		fs.copyFileSync(next.chain, cert.chain);
		fs.copyFileSync(next.key, cert.key);
		sluice.child.kill('SIGHUP');
		await until('the next one', () =>
			seen.names.has('next.example'));
		// an invalid certificate changes nothing
		fs.writeFileSync(cert.key, 'nonsense');
		sluice.child.kill('SIGHUP');
		await until('its error', () =>
			/settings.crt_key: contains no private key/
				.test(sluice.log));
		fs.copyFileSync(next.key, cert.key);
		const at = seen.answered;
		await until('more load', () => seen.answered > at + 20);
		await seen.stop();
		assert.deepEqual(seen.failed, []);
		assert.deepEqual([...seen.names],
			['headend.example', 'next.example']);
		await kept();
		agent.destroy();
		assert.equal(sluice.worker('tls').pid, pid);
		await sluice.stop();
	});

test('settings are checked before they are applied', async (t) => {
	const sluice = await Sluice.start(t, {});
	const good = await certificate(sluice.dir, 'good.example');
	const other = await certificate(sluice.dir, 'other.example');
	const weak = await certificate(sluice.dir, 'weak.example',
		{ algorithm: 'rsa:1024' });
	const read = (name) => fs.readFileSync(name, 'utf8');
	const before = read(sluice.file);
	const cases = [
		[good.chain, other.key, /^settings.crt_key: is not the key of/],
		[read(good.chain), read(other.key),
			/^settings.crt_key: is not the key of/],
		[weak.chain, weak.key, /^settings.crt_chain: .*key too small/],
		[good.key, good.key, /^settings.crt_chain: contains no cert/],
		[good.chain, good.chain, /^settings.crt_key: contains no priv/],
		['/nowhere', good.key,
			/^settings.crt_chain: \/nowhere: No such file/],
		[good.chain, sluice.dir,
			/^settings.crt_key: .*: not a regular file/],
		[good.chain, '', /^settings.crt_key: is missing, and/],
	];

	for (const [crt_chain, crt_key, why] of cases) {
		const settings = { crt_chain, crt_key };
		for (const command of [
			{ cmd: 'set-settings', settings },
			{ cmd: 'set-config', key: 'settings', data: settings },
			{ cmd: 'upload', config: { settings } },
		]) {
			if (command.cmd === 'upload' && crt_key === '')
				continue; // it is a file: judged at its start
			const reply = await sluice.post(command);
			assert.equal(reply.status, 400, reply.body);
			assert.match(JSON.parse(reply.body).error, why);
		}
	}
	assert.deepEqual((await sluice.cmd('load')).settings, undefined);
	assert.equal(read(sluice.file), before);
	// a worker that was started only for the check is ended
	await waitUntil('no worker', () => sluice.worker('tls') === undefined);

	// each change is followed by a restart, which no command may meet
	const set = async (settings) => {
		const from = sluice.log.length;

		await sluice.cmd('set-settings', { settings });
		await waitUntil('the restart', () =>
			sluice.log.slice(from).includes('restarting'));
		await sluice.ready();
	};

	// PEM text in the settings themselves
	await set({ crt_chain: read(good.chain), crt_key: read(good.key) });
	await shown(sluice.port, good);
	const { pid } = sluice.worker('tls');
	await set(settingsOf(other));
	await shown(sluice.port, other);
	assert.equal(sluice.worker('tls').pid, pid, 'replaced by a restart');
	await set({});
	await waitUntil('no worker', () => sluice.worker('tls') === undefined);
	await assert.rejects(secureRequest(sluice.port, other, STATUS));
	assert.equal((await sluice.get('/api/system-status')).status, 200);
	await sluice.stop();
});

test('with a bad certificate everything but TLS works', async (t) => {
	const dir = tempDir(t);
	const cert = await certificate(dir, 'headend.example');
	const key = fs.readFileSync(cert.key);
	const raised = async () => (await sluice.json('/api/overview'))
		.alarms.find(({ alarm }) => alarm === 'tls');

	fs.rmSync(cert.key);
	const sluice = await Sluice.start(t, { settings: settingsOf(cert) });
	await sluice.logged(/settings.crt_key: .*: No such file/);
	const { since } = await waitUntil('the alarm', raised);
	for (const again of [
		() => sluice.child.kill('SIGHUP'),
		() => sluice.cmd('reload'),
		() => sluice.cmd('restart'),
	]) {
		const from = sluice.log.length;

		await again();
		await waitUntil('another check', () =>
			/certificate not used/.test(sluice.log.slice(from)));
		await sluice.ready();
		assert.equal((await raised())?.since, since);
	}
	assert.equal(sluice.log.match(/ alarm tls: /g).length, 1);
	assert.doesNotMatch(sluice.log, /alarm tls cleared/);
	assert.equal((await sluice.get('/api/system-status')).status, 200);
	await assert.rejects(secureRequest(sluice.port, cert, STATUS));
	fs.writeFileSync(cert.key, key);
	sluice.child.kill('SIGHUP');
	await shown(sluice.port, cert);
	await sluice.logged(/alarm tls cleared/);
	await sluice.stop();
});

test('kill -9 of the tls worker ends TLS connections and no other',
	async (t) => {
		const { cert, sluice } = await served(t);
		const plain = new http.Agent({ keepAlive: true });
		const ask = () => request(sluice.port, { ...STATUS,
			agent: plain });

		await ask();
		for (let i = 0; i < 2; i++) {
			const socket = await secureSocket(t, sluice.port,
				cert);
			const { pid } = sluice.worker('tls');
			process.kill(pid, 'SIGKILL');
			await waitUntil('its end', () => socket.closed_);
			assert.equal((await ask()).status, 200);
			// a client without a worker waits for the next one
			assert.equal((await secureRequest(sluice.port, cert,
				STATUS)).status, 200);
			assert.notEqual(sluice.worker('tls').pid, pid);
		}
		plain.destroy();
		await sluice.stop();
	});

test('a crash of the master leaves the tls worker running', async (t) => {
	const { cert, sluice } = await served(t, {}, { managed: true });
	const { pid } = sluice.worker('tls');
	const master = sluice.pid;

	// channel and process, control listener, lock, two documents
	await waitUntil('all is kept', () => sluice.kept === 6);
	// and stored in the same turn, before the next one answers
	await sluice.ready();
	process.kill(master, 'SIGKILL');
	await waitUntil('a new master', () => sluice.pid !== master);
	await sluice.ready();
	await shown(sluice.port, cert);
	assert.equal(sluice.worker('tls').pid, pid);
	await sluice.stop();
});

test('an unfinished handshake delays no other client', async (t) => {
	const { cert, sluice } = await served(t);
	const slow = await Promise.all(Array.from({ length: 200 }, () =>
		rawSocket(t, sluice.port, HELLO)));
	const junk = await Promise.all([
		Buffer.concat([HELLO, Buffer.alloc(5000, 0xff)]),
		Buffer.alloc(64, 0x16),
		Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3]),
		Buffer.from([0x15, 3, 1, 0, 2, 1, 0]),
	].map((bytes) => rawSocket(t, sluice.port, bytes)));
	const drip = setInterval(() => slow.forEach((s) =>
		s.writable && s.write('\0')), 500);

	t.after(() => clearInterval(drip));
	assert.equal((await sluice.get('/api/system-status')).status, 200);
	assert.equal((await secureRequest(sluice.port, cert, STATUS)).status,
		200);
	await waitUntil('the end without TLS', () =>
		junk.every((s) => s.closed_));
	await waitUntil('an end of those that trickle', () =>
		slow.every((s) => s.closed_), 20000);
	assert.equal((await secureRequest(sluice.port, cert, STATUS)).status,
		200);
	await sluice.stop();
});

test('control_tls_only limits plain HTTP to this machine', async (t) => {
	const { cert, sluice } = await served(t, { control_tls_only: true },
		{ args: [] });
	const added = await run('ip', ['addr', 'add', '192.0.2.9/32', 'dev',
		'lo']);

	assert.equal(added.code, 0, added.err);
	t.after(() => run('ip', ['addr', 'del', '192.0.2.9/32', 'dev', 'lo']));
	const far = { host: '192.0.2.9', localAddress: '192.0.2.9' };
	const refused = await request(sluice.port, { ...STATUS, ...far });
	assert.equal(refused.status, 403);
	assert.match(JSON.parse(refused.body).error, /https/);
	assert.equal((await secureRequest(sluice.port, cert, { ...STATUS,
		...far, checkServerIdentity: () => undefined })).status, 200);
	assert.equal((await request(sluice.port, STATUS)).status, 200);
	const alone = await sluice.post({ cmd: 'set-settings',
		settings: { control_tls_only: true } });
	assert.equal(alone.status, 400);
	assert.match(alone.body, /settings.control_tls_only: without crt_/);
	await sluice.stop();
});

// Everything readable in the memory of a process.
function memory(pid) {
	const fd = fs.openSync(`/proc/${pid}/mem`, 'r');
	const parts = [];

	for (const line of fs.readFileSync(`/proc/${pid}/maps`, 'utf8')
		.split('\n')) {
		const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/
			.exec(line) ?? [];
		if (!from)
			continue;
		const part = Buffer.alloc(Number(BigInt(`0x${to}`) -
			BigInt(`0x${from}`)));
		try {
			fs.readSync(fd, part, 0, part.length,
				BigInt(`0x${from}`));
			parts.push(part);
		} catch {
			// not ours to read: a guard page
		}
	}
	fs.closeSync(fd);
	return Buffer.concat(parts);
}

test('the master never has the key that is in a file', {
	skip: sanitized && 'a sanitizer maps terabytes',
}, async (t) => {
	const { cert, sluice } = await served(t);
	const key = fs.readFileSync(cert.key, 'utf8');
	const secret = key.split('\n')[2].slice(0, 40);
	const der = Buffer.from(key.split('\n').slice(1, -2).join(''),
		'base64');
	// the private number in PKCS#8 of an EC key of 256 bits
	const number = der.subarray(36, 68);
	const holds = (pid) => {
		const all = memory(pid);
		return all.includes(secret) || all.includes(number);
	};

	await secureRequest(sluice.port, cert, STATUS);
	sluice.child.kill('SIGHUP');
	await waitUntil('a second reading', () => sluice.log.match(
		/certificate in use/g).length === 2);
	assert.equal(holds(sluice.pid), false);
	// the search finds it where it is
	const reader = start(t, process.execPath, ['-e',
		`globalThis.key = require('fs').readFileSync('${cert.key}');
		console.log('read'); setInterval(() => {}, 1000)`]);
	await waitUntil('the key read', () => reader.text.out);
	assert.equal(holds(reader.pid), true);
	await sluice.stop();
});
