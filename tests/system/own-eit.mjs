// SPDX-License-Identifier: GPL-3.0-or-later
// EIT of its own: the guide of XMLTV in the output of a stream.
import assert from 'node:assert/strict';
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
	`<programme channel="one.tv" start="${date(start)}"` +
	` stop="${date(stop)}"><title lang="en">${title}</title>${more}` +
	'</programme>\n';

function write(file, list) {
	fs.writeFileSync(`${file}.new`, '<?xml version="1.0"?>\n<tv>\n' +
		`${list.join('')}</tv>\n`);
	fs.renameSync(`${file}.new`, file);
}

// The programmes of a channel, without its id.
const programmes = (xml, channel) => (xml.match(
	/ *<programme [^]*?<\/programme>/g) ?? [])
	.filter((p) => p.includes(`channel="${channel}"`))
	.map((p) => p.replace(/ channel="[^"]*"/, ''));

const guide = async () => (await request(PLAY, { path: '/epg.xml' })).body;

const ONID = 0x2012;

// Streams a001 with an own EIT, and b001 that reads its output; and others.
async function start(t, list, more = {}, ...others) {
	const file = path.join(tempDir(t), 'tv.xml');

	write(file, list);
	const sluice = await Sluice.start(t, {
		...config({ ...stream('a001', 'udp://127.0.0.1:5000',
			'udp://127.0.0.1:6000', { eit: 'own', ...more }),
		xmltv_id: 'one.tv' },
		stream('b001', 'udp://127.0.0.1:6000', 'udp://127.0.0.1:6001'),
		...others),
		settings: { epg_days: 14, http_play_stream: true,
			http_play_port: PLAY, epg_sources: [
				`file://${file}#interval=1`] } });
	const mux = new TsMux();

	await waitUntil('input', () => udpBound(5000));
	// it does not pass
	mux.more = [[0x12, eitSection(PROGRAM.pnr, [{ id: 1,
		start: 1790000000, minutes: 30, title: 'Foreign' }])],
	[0x11, sdtSection([PROGRAM.pnr], { onid: ONID })]];
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

test('XMLTV into EIT and back is equal, and follows changes', async (t) => {
	const list = schedule();
	const seen = await capture(t, 'lo', 'udp port 6000', ['dvb_eit.sid',
		'dvb_eit.evt.id', 'mpeg_descr.short_evt.name',
		'mpeg_sect.tid', 'dvb_eit.original_nid',
		'dvb_sdt.original_nid']);
	const { sluice, file } = await start(t, list,
		{ si_intervals: { schedule: 2000 }, eit_rate: 1000 });
	const same = (n) => waitUntil('the guide', async () => {
		const xml = await guide();
		const [a, b] = ['one.tv', 'b001'].map((c) =>
			programmes(xml, c));

		if (a.length < n)
			throw new Error(`${a.length} programmes`);
		assert.deepEqual(b, a);
		return a;
	}, 40000);
	const first = await same(30);

	assert.ok(first[0].includes('Title '));
	// the SDT and the EIT name the same network
	const networks = (table) => [...new Set(seen().flatMap((p) =>
		(p[`dvb_${table}.original_nid`] ?? '').split(',')
			.filter(Boolean)))].map(Number);

	assert.deepEqual(networks('sdt'), [ONID]);
	assert.deepEqual(networks('eit'), [ONID]);
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
	// another document
	list[3] = list[3].replace('Title 3', 'Other 3');
	write(file, list);
	await waitUntil('the change', async () =>
		programmes(await guide(), 'b001').some((p) =>
			p.includes('Other 3')), 20000);
	await same(30);
	await sluice.stop();
});

test('a new worker sends the EIT other again, and a rate may be too small',
	async (t) => {
		const seen = await capture(t, 'lo', 'udp port 6002',
			['mpeg_sect.tid', 'dvb_eit.tsid']);
		const { sluice } = await start(t, schedule(), {
			set_tsid: 10, si_intervals: { schedule: 1000 },
			eit_rate: 16 }, stream('c001', 'stream://a001',
			'udp://127.0.0.1:6002', { nit: 'own', set_tsid: 20,
				nit_other: ['a001'], eit_other: 'all',
				sdt_other: true,
				si_intervals: { eit_other: 500 } }));
		const other = (from) => waitUntil('EIT other', () => seen()
			.slice(from).some((p) => /0x4f/.test(
				p['mpeg_sect.tid'])), 20000);

		await other(0);
		assert.ok(seen().some((p) => /0x46/.test(p['mpeg_sect.tid'])),
			'SDT other');
		const { pid } = sluice.worker('stream', 'c001');

		process.kill(pid, 'SIGKILL');
		await sluice.replaced('stream', 'c001', pid);
		await other(seen().length);
		await sluice.waitStatus('a001', 'eit_slow', ({ alarms }) =>
			alarms.includes('eit_slow'), 20000);
		await sluice.stop();
	});
