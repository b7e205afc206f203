// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make soak SOAK=attacks: slowhttptest and other bad clients for a long time,
 * beside viewers, players of HLS and commands.
 *
 *	SOAK_SECONDS=600
 */
import { PLAY, PLAYLIST, PORT, attack, begin, rssKib, watch }
	from '../helpers/attack-scene.mjs';
import { run } from '../helpers/util.mjs';
import { Scope } from './measure.mjs';
import { number } from './soak.mjs';

const LIMIT = { answerMs: 200, grownKib: 64 * 1024 };
const CONNECTIONS = 4000;

async function slow(url, seconds, ...mode) {
	const { code, out, err } = await run('slowhttptest', ['-c',
		String(CONNECTIONS), '-r', '500', '-i', '5', '-l',
		String(seconds), '-p', '3', '-v', '1', ...mode, '-u', url]);

	if (code !== 0)
		throw new Error(out + err);
}

// Every kind of bad client, one after the other, until the end.
async function others(scope, control, until) {
	while (performance.now() < until) {
		const ends = await Promise.all([
			attack(scope, 'slowHeads', { port: PORT, n: 1000 }),
			attack(scope, 'silence', { port: control, n: 500 }),
			attack(scope, 'resets', { port: PORT, path: '/a',
				tlsPort: PORT }),
			attack(scope, 'flood', { port: PLAY, n: 2000,
				path: '/play/a' }),
			attack(scope, 'idle', { port: PORT, n: 2000,
				path: PLAYLIST })]);

		await Promise.all(ends.map((end) => end()));
	}
}

async function play(seconds) {
	return Scope.within(async (scope) => {
		const scene = await begin(scope);
		const { sluice } = scene;
		const judge = await watch(scope, scene);
		const pids = [sluice.pid, sluice.worker('deliver').pid];
		const before = pids.map(rssKib);
		const at = `http://127.0.0.1:${PORT}`;
		const part = Math.floor(seconds / 3);

		await Promise.all([others(scope, sluice.port,
			performance.now() + seconds * 1000), (async () => {
			await slow(`${at}/a`, part, '-H');
			await slow(`http://127.0.0.1:${sluice.port}/control/`,
				part, '-B', '-s', '8192');
			await slow(`${at}${PLAYLIST}`, part, '-X', '-k', '3',
				'-w', '10', '-y', '20', '-n', '5', '-z', '32');
		})()]);
		return { ...await judge(), replaced: [sluice.pid,
			sluice.worker('deliver').pid].join() !== pids.join(),
		grown: pids.map((pid, i) => rssKib(pid) - before[i]) };
	});
}

export async function attacks(report) {
	const seconds = number('SOAK_SECONDS', 600);

	report.section(`attacks: ${seconds} s`);
	const seen = await play(seconds);

	report.keep('attacks', { seconds, ...seen });
	report.judge(seen.faults.length === 0 && !seen.replaced,
		`attacks: ${seen.faults.length} faults of other clients ` +
		seen.faults.slice(0, 3).join('; '));
	report.judge(seen.longest <= LIMIT.answerMs, 'attacks: the longest ' +
		`answer to a command took ${seen.longest.toFixed()} ms ` +
		`(limit ${LIMIT.answerMs})`);
	report.judge(Math.max(...seen.grown) <= LIMIT.grownKib, 'attacks: ' +
		`the processes grew by ${seen.grown} KiB (limit ` +
		`${LIMIT.grownKib})`);
}
