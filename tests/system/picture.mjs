// SPDX-License-Identifier: GPL-3.0-or-later
// picture: /play/ID.jpg is the last key frame of a stream as a small JPEG.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Viewer, makeClip } from '../helpers/media.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Sluice, WORKER, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { always, processes, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';

const exec = promisify(execFile);
const PORT = 8100;
const settings = { http_play_stream: true, http_play_port: PORT };
const skip = !fs.existsSync(`${WORKER}-picture`) && 'built without pictures';

// Each with the size that its JPEG has: square pixels, at most 320 wide.
const CODECS = [
	{ id: 'h264', size: '1280x720', jpeg: '320,180',
		pictures: ['-c:v', 'libx264', '-bf', '2'] },
	// two fields in a frame, and pixels that are not square
	{ id: 'fields', size: '720x576', jpeg: '320,180',
		pictures: ['-vf', 'setsar=64/45', '-c:v', 'libx264',
			'-flags', '+ildct+ilme', '-x264opts', 'tff=1'] },
	{ id: 'hevc', size: '640x480', jpeg: '320,240',
		pictures: ['-c:v', 'libx265', '-x265-params',
			'log-level=error'] },
	{ id: 'mpeg2', size: '704x576', jpeg: '320,260',
		pictures: ['-c:v', 'mpeg2video', '-bf', '2'] },
	{ id: 'small', size: '160x90', jpeg: '160,90',
		pictures: ['-c:v', 'libx264'] },
];

// The status, the headers and the file of an answer.
async function get(dir, where, ...more) {
	const file = path.join(dir, 'answer');

	fs.rmSync(file, { force: true });
	const { stdout: head } = await exec('curl', ['-s', '-m', '20', '-D',
		'-', '-o', file, ...more, where.startsWith('http') ? where :
			`http://127.0.0.1:${PORT}${where}`]);
	const body = fs.existsSync(file) ? fs.readFileSync(file) :
		Buffer.alloc(0);

	return { file, head, body, text: body.toString(),
		status: Number(/ (\d+) /.exec(head)[1]) };
}

const ask = async (...request) => (await get(...request)).status;

// How far its bytes of one colour are apart, and its colours.
function spread(file) {
	const rgb = execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-f',
		'mjpeg', '-i', file, '-f', 'rawvideo', '-pix_fmt', 'rgb24',
		'-']);
	let colour = 0, sum = 0, squares = 0;

	for (let i = 0; i < rgb.length; i += 3) {
		colour += Math.abs(rgb[i] - rgb[i + 2]);
		sum += rgb[i + 1];
		squares += rgb[i + 1] ** 2;
	}
	const n = rgb.length / 3;

	return { colour: colour / n,
		light: Math.sqrt(squares / n - (sum / n) ** 2) };
}

async function assertPicture(dir, id, size) {
	const answer = await waitUntil(`the picture of ${id}`, async () => {
		const one = await get(dir, `/play/${id}.jpg`);

		always(() => assert.ok([200, 503].includes(one.status),
			one.text));
		return one.status === 200 && one;
	}, 30000);
	const found = execFileSync('ffprobe', ['-v', 'error', '-f', 'mjpeg',
		'-show_entries', 'stream=codec_name,width,height', '-of',
		'csv=p=0', answer.file]).toString().trim();

	assert.equal(found, `mjpeg,${size}`, id);
	assert.ok(answer.body.length < 32768, `${answer.body.length}`);
	assert.match(answer.head, /^Content-Type: image\/jpeg\r$/m);
	assert.match(answer.head,
		/^Cache-Control: private, max-age=[1-5]\r$/m);
	const { colour, light } = spread(answer.file);

	assert.ok(colour > 20 && light > 20, `${id}: ${colour} ${light}`);
	return answer;
}

