// SPDX-License-Identifier: GPL-3.0-or-later
// stop: the stop is clean, within 5 s, and no process remains.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, sanitized, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sender } from '../helpers/udp.mjs';
import { now, udpBound, waitUntil } from '../helpers/util.mjs';

const N = 200;

const many = () => config(...Array.from({ length: N }, (_, i) =>
	stream(`s${i}`, `udp://127.0.0.1:${10000 + i}`,
		[`udp://127.0.0.1:${20000 + i}`,
			`http://127.0.0.1:8100/s${i}#buffer_size=1024`])));

const streams = (sluice) => sluice.workers()
	.filter((w) => w.role === 'stream');

const allBound = () => {
	for (let i = 0; i < N; i++)
		if (!udpBound(10000 + i))
			return false;
	return true;
};

test(`SIGTERM with ${N} streams: no process remains after 5 s`, async (t) => {
	const timing = new Timing(t);
	const begin = now();
	const sluice = await Sluice.start(t, many());

	await waitUntil('all streams', () =>
		streams(sluice).length === N && allBound(),
		sanitized ? 60000 : 20000);
	const ready = now() - begin;
	t.diagnostic(`${N} streams took ${Math.round(ready)} ms`);
	await Sender.start(t, new TsMux(), 10007);
	const viewer = await Viewer.open(t, 8100, '/s7');
	await waitUntil('video', () => viewer.bytes > 50000);
	const events = await sluice.events(t);
	const { code, signal, ms } = await sluice.stop();
	assert.equal(signal, null);
	assert.equal(code, 0, sluice.log.slice(-2000));
	timing.assert(ms < 5000, `${ms} ms`);
	assert.equal(await events.waitClosed(), 1001);
	await timing.within(1000,
		waitUntil('end of the viewer', () => viewer.ended));
});

test('SIGTERM before all have started', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, many(), { wait: false });

	await waitUntil('the first workers', () => streams(sluice).length > 3);
	const { code, ms } = await sluice.stop();
	assert.equal(code, 0);
	timing.assert(ms < 5000, `${ms} ms`);
});

test('a worker that hangs does not delay the stop', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000'),
		stream('a002', 'udp://127.0.0.1:5001', [])));

	await waitUntil('inputs', () => udpBound(5000) && udpBound(5001));
	process.kill(sluice.worker('stream', 'a001').pid, 'SIGSTOP');
	const { code, ms } = await sluice.stop();
	assert.equal(code, 0);
	timing.assert(ms < 5000, `${ms} ms`);
});

test('the workers of a killed master end', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			['udp://127.0.0.1:6000', 'http://127.0.0.1:8100/x'])));

	await waitUntil('input', () => udpBound(5000));
	sluice.child.kill('SIGKILL');
	await sluice.child.ended;
	await timing.within(3000, waitUntil('end of the workers', () =>
		sluice.workers().length === 0));
});

test('repeated signals to stop wait for the last save', async (t) => {
	for (let turn = 0; turn < 20; turn++) {
		const sluice = await Sluice.start(t, config(stream('a001',
			'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));
		const name = `turn ${turn}`;

		await sluice.cmd('set-stream', { id: 'a001', stream: {
			type: 'spts', enable: false, name } });
		const again = setInterval(() => sluice.child.kill(
			turn % 2 ? 'SIGINT' : 'SIGTERM'), 1);
		const { code } = await sluice.stop('SIGINT');
		clearInterval(again);
		assert.equal(code, 0);
		const saved = JSON.parse(fs.readFileSync(sluice.file, 'utf8'));
		assert.equal(saved.make_stream[0].name, name);
	}
});

test('Ctrl-C reaches the workers too, and the master ends them', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	const { pid } = sluice.worker('stream', 'a001');
	process.kill(pid, 'SIGINT');
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	assert.equal(sluice.worker('stream', 'a001').pid, pid);
	await sluice.stop();
});

test('a signal to the whole group is handled by the master', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', 'http://*:8100/a')));

	await waitUntil('workers', () => udpBound(5000) &&
		sluice.worker('deliver'));
	const group = (pid) => Number(fs.readFileSync(`/proc/${pid}/stat`,
		'utf8').split(') ')[1].split(' ')[2]);
	for (const { pid } of sluice.workers())
		assert.equal(group(pid), pid);
	await sluice.stop();
	assert.doesNotMatch(sluice.log, /restart(ing at once| in \d)/);
});
