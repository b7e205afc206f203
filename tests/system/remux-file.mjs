// SPDX-License-Identifier: GPL-3.0-or-later
// remux-file: captures of real multiplexes through the remux stage alone; an
// independent parser, ffprobe and tshark check the output.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { probe } from '../helpers/media.mjs';
import { pmtSection } from '../helpers/mux.mjs';
import { sections, serviceOf, tables } from '../helpers/si.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { builddir, run, tempDir } from '../helpers/util.mjs';

const samples = path.join(process.env.srcdir ?? '.', '../shared/data/ts');
const skip = fs.existsSync(samples) ? false : `no samples at ${samples}`;
const SIZE = 188;

const sample = (name) => fs.readFileSync(path.join(samples, `${name}.ts`));

function remux(input, options, stream = {}) {
	const done = spawnSync(path.join(builddir, 'tests/helpers/remux-file'),
		[options, JSON.stringify(stream)],
		{ input, maxBuffer: 1 << 26 });

	assert.equal(done.status, 0, done.stderr.toString());
	return done.stdout;
}

function packetsOf(data, pid) {
	const list = [];

	for (let at = 0; at + SIZE <= data.length; at += SIZE)
		if ((data.readUInt16BE(at + 1) & 0x1fff) === pid)
			list.push(data.subarray(at, at + SIZE));
	return list;
}

// The same packets, but for the PID, from the moment on that PAT and PMT were
// known.
function assertMoved(from, source, to, pid) {
	const known = tables(from).pmts[0].packet;
	const a = packetsOf(from.subarray(known * SIZE), source);
	const b = packetsOf(to, pid);

	assert.equal(b.length, a.length, `PID ${source} as ${pid}`);
	a.forEach((packet, i) => {
		assert.equal(packet[1] & 0xe0, b[i][1] & 0xe0);
		assert.ok(packet.subarray(3).equals(b[i].subarray(3)));
	});
}

const languages = ({ streams }) => Object.fromEntries(streams.map((s) =>
	[Number(s.id), s.tags?.language]));

test('a French service: its PIDs, languages and names as configured',
	{ skip }, async (t) => {
	const source = sample('test-026');
	const out = remux(source, 'pnr=257&set_pnr=7&set_tsid=99&' +
		'map.video=101&map.audio=102&map.audio.fra=103&lang.132=deu&' +
		'map.sub=200&map.sub=201&order=140,120', { map: 'pmt=100',
		service_name: 'Größe', service_provider: 'Sluice',
		textcode: 21 });
	const si = tables(out), seen = checkTs(out);

	assert.equal(seen.ccErrors, 0);
	assert.deepEqual([si.pat.extension, [...si.pat.programs]],
		[99, [[7, 100]]]);
	// 130 is the first audio; 131 is French by its descriptor
	for (const [from, to] of [[120, 101], [130, 102], [131, 103],
		[132, 132], [140, 200], [142, 201]])
		assertMoved(source, from, out, to);
	assert.deepEqual(si.pmt(7).streams.map((s) => s.pid),
		[200, 101, 102, 103, 132, 201]);
	const probed = await probe(t, out);
	const [program] = probed.programs;
	assert.equal(program.program_num, 7);
	assert.equal(program.pcr_pid, 101);
	assert.equal(program.tags.service_name, 'Größe');
	assert.equal(program.tags.service_provider, 'Sluice');
	const before = languages(await probe(t, source));
	const after = languages(probed);
	assert.equal(after[132], 'deu');
	assert.equal(after[200], before[140]);
	assert.equal(after[102], before[130]);
});

test('descriptors, private ones too, are sent unchanged', { skip }, () => {
	const source = sample('test-026');
	const out = remux(source, 'pnr=257&set_tsid=99&pass_data');
	const byPid = (pmt) => pmt.streams.map((s) => [s.pid, s.type,
		s.descriptors.map((d) => [d.tag, d.data.toString('hex')])]);
	const a = tables(source), b = tables(out);

	assert.deepEqual(byPid(b.pmt(257)), byPid(a.pmt(257)));
	assert.deepEqual(b.pmt(257).descriptors, a.pmt(257).descriptors);
	const of = (si) => si.of('sdt').findLast((s) => s.id === 0x42)
		.services.get(257);
	assert.deepEqual(of(b).descriptors, of(a).descriptors);
	assert.equal(of(b).status, of(a).status);
	assert.equal(serviceOf(of(b).descriptors).name.toString('latin1'),
		serviceOf(of(a).descriptors).name.toString('latin1'));
});

