// SPDX-License-Identifier: GPL-3.0-or-later
// tls-viewers: https:// outputs, with the certificate of the control port.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { checked } from '../helpers/auth.mjs';
import { Clip } from '../helpers/clip.mjs';
import { Viewer, makeClip } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { parsePlaylist } from '../helpers/playlist.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { certificate, secureRequest, settingsOf } from '../helpers/tls.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Sender } from '../helpers/udp.mjs';
import { sleep, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

// One stream, available by http and, at another path, by https.
async function playing(t, options = {}) {
	const cert = await certificate(tempDir(t), 'headend.example');
	const sluice = await Sluice.start(t, { settings: settingsOf(cert),
		...config(stream('a001', 'udp://127.0.0.1:5000',
			['http://127.0.0.1:8100/plain',
				'https://127.0.0.1:8100/secure'])) }, options);

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await sluice.onair('a001');
	return { sluice, cert, secure: () => Viewer.open(t, 8100, '/secure',
		{ ca: cert.pem }) };
}

const more = (viewer, bytes = 300000) => {
	const from = viewer.bytes;

	return waitUntil('more of it', () => viewer.bytes > from + bytes);
};

function assertClean(viewer) {
	const whole = Math.floor(viewer.bytes / 188) * 188;
	const seen = checkTs(viewer.data().subarray(0, whole));

	assert.equal(seen.ccErrors + seen.syncErrors + seen.crcErrors, 0);
}

test('a stream is available by https, and only so where it is configured',
	async (t) => {
		const { sluice, cert, secure } = await playing(t);
		const viewer = await secure();
		const plain = await Viewer.open(t, 8100, '/plain');
		// a deliver that gets no processor for two seconds does not
		// answer: 503
		const { sessions } = JSON.parse((await checked(() =>
			sluice.post({ cmd: 'sessions' }))).body);

		assert.equal(viewer.status, 200);
		assert.deepEqual(sessions.map((s) => s.addr),
			['127.0.0.1', '127.0.0.1']);
		await more(viewer);
		await more(plain, 100000);
		// each path leads to its own scheme, as after a change of the
		// output
		const other = [await request(8100, { path: '/secure?a=b' }),
			await secureRequest(8100, cert,
				{ path: '/plain?token=b' })];
		assert.deepEqual(other.map(({ status }) => status), [302, 302]);
		assert.match(other[0].headers.location,
			/^https:\/\/[^/]+:8100\/secure\?a=b$/);
		assert.match(other[1].headers.location,
			/^http:\/\/[^/]+:8100\/plain$/);
		// a proxy ended the TLS of this client: no loop
		assert.equal((await request(8100, { path: '/secure',
			headers: { 'X-Forwarded-Proto': 'https' } })).status,
		404);
		await checked(() => sluice.post({ cmd: 'close-session',
			id: sessions[0].client_id }));
		await waitUntil('the end of one', () => viewer.ended !==
			plain.ended);
		viewer.close();
		plain.close();
		assertClean(viewer);
		await waitUntil('nobody', async () => (await sluice.cmd(
			'sessions')).sessions.length === 0);
		await sluice.stop();
	});

test('a restart, and a new certificate, disconnect no viewer', async (t) => {
		const { sluice, secure } = await playing(t);
		const viewer = await secure();

		await more(viewer, 100000);
		sluice.child.kill('SIGHUP');
		await waitUntil('a second reading', () => sluice.log.match(
			/certificate in use/g).length === 2);
		await sluice.cmd('restart');
		await sluice.logged(/restarting/);
		await sluice.ready();
		await more(viewer);
		const late = await secure();
		await more(late, 100000);
		assert.equal(viewer.ended, false);
		viewer.close();
		assertClean(viewer);
		await sluice.stop();
	});

test('after a crash tls and deliver are replaced, and connect to each other',
	async (t) => {
		const { sluice, secure } = await playing(t);
		const plain = await Viewer.open(t, 8100, '/plain');
		const killed = async (role) => {
			const viewer = await secure();
			const { pid } = sluice.worker(role);

			process.kill(pid, 'SIGKILL');
			await waitUntil('its end', () => viewer.ended);
			await sluice.replaced(role, '1', pid);
		};
		const again = () => waitUntil('a viewer again', async () => {
			const viewer = await secure();
			await more(viewer, 50000);
			viewer.close();
			return true;
		});

		await killed('tls');
		await again();
		await more(plain, 50000);
		assert.equal(plain.ended, false);
		await killed('deliver');
		await again();
		await sluice.stop();
	});

test('without a certificate the output reports why it serves no viewer',
	async (t) => {
		const sluice = await Sluice.start(t, config(stream('a001',
			'udp://127.0.0.1:5000',
			'https://127.0.0.1:8100/secure')));

		await waitUntil('its error', async () => {
			const { outputs } = await sluice.json(
				'/api/stream-status/a001?t=0');
			return /crt_chain and crt_key are not set/.test(
				JSON.stringify(outputs));
		});
		assert.equal((await request(8100, { path: '/secure' })).status,
			503);
		await sluice.stop();
	});

test('an output without a usable key is not open', async (t) => {
	const cert = await certificate(tempDir(t), 'headend.example');
	const hidden = `${cert.key}.hidden`;
	const output = async (wanted) => waitUntil(`open: ${wanted}`,
		async () => {
			const { outputs: [o] } = await sluice.json(
				'/api/stream-outputs/a001');

			return o.open === wanted && o;
		});
	const judged = (wanted) => waitUntil(`check-stream: ${wanted}`,
		async () => (await sluice.cmd('check-stream',
			{ id: 'a001' }))['check-stream'] === wanted);

	fs.renameSync(cert.key, hidden);
	const sluice = await Sluice.start(t, { settings: settingsOf(cert),
		...config(stream('a001', 'udp://127.0.0.1:5000',
			'https://127.0.0.1:8100/secure')) });

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await sluice.logged(/settings.crt_key: .*: No such file/);
	for (let i = 0; i < 2; i++) {
		assert.match((await output(false)).error,
			/^settings.crt_key: .*: No such file/);
		await judged(false);
		const from = sluice.log.length;

		await sluice.cmd('restart');
		await waitUntil('the restart', () =>
			/restarting[^]*certificate not used/.test(
				sluice.log.slice(from)));
		await sluice.ready();
	}
	fs.renameSync(hidden, cert.key);
	sluice.child.kill('SIGHUP');
	await sluice.logged(/certificate in use/);
	assert.equal((await output(true)).error, undefined);
	await judged('ok');
	// the worker keeps the certificate that it has
	fs.renameSync(cert.key, hidden);
	sluice.child.kill('SIGHUP');
	await waitUntil('the alarm', async () => (await sluice.json(
		'/api/system-status?t=0')).alarms?.some((alarm) =>
		/No such file/.test(alarm)));
	assert.equal((await output(true)).error, undefined);
	await judged('ok');
	await sluice.stop();
});

test('an output that gets the other scheme leads its clients there',
	async (t) => {
	const cert = await certificate(tempDir(t), 'headend.example');
	const made = (scheme) => stream('a001', 'udp://127.0.0.1:5000', [
		`${scheme}://127.0.0.1:8100/ts`,
		`${scheme}://127.0.0.1:8100/hls.m3u8#duration=1&part=300`]);
	// nothing is encrypted before the first change
	const sluice = await Sluice.start(t, { settings: settingsOf(cert),
		...config(made('http')) });
	const clip = await makeClip(tempDir(t), 'a', { seconds: 60,
		pictures: ['-c:v', 'libx264', '-bf', '2'] });
	const ask = (path, options = {}) => request(8100, { path, ...options });
	const by = (scheme, path) => scheme === 'http' ? ask(path)
		: secureRequest(8100, cert, { path });
	const seen = new Set();
	let over = false;

	await Clip.play(t, clip, 700000, 5000);
	await sluice.onair('a001');
	const number = await waitUntil('a playlist', async () => {
		const { status, body } = await ask('/hls.m3u8');

		return status === 200 && Number(/SEQUENCE:(\d+)/.exec(body)[1]);
	});
	const asking = ['/ts', '/hls.m3u8', `/hls/${number}.ts`].map(
		async (path) => {
		while (!over) {
			// the body of the first one has no end
			const { status } = await ask(path, { method: 'HEAD' });

			seen.add(status);
			await sleep(50);
		}
	});
	for (const scheme of ['https', 'http', 'https', 'http']) {
		const before = scheme === 'https' ? 'http' : 'https';
		const { segments } = parsePlaylist((await by(before,
			'/hls.m3u8')).body.toString());
		const path = `/hls.m3u8?_HLS_msn=${
			segments.at(-1).number + 2}&_HLS_part=2`;
		const timing = new Timing(t);
		// it waits until after the change
		const [{ status, headers }] = await Promise.all([
			by(before, path), sluice.post({ cmd: 'set-stream',
				id: 'a001', stream: made(scheme) })]);

		timing.assert([302, 503].includes(status),
			`${scheme} ${status}`);
		if (status === 302)
			assert.ok(headers.location.startsWith(`${scheme}://`));
		await waitUntil('the other scheme', async () =>
			(await by(scheme, '/hls.m3u8')).status === 200);
		await waitUntil('a way to it', async () => {
			const led = await by(before, '/hls.m3u8');

			return led.status === 302 && led.headers.location
				.startsWith(`${scheme}://`);
		});
	}
	over = true;
	await Promise.all(asking);
	assert.deepEqual([...seen].filter((status) =>
		![200, 302, 503].includes(status)), []);
	await sluice.stop();
});
