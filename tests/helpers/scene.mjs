// SPDX-License-Identifier: GPL-3.0-or-later
// One stream of a service between sources with faults and two receivers with
// checks: a recorder of the network output, and a viewer.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Viewer, assertOneStream, assertPlays, judge } from './media.mjs';
import { stream } from './sluice.mjs';
import { Timing } from './timing.mjs';
import { Recorder } from './udp.mjs';
import { now, tempDir, udpBound, waitUntil } from './util.mjs';

// At a jump the time places the next PCR, which after a longer pause steps by
// more than TR 101 290 2.3b allows.
const HELD_UP_MS = 100;

let scenes = 0;

// Plays a scene. Its sources are in this process: where a machine that is too
// busy delayed it, its faults prove nothing.
export async function playScene(t, play) {
	const timing = new Timing(t);
	const delay = monitorEventLoopDelay({ resolution: 10 });

	delay.enable();
	try {
		await play();
	} catch (error) {
		const ms = delay.max / 1e6;

		if (error.code !== 'ERR_ASSERTION' || ms < HELD_UP_MS ||
		    !timing.busy())
			throw error;
		t.skip(`its sources were held up for ${ms.toFixed()} ms: ` +
			error.message);
	} finally {
		delay.disable();
	}
}

export class Scene {
	// inputs: the suffix of the address of each ('#map.video=101'), or
	// another address; outputs: beside those of the receivers; options: of
	// the stream.
	static async open(t, sluice, { inputs = [''], outputs = [],
		options = {} } = {}) {
		const self = new Scene();
		const first = 5000 + 100 * scenes;

		self.t = t;
		self.sluice = sluice;
		self.id = `s${scenes++}`;
		self.ports = inputs.map((_, i) => first + i);
		self.output = first + 50;
		self.object = stream(self.id, inputs.map((input, i) =>
			/^(#|$)/.test(input) ?
				`udp://127.0.0.1:${first + i}${input}` : input),
		[`udp://127.0.0.1:${self.output}`,
			`http://127.0.0.1:8100/${self.id}`, ...outputs],
		options);
		await sluice.cmd('set-stream', { stream: self.object });
		await waitUntil(`input of ${self.id}`, () =>
			!inputs.some((input) => /^(#|$)/.test(input)) ||
			self.ports.some((port) => udpBound(port)));
		return self;
	}

	get worker() { return this.sluice.worker('stream', this.id).pid; }

	status() { return this.sluice.status(this.id); }
	onair() { return this.sluice.onair(this.id, 20000); }
	inputs() { return this.sluice.json(`/api/stream-inputs/${this.id}`); }

	// Waits until the inputs satisfy probe.
	until(what, probe, timeoutMs = 20000) {
		return waitUntil(`${what} of ${this.id}`, async () => {
			const all = await this.inputs();
			if (!probe(all))
				throw new Error(JSON.stringify(all));
			return all;
		}, timeoutMs);
	}

	// The output has none of these faults, whatever else a busy machine may
	// do to it.
	async assertFree(...alarms) {
		const status = await this.status();

		for (const name of alarms)
			assert.ok(!status.alarms.includes(name),
				`${name}: ${status.alarms}`);
	}

	is(n, state) {
		return this.until(`input ${n} ${state}`, ({ inputs }) =>
			inputs[n - 1].state === state && inputs[n - 1].onair);
	}

	plays(n) { return this.is(n, 'active'); }

	// From now on the output counts.
	async record() {
		this.recorder = await Recorder.start(this.t,
			{ port: this.output });
		// begins with a picture
		this.viewer = await Viewer.open(this.t, 8100, `/${this.id}`);
	}

	// Waits for so many bytes more, with both receivers.
	more(bytes) {
		const udp = this.recorder.size() + bytes;
		const http = this.viewer.bytes + bytes;

		return waitUntil(`more of ${this.id}`, () =>
			this.recorder.size() >= udp &&
			this.viewer.bytes >= http, 20000);
	}

	async wait(ms) {
		const until = now() + ms;

		await waitUntil('time', () => now() >= until, ms + 20000);
	}

	// The output on the network: { list, found }.
	async recorded() {
		const [list] = await this.recorder.stop();

		return { list, found: await judge(this.recorder.file, 0) };
	}

	// Only a continuous stream that plays; options of assertOneStream(),
	// where a change of the source counts as a pause: this process, which
	// sends the sources, may be delayed at that moment. Returns the output
	// on the network.
	async assertSeamless(options) {
		const file = path.join(tempDir(this.t), 'seen.ts');
		const seen = this.viewer.data();

		assert.equal(this.viewer.ended, false, 'the viewer stayed');
		fs.writeFileSync(file, seen.subarray(0,
			seen.length - seen.length % 188));
		const recorded = await this.recorded();
		assertOneStream(recorded.found, options);
		await assertPlays(file);
		return recorded;
	}
}
