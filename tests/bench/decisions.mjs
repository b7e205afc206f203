// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Decisions about viewers: by a token, by a password and by a backend that is
 * asked for each.  What they cost the master, how many a second are made, and
 * how long a request to the control API takes meanwhile.
 */
import http from 'node:http';
import net from 'node:net';
import { config, request, Sluice, stream } from '../helpers/sluice.mjs';
import { now, udpBound, waitUntil } from '../helpers/util.mjs';
import { startGenerator } from './load.mjs';
import { cpuNs, Scope } from './measure.mjs';

const PORT = 18100, BACKEND = 18101, FROM = 10000;
const COUNT = 3000, PARALLEL = 48, TOKENS = 1000, PASSWORDS = 10;
const LIMIT = { ms: 1, perS: 1000 };

// By hand: Node's client of HTTP makes fewer than 1,000 connections a second.
function ask(target) {
	return new Promise((done, fail) => {
		const socket = net.connect(PORT, '127.0.0.1');
		let text = '';

		socket.on('data', (data) => { text += data; });
		socket.on('end', () => done(Number(text.split(' ', 2)[1])));
		socket.on('error', fail);
		socket.write(`HEAD ${target} HTTP/1.1\r\nHost: bench\r\n\r\n`);
	});
}

const viewer = { type: 3, enable: true };
const byNumber = (n, make) => Object.fromEntries(Array.from({ length: n },
	(_, i) => [`u${i}`, { ...viewer, ...make(i) }]));

const KINDS = {
	token: { users: byNumber(TOKENS, (i) => ({ token: `token${i}` })),
		query: (i) => `token=token${i % TOKENS}` },
	password: { users: byNumber(PASSWORDS, () => ({})),
		query: (i) => `auth=u${i % PASSWORDS}:pass` },
	// each has a token of its own, so that no answer is known
	backend: { users: {}, query: (i) => `token=other${i}`,
		auth: { backend: `http://127.0.0.1:${BACKEND}/` } },
};

const p99 = (values) => values.sort((a, b) => a - b)[
	Math.floor(values.length * 0.99)];

// Milliseconds of each request to the control API.
function startProbe(sluice, isOver) {
	const times = [];
	const run = async () => {
		while (!isOver()) {
			const begin = now();

			await request(sluice.port, { path: '/api/overview' });
			times.push(now() - begin);
		}
		return times;
	};

	return run();
}

async function startBackend(scope) {
	const server = http.createServer((_, reply) => reply.end());

	await new Promise((done) => server.listen(BACKEND, '127.0.0.1', done));
	scope.after(() => {
		server.close();
		server.closeAllConnections();
	});
}

// The CPU of each process so far.
const ROLES = ['deliver', 'auth', 'backend'];
const msOf = (sluice) => Object.fromEntries([['master', sluice.pid],
	...sluice.workers().map(({ role, pid }) => [role, pid])]
	.filter(([role]) => role === 'master' || ROLES.includes(role))
	.map(([role, pid]) => [role, cpuNs([pid]) / 1e6]));

const per = (after, before) => Object.fromEntries(Object.entries(after)
	.map(([role, ms]) => [role, (ms - (before[role] ?? 0)) / COUNT]));

function decide(name) {
	const { users, query, auth = {} } = KINDS[name];

	return Scope.within(async (scope) => {
		const one = stream('s0', `udp://lo@239.1.1.1:${FROM}`,
			`http://127.0.0.1:${PORT}/0`);
		const sluice = await Sluice.start(scope, { ...config(one),
			auth: { enable: true, ...auth }, users });

		if (name === 'backend')
			await startBackend(scope);
		for (const id of Object.keys(name === 'password' ? users : {}))
			await sluice.cmd('set-user', { id,
				user: { ...viewer, password: 'pass' } });
		await waitUntil('the input', () => udpBound(FROM), 15000);
		startGenerator(scope, { streams: 1, rate: 8, port: FROM,
			address: '239.1.1.1', seconds: 600 });
		await sluice.onair('s0');

		const ms = () => msOf(sluice);
		const cpu = ms(), begin = now();
		let next = 0, allowed = 0, busy = 0, over = false;
		// deliver asks 1,000 questions a second at most: 503
		const decided = async (text) => {
			const got = await ask(`/0?${text}`);

			if (got !== 503)
				return got;
			busy++;
			return decided(text);
		};

		await Promise.all(Array.from({ length: PARALLEL }, async () => {
			while (next < COUNT) {
				const got = await decided(query(next++));

				allowed += got === 200;
			}
		}));
		const made = { allowed, busy,
			perS: COUNT * 1000 / (now() - begin),
			ms: per(ms(), cpu) };
		// again, with requests to the API
		next = 0;
		const probe = startProbe(sluice, () => over);
		await Promise.all(Array.from({ length: PARALLEL }, async () => {
			while (next < COUNT)
				await decided(query(COUNT + next++));
		}));
		over = true;
		return { ...made, apiMs: p99(await probe) };
	});
}

export async function decisions(report) {
	report.section('decisions about viewers');
	for (const name of Object.keys(KINDS)) {
		const made = await decide(name);

		const others = ROLES.filter((role) => made.ms[role] > 0)
			.map((role) => `${made.ms[role].toFixed(3)} of ${role}`)
			.join(', ');

		report.keep(`decisions_${name}`, made);
		report.judge(made.allowed === COUNT &&
			made.ms.master <= LIMIT.ms,
			`by ${name}: ${made.allowed} of ${COUNT} allowed, ` +
			`${made.busy} at a second try, ` +
			`${made.perS.toFixed(0)} a second (goal ` +
			`${LIMIT.perS}), ${made.ms.master.toFixed(3)} ms of ` +
			`the master each (at most ${LIMIT.ms}), ` +
			`${others}; a request to ` +
			`the API takes p99 ${made.apiMs.toFixed(0)} ms ` +
			'meanwhile');
	}
}
