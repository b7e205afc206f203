// SPDX-License-Identifier: GPL-3.0-or-later
// mpts: packets that have no room because the process of the multiplex was late
// are no fault of the inputs, and the log has the true reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const PORTS = [5000, 5001, 5002];
const program = { pnr: 1, pmtPid: 0x100, video: 0x101, audio: 0x102 };
const mpts = (bitrate) => ({
	...stream('m', PORTS.map((port) => `udp://127.0.0.1:${port}`),
		['udp://127.0.0.1:6000']), type: 'mpts', bitrate, tsid: 5 });

const REASON = new RegExp('not sent: the worker of the multiplex ran ' +
	'(\\d+) ms late: reduce the load of the machine');

const lines = (sluice, from) => sluice.log.slice(from).split('\n')
	.filter((line) => /stream m: input \d: .*(not sent|sent again)/
		.test(line));

// Stops the multiplex for a time; the reasons that the log has then.
async function stall(sluice, ms) {
	const { pid } = sluice.worker('mux', 'm'), from = sluice.log.length;

	process.kill(pid, 'SIGSTOP');
	await new Promise((done) => { setTimeout(done, ms); });
	process.kill(pid, 'SIGCONT');
	await waitUntil('an input that is not sent', () =>
		lines(sluice, from).length > 0, 10000);
	await waitUntil('all inputs', () => {
		const last = lines(sluice, from);

		return last.filter((line) => !/again/.test(line)).every(
			(line) => last.some((other) =>
				/sent again/.test(other) &&
				other.match(/input \d/)[0] ===
				line.match(/input \d/)[0]));
	}, 30000);
	return lines(sluice, from).filter((line) => !/sent again/.test(line));
}

test('a process that was late is the reason, and not its inputs', async (t) => {
	const sluice = await Sluice.start(t, config(mpts(6600)));

	for (const port of PORTS)
		await waitUntil(`input ${port}`, () => udpBound(port));
	// 91 % of the rate
	const senders = await Promise.all(PORTS.map((port, i) => Sender.start(t,
		new TsMux({ programs: [program], clock: 100 * i, rate: 2e6 }),
		port)));

	await sluice.waitStatus('m', 'three services', (s) =>
		s.services?.filter(({ onair }) => onair).length === 3, 30000);
	const events = await sluice.events(t, '&scope=alarm');

	// the queue takes a stall that is shorter
	for (const ms of [1100, 1600]) {
		const reasons = await stall(sluice, ms);

		for (const line of reasons) {
			const [, late] = REASON.exec(line) ?? assert.fail(line);

			assert.ok(late >= ms - 100 && late < ms + 1500, line);
		}
	}
	const { services } = await sluice.status('m');

	assert.ok(services.some(({ dropped }) => dropped > 0));
	assert.ok(!events.messages.some((text) => /mux_overflow/.test(
		JSON.stringify(text))), 'no alarm of the inputs');

	// the inputs do exceed this rate, whether it is late or not
	await sluice.cmd('set-stream', { id: 'm', stream: mpts(4400) });
	await waitUntil('the reason', () =>
		/input \d: not sent: the inputs exceed the/.test(sluice.log),
	30000);
	await events.wait('mux_overflow', ({ alarm, raised }) =>
		alarm === 'mux_overflow' && raised, 30000);
	senders.forEach((sender) => sender.stop());
	await sluice.stop();
});
