// SPDX-License-Identifier: GPL-3.0-or-later
// rtp: network faults are repaired where possible, and counted once elsewhere.
// The kernel's own counter is the reference.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { test } from 'node:test';
import { makeClip } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Fault } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { start, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const OUTPUT = 'udp://127.0.0.1:6000';

// Datagrams as RTP has them.
class Rtp {
	constructor({ seq = 65400, ssrc = 0xcafe } = {}) {
		Object.assign(this, { seq, ssrc, time: 0 });
	}

	wrap(packets, { type = 33, csrcs = 0, words = -1, padding = 0 } = {}) {
		const head = Buffer.alloc(12 + 4 * csrcs +
			(words < 0 ? 0 : 4 + 4 * words), 0x47);

		head[0] = 0x80 | csrcs | (words < 0 ? 0 : 0x10) |
			(padding ? 0x20 : 0);
		head[1] = type;
		head.writeUInt16BE(this.seq++ & 0xffff, 2);
		head.writeUInt32BE(this.time += 500, 4);
		head.writeUInt32BE(this.ssrc, 8);
		if (words >= 0)
			head.writeUInt16BE(words, 14 + 4 * csrcs);
		return Buffer.concat([head, packets,
			Buffer.alloc(padding, padding)]);
	}
}

const stats = async (sluice, id = 'a001') => (await sluice.json(
	`/api/stream-inputs/${id}`)).inputs[0].stats ?? {};

// Waits until the input has reported that it received so many.
const received = (sluice, n) => waitUntil(`${n} datagrams`, async () => {
	const told = await stats(sluice);

	if (told.received !== n)
		throw new Error(JSON.stringify(told));
	return told;
});

test('datagrams that are reordered, duplicate and missing', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'rtp://127.0.0.1:5000#reorder=500', OUTPUT)));
	const rtp = new Rtp();
	const count = { sent: 0, twice: 0, swapped: 0, gone: 0 };
	const expected = [];
	let held;

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000,
		{ shape: (packets) => {
			const d = rtp.wrap(packets), n = count.sent++;

			if (n > 300 && !held) {
				// the packets that are held for a PCR are sent
				expected.push(packets);
				return [d];
			}
			if (n % 41 === 40) {
				count.gone++;
				return [];
			}
			expected.push(packets);
			if (n % 17 === 5 && n % 41 !== 39) {
				held = d;
				return [];
			}
			if (held) {
				const list = [d, held];
				held = undefined;
				count.swapped++;
				return list;
			}
			if (n % 29 === 3) {
				count.twice++;
				return [d, d];
			}
			return [d];
		} });
	await sluice.onair('a001');
	await waitUntil('enough', () => count.sent > 450);
	sender.stop();
	const told = await received(sluice,
		count.sent - count.gone);
	assert.equal(told.lost - told.recovered, count.gone);
	assert.equal(told.duplicates, count.twice);
	assert.equal(told.reordered, count.swapped);
	assert.equal(told.dropped, 0);
	await recorder.quiet(2000);
	const output = joined((await recorder.stop())[0]);
	const sent = Buffer.concat(expected);
	const status = await sluice.status('a001');
	timing.unlessHeldUp(sluice.log, [status], () => {
		assert.ok(output.length >= sent.length - 14 * 188,
			`${(sent.length - output.length) / 188} are missing`);
		assert.equal(output.compare(sent.subarray(sent.length -
			output.length)), 0, 'in order, each once');
	});
	await sluice.stop();
});

// All fields that may surround the payload, and all other datagrams on the
// ports: reports are ignored, on the port of the media, behind it and on those
// of FEC; a datagram that is no RTP is counted, and a sender that moves to
// another address is followed.
test('every form of RTP, among reports and garbage', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'rtp://127.0.0.1:5000#fec', OUTPUT)));
	const rtp = new Rtp();
	const forms = [{}, { csrcs: 3 }, { words: 0 }, { words: 5 },
		{ padding: 1 }, { padding: 200 }, { type: 0x80 | 33 },
		{ type: 96 }, { type: 127 },
		{ csrcs: 15, words: 20, padding: 4 }];
	const report = Buffer.alloc(28), other = new TsMux();
	const expected = [];
	// not immediately after a step: a single datagram there is ignored at
	// first
	const enough = 470;
	let sent = 0, invalid = 0;

	report[0] = 0x80;
	report[1] = 200;
	await waitUntil('input', () => udpBound(5000));
	const reporter = dgram.createSocket('udp4');

	t.after(() => reporter.close());
	const sender = await Sender.start(t, new TsMux(), 5000,
		{ shape: (packets) => {
			if (sent === enough)
				return [];

			const n = sent++;
			const extra = [];

			if (n % 10 === 1)
				extra.push(report);
			if (n % 10 === 2)
				for (let port = 5001; port < 5006; port++)
					reporter.send(report, port,
						'127.0.0.1');
			if (n % 20 === 3) {
				for (let len = 1; len < 12; len++)
					extra.push(Buffer.alloc(len, 0x80));
				for (const first of [0x00, 0x40, 0xc0])
					extra.push(Buffer.alloc(200, first));
				for (const type of [0, 32, 34, 95])
					extra.push(new Rtp().wrap(packets,
						{ type }));
				// another stream, without RTP
				extra.push(other.take(7));
				invalid += 11 + 3 + 4 + 1;
			}
			// not to where it was a moment ago
			if (n % 100 === 50)
				rtp.seq += n % 200 === 50 ? 30000 : 20000;
			expected.push(packets);
			return [rtp.wrap(packets, forms[n % forms.length]),
				...extra];
		} });
	await sluice.onair('a001');
	await waitUntil('enough', () => sent === enough);
	sender.stop();
	await received(sluice, sent);
	const told = await waitUntil('nonsense', async () => {
		const all = await stats(sluice);

		assert.equal(all.invalid, invalid);
		return all;
	});

	assert.equal(told.lost, 0);
	assert.equal(told.duplicates + told.dropped + told.reordered, 0);
	await recorder.quiet(1000);
	const output = joined((await recorder.stop())[0]);
	const all = Buffer.concat(expected);

	const status = await sluice.status('a001');

	timing.unlessHeldUp('', [status], () => {
		assert.ok(output.length >= all.length - 14 * 188);
		assert.equal(output.compare(all.subarray(all.length -
			output.length)), 0, 'in order, each once');
	});
	assert.equal(status.inputs[0].bad_sync ?? 0, 0);
});

