// SPDX-License-Identifier: GPL-3.0-or-later
// rist: the peers at the other side, the missing ones, and their reports.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import { test } from 'node:test';
import { liveMultiplex } from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { one, url } from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { DATAGRAM, Recorder, Sender, joined } from '../helpers/udp.mjs';
import { now, sleep, start, udpBound, waitUntil }
	from '../helpers/util.mjs';

const SECRET = 'not to be heard';

test('a second sender is followed when the first is silent, not before',
	async (t) => {
	const recorder = await Recorder.start(t, { port: 6000 });
	const other = { ...PROGRAM, video: 0x201, audio: 0x202 };
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', 'rist://127.0.0.1:9010'),
		stream('a002', 'udp://127.0.0.1:5100', 'rist://127.0.0.1:9010'),
		stream('a003', 'rist://@127.0.0.1:9010', 'udp://127.0.0.1:6000')
	));
	const invalid = async () =>
		(await one(sluice, 'a003', 'input')).stats.invalid;

	await waitUntil('inputs', () => udpBound(5000) && udpBound(5100));
	const first = await Sender.start(t, new TsMux(), 5000);

	await sluice.onair('a003', 15000);
	assert.equal(await invalid(), 0);
	await Sender.start(t, new TsMux({ programs: [other] }), 5100);
	await waitUntil('the second', async () => await invalid() > 1000,
		30000);
	const { stats, error, peer } = await one(sluice, 'a003', 'input');
	const sent = (await one(sluice, 'a001', 'output')).stats.sent;

	// packets of the other sender are counted nowhere else; each of the two
	// numbers is logged once a second
	assert.match(error, /another sender ignored: 127\.0\.0\.1,/);
	assert.equal(peer, '127.0.0.1');
	assert.equal(stats.peers, 1);
	assert.ok(stats.received <= sent + 700, `${stats.received} of ${sent}`);
	assert.equal(sluice.log.match(/another sender ignored/g).length, 1);
	first.stop();
	await waitUntil('the second one alone', () =>
		fs.readFileSync(recorder.file).subarray(-50 * DATAGRAM)
			.includes(Buffer.from([0x47, 2, 1])), 20000);
	await sluice.stop();
	const all = joined((await recorder.stop())[0]);
	let turns = 0, last;

	for (let at = 0; at < all.length; at += 188) {
		const pid = all.readUInt16BE(at + 1) & 0x1fff;

		if (pid !== PROGRAM.video && pid !== other.video)
			continue;
		turns += last !== undefined && pid !== last;
		last = pid;
	}
	assert.equal(turns, 1);
	assert.equal(last, other.video);
});

// The caller of each of our sides, and its report.
const strangers = [
	{ who: 'a receiver with another secret', port: 9020, output: true,
		theirs: 'another', ours: SECRET,
		error: 'the peer has another secret' },
	{ who: 'a receiver in clear', port: 9022, output: true, ours: SECRET,
		error: 'the peer does not encrypt, but a secret is set' },
	{ who: 'an encrypted receiver', port: 9024, output: true,
		theirs: 'another',
		error: 'the peer encrypts, but no secret is set' },
	{ who: 'a sender with another secret', port: 9026, theirs: 'another',
		ours: SECRET, error: 'the peer has another secret' },
	{ who: 'a sender in clear', port: 9028, ours: SECRET,
		error: 'the peer does not encrypt, but a secret is set' },
];

// A listening output misses no peer: its strangers are counted and logged.
const reported = ({ output, error }) => output ? undefined : error;

function startStranger(t, { port, output, theirs }) {
	const secret = theirs ? ['-s', theirs, '-e', '128'] : [];
	const url = `rist://127.0.0.1:${port}`;

	start(t, output ? 'ristreceiver' : 'ristsender', ['-p', '1', '-v', '3',
		...secret, ...output
			? ['-i', url, '-o', `udp://127.0.0.1:${port + 1000}`]
			: ['-i', `udp://127.0.0.1:${port - 4000}`, '-o', url]]);
}

test('a peer with another secret, or none, is no sender, and the ' +
	'error names the cause',
	async (t) => {
	const called = strangers.filter((one) => one.output);
	// the lines that one stream may log are limited: each has its own
	const sluice = await Sluice.start(t, config(
		stream('from', 'udp://127.0.0.1:5000',
			strangers.filter((one) => !one.output)
				.map(({ port }) => `udp://127.0.0.1:${port -
					4000}`)),
		...called.map(({ port, ours }, i) => stream(`out${i}`,
			'stream://from', url(port, ours))),
		...strangers.filter((one) => !one.output).map(
			({ port, ours }, i) => stream(`in${i}`, url(port, ours),
				'udp://127.0.0.1:6000'))));
	const ends = async () => [
		...await Promise.all(called.map(async (_, i) =>
			(await sluice.status(`out${i}`)).outputs[0])),
		(await sluice.status('in0')).inputs[0],
		(await sluice.status('in1')).inputs[0]];

	await waitUntil('ports', () => [5000, ...strangers.map(({ port }) =>
		port)].every(udpBound));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	strangers.forEach((one) => startStranger(t, one));
	await waitUntil('its error', async () => {
		const list = await ends();

		assert.deepEqual(list.map(({ error }) => error),
			strangers.map(reported));
		return list.every(({ stats }, i) =>
			!strangers[i].output || stats.refused >= 1);
	}, 30000);
	// and that remains: such a peer is never connected later, and a message
	// that librist logs only at first stays in the status
	const until = now() + 10000;

	while (now() < until) {
		await sleep(100);
		for (const [i, end] of (await ends()).entries()) {
			const { who } = strangers[i];

			// on a slow machine a report may be missing
			if (end.stats === undefined)
				continue;
			assert.equal(end.stats.peers ?? 0, 0, who);
			assert.equal(end.peer, undefined, who);
			assert.equal(end.error, reported(strangers[i]), who);
			if (strangers[i].output)
				assert.ok(end.stats.refused >= 1, who);
		}
	}
	for (const id of ['in0', 'in1'])
		assert.equal((await sluice.status(id)).onair, false, id);
	for (const { who, port, error } of strangers)
		assert.equal(sluice.log.split(`rist port ${port}: ${error}`)
			.length, 2, who);
	await sluice.stop();
});

