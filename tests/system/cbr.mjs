// SPDX-License-Identifier: GPL-3.0-or-later
// cbr=: an output of constant bitrate, whatever the source does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ctl } from '../helpers/ctl.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { judgeRate, payloads } from '../helpers/rate.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, within } from '../helpers/udp.mjs';
import { start, udpBound, waitUntil } from '../helpers/util.mjs';

const POOR = 'cbr_overflow';

// The status that an operator sees of the first once its rates have settled.
async function watch(t, sluice) {
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const near = ({ bitrate }, rate) => Math.abs(bitrate / rate - 1) < 0.01;

	await sluice.waitStatus('a001', 'constant rates', ({ outputs }) =>
		near(outputs[0], 8000) && near(outputs[1], 4000), 30000);
	return { show: await ctl.out(['stream', 'show', 'a001']),
		analysis: await ctl.out(['stream', 'analysis', 'a001']),
		poor: await ctl.out(['stream', 'analysis', 'a002']) };
}

/*
 * Two streams at once, each with constant rates and unchanged: the source of
 * one has few pictures, 1 to 6 Mbit/s; the source of the other exceeds the
 * constant rate and falls below it after a while.
 */
async function playBoth(t) {
	const timing = new Timing(t);
	const good = new TsMux({ rate: 6e6 }), poor = new TsMux({ rate: 3e6 });
	const recorder = await Recorder.start(t, ...[0, 1, 2, 3, 4].map(
		(i) => ({ port: 6000 + i })));
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			['udp://127.0.0.1:6000#cbr=8000',
				'udp://127.0.0.1:6001#cbr=4000',
				'udp://127.0.0.1:6002']),
		stream('a002', 'udp://127.0.0.1:5001',
			['udp://127.0.0.1:6003#cbr=2000',
				'udp://127.0.0.1:6004'])));

	good.isFull = (s) => s % 0.2 < 0.02 + s % 1 * 0.1;
	await waitUntil('inputs', () => udpBound(5000) && udpBound(5001));
	const senders = [await Sender.start(t, good, 5000),
		await Sender.start(t, poor, 5001)];
	await Promise.all([sluice.onair('a001'), sluice.onair('a002')]);
	const { length } = sluice.log;
	const alarmed = await sluice.waitStatus('a002', 'alarm',
		(s) => s.alarms.includes(POOR));
	const at = poor.seconds;
	await waitUntil('more', () => poor.seconds > at + 1);
	poor.isFull = (s) => s % 0.1 < 0.02;
	await sluice.waitStatus('a002', 'no alarm',
		(s) => !s.alarms.includes(POOR), 90000);
	const seen = await watch(t, sluice);
	timing.stop();
	const meanwhile = sluice.log.slice(length);
	senders.forEach((sender) => sender.stop());
	// a constant rate outlasts its source by two seconds
	await recorder.quiet(1000);
	// as of a second that began behind the last packet
	const { timestamp } = await sluice.status('a002');
	const statuses = [];
	for (const id of ['a001', 'a002'])
		statuses.push(await sluice.waitStatus(id, 'the last second',
			(s) => s.timestamp > timestamp + 1));
	const lists = await recorder.stop();
	await sluice.stop();
	return { lists, alarmed, statuses, seen, timing, meanwhile,
		log: sluice.log };
}

let played;

// Both, once for all tests; undefined where the machine held them up.
async function play(t) {
	const scene = await (played ??= playBoth(t));

	scene.timing.t = t;
	return scene.timing.heldUp(scene.meanwhile, ...scene.statuses) ?
		undefined : scene;
}

// Properties of any output of constant rate, under any load of the machine.
function assertConstant(list, rate, timing) {
	const seen = judgeRate(list, PROGRAM.video, rate);

	assert.deepEqual([...seen.datagrams], [7 * 188]);
	assert.equal(seen.ts.syncErrors, 0);
	assert.ok(seen.wrongNs <= 500, `a PCR ${seen.wrongNs} ns off`);
	assert.ok(seen.gapMs <= 40, `${seen.gapMs} ms without a PCR`);
	assert.ok(seen.rateOff <= 0.001, `${seen.rateOff} of the rate off`);
	// a source that stood still has another time base
	timing.assert(seen.jumps === 0, `${seen.jumps} other time bases`);
	// most of the seconds, by arrival, to the datagram
	const middle = seen.arrivalOff[seen.arrivalOff.length >> 1];
	timing.assert(middle <= 0.001 + 7 * 188 * 8 / rate,
		`${middle} of the rate off by arrival`);
	return seen;
}

