// SPDX-License-Identifier: GPL-3.0-or-later
// srt: caller, listener, encryption; a rejected caller gets the reason.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import { test } from 'node:test';
import { Viewer, assertDecodes, liveMultiplex } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { now, start, udpBound, waitUntil } from '../helpers/util.mjs';

const SECRET = 'ten-or-more';

function inputOf(status) {
	return status.inputs[0];
}

test('three hops: listener, caller by name, stream id; ffmpeg plays it',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', `srt://:9001#passphrase=${SECRET}&latency=60`,
			'srt://:9002#latency=60'),
		stream('a002', 'srt://localhost:9002#latency=60',
			'srt://127.0.0.1:9003#streamid=news&latency=60'),
		stream('a003',
			'srt://127.0.0.1:9003#mode=listener&streamid=news',
			'http://127.0.0.1:8100/x')));

	await waitUntil('listener', () => udpBound(9001));
	const live = liveMultiplex(t, 'srt://127.0.0.1:9001?pkt_size=1316' +
		`&passphrase=${SECRET}`, { seconds: 9 });

	await sluice.onair('a003', 15000);
	const viewer = await Viewer.open(t, 8100, '/x');

	await live.ended;
	await waitUntil('its end', () =>
		performance.now() - viewer.lastByte > 500);
	viewer.close();
	await assertDecodes(t, wholeUnits(viewer.data()),
		{ minPictures: 50 });
	assert.equal(inputOf(await sluice.status('a003')).cc_error, 0);
	await sluice.stop();
});

test('both ends report the statistics of their link', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'srt://:9002#latency=80'),
		stream('a002', 'srt://127.0.0.1:9002#latency=80',
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
		assert.equal(one.latency_ms, 80);
		assert.ok(one.rate_kbps > 100, `${one.rate_kbps}`);
		assert.equal(one.lost, 0);
		assert.equal(one.dropped, 0);
	}
	assert.equal(to.undecrypted, 0);
	assert.equal((await end('a002', 'input')).peer, '127.0.0.1:9002');
	await sluice.logged(/port 9002: connected with 127\.0\.0\.1:9002/);
	await sluice.logged(
		/port 9002: receiver 127\.0\.0\.1 connected, 1 in all/);
	await sluice.stop();
});

test('a receiver of another program gets every packet in order',
	async (t) => {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', 'srt://:9002')));

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

	assert.ok(list.every(({ data }) => data.length % 188 === 0));
	assert.equal(checkTs(joined(list)).ccErrors, 0);
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

// Eight times and more: the caller and the reason are logged, not each time.
async function assertRefusals(sluice, { kind, id, port, error, why }) {
	const one = async () => (await sluice.json(
		`/api/stream-${kind}s/${id}`))[`${kind}s`][0];

	await waitUntil('all of them', async () =>
		(await one()).stats?.refused >= 8, 20000);
	// they call again at once: for a moment there may be too many of them
	await waitUntil('its error', async () =>
		error.test((await one()).error ?? ''));
	const lines = sluice.log.split('\n').filter((line) =>
		line.includes(`stream ${id}: srt port ${port}`) &&
		why.test(line));

	assert.ok(lines.length >= 1 && lines.length <= 5, `${lines.length}`);
}

const TIME = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';
const refusedAt = (why) => new RegExp('^waiting for a caller; call of ' +
	`127\\.0\\.0\\.1 refused at ${TIME}: ${why}`);

test('a rejected caller is named by address, in the log within a limit',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', `srt://:9001#passphrase=${SECRET}`,
			'udp://127.0.0.1:6001'),
		stream('a002', 'udp://127.0.0.1:5000',
			'srt://:9002#streamid=news')));

	await waitUntil('listeners', () => udpBound(9001) && udpBound(9002));
	await waitUntil('its state', async () => inputOf(
		await sluice.status('a001')).error === 'waiting for a caller');
	for (let i = 0; i < 8; i++) {
		start(t, 'srt-live-transmit', ['-q', 'udp://127.0.0.1:6008',
			'srt://127.0.0.1:9001?passphrase=another-secret']);
		receive(t, 'srt://127.0.0.1:9002?streamid=sport');
	}
	await assertRefusals(sluice, { kind: 'input', id: 'a001', port: 9001,
		error: refusedAt('passphrase'),
		why: /127\.0\.0\.1: call refused: passphrase/ });
	await assertRefusals(sluice, { kind: 'output', id: 'a002', port: 9002,
		error: /^$/,
		why: /127\.0\.0\.1: call refused: wrong stream/ });
	await sluice.stop();
});

