// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of single pages that need no browser.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { srcdir } from '../helpers/util.mjs';

const load = (name) => import(path.resolve(srcdir, 'web', name));
const { ApiError } = await load('common/api.js');
const { Ring } = await load('common/ring.js');
const { withSlot } = await load('headend/cam-slots.js');
const { codecsOf, judge, playerAddress, waysOf } =
	await load('headend/codecs.js');
const { isOld } = await load('headend/current.js');
const { freshId, make } = await load('headend/entry-id.js');
const { chosenFirst } = await load('headend/groups.js');
const { columns, fill, rangeOf } = await load('headend/history.js');
const { isMux, optionOf, placesOf, rateOf, serviceRows, share, withOption,
	withService } = await load('headend/mux-list.js');
const { once } = await load('headend/once.js');
const { PAGES, namedPages, railPages } = await load('headend/pages.js');
const { programsOf, sourceOf, streamOf, withProgram } =
	await load('headend/programs.js');
const { extended, groupCommand, parseSelection, printSelection, toggled } =
	await load('headend/selection.js');
const { serverBase, wantedServers } = await load('headend/server-list.js');
const { newFaults } = await load('headend/siren.js');
const { addSections, label, rest } = await load('headend/tables.js');
const { addTransponders, plansOf, scanOf, tuningText, usersOf } =
	await load('headend/transponder-list.js');
const { Incidents, chosen } = await load('headend/incident-list.js');
const { streamOf: streamOfLine } = await load('headend/place.js');
const { Changed, upload } = await load('headend/upload.js');
const { addLaterWords } = await load('common/words.js');
const { wrongEverywhere } = await load('headend/wrong.js');

const pid = (stream_type, kind = 'video') => ({ stream_type, kind });

test('what a browser lacks is named, and pictures decide', () => {
	const chromium = (type) => /avc1|mp4a/.test(type);
	const verdict = (...pids) => judge(codecsOf(pids, chromium));

	assert.deepEqual(verdict(pid(0x1b), pid(0x0f)), { plays: true,
		video: true, audio: true, lacking: [] });
	assert.deepEqual(verdict(pid(0x0f), pid(0x02)), { plays: false,
		video: false, audio: true, lacking: ['MPEG-2'] });
	assert.deepEqual(verdict(pid(0x1b), pid(0x04), pid(0x04)),
		{ plays: true, video: true, audio: false,
			lacking: ['MPEG-2 layer II'] });
	// one of two sounds is enough
	assert.deepEqual(verdict(pid(0x1b), pid(0x81), pid(0x0f)).lacking, []);
	// radio
	assert.equal(verdict(pid(0x0f)).plays, true);
	assert.deepEqual(verdict(pid(0x24), pid(0x99, 'audio'), pid(0x86,
		'data')), { plays: false, video: false, audio: false,
		lacking: ['H.265', '0x99'] });
	assert.equal(verdict().plays, false);
});

test('a player gets the address of an http output or of the play port', () => {
	const of = (output, settings = {}) => playerAddress({ id: 'a b',
		output }, settings, 'tv.example');

	assert.equal(of(['udp://239.1.1.1:1', 'http://0.0.0.0:8100/news']),
		'http://tv.example:8100/news');
	assert.equal(of(['http://10.0.0.1:8100/a/b#buffer=3']),
		'http://10.0.0.1:8100/a/b');
	assert.equal(of(['http://[::]:8100/x']), 'http://tv.example:8100/x');
	assert.equal(of(['http://u:p@[2001:db8::1]:81/x']),
		'http://[2001:db8::1]:81/x');
	assert.equal(of([], { http_play_stream: true,
		http_play_port: '127.0.0.1:8001' }),
	'http://tv.example:8001/play/a%20b');
	assert.equal(of([], { http_play_hls: true, http_play_port: 8001 }),
		'http://tv.example:8001/play/a%20b/index.m3u8');
	assert.equal(of([], { http_play_port: 8001 }), '');
	assert.equal(playerAddress(null, {}, 'x'), '');
});

