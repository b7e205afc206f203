// SPDX-License-Identifier: GPL-3.0-or-later
// inputs: mux adds a PID of another stream, announced, on the clock of the
// input, and never delays the input.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { sections } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

// Its sound is on the PID of the other's pictures.
const other = { pnr: 5, pmtPid: 0x300, video: 0x310, audio: PROGRAM.video,
	cues: 0x320 };
const STREAM = { port: 6000 };

const mux = (to, clock) => new TsMux({ programs: [to], rate: 1e6, clock });

// The PTS of each unit that begins on a PID, and the PCR before it.
function units(data, pid) {
	const list = [];
	let pcr;

	for (let at = 0; at + 188 <= data.length; at += 188) {
		const p = data.subarray(at, at + 188);
		const start = p[3] & 0x20 ? 5 + p[4] : 4;
		if (p[3] & 0x20 && p[4] >= 7 && p[5] & 0x10)
			pcr = (p.readUInt32BE(6) * 2 + (p[10] >> 7)) / 90;
		if ((p.readUInt16BE(1) & 0x1fff) !== pid || !(p[1] & 0x40) ||
			p.readUIntBE(start, 3) !== 1)
			continue;
		const s = p.subarray(start + 9);
		list.push({ pcr, pts: ((s[0] >> 1 & 7) * 2 ** 30 +
			(s.readUInt16BE(1) >> 1) * 2 ** 15 +
			(s.readUInt16BE(3) >> 1)) / 90 });
	}
	return list;
}

test('audio of another clock is sent on our clock with a PID of its ' +
	'own; its absence affects no other PID', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, STREAM);
	const sluice = await Sluice.start(t, config(stream('a',
		'udp://127.0.0.1:5000#mux=udp://127.0.0.1:5001&mux_pid=257',
		'udp://127.0.0.1:6000')));
	const input = async () =>
		(await sluice.json('/api/stream-inputs/a')).inputs[0];
	const error = async () => (await input()).error ?? '';
	const state = async () => (await input()).stats.mux_state;
	const size = (s) => recorder.size() + s * 2e6 / 8;

	await Sender.start(t, new TsMux({ clock: 100 }), 5000);
	await sluice.onair('a');
	// before it was ever there
	await waitUntil('an error', async () => /mux: no packets of PID 257/
		.test(await error()));
	await sluice.logged(/input 1: mux: no packets of PID 257 from udp:/);
	assert.equal(await state(), 0);
	const first = await Sender.start(t, mux(other, 7000), 5001);
	await sluice.logged(/mux: PID 257 of udp:\S+ is sent as PID 32/);
	await waitUntil('no error', async () => await error() === '');
	await sluice.logged(/input 1: mux: receiving PID 257/);
	let until = size(2);
	await waitUntil('two seconds', () => recorder.size() > until);
	await waitUntil('it goes out', async () => await state() === 2);
	const { stats } = await input();
	assert.ok(stats.mux_sent > 50, JSON.stringify(stats));
	// between the two a part of a tick may wait
	const waits = stats.mux_received - stats.mux_sent - stats.mux_dropped;
	assert.ok(waits >= 0 && waits <= 64, JSON.stringify(stats));
	first.stop();
	await waitUntil('an error', async () => /mux: no packets of PID 257/
		.test(await error()));
	await sluice.onair('a');
	await Sender.start(t, mux(other, 90), 5001);
	await waitUntil('no error', async () => await error() === '');
	until = size(2);
	await waitUntil('two seconds', () => recorder.size() > until);
	const held = timing.heldUp(sluice.log, await sluice.status('a'));
	await sluice.stop();
	if (held)
		return;
	const data = joined((await recorder.stop())[0]);
	const seen = checkTs(data);
	assert.equal(seen.ccErrors + seen.crcErrors + seen.syncErrors, 0);
	const pmts = sections(data, new Set([0x100]));
	assert.deepEqual([...new Set(pmts.map((s) => JSON.stringify(
		s.streams.map(({ type, pid }) => [type, pid]))))], [
		'[[27,257],[15,258]]', '[[27,257],[15,258],[15,32]]'],
	'announced once, and not withdrawn');
	assert.equal(new Set(pmts.map((s) => s.version)).size, 2);
	const sound = units(data, 32);
	assert.ok(sound.length > 100, `${sound.length} units`);
	// the tables of another sender come some time after its packets
	const far = sound.filter(({ pts, pcr }) =>
		!(pts - pcr > 350 && pts - pcr < 650));
	timing.assert(far.length < 10, `${far.length} units are far off`);
});

test('cue messages are announced as such, with times on our clock ' +
	'and the requested PID', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, STREAM);
	const sluice = await Sluice.start(t, config(stream('a',
		'udp://127.0.0.1:5000#mux=udp://127.0.0.1:5001' +
			'&mux_pid=800:900', 'udp://127.0.0.1:6000')));

	await Sender.start(t, new TsMux({ clock: 100 }), 5000);
	await Sender.start(t, mux(other, 7000), 5001);
	await sluice.onair('a');
	await waitUntil('cues', () => recorder.size() > 5 * 2e6 / 8);
	const held = timing.heldUp(sluice.log, await sluice.status('a'));
	await sluice.stop();
	if (held)
		return;
	const data = joined((await recorder.stop())[0]);
	assert.equal(checkTs(data).ccErrors, 0);
	const pmt = sections(data, new Set([0x100])).at(-1);
	assert.deepEqual(pmt.streams.at(-1), { type: 0x86, pid: 900,
		descriptors: [] });
	assert.deepEqual(pmt.descriptors.map((d) => [d.tag, `${d.data}`]),
		[[5, 'CUEI']]);
	const far = [];
	let pcr, n = 0;
	for (let at = 0; at + 188 <= data.length; at += 188) {
		const p = data.subarray(at, at + 188);
		if (p[3] & 0x20 && p[4] >= 7 && p[5] & 0x10)
			pcr = (p.readUInt32BE(6) * 2 + (p[10] >> 7)) / 90;
		if ((p.readUInt16BE(1) & 0x1fff) !== 900)
			continue;
		const s = p.subarray(5);
		assert.equal(s[0], 0xfc);
		const moved = (s[4] & 1) * 2 ** 32 + s.readUInt32BE(5);
		const time = (s[14] & 1) * 2 ** 32 + s.readUInt32BE(15);
		const ms = (time + moved) % 2 ** 33 / 90 - pcr;
		if (!(ms > 2350 && ms < 2650))
			far.push(ms);
		n++;
	}
	assert.ok(n > 8, `${n} cues`);
	timing.assert(far.length === 0, `${far.slice(0, 9)} ms ahead`);
});
