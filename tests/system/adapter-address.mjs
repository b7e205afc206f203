// SPDX-License-Identifier: GPL-3.0-or-later
// adapters by address: one process receives a multiplex, and any number of
// streams take their programs from its ring.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areDue } from '../helpers/alarms.mjs';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const ADDRESS = 'udp://127.0.0.1:5000';
const PNRS = [1, 2, 3];
const programs = PNRS.map((pnr) => ({ pnr, pmtPid: 0x100 * pnr,
	video: 0x100 * pnr + 1 }));
const multiplex = () => new TsMux({ programs, rate: 3e6 });
const adapter = (more = {}) => ({ id: 'd', name: 'Multiplex', type: 'S2',
	enable: true, address: ADDRESS, ...more });
const reader = (pnr) => stream(`p${pnr}`, `dvb://d#pnr=${pnr}`,
	[`udp://127.0.0.1:${6000 + pnr}`, `http://127.0.0.1:8100/p${pnr}`]);
const document = () => ({ ...config(...PNRS.map(reader)),
	dvb_tune: [adapter()] });
const places = PNRS.map((pnr) => ({ port: 6000 + pnr }));
const onair = (sluice) => Promise.all(PNRS.map((pnr) =>
	sluice.onair(`p${pnr}`, 20000)));
const faults = (list) => {
	const { ccErrors, syncErrors, crcErrors } = checkTs(joined(list));

	return ccErrors + syncErrors + crcErrors;
};
const status = (sluice) => sluice.json('/api/adapter-status/d');
const statuses = async (sluice) => [await status(sluice), ...await Promise.all(
	PNRS.map((pnr) => sluice.status(`p${pnr}`)))];

async function open(t) {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, ...places);
	const sluice = await Sluice.start(t, document());

	await waitUntil('the source', () => udpBound(5000));
	const sender = await Sender.start(t, multiplex(), 5000);
	await onair(sluice);
	return { timing, recorder, sluice, sender };
}

const more = (recorder, bytes = 200000) => {
	const size = recorder.size();

	return waitUntil('more packets', () => recorder.size() > size + bytes,
		20000);
};

test('every stream gets its program, and a new master takes nothing',
	async (t) => {
	const { timing, recorder, sluice, sender } = await open(t);
	const events = await sluice.events(t);
	const pids = () => ['adapter d', 'stream p1', 'stream p2', 'stream p3']
		.map((name) => sluice.worker(...name.split(' ')).pid);
	const before = pids();

	const event = await events.wait('an adapter_event',
		(m) => m.scope === 'adapter_event' && m.bitrate > 0);
	assert.deepEqual(Object.keys(event).sort(), ['bitrate', 'dvb_id',
		'on_air', 'scope', 'virtual']);
	assert.deepEqual([event.dvb_id, event.virtual, event.on_air],
		['d', true, true]);
	const { worker } = await waitUntil('its rate', async () => {
		const found = await status(sluice);

		return found.lock && found.bitrate > 1000 && found;
	});
	assert.deepEqual([worker.state, worker.pid], ['running', before[0]]);
	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await sluice.ready();
	await more(recorder);
	assert.deepEqual(pids(), before);
	await recorder.all(sender);
	const lists = await recorder.stop();
	const ends = await statuses(sluice);

	for (const [i, list] of lists.entries())
		assert.deepEqual([...checkTs(joined(list)).pat.programs.keys()],
			[PNRS[i]]);
	timing.unlessHeldUp(sluice.log, ends, () => {
		assert.deepEqual(lists.map(faults), [0, 0, 0]);
		assert.equal(ends[0].lost, 0);
	});
	await sluice.stop();
});

const readers = (sluice) => PNRS.map((pnr) =>
	sluice.worker('stream', `p${pnr}`).pid);

// The longest silence of an output, in milliseconds.
const longestGap = (list) => Math.max(...list.slice(1).map(({ ns }, i) =>
	Number(ns - list[i].ns) / 1e6));

// The clock of a program goes on: its largest step, in milliseconds.
function largestStep(list) {
	const { pcrs, pmts } = checkTs(joined(list));
	const found = pcrs.get([...pmts.values()][0].pcr);

	assert.ok(found.every(({ jump }) => !jump), 'no new clock');
	return Math.max(...found.slice(1).map(({ value }, i) => {
		assert.ok(value > found[i].value, 'the clock never goes back');
		return (value - found[i].value) / 27000;
	}));
}

const counters = ({ outputs }) => outputs.map((output) => output.packets);

