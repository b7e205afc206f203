// SPDX-License-Identifier: GPL-3.0-or-later
// restart: an installed program that cannot take over replaces nothing.
// Streams and viewers do not notice, and the reply, an alarm, an event and the
// log have the reason.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Ctl, REFUSED } from '../helpers/ctl.mjs';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { MASTER, Sluice, WORKER, config, stream } from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sender } from '../helpers/udp.mjs';
import { fillDisk, memoryDir, now, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';

// No service has this file name.
const HOLD = 'restart-faults-hold';
const loaded = (more = {}) => ({ ...config(stream('a001',
	'udp://127.0.0.1:5000', ['udp://127.0.0.1:6000',
		'http://127.0.0.1:8100/a'])), ...more });

const pids = (sluice) => sluice.workers()
	.filter((w) => w.role !== 'auth')
	.map((w) => `${w.role} ${w.object} ${w.pid}`).sort();
const alarmsOf = async (sluice) =>
	((await sluice.json('/api/system-status')).alarms ?? [])
		.filter((text) => text.startsWith('cannot restart'));

// A program of its own, which a test can replace as an update does.
class Installed {
	constructor(t) {
		this.file = path.join(tempDir(t), 'sluice');
		fs.copyFileSync(MASTER, this.file);
		this.good = `${this.file}.good`;
		fs.copyFileSync(MASTER, this.good);
	}
	write(content) {
		fs.writeFileSync(`${this.file}.new`, content, { mode: 0o755 });
		fs.renameSync(`${this.file}.new`, this.file);
	}
	script(lines) {
		this.write(`#!/bin/bash\n${lines}\n`);
	}
	repair() {
		this.write(fs.readFileSync(this.good));
	}
}

// On air, with a viewer.
async function onAir(t, more = {}, members = {}) {
	const installed = new Installed(t);
	const sluice = await Sluice.start(t, loaded(members),
		{ master: installed.file, ...more });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await sluice.onair('a001');
	const viewer = await Viewer.open(t, 8100, '/a');
	await waitUntil('pictures', () => viewer.bytes > 100000);
	return { installed, sluice, viewer, before: pids(sluice),
		begun: sluice.log.length };
}

// The processes are the same, and the viewer lost nothing.
async function assertUnharmed({ sluice, viewer, before, begun }, timing) {
	const { bytes } = viewer;

	await waitUntil('the viewer continues',
		() => viewer.bytes > bytes + 100000 && !viewer.ended);
	assert.deepEqual(pids(sluice), before);
	timing.stop();
	const log = sluice.log.slice(begun);
	timing.unlessHeldUp(log, [await sluice.status('a001')], () => {
		const seen = checkTs(viewer.data().subarray(0,
			Math.floor(viewer.bytes / 188) * 188));
		assert.equal(seen.ccErrors + seen.syncErrors, 0);
	});
}

// A restart that is refused: its reply. A trial for which the machine leaves no
// time is repeated.
async function refusal(sluice, reason) {
	for (let left = 2;; left--) {
		const { status, body } = await sluice.post({ cmd: 'restart' });
		const { error } = JSON.parse(body);

		assert.equal(status, 503, body);
		if (left === 0 || reason.test(error) ||
			!/no result within \d+ s/.test(error))
			return error;
	}
}

// What is installed instead, and what the reply has to name.
const programs = {
	'a program that lacks a library': [({ installed }) => {
		const bytes = fs.readFileSync(installed.good);
		const at = bytes.indexOf('libjansson.so');
		assert.ok(at > 0, 'jansson is a shared library');
		bytes.write('libmissing.so', at);
		installed.write(bytes);
	}, /exit code 127: .*libmissing\.so/],
	'a program that crashes at its start': [({ installed }) =>
		installed.script('kill -SEGV $$'), /killed by signal 11/],
	'a program that writes much and exits': [({ installed }) =>
		installed.script('head -c 3000000 /dev/zero | tr "\\0" x\n' +
			'echo; echo the last line; exit 9'),
	/exit code 9: the last line$/],
	'an older program, which knows no trial': [({ installed }) =>
		// it must not be run as a service in any case
		installed.script('[ "$1" = --try-handover ] || exit 0\n' +
			'echo "sluice: unrecognized option" >&2; exit 64'),
	/exit code 64: sluice: unrecognized option/],
	'a program of another protocol': [({ installed, sluice }) =>
		installed.script(`doc=${sluice.dir}/document
sed 's/"proto":[ ]*[0-9]*/"proto":7/' /proc/self/fd/$SLUICE_HANDOVER >$doc
exec {fd}<$doc
export SLUICE_HANDOVER=$fd
exec ${installed.good} "$@"`),
	/has another protocol .*interrupt: true replaces/],
	'a program that gets no memory': [({ installed }) =>
		installed.script(`ulimit -v 12000
exec ${installed.good} "$@"`), /trial of the installed program: /],
	'a program whose handover is damaged': [({ installed, sluice }) =>
		installed.script(`echo '{"handover":' >${sluice.dir}/document
exec {fd}<${sluice.dir}/document
export SLUICE_HANDOVER=$fd
exec ${installed.good} "$@"`), /cannot adopt the running workers/],
};

test('a program that cannot take over replaces nothing', async (t) => {
	const timing = new Timing(t);
	const scene = await onAir(t);
	const { installed, sluice } = scene;
	const events = await sluice.events(t);
	const told = await sluice.events(t, '&scope=alarm');

	for (const [what, [install, reason]] of Object.entries(programs)) {
		install(scene);
		const error = await refusal(sluice, reason);

		assert.match(error, /^cannot restart, the running program/);
		assert.match(error, reason, what);
		assert.deepEqual(await alarmsOf(sluice), [error], what);
		await waitUntil(`the line: ${what}`, () =>
			sluice.log.includes(error));
	}
	// one alarm, whose event has the reason of that time
	const up = await told.wait('alarm', (m) => m.alarm === 'restart');
	assert.ok(up.raised);
	assert.match(up.reason, /^cannot restart, .*: trial of the installed/);
	// a setting is saved, and the reply reports that it is not in force
	const settings = { instance_name: 'new' };
	const reply = await sluice.cmd('set-settings', { settings });

	assert.match(reply.warnings.join(),
		/^saved, but not in effect: cannot restart/);
	assert.deepEqual((await sluice.cmd('load')).settings, settings);
	const stored = await sluice.cmd('set-config',
		{ key: 'k', data: 1, restart: true });
	assert.match(stored.warnings.join(),
		/^saved, but not in effect: cannot restart/);
	assert.equal(events.closed, null);
	await assertUnharmed(scene, timing);
	assert.equal(sluice.log.match(/restarting/g), null);

	// the repaired program takes over, and the alarm is cleared
	installed.repair();
	assert.deepEqual(await sluice.cmd('restart'), { restart: 'ok' });
	await told.wait('cleared', (m) => m.alarm === 'restart' && !m.raised);
	assert.equal(await events.waitClosed(), 1001);
	await sluice.ready();
	assert.deepEqual(await alarmsOf(sluice), []);
	assert.equal((await sluice.json('/api/system-status')).instance, 'new');
	await assertUnharmed(scene, new Timing(t));
	await sluice.stop();
});

test('restart with interrupt takes a program of another protocol',
	async (t) => {
	const { installed, sluice, viewer, before } = await onAir(t);
	const events = await sluice.events(t);
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	programs['a program of another protocol'][0]({ installed, sluice });
	assert.equal((await sluice.post({ cmd: 'restart', interrupt: 1 }))
		.status, 400);
	await ctl.fails(['restart'], REFUSED, /interrupt: true/);
	// a change of settings does not interrupt
	const { warnings } = await sluice.cmd('set-settings', { settings: {} });
	assert.match(warnings.join(), /has another protocol/);
	assert.deepEqual(pids(sluice), before);
	assert.match(await ctl.out(['restart', '--interrupt']),
		/unless the program has another protocol/);
	await sluice.logged(/restarting: .* interrupted if/);
	assert.equal(await events.waitClosed(), 1001);
	await sluice.ready();
	await sluice.logged(/another protocol .*: all workers are replaced/);
	await waitUntil('the viewer to be closed', () => viewer.ended);
	await waitUntil('other processes', () => {
		const now = pids(sluice);

		assert.equal(now.length, before.length);
		return now.every((one) => !before.includes(one));
	});
	await sluice.onair('a001');
	const next = await Viewer.open(t, 8100, '/a');
	await waitUntil('pictures', () => next.bytes > 100000);
	assert.deepEqual(await alarmsOf(sluice), []);
	await sluice.stop();
});

// What an update breaks of the workers: a file, its new content (null: none),
// and what the reply has to name.
const brokenWorkers = [
	['-net', null, /sluice-worker-net: No such file or directory$/],
	['-tls', '#!/bin/bash\necho "libssl.so: cannot open" >&2\nexit 127',
		/sluice-worker-tls: exit code 127: libssl\.so: cannot open$/],
	['', '#!/bin/bash\nkill -SEGV $$',
		/sluice-worker: killed by signal 11/],
	['-net', '#!/bin/bash\nprintf \'{"type":"worker.hello","body":' +
		'{"proto":7,"build":"x","role":"softcam"}}\' >&3; sleep 600',
	/sluice-worker-net: its protocol is not that of sluice/],
	['-tls', '#!/bin/bash\nexec sleep 600',
		/sluice-worker-tls: no result within 6 s/],
];

test('a worker program that cannot start prevents a restart', async (t) => {
	const dir = tempDir(t), program = path.join(dir, 'sluice-worker');
	const kinds = ['', '-net', '-tls', '-picture'].filter((kind) =>
		fs.existsSync(WORKER + kind));
	const install = (kind) =>
		fs.copyFileSync(WORKER + kind, program + kind);

	kinds.forEach(install);
	const sluice = await Sluice.start(t, config(),
		{ env: { SLUICE_WORKER: program } });

	for (const [kind, content, reason] of brokenWorkers) {
		fs.rmSync(program + kind);
		if (content !== null)
			fs.writeFileSync(program + kind, content,
				{ mode: 0o755 });
		assert.match(await refusal(sluice, reason), reason);
		fs.rmSync(program + kind, { force: true });
		install(kind);
	}
	assert.equal(sluice.log.match(/restarting/g), null);
	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await sluice.ready();
	await sluice.stop();
});

test('a program that hangs is ended, and requests are answered meanwhile',
	async (t) => {
	const timing = new Timing(t);
	const scene = await onAir(t);
	const { installed, sluice } = scene;
	const mark = path.join(tempDir(t), HOLD);

	fs.copyFileSync('/bin/sleep', mark);
	fs.chmodSync(mark, 0o755);
	installed.script(`exec ${mark} 600`);
	const held = () => fs.readdirSync('/proc').some((pid) => {
		try {
			return fs.readlinkSync(`/proc/${pid}/exe`) === mark;
		} catch {
			return false;
		}
	});
	const begin = now();
	const both = Promise.all([1, 2].map(() =>
		sluice.post({ cmd: 'restart' })));

	await waitUntil('the trial', held);
	let slowest = 0;
	for (let i = 0; i < 20; i++) {
		const asked = now();
		await sluice.cmd('version');
		slowest = Math.max(slowest, now() - asked);
	}
	timing.assert(slowest < 2000, `${slowest} ms for an answer`);
	for (const reply of await both) {
		assert.equal(reply.status, 503);
		assert.match(reply.body, /no result within 10 s/);
	}
	// one after the other
	timing.assert(now() - begin < 40000, `${now() - begin} ms for both`);
	assert.ok(!held(), 'the trial has ended');
	await assertUnharmed(scene, timing);
	// the end of the service does not wait for a trial
	const last = sluice.post({ cmd: 'restart' }).catch(() => null);
	await waitUntil('the trial', held);
	await sluice.stop();
	await last;
	await waitUntil('its end', () => !held());
});

test('on a full disk a restart takes over, and a change restarts nothing',
	async (t) => {
	const timing = new Timing(t);
	const dir = await memoryDir(t, '1m');
	const scene = await onAir(t, { dir });
	const { sluice } = scene;

	await sluice.cmd('set-config', { key: 'k', data: 1 });
	await waitUntil('saved', () => JSON.parse(
		fs.readFileSync(sluice.file, 'utf8')).k === 1);
	const free = fillDisk(dir);
	const events = await sluice.events(t);
	const reply = await sluice.post({ cmd: 'set-settings',
		settings: { instance_name: 'x'.repeat(100) } });

	assert.equal(reply.status, 500);
	assert.match(reply.body, /not saved/);
	const { status } = await sluice.post({ cmd: 'set-config', restart: true,
		key: 'k', data: 'x'.repeat(100) });
	assert.equal(status, 500);
	// nothing is half applied, and no client heard of it
	const { settings, k } = await sluice.cmd('load');
	assert.deepEqual([settings, k], [undefined, 1]);
	assert.deepEqual(events.messages.filter((m) =>
		/^set-/.test(m.scope)), []);
	assert.equal(sluice.log.match(/restarting/g), null);
	free();
	await sluice.cmd('set-settings', { settings: {} });
	await waitUntil('restart', () => /restarting/.test(sluice.log));
	await sluice.ready();
	fillDisk(dir);
	await sluice.cmd('restart');
	await waitUntil('restart',
		() => sluice.log.match(/restarting/g).length === 2);
	await sluice.ready();
	await assertUnharmed(scene, timing);
	await sluice.stop();
});

test('a restart tries at once to save a change, and names the reason',
	async (t) => {
	const dir = await memoryDir(t, '1m');
	const sluice = await Sluice.start(t, config(), { dir });
	const full = /not saved: .*No space left on device/;

	await sluice.cmd('set-config', { key: 'k', data: 1 });
	await sluice.cmd('restart', { dry_run: true });
	assert.equal(JSON.parse(fs.readFileSync(sluice.file, 'utf8')).k, 1);
	const free = fillDisk(dir);
	await sluice.cmd('set-config', { key: 'k', data: 'x'.repeat(9999) });
	for (const more of [{ dry_run: true }, {}, { interrupt: true }]) {
		const { status, body } = await sluice.post({ cmd: 'restart',
			...more });

		assert.equal(status, 500, body);
		assert.match(JSON.parse(body).error, full);
	}
	const reload = await sluice.post({ cmd: 'reload' });
	assert.equal(reload.status, 409);
	const { error } = JSON.parse(reload.body);
	assert.match(error, full);
	process.kill(sluice.pid, 'SIGHUP');
	await sluice.logged(/SIGHUP: reload ignored: .*No space left/);
	assert.ok(sluice.log.includes(`SIGHUP: reload ignored: ${error}\n`));
	assert.equal(sluice.log.match(/restarting/g), null);
	// the next attempt of the service may be a minute away
	free();
	await sluice.cmd('restart');
	await waitUntil('restart', () => /restarting/.test(sluice.log));
	await sluice.ready();
	assert.equal((await sluice.cmd('load')).k.length, 9999);
	await sluice.stop();
});

// The trial has passed, and then somebody writes the file.
const meanwhile = {
	'printf \'{"make_stream":[\' >FILE': /line 1, column/,
	'rm FILE': /file not found/,
	'printf \'{"make_stream":[{"id":"a","type":"x"}]}\' >FILE':
		/make_stream\[0\]/,
};

// A change overwrites the file that the restart has not read: it is kept.
async function overwritten(sluice, length) {
	const faulty = fs.existsSync(sluice.file) &&
		fs.readFileSync(sluice.file, 'utf8');

	await sluice.cmd('set-stream', { id: 'other',
		stream: stream('other', [], [], { enable: false }) });
	if (!faulty) {
		await waitUntil('the file', () => fs.existsSync(sluice.file));
		return;
	}
	const line = `: it is kept as ${sluice.file}.1`;

	await waitUntil('line', () => sluice.log.includes(line, length));
	assert.equal(fs.readFileSync(`${sluice.file}.1`, 'utf8'), faulty);
}

test('a file that is faulty after the trial leaves the streams on air',
	async (t) => {
	const timing = new Timing(t);
	const scene = await onAir(t);
	const { installed, sluice } = scene;
	const sound = fs.readFileSync(sluice.file);
	const failed = async () => (await sluice.json('/api/system-status'))
		.alarms?.filter((text) => /reload failed/.test(text)) ?? [];

	for (const [command, reason] of Object.entries(meanwhile)) {
		const { length } = sluice.log;

		installed.script(`[ "$1" = --try-handover ] ||
	${command.replace('FILE', sluice.file)}
exec ${installed.good} "$@"`);
		await sluice.cmd('restart');
		await waitUntil('the line', () =>
			/the configuration file is not used, .*: /.test(
				sluice.log.slice(length)));
		await sluice.ready();
		assert.match((await failed()).join(), reason);
		assert.equal((await sluice.cmd('load')).make_stream[0].id,
			'a001');
		await overwritten(sluice, length);
		// the program that runs is the next that is replaced
		installed.file = installed.good;
		installed.good += '.good';
		fs.copyFileSync(MASTER, installed.good);
		fs.writeFileSync(sluice.file, sound);
	}
	await assertUnharmed(scene, timing);
	await sluice.cmd('reload');
	assert.deepEqual(await failed(), []);
	await sluice.stop();
});

// A file may have ten times as many values as a request.
test('a restart with a large configuration leaves the streams on air',
	async (t) => {
	const timing = new Timing(t);
	const scene = await onAir(t, {}, { remarks: Array(300000).fill(0) });
	const { sluice } = scene;

	await sluice.cmd('restart');
	await waitUntil('the next program', () => /sluice \S+, configuration/
		.test(sluice.log.slice(scene.begun)));
	await sluice.ready();
	assert.equal((await sluice.cmd('load')).remarks.length, 300000);
	await assertUnharmed(scene, timing);
	await sluice.stop();
});

test('only an upload that was written is taken with its errors', async (t) => {
	const dir = await memoryDir(t, '1m');
	const sluice = await Sluice.start(t, config(), { dir });
	const faulty = (name) => config({ id: 'a', name, enable: true,
		type: 'x' });
	const put = (name) => fs.writeFileSync(sluice.file,
		JSON.stringify(faulty(name)));
	const refused = async () => {
		const { status, body } = await sluice.post({ cmd: 'restart',
			dry_run: true });

		assert.equal(status, 503, body);
		assert.match(JSON.parse(body).error, /make_stream\[0\]/);
	};
	const fails = async (command) => assert.equal(
		(await sluice.post(command)).status, 500);

	await sluice.cmd('upload', { config: faulty('a') });
	await sluice.cmd('restart', { dry_run: true });
	const free = fillDisk(dir);
	await fails({ cmd: 'upload', config: { ...faulty('b'),
		k: 'x'.repeat(9999) } });
	await fails({ cmd: 'set-settings', settings: {
		instance_name: 'x'.repeat(9999) } });
	// the file has the first upload
	await sluice.cmd('restart', { dry_run: true });
	free();
	fs.writeFileSync(sluice.file, JSON.stringify({ ...faulty('b'),
		k: 'x'.repeat(9999) }));
	await refused();
	put('c');
	await refused();
	put('a');
	await sluice.cmd('restart');
	await waitUntil('restart', () => /restarting/.test(sluice.log));
	await sluice.ready();
	await sluice.stop();
});
