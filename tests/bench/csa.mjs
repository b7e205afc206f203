// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The cores of worker/csa for full batches, beside the bitslice core of the
 * installed libdvbcsa, without a network.
 */
import { run } from '../helpers/util.mjs';
import { program } from './load.mjs';

const AT_LEAST = { 'AVX2': 2.5, 'AVX-512': 8 }; // x libdvbcsa

export async function csa(report) {
	const { code, out, err } = await run(program('csa_cost'), []);

	if (code !== 0)
		throw new Error(`csa_cost: ${err}`);

	const rows = out.trim().split('\n').map((row) => row.split('|'));
	const [, , scrambled, descrambled] = rows[0].map(Number);

	report.section('csa: Mbit/s of packets a core, in full batches');
	report.table([['core', 'batch', 'scrambles', 'descrambles'], ...rows]);
	report.keep('csa', rows);
	for (const [name, , scrambles, descrambles] of rows.slice(1)) {
		const ratio = Math.min(scrambles / scrambled,
			descrambles / descrambled);

		report.judge(ratio >= AT_LEAST[name], `csa: ${name} has ` +
			`${ratio.toFixed(1)} x the rate of libdvbcsa ` +
			`(at least ${AT_LEAST[name]})`);
	}
}
