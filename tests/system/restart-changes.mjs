// SPDX-License-Identifier: GPL-3.0-or-later
// restart: changes that the API accepts during the trial are not lost, the file
// that the new program reads was tried, and no process of a trial is left.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { MASTER, Sluice, config, stream } from '../helpers/sluice.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const a001 = stream('a001', 'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000');
const named = (name) => ({ ...a001, enable: false, name });

// An installed program that counts its trials.  Trial N lasts while the file
// hold.N exists, and fails if the file fail.N exists.
class Slow {
	constructor(t) {
		this.dir = tempDir(t);
		this.file = path.join(this.dir, 'sluice');
		fs.copyFileSync(MASTER, this.file);
		fs.copyFileSync('/bin/sleep', this.at('descendant'));
		fs.chmodSync(this.at('descendant'), 0o755);
	}
	at(name) { return path.join(this.dir, name); }
	make(name) { fs.writeFileSync(this.at(name), ''); }
	end(name) { fs.rmSync(this.at(name)); }
	get trials() {
		try {
			return fs.statSync(this.at('trials')).size;
		} catch {
			return 0;
		}
	}
	install() {
		fs.writeFileSync(`${this.file}.new`, `#!/bin/bash
if [ "$1" = --try-handover ]; then
	printf x >>${this.at('trials')}
	n=$(stat -c %s ${this.at('trials')})
	while [ -e ${this.at('hold')}.$n ]; do sleep 0.05; done
	if [ -e ${this.at('fail')}.$n ]; then
		${this.at('descendant')} 600 &
		printf 'x\\xe4%.0s' {1..200}
		exit 9
	fi
	[ -e ${this.at('hang')}.$n ] && ${this.at('descendant')} 600
fi
exec ${MASTER} "$@"
`, { mode: 0o755 });
		fs.renameSync(`${this.file}.new`, this.file);
	}
}

// The only trial of a restart, before its reply.
async function duringTrial(t) {
	const slow = new Slow(t);
	const sluice = await Sluice.start(t, config(named('old')),
		{ master: slow.file });

	slow.install();
	slow.make('hold.1');
	const reply = sluice.cmd('restart');
	await waitUntil('the trial', () => slow.trials === 1);
	return { slow, sluice, reply };
}

const running = (file) => fs.readdirSync('/proc').some((pid) => {
	try {
		return fs.readlinkSync(`/proc/${pid}/exe`) === file;
	} catch {
		return false;
	}
});
const restarts = (sluice) => sluice.log.match(/restarting/g)?.length ?? 0;
const nameOf = async (sluice) =>
	(await sluice.cmd('load')).make_stream[0].name;

test('a restart is tried once', async (t) => {
	const { slow, sluice, reply } = await duringTrial(t);

	slow.end('hold.1');
	await reply;
	await waitUntil('restart', () => restarts(sluice) === 1);
	await sluice.ready();
	assert.equal(slow.trials, 1);
	await sluice.stop();
});

test('a change during the trial is saved before the restart', async (t) => {
	const { slow, sluice, reply } = await duringTrial(t);

	await sluice.cmd('set-stream', { id: 'a001',
		stream: named('new') });
	slow.end('hold.1');
	await reply;
	await waitUntil('restart', () => restarts(sluice) === 1);
	await sluice.ready();
	assert.equal(await nameOf(sluice), 'new');
	assert.equal(slow.trials, 2);
	await sluice.stop();
});

test('an upload during the trial is tried before the restart', async (t) => {
	const { slow, sluice, reply } = await duringTrial(t);

	slow.make('fail.2');
	await sluice.cmd('upload', { config: config(named('uploaded')) });
	slow.end('hold.1');
	await reply;
	await sluice.logged(/cannot restart.*exit code 9/);
	assert.equal(restarts(sluice), 0);
	assert.equal(await nameOf(sluice), 'old');
	await sluice.cmd('restart');
	await waitUntil('restart', () => restarts(sluice) === 1);
	await sluice.ready();
	assert.equal(await nameOf(sluice), 'uploaded');
	await sluice.stop();
});

