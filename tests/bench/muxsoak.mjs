// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make soak SOAK=mux: a multiplex of services for a long time, while workers
 * of services are killed, sources fail and guides are replaced. The rate, the
 * PCRs, the counters, the buffers of a decoder and the repetition of tables are
 * judged in the whole record, which is cut into parts.
 *
 *	SOAK_SECONDS=3600 SOAK_STREAMS=10 (services)
 */
import fs from 'node:fs';
import process from 'node:process';
import { judge, liveMultiplex } from '../helpers/media.mjs';
import { judgeRate } from '../helpers/rate.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { sleep, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';
import { Scope } from './measure.mjs';
import { number } from './soak.mjs';

const FROM = 10000, TO = 20000, KBPS = 12000, PART_S = 60;
/* In each part: so many workers of services, sources and guides. */
const KILLS = 3, FAILURES = 1;
/* Longer than any soak: a source ends when it is killed. */
const SOURCE_S = 30 * 86400;
const LIMIT = { rate: 0.001, pcrNs: 500 };

const date = (time) => `${new Date(time * 1000).toISOString()
	.replace(/[-:T]/g, '').slice(0, 14)} +0000`;

// A guide of the whole day; each one has other titles.
function writeGuide(file, channels, n) {
	const begin = Math.floor(Date.now() / 1000 / 3600) * 3600;
	const list = ['<?xml version="1.0"?>\n<tv>\n'];

	for (let c = 0; c < channels; c++)
		for (let i = 0; i < 24; i++)
			list.push(`<programme channel="c${c}" start="${
				date(begin + i * 3600)}" stop="${
				date(begin + (i + 1) * 3600)}">` +
				`<title>Guide ${n}, ${i}</title>` +
				'</programme>\n');
	fs.writeFileSync(`${file}.new`, list.join('') + '</tv>\n');
	fs.renameSync(`${file}.new`, file);
}

class Scene {
	constructor(scope, sluice, services, guide) {
		Object.assign(this, { scope, sluice, services, guide,
			turns: 0, kills: 0, failures: 0, guides: 0 });
	}

	start(i) {
		return liveMultiplex(this.scope,
			`udp://127.0.0.1:${FROM + i}?pkt_size=1316`,
			{ seconds: SOURCE_S, delayS: 0.3 });
	}

	async kill() {
		const id = `m/${this.turns++ % this.services + 1}`;
		const worker = this.sluice.worker('stream', id);

		if (worker !== undefined) {
			process.kill(worker.pid, 'SIGKILL');
			this.kills++;
		}
		await sleep(2000);
	}

	async fail(sources) {
		const i = this.failures++ % this.services;

		sources[i].kill('SIGKILL');
		await sleep(3000);
		sources[i] = this.start(i);
	}

	replaceGuide() {
		writeGuide(this.guide, this.services, this.guides++);
	}
}

async function part(scene, sources, seconds) {
	return Scope.within(async (scope) => {
		const recorder = await Recorder.start(scope, { port: TO });
		const end = performance.now() + seconds * 1000;

		await sleep(1000);
		scene.replaceGuide();
		for (let i = 0; i < KILLS; i++)
			await scene.kill();
		for (let i = 0; i < FAILURES; i++)
			await scene.fail(sources);
		await sleep(Math.max(0, end - performance.now()));
		const found = await judge(recorder.file, 0);
		const [list] = await recorder.stop();
		const ts = checkTs(joined(list));
		const clocks = [...ts.pcrs.keys()].map((pid) =>
			judgeRate(list, pid, KBPS * 1000, ts))
			.filter(({ rateOff }) => rateOff >= 0);
		// without a clock nothing is right
		const most = (key) => clocks.length === 0 ? Infinity :
			Math.max(...clocks.map((c) => c[key]));

		return { found, rateOff: most('rateOff'),
			wrongNs: most('wrongNs') };
	});
}

function run({ seconds, services }) {
	return Scope.within(async (scope) => {
		const guide = `${tempDir(scope)}/tv.xml`;
		const inputs = Array.from({ length: services }, (_, i) =>
			`udp://127.0.0.1:${FROM + i}`);

		writeGuide(guide, services, 0);
		const sluice = await Sluice.start(scope, { ...config({
			...stream('m', inputs, [`udp://127.0.0.1:${TO}`]),
			type: 'mpts', bitrate: KBPS, xmltv_id: 'c0' }),
		settings: { epg_days: 1,
			epg_sources: [`file://${guide}#interval=1`] } });
		const scene = new Scene(scope, sluice, services, guide);

		await waitUntil('open inputs', () => inputs.every((_, i) =>
			udpBound(FROM + i)), 30000);
		const sources = inputs.map((_, i) => scene.start(i));

		await sluice.waitStatus('m', 'all services', (s) => s.services
			?.filter(({ onair }) => onair).length === services,
		30000);
		// the PCRs follow their sources by then
		await sleep(10000);
		const parts = [];

		for (let at = 0; at < seconds; at += PART_S)
			parts.push(await part(scene, sources,
				Math.min(PART_S, seconds - at)));
		const ended = sources.filter(({ exitCode, signalCode }) =>
			exitCode !== null || signalCode !== null).length;

		sources.forEach((source) => source.kill('SIGKILL'));
		return { parts, kills: scene.kills, failures: scene.failures,
			guides: scene.guides, ended };
	});
}

function judgeAll(report, { parts, kills, failures, guides, ended }) {
	const sum = (of) => parts.reduce((all, one) => all + of(one), 0);
	const most = (of) => Math.max(...parts.map(of));
	const rateOff = most((one) => one.rateOff);
	const wrongNs = most((one) => one.wrongNs);
	const faults = {};

	for (const { found: { buffers } } of parts)
		for (const [key, n] of Object.entries(buffers))
			if (!['events', 'judged', 'late', 'unreferenced']
				.includes(key) && n > 0)
				faults[key] = (faults[key] ?? 0) + n;
	report.table([['workers killed', 'sources failed', 'guides',
		'packets', 'PCRs'], [kills, failures, guides,
		sum(({ found }) => found.packets),
		sum(({ found }) => found.pcrs)]]);
	report.judge(kills > 0, `mux: ${kills} workers of services killed`);
	report.judge(ended === 0, `mux: ${ended} sources ended too early`);
	report.judge(rateOff <= LIMIT.rate, 'mux: the rate of a second is ' +
		`${(rateOff * 100).toFixed(4)} % off at most (0.1)`);
	report.judge(wrongNs <= LIMIT.pcrNs, `mux: a PCR is ${wrongNs
		.toFixed(0)} ns off its place at most (500)`);
	report.judge(sum(({ found }) => found.cc) === 0, 'mux: ' +
		`${sum(({ found }) => found.cc)} continuity errors`);
	report.judge(sum(({ found }) => found.pcrBack) === 0, 'mux: ' +
		`${sum(({ found }) => found.pcrBack)} PCRs step back`);
	report.judge(Object.keys(faults).length === 0, 'mux: faults of ' +
		`buffers and repetition: ${JSON.stringify(faults)}`);
}

export async function muxsoak(report) {
	const o = { seconds: number('SOAK_SECONDS', 3600),
		services: number('SOAK_STREAMS', 10) };

	report.section(`soak of a multiplex: ${o.services} services for ` +
		`${o.seconds} s`);
	const r = await run(o);

	report.keep('mux soak', { ...o, ...r });
	judgeAll(report, r);
}
