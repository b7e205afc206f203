// SPDX-License-Identifier: GPL-3.0-or-later
// Other programs in front of, behind and beside Sluice: VLC and GStreamer send
// and play, tshark reads, dvblast and multicat do the same work for comparison.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertOneStream, assertPlays, makeClip }
	from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { gstreamer, lacks, lacksUser, vlc } from '../helpers/peers.mjs';
import { Scene } from '../helpers/scene.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { wholeUnits } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { now, run, start, tempDir, udpReaders, waitUntil }
	from '../helpers/util.mjs';

const sendByVlc = (t, file, port) => vlc(t, '-q', '--loop', file, '--sout',
	`#std{access=udp,mux=ts,dst=127.0.0.1:${port}}`);

const sendByGstreamer = (t, port) => gstreamer(t,
	'videotestsrc is-live=true ! ' +
	'video/x-raw,width=160,height=90,framerate=25/1 ! ' +
	'openh264enc gop-size=12 bitrate=200000 ! ' +
	'h264parse config-interval=-1 ! m.',
	'audiotestsrc is-live=true ! ' +
	'audio/x-raw,rate=48000,channels=1 ! voaacenc bitrate=64000 ! ' +
	'aacparse ! m.',
	`mpegtsmux name=m alignment=7 ! udpsink host=127.0.0.1 port=${port}`);

const playByGstreamer = (t, port, file) => gstreamer(t,
	`-e udpsrc port=${port} caps=video/mpegts ! tsdemux name=d`,
	'd. ! queue ! h264parse ! openh264dec ! video/x-raw,format=I420 !',
	`filesink location=${file}`,
	'd. ! queue ! aacparse ! faad ! fakesink');

// The findings of independent programs about one recording.
const readers = {
	async tshark(t, file) {
		const { code, err, out } = await run('tshark', ['-r', file,
			'-o', 'mpeg_sect.verify_crc:TRUE', '-Y',
			'mp2t.cc.drop || _ws.malformed || ' +
			'_ws.expert.severity >= 0x600000']);

		assert.equal(code, 0, err);
		assert.equal(out, '');
	},

	async ffmpeg(t, file) { await assertPlays(file); },
};

test('VLC and GStreamer send in turns, and play the output',
	{ skip: lacks('cvlc', 'gst-launch-1.0') || lacksUser() }, async (t) => {
	const dir = tempDir(t);
	const clip = await makeClip(dir, 'clip', { seconds: 30, gop: 12,
		pictures: ['-c:v', 'libx264', '-bf', '2'] });
	const sluice = await Sluice.start(t, config());
	const scene = await Scene.open(t, sluice, { inputs: ['', ''],
		outputs: ['udp://127.0.0.1:6001'],
		options: { backup_type: 'passive', backup_initial_delay: 9,
			map: 'pmt=100, video=101, audio=102', set_pnr: 1,
			set_tsid: 1 } });
	const raw = path.join(dir, 'seen.yuv');
	const copied = path.join(dir, 'seen.ts');
	const pictures = () => fs.statSync(raw).size / (160 * 90 * 1.5);

	sendByVlc(t, clip, scene.ports[0]);
	sendByGstreamer(t, scene.ports[1]);
	await scene.plays(1);
	await scene.record();
	const player = playByGstreamer(t, 6001, raw);
	const viewer = vlc(t, '-vv', `http://127.0.0.1:8100/${scene.id}`,
		'--sout', `#std{access=file,mux=ts,dst=${copied}}`);
	await waitUntil('players', () => fs.existsSync(copied) &&
		fs.existsSync(raw) && pictures() > 10, 20000);
	const before = pictures(), begin = now();
	for (const input of [2, 1, 2]) {
		await scene.wait(1500);
		await sluice.cmd('set-stream-input', { id: scene.id, input });
		await scene.plays(input);
	}
	await scene.wait(1500);
	const least = 0.8 * 25 * (now() - begin) / 1000;

	await t.test('GStreamer shows every picture', async () => {
		await waitUntil('pictures', () => pictures() - before > least);
		player.kill('SIGINT');
		assert.doesNotMatch((await player.ended).err,
			/ERROR|tsdemux.*[Mm]ismatch/);
	});
	await t.test('VLC finds no packet missing', async () => {
		viewer.kill('SIGTERM');
		assert.doesNotMatch((await viewer.ended).err,
			/discontinuity|lost|corrupt/i);
		const { out } = await run('ffprobe', ['-v', 'quiet',
			'-select_streams', 'v', '-count_packets', '-of', 'json',
			'-show_entries', 'stream=nb_read_packets', copied]);
		const n = Number(JSON.parse(out).streams[0].nb_read_packets);
		assert.ok(n > least, `${n} pictures of ${least}`);
	});
	await t.test('our own judge finds no fault', async () => {
		assertOneStream((await scene.recorded()).found, { pauses: 3 });
	});
	const file = path.join(dir, 'whole.ts');
	fs.writeFileSync(file, wholeUnits(scene.viewer.data()));
	for (const [name, read] of Object.entries(readers))
		await t.test(`${name} finds no fault`, { skip: lacks(name) },
			() => read(t, file));
	await sluice.stop();
});