test('lost datagrams of ffmpeg\'s RTP are counted once', async (t) => {
	const file = await makeClip(tempDir(t), 'clip', { seconds: 4,
		pictures: ['-c:v', 'libx264'] });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'rtp://127.0.0.1:5000', OUTPUT)));

	await waitUntil('input', () => udpBound(5000));
	const fault = await Fault.start(t, 5000,
		'meta length > 200 numgen inc mod 6 3');
	const ffmpeg = start(t, 'ffmpeg', ['-v', 'error', '-re', '-i', file,
		'-c', 'copy', '-f', 'rtp_mpegts',
		'rtp://127.0.0.1:5000?pkt_size=1328']);
	const { code, err } = await ffmpeg.ended;
	assert.equal(code, 0, err);
	// the end of the stream shows no gap when it is lost itself
	const lost = await fault.stop();
	assert.ok(lost > 10, `${lost} were lost`);
	await waitUntil('the counters', async () => {
		const told = await stats(sluice);
		assert.ok(lost - (told.lost - told.recovered) <= 1,
			JSON.stringify({ lost, told }));
		return true;
	});
	await sluice.stop();
});

// ffmpeg's Pro-MPEG encoder, with a network that loses media on its way to the
// stream.
async function protects(t, sluice, file, id, which, judge) {
	const port = portOf(id);
	const ffmpeg = start(t, 'ffmpeg', ['-v', 'error', '-re',
		'-stream_loop', '-1', '-i', file,
		'-c', 'copy', '-f', 'rtp_mpegts', '-fec', 'prompeg=l=5:d=5',
		`rtp://127.0.0.1:${port}?pkt_size=1328`]);

	await sluice.onair(id, 20000);
	await waitUntil('FEC', async () =>
		(await stats(sluice, id)).fec_received > 0);
	const fault = await Fault.start(t, port, `meta length > 200 ${which}`);
	await waitUntil('enough loss', async () =>
		await fault.struck() >= 20, 20000);
	const lost = await fault.stop();
	const { fec_received: seen } = await stats(sluice, id);

	// those of the unfinished matrix are sent during the next one
	await waitUntil('more FEC', async () =>
		(await stats(sluice, id)).fec_received > seen + 30, 20000);
	assert.equal(ffmpeg.exitCode, null, ffmpeg.text.err);
	await waitUntil(`${lost} of them accounted for`, async () => {
		const told = await stats(sluice, id);
		assert.equal(told.lost, lost, JSON.stringify(told));
		assert.equal(told.fec_repaired + told.fec_unrepaired, lost);
		assert.equal(told.duplicates, 0);
		judge(told);
		return true;
	});
}

const portOf = (id) => 5000 + 100 * Number(id[1]);

test('FEC repairs losses up to its limit, and further losses count once',
	async (t) => {
	const ways = {
		one: ['numgen inc mod 9 == 4', (told) =>
			assert.equal(told.fec_unrepaired, 0, 'in each row')],
		burst: ['numgen inc mod 40 < 5', (told) =>
			assert.equal(told.fec_unrepaired, 0, 'a row')],
		much: ['numgen inc mod 75 < 15', (told) =>
			assert.ok(told.fec_unrepaired > 0)],
	};
	const ids = Object.keys(ways).map((_, i) => `a${i + 1}`);
	const file = await makeClip(tempDir(t), 'clip',
		{ pictures: ['-c:v', 'libx264'] });
	const sluice = await Sluice.start(t, config(...ids.map((id) =>
		stream(id, `rtp://127.0.0.1:${portOf(id)}#fec`, OUTPUT))));

	await waitUntil('inputs', () => ids.every((id) =>
		[0, 2, 4].every((more) => udpBound(portOf(id) + more))));
	await Promise.all(Object.values(ways).map((way, i) =>
		protects(t, sluice, file, ids[i], ...way)));
	await sluice.stop();
});

test('two senders to one address are named', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'rtp://127.0.0.1:5000', OUTPUT)));

	await waitUntil('input', () => udpBound(5000));
	for (const rtp of [new Rtp(), new Rtp()])
		await Sender.start(t, new TsMux(), 5000,
			{ shape: (packets) => [rtp.wrap(packets)] });
	await sluice.waitStatus('a001', 'their names', ({ inputs: [input] }) =>
		input.alarms.includes('two_senders') &&
		/^two senders: [\d.:]+ and [\d.:]+$/.test(input.error));
	await sluice.stop();
});