test('a teletext, an MPEG-2, an HD and a DTS service stay unchanged',
	{ skip }, async (t) => {
	for (const name of ['test-012', 'test-025', 'test-072', 'test-139']) {
		const source = sample(name);
		const out = remux(source, 'set_tsid=77');
		const a = tables(source), b = tables(out);
		// the entry of the NIT, which is not copied, does not count
		const programs = [...a.pat.programs].filter(([n]) => n !== 0);
		const [[pnr]] = programs;

		assert.equal(b.pat.extension, 77);
		assert.deepEqual([...b.pat.programs], programs);
		for (const { pid } of a.pmt(pnr).streams)
			assertMoved(source, pid, out, pid);
		assert.equal(checkTs(out).ccErrors, 0, name);
		const [before, after] = [await probe(t, source),
			await probe(t, out)].map((p) => p.streams.map((s) =>
			[s.id, s.codec_name, s.codec_type, s.tags?.language]));
		assert.deepEqual(after, before, name);
	}
});

test('5,326 packets of EIT keep every section, under the new number',
	{ skip }, () => {
	const source = sample('test-184');
	const [{ packet: known, extension: tsid, programs }] =
		sections(source, new Set([0]));
	const rest = source.subarray((known + 1) * SIZE);
	// a capture of the tables alone, and without PMTs
	const pmts = [...programs].filter(([n]) => n !== 0)
		.map(([pnr, pid], i) => {
			const packet = Buffer.alloc(SIZE, 0xff);
			packet.set([0x47, 0x40 | pid >> 8, pid & 255, 0x10, 0]);
			packet.set(pmtSection({ pnr, video: 0x1f00 + i }), 5);
			return packet;
		});
	const out = remux(Buffer.concat([source.subarray(0, (known + 1) *
		SIZE), ...pmts, rest]), 'set_tsid=4660');
	const a = sections(rest, new Set([18]), true);
	const b = sections(out, new Set([18]));

	// a few may still wait for their place at the end of the file
	assert.ok(a.length - b.length <= 8, `${b.length} of ${a.length}`);
	b.forEach((s, i) => {
		assert.deepEqual([s.id, s.extension, s.number, s.size],
			[a[i].id, a[i].extension, a[i].number, a[i].size]);
		assert.deepEqual(s.events, a[i].events);
		if ((s.id & 0xf0) === 0x50 || s.id === 0x4e)
			assert.equal(s.tsid, a[i].tsid === tsid ? 4660 :
				a[i].tsid);
	});
	assert.ok(b.some((s) => s.tsid === 4660));
	assert.equal(checkTs(out).ccErrors, 0);
});

test('for every capture and option the tables are valid', { skip }, () => {
	const asked = ['set_tsid=1', 'pass_data&cas', 'cas&pass_cat&pass_nit',
		'filter~=120,4096,1060', 'no_sdt&no_eit&no_tdt&no_tot',
		'map.pmt=8190&map.pcr=8189&map.ait=8188&pass_sdt'];

	for (const file of fs.readdirSync(samples)) {
		if (!file.endsWith('.ts'))
			continue;
		const source = fs.readFileSync(path.join(samples, file));
		for (const options of asked) {
			const out = remux(source, options,
				{ hbbtv_url: 'https://example.org/' });
			const made = new Set([0]);
			const si = sections(out, made);
			const seen = checkTs(out);
			assert.equal(seen.crcErrors, 0, `${file} ${options}`);
			if (si.length === 0)
				assert.equal(out.length, 0,
					`${file} ${options}: no PAT`);
			else
				tables(out);
		}
	}
});

test('tshark reads our output and finds no error', { skip }, async (t) => {
	const out = remux(sample('test-026'), 'pnr=257&set_pnr=7', {
		service_name: 'News', hbbtv_url: 'http://example.org/a/b.html',
	});
	const file = path.join(tempDir(t), 'out.ts');
	fs.writeFileSync(file, out);
	const ask = async (filter, ...fields) => {
		const { code, err, out: text } = await run('tshark', ['-r',
			file, '-o', 'mpeg_sect.verify_crc:TRUE', '-Y', filter,
			'-T', 'fields', ...fields.flatMap((f) => ['-e', f])]);
		assert.equal(code, 0, err);
		return [...new Set(text.trim().split('\n'))];
	};

	assert.deepEqual(await ask('mpeg_pmt', 'mpeg_pmt.pg_num'), ['0x0007']);
	assert.deepEqual(await ask('dvb_sdt', 'dvb_sdt.svc.id',
		'mpeg_descr.svc.svc_name'), ['0x0007\tNews']);
	assert.deepEqual(await ask('dvb_ait', 'dvb_ait.app.ctrl_code',
		'dvb_ait.descr.trpt_proto.url_base'),
		['0x01\thttp://example.org/a/']);
	assert.deepEqual(await ask('(mpeg_pat || mpeg_pmt || dvb_sdt || ' +
		'dvb_ait) && (_ws.malformed || mpeg_sect.crc.status == 0 || ' +
		'_ws.expert.severity >= 0x600000)', 'frame.number'), ['']);
});