test('a source of varying rate is sent at two constant rates without loss',
	async (t) => {
	const scene = await play(t);
	if (!scene)
		return;
	const { lists, statuses, timing } = scene;
	const [wide, narrow] = [8e6, 4e6].map((rate, i) =>
		assertConstant(lists[i], rate, timing));

	assert.equal(wide.ts.ccErrors + narrow.ts.ccErrors, 0);
	assert.ok(wide.nulls > 0 && narrow.nulls > 0);
	assert.deepEqual(lists.slice(0, 2).map(payloads),
		[payloads(lists[2]), payloads(lists[2])], 'all came');
	assert.ok(!statuses[0].alarms.includes(POOR));
	// one release is 10 ms of the rate and a datagram, unless the machine
	// wakes us too rarely for that
	const bursts = within(lists[0], 8e6, 1);
	const usual = bursts[bursts.length >> 1];
	assert.ok(usual <= 10 * 1.02 + 2.7, `${usual} ms at once`);
});

test('packets that do not fit are counted and raise an alarm', async (t) => {
	const scene = await play(t);
	if (!scene)
		return;
	const { lists, alarmed, statuses, log } = scene;
	const lines = log.split('\n')
		.filter((l) => /cbr=2000: overflow/.test(l));
	const told = lines.filter((l) => /overflow ended/.test(l))
		.reduce((sum, l) => sum + Number(l.match(/(\d+) packets/)[1]),
			0);
	const [fitted, all] = lists.slice(3).map(payloads);
	const seen = judgeRate(lists[3], PROGRAM.video, 2e6);

	assert.ok(alarmed.onair);
	assert.match(alarmed.outputs[0].error, /^cbr=2000: overflow/);
	assert.ok(!alarmed.outputs[1].error && !statuses[1].outputs[0].error);
	assert.equal(statuses[1].outputs[0].fault, undefined);
	// each end of each time, whatever it lasts
	assert.ok(lines.every((l, i) => /ended/.test(l) === i % 2 > 0),
		lines.join('\n'));
	assert.ok(told > 0);
	assert.equal(told, all - fitted, 'the reported loss is the loss');
	const [{ dropped, stats }] = statuses[1].outputs;
	assert.equal(stats.cbr_overflow, told);
	assert.ok(dropped >= told, `${dropped} of ${told} packets`);
	assert.ok(seen.wrongNs <= 500 && seen.gapMs <= 40);
	assert.ok(seen.rateOff <= 0.001);
});

test('each output reports its rate, with its null packets', async (t) => {
	const scene = await play(t);
	if (!scene)
		return;
	const { show, analysis, poor } = scene.seen;

	assert.match(show, /^output 1 .*#cbr=8000 {2}(8\.\d|7\.9) Mbit\/s$/m);
	assert.match(show, /^output 2 .*#cbr=4000 {2}(4\.\d|3\.9) Mbit\/s$/m);
	assert.match(analysis, new RegExp('^output: the packets of input 1; ' +
		'cbr replaces null packets and PCRs$', 'm'));
	assert.match(analysis, new RegExp('^output 2 sends .* Mbit/s, ' +
		'constant \\(cbr=4000\\)$', 'm'));
	assert.match(analysis, /^output 3 sends [\d.]+ [KMk]bit\/s$/m);
	// what exceeded the rate is told, also afterwards
	assert.match(poor, new RegExp('^output 1 sends .*\\(cbr=2000\\): ' +
		'\\d+ packets exceeded that rate and were dropped$', 'm'));
	assert.match(poor, /^output: the .*\n {2}cbr_overflow cleared, \d+ /m);
});

test('a change of the source changes no rate and no clock, of UDP and SRT',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });
	const sluice = await Sluice.start(t, config(stream('a001',
		['udp://127.0.0.1:5000', 'udp://127.0.0.1:5001'],
		['udp://127.0.0.1:6000#cbr=4000',
			'srt://127.0.0.1:9000#mode=listener&cbr=4000'],
		{ backup_type: 'passive' })));

	await waitUntil('inputs', () => udpBound(5000));
	start(t, 'srt-live-transmit', ['-q', 'srt://127.0.0.1:9000',
		'udp://127.0.0.1:6001']);
	await sluice.waitStatus('a001', 'a receiver',
		(s) => s.outputs[1].stats?.peers === 1);
	const first = await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await sluice.onair('a001');
	const { length } = sluice.log;
	await waitUntil('two seconds', () => first.mux.seconds > 2);
	const second = await Sender.start(t, new TsMux({ rate: 3e6 }), 5001);
	await sluice.cmd('set-stream-input', { id: 'a001', input: 2 });
	await sluice.waitStatus('a001', 'the second',
		(s) => s.inputs[1].active);
	const from = second.mux.seconds;
	await waitUntil('two more', () =>
		second.mux.seconds > from + 2);
	timing.stop();
	const log = sluice.log.slice(length);
	first.stop();
	second.stop();
	const lists = await recorder.stop();
	const status = await sluice.status('a001');
	await sluice.stop();
	if (timing.heldUp(log, status))
		return;
	for (const list of lists)
		assert.equal(assertConstant(list, 4e6, timing).ts.ccErrors, 0);
});