test('kill -9 of an adapter: its streams return within 1.5 s, and go on',
	async (t) => {
	const { timing, recorder, sluice, sender } = await open(t);
	const viewers = await Promise.all(PNRS.map((pnr) =>
		Viewer.open(t, 8100, `/p${pnr}`)));
	const moreViewed = (bytes) => {
		const seen = viewers.map((viewer) => viewer.bytes);

		return waitUntil('what viewers get', () => viewers.every(
			(v, i) => v.bytes > seen[i] + bytes), 20000);
	};
	const before = readers(sluice);
	const { pid } = sluice.worker('adapter', 'd');

	await moreViewed(50000);
	const counted = (await statuses(sluice)).slice(1).map(counters);
	process.kill(pid, 'SIGKILL');
	await sluice.replaced('adapter', 'd', pid);
	await more(recorder);
	await moreViewed(200000);
	// a status is that of the last second; none begins at zero again
	const lower = [];
	const [adapter, ...ends] = await waitUntil('more of all', async () => {
		const found = await statuses(sluice);
		const grown = found.slice(1).map(counters).flatMap((list, i) =>
			list.map((n, k) => n - counted[i][k]));

		lower.push(...grown.filter((n) => n < 0));
		return grown.every((n) => n !== 0) && found;
	}, 20000);
	assert.deepEqual(lower, []);
	timing.assert(adapter.worker.restarts === 1,
		`${adapter.worker.restarts} restarts`);
	assert.deepEqual(readers(sluice), before);
	await recorder.all(sender);
	const lists = await recorder.stop();
	const gaps = lists.map(longestGap), steps = lists.map(largestStep);

	t.diagnostic(`off for ${gaps.map(Math.round)} ms`);
	timing.assert(Math.max(...gaps, ...steps) <= 1500,
		`off for ${gaps}, clocks ${steps} ms`);
	for (const viewer of viewers) {
		const { ccErrors, syncErrors } = checkTs(viewer.data());

		assert.deepEqual([viewer.ended, syncErrors], [false, 0]);
		timing.unlessHeldUp(sluice.log, ends, () =>
			assert.equal(ccErrors, 0));
	}
	timing.unlessHeldUp(sluice.log, ends, () =>
		assert.deepEqual(lists.map(faults), [0, 0, 0]));
	await sluice.stop();
});

test('streams wait for an adapter that is off or changed', async (t) => {
	const { timing, recorder, sluice } = await open(t);
	const before = readers(sluice);
	const none = { streams: [], viewers: 0, restart: false };
	const lost = ['adapter.enable: the adapter is disabled, but dvb:// ' +
		'inputs of p1, p2, p3 read it'];
	const off = { id: 'd', adapter: adapter({ enable: false }) };

	for (const dry of [await sluice.cmd('toggle-adapter', { id: 'd',
		dry_run: true }), await sluice.cmd('set-adapter', { ...off,
		dry_run: true })])
		assert.deepEqual([dry.effects, dry.warnings], [none, lost]);
	assert.deepEqual(await sluice.cmd('toggle-adapter', { id: 'd',
		warnings: true }), { 'toggle-adapter': 'ok', warnings: lost });
	await waitUntil('the error of the input', async () =>
		/dvb:\/\/d is not there, or not enabled/.test((await sluice
			.json('/api/stream-inputs/p1')).inputs[0].error));
	await waitUntil('its end', () => !sluice.worker('adapter', 'd'));
	assert.equal((await status(sluice)).worker.state, 'stopped');
	assert.deepEqual(readers(sluice), before);
	const on = await sluice.cmd('toggle-adapter', { id: 'd',
		dry_run: true });
	assert.deepEqual([on.effects, on.warnings], [none, undefined]);
	await sluice.cmd('toggle-adapter', { id: 'd' });
	await more(recorder);

	const moved = { id: 'd', adapter: adapter(
		{ address: 'udp://127.0.0.1:5001' }) };
	const move = await sluice.cmd('set-adapter', { ...moved,
		dry_run: true });
	assert.deepEqual([move.effects, move.warnings], [none, ['adapter: ' +
		'the adapter restarts, but dvb:// inputs of p1, p2, p3 ' +
		'read it']]);
	await sluice.cmd('set-adapter', moved);
	await waitUntil('the other source', () => udpBound(5001));
	const other = await Sender.start(t, multiplex(), 5001);
	await more(recorder);
	assert.deepEqual(readers(sluice), before);

	const { pid: last } = sluice.worker('adapter', 'd');
	await sluice.cmd('restart-adapter', { id: 'd' });
	await sluice.replaced('adapter', 'd', last);
	await sluice.replaced('stream', 'p1', before[0]);
	await onair(sluice);
	await more(recorder);
	other.stop();
	const lists = await recorder.stop();
	const ends = await statuses(sluice);

	timing.unlessHeldUp(sluice.log, ends, () =>
		assert.deepEqual(lists.map(faults), [0, 0, 0]));

	await sluice.cmd('set-adapter', { id: 'd', adapter: { remove: true } });
	assert.deepEqual((await sluice.cmd('load')).make_stream, []);
	await waitUntil('the end of all', () => sluice.workers().every((w) =>
		w.role !== 'adapter' && w.role !== 'stream'));
	await sluice.stop();
});

