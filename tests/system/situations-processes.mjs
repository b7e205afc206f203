// SPDX-License-Identifier: GPL-3.0-or-later
// situations, processes and streams that read others: what runs, and why not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stream } from '../helpers/sluice.mjs';
import { playAll } from '../helpers/situations.mjs';
import { waitUntil } from '../helpers/util.mjs';

// Kills its processes until the state of the stream matches.
async function killUntil(s, state) {
	let last = 0;

	for (let i = 0; i < 60; i++) {
		const { row } = await s.house.row(s.id);

		if (state.test(row.state))
			return;
		const next = s.worker();

		if (next === undefined || next.pid === last) {
			await waitUntil('a process', async () =>
				(s.worker()?.pid ?? last) !== last ||
				state.test((await s.house.row(s.id)).row.state),
			20000);
			continue;
		}
		last = await s.kill(next.pid);
	}
}

// A source of its own: another stream, which the stream of s reads.
async function withSource(s) {
	s.source = stream(`${s.id}x`, `udp://127.0.0.1:${s.first}`, []);
	await s.play(1);
	await s.sluice.cmd('set-stream', { stream: s.source });
	await s.stream([`stream://${s.source.id}`]);
	await s.tells({ state: 'on air', from: 1 });
}

const situations = {
	async 'a process is killed once'(s) {
		await s.play(1);
		await s.stream(1);
		await s.tells({ state: 'on air' });
		await s.kill();
		// the next one plays, and the alarm stays for seconds
		await s.tells({ state: 'on air', no: ['worker'],
			also: { output_faults: [] } });
		await s.sluice.logged(new RegExp(
			`stream ${s.id}: alarm worker: .*signal 9`));
		assert.ok(s.house.events.messages.some((m) =>
			m.alarm === 'worker' && m.channel_id === s.id &&
			m.raised && /signal 9/.test(m.reason)));
	},

	async 'a process fails again and again: quarantine'(s) {
		await s.play(1);
		await s.stream(1);
		await s.reaches(/^on air$/);
		await killUntil(s, /quarantine/);
		await s.tells({ state: 'OFF AIR (quarantine)', sends: false,
			error: /failures in a row/, alarms: ['worker'] });
		await s.sluice.cmd('restart-stream', { id: s.id });
		await s.tells({ state: 'on air', sends: true, no: ['worker'] });
	},

	async 'a multiplex in quarantine, whatever its event says'(s) {
		await s.play(1);
		await s.stream(1, { type: 'mpts' });
		await s.reaches(/^on air$/);
		await killUntil(s, /quarantine/);
		await s.tells({ state: 'OFF AIR (quarantine)', sends: false,
			error: /failures in a row/, alarms: ['worker'] });
	},

	async 'a process waits for its next start: back-off'(s) {
		await s.play(1);
		await s.stream(1);
		await s.reaches(/^on air$/);
		await killUntil(s, /backoff/);
		const row = await s.reaches(/backoff|quarantine|on air/);

		assert.ok(row.onair || /signal 9|failures/.test(row.error),
			JSON.stringify(row));
		await s.tells({ state: 'on air', no: ['worker'] });
	},

	async 'a process hangs'(s) {
		await s.play(1);
		await s.stream(1);
		await s.reaches(/^on air$/);
		const { pid } = s.worker();

		process.kill(pid, 'SIGSTOP');
		await waitUntil('the reason', async () => {
			const { row } = await s.house.row(s.id);

			assert.match(row.state, /^OFF AIR/);
			assert.match(row.error, /^no status for|signal/);
			return true;
		}, 20000);
		await s.tells({ state: 'on air', no: ['worker'] });
		assert.notEqual(s.worker().pid, pid);
	},

	async 'a stream is disabled'(s) {
		await s.play(1);
		await s.stream(1);
		await s.reaches(/^on air$/);
		await s.sluice.cmd('toggle-stream', { id: s.id });
		await s.tells({ state: 'disabled', error: null, ok: false,
			sends: false });
	},

	async 'the source of a reader loses its packets'(s) {
		await withSource(s);
		s.stop(1);
		await s.tells({ state: 'OFF AIR', sends: false,
			error: new RegExp(`^${s.source.id} is off air: no `) });
	},

	async 'a source is renamed: its reader follows'(s) {
		await withSource(s);
		const { pid } = s.worker();
		const next = { ...s.source, id: `${s.id}y` };
		const { warnings } = await s.sluice.cmd('set-stream',
			{ id: s.source.id, stream: next });

		assert.equal(warnings, undefined);
		s.object.input = [`stream://${next.id}`];
		await s.tells({ state: 'on air', error: null, from: 1 });
		assert.equal(s.worker().pid, pid);
		assert.deepEqual((await s.sluice.json(
			`/api/stream-info/${s.id}`)).input, s.object.input);
	},

	async 'a source is removed: its reader is named and off air'(s) {
		await withSource(s);
		const { warnings } = await s.sluice.cmd('set-stream',
			{ id: s.source.id, stream: { remove: true } });

		assert.match(warnings[0], new RegExp(`inputs of ${s.id} read`));
		await s.tells({ state: 'OFF AIR', sends: false,
			error: /is not there, or not enabled/ });
	},

	async 'a source is disabled: its reader is named and off air'(s) {
		await withSource(s);
		const { warnings } = await s.sluice.cmd('toggle-stream',
			{ id: s.source.id });

		assert.match(warnings[0], new RegExp(`inputs of ${s.id} read`));
		await s.tells({ state: 'OFF AIR', sends: false,
			error: /is not there, or not enabled/ });
	},

	async 'a stream is renamed'(s) {
		await s.play(1);
		await s.stream(1);
		await s.tells({ state: 'on air' });
		const { pid } = (await s.status()).worker;
		const old = s.id;

		s.object.id = s.id = `${old}z`;
		await s.sluice.cmd('set-stream', { id: old, stream: s.object });
		await s.tells({ state: 'on air', from: 1 });
		assert.equal((await s.status()).worker.pid, pid);
		const { streams } = (await s.house.row(s.id)).all;
		assert.ok(!streams.some((one) => one.id === old));
	},
};

test('processes', { concurrency: true }, (t) => playAll(t, situations));
