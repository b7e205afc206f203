// SPDX-License-Identifier: GPL-3.0-or-later
// metrics: Prometheus reads the figures of all streams, and the paths of health
// need no credential.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { again, basic, cookie, enter, startGuarded } from '../helpers/auth.mjs';
import { wrapper } from '../helpers/bad-worker.mjs';
import { readRules } from '../helpers/monitoring.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { run, srcdir, start, udpBound, waitUntil } from '../helpers/util.mjs';

const PEER = path.join(srcdir, 'tests/helpers/metrics-peer.py');
const NAME = 'News "one" \\ two\nthree é';

async function python() {
	for (const program of ['/usr/bin/python3', 'python3']) {
		const { code } = await run(program,
			['-c', 'import prometheus_client']).catch(() => ({}));
		if (code === 0)
			return program;
	}
	return undefined;
}

const program = await python();
const skip = program === undefined &&
	'python3-prometheus-client is not installed';

// The metrics as the client of Prometheus reads them.
async function scrape(t, sluice) {
	const reply = await sluice.get('/metrics');

	assert.equal(reply.status, 200);
	assert.equal(reply.headers['content-type'],
		'text/plain; version=0.0.4; charset=utf-8');
	const peer = start(t, program, [PEER],
		{ stdio: ['pipe', 'pipe', 'pipe'] });
	peer.stdin.end(reply.body);
	const { code, out, err } = await peer.ended;
	assert.equal(code, 0, err);
	return JSON.parse(out);
}

// The value of the sample with these labels; undefined without one.
function value(families, name, labels) {
	return families.flatMap(({ samples }) => samples).find((s) =>
		s.name === name && Object.entries(labels).every(
			([key, text]) => s.labels[key] === text))?.value;
}

test('the client of Prometheus reads them, and they follow a stream',
	{ skip }, async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', ['udp://127.0.0.1:5000', 'udp://127.0.0.1:5001'],
			'udp://127.0.0.1:6000', { name: NAME }),
		stream('off', 'udp://127.0.0.1:5002', [], { enable: false })));
	const of = (name, stream, more = {}) => (all) =>
		value(all, `sluice_${name}`, { stream, ...more });
	const bytes = of('input_bytes_total', 'a001', { input: '1' });
	const seen = (what, probe) => waitUntil(what, async () => {
		const all = await scrape(t, sluice);
		return probe(all) && all;
	});

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await sluice.onair('a001');
	await sluice.sent('a001', 2000);
	const all = await seen('the bytes', (m) => bytes(m) > 188 * 1000);

	const samples = all.flatMap((m) => m.samples);
	const keys = samples.map(({ name, labels }) =>
		name + JSON.stringify(labels));
	assert.equal(new Set(keys).size, keys.length, 'a double sample');
	for (const m of all) {
		assert.match(m.name, /^sluice_[a-z_]+$/);
		assert.ok(['gauge', 'counter'].includes(m.type), m.name);
		assert.ok(m.help.endsWith('.'), m.name);
	}
	assert.equal(value(all, 'sluice_stream_info',
		{ stream: 'a001', name: NAME, type: 'spts' }), 1);
	for (const [name, on, off] of [['stream_enabled', 1, 0],
		['stream_onair', 1, 0], ['stream_active_input', 1, 0],
		['stream_worker_restarts_total', 0, 0]]) {
		assert.equal(of(name, 'a001')(all), on, name);
		assert.equal(of(name, 'off')(all), off, name);
	}
	assert.equal(bytes(all), 188 *
		of('input_packets_total', 'a001', { input: '1' })(all));
	assert.equal(of('input_bytes_total', 'a001', { input: '2' })(all), 0);
	assert.equal(of('input_onair', 'a001', { input: '1' })(all), 1);
	assert.ok(of('output_bytes_total', 'a001', { output: '1' })(all) > 0);
	assert.ok(of('stream_worker_resident_bytes', 'a001')(all) > 1e5);
	assert.equal(of('stream_worker_resident_bytes', 'off')(all),
		undefined);
	// it is a sum: another second adds to it
	await seen('more bytes', (m) => bytes(m) > bytes(all));

	const pid = sluice.worker('stream', 'a001').pid;
	process.kill(pid, 'SIGKILL');
	await sluice.replaced('stream', 'a001', pid);
	await seen('the restart', (m) =>
		of('stream_worker_restarts_total', 'a001')(m) === 1);
	await sluice.onair('a001');
	sender.stop();
	const dark = await seen('the outage', (m) =>
		of('stream_onair', 'a001')(m) === 0 &&
		of('stream_alarm', 'a001')(m) === 1);
	assert.ok(bytes(dark) > bytes(all), 'a sum went back');
	assert.equal(of('stream_active_input', 'a001')(dark), 0);
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await seen('no output of a disabled stream', (m) => ['bytes_total',
		'dropped_packets_total', 'fault'].every((name) =>
		of(`output_${name}`, 'a001')(m) === undefined));
	await sluice.stop();
});

