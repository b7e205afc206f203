// SPDX-License-Identifier: GPL-3.0-or-later
// rist: GStreamer, ffmpeg and librist's programs at the other end; strangers
// and hostile datagrams at the port.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertDecodes, liveMultiplex } from '../helpers/media.mjs';
import { Fault } from '../helpers/net.mjs';
import { gstreamer, lacks, peersConfig } from '../helpers/peers.mjs';
import { assertWhole } from '../helpers/rist.mjs';
import { Sluice, config, sanitized, stream }
	from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { checkTs, fromEntry, wholeUnits } from '../helpers/ts.mjs';
import { now, sleep, start, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';

const SECRET = 'not to be heard';
const ffmpeg = (t, ...args) =>
	start(t, 'ffmpeg', ['-nostdin', '-v', 'error', ...args]);

// The program that sends the datagrams of a port to each of our inputs. librist
// restarts when the RTCP of GStreamer names another flow than its data: the
// stream is complete only after that.
const senders = [
	{ name: 'GStreamer, simple profile',
		input: 'rist://@127.0.0.1:9040#profile=simple&buffer=1000',
		run: (t, from) => gstreamer(t, `udpsrc port=${from}`,
			'! tsparse set-timestamps=true alignment=7',
			'! rtpmp2tpay ! ristsink address=127.0.0.1 port=9040'),
		settles: true },
	{ name: 'ffmpeg, main profile, encrypted',
		input: `rist://@127.0.0.1:9042#secret=${SECRET}&buffer=1000` +
			'&aes-type=256',
		run: (t, from) => ffmpeg(t, '-i', `udp://127.0.0.1:${from}`,
			'-c', 'copy', '-f', 'mpegts', '-secret', SECRET,
			'-encryption', '256', '-pkt_size', '1316',
			'rist://127.0.0.1:9042') },
	{ name: 'ristsender, main profile, encrypted, by two paths',
		input: 'rist://@127.0.0.1:9044,@127.0.0.1:9046' +
			`#secret=${SECRET}&buffer=1000`,
		run: (t, from) => start(t, 'ristsender', ['-v', '3', '-p', '1',
			'-s', SECRET, '-e', '128', '-b', '1000', '-i',
			`udp://127.0.0.1:${from}`, '-o',
			'rist://127.0.0.1:9044?weight=0,' +
			'rist://127.0.0.1:9046?weight=0']),
		cut: /^path 1: no packets$/ },
];

// The program that writes each of our outputs to a file.
const receivers = [
	{ name: 'GStreamer, simple profile',
		output: 'rist://127.0.0.1:9050#profile=simple',
		run: (t, file) => gstreamer(t,
			'ristsrc address=127.0.0.1 port=9050',
			'receiver-buffer=1000 ! rtpmp2tdepay ! filesink',
			`buffer-mode=2 location=${file}`) },
	{ name: 'ffmpeg, main profile, encrypted',
		output: `rist://127.0.0.1:9052#secret=${SECRET}&buffer=1000` +
			'&aes-type=128',
		run: (t, file) => ffmpeg(t, '-secret', SECRET, '-encryption',
			'128', '-f', 'mpegts', '-i', 'rist://@127.0.0.1:9052',
			'-map', '0', '-c', 'copy', '-f', 'mpegts', file) },
	{ name: 'ristreceiver, main profile, encrypted, by two paths',
		output: 'rist://127.0.0.1:9054,127.0.0.1:9056' +
			`#secret=${SECRET}&buffer=1000`,
		run: (t, file, port) => start(t, 'ristreceiver', ['-v', '3',
			'-p', '1', '-s', SECRET, '-e', '128', '-b', '1000',
			'-i',
			'rist://@127.0.0.1:9054,rist://@127.0.0.1:9056', '-o',
			`udp://127.0.0.1:${port}`]), port: 6050 },
];

const BYTES = 250000;

function wholePackets(data) {
	return data.subarray(0, data.length - data.length % 188);
}

async function assertClean(t, data) {
	const whole = wholePackets(data);

	assert.ok(whole.length >= BYTES, `${whole.length}`);
	assert.equal(checkTs(whole).ccErrors, 0);
	await assertDecodes(t, wholeUnits(fromEntry(whole)),
		{ minPictures: 20 });
}

test('other programs send and receive; of two paths one may be cut',
	{ skip: lacks('ffmpeg', 'ristsender', 'ristreceiver', 'gst:ristsink',
		'gst:ristsrc') },
	async (t) => {
	const dir = tempDir(t);
	const files = receivers.map((_, i) => path.join(dir, `${i}.ts`));
	const size = (file) => fs.existsSync(file) ? fs.statSync(file).size : 0;
	const recorder = await Recorder.start(t, ...senders.map((_, i) =>
		({ port: 6000 + i })), { port: 6050 });

	receivers.forEach(({ run, port }, i) => run(t, files[i], port));
	await waitUntil('receivers', () => [9050, 9052, 9054, 9056]
		.every(udpBound), 20000);
	const sluice = await Sluice.start(t, peersConfig(senders, receivers));

	await waitUntil('listeners', () => [5000, 9040, 9042, 9044, 9046]
		.every(udpBound));
	senders.forEach(({ run }, i) => run(t, 5100 + i));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	for (const i of senders.keys())
		await sluice.onair(`in${i}`, 40000);
	await waitUntil('both paths', async () =>
		(await sluice.status('from')).outputs[2].stats?.peers === 2 &&
		(await sluice.status('in2')).inputs[0].stats?.peers === 2,
	20000);
	const inputOf = async (i) => (await sluice.status(`in${i}`)).inputs[0];
	const sentBy = async (i) => (await sluice.status(`in${i}`)).outputs[0]
		.packets * 188;
	const sent = await Promise.all(senders.map((_, i) => sentBy(i)));
	let told, since;

	// GStreamer's RTCP names another flow at first: librist restarts
	await waitUntil('steady flows', async () => {
		const dropped = JSON.stringify(await Promise.all(senders.map(
			async (_, i) => (await inputOf(i)).stats.dropped)));

		if (dropped !== told)
			[told, since] = [dropped, now()];
		return now() - since > 2500;
	}, 30000);
	const before = await Promise.all(senders.map((_, i) => inputOf(i)));
	const timing = new Timing(t);
	const cut = [];

	for (const port of [9044, 9056])
		cut.push(await Fault.start(t, port, ''));

	await waitUntil('received packets', async () => {
		assert.ok(files.slice(0, 2).every((file) => size(file) > BYTES),
			`${files.map(size)}`);
		for (const i of senders.keys())
			assert.ok((await sentBy(i)) - sent[i] > 1.2 * BYTES);
		return true;
	}, 40000);
	for (const fault of cut)
		assert.ok(await fault.struck() > 20, `${await fault.struck()}`);
	for (const [i, { name, cut: says }] of senders.entries()) {
		const input = await waitUntil(`error of ${name}`, async () => {
			const is = await inputOf(i);

			return (says ? says.test(is.error) :
				is.error === undefined) && is;
		}, 20000);

		assert.match(input.peer, /^127\.0\.0\.1\b/, name);
		timing.assert(input.stats.dropped === before[i].stats.dropped,
			`${name}: ${before[i].stats.dropped}, then ` +
			`${input.stats.dropped} packets were late`);
		assert.equal(input.stats.invalid, 0, name);
		assert.ok(input.stats.received > 100, name);
	}
	timing.stop();
	await sluice.stop();
	const lists = await recorder.stop();
	const received = receivers.map(({ port }, i) => port ?
		joined(lists.at(-1)) : fs.readFileSync(files[i]));

	for (const [i, { name, settles }] of senders.entries())
		await t.test(`input: ${name}`, () => assertClean(t, joined(
			lists[i].slice(settles ? -200 : 0))));
	for (const [i, { name }] of receivers.entries())
		await t.test(`output: ${name}`, async (t) => {
			const whole = wholePackets(received[i]);
			const lost = checkTs(whole).ccErrors;

			// a receiver without processor time drops by itself
			timing.assert(lost === 0, `${lost} losses`, t);
			if (lost === 0)
				await assertClean(t, received[i]);
		});
});

// Datagrams that make librist accept a new sender: data and control of any
// flow.
function hostile(i) {
	const rtp = Buffer.alloc(200), rtcp = Buffer.alloc(28);

	rtp.writeUInt32BE(0x80210000 + (i & 0xffff));
	rtp.writeUInt32BE(Math.random() * 2 ** 32 >>> 0, 8);
	rtcp.writeUInt32BE(0x80c80006);
	rtcp.writeUInt32BE(Math.random() * 2 ** 32 >>> 0, 4);
	return { rtp, rtcp, garbage: Buffer.from(Array.from({ length: 60 },
		() => Math.random() * 256)) };
}

// From so many ports of so many hosts, repeatedly until stopped.
async function flood(t, ports, hosts = 60, each = 5) {
	const sockets = [];
	let n = 0;

	for (let i = 0; i < hosts * each; i++) {
		const socket = dgram.createSocket('udp4');

		await new Promise((done) => socket.bind(0,
			`127.0.1.${1 + i % hosts}`, done));
		sockets.push(socket);
	}
	const timer = setInterval(() => {
		const { rtp, rtcp, garbage } = hostile(n);
		const socket = sockets[n++ % sockets.length];

		for (const port of ports)
			for (const data of [rtp, rtcp, garbage])
				socket.send(data, port, '127.0.0.1');
	}, 1);

	t.after(() => {
		clearInterval(timer);
		sockets.forEach((socket) => socket.close());
	});
	return () => n;
}

const memoryKib = (pid) => Number(/VmRSS:\s+(\d+)/.exec(
	fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

test('floods of strangers at the ports cost neither memory nor log nor packets',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 }, { port: 6002 });
	const sluice = await Sluice.start(t, config(
		stream('from', 'udp://127.0.0.1:5000', [
			'rist://127.0.0.1:9060#profile=simple',
			'rist://127.0.0.1:9062', 'srt://127.0.0.1:9064']),
		stream('in0', 'rist://@127.0.0.1:9060#profile=simple',
			'udp://127.0.0.1:6000'),
		stream('in1', 'rist://@127.0.0.1:9062', 'udp://127.0.0.1:6001'),
		stream('in2', 'srt://:9064', 'udp://127.0.0.1:6002')));
	const ids = ['in0', 'in1', 'in2'];
	const inputOf = async (id) => (await sluice.status(id)).inputs[0];

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	for (const id of ids)
		await sluice.onair(id, 30000);
	const pids = ids.map((id) => sluice.worker('stream', id).pid);
	const from = recorder.size();
	const before = pids.map(memoryKib), lines = sluice.log.length;
	const sent = await flood(t, [9060, 9061, 9062, 9064]);

	await waitUntil('a flood', async () => sent() > 3000 &&
		recorder.size() > from + 3 * BYTES &&
		(await inputOf('in0')).stats.refused > 500, 40000);
	timing.stop();
	for (const [i, id] of ids.entries()) {
		const grown = memoryKib(pids[i]) - before[i];
		const input = await inputOf(id);

		// AddressSanitizer keeps freed memory for a while
		assert.ok(sanitized || grown < 24 * 1024,
			`${id}: ${grown} KiB more`);
		assert.equal(input.onair, true, id);
		// a packet that is later than the length of its buffer is not
		// waited for
		timing.assert(input.stats.dropped === 0,
			`${id}: ${input.stats.dropped} too late`);
		assert.equal(sluice.worker('stream', id).pid, pids[i], id);
	}
	const said = sluice.log.slice(lines).split('\n').filter((line) =>
		/(rist|srt) port/.test(line)).length;

	assert.ok(said > 0 && said < 60, `${said} lines`);
	await sluice.stop();
	assertWhole(timing, await recorder.stop());
});

