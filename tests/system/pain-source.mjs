// SPDX-License-Identifier: GPL-3.0-or-later
// Sources that change, stop, hang or restart with other PIDs: the stream and
// its receivers continue without a restart of Sluice.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { areDue } from '../helpers/alarms.mjs';
import { Clip, behindTables, movePids, timesIn } from '../helpers/clip.mjs';
import { assertDecodes, assertOneStream, liveMultiplex, makeClip }
	from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Scene, playScene } from '../helpers/scene.mjs';
import { tables } from '../helpers/si.mjs';
import { Sluice, config } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { DATAGRAM, Recorder, Sender, joined } from '../helpers/udp.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const RATE = 700000, SECOND = RATE / 8;
const x264 = (frames) => ['-c:v', 'libx264', '-bf', String(frames)];
const pidsOf = (list) => [...checkTs(joined(list)).pids.keys()]
	.filter((pid) => pid >= 0x20 && pid !== 0x1fff).sort((a, b) => a - b);

// The place of the first packet from there on with any of these flags of its
// adaptation field.
function flaggedAt(data, at, flags) {
	while (!(data[at + 3] & 0x20 && data[at + 4] > 0 &&
		data[at + 5] & flags))
		at += 188;
	return at;
}

const unitsOn = (data, pid) => {
	let n = 0;

	for (let at = 0; at < data.length; at += 188)
		n += (data.readUInt16BE(at + 1) & 0x5fff) === (0x4000 | pid);
	return n;
};

// On any PID: the output has one continuous clock.
function assertOneClock(data) {
	let clock;

	for (const time of timesIn(data)) {
		const { pcr = clock, dts = pcr + 0.5 } = time;
		const what = JSON.stringify({ clock, ...time });

		// as far as an overloaded machine may be late
		assert.ok(clock === undefined || pcr === clock ||
			(pcr > clock && pcr < clock + 8), what);
		assert.ok(pcr === undefined || (dts > pcr - 1 &&
			dts < pcr + 8), what);
		clock = pcr;
	}
	assert.ok(clock > 0);
}

