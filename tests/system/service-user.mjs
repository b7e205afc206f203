// SPDX-License-Identifier: GPL-3.0-or-later
// main, started by root: the service gives up root before it serves anybody.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { MASTER, Sluice, WORKER, config, stream }
	from '../helpers/sluice.mjs';
import { certificate, shown } from '../helpers/tls.mjs';
import { builddir, run, srcdir, tempDir, waitUntil }
	from '../helpers/util.mjs';

const NOBODY = 'nobody';

// Why this machine cannot run the service as nobody; or null.
async function obstacle() {
	if (process.getuid() !== 0)
		return 'needs root';
	const { code } = await run('setpriv', ['--reuid', NOBODY,
		'--clear-groups', 'test', '-x', WORKER]);

	return code === 0 ? null : 'nobody cannot execute the programs';
}

const field = (pid, name) => fs.readFileSync(`/proc/${pid}/status`, 'utf8')
	.match(new RegExp(`^${name}:\\s*(.*)$`, 'm'))[1];

test('the master and its workers are of the user, with low ports',
	async (t) => {
	const why = await obstacle();
	if (why !== null) {
		t.skip(why);
		return;
	}
	const id = Number((await run('id', ['-u', NOBODY])).out);
	const dir = tempDir(t), secret = `${dir}/secret.ts`;

	fs.writeFileSync(secret, 'root', { mode: 0o600 });
	fs.chownSync(dir, id, id);
	const sluice = await Sluice.start(t, config(stream('a001',
		[`file://${secret}`], ['http://127.0.0.1:81/a'])),
	{ dir, user: NOBODY });
	await sluice.waitStatus('a001', 'the denied file', (s) =>
		/Permission denied/.test(s.inputs[0].error));

	const all = [sluice.pid, ...sluice.workers().map(({ pid }) => pid)];
	assert.ok(all.length >= 3);
	for (const pid of all) {
		assert.match(field(pid, 'Uid'),
			new RegExp(`^(${id}\\s*){4}$`));
		assert.doesNotMatch(field(pid, 'Groups'), /\b0\b/);
		// CAP_NET_BIND_SERVICE and CAP_NET_RAW at most
		const kept = BigInt(`0x${field(pid, 'CapPrm')}`);
		assert.equal(kept & ~0x2400n, 0n);
		// no process of this user can read its memory
		assert.equal(fs.statSync(`/proc/${pid}/mem`).uid, 0);
	}
	// what it saves is of the user, too
	await sluice.cmd('set-config', { key: 'k', data: 1 });
	await sluice.stop();
	assert.equal(fs.statSync(sluice.file).uid, id);
});

// The key is open when root gives up its rights.
test('the user cannot open the key that is the standard input', async (t) => {
	const why = await obstacle();
	if (why !== null) {
		t.skip(why);
		return;
	}
	const id = Number((await run('id', ['-u', NOBODY])).out);
	const dir = tempDir(t);
	const [cert, next] = [await certificate(dir, 'first'),
		await certificate(dir, 'second')];

	fs.chmodSync(dir, 0o755);
	for (const { chain, key } of [cert, next]) {
		fs.chmodSync(key, 0o600);
		fs.chmodSync(chain, 0o644);
	}
	fs.chownSync(dir, id, id);
	const input = fs.openSync(cert.key, 'r');
	const sluice = await Sluice.start(t, { ...config(), settings: {
		crt_chain: cert.chain, crt_key: '/dev/stdin' } },
	{ dir, user: NOBODY, input });

	fs.closeSync(input);
	await shown(sluice.port, cert);
	const denied = await run('setpriv', ['--reuid', NOBODY,
		'--clear-groups', 'cat', cert.key]);

	assert.match(denied.err, /Permission denied/);
	for (const { pid } of sluice.workers())
		assert.equal(fs.readlinkSync(`/proc/${pid}/fd/0`), '/dev/null');
	// the program that replaces it has it, too, and so has the next worker
	await sluice.cmd('restart');
	await shown(sluice.port, cert);
	const { pid } = sluice.worker('tls');

	process.kill(pid, 'SIGKILL');
	await waitUntil('another worker', () => {
		const other = sluice.worker('tls');

		return other !== undefined && other.pid !== pid;
	});
	await shown(sluice.port, cert);
	// the file has another key
	fs.writeFileSync(cert.key, fs.readFileSync(next.key));
	fs.writeFileSync(cert.chain, next.pem);
	await sluice.cmd('reload');
	await shown(sluice.port, next);
	await sluice.stop();
});