// Parts of RTCP with lengths that lie; those without an end keep the thread of
// librist for good, if they get there.
const RR = [0x80, 201, 0, 1, 1, 2, 3, 4];
const SDES = [0x81, 202, 0, 3, 1, 2, 3, 4, 1, 3, 97, 98, 99, 0, 0, 0];
const liars = {
	'a block without end': [0x80, 207, 0, 2, 1, 2, 3, 4, 0, 0, 255, 255],
	'a part without end': [0x80, 201, 0x3f, 255, 1, 2, 3, 4],
	'less than nothing asked for': [0x80, 205, 0, 1, 1, 2, 3, 4],
};

// Data without data: for this librist delivers the bytes that happen to lie
// there.
const rtp = (flags, n, ...more) =>
	[flags, 33, 0, n, 0, 0, 0, 0, 1, 2, 3, 4, ...more];
const PORTS = [0x80, 0, 0x80, 1];
const empty = [rtp(0x80, 1), rtp(0x80, 2), rtp(0x81, 3, 9, 9, 9, 9),
	rtp(0x90, 4, 82, 73, 0, 1, 0, 0, 0, 0), rtp(0xa0, 5, 0, 2)];

// Of the header alone: in the library its length is less than nothing.
const short = [[0x30, 0, 0x88, 0xb6, 1, 2, 3, 4],
	[0xb0, 0, 0x88, 0xb6, 1, 2, 3, 4], [0x30, 0, 8, 0, 1, 2, 3, 4],
	[0x30, 0, 0x88, 0xb6, 1, 2, 3, 4, 0, 0, 0, 1, ...PORTS, ...rtp(0x80)]];