test('a preview comes as MPEG-TS, or by HLS where there is no other', () => {
	const ts = { http_play_stream: true }, hls = { http_play_hls: true };
	const ways = (output, settings, hasMse = true) =>
		waysOf({ id: 'a', output }, settings, hasMse).join(' ');

	assert.equal(ways([], { ...ts, ...hls }), 'ts hls');
	assert.equal(ways([], hls), 'hls');
	assert.equal(ways([], ts), 'ts');
	assert.equal(ways([], {}), '');
	// without MediaSource
	assert.equal(ways([], { ...ts, ...hls }, false), 'hls');
	// the outputs are HLS alone
	assert.equal(ways(['udp://239.1.1.1:1', 'http://:81/a.m3u8#list=5'],
		{ ...ts, ...hls }), 'hls ts');
	assert.equal(ways(['http://:81/a#x=b.m3u8', 'http://:81/a.m3u8'],
		{ ...ts, ...hls }), 'ts hls');
	// an observer
	assert.equal(ways([], null), 'ts hls');
	assert.equal(waysOf(null, ts, true).join(), 'ts');
});

// Lines of the log: "second where: text".
const lines = (...texts) => texts.map((line, i) => {
	const [, time, where, text] = /^(\d+) ([^:]+): (.*)$/.exec(line);

	return { n: i + 1, time: Number(time), ms: 0, level: 'info', where,
		text };
});
const incidentsOf = (...texts) => {
	const book = new Incidents();

	book.take(lines(...texts));
	return book.list.map(({ start, end, kind, where, part, cause }) =>
		[start, end, kind, where, part, cause].join('|'));
};

test('lines of the log become incidents with a begin and an end', () => {
	const news = 'stream news';

	assert.deepEqual(incidentsOf(`1 ${news}: running, pid 7`,
		`2 ${news}: on air, 800 kbit/s`,
		`3 ${news}: off air: no packets`,
		`4 stream film: off air: scrambled`,
		`5 ${news}: off air: no PAT`,
		`9 ${news}: on air, 800 kbit/s`),
	['3|9|off|stream news||no packets', '4||off|stream film||scrambled']);
	assert.deepEqual(incidentsOf(
		`1 ${news}: input 1: alarms: cc`,
		`2 ${news}: output: alarms: cc`,
		`3 ${news}: input 1: alarms: cc, pts`,
		`4 ${news}: input 1: all alarms cleared`),
	['1|4|alarm|stream news|input 1|cc, pts',
		'2||alarm|stream news|output|cc']);
	assert.deepEqual(incidentsOf(
		`1 ${news}: input 1: no packets; input 2 is on air`,
		`5 ${news}: input 1 is on air instead of input 2 (return to ` +
			'an earlier input)',
		`6 ${news}: input 1: no packets; no other input is on air: ` +
			'nothing is sent'),
	['1|5|backup|stream news|input 2|input 1: no packets',
		'6||off|stream news||no packets']);
	assert.deepEqual(incidentsOf(
		'1 deliver: ended by signal 9; restarting at once',
		'2 deliver: running, pid 8',
		`3 ${news}: ended by signal 6; 3 failures, restart in 2.1 s`,
		`4 ${news}: stopped`),
	['1|2|process|deliver||ended by signal 9',
		'3|4|process|stream news||ended by signal 6']);
	// the worker of an input of a multiplex
	const mux = new Incidents();

	mux.take(lines('1 stream m/2: input 1: alarms: cc',
		'2 stream m: on air, 1 kbit/s'));
	assert.deepEqual(mux.list.map(({ stream, input, part }) =>
		[stream, input, part]), [['m', '2', 'input 1']]);
	assert.deepEqual(['stream m/2', 'stream m', 'deliver 1'].map(
		streamOfLine),
		[{ id: 'm', input: '2' }, { id: 'm', input: '' }, null]);
	// no end without a begin, no incident without a meaning
	assert.deepEqual(incidentsOf(`1 ${news}: on air, 1 kbit/s`,
		`2 ${news}: input 1: all alarms cleared`,
		'3 api: off air: x', `4 ${news}: input 1 is active`), []);
});

test('incidents are bounded, found by words, the newest first', () => {
	const book = new Incidents();

	for (let i = 0; i < 600; i++)
		book.take(lines(`${i} stream s${i}: off air: no packets`));
	assert.equal(book.list.length, 500);
	const name = (id) => id === 's599' ? 'News HD' : '';

	assert.deepEqual(chosen(book.list, '', 'hd', name)
		.map(({ stream }) => stream), ['s599']);
	assert.deepEqual(chosen(book.list, 'off', '', name).slice(0, 2)
		.map(({ stream }) => stream), ['s599', 's598']);
	assert.deepEqual(chosen(book.list, 'alarm', '', name), []);
});

