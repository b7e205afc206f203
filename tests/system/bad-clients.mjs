// SPDX-License-Identifier: GPL-3.0-or-later
// viewers, beside bad clients: whatever they do, others lose nothing, the
// control interface answers, and memory has a limit.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { test } from 'node:test';
import { PLAY, PLAYLIST, PORT, attack, begin, rssKib, watch }
	from '../helpers/attack-scene.mjs';
import { get, say, statuses } from '../helpers/bad-clients.mjs';
import { refused } from '../helpers/http-raw.mjs';
import { lacks } from '../helpers/peers.mjs';
import { request, sanitized } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { cpuSeconds, now, run, sleep, waitUntil }
	from '../helpers/util.mjs';

// SECURITY: of each connection that is no viewer
const KIB_PER_CONNECTION = 16;
// as many as the limit of descriptors allows, which is enough everywhere
const FILES = Number(execFileSync('sh', ['-c', 'ulimit -Hn']).toString());
const IDLE = Math.min(10000, FILES - 1000, Math.floor(FILES * 0.7));

const slow = lacks('slowhttptest');

// The tool of others for slow heads, bodies and readers.
async function slowhttptest(...urls) {
	const one = async (url, ...mode) => {
		const { code, out, err } = await run('slowhttptest', ['-c',
			'500', '-r', '400', '-i', '1', '-l', '3', '-p', '2',
			'-v', '1', ...mode, '-u', url]);

		assert.equal(code, 0, out + err);
	};

	await Promise.all(urls.flatMap((url) => [one(url, '-H'),
		one(url, '-B', '-s', '8192'),
		one(url, '-X', '-k', '3', '-w', '10', '-y', '20', '-n', '1',
			'-z', '32')]));
}

const steps = [];
const step = (name, body) => steps.push([name, body]);

step('slow heads, slow bodies, silence and answers that nobody reads',
	async (t, { sluice }) => {
	const { port: control } = sluice;
	const tool = slow ? undefined : slowhttptest(
		`http://127.0.0.1:${PORT}/a`,
		`http://127.0.0.1:${PORT}${PLAYLIST}`,
		`http://127.0.0.1:${control}/control/`);

	if (slow)
		t.diagnostic(slow);
	// above the limit of requests without an end
	const heads = await attack(t, 'slowHeads', { port: PORT, n: 2300 });
	const others = await Promise.all([
		attack(t, 'slowHeads', { port: control, n: 1100 }),
		attack(t, 'slowHeads', { port: PLAY, n: 200,
			path: '/play/a' }),
		attack(t, 'slowBodies', { port: control, n: 200,
			path: '/control/' }),
		attack(t, 'slowBodies', { port: PORT, n: 100, path: '/a' }),
		attack(t, 'slowReaders', { port: PORT, n: 100, path: '/a' }),
		attack(t, 'slowReaders', { port: PORT, n: 100,
			path: PLAYLIST, ahead: 200 }),
		attack(t, 'silence', { port: PORT, n: 300 }),
		attack(t, 'silence', { port: control, n: 300 })]);

	// a client that is not slow has a place
	assert.equal((await request(PORT, { path: PLAYLIST })).status, 200);
	const { closed } = await heads();

	assert.ok(closed >= 2300 - 2048, `${closed} were closed`);
	await tool;
	await Promise.all(others.map((end) => end()));
});

step('floods, and resets at every moment', async (t, { sluice }) => {
	const ends = await Promise.all([
		attack(t, 'flood', { port: PORT, n: 2000, path: '/a' }),
		attack(t, 'flood', { port: sluice.port, n: 2000,
			path: '/api/config' }),
		attack(t, 'resets', { port: PORT, path: '/a',
			tlsPort: PORT }),
		attack(t, 'resets', { port: PLAY,
			path: '/play/a/index.m3u8' }),
		attack(t, 'resets', { port: sluice.port, path: '/play/a',
			tlsPort: sluice.port }),
		attack(t, 'pipeline', { port: PORT, n: 3000,
			path: PLAYLIST })]);
	const found = await Promise.all(ends.map((end) => end()));

	assert.equal(found.at(-1).answers, 3000);
});

step('idle connections', async (t, { sluice }) => {
	const n = sanitized ? Math.min(IDLE, 2000) : IDLE;
	const { pid } = sluice.worker('deliver');
	const before = rssKib(pid);
	const plain = await attack(t, 'idle', { port: PORT, n,
		path: PLAYLIST });
	const secure = await attack(t, 'idleTls', { port: PORT, n: 100,
		path: `/s${PLAYLIST}` });
	const control = await attack(t, 'idle', { port: sluice.port, n: 1200,
		path: '/api/config' });
	const grown = rssKib(pid) - before, cpu = cpuSeconds(pid);
	const from = now();

	await sleep(1000);
	// a busy machine sleeps longer
	const used = (cpuSeconds(pid) - cpu) * 1000 / (now() - from);
	t.diagnostic(`${n} idle connections use ${grown} KiB, and ` +
		`${used.toFixed(2)} s of CPU in a second`);
	assert.ok(sanitized || grown < KIB_PER_CONNECTION * n);
	assert.ok(used < 0.5, `${used} s of CPU`);
	assert.equal((await request(PORT, { path: PLAYLIST })).status, 200);
	assert.deepEqual(await plain(), { closed: 0, served: n });
	assert.deepEqual(await secure(), { closed: 0, served: 100 });
	// those above the limit took the places of the first ones
	const { closed, served } = await control();

	assert.equal(served, 1200);
	assert.ok(closed >= 1200 - 1024);
});

