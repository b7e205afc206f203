// SPDX-License-Identifier: GPL-3.0-or-later
// events, in a control room: 500 clients receive every event in order; a client
// that does not read is closed and delays no other.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { Reporter, startReady } from '../bench/load.mjs';
import { Sluice, config, request, sanitized, stream }
	from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { now, waitUntil } from '../helpers/util.mjs';

const CLIENTS = 500, MESSAGES = 1100, AHEAD = 100, LENGTH = 1500;
const DEAD_MS = 60000;
const SLOW = 'WebSocket client buffer full, slow client, disconnecting';

const residentKib = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(
	fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

test('500 clients receive every event in order, one stuck client is closed',
	async (t) => {
	// data that the kernel holds for a socket would hide our own backlog
	fs.writeFileSync('/proc/sys/net/ipv4/tcp_wmem', '4096 16384 65536');
	const sluice = await Sluice.start(t, config(stream('a001', [], [],
		{ enable: false })));
	const farm = new Reporter(await startReady(t, 'ws_farm',
		['--clients', CLIENTS, '--stuck', 1, '--port', sluice.port]));
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	const before = residentKib(sluice.pid);
	const timing = new Timing(t), begin = now();
	let highest = 0;

	t.after(() => agent.destroy());
	for (let n = 0; n < MESSAGES; n++) {
		const text = JSON.stringify({ cmd: 'set-stream-image',
			id: 'a001', url: `${n} ${process.hrtime.bigint()} ` +
				'x'.repeat(LENGTH) });
		const { status } = await request(sluice.port, { agent,
			method: 'POST', path: '/control/' }, text);

		assert.equal(status, 200);
		// as fast as this machine receives them, and no faster
		if (n % AHEAD === AHEAD - 1) {
			highest = Math.max(highest, residentKib(sluice.pid));
			await waitUntil(`message ${n - AHEAD}`, async () =>
				(await farm.snapshot()).least > n - AHEAD,
			60000);
		}
	}
	await waitUntil('the last message', async () =>
		(await farm.snapshot()).least === MESSAGES, 60000);
	// later TCP itself closes a client that does not read
	const inTime = now() - begin < DEAD_MS;
	if (inTime)
		await sluice.logged(new RegExp(`warning ws: ${SLOW}`));
	else
		timing.assert(false, 'a minute for the messages');
	const seen = await farm.stop();
	assert.equal(seen.open, CLIENTS);
	assert.equal(seen.messages, CLIENTS * MESSAGES);
	assert.equal(seen.out_of_order, 0);
	assert.ok(sluice.log.split(SLOW).length <= 2, 'and no other');
	t.diagnostic(`${seen.messages} messages, ` +
		`p99 ${seen.delay_us.p99} us, ` +
		`master ${before} KiB, ${highest} KiB at most`);
	// queued events are stored once, for any number of clients
	assert.ok(sanitized || highest - before < 16 * 1024,
		`${before} KiB grew to ${highest}`);
	await sluice.stop();
});
