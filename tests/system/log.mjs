// SPDX-License-Identifier: GPL-3.0-or-later
// log: each fact for an operator is one line, in one form.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sender } from '../helpers/udp.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';
import { WsClient } from '../helpers/ws.mjs';

// Without their time.
const lines = (sluice, of) => sluice.log.split('\n')
	.map((line) => line.replace(/^20\S{21}[+-]\d\d:\d\d /, ''))
	.filter((line) => line.includes(of));

// The log lines about on air, from the first time on.
const changes = (sluice, of) => {
	const all = lines(sluice, of).map((line) =>
		/: (on|off) air[,:]/.exec(line)?.[1]).filter(Boolean);
	return all.slice(all.indexOf('on'));
};

test('each change of on air, and the end, is a line', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'udp://127.0.0.1:6000')));
	const of = 'stream a001: ';
	const told = () => changes(sluice, of);
	let before = 0;

	await sluice.logged(new RegExp('^20\\S+ info master: sluice \\d\\S*, ' +
		`configuration /\\S+, control at \\S+:${sluice.port}$`, 'm'));
	for (let turn = 1; turn <= 2; turn++) {
		await waitUntil('input', () => udpBound(5000));
		const sender = await Sender.start(t, new TsMux(), 5000);
		await sluice.onair('a001');
		sender.stop();
		await sluice.waitStatus('a001', 'silence', (s) => !s.onair);
		await waitUntil('its line', () => told().length > before &&
			told().at(-1) === 'off');
		before = told().length;
		assert.ok(told().every((is, i) =>
			is === (i % 2 ? 'off' : 'on')), `${told()}`);
		// a sender that is delayed is silent as well
		timing.assert(before === 2 * turn, `${told()}`);
	}
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await waitUntil('the end', () =>
		lines(sluice, `info ${of}stopped`).length === 1);
	for (const line of sluice.log.trim().split('\n'))
		assert.match(line, /^20\S+ (info|warning|error) [a-z]+/);
	await sluice.stop();
	// the last second of it may have had a packet
	assert.match(sluice.log,
		/warning \S+ a001: off air: (bitrate of \d+ kbit|no packets)/);
});

test('an invalid input is named once', async (t) => {
	const file = path.join(tempDir(t), 'clip.ts');
	fs.writeFileSync(file, 'no transport stream\n'.repeat(200));
	const sluice = await Sluice.start(t, config(
		stream('a001', `file://${file}`, 'udp://127.0.0.1:6000')));

	await waitUntil('the line', () =>
		lines(sluice, 'no transport stream').length > 0);
	fs.writeFileSync(`${file}.new`, new TsMux().take(8000));
	fs.renameSync(`${file}.new`, file);
	await sluice.onair('a001', 30000);
	await sluice.logged(/input 1: open again/);
	const said = lines(sluice, 'input 1: ').filter((line) =>
		!line.includes('alarms'));
	assert.match(said[0], /^warning \S+ a001: input 1: .*: .* no trans/);
	assert.deepEqual(said.slice(1),
		['info stream a001: input 1: open again']);
	await sluice.stop();
});

test('an unreachable server is one line, however often it is retried',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'http://127.0.0.1:7999/x', [])));
	const said = () => lines(sluice, 'input 1: http:');

	await waitUntil('the line', () => said().length > 0);
	const { timestamp } = await sluice.status('a001');

	// it is asked after 1, 2 and 4 s
	await waitUntil('eight seconds', async () =>
		(await sluice.status('a001')).timestamp > timestamp + 7, 60000);
	assert.deepEqual(said(), ['warning stream a001: input 1: ' +
		'http: connect: Connection refused']);
	await sluice.stop();
});

test('a missing route is logged with its remedy', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://224.9.9.9:5000', 'udp://224.9.9.9:6000'),
		stream('a002', 'udp://192.0.2.1:5000',
			'udp://127.0.0.1:6001')));

	for (const line of [/stream a001: input 1: join: .* name an interface/,
		/a001: output 1: no route to 224.9.9.9:6000; name/,
		/a002: input 1: bind 192.0.2.1:5000: not an/])
		await sluice.logged(line);
	await sluice.stop();
});

