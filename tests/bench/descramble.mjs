// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Descrambling: what the stage takes beside libdvbcsa, without a network; what
 * the process of a stream of 40 Mbit/s takes beside one that relays the same
 * packets; then 20 streams of 8 Mbit/s that are scrambled and descrambled at
 * once, with nothing lost.
 */
import { CamServer } from '../helpers/newcamd.mjs';
import { Ecmg } from '../helpers/simulcrypt.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { run, sleep, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, program, startChecker, startGenerator }
	from './load.mjs';
import { cpuNs, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 20, rate: 8, warm: 4 };
const ONE = { streams: 1, rate: 40, warm: 6, period: 2 };
const FROM = 10000, BETWEEN = 15000, TO = 20000;
const MOST = 1.15; // x libdvbcsa
const KEY = '#biss=123456abcdef';

const ports = (first) =>
	Array.from({ length: LOAD.streams }, (_, i) => first + i);

// { stage, library, bare }: us/Mbit without a network.
async function measureStage() {
	const { code, out, err } = await run(program('descramble_cost'), []);

	if (code !== 0)
		throw new Error(`descramble_cost: ${err}`);
	const [stage, library, bare] = out.trim().split('|')
		.map((ns) => Number(ns) / 1000);

	return { stage, library, bare };
}

// The control words of an ECM of simulcrypt.mjs, behind its head.
function wordsOf({ body }) {
	const word = (tag) => {
		const at = body.indexOf(Buffer.from([0, tag, 0, 8]));

		return at < 0 ? Buffer.alloc(8) :
			body.subarray(at + 4, at + 12);
	};

	return Buffer.concat([word(0x10), word(0x11)]);
}

// One stream scrambles, and two get its packets: one asks a softcam, the other
// one relays.
async function startWorkers(scope) {
	const udp = (port) => `udp://127.0.0.1:${port}`;
	const cam = await CamServer.start(scope, wordsOf);
	const ecmg = await Ecmg.start(scope);
	const sluice = await Sluice.start(scope, { ...config(
		stream('scrambles', udp(FROM), [udp(BETWEEN), udp(BETWEEN + 1)],
			{ cas_list: [{ cas_id: 'cas', ecm_pid: 0x1abc }] }),
		stream('descrambles', `${udp(BETWEEN)}#cam=cam`, udp(TO)),
		stream('relays', udp(BETWEEN + 1), udp(TO + 1))),
	softcam: [cam.entry('cam')],
	cas: [{ id: 'cas', super_cas_id: '0B000000', ecmg_channel_id: 1,
		ecmg_host: '127.0.0.1', ecmg_port: ecmg.port,
		ecmg_cp: ONE.period }] });

	await waitUntil('open inputs', () =>
		[FROM, BETWEEN, BETWEEN + 1].every(udpBound), 15000);
	return { sluice, words: () => ecmg.provisions.length };
}

// us/Mbit of the process that descrambles, and of the one that relays.
function measureWorkers(window) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope,
			{ ...ONE, port: TO });

		await startChecker(scope, { ...ONE, port: TO + 1 });
		const { sluice, words } = await startWorkers(scope);
		const pids = ['descrambles', 'relays'].map((id) =>
			sluice.worker('stream', id).pid);
		const generator = startGenerator(scope, { ...ONE, port: FROM,
			seconds: ONE.warm + window + 1 });

		await sleep(ONE.warm * 1000);
		const cpu = pids.map((pid) => cpuNs([pid]));
		const seen = await checker.snapshot(), before = words();

		await sleep(window * 1000);
		const used = pids.map((pid, i) => cpuNs([pid]) - cpu[i]);
		const now = await checker.snapshot();
		const mbit = (now.bytes - seen.bytes) * 8 / 1e6;

		await generator.ended;
		return { descrambles: used[0] / 1000 / mbit,
			relays: used[1] / 1000 / mbit, mbit,
			lost: now.lost - seen.lost,
			stamped: now.stamped - seen.stamped,
			cc_errors: now.cc_errors - seen.cc_errors,
			words: words() - before };
	});
}

async function judgeCost(report, window) {
	const { stage, library, bare } = await measureStage();
	const one = await measureWorkers(window);
	const rows = { 'libdvbcsa, full batches': bare,
		'the stage with libdvbcsa': library,
		'the stage with the core of this processor': stage,
		'a process that relays': one.relays,
		'a process that descrambles': one.descrambles };

	report.table([['', 'us/Mbit', 'x libdvbcsa'],
		...Object.entries(rows).map(([name, us]) =>
			[name, us.toFixed(2), (us / bare).toFixed(2)])]);
	report.keep('descramble cost', { stage, library, bare, ...one });
	for (const [name, us] of [['with libdvbcsa', library],
		['with the core of this processor', stage]])
		report.judge(us <= MOST * bare, `descramble: the stage ${name
		} takes ${(us / bare).toFixed(2)} x libdvbcsa (at most ${
			MOST})`);
	report.judge(one.descrambles <= MOST * bare + one.relays,
		`descramble: 40 Mbit/s take ${one.descrambles.toFixed(0)} ` +
		`us/Mbit (at most ${MOST} x ${bare.toFixed(0)} of libdvbcsa ` +
		`and ${one.relays.toFixed(0)} of the relay)`);
	report.judge(one.stamped > 0 && one.lost === 0 && one.cc_errors === 0,
		`descramble: 40 Mbit/s: ${ofAll(one.lost,
			one.lost + one.stamped)} packets lost, ${one.cc_errors
		} CC errors, ${one.words} control words`);
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
	await judgeCost(report, window);
	const flow = await measureStreams(window);

	report.keep('descramble streams', flow);
	report.judge(flow.between === 0 && flow.cc_errors === 0,
		`descramble: 20 x 8 Mbit/s: ${ofAll(flow.between, flow.sent)
		} packets lost, ${flow.cc_errors} CC errors, ${
			flow.cpu_us_per_mbit.toFixed(0)} us/Mbit`);
}