const scenes = {
	async 'a return with other PIDs, no map: no time of the new clock'(
		t, sluice, clips) {
		const scene = await Scene.open(t, sluice);
		let clip = await Clip.play(t, clips.one, RATE, scene.ports[0]);

		await scene.onair();
		const { worker } = scene;
		await scene.record();
		await scene.more(SECOND);
		for (const [i, data] of [clips.other, clips.one, clips.other,
			clips.one].entries()) {
			clip.sender.stop();
			await scene.wait(150 * i);
			clip = await Clip.play(t, behindTables(data, 20 * i),
				RATE, scene.ports[0]);
			await scene.more(1.5 * SECOND);
		}
		assert.equal(scene.worker, worker);
		assert.equal(scene.viewer.ended, false);
		const { list, found } = await scene.recorded();
		assertOneClock(joined(list));
		for (const fault of ['sync', 'cc', 'discontinuities', 'pcrBack',
			'dtsBack', 'dtsLate', 'crc'])
			assert.equal(found[fault], 0, JSON.stringify(found));
		assert.ok(found.pcrJump <= 4, JSON.stringify(found));
		assert.deepEqual(pidsOf(list).filter((pid) => pid < 0x1000),
			[0x100, 0x101, 0x200, 0x201]);
	},

	async 'a return with other PIDs, mapped: an unchanged stream'(
		t, sluice, clips) {
		const scene = await Scene.open(t, sluice, { inputs:
			['#map.pmt=400&map.video=401&map.audio=402'] });
		const clip = await Clip.play(t, clips.one, RATE,
			scene.ports[0]);

		await scene.onair();
		const { worker } = scene;
		await scene.record();
		await scene.more(SECOND);
		clip.follow(clips.moved);
		await scene.more(2 * SECOND);
		clip.end();
		await waitUntil('silence', () => clip.ended);
		await scene.wait(1500);
		await Clip.play(t, clips.one, RATE, scene.ports[0]);
		await scene.more(2 * SECOND);
		assert.equal(scene.worker, worker);
		const { list } = await scene.assertSeamless({ pauses: 2 });
		assert.deepEqual(pidsOf(list), [400, 401, 402]);
		const versions = tables(joined(list)).pmts
			.map((pmt) => pmt.version);
		assert.equal(new Set(versions).size, 1, 'one PMT');
	},

	async 'a PMT that changes is followed, with a new version'(
		t, sluice, clips) {
		const scene = await Scene.open(t, sluice);
		const clip = await Clip.play(t, clips.one, RATE,
			scene.ports[0]);

		await scene.onair();
		const { worker } = scene;
		await scene.record();
		await scene.more(SECOND);
		clip.change(clips.changed);
		await scene.more(2 * SECOND);
		await scene.onair();
		assert.equal(scene.worker, worker);
		await scene.assertFree('unreferenced_pid', 'continuity');
		// a sender that waits for a processor is late with these, too
		await sluice.waitStatus(scene.id, 'all that is announced',
			({ alarms }) => !alarms.includes('pmt') &&
			!alarms.includes('pid'), 20000);
		const { list } = await scene.assertSeamless();
		assert.deepEqual(pidsOf(list), [0x100, 0x101, 0x500, 0x501,
			0x1000, 0x1500]);
		assert.equal(tables(joined(list)).pmts.at(-1).version, 1);
	},

	async 'PIDs that move in front of their PMT: every packet is relayed'(
		t, sluice, clips) {
		const scene = await Scene.open(t, sluice);
		const data = movePids(clips.one, 0x1000, new Map([
			[0x100, 0x300], [0x101, 0x301]]), 8, 8.25, RATE);
		const seen = () => {
			const all = scene.viewer.data();

			return all.subarray(0, all.length - all.length % 188);
		};

		await Clip.play(t, data, RATE, scene.ports[0]);
		await scene.onair();
		await scene.record();
		await scene.more(SECOND);
		await waitUntil('the other PIDs', () => [0x300, 0x301].every(
			(pid) => unitsOn(seen(), pid) > 0), 20000);
		await scene.more(SECOND);
		const output = joined((await scene.recorded()).list);
		const first = data.indexOf(output.subarray(0, 7 * 188));

		assert.ok(first >= 0 && first < 8 * SECOND, `from ${first}`);
		assert.equal(Buffer.compare(output, data.subarray(first, first +
			output.length)), 0);
	},

	async 'dead within a picture: a still picture until its return'(
		t, sluice, clips) {
		const scene = await Scene.open(t, sluice,
			{ options: { filler: 'still', backup_initial_delay: 3,
				backup_start_delay: 1 } });
		const clip = await Clip.play(t, clips.one, RATE,
			scene.ports[0]);

		await scene.onair();
		await scene.record();
		await scene.more(SECOND);
		clip.sender.stop();
		await scene.until('filler', ({ filler }) => filler);
		await scene.more(SECOND / 2);
		const again = await Clip.play(t, clips.two, RATE,
			scene.ports[0]);
		const { switches } = await scene.plays(1);
		const { from, to, reason } = switches[0];
		assert.deepEqual([from, to, reason],
			[undefined, 1, 'recovered']);
		await scene.more(SECOND);
		assert.equal(scene.viewer.ended, false);
		const { found } = await scene.recorded();
		again.end();
		assert.ok(found.cutShort <= 2, JSON.stringify(found));
		for (const fault of ['cc', 'discontinuities', 'pcrBack',
			'dtsBack', 'dtsLate', 'crc', 'idleVersions'])
			assert.equal(found[fault], 0, JSON.stringify(found));
		assert.ok(found.pcrJump <= 1, JSON.stringify(found));
	},

	async 'dead without a filler: viewers wait for its return'(
		t, sluice, clips) {
		const scene = await Scene.open(t, sluice);
		const clip = await Clip.play(t, clips.one, RATE,
			scene.ports[0]);

		await scene.onair();
		await scene.record();
		await scene.more(SECOND);
		clip.end();
		await sluice.waitStatus(scene.id, 'silence', (s) => !s.onair &&
			s.bitrate === 0 && s.alarms.includes('sync_loss'));
		await Clip.play(t, clips.two, RATE, scene.ports[0]);
		await scene.onair();
		await scene.more(2 * SECOND);
		await scene.assertSeamless({ pauses: 1 });
	},

	async 'a frozen clock in arriving packets raises alarms'(
		t, sluice) {
		const scene = await Scene.open(t, sluice);
		const mux = new TsMux({ rate: RATE });
		const frozen = ['pcr_frozen', 'pts_frozen'];
		const timing = new Timing(t);
		const runs = ({ inputs }) => areDue(inputs[0].alarms, timing);

		await Sender.start(t, mux, scene.ports[0]);
		await scene.onair();
		await sluice.waitStatus(scene.id, 'no alarm', runs, 90000);
		mux.frozen = mux.seconds;
		await sluice.waitStatus(scene.id, 'alarms', ({ inputs }) =>
			frozen.every((name) =>
				inputs[0].alarms.includes(name)), 15000);
		mux.frozen = undefined;
		await sluice.waitStatus(scene.id, 'no alarm again', runs,
			90000);
	},
};

