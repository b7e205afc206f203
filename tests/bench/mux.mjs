// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A multiplex of 20 services at 38 Mbit/s. The CPU of its worker for a Mbit of
 * output beside that of a stream with cbr=, and that of the multiplex with the
 * workers of its services beside ffmpeg, which merges the same with -muxrate,
 * in one run by turns; with TSP=FILE also beside that tsp (TSDuck, 3.31), a
 * process for each service and one that merges them. Then a guide of 130,000
 * programmes is imported.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { judge } from '../helpers/media.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { processes, sleep, start, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';
import { startGenerator } from './load.mjs';
import { cpuNs, median, memoryKib, Scope } from './measure.mjs';

const LOAD = { streams: 20, rate: 1.75 };
const KBPS = 38000, FROM = 10000, TO = 20000;
/* The rings of the services have had their first turn by then, in which the
 * multiplex maps their pages. */
const WARM_S = 24;
const LIMIT = { cbr: 1.3, ffmpeg: 1 / 3, tsp: 1 / 2, pssKib: 16 * 1024,
	guideS: 20 };
const GUIDE = { channels: 20, programmes: 6500, everyS: 186 };

const { TSP } = process.env;
const each = (make) => Array.from({ length: LOAD.streams }, (_, i) => make(i));
const bound = (n) => waitUntil('open inputs', () =>
	Array.from({ length: n }, (_, i) => FROM + i).every(udpBound), 30000);

const multiplex = (to) => ({ ...stream('m',
	each((i) => `udp://127.0.0.1:${FROM + i}`), [`udp://127.0.0.1:${to}`]),
type: 'mpts', bitrate: KBPS });

const onAir = (sluice) => sluice.waitStatus('m', 'all services', (s) =>
	s.services?.filter(({ onair }) => onair).length === LOAD.streams,
30000);

// Each returns the processes to measure, by name.
const candidates = {
	async mux(scope) {
		const sluice = await Sluice.start(scope,
			config(multiplex(TO)));

		await bound(LOAD.streams);
		return { load: LOAD, ready: () => onAir(sluice), pids: () => ({
			mux: [sluice.worker('mux', 'm').pid],
			all: [sluice.pid, ...sluice.workers()
				.map(({ pid }) => pid)],
		}) };
	},

	async cbr(scope) {
		const sluice = await Sluice.start(scope, config(stream('m',
			`udp://127.0.0.1:${FROM}`,
			`udp://127.0.0.1:${TO}#cbr=${KBPS}`)));

		await bound(1);
		return { load: { streams: 1, rate: LOAD.streams * LOAD.rate },
			ready: () => sluice.onair('m'), pids: () => ({
				all: [sluice.worker('stream', 'm').pid] }) };
	},

	// Each service gets its number and PIDs in a process of its own.
	async tsp(scope) {
		start(scope, TSP, ['--bitrate', `${KBPS * 1000}`, '-I', 'null',
			'-P', 'regulate', ...each((i) => ['-P', 'merge',
				`${TSP} -I ip ${FROM + i} -P svrename 1 --id ` +
				`${i + 1} -P remap 256=${4096 + 16 * i} ` +
				`257=${4097 + 16 * i}`]).flat(),
			'-O', 'ip', `127.0.0.1:${TO}`]);
		const all = () => processes('tsp').map(({ pid }) => pid);

		// the processes of the services outlive it, with its output
		scope.after(() => all().forEach((pid) =>
			process.kill(pid, 'SIGKILL')));
		await bound(LOAD.streams);
		return { load: LOAD, ready: () => {}, pids: () => ({
			all: all() }) };
	},

	async ffmpeg(scope) {
		const child = start(scope, 'ffmpeg', ['-nostdin', '-loglevel',
			'fatal', ...each((i) => ['-analyzeduration', '1000000',
				'-i', `udp://127.0.0.1:${FROM + i}` +
				'?fifo_size=50000&overrun_nonfatal=1']).flat(),
			...each((i) => ['-map', `${i}`]).flat(), '-c', 'copy',
			'-muxrate', `${KBPS}k`, '-f', 'mpegts',
			`udp://127.0.0.1:${TO}?pkt_size=1316`]);

		return { load: LOAD, ready: () => {},
			pids: () => ({ all: [child.pid] }) };
	},
};

function measureOne(name, window) {
	return Scope.within(async (scope) => {
		const recorder = await Recorder.start(scope, { port: TO });
		const { load, ready, pids } = await candidates[name](scope);

		// ffmpeg opens its inputs one after the other
		const warm = WARM_S + (name === 'ffmpeg' ? 30 : 0);
		startGenerator(scope, { ...load, port: FROM,
			seconds: warm + window + 40 });
		await ready();
		await (name === 'ffmpeg' ? waitUntil('output of ffmpeg', () =>
			recorder.size() > 0, 60000) : sleep(WARM_S * 1000));
		await sleep(1000);
		const processes = pids(), size = recorder.size();
		const before = Object.entries(processes).map(([key, list]) =>
			[key, cpuNs(list)]);

		await sleep(window * 1000);
		const run = Object.fromEntries(before.map(([key, ns]) => [key,
			(cpuNs(processes[key]) - ns) / 1000]));
		const mbit = (recorder.size() - size) * 8 / 1e6;

		for (const key of Object.keys(run))
			run[key] /= mbit;
		if (processes.mux !== undefined) {
			const { pss, sharedPss } = memoryKib(processes.mux[0],
				/memfd:ring/);

			run.pssKib = pss - sharedPss;
		}
		return { ...run, mbit: mbit / window };
	});
}

