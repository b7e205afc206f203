// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * 50 pages open at once, on 1,000 streams: what each of them asks before its
 * first picture.  Measures the requests from their first byte to the end of
 * the answer.
 */
import http from 'node:http';
import { startGuarded } from '../helpers/auth.mjs';
import { config, stream } from '../helpers/sluice.mjs';
import { now, sleep, udpBound, waitUntil } from '../helpers/util.mjs';
import { startGenerator } from './load.mjs';
import { Scope } from './measure.mjs';

const STREAMS = 1000, RUNNING = 200, PAGES = 50, ROUNDS = 5;
const FROM = 10000, TO = 20000, LIMIT_MS = 20;

const house = () => config(...Array.from({ length: STREAMS }, (_, i) =>
	i < RUNNING ? stream(`s${i}`, `udp://127.0.0.1:${FROM + i}`,
		`udp://127.0.0.1:${TO + i}`) :
		stream(`s${i}`, `udp://239.1.${i >> 8}.${i & 255}:1234`,
			`udp://239.3.${i >> 8}.${i & 255}:1234`,
			{ enable: false, groups: { Genre: 'News' } })));

// One request of a page, on its own connections; nothing is decoded.
function ask(page, path, command) {
	const text = command && JSON.stringify({ cmd: command });

	return new Promise((done, fail) => {
		const begin = now();
		const call = http.request({ host: '127.0.0.1',
			port: page.port, agent: page.agent, path,
			method: text ? 'POST' : 'GET',
			headers: page.headers }, (reply) => {
			reply.on('data', () => {});
			reply.on('error', fail);
			reply.on('end', () => {
				page.times.push(now() - begin);
				if (reply.statusCode === 200)
					done();
				else
					fail(new Error(`${path}: ${
						reply.statusCode}`));
			});
		});
		call.on('error', fail);
		call.end(text);
	});
}

async function open(page) {
	await ask(page, '/');
	await ask(page, '/control/', 'whoami');
	await ask(page, '/control/', 'ws-token');
	await Promise.all([ask(page, '/api/overview'),
		ask(page, '/control/', 'load'), ask(page, '/api/forms')]);
	page.agent.destroy();
}

function measure() {
	return Scope.within(async (scope) => {
		const { sluice, admin } = await startGuarded(scope,
			{ config: house() });
		const times = [];

		await waitUntil(`${RUNNING} open inputs`, () => Array.from(
			{ length: RUNNING }, (_, i) => FROM + i)
			.every(udpBound), 30000);
		startGenerator(scope, { streams: RUNNING, rate: 1, port: FROM,
			seconds: 120 });
		await sleep(3000);
		for (let i = 0; i < ROUNDS; i++) {
			await Promise.all(Array.from({ length: PAGES }, () =>
				open({ port: sluice.port, headers: admin,
					times, agent: new http.Agent({
						keepAlive: true }) })));
			await sleep(1000);
		}
		return times.sort((a, b) => a - b);
	});
}

export async function opening(report) {
	report.section(`opening: ${PAGES} pages at once, ${STREAMS} streams`);
	const times = await measure();
	const [p50, p99, most] = [500, 990, 1000].map((n) =>
		times[Math.ceil(times.length * n / 1000) - 1]);

	report.table([['ms', 'times', 'p50', 'p99', 'most'],
		['requests', times.length, ...[p50, p99, most].map((ms) =>
			ms.toFixed(1))]]);
	report.keep('opening', { p50, p99, most });
	report.judge(p99 <= LIMIT_MS, `opening: p99 of a request ${
		p99.toFixed(1)} ms (at most ${LIMIT_MS})`);
}
