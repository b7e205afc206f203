// SPDX-License-Identifier: GPL-3.0-or-later
// epg: the programme guide of a stream on the API, through changes of its
// tables, the death of its process and a restart of the service.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { PROGRAM, TsMux, eitSection, sdtSection } from '../helpers/mux.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sender } from '../helpers/udp.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';
import { judge } from '../helpers/xmltv.mjs';

const HOUR_S = 3600;
// The present hour began half an hour ago.
const BEGIN = Math.floor(Date.now() / 1000) - HOUR_S / 2;
const EVENTS = ['One', 'Two', 'Three'].map((title, i) =>
	({ id: i + 1, start: BEGIN + i * HOUR_S, minutes: 60, title }));

const guided = (settings = {}) => ({ ...config(stream('a001',
	'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000')),
settings: { epg_days: 3, ...settings } });

const sections = (events, version = 0) => [
	[0x12, eitSection(PROGRAM.pnr, events.slice(0, 2), version)],
	[0x12, eitSection(PROGRAM.pnr, events, version, 0x50)],
	// of a service that the stream does not have
	[0x12, eitSection(9, events, version)]];

function tables(...events) {
	const mux = new TsMux();

	mux.more = sections(events);
	return mux;
}

// Waits until the guide of the stream satisfies probe.
const guide = (sluice, what, probe, query = '', id = 'a001') =>
	waitUntil(what, async () => {
		const reply = await sluice.get(`/api/stream-epg/${id}${query}`);

		if (reply.status !== 200)
			throw new Error(reply.body);
		const { services } = JSON.parse(reply.body);
		if (!probe(services))
			throw new Error(reply.body);
		return services;
	}, 20000);

const titles = (service) => service?.events.map((e) => e.texts[0].title);
const has = (...names) => (services) =>
	titles(services[0])?.join() === names.join();

test('now, next and a span of time, and what a new table changes',
	async (t) => {
		const mux = tables(...EVENTS);
		const sluice = await Sluice.start(t, guided());

		await waitUntil('input', () => udpBound(5000));
		await Sender.start(t, mux, 5000);
		const services = await guide(sluice, 'the guide',
			has('One', 'Two', 'Three'));
		assert.equal(services.length, 1);
		assert.equal(services[0].pnr, PROGRAM.pnr);
		assert.equal(services[0].now.texts[0].title, 'One');
		assert.equal(services[0].now.start, BEGIN);
		assert.equal(services[0].now.stop, BEGIN + HOUR_S);
		assert.equal(services[0].next.texts[0].lang, 'eng');
		assert.equal(services[0].next.texts[0].title, 'Two');
		await guide(sluice, 'a span', has('Two'),
			`?from=${BEGIN + HOUR_S}&to=${BEGIN + 2 * HOUR_S}`);

		await waitUntil('the first save', () =>
			fs.existsSync(`${sluice.file}.epg`));
		// the next programme begins earlier and the third one vanishes
		mux.more = [[0x12, eitSection(PROGRAM.pnr, [{ ...EVENTS[2],
			id: 7, start: BEGIN + HOUR_S, minutes: 180,
			title: 'New' }], 1)]];
		await guide(sluice, 'the change', has('One', 'New'));
		assert.equal((await sluice.get('/api/stream-epg/b')).status,
			404);
		for (const query of ['to=x', 'from=4294967296', 'pnr=65536',
			'from=9223372036854775807'])
			assert.equal((await sluice.get(
				`/api/stream-epg/a001?${query}`)).status, 400);
		const far = await sluice.get(
			'/api/stream-epg/a001?from=4294967295');
		assert.equal(far.status, 200, far.body);
		assert.equal((await guide(sluice, 'no such service',
			(services) => services.length === 0, '?pnr=9')).length,
		0);
		// it is a second old
		await waitUntil('its counters', async () =>
			(await sluice.json('/api/system-status')).epg
				?.services === 1);
		// before the next save is due
		const saved = () => fs.readFileSync(`${sluice.file}.epg`,
			'utf8');
		await sluice.cmd('restart');
		await sluice.logged(/master: restarting/);
		assert.match(saved(), /\0New\0/);
		await waitUntil('the next program', async () =>
			(await sluice.json('/api/system-status')).epg
				?.events > 0);
		mux.more[0][1] = eitSection(PROGRAM.pnr, [{ ...EVENTS[2],
			id: 8, start: BEGIN + HOUR_S, minutes: 180,
			title: 'Newer' }], 2);
		await guide(sluice, 'another change', has('One', 'Newer'));
		await waitUntil('its counters', async () =>
			(await sluice.json('/api/system-status')).epg
				?.changes > 0);
		await sluice.stop();
		assert.match(saved(), /\0Newer\0/);
	});

