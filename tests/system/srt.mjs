// SPDX-License-Identifier: GPL-3.0-or-later
// srt: caller, listener, encryption, receivers as sessions.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import { test } from 'node:test';
import { Viewer, assertDecodes, liveMultiplex } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { bothFamilies, start, udpBound, waitUntil } from
	'../helpers/util.mjs';

const SECRET = 'ten-or-more';

function inputOf(status) {
	return status.inputs[0];
}

test('three hops: listener, caller by name, stream id; ffmpeg plays it',
	async (t) => {
	bothFamilies(t);
	const timing = new Timing(t);
	// a process that is delayed for longer drops packets
	const latency = 'latency=1000';
	const sluice = await Sluice.start(t, config(
		stream('a001', `srt://:9001#passphrase=${SECRET}&${latency}`,
			`srt://:9002#${latency}`),
		stream('a002', `srt://localhost:9002#${latency}`,
			`srt://127.0.0.1:9003#streamid=news&${latency}`),
		stream('a003',
			'srt://127.0.0.1:9003#mode=listener&streamid=news',
			'http://127.0.0.1:8100/x')));

	await waitUntil('listener', () => udpBound(9001));
	const live = liveMultiplex(t, 'srt://127.0.0.1:9001?pkt_size=1316' +
		`&passphrase=${SECRET}`);

	await sluice.onair('a003', 15000);
	const viewer = await Viewer.open(t, 8100, '/x');

	await waitUntil('five seconds', () => viewer.bytes > 5 * 700000 / 8);
	const statuses = await Promise.all(['a001', 'a002', 'a003'].map(
		(id) => sluice.json(`/api/stream-status/${id}`)));
	const errors = statuses.map(({ cc_error: n }) => n);

	timing.stop();
	viewer.close();
	live.kill('SIGKILL');
	await sluice.stop();
	timing.assert(errors.every((n) => n === 0), `CC errors: ${errors}`);
	if (errors.every((n) => n === 0))
		await assertDecodes(t, wholeUnits(viewer.data()),
			{ minPictures: 50 });
});

test('both ends report the statistics of their link', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'srt://:9002#latency=800'),
		stream('a002', 'srt://127.0.0.1:9002#latency=800',
			'udp://127.0.0.1:6002')));
	const end = async (id, kind) => (await sluice.json(
		`/api/stream-${kind}s/${id}`))[`${kind}s`][0];
	const stats = async (...which) => (await end(...which)).stats ?? {};

	await waitUntil('listener', () => udpBound(9002));
	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('a002');
	const [from, to] = await waitUntil('numbers of both', async () => {
		const ends = [await stats('a001', 'output'),
			await stats('a002', 'input')];

		return ends[0].sent > 100 && ends[1].received > 100 && ends;
	});
	for (const one of [from, to]) {
		assert.equal(one.peers, 1);
		assert.ok(one.rtt_us > 0 && one.rtt_us < 1e6, `${one.rtt_us}`);
		assert.equal(one.latency_ms, 800);
		assert.ok(one.rate_kbps > 100, `${one.rate_kbps}`);
		timing.assert(one.lost === 0 && one.dropped === 0,
			`${one.lost} lost, ${one.dropped} dropped`);
	}
	assert.equal(to.undecrypted, 0);
	assert.equal((await end('a002', 'input')).peer, '127.0.0.1:9002');
	await sluice.logged(/port 9002: connected with 127\.0\.0\.1:9002/);
	await sluice.logged(
		/port 9002: receiver 127\.0\.0\.1 connected; receivers now: 1/);
	await sluice.stop();
});

test('a receiver of another program gets every packet in order',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'srt://:9002#latency=3000')));

	await waitUntil('listener', () => udpBound(9002));
	start(t, 'srt-live-transmit', ['-q', '-chunk:1316',
		'srt://127.0.0.1:9002', 'udp://127.0.0.1:6000']);
	await waitUntil('input', () => udpBound(5000));
	await sluice.waitStatus('a001', 'a receiver',
		(s) => s.outputs[0].stats?.peers === 1);
	await liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ seconds: 6 }).ended;
	await waitUntil('most of it', () => recorder.size() > 300000);
	await recorder.quiet();
	const [list] = await recorder.stop();

	const { ccErrors } = checkTs(joined(list));

	assert.ok(list.every(({ data }) => data.length % 188 === 0));
	// the other program drops what comes too late
	timing.assert(ccErrors === 0, `${ccErrors} continuity errors`);
	await sluice.stop();
});

test('a wrong passphrase and a wrong stream id are reported by name',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', `srt://:9001#passphrase=${SECRET}`,
			'udp://127.0.0.1:6001'),
		stream('a002', 'srt://127.0.0.1:9001#passphrase=another secret',
			'udp://127.0.0.1:6002'),
		stream('a003', 'srt://:9003#streamid=news',
			'udp://127.0.0.1:6003'),
		stream('a004', 'srt://127.0.0.1:9003#streamid=sport',
			'udp://127.0.0.1:6004'),
		stream('a005', 'srt://127.0.0.1:9005#timeout=1',
			'udp://127.0.0.1:6005')));
	const errorOf = async (id) =>
		inputOf(await sluice.status(id)).error ?? '';

	await waitUntil('the secret', async () =>
		/passphrases differ/.test(await errorOf('a002')));
	await waitUntil('the id', async () =>
		/refused by the peer/.test(await errorOf('a004')));
	await waitUntil('nobody', async () =>
		/no answer/.test(await errorOf('a005')));
	await sluice.stop();
});