test('limits of the host on a group are logged at the start', async (t) => {
	const setting = '/proc/sys/net/ipv4/conf/lo/rp_filter';
	const told = /groups on lo: .*: sysctl -w net\.ipv4\.conf\.lo\.rp_fil/;

	fs.writeFileSync(setting, '1');
	t.after(() => fs.writeFileSync(setting, '0'));
	// a strict filter drops the second of two paths
	const sluice = await Sluice.start(t, config(stream('a001',
		'rtp://127.0.0.1:5000#merge=rtp://lo@239.9.9.9:5000', [])));

	await sluice.logged(told);
	const { body } = await sluice.get('/api/system-status');
	const { alarms } = JSON.parse(body);

	assert.equal(alarms.filter((text) => told.test(text)).length, 1);
	await sluice.stop();
});

test('the last lines are in memory, with numbers that go on', async (t) => {
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000'), stream('b001',
		'udp://127.0.0.1:5001', 'udp://127.0.0.1:6001')));
	const get = (query = '') => sluice.json(`/api/log${query}`);

	await waitUntil('a warning of both streams', async () => {
		const { lines } = await get();
		return ['a001', 'b001'].every((id) =>
			lines.some((line) => line.where === `stream ${id}` &&
				line.level === 'warning' &&
				line.text.includes('no packets')));
	});
	// nothing is written to the log any more
	const all = await waitUntil('a log at rest', async () => {
		const before = await get('?limit=1000');

		assert.deepEqual((await get('?limit=2')).lines,
			before.lines.slice(-2));
		return before;
	});

	all.lines.forEach((line, i) => assert.equal(line.n, all.first + i));
	assert.equal(all.last, all.lines.at(-1).n);
	assert.deepEqual(Object.keys(all.lines[0]),
		['n', 'time', 'ms', 'level', 'where', 'text']);
	// those that the service prints
	for (const line of all.lines.slice(-3))
		await sluice.logged(new RegExp(line.text.replace(
			/[.*+?^${}()|[\]\\]/g, '\\$&')));
	assert.deepEqual((await get(`?since=${all.first}&limit=2`)).lines,
		all.lines.slice(1, 3));
	assert.deepEqual((await get(`?since=${all.first - 5}&limit=1`)).lines,
		all.lines.slice(0, 1));
	const ofA = (await get('?stream=a001')).lines;

	assert.ok(ofA.length > 0);
	assert.ok(ofA.every((line) => line.where === 'stream a001'));
	for (const [query, test] of [['level=warning', (line) =>
		['warning', 'error'].includes(line.level)],
	['text=NO%20PACKETS', (line) => /no packets/i.test(line.text)]]) {
		const { lines } = await get(`?${query}`);

		assert.ok(lines.length > 0, query);
		assert.ok(lines.every(test), query);
	}
	assert.deepEqual((await get('?text=since%20limit%20%C3%BC')).lines, []);
	for (const [query, field] of [['since=x', 'since'], ['since=-1',
		'since'], ['limit=1001', 'limit'], ['limit=', 'limit'],
		['level=loud', 'level'], ['since=99999999999999999999',
			'since']]) {
		const reply = await sluice.get(`/api/log?${query}`);

		assert.equal(reply.status, 400, query);
		assert.match(JSON.parse(reply.body).error,
			new RegExp(`^${field}: `));
	}
	assert.equal(JSON.parse((await sluice.get('/api/log?limit=1001')).body)
		.error, 'limit: is not a number from 0 to 1000');
	const open = (scope) => WsClient.open(t, sluice.port,
		`/control/event/?token=x${scope}`);
	const socket = await open('&scope=alarm,log');
	const other = await open('&scope=alarm');
	const { last } = await get();
	const sent = (client) => client.messages.filter(({ scope }) =>
		scope === 'log').flatMap((message) => message.lines);

	await sluice.cmd('restart-stream', { id: 'a001' });
	// the event channel continues the numbers
	await waitUntil('lines behind the last one', () =>
		sent(socket).some((line) => line.n > last));
	const first = sent(socket)[0].n;

	assert.ok(first <= last + 1, `${first} ${last}`);
	sent(socket).forEach((line, i) => assert.equal(line.n, first + i));
	assert.deepEqual(sent(socket)[0], (await get(
		`?since=${first - 1}&limit=1`)).lines[0]);
	assert.deepEqual(sent(other), []);
	await waitUntil('a new line', async () => (await get(
		`?since=${last}`)).lines.some((line) => line.n > last));
	// a restart of the service begins with greater numbers
	await sluice.cmd('restart');
	await waitUntil('the new service', async () =>
		(await get()).first > last);
	await sluice.stop();
});
