// SPDX-License-Identifier: GPL-3.0-or-later
// file-alarms: a log file, a reload, a save and a certificate that fail are
// alarms with a state: in the status, as events and in the log.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { event, one, states } from '../helpers/alarms.mjs';
import { Ctl } from '../helpers/ctl.mjs';
import { Sluice } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

test('a log file that cannot be written is a warning and an alarm',
	async (t) => {
	const dir = tempDir(t), file = path.join(dir, 'later', 'x.log');
	const sluice = await Sluice.start(t, one());
	const told = await sluice.events(t, '&scope=alarm');
	const why = new RegExp(`^log.filename: ${file}: No such file or ` +
		'directory: (cannot be written|\\d+ log lines dropped)$');
	const failed = (list) => list.some((text) => why.test(text));
	const { warnings } = await sluice.cmd('set-log',
		{ set: { filename: file } });

	assert.ok(warnings.length === 1 && failed(warnings), `${warnings}`);
	await states(sluice, 'the alarm', failed);
	const up = await event(told, 'log', true);

	assert.match(up.reason, why);
	assert.equal(up.channel_id, undefined);
	// the file is tried again without a new line
	fs.mkdirSync(path.dirname(file));
	await event(told, 'log', false);
	await states(sluice, 'nothing', (list) => !failed(list));
	assert.match(fs.readFileSync(file, 'utf8'), /log: \d+ lines dropped/);
	assert.equal((await sluice.cmd('set-log', { set: { filename: file } }))
		.warnings, undefined);
	await sluice.stop();
});

