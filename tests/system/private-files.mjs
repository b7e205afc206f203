// SPDX-License-Identifier: GPL-3.0-or-later
// main: the configuration holds hashes and keys, so other users of the machine
// can neither read it nor keep the service from it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { MASTER, Sluice, config, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { run, start, tempDir, waitUntil } from '../helpers/util.mjs';

const mode = (file) => fs.statSync(file).mode & 0o777;

test('a configuration that others may read is reported and narrowed',
	async (t) => {
	const dir = tempDir(t), file = `${dir}/sluice.json`;

	fs.writeFileSync(file, JSON.stringify(config()));
	fs.chmodSync(file, 0o646);
	const { code, err } = await run(MASTER, ['-t', '-c', file]);
	assert.equal(code, 0, err);
	assert.match(err,
		/warning: other users can open this file \(mode 0646\)/);
	assert.equal(mode(file), 0o646);

	const sluice = await Sluice.start(t, null, { dir });
	await sluice.logged(
		/sluice\.json: other users could open it \(mode 0646\)/);
	assert.equal(mode(file), 0o640);
	// a tool that replaces the file while the service runs
	fs.chmodSync(file, 0o644);
	await sluice.cmd('set-config', { key: 'k', data: 1 });
	await waitUntil('the save', () =>
		JSON.parse(fs.readFileSync(file, 'utf8')).k === 1);
	assert.equal(mode(file), 0o640);
	await sluice.stop();
});

test('another user cannot hold the lock of the configuration', async (t) => {
	if (process.getuid() !== 0) {
		t.skip('needs root');
		return;
	}
	const dir = tempDir(t), file = `${dir}/sluice.json`;

	fs.chmodSync(dir, 0o755);
	// of an earlier version
	fs.writeFileSync(`${file}.lock`, '');
	fs.chmodSync(`${file}.lock`, 0o644);
	const first = await Sluice.start(t, config(), { dir });
	assert.equal(mode(`${file}.lock`), 0o600);
	await first.stop();
	const thief = start(t, 'setpriv', ['--reuid', 'nobody',
		'--clear-groups', 'flock', `${file}.lock`, 'sleep', '60']);
	const { code } = await thief.ended;
	assert.notEqual(code, 0);
	assert.match(thief.text.err, /Permission denied/);
	const second = await Sluice.start(t, null, { dir });
	await second.stop();
});

test('a key that moves replaces the workers that open files', async (t) => {
	const dir = tempDir(t);
	const first = await certificate(dir, 'first.example');
	const second = await certificate(tempDir(t), 'second.example');
	const sluice = await Sluice.start(t, { ...config(
		stream('file', `file://${dir}/missing.ts`, []),
		stream('udp', 'udp://127.0.0.1:5000', [])),
	settings: settingsOf(second) });
	const pid = (id) => sluice.worker('stream', id)?.pid;

	await waitUntil('both', () => pid('file') && pid('udp'));
	const [file, udp] = [pid('file'), pid('udp')];
	// into the folder for which the worker has a rule
	await sluice.cmd('set-settings', { settings: settingsOf(first) });
	await sluice.replaced('stream', 'file', file);
	assert.equal(pid('udp'), udp);
	await sluice.ready();
	await sluice.stop();
});
