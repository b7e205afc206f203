// SPDX-License-Identifier: GPL-3.0-or-later
// A stream that is scrambled for conditional access systems, and its receiver.
import assert from 'node:assert/strict';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { PROGRAM, TsMux } from './mux.mjs';
import { Sluice, config, stream } from './sluice.mjs';
import { Recorder, Sender } from './udp.mjs';
import { builddir } from './util.mjs';

export const ECM_PID = 0x600, EMM_PID = 0x700, CAT_PID = 1;
export const udp = (port) => `udp://127.0.0.1:${port}`;
export const entry = (ecmg, more = {}) => ({ id: 'c1', super_cas_id: '4AE10001',
	ecmg_channel_id: 7, ecmg_host: '127.0.0.1', ecmg_port: ecmg.port,
	ecmg_cp: 1, ...more });
export const link = { cas_id: 'c1', ecm_pid: ECM_PID, ecm_data: 'D1D2',
	ac: 'AABBCC' };

const pidOf = (data, at) => data.readUInt16BE(at + 1) & 0x1fff;

// The packets of a PID, or of all.
export function packets(data, pid = undefined) {
	const list = [];

	for (let at = 0; at < data.length; at += 188)
		if (pid === undefined || pidOf(data, at) === pid)
			list.push(data.subarray(at, at + 188));
	return list;
}

// The packets that nobody could descramble come first.
export const firstClear = (data, pid = PROGRAM.video) => packets(data, pid)
	.map((p) => p[3] & 0x80).lastIndexOf(0x80) + 1;

export const scrambled = (data) => packets(data).filter((p) => p[3] & 0x80);
export const changes = (data) => scrambled(data).reduce(([n, last], p) =>
	[n + (last !== undefined && last !== p[3] >> 6), p[3] >> 6],
[0, undefined])[0];

// What a receiver with a card makes of a recording.
export function receive(data, pid = ECM_PID) {
	const { stdout, stderr } = spawnSync(path.join(builddir,
		'tests/helpers/csa-receiver'), [String(pid)],
	{ input: data, maxBuffer: 1 << 28 });
	const [, ecms, n, lost] =
		/(\d+) ECMs (\d+) changes (\d+) lost/.exec(String(stderr));

	return { data: stdout, ecms: +ecms, changes: +n, lost: +lost };
}

// Each packet of the components, from the first one that both have.
export function assertSame(clear, data) {
	for (const pid of [PROGRAM.video, PROGRAM.audio]) {
		const want = packets(clear, pid).map((p) => p.toString('hex'));
		const got = packets(data, pid).slice(firstClear(data, pid))
			.map((p) => p.toString('hex'));
		const at = want.indexOf(got[0]);
		const n = Math.min(got.length, want.length - at);

		assert.ok(at >= 0, `PID ${pid}: its first packet`);
		// sound has few
		assert.ok(n > (pid === PROGRAM.video ? 50 : 20),
			`PID ${pid}: ${n} packets`);
		for (let i = 0; i < n; i++)
			assert.equal(got[i], want[at + i],
				`PID ${pid}: packet ${i} of ${n}`);
	}
}

// The clear stream at 6000, the scrambled one at 6001.
export async function play(t, cas, links, more = {}) {
	const mux = new TsMux();
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });

	await Sender.start(t, mux, 5000);
	const sluice = await Sluice.start(t, { ...config(
		stream('clear', udp(5000), [udp(6000), udp(5001)]),
		stream('s', udp(5001), [udp(6001), 'http://127.0.0.1:8100/s'],
			{ cas_list: links, ...more })), cas });

	await sluice.onair('s');
	return { sluice, recorder };
}
