// SPDX-License-Identifier: GPL-3.0-or-later
// viewers: no address takes the places of all viewers, and no stream those of
// the others.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { run, udpBound, waitUntil } from '../helpers/util.mjs';

const GREEDY = '192.0.2.1', OTHER = '192.0.2.2', PROXY = '198.51.100.1';
const PORT = 8100;

// list: options of a playlist of stream a, or null
async function play(t, settings, options = {}, list = null) {
	for (const address of [GREEDY, OTHER, PROXY]) {
		const { code, err } = await run('ip',
			['address', 'replace', `${address}/32`, 'dev', 'lo']);
		assert.equal(code, 0, err);
	}
	const sluice = await Sluice.start(t, { ...config(
		stream('a', 'udp://127.0.0.1:5000', [
			`http://0.0.0.0:${PORT}/a`, ...list === null ? [] :
				[`http://0.0.0.0:${PORT}/l.m3u8#${list}`]]),
		stream('b', 'stream://a', `http://0.0.0.0:${PORT}/b`)),
	settings }, options);

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 1e6 }), 5000);
	await sluice.onair('a');
	await sluice.onair('b');
	return sluice;
}

// A viewer from the address; its socket, and the status of its answer, or NaN
// when it was closed without one.
async function view(t, localAddress, path = '/a') {
	const socket = net.connect({ host: '127.0.0.1', port: PORT,
		localAddress });
	let got = '';

	t.after(() => socket.destroy());
	socket.on('error', () => {});
	socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
	socket.on('data', (data) => {
		if (got.length < 100)
			got += data.toString('latin1');
	});
	await waitUntil('an answer', () => socket.closed ||
		/^HTTP\/1\.1 \d{3} /.test(got));
	return { socket, status: parseInt(got.slice(9, 12), 10) };
}

async function views(t, n, ...args) {
	const all = [];

	for (let i = 0; i < n; i += 50)
		all.push(...await Promise.all(Array.from(
			{ length: Math.min(50, n - i) },
			() => view(t, ...args))));
	return all;
}

const served = (all) => all.filter(({ status }) => status === 200).length;

test('an address has its share, others and proxies are served', async (t) => {
	const settings = { viewers_per_address: 5, real_ip_trusted: [PROXY] };
	const sluice = await play(t, settings);
	const mine = await views(t, 8, GREEDY);

	assert.equal(served(mine), 5);
	assert.ok(mine.every(({ status }) => [200, 503].includes(status)));
	// for all streams together
	assert.equal(served(await views(t, 3, GREEDY, '/b')), 0);
	assert.equal(served(await views(t, 5, OTHER)), 5);
	assert.equal(served(await views(t, 20, PROXY)), 20);
	assert.equal(served(await views(t, 20, '127.0.0.1')), 20);
	await sluice.logged(
		/viewer rejected: too many viewers from this address/);
	// a place that was left is free
	mine.find(({ status }) => status === 200).socket.destroy();
	await waitUntil('the place', async () =>
		(await view(t, GREEDY)).status === 200);
	// viewers stay and count over a restart, and in a new process none do
	await sluice.cmd('restart');
	await waitUntil('the restart', () => /restarting/.test(sluice.log));
	await sluice.ready();
	assert.equal(served(await views(t, 3, GREEDY)), 0);
	const { pid } = sluice.worker('deliver');
	process.kill(pid, 'SIGKILL');
	await sluice.replaced('deliver', undefined, pid);
	await waitUntil('the viewers', async () =>
		served(await views(t, 8, GREEDY)) === 5);
	await sluice.stop();
});

// Sends a request by a connection that stays; got: its bytes so far.
function send(t, localAddress, head) {
	const socket = net.connect({ host: '127.0.0.1', port: PORT,
		localAddress });

	t.after(() => socket.destroy());
	socket.got = '';
	socket.on('error', () => {});
	socket.on('data', (data) => {
		socket.got += data.toString('latin1');
	});
	socket.write(head);
	return socket;
}