test('a program that is replaced after its trial is tried again', async (t) => {
	let end;

	// the restart follows its reply at once: a test that is delayed
	// installs the program too late, and tries again
	for (let i = 0; i < 10 && end !== 'cannot restart'; i++) {
		const { slow, sluice, reply } = await duringTrial(t);

		slow.make('fail.2');
		slow.end('hold.1');
		await reply;
		slow.install();
		end = await waitUntil('the end of the restart', () =>
			/restarting|cannot restart(?=.*exit code 9)/.exec(
				sluice.log)?.[0]);
		await sluice.ready();
		assert.equal(restarts(sluice), end === 'restarting' ? 1 : 0);
		await sluice.stop();
	}
	assert.equal(end, 'cannot restart');
});

test('a restart that may interrupt and fails permits no later interruption',
	async (t) => {
	const slow = new Slow(t);
	const sluice = await Sluice.start(t, config(named('old')),
		{ master: slow.file });

	slow.install();
	slow.make('hold.1');
	const reply = sluice.cmd('restart', { interrupt: true });
	await waitUntil('the trial', () => slow.trials === 1);
	// the trial passes, and the change cannot be written
	const temporary = path.join(sluice.dir, '.sluice.json.new');
	fs.mkdirSync(path.join(temporary, 'x'), { recursive: true });
	await sluice.cmd('set-stream', { id: 'a001', stream: named('new') });
	slow.end('hold.1');
	await reply;
	await sluice.logged(/cannot restart.* configuration cannot be saved/);
	fs.rmSync(temporary, { recursive: true });
	await sluice.cmd('restart');
	await sluice.logged(/restarting: the streams/);
	assert.match(sluice.log, /restarting: the streams continue/);
	await sluice.ready();
	assert.deepEqual((await sluice.json('/api/system-status')).alarms ?? [],
		[]);
	await sluice.stop();
});

test('a trial leaves no descendant', async (t) => {
	const slow = new Slow(t);
	const sluice = await Sluice.start(t, config(named('old')),
		{ master: slow.file });
	const left = () => running(slow.at('descendant'));

	slow.install();
	slow.make('fail.1');
	slow.make('fail.2');
	slow.make('hang.3');
	slow.make('hang.4');
	assert.match((await sluice.post({ cmd: 'restart' })).body, /code 9/);
	// its line is cut and not UTF-8
	const { warnings } = await sluice.cmd('set-settings', { settings: {} });
	assert.match(warnings[0],
		/^saved, but not in effect: .*code 9: .*x\?x\?x/);
	await waitUntil('no descendant', () => !left());
	const hung = sluice.post({ cmd: 'restart' });
	await waitUntil('a descendant', left);
	assert.match((await hung).body, /no result within 10 s/);
	await waitUntil('no descendant', () => !left());
	// the end of the service during a trial
	const last = sluice.post({ cmd: 'restart' }).catch(() => null);
	await waitUntil('a descendant', left);
	await sluice.stop();
	await last;
	await waitUntil('no descendant', () => !left());
});

// The file as an operator leaves it: another setting, another auth, and a
// second stream.
const edited = () => ({ ...config(named('old'),
	{ ...stream('b', 'udp://127.0.0.1:5001', []), enable: false }),
auth: { enable: true }, settings: { instance_name: 'other' } });
const fileOf = (sluice) => JSON.parse(fs.readFileSync(sluice.file, 'utf8'));
const writeEdit = (sluice) =>
	fs.writeFileSync(sluice.file, JSON.stringify(edited()));

async function assertEdited(sluice, name) {
	const { settings, make_stream: streams } = fileOf(sluice);

	assert.deepEqual(settings, edited().settings);
	assert.deepEqual(streams.map((s) => [s.id, s.name]),
		[['a001', name], ['b', edited().make_stream[1].name]]);
	assert.deepEqual(await sluice.cmd('load'), fileOf(sluice));
}

test('a change between a reload and its restart is made on top of the file',
	async (t) => {
	for (const by of ['reload', 'SIGHUP']) {
		const slow = new Slow(t);
		const sluice = await Sluice.start(t, config(named('old')),
			{ master: slow.file });
		let reply = null;

		slow.install();
		slow.make('hold.1');
		writeEdit(sluice);
		if (by === 'reload')
			reply = sluice.cmd('reload');
		else
			process.kill(sluice.pid, 'SIGHUP');
		await waitUntil('the trial', () => slow.trials === 1);
		await sluice.cmd('set-stream', { id: 'a001',
			stream: named(by) });
		slow.end('hold.1');
		assert.ok(reply === null || (await reply).restart);
		await waitUntil('restart', () => restarts(sluice) === 1);
		await sluice.ready();
		await assertEdited(sluice, by);
		assert.equal((await sluice.json('/api/system-status')).instance,
			'other');
		await sluice.stop();
	}
});

