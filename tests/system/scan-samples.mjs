// SPDX-License-Identifier: GPL-3.0-or-later
// scan-*: an analyzer reports the same about real captures as two other
// programs: TSDuck, whose results for some are stored beside them, and ffprobe.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Sluice, config } from '../helpers/sluice.mjs';
import { run, srcdir, waitUntil } from '../helpers/util.mjs';

const folder = path.join(srcdir, '../shared/data/ts');
const found = fs.existsSync(folder);
const samples = found ? fs.readdirSync(folder).filter((name) =>
	name.endsWith('.ts')).map((name) => name.slice(0, -3)) : [];
const skip = found ? false : `no captures in ${folder}`;
const AT_ONCE = 6;
// TSDuck reads the file at once, ffprobe its beginning, we as it plays.
const ENOUGH_MS = 15000;

// The records of a capture until done(records) or its end.
async function scan(sluice, name, done) {
	const { id } = await sluice.cmd('scan-init', {
		scan: `file://${path.resolve(folder, name)}.ts` });
	const records = [];

	try {
		await waitUntil(`tables of ${name}`, async () => {
			const reply = await sluice.cmd('scan-check', { id });
			records.push(...reply.scan ?? []);
			return reply.error || done(records);
		}, ENOUGH_MS);
	} finally {
		await sluice.cmd('scan-kill', { id });
	}
	return records;
}

async function each(names, what) {
	const list = [...names];

	await Promise.all(Array.from({ length: AT_ONCE }, async () => {
		while (list.length)
			await what(list.shift());
	}));
}

const number = (text) => Number(text?.replaceAll(',', ''));
const attribute = (text, name) =>
	new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];

// The tables of TSDuck's XML in the form of summary().
function tables(xml) {
	const list = [];

	for (const [, kind, head, body] of xml.matchAll(
		/<(PAT|PMT|SDT)\b([^>]*)>(.*?)<\/\1>/gs)) {
		const table = { psi: kind.toLowerCase(),
			version: number(attribute(head, 'version')),
			pid: number(attribute(body, 'PID')) };
		if (kind === 'PAT')
			Object.assign(table, {
				tsid: number(attribute(head,
					'transport_stream_id')),
				programs: programs(body) });
		if (kind === 'PMT')
			Object.assign(table, {
				pnr: number(attribute(head, 'service_id')),
				pcr: number(attribute(head, 'PCR_PID') ??
					'0x1FFF'),
				streams: components(body) });
		if (kind === 'SDT')
			Object.assign(table, {
				tsid: number(attribute(head,
					'transport_stream_id')),
				onid: number(attribute(head,
					'original_network_id')),
				services: services(body) });
		list.push(table);
	}
	return list;
}

function programs(body) {
	return [...body.matchAll(/<service ([^>]*)>/g)].map(([, s]) => ({
		pnr: number(attribute(s, 'service_id')),
		pid: number(attribute(s, 'program_map_PID')) }));
}

function components(body) {
	return [...body.matchAll(
		/<component ([^>]*?)(?:\/>|>(.*?)<\/component>)/gs)]
		.map(([, head, inner = '']) => ({
			pid: number(attribute(head, 'elementary_PID')),
			type_id: number(attribute(head, 'stream_type')),
			lang: attribute(inner, 'code') ?? null }));
}

function services(body) {
	return [...body.matchAll(/<service ([^>]*)>(.*?)<\/service>/gs)]
		.map(([, head, inner]) => ({
			sid: number(attribute(head, 'service_id')),
			name: attribute(inner, 'service_name'),
			provider: attribute(inner, 'service_provider_name'),
			type: number(attribute(inner, 'service_type')) }));
}

const descriptor = (list, id) => list.find((d) => d.type_id === id);

// The fields of a record that the other programs report, too.
function summary(record) {
	const { psi, version, pid } = record;
	const common = { psi, version, pid };

	if (psi === 'pat')
		return { ...common, tsid: record.tsid,
			programs: record.programs };
	if (psi === 'pmt')
		return { ...common, pnr: record.pnr, pcr: record.pcr,
			streams: record.streams.map((s) => ({ pid: s.pid,
				type_id: s.type_id,
				lang: descriptor(s.descriptors, 10)?.lang ??
					null })) };
	return { ...common, tsid: record.tsid, onid: record.onid,
		services: record.services.map((s) => {
			const d = descriptor(s.descriptors, 72);
			return { sid: s.sid, name: d.service_name,
				provider: d.service_provider,
				type: d.service_type_id };
		}) };
}

test('TSDuck reports the same tables', { skip }, async (t) => {
	const sluice = await Sluice.start(t, config());
	const judged = samples.filter((name) => fs.existsSync(
		path.join(folder, `${name}.tstables.xml`)));

	assert.ok(judged.length >= 4, `${judged}`);
	await each(judged, async (name) => {
		const theirs = tables(fs.readFileSync(path.join(folder,
			`${name}.tstables.xml`), 'utf8'));
		const kinds = ['pat', 'pmt', 'sdt'];
		const of = (records) => records.filter((r) =>
			kinds.includes(r.psi));
		const ours = of(await scan(sluice, name, (records) =>
			of(records).length >= theirs.length));
		const key = (a) => `${a.psi} ${a.pid} ${a.version}`;
		const order = (a, b) => key(a).localeCompare(key(b));

		assert.deepEqual(ours.map(summary).sort(order),
			theirs.sort(order), name);
	});
});

// The part of the records about one of ffprobe's programmes.
const place = (records, p) => records.filter((r) => r.psi === 'pat')
	.flatMap((r) => r.programs).find((q) => q.pnr === p.program_num);
const map = (records, p) => records.find((r) => r.psi === 'pmt' &&
	r.pnr === p.program_num);
const service = (records, p) => records.filter((r) => r.table_id === 0x42)
	.flatMap((r) => r.services).find((s) => s.sid === p.program_num);

test('ffprobe reports the same programmes, PIDs and names',
	{ skip }, async (t) => {
	const sluice = await Sluice.start(t, config());
	let programmes = 0, names = 0;

	await each(samples, async (name) => {
		const probed = await run('ffprobe', ['-v', 'quiet',
			'-show_programs', '-show_streams', '-of', 'json',
			`${path.join(folder, name)}.ts`]);
		const { programs = [] } = JSON.parse(probed.out || '{}');
		const named = programs.filter((p) => p.tags?.service_name);
		const full = programs.filter((p) => p.streams.length > 0);
		const records = await scan(sluice, name, (list) =>
			programs.length > 0 &&
			programs.every((p) => place(list, p)) &&
			full.every((p) => map(list, p)) &&
			named.every((p) => service(list, p)));

		for (const p of programs)
			assert.equal(place(records, p)?.pid, p.pmt_pid, name);
		for (const p of full)
			assert.deepEqual(p.streams.map((s) =>
				Number(s.id)).filter((pid) => !map(records, p)
				.streams.some((s) => s.pid === pid)), [],
				`${name}: PIDs of ${p.program_num}`);
		for (const p of named)
			assert.equal(descriptor(service(records, p).descriptors,
				72).service_name, p.tags.service_name, name);
		programmes += programs.length;
		names += named.length;
	});
	assert.ok(programmes >= 40 && names >= 25,
		`${programmes} programmes, ${names} names`);
});
