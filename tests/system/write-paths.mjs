// SPDX-License-Identifier: GPL-3.0-or-later
// api: a control user cannot make the service write files that other programs
// execute or read.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { MASTER, Sluice, config, stream } from '../helpers/sluice.mjs';
import { run, tempDir, waitUntil } from '../helpers/util.mjs';

const NOWHERE = /in no folder that the service may write to.*--allow-path/;

async function refused(sluice, command) {
	const reply = await sluice.post(command);

	assert.equal(reply.status, 400, JSON.stringify(command));
	assert.match(JSON.parse(reply.body).error, NOWHERE);
}

const record = (file) => stream('r', 'file:///nowhere.ts', `file://${file}`,
	{ enable: false });

test('a client chooses only files below the allowed folders', async (t) => {
	const allowed = tempDir(t), other = tempDir(t);
	const sluice = await Sluice.start(t, config(), { allow: [allowed] });
	const before = await sluice.cmd('load');

	for (const file of [`${other}/zz.sh`, `${allowed}/../${
		path.basename(other)}/zz.sh`, `${allowed}x/zz.sh`, sluice.file,
	`${sluice.file}.x`]) {
		const { make_stream: list } = config(record(file));

		await refused(sluice, { cmd: 'set-log', set: {
			filename: file } });
		await refused(sluice, { cmd: 'set-stream',
			stream: record(file) });
		await refused(sluice, { cmd: 'set-config', key: 'log',
			data: { filename: file } });
		await refused(sluice, { cmd: 'set-config', key: 'make_stream',
			data: list });
		await refused(sluice, { cmd: 'upload', config: { log: {
			filename: file } } });
		await refused(sluice, { cmd: 'upload', config: config(
			record(file)) });
	}
	assert.deepEqual(await sluice.cmd('load'), before);
	assert.deepEqual(fs.readdirSync(other), sluice.dir === other ?
		fs.readdirSync(other) : []);
	// nothing has changed by a restart either
	await sluice.cmd('restart');
	await waitUntil('the restart', () => /restarting/.test(sluice.log));
	await sluice.ready();
	await refused(sluice, { cmd: 'set-log', set: {
		filename: `${other}/zz.sh` } });

	await sluice.cmd('set-log', { set: { filename: `${allowed}/a.log` } });
	await sluice.cmd('set-stream', { stream: record(`${allowed}/a.ts`) });
	await sluice.stop();
	assert.match(fs.readFileSync(`${allowed}/a.log`, 'utf8'), /stopping/);
});

test('the unit and the file of the start allow folders, too', async (t) => {
	const [recordings, logs, start] = Array.from({ length: 3 },
		() => tempDir(t));
	const state = `${recordings}-state`;

	fs.mkdirSync(state);
	t.after(() => fs.rmSync(state, { recursive: true }));
	const sluice = await Sluice.start(t, { ...config(
		record(`${start}/a.ts`)), log: { filename: `${start}/s.log` } },
	{ allow: [], env: { STATE_DIRECTORY: `${recordings}:${state}`,
		LOGS_DIRECTORY: logs } });

	await sluice.cmd('set-log', { set: { filename: `${logs}/a.log` } });
	await sluice.cmd('set-log', { set: { filename: `${start}/s.log` } });
	// the last change: a file that has it will not be overwritten
	for (const file of [`${recordings}/a.ts`, `${start}/b.ts`,
		`${start}/news/b.ts`])
		await sluice.cmd('set-stream', { id: 'r',
			stream: record(file) });
	// the state is of the service alone
	await refused(sluice, { cmd: 'set-log', set: {
		filename: `${state}/a.log` } });
	// what a person writes into the file is allowed after SIGHUP
	const other = tempDir(t);
	const add = record(`${other}/c.ts`);
	await refused(sluice, { cmd: 'set-stream', stream: add, id: 'r' });
	await waitUntil('the save', () => JSON.parse(fs.readFileSync(
		sluice.file, 'utf8')).make_stream[0].output[0] ===
		`file://${start}/news/b.ts`);
	const document = JSON.parse(fs.readFileSync(sluice.file, 'utf8'));
	fs.writeFileSync(sluice.file, JSON.stringify({ ...document,
		make_stream: [add] }));
	process.kill(sluice.pid, 'SIGHUP');
	await sluice.logged(/SIGHUP: configuration reloaded/);
	await sluice.cmd('set-stream', { stream: record(`${other}/d.ts`),
		id: 'r' });
	// the former file is not in force any more
	await refused(sluice, { cmd: 'set-stream', id: 'r',
		stream: record(`${start}/b.ts`) });
	await sluice.stop();
});

test('a log is appended to a log only, and to no link', async (t) => {
	const dir = tempDir(t), victim = `${dir}/profile.sh`;
	const sluice = await Sluice.start(t, config(), { allow: [dir] });

	fs.writeFileSync(victim, 'echo profile\n');
	fs.writeFileSync(`${dir}/empty`, '');
	for (const name of ['profile.sh', 'empty', 'absent'])
		fs.symlinkSync(`${dir}/${name}`, `${dir}/${name}.link`);
	for (const [file, error] of [[victim, /not a log of this program/],
		...['profile.sh', 'empty', 'absent'].map((name) =>
			[`${dir}/${name}.link`, /is a symbolic link/])]) {
		const { warnings } = await sluice.cmd('set-log', { set: {
			filename: file } });

		assert.match(warnings[0], error);
	}
	// a full log that cannot be rotated grows, and the alarm says why
	const full = `${dir}/full.log`;
	const alarms = async () => (await sluice.json('/api/system-status'))
		.alarms;

	fs.writeFileSync(full, '2026-11-20T12:34:56.789 a\n'.repeat(50000));
	fs.copyFileSync(victim, `${full}.1`);
	await sluice.cmd('set-log', { set: { filename: full,
		max_file_size: 1, api_access: true } });
	await waitUntil('the alarm', async () => {
		await sluice.cmd('version');
		return (await alarms())?.includes('log.filename: one of the ' +
			`files ${full}.1 to .9 is not a log of this program:` +
			' the log is not rotated and grows: move that file ' +
			'away');
	});
	await sluice.cmd('set-log', { set: { filename: full,
		max_file_size: 0, api_access: true } });
	await waitUntil('no alarm', async () => await alarms() === undefined);
	await sluice.stop();
	assert.equal(fs.readFileSync(victim, 'utf8'), 'echo profile\n');
	assert.equal(fs.statSync(`${dir}/empty`).size, 0);
	assert.equal(fs.existsSync(`${dir}/absent`), false);
});

test('--allow-path is documented', async () => {
	const { out } = await run(MASTER, ['-h']);

	assert.match(out, /--allow-path FOLDER/);
});