test('the last key frame of each codec is a small JPEG', { skip },
	async (t) => {
	const dir = tempDir(t);

	for (const { id, size, pictures } of CODECS)
		await makeClip(dir, id, { pictures, size, seconds: 3,
			sound: ['-c:a', 'mp2'], mux: ['-muxrate', '6M',
				'-b:v', '3M'] });
	const sluice = await Sluice.start(t, { ...config(...CODECS.map(
		({ id }) => stream(id, `file://${dir}/${id}.ts#loop`, []))),
	settings });

	for (const { id } of CODECS)
		await sluice.onair(id);
	for (const { id, jpeg } of CODECS)
		await assertPicture(dir, id, jpeg);
	// it is shared for some seconds, and a copy is not sent again
	const none = await waitUntil('a copy that is still shared',
		async () => {
		const one = await get(dir, '/play/h264.jpg');
		const [, tag] = /^ETag: (.*)\r$/m.exec(one.head);
		const again = await get(dir, '/play/h264.jpg', '-H',
			`If-None-Match: ${tag}`);

		return again.status === 304 && again;
	});

	assert.equal(none.body.length, 0);
	assert.equal(await ask(dir, '/play/h264.jpg', '-I'), 200);
	assert.equal(await ask(dir, '/play/h264.jpg', '-X', 'POST'), 405);
	// on the control port, too
	assert.deepEqual((await get(dir,
		`http://127.0.0.1:${sluice.port}/play/h264.jpg`)).body
		.subarray(0, 3), Buffer.from([0xff, 0xd8, 0xff]));
	assert.deepEqual((await sluice.cmd('sessions')).sessions, []);
	// the process that decodes may die: the next one continues
	const [{ pid }] = processes('sluice-worker-picture');

	process.kill(pid, 'SIGKILL');
	await waitUntil('its end', () =>
		processes('sluice-worker-picture').every((one) =>
			one.pid !== pid));
	await sluice.cmd('set-stream', { id: 'small',
		stream: stream('new', `file://${dir}/small.ts#loop`, []) });
	await assertPicture(dir, 'new', '160,90');
	await sluice.stop();
});

test('without a picture the answer has the reason', { skip }, async (t) => {
	const dir = tempDir(t);
	const sluice = await Sluice.start(t, { ...config(
		stream('a', 'udp://127.0.0.1:5000', []),
		stream('radio', 'udp://127.0.0.1:5001', []),
		stream('dark', 'udp://127.0.0.1:5002', []),
		stream('late', 'udp://127.0.0.1:5003',
			[], { http_keep_active: '0' })), settings });
	const expect = (id, status, text) => waitUntil(`${id}: ${text}`,
		async () => {
			const answer = await get(dir, `/play/${id}.jpg`);

			return answer.status === status &&
				text.test(answer.text);
		}, 30000);

	const elementary = [PROGRAM.video, PROGRAM.audio];

	await waitUntil('inputs', () => [5000, 5001, 5002].every(udpBound));
	await expect('a', 503, /no picture has arrived yet/);
	await Sender.start(t, new TsMux({ programs: [
		{ pnr: 1, pmtPid: 0x100, audio: 0x102 }] }), 5001);
	await Sender.start(t, new TsMux(), 5002, { shape: (packets) => {
		for (let i = 0; i < packets.length; i += 188)
			if (elementary.includes(
				packets.readUInt16BE(i + 1) & 0x1fff))
				packets[i + 3] |= 0x80;
		return [packets];
	} });
	await expect('radio', 404, /the stream has no video/);
	await expect('dark', 404, /the stream is scrambled/);
	await expect('late', 503, /does not run, and a picture does not start/);
	assert.equal((await sluice.status('late')).active, false);
	for (const where of ['/play/none.jpg', '/play/.jpg', '/a.jpg',
		'/play/a.jpeg', '/play/a/x.jpg'])
		assert.equal(await ask(dir, where), 404, where);
	await sluice.stop();
});

test('a picture needs the permission of a viewer, and no place of its user',
	{ skip }, async (t) => {
	const dir = tempDir(t);

	await makeClip(dir, 'a', { pictures: ['-c:v', 'libx264'], seconds: 3 });
	const sluice = await Sluice.start(t, { ...config(
		stream('a', `file://${dir}/a.ts#loop`, [])), settings,
	auth: { enable: true }, users: { anna: { type: 3, enable: true,
		token: 'anna', conlimit: 1 } } });

	await sluice.onair('a');
	assert.equal(await ask(dir, '/play/a.jpg'), 403);
	assert.equal(await ask(dir, '/play/a.jpg?token=x'), 403);
	await waitUntil('a picture', async () =>
		await ask(dir, '/play/a.jpg?token=anna') === 200);
	const viewer = await Viewer.open(t, PORT, '/play/a?token=anna');

	await waitUntil('the only session', async () =>
		(await sluice.cmd('sessions')).sessions.length === 1);
	assert.equal(await ask(dir, '/play/a.jpg?token=anna'), 200);
	assert.equal((await sluice.cmd('sessions')).sessions.length, 1);
	assert.equal(viewer.ended, false);
	viewer.close();
	// and it keeps none for itself
	await waitUntil('the place', async () => (await Viewer.open(t, PORT,
		'/play/a?token=anna')).status === 200);
	await sluice.stop();
});
