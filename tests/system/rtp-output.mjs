// SPDX-License-Identifier: GPL-3.0-or-later
// rtp outputs with error correction and with a second path, and inputs from
// encoders of other programs: GStreamer is the peer at both ends.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeClip } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Fault, ip } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { now, start, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';

const source = (port, caps) => ['udpsrc', 'address=127.0.0.1', `port=${port}`,
	`caps=application/x-rtp,${caps}`, '!', 'queue', '!'];
const sink = (port) => ['!', 'udpsink', 'host=127.0.0.1', `port=${port}`,
	'async=false'];

// Plays a file as RTP with rows and columns.
const encoder = (t, file, port) => start(t, 'gst-launch-1.0', ['-q',
	'rtpbin', 'name=rtp',
	'fec-encoders=fec,0="rtpst2022-1-fecenc\\ rows\\=5\\ columns\\=5";',
	'filesrc', `location=${file}`, '!', 'tsparse', 'set-timestamps=true',
	'alignment=7', '!', 'rtpmp2tpay', 'ssrc=0', '!', 'rtp.send_rtp_sink_0',
	'rtp.send_rtp_src_0', ...sink(port).slice(0, -1),
	'rtp.send_fec_src_0_0', ...sink(port + 2),
	'rtp.send_fec_src_0_1', ...sink(port + 4)]);

// Writes the received and repaired packets.
const decoder = (t, file, port) => start(t, 'gst-launch-1.0', ['-q', '-e',
	'rtpbin', 'name=rtp', 'latency=1000', 'fec-decoders=fec,0=' +
		'"rtpst2022-1-fecdec\\ size-time\\=2000000000";',
	...source(port + 2, 'payload=96'), 'rtp.recv_fec_sink_0_0',
	...source(port + 4, 'payload=96'), 'rtp.recv_fec_sink_0_1',
	...source(port, 'media=video,clock-rate=90000,encoding-name=MP2T,' +
		'payload=33'), 'rtp.recv_rtp_sink_0',
	'rtp.', '!', 'rtpmp2tdepay', '!', 'filesink', `location=${file}`]);

test('GStreamer to Sluice to GStreamer, FEC repairs the losses of each path',
	async (t) => {
	const dir = tempDir(t), out = path.join(dir, 'out.ts');
	const clip = await makeClip(dir, 'clip', { seconds: 7,
		pictures: ['-c:v', 'libx264'] });
	const sluice = await Sluice.start(t, config(stream('a001',
		'rtp://127.0.0.1:5000#fec', 'rtp://127.0.0.1:6000#fec=5x5')));
	const rows = 'meta length > 200 numgen inc mod 9 == 4';

	await waitUntil('input', () => udpBound(5004));
	const receiver = decoder(t, out, 6000);
	await waitUntil('receiver', () => udpBound(6000));
	const faults = [await Fault.start(t, 5000, rows),
		await Fault.start(t, 6000, rows)];
	const sender = encoder(t, clip, 5000);

	await waitUntil('enough loss', async () =>
		await faults[0].struck() > 30, 20000);
	// the end of the last matrix is in no sum
	const lost = await faults[0].stop();
	// it plays to the end without an error, whatever its exit status
	await sender.ended;
	const told = await waitUntil('all repaired', async () => {
		const { stats } = (await sluice.json(
			'/api/stream-inputs/a001')).inputs[0];
		assert.equal(stats.fec_repaired, lost, JSON.stringify(stats));
		return stats;
	});
	assert.equal(told.fec_unrepaired, 0, JSON.stringify([told, lost]));
	// a process that is delayed has two seconds
	let size = -1, since;
	await waitUntil('the end', () => {
		const is = fs.statSync(out).size;

		if (is !== size)
			[size, since] = [is, now()];
		return now() - since > 2000;
	});
	receiver.kill('SIGINT');
	await receiver.ended;
	const { packets } = (await sluice.json('/api/stream-outputs/a001'))
		.outputs[0];
	const all = fs.readFileSync(out), sent = fs.readFileSync(clip);
	// tsparse fills its last buffers up
	const came = all.subarray(0, all.length - 188 * 14);
	const at = sent.indexOf(came.subarray(0, 188 * 7));

	assert.ok(packets * 188 - all.length <= 188 * 7,
		`${packets} were sent, ${all.length / 188} came`);
	assert.ok(at >= 0 && came.length > 0.8 * sent.length,
		`${came.length} of ${sent.length} from ${at}`);
	assert.equal(came.compare(sent.subarray(at, at + came.length)), 0);
	assert.ok(await faults[1].struck() > 30);
	await sluice.stop();
});

