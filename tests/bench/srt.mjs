// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * SRT in and out, 4 streams of 8 Mbit/s each, beside srt-live-transmit, a
 * process a stream, in one run by turns. The other end of the SRT connection is
 * srt-live-transmit in both cases; its CPU is not counted.
 */
import { spawnSync } from 'node:child_process';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { start, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker } from './load.mjs';
import { cpuNs, median, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 4, rate: 8, warm: 4 };
const FROM = 10000, LINK = 15000, TO = 20000;
const LATENCY = 'latency=200';

const each = (make) => Array.from({ length: LOAD.streams }, (_, i) => make(i));
const udp = (port) => `udp://127.0.0.1:${port}`;
const caller = (i) => `srt://127.0.0.1:${LINK + i}`;

const relay = (scope, from, to) => start(scope, 'srt-live-transmit',
	['-q', '-chunk:1316', from, to]);

// The side of the candidate, and the program on the other side.
const types = {
	'srt out': {
		from: (i) => udp(FROM + i),
		to: (i) => `${caller(i)}`,
		beside: (scope, i) => relay(scope,
			`srt://127.0.0.1:${LINK + i}?mode=listener&${LATENCY}`,
			udp(TO + i)),
	},
	'srt in': {
		from: (i) => `${caller(i)}`,
		to: (i) => udp(TO + i),
		beside: (scope, i) => relay(scope, udp(FROM + i),
			`srt://127.0.0.1:${LINK + i}?mode=listener&${LATENCY}`),
	},
};

const candidates = {
	async sluice(scope, type) {
		const to = (address) => address.startsWith('srt:')
			? `${address}#${LATENCY}` : address;
		const sluice = await Sluice.start(scope, config(
			...each((i) => stream(`s${i}`, to(types[type].from(i)),
				to(types[type].to(i))))));

		const ends = async (id) => [
			...(await sluice.status(id)).inputs,
			...(await sluice.status(id)).outputs];

		await waitUntil('connections', async () => (await Promise.all(
			each((i) => ends(`s${i}`)))).every((both) =>
			both.some((end) => end.stats?.peers === 1)), 15000);
		return () => [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)];
	},

	async 'srt-live-transmit'(scope, type) {
		const to = (address) => address.startsWith('srt:')
			? `${address}?${LATENCY}` : address;
		const children = each((i) => relay(scope,
			to(types[type].from(i)), to(types[type].to(i))));

		return () => children.map((child) => child.pid);
	},
};

function measureOne(name, type, window) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope,
			{ ...LOAD, port: TO });

		for (const i of each((k) => k))
			types[type].beside(scope, i);
		await waitUntil('the other ends', () => each((i) => LINK + i)
			.every(udpBound), 15000);
		const pids = await candidates[name](scope, type);

		await waitUntil('open inputs', () => each((i) => FROM + i)
			.every(udpBound), 15000);
		return measureFlow(scope, checker, { ...LOAD, port: FROM,
			window }, () => cpuNs(pids()));
	});
}

async function measureType(report, type, { rounds, window }) {
	const names = Object.keys(candidates);
	const runs = Object.fromEntries(names.map((name) => [name, []]));

	for (let round = 0; round < rounds; round++)
		for (const name of names)
			runs[name].push(await measureOne(name, type, window));
	report.keep(type, runs);
	const cpu = Object.fromEntries(names.map((name) => [name,
		median(runs[name].map((run) => run.cpu_us_per_mbit))]));
	const sum = (key) => runs.sluice.reduce(
		(all, run) => all + run[key], 0);
	const part = cpu.sluice / cpu['srt-live-transmit'];

	report.judge(sum('lost') === 0, `${type}: ${
		ofAll(sum('lost'), sum('sent'))} packets lost`);
	report.judge(part <= 1, `${type}: CPU ${part.toFixed(2)} x ` +
		'srt-live-transmit (at most as much)');
	return names.map((name) => [`${type} ${name}`, cpu[name].toFixed(0)]);
}

export async function srt(report, options) {
	const rows = [];

	report.section(`srt: ${LOAD.streams} streams of ${LOAD.rate} Mbit/s, ` +
		`medians of ${options.rounds} rounds`);
	if (spawnSync('srt-live-transmit', ['-version']).error !== undefined) {
		report.skip('srt: srt-live-transmit is not installed');
		return;
	}
	for (const type of Object.keys(types))
		rows.push(...await measureType(report, type, options));
	report.table([['', 'CPU us/Mbit'], ...rows]);
}