test('a listener reports its last event, never a refusal before it',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', `srt://:9001#passphrase=${SECRET}`,
			'udp://127.0.0.1:6001')));
	const error = async () => inputOf(await sluice.status('a001')).error;
	const at = 'srt://127.0.0.1:9001?pkt_size=1316&passphrase=';

	await waitUntil('listener', () => udpBound(9001));
	await start(t, 'srt-live-transmit', ['-q', '-a:no',
		'udp://127.0.0.1:6008',
		'srt://127.0.0.1:9001?passphrase=another-secret']).ended;
	await waitUntil('the refusal', async () =>
		refusedAt('passphrase').test(await error()));
	const live = liveMultiplex(t, at + SECRET);

	await sluice.onair('a001', 15000);
	live.kill('SIGTERM');
	await sluice.waitStatus('a001', 'off air', (s) => !s.onair &&
		s.packets === 0);
	await waitUntil('its reason', async () => new RegExp('^waiting for a ' +
		`caller; 127\\.0\\.0\\.1:\\d+ disconnected at ${TIME}$`)
		.test(await error()));
	await sluice.logged(/off air: waiting for a caller; .* disconnected/);
	assert.ok(sluice.log.indexOf('call refused: passphrase') <
		sluice.log.indexOf('connected with 127.0.0.1'), sluice.log);
	await sluice.stop();
});

test('a stranger that is refused is no fault of a listening output',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			`srt://:9001#passphrase=${SECRET}`)));
	const ok = async () => (await sluice.cmd('check-stream',
		{ id: 'a001' }))['check-stream'];
	const output = async () => (await sluice.status('a001')).outputs[0];

	await waitUntil('input', () => udpBound(5000) && udpBound(9001));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	await sluice.onair('a001');
	receive(t, 'srt://127.0.0.1:9001?passphrase=another-secret');
	await sluice.logged(/127\.0\.0\.1: call refused: passphrase/);
	await waitUntil('its count', async () =>
		(await output()).stats.refused >= 1);
	const { timestamp } = await sluice.status('a001');

	// an error would raise the alarm after three seconds
	await waitUntil('five seconds', async () => {
		const status = await sluice.status('a001');

		assert.deepEqual(status.alarms.filter((alarm) =>
			alarm === 'output_fault'), []);
		assert.equal(status.outputs[0].error, undefined);
		assert.equal(await ok(), 'ok');
		return status.timestamp > timestamp + 4;
	}, 20000);
	await sluice.stop();
});

test('a second caller is rejected and named, the first one stays',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'srt://:9001', 'udp://127.0.0.1:6001')));
	const input = async () => inputOf(await sluice.status('a001'));

	await waitUntil('listener', () => udpBound(9001));
	liveMultiplex(t, 'srt://127.0.0.1:9001?pkt_size=1316');
	await sluice.onair('a001');
	const { peer } = await input();

	assert.match(peer, /^127\.0\.0\.1:\d+$/);
	const second = start(t, 'srt-live-transmit', ['-q', '-a:no',
		'udp://127.0.0.1:6008', 'srt://127.0.0.1:9001']);

	await second.ended;
	await sluice.logged(/refused: another caller is connected/);
	await waitUntil('its count', async () =>
		(await input()).stats.refused >= 1);
	assert.equal((await input()).peer, peer);
	assert.equal((await input()).error, undefined);
	await sluice.stop();
});

