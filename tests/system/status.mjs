// SPDX-License-Identifier: GPL-3.0-or-later
// status: the faults of a stream are measured and reported once a second.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { TsChecker } from '../helpers/ts.mjs';
import { Sender } from '../helpers/udp.mjs';
import { now, sleep, udpBound, waitUntil } from '../helpers/util.mjs';

async function playing(t, input, mux, options = {}) {
	const sluice = await Sluice.start(t,
		config(stream('a001', input, 'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	const events = await sluice.events(t);
	const sender = await Sender.start(t, mux, 5000, options);
	return { sluice, events, sender };
}

const INPUT = 'udp://127.0.0.1:5000';

// It is that of an answer to a request of the time `asked`.
function assertTime(timestamp, asked) {
	const now = Date.now() / 1000;

	assert.ok(timestamp > asked - 3 && timestamp < now + 3,
		`${timestamp} between ${asked} and ${now}`);
}

// The packets of video and audio leave on PIDs that no table names.
function moved(packets) {
	const list = Buffer.from(packets);

	for (let at = 0; at < list.length; at += 188)
		if ((list[at + 1] & 0x1f) === 1 && list[at + 2] > 0)
			list[at + 2] += 0x80;
	return list;
}

const NULL_PACKET = Buffer.from([0x47, 0x1f, 0xff, 0x10,
	...Array(184).fill(0xff)]);

test('a second without faults has every field', async (t) => {
	const timing = new Timing(t);
	const mux = new TsMux({ rate: 4e6 });
	const { sluice, events } = await playing(t, INPUT, mux);

	// its packets are those of a second, or of a little more
	const [asked, status] = await waitUntil('a full second', async () => {
		const time = Date.now() / 1000;
		const s = await sluice.status('a001');

		if (!s.onair || Math.abs(s.bitrate - 4000) >= 120 ||
			Math.abs(s.packets - 4e6 / 8 / 188) >= 120)
			throw new Error(JSON.stringify(s));
		return [time, s];
	});
	assertTime(status.timestamp, asked);
	const wanted = { name: 'Stream a001', input_id: 1, active: true,
		onair: true, sessions: 0, pes_error: 0, sc_error: 0,
		cc_error: 0, video_count: 1, audio_count: 1 };
	for (const [key, value] of Object.entries(wanted))
		assert.equal(status[key], value, key);
	const event = await events.wait('good second', (m) => m.onair &&
		Math.abs(m.bitrate - 4000) < 120);
	assert.deepEqual({ ...event, bitrate: 0 }, { scope: 'stream_event',
		channel_id: 'a001', input_id: 1, onair: true, bitrate: 0,
		scrambled: false, cc_error: 0, pes_error: 0 });
	// a busy machine may delay one or the other of which
	const check = await waitUntil('a good second', async () => {
		const told = await sluice.cmd('check-stream',
			{ id: 'a001', status: true });

		return told.status.onair &&
			told.status.input[0].cc_error === 0 && told;
	});
	assert.equal(check['check-stream'], 'ok');
	assert.equal(check.status.active_input, 1);
	assert.equal(check.status.input.length, 1);
	// a busy machine sends PCRs late, which is an alarm then
	const { alarms, penalty, damped, reason, ...input } =
		check.status.input[0];
	assert.ok(Array.isArray(alarms));
	assert.deepEqual({ ...input, bitrate: 0, since: 0 },
		{ scrambled: false, cc_error: 0, bitrate: 0, pes_error: 0,
			onair: true, state: 'active', since: 0 });
	// a source that waits for a core has failed meanwhile
	timing.assert(penalty === 0 && reason === 'start' && !damped,
		JSON.stringify({ penalty, reason, damped }));
	await sluice.stop();
});

test('every continuity error is counted once', async (t) => {
	const timing = new Timing(t), truth = new TsChecker();
	let turn = 0, broken = false;
	const { sluice, events, sender } = await playing(t, INPUT, new TsMux(),
		{ shape: (packets) => {
			const kept = broken && ++turn % 40 === 0 ?
				packets.subarray(188) : packets;
			truth.push(kept);
			return [kept];
		} });

	await sluice.onair('a001');
	const begun = sluice.log.length;
	broken = true;
	await waitUntil('errors', () => truth.ccErrors > 30);
	sender.stop();
	const sum = () => events.scope('stream_event')
		.reduce((total, event) => total + event.cc_error, 0);
	// a second that is reported late is one of silence until then
	await waitUntil('all of them', () => {
		if (sum() < truth.ccErrors)
			throw new Error(`${sum()} of ${truth.ccErrors}`);
		return events.messages.at(-1).bitrate === 0;
	});
	timing.stop();
	const status = await sluice.status('a001');
	const minute = await sluice.json('/api/stream-status/a001');
	timing.unlessHeldUp(sluice.log.slice(begun), [status], () =>
		assert.equal(sum(), truth.ccErrors));
	assert.equal(minute.cc_error, sum());
	// the hour has the same seconds, whose last one may be a silent one
	const { first, timestamp, columns } =
		await sluice.json('/api/history/a001');

	assert.equal(columns.cc_error.reduce((a, b) => a + b), sum());
	assert.ok(columns.onair.includes(true));
	assert.ok(columns.input.includes(1));
	assert.ok(Math.abs(first + columns.bitrate.length - timestamp) <= 3);
	const last = first + columns.bitrate.length - 1;
	const rest = await sluice.json(`/api/history/a001?since=${last}`);

	assert.equal(rest.first, last + 1);
	assert.equal((await sluice.get('/api/history/a001?since=x')).status,
		400);
	assert.equal((await sluice.get('/api/history/b')).status, 404);
	await sluice.stop();
});

test('cc_limit takes an input off air', async (t) => {
	let turn = 0, broken = false;
	const { sluice } = await playing(t, INPUT + '#cc_limit=5', new TsMux(),
		{ shape: (packets) => broken && ++turn % 5 === 0 ?
			[] : [packets] });

	await sluice.onair('a001');
	broken = true;
	const status = await sluice.waitStatus('a001', 'off air',
		(s) => !s.onair);
	assert.ok(status.cc_error >= 5);
	broken = false;
	await sluice.onair('a001');
	await sluice.stop();
});

test('the cc_limit of the settings applies to every stream', async (t) => {
	let turn = 0, broken = false;
	const { sluice } = await playing(t, INPUT, new TsMux(),
		{ shape: (packets) => broken && ++turn % 5 === 0 ?
			[] : [packets] });

	await sluice.onair('a001');
	broken = true;
	await sluice.waitStatus('a001', 'errors, without a limit', (s) =>
		s.cc_error >= 5 && s.onair);
	const { settings } = await sluice.cmd('load');
	await sluice.cmd('set-settings', { settings: { ...settings,
		cc_limit: 5 } });
	await waitUntil('a limit', async () =>
		(await sluice.status('a001')).onair === false);
	broken = false;
	await sluice.onair('a001');
	await sluice.stop();
});

const never = {
	'no sender': ['', null, 'no packets', /^no packets$/],
	'another program': ['#pnr=999', {},
		'the PAT does not list the program',
		/^the PAT lists no program pnr=999$/],
	'too little': ['#bitrate_limit=90000', {}, 'low bitrate',
		/^bitrate of \d+ kbit\/s is below the limit of 90000 kbit\/s$/],
	'too little with null packets': ['#bitrate_limit=90000',
		{ isFull: () => false }, 'low bitrate',
		new RegExp('^bitrate of \\d+ kbit/s without null packets ' +
			'is below the limit of 90000 kbit/s$')],
	'null packets': ['', { empty: true }, 'no PMT',
		/^only null packets arrive$/],
	'null packets and own tables': ['#pnr=1&set_pnr=2', { empty: true },
		'no PAT', /^only null packets arrive$/],
	'no PID of the PMT': ['', { moved: true }, 'no video or audio',
		/^no packets arrive on .* PIDs of the PMT \(PID_error\)$/],
	'no PID of the PMT, remuxed': ['#set_pnr=2', { moved: true },
		'no video or audio',
		/^no packets arrive on .* PIDs of the PMT \(PID_error\)$/],
	'scrambled': ['', { scrambled: true }, 'scrambled', /^scrambled$/],
	'torn': ['#cc_limit=1', { tear: true }, 'CC errors',
		/^\d+ CC errors in a second$/],
};

test('a stream that was never on air reports the reason, in one line ' +
	'of the log', async (t) => {
	const timing = new Timing(t);
	const inputs = Object.values(never);
	const sluice = await Sluice.start(t, config(...inputs.map(
		([options], i) => stream(`n${i}`,
			`udp://127.0.0.1:${5000 + i}${options}`,
			`udp://127.0.0.1:${6000 + i}`))));

	for (const [i, [, what]] of inputs.entries()) {
		const mux = new TsMux({ rate: 5e5 });
		let turn = 0;
		if (what === null)
			continue;
		await waitUntil('input', () => udpBound(5000 + i));
		mux.scrambled = what.scrambled === true;
		mux.isFull = what.isFull ?? mux.isFull;
		const shapes = {
			tear: (p) => ++turn % 5 === 0 ? [] : [p],
			empty: (p) => [Buffer.alloc(p.length, NULL_PACKET)],
			moved: (p) => [moved(p)],
		};
		const [shape] = Object.keys(shapes).filter((k) => what[k]);

		await Sender.start(t, mux, 5000 + i,
			shape ? { shape: shapes[shape] } : {});
	}
	for (const [i, [, , reason, error]] of inputs.entries()) {
		const name = Object.keys(never)[i];
		const { inputs: [input] } = await sluice.waitStatus(`n${i}`,
			name, (s) => s.inputs?.[0].reason === reason &&
				error.test(s.inputs[0].error), 30000);
		assert.equal(input.state, 'active', name);
		await sluice.logged(new RegExp(`stream n${i}: off air: ` +
			error.source.replace(/[$^]/g, '')));
	}
	const said = sluice.log.split('\n').filter((l) =>
		l.includes('off air'));
	// a sender that waits for a processor sends too little for a while
	timing.assert(said.length === inputs.length, said.join('\n'));
	await sluice.stop();
});

test('scrambled packets take it off air, and clear packets on air',
	async (t) => {
	const mux = new TsMux();
	const { sluice, events } = await playing(t, INPUT, mux);

	await sluice.onair('a001');
	mux.scrambled = true;
	const status = await sluice.waitStatus('a001', 'scrambling',
		(s) => !s.onair && s.sc_error > 0);
	assert.equal(status.cc_error, 0);
	await events.wait('event', (m) => m.scrambled && !m.onair);
	mux.scrambled = false;
	await sluice.onair('a001');
	await sluice.stop();
});

test('broken PES start codes take it off air', async (t) => {
	const mux = new TsMux();
	const { sluice, events } = await playing(t, INPUT, mux);

	await sluice.onair('a001');
	mux.breakPes = true;
	await sluice.waitStatus('a001', 'PES errors',
		(s) => !s.onair && s.pes_error > 2);
	await events.wait('event', (m) => m.pes_error > 2 && !m.onair);
	mux.breakPes = false;
	await sluice.onair('a001');
	await sluice.stop();
});

test('a bit rate below the minimum is off air', async (t) => {
	const mux = new TsMux({ rate: 300e3 });
	const { sluice } = await playing(t, INPUT + '#bitrate_limit=200', mux);

	await sluice.onair('a001');
	mux.rate = 300e3;
	const info = await sluice.json('/api/stream-info/a001');
	await sluice.cmd('set-stream', { id: 'a001', stream: { ...info,
		input: [INPUT + '#bitrate_limit=400'] } });
	await sluice.waitStatus('a001', 'off air', (s) =>
		!s.onair && s.bitrate > 200 && s.bitrate < 400);
	await sluice.stop();
});

test('radio needs a lower bit rate than television', async (t) => {
	const radio = { pnr: 1, pmtPid: 0x100, audio: 0x102 };
	const mux = new TsMux({ rate: 100e3, programs: [radio] });
	const { sluice } = await playing(t, INPUT, mux);

	await sluice.onair('a001');
	await sluice.cmd('restart-stream', { id: 'a001' });
	mux.programs = [PROGRAM];
	mux.pmtVersion = 1;
	await sluice.waitStatus('a001', 'video below 128 kbit/s', (s) =>
		!s.onair && s.video_count === 1 && s.bitrate > 60);
	await sluice.stop();
});

test('a silent second is reported as well', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', INPUT, 'udp://127.0.0.1:6000', { id: 'a001' }),
		stream('a002', INPUT.replace('5000', '5001') + '#id=main-link',
			'udp://127.0.0.1:6001'),
		stream('a003', INPUT.replace('5000', '5002'),
			'udp://127.0.0.1:6002', { enable: false })));
	const begin = now();
	const events = await sluice.events(t);
	const inputs = { a001: 1, a002: 'main-link' };
	const of = (id) => events.scope('stream_event')
		.filter((m) => m.channel_id === id);

	await waitUntil('five of each', () => Object.keys(inputs).every((id) =>
		of(id).length >= 5));
	for (const [id, input] of Object.entries(inputs)) {
		const list = of(id), ms = now() - begin;
		// the first of them may be due at once
		assert.ok(list.length <= ms / 950 + 1,
			`${list.length} events in ${ms} ms`);
		assert.ok(list.every((m) => !m.onair && m.bitrate === 0 &&
			m.input_id === input), JSON.stringify(list[0]));
	}
	assert.ok(!events.messages.some((m) => m.channel_id === 'a003'));
	const off = await sluice.status('a003');
	assert.equal(off.active, false);
	assert.equal(off.onair, false);
	const check = await sluice.cmd('check-stream', { id: 'a001' });
	assert.deepEqual(check, { 'check-stream': false });
	// with the status the answer is ok, whatever the status is
	const told = await sluice.cmd('check-stream',
		{ id: 'a001', status: true });
	assert.equal(told['check-stream'], 'ok');
	assert.equal(told.status.onair, false);
	await sluice.stop();
});

