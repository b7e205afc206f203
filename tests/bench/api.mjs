// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The control interface of a large installation: 1,000 streams configured, 200
 * of them running. Measures `load' and `set-stream', and the requests of a
 * session while others guess passwords.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { call, done, startGuarded } from '../helpers/auth.mjs';
import { config, request, stream } from '../helpers/sluice.mjs';
import { now, sleep, start, udpBound, waitUntil } from '../helpers/util.mjs';
import { Reporter, startGenerator } from './load.mjs';
import { Scope } from './measure.mjs';

const STREAMS = 1000, RUNNING = 200, ATTACKERS = 32;
const FROM = 10000, TO = 20000, MINUTES = 5;
const LIMIT = { loadMs: 100, setMs: 20, floodMs: 200 };
const TIMES = { load: 50, set: 600, ask: 2000 };

const running = (i, more) => stream(`s${i}`, `udp://127.0.0.1:${FROM + i}`,
	`udp://127.0.0.1:${TO + i}`, more);
const resting = (i, more) => stream(`s${i}`,
	[`udp://239.1.${i >> 8}.${i & 255}:1234`, `rtp://239.2.${
		i >> 8}.${i & 255}:5000`], [`udp://239.3.${i >> 8}.${
		i & 255}:1234`, `http://0.0.0.0:18200/s${i}`],
	{ enable: false, groups: { Language: 'Español', Genre: 'News' },
		comment: 'as large houses have them', ...more });
const settings = { allow_real_ip: true, real_ip_trusted: ['127.0.0.0/8'] };

// Milliseconds that each of n calls took, in order of size.
async function timed(n, ask) {
	const times = [];

	for (let i = 0; i < n; i++) {
		const begin = now();

		await ask(i);
		times.push(now() - begin);
	}
	return times.sort((a, b) => a - b);
}

const permille = (sorted, n) =>
	sorted[Math.ceil(sorted.length * n / 1000) - 1];

async function underFlood(scope, sluice, ask) {
	const flood = start(scope, process.execPath,
		[fileURLToPath(new URL('flood.mjs', import.meta.url)),
			String(sluice.port), String(ATTACKERS)],
		{ stdio: ['pipe', 'pipe', 'pipe'] });

	await new Reporter(flood).ready();
	await sleep(1000);
	const times = await timed(TIMES.ask, ask);
	flood.stdin.end();
	const { out, err, code } = await flood.ended;
	if (code !== 0)
		throw new Error(`the flood failed: ${err}`);
	return { times, answers: JSON.parse(out.split('\n')[1]) };
}

async function startHouse(scope) {
	const house = config(...Array.from({ length: STREAMS },
		(_, i) => i < RUNNING ? running(i) : resting(i)));
	const { sluice, admin } = await startGuarded(scope,
		{ config: { ...house, settings } });

	await waitUntil(`${RUNNING} open inputs`, () => Array.from(
		{ length: RUNNING }, (_, i) => FROM + i).every(udpBound),
	30000);
	startGenerator(scope, { streams: RUNNING, rate: 1, port: FROM,
		seconds: MINUTES * 60 });
	await sleep(3000);
	return { sluice, admin };
}

function measure() {
	return Scope.within(async (scope) => {
		const { sluice, admin } = await startHouse(scope);
		const whoami = async () => {
			const { status } = await call(sluice,
				{ cmd: 'whoami' }, admin);
			if (status !== 200)
				throw new Error(`whoami: ${status}`);
		};
		const set = (object) => done(sluice, { cmd: 'set-stream',
			id: object.id, stream: object }, admin);
		const text = JSON.stringify({ cmd: 'load' });
		let bytes = 0;

		await timed(5, whoami);
		const load = await timed(TIMES.load, async () => {
			const { body } = await request(sluice.port, {
				method: 'POST', path: '/control/',
				headers: admin }, text);
			bytes = body.length;
		});
		const setResting = await timed(TIMES.set, (i) => set(
			resting(RUNNING + i, { name: `name ${i}` })));
		// each starts another worker in the place of the old one
		const setRunning = await timed(TIMES.set / 3, (i) => set(
			running(i % RUNNING, { name: `name ${i}` })));
		const quiet = await timed(TIMES.ask, whoami);
		const flood = await underFlood(scope, sluice, whoami);
		return { bytes, load, setResting, setRunning, quiet, flood };
	});
}

const row = (name, times) => [name, times.length,
	...[500, 990, 1000].map((n) => permille(times, n).toFixed(1))];

function judge(report, name, times, n, limit) {
	const ms = permille(times, n);

	report.judge(ms <= limit,
		`api: ${name} ${ms.toFixed(1)} ms (at most ${limit})`);
}

export async function api(report) {
	report.section(`api: ${STREAMS} streams configured, ` +
		`${RUNNING} at work`);
	const m = await measure();
	const { answers } = m.flood;

	report.table([['ms', 'times', 'p50', 'p99', 'most'],
		row(`load (${Math.round(m.bytes / 1024)} KiB)`, m.load),
		row('set-stream, not at work', m.setResting),
		row('set-stream, at work', m.setRunning),
		row('whoami', m.quiet),
		row('whoami, others guess passwords', m.flood.times)]);
	console.log(`   guesses: ${JSON.stringify(answers)}`);
	report.keep('api', m);
	judge(report, 'load takes', m.load, 1000, LIMIT.loadMs);
	judge(report, 'set-stream p99 (not at work)', m.setResting, 990,
		LIMIT.setMs);
	judge(report, 'set-stream p99 (at work)', m.setRunning, 990,
		LIMIT.setMs);
	judge(report, `p99 with ${ATTACKERS} who guess passwords`,
		m.flood.times, 990, LIMIT.floodMs);
	report.judge((answers[403] ?? 0) > 20,
		`api: ${answers[403] ?? 0} guesses were really checked`);
}
