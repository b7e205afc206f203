// SPDX-License-Identifier: GPL-3.0-or-later
// several workers: http_workers processes share all viewers; the end of one of
// them takes its own viewers only, and limits count all of them together.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Timing } from '../helpers/timing.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { Sender } from '../helpers/udp.mjs';
import { run, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const PORT = 8100, PLAY = 8200;
// of a client of its own: this host has no limit
const CLIENT = '192.0.2.1';
// the number of the worker that serves a session
const workerOf = ({ client_id: id }) => id % 16 + 1;

async function playing(t, settings = {}, more = {}, outputs = []) {
	const at = `http://0.0.0.0:${PORT}`;
	const sluice = await Sluice.start(t, { ...config(
		stream('a001', 'udp://127.0.0.1:5000',
			[`${at}/one`, `${at}/live.m3u8#duration=1`,
				...outputs])),
	settings: { http_workers: 2, ...settings }, ...more });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	return sluice;
}

const sessions = async (sluice) => (await sluice.cmd('sessions')).sessions;
const delivers = (sluice) => sluice.workers()
	.filter(({ role }) => role === 'deliver')
	.sort((a, b) => a.object - b.object);

function watchMany(t, n, target = '/one', port = PORT, ca = null) {
	return Promise.all(Array.from({ length: n },
		() => Viewer.open(t, port, target, { ca })));
}

// More viewers, until each of the workers has some.
async function watchAll(t, sluice, workers, viewers) {
	await waitUntil('viewers of all workers', async () => {
		viewers.push(...await watchMany(t, 4));
		const list = await sessions(sluice);
		return list.length === viewers.length &&
			new Set(list.map(workerOf)).size === workers;
	});
	return viewers;
}

function assertWhole(viewer) {
	const seen = checkTs(viewer.data());

	assert.equal(seen.ccErrors + seen.syncErrors + seen.crcErrors, 0);
}

// A viewer that stays; the status of its answer.
function watchFrom(t, options) {
	return new Promise((done, fail) => {
		const call = http.get({ host: '127.0.0.1', port: PORT,
			path: '/one', agent: false, ...options }, (reply) => {
			reply.on('error', () => {});
			reply.resume();
			done(reply.statusCode);
		});

		call.on('error', fail);
		t.after(() => call.destroy());
	});
}

// What only two workers show: both are asked, in any order.
async function askOften(target, n, status, options = {}) {
	for (let i = 0; i < n; i++)
		assert.equal((await request(PORT, { path: target,
			headers: { connection: 'close' }, ...options })).status,
		status, `${target}, request ${i}`);
}

test('one of two is killed: the viewers of the other lose nothing',
	async (t) => {
		const timing = new Timing(t);
		const sluice = await playing(t);
		const viewers = await watchMany(t, 40);

		await sluice.waitStatus('a001', 'all viewers',
			(s) => s.sessions === 40);
		const before = await sessions(sluice);
		const mine = before.filter((s) => workerOf(s) === 1).length;
		assert.ok(mine >= 5 && mine <= 35, `${mine} of 40`);
		const begun = sluice.log.length;
		const [victim, survivor] = delivers(sluice);
		process.kill(victim.pid, 'SIGKILL');
		await waitUntil('its viewers', () =>
			viewers.filter((v) => v.ended).length === mine);
		// new viewers are served meanwhile, and by both again
		const all = await watchMany(t, 20);
		assert.ok(all.every((viewer) => viewer.status === 200));
		await sluice.replaced('deliver', '1', victim.pid);
		await waitUntil('its share', async () => {
			all.push(...await watchMany(t, 2));
			const list = await sessions(sluice);
			return list.some((s) => workerOf(s) === 1);
		});
		const rest = viewers.filter((viewer) => !viewer.ended);
		const bytes = rest.map((viewer) => viewer.bytes);
		assert.equal(rest.length, 40 - mine);
		await waitUntil('packets', () => rest.every((viewer, i) =>
			viewer.bytes > bytes[i] + 100000));
		const lengths = await waitUntil('the number', async () => {
			const n = (await sluice.status('a001')).sessions;
			return n === rest.length + all.length && n;
		});
		assert.equal((await sessions(sluice)).length, lengths);
		timing.stop();
		const status = await sluice.status('a001');
		rest.forEach((viewer) => viewer.close());
		for (const viewer of rest)
			timing.unlessHeldUp(sluice.log.slice(begun), [status],
				() => assertWhole(viewer));
		assert.equal(delivers(sluice)[1].pid, survivor.pid);
		await sluice.stop();
	});

test('a client of HLS is one session of both', async (t) => {
	const sluice = await playing(t);
	const path = '/live.m3u8?token=a';
	const one = async () => {
		const list = await sessions(sluice);
		return list.length === 1 && list[0];
	};

	await waitUntil('a segment', async () =>
		(await request(PORT, { path })).status === 200);
	await askOften(path, 20, 200);
	const first = await waitUntil('one session', one);
	assert.equal(first.protocol, 'hls');
	await askOften(path, 20, 200);
	assert.equal((await one()).client_id, first.client_id);
	// both have reported their counts since
	await waitUntil('three seconds', async () => (await one()).uptime >= 3);
	assert.equal((await sluice.status('a001')).sessions, 1);
	// whatever token it has; another client is another session
	const other = { localAddress: '127.0.0.2' };
	await askOften('/live.m3u8?token=b', 20, 200);
	assert.equal((await one()).client_id, first.client_id);
	await askOften('/live.m3u8', 1, 200, other);
	await waitUntil('two', async () =>
		(await sessions(sluice)).length === 2);
	// its session is closed in every worker
	await sluice.cmd('close-session', { id: first.client_id });
	await waitUntil('one is left', one);
	await askOften(path, 20, 403);
	await askOften('/live.m3u8', 20, 200, other);
	assert.equal((await sessions(sluice)).length, 1);
	// without a worker its clients go on at the other one
	process.kill(delivers(sluice)[0].pid, 'SIGKILL');
	await askOften('/live.m3u8', 20, 200, other);
	await waitUntil('one session again', one);
	await sluice.stop();
});

test('a client of HLS stays one session when its stream has another id',
	async (t) => {
		const sluice = await playing(t, { http_play_hls: true,
			http_play_port: PLAY });
		const ask = async (id) => {
			for (let i = 0; i < 20; i++)
				assert.equal((await request(PLAY, {
					path: `/play/${id}/index.m3u8`,
					headers: { connection: 'close' },
				})).status, 200, `request ${i}`);
		};
		// both workers have reported their counts since
		const counted = async (least) => {
			await waitUntil('the time', async () =>
				(await sessions(sluice))[0]?.uptime >= least);
			assert.equal((await sessions(sluice)).length, 1);
			assert.equal((await sluice.status('news')).sessions, 1);
		};

		await waitUntil('a segment', async () => (await request(PLAY,
			{ path: '/play/a001/index.m3u8' })).status === 200);
		await ask('a001');
		const { stream: one } = await sluice.cmd('get-stream',
			{ id: 'a001' });
		await sluice.cmd('set-stream', { id: 'a001',
			stream: { ...one, id: 'news' } });
		await ask('news');
		await counted(3);
		// the next control process and a new worker agree with the rest
		await sluice.cmd('restart');
		await waitUntil('the restart', () =>
			/restarting/.test(sluice.log));
		await sluice.ready();
		const { pid } = delivers(sluice)[0];
		process.kill(pid, 'SIGKILL');
		await sluice.replaced('deliver', '1', pid);
		await ask('news');
		assert.equal((await sessions(sluice)).length, 1);
		await sluice.stop();
	});

test('limits count the viewers of all workers', async (t) => {
	const user = { type: 3, enable: true };
	const { code, err } = await run('ip', ['address', 'replace',
		`${CLIENT}/32`, 'dev', 'lo']);

	assert.equal(code, 0, err);
	const sluice = await playing(t, { viewers_per_address: 6 });
	const open = async (options) => {
		let served = 0;

		for (let i = 0; i < 16; i++)
			served += await watchFrom(t, options) === 200;
		return served;
	};
	assert.equal(await open({ localAddress: CLIENT }), 6);
	await sluice.stop();
	const limited = await playing(t, {}, { auth: { enable: true },
		users: { anna: { ...user, token: 'a', conlimit: 3 } } });
	assert.equal(await open({ path: '/one?token=a' }), 3);
	assert.equal((await sessions(limited)).length, 3);
	// an HLS client counts once
	await limited.cmd('set-user', { id: 'bert', user: { ...user,
		token: 'b', conlimit: 1 } });
	await waitUntil('a segment', async () => (await request(PORT,
		{ path: '/live.m3u8?token=b' })).status === 200);
	await askOften('/live.m3u8?token=b', 20, 200);
	assert.equal(await watchFrom(t, { path: '/one?token=b' }), 403);
	// also where a worker has seen other changes than its neighbour
	const { stream: one } = await limited.cmd('get-stream', { id: 'a001' });
	await limited.cmd('set-stream', { id: 'a001',
		stream: { ...one, output: one.output.slice(1) } });
	const { pid } = delivers(limited)[0];
	process.kill(pid, 'SIGKILL');
	await limited.replaced('deliver', '1', pid);
	await askOften('/live.m3u8?token=b', 20, 200);
	assert.equal((await sessions(limited)).length, 1);
	await limited.stop();
});

test('another number of workers: no viewer loses a byte', async (t) => {
	const timing = new Timing(t);
	const sluice = await playing(t, { http_workers: 1 });
	const viewers = await watchMany(t, 4);
	const begun = sluice.log.length;
	const change = async (n) => {
		const at = sluice.log.length;
		await sluice.cmd('set-settings',
			{ settings: { http_workers: n } });
		await waitUntil('the restart', () =>
			/restarting/.test(sluice.log.slice(at)));
		await sluice.ready();
	};

	await sluice.waitStatus('a001', 'viewers', (s) => s.sessions === 4);
	await change(3);
	await watchAll(t, sluice, 3, viewers);
	assert.equal(delivers(sluice).length, 3);
	await change(1);
	// those of the other two stay, and new ones come to the first
	const [first] = delivers(sluice);
	const before = (await sessions(sluice)).filter((s) =>
		workerOf(s) > 1).length;
	assert.ok(before > 0);
	viewers.push(...await watchMany(t, 8));
	const list = await waitUntil('all sessions', async () => {
		const found = await sessions(sluice);
		return found.length === viewers.length && found;
	});
	assert.equal(list.filter((s) => workerOf(s) > 1).length, before);
	const bytes = viewers.map((viewer) => viewer.bytes);
	await waitUntil('packets', () => viewers.every((viewer, i) =>
		viewer.bytes > bytes[i] + 100000));
	timing.stop();
	const status = await sluice.status('a001');
	viewers.forEach((viewer) => viewer.close());
	for (const viewer of viewers)
		timing.unlessHeldUp(sluice.log.slice(begun), [status],
			() => assertWhole(viewer));
	// without viewers the other two end
	await waitUntil('one worker', () => delivers(sluice).length === 1);
	assert.equal(delivers(sluice)[0].pid, first.pid);
	await sluice.stop();
});

test('the control port, the play port and TLS have all workers',
	async (t) => {
		const cert = await certificate(tempDir(t), 'headend.example');
		const sluice = await playing(t, { ...settingsOf(cert),
			http_play_stream: true, http_play_port: PLAY }, {},
		[`https://0.0.0.0:${PORT}/secure`]);
		const places = [['/play/a001', sluice.port],
			['/play/a001', PLAY], ['/secure', PORT, cert.pem]];

		for (const place of places) {
			const viewers = await watchMany(t, 20, ...place);

			assert.deepEqual(viewers.map((v) => v.status),
				viewers.map(() => 200), place[0]);
			await waitUntil('packets', () => viewers.every((v) =>
				v.bytes > 10000));
			const list = await waitUntil('sessions', async () => {
				const found = await sessions(sluice);
				return found.length === 20 && found;
			});
			assert.equal(new Set(list.map(workerOf)).size, 2,
				place[0]);
			viewers.forEach((viewer) => viewer.close());
			await waitUntil('their end', async () =>
				(await sessions(sluice)).length === 0);
		}
		// TLS goes on at both after the end of either
		const { pid } = delivers(sluice)[1];
		process.kill(pid, 'SIGKILL');
		await sluice.replaced('deliver', '2', pid);
		await waitUntil('viewers of both', async () => {
			await watchMany(t, 4, '/secure', PORT, cert.pem);
			return new Set((await sessions(sluice)).map(workerOf))
				.size === 2;
		});
		await sluice.stop();
	});