test('a selection is in the address and has ranges', () => {
	const exists = (id) => ['a', 'b,', 'c', 'd'].includes(id);
	const read = (text) => [...parseSelection(text, exists)].join(' ');

	assert.equal(read(printSelection(['b,', 'a'])), 'b, a');
	assert.equal(read('a,gone,%,c,a'), 'a c');
	assert.equal(read(null), '');
	const one = toggled(new Set(['a']), 'c');

	assert.deepEqual([...one], ['a', 'c']);
	assert.deepEqual([...toggled(one, 'a')], ['c']);
	assert.deepEqual([...extended(new Set(['d']), ['d', 'c', 'b,', 'a'],
		'd', 'b,')], ['d', 'c', 'b,']);
	assert.deepEqual([...extended(new Set(), ['a', 'c'], '', 'c')], ['c']);
});

test('a group is written beside those of other categories', () => {
	const config = { id: 'a', groups: { Type: 'News', Land: 'X' } };
	const groups = (category, group) => {
		const [cmd, fields] = groupCommand(category, group)(
			{ id: 'a', config });

		assert.equal(cmd, 'set-stream');
		assert.equal(fields.was, config);
		return fields.stream.groups;
	};

	assert.deepEqual(groups('Type', 'Films'), { Type: 'Films', Land: 'X' });
	assert.deepEqual(groups('Land', ''), { Type: 'News' });
});

test('a ring becomes columns with holes and times off air', () => {
	const ring = new Ring(10), live = new Ring(10);
	const value = (bitrate, cc_error = 0) => ({ onair: bitrate > 0,
		bitrate, cc_error, pes_error: 3 });

	ring.write(100, value(8000, 2));
	live.write(100, value(9000));
	live.write(102, value(0));
	live.write(103, value(0));
	ring.follow(live);
	assert.deepEqual(columns(ring, 104, 5), {
		times: [100, 101, 102, 103, 104],
		rate: [8, null, 0, 0, null], cc: [2, null, null, null, null],
		pes: [3, null, 3, 3, null], off: [[102, 104]] });
	// of a service whose clock is 50 s ahead
	const hour = new Ring(10);

	fill(hour, { first: 150, columns: { bitrate: [null, 7000, 0],
		onair: [null, true, false], cc_error: [null, 1, 0],
		pes_error: [null, 0, 0] } }, 50);
	fill(hour, { first: 900 }, 50);
	assert.deepEqual(columns(hour, 102, 3), { times: [100, 101, 102],
		rate: [null, 7, 0], cc: [null, 1, null],
		pes: [null, null, null], off: [[102, 103]] });
	assert.deepEqual([rangeOf('3600'), rangeOf('7'), rangeOf(null)],
		[3600, 600, 600]);
});

const pat = { psi: 'pat', pid: 0, table_id: 0, version: 1, tsid: 7,
	section_number: 0, programs: [{ pnr: 0, pid: 16 },
		{ pnr: 2, pid: 200 }, { pnr: 1, pid: 100 }] };
const pmt = { psi: 'pmt', pid: 100, table_id: 2, version: 0, pnr: 1,
	section_number: 0, streams: [{ pid: 101, type_name: 'VIDEO' }] };

test('a new version of a section replaces the old one', () => {
	const next = { ...pat, version: 2, next: true };
	let all = addSections(new Map(), [pat, pmt, next]);

	assert.equal(all.size, 3);
	all = addSections(all, [{ ...pat, version: 2 }]);
	assert.deepEqual([...all.values()].map((one) => [label(one),
		one.version]), [['PAT', 2], ['PMT 1', 0]]);
	assert.deepEqual(Object.keys(rest(pmt)), ['table_id', 'pnr',
		'section_number', 'streams']);
	assert.equal(label({ type_name: 'VIDEO', pid: 101 }), 'VIDEO 101');
	assert.equal(label('text'), '');
	// a stream of nonsense ends somewhere
	const many = Array.from({ length: 9000 }, (_, i) => ({ ...pmt,
		pnr: i }));

	assert.ok(addSections(all, many).size <= 2000);
});

