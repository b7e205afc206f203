// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of the querier.
import assert from 'node:assert/strict';
import { ip, pair, tool } from './net.mjs';
import { Sluice, config, stream } from './sluice.mjs';
import { always, udpBound, waitUntil } from './util.mjs';

const QUERY = new URL('./query.py', import.meta.url).pathname;
export const US = '10.9.5.1', ROUTER = '10.9.5.2';
export const TIMEOUT_S = 3;

export const query = (kind) => tool('python3', QUERY, 'qb', kind, ROUTER);

// Until it is stopped, somebody asks once a second.
export async function asking(kind, during) {
	let on = true, times = 0;
	const loop = (async () => {
		for (; on; times++) {
			await query(kind);
			await new Promise((done) => setTimeout(done, 1000));
		}
	})();

	try {
		return await during(() => times);
	} finally {
		on = false;
		await loop;
	}
}

// Inputs on qa, whose other end is qb, and one on the loopback, where no
// querier is possible.
// more.prepare is called before the service starts.
export async function setUp(t, group, group6, { prepare = () => {}, ...more } =
	{}, timeout = TIMEOUT_S, options = '') {
	await pair(t, 'qa', 'qb');
	await ip('addr', 'add', `${US}/24`, 'dev', 'qa');
	for (const [name, address] of [['qa', 'fe80::1'], ['qb', 'fe80::2']])
		await ip('addr', 'add', `${address}/64`, 'dev', name, 'nodad');
	prepare();
	const sluice = await Sluice.start(t, { ...config(
		stream('a001', `udp://qa@${group}:5000${options}`,
			'udp://127.0.0.1:6000'),
		stream('a002', group6 ? `udp://qa@${group6}:5002`
			: 'udp://239.255.0.1:5002', 'udp://127.0.0.1:6002')),
	settings: { querier_timeout: timeout } }, more);

	await waitUntil('input', () => udpBound(5000));
	return sluice;
}

export function waitNetwork(sluice, what, probe, protocol = 'igmp',
	timeoutMs = 20000) {
	return waitUntil(what, async () => {
		const network = await sluice.json('/api/network-status');
		const found = network.interfaces.find((i) =>
			i.protocol === protocol);

		always(() => assert.ok(network.interfaces.every((i) =>
			i.interface === 'qa')));
		if (!found || !probe(found))
			throw new Error(JSON.stringify(network));
		return found;
	}, timeoutMs);
}

export const alarmed = (status) =>
	status.inputs[0].alarms.includes('no_querier');
