// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make soak SOAK=players: real players for a long time, while the input
 * switches, the process of the stream is killed, and the service restarts.
 *
 *	SOAK_SECONDS=600
 */
import { begin, faultsOf, playAll } from '../helpers/player-scene.mjs';
import { Scope } from './measure.mjs';
import { number } from './soak.mjs';

const EVERY_S = 15;

export async function players(report) {
	const seconds = number('SOAK_SECONDS', 600);

	report.section(`players: ${seconds} s`);
	const { found, happened, kills, missing } = await Scope.within(
		async (scope) => playAll(scope, await begin(scope),
			{ seconds, everyS: EVERY_S }));

	report.keep('players', { seconds, happened, found });
	for (const what of missing)
		report.judge(false, `players: ${what}`);
	for (const seen of found) {
		const { name, pictures = 'some', late = 0, times = [] } = seen;
		const faults = [...faultsOf(seen, kills), ...times];

		report.judge(faults.length === 0 && late === 0,
			`players: ${name}: ${pictures} pictures, ${late} ` +
			`late, ${faults.length} faults, ${happened} ` +
			`disturbances ${faults.slice(0, 3).join('; ')}`);
	}
}