test('programs are named by the SDT and become disabled streams', () => {
	const sdt = { psi: 'sdt', pid: 17, table_id: 66, services: [
		{ sid: 1, free_ca: true, descriptors: [{ type_name: 'service',
			service_name: 'News', service_provider: 'P' }] },
		{ sid: 9 }] };
	const programs = programsOf([pat, pmt, sdt, { ...sdt, table_id: 70,
		services: [{ sid: 2, descriptors: [{ type_name: 'service',
			service_name: 'other' }] }] }]);

	assert.deepEqual(programs, [
		{ pnr: 1, name: 'News', nameError: '', provider: 'P',
			streams: ['VIDEO'], scrambled: true },
		{ pnr: 2, name: '', nameError: '', provider: '', streams: [],
			scrambled: false }]);
	assert.equal(withProgram('udp://a:1', 2), 'udp://a:1#pnr=2');
	assert.equal(withProgram('udp://a:1#pnr=7&cam=x', 2),
		'udp://a:1#pnr=2&cam=x');
	assert.deepEqual(streamOf('udp://a:1', programs[1]), { type: 'spts',
		enable: false, name: '2', input: ['udp://a:1#pnr=2'],
		output: [] });
});

test('a scan gets the keys of an adapter, or the adapter that receives', () => {
	const stored = { id: 's1', enable: true, type: 'T2', frequency: 522,
		scan: [], name: '' };
	const of = (more) => scanOf({ stored, fresh: { type: 'S2',
		polarization: undefined }, search: 'transponder', grid: {},
	...more });

	assert.equal(of({}), 'dvb://s1');
	const adapter = { type: 'T2', frequency: 522 };

	assert.deepEqual(of({ stored: { ...stored, enable: false } }),
		{ search: 'transponder', adapter });
	assert.deepEqual(of({ search: 'network' }), { search: 'network',
		adapter });
	assert.deepEqual(of({ stored: null, search: 'blind', grid: {
		from: ' 10700', to: '11700', step: '', polarization: 'VH',
		symbolrate: '22000, x' } }), { search: 'blind',
		adapter: { type: 'S2' }, grid: { from: 10700, to: 11700,
			polarization: 'VH', symbolrate: [22000, 'x'] } });
});

test('transponders replace those of their number, and are bounded', () => {
	const one = (number, more) => ({ number, services: [], ...more });
	const list = addTransponders([one(2), one(1)], [one(3), one(1,
		{ lock: true })]);

	assert.deepEqual(list, [one(1, { lock: true }), one(2), one(3)]);
	assert.equal(addTransponders(list, Array.from({ length: 9000 },
		(_, i) => one(i + 1))).length, 4096);
	assert.equal(tuningText({ frequency: 11362, polarization: 'H',
		symbolrate: '', type: 'S2' }), '11362 H S2');
});

test('services become streams of their adapter, or of a new one', () => {
	const stored = { id: 's1', name: 'A', type: 'S2', enable: true,
		adapter: 1, frequency: 1, stream_id: 5 };
	const list = [{ number: 1, tuning: { type: 'S2', frequency: 2,
		tsid: 9, path: 'x', of_tomorrow: 1, fec: '' },
	services: [{ pnr: 7, name: 'News', caids: [1] },
		{ pnr: 8 }] }, { number: 2, tuning: {}, services: [{
		pnr: 7 }] }];
	const scan = [{ pnr: 7, name: 'News', type: 'spts', enable: false,
		output: [] }];
	const of = (search) => plansOf({ stored, fresh: {}, search, grid: {} },
		list, new Set(['1.7', '3.1'])).map(({ request }) => request);

	assert.deepEqual(of('transponder'), [{ id: 's1', was: stored,
		adapter: { ...stored, scan } }]);
	// not of the tuning that was in place of it
	assert.deepEqual(of('network'), [{ adapter: { name: 'A 2 S2',
		type: 'S2', enable: false, adapter: 1, frequency: 2, scan } }]);
	const stream = (name, ...input) => ({ name, config: { input } });

	assert.deepEqual([...usersOf([stream('x', 'dvb://s1#cam=a&pnr=7'),
		stream('y', 'dvb://s1#pnr=7', 'dvb://s2#pnr=8', 3),
		{ name: 'z', config: null }], 's1')], [[7, 'x']]);
});

test('an option of an address is set in its place, or taken out', () => {
	const text = 'udp://a:1#pnr=7&rate_max=5&cas';

	assert.equal(optionOf(text, 'rate_max'), '5');
	assert.equal(optionOf(text, 'priority'), '');
	assert.equal(optionOf(text, 'cas'), '');
	assert.equal(withOption(text, 'rate_max', '6'),
		'udp://a:1#pnr=7&rate_max=6&cas');
	assert.equal(withOption(text, 'rate_max', ''), 'udp://a:1#pnr=7&cas');
	assert.equal(withOption('udp://a:1', 'priority', '1'),
		'udp://a:1#priority=1');
	assert.equal(withOption('udp://a#x=1&y&x=2', 'x', '3'),
		'udp://a#x=3&y');
	// what is no address stays as it is
	assert.equal(withOption('', 'priority', '1'), '');
	assert.equal(optionOf('nothing', 'priority'), '');
});

