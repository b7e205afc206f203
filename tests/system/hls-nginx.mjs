// SPDX-License-Identifier: GPL-3.0-or-later
// hls-input, with real peers: ffmpeg makes the segments, nginx serves them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertOneStream, assertPlays, judge } from '../helpers/media.mjs';
import { startNginx } from '../helpers/nginx.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { certificate } from '../helpers/tls.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { now, start, tempDir, waitUntil } from '../helpers/util.mjs';

// Two variants, encrypted, a segment a second.
async function encode(t, dir) {
	fs.writeFileSync(path.join(dir, 'secret.key'), 'sixteen bytes it');
	fs.writeFileSync(path.join(dir, 'key.info'),
		`secret.key\n${path.join(dir, 'secret.key')}\n`);
	const encoder = start(t, 'ffmpeg', ['-nostdin',
		'-hide_banner', '-v', 'error', '-re',
		'-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25',
		'-re', '-f', 'lavfi', '-i', 'sine=sample_rate=48000',
		'-map', '0', '-map', '1', '-map', '0', '-map', '1',
		'-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1',
		'-pix_fmt', 'yuv420p', '-g', '25', '-sc_threshold', '0',
		'-b:v:0', '400k', '-b:v:1', '150k', '-s:v:1', '160x90',
		'-c:a', 'aac', '-b:a', '64k', '-f', 'hls', '-hls_time', '1',
		'-hls_list_size', '8', '-hls_flags',
		'delete_segments+temp_file+independent_segments',
		'-hls_key_info_file', path.join(dir, 'key.info'),
		'-var_stream_map', 'v:0,a:0 v:1,a:1',
		'-master_pl_name', 'master.m3u8', '-hls_segment_filename',
		path.join(dir, 'v%v-%d.ts'), path.join(dir, 'v%v.m3u8')]);
	await waitUntil('playlists', () => fs.readdirSync(dir)
		.filter((name) => /^v1-\d+\.ts$/.test(name)).length > 3 &&
		fs.existsSync(path.join(dir, 'master.m3u8')), 30000);
	return encoder;
}

function serve(t, dir, cert) {
	fs.writeFileSync(path.join(dir, 'users'), 'me:{PLAIN}secret\n');
	return startNginx(t, dir, {
		main: 'master_process off; error_log stderr error;',
		http: `access_log ${dir}/access;`,
		server: `listen 127.0.0.1:7443 ssl http2;
			ssl_certificate ${cert.chain};
			ssl_certificate_key ${cert.key};
			auth_basic live;
			auth_basic_user_file ${dir}/users;` });
}

test('ffmpeg and nginx, over TLS, with a password, encrypted', async (t) => {
	const dir = tempDir(t);
	const cert = await certificate(dir, 'origin');
	const at = '127.0.0.1:7443/master.m3u8';

	const timing = new Timing(t);
	const encoder = await encode(t, dir);

	await serve(t, dir, cert);
	const recorder = await Recorder.start(t, { port: 6001 },
		{ port: 6002 });
	const sluice = await Sluice.start(t, config(
		stream('high', `https://me:secret@${at}#ca=${cert.chain}`,
			'udp://127.0.0.1:6001'),
		stream('low', `https://me:secret@${at}#bandwidth=300000&` +
			'insecure', 'udp://127.0.0.1:6002'),
		stream('stranger', `https://me:secret@${at}`,
			'udp://127.0.0.1:6003'),
		stream('nobody', `https://${at}#ca=${cert.chain}`,
			'udp://127.0.0.1:6004')));

	await sluice.onair('high', 20000);
	await sluice.onair('low', 20000);
	for (const [id, why] of [['stranger', /certificate/i],
		['nobody', /answers 401/]])
		await sluice.waitStatus(id, String(why),
			(s) => why.test(s.inputs[0].error ?? ''));
	const until = now() + 7000;

	await waitUntil('enough of it', () => now() > until, 20000);
	timing.stop();
	const stats = {};

	for (const id of ['high', 'low'])
		stats[id] = (await sluice.waitStatus(id, 'seven of each', (s) =>
			s.inputs[0].stats.segments > 6 &&
			s.inputs[0].stats.playlist_reloads > 6, 20000))
			.inputs[0].stats;
	const lists = await recorder.stop();

	// the folder cannot be removed while it is written to
	encoder.kill('SIGKILL');
	await encoder.ended;
	await sluice.stop();
	assert.ok(stats.high.variant_bandwidth > 400000);
	assert.ok(stats.low.variant_bandwidth < 300000);
	for (const [i, list] of lists.entries()) {
		const file = path.join(dir, `${i}.out`);
		const found = await judge(recorder.file, i);

		fs.writeFileSync(file, joined(list));
		assertOneStream(found);
		timing.assert(found.pcrSpan > 6000, `${found.pcrSpan} ms came`);
		timing.assert(found.pcrStray < 1500,
			`strayed ${found.pcrStray} ms`);
		await assertPlays(file);
	}
	for (const s of Object.values(stats))
		assert.equal(s.segment_errors, 0);
});
