// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A control room: 500 clients of the event channel, 110 messages a second, one
 * client that does not read.
 */
import http from 'node:http';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { now, sleep, waitUntil } from '../helpers/util.mjs';
import { Reporter, startReady } from './load.mjs';
import { cpuNs, memoryKib, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const CLIENTS = 500, RATE = 110, LENGTH = 1500;
const LIMIT = { delayMs: 100, growthKib: 16 * 1024 };
const SLOW = 'WebSocket client buffer full';

// n messages at the rate, whatever becomes of them.
async function say(sluice, n) {
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
	const begin = now();

	for (let i = 0; i < n; i++) {
		const late = begin + i * 1000 / RATE - now();

		if (late > 1)
			await sleep(late);
		await request(sluice.port, { agent, method: 'POST',
			path: '/control/' }, JSON.stringify({
			cmd: 'set-stream-image', id: 'a001',
			url: `${i} ${process.hrtime.bigint()} ` +
				'x'.repeat(LENGTH) }));
	}
	agent.destroy();
	return (now() - begin) / 1000;
}

function measure(messages) {
	return Scope.within(async (scope) => {
		const sluice = await Sluice.start(scope, config(stream('a001',
			[], [], { enable: false })));
		const farm = new Reporter(await startReady(scope, 'ws_farm',
			['--clients', CLIENTS, '--stuck', 1, '--port',
				sluice.port]));
		const before = memoryKib(sluice.pid).rss;
		const cpu = cpuNs([sluice.pid]);
		const seconds = await say(sluice, messages);
		const percent = (cpuNs([sluice.pid]) - cpu) / seconds / 1e7;

		await waitUntil('the last message', async () =>
			(await farm.snapshot()).least === messages, 30000);
		const after = memoryKib(sluice.pid).rss;
		return { messages, seconds, percent, before, after,
			slow: sluice.log.split(SLOW).length - 1,
			seen: await farm.stop() };
	});
}

export async function events(report, { rounds, window }) {
	const messages = RATE * rounds * window * 2;

	report.section(`events: ${CLIENTS} clients, ${RATE} messages a ` +
		'second, one client that does not read');
	const m = await measure(messages);
	const { seen } = m, missed = CLIENTS * messages - seen.messages;
	const delay = seen.delay_us.p99 / 1000;
	const rate = messages / m.seconds;

	report.table([['messages', 'a second', 'master %', 'p50 ms', 'p99 ms',
		'most', 'KiB before', 'after'],
	[messages, rate.toFixed(0), m.percent.toFixed(1),
		(seen.delay_us.p50 / 1000).toFixed(1), delay.toFixed(1),
		(seen.delay_us.max / 1000).toFixed(1), m.before, m.after]]);
	report.keep('events', m);
	const all = CLIENTS * messages, closed = CLIENTS - seen.open;
	const growth = m.after - m.before;

	report.judge(missed === 0 && seen.out_of_order === 0 && closed === 0,
		`events: ${ofAll(missed, all)} messages missed, ` +
		`${seen.out_of_order} out of order, ${closed} clients closed`);
	report.judge(delay <= LIMIT.delayMs, 'events: p99 ' +
		`${delay.toFixed(1)} ms from the command to the client ` +
		`(at most ${LIMIT.delayMs})`);
	report.judge(m.slow === 1, `events: ${m.slow} client closed that ` +
		'does not read');
	report.judge(growth <= LIMIT.growthKib, 'events: master grew by ' +
		`${growth} KiB (at most ${LIMIT.growthKib})`);
}