test('inputs of a draft are found where the service runs them', () => {
	const stored = ['udp://a:1#x', 'udp://a:1', 'stream://b'];

	assert.deepEqual(placesOf(stored, ['stream://b#rate_max=1', 'udp://a:1',
		'udp://a:1#y', 'udp://c:1', 'udp://a:1', 7]),
	[3, 2, 1, 0, 0, 0]);
	assert.deepEqual(placesOf([], ['udp://a:1']), [0]);
	// typed as JSON
	assert.deepEqual(placesOf(undefined, ['udp://a:1']), [0]);
	assert.deepEqual(placesOf(stored, 'udp://'), []);
	assert.deepEqual(placesOf('udp://', null), []);
});

test('services are those that are sent and those that are set', () => {
	const services = [{ pnr: 201, bitrate: 3000 }, { pnr: 101,
		bitrate: 1000 }];
	const sdt = [{ pnr: 101, lcn: 1 }, { pnr: 7, lcn: 2 }, { lcn: 3 },
		null];

	assert.deepEqual(serviceRows(services, sdt), [
		{ pnr: 7, live: undefined, set: sdt[1] },
		{ pnr: 101, live: services[1], set: sdt[0] },
		{ pnr: 201, live: services[0], set: undefined }]);
	assert.deepEqual(serviceRows([], undefined), []);
	assert.deepEqual(withService(sdt, 101, 'lcn', 5), [{ pnr: 101, lcn: 5 },
		...sdt.slice(1)]);
	assert.deepEqual(withService(sdt, 7, 'lcn', undefined), [sdt[0],
		...sdt.slice(2)]);
	assert.deepEqual(withService(undefined, 8, 'type', 1), [{ pnr: 8,
		type: 1 }]);
	assert.equal(withService([{ pnr: 8, type: 1 }], 8, 'type', undefined),
		undefined);
	assert.equal(rateOf(services), 4000);
	assert.deepEqual([share(1234, 12000), share(9, 0), share(9, 'x'),
		share(9, 3)], [10.3, 0, 0, 100]);
	assert.deepEqual([isMux({ type: 'mpts', input: ['a', 'b'] }),
		isMux({ type: 'mpts', input: ['a'] }), isMux({ type: 'spts',
			input: ['a', 'b'] }), isMux(null)],
	[true, false, false, false]);
});

test('a slot that has changed replaces itself alone', () => {
	assert.deepEqual(withSlot([{ slot: 1 }, { slot: 0, menu: {} }],
		{ slot: 0 }), [{ slot: 0 }, { slot: 1 }]);
	assert.deepEqual(withSlot([], { slot: 1 }), [{ slot: 1 }]);
});

test('an address that a stream receives is scanned there', () => {
	const stream = (id, enable, ...input) => ({ id,
		config: { enable, input } });
	const streams = [stream('off', false, 'udp://a:1'), { id: 'new',
		config: null }, stream('on', true, 7, 'udp://a:1#pnr=3')];

	assert.deepEqual(sourceOf(streams, 'udp://a:1#cam=x'),
		{ stream: 'on', input: 2 });
	assert.equal(sourceOf(streams, 'udp://a:10'), 'udp://a:10');
});

test('other headends: which are asked, where, and what is wrong there', () => {
	const entry = { enable: true, host: 'h', port: 8000, user: 'u',
		pass: 'p' };

	assert.deepEqual(wantedServers([entry, { ...entry, enable: false },
		{ ...entry, pass: undefined }, null, { ...entry, port: 0 }]),
	[entry]);
	assert.deepEqual(wantedServers({}), []);
	assert.equal(serverBase(entry, 'https:'), 'https://h:8000/');
	assert.equal(serverBase({ ...entry, host: '2001:db8::1' }, 'http:'),
		'http://[2001:db8::1]:8000/');
	const own = [{ key: 'stream a', id: 'a', mark: 'warn', title: 'A',
		reason: '', since: 5 }];
	const lost = (state) => wrongEverywhere(own, [{ name: 'oslo',
		base: 'http://o/', headend: { lostAt: 9, store: null,
			live: { state } } }], 10, { refused: 'login refused',
		unreachable: 'does not answer' })
		.map((one) => [one.title, one.reason]);

	assert.deepEqual(lost('lost'),
		[['oslo', 'does not answer'], ['A', '']]);
	assert.deepEqual(lost('refused'),
		[['oslo', 'login refused'], ['A', '']]);
	const category = (name) => ({ name });

	assert.deepEqual(chosenFirst(['a', 'b', 'c'].map(category), 'c')
		.map((one) => one.name), ['c', 'a', 'b']);
});

