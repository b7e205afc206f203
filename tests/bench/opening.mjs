// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * 50 pages open at once, on 1,000 streams: what each of them asks before its
 * first picture, files and event channel included.  Measures the requests from
 * their first byte to the end of the answer, and what the streams lose.
 */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { cookie, enter, startGuarded } from '../helpers/auth.mjs';
import { config, stream } from '../helpers/sluice.mjs';
import { now, sleep, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker } from './load.mjs';
import { Scope, cpuNs } from './measure.mjs';
import { ofAll } from './report.mjs';

const LOAD = { streams: 200, rate: 1, warm: 3 };
const STREAMS = 1000, PAGES = 50, ROUNDS = 5, CONNECTIONS = 4;
// A login has 16 tokens of the event channel at a time.
const USERS = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) =>
	[name, { type: 2, password: `${name}-secret`, enable: true }]));
const FROM = 10000, TO = 20000, LIMIT_MS = 20, WINDOW_S = 15;

const house = () => config(...Array.from({ length: STREAMS }, (_, i) =>
	i < LOAD.streams ? stream(`s${i}`, `udp://127.0.0.1:${FROM + i}`,
		`udp://127.0.0.1:${TO + i}`) :
		stream(`s${i}`, `udp://239.1.${i >> 8}.${i & 255}:1234`,
			`udp://239.3.${i >> 8}.${i & 255}:1234`,
			{ enable: false, groups: { Genre: 'News' } })));

// One request of a page, on its own connections; the answer.  times: where its
// time belongs.
function ask(page, path, command, times = page.times) {
	const text = command && JSON.stringify({ cmd: command });

	return new Promise((done, fail) => {
		let begin;
		const call = http.request({ host: '127.0.0.1',
			port: page.port, agent: page.agent, path,
			method: text ? 'POST' : 'GET',
			headers: page.headers }, (reply) => {
			const parts = [];

			reply.on('data', (part) => parts.push(part));
			reply.on('error', fail);
			reply.on('end', () => {
				times.push(now() - begin);
				if (reply.statusCode === 200)
					done(Buffer.concat(parts).toString());
				else
					fail(new Error(`${path}: ${
						reply.statusCode}`));
			});
		});
		// until then it waits for a connection of the page
		call.on('socket', () => { begin = now(); });
		call.on('error', fail);
		call.end(text);
	});
}

// Opens the event channel as the page does; nothing is decoded.
function listen(page, token) {
	return new Promise((done, fail) => {
		const begin = now();
		const call = http.request({ host: '127.0.0.1',
			port: page.port, agent: false,
			path: `/control/event/?token=${token}`,
			headers: { ...page.headers, Connection: 'Upgrade',
				Upgrade: 'websocket',
				'Sec-WebSocket-Version': 13,
				'Sec-WebSocket-Key': randomBytes(16)
					.toString('base64') } });

		call.on('upgrade', (reply, socket) => {
			page.times.push(now() - begin);
			socket.on('error', () => {});
			done(socket.resume());
		});
		call.on('response', (reply) => fail(new Error(
			`event channel: ${reply.statusCode}`)));
		call.on('error', fail);
		call.end();
	});
}

// The addresses of the scripts and styles that the page names.
const filesOf = (text) => [...text.matchAll(
	/<(?:link|script)[^>]*(?:href|src)="(web\/[^"]+)"/g)].map(([, name]) =>
	`/${name}`);

// Every request of a browser from the address to the first picture.
async function open(page) {
	const files = filesOf(await ask(page, '/', null, page.files));

	page.headers = { ...page.headers, 'Accept-Encoding': 'gzip' };
	await Promise.all(files.map((name) =>
		ask(page, name, null, page.files)));
	await ask(page, '/control/', 'whoami');
	const { token } = JSON.parse(
		await ask(page, '/control/', 'ws-token'));
	const events = await listen(page, token);

	await Promise.all([ask(page, '/api/overview'),
		ask(page, '/control/', 'load'), ask(page, '/api/forms')]);
	page.agent.destroy();
	return events;
}

// CPU nanoseconds of the master while they open.
async function openAll(sluice, logins, times, files) {
	let cpu = 0;

	for (let i = 0; i < ROUNDS; i++) {
		const before = cpuNs([sluice.pid]);
		const events = await Promise.all(Array.from({ length: PAGES },
			(_, n) => open({ port: sluice.port, times, files,
				headers: logins[n % logins.length],
				agent: new http.Agent({ keepAlive: true,
					maxSockets: CONNECTIONS }) })));

		cpu += cpuNs([sluice.pid]) - before;
		await sleep(1000);
		for (const socket of events)
			socket.destroy();
	}
	return cpu;
}

function measure() {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope, { ...LOAD,
			port: TO });
		const { sluice } = await startGuarded(scope,
			{ config: house(), users: USERS });
		const logins = await Promise.all(Object.entries(USERS).map(
			async ([name, { password }]) => cookie(
				await enter(sluice, name, password))));
		const times = [], files = [];

		await waitUntil(`${LOAD.streams} open inputs`, () => Array.from(
			{ length: LOAD.streams }, (_, i) => FROM + i)
			.every(udpBound), 30000);
		const flowing = measureFlow(scope, checker, { ...LOAD,
			port: FROM, window: WINDOW_S }, () => 0);

		await sleep(LOAD.warm * 1000);
		const cpu = await openAll(sluice, logins, times, files);

		return { flow: await flowing, times, files, cpu };
	});
}

// p50, p99 and the most, in ms.
function figures(list) {
	const sorted = [...list].sort((a, b) => a - b);

	return [500, 990, 1000].map((n) =>
		sorted[Math.ceil(sorted.length * n / 1000) - 1]);
}

export async function opening(report) {
	report.section(`opening: ${PAGES} pages at once, ${STREAMS} streams`);
	const { times, files, flow, cpu } = await measure();
	const [, p99] = figures(times);

	report.table([['ms', 'times', 'p50', 'p99', 'most'],
		...[['API', times], ['files', files]].map(([name, list]) =>
			[name, list.length, ...figures(list).map((ms) =>
				ms.toFixed(1))])]);
	const each = cpu / 1e6 / PAGES / ROUNDS;

	report.table([['CPU', 'ms'], ['master, for a page', each.toFixed(2)]]);
	report.keep('opening', { api: figures(times), files: figures(files),
		lost: flow.lost, cpu_ms: each });
	report.judge(p99 <= LIMIT_MS, `opening: p99 of the API ${
		p99.toFixed(1)} ms (at most ${LIMIT_MS})`);
	report.judge(flow.lost === 0,
		`opening: ${ofAll(flow.lost, flow.sent)} packets lost`);
}
