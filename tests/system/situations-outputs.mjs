// SPDX-License-Identifier: GPL-3.0-or-later
// situations, outputs and callers: what does not leave, and who was refused.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { playAll } from '../helpers/situations.mjs';
import { run, tempDir, waitUntil } from '../helpers/util.mjs';

const DEAD = 'udp://nosuch0@239.1.1.1:7000';

// Calls with this passphrase, as a stranger would.
const call = (port, passphrase) => run('ffmpeg', ['-nostdin', '-v', 'error',
	'-i', `srt://127.0.0.1:${port}?passphrase=${passphrase}`, '-f', 'null',
	'-']);

const situations = {
	async 'cbr drops packets'(s) {
		await s.play(1);
		await s.stream(1, {}, { output: '#cbr=300' });
		const { analysis, row } = await s.tells({
			state: 'on air', ok: true,
			alarms: ['cbr_overflow', 'output_fault'],
			sends: true });
		const told = await s.house.ctl.out(['stream', 'analysis',
			s.id]);

		assert.match(row.output_faults[0].fault, /cbr=300/);
		assert.ok(JSON.parse(analysis.body).output.outputs[0].overflow
			> 0);
		assert.ok((await s.house.sluice.status(s.id)).outputs[0]
			.dropped > 0);
		assert.match(told, /^output: (?!the same)/m);
		assert.match(told, /\(cbr=300\): \d+ packets exceeded that/);
		assert.match(told, /^ {2}cbr_overflow RAISED/m);
	},

	async 'cbr adds null packets'(s) {
		await s.play(1);
		await s.stream(1, {}, { output: '#cbr=900' });
		await s.tells({ state: 'on air', sends: true,
			no: ['cbr_overflow', 'output_fault'] });
	},

	async 'one of two outputs cannot send'(s) {
		await s.play(1);
		await s.stream(1, {}, { more: [DEAD] });
		const { row } = await s.tells({ state: 'on air', sends: true,
			ok: true, alarms: ['output_fault'] });

		assert.equal(row.output_faults[0].position, 2);
		assert.match(row.output_faults[0].fault, /nosuch0: not found/);
	},

	async 'the only output cannot send'(s) {
		await s.play(1);
		await s.stream(1, {}, { output: null, more: [DEAD] });
		await s.tells({ state: 'on air (the output does not send)',
			ok: false, alarms: ['output_fault'], sends: false });
	},

	async 'no folder for a recording'(s) {
		const dir = path.join(tempDir(s.t), 'missing');

		await s.play(1);
		await s.stream(1, {}, { more: [`file://${dir}/a.ts`] });
		const { row } = await s.tells({ state: 'on air', ok: true,
			alarms: ['output_fault'], sends: true });

		assert.equal(row.output_faults[0].position, 2);
		assert.match(row.output_faults[0].fault, /missing/);
	},

	async 'viewers watch'(s) {
		const port = s.first + 90;

		await s.play(1);
		await s.stream(1, {}, { more: [`http://127.0.0.1:${port}/x`] });
		await s.tells({ state: 'on air', also: { sessions: 0 } });
		const viewer = await Viewer.open(s.t, port, '/x');

		await waitUntil('bytes', () => viewer.bytes > 50000);
		const { status, top } = await s.tells({ state: 'on air',
			also: { sessions: 1 } });
		assert.equal(status.sessions, 1);
		assert.equal(top.streams.find((one) => one.id === s.id)
			.sessions, 1);
		viewer.close();
		await s.tells({ state: 'on air', also: { sessions: 0 } });
	},

	async 'an input waits for a caller, and a stranger is refused'(s) {
		const port = s.first + 80;

		await s.stream([`srt://:${port}?passphrase=0123456789`]);
		await s.tells({ state: 'OFF AIR', sends: false,
			error: /^waiting for a caller$/ });
		await call(port, '9999999999');
		// the call and its time, as long as it is the last event
		const { status } = await s.tells({ state: 'OFF AIR',
			error: /127.0.0.1 refused at [0-9: -]+ \S+: passphrase/,
			sends: false });

		assert.equal(status.inputs[0].stats.refused, 1);
	},

	async 'a stranger calls an output: no fault of it'(s) {
		const port = s.first + 81;

		await s.play(1);
		await s.stream(1, {}, { more: [`srt://127.0.0.1:${port}` +
			'#mode=listener&passphrase=0123456789'] });
		await s.tells({ state: 'on air' });
		await call(port, '9999999999');
		await waitUntil('its count', async () => {
			const { outputs } = await s.status();

			assert.equal(outputs[1].stats.refused, 1);
			return true;
		});
		await s.sluice.logged(new RegExp(`stream ${s.id}.*refused`));
		const { outputs } = await s.tells({ state: 'on air',
			no: ['output_fault'] });
		assert.equal(outputs.outputs[1].error, undefined);
	},
};

test('outputs', { concurrency: true }, (t) => playAll(t, situations));
