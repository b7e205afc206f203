// SPDX-License-Identifier: GPL-3.0-or-later
// BISS: a stream that VLC scrambles is clear with the key, the state of a
// stream names a wrong key, and VLC descrambles an output.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Viewer, assertDecodes, makeClip, probe }
	from '../helpers/media.mjs';
import { lacks, lacksUser, vlc } from '../helpers/peers.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { wholeUnits } from '../helpers/ts.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const udp = (port) => `udp://127.0.0.1:${port}`;
// The clear and scrambled packets with payload of each PID.
function packetsOf(data) {
	const pids = new Map();

	for (let at = 0; at < data.length; at += 188) {
		const pid = data.readUInt16BE(at + 1) & 0x1fff;
		const seen = pids.get(pid) ?? { clear: 0, even: 0 };

		if (data[at + 3] & 0x10)
			seen[data[at + 3] >> 6 === 2 ? 'even' : 'clear']++;
		pids.set(pid, seen);
	}
	return pids;
}

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

test('VLC and another stream descramble an output with the key alone',
	{ skip }, async (t) => {
		const dir = tempDir(t);
		const file = path.join(dir, 'descrambled.ts');
		const clip = await makeClip(dir, 'clip',
			{ pictures: ['-c:v', 'libx264'], seconds: 10 });
		const recorder = await Recorder.start(t, { port: 5003 });
		const sluice = await Sluice.start(t, config(
			stream('out', `file://${clip}#loop`, [5000, 5001, 5003]
				.map((p) => `${udp(p)}#biss=123456abcdef`)),
			stream('in', `${udp(5001)}#biss=1234569cabcdef67`,
				'http://127.0.0.1:8100/in')));

		vlc(t, '-q', '--ts-csa-ck=1234569cabcdef67',
			'udp://@127.0.0.1:5000', '--sout',
			 `#std{access=file,mux=ts,dst=${file}}`);
		await sluice.onair('in', 40000);
		const viewer = await Viewer.open(t, 8100, '/in');

		await waitUntil('three seconds of the stream', () =>
			viewer.bytes > 200000, 20000);
		await assertDecodes(t, wholeUnits(viewer.data()));

		// each packet of a component is scrambled, the first one too
		const [list] = await recorder.stop();
		const pids = packetsOf(joined(list));

		assert.ok(pids.size > 4, [...pids.keys()].join());
		for (const [pid, seen] of pids)
			assert.deepEqual(seen, pid === 0x100 || pid === 0x101 ?
				{ clear: 0, even: seen.even } :
				{ clear: seen.clear, even: 0 }, `PID ${pid}`);

		await waitUntil('three seconds of VLC', () =>
			fs.existsSync(file) && fs.statSync(file).size > 250000,
		20000);
		const { streams } = await probe(t, fs.readFileSync(file));

		assert.deepEqual(streams.map((s) => s.codec_name).sort(),
			['aac', 'h264']);
		assert.equal(streams.find((s) => s.width)?.width, 160);
	});

test('the PMT of a descrambled program has no CA descriptor', async (t) => {
	const mux = new TsMux({ programs: [{ ...PROGRAM,
		ca: { system: 0x2600, pid: 0x200 } }] });
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 }, { port: 6002 });

	await Sender.start(t, mux, 5000);
	const sluice = await Sluice.start(t, config(
		stream('relay', udp(5000), [udp(6000), udp(5001), udp(5002)]),
		stream('key', `${udp(5001)}#biss=123456abcdef`, udp(6001)),
		stream('cas', `${udp(5002)}#biss=123456abcdef&cas`,
			udp(6002))));

	for (const id of ['relay', 'key', 'cas'])
		await sluice.onair(id);
	const lists = await recorder.stop();
	const with_ca = lists.map((list) => joined(list)
		.includes(Buffer.from([9, 4, 0x26, 0, 0xe2, 0])));

	assert.deepEqual(with_ca, [true, false, true]);
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
