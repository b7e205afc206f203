// SPDX-License-Identifier: GPL-3.0-or-later
// srt: GStreamer, VLC and ffmpeg at the other end, for each caller.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertDecodes, liveMultiplex } from '../helpers/media.mjs';
import { Fault, ip } from '../helpers/net.mjs';
import { gstreamer, lacks, lacksUser, peersConfig, vlc }
	from '../helpers/peers.mjs';
import { AS_SELF, MASTER, Sluice, WORKER, config, stream }
	from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { checkTs, fromEntry, wholeUnits } from '../helpers/ts.mjs';
import { run, start, tempDir, udpBound, udpDrops, waitUntil }
	from '../helpers/util.mjs';

const SECRET = 'ten-or-more';
const VLC_PORT = 9025;

// The program that sends the datagrams of a port to each of our inputs.
const senders = [
	{ name: 'GStreamer calls, with a passphrase',
		input: `srt://:9011#passphrase=${SECRET}&pbkeylen=32`,
		run: (t, from) => gstreamer(t, `udpsrc port=${from}`,
			'! srtsink uri=srt://127.0.0.1:9011 pbkeylen=32',
			`passphrase=${SECRET} wait-for-connection=false`) },
	{ name: 'GStreamer listens, with a passphrase',
		input: `srt://127.0.0.1:9012#passphrase=${SECRET}`,
		run: (t, from) => gstreamer(t, `udpsrc port=${from}`,
			'! srtsink uri=srt://:9012 mode=listener',
			`passphrase=${SECRET} wait-for-connection=false`) },
	{ name: 'ffmpeg listens',
		input: 'srt://127.0.0.1:9014',
		run: (t, from) => start(t, 'ffmpeg', ['-nostdin', '-v', 'error',
			'-i', `udp://127.0.0.1:${from}`, '-c', 'copy', '-f',
			'mpegts', 'srt://127.0.0.1:9014?mode=listener&' +
			'pkt_size=1316']) },
];

// The program that writes each of our outputs to a file.
const receivers = [
	{ name: 'GStreamer calls, with a passphrase',
		output: `srt://:9021#passphrase=${SECRET}`,
		run: (t, file) => gstreamer(t,
			'srtsrc uri=srt://127.0.0.1:9021',
			`passphrase=${SECRET} ! filesink buffer-mode=2`,
			`location=${file}`) },
	{ name: 'GStreamer listens, with a stream id',
		output: 'srt://127.0.0.1:9022#streamid=news',
		run: (t, file) => gstreamer(t,
			'srtsrc uri=srt://:9022 mode=listener !',
			`filesink buffer-mode=2 location=${file}`) },
	{ name: 'VLC calls',
		output: `srt://:9023#passphrase=${SECRET}`,
		run: (t, file) => vlc(t, 'srt://127.0.0.1:9023',
			`--passphrase=${SECRET}`, '--demux=dump',
			`--demuxdump-file=${file}`) },
	{ name: 'VLC listens',
		output: `srt://127.0.0.1:${VLC_PORT}`,
		run: (t, file) => vlc(t,
			`srt://127.0.0.1:${VLC_PORT}?mode=listener`,
			'--demux=dump', `--demuxdump-file=${file}`) },
	{ name: 'ffmpeg calls',
		output: 'srt://:9024',
		run: (t, file) => start(t, 'ffmpeg', ['-nostdin', '-v', 'error',
			'-i', 'srt://127.0.0.1:9024', '-map', '0', '-c', 'copy',
			'-f', 'mpegts', file]) },
];

const BYTES = 250000;

// A program without a processor drops what it would send too late.
async function assertClean(t, data, timing) {
	const whole = data.subarray(0, data.length - data.length % 188);
	const { ccErrors } = checkTs(whole);

	assert.ok(whole.length >= BYTES);
	timing.assert(ccErrors === 0, `${ccErrors} continuity errors`, t);
	if (ccErrors > 0)
		return;
	await assertDecodes(t, wholeUnits(fromEntry(whole)),
		{ minPictures: 20 });
}

