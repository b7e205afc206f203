// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The types of output, 8 streams of 8 Mbit/s each: our CPU for a Mbit of input
 * beside that of ffmpeg, which copies the same (-c copy), a process a stream,
 * in one run by turns.
 */
import { spawnSync } from 'node:child_process';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { start, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 8, rate: 8, warm: 4 };
const FROM = 10000, TO = 20000;
const LIMIT = { ffmpeg: 1 / 3 };

const datagrams = (port) => `udp://127.0.0.1:${port}?pkt_size=1316`;
const types = {
	udp: {
		sluice: (port) => `udp://127.0.0.1:${port}`,
		ffmpeg: (port) => ['-f', 'mpegts', datagrams(port)],
	},
	'burst=5': { sluice: (port) => `udp://127.0.0.1:${port}#burst=5` },
	'burst=2': { sluice: (port) => `udp://127.0.0.1:${port}#burst=2` },
	rtp: {
		sluice: (port) => `rtp://127.0.0.1:${port}`,
		ffmpeg: (port) => ['-f', 'rtp_mpegts',
			`rtp://127.0.0.1:${port}`],
	},
	cbr: {
		sluice: (port) => `udp://127.0.0.1:${port}#cbr=10000`,
		ffmpeg: (port) => ['-muxrate', '10M', '-f', 'mpegts',
			datagrams(port)],
	},
};

const each = (make) => Array.from({ length: LOAD.streams }, (_, i) => make(i));

function allBound() {
	return waitUntil('open inputs', () => each((i) => FROM + i)
		.every(udpBound), 15000);
}

const candidates = {
	async sluice(scope, type) {
		const sluice = await Sluice.start(scope, config(
			...each((i) => stream(`s${i}`,
				`udp://127.0.0.1:${FROM + i}`,
				types[type].sluice(TO + i)))));

		await allBound();
		return () => [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)];
	},

	async ffmpeg(scope, type) {
		const children = each((i) => start(scope, 'ffmpeg', [
			'-nostdin', '-loglevel', 'fatal',
			'-analyzeduration', '1000000', '-i',
			`udp://127.0.0.1:${FROM + i}?fifo_size=50000` +
			'&overrun_nonfatal=1', '-map', '0', '-c', 'copy',
			...types[type].ffmpeg(TO + i)]));

		await allBound();
		return () => children.map((child) => child.pid);
	},
};

function measureOne(name, type, window) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope, { ...LOAD,
			port: TO, rtp: type === 'rtp' });
		const pids = await candidates[name](scope, type);
		const flow = await measureFlow(scope, checker,
			{ ...LOAD, port: FROM, window }, () => cpuNs(pids()));
		const came = LOAD.streams * LOAD.rate * window;

		if (flow.mbit < came / 2)
			throw new Error(`${name} sends nothing by ${type}`);
		// per input: the outputs of both differ
		return { ...flow, cpu: flow.cpu_us_per_mbit * flow.mbit /
			came };
	});
}

function summarise(runs) {
	const sum = (key) => runs.reduce((all, run) => all + run[key], 0);

	return { cpu: median(runs.map((run) => run.cpu)), lost: sum('lost'),
		sent: sum('sent'),
		burst: median(runs.map((run) => run.burst_ms.p99)),
		faults: sum('duplicated') + sum('reordered') +
			sum('cc_errors') };
}

async function measureType(report, type, { rounds, window }) {
	const names = Object.keys(types[type]).filter((name) =>
		name === 'sluice' || spawnSync(name, ['-version'])
			.error === undefined);
	const runs = Object.fromEntries(names.map((name) => [name, []]));

	for (let round = 0; round < rounds; round++)
		for (const name of names)
			runs[name].push(await measureOne(name, type, window));
	report.keep(`types ${type}`, runs);
	const { sluice, ffmpeg } = Object.fromEntries(names.map((name) =>
		[name, summarise(runs[name])]));
	report.judge(sluice.lost === 0 && sluice.faults === 0, `${type}: ` +
		`${ofAll(sluice.lost, sluice.sent)} packets lost, ` +
		`${sluice.faults} out of order`);
	if (types[type].ffmpeg === undefined) {
		/* the same as another output, except its bursts */
	} else if (ffmpeg === undefined) {
		report.skip(`${type}: beside ffmpeg: it is not installed`);
	} else {
		const part = sluice.cpu / ffmpeg.cpu;
		report.judge(part <= LIMIT.ffmpeg, `${type}: CPU ${
			part.toFixed(2)} x ffmpeg -c copy (at most a third)`);
	}
	return names.map((name) => [`${type} ${name}`,
		name === 'sluice' ? sluice : ffmpeg]);
}

export async function outputs(report, options) {
	const rows = [];

	report.section(`outputs: ${LOAD.streams} streams of ${LOAD.rate} ` +
		`Mbit/s, medians of ${options.rounds} rounds`);
	for (const type of Object.keys(types))
		rows.push(...await measureType(report, type, options));
	report.table([['', 'CPU us/Mbit in', 'lost', 'burst p99 ms'],
		...rows.map(([name, o]) => [name, o.cpu.toFixed(0),
			name.endsWith('sluice') ? o.lost : '-',
			o.burst.toFixed(1)])]);
}