// Separately: their checks delay the sender in this process.
const alone = {
	async 'a multiplex that dies: a still picture of each program'(
		t, sluice, clips) {
		const scene = await Scene.open(t, sluice,
			{ options: { filler: 'still', backup_initial_delay: 3,
				backup_start_delay: 1 } });
		const recorder = scene.recorder = await Recorder.start(t,
			{ port: scene.output });
		const clip = await Clip.play(t, clips.multiplex, 2 * RATE,
			scene.ports[0]);

		await scene.onair();
		await waitUntil('some of it', () => recorder.size() >
			6 * SECOND);
		clip.end();
		await scene.until('filler', ({ filler }) => filler);
		const from = recorder.size();
		await scene.wait(2000);
		const until = recorder.size();
		await Clip.play(t, clips.multiplex, 2 * RATE, scene.ports[0]);
		await scene.plays(1);
		await waitUntil('more', () => recorder.size() >
			until + 6 * SECOND);
		const { list, found } = await scene.recorded();
		assertOneStream(found, { pauses: 4 });
		const data = joined(list), part = data.subarray(
			from - from % 188, until - until % 188);
		const seen = checkTs(part);
		assert.equal(seen.pmts.size, 2);
		for (const { streams } of seen.pmts.values())
			for (const pid of streams.keys())
				assert.ok(unitsOn(part, pid) >= 5,
					`PID ${pid}: ${unitsOn(part, pid)}`);
		await assertDecodes(t, wholeUnits(data), { programs: 2,
			minPictures: 5 * 25 });
	},

	// The first datagram is late, so that the clock of the source seems to
	// be; and so is the worker behind the turn that enters the source.
	async 'a late worker at a return: no hole in the PCRs'(
		t, sluice, clips) {
		const RETURNS = 3;
		const key = flaggedAt(clips.one, 1400 * 188, 0x40);
		const first = flaggedAt(clips.one, key - 0.4 * SECOND -
			(key - 0.4 * SECOND) % 188, 0x10);
		const from = key + DATAGRAM;
		const scene = await Scene.open(t, sluice,
			{ options: { filler: 'still', backup_initial_delay: 3,
				backup_start_delay: 1 } });
		let clip = await Clip.play(t, clips.one, RATE, scene.ports[0]);

		await scene.onair();
		await scene.record();
		await scene.more(SECOND);
		const { worker } = scene;
		const socket = dgram.createSocket('udp4');
		t.after(() => socket.close());
		t.after(() => process.kill(worker, 'SIGCONT'));
		for (let i = 0; i < RETURNS; i++) {
			clip.sender.stop();
			await scene.until('filler', ({ filler }) => filler);
			await scene.more(SECOND / 2);
			for (let at = first; at < from; at += DATAGRAM) {
				socket.send(clips.one.subarray(at,
					Math.min(at + DATAGRAM, from)),
				scene.ports[0], '127.0.0.1');
				if (at === first)
					await scene.wait(20);
			}
			clip = await Clip.play(t, clips.one.subarray(from),
				RATE, scene.ports[0]);
			await scene.wait(20);
			process.kill(worker, 'SIGSTOP');
			await scene.wait(250);
			process.kill(worker, 'SIGCONT');
			await scene.plays(1);
			await scene.more(SECOND);
		}
		assert.equal(scene.worker, worker);
		const { found } = await scene.recorded();
		clip.end();
		for (const fault of ['cc', 'discontinuities', 'pcrBack',
			'dtsBack', 'crc'])
			assert.equal(found[fault], 0, JSON.stringify(found));
		// those of its deaths
		assert.ok(found.pcrJump <= RETURNS, JSON.stringify(found));
	},

	async 'a frozen clock with backup_on: the other input is active'(t,
		sluice, clips) {
		const scene = await Scene.open(t, sluice, { inputs: ['', ''],
			options: { backup_start_delay: 1, backup_damping: 0,
				backup_return_delay: 1,
				backup_on: 'pcr_frozen' } });
		const mux = new TsMux({ rate: RATE });

		await Sender.start(t, mux, scene.ports[0]);
		await Clip.play(t, clips.one, RATE, scene.ports[1]);
		await scene.plays(1);
		mux.frozen = mux.seconds;
		const { switches } = await scene.plays(2);
		assert.match(JSON.stringify(switches[0]), /pcr_frozen/);
		mux.frozen = undefined;
		await scene.plays(1);
	},
};

test('sources that fail', { concurrency: true }, async (t) => {
	const dir = tempDir(t);
	const make = async (name, options) => fs.readFileSync(
		await makeClip(dir, name, options));
	const multiplex = path.join(dir, 'multiplex.ts');
	const made = liveMultiplex(t, multiplex, { programs: 2, live: false });
	await waitUntil('a multiplex', () => made.exitCode !== null, 30000);
	const clips = {
		multiplex: fs.readFileSync(multiplex),
		one: await make('one', { pictures: x264(0) }),
		two: await make('two', { pictures: x264(2), gop: 12,
			offset: 7000 }),
		moved: await make('moved', { pictures: x264(2), gop: 12,
			tone: 880, offset: 95000, mux: ['-mpegts_start_pid',
				'0x500', '-mpegts_pmt_start_pid', '0x1500'] }),
		other: await make('other', { pictures: ['-c:v', 'mpeg2video'],
			sound: ['-c:a', 'mp2', '-b:a', '64k'], offset: 3005,
			mux: ['-mpegts_start_pid', '0x200',
				'-mpegts_pmt_start_pid', '0x1200'] }),
		changed: await make('changed', { pictures: x264(2), gop: 12,
			tone: 880, mux: ['-mpegts_start_pid', '0x500',
				'-mpegts_pmt_start_pid', '0x1500',
				'-tables_version', '1'] }),
	};
	const sluice = await Sluice.start(t, config());

	const act = ([name, play]) => t.test(name, (sub) => playScene(sub, () =>
		play(sub, sluice, clips)));

	await Promise.all(Object.entries(scenes).map(act));
	for (const one of Object.entries(alone))
		await act(one);
	await sluice.stop();
});