test('other programs send and receive, whichever side calls',
	{ skip: lacks('cvlc', 'ffmpeg', 'gst:srtsink', 'gst:srtsrc') ||
		lacksUser() },
	async (t) => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const files = receivers.map((_, i) => path.join(dir, `${i}.ts`));
	const size = (file) => fs.existsSync(file) ? fs.statSync(file).size : 0;
	const recorder = await Recorder.start(t, ...senders.map((_, i) =>
		({ port: 6000 + i })));
	const sluice = await Sluice.start(t, peersConfig(senders, receivers));

	await waitUntil('listeners', () => [5000, 9011, 9021, 9023, 9024]
		.every(udpBound));
	senders.forEach(({ run }, i) => run(t, 5100 + i));
	receivers.forEach(({ run }, i) => run(t, files[i]));
	// VLC 3.0.23 calls itself when it is asked to listen
	const silent = await waitUntil('VLC', () => udpBound(VLC_PORT), 15000)
		.then(() => -1, () => receivers.findIndex(({ output }) =>
			output.endsWith(`:${VLC_PORT}`)));
	const judged = receivers.map((_, i) => i).filter((i) => i !== silent);

	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	for (const i of senders.keys())
		await sluice.onair(`in${i}`, 40000);
	const { outputs } = await waitUntil('receivers', async () => {
		const status = await sluice.status('from');

		assert.ok(judged.every((i) => size(files[i]) > BYTES),
			`${files.map(size)}`);
		for (const i of senders.keys())
			assert.ok((await sluice.status(`in${i}`)).outputs[0]
				.packets * 188 > 1.2 * BYTES, `in${i}`);
		return status;
	}, 40000);

	timing.stop();
	// a packet that is later than the latency is not waited for
	let late = 0;
	for (const [i, { name }] of senders.entries()) {
		const input = (await sluice.status(`in${i}`)).inputs[0];

		assert.equal(input.stats.peers, 1, name);
		assert.match(input.peer, /^127\.0\.0\.1:\d+$/);
		late += input.stats.dropped;
		assert.equal(input.stats.undecrypted, 0, name);
	}
	for (const i of judged) {
		assert.equal(outputs[i].stats.peers, 1, receivers[i].name);
		late += outputs[i].stats.dropped;
	}
	timing.assert(late === 0, `${late} came too late`);
	const missed = senders.map((_, i) => udpDrops(5100 + i));

	await sluice.stop();
	if (late > 0)
		return;
	const lists = await recorder.stop();

	for (const [i, { name }] of senders.entries())
		await t.test(`input: ${name}`, { skip: missed[i] > 0 &&
			`the sender had no room for ${missed[i]} datagrams` },
		(inner) => assertClean(inner, joined(lists[i]), timing));
	for (const [i, { name }] of receivers.entries())
		await t.test(`output: ${name}`, { skip: i === silent &&
			'this VLC calls, although its URL asks it to listen' },
		(inner) => assertClean(inner, fs.readFileSync(files[i]),
			timing));
});

// Data that is sent for the first time: neither control nor a repetition.
const FRESH = '@th,64,1 0 @th,101,1 0';

test('a lost datagram is counted once, repaired and not as lost',
	{ skip: lacks('gst:srtsink', 'gst:srtsrc') }, async (t) => {
	const file = path.join(tempDir(t), 'got.ts');
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('out', 'udp://127.0.0.1:5000', [
			'srt://127.0.0.1:9032#latency=4000',
			'udp://127.0.0.1:5100']),
		stream('in', 'srt://:9031#latency=4000',
			'udp://127.0.0.1:6000')));
	const statsOf = async (id, kind) => (await sluice.status(id))[kind][0]
		.stats;

	await waitUntil('listeners', () => [5000, 9031].every(udpBound));
	gstreamer(t, 'udpsrc port=5100 ! srtsink latency=4000',
		'uri=srt://127.0.0.1:9031 wait-for-connection=false');
	gstreamer(t, 'srtsrc uri=srt://:9032 mode=listener latency=4000',
		`! filesink buffer-mode=2 location=${file}`);
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('in', 30000);
	await waitUntil('its receiver', async () =>
		(await statsOf('out', 'outputs')).peers === 1, 20000);
	const faults = [];

	for (const port of [9031, 9032])
		faults.push(await Fault.start(t, port,
			`${FRESH} numgen inc mod 4 == 2`));
	await waitUntil('loss', async () => await faults[0].struck() >= 40 &&
		await faults[1].struck() >= 40, 30000);
	const [before, behind] = [await faults[0].stop(),
		await faults[1].stop()];
	const received = await waitUntil('repairs', async () => {
		const stats = await statsOf('in', 'inputs');

		assert.deepEqual([stats.lost, stats.recovered, stats.dropped],
			[before, before, 0]);
		return stats;
	});
	assert.ok(received.retransmitted >= before);
	await waitUntil('repetitions', async () => {
		const { lost, retransmitted, dropped } =
			await statsOf('out', 'outputs');

		assert.equal(dropped, 0);
		return lost >= behind && retransmitted >= behind;
	});
	const { inputs } = await sluice.status('in');

	assert.equal(inputs[0].lost, 0);
	await sluice.stop();
	assert.equal(checkTs(joined((await recorder.stop())[0])).ccErrors, 0);
	const got = fs.readFileSync(file);

	assert.equal(checkTs(got.subarray(0, got.length - got.length % 188))
		.ccErrors, 0);
});

