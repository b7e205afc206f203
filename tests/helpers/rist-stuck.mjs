// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of threads of librist that hang.
import assert from 'node:assert/strict';
import path from 'node:path';
import { liveMultiplex } from './media.mjs';
import { Sluice, config, stream } from './sluice.mjs';
import { builddir, udpBound, waitUntil } from './util.mjs';

export const helper = (name) => path.join(builddir, 'tests/helpers', name);

// To one stream from another, which is not affected.
export async function pair(t, through = []) {
	const sluice = await Sluice.start(t, config(
		stream('from', 'udp://127.0.0.1:5000', 'rist://127.0.0.1:9080'),
		stream('to', 'rist://@127.0.0.1:9080',
			'udp://127.0.0.1:6000')), { through });

	await waitUntil('input', () => udpBound(5000));
	sluice.source = liveMultiplex(t,
		'udp://127.0.0.1:5000?pkt_size=1316',
		{ seconds: 200 });
	await sluice.onair('to', 30000);
	return sluice;
}

export const sending = (sluice) => waitUntil('packets', async () =>
	(await sluice.status('from')).outputs[0].stats?.sent > 100, 20000);

// The worker of this stream ends for that reason; the other one does not.
// False: the thread was stopped while it had a lock, which blocked the worker,
// too, so that the master ended it.
export async function replaced(sluice, id, pids, why) {
	await sluice.replaced('stream', id, pids[id], 60000);
	const hung = sluice.log.includes(
		`stream ${id}: no status for 3 s: killed`);

	if (!hung)
		await sluice.logged(new RegExp('rist port 9080: a thread of ' +
			`librist ${why}: worker restarts`));
	await sluice.onair('to', 60000);
	await sending(sluice);
	for (const other of ['from', 'to'].filter((name) => name !== id))
		assert.equal(sluice.worker('stream', other).pid, pids[other]);
	await sluice.stop();
	sluice.source.kill();
	return !hung;
}

export const pidsOf = (sluice) => Object.fromEntries(['from', 'to'].map((id) =>
	[id, sluice.worker('stream', id).pid]));