test('a second path has the same datagrams, and continues without the first',
	async (t) => {
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6100 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'rtp://127.0.0.1:6000#path2=lo@127.0.0.1:6100'),
		stream('a002', 'udp://127.0.0.1:5100',
			'rtp://nope0@239.1.1.1:6200#path2=127.0.0.1:6300')));

	await waitUntil('input', () => udpBound(5000));
	const senders = [await Sender.start(t, new TsMux(), 5000),
		await Sender.start(t, new TsMux(), 5100)];
	await sluice.onair('a001');
	const one = async (id) => (await sluice.json(
		`/api/stream-outputs/${id}`)).outputs[0];

	await waitUntil('packets', async () => {
		const { open, packets, stats } = await one('a002');
		return open && packets > 0 && stats.paths === 1;
	});
	assert.equal((await one('a001')).stats.paths, 2);
	await waitUntil('enough', () => senders[0].sent > 200);
	// the other one would continue, and there would be no silence
	senders[1].stop();
	await recorder.all(senders[0]);
	const [first, second] = await recorder.stop();

	assert.ok(first.length > 100);
	assert.equal(joined(first).compare(joined(second)), 0);
	assert.equal(first.length, second.length);
	await sluice.stop();
});

// At 1360 bytes the kernel splits those of error correction, at 1300 all, and
// then it refuses to make several of one (UDP_SEGMENT).
for (const [mtu, what] of [[65536, 'everything fits'],
	[1360, 'its datagrams do not fit whole'], [1300, 'no datagram does']])
	test(`error correction is sent, by count, where ${what}`, async (t) => {
		await ip('link', 'set', 'lo', 'mtu', `${mtu}`);
		t.after(() => ip('link', 'set', 'lo', 'mtu', '65536'));
		const timing = new Timing(t);
		const recorder = await Recorder.start(t, { port: 6000 },
			{ port: 6002 }, { port: 6004 });
		const sluice = await Sluice.start(t, config(stream('a001',
			'udp://127.0.0.1:5000',
			'rtp://127.0.0.1:6000#fec=5x5')));

		await waitUntil('input', () => udpBound(5000));
		const sender = await Sender.start(t, new TsMux(), 5000);

		const sent = async () => (await sluice.json(
			'/api/stream-outputs/a001')).outputs[0].stats?.fec_sent;

		await sluice.onair('a001');
		const { length: onair } = sluice.log;

		await waitUntil('some', async () => await sent() > 100);
		timing.stop();
		const log = sluice.log.slice(onair);

		sender.stop();
		await recorder.quiet(2000);
		const [media, columns, rows] = (await recorder.stop())
			.map(({ length }) => length);
		const matrices = Math.floor(media / 25);

		if (timing.heldUp(log, await sluice.status('a001'))) {
			await sluice.stop();
			return;
		}
		assert.ok(media > 250, `${media}`);
		assert.equal(rows, Math.floor(media / 5), `of ${media}`);
		// those of a matrix are sent during the next one
		assert.equal(columns, 5 * (matrices - 1) +
			Math.floor(media % 25 / 5), `of ${media}`);
		await waitUntil('the same count', async () =>
			await sent() === columns + rows);
		await sluice.stop();
	});

// How far the earliest datagrams of a second are ahead, in ms.
const aheadMs = (list, from, to) => Math.max(...list.slice(1)
	.map(({ ns, data }) => ({ ms: Number(ns - list[0].ns) / 1e6,
		ticks: data.readUInt32BE(4) - list[0].data.readUInt32BE(4)
			>>> 0 }))
	.filter(({ ms }) => ms >= from && ms < to)
	.map(({ ms, ticks }) => ticks / 90 - ms));

test('after stalls of the worker the time stamps are not in the future',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'rtp://127.0.0.1:6000')));

	await waitUntil('the input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);
	const { mux } = sender;
	const played = async (seconds) => {
		const until = mux.seconds + seconds;

		await waitUntil('it plays', () => mux.seconds > until, 20000);
	};

	await sluice.onair('a001');
	await played(4);
	const { pid } = sluice.worker('stream', 'a001');

	for (let i = 0; i < 2; i++) {
		process.kill(pid, 'SIGSTOP');
		await played(1);
		process.kill(pid, 'SIGCONT');
		await played(4);
	}
	await recorder.all(sender);
	timing.stop();
	const [list] = await recorder.stop();
	const status = await sluice.status('a001');

	assert.equal(sluice.worker('stream', 'a001').pid, pid);
	await sluice.stop();
	list.slice(1).forEach(({ data }, i) => assert.ok((data.readUInt32BE(4) -
		list[i].data.readUInt32BE(4) | 0) >= 0, 'not back'));
	const end = Number(list.at(-1).ns - list[0].ns) / 1e6;
	const before = aheadMs(list, 2000, 3000);
	const after = aheadMs(list, end - 1500, end - 500);

	timing.unlessHeldUp(sluice.log, [status], () => assert.ok(
		Math.abs(after - before) < 50, `${before} and ${after} ms`));
});