test('losses are repaired by a packet filter alone, and counted as such',
	async (t) => {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('out', 'udp://127.0.0.1:5000', 'srt://127.0.0.1:9081' +
			'#packetfilter=fec,cols:10,rows:5,arq:never' +
			'&latency=4000'),
		stream('in', 'srt://:9081?packetfilter=fec&latency=4000',
			'udp://127.0.0.1:6000')));
	const statsOf = async (id, kind) => (await sluice.status(id))[kind][0]
		.stats;

	await waitUntil('listeners', () => [5000, 9081].every(udpBound));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('in', 30000);
	// the filter's own packets have no number
	const fault = await Fault.start(t, 9081,
		`${FRESH} @th,102,26 != 0 numgen inc mod 20 == 7`);

	await waitUntil('loss', async () => await fault.struck() >= 12, 30000);
	const struck = await fault.stop();
	const stats = await waitUntil('repairs', async () => {
		const now = await statsOf('in', 'inputs');

		assert.deepEqual([now.lost, now.recovered, now.fec_repaired,
			now.retransmitted, now.dropped],
		[struck, struck, struck, 0, 0]);
		return now;
	});
	assert.ok(stats.fec_received > struck);
	assert.ok((await statsOf('out', 'outputs')).fec_sent > struck);
	await sluice.stop();
	assert.equal(checkTs(joined((await recorder.stop())[0])).ccErrors, 0);
});

// A program in a network of its own, at the end vb (10.9.0.2) of a cable.
async function startBeyond(t, cable, program, args) {
	const child = start(t, 'unshare', ['-n', 'sh', '-euc',
		'ip link set lo up; read go; ip addr add 10.9.0.2/24 dev vb; ' +
		'ip link set vb up; exec "$@"', 'sh', program, ...args],
	{ stdio: ['pipe', 'pipe', 'pipe'],
		env: { ...process.env, SLUICE_WORKER: WORKER } });

	await waitUntil('its network', () =>
		fs.readlinkSync(`/proc/${child.pid}/ns/net`) !==
		fs.readlinkSync('/proc/self/ns/net'));
	await ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'vb',
		'netns', String(child.pid));
	// the kernel removes a network some time after its last process
	t.after(() => run('ip', ['link', 'del', cable]));
	await ip('addr', 'add', '10.9.0.1/24', 'dev', cable);
	await ip('link', 'set', cable, 'up');
	child.stdin.end('go\n');
	return child;
}

async function assertMeets(t, beyond) {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { address: '0.0.0.0',
		port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('out', 'udp://127.0.0.1:5000',
			'srt://10.9.0.2:9070#mode=rendezvous&latency=2000')));
	const output = async () => (await sluice.status('out')).outputs[0];

	await startBeyond(t, 'va', ...beyond);
	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await waitUntil('they meet', async () =>
		(await output()).peer === '10.9.0.2:9070', 30000);
	await waitUntil('packets', () => recorder.size() > 1.2 * BYTES, 20000);
	const { dropped } = (await output()).stats;

	timing.assert(dropped === 0, `${dropped} came too late`);
	timing.stop();
	await sluice.stop();
	const [list] = await recorder.stop();

	await assertClean(t, joined(list), timing);
}

test('two callers meet in rendezvous: Sluice and Sluice', async (t) => {
	const file = path.join(tempDir(t), 'beyond.json');

	fs.writeFileSync(file, JSON.stringify(config(stream('in',
		'srt://10.9.0.1:9070#mode=rendezvous&latency=2000',
		'udp://10.9.0.1:6000'))));
	await assertMeets(t, [MASTER, [...AS_SELF, '-p', '8001',
		'--no-web-auth', '-c', file]]);
});

test('two callers meet in rendezvous: Sluice and srt-live-transmit',
	{ skip: lacks('srt-live-transmit') }, (t) => assertMeets(t,
		['srt-live-transmit', ['-q', '-chunk:1316', '-a:yes',
			'srt://10.9.0.1:9070?mode=rendezvous&latency=2000',
			'udp://10.9.0.1:6000']]));

// Both ask for their passphrase; which of them is asked is by chance.
test('a rendezvous fails without a peer, or with another passphrase',
	async (t) => {
	const timing = new Timing(t);
	const file = path.join(tempDir(t), 'beyond.json');
	const meeting = (host, secret) => `srt://${host}:9070#mode=` +
		`rendezvous&timeout=2&passphrase=${secret}`;
	const refused = 'refused: (the passphrases differ|passphrase or ' +
		'encryption differ, or the peer disconnected at once)';
	const sluice = await Sluice.start(t, config(stream('in',
		meeting('10.9.0.2', SECRET), 'udp://127.0.0.1:6000')));
	const told = (pattern) => waitUntil(`${pattern}`, async () =>
		pattern.test((await sluice.status('in')).inputs[0].error),
	60000);

	await timing.within(15000, told(/^no answer$/));
	fs.writeFileSync(file, JSON.stringify(config(stream('in',
		meeting('10.9.0.1', `${SECRET}-more`), []))));
	const beyond = await startBeyond(t, 'va', MASTER, [...AS_SELF, '-p',
		'8001', '--no-web-auth', '-c', file]);
	await told(new RegExp(`^${refused}$`));
	await waitUntil('the other one reports it', () =>
		new RegExp(refused).test(beyond.text.err + beyond.text.out),
	60000);
	beyond.kill('SIGTERM');
	await timing.within(15000, told(/^no answer$/));
	await sluice.stop();
});
