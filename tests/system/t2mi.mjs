// SPDX-License-Identifier: GPL-3.0-or-later
// T2-MI: a stream out of a PLP, byte for byte, and the errors without it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { T2mi } from '../helpers/t2mi.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

const udp = (port) => `udp://127.0.0.1:${port}`;

test('an input with t2mi is the stream of a PLP', async (t) => {
	const timing = new Timing(t);
	const t2mi = new T2mi({ pid: 500, plp: 4 }), sent = [];
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('outer', udp(5000), [udp(5001), udp(5002), udp(5003),
			udp(5004)]),
		stream('inner', `${udp(5001)}#t2mi&t2mi_pid=500`, udp(6000)),
		stream('plp', `${udp(5002)}#t2mi&t2mi_pid=500&plp=4`, []),
		stream('absent', `${udp(5003)}#t2mi&t2mi_pid=500&plp=7`, []),
		stream('other', `${udp(5004)}#t2mi`, [])));

	// whole frames of some datagrams, so that a frame is cut nowhere
	await Sender.start(t, new TsMux(), 5000, { per: 21,
		shape(packets) {
			sent.push(packets);
			return t2mi.shape(packets);
		} });
	await sluice.onair('inner');
	await sluice.onair('plp');
	const errors = {
		absent: /t2mi: PLP 7 is not there; there are: 4/,
		other: /t2mi: PID 4096 has no T2-MI packets/,
	};

	for (const [id, error] of Object.entries(errors))
		await sluice.waitStatus(id, 'its reason', (s) =>
			!s.onair && error.test(JSON.stringify(s)));
	await waitUntil('a second of output', () =>
		sent.length > 200, 20000);
	const [list] = await recorder.stop();
	const received = joined(list), whole = Buffer.concat(sent);
	const at = whole.indexOf(received.subarray(0, 7 * 188));

	assert.ok(received.length > 100 * 188, `${received.length} bytes`);
	assert.ok(at >= 0, 'the first packets were sent');
	const status = await sluice.status('inner');

	timing.unlessHeldUp('', [status], () => assert.ok(
		received.equals(whole.subarray(at, at + received.length))));
});

test('the analyzer lists the PLPs', async (t) => {
	const sluice = await Sluice.start(t, config());
	const streams = [new T2mi({ plp: 4 }), new T2mi({ plp: 9 })];
	let n = 0;
	const { id } = await sluice.cmd('scan-init',
		{ scan: udp(5000) });

	await Sender.start(t, new TsMux(), 5000, { per: 21,
		shape: (packets) => streams[n++ % 2].shape(packets) });
	const records = [];

	await waitUntil('both PLPs', async () => {
		const { scan = [] } = await sluice.cmd('scan-check', { id });

		records.push(...scan);
		return records.some(({ plps }) => plps?.length === 2);
	});
	assert.deepEqual(records.at(-1),
		{ psi: 't2mi', pid: 4096, plps: [4, 9] });
	await sluice.cmd('scan-kill', { id });
});

test('a PLP beyond 255 is refused by its name', async (t) => {
	const sluice = await Sluice.start(t, config());
	const { status, body } = await sluice.post({ cmd: 'set-stream',
		stream: stream('a', `${udp(5000)}#t2mi&plp=256`,
			'udp://127.0.0.1:6000') });

	assert.equal(status, 400);
	assert.match(body, /input\[0\].*plp/);
});

test('an adapter with t2mi is the multiplex of a PLP', async (t) => {
	const timing = new Timing(t);
	const t2mi = new T2mi({ pid: 500, plp: 4 }), sent = [];
	const adapter = (more) => ({ id: 'd', name: 'Gateway', type: 'S2',
		enable: true, address: udp(5000), t2mi: true, t2mi_pid: 500,
		...more });
	const recorder = await Recorder.start(t, { port: 6000 });
	const mux = { dvb_tune: [adapter()] };
	const sluice = await Sluice.start(t, { ...config(
		stream('inner', 'dvb://d', udp(6000))), ...mux });
	const set = (more) => sluice.post({ cmd: 'set-adapter', id: 'd',
		adapter: adapter(more) });
	const error = async (pattern) => waitUntil(`${pattern}`, async () =>
		pattern.test((await sluice.json('/api/adapter-status/d'))
			.error ?? ''));

	await Sender.start(t, new TsMux(), 5000, { per: 21,
		shape(packets) {
			sent.push(packets);
			return t2mi.shape(packets);
		} });
	await sluice.onair('inner');
	await waitUntil('a second of output', () =>
		sent.length > 200, 20000);
	const [list] = await recorder.stop();
	const received = joined(list), whole = Buffer.concat(sent);
	const at = whole.indexOf(received.subarray(0, 7 * 188));

	assert.ok(received.length > 100 * 188, `${received.length} bytes`);
	assert.ok(at >= 0, 'the first packets were sent');
	const status = await sluice.status('inner');

	timing.unlessHeldUp('', [status], () => assert.ok(
		received.equals(whole.subarray(at, at + received.length))));

	await set({ plp: 7 });
	await error(/^t2mi: PLP 7 is not there; there are: 4/);
	await set({ t2mi_pid: 501 });
	await error(/^t2mi: PID 501 has no T2-MI packets/);
	for (const [key, value] of [['plp', 256], ['t2mi_pid', 8191],
		['t2mi', 'maybe']]) {
		const { status, body } = await set({ [key]: value });

		assert.equal(status, 400, key);
		assert.match(body, new RegExp(`adapter\\.${key}: `));
	}
});