// Other texts of a path; those of the second list are the same path.
const tricks = [
	'/%2fa', '/../a', '/a/..', '/a/.', '/x/../a', '/a%00',
	'/a%00.m3u8', '/%c0%afa', '/%e0%80%afa', '/%252fa', '/%2e%2e/a',
	'/..%2fa', '/..%5ca', '/\\a', '/a;x', '/a%3f', '/a%23', '/a%', '/a%6',
	'/a%6g', '/%u0061', '/A', '/a/', '/a ', '/a%20', '/a%0d%0aX:y',
	'/a\t', '/a\u00ff', 'a', '*', 'http://x/b', '/etc/passwd',
	'/live/../live.m3u8', '/live/1.ts/..', '/live/%2e%2e/a',
	'/live/-1.ts', '/live/01.ts', '/live/1e9.ts', '/live/9999999999999999',
	'/live/99999999999999999999.ts', '/live/1.-1.ts', '/live/1.01.ts',
	'/live/1.4294967296.ts', '/live.m3u8/', '/live.m3u8%00',
	'/play/../a', '/play/%61', '/play/a', '/play',
];
const same = ['/a', '//a', '/./a', '/%61', '/a?', '/a?x=/../b',
	'http://127.0.0.1/a'];

step('paths, heads and methods that nobody means', async (t, { sluice }) => {
	const done = (got) => got.includes('\r\n\r\n');
	const ask = async (text) => statuses(await say(PORT, text,
		{ enough: done }))[0];
	const line = (target, method = 'GET') => `${method} ${target} ` +
		'HTTP/1.1\r\nHost: 127.0.0.1\r\n';
	const expect = async (text, ...wanted) => {
		const status = await ask(`${text}\r\n`);

		assert.ok(wanted.includes(status),
			`${status}: ${text.slice(0, 60)}`);
	};

	const served = [];
	for (const target of tricks)
		if (await ask(`${line(target)}\r\n`) < 400)
			served.push(target);
	assert.deepEqual(served, []);
	for (const target of same)
		await expect(line(target), 200);
	for (const method of ['POST', 'PUT', 'DELETE', 'TRACE', 'PATCH',
		'PROPFIND', 'OPTIONS', 'get', 'X'.repeat(100), ''])
		await expect(line('/a', method), 400, 405, 501);
	await expect(line('x:1', 'CONNECT'), 400, 404, 405, 501);
	for (const size of [1000, 3000, 5000])
		await expect(line(`/a?${'q'.repeat(size)}`), 200, 414);
	for (const size of [9000, 20000, 200000]) {
		await expect(line(`/a?${'q'.repeat(size)}`), 414, 431);
		await expect(line(`/${'q'.repeat(size)}`), 414, 431);
		await expect(`${line('/a')}A: ${'q'.repeat(size)}\r\n`, 431);
		await expect(`${line('/a')}${'q'.repeat(size)}: A\r\n`, 431);
	}
	await expect(line('/a') + 'A: b\r\n'.repeat(500), 431);
	await expect(`${line('/a')}Range: ${'bytes=0-,'.repeat(500)}\r\n`, 200);
	await expect(`${line(PLAYLIST)}Range: bytes=9-1\r\n`, 200);
	await expect(line(`${PLAYLIST}?_HLS_msn=${'9'.repeat(300)}`), 200, 400);

	// the ambiguous requests, also to the ports of viewers: one answer
	await Promise.all([PORT, PLAY].flatMap((port) =>
		Object.entries(refused).map(async ([what, bytes]) => {
			// it waits for the rest of its handshake
			if (what === 'TLS')
				return;
			const got = await say(port, Buffer.concat([
				Buffer.from(bytes), Buffer.from(
					`\r\n\r\n${get('/a')}`)]));

			assert.equal(statuses(got).length, 1,
				`${what}: ${got}`);
			assert.ok(statuses(got)[0] >= 400, `${what}: ${got}`);
		})));
	await sluice.ready();
});

step('a request in any two pieces, and byte by byte', async (t, { sluice }) => {
	const requests = [[PORT, get('/none')], [PLAY, get('/play/none')],
		[sluice.port, get('/play/none')]].map(([port, text]) =>
		[port, text.replace('\r\n\r\n',
			'\r\nConnection: close\r\n\r\n')]);
	const ask = async (port, pieces) => assert.deepEqual(statuses(
		await say(port, pieces)), [404], JSON.stringify(pieces));

	for (const [port, text] of requests) {
		await ask(port, [...text]);
		await Promise.all(Array.from({ length: text.length - 1 },
			(_, i) => ask(port, [text.slice(0, i + 1),
				text.slice(i + 1)])));
	}
});

test('bad clients harm no other client', async (t) => {
	const timing = new Timing(t);
	const scene = await begin(t);
	const { sluice } = scene;
	const judge = await watch(t, scene);
	const pids = [sluice.pid, ...['deliver', 'tls'].map((role) =>
		sluice.worker(role).pid)];

	for (const [name, body] of steps)
		await t.test(name, (inner) => body(inner, scene));
	timing.stop();
	const { faults, longest, pauses } = await judge();

	t.diagnostic(`the longest answer to a command took ` +
		`${longest.toFixed()} ms`);
	assert.deepEqual(faults, []);
	timing.assert(longest < 2000, `${longest} ms`);
	timing.assert(pauses === 0, `${pauses} pauses in playlists`);
	// no worker was replaced, and what was used is free again
	assert.deepEqual(pids, [sluice.pid, ...['deliver', 'tls'].map((role) =>
		sluice.worker(role).pid)]);
	await waitUntil('the last connections', () => {
		const fds = fs.readdirSync(`/proc/${pids[1]}/fd`).length;

		return fds < 100 || `${fds} descriptors`.length < 0;
	}, 30000);
	await sluice.stop();
});
