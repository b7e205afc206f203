// SPDX-License-Identifier: GPL-3.0-or-later
// log-settings: the section `log` selects the outputs of the log, at the start
// and at once; API calls are logged, secrets are not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { freePort, sleep, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';

const text = (file) => fs.existsSync(file) ?
	fs.readFileSync(file, 'utf8') : '';
const holds = (file, what) => waitUntil(`${what} in ${path.basename(file)}`,
	() => text(file).includes(what));
const setLog = (sluice, set) => sluice.cmd('set-log', { set });

test('a file, at the start and by set-log, and none again', async (t) => {
	const dir = tempDir(t);
	const [first, second] = ['a.log', 'b.log']
		.map((name) => path.join(dir, name));
	const sluice = await Sluice.start(t, { ...config(),
		log: { filename: first, api_access: true } }, { dir });

	await sluice.cmd('version');
	await holds(first, 'version Login:- IP:127.0.0.1');
	const last = text(first).trimEnd().split('\n').at(-1);
	const [at, ...rest] = last.split(' ');
	assert.match(at, /^\d{4}[-\d]{6}T(\d\d:){2}\d\d\.\d{3}[+-]\d\d:\d\d$/);
	assert.equal(rest.join(' '),
		'info api: version Login:- IP:127.0.0.1');
	assert.equal(fs.statSync(first).mode & 0o007, 0);
	await setLog(sluice, { filename: second, api_access: true,
		stdout: false });
	await waitUntil('the last line', () =>
		sluice.log.includes('set log Login'));
	const before = sluice.log;
	await sluice.cmd('whoami');
	await holds(second, 'whoami Login:-');
	assert.ok(!text(first).includes('whoami'));
	assert.ok(!before.includes('whoami') && sluice.log === before);
	// a missing key means the value at the start: no file, stderr
	await setLog(sluice, { api_access: true });
	await sluice.cmd('load');
	await waitUntil('stderr', () => sluice.log.includes('load Login:-'));
	assert.ok(!text(second).includes('load Login'));
	await setLog(sluice, {});
	await sluice.cmd('get-user', { id: 'x' }).catch(() => {});
	assert.ok(!sluice.log.includes('get user'));
	await sluice.stop();
});

test('keys that are missing in the section come from the command line',
	async (t) => {
	const dir = tempDir(t);
	const [start, other] = ['start.log', 'other.log']
		.map((name) => path.join(dir, name));
	const sluice = await Sluice.start(t, config(), { dir,
		args: ['--log', start, '--no-stdout'] });

	await setLog(sluice, { api_access: true });
	await sluice.cmd('version');
	await holds(start, 'version Login');
	await setLog(sluice, { api_access: true, filename: other });
	await sluice.cmd('load');
	await holds(other, 'load Login');
	await setLog(sluice, { api_access: true });
	await sluice.cmd('whoami');
	await holds(start, 'whoami Login');
	// an empty name is a word, too: no file
	await setLog(sluice, { api_access: true, filename: '' });
	await sluice.cmd('version');
	await setLog(sluice, {});
	assert.ok(!sluice.log.includes('Login:'));
	const { code } = await sluice.stop();
	assert.equal(code, 0);
	await holds(start, 'SIGTERM: stopping');
	assert.equal(text(start).match(/version Login/g).length, 1,
		'the one without a file is in none');
});

test('rotated into nine archives; with 0 never', async (t) => {
	const dir = tempDir(t), file = path.join(dir, 'rotated.log');
	const sluice = await Sluice.start(t, { ...config(),
		log: { filename: file, api_access: true,
			max_file_size: 2000 / 1048576 } }, { dir });
	const ask = async (n) => {
		for (let i = 0; i < n; i++)
			await sluice.cmd('version');
	};

	await ask(350);
	await holds(`${file}.9`, 'version');
	// once the last line is there nothing moves the files any more
	await sluice.cmd('whoami');
	await holds(file, 'whoami');
	const sizes = await waitUntil('ten files', () =>
		[file, ...Array.from({ length: 9 }, (_, i) =>
			`${file}.${i + 1}`)].map((name) =>
			fs.statSync(name).size));
	assert.ok(sizes.every((size) => size <= 2000), String(sizes));
	assert.ok(!fs.existsSync(`${file}.10`));
	for (const name of [file, `${file}.1`])
		assert.match(text(name), /^(20\S+ info .*\n)+$/);
	await setLog(sluice, { filename: file, api_access: true,
		max_file_size: 0 });
	await ask(60);
	await waitUntil('growth', () => fs.statSync(file).size > 3000);
	await sluice.stop();
});

