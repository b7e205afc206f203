// SPDX-License-Identifier: GPL-3.0-or-later
// rist: an output that calls logs both ends of an outage.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { one } from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { start, udpBound, waitUntil } from '../helpers/util.mjs';

// Each output, and the receivers of another program at its paths.
const left = [
	{ output: 'rist://127.0.0.1:9070', ways: ['1', '@127.0.0.1:9070'] },
	{ output: 'rist://127.0.0.1:9072#profile=simple',
		ways: ['0', '@127.0.0.1:9072'] },
	{ output: 'rist://@127.0.0.1:9074', ways: ['1', '127.0.0.1:9074'] },
	{ output: 'rist://127.0.0.1:9076,127.0.0.1:9078',
		ways: ['1', '@127.0.0.1:9076', '@127.0.0.1:9078'] },
	{ output: 'rist://127.0.0.1:9080,127.0.0.1:9082#profile=simple',
		ways: ['0', '@127.0.0.1:9080', '@127.0.0.1:9082'] },
];

test('an output that calls logs both ends of an outage, with its ' +
	'loss; one that listens logs none', async (t) => {
	const receive = ([profile, ...ways]) => ways.map((way) =>
		start(t, 'ristreceiver', ['-p', profile, '-i', `rist://${way}`,
			'-o', 'udp://127.0.0.1:6000']));
	const running = left.map(({ ways }) => receive(ways));
	// each its own, because the lines that one stream may log are limited
	const ids = left.map((_, i) => `a00${i}`);
	const ports = left.map((_, i) => 5000 + i);
	const sluice = await Sluice.start(t, config(...left.map(
		({ output }, i) => stream(ids[i],
			`udp://127.0.0.1:${ports[i]}`, output))));
	const outputs = () => Promise.all(ids.map((id) =>
		one(sluice, id, 'output')));
	const all = (what, is) => waitUntil(what, async () => {
		const now = await outputs();

		assert.deepEqual(now.map(is), left.map(() => true));
		return now;
	}, 40000);
	const connected = () => all('receivers', ({ error, stats }, i) =>
		error === undefined &&
		stats?.peers === left[i].ways.length - 1);
	const lines = (from, i, text) => sluice.log.slice(from).split('\n')
		.filter((line) => line.includes(
			`stream ${ids[i]}: output 1: ${text}`));
	const told = (from, i) => lines(from, i, 'open again')
		.reduce((sum, line) => sum + Number(
			/(\d+) packets were dropped/.exec(line)[1]), 0);
	const socket = dgram.createSocket('udp4');

	t.after(() => socket.close());
	await waitUntil('inputs', () => ports.every(udpBound));
	await Sender.start(t, new TsMux(), ports[0], { shape: (packets) => {
		for (const port of ports.slice(1))
			socket.send(packets, port, '127.0.0.1');
		return [packets];
	} });
	const before = await connected();
	// the line about the begin is in the log before this
	await sluice.cmd('set-auth', { auth: { backend: 'none' } });
	await sluice.logged(/backend: is not a URL/);
	const from = sluice.log.length;

	for (const [first] of running)
		first.kill('SIGKILL');
	const errors = ['no peer connected', 'no peer connected', undefined,
		'path 1: no peer connected', 'path 1: no peer connected'];
	const gone = await all('their absence', ({ error, stats }, i) =>
		error === errors[i] && stats.peers ===
			(i < 3 ? 0 : 1));
	// from here on no receiver accepts packets, or the other one accepts
	// all
	const lost = await all('the loss', ({ packets, dropped, fault },
		i) => {
		const sent = packets - gone[i].packets;
		const more = dropped - before[i].dropped;

		if (i < 2)
			return sent === 0 && more > 5000 && fault !== undefined;
		return more === 0 && (i === 2 ? sent === 0 : sent > 5000);
	});

	assert.deepEqual(lost.slice(0, 3).map(({ peer, bitrate }) =>
		({ peer, bitrate })), Array(3).fill({ peer: undefined,
		bitrate: 0 }));
	assert.equal(lost[2].fault, undefined);
	assert.equal(lost[3].peer, '127.0.0.1:9078');
	// the log comes by another pipe, and later
	await waitUntil('its lines', () => {
		for (const [i, error] of errors.entries())
			assert.equal(lines(from, i, `${error}`).length,
				error === undefined ? 0 : 1, left[i].output);
		return true;
	});
	for (const { ways } of left)
		receive(ways.slice(0, 2));
	const after = await connected();

	await waitUntil('its loss', () => {
		for (const i of [0, 1])
			assert.equal(told(from, i), after[i].dropped -
				before[i].dropped, left[i].output);
		for (const i of [3, 4])
			assert.equal(lines(from, i, 'all paths are sending')
				.length, 1, left[i].output);
		return true;
	});
	await sluice.stop();
});
