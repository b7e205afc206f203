// SPDX-License-Identifier: GPL-3.0-or-later
// rist: a thread of librist that runs in a loop is reported, and the stream
// restarts.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { test } from 'node:test';
import { helper, pair, pidsOf, replaced } from '../helpers/rist-stuck.mjs';
import { run, waitUntil } from '../helpers/util.mjs';

// The datagram that the filter drops: a part of RTCP that has no end in it.
const RR = [0x80, 201, 0, 1, 1, 2, 3, 4];
const ENDLESS = [0x80, 207, 0, 2, 1, 2, 3, 4, 0, 0, 255, 255];
const HEAD = [0, 0, 0x88, 0xb6, 0x80, 0, 0x80, 1];

test('a thread that runs in a loop', async (t) => {
	const sluice = await pair(t);
	const pids = pidsOf(sluice);
	const socket = dgram.createSocket('udp4');
	let bare;
	// a worker that was started meanwhile has its filter again
	const expose = async () => {
		const { pid } = sluice.worker('stream', 'to') ?? {};

		if (pid === undefined || pid === bare)
			return;
		if ((await run(helper('bare-port'), [pid, 9080])).code === 0)
			bare = pid;
	};

	t.after(() => socket.close());
	await waitUntil('a port without a filter', async () => {
		await expose();
		return bare !== undefined;
	});
	// a new sender is accepted from its second datagram on
	const timer = setInterval(() => socket.send(
		Buffer.from([...HEAD, ...RR, ...ENDLESS]), 9080, '127.0.0.1'),
	100);
	t.after(() => clearInterval(timer));
	await waitUntil('a line of the log', async () => {
		const told = /in a loop/.test(sluice.log);

		if (!told)
			await expose();
		return told;
	}, 60000);
	clearInterval(timer);
	assert.ok(await replaced(sluice, 'to', pids, 'runs in a loop'));
});
