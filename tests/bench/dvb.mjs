// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Multiplexes of 60 Mbit/s with 10 programs each, every program to UDP: by
 * adapters and a stream for each program, and by dvblast -D, a process for each
 * multiplex.  Both put the PIDs where the checker looks for them.
 *
 * Then multiplexes begin for 50 streams that wait, with all tables in their
 * first packets: the time from these to the first packet of each stream.
 *
 *	MUXES=8 MUX_RATE=60   what the machine bears
 */
import { spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { TsMux } from '../helpers/mux.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { now, start, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker } from './load.mjs';
import { cpuNs, median, memoryKib, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const PROGRAMS = 10, FROM = 10000, TO = 20000;
const WAITING = { muxes: 5, rate: 10e6 };
const LIMIT = { cpu: 0.6, kib: 2048, firstMs: 100 };

const list = (n, make) => Array.from({ length: n }, (_, i) => make(i));

async function ours(scope, muxes) {
	const sluice = await Sluice.start(scope, { ...config(
		...list(muxes * PROGRAMS, (i) => stream(`s${i}`, `dvb://d${
			Math.floor(i / PROGRAMS)}#pnr=${i % PROGRAMS + 1}` +
			'&map.pmt=256&map.video=257',
		`udp://127.0.0.1:${TO + i}`))),
	dvb_tune: list(muxes, (i) => ({ id: `d${i}`, name: `d${i}`,
		type: 'S2', enable: true,
		address: `udp://127.0.0.1:${FROM + i}` })) });

	await waitUntil('workers', () => sluice.workers()
		.filter(({ role }) => role === 'stream').length ===
		muxes * PROGRAMS, 60000);
	const adapters = sluice.workers()
		.filter(({ role }) => role === 'adapter');

	return { pids: [sluice.pid, ...sluice.workers().map(({ pid }) => pid)],
		kib: () => Math.max(...adapters.map(({ pid }) => {
			const m = memoryKib(pid, /memfd/);

			return m.pss - m.sharedPss;
		})) };
}

function dvblast(scope, muxes) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dvblast-'));

	scope.after(() => fs.rmSync(dir, { recursive: true }));
	return { pids: list(muxes, (mux) => {
		const file = path.join(dir, `conf${mux}`);

		fs.writeFileSync(file, list(PROGRAMS, (i) => `127.0.0.1:${
			TO + mux * PROGRAMS + i}/udp 1 ${i + 1}\n`).join(''));
		return start(scope, 'dvblast', ['-D',
			`@127.0.0.1:${FROM + mux}/udp`, '-U', '-q', '-0',
			'256,258,257,259', '-c', file]).pid;
	}) };
}

function measureOne(begin, muxes, rate, window) {
	return Scope.within(async (scope) => {
		const ports = list(muxes, (i) => FROM + i);
		const checker = await startChecker(scope, { port: TO,
			streams: muxes * PROGRAMS, rate: rate / PROGRAMS });
		const { pids, kib } = await begin(scope, muxes);

		await waitUntil('open inputs', () => ports.every(udpBound),
			30000);
		const run = await measureFlow(scope, checker, { ports,
			programs: PROGRAMS, rate, address: '127.0.0.1',
			warm: 3, window }, () => cpuNs(pids));

		return { ...run, kib: kib?.() };
	});
}

// The time of the first datagram to a port.
function arrival(scope, port) {
	const socket = dgram.createSocket('udp4');

	scope.after(() => socket.close());
	return new Promise((done) => {
		socket.once('message', () => done(now()));
		socket.bind(port, '127.0.0.1');
	});
}

const table = (i) => ({ pnr: i + 1, pmtPid: 0x200 + 16 * i,
	video: 0x201 + 16 * i, audio: 0x202 + 16 * i });

// Milliseconds from the first packet of a multiplex to that of each stream.
function firstPackets() {
	return Scope.within(async (scope) => {
		const { muxes, rate } = WAITING, times = [];
		const arrivals = list(muxes * PROGRAMS, (i) =>
			arrival(scope, TO + i));

		await ours(scope, muxes);
		for (let i = 0; i < muxes; i++) {
			const port = FROM + i;
			let begin;

			await waitUntil('an open input', () => udpBound(port),
				30000);
			const sender = await Sender.start(scope, new TsMux({
				programs: list(PROGRAMS, table), rate }), port,
			{ everyMs: 1, shape(packets) {
				begin ??= now();
				return [packets];
			} });
			const ends = await Promise.all(arrivals.slice(
				i * PROGRAMS, (i + 1) * PROGRAMS));

			sender.stop();
			times.push(...ends.map((end) => end - begin));
		}
		return times;
	});
}

async function waiting(report, rounds) {
	const times = [];

	for (let round = 0; round < rounds; round++)
		times.push(...await firstPackets());
	times.sort((a, b) => a - b);
	const p99 = times[Math.ceil(times.length * 0.99) - 1];

	report.keep('dvb_first', times);
	report.judge(p99 <= LIMIT.firstMs, `dvb: the first packet of ${
		times.length} streams that wait: median ${median(times)
		.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (at most ${
		LIMIT.firstMs})`);
}

export async function dvb(report, { rounds, window }) {
	const muxes = Number(process.env.MUXES || 8);
	const rate = Number(process.env.MUX_RATE || 60);
	const runs = { sluice: [], dvblast: [] };

	report.section(`dvb: ${muxes} x ${rate} Mbit/s, ${PROGRAMS} programs ` +
		`each, medians of ${rounds} rounds`);
	if (spawnSync('dvblast', ['-V']).error) {
		report.skip('dvb: there is no dvblast');
		return;
	}
	for (let round = 0; round < rounds; round++) {
		runs.sluice.push(await measureOne(ours, muxes, rate, window));
		runs.dvblast.push(await measureOne(dvblast, muxes, rate,
			window));
	}
	const of = (name, key) => median(runs[name].map((run) => run[key]));
	const sum = (name, key) => runs[name].reduce((n, run) =>
		n + run[key], 0);

	report.table([['', 'CPU us/Mbit', 'Mbit', 'lost', 'CC errors',
		'p99 ms'],
		...Object.keys(runs).map((name) => [name,
			of(name, 'cpu_us_per_mbit').toFixed(0),
			sum(name, 'mbit').toFixed(0), sum(name, 'lost'),
			sum(name, 'cc_errors'), (median(runs[name].map((run) =>
				run.latency_us.p99)) / 1000).toFixed(1)])]);
	report.keep('dvb', runs);
	const ratio = median(runs.sluice.map((run, i) => run.cpu_us_per_mbit /
		runs.dvblast[i].cpu_us_per_mbit));
	const kib = Math.max(...runs.sluice.map((run) => run.kib));

	report.judge(ratio <= LIMIT.cpu, `dvb: CPU ${ratio.toFixed(2)} x ` +
		`dvblast (at most ${LIMIT.cpu})`);
	report.judge(sum('sluice', 'lost') === 0 &&
		sum('sluice', 'cc_errors') === 0, `dvb: ${ofAll(
		sum('sluice', 'lost'), sum('sluice', 'sent'))} packets lost, ` +
		`${sum('sluice', 'cc_errors')} CC errors`);
	report.judge(kib <= LIMIT.kib, `dvb: an adapter has ${kib} KiB ` +
		`beside its ring (at most ${LIMIT.kib})`);
	await waiting(report, rounds);
}
