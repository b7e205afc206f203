// SPDX-License-Identifier: GPL-3.0-or-later
// service-alarms: a process that fails is an alarm with a state: in the status,
// as events and in the log.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alarmsOf, event, one, states } from '../helpers/alarms.mjs';
import { Ctl } from '../helpers/ctl.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { sleep, udpBound, waitUntil } from '../helpers/util.mjs';

// Kills a worker, whose first end raises the alarm. It lasts for five seconds
// of the next one: where an answer comes later, it is raised again until probe
// is true. Returns the first event.
async function kill(sluice, worker, told, probe) {
	const once = () => process.kill(sluice.worker(...worker).pid,
		'SIGKILL');

	once();
	const up = await event(told, 'worker', true);

	await waitUntil('the alarm', () => waitUntil('its answers', probe, 4000)
		.catch((error) => {
			once();
			throw error;
		}));
	return up;
}

test('a killed process raises the alarm worker until it runs again',
	async (t) => {
	const sluice = await Sluice.start(t, one());
	const others = await sluice.events(t);

	await waitUntil('input', () => udpBound(5000));
	const told = await sluice.events(t, '&scope=alarm');

	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	const up = await kill(sluice, ['stream', 'a001'], told, async () =>
		(await sluice.status('a001')).alarms.includes('worker'));

	assert.equal(up.channel_id, 'a001');
	assert.equal(up.place, 'output');
	assert.match(up.reason, /signal 9/);
	await sluice.logged(/stream a001: alarm worker: .*signal 9/);
	// five seconds of its successor
	await event(told, 'worker', false);
	await sluice.waitStatus('a001', 'no alarm', (s) =>
		!s.alarms.includes('worker'));
	await sluice.logged(/stream a001: alarm worker cleared/);
	assert.deepEqual(others.scope('alarm'), []);
	await sluice.stop();
});

test('the log has a stream off air while its process is gone or hangs',
	async (t) => {
	const sluice = await Sluice.start(t, one());
	const air = () => sluice.log.split('\n')
		.map((line) => /stream a001: o(n|ff) air(: .*)?/.exec(line)
			?.[0])
		.filter((line) => line !== undefined);
	const next = (n, pattern) => waitUntil(`${pattern}`, () => {
		if (!pattern.test(air()[n] ?? ''))
			throw new Error(air().join('; '));
		return true;
	}, 30000);

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await next(0, /on air/);
	await sluice.onair('a001');
	const { pid } = sluice.worker('stream', 'a001');
	let n = air().length;

	process.kill(pid, 'SIGKILL');
	await next(n, /off air: killed by signal 9/);
	await next(n + 1, /on air/);
	// a stop that was ordered is no failure
	const { pid: second } = sluice.worker('stream', 'a001');
	n = air().length;
	await sluice.cmd('restart-stream', { id: 'a001' });
	await sluice.replaced('stream', 'a001', second);
	await next(n, /on air/);
	await sluice.onair('a001');
	// nor is the end of a stream that is disabled
	n = air().length;
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await sluice.logged(/stream a001: stopped/);
	// its last report is older than a second when it starts again
	await sleep(1000);
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await next(n, /on air/);
	await sluice.onair('a001');
	assert.equal(air().length, n + 1, air().join('; '));
	const { pid: third } = sluice.worker('stream', 'a001');
	n = air().length;
	process.kill(third, 'SIGSTOP');
	await next(n, /off air: no status for \d+ s/);
	// it resumes, or has ended and a successor comes
	try {
		process.kill(third, 'SIGCONT');
	} catch (error) {
		assert.equal(error.code, 'ESRCH');
	}
	await next(n + 1, /on air/);
	await sluice.stop();
});

test('quarantine is an alarm of the stream and of the system status',
	async (t) => {
	const sluice = await Sluice.start(t, one());
	const told = await sluice.events(t, '&scope=alarm');
	let last = 0;

	for (let i = 0; i < 5; i++) {
		const { pid } = await sluice.replaced('stream', 'a001', last,
			60000);

		process.kill(pid, 'SIGKILL');
		last = pid;
	}
	const quarantined = new RegExp('^stream a001: 5 failures in a row, ' +
		'the last: .*; one start a minute; a change or ' +
		'restart-stream starts it at once$');

	await states(sluice, 'quarantine', (list) =>
		list.some((text) => quarantined.test(text)));
	// its last report counts for a second
	const status = await sluice.waitStatus('a001', 'the reason', (s) =>
		s.worker.alarm !== undefined &&
		s.inputs[0].error === s.worker.alarm);

	assert.equal(status.worker.state, 'quarantine');
	assert.ok(status.alarms.includes('worker'));
	const shown = await new Ctl(t, `http://127.0.0.1:${sluice.port}`)
		.out(['stream', 'show', 'a001']);

	assert.equal(shown.split(status.worker.alarm).length, 2, shown);
	assert.match(shown, /^process quarantine, \d+ restarts$/m);
	assert.match(shown, /^alarms of the process worker$/m);
	assert.doesNotMatch(shown, /of the output .*worker/);
	await event(told, 'worker', true);
	assert.ok(told.scope('alarm').every((m) => m.alarm !== 'worker' ||
		m.raised), 'it never ran for five seconds');
	await waitUntil('its event', () => told.scope('alarm').some((m) =>
		m.alarm === 'worker' && quarantined.test(
			`stream a001: ${m.reason}`)));
	await sluice.cmd('restart-stream', { id: 'a001' });
	await states(sluice, 'nothing', (list) =>
		!list.some((text) => quarantined.test(text)));
	await event(told, 'worker', false);
	await sluice.stop();
});

test('a process that serves all streams raises the alarm worker too',
	async (t) => {
	const document = one();

	document.make_stream[0].output.push('http://127.0.0.1:8100/one');
	const sluice = await Sluice.start(t, document);
	await waitUntil('deliver', () => sluice.worker('deliver'));
	const told = await sluice.events(t, '&scope=alarm');

	const up = await kill(sluice, ['deliver'], told, async () => {
		const list = await alarmsOf(sluice);
		const { alarms } = await sluice.json('/api/overview');

		return list.some((text) =>
			/^deliver worker: .*signal 9/.test(text)) &&
			alarms.some(({ alarm, subject, since }) => since > 0 &&
				alarm === 'worker' && subject === 'deliver');
	});

	assert.equal(up.channel_id, undefined);
	assert.equal(up.subject, 'deliver');
	assert.match(up.reason, /^deliver worker: .*signal 9/);
	await sluice.logged(/alarm worker: deliver worker: .*signal 9/);
	assert.equal((await event(told, 'worker', false)).subject, 'deliver');
	await sluice.logged(/alarm worker \(deliver\) cleared/);
	await states(sluice, 'nothing', (list) => list.length === 0);
	await sluice.stop();
});

test('a stream that is off air always has a reason', async (t) => {
	const sluice = await Sluice.start(t, one());
	const reason = async () => {
		const { onair, inputs } = await sluice.status('a001');

		assert.equal(onair, false);
		assert.ok(inputs[0].error, JSON.stringify(inputs[0]));
		return inputs[0].error;
	};

	// from the first second until it has no packets for long enough
	await waitUntil('no packets', async () =>
		await reason() === 'no packets', 20000);
	const { pid } = sluice.worker('stream', 'a001');

	process.kill(pid, 'SIGSTOP');
	await waitUntil('its silence', async () =>
		/^no status for \d+ s$/.test(await reason()), 20000);
	await waitUntil('its end', async () =>
		/signal|starting/.test(await reason()), 60000);
	await sluice.stop();
});