test('the multiplex of an adapter is what a stream sends', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, ...places);
	const whole = (more) => stream('whole', ADDRESS, [], more);
	const sluice = await Sluice.start(t, { ...config(whole(),
		...PNRS.map(reader)), dvb_tune: [adapter(
		{ type: 'CI', address: 'stream://whole' })] });
	const error = (pattern) => waitUntil(`${pattern}`, async () =>
		pattern.test((await status(sluice)).error ?? ''), 20000);

	await waitUntil('the source', () => udpBound(5000));
	const sender = await Sender.start(t, multiplex(), 5000);

	// the packets pass by a slot that is not there
	await onair(sluice);
	await error(/slot: \/dev\/dvb\/adapter0 has neither ci0 nor sec0/);
	const { pid } = sluice.worker('adapter', 'd');

	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await sluice.ready();
	await more(recorder);
	assert.equal(sluice.worker('adapter', 'd').pid, pid);
	await recorder.all(sender);
	const lists = await recorder.stop();
	const ends = await statuses(sluice);

	timing.unlessHeldUp(sluice.log, ends, () =>
		assert.deepEqual(lists.map(faults), [0, 0, 0]));
	await Sender.start(t, multiplex(), 5000);
	await refuses(sluice, whole);
	const off = 'stream.enable: the stream is disabled, but adapters ' +
		'read it: d';
	const toggle = (more) => sluice.cmd('toggle-stream', { id: 'whole',
		...more });
	assert.deepEqual((await toggle({ dry_run: true })).warnings, [off]);
	assert.deepEqual((await toggle()).warnings, [off]);
	await sluice.logged(/stream whole: enable: .* but adapters read it: d/);
	await error(/stream whole is not there, or not enabled/);
	assert.equal((await toggle()).warnings, undefined);
	await onair(sluice);
	const renaming = { id: 'whole', stream: whole({ id: 'other' }) };
	assert.deepEqual((await sluice.cmd('set-stream', { ...renaming,
		dry_run: true })).effects,
	{ streams: [], viewers: 0, restart: false });
	await sluice.cmd('set-stream', renaming);
	assert.equal((await sluice.cmd('get-adapter', { id: 'd' })).adapter
		.address, 'stream://other');
	// its worker, which continues, knows the new id
	await sluice.cmd('toggle-stream', { id: 'other' });
	await error(/stream other is not there, or not enabled/);
	await sluice.cmd('toggle-stream', { id: 'other' });
	await onair(sluice);
	assert.equal(sluice.worker('adapter', 'd').pid, pid);
	const removal = { id: 'other', stream: { remove: true } };
	const gone = ['stream: the stream is removed, but adapters read it: d'];
	assert.deepEqual((await sluice.cmd('set-stream', { ...removal,
		dry_run: true })).warnings, gone);
	assert.deepEqual((await sluice.cmd('set-stream', removal)).warnings,
		gone);
	await sluice.stop();
});

// No change makes an adapter receive what it sends: the service has stream
// `whole', which adapter d reads, and p1 to p3, which read d.
async function refuses(sluice, whole) {
	const expect = async (command, pattern) => {
		for (const dry of [false, true]) {
			const reply = await sluice.post({ ...command,
				dry_run: dry });

			assert.equal(reply.status, 400, reply.body);
			assert.match(JSON.parse(reply.body).error, pattern);
		}
	};
	const loop = /^stream\.input\[0\]: stream "\w+" would receive what/;
	const set = (id, entry) => ({ cmd: 'set-adapter', id, adapter: entry });
	const wrong = /^adapter\.address: adapter "\w+" would receive what/;

	for (const input of ['dvb://d', 'stream://p1'])
		for (const id of ['whole', 'other'])
			await expect({ cmd: 'set-stream', id: 'whole',
				stream: whole({ id, input: [input] }) }, loop);
	for (const enable of [true, false])
		for (const id of ['d', 'e'])
			await expect(set('d', adapter({ id, enable,
				address: 'stream://p2' })), wrong);
	await expect({ cmd: 'set-config', key: 'dvb_tune', data: [adapter(
		{ id: 'e' }), adapter({ address: 'stream://p2' })] },
	/^dvb_tune\[1\]\.address: adapter "d" would receive what it sends/);
	// with the streams of a scan
	await expect(set(undefined, adapter({ id: 'e', address: 'stream://n',
		scan: [{ id: 'n', pnr: 1 }] })), wrong);
}

