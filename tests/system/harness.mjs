// SPDX-License-Identifier: GPL-3.0-or-later
// The helpers themselves: they detect the faults that tests rely on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertDecodes, liveMultiplex } from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { differs, theReference } from '../helpers/reference.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { DATAGRAM, Recorder, Sender, burstMs, joined }
	from '../helpers/udp.mjs';
import { always, srcdir, waitUntil } from '../helpers/util.mjs';

const clean = () => new TsMux().take(4000);

test('a clean multiplex has no fault', () => {
	const seen = checkTs(clean());

	assert.equal(seen.packets, 4000);
	assert.equal(seen.syncErrors + seen.crcErrors + seen.ccErrors, 0);
	assert.deepEqual([...seen.pat.programs], [[1, PROGRAM.pmtPid]]);
	assert.equal(seen.pmts.get(1).pcr, PROGRAM.video);
	assert.ok(seen.first.rai);
	const pcrs = seen.pcrs.get(PROGRAM.video);
	assert.ok(pcrs.length > 100);
	for (let i = 1; i < pcrs.length; i++) {
		const ms = (pcrs[i].value - pcrs[i - 1].value) / 27000;
		assert.ok(ms > 0 && ms <= 40, `${ms} ms between PCRs`);
	}
});

test('a lost packet, two swapped packets and a flipped bit are detected',
	() => {
	const data = clean();
	const at = 1001 * 188;
	const lost = Buffer.concat([data.subarray(0, at),
		data.subarray(at + 188)]);
	const swapped = Buffer.concat([data.subarray(0, at),
		data.subarray(at + 188, at + 376),
		data.subarray(at, at + 188), data.subarray(at + 376)]);
	const flipped = Buffer.from(data);
	const table = checkTs(data).order.indexOf(0);

	flipped[table * 188 + 10] ^= 1;
	assert.equal(checkTs(lost).ccErrors, 1);
	assert.ok(checkTs(swapped).ccErrors > 0);
	assert.equal(checkTs(flipped).crcErrors, 1);
});

test('ffmpeg accepts our multiplex', async (t) => {
	const recorder = await Recorder.start(t, { port: 5000 });
	const live = liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ programs: 2, seconds: 3 });

	await live.ended;
	await recorder.quiet();
	const [list] = await recorder.stop();
	const data = joined(list);
	await assertDecodes(t, data, { programs: 2, minPictures: 70 });
	const at = Math.floor(data.length / 188 / 2) * 188;
	data.fill(0x11, at, at + 30 * 188);
	await assert.rejects(assertDecodes(t, data, { programs: 2 }));
});

test('the recorder keeps order, time and every byte', async (t) => {
	const recorder = await Recorder.start(t, { port: 5000 },
		{ address: '239.1.2.3', port: 5001, iface: 'lo' },
		{ address: '::1', port: 5002 });
	const senders = [
		await Sender.start(t, new TsMux(), 5000),
		await Sender.start(t, new TsMux(), 5001,
			{ address: '239.1.2.3', iface: '127.0.0.1' }),
		await Sender.start(t, new TsMux(), 5002, { address: '::1' }),
	];

	await waitUntil('a megabyte', () => recorder.size() > 1e6);
	await recorder.all(...senders);
	const lists = await recorder.stop();
	lists.forEach((list, i) => {
		assert.equal(list.length, senders[i].sent);
		assert.equal(joined(list).compare(
			new TsMux().take(list.length * 7)), 0);
	});
	assert.equal(lists[0][0].data.length, DATAGRAM);
	// a burst of ten datagrams is 10 * 1316 * 8 / 2e6 = 52.64 ms
	const burst = Array.from({ length: 10 }, () => ({ ns: 1n,
		data: Buffer.alloc(DATAGRAM) }));
	assert.equal(Math.round(burstMs(burst, 2e6)), 53);
});

test('a wait ends at a contradiction, and continues after other failures',
	async () => {
	let probes = 0;

	await waitUntil('the third probe', () => {
		assert.equal(++probes, 3);
		return true;
	});
	await assert.rejects(waitUntil('a probe without contradiction', () => {
		always(() => assert.ok(++probes < 5, `probe ${probes}`));
	}), /^Error: probe 5$/);
	assert.equal(probes, 5);
});

