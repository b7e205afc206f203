// SPDX-License-Identifier: GPL-3.0-or-later
// srt: callers of a listener, those that are refused, replaced or silent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveMultiplex } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { always, now, start, udpBound, waitUntil }
	from '../helpers/util.mjs';

const SECRET = 'ten-or-more';

function inputOf(status) {
	return status.inputs[0];
}

function receive(t, url) {
	return start(t, 'srt-live-transmit', ['-q', '-a:no', '-chunk:1316', url,
		'udp://127.0.0.1:6009']);
}

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

const TIME = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d [A-Z0-9+-]+';
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
	await waitUntil('its reason', async () => {
		const reason = await error();

		always(() => assert.doesNotMatch(reason, / refused at /));
		return new RegExp('^waiting for a caller; 127\\.0\\.0\\.1:' +
			`\\d+ disconnected at ${TIME}$`).test(reason);
	});
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
		const checked = await ok();

		always(() => {
			assert.ok(!status.alarms.includes('output_fault'));
			assert.equal(status.outputs[0].error, undefined);
			assert.equal(checked, 'ok');
		});
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

// The worker stands still: the new master has no report of it. False: it stood
// still for so long that a master ended it.
async function countedOverRestart(t) {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'srt://:9002#mode=listener')));
	const sessions = async () => (await sluice.status('a001')).sessions;

	await waitUntil('a listener', () => udpBound(9002));
	for (let i = 0; i < 2; i++)
		receive(t, 'srt://127.0.0.1:9002');
	await waitUntil('receivers', async () => await sessions() === 2);
	const { pid } = sluice.worker('stream', 'a001');
	process.kill(pid, 'SIGSTOP');
	await sluice.cmd('restart');
	await sluice.logged(/restarting: the streams/);
	await sluice.ready();
	const counts = [await sessions(),
		(await sluice.cmd('sessions')).sessions.length];
	const counted = counts.join() === '2,2' &&
		sluice.worker('stream', 'a001')?.pid === pid;

	if (counted)
		process.kill(pid, 'SIGCONT');
	else
		await sluice.logged(/stream a001: no status for \d+ s/);
	await sluice.stop();
	return counted;
}

test('the receivers of an output are counted over a restart', async (t) => {
	let counted = false;

	for (let i = 0; i < 5 && !counted; i++)
		counted = await countedOverRestart(t);
	assert.ok(counted, 'each time the worker was ended');
});