test('a reload whose trial fails puts the settings in force later',
	async (t) => {
	const slow = new Slow(t);
	const sluice = await Sluice.start(t, config(named('old')),
		{ master: slow.file });
	const alarms = async () =>
		(await sluice.json('/api/system-status')).alarms ?? [];

	slow.install();
	slow.make('fail.1');
	slow.make('fail.2');
	writeEdit(sluice);
	const reply = await sluice.post({ cmd: 'reload' });
	assert.equal(reply.status, 503, reply.body);
	assert.match(reply.body,
		/only the sections .* in effect: .*code 9/);
	process.kill(sluice.pid, 'SIGHUP');
	await sluice.logged(/SIGHUP: only the sections.* in effect: .*code 9/);
	assert.equal(restarts(sluice), 0);
	assert.match((await alarms()).join(), /cannot restart.*code 9/);
	// a change replaces nothing of the file
	await sluice.cmd('set-stream', { id: 'a001', stream: named('new') });
	await waitUntil('the save', () =>
		fileOf(sluice).make_stream[0].name === 'new');
	await assertEdited(sluice, 'new');
	assert.deepEqual(await sluice.cmd('reload'), { reload: 'ok',
		restart: true, added: [], changed: [], removed: [],
		sections: ['settings'] });
	await waitUntil('restart', () => restarts(sluice) === 1);
	await sluice.ready();
	await assertEdited(sluice, 'new');
	assert.equal(slow.trials, 3);
	assert.deepEqual(await alarms(), []);
	await sluice.stop();
});

test('a reload of the former file after a failed trial restores its adapters',
	async (t) => {
	const slow = new Slow(t);
	const adapter = (port) => ({ id: 'd', name: 'Multiplex', type: 'S2',
		enable: true, address: `udp://127.0.0.1:${port}` });
	const former = { ...config(named('old')), dvb_tune: [adapter(5001)] };
	const sluice = await Sluice.start(t, former, { master: slow.file });

	await waitUntil('the adapter', () => udpBound(5001));
	slow.install();
	slow.make('fail.1');
	fs.writeFileSync(sluice.file, JSON.stringify({ ...former,
		settings: { instance_name: 'other' } }));
	assert.equal((await sluice.post({ cmd: 'reload' })).status, 503);
	await sluice.cmd('set-adapter', { id: 'd', adapter: adapter(5002) });
	await waitUntil('another address', () => udpBound(5002));
	await waitUntil('the save', () => /:5002/.test(
		JSON.stringify(fileOf(sluice).dvb_tune)));
	fs.writeFileSync(sluice.file, JSON.stringify(former));
	assert.equal((await sluice.cmd('reload')).restart, false);
	await waitUntil('the former address', () => udpBound(5001));
	await sluice.stop();
});

test('changes that do not end do not prevent a restart', async (t) => {
	const slow = new Slow(t);
	const sluice = await Sluice.start(t, config(named('old')),
		{ master: slow.file });
	let accepted = 'old', n = 0;

	slow.install();
	for (let i = 1; i < 20; i++)
		slow.make(`hold.${i}`);
	const change = async () => {
		await sluice.cmd('set-stream', { id: 'a001',
			stream: named(`n${++n}`) });
		accepted = `n${n}`;
	};
	const reply = sluice.cmd('restart');
	let ended = 0;
	// each trial ends after a change
	await waitUntil('restart', async () => {
		if (restarts(sluice) > 0)
			return true;
		if (slow.trials > ended) {
			await change();
			slow.end(`hold.${++ended}`);
		}
		return false;
	}, 30000);
	await reply;
	await sluice.ready();
	assert.equal(await nameOf(sluice), accepted);
	assert.ok(ended >= 3 && ended <= 5, `${ended} trials`);
	await sluice.stop();
});
