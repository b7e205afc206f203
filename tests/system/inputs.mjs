// SPDX-License-Identifier: GPL-3.0-or-later
// inputs: every form of a stream is accepted, and sent packet for packet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { ip, isJoined, pair } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const OUTPUT = 'udp://127.0.0.1:6000';

// Plays a multiplex into one input until it is on air and longer; the output
// must be the end of the data sent, except the first few packets that
// synchronisation may use.
async function passes(t, input, options = {}, { lost = 14, port = 5000,
	group = undefined, iface = undefined, check = async () => {} } = {}) {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t,
		config(stream('a001', input, OUTPUT)));
	const mux = new TsMux();

	await waitUntil('input', () => udpBound(port) && (!group ||
		isJoined(group, iface)));
	const sender = await Sender.start(t, mux, port, options);
	await sluice.waitStatus('a001', 'picture and sound', (s) => s.onair &&
		s.video_count === 1 && s.audio_count === 1);
	await waitUntil('three seconds', () => mux.seconds > 3);
	await check(sluice, sender);
	timing.stop();
	const { log } = sluice;
	await recorder.all(sender);
	const output = joined((await recorder.stop())[0]);
	const sent = new TsMux().take(mux.packets);
	const missing = (sent.length - output.length) / 188;
	if (missing > lost && timing.heldUp(log, await sluice.status('a001'))) {
		await sluice.stop();
		return;
	}
	assert.ok(missing >= 0 && missing <= lost, `${missing} packets lost`);
	// packets are missing only at the ends
	const first = sent.indexOf(output.subarray(0, 188));
	assert.ok(first >= 0 && first % 188 === 0);
	assert.equal(output.compare(sent.subarray(first,
		first + output.length)), 0);
	await sluice.stop();
}

test('unicast', (t) => passes(t, 'udp://127.0.0.1:5000'));

test('any address, the default port', (t) =>
	passes(t, 'udp://0.0.0.0', {}, { port: 1234 }));

test('IPv6', (t) => passes(t, 'udp://[::1]:5000', { address: '::1' }));

test('IPv6 multicast by interface name', async (t) => {
	await pair(t, 'wa', 'wb');
	await ip('addr', 'add', 'fd00:9::1/64', 'dev', 'wa', 'nodad');
	await passes(t, 'udp://wa@[ff15::77]:5000',
		{ address: 'ff15::77', iface: '::%wa', from: 'fd00:9::1' },
		{ group: 'ff15::77', iface: 'wa' });
});

test('multicast by interface name', (t) => passes(t,
	'udp://lo@239.1.0.1:5000', { address: '239.1.0.1' },
	{ group: '239.1.0.1', iface: 'lo' }));

test('a receive buffer of its own, and unknown options', (t) => passes(t,
	'udp://127.0.0.1:5000#socket_size=1000000&colour=blue', {},
	{ check: async (sluice) => {
		const about = sluice.log.split('\n').filter(
			(line) => line.includes('colour'));
		assert.equal(about.length, 1, sluice.log);
		const info = await sluice.json('/api/stream-info/a001');
		assert.ok(info.input[0].endsWith('&colour=blue'));
	} }));

test('garbage before the first sync byte', (t) => {
	let first = true;

	// bytes that look like sync bytes, too
	const junk = Buffer.alloc(333, 0x47).fill(0x11, 40, 290);
	return passes(t, 'udp://127.0.0.1:5000', { shape: (packets) => {
		const list = first ? [junk, packets] : [packets];
		first = false;
		return list;
	} });
});

test('garbage in front of every datagram', (t) => passes(t,
	'udp://127.0.0.1:5000', { shape: (packets) =>
		[Buffer.concat([Buffer.alloc(9, 0x22), packets])] }));

test('packets of 204 bytes', (t) => passes(t, 'udp://127.0.0.1:5000',
	{ shape: (packets) => {
		const parts = [];
		for (let at = 0; at < packets.length; at += 188)
			parts.push(packets.subarray(at, at + 188),
				Buffer.alloc(16, 0x47));
		return [Buffer.concat(parts)];
	} }, { lost: 28 }));

test('packets split over datagrams of any size', (t) => {
	let rest = Buffer.alloc(0), turn = 0;

	return passes(t, 'udp://127.0.0.1:5000', { shape: (packets) => {
		const sizes = [1000, 77, 1400, 188, 513];
		const list = [];

		rest = Buffer.concat([rest, packets]);
		for (;;) {
			const size = sizes[turn % sizes.length];
			if (rest.length < size)
				return list;
			list.push(rest.subarray(0, size));
			rest = rest.subarray(size);
			turn++;
		}
	} }, { lost: 22 });
});

