// SPDX-License-Identifier: GPL-3.0-or-later
// Memory, descriptors and processes do not grow in continuous operation.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Scene } from '../helpers/scene.mjs';
import { Sluice, config, sanitized } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

// Kilobytes of private memory of this process (without the ring, which fills
// up), and its descriptors.
function taken(pid) {
	const rollup = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');

	return { kb: Number(rollup.match(/^Anonymous: *(\d+) kB/m)[1]),
		fds: fs.readdirSync(`/proc/${pid}/fd`).length };
}

// Children of a process that ended and were not waited for.
const zombies = (pid) => fs.readdirSync('/proc').filter((entry) => {
	try {
		const [state, parent] = fs.readFileSync(`/proc/${entry}/stat`,
			'utf8').split(') ').at(-1).split(' ');
		return state === 'Z' && Number(parent) === pid;
	} catch {
		return false;
	}
});

test('a source that changes all the time leaks nothing',
	{ skip: sanitized ? 'sanitizers keep freed memory' : false },
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const scene = await Scene.open(t, sluice, { inputs:
		['#map.video=300', '#map.video=300'],
	options: { backup_type: 'passive', backup_initial_delay: 9,
		filler: 'still' } });
	const muxes = [0, 7000].map((clock) => new TsMux({ clock }));
	let rounds = 0, input = 1;

	for (const [i, mux] of muxes.entries())
		await Sender.start(t, mux, scene.ports[i]);
	await scene.onair();
	await scene.record();
	const { worker } = scene;
	// other PIDs, another version, another time, another input
	const churn = async (times) => {
		for (const until = rounds + times; rounds < until; rounds++) {
			for (const mux of muxes) {
				mux.programs = [{ ...PROGRAM,
					audio: 0x110 + rounds % 200 }];
				mux.pmtVersion = rounds % 32;
				mux.clock += rounds % 2 ? 500 : -300;
			}
			input = 3 - input;
			await sluice.cmd('set-stream-input',
				{ id: scene.id, input });
			const n = muxes[0].packets;
			await waitUntil('a tenth of a second', () =>
				muxes[0].packets > n + 133);
		}
	};

	await churn(40);
	const before = taken(worker), master = taken(sluice.pid);
	await churn(40);
	const after = taken(worker);

	t.diagnostic(JSON.stringify([before, after, taken(sluice.pid)]));
	assert.equal(scene.worker, worker, 'the same process');
	assert.ok(after.kb < before.kb + 512, `${before.kb} to ${after.kb} kB`);
	assert.ok(after.fds <= before.fds + 1);
	assert.ok(taken(sluice.pid).kb < master.kb + 1024);
	assert.equal(scene.viewer.ended, false);
	await sluice.stop();
});

test('twenty killed workers leave no zombie', async (t) => {
	const sluice = await Sluice.start(t, config());
	const scenes = [];

	for (let i = 0; i < 20; i++)
		scenes.push(await Scene.open(t, sluice));
	const fds = taken(sluice.pid).fds;
	const pids = scenes.map((scene) => scene.worker);
	for (const pid of pids)
		process.kill(pid, 'SIGKILL');
	for (const [i, scene] of scenes.entries())
		await sluice.replaced('stream', scene.id, pids[i], 20000);
	await waitUntil('no zombie', () => zombies(sluice.pid).length === 0);
	await waitUntil('no descriptor more', () =>
		taken(sluice.pid).fds <= fds);
	await sluice.stop();
	assert.deepEqual(zombies(process.pid), []);
});
