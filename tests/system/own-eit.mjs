// SPDX-License-Identifier: GPL-3.0-or-later
// EIT of its own: the guide of XMLTV in the output of a stream.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { capture } from '../helpers/capture.mjs';
import { PROGRAM, TsMux, eitSection, sdtSection } from '../helpers/mux.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const PLAY = 8100;
const HOUR_S = 3600;

const date = (time) => `${new Date(time * 1000).toISOString()
	.replace(/[-:T]/g, '').slice(0, 14)} +0000`;
const programme = (start, stop, title, more = '') =>
	`<programme channel="CHANNEL" start="${date(start)}"` +
	` stop="${date(stop)}"><title lang="en">${title}</title>${more}` +
	'</programme>\n';

// For a stream of several services, and for one of a single one.
function write(file, list, ids = ['one.tv.1', 'one.tv']) {
	const all = ids.flatMap((id) => list.map((p) =>
		p.replace('CHANNEL', id)));

	fs.writeFileSync(`${file}.new`, '<?xml version="1.0"?>\n<tv>\n' +
		`${all.join('')}</tv>\n`);
	fs.renameSync(`${file}.new`, file);
}

// The programmes of a channel, without its id.
const programmes = (xml, channel) => (xml.match(
	/ *<programme [^]*?<\/programme>/g) ?? [])
	.filter((p) => p.includes(`channel="${channel}"`))
	.map((p) => p.replace(/ channel="[^"]*"/, ''));

const guide = async () => (await request(PLAY, { path: '/epg.xml' })).body;

const ONID = 0x2012;
const SECOND = { pnr: 2, pmtPid: 0x200, video: 0x201, audio: 0x202 };

// Events of the source: one of the first service, which does not pass, and
// one of the second.
const foreign = (pnr, title) => eitSection(pnr, [{ id: 1, title,
	start: Math.floor(Date.now() / 1000) + 600, minutes: 30 }]);

// The titles of a service in the guide of a stream.
const titles = async (sluice, id, pnr) => {
	const now = Math.floor(Date.now() / 1000);
	const { services } = await sluice.json(`/api/stream-epg/${id}` +
		`?from=${now - 3 * HOUR_S}&to=${now + 40 * HOUR_S}`);

	return (services.find((s) => s.pnr === pnr)?.events ?? []).map(
		({ texts }) => texts[0].title);
};

// Streams a001 and b001, which reads its output; and others.
async function start(t, list, a001, ...others) {
	const file = path.join(tempDir(t), 'tv.xml');

	write(file, list);
	const sluice = await Sluice.start(t, {
		...config(a001, { ...stream('b001', 'udp://127.0.0.1:6000',
			'udp://127.0.0.1:6001'), type: 'mpts' }, ...others),
		settings: { epg_days: 14, http_play_stream: true,
			http_play_port: PLAY, epg_sources: [
				`file://${file}#interval=1`] } });
	const mux = new TsMux({ programs: [PROGRAM, SECOND], rate: 4e6 });

	await waitUntil('input', () => udpBound(5000));
	mux.more = [[0x12, foreign(PROGRAM.pnr, 'Foreign')],
		[0x12, foreign(SECOND.pnr, 'Passed')],
		// running, and scrambled
		[0x11, sdtSection([PROGRAM.pnr, SECOND.pnr], { onid: ONID,
			status: 0x90 })]];
	await Sender.start(t, mux, 5000);
	await sluice.onair('a001');
	return { sluice, file };
}

// From the last whole three hours on, earlier ones of a schedule are empty.
function schedule() {
	const now = Math.floor(Date.now() / 1000);
	const begin = now - now % (3 * HOUR_S);

	return Array.from({ length: 30 }, (_, i) => programme(
		begin + i * HOUR_S, begin + (i + 1) * HOUR_S - (i % 5) * 60,
		`Title ${i} \u00e4\u0411`, `<sub-title lang="en">Part ${i}` +
		`</sub-title><desc lang="en">${`Text ${i} `.repeat(i * 2)}` +
		'</desc><category lang="en">News</category>'));
}

test('a service with own EIT beside one that passes: XMLTV into EIT and ' +
	'back is equal, and follows changes', async (t) => {
	const list = schedule();
	const seen = await capture(t, 'lo', 'udp port 6000', ['dvb_eit.sid',
		'dvb_eit.evt.id', 'mpeg_descr.short_evt.name',
		'mpeg_sect.tid', 'dvb_eit.original_nid',
		'dvb_sdt.original_nid']);
	const { sluice, file } = await start(t, list, {
		...stream('a001', 'udp://127.0.0.1:5000',
			'udp://127.0.0.1:6000', { sdt: [{ pnr: PROGRAM.pnr,
				eit: 'own' }], si_intervals: { schedule: 2000 },
			eit_rate: 1000 }),
		type: 'mpts', xmltv_id: 'one.tv' });
	// of both streams, without the document for viewers, which is reused
	const both = (what, done) => waitUntil(what, async () => {
		const a = await titles(sluice, 'a001', PROGRAM.pnr);

		assert.deepEqual(await titles(sluice, 'b001', PROGRAM.pnr), a);
		assert.equal(a.length, list.length);
		return done(a);
	}, 20000);

	await both('all events', () => true);
	const xml = await guide();
	const [a, b] = ['one.tv', 'b001'].map((c) =>
		programmes(xml, `${c}.${PROGRAM.pnr}`));

	assert.ok(a[0].includes('Title '));
	assert.equal(a.length, list.length);
	assert.deepEqual(b, a);
	// the EIT of the other service passes, and is collected
	for (const id of ['a001', 'b001'])
		await waitUntil('the other service', async () =>
			(await titles(sluice, id, SECOND.pnr))[0] === 'Passed');
	// the SDT and the EIT name the same network
	const values = (p, field) => (p[field] ?? '').split(',')
		.filter(Boolean).map(Number);
	const own = (nid, i, p) => values(p, 'dvb_eit.sid')[i] === PROGRAM.pnr;
	const networks = (field, wanted = () => true) => [...new Set(
		seen().flatMap((p) => values(p, field).filter((nid, i) =>
			wanted(nid, i, p))))];

	assert.deepEqual(networks('dvb_sdt.original_nid'), [ONID]);
	assert.deepEqual(networks('dvb_eit.original_nid', own), [ONID]);
	// a process of the guide that gives nothing: what it gave is sent
	const { pid } = sluice.worker('epg');

	process.kill(pid, 'SIGSTOP');
	const n = seen().length;

	await waitUntil('more of it', () => seen().slice(n).filter((p) =>
		/Title/.test(p['mpeg_descr.short_evt.name'])).length > 10);
	assert.equal(sluice.worker('epg').pid, pid);
	process.kill(pid, 'SIGKILL');
	assert.ok(seen().every((p) =>
		!/Foreign/.test(p['mpeg_descr.short_evt.name'] ?? '')));
	// a document without the channel: the stream does not get from its own
	// output what it sent
	write(file, list, ['another.tv']);
	await waitUntil('no events', async () =>
		(await titles(sluice, 'a001', PROGRAM.pnr)).length === 0);
	await waitUntil('none on the air', async () => {
		const from = seen().length;

		await waitUntil('EIT', () => seen().slice(from).filter((p) =>
			values(p, 'dvb_eit.sid').includes(PROGRAM.pnr))
			.length > 5);
		return !seen().slice(from).some((p) =>
			/Title/.test(p['mpeg_descr.short_evt.name']));
	});
	list[3] = list[3].replace('Title 3', 'Other 3');
	write(file, list);
	await both('the change', (all) => all.some((title) =>
		title.includes('Other 3')));
	await sluice.stop();
});

test('a new worker sends the EIT other again, and a rate may be too small',
	async (t) => {
		const seen = await capture(t, 'lo', 'udp port 6002',
			['mpeg_sect.tid', 'dvb_eit.tsid',
				'dvb_sdt.svc.free_ca_mode',
				'dvb_sdt.svc.eit_schedule_flag',
				'dvb_nit.ts.original_network_id',
				'dvb_eit.evt.free_ca_mode']);
		const { sluice } = await start(t, schedule(), {
			...stream('a001', 'udp://127.0.0.1:5000',
				'udp://127.0.0.1:6000', { eit: 'own',
					set_tsid: 10, eit_rate: 16,
					set_pnr: PROGRAM.pnr,
					si_intervals: { schedule: 1000 } }),
			xmltv_id: 'one.tv' }, stream('c001', 'stream://a001',
			'udp://127.0.0.1:6002', { nit: 'own', set_tsid: 20,
				nit_other: ['a001'], eit_other: 'all',
				sdt_other: true,
				si_intervals: { eit_other: 500 } }));
		const other = (from) => waitUntil('EIT other', () => seen()
			.slice(from).some((p) => /0x4f/.test(
				p['mpeg_sect.tid'])), 20000);

		await other(0);
		// as the SDT of a001 says; datagrams with other tables of the
		// kind are left out
		const modes = (tid, without, field) => seen().filter((p) =>
			tid.test(p['mpeg_sect.tid']) &&
			!without.test(p['mpeg_sect.tid'])).flatMap((p) =>
			(p[field] ?? '').split(',').filter(Boolean));
		const scrambled = (...args) => waitUntil('free_CA_mode', () =>
			/^(1|0x0*1|True)$/.test(modes(...args).at(-1)), 20000);

		await scrambled(/0x46/, /0x42/, 'dvb_sdt.svc.free_ca_mode');
		assert.match(modes(/0x46/, /0x42/,
			'dvb_sdt.svc.eit_schedule_flag').at(-1), /1|True/);
		await scrambled(/0x4f/, /0x4e|0x5/, 'dvb_eit.evt.free_ca_mode');
		// of both transport streams, without the key
		await waitUntil('networks of the NIT', () => {
			const networks = modes(/0x40/, /0x41/,
				'dvb_nit.ts.original_network_id').slice(-2);

			return networks.length === 2 &&
				networks.every((nid) => Number(nid) === ONID);
		}, 20000);
		const { pid } = sluice.worker('stream', 'c001');

		process.kill(pid, 'SIGKILL');
		await sluice.replaced('stream', 'c001', pid);
		await other(seen().length);
		await sluice.waitStatus('a001', 'eit_slow', ({ alarms }) =>
			alarms.includes('eit_slow'), 20000);
		await sluice.stop();
	});

test('a multiplex gets the events of a stream that was removed and added again',
	async (t) => {
		const now = Math.floor(Date.now() / 1000);
		const list = (title) => [programme(now - HOUR_S,
			now + 8 * HOUR_S, title)];
		const seen = await capture(t, 'lo', 'udp port 6002',
			['mpeg_descr.short_evt.name']);
		const a = { ...stream('a001', 'udp://127.0.0.1:5000#pnr=1',
			'udp://127.0.0.1:6000'), xmltv_id: 'one.tv' };
		const { sluice, file } = await start(t, list('Before'), a, {
			...stream('m', ['stream://a001',
				'udp://127.0.0.1:5002'], 'udp://127.0.0.1:6002',
			{ bitrate: 9000, tsid: 5, eit: 'own' }),
			type: 'mpts' });
		const shows = (title) => waitUntil(title, () => seen().some(
			(p) => p['mpeg_descr.short_evt.name']?.includes(title)),
		20000);

		await shows('Before');
		await sluice.cmd('set-stream', { id: 'a001',
			stream: { remove: true } });
		await waitUntil('the end of its worker', () =>
			!sluice.worker('stream', 'a001'));
		write(file, list('Behind'));
		await sluice.cmd('set-stream', { id: 'a001', stream: a });
		await shows('Behind');
		await sluice.stop();
	});

// The milliseconds from the first PAT of a stream to its first EIT.
async function eitDelay(t, port) {
	const socket = dgram.createSocket('udp4');
	const first = {};

	socket.on('message', (data) => {
		for (let at = 0; at + 188 <= data.length; at += 188)
			first[data.readUInt16BE(at + 1) & 0x1fff] ??=
				Date.now();
	});
	t.after(() => socket.close());
	await new Promise((bound) => socket.bind(port, '127.0.0.1', bound));
	return async () => {
		await waitUntil('EIT', () => first[0x12] !== undefined, 30000);
		return first[0x12] - first[0];
	};
}

test('without a guide, own EIT wait for none', async (t) => {
	const TRIES = 5; // a busy machine may delay a stream
	const mux = new TsMux({ programs: [PROGRAM], rate: 2e6 });
	let least = Infinity;

	mux.more = [[0x11, sdtSection([PROGRAM.pnr], { onid: ONID,
		status: 0x80 })]];
	const sluice = await Sluice.start(t, config());

	await Sender.start(t, mux, 5000);
	// a guide that does not answer delays them by 6 s
	for (let i = 0; i < TRIES && least > 5000; i++) {
		const delay = await eitDelay(t, 6010 + i);

		await sluice.cmd('set-stream', { id: `a00${i}`,
			stream: { ...stream(`a00${i}`, 'udp://127.0.0.1:5000',
				`udp://127.0.0.1:${6010 + i}`), eit: 'own' } });
		least = Math.min(least, await delay());
		await sluice.cmd('set-stream', { id: `a00${i}`,
			stream: { remove: true } });
	}
	assert.ok(least <= 5000, `${least} ms`);
	await sluice.stop();
});