test('errors of an input are sums', { skip }, async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));
	let n = 0;
	const errors = async () => value(await scrape(t, sluice),
		'sluice_input_cc_errors_total', { stream: 'a001', input: '1' });

	await waitUntil('input', () => udpBound(5000));
	// each hundredth datagram is lost
	await Sender.start(t, new TsMux({ rate: 4e6 }), 5000,
		{ shape: (packets) => n++ % 100 === 50 ? [] : [packets] });
	await sluice.onair('a001');
	await waitUntil('errors of several seconds', async () =>
		await errors() >= 8);
	const { cc_error: last } = await sluice.status('a001');

	assert.ok(await errors() > last);
	await sluice.stop();
});

test('what nothing uses raises no alarm of the rules', { skip },
	async (t) => {
	const cam = (id) => ({ id, name: id, type: 'newcamd',
		host: '127.0.0.1', port: 1, user: 'u', pass: 'p' });
	const sluice = await Sluice.start(t, { ...config(
		stream('a001', 'udp://127.0.0.1:5000', 'http://:8100/a',
			{ http_keep_active: '0' }),
		stream('b001', 'udp://127.0.0.1:5001#cam=used', [])),
	softcam: [cam('used'), cam('idle')] });

	await sluice.waitStatus('a001', 'wait', (s) => s.waiting);
	await waitUntil('the softcam', () => sluice.worker('softcam', 'used'));
	const all = await scrape(t, sluice);
	const of = (name, labels) => value(all, `sluice_${name}`, labels);

	assert.equal(of('stream_waiting', { stream: 'a001' }), 1);
	assert.equal(of('stream_waiting', { stream: 'b001' }), 0);
	assert.equal(of('softcam_up', { softcam: 'used' }), 0);
	assert.equal(of('softcam_up', { softcam: 'idle' }), undefined);
	assert.match(readRules().find(
		({ alert }) => alert === 'StreamOffAir').expr,
		/ unless sluice_stream_waiting == 1$/);
	await sluice.stop();
});

test('a large answer is compressed for a client that accepts it',
	async (t) => {
	const streams = Array.from({ length: 20 }, (_, i) => stream(`a${i}`,
		'udp://127.0.0.1:5000', [], { enable: false }));
	const sluice = await Sluice.start(t, config(...streams));
	const reply = await fetch(`http://127.0.0.1:${sluice.port}/metrics`,
		{ headers: { 'accept-encoding': 'gzip' } });

	assert.equal(reply.headers.get('content-encoding'), 'gzip');
	assert.match(await reply.text(), /^# HELP sluice_build_info /);
	await sluice.stop();
});

test('the figures need a login, the paths of health none', async (t) => {
	const { sluice } = await startGuarded(t, { users: {
		olga: { type: 2, password: 'look' } } });
	const get = (target, headers = {}) => request(sluice.port,
		{ path: target, headers });
	const olga = cookie(await enter(sluice, 'olga', 'look'));

	assert.equal((await get('/metrics')).status, 403);
	assert.equal((await get('/metrics', olga)).status, 200);
	assert.equal((await get('/metrics',
		basic('olga', 'look'))).status, 200);
	for (const [target, body] of [['/healthz', '{"healthz":"ok"}'],
		['/readyz', '{"readyz":"ok"}']]) {
		const reply = await get(target);

		assert.deepEqual([reply.status, reply.body], [200, body]);
		assert.equal((await request(sluice.port, { path: target,
			method: 'POST' })).status, 403);
		assert.equal((await request(sluice.port, { path: target,
			method: 'HEAD' })).status, 200);
	}
	await sluice.stop();
	// a long body waits for the judgement of the head
	const next = await again(t, sluice);
	assert.equal((await request(next.port, { path: '/healthz', headers: {
		'Content-Length': 100000 } }, 'x'.repeat(100000))).status, 200);
	await next.stop();
});

test('a service whose streams have not begun is not ready', async (t) => {
	const { file } = wrapper(t, { bad: 'exec sleep 1000' });
	const sluice = await Sluice.start(t, config(
		stream('bad', 'udp://127.0.0.1:5000', [])),
	{ env: { SLUICE_WORKER: file } });
	const reply = await sluice.get('/readyz');

	assert.deepEqual([reply.status, reply.body],
		[503, '{"error":"streams are starting"}']);
	assert.equal((await sluice.get('/healthz')).status, 200);
	await sluice.cmd('toggle-stream', { id: 'bad' });
	assert.equal((await sluice.get('/readyz')).status, 200);
	// the others continue while one begins
	await sluice.cmd('toggle-stream', { id: 'bad' });
	assert.equal((await sluice.get('/readyz')).status, 200);
	await sluice.stop();
});
