// SPDX-License-Identifier: GPL-3.0-or-later
// rist: of two paths either may be cut.
import { test } from 'node:test';
import { liveMultiplex } from '../helpers/media.mjs';
import { assertWhole, losePaths, nft, one } from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

for (const [profile, a, b] of [['main', 9006, 9008], ['simple', 9016, 9018]])
	test(`two paths to one receiver, ${profile} profile: either may be cut`,
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
	await waitUntil('both paths', async () =>
		(await one(sluice, 'a001', 'output')).stats?.peers === 2);
	const from = recorder.size();

	await waitUntil('packets of both', () =>
		recorder.size() > from + 300000, 20000);
	nft(`table inet cut${a} { chain in {
		type filter hook input priority 0;
		udp dport { ${a}, ${a + 1} } drop
	}
	}`);
	await waitUntil('the other path', () =>
		recorder.size() > from + 600000, 20000);
	timing.stop();
	await sluice.stop();
	assertWhole(timing, await recorder.stop());
}

test('a path that fails raises the alarm unprotected: simple profile',
	(t) => losePaths(t, 1, ['@127.0.0.1:9024', '@127.0.0.1:9026'],
		'&profile=simple'));
