// SPDX-License-Identifier: GPL-3.0-or-later
// alarms: each fault of a stream raises its alarm, for as long as it lasts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sender } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const raised = (status) => status.inputs[0].alarms;
// where a sender gets no core for a while
const LATE = ['pat', 'pmt', 'pcr_repetition'];

test('a valid stream raises no alarm; packet loss raises one until it ends',
	async (t) => {
	const timing = new Timing(t);
	const ours = (alarms) => alarms.filter((alarm) =>
		!(LATE.includes(alarm) && timing.busy()));
	let lose = false, datagrams = 0;
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	const told = await sluice.events(t, '&scope=alarm');
	const others = await sluice.events(t);

	await Sender.start(t, new TsMux(), 5000, {
		shape: (packets) => lose && ++datagrams % 50 === 0 ? [] :
			[packets] });

	await sluice.onair('a001');
	// the alarms from before the first whole second expire
	await sluice.waitStatus('a001', 'no alarm', (s) =>
		ours(raised(s)).length === 0, 90000);
	lose = true;
	await sluice.waitStatus('a001', 'continuity', (s) =>
		raised(s).includes('continuity'));
	// the alarm of a moment without a sender clears soon
	await sluice.waitStatus('a001', 'continuity alone', (s) =>
		ours(s.alarms).join() === 'continuity', 90000);
	await waitUntil('the same', async () => {
		const { status: check } = await sluice.cmd('check-stream',
			{ id: 'a001', status: true });
		assert.deepEqual(ours(check.alarms), ['continuity']);
		assert.deepEqual(ours(check.input[0].alarms), ['continuity']);
		return true;
	}, 90000);
	lose = false;
	await sluice.waitStatus('a001', 'no alarm', (s) =>
		ours(raised(s)).length === 0, 90000);
	await sluice.logged(/input 1: alarms: .*continuity/);

	// alarms of the input and of the output, for clients that requested
	// them
	for (const place of [1, 'output']) {
		const of = (m) => m.scope === 'alarm' && m.place === place &&
			m.alarm === 'continuity';
		const up = await told.wait('raised', (m) => of(m) && m.raised);
		const down = await told.wait('cleared', (m) => of(m) &&
			!m.raised);
		assert.equal(up.channel_id, 'a001');
		assert.equal(up.priority, 1);
		assert.ok(up.count > 0 && down.count >= up.count);
		assert.ok(down.time >= up.time + 4);
	}
	const { inputs: [input], output } =
		await sluice.json('/api/stream-analysis/a001');
	for (const { indicators } of [input, output]) {
		const found = indicators.find((i) => i.alarm === 'continuity');
		assert.equal(found.raised, false);
		assert.ok(found.count > 0 && found.last < found.since);
	}
	assert.deepEqual(others.messages.filter((m) => m.scope === 'alarm'),
		[]);
	await sluice.stop();
});

