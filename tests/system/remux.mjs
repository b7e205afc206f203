// SPDX-License-Identifier: GPL-3.0-or-later
// remux: a program out of a multiplex, by its options and their changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDecodes, liveMultiplex, probe } from '../helpers/media.mjs';
import { PROGRAM, TsMux, sdtSection } from '../helpers/mux.mjs';
import { serviceOf, tables } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const OTHER = { pnr: 2, pmtPid: 0x200, video: 0x201, audio: 0x202 };
const OUT = 'udp://127.0.0.1:6000';

test('one program is sent, with the configured numbers and names',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config({
		...stream('a001', 'udp://127.0.0.1:5000#pnr=2&set_tsid=77&' +
			'lang.514=ger&map.video=101&map.999=500', OUT),
		set_pnr: 9, map: 'pmt=100, audio=102',
		service_name: 'Grün', service_provider: 'Wir',
		service_type: 1, textcode: 21,
		hbbtv_url: 'http://example.org/app/index.html',
	}));

	await waitUntil('input', () => udpBound(5000));
	const mux = new TsMux({ programs: [PROGRAM, OTHER], rate: 4e6 });

	mux.more = [[0x11, sdtSection([PROGRAM.pnr, OTHER.pnr])]];
	const sender = await Sender.start(t, mux, 5000);
	// a map of a PID that the PMT does not list: in the status, and once in
	// the log
	const unlisted = 'map: the PMT does not list PID 999: the map has no ' +
		'effect';

	await sluice.waitStatus('a001', 'the error of a map', (s) =>
		s.onair && s.error === unlisted &&
		s.inputs[0].error === unlisted);
	// half of it; a sender that was delayed sends more for a while
	await sluice.waitStatus('a001', 'one program', (s) =>
		s.onair && s.video_count === 1 && s.audio_count === 1 &&
		s.bitrate > 1500 && s.bitrate < 2500);
	await waitUntil('three seconds', () => mux.seconds > 3);
	sender.stop();
	await recorder.quiet();
	const data = joined((await recorder.stop())[0]);
	const status = await sluice.status('a001');
	timing.stop();
	await sluice.stop();
	assert.equal(sluice.log.split(`input 1: ${unlisted}`).length, 2,
		sluice.log);
	const seen = checkTs(data), si = tables(data);

	timing.unlessHeldUp('', [status], () =>
		assert.equal(seen.ccErrors, 0));
	assert.equal(si.pat.extension, 77);
	assert.deepEqual([...si.pat.programs], [[9, 100]]);
	const pmt = si.pmt(9);
	assert.equal(pmt.pcr, 101);
	assert.deepEqual(pmt.streams.slice(0, 2).map((s) =>
		[s.type, s.pid]), [[0x1b, 101], [0x0f, 102]]);
	assert.deepEqual(pmt.streams[1].descriptors.map((d) =>
		[d.tag, d.data.toString('latin1')]), [[0x0a, 'ger\0']]);
	const sdt = si.of('sdt').at(-1);
	assert.deepEqual([sdt.extension, [...sdt.services.keys()]], [77, [9]]);
	const service = serviceOf(sdt.services.get(9).descriptors);
	assert.equal(service.type, 1);
	assert.equal(service.provider.toString(), '\x15Wir');
	assert.equal(service.name.toString(), '\x15Grün');
	const ait = si.aits.at(-1);
	assert.equal(ait.applications.length, 1);
	assert.match(Buffer.concat(ait.applications[0].descriptors.map(
		(d) => d.data)).toString('latin1'),
		/http:\/\/example.org\/app\/.*index\.html/s);
	assert.deepEqual([...seen.pids.keys()].sort((a, b) => a - b),
		[0, 17, ait.pid, 100, 101, 102].sort((a, b) => a - b));
});

test('a changed option takes effect, another name alone does not',
	async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000#pnr=2', OUT)));
	const worker = () => sluice.workers().find(({ role }) =>
		role === 'stream')?.pid;
	const set = (fields) => sluice.cmd('set-stream', { id: 'a001',
		stream: { ...stream('a001', 'udp://127.0.0.1:5000#pnr=2', OUT),
			...fields } });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ programs: [PROGRAM, OTHER] }), 5000);
	await sluice.onair('a001');
	const first = worker();
	await set({ name: 'Another' });
	assert.equal(worker(), first);
	await set({ name: 'Another', set_pnr: 5 });
	await waitUntil('a new worker', () =>
		worker() !== undefined && worker() !== first);
	await sluice.onair('a001');
	const recorder = await Recorder.start(t, { port: 6000 });
	await waitUntil('a second', () => recorder.size() > 200000);
	const data = joined((await recorder.stop())[0]);
	assert.deepEqual([...tables(data).pat.programs], [[5, 0x200]]);
	await sluice.stop();
});

