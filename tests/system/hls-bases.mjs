// SPDX-License-Identifier: GPL-3.0-or-later
// The sequence numbers of a playlist never go back (RFC 8216 6.2.2): neither
// when a process of the stream dies, nor when the stream or the service stops.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { parsePlaylist } from '../helpers/playlist.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

const PORT = 8100;
const made = (enable) => ({ ...stream('a001', 'udp://127.0.0.1:5000',
	`http://127.0.0.1:${PORT}/news.m3u8#duration=1`), enable });

// The numbers of the newest segment, as soon as they are others.
const newest = (before) => waitUntil('a segment', async () => {
	const { status, body } = await request(PORT, { path: '/news.m3u8' });
	const { segments } = status === 200 ? parsePlaylist(body.toString())
		: { segments: [] };
	const last = segments.at(-1);

	return last !== undefined && last.number !== before?.number &&
		last.base !== before?.base &&
		{ number: last.number, base: last.base };
}, 20000);

function assertGreater(after, before) {
	assert.ok(after.base > before.base, `${after.base} ${before.base}`);
	assert.ok(after.number > before.number);
}

test('numbers of segments do not go back', async (t) => {
	const sluice = await Sluice.start(t, config(made(true)));

	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await sluice.onair('a001');

	let last = await newest();

	for (let i = 0; i < 2; i++) {
		const { pid } = sluice.worker('stream', 'a001');

		process.kill(pid, 'SIGKILL');
		await sluice.replaced('stream', 'a001', pid);

		const next = await newest(last);

		assertGreater(next, last);
		last = next;
	}
	// its ring goes with it
	for (const enable of [false, true])
		await sluice.cmd('set-stream', { id: 'a001',
			stream: made(enable) });

	const again = await newest(last);

	assertGreater(again, last);
	assert.equal((await sluice.stop()).code, 0);

	const second = await Sluice.start(t, null, { dir: sluice.dir });
	const other = await newest(again);

	assertGreater(other, again);
	// without an orderly end
	second.child.kill('SIGKILL');
	await second.child.ended;
	await waitUntil('no worker', () => second.workers().length === 0);

	const third = await Sluice.start(t, null, { dir: sluice.dir });

	assertGreater(await newest(other), other);
	await third.stop();
});
