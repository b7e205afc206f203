// SPDX-License-Identifier: GPL-3.0-or-later
// control-port: the control interface moves from one address of its port to all
// addresses, and back, while streams run and clients connect.  So does the port
// of the play paths.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const PLAY = 8100;
// in front of a port
const ALL = '', ONE = '127.0.0.1:';
const a001 = stream('a001', 'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000');
const at = (host, ...streams) => (port) => ({ ...config(...streams),
	settings: { control_port: `${host}${port}` } });

// What a connection to the address gets: 'refused', or the answer's status.
const seen = (port, host) => request(port, { host, path: '/api/system-status' })
	.then(({ status }) => status, ({ code }) =>
		code === 'ECONNREFUSED' ? 'refused' : code);
const isAt = (sluice, host) => waitUntil(`the port at '${host}'`, async () =>
	await seen(sluice.port, '127.0.0.2') ===
		(host === ALL ? 200 : 'refused') &&
	await seen(sluice.port, '127.0.0.1') === 200);
const alarms = async (sluice) =>
	(await sluice.json('/api/system-status')).alarms ?? [];
// The manager has stored the socket, the lock and two documents, after so many
// changes of what it stores.
const stored = (sluice) => sluice.child.text.out.match(/^store/gm)?.length ?? 0;
const kept = (sluice, changes) => waitUntil('all is kept', () =>
	sluice.kept === 4 && stored(sluice) >= changes);

// Clients that connect all the time; returns how many connections failed before
// any master had accepted them.
function crowd(port) {
	const found = { refused: 0, connected: 0 };
	let going = true;
	const one = () => new Promise((done) => {
		const socket = net.connect(port, '127.0.0.1');

		socket.on('connect', () => {
			found.connected++;
			socket.end();
		});
		socket.on('error', ({ code }) => {
			found.refused += code === 'ECONNREFUSED';
		});
		socket.on('close', done);
		socket.resume();
	});
	const loops = Array.from({ length: 4 }, async () => {
		while (going)
			await one();
	});

	return async () => {
		going = false;
		await Promise.all(loops);
		assert.ok(found.connected > 0);
		assert.equal(found.refused, 0);
	};
}

const write = (sluice, host) => fs.writeFileSync(sluice.file,
	JSON.stringify(at(host, a001)(sluice.port)));
const changes = {
	'set-settings': (sluice, host) => sluice.cmd('set-settings',
		at(host)(sluice.port)),
	async reload(sluice, host) {
		write(sluice, host);
		assert.equal((await sluice.cmd('reload')).restart, true);
	},
	SIGHUP(sluice, host) {
		write(sluice, host);
		process.kill(sluice.pid, 'SIGHUP');
	},
};

for (const [by, change] of Object.entries(changes))
	test(`${by} moves it to all addresses and back`, async (t) => {
		const sluice = await Sluice.start(t, at(ONE, a001));

		await waitUntil('input', () => udpBound(5000));
		await isAt(sluice, ONE);
		const { pid } = sluice.worker('stream', 'a001');
		const end = crowd(sluice.port);
		for (const host of [ALL, ONE]) {
			await change(sluice, host);
			await isAt(sluice, host);
			assert.deepEqual(await alarms(sluice), []);
		}
		await end();
		assert.equal(sluice.worker('stream', 'a001').pid, pid);
		await sluice.stop();
	});

// A viewer on one connection: each call asks for the list of streams.
function viewer(t, port) {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	const local = new Set();

	t.after(() => agent.destroy());
	return () => new Promise((done, fail) => {
		http.get({ host: '127.0.0.1', port, agent, timeout: 20000,
			path: '/playlist.m3u8' }, (reply) => {
			local.add(reply.socket.localPort);
			reply.resume();
			reply.on('end', () =>
				done([reply.statusCode, local.size]));
		}).on('error', fail);
	});
}

test('http_play_port moves to all addresses and back', async (t) => {
	const playAt = (host) => (port) => ({ ...config(a001), settings: {
		control_port: `${ONE}${port}`, http_play_stream: true,
		http_play_port: `${host}${PLAY}` } });
	const sluice = await Sluice.start(t, playAt(ONE));
	const isPlayAt = (host) => waitUntil(`the play port at '${host}'`,
		async () => typeof await seen(PLAY, '127.0.0.1') === 'number' &&
			(await seen(PLAY, '127.0.0.2') === 'refused') ===
				(host === ONE));

	await isPlayAt(ONE);
	const ask = viewer(t, PLAY);

	assert.deepEqual(await ask(), [200, 1]);
	const end = crowd(PLAY);
	for (const host of [ALL, ONE]) {
		await sluice.cmd('set-settings', playAt(host)(sluice.port));
		await isPlayAt(host);
		// not as by the new master while it starts
		await waitUntil('a list', async () => (await ask())[0] !== 503);
		assert.deepEqual(await ask(), [200, 1]);
	}
	await end();
	assert.deepEqual(await alarms(sluice), []);
	await sluice.stop();
});

test('an address that another program uses leaves the port as it was',
	async (t) => {
	const sluice = await Sluice.start(t, at(ONE));
	const other = net.createServer();

	await new Promise((done) => {
		other.listen(sluice.port, '127.0.0.2', done);
	});
	t.after(() => other.close());
	await changes['set-settings'](sluice, ALL);
	await waitUntil('alarm', async () => /control port 0.0.0.0:\d+: Address/
		.test((await alarms(sluice)).join()));
	other.close();
	// the next restart tries again
	await sluice.cmd('restart');
	await isAt(sluice, ALL);
	assert.deepEqual(await alarms(sluice), []);
	await sluice.stop();
});

test('a trial of the change takes no client away', async (t) => {
	const sluice = await Sluice.start(t, at(ALL));
	const answers = { 200: 0 };
	let going = true;

	fs.writeFileSync(sluice.file, JSON.stringify(at(ONE)(sluice.port)));
	const loops = Array.from({ length: 4 }, async () => {
		while (going) {
			const answer = await seen(sluice.port, '127.0.0.1');
			answers[answer] = (answers[answer] ?? 0) + 1;
		}
	});
	for (let i = 0; i < 3; i++)
		await sluice.cmd('restart', { dry_run: true });
	going = false;
	await Promise.all(loops);
	assert.deepEqual(Object.keys(answers), ['200']);
	await isAt(sluice, ALL);
	await sluice.stop();
});

test('a master without streams that crashes leaves its port open',
	async (t) => {
	const sluice = await Sluice.start(t, at(ONE), { managed: true });
	const crash = async () => {
		const { pid } = sluice;
		const end = crowd(sluice.port);

		process.kill(pid, 'SIGKILL');
		await waitUntil('a new master', () => sluice.pid !== pid);
		await sluice.ready();
		await end();
	};

	await kept(sluice, 4);
	await crash();
	for (const host of [ALL, ONE]) {
		const n = stored(sluice);

		await changes['set-settings'](sluice, host);
		await isAt(sluice, host);
		// the new socket is stored, the former one is removed
		await kept(sluice, n + 2);
		await crash();
		await isAt(sluice, host);
	}
	await sluice.stop();
});