const sessionsOf = async (sluice) => (await sluice.cmd('sessions')).sessions;

function receive(t, url) {
	return start(t, 'srt-live-transmit', ['-q', '-a:no', '-chunk:1316', url,
		'udp://127.0.0.1:6009']);
}

test('receivers of a listening output are sessions', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', 'srt://:9002')));
	const count = (n) => waitUntil(`${n} sessions`, async () => {
		const list = await sessionsOf(sluice);

		return list.length === n && list;
	}, 15000);

	await waitUntil('listener', () => udpBound(9002));
	const one = receive(t, 'srt://127.0.0.1:9002');
	const [session] = await count(1);

	assert.equal(session.channel_id, 'a001');
	assert.equal(session.addr, '127.0.0.1');
	assert.ok(Number.isSafeInteger(session.client_id));
	await waitUntil('the count', async () =>
		(await sluice.status('a001')).sessions === 1);
	const other = receive(t, 'srt://127.0.0.1:9002');
	const both = await count(2);

	assert.equal(both[0].client_id, session.client_id);
	assert.ok(both[0].uptime >= both[1].uptime);

	// the output is idle: a receiver that dies is detected all the same
	other.kill('SIGKILL');
	await count(1);
	// and a receiver that was disconnected ends: the program ends with its
	// connection
	await sluice.cmd('close-session', { id: session.client_id });
	await one.ended;
	await count(0);
	assert.equal((await sluice.post({ cmd: 'close-session',
		id: session.client_id })).status, 404);
	await sluice.stop();
});

test('one address gets only its share of the receivers', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', 'srt://:9002')));
	const refused = async () => (await sluice.json(
		'/api/stream-outputs/a001')).outputs[0].stats?.refused > 0;

	await waitUntil('listener', () => udpBound(9002));
	for (let i = 0; i < 32; i++)
		receive(t, 'srt://127.0.0.1:9002');
	await waitUntil('32 sessions', async () =>
		(await sessionsOf(sluice)).length === 32, 20000);
	const last = receive(t, 'srt://127.0.0.1:9002');

	await waitUntil('one too many', refused, 20000);
	await last.ended;
	assert.equal((await sessionsOf(sluice)).length, 32);
	await sluice.stop();
});

// Its end and its next start would delay the other work of the stream.
test('the library stays loaded from one try to the next', async (t) => {
	const called = dgram.createSocket('udp4'), tries = new Set();
	const names = new Map();
	// who starts one has its name for a moment, and then its own again
	const collectors = () => [...names.values()].filter((all) =>
		[...all].every((name) => name.startsWith('SRT:GC')));

	t.after(() => called.close());
	called.on('message', (_, { port }) => tries.add(port));
	await new Promise((done) => called.bind(9001, done));
	const sluice = await Sluice.start(t, config(stream('a001',
		'srt://127.0.0.1:9001#timeout=1', [])));

	await waitUntil('calls', () => {
		const { pid } = sluice.worker('stream', 'a001');
		const all = fs.readdirSync(`/proc/${pid}/task`);

		for (const tid of all) {
			const name = fs.readFileSync(
				`/proc/${pid}/task/${tid}/comm`, 'utf8');

			names.set(tid, (names.get(tid) ?? new Set()).add(name));
		}
		return tries.size >= 3 && collectors().length > 0;
	}, 20000);
	assert.equal(collectors().length, 1);
	await sluice.stop();
});

test('an output listens at its port as soon as the port is free', async (t) => {
	const other = dgram.createSocket('udp4');

	await new Promise((done) => other.bind(9001, done));
	const sluice = await Sluice.start(t, config(
		stream('a001', 'srt://:9001', 'udp://127.0.0.1:6000')));

	await sluice.waitStatus('a001', 'the reason', (s) =>
		!inputOf(s).open && inputOf(s).error ===
			'listen on port 9001: Address already in use');
	await new Promise((done) => other.close(done));
	await sluice.waitStatus('a001', 'the socket', (s) =>
		inputOf(s).open && /caller/.test(inputOf(s).error));
	await sluice.stop();
});

test('an impossible configuration is rejected with the name of the field',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const refused = {
		'srt://host': /port: is missing/,
		'srt://host:70000': /port: /,
		'srt://:9001#mode=caller': /host: is missing/,
		'srt://:9001#passphrase=short':
			/passphrase: has 5 bytes, not 10 to 79/,
		'srt://:9001#pbkeylen=17': /pbkeylen: 17/,
		'srt://:9001#mode=both': /mode: "both"/,
		'srt://h:9001?streamid=%zz': /streamid: has a broken/,
		'srt://h:9001#packetfilter=foo,bar': /packetfilter: "foo"/,
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
