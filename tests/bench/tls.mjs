// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The cost of TLS at the control port: a handshake, an idle connection, and a
 * request on an open connection, beside the same by plain HTTP.
 */
import http from 'node:http';
import https from 'node:https';
import { Sluice, request } from '../helpers/sluice.mjs';
import { certificate, secureRequest, secureSocket, settingsOf, shown }
	from '../helpers/tls.mjs';
import { now, run, tempDir } from '../helpers/util.mjs';
import { cpuNs, median, memoryKib, Scope } from './measure.mjs';

const KEYS = ['ec:P-256', 'rsa:2048'];
const ASKED = 2000, IDLE = 500, BLOCK = 100;
const STATUS = { path: '/api/config' };
const LIMIT = { handshakeUs: 3000, addedMs: 1, idleKib: 64 };

// Full handshakes as fast as one client makes them.
async function shakeHands(sluice, cert, seconds) {
	const { pid } = sluice.worker('tls');
	const before = { tls: cpuNs([pid]), master: cpuNs([sluice.pid]) };
	const said = await run('openssl', ['s_time', '-new', '-connect',
		`127.0.0.1:${sluice.port}`, '-CAfile', cert.chain,
		'-time', String(seconds)]);
	const [, n, real] = /^(\d+) connections in (\d+) real seconds/m
		.exec(said.out) ?? [];
	const cost = (cpu, was) => Math.round((cpu - was) / 1e3 / Number(n));

	if (!(Number(n) > 0))
		throw new Error(said.err + said.out);
	return { n: Number(n), rate: Math.round(n / real),
		tlsUs: cost(cpuNs([pid]), before.tls),
		masterUs: cost(cpuNs([sluice.pid]), before.master) };
}

// Milliseconds of each of n requests on one connection.
async function ask(n, one) {
	const all = [];

	for (let i = 0; i < n; i++) {
		const begin = now();

		await one();
		all.push(now() - begin);
	}
	return all;
}

// Both in turn, so that the machine is the same for both.
async function latency(sluice, cert) {
	const agents = { plain: new http.Agent({ keepAlive: true,
		maxSockets: 1 }), tls: new https.Agent({ keepAlive: true,
		maxSockets: 1 }) };
	const seen = { plain: [], tls: [] };

	for (let i = 0; i < ASKED; i += BLOCK) {
		seen.plain.push(...await ask(BLOCK, () => request(sluice.port,
			{ ...STATUS, agent: agents.plain })));
		seen.tls.push(...await ask(BLOCK, () => secureRequest(
			sluice.port, cert, { ...STATUS, agent: agents.tls })));
	}
	agents.plain.destroy();
	agents.tls.destroy();
	return seen;
}

async function idle(scope, sluice, cert) {
	const { pid } = sluice.worker('tls');
	const before = memoryKib(pid).pss;

	for (let i = 0; i < IDLE; i += 50)
		await Promise.all(Array.from({ length: 50 }, () =>
			secureSocket(scope, sluice.port, cert)));
	return (memoryKib(pid).pss - before) / IDLE;
}

function measure(algorithm, seconds) {
	return Scope.within(async (scope) => {
		const cert = await certificate(tempDir(scope),
			'headend.example', { algorithm });
		const sluice = await Sluice.start(scope, {
			settings: settingsOf(cert) });

		await shown(sluice.port, cert);
		return { algorithm,
			...await shakeHands(sluice, cert, seconds),
			seen: await latency(sluice, cert),
			idleKib: await idle(scope, sluice, cert) };
	});
}

export async function tls(report, { window }) {
	report.section('tls: handshakes, requests and idle connections');
	const all = [];

	for (const algorithm of KEYS)
		all.push(await measure(algorithm, Math.ceil(window / 2)));
	report.table([['key', 'handshakes/s', 'worker us', 'master us',
		'plain ms', 'TLS ms', 'idle KiB'], ...all.map((m) => [
		m.algorithm, m.rate, m.tlsUs, m.masterUs,
		median(m.seen.plain).toFixed(2), median(m.seen.tls).toFixed(2),
		m.idleKib.toFixed(0)])]);
	report.keep('tls', all.map(({ seen, ...m }) => ({ ...m,
		plainMs: median(seen.plain), tlsMs: median(seen.tls) })));
	for (const m of all) {
		const added = median(m.seen.tls) - median(m.seen.plain);

		report.judge(m.tlsUs <= LIMIT.handshakeUs, `tls: a handshake ` +
			`(${m.algorithm}) costs the worker ${m.tlsUs} us ` +
			`(limit ${LIMIT.handshakeUs})`);
		report.judge(added <= LIMIT.addedMs, 'tls: a request takes ' +
			`${added.toFixed(2)} ms more than plain (limit ` +
			`${LIMIT.addedMs})`);
		report.judge(m.idleKib <= LIMIT.idleKib, 'tls: an idle ' +
			`connection weighs ${m.idleKib.toFixed(0)} KiB ` +
			`(limit ${LIMIT.idleKib})`);
	}
}