test('a caller that replaces a silent caller has the full timeout to begin',
	async (t) => {
	const timing = new Timing(t), timeout = 3000;
	const sluice = await Sluice.start(t, config(
		stream('a001', `srt://:9001#timeout=${timeout / 1000}`,
			'udp://127.0.0.1:6001')));
	const silent = () => start(t, 'srt-live-transmit', ['-q', '-a:no',
		'udp://127.0.0.1:6008', 'srt://127.0.0.1:9001']);
	const connected = (n) => waitUntil(`caller ${n}`, () => sluice.log
		.split('port 9001: connected with').length > n, 20000);

	await waitUntil('listener', () => udpBound(9001));
	silent();
	await connected(1);
	const first = now();

	await waitUntil('his time to run out', () =>
		now() - first > timeout - 1000);
	const since = now(), second = silent();

	await connected(2);
	// each is disconnected for its own silence, none for another's
	await second.ended;
	const took = now() - since;

	timing.assert(took > timeout - 500, `he had ${took} ms`);
	await sluice.stop();
});

test('a source that stops and starts again is received again', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'srt://:9001', 'udp://127.0.0.1:6001')));
	const url = 'srt://127.0.0.1:9001?pkt_size=1316';

	await waitUntil('listener', () => udpBound(9001));
	const first = liveMultiplex(t, url);

	await sluice.onair('a001');
	first.kill('SIGKILL');
	await sluice.waitStatus('a001', 'off air', (s) => !s.onair &&
		s.packets === 0);
	liveMultiplex(t, url);
	await sluice.onair('a001', 15000);
	await sluice.stop();
});

// Its end and its next start would delay the other work of the stream.
test('the library stays loaded from one try to the next', async (t) => {
	const called = dgram.createSocket('udp4'), tries = new Set();
	const collectors = new Set();

	t.after(() => called.close());
	called.on('message', (_, { port }) => tries.add(port));
	await new Promise((done) => called.bind(9001, done));
	const sluice = await Sluice.start(t, config(stream('a001',
		'srt://127.0.0.1:9001#timeout=1', [])));

	await waitUntil('calls', () => {
		const { pid } = sluice.worker('stream', 'a001');
		const all = fs.readdirSync(`/proc/${pid}/task`);

		for (const tid of all)
			if (/^SRT:GC/.test(fs.readFileSync(
				`/proc/${pid}/task/${tid}/comm`, 'utf8')))
				collectors.add(tid);
		return tries.size >= 3 && collectors.size > 0;
	}, 20000);
	assert.equal(collectors.size, 1);
	await sluice.stop();
});

test('an output listens at its port as soon as the port is free', async (t) => {
	const other = dgram.createSocket('udp4');

	await new Promise((done) => other.bind(9001, done));
	const sluice = await Sluice.start(t, config(
		stream('a001', 'srt://:9001', 'udp://127.0.0.1:6000')));

	await sluice.waitStatus('a001', 'the reason', (s) =>
		!inputOf(s).open && /9001/.test(inputOf(s).error));
	await new Promise((done) => other.close(done));
	await sluice.waitStatus('a001', 'the socket', (s) =>
		inputOf(s).open && /caller/.test(inputOf(s).error));
	await sluice.stop();
});

test('the watchdog ends a silent caller, and an input waits for a ' +
	'call for ever',
	async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'srt://:9001#timeout=3600&watchdog=1',
		'udp://127.0.0.1:6001')));
	const input = async () => inputOf(await sluice.status('a001'));
	const anew = /input 1: no packets for 1 s: opening it again/;

	await waitUntil('listener', () => udpBound(9001));
	const { timestamp } = await sluice.status('a001');

	await waitUntil('four seconds without a caller', async () =>
		(await sluice.status('a001')).timestamp > timestamp + 3);
	assert.doesNotMatch(sluice.log, anew);
	// it calls, and sends nothing
	start(t, 'srt-live-transmit', ['-q', '-a:yes',
		'udp://127.0.0.1:6008', 'srt://127.0.0.1:9001']);
	await waitUntil('a connection', async () =>
		(await input()).stats.connects > 0);
	await sluice.logged(anew);
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
