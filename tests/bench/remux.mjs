// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A transponder of 40 Mbit/s with 8 programmes, each taken out of it by a
 * stream of its own onto PIDs of its own; beside it a relay of 8 streams of
 * the same 5 Mbit/s, to which nothing is done.
 */
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const PROGRAMS = 8, RATE = 40, EACH = RATE / PROGRAMS;
const FROM = 10000, TO = 20000, GROUP = '239.1.1.1';
const LIMIT = { received: 1.0 };

const loads = {
	relay: { streams: PROGRAMS, rate: EACH, address: '127.0.0.1' },
	remux: { programs: PROGRAMS, rate: RATE, address: GROUP },
};

const inputs = {
	relay: (i) => `udp://127.0.0.1:${FROM + i}`,
	// to where the checker looks for them
	remux: (i) => `udp://lo@${GROUP}:${FROM}#pnr=${i + 1}&map.pmt=256&` +
		'map.video=257',
};

function measureOne(name, window) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope, {
			streams: PROGRAMS, rate: EACH, port: TO });
		const sluice = await Sluice.start(scope, config(
			...Array.from({ length: PROGRAMS }, (_, i) => stream(
				`s${i}`, inputs[name](i),
				`udp://127.0.0.1:${TO + i}`))));
		const ids = Array.from({ length: PROGRAMS }, (_, i) => `s${i}`);

		for (const id of ids)
			await waitUntil(`open input of ${id}`, async () =>
				(await sluice.status(id)).inputs[0].open);
		const pids = [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)];
		return measureFlow(scope, checker, { ...loads[name],
			port: FROM, warm: 2, window }, () => cpuNs(pids));
	});
}

function summarise(runs, received) {
	const sum = (key) => runs.reduce((all, run) => all + run[key], 0);
	const cpu = median(runs.map((run) => run.cpu_us_per_mbit));

	return { cpu, received: cpu / received, sent: sum('sent'),
		lost: sum('lost'),
		disorder: sum('duplicated') + sum('reordered'),
		cc: sum('cc_errors'),
		p99: median(runs.map((run) => run.latency_us.p99)) / 1000 };
}

export async function remux(report, { rounds, window }) {
	report.section(`remux: ${PROGRAMS} programmes out of ${RATE} Mbit/s, ` +
		`medians of ${rounds} rounds`);
	const runs = { relay: [], remux: [] };

	for (let round = 0; round < rounds; round++)
		for (const name of Object.keys(runs))
			runs[name].push(await measureOne(name, window));
	// each of the processes receives all of the transponder
	const of = { relay: summarise(runs.relay, 1),
		remux: summarise(runs.remux, PROGRAMS) };

	report.table([['', 'CPU us/Mbit out', 'us/Mbit in', 'lost', 'p99 ms'],
		...Object.entries(of).map(([name, o]) => [name,
			o.cpu.toFixed(0), o.received.toFixed(0), o.lost,
			o.p99.toFixed(1)])]);
	report.keep('remux', runs);
	const ratio = of.remux.received / of.relay.received;
	report.judge(ratio <= LIMIT.received, `remux: CPU ${
		ratio.toFixed(2)} x the relay for a Mbit that comes in ` +
		`(at most ${LIMIT.received})`);
	for (const [name, o] of Object.entries(of))
		report.judge(o.lost === 0 && o.disorder === 0 && o.cc === 0,
			`remux: ${name}: ${ofAll(o.lost, o.sent)} packets ` +
			`lost, ${o.disorder} out of order, ${o.cc} CC errors`);
}
