// SPDX-License-Identifier: GPL-3.0-or-later
// DVB Simulcrypt: a renamed stream and a port in use do not stop the ECMs.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { entry, link, play, udp } from '../helpers/cas-scene.mjs';
import { Ecmg, Emmg } from '../helpers/simulcrypt.mjs';
import { stream } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

test('a stream with the former id of another leaves its ECMs', async (t) => {
	const ecmg = await Ecmg.start(t);
	const { sluice } = await play(t, [entry(ecmg)], [link]);
	const next = (number) => {
		const n = ecmg.provisions.length;

		return waitUntil(`ECMs of stream ${number}`, () =>
			ecmg.provisions.slice(n).some(({ stream: of }) =>
				of === number), 20000);
	};
	const of = (id, input, ...output) => ({ stream: stream(id, udp(input),
		output, { cas_list: [link] }) });
	const { pid } = sluice.worker('stream', 's');

	await next(0);
	await sluice.cmd('set-stream', { id: 's', ...of('t', 5001, udp(6001),
		'http://127.0.0.1:8100/s') });
	assert.ok(sluice.workers().some((w) => w.pid === pid), 'it is renamed');
	await sluice.cmd('set-stream', of('s', 5002, udp(6002)));
	await next(1);
	await next(0);
	assert.deepEqual(ecmg.closed, []);
	// its last save has ended
	await sluice.stop();
});

test('a port for EMMs that is in use is tried again', async (t) => {
	const ecmg = await Ecmg.start(t);
	const other = net.createServer();

	await new Promise((done) => other.listen(5555, done));
	t.after(() => other.close());
	const { sluice } = await play(t, [entry(ecmg, { emmg_port: 5555,
		emmg_protocol: 'udp' })], [link]);

	await sluice.waitStatus('s', 'its error', (s) => s.cas_error ===
		'CAS c1: emmg_port 5555: Address already in use: no EMMs; ' +
		'the port is tried again');
	const { pid } = sluice.worker('cas', 'c1');
	const n = ecmg.provisions.length;

	await waitUntil('ECMs', () => ecmg.provisions.length > n + 1, 20000);
	other.close();
	await sluice.waitStatus('s', 'no error', (s) => !s.cas_error, 60000);
	const emmg = await Emmg.start(t, 5555);

	emmg.setUp(100);
	await waitUntil('an allocation', () => emmg.allocated);
	assert.equal(sluice.worker('cas', 'c1').pid, pid);
});
