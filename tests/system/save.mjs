// SPDX-License-Identifier: GPL-3.0-or-later
// save: a change is on disk, whole, a second later, or the old file is
// unchanged.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { TsMux } from '../helpers/mux.mjs';
import { AS_SELF, MASTER, Sluice, WORKER, config, request, stream }
	from '../helpers/sluice.mjs';
import { call, done, startGuarded } from '../helpers/auth.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { fillDisk, memoryDir, now, run, udpBound, waitUntil }
	from '../helpers/util.mjs';

const one = (more) => stream('a001', 'udp://127.0.0.1:5000',
	'udp://127.0.0.1:6000', more);

const read = (sluice) => JSON.parse(fs.readFileSync(sluice.file, 'utf8'));

// The line of the log for a content that a change overwrites.
const overwrites = (file) => `overwritten an edit or upload in ${file}, ` +
	`which was not in effect: it is kept as ${file}.1`;

async function mount(...args) {
	const { code, err } = await run('mount', args);

	assert.equal(code, 0, `mount ${args.join(' ')}: ${err}`);
}

const disk = (t) => memoryDir(t, '64k');

test('a change is saved one second later, in one piece', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t,
		{ ...config(), other: { keys: 1 } }, { dir: await disk(t) });
	const old = fs.statSync(sluice.file).ino;

	fs.chmodSync(sluice.file, 0o640);
	const begin = now();
	await sluice.cmd('set-stream', { stream: one({ enable: false }) });
	await waitUntil('new file', () =>
		fs.statSync(sluice.file).ino !== old);
	const ms = now() - begin;
	assert.ok(ms > 900, `after ${ms} ms`);
	timing.assert(ms < 2500, `after ${ms} ms`);
	assert.deepEqual(read(sluice), await sluice.cmd('load'));
	assert.deepEqual(read(sluice).other, { keys: 1 });
	assert.equal(fs.statSync(sluice.file).mode & 0o777, 0o640);
	assert.deepEqual(fs.readdirSync(sluice.dir).sort(), ['sluice.json',
		'sluice.json.1', 'sluice.json.lock', 'sluice.json.starts']);
	await sluice.stop();
});

test('many changes are written once, and every reader reads a whole file',
	async (t) => {
	const sluice = await Sluice.start(t, config(),
		{ dir: await disk(t) });
	let inode = fs.statSync(sluice.file).ino, writes = 0, n = 0;
	const watch = setInterval(() => {
		// throws, and fails the test, on a torn file
		read(sluice);
		const { ino } = fs.statSync(sluice.file);
		if (ino !== inode)
			writes++;
		inode = ino;
	}, 2);

	t.after(() => clearInterval(watch));
	const begin = now();
	while (now() - begin < 700 || n <= 20) {
		// ten at once: a busy machine is slow to answer
		await Promise.all(Array.from({ length: 10 }, () =>
			sluice.cmd('set-stream', { id: `s${n % 20}`,
				stream: stream(`s${n % 20}`, [], [],
					{ enable: false, n: n++ }) })));
	}
	const took = now() - begin;
	const loaded = await sluice.cmd('load');
	await waitUntil('the last save', () =>
		isDeepStrictEqual(read(sluice), loaded));
	const saved = now();
	await waitUntil('quiet', () => now() - saved > 1500);
	clearInterval(watch);
	assert.ok(writes > 0 && writes <= 1 + Math.floor(took / 1000),
		`${writes}`);
	assert.deepEqual(read(sluice), loaded);
	await sluice.stop();
});

