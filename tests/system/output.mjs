// SPDX-License-Identifier: GPL-3.0-or-later
// output: UDP is paced, however unevenly the input arrives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { DATAGRAM, Recorder, Sender, joined, within }
	from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

// The published histogram is that of the recording: one gap for each datagram
// but the first; gaps of half a millisecond and more, which the network to the
// recorder does not change, are equal.
function assertGaps(bins, list) {
	const count = (from) => bins.filter((bin) =>
		(bin.below_us ?? Infinity) > from)
		.reduce((sum, bin) => sum + bin.count, 0);
	const seen = list.filter(({ ns }, i) =>
		i > 0 && ns - list[i - 1].ns >= 500000n).length;

	assert.equal(count(0), list.length - 1);
	assert.ok(seen > 100 && Math.abs(count(500) - seen) <= seen * 0.1,
		`${count(500)} reported, ${seen} seen`);
}

test('an output sends at most 10 ms of a stream in one burst', async (t) => {
	const timing = new Timing(t);
	const rates = [1.5e6, 8e6, 20e6];
	// the last one is another output of the second stream
	const outs = [...rates.map((rate, i) => ({ i, rate, burstMs: 10 })),
		{ i: 1, rate: rates[1], burstMs: 2 }];
	const recorder = await Recorder.start(t,
		...outs.map((_, k) => ({ port: 6000 + k })));
	const sluice = await Sluice.start(t, config(...rates.map((_, i) =>
		stream(`a00${i}`, `udp://127.0.0.1:${5000 + i}`,
			[`udp://127.0.0.1:${6000 + i}`, ...i === 1 ?
				['udp://127.0.0.1:6003#burst=2'] : []]))));
	const senders = [];

	for (const [i, rate] of rates.entries()) {
		await waitUntil('input', () => udpBound(5000 + i));
		// a network after a stall delivers 40 ms at a time
		senders.push(await Sender.start(t, new TsMux({ rate }),
			5000 + i, { everyMs: 40 }));
	}
	await waitUntil('five seconds', () => senders[0].mux.seconds > 5);
	await recorder.all(...senders);
	const lists = await recorder.stop();
	timing.stop();
	// they are reported once a second
	for (const i of rates.keys())
		await waitUntil('the gaps', async () => {
			const { output } = await sluice.json(
				`/api/stream-analysis/a00${i}`);
			assertGaps(output.outputs[0].gaps, lists[i]);
			return true;
		});
	lists.forEach((list, k) => {
		const { i, rate, burstMs } = outs[k];
		const seen = checkTs(joined(list));
		// until the rate is known there is nothing to pace by
		const later = list.filter(({ ns }) =>
			ns - list[0].ns > 1000000000n);
		const windowMs = 1;
		const bursts = within(later, rate, windowMs);
		const one = DATAGRAM * 8 / rate * 1000;
		const most = bursts[Math.floor(bursts.length * 0.995)];
		// A window of 1 ms may hold a full bucket (of 10 ms), the data
		// that flows into it during that millisecond (110 %, and a
		// percent more per waiting millisecond, of which there are 40),
		// and the datagram that uses the last of it. The limit has 2 %
		// of tolerance, for a rate that has to be measured.
		const bound = (burstMs + windowMs * 1.5) * 1.02 + one;
		timing.assert(most <= bound,
			`${most.toFixed(1)} ms at once at ${rate} bit/s, ` +
			`more than ${bound.toFixed(1)}`);
		// a sender that waits for a processor between two sends may
		// send twice
		timing.assert(bursts.at(-1) <= 30 + one,
			`${bursts.at(-1).toFixed(1)} ms at once, once`);
		// a socket's buffer holds the data of a tenth of a second
		timing.assert(seen.ccErrors === 0,
			`${seen.ccErrors} errors of continuity`);
		timing.assert(list.length === senders[i].sent,
			`${senders[i].sent - list.length} did not come`);
	});
	await sluice.stop();
});

