// SPDX-License-Identifier: GPL-3.0-or-later
// own-time: TDT and TOT from the system clock, in place of those of the source.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { alarmsOf, states } from '../helpers/alarms.mjs';
import { capture } from '../helpers/capture.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sections, checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { builddir, udpBound, waitUntil } from '../helpers/util.mjs';

const TDT = 0x70, TOT = 0x73, PID = 0x14;
const NS = 1_000_000_000n;
const COUNTRY = 'mpeg_descr.local_time_offset.country_code';
const clock = { tdt: 'own', timezone: 'Europe/Berlin' };

// EN 300 468 annex C, in seconds since 1970.
function time(s, at) {
	const [h, m, sec] = [...s.subarray(at + 2, at + 5)].map((b) =>
		(b >> 4) * 10 + (b & 15));

	return (s.readUInt16BE(at) - 40587) * 86400 + h * 3600 + m * 60 + sec;
}

const minutes = (s, at) => [s[at], s[at + 1]].map((b) =>
	(b >> 4) * 10 + (b & 15)).reduce((h, m) => h * 60 + m);

// TDT and TOT of a recording: { ns, id, utc, section }.
function times(list) {
	const found = [], reader = new Sections();

	for (const { ns, data } of list)
		for (let at = 0; at < data.length; at += 188) {
			const packet = data.subarray(at, at + 188);

			if ((packet.readUInt16BE(1) & 0x1fff) === PID)
				reader.push(packet, 4,
					Boolean(packet[1] & 0x40), (s) =>
						found.push({ ns, id: s[0],
							utc: time(s, 3),
							section: Buffer.from(s),
						}));
		}
	return found;
}

test('TDT and TOT name the second that begins, on every output', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', ['udp://127.0.0.1:6000',
			'udp://127.0.0.1:6001#cbr=3000'], clock)));

	await waitUntil('input', () => udpBound(5000));
	const seen = await capture(t, 'lo', 'udp port 6000', [
		'dvb_tdt.utc_time', 'dvb_tot.utc_time', COUNTRY]);
	const mux = new TsMux();
	const sender = await Sender.start(t, mux, 5000);

	await sluice.onair('a001');
	await waitUntil('both tables', () => seen().some((p) =>
		p['dvb_tdt.utc_time']) && seen().some((p) =>
		p['dvb_tot.utc_time']));
	const judged = seen().find((p) => p['dvb_tot.utc_time']);

	timing.stop();
	sender.stop();
	await recorder.quiet();
	const lists = await recorder.stop();
	const reason = (await alarmsOf(sluice)).find((a) =>
		/system clock/.test(a));

	await sluice.stop();
	for (const list of lists) {
		const found = times(list);

		assert.equal(checkTs(joined(list)).ccErrors, 0);
		assert.deepEqual(new Set(found.map(({ id }) => id)),
			new Set([TDT, TOT]));
		for (const { ns, utc } of found) {
			const ms = Number(ns - BigInt(utc) * NS) / 1e6;

			assert.ok(ms >= 0, `${ms} ms before its second`);
			timing.assert(ms <= 100, `${ms} ms late`);
		}
		const { section: s, utc } = found.find(({ id }) => id === TOT);

		assert.equal(s.subarray(10, 15).toString('latin1'), 'X\rDEU');
		assert.equal(s[15] & 1, 0); // east of UTC
		const change = time(s, 18);
		const berlin = (at) => new Date(at * 1000).toLocaleString('sv',
			{ timeZone: 'Europe/Berlin' });
		const shown = (at, offset) => new Date((at + offset * 60) *
			1000).toISOString().slice(0, 19).replace('T', ' ');

		assert.equal(shown(utc, minutes(s, 16)), berlin(utc));
		assert.ok(change > utc && change < utc + 366 * 86400);
		assert.equal(shown(change - 1, minutes(s, 16)),
			berlin(change - 1));
		assert.equal(shown(change, minutes(s, 23)), berlin(change));
	}
	// another reader of the same bytes
	assert.equal(judged[COUNTRY], 'DEU');
	if (reason !== undefined)
		assert.match(reason, /TDT and TOT of 1 stream carry its time/);
});

test('a clock that is lost ends them, if the stream says so', async (t) => {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000',
		{ ...clock, clock_lost: 'stop' })));
	const mux = new TsMux();

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, mux, 5000);
	await sluice.onair('a001');
	const lost = (await alarmsOf(sluice)).some((a) =>
		/the system clock is not synchronised/.test(a));
	const from = mux.seconds;

	await waitUntil('two seconds', () => mux.seconds > from + 2);
	await recorder.all(sender);
	const [list] = await recorder.stop();
	const seconds = times(list).filter(({ id }) => id === TDT);

	// the worker gets the state of the clock after its first status
	assert.ok(lost ? seconds.length <= 1 : seconds.length > 0,
		`lost: ${lost}, ${seconds.length} TDT`);
	await sluice.cmd('set-stream', { id: 'a001', stream: stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000') });
	await states(sluice, 'no alarm', (all) => !all.some((a) =>
		/system clock/.test(a)));
	await sluice.stop();
});

// Starts a stream with own TDT by a master whose questions for the state of the
// clock are refused in this way.
async function refused(t, kind) {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000',
		{ ...clock, clock_lost: 'stop' })), { through: [
		path.join(builddir, 'tests/helpers/refuse-call'), kind] });
	const recorder = await Recorder.start(t, { port: 6000 });

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	await waitUntil('bytes', () => recorder.size() > 600000);
	await recorder.all(sender);
	assert.ok(times((await recorder.stop())[0]).length > 0);
	assert.equal((await alarmsOf(sluice)).find((a) =>
		/system clock/.test(a)), undefined);
	await sluice.stop();
	return sluice.log;
}

test('a synchronised clock is named', async (t) => {
	assert.doesNotMatch(await refused(t, 'clock-state'), /own TDT/);
});

test('a service that may not ask for the state of the clock reports that',
	async (t) => {
	const found = (await refused(t, 'clock')).match(
		/own TDT and TOT: the service is not permitted to ask/g);

	assert.equal(found?.length, 1);
});

test('wrong values are refused with the name of the key', async (t) => {
	const sluice = await Sluice.start(t, config());
	const set = async (keys) => JSON.parse((await sluice.post({
		cmd: 'set-stream', stream: stream('a001',
			'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000', keys),
	})).body).error;

	for (const [keys, expected] of [
		[{ tdt: 'mine' }, /tdt: .*mine/],
		[{ ...clock, timezone: '../../etc/passwd' },
			/timezone: .*not a time zone such as Europe\/Berlin/],
		[{ ...clock, country: 'de' }, /country: .*three capital/],
		[{ ...clock, offset: 781 }, /offset: 781 is not between/],
		[{ ...clock, clock_lost: 7 }, /clock_lost: /],
	])
		assert.match(await set(keys) ?? '', expected);
	await sluice.stop();
});