const date = (time) => `${new Date(time * 1000).toISOString()
	.replace(/[-:T]/g, '').slice(0, 14)} +0000`;

function writeGuide(file) {
	const begin = Math.floor(Date.now() / 1000);
	const list = ['<?xml version="1.0"?>\n<tv>\n'];

	for (let c = 0; c < GUIDE.channels; c++)
		for (let i = 0; i < GUIDE.programmes; i++) {
			const from = begin + i * GUIDE.everyS;

			list.push(`<programme channel="c${c}" start="${
				date(from)}" stop="${date(from +
				GUIDE.everyS)}"><title>Programme ${i}</title>` +
				`<desc>Text of ${i}</desc></programme>\n`);
		}
	fs.writeFileSync(`${file}.new`, list.join('') + '</tv>\n');
	fs.renameSync(`${file}.new`, file);
}

// The multiplex while a guide is imported: seconds, and what a receiver finds.
function importGuide() {
	return Scope.within(async (scope) => {
		const file = `${tempDir(scope)}/tv.xml`;
		const recorder = await Recorder.start(scope, { port: TO });
		const channels = Array.from({ length: GUIDE.channels },
			(_, i) => ({ ...stream(`c${i}`,
				`udp://127.0.0.1:${FROM + 100 + i}`, []),
			xmltv_id: `c${i}` }));
		const sluice = await Sluice.start(scope, { ...config(
			multiplex(TO), ...channels), settings: { epg_days: 14,
			epg_sources: [`file://${file}#interval=1`] } });
		const imported = async (id) => {
			const reply = await sluice.get(`/api/stream-epg/${id}`);

			return reply.status === 200 && JSON.parse(reply.body)
				.services[0]?.events.length > 0;
		};

		await bound(LOAD.streams);
		startGenerator(scope, { ...LOAD, port: FROM, seconds: 90 });
		await onAir(sluice);
		await sleep(2000);
		writeGuide(file);
		const begin = performance.now();
		for (const { id } of channels)
			await waitUntil(`guide of ${id}`, () => imported(id),
				60000);
		const seconds = (performance.now() - begin) / 1000;
		await sleep(2000);
		const { services, outputs: [output] } =
			await sluice.status('m');
		const found = await judge(recorder.file, 0);

		return { seconds, dropped: output.dropped + services.reduce(
			(sum, service) => sum + (service.dropped ?? 0), 0),
		found };
	});
}

function judgeGuide(report, { seconds, dropped, found }) {
	// the parameter set of the generator names level 1
	const faults = Object.entries(found.buffers).filter(([key, n]) =>
		!['events', 'judged', 'tbVideo', 'eb'].includes(key) && n > 0);

	report.judge(seconds <= LIMIT.guideS, `mux: ${(GUIDE.channels *
		GUIDE.programmes).toLocaleString('en')} programmes imported ` +
		`in ${seconds.toFixed(1)} s (at most ${LIMIT.guideS})`);
	report.judge(dropped === 0 && found.cc === 0, 'mux: meanwhile ' +
		`${dropped} packets dropped, ${found.cc} continuity errors`);
	report.judge(found.dtsLate === 0 && faults.length === 0, 'mux: ' +
		`${found.dtsLate} units late, faults of buffers and ` +
		`repetition: ${JSON.stringify(Object.fromEntries(faults))}`);
}

export async function mux(report, { rounds, window }) {
	const names = Object.keys(candidates).filter((name) =>
		name === 'tsp' ? TSP !== undefined : name !== 'ffmpeg' ||
			spawnSync(name, ['-version']).error === undefined);
	const runs = Object.fromEntries(names.map((name) => [name, []]));

	report.section(`mux: ${LOAD.streams} services of ${LOAD.rate} Mbit/s ` +
		`at ${KBPS / 1000} Mbit/s, medians of ${rounds} rounds`);
	for (let round = 0; round < rounds; round++)
		for (const name of names)
			runs[name].push(await measureOne(name, window));
	const of = (name, key) => median(runs[name].map((run) => run[key]));
	const guide = await importGuide();

	report.keep('mux', { runs, guide });
	report.table([['', 'CPU us/Mbit out', 'Mbit/s'],
		['its worker', of('mux', 'mux').toFixed(0),
			of('mux', 'mbit').toFixed(1)],
		...names.map((name) => [name === 'mux'
			? 'with its services' : name,
		of(name, 'all').toFixed(0), of(name, 'mbit').toFixed(1)])]);
	const part = of('mux', 'mux') / of('cbr', 'all');

	report.judge(part <= LIMIT.cbr, `mux: CPU ${part.toFixed(2)} x that ` +
		`of an output with cbr (at most ${LIMIT.cbr})`);
	if (names.includes('ffmpeg')) {
		const of_ = of('mux', 'all') / of('ffmpeg', 'all');

		report.judge(of_ <= LIMIT.ffmpeg, `mux: with its services ${
			of_.toFixed(2)} x ffmpeg -muxrate (at most a third)`);
	} else {
		report.skip('mux: beside ffmpeg: it is not installed');
	}
	if (TSP !== undefined) {
		const of_ = of('mux', 'all') / of('tsp', 'all');

		report.judge(of_ <= LIMIT.tsp, `mux: with its services ${
			of_.toFixed(2)} x tsp merge (at most a half)`);
	}
	const pss = Math.max(...runs.mux.map(({ pssKib }) => pssKib));

	report.judge(pss <= LIMIT.pssKib, `mux: PSS ${(pss / 1024)
		.toFixed(1)} MiB beside rings (at most 16)`);
	judgeGuide(report, guide);
}
