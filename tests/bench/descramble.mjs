// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Descrambling: what the stage takes beside libdvbcsa, without a network; then
 * 20 streams of 8 Mbit/s that are scrambled and descrambled at once, with
 * nothing lost.
 */
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { run, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, program, startChecker } from './load.mjs';
import { cpuNs, Scope } from './measure.mjs';

const LOAD = { streams: 20, rate: 8, warm: 4 };
const FROM = 10000, BETWEEN = 15000, TO = 20000;
const MOST = 1.15; // x libdvbcsa
const KEY = '#biss=123456abcdef';

const ports = (first) =>
	Array.from({ length: LOAD.streams }, (_, i) => first + i);

async function measureStage(report) {
	const { code, out, err } = await run(program('descramble_cost'), []);

	if (code !== 0)
		throw new Error(`descramble_cost: ${err}`);
	const [stage, bare] = out.trim().split('|').map(Number);

	report.table([['', 'us/Mbit'], ['libdvbcsa, full batches',
		(bare / 1000).toFixed(2)], ['the stage, 40 Mbit/s',
		(stage / 1000).toFixed(2)]]);
	report.keep('descramble stage', { stage, bare });
	report.judge(stage <= MOST * bare, `descramble: the stage takes ${
		(stage / bare).toFixed(2)} x libdvbcsa (at most ${MOST})`);
}

function measureStreams(window) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope,
			{ ...LOAD, port: TO });
		const sluice = await Sluice.start(scope, config(
			...ports(0).flatMap((i) => [
				stream(`s${i}`, `udp://127.0.0.1:${FROM + i}`,
					`udp://127.0.0.1:${BETWEEN + i}${KEY}`),
				stream(`d${i}`,
					`udp://127.0.0.1:${BETWEEN + i}${KEY}`,
					`udp://127.0.0.1:${TO + i}`)])));

		await waitUntil('open inputs', () => [...ports(FROM),
			...ports(BETWEEN)].every(udpBound), 15000);
		const pids = sluice.workers().filter(({ role, object }) =>
			role === 'stream' && object.startsWith('d'))
			.map(({ pid }) => pid);

		return measureFlow(scope, checker,
			{ ...LOAD, port: FROM, window }, () => cpuNs(pids));
	});
}

export async function descramble(report, { window }) {
	report.section('descramble: control words of softcams, and BISS');
	await measureStage(report);
	const flow = await measureStreams(window);

	report.keep('descramble streams', flow);
	report.judge(flow.between === 0 && flow.cc_errors === 0,
		`descramble: ${flow.between} packets of ${flow.sent} were ` +
		`lost, ${flow.cc_errors} CC errors, ` +
		`${flow.cpu_us_per_mbit.toFixed(0)} us/Mbit`);
}
