// SPDX-License-Identifier: GPL-3.0-or-later
// rist: both profiles, both directions, beside the programs of librist.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { liveMultiplex } from '../helpers/media.mjs';
import { Fault } from '../helpers/net.mjs';
import { assertWhole, nft, one } from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { bothFamilies, now, start, udpBound, waitUntil } from
	'../helpers/util.mjs';

const SECRET = 'not to be heard';

test('a sender of another program, main profile, encrypted', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', `rist://@127.0.0.1:9000#secret=${SECRET}` +
			'&buffer=1000', 'udp://127.0.0.1:6000')));

	await waitUntil('listener', () => udpBound(9000));
	await waitUntil('its state', async () =>
		(await one(sluice, 'a001', 'input')).error ===
		'no peer connected');
	start(t, 'ristsender', ['-v', '3', '-p', '1', '-s', SECRET, '-e', '128',
		'-b', '1000', '-i', 'udp://127.0.0.1:5001',
		'-o', 'rist://127.0.0.1:9000']);
	await waitUntil('its input', () => udpBound(5001));
	liveMultiplex(t, 'udp://127.0.0.1:5001?pkt_size=1316');
	await sluice.onair('a001', 15000);
	const { stats, error } = await waitUntil('numbers', async () => {
		const input = await one(sluice, 'a001', 'input');

		return input.stats?.received > 100 && input;
	});

	assert.equal(error, undefined);
	assert.equal(stats.peers, 1);
	assert.equal(stats.latency_ms, 1000);
	timing.assert(stats.dropped === 0, `${stats.dropped} dropped`);
	assert.ok(stats.rate_kbps > 100, `${stats.rate_kbps}`);
	await waitUntil('a second of it', () => recorder.size() > 300000);
	timing.stop();
	await sluice.stop();
	assertWhole(timing, await recorder.stop());
});

test('receivers of another program, simple profile', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });

	for (const [port, to] of [[9002, 6000], [9012, 6010]]) {
		start(t, 'ristreceiver', ['-v', '3', '-p', '0', '-b', '1000',
			'-i', `rist://@127.0.0.1:${port}`,
			'-o', `udp://127.0.0.1:${to}`]);
		await waitUntil('receiver', () => udpBound(port));
	}
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'rist://127.0.0.1:9002,127.0.0.1:9012' +
			'#profile=simple&buffer=1000')));

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await waitUntil('packets', () => recorder.size() > 300000, 20000);
	// RTCP alone is less than ten
	await waitUntil('numbers', async () => {
		const { stats } = await one(sluice, 'a001', 'output');

		return stats?.sent > 100 && stats.peers === 2 &&
			stats.rate_kbps > 100;
	});
	timing.stop();
	await sluice.stop();
	await recorder.quiet();
	assertWhole(timing, await recorder.stop());
});

test('lost datagrams are retransmitted, and counted', async (t) => {
	bothFamilies(t);
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'rist://localhost:9004#buffer=500&aes-type=256' +
			`&secret=${SECRET}`),
		stream('a002', 'rist://@:9004?buffer=500&aes-type=256&secret=' +
			encodeURIComponent(SECRET), 'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('a002', 15000);
	nft(`table inet lossy { chain in {
		type filter hook input priority 0;
		udp dport 9004 numgen random mod 20 == 0 counter drop
	}
	}`);
	const from = recorder.size();
	const stats = await waitUntil('repairs', async () => {
		const input = await one(sluice, 'a002', 'input');

		return input.stats?.recovered > 8 && input.stats;
	}, 30000);

	assert.ok(stats.lost >= stats.recovered, JSON.stringify(stats));
	await waitUntil('more', () => recorder.size() > from + 150000);
	const sent = (await one(sluice, 'a001', 'output')).stats;

	assert.ok(sent.retransmitted > 0);
	timing.stop();
	await sluice.stop();
	assertWhole(timing, await recorder.stop());
});

// A datagram of data of the main profile, in clear, behind the headers of UDP
// (8 bytes), GRE (4, librist 0.2.7 has no number in it) and ports (4): RTP.
const SEQUENCE = '@th,144,16';
const again = (bit) => `udp length > 500 @th,223,1 ${bit}`;