test('a standard input that is no file is named', async (t) => {
	const sluice = await Sluice.start(t, config());
	const reply = await sluice.post({ cmd: 'set-settings', settings: {
		crt_chain: '/dev/stdin', crt_key: '/dev/stdin' } });

	assert.equal(reply.status, 400);
	assert.match(reply.body, /settings.crt_chain: \/dev\/stdin: not a reg/);
	await sluice.stop();
});

test('without a user the start is refused', async (t) => {
	if (process.getuid() !== 0) {
		t.skip('needs root');
		return;
	}
	const cases = [[['--user', 'nowho'], /--user nowho: no such user/]];

	if ((await run('id', ['sluice'])).code !== 0)
		cases.push([[], /no user sluice: name a user with --user/]);
	for (const [args, text] of cases) {
		const { code, err } = await run(MASTER, args);

		assert.equal(code, 64, err);
		assert.match(err, text);
	}
});

test('a kernel without Landlock is reported with what it leaves open',
	async (t) => {
	const without = path.join(builddir, 'tests/helpers/refuse-call');
	const start = (...args) => run(without, ['landlock', MASTER,
		'--require-sandbox', ...process.getuid() === 0 ? args : []]);
	const sluice = await Sluice.start(t, config(),
		{ through: [without, 'landlock'] });
	const of = (root) => new RegExp('this kernel has no Landlock: .* can ' +
		`open every file of ${root ? 'this machine, because the ' +
			'service runs as root' : 'the service'}`);

	await sluice.logged(of(process.getuid() === 0));
	await sluice.stop();
	for (const [args, text] of [[['--user', 'root'],
		of(process.getuid() === 0)], [['--user', NOBODY], of(false)]]) {
		const { code, err } = await start(...args);

		assert.equal(code, 1, err);
		assert.match(err, text);
	}
});

// The function of the script that root's `run' calls before it starts the
// service, in a folder with empty programs.
test('contrib/quickstart run starts the service of root as another user',
	{ skip: process.getuid() !== 0 && 'only root has another user' },
	async (t) => {
	const script = fs.readFileSync(path.join(srcdir,
		'contrib/quickstart'), 'utf8');
	const [as] = /^as_service\(\) \{\n[^]*?^\}$/m.exec(script);
	const [main] = /^run\(\) \{\n[^]*?^\}$/m.exec(script);
	const dir = tempDir(t), build = path.join(dir, 'build');

	assert.match(main, /\n\tas_service\n[^]*"\$programs\/sluice" \\\n\t+/);
	assert.match(main, /"\$\{service\[@\]\}" -c /);
	fs.mkdirSync(build);
	for (const name of ['', '-worker', '-worker-net', '-worker-tls',
		'-worker-picture'])
		fs.writeFileSync(path.join(build, `sluice${name}`), '');
	for (const [caller, user] of [['', NOBODY], ['root', NOBODY],
		['daemon', 'daemon']]) {
		const tmp = tempDir(t);
		const { code, out, err } = await run('bash', ['-euc', `${as}
cd ${dir}; top=${dir} tmp=${tmp}
${caller === '' ? 'unset SUDO_USER' : `SUDO_USER=${caller}`}
as_service
echo "\${service[@]}"; stat -c %U $tmp/sluice-worker`]);

		assert.equal(code, 0, err);
		assert.equal(out, `--user ${user}\n${user}\n`);
	}
});
