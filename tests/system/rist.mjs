// SPDX-License-Identifier: GPL-3.0-or-later
// rist: both profiles, both directions, beside the programs of librist.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { liveMultiplex } from '../helpers/media.mjs';
import { Fault } from '../helpers/net.mjs';
import { assertWhole, one } from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { now, start, udpBound, waitUntil } from '../helpers/util.mjs';

const SECRET = 'not to be heard';

function nft(rules) {
	execFileSync('nft', ['-f', '-'], { input: rules });
}

test('a sender of another program, main profile, encrypted', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', `rist://@127.0.0.1:9000#secret=${SECRET}` +
			'&buffer=1000', 'udp://127.0.0.1:6000')));

	await waitUntil('listener', () => udpBound(9000));
	await waitUntil('its state', async () =>
		(await one(sluice, 'a001', 'input')).error ===
		'nobody is connected');
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

test('what the network loses is sent again, and counted', async (t) => {
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

test('what is repaired and what is not are told apart, as soon as it is known',
	async (t) => {
	const buffer = 2000;
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			`rist://127.0.0.1:9014#buffer=${buffer}`),
		stream('a002', `rist://@:9014#buffer=${buffer}`,
			'udp://127.0.0.1:6000')));
	const numbers = async () =>
		(await one(sluice, 'a002', 'input')).stats;
	// what is sent again has the number of its flow made odd
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
	assert.ok(dropped < 0.1 * repaired, `${dropped}`);
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

	assert.ok((await numbers()).dropped < dropped + 2 * lost);
	timing.assert(ms < buffer + 1500, `${ms} ms`);
	await sluice.stop();
});

for (const [profile, a, b] of [['main', 9006, 9008], ['simple', 9016, 9018]])
	test(`two ways to one receiver, ${profile} profile: either may be cut`,
		(t) => cutOne(t, `#buffer=1000&profile=${profile}`, a, b));

async function cutOne(t, options, a, b) {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			`rist://127.0.0.1:${a},127.0.0.1:${b}${options}`),
		stream('a002', `rist://@127.0.0.1:${a},@127.0.0.1:${b}` +
			options, 'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('a002', 15000);
	await waitUntil('both ways', async () =>
		(await one(sluice, 'a001', 'output')).stats?.peers === 2);
	const from = recorder.size();

	await waitUntil('what both bring', () =>
		recorder.size() > from + 300000, 20000);
	nft(`table inet cut${a} { chain in {
		type filter hook input priority 0;
		udp dport { ${a}, ${a + 1} } drop
	}
	}`);
	await waitUntil('the other way', () =>
		recorder.size() > from + 600000, 20000);
	timing.stop();
	await sluice.stop();
	assertWhole(timing, await recorder.stop());
}

// Both ways of one input, called or waited for; one after the other is cut, and
// what is sent again tells itself.
for (const [i, name, ways, more] of [
	[0, 'waited for', ['@127.0.0.1:9020', '@127.0.0.1:9022'], ''],
	[1, 'waited for, simple profile',
		['@127.0.0.1:9024', '@127.0.0.1:9026'], '&profile=simple'],
	[2, 'called', ['127.0.0.1:9028', '127.0.0.1:9030'], '']])
	test(`a way that is gone raises the alarm unprotected: ${name}`,
		async (t) => {
		const other = (way) => way.startsWith('@') ? way.slice(1) :
			`@${way}`;
		const sluice = await Sluice.start(t, config(
			stream('a001', 'udp://127.0.0.1:5000',
				`rist://${ways.map(other)}#buffer=300${more}`),
			stream('a002', `rist://${ways}#buffer=300${more}`,
				[])));
		const state = async () => {
			const { alarms } = (await sluice.status('a002'))
				.inputs[0];
			const { error } = await one(sluice, 'a002', 'input');

			return { error, raised: alarms?.includes('unprotected')
				?? false };
		};
		const well = () => waitUntil('both ways', async () => {
			const { error, raised } = await state();

			return error === undefined && !raised;
		}, 30000);

		await waitUntil('input', () => udpBound(5000));
		liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
			{ seconds: 120 });
		await sluice.onair('a002', 15000);
		await well();
		for (const way of [0, 1]) {
			const port = Number(ways[way].split(':')[1]);
			const table = `way${i}${way}`;

			nft(`table inet ${table} { chain in {
				type filter hook input priority 0;
				udp dport { ${port}, ${port + 1} } drop
				udp sport { ${port}, ${port + 1} } drop
			}
			}`);
			await waitUntil(`alarm of path ${way + 1}`,
				async () => {
				const { error, raised } = await state();

				return error === `path ${way + 1}: brings ` +
					'nothing' && raised;
			}, 20000);
			await sluice.onair('a002', 15000);
			if (way === 1)
				break;
			nft(`delete table inet ${table}`);
			await well();
		}
		nft(`table inet both${i} { chain in {
			type filter hook input priority 0;
			meta l4proto udp drop
		}
		}`);
		await waitUntil('nobody', async () => (await state()).error ===
			'nobody is connected', 60000);
		nft(`delete table inet both${i}; delete table inet way${i}1`);
		// why it is off air is another matter
		assert.doesNotMatch(sluice.log,
			/unprotected \((?!path \d: brings nothing)/);
		await sluice.stop();
	});

test('what cannot be is refused with the name of the field', async (t) => {
	const sluice = await Sluice.start(t, config());
	const refused = {
		'rist://host': /port: is missing/,
		'rist://:9000': /host: is missing/,
		'rist://h:9001#profile=simple': /port: 9001 is odd/,
		'rist://h:9000#profile=advanced': /profile: "advanced"/,
		'rist://h:9000#aes-type=192': /aes-type: 192/,
		'rist://h:9000#profile=simple&secret=x': /secret: there is/,
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