test('a stream without its program is off air', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000#pnr=2', OUT)));
	const mux = new TsMux();

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, mux, 5000);
	await waitUntil('two seconds', () => mux.seconds > 2);
	assert.equal((await sluice.status('a001')).onair, false);
	mux.programs = [PROGRAM, OTHER];
	mux.patVersion = 1;
	await sluice.onair('a001');
	// its PMT moves, and so do its streams
	mux.programs = [{ ...OTHER, pmtPid: 0x300, video: 0x301, audio: 0 }];
	mux.patVersion = 2;
	mux.pmtVersion = 1;
	await sluice.waitStatus('a001', 'video alone', (s) => s.onair &&
		s.video_count === 1 && s.audio_count === 0);
	mux.programs = [PROGRAM];
	mux.patVersion = 3;
	await sluice.logged(/off air: the PAT lists no program pnr=2/);
	sender.stop();
	await sluice.stop();
});

test('another process, another source: the tables do not change', async (t) => {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config({
		...stream('a001', ['udp://127.0.0.1:5000#pnr=2',
			'udp://127.0.0.1:5001'], OUT),
		map: 'pmt=100, video=101, audio=102', set_pnr: 9, set_tsid: 7,
		service_name: 'One', backup_start_delay: 0,
	}));

	await waitUntil('inputs', () => udpBound(5000));
	const first = await Sender.start(t,
		new TsMux({ programs: [PROGRAM, OTHER], rate: 4e6 }), 5000);
	await waitUntil('the second', () => udpBound(5001));
	const second = await Sender.start(t, new TsMux({ programs: [
		{ ...PROGRAM, pmtPid: 0x400, video: 0x401, audio: 0x402 }] }),
	5001);
	await sluice.onair('a001');
	const [{ pid: before }] = sluice.workers().filter(({ role }) =>
		role === 'stream');
	await sluice.cmd('restart-stream', { id: 'a001' });
	await waitUntil('another process', () => sluice.workers().some(
		({ role, pid }) => role === 'stream' && pid !== before));
	await sluice.onair('a001');
	first.stop();
	await sluice.waitStatus('a001', 'the second input', (s) => s.onair &&
		s.input_id === 2);
	// a source that catches up has fewer tables in a second
	await waitUntil('four of each table', () => {
		const si = tables(joined(recorder.lists()[0]));

		return [si.of('pat'), si.pmts, si.of('sdt')].every((list) =>
			list.length > 3);
	});
	const since = second.mux.seconds;
	await waitUntil('two more', () => second.mux.seconds > since + 2);
	second.stop();
	await recorder.quiet();
	const data = joined((await recorder.stop())[0]);
	await sluice.stop();
	const si = tables(data), seen = checkTs(data);
	const versions = (list) => new Set(list.map((s) => s.version));

	// only the packets are missing that the first process had not sent yet
	assert.ok(seen.ccErrors <= 5, `${seen.ccErrors} CC errors`);
	assert.deepEqual([...seen.pids.keys()].sort((a, b) => a - b),
		[0, 17, 100, 101, 102]);
	for (const list of [si.of('pat'), si.pmts, si.of('sdt')])
		assert.equal(versions(list).size, 1, 'one version');
});

test('ffmpeg plays its own streams with our names', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config({
		...stream('a001', 'udp://127.0.0.1:5000#pnr=2&map.video=256&' +
			'map.audio=257&map.pmt=4096', OUT),
		service_name: 'Zwei', service_provider: 'Sluice',
	}));

	await waitUntil('input', () => udpBound(5000));
	const source = liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ programs: 2, seconds: 5 });
	await source.ended;
	await recorder.quiet();
	const data = joined((await recorder.stop())[0]);
	const status = await sluice.status('a001');
	const { ccErrors } = checkTs(data);
	timing.stop();
	await sluice.stop();
	timing.unlessHeldUp('', [status], () => assert.equal(ccErrors, 0));
	if (ccErrors > 0)
		return;
	await assertDecodes(t, wholeUnits(data), { minPictures: 60 });
	const { programs: [program] } = await probe(t, data);
	assert.equal(program.tags.service_name, 'Zwei');
	assert.equal(program.tags.service_provider, 'Sluice');
	assert.equal(program.pmt_pid, 4096);
	assert.deepEqual(program.streams.map((s) => Number(s.id)), [256, 257]);
});
