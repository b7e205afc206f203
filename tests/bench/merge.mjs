// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The faults of the merge by content for streams that lose packets on both
 * paths: random ones by its functions, without a network or a clock.
 */
import { run } from '../helpers/util.mjs';
import { program } from './load.mjs';

// Loss and no other fault; each of these packets is unique.
const PLAIN = ['loss', 'twice'];
const FAULTS = ['missing', 'doubled', 'order'];

export async function merge(report) {
	const { code, out, err } = await run(program('merge_loss'), []);
	const rows = out.trim().split('\n').map((row) => row.split(/ +/));
	const faults = FAULTS.map((name) => rows[0].indexOf(name));

	if (code !== 0)
		throw new Error(`merge_loss: ${err}`);
	report.section('merge: packets that are wrong, of 20 seeds');
	report.table(rows);
	report.keep('merge', rows);
	report.judge(rows.filter(([kind]) => PLAIN.includes(kind))
		.every((row) => faults.every((i) => row[i] === '0')),
	'merge: packets of either path are sent once and in order');
}