test('a faulty file at SIGHUP is an alarm until a good one, or a change',
	async (t) => {
	const sluice = await Sluice.start(t, one());
	const told = await sluice.events(t, '&scope=alarm');
	const failed = /^reload failed, nothing changed: /;
	const good = fs.readFileSync(sluice.file);
	const break_ = async () => {
		fs.writeFileSync(sluice.file, '{"make_stream": [');
		process.kill(sluice.pid, 'SIGHUP');
		await states(sluice, 'the alarm', (list) =>
			list.some((text) => failed.test(text)));
	};
	const gone = () => states(sluice, 'nothing', (list) =>
		!list.some((text) => failed.test(text)));

	await break_();
	assert.match((await event(told, 'reload', true)).reason, failed);
	// another fault is raised again, with the id and name of its stream
	const faulty = JSON.parse(good);
	const reason = async (port, more) => {
		const { length } = told.scope('alarm');

		faulty.make_stream[0].output = [`udp://127.0.0.1:${port}`];
		Object.assign(faulty, more);
		fs.writeFileSync(sluice.file, JSON.stringify(faulty));
		process.kill(sluice.pid, 'SIGHUP');
		return (await told.wait('the other reason', (m) =>
			told.scope('alarm').indexOf(m) >= length &&
			m.alarm === 'reload' && m.raised)).reason;
	};
	const place = 'make_stream[0].output[0] (a001, "Stream a001"): port: ';

	assert.ok((await reason(70000, {})).endsWith(
		`changed: ${place}70000 is not a port (1 to 65535)`));
	assert.ok((await reason(70001, {})).endsWith(
		`changed: ${place}70001 is not a port (1 to 65535)`));
	assert.match(await reason(70001, { auth: { enable: 1 } }),
		/changed: 2 errors, the first: auth.enable: /);
	await sluice.logged(
		/error config: make_stream\[0\]\.output\[0\] \(a001, "Stream /);
	assert.ok(told.scope('alarm').every((m) => m.raised));
	fs.writeFileSync(sluice.file, good);
	process.kill(sluice.pid, 'SIGHUP');
	await gone();
	await event(told, 'reload', false);
	await break_();
	// a change replaces the file
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await gone();
	await sluice.stop();
});

test('a restart that a faulty file prevents is an alarm until it is replaced',
	async (t) => {
	const sluice = await Sluice.start(t, one());
	const told = await sluice.events(t, '&scope=alarm');
	const good = fs.readFileSync(sluice.file);
	const failed = /^cannot restart, .*: exit code 79: .*: make_stream: /;
	const fail = async (how) => {
		const { length } = told.scope('alarm');

		await how();
		assert.equal((await sluice.post({ cmd: 'restart' })).status,
			503);
		await told.wait('the alarm', (m) => m.alarm === 'restart' &&
			m.raised && told.scope('alarm').indexOf(m) >= length,
			30000);
		await states(sluice, 'the alarm', (list) =>
			list.some((text) => failed.test(text)));
		return told.scope('alarm').length;
	};
	const ends = async (length) => {
		await told.wait('the end', (m) => m.alarm === 'restart' &&
			!m.raised && told.scope('alarm').indexOf(m) >= length,
			30000);
		await states(sluice, 'nothing', (list) =>
			!list.some((text) => failed.test(text)));
	};
	const write = () => fs.writeFileSync(sluice.file, '{"make_stream":5}');

	// a change replaces the file
	let before = await fail(write);
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await ends(before);
	before = await fail(() => sluice.cmd('upload',
		{ config: { make_stream: 5 } }));
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await ends(before);
	// a good file, which needs no restart
	before = await fail(write);
	fs.writeFileSync(sluice.file, good);
	await sluice.cmd('reload');
	await ends(before);
	assert.equal(sluice.log.match(/restarting/g), null);
	await sluice.stop();
});

test('a configuration that cannot be saved is an alarm until it is',
	async (t) => {
	const dir = path.join(tempDir(t), 'config');

	fs.mkdirSync(dir);
	const sluice = await Sluice.start(t, one(), { dir });
	const told = await sluice.events(t, '&scope=alarm');
	const words = new Ctl(t, `http://127.0.0.1:${sluice.port}`)
		.start(['events', '--scope', 'alarm']);
	const failed = /sluice\.json is not saved: /;
	const moved = `${dir}-moved`;

	fs.renameSync(dir, moved);
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await states(sluice, 'the alarm', (list) =>
		list.some((text) => failed.test(text)));
	const up = await event(told, 'save', true);

	assert.match(up.reason, failed);
	assert.equal(up.subject, sluice.file);
	await sluice.logged(/is not saved: .*; the next attempt is in 1 s$/m);
	// a restart would lose it
	const { status, body } = await sluice.post({ cmd: 'restart' });

	assert.equal(status, 500);
	assert.match(JSON.parse(body).error,
		/^the configuration is not saved: .*No such file or directory/);
	fs.renameSync(moved, dir);
	assert.equal((await event(told, 'save', false)).subject, up.subject);
	await waitUntil('the same in words', () => words.text.out
		.includes(`service save ${sluice.file} cleared\n`));
	assert.ok(told.scope('alarm').every((m) => m.alarm !== 'restart'));
	await sluice.stop();
});

test('a certificate that cannot be used after SIGHUP is an alarm until it can',
	async (t) => {
	const cert = await certificate(tempDir(t), 'headend.example');
	const sluice = await Sluice.start(t, { ...one(),
		settings: settingsOf(cert) });
	const told = await sluice.events(t, '&scope=alarm');
	const failed = (list) => list.some((text) => text.startsWith('tls: '));

	await sluice.logged(/certificate in use/);
	assert.equal((await sluice.cmd('reload')).warnings, undefined);
	fs.writeFileSync(cert.chain, 'no certificate');
	// the reply does not wait for the alarm
	assert.match((await sluice.cmd('reload')).warnings[0],
		/^settings\.crt_chain: /);
	await states(sluice, 'the alarm', failed);
	assert.match((await event(told, 'tls', true)).reason, /^tls: /);
	fs.writeFileSync(cert.chain, cert.pem);
	process.kill(sluice.pid, 'SIGHUP');
	await event(told, 'tls', false);
	await states(sluice, 'nothing', (list) => !failed(list));
	await sluice.stop();
});
