// SPDX-License-Identifier: GPL-3.0-or-later
// worker, taken over: code of an attacker in a confined worker of any role
// reaches nothing but the stream of that worker.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { call, done, startGuarded } from '../helpers/auth.mjs';
import { ip, pair } from '../helpers/net.mjs';
import { request, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { builddir, tempDir, waitUntil } from '../helpers/util.mjs';

const ATTACKER = path.join(builddir, 'tests/attacker/sluice-worker');

// With a pipe for standard error, which the log opens anew.
const PIPED = ['bash', '-c', 'exec "$0" "$@" 2> >(exec cat >&2)'];

// What the attacker wants, and where the workers are to find it.
function makeService(t) {
	const dir = tempDir(t), media = tempDir(t);
	const service = { dir, media, config: path.join(dir, 'sluice.json'),
		key: path.join(dir, 'secret.key'), state: dir,
		clip: path.join(media, 'clip.ts'),
		other: path.join(tempDir(t), 'other.ts') };
	const names = ['media', 'config', 'key', 'state', 'clip', 'other'];

	fs.writeFileSync(service.clip, '');
	fs.writeFileSync(service.other, '');
	fs.writeFileSync(path.join(dir, 'attempts'), names.map((name) =>
		`${name} ${service[name]}\n`).join(''));
	return service;
}

// How many attempts the attacker made in each role, if all were denied.
async function attempts(sluice, roles) {
	const of = (role) => new RegExp(
		`attacker in ${role}.*: (\\d+) denied, (\\d+) not`)
		.exec(sluice.log);

	await waitUntil('attacks in all roles', () => {
		const missing = roles.filter((role) => of(role) === null);

		if (missing.length > 0)
			throw new Error(`${missing}\n${sluice.log}`);
		return true;
	}, 20000);
	// with the module of the kernel tls may do one of them
	const kernel = fs.existsSync('/sys/module/tls');
	for (const role of roles)
		assert.equal(of(role)[2], role === 'tls' && kernel
			? '1' : '0', sluice.log);
	return roles.map((role) => Number(of(role)[1]));
}

test('no attempt succeeds in any role', async (t) => {
	const { dir, media, clip, key } = makeService(t);
	const cert = await certificate(dir, 'secret');

	// a network, and therefore a querier
	await pair(t, 'qa', 'qb');
	await ip('addr', 'add', '10.9.5.1/24', 'dev', 'qa');
	const streams = [
		stream('plain', `file://${clip}#loop`,
			'http://127.0.0.1:8100/plain'),
		stream('udp', 'udp://qa@239.1.0.1:5000',
			'udp://127.0.0.1:6000', { cas_list: [
				{ cas_id: 'c1' }] }),
		stream('store', 'udp://127.0.0.1:5001',
			`file://${media}/store.ts`),
		stream('srt', 'srt://127.0.0.1:5002', 'udp://127.0.0.1:6001'),
		stream('web', 'http://127.0.0.1:5003/x',
			`file://${media}/web.ts`),
		{ ...stream('multi', ['stream://plain', 'stream://udp'],
			'http://127.0.0.1:8100/multi'), type: 'mpts',
		bitrate: 9000 }];
	const { sluice, admin } = await startGuarded(t, {
		options: { dir, env: { SLUICE_WORKER: ATTACKER },
			through: PIPED },
		config: { settings: { ...settingsOf(cert),
			http_play_stream: true, epg_days: 1 } } });

	// after the login: sixteen attackers leave it no time
	await done(sluice, { cmd: 'set-cas', cas: { id: 'c1',
		ecmg_channel_id: 1, ecmg_host: '127.0.0.1',
		ecmg_port: 5006 } }, admin);
	for (const adapter of [{ id: 'd', type: 'S2',
		address: 'udp://127.0.0.1:5007' },
	{ id: 't', type: 'T', frequency: 474 }])
		await done(sluice, { cmd: 'set-adapter',
			adapter: { enable: true, ...adapter } }, admin);
	for (const one of streams)
		await done(sluice, { cmd: 'set-stream', stream: one }, admin);
	assert.equal(cert.key, key);
	const commands = [
		{ cmd: 'scan-init', scan: 'udp://127.0.0.1:5004' },
		{ cmd: 'test-softcam', config: { type: 'newcamd',
			host: '127.0.0.1', port: 5005, user: 'u', pass: 'p',
			key: '0102030405060708091011121314' } }];
	const begin = () => commands.forEach((command) =>
		call(sluice, command, admin).catch(() => {}));
	begin();
	// such a worker ends after ten seconds, and may not have run until then
	const again = setInterval(begin, 15000);

	t.after(() => clearInterval(again));
	const pictures = fs.existsSync(`${ATTACKER}-picture`);

	// until deliver runs
	const asks = setInterval(() => request(sluice.port,
		{ path: '/play/plain.jpg' }).catch(() => {}), 1000);

	t.after(() => clearInterval(asks));
	const made = await attempts(sluice, ['stream plain', 'stream udp',
		'stream store', 'stream srt', 'stream web', 'mux multi',
		'deliver', 'auth', 'tls', 'querier', 'scan', 'softcam', 'epg',
		'cas c1', 'adapter d', 'adapter t',
		...pictures ? ['picture'] : []]);

	// last: it is asked about each viewer, and busy with its attack
	await done(sluice, { cmd: 'set-auth', auth: { enable: true,
		backend: 'http://127.0.0.1:5008/',
		backend_unreachable: 'allow' } }, admin);
	made.push(...await attempts(sluice, ['backend']));
	t.diagnostic(made.join(' '));
	assert.ok(made.every((n) => n >= 20));
	await sluice.stop();
	// and the roles themselves do without, up to their end
	assert.doesNotMatch(sluice.log, /forbidden system call/);
});