// The packets of some PIDs in a recording, in order.
function only(list, ...pids) {
	const data = joined(list), kept = [];

	for (let at = 0; at < data.length; at += 188)
		if (pids.includes(data.readUInt16BE(at + 1) & 0x1fff))
			kept.push(data.subarray(at, at + 188));
	return Buffer.concat(kept);
}

// From where both have begun on they are the same, byte by byte.
function assertSame(ours, theirs) {
	const first = ours.subarray(0, 188), other = theirs.subarray(0, 188);
	const a = Math.max(ours.indexOf(other), 0);
	const b = Math.max(theirs.indexOf(first), 0);
	const length = Math.min(ours.length - a, theirs.length - b);

	assert.ok(a === 0 || b === 0, 'they have a beginning in common');
	assert.ok(length > 0.9 * Math.max(ours.length, theirs.length));
	assert.ok(ours.subarray(a, a + length)
		.equals(theirs.subarray(b, b + length)));
}

test('dvblast receives one program without a change, multicat the whole',
	{ skip: lacks('dvblast', 'multicat') }, async (t) => {
	const OTHER = { pnr: 2, pmtPid: 0x200, video: 0x201, audio: 0x202 };
	const mux = new TsMux({ programs: [PROGRAM, OTHER], rate: 4e6 });
	const file = path.join(tempDir(t), 'dvblast.conf');
	const group = 'lo@239.2.2.2:5000';
	const recorder = await Recorder.start(t, ...[6001, 6002, 6003, 6004]
		.map((port) => ({ port })));
	const sluice = await Sluice.start(t, config(
		stream('all', `udp://${group}`, 'udp://127.0.0.1:6001'),
		stream('one', `udp://${group}#pnr=2`,
			'udp://127.0.0.1:6002')));

	fs.writeFileSync(file, '127.0.0.1:6004/udp 1 2\n');
	start(t, 'multicat', ['-u', '-U', '@239.2.2.2:5000', '127.0.0.1:6003']);
	const blast = start(t, 'dvblast', ['-D', '@239.2.2.2:5000/udp', '-U',
		'-c', file]);
	await waitUntil('all of them', () => udpReaders(5000) === 4);
	await waitUntil('dvblast', () => /binding/.test(blast.text.err));
	const sender = await Sender.start(t, mux, 5000,
		{ address: '239.2.2.2', iface: '127.0.0.1' });
	await waitUntil('four seconds', () => mux.seconds > 4);
	sender.stop();
	await recorder.quiet();
	const [all, one, copied, picked] = await recorder.stop();

	assertSame(joined(all), joined(copied));
	for (const pid of [OTHER.video, OTHER.audio])
		assertSame(only(one, pid), only(picked, pid));
	for (const list of [one, picked])
		assert.equal(only(list, PROGRAM.video, PROGRAM.audio).length,
			0);
	await sluice.stop();
});