test('repaired and lost datagrams are counted separately, as soon as ' +
	'it is counted',
	async (t) => {
	const repairing = new Timing(t);
	const buffer = 2000;
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			`rist://127.0.0.1:9014#buffer=${buffer}`),
		stream('a002', `rist://@:9014#buffer=${buffer}`,
			'udp://127.0.0.1:6000')));
	const numbers = async () =>
		(await one(sluice, 'a002', 'input')).stats;
	// a retransmission has the number of its flow made odd
	const data = (bit, which) =>
		Fault.start(t, 9014, `${again(bit)} ${which}`);

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('a002', 15000);
	let fault = await data(0, 'numgen inc mod 5 == 2');

	await waitUntil('loss', async () => await fault.struck() >= 30, 30000);
	const repaired = await fault.stop();

	// the library's own count of repairs is a little off now and then, and
	// on a busy machine something may come too late, too
	const { dropped } = await waitUntil('repairs', async () => {
		const now = await numbers();

		return now.recovered > 0.8 * repaired && now;
	});
	repairing.assert(dropped < 0.1 * repaired, `${dropped} dropped`);
	// every 32nd datagram never comes, however often it is sent
	await data(1, `${SEQUENCE} & 0x1f == 7`);
	fault = await data(0, `${SEQUENCE} & 0x1f == 7`);
	await waitUntil('loss', async () => await fault.struck() >= 8, 30000);
	const timing = new Timing(t);
	const lost = await fault.stop(), since = now();

	// the last of them: the buffer, the next datagram, and the second in
	// which a status comes
	await waitUntil('losses', async () =>
		(await numbers()).dropped >= dropped + lost, 40000);
	const ms = now() - since;

	timing.assert((await numbers()).dropped < dropped + 2 * lost,
		'too many are dropped');
	timing.assert(ms < buffer + 1500, `${ms} ms`);
	await sluice.stop();
});

test('an impossible configuration is rejected with the name of the field',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const refused = {
		'rist://host': /port: is missing/,
		'rist://:9000': /host: is missing/,
		'rist://h:9001#profile=simple': /port: 9001 is odd/,
		'rist://h:9000#profile=advanced': /profile: "advanced"/,
		'rist://h:9000#aes-type=192': /aes-type: 192/,
		'rist://h:9000#profile=simple&secret=x':
			/secret: the simple profile has no encryption/,
		'rist://h:9000#profile=simple': /host: h is called/,
		'rist://@:9000,g:9002?profile=0': /host: g is called/,
		'rist://h:1,h:2,h:3,h:4,h:5': /host: there are more than 4/,
	};

	for (const [input, why] of Object.entries(refused)) {
		const reply = await sluice.post({ cmd: 'set-stream',
			stream: { name: 'x', enable: true, type: 'spts',
				input: [input], output: [] } });

		assert.equal(reply.status, 400, input);
		assert.match(JSON.parse(reply.body).error, why);
	}
	await sluice.stop();
});

test('a librist with known security holes is named once', async (t) => {
	const flawed = execFileSync('pkg-config', ['--modversion', 'librist'],
		{ encoding: 'utf8' }).trim() === '0.2.7';
	const sluice = await Sluice.start(t, config(
		stream('plain', 'udp://127.0.0.1:5000', [])));
	const libraries = async () =>
		(await sluice.json('/api/system-status')).libraries;

	await waitUntil('a worker', () => udpBound(5000));
	assert.equal(await libraries(), undefined);
	for (const [id, port] of [['one', 9000], ['two', 9002]])
		await sluice.cmd('set-stream', { stream: stream(id,
			`rist://@127.0.0.1:${port}`, []) });
	await waitUntil('their workers', () => udpBound(9000) &&
		udpBound(9002));
	if (!flawed) {
		assert.equal(await libraries(), undefined);
		return;
	}
	const [sentence] = await waitUntil('its name', libraries);
	assert.match(sentence,
		/^librist 0\.2\.7: .*known security holes.* SECURITY$/);
	const named = () => sluice.log.split(sentence).length - 1;
	await sluice.logged(/known security holes/);
	assert.equal(named(), 1);
	// the next master receives it
	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await sluice.ready();
	assert.deepEqual(await libraries(), [sentence]);
	assert.equal(named(), 1);
	await sluice.stop();
});