test('system-status reports the load of the system', async (t) => {
	const sluice = await Sluice.start(t, { settings: {
		instance_name: 'north' }, ...config() });
	const status = await sluice.json('/api/system-status?t=0');

	assert.equal(status.instance, 'north');
	for (const key of ['timestamp', 'la1', 'la5', 'la15', 'app_threads',
		'sys_cpu_usage', 'app_cpu_usage', 'sys_mem_usage',
		'app_mem_usage', 'app_mem_kb', 'sys_uptime', 'app_uptime'])
		assert.equal(typeof status[key], 'number', key);
	assert.ok(status.app_mem_kb > 100 && status.sys_uptime > 0);
	await sluice.stop();
});

test('t=0 is the last second, t=1 and no t are the last minute', async (t) => {
		const sluice = await Sluice.start(t, { ...config(
			stream('a001', INPUT, [])), settings: {
			instance_name: 'north' }, dvb_tune: [{ id: 'd',
			name: 'Dish', type: 'S2', enable: false }] });

		await waitUntil('input', () => udpBound(5000));
		const sender = await Sender.start(t, new TsMux(), 5000);
		await sluice.onair('a001');
		await sleep(1500);
		sender.stop();
		const get = (path) => sluice.json(`/api/${path}`);
		// data that waited in the socket comes after a silent second
		let asked;
		const [last, minute, plain] = await waitUntil('silence',
			async () => {
			asked = Date.now() / 1000;
			const all = await Promise.all([
				get('stream-status/a001?t=0'),
				get('stream-status/a001?t=1'),
				get('stream-status/a001')]);

			return !all[0].onair && all[0].packets === 0 && all;
		});
		assert.equal(last.bitrate, 0);
		assert.ok(minute.packets > 1000 && minute.bitrate > 0);
		assert.deepEqual([plain.packets > 1000, plain.instance,
			last.instance], [true, 'north', 'north']);
		assertTime(last.timestamp, asked);
		for (const query of ['', '?t=0', '?t=1']) {
			const dish = await get(`adapter-status/d${query}`);
			assert.deepEqual([dish.name, dish.instance, dish.lock],
				['Dish', 'north', false]);
			await get(`system-status${query}`);
		}
		for (const path of ['stream-status/a001', 'adapter-status/d',
			'system-status'])
			assert.equal((await sluice.get(`/api/${path}?t=2`))
				.status, 400, path);
		await sluice.stop();
	});

test('an mpts stream reports its bit rate and is always on air', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001', INPUT, [],
		{ type: 'mpts' })));
	const events = await sluice.events(t);
	const quiet = { scope: 'stream_event', channel_id: 'a001', onair: true,
		bitrate: 0, scrambled: false, cc_error: 0, pes_error: 0 };

	assert.deepEqual(await events.wait('silence', (m) =>
		m.scope === 'stream_event'), quiet);
	await waitUntil('input', () => udpBound(5000));
	const mux = new TsMux();
	mux.scrambled = true;
	await Sender.start(t, mux, 5000);
	const busy = await events.wait('a bit rate', (m) => m.bitrate > 0);
	assert.deepEqual({ ...busy, bitrate: 0 }, quiet);
	await sluice.stop();
});
