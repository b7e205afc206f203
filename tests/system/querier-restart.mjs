// SPDX-License-Identifier: GPL-3.0-or-later
// querier: the known queriers survive restarts and deaths.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { asking, setUp, waitNetwork } from '../helpers/querier.mjs';
import { Timing } from '../helpers/timing.mjs';
import { now, waitUntil } from '../helpers/util.mjs';

test('the querier worker outlives a restart, and is replaced after its death',
	async (t) => {
	const sluice = await setUp(t, '239.1.0.1');
	const { pid } = await waitUntil('the worker', () =>
		sluice.worker('querier'));

	await asking('igmp2', async () => {
		await waitNetwork(sluice, 'heard', (i) => i.state === 'heard');
		await sluice.cmd('restart');
		await waitUntil('the next master', () =>
			/continues after the restart of sl/.test(sluice.log));
		await waitNetwork(sluice, 'heard', (i) => i.state === 'heard');
		assert.equal(sluice.worker('querier').pid, pid);
		process.kill(pid, 'SIGKILL');
		await sluice.replaced('querier', undefined, pid);
		await waitNetwork(sluice, 'heard', (i) => i.state === 'heard');
	});
	// no capability is left to it
	const status = fs.readFileSync(
		`/proc/${sluice.worker('querier').pid}/status`, 'utf8');
	for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
		assert.match(status, new RegExp(`^${set}:\\s+0+$`, 'm'));
	await sluice.stop();
});

test('a restart does not restart the wait for queries', async (t) => {
	const timing = new Timing(t);
	const sluice = await setUp(t, '239.1.0.1', null, {}, 15);
	const missing = () => waitNetwork(sluice, 'missing', (i) =>
		i.state === 'missing', 'igmp', 60000);

	await missing();
	const began = now();
	await sluice.cmd('restart');
	await waitUntil('the next master', () =>
		/continues after the restart of sl/.test(sluice.log), 20000);
	await sluice.ready();
	await missing();
	timing.stop();
	timing.assert(now() - began < 15000, 'the wait began again');
	await sluice.stop();
});