test('what a file makes a stream read of itself does not run', async (t) => {
	const document = { ...config(stream('s', 'dvb://d', [])),
		dvb_tune: [adapter({ address: 'stream://s' })] };
	const sluice = await Sluice.start(t, document);
	const idle = () => sluice.worker('stream', 's') === undefined;

	await sluice.logged(
		/s: does not run: .*input\[0\]: stream "s" would re/);
	const { warnings } = await sluice.cmd('upload', { config: document,
		dry_run: true });
	assert.ok(warnings.some((text) => /address: adapter "d" would rec/
		.test(text)), warnings.join('\n'));
	assert.ok(idle());
	await sluice.cmd('set-adapter', { id: 'd', adapter: adapter() });
	await waitUntil('its process', () => !idle());
	await sluice.stop();
});

// Asks until the scan has these programs; its last transponder.
function scanned(sluice, id, pnrs) {
	return waitUntil(`programs ${pnrs}`, async () => {
		const { transponders } = await sluice.cmd('scan-check', { id });

		return transponders?.[0].services.length === pnrs.length &&
			transponders[0].lock && transponders[0];
	}, 20000);
}

test('a scan reports the programs of an adapter, and of its next worker',
	async (t) => {
	const { sluice, sender } = await open(t);

	// the ring of a process that the next master takes over
	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await sluice.ready();
	const { id } = await sluice.cmd('scan-init', { scan: 'dvb://d' });
	const found = await scanned(sluice, id, PNRS);

	assert.deepEqual(found.services, PNRS.map((pnr) => ({ pnr,
		scrambled: false })));
	assert.deepEqual([found.number, found.lock], [1, true]);
	assert.ok(found.bitrate > 1000, JSON.stringify(found));

	const { pid } = sluice.worker('adapter', 'd');
	process.kill(pid, 'SIGKILL');
	await sluice.replaced('adapter', 'd', pid);
	sender.stop();
	await waitUntil('the source', () => udpBound(5000));
	await Sender.start(t, new TsMux({ programs: [...programs, { pnr: 4,
		pmtPid: 0x400, video: 0x401 }], rate: 3e6 }), 5000);
	await scanned(sluice, id, [...PNRS, 4]);
	await sluice.cmd('toggle-adapter', { id: 'd' });
	await waitUntil('the error', async () => /does not run/.test(
		(await sluice.cmd('scan-check', { id })).error));
	await sluice.stop();
});

// The sender has neither SDT nor VCT.
test('a scan of a running adapter waits for no table that ATSC may lack',
	async (t) => {
	const sluice = await Sluice.start(t, { ...document(),
		dvb_tune: [adapter({ type: 'ATSC' })] });

	await waitUntil('the source', () => udpBound(5000));
	await Sender.start(t, multiplex(), 5000);
	await onair(sluice);
	const { id } = await sluice.cmd('scan-init', { scan: 'dvb://d' });
	const first = await scanned(sluice, id, PNRS);

	assert.equal(first.complete, false, 'a VCT may follow');
	await waitUntil('all its tables', async () => (await sluice.cmd(
		'scan-check', { id })).transponders?.[0].complete, 20000);
	await sluice.stop();
});

// The states of a transponder in several seconds, each once; the first two
// reports may be of the state before.
async function lastingReports(sluice, id) {
	const seen = [];

	await waitUntil('reports', async () => {
		seen.push(...(await sluice.cmd('scan-check', { id }))
			.transponders ?? []);
		return seen.length >= 7;
	}, 30000);
	const of = (key) => [...new Set(seen.slice(2).map((one) => one[key]))];

	return { locks: of('lock'), errors: of('error') };
}

test('a scan of an adapter that is not stored has a process of its own',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const { id } = await sluice.cmd('scan-init', { scan: { adapter: {
		address: ADDRESS } } });
	const reports = () => lastingReports(sluice, id);

	await waitUntil('the source', () => udpBound(5000));
	assert.deepEqual(await reports(), { locks: [false],
		errors: ['no packets'] });
	await Sender.start(t, multiplex(), 5000);
	const { services, complete } = await scanned(sluice, id, PNRS);
	// the sender has no SDT
	assert.equal(complete, false);
	assert.deepEqual(await reports(), { locks: [true],
		errors: [undefined] });
	await sluice.cmd('set-adapter', { adapter: adapter({
		scan: services }) });
	assert.deepEqual((await sluice.cmd('load')).make_stream.map((s) =>
		s.input), PNRS.map((pnr) => [`dvb://d#pnr=${pnr}`]));
	await sluice.cmd('scan-kill', { id });
	await sluice.stop();
});