async function send(port, data) {
	const socket = dgram.createSocket('udp4');

	await new Promise((done) => socket.send(data, port, '127.0.0.1', done));
	socket.close();
}

test('an output that listens without receivers has no error and sends nothing',
	async (t) => {
	const outputs = { r1: 'rist://@127.0.0.1:9060',
		r2: 'rist://@127.0.0.1:9062#profile=simple',
		s1: 'srt://127.0.0.1:9064#mode=listener',
		called: 'rist://127.0.0.1:9066' };
	const sluice = await Sluice.start(t, config(
		...Object.entries(outputs).map(([id, output], i) =>
			stream(id, `udp://127.0.0.1:${5000 + i}`, output))));
	const output = (id) => one(sluice, id, 'output');
	const check = async (id) => (await sluice.cmd('check-stream', { id }))
		['check-stream'];

	for (const [i, id] of Object.keys(outputs).entries()) {
		await waitUntil('input', () => udpBound(5000 + i));
		await Sender.start(t, new TsMux(), 5000 + i);
	}
	for (const id of Object.keys(outputs))
		await sluice.onair(id, 20000);
	// an output that calls and gets no answer has one; so much time has
	// passed
	await waitUntil('the fault', async () =>
		(await output('called')).fault !== undefined, 20000);
	assert.equal(await check('called'), false);
	for (const id of ['r1', 'r2', 's1']) {
		const { open, error, fault, bitrate, packets, dropped } =
			await output(id);

		assert.deepEqual({ open, error, fault, bitrate, packets,
			dropped }, { open: true, error: undefined,
			fault: undefined, bitrate: 0, packets: 0, dropped: 0 },
		id);
		assert.equal(await check(id), 'ok', id);
	}
	for (const port of [9060, 9062])
		await send(port, Buffer.alloc(0));
	start(t, 'ristreceiver', ['-p', '1', '-i', 'rist://127.0.0.1:9060',
		'-o', 'udp://127.0.0.1:6000']);
	await waitUntil('a receiver', async () => {
		const { bitrate, stats, peer } = await output('r1');

		return bitrate > 0 && stats.peers === 1 && peer !== undefined;
	}, 30000);
	assert.doesNotMatch(sluice.log, /Success|errno=/);
	await sluice.stop();
});

test('callers need no_auth where viewers need a permission', async (t) => {
	const outputs = { called: 'rist://127.0.0.1:9090,@127.0.0.1:9092',
		waits: 'rist://@127.0.0.1:9094',
		free: 'rist://@127.0.0.1:9096#no_auth' };
	const sluice = await Sluice.start(t, { ...config(
		stream('from', 'udp://127.0.0.1:5000', []),
		...Object.entries(outputs).map(([id, output]) =>
			stream(id, 'stream://from', output))),
	auth: { enable: true } });
	const peers = async (id) =>
		(await one(sluice, id, 'output')).stats?.peers ?? 0;
	const refused = async (id) =>
		((await one(sluice, id, 'output')).stats?.refused ?? 0) > 0;

	await waitUntil('ports', () => [5000, 9092, 9094, 9096]
		.every(udpBound));
	await Sender.start(t, new TsMux(), 5000);
	for (const way of ['@127.0.0.1:9090', '127.0.0.1:9092',
		'127.0.0.1:9094', '127.0.0.1:9096'])
		start(t, 'ristreceiver', ['-p', '1', '-i', `rist://${way}`,
			'-o', 'udp://127.0.0.1:6000']);
	await waitUntil('the called one and the free one', async () =>
		await peers('called') === 1 && await peers('free') === 1 &&
		await refused('called') && await refused('waits'), 30000);
	await sluice.logged(/port 9094: .* refused: auth\.enable is true/);
	assert.equal(await peers('waits'), 0);
	await sluice.cmd('set-auth', { auth: { enable: false } });
	await waitUntil('the others', async () =>
		await peers('called') === 2 && await peers('waits') === 1,
	30000);
	// and it applies to callers that are connected
	await sluice.cmd('set-auth', { auth: { enable: true } });
	await waitUntil('their end', async () => await peers('called') === 1 &&
		await peers('waits') === 0, 30000);
	assert.equal(await peers('free'), 1);
	await sluice.stop();
});