test('the revisions of the file are listed, and one is brought back',
	async (t) => {
	const { sluice, admin: headers } = await startGuarded(t, {
		config: config(one({ enable: false })) });
	const ask = (path) => request(sluice.port, { path, headers });
	const get = async (path) => {
		const { status, body } = await ask(path);

		assert.equal(status, 200, body);
		return JSON.parse(body);
	};
	const cmd = (name, more) => done(sluice, { cmd: name, ...more },
		headers);
	const before = await cmd('load');

	await cmd('set-stream', { id: 'a001', stream: one({ enable: false,
		name: 'other' }) });
	const list = await waitUntil('the save', async () => {
		const { revisions } = await get('/api/revisions');

		return revisions[0].bytes === fs.statSync(sluice.file).size &&
			read(sluice).make_stream[0].name === 'other' &&
			revisions;
	});

	assert.deepEqual(list.map(({ n }) => n), list.map((_, i) => i));
	assert.match(list[0].hash, /^[0-9a-f]{64}$/);
	// not every file system stores it
	assert.ok([undefined, 'admin'].includes(list[0].author));
	assert.deepEqual(await get('/api/revisions/0'), read(sluice));
	const old = await get('/api/revisions/1');

	assert.deepEqual(old, before);
	for (const n of ['11', 'x', '-1', '0x1'])
		assert.equal((await ask(`/api/revisions/${n}`)).status, 404,
			n);
	const dry = await cmd('upload', { dry_run: true, config: old });

	assert.deepEqual(dry.changes.changed, ['a001']);
	// it was shown beside a document that is not the present one
	assert.equal((await call(sluice, { cmd: 'upload', config: old,
		was: old }, headers)).status, 409);
	await cmd('upload', { config: old });
	assert.deepEqual(read(sluice), before);
	await cmd('set-stream', { id: 'a001', stream: one({ enable: false,
		name: 'next' }) });
	await waitUntil('the next save', () =>
		read(sluice).make_stream[0].name === 'next');
	assert.deepEqual(await get('/api/revisions/1'), before);
	await sluice.logged(new RegExp(`${overwrites(sluice.file)}$`, 'm'));
	await sluice.stop();
});

// Changes the name of the stream through the API.
async function rename(sluice, name) {
	await sluice.cmd('set-stream', { id: 'a001',
		stream: one({ enable: false, name }) });
	await waitUntil('the save', () =>
		read(sluice).make_stream[0].name === name);
}

test('a manual edit that a change overwrites is kept, and in the log',
	async (t) => {
	const sluice = await Sluice.start(t, config(one({ enable: false })));
	const edits = () =>
		sluice.log.split(overwrites(sluice.file)).length - 1;
	const edit = (text) => {
		fs.writeFileSync(sluice.file, text);
		return text;
	};
	const keeps = async (text, n) => {
		await sluice.logged(new RegExp('(?:overwritten an edit[^]*)' +
			`{${n}}`));
		assert.equal(edits(), n);
		assert.equal(fs.readFileSync(`${sluice.file}.1`, 'utf8'), text);
	};
	const byHand = (name) => JSON.stringify(config(one({ enable: false,
		name })));

	// the file as it was at the start
	const first = edit(byHand('first'));

	await rename(sluice, 'a');
	await keeps(first, 1);
	// no edit
	fs.chmodSync(sluice.file, 0o640);
	await rename(sluice, 'b');
	assert.equal(edits(), 1);
	// an edit that is reloaded
	edit(byHand('second'));
	sluice.child.kill('SIGHUP');
	await sluice.logged(/SIGHUP: configuration reloaded/);
	await rename(sluice, 'c');
	assert.equal(edits(), 1);
	// an edit whose reload fails
	const faulty = edit('{"make_stream": 1}');

	sluice.child.kill('SIGHUP');
	await sluice.logged(/reload failed/);
	await rename(sluice, 'd');
	await keeps(faulty, 2);
	// the file as it was at a restart
	await sluice.cmd('restart');
	await sluice.logged(/(?:control at [^]*){2}/);
	const third = edit(byHand('third'));

	await rename(sluice, 'e');
	await keeps(third, 3);
	// an upload that the section of a command overwrites
	const upload = config(one({ enable: false, name: 'upload' }));

	await sluice.cmd('upload', { config: upload });
	await sluice.cmd('set-settings', { settings: { hls_interval: 3 } });
	await sluice.logged(/(?:overwritten an edit[^]*){4}/);
	assert.deepEqual(JSON.parse(fs.readFileSync(`${sluice.file}.1`,
		'utf8')), upload);
	// the running document is in effect
	await sluice.cmd('upload', { config: await sluice.cmd('load') });
	await rename(sluice, 'f');
	assert.equal(edits(), 4);
	await sluice.stop();
});

