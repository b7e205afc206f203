// SPDX-License-Identifier: GPL-3.0-or-later
// failover: of several inputs the best one is active, and each switch is
// reported.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Fault } from '../helpers/net.mjs';
import { tables } from '../helpers/si.mjs';
import { insist } from '../helpers/situations.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { RECORD_HEAD, Recorder, Sender, joined } from '../helpers/udp.mjs';
import { run, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

// On a machine that is busy a sender may pause for a moment.
const QUICK = { backup_start_delay: 1, backup_return_delay: 1,
	backup_initial_delay: 3, backup_damping: 0 };
const RATE = 5e5;
let stages = 0;

// Each input has a program of its own, so that the output shows its input.
const program = (i) => ({ pnr: i + 1, pmtPid: 0x100 + 16 * i,
	video: 0x101 + 16 * i, audio: 0x102 + 16 * i });

// A stream with n inputs of its own in a service that others use, too.
class Stage {
	senders = [];

	static async open(t, sluice, n, options = {}, inputs = []) {
		const self = new Stage();
		const first = 5000 + 100 * stages;

		self.t = t;
		self.sluice = sluice;
		self.id = `f${stages++}`;
		self.ports = Array.from({ length: n }, (_, i) => first + i);
		self.output = first + 50;
		self.object = stream(self.id, self.ports.map((port, i) =>
			inputs[i]?.startsWith?.('#') ?
				`udp://127.0.0.1:${port}${inputs[i]}` :
				inputs[i] ?? `udp://127.0.0.1:${port}`),
		`udp://127.0.0.1:${self.output}`, { ...QUICK, ...options });
		return self;
	}

	// Puts it on air with these inputs playing.
	async begin(...playing) {
		for (const i of playing)
			await this.play(i);
		await this.sluice.cmd('set-stream', { stream: this.object });
	}

	async play(i, shape = undefined) {
		this.senders[i] = await Sender.start(this.t, new TsMux({
			rate: RATE, programs: [program(i)] }), this.ports[i],
		shape ? { shape } : {});
	}

	// An input that loses every second half of a second while flaps is
	// true, and all packets while it is null.
	async flap(i) {
		this.flaps = false;
		await this.play(i, (packets) => this.flaps === null ||
			this.flaps && performance.now() % 1000 < 500
			? [] : [packets]);
	}

	// For so many seconds of an input no other one becomes active.
	async holds(i, seconds) {
		const { mux } = this.senders[i], end = mux.seconds + seconds;
		const { switches } = await this.inputs();

		await waitUntil(`${seconds} s`, () => mux.seconds >= end);
		assert.deepEqual((await this.inputs()).switches, switches);
	}

	stop(i) { this.senders[i].stop(); }

	inputs() { return this.sluice.json(`/api/stream-inputs/${this.id}`); }

	// Waits until the inputs satisfy probe.
	until(what, probe, timeoutMs = 15000) {
		return waitUntil(`${what} of ${this.id}`, async () => {
			const all = await this.inputs();
			if (!probe(all))
				throw new Error(JSON.stringify(all));
			return all;
		}, timeoutMs);
	}

	// Waits until this input (from 1) plays, and the others are so.
	plays(n, ...others) {
		return this.until(`input ${n} (${others})`, ({ inputs }) =>
			inputs[n - 1].state === 'active' &&
			inputs[n - 1].onair &&
			others.every((state, i) => !state ||
				inputs[i].state === state));
	}
}

// Which inputs are in a recording, in their order, and the longest pause.
function sources(list) {
	const order = [];
	let pause = 0, last = list[0].ns;

	for (const { ns, data } of list) {
		pause = Math.max(pause, Number(ns - last) / 1e6);
		last = ns;
		for (let at = 0; at < data.length; at += 188) {
			const pid = data.readUInt16BE(at + 1) & 0x1fff;
			const from = (pid - 0x101) >> 4;
			if ((pid & 15) === 1 && order.at(-1) !== from)
				order.push(from);
		}
	}
	return { order, pause };
}

const scenes = {
	async 'the next input becomes active at once, with an event'(t,
		sluice) {
		const stage = await Stage.open(t, sluice, 2,
			{ backup_start_delay: 0, backup_return_delay: 600 });
		const timing = new Timing(t);
		const events = await sluice.events(t);
		const recorder = await Recorder.start(t,
			{ port: stage.output });

		await stage.begin(0, 1);
		await stage.plays(1, undefined, 'standby');
		const before = await sluice.json(
			`/api/stream-status/${stage.id}?t=0`);
		assert.equal(before.input_id, 1);
		assert.deepEqual(before.switches, []);
		// the input measures its pauses first; the next random access
		// point of the other one is right behind its last packet
		await waitUntil('a habit', () => {
			const { mux } = stage.senders[1];

			return mux.seconds > 6 && mux.picturesLeft > 1 &&
				mux.picturesLeft < 7;
		});
		stage.stop(0);
		const { inputs, switches, active_input: active } =
			await stage.plays(2, 'down');
		assert.equal(inputs[0].reason, 'no packets');
		assert.equal(inputs[1].reason, 'fault');
		assert.equal(active, 2);
		assert.equal(switches.length, 1);
		const [{ time, ...what }] = switches;
		assert.deepEqual(what, { from: 1, to: 2, reason: 'fault',
			fault: 'no packets' });
		assert.ok(Math.abs(time - Date.now() / 1000) < 20);
		const told = await events.wait('stream_switch', (m) =>
			m.scope === 'stream_switch' &&
			m.channel_id === stage.id);
		assert.deepEqual(told, { scope: 'stream_switch',
			channel_id: stage.id, time, ...what });
		await events.wait('the event of the second', (m) =>
			m.scope === 'stream_event' && m.input_id === 2 &&
			m.channel_id === stage.id && m.onair);
		const check = await sluice.cmd('check-stream',
			{ id: stage.id, status: true });
		assert.equal(check.status.active_input, 2);
		assert.deepEqual(check.status.input.map((i) => i.state),
			['down', 'active']);
		stage.stop(1);
		await recorder.quiet();
		const { order, pause } = sources((await recorder.stop())[0]);
		assert.deepEqual(order, [0, 1]);
		timing.assert(pause < 2500, `a pause of ${pause} ms`);
	},

	async 'the first input returns when it is stable'(t, sluice) {
		const stage = await Stage.open(t, sluice, 2);

		await stage.begin(1);
		await stage.plays(2);
		await stage.play(0);
		const { switches } = await stage.plays(1, undefined, 'standby');
		assert.deepEqual(switches.map((s) => s.reason),
			['return', 'fault']);
		assert.equal(switches[0].fault, undefined);
	},

	async 'of three inputs the third, when two are dead'(t, sluice) {
		const stage = await Stage.open(t, sluice, 3);

		await stage.begin(2);
		const { inputs } = await stage.plays(3);
		assert.deepEqual(inputs.map((i) => i.onair),
			[false, false, true]);
	},

	async 'passive: the next input, and no return'(t, sluice) {
		const stage = await Stage.open(t, sluice, 3,
			{ backup_type: 'passive' });

		await stage.begin(0, 1, 2);
		await stage.plays(1, undefined, 'idle', 'idle');
		stage.stop(0);
		await stage.plays(2, 'idle', undefined, 'idle');
		await stage.play(0);
		stage.stop(1);
		await stage.plays(3, 'idle', 'idle');
		stage.stop(2);
		await stage.plays(1, undefined, 'idle', 'idle');
	},

	async 'a manual switch outlives a restart and a crash'(t, sluice) {
		const stage = await Stage.open(t, sluice, 3,
			{ backup_type: 'disable' });
		const choose = (input) => sluice.cmd('set-stream-input',
			{ id: stage.id, status: true, ...input && { input } });

		await stage.begin(0, 1);
		await stage.plays(1);
		assert.deepEqual(await choose(), { 'set-stream-input': 'ok',
			input: 2, warnings: ['input 2 was not monitored: ' +
				'it becomes active when it is on air, or ' +
				'after 3 s'] });
		const { switches } = await stage.plays(2, 'idle', undefined,
			'idle');
		assert.equal(switches[0].reason, 'manual');
		const { pid } = sluice.worker('stream', stage.id);
		await sluice.cmd('restart-stream', { id: stage.id });
		const next = await sluice.replaced('stream', stage.id, pid);
		await stage.plays(2);
		process.kill(next.pid, 'SIGKILL');
		await sluice.replaced('stream', stage.id, next.pid);
		// earlier failures still count
		const again = await stage.plays(2);
		assert.deepEqual(again.switches, switches);
		// it is dead, and chosen all the same
		await choose('3');
		await stage.until('input 3', ({ inputs }) =>
			inputs[2].state === 'active');
		assert.equal((await sluice.post({ cmd: 'set-stream-input',
			id: stage.id, input: 4 })).status, 400);
	},

	async 'a manual switch to an input that cannot be opened'(t, sluice) {
		const stage = await Stage.open(t, sluice, 3,
			{ backup_type: 'passive' });
		const taken = dgram.createSocket('udp4');
		t.after(() => taken.close());
		await new Promise((done) => taken.bind(
			{ port: stage.ports[1], address: '127.0.0.1',
				exclusive: true }, done));
		const events = await sluice.events(t);
		await stage.begin(0);
		await stage.plays(1);
		await sluice.cmd('set-stream-input',
			{ id: stage.id, input: 2 });
		const event = await events.wait('what became of it', (m) =>
			m.channel_id === stage.id && m.fault !== undefined);
		assert.equal(event.fault, 'input 2: cannot be opened');
		assert.deepEqual([event.reason, event.from, event.to],
			['failed', 1, 1]);
		await sluice.logged(/cannot switch to input 2: bind .*in use/);
		await stage.plays(1);
	},

	async 'a new worker begins with the active input'(t, sluice) {
		const stage = await Stage.open(t, sluice, 2,
			{ backup_return_delay: 600 });

		await stage.begin(0, 1);
		await stage.plays(1, undefined, 'standby');
		stage.stop(0);
		await stage.plays(2);
		const { pid } = sluice.worker('stream', stage.id);
		process.kill(pid, 'SIGKILL');
		await sluice.replaced('stream', stage.id, pid);
		const { switches } = await stage.plays(2);
		assert.equal(switches.length, 1);
	},

	async 'losses: cc_limit applies to the input that has it'(t, sluice) {
		const stage = await Stage.open(t, sluice, 2, {},
			['#cc_limit=5']);

		await stage.begin(0, 1);
		await stage.plays(1, undefined, 'standby');
		const loss = await Fault.start(t, stage.ports[0],
			'numgen random mod 5 0');
		const { switches } = await stage.plays(2, 'down');
		assert.equal(switches[0].fault, 'CC errors');
		assert.ok(await loss.stop() > 5);
		await stage.plays(1, undefined, 'standby');
	},

	async 'an input that flaps must wait'(t, sluice) {
		const stage = await Stage.open(t, sluice, 2,
			{ backup_return_delay: 0, backup_damping: 600 });
		const timing = new Timing(t);
		let drop = false;

		await stage.play(0, (packets) => drop ? [] : [packets]);
		await stage.begin(1);
		for (let i = 0; i < 3; i++) {
			await stage.plays(1, undefined, 'standby');
			drop = true;
			await stage.plays(2, 'down');
			drop = false;
		}
		const { inputs, switches } = await stage.plays(2, 'standby');
		assert.ok(inputs[0].damped && inputs[0].onair);
		// two half-lives at most
		assert.ok(inputs[0].damped_s > 0 &&
			inputs[0].damped_s <= 1200);
		assert.ok(inputs[0].penalty > 2500);
		// the other one may pause, too
		assert.equal(inputs[1].damped_s !== undefined,
			inputs[1].damped ?? false);
		timing.assert(switches.length === 5 && !inputs[1].damped,
			`${switches.length} switches`);
		// when nothing else is there, it plays all the same
		stage.stop(1);
		await stage.plays(1);
	},

	async 'an input that flaps is left at its first hole'(t, sluice) {
		const timing = new Timing(t);
		const stage = await Stage.open(t, sluice, 2,
			{ backup_start_delay: undefined,
				backup_return_delay: 4 });

		await stage.flap(0);
		await stage.begin(1);
		await stage.plays(1, undefined, 'standby');
		const recorder = await Recorder.start(t,
			{ port: stage.output });
		await waitUntil('the output', () => recorder.size() > 50000);
		stage.flaps = true;
		await stage.plays(2);
		await stage.holds(1, 8);
		const { order, pause } = sources((await recorder.stop())[0]);
		// silence, and the switch to a picture of the other one
		timing.unlessHeldUp(sluice.log, [], () => {
			assert.deepEqual(order, [0, 1]);
			assert.ok(pause < 1500, `${pause} ms`);
		});
		stage.flaps = false;
		await stage.plays(1);
	},

	async 'an input that flaps after an outage is not returned to'(t,
		sluice) {
		const stage = await Stage.open(t, sluice, 2,
			{ backup_start_delay: 0, backup_return_delay: 4 });

		await stage.flap(0);
		await stage.begin(1);
		await stage.plays(1, undefined, 'standby');
		stage.flaps = null;
		await stage.plays(2, 'down');
		// longer than any pause that is regular
		await stage.holds(1, 3);
		stage.flaps = true;
		await stage.holds(1, 9);
		stage.flaps = false;
		await stage.plays(1);
	},

	async 'of two inputs that are off in turns one is always sent'(t,
		sluice) {
		const timing = new Timing(t);
		const stage = await Stage.open(t, sluice, 2,
			{ backup_start_delay: undefined,
				backup_return_delay: undefined,
				backup_damping: undefined });
		let begin = Infinity;
		const turn = () => Math.floor((performance.now() - begin) /
			3000);

		for (const i of [0, 1])
			await stage.play(i, (packets) =>
				begin < Infinity && turn() % 2 === i ? []
					: [packets]);
		await stage.begin();
		await stage.plays(1, undefined, 'standby');
		const recorder = await Recorder.start(t,
			{ port: stage.output });
		await waitUntil('the output', () => recorder.size() > 50000);
		begin = performance.now();
		await waitUntil('five turns', () => turn() >= 5, 20000);
		const { order, pause } = sources((await recorder.stop())[0]);
		const { inputs } = await stage.inputs();
		// silence, and the switch to a picture of the other one
		timing.unlessHeldUp(sluice.log, [], () => {
			assert.deepEqual(order, [0, 1, 0, 1, 0, 1]);
			assert.ok(pause < 1500, `${pause} ms`);
			assert.ok(inputs.some((i) => i.damped));
		});
	},

	async 'an input that blocks or is missing stops no other'(t, sluice) {
		const fifo = path.join(tempDir(t), 'fifo.ts');
		const stage = await Stage.open(t, sluice, 5, {},
			[`file://${fifo}`, 'file:///nowhere/at/all.ts',
				undefined, `udp://nope0@239.1.1.1:1234`]);

		assert.equal((await run('mkfifo', [fifo])).code, 0);
		await stage.begin(2, 4);
		const { inputs } = await stage.plays(3);
		assert.match(inputs[0].error, /not a file/);
		assert.equal(inputs[0].onair, false);
		stage.stop(2);
		const after = await stage.plays(5, undefined, undefined,
			'down', 'down');
		assert.match(after.inputs[3].error, /nope0/);
	},

	async 'a backup file plays from its beginning'(t, sluice) {
		const file = path.join(tempDir(t), 'pause.ts');
		const stage = await Stage.open(t, sluice, 2, {},
			[undefined, `file://${file}#loop`]);

		fs.writeFileSync(file, new TsMux({ rate: RATE,
			programs: [program(1)] }).take(2000));
		await stage.begin(0);
		await stage.plays(1, undefined, 'idle');
		stage.stop(0);
		await stage.plays(2, 'down');
		await stage.play(0);
		await stage.plays(1, undefined, 'idle');
	},

	async 'all inputs down: the last one stays active'(t, sluice) {
		const stage = await Stage.open(t, sluice, 2);

		await stage.begin(0, 1);
		await stage.plays(1, undefined, 'standby');
		stage.stop(0);
		await stage.plays(2, 'down');
		stage.stop(1);
		await stage.until('input 2, off air', ({ inputs }) =>
			inputs[1].state === 'active' && !inputs[1].onair);
		await stage.play(0);
		await stage.plays(1);
	},

	async 'all inputs down: the output stops'(t, sluice) {
		const stage = await Stage.open(t, sluice, 2,
			{ backup_type: 'stop' });
		let scramble = false;

		await stage.play(0, (packets) => {
			stage.senders[0].mux.scrambled = scramble;
			return [packets];
		});
		await stage.begin(1);
		await stage.plays(1, undefined, 'standby');
		stage.stop(1);
		scramble = true;
		const recorder = await Recorder.start(t,
			{ port: stage.output });
		await stage.until('nothing', ({ inputs }) =>
			inputs.every((i) => i.state === 'down'));
		const status = await sluice.status(stage.id);
		// only one on demand sleeps
		assert.equal(status.active, true);
		assert.deepEqual({ ...status.switches[0], time: 0 },
			{ time: 0, from: 1, reason: 'fault',
				fault: 'scrambled' });
		await recorder.quiet();
		const before = recorder.size();
		scramble = false;
		await stage.plays(1);
		await waitUntil('packets', () =>
			recorder.size() > before + 50000);
		let at = 0;
		const after = (await recorder.stop())[0].filter(({ data }) =>
			(at += RECORD_HEAD + data.length) > before);
		const { first } = checkTs(joined(after));
		// a picture that decodes, behind its tables
		assert.ok(first?.rai, JSON.stringify(first));
	},
};

test('several inputs', { concurrency: true }, async (t) => {
	const sluice = await Sluice.start(t, config());

	await Promise.all(Object.entries(scenes).map(([name, play]) =>
		t.test(name, (sub) => insist(sub, () =>
			play(sub, sluice)))));
	await sluice.stop();
});

test('the last picture is sent on other PIDs; without one the log says so',
	async (t) => {
		const recorder = await Recorder.start(t, { port: 6000 });
		const filled = (id, input, output) => ({
			...stream(id, `udp://127.0.0.1:${input}`,
				`udp://127.0.0.1:${output}`),
			filler: 'still', backup_start_delay: 0 });
		const sluice = await Sluice.start(t, config(
			filled('moves', 4900, 6000),
			filled('radio', 4901, 6001)));
		const mux = new TsMux({ programs: [program(0)], rate: RATE });
		// whose frames have no coding
		const radio = { ...program(0), video: undefined };
		const size = () => recorder.lists()[0].length;
		const says = (id, text) => sluice.logged(new RegExp(
			`stream ${id}: input 1: no packets; no other input ` +
			`is on air: ${text}`));

		for (const port of [4900, 4901])
			await waitUntil('an input', () => udpBound(port));
		const senders = [await Sender.start(t, mux, 4900),
			await Sender.start(t, new TsMux({ programs: [radio],
				rate: RATE }), 4901)];
		await sluice.onair('moves');
		await sluice.onair('radio');
		// its last packet is in front of the next picture that decodes
		await waitUntil('a picture', () => mux.seconds > 4 &&
			mux.picturesLeft > 20);
		mux.programs = [program(1)];
		mux.patVersion++;
		// without its PMT there is nothing to send on
		await waitUntil('the PMT of the other program', () =>
			tables(joined(recorder.lists()[0].slice(-200)))
				.pmt(2));
		for (const sender of senders)
			sender.stop();
		await says('moves', 'the filler is sent');
		const before = size();

		await waitUntil('pictures', () => size() > before + 20);
		await says('radio', 'nothing is sent');
		await sluice.stop();
	});
