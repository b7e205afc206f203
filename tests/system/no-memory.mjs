// SPDX-License-Identifier: GPL-3.0-or-later
// worker, without memory: a process that takes all that it may have ends alone,
// and the log reports why.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { call, startGuarded } from '../helpers/auth.mjs';
import { ip, pair } from '../helpers/net.mjs';
import { request, sanitized, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { builddir, tempDir, waitUntil } from '../helpers/util.mjs';

const ATTACKER = path.join(builddir, 'tests/attacker/sluice-worker');
const LIMIT = 64 << 20;

// Every role whose process is replaced.
const SOME = ['stream bad', 'stream web', 'deliver 1', 'auth 1', 'tls 1',
	'querier 1'];
const ROLES = [...SOME, 'epg 1', 'cas c1', 'adapter d', 'mux multi',
	'softcam c'];
// Those that a viewer starts.
const ASKED = ['backend 1',
	...fs.existsSync(`${ATTACKER}-picture`) ? ['picture 1'] : []];

// A control group with little memory, of version 1 or 2; null: not here.
function makeGroup(t) {
	for (const [root, file] of [
		['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
		['/sys/fs/cgroup', 'memory.max']]) {
		const group = `${root}/sluice-test-${process.pid}`;

		try {
			fs.mkdirSync(group);
		} catch {
			continue;
		}
		t.after(() => fs.rmdirSync(group));
		try {
			fs.writeFileSync(path.join(group, file),
				String(LIMIT));
			return group;
		} catch {
			// no such controller
		}
	}
	return null;
}

// A service with all roles, whose workers can be made to take memory.
async function serve(t) {
	const dir = tempDir(t);
	const cert = await certificate(dir, 'secret');

	await pair(t, 'qa', 'qb');
	await ip('addr', 'add', '10.9.5.1/24', 'dev', 'qa');
	const streams = [
		stream('good', 'udp://qa@239.1.0.1:5000',
			'http://127.0.0.1:8100/good'),
		stream('bad', 'udp://127.0.0.1:5001', 'udp://127.0.0.1:6001'),
		stream('web', 'srt://127.0.0.1:5002', 'udp://127.0.0.1:6002'),
		stream('guarded', 'udp://127.0.0.1:5008',
			'udp://127.0.0.1:6003', { cas_list: [
				{ cas_id: 'c1' }] }),
		{ ...stream('multi', ['stream://good', 'stream://bad'],
			'udp://127.0.0.1:6004'), type: 'mpts', bitrate: 9000 }];
	const made = await startGuarded(t, {
		options: { dir, env: { SLUICE_WORKER: ATTACKER } },
		config: { settings: { ...settingsOf(cert), epg_days: 1,
			http_play_stream: true },
			auth: { enable: true, backend: 'http://127.0.0.1:5011/',
				backend_unreachable: 'allow' },
			cas: [{ id: 'c1', ecmg_channel_id: 1, ecmg_port: 5006,
				ecmg_host: '127.0.0.1' }],
			softcam: [{ id: 'c', type: 'newcamd', force: true,
				name: 'c', host: '127.0.0.1', port: 5010,
				user: 'u', pass: 'p' }],
			dvb_tune: [{ id: 'd', type: 'S2', enable: true,
				address: 'udp://127.0.0.1:5007' }],
			make_stream: streams } });

	await waitUntil('all roles', () => {
		const missing = ROLES.filter((name) =>
			!made.sluice.worker(...name.split(' ')));

		if (missing.length > 0)
			throw new Error(`${missing}; ${made.sluice.workers()
				.map((w) => `${w.role} ${w.object}`)}`);
		return true;
	}, 30000);
	return { ...made, dir };
}

// Each of the roles in turn takes memory; the others stay.
async function takeAll(t, roles, order, content, reason) {
	const { sluice, admin, dir } = await serve(t);
	const good = sluice.worker('stream', 'good').pid;

	for (const name of roles) {
		const [role, object] = name.split(' ');
		const { pid } = sluice.worker(role, object);
		const others = sluice.workers().filter((w) => w.pid !== pid)
			.map((w) => w.pid);

		fs.writeFileSync(path.join(dir, `${order}-${name}`), content);
		process.kill(pid, 'SIGKILL');
		if (role === 'auth')
			void call(sluice, { cmd: 'login', login: 'x',
				password: 'y' });
		// a multiplex is a stream
		await sluice.logged(new RegExp(`warning ${
			name.replace('mux', 'stream')}: ${reason.source}`));
		await waitUntil(`a sound ${name}`, () => {
			const now = sluice.worker(role, object);
			return now && now.pid !== pid &&
				!fs.existsSync(path.join(dir,
					`${order}-${name}`));
		});
		const left = sluice.workers().map((w) => w.pid);
		assert.ok(others.every((other) => left.includes(other)), name);
	}
	// a busy machine takes long to check a password
	const ask = async (command) => {
		for (let again = true; again;) {
			const { json } = await call(sluice, command, admin);

			again = /try again/.test(json?.error);
		}
	};

	for (const [command, name] of [
		[{ cmd: 'scan-init', scan: 'udp://127.0.0.1:5004' }, 'scan 1'],
		[{ cmd: 'test-softcam', config: { type: 'newcamd',
			host: '127.0.0.1', port: 5005, user: 'u', pass: 'p',
			key: '0102030405060708091011121314' } }, 'softcam 2'],
	]) {
		fs.writeFileSync(path.join(dir, `${order}-${name}`), content);
		void ask(command);
		await sluice.logged(new RegExp(
			`warning ${name}: ${reason.source}`));
	}
	// one request starts them all, and none ends while it is asked for
	for (const name of ASKED)
		fs.writeFileSync(path.join(dir, `${order}-${name}`), content);
	const asks = setInterval(() => request(sluice.port,
		{ path: '/play/good.jpg' }).catch(() => {}), 200);

	t.after(() => clearInterval(asks));
	for (const name of ASKED)
		await sluice.logged(new RegExp(
			`warning ${name}: ${reason.source}`));
	clearInterval(asks);
	assert.equal(sluice.worker('stream', 'good').pid, good);
	await sluice.stop();
}

test('allocations that fail end the process, and it says so',
	{ skip: sanitized ? 'sanitizers need address space' : false },
	(t) => takeAll(t, SOME, 'limit', '', /exit code 100, out of memory/));

test('a control group without memory: the process alone ends', async (t) => {
	const group = makeGroup(t);

	if (group === null)
		t.skip('no control group can be made');
	else
		await takeAll(t, ROLES, 'eat', group,
			/killed by signal 9 \(Killed\), perhaps out of memory/);
});
