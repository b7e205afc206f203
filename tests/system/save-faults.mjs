// SPDX-License-Identifier: GPL-3.0-or-later
// save, with failing system calls: whichever call of a save fails, the file is
// a whole version, old or new, the failure is reported, and the next save
// succeeds.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { memoryDir, now, start, waitUntil } from '../helpers/util.mjs';

const ERRORS = ['EIO', 'ENOSPC', 'EINTR'];
const REVISIONS = 10;
const PER_MINUTE = 3; // lines of a kind

// strace on the threads of a process, also on later ones; it looks only at
// calls about the configuration, and counts them for each thread from zero.
class Trace {
	static async attach(t, sluice, inject = undefined) {
		const self = new Trace();
		const { dir, file } = sluice;
		const paths = [dir, file, path.join(dir, '.sluice.json.new')];

		for (let i = 0; i <= REVISIONS; i++)
			paths.push(`${file}.${i}`);
		self.file = path.join(dir, 'trace');
		self.child = spawn('strace', ['-f', '-o', self.file,
			...paths.flatMap((name) => ['-P', name]),
			...inject ? ['-e', `inject=${inject}`] : [],
			'-p', String(sluice.pid)],
		{ stdio: ['ignore', 'ignore', 'pipe'] });
		self.said = '';
		self.ended = new Promise((done) => {
			self.child.on('error', (error) => {
				self.said += error;
				done();
			});
			self.child.on('close', done);
		});
		self.child.stderr.on('data', (data) => { self.said += data; });
		t.after(() => self.detach());
		await Promise.race([self.ended, waitUntil('strace',
			() => / attached/.test(self.said))]);
		self.attached = / attached/.test(self.said);
		return self;
	}

	async detach() {
		this.child.kill('SIGTERM');
		await this.ended;
	}

	get text() { return fs.readFileSync(this.file, 'utf8'); }

