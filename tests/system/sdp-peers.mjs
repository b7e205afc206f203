// SPDX-License-Identifier: GPL-3.0-or-later
// sdp: VLC announces sessions and lists ours; ffmpeg, GStreamer and VLC play by
// our descriptions.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { assertDecodes, liveMultiplex, makeClip } from '../helpers/media.mjs';
import { gstreamer, lacks, lacksUser, vlc } from '../helpers/peers.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { fromEntry, wholeUnits } from '../helpers/ts.mjs';
import { start, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const BYTES = 200000;

const vlcLacks = lacks('cvlc') || lacksUser();

test('a session that VLC announces is listed, and plays',
	{ skip: vlcLacks }, async (t) => {
		const sluice = await Sluice.start(t, config());
		const clip = await makeClip(tempDir(t), 'clip',
			{ pictures: ['-c:v', 'mpeg2video'],
				sound: ['-c:a', 'mp2'], seconds: 10 });

		await sluice.json('/api/announcements');
		vlc(t, '-q', '--loop', clip, '--sout', '#rtp{dst=239.255.1.7,' +
			'port=5004,mux=ts,sap,name=Eins von VLC}');
		vlc(t, '-q', '--loop', clip, '--sout', '#std{access=udp,' +
			'mux=ts,dst=239.192.1.8:1234,sap,name=Zwei}');
		const list = await waitUntil('both', async () => {
			const { announcements } =
				await sluice.json('/api/announcements');

			assert.equal(announcements.length, 2,
				JSON.stringify(announcements));
			return Object.fromEntries(announcements
				.map(({ name, input }) => [name, input]));
		}, 40000);

		assert.deepEqual(list, {
			'Eins von VLC': 'rtp://lo@239.255.1.7:5004',
			Zwei: 'udp://lo@239.192.1.8:1234' });
		for (const [i, input] of Object.values(list).entries())
			await sluice.cmd('set-stream', { stream: stream(
				`s${i}`, input,
				`http://127.0.0.1:8100/${i}`) });
		await sluice.onair('s0', 40000);
		await sluice.onair('s1', 40000);
	});

// The answer of VLC's remote control.
function ask(port, command) {
	return new Promise((done, fail) => {
		const socket = net.connect(port, '127.0.0.1');
		let text = '';

		socket.on('error', fail);
		socket.on('data', (data) => {
			text += data;
			if (text.includes(`${command}: returned`)) {
				socket.destroy();
				done(text);
			}
		});
		socket.write(`${command}\n`);
	});
}

test('VLC lists the sessions that Sluice announces',
	{ skip: vlcLacks }, async (t) => {
		const sluice = await Sluice.start(t, config(
			stream('a', 'udp://127.0.0.1:5000',
				'rtp://lo@239.1.1.1:5004#sap&sap_interval=1' +
				'&fec=5x5&path2=lo@239.1.1.3:5004',
				{ name: 'Drei & vier' }),
			stream('b', 'udp://127.0.0.1:5001',
				'udp://lo@239.1.1.2:5004#sap&sap_interval=1',
				{ name: 'Fünf' })));

		await waitUntil('inputs', () => [5000, 5001].every(udpBound));
		for (const port of [5000, 5001])
			liveMultiplex(t, `udp://127.0.0.1:${port}` +
				'?pkt_size=1316');
		await sluice.onair('a', 20000);
		vlc(t, '-I', 'oldrc', '--rc-fake-tty', '--rc-host',
			'127.0.0.1:4212', '--services-discovery', 'sap');
		await waitUntil('the names', async () => {
			const text = await ask(4212, 'playlist');

			assert.match(text, /- Drei & vier\s/);
			assert.match(text, /- Fünf\s/);
			return true;
		}, 40000);
	});

// The descriptions that are announced, by the names of their sessions.
async function announced(t, n) {
	const socket = dgram.createSocket({ type: 'udp4', reuseAddr: true });
	const all = new Map();

	t.after(() => socket.close());
	await new Promise((done) => socket.bind(9875, '239.255.255.255', done));
	socket.addMembership('239.255.255.255', '127.0.0.1');
	return new Promise((done) => socket.on('message', (packet) => {
		const text = packet.subarray(packet.indexOf('v=0'));
		const [, name] = /^s=(.*)\r$/m.exec(text) ?? [];

		// a session that has ended has none
		if (name)
			all.set(name, text);
		if (all.size === n)
			done(all);
	}));
}

test('ffmpeg, GStreamer and VLC play by the descriptions',
	{ skip: vlcLacks || lacks('ffmpeg', 'gst:sdpdemux',
		'gst:rtpmp2tdepay') },
	async (t) => {
		const dir = tempDir(t), sdp = path.join(dir, 'x.sdp');
		const play = {
			ffmpeg: (file) => start(t, 'ffmpeg', ['-nostdin',
				'-v', 'fatal', '-protocol_whitelist',
				'file,rtp,udp', '-i', sdp, '-c', 'copy',
				'-flush_packets', '1', '-f', 'mpegts', file]),
			gstreamer: (file) => gstreamer(t, 'filesrc',
				`location=${sdp} ! sdpdemux ! rtpmp2tdepay`,
				`! filesink buffer-mode=2 location=${file}`),
			// the description becomes the item, which is played
			// when it comes again
			vlc: (file) => vlc(t, '-q', '--loop', sdp, '--sout',
				`#std{access=file,mux=ts,dst=${file}}`),
		};

		await Sluice.start(t, config(stream('a', 'udp://127.0.0.1:5000',
			'rtp://lo@239.1.1.1:5004#sap&sap_interval=1&fec=5x5' +
			'&path2=lo@239.1.1.2:6004', { name: 'Acht' })));
		await waitUntil('input', () => udpBound(5000));
		liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
		const all = await announced(t, 2);

		assert.deepEqual([...all.keys()].sort(),
			['Acht', 'Acht (FEC, 2 paths)']);
		// in turn: when GStreamer says goodbye to the group, ffmpeg
		// takes that for the end of the stream
		for (const [session, text] of all) {
			fs.writeFileSync(sdp, text);
			for (const [name, run] of Object.entries(play)) {
				// it needs live555 for several media
				if (name === 'vlc' && session !== 'Acht')
					continue;
				const file = path.join(dir, `${name}.ts`);

				fs.rmSync(file, { force: true });
				const player = run(file);

				await waitUntil(`${name}: ${session}`, () =>
					fs.existsSync(file) &&
					fs.statSync(file).size > BYTES, 40000);
				player.kill('SIGKILL');
				await player.ended;
				// regenerated by its own multiplexer
				if (name === 'vlc')
					continue;
				await assertDecodes(t, wholeUnits(fromEntry(
					fs.readFileSync(file))),
				{ minPictures: 20 });
			}
		}
	});
