// SPDX-License-Identifier: GPL-3.0-or-later
// Several inputs of which some hang, flap, or begin with sound alone: each
// switch is in time, and its output can be decoded.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { Clip, muteClip } from '../helpers/clip.mjs';
import { Ctl } from '../helpers/ctl.mjs';
import { makeClip } from '../helpers/media.mjs';
import { Fault } from '../helpers/net.mjs';
import { Scene, playScene } from '../helpers/scene.mjs';
import { Sluice, config } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

const RATE = 700000, SECOND = RATE / 8;
const VIDEO = 0x100;
const QUICK = { backup_initial_delay: 3, backup_start_delay: 1,
	backup_return_delay: 1, backup_damping: 0 };
const x264 = (frames) => ['-c:v', 'libx264', '-bf', String(frames)];

// Servers that accept every connection: one sends nothing, one starts a stream
// and stops in its first packet.
async function hang(t, port, text) {
	const server = net.createServer((socket) => {
		socket.on('error', () => { /* disconnected */ });
		socket.on('data', () => text && socket.write(text));
		t.after(() => socket.destroy());
	});

	await new Promise((done) => server.listen(port, '127.0.0.1', done));
	t.after(() => server.close());
	return `http://127.0.0.1:${port}/x`;
}

const scenes = {
	async 'standbys that hang delay no switch to another input'(t,
		sluice, clips) {
		const timing = new Timing(t);
		const silent = await hang(t, 7001, '');
		const stuck = await hang(t, 7002,
			'HTTP/1.1 200 OK\r\n\r\nG\x40');
		const scene = await Scene.open(t, sluice, { options: QUICK,
			inputs: ['', silent, stuck, 'http://127.0.0.1:7003/x',
				''] });
		const first = await Clip.play(t, clips.one, RATE,
			scene.ports[0]);

		await Clip.play(t, clips.two, RATE, scene.ports[4]);
		await scene.plays(1);
		await scene.is(5, 'standby');
		await scene.record();
		await scene.more(SECOND);
		first.end();
		await waitUntil('the end', () => first.ended);
		const begin = performance.now();
		await scene.plays(5);
		const ms = performance.now() - begin;
		t.diagnostic(`another one after ${Math.round(ms)} ms`);
		await Clip.play(t, clips.one, RATE, scene.ports[0]);
		const { switches } = await scene.plays(1);
		// a player that waits for a processor is silent as well
		timing.unlessHeldUp(sluice.log, [], () =>
			assert.deepEqual(switches.map(({ from, to, reason }) =>
				`${from} ${to} ${reason}`),
			['5 1 return', '1 5 fault']));
		await scene.more(SECOND);
		await scene.assertSeamless({ pauses: 2 });
	},

	async 'sound alone: the switch waits for a picture'(t,
		sluice, clips) {
		const scene = await Scene.open(t, sluice, { inputs: ['', ''],
			options: { ...QUICK, backup_type: 'disable' } });

		await Clip.play(t, clips.one, RATE, scene.ports[0]);
		await scene.plays(1);
		await scene.record();
		await scene.more(SECOND);
		await sluice.cmd('set-stream-input',
			{ id: scene.id, input: 2 });
		// it is opened now, and has sound for two seconds
		await Clip.play(t, muteClip(clips.two, VIDEO, RATE, 2), RATE,
			scene.ports[1]);
		await scene.until('input 2', ({ inputs }) =>
			inputs[1].state === 'active');
		await scene.more(3.5 * SECOND);
		await scene.assertSeamless({ pauses: 1 });
	},

	async 'sound alone at the start: a viewer begins with a picture'(t,
		sluice, clips) {
		const scene = await Scene.open(t, sluice);

		await Clip.play(t, muteClip(clips.two, VIDEO, RATE, 2), RATE,
			scene.ports[0]);
		await scene.onair();
		await scene.record();
		await scene.more(3 * SECOND);
		await scene.assertSeamless();
	},

	async 'an input that hangs, then sends a burst, returns in order'(
		t, sluice, clips) {
		const scene = await Scene.open(t, sluice, { inputs: ['', ''],
			options: QUICK });
		const first = await Clip.play(t, clips.one, RATE,
			scene.ports[0]);

		await Clip.play(t, clips.two, RATE, scene.ports[1]);
		await scene.plays(1);
		await scene.is(2, 'standby');
		await scene.record();
		await scene.more(SECOND);
		first.hang();
		await scene.plays(2);
		assert.ok(first.hangs);
		first.release();
		await scene.plays(1);
		await scene.more(SECOND);
		await scene.assertSeamless({ pauses: 2 });
	},

	async 'a backup in a long group of pictures: the switch reports it'(t,
		sluice, clips) {
		const scene = await Scene.open(t, sluice, { inputs: ['', ''],
			options: QUICK });
		const first = await Clip.play(t, clips.one, RATE,
			scene.ports[0]);
		const begin = performance.now(), timing = new Timing(t);

		// a picture that decodes begins at 0 s, 20 s ...
		await Clip.play(t, clips.long, RATE, scene.ports[1]);
		await scene.plays(1);
		await scene.is(2, 'standby');
		await scene.record();
		const events = new Ctl(t, `http://127.0.0.1:${sluice.port}`)
			.start(['events', '--scope', 'stream_switch',
				'--stream', scene.id, '-n', '1']);
		await scene.more(SECOND);
		first.end();
		const { switches } = await scene.plays(2);
		const ms = performance.now() - begin;

		timing.assert(ms < 17000, `it took ${ms} ms`);
		if (ms >= 17000)
			return; // such a picture comes soon
		assert.equal(switches[0].late, true,
			JSON.stringify(switches));
		await sluice.logged(new RegExp('input 2 is on air' +
			'; only audio until the next random ' +
			'access point: none arrived in time'));
		assert.match((await events.ended).out,
			/\(fault: .*\), its video begins later, at .*\n/);
		await scene.assertSeamless({ pauses: 1 });
	},

	async 'an input that flaps changes the output once'(t,
		sluice, clips) {
		const timing = new Timing(t);
		const scene = await Scene.open(t, sluice, { inputs: ['', ''],
			options: { ...QUICK, backup_return_delay: 4 } });

		await Clip.play(t, clips.one, RATE, scene.ports[0]);
		await Clip.play(t, clips.two, RATE, scene.ports[1]);
		await scene.plays(1);
		await scene.is(2, 'standby');
		// absent and present, a second and a half each, as with a loose
		// cable: longer than the start delay, shorter than the return
		// delay
		const fault = await Fault.start(t, scene.ports[0],
			'numgen inc mod 1396 < 698');
		await scene.plays(2);
		await scene.wait(8000);
		const { switches } = await scene.inputs();
		timing.unlessHeldUp(sluice.log, [], () =>
			assert.equal(switches.length, 1,
				JSON.stringify(switches)));
		assert.ok(await fault.stop() > 1000);
		await scene.plays(1);
	},
};

test('several inputs', { concurrency: true }, async (t) => {
	const dir = tempDir(t);
	const make = async (name, options) => fs.readFileSync(
		await makeClip(dir, name, options));
	const clips = {
		one: await make('one', { pictures: x264(0), seconds: 60 }),
		two: await make('two', { pictures: x264(2), gop: 12, tone: 880,
			offset: 7000, seconds: 60 }),
		long: await make('long', { pictures: x264(2), gop: 500,
			tone: 880, offset: 7000, seconds: 60 }),
	};
	const sluice = await Sluice.start(t, config());

	await Promise.all(Object.entries(scenes).map(([name, play]) =>
		t.test(name, (sub) => playScene(sub, () =>
			play(sub, sluice, clips)))));
	await sluice.stop();
});
