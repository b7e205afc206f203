// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of rist.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { liveMultiplex } from './media.mjs';
import { ip } from './net.mjs';
import { Sluice, config, stream } from './sluice.mjs';
import { Sender, joined } from './udp.mjs';
import { checkTs } from './ts.mjs';
import { udpBound, waitUntil } from './util.mjs';
import { TsMux } from './mux.mjs';

// The first input or output of a stream.
export const one = async (sluice, id, kind) => (await sluice.json(
	`/api/stream-${kind}s/${id}`))[`${kind}s`][0];

// Of an input.
export const url = (port, secret) => `rist://@127.0.0.1:${port}` +
	(secret ? `#secret=${secret}` : '');

export const SILENT = 'path 2: no packets';

export const input = async (sluice) => (await sluice.status('a002')).inputs[0];
export const output = async (sluice) =>
	(await sluice.status('a001')).outputs[0];

// a001 sends to a002 by these paths, which sends it to port 6000.
export const link = (ways, options) => config(
	stream('a001', 'udp://127.0.0.1:5000', 'rist://' + ways + options),
	stream('a002', 'rist://' + ways.map((way) => `@${way}`) + options,
		'udp://127.0.0.1:6000'));

export async function begin(t, sluice) {
	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a002', 30000);
}

export const add = (...addresses) => Promise.all(addresses.map((address) =>
	ip('addr', 'replace', `${address}/32`, 'dev', 'lo')));

// No packet is missing in a recording. A receiver does not wait for packets
// that are later than the length of its buffer, so the test is skipped on a
// machine without time for it.
export function assertWhole(timing, lists) {
	for (const list of lists) {
		const { ccErrors } = checkTs(joined(list));

		timing.assert(ccErrors === 0, `${ccErrors} gaps`);
	}
}

export function nft(rules) {
	execFileSync('nft', ['-f', '-'], { input: rules });
}

// Both paths of one input, calling or listening; each is cut in turn, and
// retransmissions are recognised.
export async function losePaths(t, i, ways, more) {
	const other = (way) => way.startsWith('@') ? way.slice(1) : `@${way}`;
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			`rist://${ways.map(other)}#buffer=300${more}`),
		stream('a002', `rist://${ways}#buffer=300${more}`,
			[])));
	const state = async () => {
		const { alarms } = await input(sluice);
		const { error } = await one(sluice, 'a002', 'input');

		return { error, raised: alarms?.includes('unprotected')
			?? false };
	};
	const well = () => waitUntil('both paths', async () => {
		const { error, raised } = await state();

		return error === undefined && !raised;
	}, 30000);

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ seconds: 120 });
	await sluice.onair('a002', 15000);
	await well();
	for (const way of [0, 1]) {
		const port = Number(ways[way].split(':')[1]);
		const table = `way${i}${way}`;

		nft(`table inet ${table} { chain in {
			type filter hook input priority 0;
			udp dport { ${port}, ${port + 1} } drop
			udp sport { ${port}, ${port + 1} } drop
		}
		}`);
		await waitUntil(`alarm of path ${way + 1}`,
			async () => {
			const { error, raised } = await state();

			return error === `path ${way + 1}: no packets` &&
				raised;
		}, 20000);
		await sluice.onair('a002', 15000);
		if (way === 1)
			break;
		nft(`delete table inet ${table}`);
		await well();
	}
	nft(`table inet both${i} { chain in {
		type filter hook input priority 0;
		meta l4proto udp drop
	}
	}`);
	await waitUntil('nobody', async () => (await state()).error ===
		'no peer connected', 60000);
	nft(`delete table inet both${i}; delete table inet way${i}1`);
	// why it is off air is another matter
	assert.doesNotMatch(sluice.log,
		/unprotected \((?!path \d: no packets)/);
	await sluice.stop();
}