const get = (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const statusOf = ({ got }) => parseInt(got.slice(9, 12), 10);

test('a request that waits for a part of HLS counts for its address',
	async (t) => {
	const sluice = await play(t, { viewers_per_address: 5 }, {},
		'duration=2&part=300');
	const ended = ({ got }) => got.includes('\r\n\r\n');

	// the segment after the open one is complete in two seconds or more: a
	// test that is delayed asks too late, and its requests do not wait
	await waitUntil('three rejected requests', async () => {
		const list = await waitUntil('a playlist', async () => {
			const socket = send(t, OTHER, get('/l.m3u8'));

			await waitUntil('it', () => /ENDLIST|PRELOAD-HINT/.test(
				socket.got) || socket.closed);
			return /MEDIA-SEQUENCE:\d+/.test(socket.got) &&
				socket.got;
		});
		const segments = list.match(/^#EXTINF/gm).length;
		const open = Number(/MEDIA-SEQUENCE:(\d+)/.exec(list)[1]) +
			segments;
		const path = `/l.m3u8?_HLS_msn=${open + 1}`;
		const greedy = Array.from({ length: 8 }, () =>
			send(t, GREEDY, get(path)));
		const of = (status) => greedy.filter((s) =>
			statusOf(s) === status).length;

		await waitUntil('rejected requests', () => of(503) === 3 ||
			greedy.every(ended));
		const other = send(t, OTHER, get(path));
		await waitUntil('all answers', () => [...greedy, other]
			.every(ended));
		for (const socket of [...greedy, other])
			socket.destroy();
		assert.deepEqual([of(503), of(200), statusOf(other)],
			[3, 5, 200]);
		return true;
	});
	await sluice.logged(
		/viewer rejected: too many viewers from this address/);
	await sluice.stop();
});

test('an address loses its own idle connections to new ones', async (t) => {
	const sluice = await play(t, { viewers_per_address: 5 }, {},
		'duration=1');
	const idle = async (address) => {
		const socket = send(t, address, get('/l.m3u8'));

		await waitUntil('its answer', () => statusOf(socket) === 200);
		return socket;
	};
	const others = [await idle(OTHER), await idle('127.0.0.1')];
	const mine = [];

	// twice the places of viewers
	for (let i = 0; i < 14; i++)
		mine.push(await idle(GREEDY));
	await waitUntil('ended connections', () => mine.slice(0, 4).every(
		({ closed }) => closed));
	// also without a request
	mine.push(...Array.from({ length: 3 }, () => send(t, GREEDY, 'GET /')));
	await waitUntil('more', () => mine.slice(4, 7).every(
		({ closed }) => closed));
	for (const socket of [...others, ...mine.slice(7, 14)]) {
		socket.got = '';
		socket.write(get('/l.m3u8'));
		await waitUntil('an answer', () => statusOf(socket) === 200);
	}
	await sluice.stop();
});

test('an address loses its own sessions of HLS to new ones', async (t) => {
	const sluice = await play(t, { viewers_per_address: 3 }, {},
		'duration=1');
	const user = (i) => [`u${i}`, { type: 3, enable: true,
		token: `t${i}` }];
	const users = Object.fromEntries(Array.from({ length: 8 },
		(_, i) => user(i)));
	const visit = async (address, i) => {
		const socket = send(t, address, get(`/l.m3u8?token=t${i}`));

		await waitUntil('its answer', () => statusOf(socket) === 200);
		socket.destroy();
	};
	const logins = async () => (await sluice.cmd('sessions')).sessions
		.filter(({ protocol }) => protocol === 'hls')
		.map(({ login }) => login).sort();

	for (const [id, one] of Object.entries(users))
		await sluice.cmd('set-user', { id, user: one });
	await sluice.cmd('set-auth', { auth: { enable: true } });
	await visit(OTHER, 0);
	for (let i = 1; i < 8; i++)
		await visit(GREEDY, i);
	await waitUntil('three of them', async () =>
		String(await logins()) === 'u0,u5,u6,u7');
	await sluice.waitStatus('a', 'its count', (s) => s.sessions === 4);
	// the oldest use counts, not the oldest session
	await visit(GREEDY, 5);
	await visit(GREEDY, 1);
	await waitUntil('another of them', async () =>
		String(await logins()) === 'u0,u1,u5,u7');
	await sluice.stop();
});

test('the default is 512, and 0 is no limit', async (t) => {
	for (const [settings, places] of [[{}, 512],
		[{ viewers_per_address: 0 }, 520]]) {
		const sluice = await play(t, settings);
		const all = await views(t, 520, GREEDY);

		assert.equal(served(all), places);
		assert.equal(served(await views(t, 1, OTHER)), 1);
		all.forEach(({ socket }) => socket.destroy());
		await sluice.stop();
	}
});

test('one stream leaves places for the viewers of others', async (t) => {
	// 160 descriptors: 120 places, of which each stream has 15
	const sluice = await play(t, { viewers_per_address: 0 },
		{ through: ['prlimit', '--nofile=160:160'] });
	const greedy = await views(t, 150, GREEDY);

	assert.ok(served(greedy) >= 80 && served(greedy) <= 105,
		`${served(greedy)} of 120`);
	assert.equal(served(await views(t, 15, OTHER, '/b')), 15);
	assert.equal(served(await views(t, 1, OTHER, '/a')), 0);
	await sluice.logged(/viewer rejected: the free places are reserved/);
	await sluice.stop();
});
