// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * RTP from one stream to another, 8 streams of 8 Mbit/s: UDP in, RTP between,
 * UDP out, bare, with error correction, on two paths, and two copies merged by
 * their content: our CPU for a Mbit through both beside that of ffmpeg, which
 * copies the same (-c copy) by RTP, a process for each half.  It makes error
 * correction too, but has no use for it when it receives; the rest it cannot.
 */
import { spawnSync } from 'node:child_process';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { start, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 8, rate: 8, warm: 5 };
const FROM = 10000, BETWEEN = 15000, TO = 20000, APART = 20;
const LIMIT = { ffmpeg: 1 / 3 };

const at = (i) => `127.0.0.1:${BETWEEN + APART * i}`;
const second = (i) => `127.0.0.1:${BETWEEN + APART * i + 10}`;
// the address of the first half, and that of the second
const types = {
	rtp: [(i) => [`rtp://${at(i)}`], (i) => `rtp://${at(i)}`],
	fec: [(i) => [`rtp://${at(i)}#fec=10x10`], (i) => `rtp://${at(i)}#fec`],
	'2022-7': [(i) => [`rtp://${at(i)}#path2=${second(i)}`],
		(i) => `rtp://${at(i)}#merge=rtp://${second(i)}`],
	content: [(i) => [`udp://${at(i)}`, `udp://${second(i)}`],
		(i) => `udp://${at(i)}#delay=200&merge=udp://${second(i)}`],
};

const each = (make) => Array.from({ length: LOAD.streams }, (_, i) => make(i));

function allBound() {
	return waitUntil('open inputs', () => each((i) => [FROM + i,
		BETWEEN + APART * i]).flat().every(udpBound), 15000);
}

async function startSluice(scope, type) {
	const [send, receive] = types[type];
	const sluice = await Sluice.start(scope, config(...each((i) => [
		stream(`s${i}`, `udp://127.0.0.1:${FROM + i}`, send(i)),
		stream(`r${i}`, receive(i), `udp://127.0.0.1:${TO + i}`),
	]).flat()));

	await allBound();
	return () => [sluice.pid, ...sluice.workers().map(({ pid }) => pid)];
}

const beside = { fec: 'ffmpeg fec' };
const peers = { ffmpeg: [], 'ffmpeg fec': ['-fec', 'prompeg=l=10:d=10'] };

async function startFfmpeg(scope, name) {
	const half = (from, to) => start(scope, 'ffmpeg', ['-nostdin',
		'-loglevel', 'fatal', '-analyzeduration', '1000000', '-i',
		from, '-map', '0', '-c', 'copy', ...to]);
	const children = each((i) => [
		half(`udp://127.0.0.1:${FROM + i}?fifo_size=50000` +
			'&overrun_nonfatal=1',
		['-f', 'rtp_mpegts', ...peers[name], `rtp://${at(i)}`]),
		half(`rtp://${at(i)}`, ['-f', 'mpegts',
			`udp://127.0.0.1:${TO + i}?pkt_size=1316`]),
	]).flat();

	await allBound();
	return () => children.map((child) => child.pid);
}

function measureOne(name, window) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope, { ...LOAD,
			port: TO });
		const pids = name in peers ? await startFfmpeg(scope, name)
			: await startSluice(scope, name);
		const flow = await measureFlow(scope, checker,
			{ ...LOAD, port: FROM, window }, () => cpuNs(pids()));
		const came = LOAD.streams * LOAD.rate * window;

		if (flow.mbit < came / 3)
			throw new Error(`${name} sends nothing`);
		return { ...flow, cpu: flow.cpu_us_per_mbit * flow.mbit /
			came };
	});
}

function summarise(runs) {
	const sum = (key) => runs.reduce((all, run) => all + run[key], 0);

	return { cpu: median(runs.map((run) => run.cpu)), lost: sum('lost'),
		sent: sum('sent'), p99: median(runs.map((run) =>
			run.latency_us.p99)) / 1000,
		faults: sum('duplicated') + sum('reordered') +
			sum('cc_errors') };
}

export async function rtp(report, { rounds, window }) {
	const peer = spawnSync('ffmpeg', ['-version']).error === undefined;
	const names = [...Object.keys(types),
		...peer ? Object.keys(peers) : []];
	const runs = Object.fromEntries(names.map((name) => [name, []]));

	report.section(`rtp: ${LOAD.streams} streams of ${LOAD.rate} Mbit/s ` +
		`over two workers, medians of ${rounds} rounds`);
	for (let round = 0; round < rounds; round++)
		for (const name of names)
			runs[name].push(await measureOne(name, window));
	report.keep('rtp', runs);
	const of = Object.fromEntries(names.map((name) =>
		[name, summarise(runs[name])]));

	report.table([['', 'CPU us/Mbit', 'lost', 'p99 ms'],
		...names.map((name) => [name, of[name].cpu.toFixed(0),
			of[name].lost, of[name].p99.toFixed(1)])]);
	for (const name of Object.keys(types)) {
		const one = of[name];

		report.judge(one.lost === 0 && one.faults === 0, `${name}: ` +
			`${ofAll(one.lost, one.sent)} packets lost, ` +
			`${one.faults} out of order`);
		if (!peer)
			continue;
		const other = beside[name] ?? 'ffmpeg';
		const part = one.cpu / of[other].cpu;
		report.judge(part <= LIMIT.ffmpeg, `${name}: CPU ${
			part.toFixed(2)} x ${other} (at most a third)`);
	}
	if (!peer)
		report.skip('rtp: beside ffmpeg: it is not installed');
}