// As a known sender: librist accepts the second report of a new one as valid,
// and with the key zero in clear where there is a secret.
async function lie(t, port, secret) {
	const socket = dgram.createSocket('udp4');
	const gre = secret ? [0x30, 0, 0x88, 0xb6, 0, 0, 0, 0, 0, 0, 0, 1] :
		[0, 0, 0x88, 0xb6];
	const send = (data) => new Promise((done) => socket.send(
		Buffer.from(data), port, '127.0.0.1', done));
	const lies = [...Object.values(liars).map((part) =>
		[...RR, ...SDES, ...part]), ...empty]
		.map((data) => [...gre, ...PORTS, ...data])
		.concat(secret ? short : []);

	await new Promise((done) => socket.bind(0, '127.0.0.9', done));
	t.after(() => socket.close());
	for (let i = 0; i < 10; i++) {
		await send([...gre, ...PORTS, ...RR, ...SDES]);
		await sleep(20);
	}
	for (const data of lies)
		await send(data);
	return lies.length;
}

for (const [name, secret, a, b] of [['in clear', '', 9070, 9072],
	['behind a secret', `#secret=${SECRET}`, 9074, 9076]])
	test(`datagrams with false lengths do not reach the library, ${name}`,
		async (t) => {
		const sluice = await Sluice.start(t, config(
			stream('from', 'udp://127.0.0.1:5000', [
				`rist://127.0.0.1:${a}${secret}`,
				`rist://@127.0.0.1:${b}${secret}`]),
			stream('in0', `rist://@127.0.0.1:${a}${secret}`,
				'udp://127.0.0.1:6000'),
			stream('in1', `rist://127.0.0.1:${b}${secret}`,
				'udp://127.0.0.1:6001')));
		const ids = ['from', 'in0', 'in1'];
		const pids = () => ids.map((id) =>
			sluice.worker('stream', id).pid);
		const ends = async () => [
			(await sluice.status('in0')).inputs[0],
			(await sluice.status('from')).outputs[1]];

		await waitUntil('input', () => udpBound(5000));
		liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
		for (const id of ['in0', 'in1'])
			await sluice.onair(id, 30000);
		const first = pids();
		let lies;

		for (const port of [a, b])
			lies = await lie(t, port, secret !== '');
		await waitUntil('all of them', async () => (await ends())
			.every(({ stats }) => stats.invalid >= lies));
		const before = await Promise.all(['in0', 'in1'].map(
			async (id) => (await sluice.status(id)).inputs[0].stats
				.received));

		// both threads are at work: the counts come from them
		await waitUntil('packets after that', async () => {
			for (const [i, id] of ['in0', 'in1'].entries())
				assert.ok((await sluice.status(id)).inputs[0]
					.stats.received > before[i] + 100, id);
			return true;
		}, 20000);
		assert.deepEqual(pids(), first);
		await sluice.stop();
	});

