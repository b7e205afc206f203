// SPDX-License-Identifier: GPL-3.0-or-later
// A multiplex of 20 services for other programs: dvblast splits it into 20
// streams, ffmpeg plays each of them, and tshark, dvbinfo and VLC (whose tables
// are those of libdvbpsi) and GStreamer read the multiplex.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { assertDecodes, judge, liveMultiplex, probe }
	from '../helpers/media.mjs';
import { gstreamer, lacks, lacksUser, vlc } from '../helpers/peers.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs, wholeUnits } from '../helpers/ts.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { run, start, tempDir, udpReaders, waitUntil }
	from '../helpers/util.mjs';

const SERVICES = 20, KBPS = 20000, SOURCE = '239.2.2.3';
const number = (i) => (i + 1) * 100 + 1;
const each = (make) => Array.from({ length: SERVICES }, (_, i) => make(i));

// PMT PIDs and numbers are those of the blocks.
function splitByDvblast(t) {
	const file = path.join(tempDir(t), 'dvblast.conf');

	fs.writeFileSync(file, each((i) =>
		`127.0.0.1:${7000 + i}/udp 1 ${number(i)}\n`).join(''));
	return start(t, 'dvblast', ['-D', '@127.0.0.1:6001/udp', '-U', '-c',
		file]);
}

