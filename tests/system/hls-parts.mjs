// SPDX-License-Identifier: GPL-3.0-or-later
// Low latency where the first segment is longer than `duration': the target
// duration of parts is that of all playlists, and no part exceeds it (RFC
// 8216bis 4.4.3.7), nor has it less than 85 %, unless it ends a segment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeClip } from '../helpers/media.mjs';
import { parsePlaylist } from '../helpers/playlist.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const PORT = 8100;

const ask = (query = '') => request(PORT, { path: `/low.m3u8${query}` });

const list = async (query) => {
	const { status, body } = await ask(query);

	assert.equal(status, 200, body);
	return parsePlaylist(body);
};

function judge({ text, part, target, segments, open }) {
	for (const s of segments) {
		assert.ok(Math.round(s.duration) <= target, text);
		for (const [i, { duration }] of s.parts.entries()) {
			assert.ok(duration <= part, text);
			assert.ok(i === s.parts.length - 1 ||
				duration >= part * 0.85, text);
		}
		const sum = s.parts.reduce((all, p) => all + p.duration, 0);
		assert.ok(s.parts.length === 0 ||
			Math.abs(sum - s.duration) < 0.05, text);
	}
	for (const { duration } of open)
		assert.ok(duration <= part && duration >= part * 0.85, text);
}

test('the first segment is longer than expected', async (t) => {
	const dir = tempDir(t);

	await makeClip(dir, 'a', { pictures: ['-c:v', 'libx264',
		'-sc_threshold', '0'], gop: 325, seconds: 26 });
	const sluice = await Sluice.start(t, config(stream('a001',
		`file://${dir}/a.ts#loop`,
		`http://127.0.0.1:${PORT}/low.m3u8#duration=1&part=200`)));

	// waits for the end of the first segment
	const first = await list();
	const next = first.first + first.segments.length;

	assert.equal(first.segments.length, 1, first.text);
	assert.ok(first.part >= 0.2 && first.part < 0.3, first.text);
	judge(first);
	// requests for what does not follow soon
	for (const [query, status] of [[`_HLS_msn=${next + 2}`, 400],
		[`_HLS_msn=${next}&_HLS_part=40`, 400],
		[`_HLS_msn=${next}&_HLS_part=1000000`, 400],
		['_HLS_part=1', 400], ['_HLS_msn=x', 400],
		[`_HLS_msn=${next - 1}&_HLS_part=x`, 400],
		[`_HLS_msn=${next - 1}`, 200],
		['_HLS_msn=1&_HLS_part=7', 200]])
		assert.equal((await ask(`?${query}`)).status, status, query);
	let known = first;
	for (let i = 0; i < 12; i++) {
		known = await list(`?_HLS_msn=${next}&_HLS_part=${
			known.open.length}`);
		assert.equal(known.part, first.part, known.text);
		judge(known);
	}
	// the segment has all of its parts
	const after = await waitUntil('the next segment', async () => {
		const now = await list(`?_HLS_msn=${next}`);

		return now.segments.at(-1).number === next && now;
	}, 30000);
	assert.equal(after.part, first.part, after.text);
	assert.ok(after.segments.at(-1).parts.length > 12, after.text);
	judge(after);
	await sluice.stop();
});
