// SPDX-License-Identifier: GPL-3.0-or-later
// An unavailable second path or error correction raises an alarm, costs the
// stream nothing, and is used as soon as it is available.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { ip, pair } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder, Sender } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const input = async (sluice, id) => (await sluice.json(
	`/api/stream-inputs/${id}`)).inputs[0];
const output = async (sluice, id) => (await sluice.json(
	`/api/stream-outputs/${id}`)).outputs[0];

const raised = async (sluice, id) => (await sluice.status(id)).inputs[0]
	.alarms?.includes('unprotected') ?? false;

const told = (sluice, id, why) => waitUntil(`${why}`, async () =>
	why.test((await input(sluice, id)).error ?? '') &&
	await raised(sluice, id), 30000);
const quiet = (sluice, id) => waitUntil('no fault', async () =>
	!(await input(sluice, id)).error && !(await raised(sluice, id)), 30000);

// One stream as RTP on each of the ports.
function asRtp(ports, ssrc = 0) {
	const socket = dgram.createSocket('udp4');
	let n = 0;

	return { socket, shape: (packets) => {
		const head = Buffer.alloc(12);

		head.writeUInt16BE(0x8021);
		head.writeUInt16BE(n++ & 0xffff, 2);
		head.writeUInt32BE(n * 470 >>> 0, 4);
		head.writeUInt32BE(ssrc, 8);
		const datagram = Buffer.concat([head, packets]);

		for (const port of ports)
			socket.send(datagram, port, '127.0.0.1');
		return [datagram];
	} };
}

test('ports of error correction that another program uses', async (t) => {
	const taken = dgram.createSocket('udp4');

	await new Promise((done) => taken.bind({ address: '127.0.0.1',
		port: 5002, exclusive: true }, done));
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'rtp://127.0.0.1:5000#fec', 'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	const { socket, shape } = asRtp([]);
	t.after(() => socket.close());
	await Sender.start(t, new TsMux(), 5000, { shape });
	await sluice.onair('a001');
	await told(sluice, 'a001', /^error correction: .*(in use|5002)/);
	assert.ok(!udpBound(5004));
	await new Promise((done) => taken.close(done));
	await quiet(sluice, 'a001');
	assert.ok(udpBound(5002) && udpBound(5004));
	assert.equal((await input(sluice, 'a001')).stats.lost, 0);
	assert.ok(recorder.size() > 100000);
	await sluice.stop();
});

test('a second path whose interface disappears, in and out', async (t) => {
	const d0 = async () => {
		await pair(undefined, 'd0', 'd1');
		await ip('addr', 'add', '10.9.7.1/24', 'dev', 'd0');
	};

	await d0();
	t.after(() => ip('link', 'del', 'd0').catch(() => {}));
	const sluice = await Sluice.start(t, config(
		stream('a001',
			'rtp://127.0.0.1:5000#merge=rtp://d0@239.9.7.1:5010',
			'rtp://127.0.0.1:6000#path2=d0@239.9.7.2:6010'),
		stream('a002',
			'udp://127.0.0.1:5100#merge=udp://d0@239.9.7.1:5110',
			[])));

	await waitUntil('inputs', () => [5000, 5100].every(udpBound));
	const { socket, shape } = asRtp([]);
	t.after(() => socket.close());
	await Sender.start(t, new TsMux(), 5000, { shape });
	await Sender.start(t, new TsMux(), 5100);
	await sluice.onair('a001');
	await sluice.onair('a002');
	for (const id of ['a001', 'a002']) {
		await told(sluice, id, /^path 2: no packets/);
		await sluice.logged(new RegExp(`${id}: input 1: alarms: ` +
			'.*unprotected \\(path 2: '));
	}
	assert.ok(!(await output(sluice, 'a001')).fault);
	await ip('link', 'del', 'd0');
	for (const id of ['a001', 'a002'])
		await told(sluice, id, /^path 2: .*d0/);
	await waitUntil('the output', async () =>
		/^path 2: /.test((await output(sluice, 'a001')).error ?? ''),
	20000);
	await sluice.logged(/a001: output 1: path 2: .*d0/);
	const { packets } = await output(sluice, 'a001');
	await waitUntil('more', async () =>
		(await output(sluice, 'a001')).packets > packets + 500);
	await d0();
	for (const id of ['a001', 'a002'])
		await told(sluice, id, /^path 2: no packets/);
	await waitUntil('the output', async () =>
		!(await output(sluice, 'a001')).error, 30000);
	await sluice.logged(/a001: output 1: all paths are sending again/);
	await sluice.stop();
});

test('a second path of RTP that is another stream', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'rtp://127.0.0.1:5000#merge=rtp://127.0.0.1:5010', [])));

	await waitUntil('inputs', () => [5000, 5010].every(udpBound));
	const [first, second] = [asRtp([], 1), asRtp([], 7)];
	t.after(() => [first, second].forEach(({ socket }) =>
		socket.close()));
	await Sender.start(t, new TsMux(), 5000, { shape: first.shape });
	await sluice.onair('a001');
	await told(sluice, 'a001', /^path 2: no packets$/);
	const other = await Sender.start(t, new TsMux(), 5010,
		{ shape: second.shape });
	await told(sluice, 'a001', /^path 2: carries another stream$/);
	other.stop();
	await told(sluice, 'a001', /^path 2: no packets$/);
	await sluice.stop();
});

test('two paths with different streams', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000#merge=udp://127.0.0.1:5010', [])));

	await waitUntil('inputs', () => [5000, 5010].every(udpBound));
	await Sender.start(t, new TsMux(), 5000);
	await Sender.start(t, new TsMux({ rate: 3000000 }), 5010);
	await sluice.onair('a001');
	await told(sluice, 'a001', new RegExp('^path 2 is not used, because ' +
		'it carries another stream: \\d+ of \\d+ packets differ'));
	await sluice.waitStatus('a001', 'a clean second', (s) =>
		s.onair && s.cc_error === 0);
	await sluice.stop();
});