test('a silent input and two senders to one address raise alarms',
	async (t) => {
	const from = '127\\.0\\.0\\.1:\\d+';
	const names = new RegExp(`^two senders: ${from} and ${from}$`);
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	const first = await Sender.start(t, new TsMux(), 5000);

	await sluice.onair('a001');
	const second = await Sender.start(t, new TsMux(), 5000);

	await sluice.waitStatus('a001', 'two senders', (s) =>
		raised(s).includes('two_senders') &&
		raised(s).includes('continuity') &&
		names.test(s.inputs[0].error));
	await sluice.logged(/two_senders \(two senders: 127\.0\.0\.1:/);
	first.stop();
	second.stop();
	await sluice.waitStatus('a001', 'silence', (s) =>
		raised(s).includes('sync_loss'));
	await sluice.stop();
});

// Each datagram is sent alone: the sender chooses its counters.
const asRtp = () => {
	let n = 0;

	return (packets) => {
		const head = Buffer.alloc(12);

		head.writeUInt16BE(0x8021);
		head.writeUInt16BE(n++ & 0xffff, 2);
		head.writeUInt32BE(n * 470 >>> 0, 4);
		return [Buffer.concat([head, packets])];
	};
};

test('two senders to one of two paths raise an alarm that names the path',
	async (t) => {
	const two = 'two senders: [\\d.]+:\\d+ and [\\d.]+:\\d+';
	const sluice = await Sluice.start(t, config(
		stream('a001',
			'rtp://127.0.0.1:5000#merge=rtp://127.0.0.1:5010', []),
		stream('a002',
			'udp://127.0.0.1:5020#merge=udp://127.0.0.1:5030',
			[])));
	const send = (port, options) =>
		Sender.start(t, new TsMux(), port, options);
	const told = (id, ...paths) => {
		const what = paths.map((n) => `path ${n}: ${two}`).join('; ');

		return sluice.waitStatus(id, what, (s) =>
			raised(s).includes('two_senders') &&
			new RegExp(`^${what}$`).test(s.inputs[0].error), 30000);
	};

	await waitUntil('inputs', () => [5000, 5010, 5020, 5030]
		.every(udpBound));
	for (const port of [5000, 5010, 5010])
		await send(port, { shape: asRtp() });
	for (const port of [5020, 5030, 5030])
		await send(port);
	for (const id of ['a001', 'a002']) {
		await told(id, 2);
		await sluice.logged(new RegExp(
			`${id}: .*two_senders .*path 2: ${two}`));
	}
	// the log has it once: with the path that was first
	await send(5020);
	await told('a002', 1, 2);
	await sluice.stop();
});

const SIZE = 188;
const pidOf = (p) => p.readUInt16BE(1) & 0x1fff;
const packetsOf = (data) => Array.from({ length: data.length / SIZE }, (_, i) =>
	data.subarray(i * SIZE, (i + 1) * SIZE));

// Each gets the packets of a datagram and returns those to send.
const wrongs = {
	no_video: () => (p) => pidOf(p) !== PROGRAM.video,
	no_audio: () => (p) => pidOf(p) !== PROGRAM.audio,
	pcr_frozen: () => {
		let first;

		return (p) => {
			if (p[3] & 0x20 && p[4] >= 7 && p[5] & 0x10) {
				first ??= Buffer.from(p.subarray(6, 12));
				first.copy(p, 6);
			}
			return true;
		};
	},
	pts_frozen: () => {
		const first = new Map();

		return (p) => {
			const at = p[3] & 0x20 ? 5 + p[4] : 4;
			if (p[1] & 0x40 && pidOf(p) > PROGRAM.pmtPid) {
				const stamp = p.subarray(at + 9, at + 14);
				if (!first.has(pidOf(p)))
					first.set(pidOf(p), Buffer.from(stamp));
				first.get(pidOf(p)).copy(stamp);
			}
			return true;
		};
	},
	scrambled: (mux) => {
		mux.scrambled = true;
		return () => true;
	},
	transport: () => (p) => {
		p[1] |= pidOf(p) === PROGRAM.video ? 0x80 : 0;
		return true;
	},
	crc: (mux) => {
		mux.breakCrc = true;
		return () => true;
	},
	pmt: () => (p) => pidOf(p) !== PROGRAM.pmtPid,
};

test('a sender of the wrong stream raises an alarm that names the fault',
	async (t) => {
	const names = Object.keys(wrongs);
	const sluice = await Sluice.start(t, config(...names.map((name, i) =>
		stream(name, `udp://127.0.0.1:${5000 + i}`,
			`udp://127.0.0.1:${6000 + i}`))));

	await Promise.all(names.map(async (name, i) => {
		const mux = new TsMux({ rate: 1e6 });
		let spoil = () => true;

		await waitUntil('input', () => udpBound(5000 + i));
		await Sender.start(t, mux, 5000 + i, { shape: (packets) => {
			const kept = packetsOf(packets).filter((p) => spoil(p));
			return kept.length ? [Buffer.concat(kept)] : [];
		} });
		await sluice.waitStatus(name, 'the stream', (s) => s.onair &&
			!raised(s).includes(name), 90000);
		spoil = wrongs[name](mux);
		await sluice.waitStatus(name, name, (s) =>
			raised(s).includes(name), 15000);
	}));
	await sluice.stop();
});
