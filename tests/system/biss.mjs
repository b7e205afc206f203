// SPDX-License-Identifier: GPL-3.0-or-later
// inputs, BISS: a stream that VLC scrambles is clear with the key, and the
// state of a stream names a wrong key.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Viewer, assertDecodes, makeClip } from '../helpers/media.mjs';
import { lacks, lacksUser, vlc } from '../helpers/peers.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { wholeUnits } from '../helpers/ts.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const udp = (port) => `udp://127.0.0.1:${port}`;
const skip = lacks('cvlc', 'ffmpeg') || lacksUser();

test('a service that VLC scrambles plays with the key alone', { skip },
	async (t) => {
		const clip = await makeClip(tempDir(t), 'clip',
			{ pictures: ['-c:v', 'libx264'], seconds: 10 });
		const sluice = await Sluice.start(t, config(
			stream('none', udp(5000), [udp(5001), udp(5002)]),
			stream('key', `${udp(5001)}#biss=123456abcdef`,
				'http://127.0.0.1:8100/key'),
			stream('wrong', `${udp(5002)}#biss=123456abcdee`,
				'http://127.0.0.1:8100/wrong')));

		vlc(t, '-q', '--loop', clip, '--sout', '#std{access=udp,' +
			'mux=ts{csa-ck=1234569cabcdef67},' +
			'dst=127.0.0.1:5000}');
		await sluice.onair('key', 40000);
		await sluice.waitStatus('none', 'scrambled packets',
			(s) => s.error === 'scrambled');
		await sluice.waitStatus('key', 'clear packets', (s) =>
			s.onair && s.pes_error === 0 && s.sc_error === 0);
		const wrong = await sluice.waitStatus('wrong', 'its reason',
			(s) => !s.onair && /biss/.test(JSON.stringify(s)));

		assert.match(JSON.stringify(wrong),
			/biss: the key is wrong: \d+ of \d+ PES packets/);
		const viewer = await Viewer.open(t, 8100, '/key');

		await waitUntil('three seconds of the stream', () =>
			viewer.bytes > 200000, 20000);
		await assertDecodes(t, wholeUnits(viewer.data()));
	});

test('a wrong key is told by field and never repeated', async (t) => {
	const sluice = await Sluice.start(t, config());
	const { status, body } = await sluice.post({ cmd: 'set-stream',
		stream: stream('a', `${udp(5000)}#biss=1234567890abcdef`,
			'udp://127.0.0.1:6000') });

	assert.equal(status, 400);
	assert.match(body, /input\[0\].*biss: byte 4 is not the checksum/);
	assert.doesNotMatch(body + sluice.log, /1234567890abcdef/i);
});