	// How often each call was made.
	counts() {
		const counts = {};

		for (const [, name] of this.text.matchAll(/^\d+ +(\w+)\(/gm))
			counts[name] = (counts[name] ?? 0) + 1;
		return counts;
	}
}

// Why this test may not trace another process here, or undefined.
async function reason(t) {
	const traced = start(t, 'sleep', ['600']);
	const strace = start(t, 'strace', ['-e', 'inject=sync:error=EIO',
		'-p', String(traced.pid)]);
	const attached = () => / attached/.test(strace.text.err);

	strace.on('error', (error) => { strace.text.err += error; });
	await waitUntil('strace', () => attached() || strace.exitCode !== null);
	strace.kill('SIGINT');
	await strace.ended;
	traced.kill('SIGKILL');
	return attached() ? undefined : strace.text.err.trim();
}

const version = (n) => ({ ...config(stream('a001', [], [],
	{ enable: false, comment: 'x'.repeat(5000) })), n });
const parsed = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const revisions = (dir) => fs.readdirSync(dir).filter((name) =>
	/^sluice\.json\.\d+$/.test(name));

// Each of the calls of that name, failing in each way.
const faults = ([call, times]) => Array.from({ length: times }, (_, i) =>
	ERRORS.map((error) => `${call}:error=${error}:when=${i + 1}`)).flat();

// How many descriptors of the process are about the folder.
function descriptors({ pid, dir }) {
	const folder = `/proc/${pid}/fd`;
	let n = 0;

	for (const fd of fs.readdirSync(folder)) {
		try {
			n += fs.readlinkSync(path.join(folder, fd))
				.startsWith(dir);
		} catch {
			// closed meanwhile
		}
	}
	return n;
}

test('each call of a save fails in turn, with each error', async (t) => {
	const why = await reason(t);
	if (why !== undefined) {
		t.skip(`strace cannot attach here: ${why}`);
		return;
	}
	const sluice = await Sluice.start(t, version(0),
		{ dir: await memoryDir(t) });
	const { dir, file } = sluice;
	let n = 0, refused = 0, kept = 0;
	const upload = () => sluice.post({ cmd: 'upload',
		config: version(++n) });
	const uploadWell = async () => {
		const reply = await upload();

		assert.equal(reply.status, 200, reply.body);
		assert.deepEqual(parsed(file), version(n));
		// nothing half is left, and each revision is whole
		assert.ok(!fs.existsSync(`${file}.0`));
		assert.ok(!fs.existsSync(path.join(dir, '.sluice.json.new')));
		for (const name of revisions(dir))
			assert.deepEqual(Object.keys(parsed(path.join(dir,
				name))), Object.keys(version(0)), name);
	};

	while (n <= REVISIONS)
		await uploadWell();
	assert.equal(revisions(dir).length, REVISIONS);
	const plain = await Trace.attach(t, sluice);
	await uploadWell();
	await plain.detach();
	const counts = plain.counts();
	for (const name of ['openat', 'write', 'fsync', 'close', 'rename',
		'unlink', 'linkat'])
		assert.ok(counts[name] >= 1, `${name} of a save is seen`);
	assert.equal(counts.fsync, 2, 'file and folder');
	const before = descriptors(sluice), begin = now();

	for (const what of Object.entries(counts).flatMap(faults)) {
		const trace = await Trace.attach(t, sluice, what);
		const { status, body } = await upload();

		await trace.detach();
		assert.match(trace.text, /INJECTED/, what);
		// strace returns an error for a call that it skips
		kept += what.startsWith('close');
		const found = parsed(file).n;
		assert.ok(found === n || (found === n - 1 && status !== 200),
			`${what}: ${found} of ${n}, ${status}`);
		if (status !== 200) {
			refused++;
			assert.equal(status, 500, what);
			assert.match(JSON.parse(body).error,
				/not saved: cannot /);
		}
		await uploadWell();
	}
	// logged, with a limit for repetitions
	await sluice.logged(/error config: .* is not saved: cannot /);
	await sluice.logged(/info config: .* is saved again/);
	// a revision that is lost
	await sluice.logged(/ not kept as a revision: /);
	const most = PER_MINUTE * Math.ceil((now() - begin) / 60000 + 1);
	for (const line of ['is not saved', 'is saved again', 'not kept'])
		assert.ok(sluice.log.split(line).length - 1 <= most, line);
	const calls = Object.values(counts).reduce((a, b) => a + b);
	t.diagnostic(`${calls} calls, ${refused} saves failed`);
	// those without which there is no save, and not the others
	assert.ok(refused >= 20 && refused <= 40, `${refused}`);
	assert.ok(descriptors(sluice) <= before + kept, 'a leak');
	await sluice.stop();
	assert.deepEqual(parsed(file).n, n);
});

test('a slow disk delays no request, and is reported', async (t) => {
	const timing = new Timing(t);
	const why = await reason(t);
	if (why !== undefined) {
		t.skip(`strace cannot attach here: ${why}`);
		return;
	}
	const sluice = await Sluice.start(t, version(0),
		{ dir: await memoryDir(t) });
	const trace = await Trace.attach(t, sluice,
		'fsync:delay_enter=3000000');

	await sluice.cmd('set-config', { key: 'n', data: 1 });
	for (let begin = now(); now() - begin < 3000;) {
		const asked = now();
		await sluice.cmd('version');
		// if it waited for the disk, it would be three seconds
		timing.assert(now() - asked < 2500,
			'the save holds up the loop');
	}
	// saved by two such calls, with the changes in between after it
	await sluice.cmd('set-config', { key: 'm', data: 2 });
	await waitUntil('the line', () =>
		/warning config: .* took \d+ s to write: the disk is slow/
			.test(sluice.log), 30000);
	await trace.detach();
	await waitUntil('the save', () => parsed(sluice.file).m === 2, 20000);
	await sluice.stop();
});

test('a save that fails is repeated until it succeeds', async (t) => {
	const why = await reason(t);
	if (why !== undefined) {
		t.skip(`strace cannot attach here: ${why}`);
		return;
	}
	await Promise.all([['openat', 'ENOSPC', 3], ['write', 'ENOSPC', 1],
		['fsync', 'EIO', 1], ['fsync', 'EIO', 2], ['rename', 'EIO', 1],
		['fchmod', 'EINTR', 1]].map(async ([call, error, at]) => {
		const what = `${call}:error=${error}:when=${at}`;
		const sluice = await Sluice.start(t, version(0),
			{ dir: await memoryDir(t) });
		const trace = await Trace.attach(t, sluice, what);

		await sluice.cmd('set-config', { key: 'n', data: 1 });
		await waitUntil(`failure of ${what}`, () =>
			/config: .* is not saved: cannot /.test(sluice.log));
		assert.ok([0, 1].includes(parsed(sluice.file).n), what);
		// the service continues meanwhile
		await sluice.cmd('set-config', { key: 'm', data: 2 });
		assert.deepEqual(await sluice.cmd('load'),
			{ ...version(1), m: 2 });
		await trace.detach();
		await waitUntil(`success after ${what}`, () =>
			/config: .* is saved again/.test(sluice.log), 30000);
		// the second one may have come after the save
		await waitUntil('both', () => isDeepStrictEqual(
			parsed(sluice.file), { ...version(1), m: 2 }));
		await sluice.stop();
	}));
});

test('a disk that hangs delays the reply that waits for it by two seconds',
	async (t) => {
	const why = await reason(t);
	if (why !== undefined) {
		t.skip(`strace cannot attach here: ${why}`);
		return;
	}
	const sluice = await Sluice.start(t, version(0),
		{ dir: await memoryDir(t) });
	const trace = await Trace.attach(t, sluice,
		'fsync:delay_enter=10000000');
	const auth = { enable: true };

	await sluice.cmd('set-auth', { auth });
	assert.equal(parsed(sluice.file).auth, undefined);
	// a client that leaves is no client that is answered
	const left = http.request({ host: '127.0.0.1', port: sluice.port,
		method: 'POST', path: '/control/' }).on('error', () => {});
	const gone = new Promise((done) => { left.on('close', done); });

	left.end(JSON.stringify({ cmd: 'set-auth', auth: {} }));
	await waitUntil('the change', async () => isDeepStrictEqual(
		(await sluice.cmd('load')).auth, {}));
	left.destroy();
	await gone;
	await trace.detach();
	await waitUntil('the save', () => isDeepStrictEqual(
		parsed(sluice.file).auth, {}), 60000);
	await sluice.stop();
});

// The save of a change is held for seconds at each fsync: of the new file, and
// after it has replaced the old one, of the folder.
test('a reload waits for the end of a save, five seconds at most',
	async (t) => {
	const why = await reason(t);
	if (why !== undefined) {
		t.skip(`strace cannot attach here: ${why}`);
		return;
	}
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, version(0),
		{ dir: await memoryDir(t) });
	const { file } = sluice;
	const edit = (n) => fs.writeFileSync(file, JSON.stringify(version(n)));
	const writing = () => waitUntil('the write', () =>
		fs.existsSync(path.join(sluice.dir, '.sluice.json.new')));
	const reload = () => sluice.post({ cmd: 'reload' });

	// edited when the new file has its place
	let trace = await Trace.attach(t, sluice, 'fsync:delay_enter=1500000');
	sluice.cmd('set-auth', { auth: { enable: true } });
	await waitUntil('the new file', () => parsed(file).auth);
	edit(1);
	let reply = await reload();
	assert.deepEqual([reply.status, JSON.parse(reply.body)], [200,
		{ reload: 'ok', restart: true, added: [], changed: [],
			removed: [], sections: ['n', 'auth'] }]);
	await waitUntil('the restart', () => /restarting/.test(sluice.log));
	await sluice.ready();

	// edited before the new file replaces it
	const { length } = sluice.log;
	sluice.cmd('set-auth', { auth: { enable: true } });
	await writing();
	edit(2);
	reply = await reload();
	const lost = 'the save of a change made through the API has replaced ' +
		'the file after the request: if the file was edited before, ' +
		`edit it again (see ${file}.1)`;
	assert.deepEqual([reply.status, JSON.parse(reply.body)], [200,
		{ reload: 'ok', restart: false, added: [], changed: [],
			removed: [], sections: [], warnings: [lost] }]);
	assert.ok(sluice.log.slice(length).includes(`API: ${lost}\n`));
	assert.deepEqual(parsed(`${file}.1`), version(2));
	await trace.detach();

	// the save does not end
	trace = await Trace.attach(t, sluice, 'fsync:delay_enter=30000000');
	sluice.cmd('set-auth', { auth: {} });
	await writing();
	const from = now();
	reply = await reload();
	assert.equal(reply.status, 409, reply.body);
	assert.match(reply.body, /is about to overwrite the file/);
	timing.assert(now() - from < 8000);
	assert.ok(now() - from > 4000);
	await sluice.logged(/API: reload ignored: /);
	await trace.detach();
	await waitUntil('the save', () => isDeepStrictEqual(parsed(file).auth,
		{}), 60000);
	await sluice.stop();
});