test('RTP continues with the numbers of the previous worker', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'rtp://127.0.0.1:6000')));
	const played = async (sender) => {
		const until = sender.mux.seconds + 1;
		await waitUntil('a second', () => sender.mux.seconds > until);
	};

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);
	await played(sender);
	const first = sluice.worker('stream', 'a001').pid;
	process.kill(first, 'SIGKILL');
	const second = await sluice.replaced('stream', 'a001', first);
	await sluice.onair('a001');
	await played(sender);
	await sluice.cmd('restart-stream', { id: 'a001' });
	await sluice.replaced('stream', 'a001', second.pid);
	await sluice.onair('a001');
	await played(sender);
	sender.stop();
	await recorder.quiet();
	const [list] = await recorder.stop();
	timing.stop();
	const status = await sluice.status('a001');
	await sluice.stop();
	let lost = 0;
	const steps = list.slice(1).map(({ ns, data }, i) => {
		const before = list[i];
		assert.equal(data.readUInt32BE(8), before.data.readUInt32BE(8));
		const on = data.readUInt16BE(2) - before.data.readUInt16BE(2) &
			0xffff;
		assert.ok(on >= 1 && on < 100, `sequence on by ${on}`);
		lost += on - 1;
		return { ticks: data.readUInt32BE(4) -
			before.data.readUInt32BE(4) >>> 0,
		passed: Number(ns - before.ns) / 1e9 * 90000 };
	});
	// the time of data that did not reach the input has passed, too
	timing.unlessHeldUp(sluice.log, [status], () => {
		for (const { ticks, passed } of steps)
			assert.ok(ticks <= passed + 45000,
				`${ticks} in ${passed}`);
	});
	// the datagrams that the killed worker was about to send
	assert.ok(lost < 50, `${lost} numbers that were never sent`);
});

test('RTP: sequence, payload type, one source, the clock of the stream',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'rtp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);
	await waitUntil('four seconds', () => sender.mux.seconds > 4);
	const { log } = sluice;
	sender.stop();
	await recorder.quiet();
	const [list] = await recorder.stop();
	timing.stop();
	const status = await sluice.status('a001');
	await sluice.stop();
	const heads = list.map(({ data }) => ({ first: data[0],
		type: data[1] & 127, marker: data[1] & 128,
		sequence: data.readUInt16BE(2),
		time: data.readUInt32BE(4), source: data.readUInt32BE(8) }));
	const payload = Buffer.concat(list.map(({ data }) =>
		data.subarray(12)));

	heads.forEach((head, i) => {
		assert.equal(head.first, 0x80);
		assert.equal(head.type, 33);
		assert.equal(head.source, heads[0].source);
		assert.equal(head.sequence,
			heads[0].sequence + i & 0xffff);
		if (i > 0)
			assert.ok((head.time - heads[i - 1].time >>> 0) <
				90000, 'time continues');
	});
	const seen = checkTs(payload);
	assert.equal(seen.syncErrors + seen.tail, 0);
	// the time stamps are those of the places, whenever it left; in the
	// burst behind a stall none is later than the packet
	const begin = heads.findIndex((head, i) => i * 7 * 188 * 8 > 5e6);
	const stalled = list.some(({ ns }, i) => i > 0 &&
		ns - list[i - 1].ns > 30e6);
	timing.unlessHeldUp(log, [status], () => {
		assert.equal(seen.ccErrors, 0);
		heads.slice(begin).forEach((head, i) => {
			const due = i * 7 * 188 * 8 / 2e6 * 90000;
			const clock = head.time - heads[begin].time >>> 0;
			assert.ok(Math.abs(clock - due) <= 3,
				`${clock}, not ${due}`);
		});
	}, stalled);
	assert.ok(heads.every(({ marker }) => !marker));
});

test('an output that cannot be opened does not delay the others', async (t) => {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			['udp://nowhere0@239.9.9.9:6001',
				'udp://[ff02::9]:6001',
				'udp://127.0.0.1:6000'])));

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	await sluice.logged(/output 1: interface nowhere0: not found/);
	await sluice.logged(/output 2: .* link-local address; name its inter/);
	sender.stop();
	await recorder.quiet();
	const [list] = await recorder.stop();
	assert.equal(checkTs(joined(list)).ccErrors, 0);
	assert.ok(list.length > 0.9 * sender.sent);
	await sluice.stop();
});

test('pacing by the kernel without a queue is reported, and the output sends',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'udp://lo@127.0.0.1:6000#pacing=kernel'),
		stream('a002', 'udp://127.0.0.1:5001',
			'udp://127.0.0.1:6001#pacing=auto')));
	const senders = [];

	for (const port of [5000, 5001]) {
		await waitUntil('input', () => udpBound(port));
		senders.push(await Sender.start(t, new TsMux(), port));
	}
	await sluice.logged(/a001.*pacing=kernel: interface lo has no fq/);
	await sluice.onair('a001');
	const { log } = sluice;
	await recorder.all(...senders);
	const lists = await recorder.stop();
	timing.stop();
	const statuses = await Promise.all(['a001', 'a002'].map((id) =>
		sluice.status(id)));
	timing.unlessHeldUp(log, statuses, () => lists.forEach((list, i) =>
		assert.equal(joined(list).compare(new TsMux().take(
			senders[i].sent * 7)), 0)));
	assert.doesNotMatch(sluice.log, /a002.*pacing/);
	await sluice.stop();
});