// One is on air and Two begins in so many seconds.
const beginsIn = (seconds) => ['One', 'Two', 'Three'].map((title, i) => ({
	id: i + 1, minutes: 10, title,
	start: Math.floor(Date.now() / 1000) + seconds + 600 * (i - 1) }));

const pair = ({ now, next } = {}) => [now, next].map((e) =>
	e?.texts[0].title).join();

// Sends a guide in which Two begins soon, but not before One was reported: on
// a machine that is late, another one. { list, version } of that guide.
async function soon(mux, events) {
	for (let version = 1, ahead = 4; ; version++, ahead *= 2) {
		const list = beginsIn(ahead);

		mux.more = sections(list, version);
		const reported = await waitUntil('an event', () =>
			events.scope('epg_event').some((e) =>
				pair(e) === 'One,Two' &&
				e.now.start === list[0].start) ? 'in time' :
				Date.now() / 1000 > list[1].start && 'late',
		10 * ahead * 1000);

		if (reported === 'in time')
			return { list, version };
		assert.ok(ahead < 60, 'One was not reported');
	}
}

test('what begins and what a table changes are events for who asks',
	async (t) => {
		const timing = new Timing(t);
		const mux = new TsMux();
		const sluice = await Sluice.start(t, guided());
		const events = await sluice.events(t, '&scope=epg');
		const silent = await sluice.events(t);
		const seen = (...titles) => waitUntil(`${titles}`, () => {
			const have = pair(events.scope('epg_event').at(-1));

			if (have !== titles.join())
				throw new Error(have);
			return true;
		}, 20000);

		await waitUntil('input', () => udpBound(5000));
		await Sender.start(t, mux, 5000);
		await sluice.onair('a001', 20000);
		const { list, version } = await soon(mux, events);
		// at the start of the second one
		await seen('Two', 'Three');
		const late = Date.now() / 1000 - list[1].start;
		assert.ok(late >= 0, `${late} s`);
		timing.assert(late < 4, `${late} s`);
		mux.more = [[0x12, eitSection(PROGRAM.pnr, [{ ...list[2],
			title: 'New' }], version + 1, 0x50)]];
		await seen('Two', 'New');
		const [first] = events.scope('epg_event');
		assert.equal(first.channel_id, 'a001');
		assert.equal(first.pnr, PROGRAM.pnr);
		assert.deepEqual(silent.scope('epg_event'), []);

		// the next process continues
		const { pid } = sluice.worker('epg');
		process.kill(pid, 'SIGKILL');
		await sluice.replaced('epg', undefined, pid);
		mux.more[0][1] = eitSection(PROGRAM.pnr, [{ ...list[2],
			title: 'Newer' }], version + 2, 0x50);
		await seen('Two', 'Newer');
		await sluice.stop();
	});

// Codes of compressed text: [before, bits, character].
const CODES = [['start', '0', 'N'], ['N', '10', 'e'], ['N', '11', 'o'],
	['e', '0', 'w'], ['any', '00', 's'], ['any', '01', '\u00e4'],
	['any', '1', 'stop']];
const word = (c) => c.length > 1 ? c
	: `U+${c.codePointAt(0).toString(16).padStart(4, '0')}`;

