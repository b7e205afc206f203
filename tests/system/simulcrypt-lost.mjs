// SPDX-License-Identifier: GPL-3.0-or-later
// DVB Simulcrypt: ecmg_lost, with a real worker and a generator that is silent;
// the delays of a generator where access criteria change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ECM_PID, entry, firstClear, link, packets, play, receive, udp }
	from '../helpers/cas-scene.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Ecmg } from '../helpers/simulcrypt.mjs';
import { stream } from '../helpers/sluice.mjs';
import { joined } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

const NULL_PID = 0x1fff;
const RATE = new TsMux().rate;

// The states of a PID one after the other: 's' scrambled, 'c' clear.
const states = (data, pid) => packets(data, pid).map((p) =>
	p[3] & 0x80 ? 's' : 'c')
	.filter((is, i, all) => is !== all[i - 1]).join('');

// No ECM while packets are clear, but one before the first scrambled packet.
function assertTransition(data) {
	const list = packets(data);
	const pid = (p) => p.readUInt16BE(1) & 0x1fff;
	const video = (p) => pid(p) === PROGRAM.video && p[3] & 0x10;
	const begin = list.findIndex((p, i) => video(p) && !(p[3] & 0x80) &&
		list.slice(0, i).some((q) => q[3] & 0x80));
	const end = list.findIndex((p, i) => i > begin && p[3] & 0x80);
	const first = list.findIndex((p, i) => i > begin && pid(p) === ECM_PID);

	assert.ok(first - begin > 300, `an ECM after ${first - begin} packets`);
	assert.ok(end - first > 50, `an ECM ${end - first} packets ahead`);
}

for (const [policy, error, want] of [
	['clear', 'the stream is sent in the clear', /s(cs)+$/],
	['stop', 'the scrambled components are not sent', /^s$/]])
	test(`ecmg_lost ${policy}: ${error}`, async (t) => {
		const ecmg = await Ecmg.start(t, { transition: [-500, 0] });
		const { sluice, recorder } = await play(t, [entry(ecmg,
			{ ecmg_lost: policy, ecmg_lost_time: 2 })], [link]);
		const next = async (what) => {
			const n = ecmg.provisions.length;

			await waitUntil(what, () =>
				ecmg.provisions.length >= n + 2, 20000);
		};

		// a slow start may be late, too
		await sluice.waitStatus('s', 'ECMs', (s) => !s.cas_error,
			30000);
		await next('periods');
		ecmg.silent = true;
		await sluice.waitStatus('s', policy, (s) =>
			s.cas_error?.startsWith('CAS c1: no ECM for ') &&
			s.cas_error.endsWith(`: ${error}`), 30000);
		const sent = (s) => s.outputs[0].packets;
		const before = sent(await sluice.status('s'));

		await sluice.waitStatus('s', 'more packets', (s) =>
			sent(s) > before + 500, 30000);
		ecmg.silent = false;
		await sluice.waitStatus('s', 'no error', (s) => !s.cas_error,
			30000);
		await next('periods after it');
		const [clear, data] = (await recorder.stop()).map(joined);
		const got = receive(data);
		// a machine that stalls changes counters and times
		const payloads = (from, first = 0) =>
			packets(from, PROGRAM.video).slice(first)
				.filter((p) => !(p[1] & 0x40))
				.filter((p) => p[3] >> 4 === 1)
				.map((p) => p.toString('hex', 4));
		const of = new Set(payloads(clear));
		const strange = payloads(got.data, firstClear(got.data))
			.filter((p) => !of.has(p));

		assert.match(states(data, PROGRAM.video), want);
		assert.ok(got.changes >= 2, `${got.changes} changes`);
		assert.equal(strange.length, 0);
		if (policy === 'clear')
			assertTransition(data);
		if (policy === 'stop')
			assert.ok(packets(data, NULL_PID).length > 300);
	});

// Packets between two ECMs, where the control word changes between these.
function gapsAtChanges(data) {
	const gaps = [];
	let last = -1, parity = 0, changed = false;

	packets(data).forEach((p, i) => {
		const is = p[3] >> 6;

		if ((p.readUInt16BE(1) & 0x1fff) === ECM_PID) {
			if (changed && last >= 0)
				gaps.push(i - last);
			[last, changed] = [i, false];
		} else if (is > 1) {
			changed ||= parity !== 0 && is !== parity;
			parity = is;
		}
	});
	return gaps;
}

test('ECMs end and begin by the AC delays where access criteria change',
	async (t) => {
	const ecmg = await Ecmg.start(t, { delay: 0, acDelay: [400, -400] });
	const { sluice, recorder } = await play(t, [entry(ecmg)], [link]);
	const next = async (what, from) => waitUntil(what, () =>
		ecmg.provisions.length >= from + 3, 30000);

	await next('periods', 0);
	await sluice.cmd('set-stream', { id: 's', stream: stream('s',
		udp(5001), [udp(6001), 'http://127.0.0.1:8100/s'],
		{ cas_list: [{ ...link, ac: 'DDEEFF' }] }) });
	await waitUntil('the new criteria', () =>
		ecmg.provisions.some(({ ac }) => ac === 'ddeeff'), 30000);
	await next('periods with them', ecmg.provisions.length);
	const gaps = gapsAtChanges(joined((await recorder.stop())[1]));

	t.diagnostic(gaps.join(' '));
	assert.ok(gaps.some((n) => n > 0.4 * RATE / 188 / 8),
		`packets between ECMs: ${gaps}`);
});