test('datagrams at the wrong port of the simple profile are dropped',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('in0', 'rist://@127.0.0.1:9078#profile=simple',
			'udp://127.0.0.1:6000')));
	const socket = dgram.createSocket('udp4');

	// bound, each at its time, and guarded
	await sluice.waitStatus('in0', 'its state', (s) =>
		s.inputs[0].error === 'no peer connected');
	const { pid } = sluice.worker('stream', 'in0');

	t.after(() => socket.close());
	for (let i = 0; i < 5; i++)
		for (const [data, port] of [[rtp(0x80, i, 0x47), 9079],
			[[...RR, ...SDES], 9078]])
			await new Promise((done) => socket.send(
				Buffer.from(data), port, '127.0.0.1', done));
	await waitUntil('all of them', async () =>
		(await sluice.status('in0')).inputs[0].stats.invalid >= 10);
	assert.equal(sluice.worker('stream', 'in0').pid, pid);
	await sluice.stop();
});

// librist assumes that the other half of this sender is missing, and aborts.
for (const [i, first] of ['data', 'reports'].entries())
	test(`a sender of ${first} first, and then of the other kind ` +
		`from the same port, is ignored`, async (t) => {
		const port = 9082 + 2 * i;
		const sluice = await Sluice.start(t, config(
			stream('in0', `rist://@127.0.0.1:${port}` +
				'#profile=simple', 'udp://127.0.0.1:6000'),
			stream('from', 'udp://127.0.0.1:5000',
				`rist://127.0.0.1:${port}#profile=simple`)));
		const socket = dgram.createSocket('udp4');
		let n = 0;
		const kinds = [() => [rtp(0x80, n++ & 255, 0x47), port],
			() => [[...RR, ...SDES], port + 1]];
		const send = async (kind) => {
			const [data, to] = kind();

			await new Promise((done) => socket.send(
				Buffer.from(data), to, '127.0.0.1', done));
			await sleep(5);
		};
		const { pid } = await waitUntil('worker', () =>
			udpBound(port + 1) && sluice.worker('stream', 'in0'));
		const invalid = async () =>
			(await sluice.status('in0')).inputs[0].stats.invalid;

		t.after(() => socket.close());
		if (first === 'reports')
			kinds.reverse();
		for (let k = 0; k < 50; k++)
			await send(kinds[0]);
		for (let k = 0; k < 50; k++)
			await send(kinds[1]);
		await waitUntil('all of them', async () =>
			await invalid() >= 50);
		for (let k = 0; k < 100; k++)
			await send(kinds[k & 1]);
		// data that arrives first is accepted, and the input has no
		// error
		if (first === 'reports')
			await waitUntil('its error', async () => {
				for (let k = 0; k < 50; k++)
					await send(kinds[k & 1]);
				return (await sluice.status('in0')).inputs[0]
					.error === 'data dropped: the sender ' +
					'sends data and reports ' +
					'from the same port';
			}, 20000);
		await waitUntil('input', () => udpBound(5000));
		liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
			{ seconds: 60 });
		await sluice.onair('in0', 30000);
		assert.equal(sluice.worker('stream', 'in0').pid, pid);
		await sluice.stop();
	});