// The bytes of the text, each as a character.
function compress(text) {
	let before = 'start', bits = '';

	for (const c of [...text, 'stop']) {
		bits += CODES.find(([from, , to]) => to === c &&
			[before, 'any'].includes(from))[1];
		before = c;
	}
	return '\u001f\u0001' + bits.match(/.{1,8}/g).map((byte) =>
		String.fromCharCode(parseInt(byte.padEnd(8, '0'), 2))).join('');
}

test('compressed texts are marked without their dictionary', async (t) => {
	const dictionary = path.join(tempDir(t), 'codes');
	const sluice = await Sluice.start(t,
		guided({ epg_dictionary: dictionary }));
	const renew = async (text) => {
		const { pid } = sluice.worker('epg');

		fs.writeFileSync(dictionary, text);
		process.kill(pid, 'SIGKILL');
		await sluice.replaced('epg', undefined, pid);
	};
	const state = (what, probe) => waitUntil(what, async () => {
		const { epg, raised } = await sluice.json('/api/system-status');
		const alarm = raised.find((one) => one.alarm === 'epg');

		if (!epg || !probe(epg, alarm))
			throw new Error(JSON.stringify([epg, alarm]));
		return true;
	}, 20000);

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, tables({ ...EVENTS[0],
		title: compress('News\u00e4') }), 5000);
	await guide(sluice, 'a mark', has('\ufffd'));
	await state('an alarm', (epg, alarm) => epg.compressed > 0 &&
		alarm?.subject === 'epg_dictionary' &&
		/codes: No such file or directory$/.test(alarm.reason));
	await renew('encoding 1\n' + CODES.map(([from, bits, to]) =>
		`${word(from)} ${bits} ${word(to)}\n`).join(''));
	await guide(sluice, 'the text', has('News\u00e4'));
	await state('no alarm', (epg, alarm) => !alarm && !epg.compressed);
	await renew('encoding 1\nstart 0 N\n');
	await state('another one', (epg, alarm) =>
		/^epg_dictionary: line 2: TO: "N" is none/.test(alarm?.reason));
	await sluice.stop();
});

// The process has reported all events.
const counted = (sluice) => waitUntil('its counters', async () =>
	(await sluice.json('/api/system-status')).epg?.events === 3);

test('the guide outlives its process and the service', async (t) => {
	const dir = tempDir(t);
	let sluice = await Sluice.start(t, guided(), { dir });

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, tables(...EVENTS), 5000);
	await guide(sluice, 'the guide', has('One', 'Two', 'Three'));
	await sender.stop?.();
	// a stop needs a status of the process, which is a second old
	await counted(sluice);
	await sluice.stop();
	sluice = await Sluice.start(t, guided(), { dir });
	await guide(sluice, 'the guide after a restart',
		has('One', 'Two', 'Three'));
	// a saved guide that ends its process would not be read again
	await counted(sluice);
	const { pid } = sluice.worker('epg');
	process.kill(pid, 'SIGKILL');
	await sluice.replaced('epg', undefined, pid);
	await guide(sluice, 'the guide of the successor',
		has('One', 'Two', 'Three'));
	await sluice.stop();
});

test('the guide follows a new id and goes with its stream', async (t) => {
	const sluice = await Sluice.start(t, guided());
	const renamed = { ...stream('b002', 'udp://127.0.0.1:5000',
		'udp://127.0.0.1:6000') };

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, tables(...EVENTS), 5000);
	await guide(sluice, 'the guide', has('One', 'Two', 'Three'));
	await sender.stop?.();
	await sluice.cmd('set-stream', { id: 'a001', stream: renamed });
	await guide(sluice, 'the guide of the new id',
		has('One', 'Two', 'Three'), '', 'b002');

	await sluice.cmd('set-stream', { id: 'b002',
		stream: { remove: true } });
	// until then it is the same stream, which keeps its guide
	await sluice.logged(/stream b002: stopped/);
	await sluice.cmd('set-stream', { stream: renamed });
	await waitUntil('the end of its guide', async () =>
		(await sluice.get('/api/stream-epg/b002')).status === 503);
	await sluice.stop();
});

