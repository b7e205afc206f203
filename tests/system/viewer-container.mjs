// SPDX-License-Identifier: GPL-3.0-or-later
// viewer-container: a viewer in a container of this host may read its socket
// long after it was cut, and receives no packet of a later time.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { ip, tool } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { start, udpBound, waitUntil } from '../helpers/util.mjs';

// The ring of a stream has 16 MiB, whatever an output asks for below that.
const OPTIONS = '#buffer_size=1024', RING_BYTES = 17e6;

// Requests the stream and reads nothing until its input ends, then all.
const VIEWER = `
const socket = require('net').connect(8100, process.argv[1]);
socket.pause();
socket.on('connect', () => {
	socket.write('GET /one HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n');
	process.stdin.resume();
});
process.stdin.on('end', () => socket.resume());
socket.on('data', (data) => process.stdout.write(data));
socket.on('error', () => {});
`;

// A viewer at the other end of a cable, which may end in a bridge.
async function startViewer(t, name, n) {
	const child = start(t, 'unshare', ['-n', 'sh', '-euc',
		`ip link set lo up; read go; ip addr add 10.9.${n}.2/24 dev vb
		ip -6 addr add fd00:${n}::2/64 dev vb nodad
		ip link set vb up; exec "$@"`, 'sh', process.execPath, '-e',
		VIEWER, n % 2 ? `fd00:${n}::1` : `10.9.${n}.1`],
	{ stdio: ['pipe', 'pipe', 'pipe'] });
	const seen = { child, chunks: [] };
	const near = name === 'bridge' ? `br${n}` : `va${n}`;

	child.stdout.on('data', (data) => seen.chunks.push(data));
	await waitUntil('its network', () =>
		fs.readlinkSync(`/proc/${child.pid}/ns/net`) !==
		fs.readlinkSync('/proc/self/ns/net'));
	await ip('link', 'add', `va${n}`, 'type', 'veth', 'peer', 'name', 'vb',
		'netns', String(child.pid));
	if (name === 'bridge') {
		await ip('link', 'add', near, 'type', 'bridge');
		await ip('link', 'set', `va${n}`, 'master', near);
		await ip('link', 'set', `va${n}`, 'up');
	}
	await ip('addr', 'add', `10.9.${n}.1/24`, 'dev', near);
	await ip('-6', 'addr', 'add', `fd00:${n}::1/64`, 'dev', near, 'nodad');
	await ip('link', 'set', near, 'up');
	child.stdin.write('go\n');
	return seen;
}

test('a container may read late', async (t) => {
	try {
		await tool('unshare', '-n', 'ip', 'link', 'add', 'va', 'type',
			'veth', 'peer', 'name', 'vb');
	} catch (error) {
		t.skip(`no container: ${error.message}`.slice(0, 200));
		return;
	}
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', [`http://0.0.0.0:8100/one${OPTIONS}`,
			`http://[::]:8100/one${OPTIONS}`])));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 8e6 }), 5000);
	await sluice.onair('a001');
	const healthy = await Viewer.open(t, 8100, '/one');
	await waitUntil('packets', () => healthy.bytes > 0);
	const viewers = [];
	for (const [n, name] of ['veth', 'veth', 'bridge'].entries())
		viewers.push(await startViewer(t, name, n));
	await sluice.waitStatus('a001', 'the cuts', (s) =>
		s.sessions_cut === viewers.length, 60000);
	assert.equal(healthy.ended, false);
	// the writer replaces all bytes of the ring
	const before = healthy.data(), { bytes } = healthy;
	await waitUntil('two laps', () =>
		healthy.bytes > bytes + 2 * RING_BYTES, 30000);
	for (const { child, chunks } of viewers) {
		child.stdin.end();
		await waitUntil('the end', () => child.exitCode !== null);
		const got = Buffer.concat(chunks);
		const body = got.subarray(got.indexOf('\r\n\r\n') + 4);

		assert.ok(body.length > 50000, `${body.length} bytes`);
		assert.ok(before.includes(body), 'bytes of another time');
	}
	await sluice.stop();
});