// Asks until the records of a scan name the PMT PIDs of these programs.
async function scannedPmts(sluice, stream, pids) {
	const { id } = await sluice.cmd('scan-init', { scan: { stream,
		input: 1 } });
	const found = new Set();

	await waitUntil('all PMTs', async () => {
		const { scan = [] } = await sluice.cmd('scan-check', { id });

		for (const { psi, pid } of scan)
			if (psi === 'pmt')
				found.add(pid);
		return pids.every((pid) => found.has(pid));
	}, 20000);
	await sluice.cmd('scan-kill', { id });
}

test('a stream of one program reads that one, a scan of its input all PMTs',
	async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6002 });
	const two = stream('two', 'stream://whole#pnr=2',
		'udp://127.0.0.1:6002');
	const sluice = await Sluice.start(t, { ...config(stream('whole',
		ADDRESS, []), reader(1), two), dvb_tune: [adapter(
		{ address: 'stream://whole' })] });

	await waitUntil('the source', () => udpBound(5000));
	await Sender.start(t, multiplex(), 5000);
	for (const [id, pnr] of [['p1', 1], ['two', 2]]) {
		await sluice.onair(id, 20000);
		// before the first PAT all arrive
		const input = await waitUntil('its program alone', async () => {
			const { inputs: [now] } = await sluice.json(
				`/api/stream-analysis/${id}`);
			const pids = now?.pids?.filter(({ pid, bitrate }) =>
				pid >= 0x100 && bitrate > 0) ?? [];

			return pids.length > 0 && pids.every(({ pid }) =>
				pid >> 8 === pnr) && now;
		}, 20000);

		assert.deepEqual(input.programs.map(({ number }) => number),
			[pnr]);
		const alarms = input.indicators.filter(({ raised }) => raised)
			.map(({ alarm }) => alarm).filter((alarm) => ['pmt',
				'pid', 'unreferenced_pid'].includes(alarm));

		assert.ok(areDue(alarms, timing), alarms.join());
		await scannedPmts(sluice, id, programs.map((p) => p.pmtPid));
	}
	await more(recorder);
	const [list] = await recorder.stop();

	assert.deepEqual([...checkTs(joined(list)).pat.programs.keys()], [2]);
	await sluice.stop();
});

// The ring has 16 MiB, of which a reader may lag behind by three quarters.
test('a stream that stands still loses packets of the ring, others do not',
	async (t) => {
	const { timing, recorder, sluice, sender } = await open(t);
	const { pid } = sluice.worker('stream', 'p1');
	const nulls = Array(7).fill(Buffer.alloc(188, 0xff));
	let flood = 0;

	nulls[0].set([0x47, 0x1f, 0xff, 0x10]);
	sender.shape = (packets) => {
		const n = flood > 0 ? 30 : 0;

		flood = Math.max(0, flood - 7 * 188 * n);
		return [packets, ...Array(n).fill(nulls)];
	};
	const overrun = async () => {
		process.kill(pid, 'SIGSTOP');
		flood = 15 * 2 ** 20;
		await waitUntil('the end of the flood', () => flood === 0);
		process.kill(pid, 'SIGCONT');
	};
	// on a busy machine the adapter does not receive all of a flood, or the
	// flood takes so long that the process of the stream is replaced
	const lost = await waitUntil('the loss', async () => {
		try {
			await overrun();
		} catch (error) {
			assert.equal(error.code, 'ESRCH');
		}
		const { inputs: [{ socket_drops: n }] } =
			await sluice.status('p1');

		return (n > 0 || sluice.worker('stream', 'p1').pid !== pid) &&
			{ n };
	});

	t.diagnostic(`lost ${lost.n} packets`);
	timing.assert(lost.n > 1000, `${lost.n} packets`);
	await sluice.onair('p1', 20000);
	await more(recorder);
	await recorder.all(sender);
	const lists = await recorder.stop();
	const [adapter, , ...others] = await statuses(sluice);

	timing.unlessHeldUp(sluice.log, [adapter, ...others], () => {
		assert.deepEqual(lists.slice(1).map(faults), [0, 0]);
		assert.equal(adapter.lost, 0);
		assert.deepEqual(others.map((s) => s.inputs[0].socket_drops),
			[0, 0]);
	});
	await sluice.stop();
});