test('a tone is for faults that were not there', () => {
	const list = [{ key: 'a', mark: 'fault' }, { key: 'b', mark: 'warn' }];
	const keys = (before) => newFaults(before, list).map((one) => one.key);

	assert.deepEqual(keys(null), []);
	assert.deepEqual(keys(new Set()), ['a']);
	assert.deepEqual(keys(new Set(['a'])), []);
});

test('every page is complete, and its key is its own', () => {
	const keys = Object.values(PAGES).map((page) => page.key)
		.filter(Boolean);

	assert.equal(new Set(keys).size, keys.length);
	for (const [name, page] of Object.entries(PAGES)) {
		assert.ok(page.word || PAGES[page.under]?.word, name);
		assert.ok(name === 'wall' || (page.load && page.component),
			name);
	}
	assert.ok(railPages(false).every(([, page]) => !page.isControl));
	assert.ok(railPages(true).length > railPages(false).length);
	// the palette finds scans, for who may start them
	for (const isControl of [true, false])
		for (const name of ['scan', 'transponders'])
			assert.equal(namedPages(isControl).some(([page]) =>
				page === name), isControl);
});

test('an upload replaces only what the user has compared with', async () => {
	const was = { gid: 1, users: { a: {} } }, config = { gid: 2 };
	const sent = [];

	await addLaterWords();
	const run = (now, error) => upload({ get: async () => now,
		cmd: async (cmd, fields) => {
			sent.push([cmd, fields]);
			if (error)
				throw error;
		} }, config, was);

	await run({ users: { a: {} }, gid: 1 });
	assert.deepEqual(sent.splice(0), [['upload', { config, was }]]);
	await assert.rejects(run({ ...was, gid: 3 }), Changed);
	assert.deepEqual(sent, []);
	await assert.rejects(run(was, new ApiError(409, 'x')), Changed);
	await assert.rejects(run(was, new ApiError(400, 'x')), ApiError);
	// two large documents would be above the limit of a request
	const large = { text: 'x'.repeat(2 * 1024 * 1024) };

	sent.length = 0;
	await upload({ get: async () => large, cmd: async (cmd, fields) =>
		sent.push(fields) }, config, large);
	assert.deepEqual(sent, [{ config }]);
});

test('a new entry has a free id and leaves the counter alone', async () => {
	const kind = { cmd: 'set-softcam', field: 'softcam', makesId: false };
	const list = [{ id: 'a001' }], sent = [];
	let conflicts = 1;
	const api = { cmd: async (cmd, fields) => {
		sent.push(fields);
		if (conflicts-- > 0)
			throw new ApiError(409, 'was');
	} };

	assert.equal(freshId([], undefined), 'a000');
	await make(api, kind, { name: 'x' }, { list, gid: 466561 });
	assert.deepEqual(sent.splice(0), ['a002', 'a003'].map((id) => ({ id,
		was: null, softcam: { name: 'x', id }, warnings: true })));
	conflicts = 9;
	await assert.rejects(make(api, kind, {}, { list, gid: 1 }), ApiError);
	assert.equal(sent.length, 5);
});

test('a value is old after the third second without another one', () => {
	assert.deepEqual([[0, 99], [100, 102.9], [100, 103], [100, 106, 5],
		[100, 107, 5]].map(([at, now, n]) => isOld(at, { now }, n)),
	[false, false, true, false, true]);
});

test('an action that runs does not begin again', async () => {
	const heard = [];
	let n = 0, end;
	const send = once((add) => {
		n += add;
		return new Promise((resolve, reject) => {
			end = { resolve, reject };
		});
	}, (isBusy) => heard.push(isBusy));
	const first = send(1);

	await send(10);
	end.resolve();
	await first;
	const second = send(100);
	end.reject(new Error('refused'));
	await assert.rejects(second, /refused/);
	assert.equal(n, 101);
	assert.deepEqual(heard, [true, false, true, false]);
});
