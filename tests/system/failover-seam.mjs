// SPDX-License-Identifier: GPL-3.0-or-later
// failover: independent encoders, and one stream for the receiver, whichever of
// them is active.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Clip } from '../helpers/clip.mjs';
import { Viewer, assertOneStream, assertPlays, judge, makeClip }
	from '../helpers/media.mjs';
import { serviceOf, tables } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { start, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const OUT = 6000, PORTS = [5000, 5001], VIDEO = 0x100;
const RATE = 700000;
const x264 = (frames) => ['-c:v', 'libx264', '-bf', String(frames)];

// A live programme to one of the inputs.
function encode(t, i, { tone, gop, pictures, offset, name = 'A' }) {
	return start(t, 'ffmpeg', ['-nostdin', '-hide_banner', '-v', 'error',
		'-re', '-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25',
		'-re', '-f', 'lavfi', '-i',
		`sine=frequency=${tone}:sample_rate=48000`,
		...pictures, '-preset', 'ultrafast', '-threads', '1',
		'-g', String(gop), '-b:v', '200k', '-pix_fmt', 'yuv420p',
		'-c:a', 'aac', '-b:a', '64k', '-muxrate', String(RATE),
		'-output_ts_offset', String(offset),
		'-metadata', `service_name=${name}`, '-f', 'mpegts',
		`udp://127.0.0.1:${PORTS[i]}?pkt_size=1316&bitrate=${RATE}`]);
}

// From the first picture that needs no other, and the tables in front of it.
function fromPicture(data) {
	let tables = 0;

	for (let at = 0; at + 188 <= data.length; at += 188) {
		const pid = data.readUInt16BE(at + 1) & 0x1fff;

		if (pid === 0)
			tables = at;
		else if (pid === VIDEO && data[at + 3] & 0x20 &&
			data[at + 4] > 0 && data[at + 5] & 0x40)
			return data.subarray(tables);
	}
	return data;
}

class Scene {
	static async open(t, options) {
		const self = new Scene();

		self.t = t;
		self.sluice = await Sluice.start(t, config(stream('s',
			PORTS.map((port) => `udp://127.0.0.1:${port}`),
			[`udp://127.0.0.1:${OUT}`, 'http://127.0.0.1:8100/s'],
			{ backup_initial_delay: 10, ...options })));
		await waitUntil('input', () => udpBound(PORTS[0]));
		return self;
	}

	inputs() { return this.sluice.json('/api/stream-inputs/s'); }

	is(n, state) {
		return waitUntil(`input ${n} ${state}`, async () => {
			const all = await this.inputs();
			const input = all.inputs[n - 1];
			if (input.state !== state || !input.onair)
				throw new Error(JSON.stringify(all));
			return all;
		}, 20000);
	}

	plays(n) { return this.is(n, 'active'); }

	async record() {
		this.recorder = await Recorder.start(this.t, { port: OUT });
		// begins with a picture
		this.viewer = await Viewer.open(this.t, 8100, '/s');
	}

	// So many milliseconds of the output.
	async more(ms) {
		const until = performance.now() + ms;

		await waitUntil('more', () => performance.now() > until, 60000);
	}

	// Returns the bytes that the viewer received.
	async judged(options) {
		const ts = path.join(tempDir(this.t), 'out.ts');
		const all = this.viewer.data();
		// no viewer waits for ever for a source that has stopped
		const seen = options.pauses > 0 ? fromPicture(all) : all;

		await this.recorder.stop();
		fs.writeFileSync(ts, seen.subarray(0,
			seen.length - seen.length % 188));
		assertOneStream(await judge(this.recorder.file, 0), options);
		await assertPlays(ts);
		await this.sluice.stop();
		return seen;
	}
}

test('manual switches between live encoders cause no fault', async (t) => {
	const timing = new Timing(t);
	const scene = await Scene.open(t, { backup_type: 'passive' });

	encode(t, 0, { tone: 440, gop: 25, pictures: x264(0), offset: 5 });
	encode(t, 1, { tone: 880, gop: 12, pictures: x264(2), offset: 7000,
		name: 'B' });
	await scene.plays(1);
	await scene.record();
	for (const input of [2, 1, 2, 1]) {
		await scene.more(600);
		await scene.sluice.cmd('set-stream-input', { id: 's', input });
		await scene.plays(input);
	}
	// encoders that wait for a core have nothing to send meanwhile
	const seen = await scene.judged(timing.busy() ? { pauses: Infinity } :
		{ bitRate: true });
	// both encoders call their tables version 0, with a name of their own
	const all = tables(seen).of('sdt').map((s) => ({ version: s.version,
		name: String(serviceOf(s.services.get(1).descriptors).name) }));
	const names = all.filter((s, i) => all[i - 1]?.name !== s.name);
	assert.ok(names.length >= 3, JSON.stringify(all));
	// a pause before the first check is an earlier switch
	assert.deepEqual(names.map((s) => s.version), [...names.keys()].map(
		(i) => (names[0].version + i) % 32));
	for (const [i, s] of all.entries())
		assert.ok(i === 0 || (all[i - 1].name === s.name) ===
			(all[i - 1].version === s.version), 'a version');
});

test('silence, the backup, and back; then none, and the last picture',
	async (t) => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const files = [await makeClip(dir, 'one', { tone: 440, gop: 25,
		pictures: x264(0) }),
	await makeClip(dir, 'two', { tone: 880, gop: 12,
		pictures: x264(2), offset: 7000 })];
	const scene = await Scene.open(t, { backup_start_delay: 1,
		backup_return_delay: 1, filler: 'still' });
	let first = await Clip.play(t, files[0], RATE, PORTS[0]);
	const second = await Clip.play(t, files[1], RATE, PORTS[1]);

	await scene.plays(1);
	await scene.is(2, 'standby');
	await scene.record();
	await scene.more(1000);
	first.end();
	await scene.plays(2);
	first = await Clip.play(t, files[0], RATE, PORTS[0]);
	await scene.plays(1);
	await scene.more(500);
	first.end();
	second.end();
	await waitUntil('the filler', async () =>
		(await scene.inputs()).filler, 20000);
	const size = scene.recorder.size();
	await waitUntil('pictures', () =>
		scene.recorder.size() > size + 50000, 20000);
	await Clip.play(t, files[1], RATE, PORTS[1]);
	const { switches } = await scene.plays(2);
	// a player that waits for a processor is silent as well
	timing.unlessHeldUp(scene.sluice.log, [], () =>
		assert.deepEqual(switches.map(({ from, to, reason }) =>
			({ from, to, reason })).reverse(), [
			{ from: 1, to: 2, reason: 'fault' },
			{ from: 2, to: 1, reason: 'return' },
			{ from: 1, to: undefined, reason: 'fault' },
			{ from: undefined, to: 2, reason: 'fault' }]));
	await scene.more(500);
	await scene.judged({ pauses: 3 });
});
