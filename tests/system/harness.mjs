// SPDX-License-Identifier: GPL-3.0-or-later
// The judges themselves: what they are to find, they find.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDecodes, liveMultiplex } from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { DATAGRAM, Recorder, Sender, burstMs, joined }
	from '../helpers/udp.mjs';
import { sleep, waitUntil } from '../helpers/util.mjs';

const clean = () => new TsMux().take(4000);

test('a clean multiplex has no fault', () => {
	const seen = checkTs(clean());

	assert.equal(seen.packets, 4000);
	assert.equal(seen.syncErrors + seen.crcErrors + seen.ccErrors, 0);
	assert.deepEqual([...seen.pat.programs], [[1, PROGRAM.pmtPid]]);
	assert.equal(seen.pmts.get(1).pcr, PROGRAM.video);
	assert.ok(seen.first.rai);
	const pcrs = seen.pcrs.get(PROGRAM.video);
	assert.ok(pcrs.length > 100);
	for (let i = 1; i < pcrs.length; i++) {
		const ms = (pcrs[i].value - pcrs[i - 1].value) / 27000;
		assert.ok(ms > 0 && ms <= 40, `${ms} ms between PCRs`);
	}
});

test('a lost packet, two swapped ones and a flipped bit are seen', () => {
	const data = clean();
	const at = 1001 * 188;
	const lost = Buffer.concat([data.subarray(0, at),
		data.subarray(at + 188)]);
	const swapped = Buffer.concat([data.subarray(0, at),
		data.subarray(at + 188, at + 376),
		data.subarray(at, at + 188), data.subarray(at + 376)]);
	const flipped = Buffer.from(data);
	const table = checkTs(data).order.indexOf(0);

	flipped[table * 188 + 10] ^= 1;
	assert.equal(checkTs(lost).ccErrors, 1);
	assert.ok(checkTs(swapped).ccErrors > 0);
	assert.equal(checkTs(flipped).crcErrors, 1);
});

test('ffmpeg takes our multiplex for one', async (t) => {
	const recorder = await Recorder.start(t, { port: 5000 });
	const live = liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ programs: 2, seconds: 3 });

	await live.ended;
	const [list] = await recorder.stop();
	const data = joined(list);
	await assertDecodes(t, data, { programs: 2, minPictures: 70 });
	const at = Math.floor(data.length / 188 / 2) * 188;
	data.fill(0x11, at, at + 30 * 188);
	await assert.rejects(assertDecodes(t, data, { programs: 2 }));
});

test('the recorder keeps order, time and every byte', async (t) => {
	const recorder = await Recorder.start(t, { port: 5000 },
		{ address: '239.1.2.3', port: 5001, iface: 'lo' },
		{ address: '::1', port: 5002 });
	const senders = [
		await Sender.start(t, new TsMux(), 5000),
		await Sender.start(t, new TsMux(), 5001,
			{ address: '239.1.2.3', iface: '127.0.0.1' }),
		await Sender.start(t, new TsMux(), 5002, { address: '::1' }),
	];

	await waitUntil('a megabyte', () => recorder.size() > 1e6);
	for (const sender of senders)
		sender.stop();
	await sleep(100);
	const lists = await recorder.stop();
	lists.forEach((list, i) => {
		assert.equal(list.length, senders[i].sent);
		assert.equal(joined(list).compare(
			new TsMux().take(list.length * 7)), 0);
	});
	assert.equal(lists[0][0].data.length, DATAGRAM);
	// a burst of ten datagrams is 10 * 1316 * 8 / 2e6 = 52.64 ms
	const burst = Array.from({ length: 10 }, () => ({ ns: 1n,
		data: Buffer.alloc(DATAGRAM) }));
	assert.equal(Math.round(burstMs(burst, 2e6)), 53);
});