test('a removed stream that ends late leaves the guide to a renamed one',
	async (t) => {
	const settings = guided();
	const renamed = { ...stream('b002', 'udp://127.0.0.1:5000',
		'udp://127.0.0.1:6000') };

	settings.make_stream.push(stream('b002', 'udp://127.0.0.1:5001',
		'udp://127.0.0.1:6001'));
	const sluice = await Sluice.start(t, settings);

	await waitUntil('inputs', () => udpBound(5000) && udpBound(5001));
	const sender = await Sender.start(t, tables(...EVENTS), 5000);
	await guide(sluice, 'the guide', has('One', 'Two', 'Three'));
	await sender.stop?.();
	const { pid } = sluice.worker('stream', 'b002');
	process.kill(pid, 'SIGSTOP');
	await sluice.cmd('set-stream', { id: 'b002',
		stream: { remove: true } });
	await sluice.cmd('set-stream', { id: 'a001', stream: renamed });
	await guide(sluice, 'the guide of the new id',
		has('One', 'Two', 'Three'), '', 'b002');
	await waitUntil('the end of the old process', () =>
		sluice.workers().every((w) => w.pid !== pid));
	await sluice.logged(/stream b002: stopped/);
	await guide(sluice, 'the same guide',
		has('One', 'Two', 'Three'), '', 'b002');
	await sluice.stop();
});

test('the guide of a multiplex does not read its inputs, too', async (t) => {
	const sluice = await Sluice.start(t, { ...guided(), ...config({
		...stream('m', ['udp://127.0.0.1:5000', 'udp://127.0.0.1:5001'],
			'udp://127.0.0.1:6000'),
		type: 'mpts', bitrate: 6000 }) });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, tables(...EVENTS), 5000);
	await guide(sluice, 'the guide', has('One', 'Two', 'Three'), '', 'm');
	const { pid } = sluice.worker('epg');
	process.kill(pid, 'SIGKILL');
	await sluice.replaced('epg', undefined, pid);
	const { streams } = await waitUntil('streams', async () => {
		const { epg } = await sluice.json('/api/system-status');

		return epg?.streams > 0 && epg;
	});
	assert.equal(streams, 1);
	await sluice.stop();
});

test('texts that name no character set are in that of the stream',
	async (t) => {
		const sluice = await Sluice.start(t, guided());
		const set = async (epg_codepage) => {
			const [one] = (await sluice.cmd('load')).make_stream;

			return sluice.post({ cmd: 'set-stream', id: 'a001',
				stream: { ...one, epg_codepage } });
		};

		await waitUntil('input', () => udpBound(5000));
		// the byte 0xbf
		await Sender.start(t, tables({ ...EVENTS[0],
			title: '\u00bf' }), 5000);
		await guide(sluice, 'the usual one', has('\u00bf'));
		assert.match((await set(12)).body,
			/epg_codepage: 12 is not a code page/);
		assert.equal((await set(5)).status, 200);
		await guide(sluice, 'ISO 8859-5', has('\u041f'));
		await sluice.stop();
	});

const PLAY = 8100, TITLES = ['One', 'Two', 'Three'];
const page = (target, more = {}) => request(PLAY, { path: target, ...more });

async function guarded(t) {
	const sluice = await Sluice.start(t, { ...guided({
		http_play_stream: true, http_play_port: PLAY }),
	...config({ ...stream('a001', 'udp://127.0.0.1:5000',
		'udp://127.0.0.1:6000'), name: 'One <1>', lcn: 7,
	groups: { News: 'Local' }, xmltv_id: 'one.tv' },
	{ ...stream('b002', 'stream://a001', 'udp://127.0.0.1:6001'),
		groups: { Sport: 'Ball' }, xmltv_id: 'two.tv' }),
	categories: [{ name: 'News', groups: [{ name: 'Local' }] },
		{ name: 'Sport', groups: [{ name: 'Ball' }] }],
	auth: { enable: true },
	users: { anna: { type: 3, enable: true, token: 'tok-all' },
		bert: { type: 3, enable: true, token: 'tok-sport',
			packages: ['Sport'] } } });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, tables(...EVENTS), 5000);
	for (const id of ['a001', 'b002'])
		await guide(sluice, 'the guide', has(...TITLES), '', id);
	return sluice;
}