// RTP with everything a header may carry.
function rtp(sequence, packets, { extension = false, padding = 0 } = {}) {
	const head = Buffer.alloc(12 + 8);

	head[0] = 0x82 | (extension ? 0x10 : 0) | (padding ? 0x20 : 0);
	head[1] = 33;
	head.writeUInt16BE(sequence & 0xffff, 2);
	head.writeUInt32BE(0xcafe, 8);
	const parts = [head];
	if (extension)
		parts.push(Buffer.from([0xbe, 0xde, 0, 1, 1, 2, 3, 4]));
	parts.push(packets);
	if (padding)
		parts.push(Buffer.alloc(padding - 1), Buffer.from([padding]));
	return Buffer.concat(parts);
}

test('RTP with contributors, extension and padding', (t) => {
	let sequence = 65400;

	return passes(t, 'rtp://127.0.0.1:5000', { shape: (packets) => {
		const n = sequence++;
		return [rtp(n, packets, { extension: n % 2 === 0,
			padding: n % 3 === 0 ? 4 : 0 })];
	} });
});

test('gaps in RTP are counted as continuity errors, once each', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'rtp://127.0.0.1:5000', OUTPUT)));
	let sequence = 0, missing = 0;

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000, { shape: (packets) => {
		if (++sequence % 50 === 0) {
			missing++;
			return [];
		}
		return [rtp(sequence, packets)];
	} });
	const status = await sluice.waitStatus('a001', 'gaps',
		(s) => s.cc_error > 0);
	assert.ok(status.onair);
	assert.ok(missing > 0);
	await sluice.stop();
});

test('the same group on two interfaces is two streams', async (t) => {
	await pair(t, 'va', 'vb');
	await ip('addr', 'add', '10.9.1.1/24', 'dev', 'va');
	await ip('addr', 'add', '10.9.2.1/24', 'dev', 'vb');
	const recorder = await Recorder.start(t,
		{ port: 6000 }, { port: 6001 },
		{ address: '239.9.9.9', port: 6002, iface: 'va' });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://va@239.1.0.1:5000',
			['udp://127.0.0.1:6000', 'udp://va@239.9.9.9:6002']),
		stream('a002', 'udp://vb@239.1.0.1:5000',
			'udp://127.0.0.1:6001')));
	const other = { pnr: 9, pmtPid: 0x190, video: 0x191, audio: 0x192 };
	const muxes = [new TsMux(), new TsMux({ programs: [other] })];

	await waitUntil('inputs', () => ['va', 'vb'].every((name) =>
		isJoined('239.1.0.1', name)));
	const senders = [
		await Sender.start(t, muxes[0], 5000,
			{ address: '239.1.0.1', iface: '10.9.1.1' }),
		await Sender.start(t, muxes[1], 5000,
			{ address: '239.1.0.1', iface: '10.9.2.1' })];
	await sluice.onair('a001');
	await sluice.onair('a002');
	await recorder.all(...senders);
	const outputs = (await recorder.stop()).map(joined);
	outputs.forEach((output, i) => {
		const programs = i === 1 ? [other] : undefined;
		const sent = new TsMux({ programs })
			.take(muxes[i === 1 ? 1 : 0].packets);
		assert.ok(output.length > 0.5 * sent.length);
		assert.equal(output.compare(sent.subarray(
			sent.length - output.length)), 0, `output ${i}`);
	});
	await sluice.stop();
});

test('source-specific multicast receives only its source', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://lo@232.1.0.1:5000#src=127.0.0.2',
			OUTPUT)));
	const wrong = { pnr: 9, pmtPid: 0x190, video: 0x191 };
	const to = { address: '232.1.0.1', iface: '127.0.0.1' };

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ programs: [wrong] }), 5000,
		{ ...to, from: '127.0.0.3' });
	await Sender.start(t, new TsMux(), 5000, { ...to, from: '127.0.0.2' });
	await sluice.waitStatus('a001', 'steady rate', (s) =>
		s.audio_count === 1 && s.cc_error === 0 &&
		s.bitrate > 1900 && s.bitrate < 2100);
	await sluice.stop();
});

test('a group is joined again at the interval of renew', async (t) => {
	const timing = new Timing(t);
	const make = async () => {
		await pair(undefined, 'vc', 'vd');
		await ip('addr', 'add', '10.9.3.1/24', 'dev', 'vc');
	};
	const to = { address: '239.1.0.1', iface: '10.9.3.1' };

	await make();
	t.after(() => ip('link', 'del', 'vc'));
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://vc@239.1.0.1:5000#renew=1', OUTPUT)));
	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000, to);
	await sluice.onair('a001');
	// renewing loses no packet
	const begin = sender.mux.seconds;
	await waitUntil('three renewals', () =>
		sender.mux.seconds - begin > 3.2);
	const minute = await sluice.json('/api/stream-status/a001');
	if (minute.cc_error !== 0)
		assert.ok(timing.heldUp(sluice.log,
			await sluice.status('a001')), 'packets were lost');
	// the interface is another one of the same name: the membership is lost
	sender.stop();
	await ip('link', 'del', 'vc');
	await sluice.waitStatus('a001', 'silence', (s) => !s.onair);
	await make();
	await Sender.start(t, new TsMux(), 5000, to);
	await timing.within(5000, sluice.onair('a001'));
	await sluice.stop();
});
