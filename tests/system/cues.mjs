// SPDX-License-Identifier: GPL-3.0-or-later
// cues: splice commands of the operator (SCTE 35) in the output of a stream.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from '../helpers/capture.mjs';
import { PROGRAM, TsMux, patSection } from '../helpers/mux.mjs';
import { tables } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { now, udpBound, waitUntil } from '../helpers/util.mjs';

const PID = 0x1f0, INSERT = '0x05', SIGNAL = '0x06', NULL = '0x00';
const one = (more) => ({ ...stream('a001', 'udp://127.0.0.1:5000',
	'udp://127.0.0.1:6000'), cue_pid: PID, ...more });
const FIELDS = ['scte35.splice_command_type', 'scte35.pts_adjustment',
	'scte35_si.event_id', 'scte35_si.cancelled', 'scte35_si.out_of_net',
	'scte35_si.splice_time.pts', 'scte35_si.break.duration',
	'scte35_time.splice.pts',
	'scte35.splice_descriptor.segmentation_type_id'];

// The last PCR of the program in these packets, in ticks of 90 kHz.
function clock(data, { video } = PROGRAM) {
	let pcr;

	for (let at = 0; at < data.length; at += 188)
		if ((data.readUInt16BE(at + 1) & 0x1fff) === video &&
			data[at + 3] & 0x20 && data[at + 4] > 0 &&
			data[at + 5] & 0x10)
			pcr = data.readUInt32BE(at + 6) * 2 +
				(data[at + 10] >> 7);
	return pcr;
}

// Where the first command of this type begins.
function firstOf(data, type) {
	for (let at = 0; at < data.length; at += 188)
		if ((data.readUInt16BE(at + 1) & 0x1fff) === PID &&
			data[at + 5] === 0xfc && data[at + 5 + 13] === type)
			return at;
	throw new Error(`there is no command ${type}`);
}

// The times of the commands splice_insert among these packets.
const insertTimes = (packets) => packets.filter((p) =>
	p['scte35.splice_command_type'] === INSERT).map((p) =>
	Number(p['scte35_si.splice_time.pts']));

test('commands go out with their time, and nulls between them', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(one()));
	const mux = new TsMux({ programs: [PROGRAM], rate: 4e6 });
	const cue = (object) => sluice.cmd('cue', { id: 'a001', cue: object });

	await waitUntil('input', () => udpBound(5000));
	const seen = await capture(t, 'lo', 'udp port 6000', FIELDS);
	const of = (type) => seen().filter((p) =>
		p['scte35.splice_command_type'].split(',').includes(type));
	const sender = await Sender.start(t, mux, 5000);

	await sluice.onair('a001');
	await waitUntil('a heartbeat', () => of(NULL).length > 0);
	assert.deepEqual(await cue({ command: 'splice_insert', event_id: 7,
		out_of_network: true, duration: 2700000, pre_roll: 2500 }),
	{ cue: 'ok' });
	await waitUntil('a repetition', () => of(INSERT).length > 1);
	await cue({ command: 'splice_insert', event_id: 7, cancel: true });
	await waitUntil('the cancellation', () => of(INSERT).some((p) =>
		/1|True/.test(p['scte35_si.cancelled'])));
	await cue({ command: 'time_signal', pre_roll: 1, descriptors: [{
		type_id: 2, identifier: 'CUEI', event_id: 8, cancel: false,
		upid_type: 0, upid: '', segmentation_type: 52,
		segment_num: 1, segments_expected: 1 }] });
	await waitUntil('the signal', () => of(SIGNAL).length > 0);
	await recorder.all(sender);
	const data = joined((await recorder.stop())[0]);
	const status = await sluice.status('a001');

	timing.stop();
	await sluice.stop();
	const at = firstOf(data, 5), before = clock(data.subarray(0, at));
	const [insert] = of(INSERT), [signal] = of(SIGNAL);
	const { streams, descriptors } = tables(data).pmts[0];

	timing.unlessHeldUp('', [status], () =>
		assert.equal(checkTs(data).ccErrors, 0));
	// the program announces the PID
	assert.deepEqual(descriptors.map((d) => [d.tag, `${d.data}`]),
		[[5, 'CUEI']]);
	assert.equal(streams.find((s) => s.pid === PID).type, 0x86);
	// another reader of the same bytes
	assert.equal(insert['scte35_si.event_id'], '0x00000007');
	assert.equal(insert['scte35_si.out_of_net'], '1');
	assert.equal(Number(insert['scte35_si.break.duration']), 2700000);
	assert.equal(signal['scte35.splice_descriptor.segmentation_type_id'],
		'0x34');
	assert.ok(seen().every((p) => ['', '0'].includes(
		p['scte35.pts_adjustment'].split(',')[0])));
	// the time is that of the stream behind the pre-roll
	const lead = Number(insert['scte35_si.splice_time.pts']) - before;

	timing.assert(Math.abs(lead - 2500 * 90) < 300 * 90,
		`${lead / 90} ms`);
});

