// SPDX-License-Identifier: GPL-3.0-or-later
// faults, from inside: a worker that does not start, or has no program, costs
// the master and the other streams nothing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { both, wrapper } from '../helpers/bad-worker.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { cpuSeconds, now, sleep, udpBound, waitUntil }
	from '../helpers/util.mjs';

test('a worker that dies at every start: back-off, quarantine, alarm',
	async (t) => {
	const bad = wrapper(t, { bad: '[ ! -e "$dir/mended" ] && exit 1\n' +
		'exec -a sluice-worker "$real" "$@"' });
	const sluice = await Sluice.start(t, both(),
		{ env: { SLUICE_WORKER: bad.file } });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('good');
	const cpu = cpuSeconds(sluice.pid), begin = now();
	const status = await sluice.waitStatus('bad', 'quarantine',
		(s) => s.worker.state === 'quarantine', 120000);
	assert.ok(status.worker.alarm, 'the alarm is a sentence');
	assert.equal(status.onair, false);
	await sluice.logged(/error stream bad: alarm: /);
	const starts = bad.starts();
	const gaps = starts.slice(1).map((s, i) => s - starts[i]);
	t.diagnostic(`${starts.length} starts, pauses ${gaps.map(
		(gap) => gap.toFixed(1))}`);
	assert.ok(starts.length >= 3 && starts.length <= 15);
	// a start may be late, and never early
	const told = [...sluice.log.matchAll(
		/stream bad: .*, restart in ([\d.]+) s/g)].map(([, s]) =>
		Number(s));
	assert.ok(gaps.every((gap, i) => gap > told[i] - 0.5),
		`${gaps} for ${told}`);
	assert.ok(told[gaps.length - 1] > 2 * told[0], `${told}`);
	const load = (cpuSeconds(sluice.pid) - cpu) /
		((now() - begin) / 1000);
	assert.ok(load < 0.05, `${load} of a core`);
	// repaired, and restarted
	fs.writeFileSync(path.join(path.dirname(bad.file), 'mended'), '');
	await sluice.cmd('restart-stream', { id: 'bad' });
	await waitUntil('its input', () => udpBound(5001));
	const better = await sluice.waitStatus('bad', 'run',
		(s) => s.worker.state === 'running');
	assert.equal(better.worker.alarm, undefined);
	await sluice.stop();
});

test('a worker program that is missing at the start is named', async (t) => {
	const sluice = await Sluice.start(t, both(), { wait: false,
		env: { SLUICE_WORKER: '/nonexistent/sluice-worker' } });
	const { code, err } = await sluice.child.ended;

	assert.notEqual(code, 0);
	assert.match(err, /\/nonexistent\/sluice-worker/);
});

test('a worker program that is missing at a restart', async (t) => {
	const bad = wrapper(t,
		{ bad: 'exec -a sluice-worker "$real" "$@"' });
	const sluice = await Sluice.start(t, both(),
		{ env: { SLUICE_WORKER: bad.file } });

	await waitUntil('inputs', () => udpBound(5000) && udpBound(5001));
	await Sender.start(t, new TsMux(), 5000);
	fs.renameSync(bad.file, `${bad.file}.away`);
	process.kill(sluice.worker('stream', 'bad').pid, 'SIGKILL');
	await sluice.waitStatus('bad', 'back-off',
		(s) => s.worker.state === 'backoff');
	const cpu = cpuSeconds(sluice.pid), from = now();
	await sleep(2000);
	// a busy machine sleeps longer
	const used = (cpuSeconds(sluice.pid) - cpu) * 1000 / (now() - from);
	assert.ok(used < 0.1, `${used} of a core`);
	await sluice.onair('good');
	fs.renameSync(`${bad.file}.away`, bad.file);
	await sluice.waitStatus('bad', 'run',
		(s) => s.worker.state === 'running', 20000);
	await sluice.stop();
});
