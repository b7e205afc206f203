// SPDX-License-Identifier: GPL-3.0-or-later
// situations of the service itself: alarms that have no stream, a control
// process that hangs or is replaced.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { House, Situation, insist } from '../helpers/situations.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

test('the log file cannot be written', (t) => insist(t, async () => {
	const house = await House.open(t);
	const file = path.join(tempDir(t), 'later', 'x.log');
	const why = /^log\.filename: .*: No such file or directory/;

	await house.tells('log', why, false);
	await house.sluice.cmd('set-log', { set: { filename: file } });
	await house.tells('log', why);
	fs.mkdirSync(path.dirname(file));
	await house.tells('log', why, false);
	await house.sluice.stop();
}));

test('SIGHUP meets a faulty file, and the configuration is not saved',
	(t) => insist(t, async (again) => {
	const dir = path.join(tempDir(t), 'config');

	fs.mkdirSync(dir);
	const house = await House.open(t, { dir });
	const s = new Situation(t, house, 10 * again);
	const reload = /^reload failed, nothing changed: /;
	const save = /sluice\.json is not saved: /;

	await s.play(1);
	await s.stream(1);
	await s.tells({ state: 'on air' });
	// the save of the stream comes first
	await waitUntil('the save', () => fs.readFileSync(house.sluice.file,
		'utf8').includes(s.id));
	fs.writeFileSync(house.sluice.file, '{"make_stream": [');
	process.kill(house.sluice.pid, 'SIGHUP');
	await house.tells('reload', reload);
	// the stream plays on, and all say so
	await s.tells({ state: 'on air', from: 1 });
	fs.renameSync(dir, `${dir}-moved`);
	await s.change({ name: 'Another' });
	await house.tells('reload', reload, false);
	await house.tells('save', save);
	fs.renameSync(`${dir}-moved`, dir);
	await house.tells('save', save, false);
	await house.sluice.stop();
}));

test('the control process hangs: what plays goes on, and old figures are ' +
	'marked', (t) => insist(t, async (again) => {
	const house = await House.open(t), { sluice } = house;
	const s = new Situation(t, house, 10 * again);

	await s.play(1);
	await s.stream(1);
	await s.tells({ state: 'on air', from: 1 });
	const child = house.ctl.terminal(['top']);
	const last = () => child.text.out.split('\x1b[H').at(-1);

	const plays = new RegExp(`${s.id}[^\n]*on air`);

	await waitUntil('top', () => plays.test(last()));
	process.kill(sluice.pid, 'SIGSTOP');
	await waitUntil('the mark', () => /OLD: figures of .*\? on air/s
		.test(last()), 20000);
	assert.ok(s.capture.packets > 0, 'the output goes on');
	process.kill(sluice.pid, 'SIGCONT');
	await waitUntil('no mark', () => !/OLD|\?/.test(last()), 30000);
	child.stdin.write('q');
	await child.ended;
	await s.tells({ state: 'on air', from: 1 });
	await sluice.stop();
}));

test('the control process is replaced: no stream and no figure ends',
	(t) => insist(t, async (again) => {
	const house = await House.open(t), { sluice } = house;
	const s = new Situation(t, house, 10 * again), port = s.first + 90;
	const dead = new Situation(t, house, 10 * again + 1);

	await s.play(1);
	await s.stream(1, {}, { more: [`http://127.0.0.1:${port}/x`] });
	await dead.stream(1);
	await s.tells({ state: 'on air' });
	const viewer = await Viewer.open(t, port, '/x');
	const before = (await dead.tells({ state: 'OFF AIR',
		error: /^no packets$/ })).row;
	const { app_uptime: uptime } = await waitUntil('some uptime',
		async () => {
			const system = await sluice.json(
				'/api/system-status?t=0');

			assert.ok(system.app_uptime >= 3);
			return system;
		});

	await s.tells({ state: 'on air', also: { sessions: 1 } });
	await sluice.cmd('restart');
	await waitUntil('the next one', () => /restarting/.test(sluice.log),
		20000);
	await sluice.ready();
	// their channels ended with it
	await house.watch(t);
	await s.tells({ state: 'on air', from: 1, also: { sessions: 1 } });
	const { row, system } = await dead.tells({ state: 'OFF AIR',
		error: /^no packets$/ });
	assert.equal(row.error_since, before.error_since);
	assert.ok(system.app_uptime >= uptime);
	assert.ok(!viewer.ended);
	viewer.close();
	await sluice.stop();
}));