test('a command is an event, and outlives the worker', async (t) => {
	const sluice = await Sluice.start(t, config(one()));
	const mux = new TsMux({ programs: [PROGRAM], rate: 4e6 });

	await waitUntil('input', () => udpBound(5000));
	const seen = await capture(t, 'lo', 'udp port 6000', FIELDS);
	const times = () => insertTimes(seen());
	const sender = await Sender.start(t, mux, 5000);

	const events = await sluice.events(t, '&scope=cue');
	const silent = await sluice.events(t);

	await sluice.onair('a001');
	await sluice.cmd('cue', { id: 'a001', cue: { command: 'splice_insert',
		event_id: 9, out_of_network: true, pre_roll: 60000 } });
	await waitUntil('the command', () => times().length > 0);
	const { pid } = sluice.worker('stream', 'a001');

	process.kill(pid, 'SIGKILL');
	await sluice.replaced('stream', 'a001', pid);
	const before = times().length;

	await waitUntil('it again', () => times().length > before + 1);
	assert.equal(new Set(times()).size, 1, `${times()}`);
	// the next worker does not know what was reported
	for (const { cue, ...event } of events.scope('cue_event')) {
		assert.deepEqual(event, { scope: 'cue_event',
			channel_id: 'a001', pid: PID, command: 'splice_insert',
			pts: times()[0] });
		assert.equal(cue.event_id, 9);
		assert.equal(cue.out_of_network, true);
	}
	assert.ok([1, 2].includes(events.scope('cue_event').length));
	assert.deepEqual(silent.scope('cue_event'), []);
	sender.stop();
	await sluice.stop();
});

test('a command keeps its time when the source changes', async (t) => {
	const timing = new Timing(t);
	const other = (n) => ({ pnr: n, pmtPid: n * 256, video: n * 256 + 1,
		audio: n * 256 + 2 });
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config({ ...stream('a001',
		['udp://127.0.0.1:5000', 'udp://127.0.0.1:5001'],
		'udp://127.0.0.1:6000'), cue_pid: PID,
	backup_type: 'passive' }));
	const mux = new TsMux({ programs: [PROGRAM], rate: 4e6 });

	await waitUntil('input', () => udpBound(5000));
	const seen = await capture(t, 'lo', 'udp port 6000', FIELDS);
	const times = () => insertTimes(seen());
	const again = async (what) => {
		const before = times().length;

		await waitUntil(what, () => times().length > before + 1);
	};
	const first = await Sender.start(t, mux, 5000);

	await sluice.onair('a001');
	const begin = now();

	await sluice.cmd('cue', { id: 'a001', cue: { command: 'splice_insert',
		event_id: 9, out_of_network: true, pre_roll: 60000 } });
	await again('the command');
	// another programme of the same source, whose PMT is late
	mux.psi = false;
	mux.more = [[0, patSection([other(5)], 1)]];
	mux.programs = [other(5)];
	mux.patVersion = 1;
	const late = mux.packets + 4e6 * 1.5 / 8 / 188;

	await waitUntil('1.5 s of packets', () => mux.packets >= late);
	mux.more = [];
	mux.psi = true;
	await again('it, of another programme');
	first.stop();
	// another source, with a clock far away
	const second = await Sender.start(t, new TsMux({ rate: 4e6,
		programs: [other(9)], clock: 1e9 }), 5001);

	await waitUntil('the other input', async () =>
		(await sluice.status('a001')).inputs[1].onair, 20000);
	await again('it, of another source');
	await recorder.all(second);
	const data = joined((await recorder.stop())[0]);
	const passed = now() - begin;

	timing.stop();
	await sluice.stop();
	assert.equal(new Set(times()).size, 1, `${times()}`);
	const left = times()[0] - clock(data, other(9));

	timing.assert(Math.abs(left / 90 - (60000 - passed)) < 3000,
		`${left / 90} ms of ${60000 - passed}`);
});

test('a command that cannot be sent is refused and logged', async (t) => {
	const sluice = await Sluice.start(t, config(one({
		cue_pid: PROGRAM.audio }), { ...one(), id: 'a002', name: 'a002',
		enable: false, output: [] }));
	const mux = new TsMux({ programs: [PROGRAM], rate: 4e6 });
	const post = async (id, cue) => {
		const { status, body } = await sluice.post({ cmd: 'cue', id,
			cue });

		return `${status} ${JSON.parse(body).error}`;
	};

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, mux, 5000);

	assert.match(await post('a002', { command: 'splice_null' }),
		/^503 the stream does not run/);
	assert.equal(await post('a001', { command: 'splice_insert' }),
		'400 cue.event_id: is missing');
	assert.equal(await post('a001', 1), '400 cue: is not an object');
	assert.equal(await post('a001', { command: 'x'.repeat(16384) }),
		'400 cue: is longer than 16384 bytes');
	assert.equal(await post('a001'), '400 cue: is missing');
	await sluice.onair('a001');
	await sluice.logged(/cue_pid: PID 258 is not sent: a program uses/);
	assert.equal(await post('a001', { command: 'splice_null' }),
		'503 cue: the PMT does not list cue_pid');
	await sluice.logged(/cue: splice command not sent: the PMT does not/);
	sender.stop();
	await sluice.stop();
});

test('the ninth command is refused while eight wait', async (t) => {
	const sluice = await Sluice.start(t, config(one()));
	const insert = (id) => sluice.post({ cmd: 'cue', id: 'a001',
		cue: { command: 'splice_insert', event_id: id,
			out_of_network: true, pre_roll: 600000 } });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ programs: [PROGRAM], rate: 4e6 }),
		5000);
	await sluice.onair('a001');
	await waitUntil('the PID', async () =>
		(await insert(1)).status === 200);
	for (let id = 2; id <= 8; id++)
		assert.equal((await insert(id)).status, 200);
	const { status, body } = await insert(9);

	assert.deepEqual([status, JSON.parse(body).error],
		[503, 'cue: 8 commands are waiting already']);
	await sluice.stop();
});