test('the next sender may have the ports of the last one in another order',
	async (t) => {
	const port = 9086;
	const sluice = await Sluice.start(t, config(
		stream('in0', `rist://@127.0.0.1:${port}#profile=simple`,
			'udp://127.0.0.1:6000')));
	const sockets = [1, 2].map(() => dgram.createSocket('udp4'));
	const received = async () =>
		(await sluice.status('in0')).inputs[0].stats?.received;
	let seq = 0, timer;
	const begin = ([data, reports]) => {
		timer = setInterval(() => {
			const packet = Buffer.from(rtp(0x80, 0,
				...Buffer.alloc(188, 0x47)));

			packet.writeUInt16BE(++seq & 0xffff, 2);
			packet.writeUInt32BE(now() * 90 >>> 0, 4);
			data.send(packet, port, '127.0.0.1');
			reports.send(Buffer.from([...RR, ...SDES]), port + 1,
				'127.0.0.1');
		}, 20);
	};

	t.after(() => {
		clearInterval(timer);
		sockets.forEach((socket) => socket.close());
	});
	begin(sockets);
	await waitUntil('packets', async () => await received() > 50, 30000);
	clearInterval(timer);
	const before = await received();

	begin(sockets.reverse());
	// librist keeps a peer for seven seconds
	await waitUntil('packets of the next one', async () =>
		await received() > before + 200, 30000);
	await sluice.stop();
});