test('viewers get the guide of their streams as XMLTV', async (t) => {
	const sluice = await guarded(t);
	const all = await page('/epg.xml?token=tok-all');

	assert.equal(all.status, 200);
	assert.match(all.headers['content-type'], /^application\/xml/);
	const read = await judge(t, all.body);
	assert.deepEqual(read?.programmes.filter(({ channel }) =>
		channel === 'one.tv').map(({ title }) => title[0]._value) ??
		TITLES, TITLES);
	assert.match(all.body, /<channel id="one.tv">\n {4}<display-name>One /);
	assert.match(all.body, /<display-name>7<\/display-name>/);
	assert.equal(all.body.match(/<programme /g).length, 6);
	const sport = await page('/epg.xml?token=tok-sport');
	await judge(t, sport.body);
	assert.match(sport.body, /<channel id="two.tv">/);
	assert.doesNotMatch(sport.body, /one\.tv/);
	const none = await page('/epg.xml?token=other');
	assert.equal(none.status, 200);
	assert.doesNotMatch(none.body, /<channel/);
	// at the control port as well, and to a client that has it
	const etag = all.headers.etag;
	for (const port of [PLAY, sluice.port]) {
		const same = await request(port, {
			path: '/epg.xml?token=tok-all',
			headers: { 'if-none-match': etag } });

		assert.equal(same.status, 304, same.body);
		assert.equal(same.headers.etag, etag);
	}
	assert.equal((await page('/epg.xml', { method: 'POST' })).status, 405);
	const list = (await page('/playlist.m3u8?token=tok-all')).body;
	const [, url] = /^#EXTM3U url-tvg="(.*)"$/m.exec(list);
	assert.equal(url,
		`http://127.0.0.1:${PLAY}/epg.xml.gz?token=tok-all`);
	assert.equal(execFileSync('sh', ['-c',
		`curl -s '${url}' | gunzip`]).toString(), all.body);
	assert.doesNotMatch(sluice.log, /tok-/);
	await sluice.stop();
});

test('without epg_days there is no process and no guide', async (t) => {
	const sluice = await Sluice.start(t, guided({ epg_days: 0,
		http_play_stream: true, http_play_port: PLAY }));
	const reply = await sluice.get('/api/stream-epg/a001');

	assert.equal(reply.status, 503);
	assert.match(reply.body, /epg_days/);
	assert.equal(sluice.worker('epg'), undefined);
	assert.equal((await page('/epg.xml')).status, 404);
	await sluice.stop();
});

test('the events of a stream in the EIT other of another one', async (t) => {
	const carried = new TsMux(), carrier = new TsMux();

	carried.more = [[0x11, sdtSection([PROGRAM.pnr])]];
	carrier.more = [[0x11, sdtSection([PROGRAM.pnr], { tsid: 2 })],
		[0x12, eitSection(PROGRAM.pnr, EVENTS.slice(0, 2), 0, 0x4f)],
		[0x12, eitSection(PROGRAM.pnr, EVENTS, 0, 0x60)]];
	const sluice = await Sluice.start(t, {
		...config(stream('a001', 'udp://127.0.0.1:5000',
			'udp://127.0.0.1:6000'), stream('b001',
			'udp://127.0.0.1:5001', 'udp://127.0.0.1:6001')),
		settings: { epg_days: 3 } });

	for (const [mux, port] of [[carried, 5000], [carrier, 5001]]) {
		await waitUntil('input', () => udpBound(port));
		await Sender.start(t, mux, port);
	}
	await guide(sluice, 'the guide', has('One', 'Two', 'Three'));
	await guide(sluice, 'none of the carrier', (services) =>
		titles(services[0]).length === 0, '', 'b001');
	await sluice.stop();
});