test('each API call with its login, and no secret', async (t) => {
	const file = path.join(tempDir(t), 'access.log');
	const sluice = await Sluice.start(t, { ...config(), log: {
		filename: file, api_access: true, debug: true } });
	const softcam = { id: 's1', name: 'S', type: 'newcamd',
		host: '127.0.0.1', port: 15050, user: 'u',
		pass: 'hush-pass', key: '0102030405060708091011121314' };

	await sluice.post({ cmd: 'set-softcam', softcam });
	await sluice.post({ cmd: 'set-softcam', id: 's1', softcam });
	await sluice.post({ cmd: 'set-softcam', id: 's1',
		softcam: { remove: true } });
	await sluice.post({ cmd: 'set-cas', cas: { remove: true } });
	await sluice.post({ cmd: 'test-softcam', config: { type: 'other' } });
	await sluice.post({ cmd: 'set-user', id: 'bob', user: { type: 2,
		enable: true, password: 'hush-password' } });
	await sluice.post({ cmd: 'login', login: 'bob\n<3>x',
		password: 'hush-password' });
	const { token } = await sluice.cmd('ws-token');
	await sluice.get(`/api/stream-status/nope?t=0&token=${token}`);
	await sluice.post('{"cmd":');
	await setLog(sluice, { filename: file });
	await holds(file, 'set log Login');
	const said = text(file);
	for (const line of ['set softcam id:null', 'set softcam id:s1',
		'remove softcam id:s1', 'remove cas id:null', 'set user id:bob',
		'login', 'ws token', 'GET /api/stream-status/nope',
		'no command'])
		assert.match(said, new RegExp(
			` api: ${line} Login:\\S+.* IP:127\\.0\\.0\\.1\n`));
	assert.ok(!said.includes('test softcam'), 'its password would follow');
	for (const secret of ['hush', '0102030405', token])
		assert.ok(!(said + sluice.log).includes(secret), secret);
	assert.match(said, /^(20\S+ (error|warning|info|debug) .*\n)+$/);
	await sluice.stop();
});

test('a full disk: lost lines are counted, and no process waits', async (t) => {
	const dir = tempDir(t), place = path.join(dir, 'later');
	const file = path.join(place, 'sluice.log');
	const sluice = await Sluice.start(t, { ...config(), log: {
		filename: file, api_access: true } }, { dir });

	for (let i = 0; i < 5; i++)
		await sluice.cmd('version');
	await waitUntil('complaint', async () => {
		await sluice.cmd('version');
		return /log: .*lines dropped: No such file/.test(sluice.log);
	});
	fs.mkdirSync(place);
	await sluice.cmd('load');
	await holds(file, 'load Login');
	assert.match(text(file), /^log: \d+ lines dropped/);
	// the file was moved away: it is created again
	fs.renameSync(file, `${file}.old`);
	await sluice.cmd('whoami');
	await holds(file, 'whoami Login');
	await sluice.stop();
});

test('debug reaches the workers that start later', async (t) => {
	const one = stream('a001', 'udp://127.0.0.1:5000', []);
	const sluice = await Sluice.start(t, config());
	const environment = async () => {
		await sluice.cmd('set-stream', { id: 'a001', stream: one });
		await waitUntil('input', () => udpBound(5000));
		// that of a worker that ends just now is empty
		return waitUntil('worker', () => fs.readFileSync(
			`/proc/${sluice.worker('stream').pid}/environ`,
			'utf8'));
	};

	await sluice.cmd('set-stream', { stream: one });
	assert.ok(!(await environment()).includes('SLUICE_DEBUG'));
	await setLog(sluice, { debug: true });
	const { pid } = sluice.worker('stream');
	await sluice.cmd('restart-stream', { id: 'a001' });
	await sluice.replaced('stream', 'a001', pid);
	assert.match(await environment(), /SLUICE_DEBUG=1/);
	await sluice.stop();
});

test('debug reaches the running workers, and can be disabled', async (t) => {
	const port = await freePort();
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', `http://127.0.0.1:${port}/a`)));
	const ask = (name) => request(port, { path: `/${name}` });
	const line = (name) => sluice.log.includes(
		`:${port}/${name}: request for an unknown path`);
	let n = 0;

	await waitUntil('deliver', () => ask('early').then(() => true));
	const { pid } = sluice.worker('deliver');
	await setLog(sluice, { debug: true });
	await waitUntil('a line', async () => {
		await ask(`during${++n}`);
		return line(`during${n}`);
	});
	assert.ok(!line('early'));
	// the master is another one, the worker stays
	await sluice.cmd('restart');
	await sluice.logged(/deliver 1: continues/);
	await setLog(sluice, { debug: false });
	await waitUntil('silence', async () => {
		await ask(`after${++n}`);
		await ask(`and${n}`);
		await sleep(100);
		return !line(`after${n}`) && !line(`and${n}`);
	});
	assert.equal(sluice.worker('deliver').pid, pid);
	await sluice.stop();
});
