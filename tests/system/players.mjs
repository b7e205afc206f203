// SPDX-License-Identifier: GPL-3.0-or-later
// viewers and hls, with real players: none shows a fault while the input
// switches, the process of the stream is killed, and the service restarts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LONG_WINDOW, begin, faultsOf, playAll }
	from '../helpers/player-scene.mjs';
import { sanitized } from '../helpers/sluice.mjs';

const SECONDS = 20;

test('players show no fault, whatever happens to the stream', async (t) => {
	const sluice = await begin(t, LONG_WINDOW);
	// eight players and the sanitizers are too much for two cores
	const { found, happened, kills, missing } = await playAll(t,
		sluice, { seconds: SECONDS, everyS: 5, browser: !sanitized,
			...sanitized ? { only: ['ffmpeg'] } : {} });

	missing.forEach((what) => t.diagnostic(what));
	assert.ok(happened >= 3);
	for (const seen of found)
		await t.test(seen.name, (inner) => {
			const { pictures = 'no count of', late = 0,
				times = [], timing } = seen;

			// late is judged where a player has a processor:
			// make soak SOAK=players
			inner.diagnostic(`${pictures} pictures, ${late} late`);
			assert.deepEqual(faultsOf(seen, kills), []);
			timing.assert(times.length === 0, times.join('; '),
				inner);
		});
	await sluice.stop();
});