// The programs whose PMT a player names in its log, in order.
const named = (text, pattern) => [...new Set([...text.replace(
	// colours
	/\x1b\[[\d;]*m/g, '').matchAll(pattern)].map(([, n]) => Number(n)))]
	.sort((a, b) => a - b);

// Both list all services, and show pictures of one in the middle.
async function assertPlayersRead(t, file) {
	const players = {
		VLC: { lacks: lacks('cvlc') || lacksUser(),
			// it reports a picture that comes while it buffers: the
			// first key picture may come after a second
			start: () => vlc(t, '-vv', '--file-caching', '1500',
				'--vout', 'dummy', '--aout', 'adummy',
				'--program', number(11), file, 'vlc://quit'),
			pmt: /new PMT program number=(\d+)/g,
			shown: ({ err }) => /first picture/.test(err) },
		GStreamer: { lacks: lacks('gst-launch-1.0', 'gst:tsdemux',
			'gst:h264parse', 'gst:openh264dec'),
		start: () => gstreamer(t, '--gst-debug=mpegtsbase:5', 'filesrc',
			`location=${file} ! tsdemux`,
			`program-number=${number(11)} ! h264parse`,
			'! openh264dec ! progressreport do-query=false',
			'! fakesink sync=false'),
		pmt: /Applying PMT \(program_number:(\d+)/g,
		shown: ({ out }) => /\(\d\d:\d\d:\d\d\): \d/.test(out) },
	};

	for (const [name, player] of Object.entries(players))
		await t.test(name, { skip: player.lacks }, () =>
			assertReads(name, player));
}

// It ends by itself at the end of the file.
async function assertReads(name, { start: begin, pmt, shown }) {
	const child = begin();
	const ended = await Promise.race([child.ended,
		setTimeout(120000, null, { ref: false })]);
	const tail = `${name}: ${child.text.err.slice(-2000)}`;

	assert.ok(ended, `goes on: ${tail}`);
	assert.deepEqual(named(child.text.err, pmt), each(number), tail);
	assert.ok(shown(child.text), `no picture: ${tail}`);
}

// All programs of the PAT have a PMT with video and audio, and a name in the
// SDT.
async function assertDvbinfoReads(file) {
	const { out } = await run('dvbinfo', ['-f', file]);
	const tables = new Map(each((i) => [number(i), { pmt: 0, sdt: 0 }]));
	// a table that is sent again is printed once
	const of = (name) => out.split(/\n\n/).filter((text) =>
		text.startsWith(`  ${name}:`));
	const [pat, ...more] = of('PAT');

	assert.equal(more.length, 0, out);
	assert.deepEqual([...pat.matchAll(/\| +(\d+) @ pid/g)].map(([, n]) =>
		Number(n)), [...tables.keys()]);
	for (const text of of('PMT')) {
		const [, program] = /Program number : (\d+)/.exec(text);

		assert.match(text, /\| 0x1b @ pid/);
		assert.match(text, /\| 0x0f @ pid/);
		tables.get(Number(program)).pmt++;
	}
	for (const text of of('SDT'))
		for (const [, id] of text.matchAll(
			/Service id {3}: (0x[\da-f]+) .*?0x48 : "/gs))
			tables.get(Number(id)).sdt++;
	for (const [program, { pmt, sdt }] of tables)
		assert.ok(pmt > 0 && sdt > 0, `${program}: ${pmt} ${sdt}`);
}

test('dvblast splits a multiplex into 20 streams that each play',
	{ skip: lacks('dvblast', 'tshark') }, async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 },
		...each((i) => ({ port: 7000 + i })));
	const sluice = await Sluice.start(t, config({ ...stream('m',
		each(() => `udp://${SOURCE}:5000`),
		['udp://127.0.0.1:6000', 'udp://127.0.0.1:6001']),
	type: 'mpts', bitrate: KBPS }));

	splitByDvblast(t);
	await waitUntil('open inputs', () => udpReaders(5000) === SERVICES,
		20000);
	liveMultiplex(t, `udp://${SOURCE}:5000?pkt_size=1316`);
	await sluice.waitStatus('m', 'all services', (s) => s.services
		?.filter(({ onair }) => onair).length === SERVICES, 30000);
	// with the first tables that name all of them
	const size = recorder.size(), first = recorder.lists()[0].length;

	// twice: the multiplex, and its services
	await waitUntil('two seconds', () => recorder.size() > size +
		2 * KBPS * 1000 / 8 * 1.7, 40000);
	timing.stop();
	const found = await judge(recorder.file, 0);
	const [whole, ...parts] = await recorder.stop();

	await sluice.stop();
	assert.equal(found.cc + found.pcrBack + found.crc, 0,
		`${found.events}`);
	assert.equal(found.buffers.judged, SERVICES);
	for (const fault of ['tbTables', 'sys', 'sdt', 'unreferenced', 'alien'])
		assert.equal(found.buffers[fault], 0,
			`${fault}: ${found.buffers.events}`);
	// packets that a source sends too late are sent in less time
	for (const fault of ['tbVideo', 'tbAudio', 'eb'])
		timing.assert(found.buffers[fault] === 0,
			`${fault}: ${found.buffers.events}`);
	timing.assert(found.dtsLate === 0, `late: ${found.events}`);
	timing.assert(found.buffers.near === 0,
		`near: ${found.buffers.events}`);
	const file = path.join(tempDir(t), 'whole.ts');

	fs.writeFileSync(file, joined(whole).subarray(0, 188 * 4000));
	const read = await run('tshark', ['-r', file, '-o',
		'mpeg_sect.verify_crc:TRUE', '-Y',
		'mp2t.cc.drop || _ws.malformed']);

	assert.equal(read.out, '', read.err);
	fs.writeFileSync(file, joined(whole.slice(first)));
	await t.test('dvbinfo', { skip: lacks('dvbinfo') }, () =>
		assertDvbinfoReads(file));
	await assertPlayersRead(t, file);
	await Promise.all(parts.map(async (list, i) => {
		const data = joined(list);
		const { programs, streams } = await probe(t, data);

		// dvblast loses what it has no processor for
		timing.assert(checkTs(data).ccErrors === 0, `service ${i}`);
		assert.equal(programs.length, 1, `service ${i}`);
		assert.deepEqual(streams.map((s) => s.codec_name).sort(),
			['aac', 'h264'], `service ${i}`);
	}));
	const split = parts.map(joined).find((data) =>
		checkTs(data).ccErrors === 0);

	timing.assert(split !== undefined, 'dvblast lost packets of each');
	if (split)
		await assertDecodes(t, wholeUnits(split), { minPictures: 25 });
});