test('a stop saves the unsaved changes', async (t) => {
	const sluice = await Sluice.start(t, config(),
		{ dir: await disk(t) });

	await sluice.cmd('set-stream', { stream: one({ enable: false }) });
	// a hand that presses Ctrl-C again and again
	const again = setInterval(() => sluice.child.kill('SIGINT'), 1);
	const { code } = await sluice.stop('SIGINT');

	clearInterval(again);
	assert.equal(code, 0);
	assert.equal(sluice.log.split('SIGINT: stopping').length, 2);
	assert.equal(read(sluice).make_stream[0].id, 'a001');
});

test('a missing file is created', async (t) => {
	const sluice = await Sluice.start(t, null, { dir: await disk(t) });

	assert.deepEqual(await sluice.cmd('load'), {});
	assert.equal(fs.existsSync(sluice.file), false);
	await sluice.cmd('set-stream', { stream: one({ enable: false }) });
	await waitUntil('the file', () => fs.existsSync(sluice.file));
	assert.equal(fs.statSync(sluice.file).mode & 0o077, 0,
		'secrets are private');
	await sluice.stop();
});

// A running stream while the disk fails; dir is the folder that fails.
async function underWay(t, dir) {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(one()), { dir });

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	return { sluice, sender, recorder, timing: new Timing(t),
		begun: sluice.log.length };
}

async function change(sluice) {
	const before = fs.readFileSync(sluice.file, 'utf8');

	await sluice.cmd('set-stream', { stream: stream('new', [], [],
		{ enable: false, comment: 'x'.repeat(3000) }) });
	await waitUntil('complaint', () =>
		sluice.log.includes(`${sluice.file} is not saved`));
	assert.equal(fs.readFileSync(sluice.file, 'utf8'), before,
		'the old file is intact');
	assert.equal((await sluice.cmd('load')).make_stream.length, 2);
}

async function recovered({ sluice, sender, recorder, timing, begun }) {
	await waitUntil('the save', () =>
		read(sluice).make_stream.length === 2, 20000);
	await waitUntil('line in the log', () =>
		/saved again/.test(sluice.log));
	const log = sluice.log.slice(begun);
	await recorder.all(sender);
	const [list] = await recorder.stop();
	timing.stop();
	timing.unlessHeldUp(log, [await sluice.status('a001')], () => {
		assert.equal(checkTs(joined(list)).ccErrors, 0);
		assert.equal(list.length, sender.sent,
			'the stream lost nothing');
	});
	await sluice.stop();
}

test('a full disk does not affect a stream, and the save is repeated',
	async (t) => {
	const dir = await disk(t);
	const all = await underWay(t, dir);
	const free = fillDisk(dir);
	await change(all.sluice);
	await all.sluice.logged(/No space left/);
	free();
	await recovered(all);
});

test('a read-only folder does not affect a stream, and the save is repeated',
	async (t) => {
	const dir = await disk(t);
	const all = await underWay(t, dir);
	await mount('-o', 'remount,ro', dir);
	await change(all.sluice);
	await all.sluice.logged(/Read-only/);
	await mount('-o', 'remount,rw', dir);
	await recovered(all);
});

test('one configuration has one master, after a restart too', async (t) => {
	const sluice = await Sluice.start(t, config());
	const second = async () => {
		const { code, err } = await run(MASTER,
			[...AS_SELF, '-p', '127.0.0.1:8001', '-c', sluice.file],
			{ env: { ...process.env, SLUICE_WORKER: WORKER } });

		assert.equal(code, 1, err);
		assert.match(err, /sluice\.json is in use by another sluice\n/);
	};

	await second();
	await sluice.cmd('restart');
	await waitUntil('the restart', () => /restarting/.test(sluice.log));
	await sluice.ready();
	await second();
	await sluice.stop();
	const next = await Sluice.start(t, null, { dir: sluice.dir });
	await next.stop();
});