test('replies that differ from their description are detected', () => {
	const say = (sent, status, body) => differs({ method: 'POST',
		target: '/control/', sent: JSON.stringify(sent), status,
		text: JSON.stringify(body), type: 'application/json' });
	const toggle = { cmd: 'toggle-stream', id: 'a' };
	const ok = { 'toggle-stream': 'ok' }, error = { error: 'no' };

	assert.equal(say(toggle, 200, ok), undefined);
	assert.equal(say(toggle, 404, error), undefined);
	assert.match(say(toggle, 200, { ...ok, more: 1 }),
		/toggle-stream\.reply.*"more"/);
	assert.match(say(toggle, 200, {}), /toggle-stream/);
	assert.match(say(toggle, 404, { fault: 'no' }), /Error/);
	assert.match(say(toggle, 404, ''), /Error/);
	assert.match(say(toggle, 507, error), /507 is not in x-errors/);
	assert.match(say({ cmd: 'toggle-stream' }, 200, ok),
		/toggle-stream\.request.*'id'/);
	assert.match(say({ cmd: 'new-one' }, 200, { 'new-one': 'ok' }),
		/add new-one\.request/);
	assert.equal(say({ cmd: 'new-one' }, 400, error), undefined);
	assert.match(differs({ method: 'GET', target: '/api/new', status: 200,
		text: '{}' }), /not described/);
	const status = { timestamp: 1, la1: 0, la5: 0, la15: 0, app_threads: 1,
		cpu_cores: 2, sys_cpu_usage: 0, app_cpu_usage: 0,
		sys_mem_usage: 0, app_mem_usage: 0, app_mem_kb: 0,
		sys_uptime: 0, app_uptime: 0 };
	const get = (body) => differs({ method: 'GET', status: 200,
		target: '/x/api/system-status?t=0', text: JSON.stringify(body),
		type: 'application/json' });
	assert.equal(get(status), undefined);
	assert.match(get({ ...status, odd: 1 }), /SystemStatus.*"odd"/);
	assert.match(get({ ...status, la1: 'high' }), /la1/);
});

test('events that differ from their description are detected', () => {
	const judge = (message) => theReference().judgeEvent(message);
	const event = { scope: 'stream_event', channel_id: 'a', input_id: 1,
		onair: true, bitrate: 1, scrambled: false, cc_error: 0,
		pes_error: 0 };

	assert.equal(judge(event), undefined);
	assert.match(judge({ ...event, odd: null }), /stream_event.*"odd"/);
	assert.match(judge({ ...event, bitrate: '1' }), /bitrate/);
	assert.match(judge({ scope: 'news' }), /"news": add it/);
	assert.match(judge({ scope: 'set-stream', stream: { id: 'a',
		remove: true, enable: true } }), /set-stream/);
	assert.deepEqual(theReference().closeCodes(),
		['1001', '1002', '1008', 'none']);
});

test('every test that doc/scenarios.md names exists', () => {
	const page = fs.readFileSync(path.join(srcdir, 'doc/scenarios.md'),
		'utf8');
	const named = [...page.matchAll(/`([\w-]+)`: ([^;|]+?) *(?=[;|])/g)];

	assert.ok(named.length > 40);
	for (const [, file, name] of named) {
		const text = fs.readFileSync(path.join(srcdir,
			`tests/system/${file}.mjs`), 'utf8');
		assert.ok(text.replaceAll(/' \+\n\s*'/g, '').toLowerCase()
			.includes(name.toLowerCase()), `${file}: ${name}`);
	}
});

const source = (file) => fs.readFileSync(path.join(srcdir, file), 'utf8');

// The names in a table of the sources, found by the text around them.
const named = (files, pattern) => new Set(files.flatMap((file) =>
	[...source(file).matchAll(pattern)].map(([, name]) => name)));

test('the manuals have every number, alarm and message', () => {
	const reference = source('doc/api.md');
	const catalogue = source('proto/ipc/MESSAGES.md');
	const reported = named(['proto/spec/link_stat.c', 'proto/spec/alarm.c'],
		/(?:= \{? ?|NOW\(\w+, |SUM\(\w+, )"([a-z_0-9]+)"/g);
	const messages = named(['proto/ipc/msg.h'],
		/^\t(?:ROW|EMPTY).*"([a-z]+\.[a-z]+)"/gm);

	assert.ok(reported.size > 60 && messages.size > 30);
	for (const name of reported)
		assert.ok(reference.includes(`\`${name}\``), name);
	for (const message of messages)
		assert.match(catalogue, new RegExp(`^### ${message}$`, 'm'));
});
