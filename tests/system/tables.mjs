// SPDX-License-Identifier: GPL-3.0-or-later
// tables: programs are followed when their tables change, vanish or break.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

async function playing(t, mux) {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, mux, 5000);
	return sluice;
}

const counts = (video, audio) => (s) =>
	s.video_count === video && s.audio_count === audio;

test('a new version of the PMT takes effect', async (t) => {
	const mux = new TsMux({ programs: [{ ...PROGRAM, audio: 0 }] });
	const sluice = await playing(t, mux);

	await sluice.waitStatus('a001', 'video', counts(1, 0));
	mux.programs = [PROGRAM];
	mux.pmtVersion = 1;
	await sluice.waitStatus('a001', 'video and audio', counts(1, 1));
	await sluice.onair('a001');
	await sluice.stop();
});

test('a PMT that moves to another PID is followed', async (t) => {
	const mux = new TsMux();
	const sluice = await playing(t, mux);

	await sluice.waitStatus('a001', 'video and audio', counts(1, 1));
	mux.programs = [{ ...PROGRAM, pmtPid: 0x200, audio: 0 }];
	mux.patVersion = 1;
	mux.pmtVersion = 1;
	await sluice.waitStatus('a001', 'the new PMT', counts(1, 0));
	await sluice.onair('a001');
	// the old PID sends again and is ignored
	mux.programs = [PROGRAM, { ...PROGRAM, pnr: 2, pmtPid: 0x300,
		video: 0x301, audio: 0x302 }];
	mux.patVersion = 2;
	mux.pmtVersion = 2;
	await sluice.waitStatus('a001', 'two programs', counts(2, 2));
	await sluice.stop();
});

test('tables with a wrong checksum change nothing', async (t) => {
	const mux = new TsMux();
	const sluice = await playing(t, mux);

	await sluice.waitStatus('a001', 'video and audio', counts(1, 1));
	mux.breakCrc = true;
	mux.programs = [{ ...PROGRAM, audio: 0 }];
	mux.pmtVersion = 1;
	const begin = mux.seconds;
	await waitUntil('two seconds', () => mux.seconds - begin > 2);
	const status = await sluice.status('a001');
	assert.deepEqual([status.video_count, status.audio_count], [1, 1]);
	mux.breakCrc = false;
	await sluice.waitStatus('a001', 'the change', counts(1, 0));
	await sluice.stop();
});

test('a stream without tables has no programme until they arrive',
	async (t) => {
	const mux = new TsMux();

	mux.psi = false;
	const sluice = await playing(t, mux);
	await sluice.waitStatus('a001', 'bytes', (s) => s.bitrate > 1000);
	const status = await sluice.status('a001');
	assert.deepEqual([status.video_count, status.audio_count], [0, 0]);
	mux.psi = true;
	await sluice.waitStatus('a001', 'video and audio', counts(1, 1));
	await sluice.onair('a001');
	await sluice.stop();
});

test('a PAT of many sections is followed', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6001 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000'),
		stream('a002', 'udp://127.0.0.1:5001#pnr=1',
			'udp://127.0.0.1:6001')));
	const muxes = [5000, 5001].map(() => Object.assign(
		new TsMux({ rate: 4e6 }), { patSections: 40 }));

	await waitUntil('inputs', () => udpBound(5000) && udpBound(5001));
	await Sender.start(t, muxes[0], 5000);
	const sender = await Sender.start(t, muxes[1], 5001);
	for (const id of ['a001', 'a002']) {
		await sluice.waitStatus(id, 'video and audio', counts(1, 1));
		await sluice.onair(id);
	}
	sender.stop();
	await recorder.quiet();
	const seen = checkTs(joined((await recorder.stop())[0]));
	assert.deepEqual([...seen.pat.programs.keys()], [1]);
	const status = await sluice.status('a002');
	timing.unlessHeldUp('', [status], () =>
		assert.equal(seen.ccErrors, 0));
	await sluice.stop();
});
