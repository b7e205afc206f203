// SPDX-License-Identifier: GPL-3.0-or-later
// situations, backups: whichever input plays, every surface tells it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playAll } from '../helpers/situations.mjs';
import { sleep, udpBound, waitUntil } from '../helpers/util.mjs';

const situations = {
	async 'the only input is on air'(s) {
		await s.play(1);
		await s.stream(1);
		await s.tells({ state: 'on air', error: null, sends: true });
	},

	async 'the source is dead from the start'(s) {
		await s.stream(1);
		await s.tells({ state: 'OFF AIR', error: /^no packets$/,
			sends: false, alarms: ['sync_loss'] });
	},

	async 'the source dies'(s) {
		await s.play(1);
		await s.stream(1);
		await s.tells({ state: 'on air', sends: true, from: 1 });
		s.stop(1);
		await s.tells({ state: 'OFF AIR', error: /^no packets$/,
			sends: false });
	},

	async 'a standby is silent'(s) {
		await s.play(1);
		await s.stream(2);
		await s.waits([2, 'no packets']);
		await s.tells({ state: 'on air', error: null, from: 1,
			also: { active_input: 1 } });
		await s.sluice.logged(new RegExp(`stream ${s.id}: input 2: ` +
			'not available as a backup: no packets\n'));
		await s.play(2);
		await s.waits();
		await s.sluice.logged(new RegExp(`stream ${s.id}: input 2: ` +
			'available as a backup\n'));
		s.stop(2);
		await s.waits([2, 'no packets']);
		await s.tells({ state: 'on air', error: null, from: 1 });
	},

	async 'a standby plays'(s) {
		await s.play(1);
		await s.play(2);
		await s.stream(2);
		await s.tells({ state: 'on air', error: null, from: 1 });
	},

	async 'a backup plays, and the first input returns'(s) {
		await s.play(1);
		await s.play(2);
		await s.stream(2);
		await s.tells({ state: 'on air', from: 1 });
		s.stop(1);
		await s.tells({ state: 'on air (input 2, backup)', error: null,
			from: 2, also: { active_input: 2 } });
		await s.waits([1, 'no packets']);
		await s.play(1);
		await s.tells({ state: 'on air', from: 1 });
	},

	async 'backup_type passive: the next input plays'(s) {
		await s.play(2);
		await s.stream(2, { backup_type: 'passive' });
		await s.tells({ state: 'on air (input 2, backup)', from: 2 });
		// it is closed: its fault is that of the time when it was left
		await waitUntil('its end', () => !udpBound(s.first));
		await s.waits([1, 'no packets']);
		await s.tells({ state: 'on air (input 2, backup)', from: 2 });
	},

	async 'backup_type stop: nothing is sent'(s) {
		const mux = await s.play(1);

		await s.play(2);
		await s.stream(2, { backup_type: 'stop' });
		await s.tells({ state: 'on air', from: 1 });
		s.stop(2);
		// its packets still arrive: an active input would be sent
		mux.scrambled = true;
		await s.reaches(/^OFF AIR$/);
		await waitUntil('silence', () => s.capture.packets === 0);
		s.stop(1);
		await s.tells({ state: 'OFF AIR', error: /^no packets$/,
			sends: false });
	},

	async 'backup_type disable: an input is chosen by hand'(s) {
		await s.play(1);
		await s.play(2);
		await s.stream(2, { backup_type: 'disable' });
		await s.tells({ state: 'on air', from: 1 });
		await s.sluice.cmd('set-stream-input', { id: s.id, input: 2 });
		await s.tells({ state: 'on air (input 2, chosen by hand)',
			from: 2 });
		await s.sluice.logged(new RegExp(`stream ${s.id}: input 2 is ` +
			'on air instead of input 1 \\(chosen by hand\\)\n'));
	},

	async 'backup_type disable: an input without packets is chosen'(s) {
		await s.play(1);
		await s.stream(2, { backup_type: 'disable' });
		await s.tells({ state: 'on air', from: 1 });
		await s.sluice.cmd('set-stream-input', { id: s.id, input: 2 });
		await s.tells({ state: 'OFF AIR', error: /^no packets$/,
			sends: false, also: { active_input: 2 } });
		const line = new RegExp(`stream ${s.id}: (input 2 is .*)\n`)
			.exec(s.sluice.log);

		assert.equal(line?.[1], 'input 2 is active instead of input ' +
			'1 (chosen by hand), but off air: no packets');
	},

	async 'backup_type passive: a choice by hand outlives its process'(s) {
		await s.play(1);
		await s.play(2);
		await s.stream(2, { backup_type: 'passive' });
		await s.tells({ state: 'on air', from: 1 });
		await s.sluice.cmd('set-stream-input', { id: s.id, input: 2 });
		await s.tells({ state: 'on air (input 2, chosen by hand)',
			from: 2 });
		const old = await s.kill();

		await s.sluice.replaced('stream', s.id, old);
		await s.tells({ state: 'on air (input 2, chosen by hand)',
			from: 2 });
		// a failure is none: input 1 failed, and input 2 follows it
		await s.sluice.cmd('set-stream-input', { id: s.id, input: 1 });
		await s.tells({ state: 'on air', from: 1 });
		s.stop(1);
		await s.tells({ state: 'on air (input 2, backup)', from: 2 });
	},

	async 'a switch by hand between inputs on air: never off air'(s) {
		await s.play(1);
		await s.play(2);
		await s.stream(2, { backup_type: 'disable' });
		await s.tells({ state: 'on air', from: 1 });
		const { messages } = s.house.seconds;
		const begun = messages.length;

		// at every time of the second
		for (let i = 0; i < 10; i++) {
			const input = 2 - i % 2;

			await s.sluice.cmd('set-stream-input',
				{ id: s.id, input });
			await s.reaches(input === 2 ? /chosen by hand/
				: /^on air$/);
			await sleep(130);
		}
		await s.tells({ from: 1, state: 'on air' });
		const mine = messages.slice(begun).filter((m) =>
			m.channel_id === s.id && m.scope === 'stream_event');

		assert.ok(mine.some((m) => m.onair));
		// an event is off air, too, if the report of a worker is late:
		// the worker itself logs what it does not send
		assert.doesNotMatch(s.sluice.log,
			new RegExp(`stream ${s.id}: .*off air`));
	},

	async 'all inputs are dead: the last one stays active'(s) {
		await s.play(1);
		await s.play(2);
		await s.stream(2);
		await s.tells({ state: 'on air', from: 1 });
		s.stop(1);
		await s.tells({ state: 'on air (input 2, backup)', from: 2 });
		s.stop(2);
		await s.tells({ state: 'OFF AIR', error: /^no packets$/,
			sends: false, also: { active_input: 2 } });
	},

	async 'the time of a fault is its own, not that of the switch'(s) {
		let lossy = false, n = 0;

		await s.play(1, { shape: (p) =>
			lossy && n++ % 4 === 0 ? [] : [p] });
		await s.play(2);
		await s.stream(['#cc_limit=5', ''], { backup_start_delay: 4 });
		await s.tells({ state: 'on air', from: 1 });
		lossy = true;
		await s.reaches(/^on air \(input 2, backup/);
		await s.waits([1, 'CC errors']);
		const { row } = await s.house.row(s.id);
		const { inputs: [left] } = await s.status();

		assert.equal(row.input_faults[0].fault_since,
			left.error_since ?? left.reason_since);
		// the switch came after the start delay
		assert.ok(row.input_faults[0].fault_since + 3 <= left.since,
			JSON.stringify([row.input_faults, left]));
	},

	async 'a single input that flaps is damped against no other'(s) {
		let drop = false;

		await s.play(1, { shape: (p) => drop ? [] : [p] });
		await s.stream(1, { backup_damping: 600 });
		for (let i = 0; i < 4; i++) {
			await s.reaches(/^on air$/);
			drop = true;
			await s.reaches(/^OFF AIR$/);
			drop = false;
		}
		await s.reaches(/^on air/);
		const { inputs: [input] } = await s.status();

		assert.ok(input.penalty > 2500, JSON.stringify(input));
		assert.equal(input.damped, false);
		await s.tells({ state: 'on air', from: 1 });
	},

	async 'an input that flaps is damped, and plays if no other does'(s) {
		let drop = false;

		await s.play(1, { shape: (p) => drop ? [] : [p] });
		await s.play(2);
		await s.stream(2, { backup_return_delay: 0,
			backup_start_delay: 0, backup_damping: 600 });
		// on a busy machine it is damped sooner
		for (let i = 0; i < 5; i++) {
			const { state } = await s.reaches(
				/^on air( \(input .* damped .*)?$/);

			if (/damped/.test(state))
				break;
			drop = true;
			await s.reaches(/^on air \(input 2, backup/);
			drop = false;
		}
		await s.tells({ from: 2, state: new RegExp('^on air \\(' +
			'input 2, backup; input 1 is damped until ' +
			'\\d\\d:\\d\\d \\S+\\)$') });
		s.stop(2);
		await s.tells({ state: new RegExp('^on air \\(input 1 is ' +
			'damped until \\d\\d:\\d\\d \\S+\\)$'), from: 1 });
	},
};

test('backups', { concurrency: true }, (t) => playAll(t, situations));
