// SPDX-License-Identifier: GPL-3.0-or-later
// A stream is one stream across deaths of its worker and restarts of its
// source.
import assert from 'node:assert/strict';
import path from 'node:path';
import fs from 'node:fs';
import { test } from 'node:test';
import { Viewer, judge } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { wholeUnits } from '../helpers/ts.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { run, start, tempDir, waitUntil } from '../helpers/util.mjs';

const RATE = 900000;

// A live programme; each one begins with a clock and counters of its own.
function encode(t, port, { tone = 440, offset = 10, frames = 2 } = {}) {
	return start(t, 'ffmpeg', ['-nostdin', '-hide_banner', '-v', 'error',
		'-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25',
		'-re', '-f', 'lavfi', '-i',
		`sine=frequency=${tone}:sample_rate=48000`,
		'-c:v', 'libx264', '-bf', String(frames), '-preset',
		'ultrafast', '-threads', '1', '-g', '12', '-b:v', '400k',
		'-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '64k',
		'-muxrate', String(RATE), '-output_ts_offset', String(offset),
		'-f', 'mpegts',
		`udp://127.0.0.1:${port}?pkt_size=1316&bitrate=${RATE}`]);
}

// One stream on the network and to a viewer, both recorded.
class Scene {
	static async open(t) {
		const self = new Scene();

		self.t = t;
		self.timing = new Timing(t);
		self.dir = tempDir(t);
		self.recorder = await Recorder.start(t, { port: 6000 });
		self.sluice = await Sluice.start(t, config(stream('a001',
			'udp://127.0.0.1:5000', ['udp://127.0.0.1:6000',
				'http://127.0.0.1:8100/a'])));
		self.source = encode(t, 5000);
		await self.sluice.onair('a001', 20000);
		self.viewer = await Viewer.open(t, 8100, '/a');
		await self.plays(2000);
		return self;
	}

	// Waits until both recordings have so many more milliseconds.
	plays(ms) {
		const more = RATE / 8 * ms / 1000;
		const udp = this.recorder.size() + more;
		const http = this.viewer.bytes + more;

		return waitUntil('a stream', () =>
			this.recorder.size() > udp &&
			this.viewer.bytes > http, ms + 20000);
	}

	// The output: [what, findings] of the network and of the viewer.
	async judge() {
		const file = path.join(this.dir, 'viewer.ts');
		const seen = this.viewer.data();

		assert.equal(this.viewer.ended, false, 'the viewer stayed');
		this.timing.stop();
		await this.sluice.stop();
		fs.writeFileSync(file, seen);
		await this.recorder.stop();
		return [
			['network', await judge(this.recorder.file, 0)],
			['viewer', await judge(file)],
		];
	}
}

// Only time may be missing: `cuts` times, once each. Up to 128 packets that
// wait for the network pass to the next worker, a fifth of a second: there are
// more only where the machine delays a worker.
function assertOneStream(timing, what, found, cuts) {
	const text = `${what}: ${JSON.stringify(found)}`;

	for (const fault of ['sync', 'tei', 'discontinuities', 'pcrBack',
		'dtsBack', 'crc', 'idleVersions', 'silentChanges'])
		assert.equal(found[fault], 0, `${fault} of the ${text}`);
	timing.assert(found.cc === 0, `cc of the ${text}`);
	assert.ok(found.pcrJump <= cuts, text);
	assert.ok(found.cutShort <= 2 * cuts, text);
}

async function killWorker(scene) {
	const { pid } = scene.sluice.worker('stream', 'a001');

	process.kill(pid, 'SIGKILL');
	await scene.sluice.replaced('stream', 'a001', pid);
}

test('a worker that dies costs only packets', async (t) => {
	const scene = await Scene.open(t);
	const worker = () => scene.sluice.worker('stream', 'a001');
	const file = path.join(scene.dir, 'whole.ts');

	await killWorker(scene);
	await scene.plays(1000);
	await scene.sluice.cmd('restart-stream', { id: 'a001' });
	await scene.plays(1000);
	// and if the master was replaced in between
	const { pid } = worker();
	await scene.sluice.cmd('restart');
	await scene.sluice.logged(/restarting/);
	await scene.sluice.ready();
	assert.equal(worker().pid, pid);
	await killWorker(scene);
	await scene.plays(1500);
	for (const [what, found] of await scene.judge())
		assertOneStream(scene.timing, what, found, 3);

	fs.writeFileSync(file, wholeUnits(scene.viewer.data()));
	const decoded = await run('ffmpeg', ['-nostdin', '-v', 'warning', '-i',
		file, '-enc_time_base:v', '1:90000', '-f', 'null', '-']);
	// of the packets in the dead worker, and no more
	const complaints = decoded.err.split('\n').filter((line) =>
		/error while decoding|corrupt|size mismatch/i.test(line));
	assert.ok(complaints.length <= 18, decoded.err);
	assert.doesNotMatch(decoded.err, /out of order|non.?monoton/i);
});

test('a source that ends and restarts is the same stream', async (t) => {
	const scene = await Scene.open(t);

	for (const [i, offset] of [9000, 3].entries()) {
		scene.source.kill('SIGKILL');
		await scene.source.ended;
		scene.source = encode(t, 5000, { offset, tone: 500 + 100 * i,
			frames: i % 2 });
		await scene.plays(1500);
	}
	for (const [what, found] of await scene.judge())
		assertOneStream(scene.timing, what, found, 2);
});
