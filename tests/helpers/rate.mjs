// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a recording (udp.mjs) of an output of constant bitrate: by the places
// and values of its PCRs, and by the arrival times of its datagrams.
import assert from 'node:assert/strict';
import { checkTs } from './ts.mjs';
import { joined } from './udp.mjs';

const BITS = 188 * 8, HZ = 27e6, WRAP = 2 ** 33 * 300;

// PCRs without wrap, whatever their counter does.
function unwrapped(pcrs) {
	let turns = 0;

	return pcrs.map(({ packet, value, jump }, i) => {
		if (i > 0 && value < pcrs[i - 1].value - WRAP / 2)
			turns++;
		return { bits: packet * BITS, s: (value + turns * WRAP) / HZ,
			jump };
	});
}

// The PCRs of each announced time base.
function timeBases(pcrs) {
	const starts = pcrs.flatMap((p, i) => i === 0 || p.jump ? [i] : []);

	return starts.map((at, i) => pcrs.slice(at, starts[i + 1]));
}

// Each PCR and the first PCR a second after it.
function* seconds(list, at) {
	let end = 0;

	for (let i = 0; i < list.length; i++) {
		while (end < list.length && at(list[end]) - at(list[i]) < 1)
			end++;
		if (end === list.length)
			return;
		yield list.slice(i, end + 1);
	}
}

// How far the worst PCR is from the straight line through all of them, ns.
function straightNs(pcrs) {
	const n = pcrs.length;
	const xs = pcrs.map((p) => p.bits - pcrs[0].bits);
	const ys = pcrs.map((p) => p.s - pcrs[0].s);
	const mean = (list) => list.reduce((a, b) => a + b, 0) / n;
	const mx = mean(xs), my = mean(ys);
	const slope = mean(xs.map((x, i) => (x - mx) * (ys[i] - my))) /
		mean(xs.map((x) => (x - mx) ** 2));

	return Math.max(...ys.map((y, i) =>
		Math.abs(y - my - slope * (xs[i] - mx)))) * 1e9;
}

const off = (bits, s, rate) => Math.abs(bits / s / rate - 1);

// By arrival. A sender that waits for a processor is late, and catches up; but
// some of the hundred wake-ups of a second are in time. So the measure of a
// second is the maximum lead of its arrivals, against the rate, and its change
// from one whole second to the next.
function arrivals(list, rate) {
	const leads = [];
	let bits = 0;

	for (const { ns, data } of list) {
		const s = Number(ns - list[0].ns) / 1e9;
		const at = Math.floor(s);

		bits += data.length * 8;
		leads[at] = Math.max(leads[at] ?? -Infinity,
			bits / rate - s);
	}
	return leads.slice(1, -1).map((lead, i, all) =>
		i > 0 ? Math.abs(lead - all[i - 1]) : 0).slice(1)
		.sort((a, b) => a - b);
}

// Packets that carry something.
export function payloads(list) {
	const data = joined(list);
	let n = 0;

	for (let at = 0; at < data.length; at += 188)
		n += data[at + 3] & 0x10 &&
			(data.readUInt16BE(at + 1) & 0x1fff) !== 0x1fff ? 1 : 0;
	return n;
}

export function judgeRate(list, pid, rate, ts = checkTs(joined(list))) {
	const pcrs = unwrapped(ts.pcrs.get(pid));
	const bases = timeBases(pcrs);
	const parts = bases.flatMap((base) => [...seconds(base, (p) => p.s)]);

	return {
		ts,
		datagrams: new Set(list.map((d) => d.data.length)),
		nulls: ts.pids.get(0x1fff) ?? 0,
		jumps: bases.length - 1,
		// the widest gap between two PCRs, ms
		gapMs: Math.max(...bases.flatMap((base) => base.slice(1)
			.map((p, i) => p.s - base[i].s))) * 1000,
		// the worst PCR of any second against its place
		wrongNs: Math.max(...parts.map(straightNs)),
		// the worst second, a part of the rate
		rateOff: Math.max(...parts.map((part) =>
			off(part.at(-1).bits - part[0].bits,
				part.at(-1).s - part[0].s, rate))),
		arrivalOff: arrivals(list, rate),
	};
}

// How far the PCRs of the PID went back, announced or not: in 90 kHz.
export function stepBack(data, pid) {
	let last = 0, most = 0;

	for (let at = 0; at < data.length; at += 188) {
		const p = data.subarray(at, at + 188);

		if ((p.readUInt16BE(1) & 0x1fff) !== pid || !(p[3] & 0x20) ||
			p[4] < 7 || !(p[5] & 0x10))
			continue;
		const base = p.readUInt32BE(6) * 2 + (p[10] >> 7);

		most = Math.max(most, last - base);
		last = base;
	}
	assert.ok(last > 0);
	return most;
}
