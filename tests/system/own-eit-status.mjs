// SPDX-License-Identifier: GPL-3.0-or-later
// Own EIT and the SDT other have the status of the services.
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { PROGRAM, TsMux, sdtSection } from '../helpers/mux.mjs';
import { sections } from '../helpers/si.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const TSID = 10, ONID = 0x2012;
// running_status and free_CA_mode: running and scrambled; not running
const RUNNING = 0x90, STOPPED = 0x20;
const SHORT_EVENT = 0x4d;
const RECENT = 1000; // datagrams

// One programme that runs, so that no event begins in the test, and one more.
function write(dir) {
	const file = path.join(dir, 'tv.xml');
	const date = (ms) => `${new Date(ms).toISOString()
		.replace(/[-:T]/g, '').slice(0, 14)} +0000`;
	const begin = Math.floor(Date.now() / 60000) * 60000 - 3600e3;

	fs.writeFileSync(file, `<tv>${['Now', 'Next'].map((title, i) =>
		'<programme channel="one.tv" ' +
		`start="${date(begin + i * 4 * 3600e3)}" ` +
		`stop="${date(begin + (i + 1) * 4 * 3600e3)}">` +
		`<title>${title}</title></programme>`).join('')}</tv>\n`);
	return file;
}

const sdt = (status) => [0x11, sdtSection([PROGRAM.pnr], { onid: ONID,
	status })];

// Stream a, with the guide, in multiplex m, which also lists it as another
// transport stream.
async function start(t) {
	const dir = tempDir(t);
	const recorders = [await Recorder.start(t, { port: 6000 }),
		await Recorder.start(t, { port: 6001 })];
	const sluice = await Sluice.start(t, {
		...config({ ...stream('a', 'udp://127.0.0.1:5000',
			'udp://127.0.0.1:6000', { eit: 'own', set_tsid: TSID,
				set_pnr: PROGRAM.pnr }),
		xmltv_id: 'one.tv' }, { ...stream('m', ['stream://a',
			'udp://127.0.0.1:5001'], 'udp://127.0.0.1:6001', {
			bitrate: 5000, tsid: 5, onid: ONID, eit: 'own',
			nit: 'own', nit_other: ['a'], eit_other: 'present',
			sdt_other: true, si_intervals: { eit: 500,
				eit_other: 500, sdt_other: 1000, nit: 1000 } }),
		type: 'mpts' }),
		settings: { epg_days: 7, epg_sources: [
			`file://${write(dir)}#interval=1`] } });
	const mux = new TsMux({ programs: [PROGRAM], rate: 1e6 });

	mux.more = [sdt(RUNNING)];
	for (const port of [5000, 5001])
		await waitUntil('an input', () => udpBound(port));
	await Sender.start(t, mux, 5000);
	await Sender.start(t, new TsMux({ programs: [PROGRAM], rate: 1e6 }),
		5001);
	await sluice.onair('a');
	return { sluice, recorders, mux };
}

// The sections of a stream that arrived behind the first n datagrams.
const seen = (recorder, n) => sections(joined(recorder.lists()[0].slice(n)),
	undefined, true);

// The same of the last seconds: the senders share this process.
const newest = (recorder, n) => seen(recorder, Math.max(n,
	recorder.lists()[0].length - RECENT));

const title = (event) => event.descriptors.find(({ tag }) =>
	tag === SHORT_EVENT).data.toString('latin1').replace(/[^A-Z]*/, '');

// What the tables of a stream say: its status in each, by table and service.
function status(list) {
	const found = {};

	for (const s of list) {
		if (s.kind === 'sdt')
			for (const [pnr, one] of s.services)
				found[`${s.id.toString(16)} ${pnr}`] = [
					one.status, one.scrambled, one.flags];
		// present
		if ((s.id === 0x4e || s.id === 0x4f) && s.number === 0)
			for (const e of s.events)
				found[`${s.id.toString(16)} ${s.extension}`] = [
					e.status, e.scrambled, title(e)];
	}
	return found;
}

const expected = (word) => {
	const [running, scrambled] = [word >> 5, Boolean(word & 0x10)];
	const event = [running, scrambled, 'Now\0'];

	return { a: { '42 1': [running, scrambled, 3], '4e 1': event },
		m: { '46 1': [running, scrambled, 1], '4f 1': event } };
};

async function settle(recorders, word) {
	const { a, m } = expected(word);
	const from = recorders.map((r) => r.lists()[0].length);
	const check = (i, key, value) => waitUntil(`${key} of ${i}`, () => {
		const found = status(newest(recorders[i], from[i]))[key];

		return JSON.stringify(found) === JSON.stringify(value);
	}, 20000);

	for (const [i, found] of [a, m].entries())
		for (const key of Object.keys(found))
			await check(i, key, found[key]);
}

test('own EIT and an SDT other follow the status of the services',
	async (t) => {
		const { sluice, recorders, mux } = await start(t);

		await settle(recorders, RUNNING);
		for (const word of [STOPPED, RUNNING, STOPPED]) {
			mux.more = [sdt(word)];
			await settle(recorders, word);
		}
		await sluice.stop();
	});
