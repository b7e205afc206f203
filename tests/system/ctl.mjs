// SPDX-License-Identifier: GPL-3.0-or-later
// sluicectl: every subcommand against the real service, as text and as JSON,
// with its errors and exit statuses.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { Ctl, DIFFERS, OK, REFUSED, UNREACHABLE, USAGE }
	from '../helpers/ctl.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { freePort, sleep, srcdir, waitUntil } from '../helpers/util.mjs';

const CLIP = `file://${path.join(srcdir, 'etc/demo.ts')}#loop`;

async function open(t) {
	const port = await freePort();
	const sluice = await Sluice.start(t, config(
		stream('news', CLIP, `http://127.0.0.1:${port}/news`,
			{ name: 'Néws 日本' }),
		stream('gone', 'udp://127.0.0.1:4242', []),
		stream('off', CLIP, [], { enable: false, name: 'Two' }),
		stream('two', CLIP, [], { enable: false, name: 'Two' })));

	await sluice.onair('news');
	return { sluice, port,
		ctl: new Ctl(t, `http://127.0.0.1:${sluice.port}`) };
}

test('status and lists give the same in text and in JSON', async (t) => {
	const { sluice, ctl } = await open(t);

	const text = await ctl.out(['status']);
	assert.match(text, /^sluice \d+, up \d+ s$/m);
	assert.match(text, /^streams 1 on air, 1 off air, 2 disabled;/m);
	assert.match(text, /^OFF AIR gone "Stream gone"/m);
	assert.doesNotMatch(text, /\x1b/);
	const status = await ctl.json(['status']);
	assert.deepEqual(status.totals, { ...status.totals, on_air: 1,
		off_air: 1, waiting: 0, disabled: 2, viewers: 0 });
	assert.equal(typeof status.version, 'string');
	assert.equal(typeof status.system.app_uptime, 'number');
	assert.equal(status.streams.length, 4);

	const rows = (await ctl.out(['stream', 'ls'])).split('\n');
	assert.deepEqual(rows.slice(1, 5).map((row) => row.split(/ +/)[0]),
		['gone', 'news', 'off', 'two']);
	// a character of two columns is padded as such
	assert.match(rows[2], /^news {2}Néws 日本 {4}on air/);
	assert.match(rows[1], /^gone {2}Stream gone {2}OFF AIR/);
	const list = await ctl.json(['stream', 'ls', '--sort', 'state']);
	assert.deepEqual(list.map((row) => [row.id, row.state]),
		[['gone', 'OFF AIR'], ['news', 'on air'], ['off', 'disabled'],
			['two', 'disabled']]);
	assert.equal(await ctl.out(['stream', 'ls', '-q']),
		'gone\tStream gone\nnews\tNéws 日本\noff\tTwo\ntwo\tTwo\n');

	const shown = await ctl.json(['stream', 'show', 'Néws 日本']);
	assert.equal(shown.stream.id, 'news');
	assert.equal(shown.status.onair, true);
	assert.match(await ctl.out(['stream', 'show', 'news']),
		/^input 1 {2}file:.* kbit\/s {2}active$/m);
	await waitUntil('the place where viewers begin', async () =>
		/^viewers begin at a picture that decodes(, |$)/m.test(
			await ctl.out(['stream', 'show', 'news'])));
	assert.equal((await ctl.json(['stream', 'show', 'off']))
		.status.active, false);
	const top = await ctl.json(['top']);
	assert.equal(top.streams[0].id, 'gone');
	assert.equal((await ctl.json(['top', '--sort', 'name']))
		.streams[0].id, 'news');
	assert.match(await ctl.out(['top', '--sort', 'name']), /^ID +NAME/m);
	await sluice.stop();
});

test('stream show prints the state of each input', async (t) => {
	const sluice = await Sluice.start(t, config(stream('many',
		['udp://127.0.0.1:4243', CLIP, CLIP], [],
		{ backup_initial_delay: 1 })));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	await sluice.waitStatus('many', 'the second', ({ inputs }) =>
		inputs[1].active && inputs[0].state === 'down', 20000);
	const text = await ctl.out(['stream', 'show', 'many']);
	assert.match(text, new RegExp('^input 1 {2}udp:.* kbit/s {2}down: ' +
		'no packets \\(since [\\d:]+\\)$', 'm'));
	assert.match(text, /^many +.*on air \(input 2, backup\) +2 /m);
	assert.match(text, new RegExp('^input 2 {2}file:.*bit/s {2}active ' +
		'\\(the input before it failed\\)$', 'm'));
	assert.match(text, /^input 3 {2}file:.*bit\/s {2}idle$/m);
	await sluice.stop();
});

test('stream show prints the received rate beside the used one', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('part', `${CLIP}&filter=256`, []),
		stream('all', CLIP, [])));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const first = (status) => status.inputs[0];

	await sluice.onair('part', 'all');
	const status = await sluice.waitStatus('part', 'both rates', (s) =>
		first(s).received_bitrate > 2 * first(s).bitrate &&
		first(s).bitrate > 0);
	assert.equal(status.inputs.length, 1);
	assert.match(await ctl.out(['stream', 'show', 'part']),
		/^input 1 .* {2}[\d.]+ .bit\/s of [\d.]+ .bit\/s {2}active/m);
	assert.doesNotMatch(await ctl.out(['stream', 'show', 'all']),
		/bit\/s of/);
	await sluice.stop();
});

test('every output that cannot send is listed with its error', async (t) => {
	const dead = (i) => `udp://nosuch${i}@239.1.1.1:7000`;
	const sluice = await Sluice.start(t, config(
		stream('some', CLIP, ['udp://127.0.0.1:6000', dead(2),
			'udp://127.0.0.1:6001', dead(4)]),
		stream('many', CLIP, [...Array(10).keys()].map(dead)),
		stream('gone', 'udp://127.0.0.1:4242', [dead(1)])));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const rows = await waitUntil('all alarms', async () => {
		const list = await ctl.json(['stream', 'ls']);
		const counts = list.map((row) => row.output_faults.length);

		if (counts.join() === '1,10,2' &&
			/^no packets.*;/.test(list[0].fault))
			return list;
		throw new Error(JSON.stringify(list));
	}, 30000);

	assert.deepEqual(rows[2].output_faults.map((one) => one.position),
		[2, 4]);
	assert.match(rows[2].output_faults[1].fault, /nosuch4/);
	const text = await ctl.out(['stream', 'ls']);
	assert.match(text, /2 outputs cannot send \(2, 4\); output 2: .*h2/);
	assert.match(text, new RegExp('10 outputs cannot send ' +
		'\\(1, 2, 3, 4, 5, 6, 7, 8, \\.{3}\\); output 1: .*nosuch0'));
	// the error of the input does not hide them
	assert.match(rows[0].fault, /^no packets.*; output 1: .*nosuch1/);
	assert.match(await ctl.out(['status']), /some .*2 outputs cannot/);
	const shown = await ctl.out(['stream', 'show', 'some']);

	assert.match(shown, /^alarms of the output .*output_fault/m);
	// the lines of inputs and outputs have the errors, not the table too
	assert.doesNotMatch(shown, /FAULT/);
	await sluice.stop();
});

test('streams are toggled, restarted and switched', async (t) => {
	const { sluice, ctl } = await open(t);
	const { pid } = (await sluice.status('news')).worker;

	assert.equal(await ctl.out(['stream', 'toggle', 'off']),
		'off: enabled\n');
	assert.deepEqual(await ctl.json(['stream', 'toggle', 'off']),
		[{ id: 'off', enable: false }]);
	assert.equal(await ctl.out(['stream', 'restart', 'news']),
		'news: restarted\n');
	await sluice.replaced('stream', 'news', pid);
	assert.deepEqual(await ctl.json(['stream', 'restart', 'news']),
		[{ id: 'news', restarted: true }]);
	await ctl.fails(['stream', 'switch', 'news'], REFUSED, /backup_type/);
	await ctl.fails(['stream', 'switch', 'news', '0'], USAGE,
		/not a number from 1/);

	await ctl.fails(['stream', 'show', 'nope'], REFUSED,
		/no stream has the id or the name "nope"/);
	await ctl.fails(['stream', 'show', 'Two'], REFUSED, /several streams/);
	// with one unknown stream the command changes no stream
	await ctl.fails(['stream', 'toggle', 'off', 'nope'], REFUSED,
		/"nope"/);
	const { out, err } = await ctl.run(['stream', 'restart', 'off']);
	assert.match(out + err, /^off: not restarted\n.*: the stream is dis/);
	await sluice.stop();
});

test('switch sets the input of a stream that allows it', async (t) => {
	const sluice = await Sluice.start(t, config(stream('b', [CLIP, CLIP],
		[], { backup_type: 'passive' })));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	await sluice.onair('b');
	assert.deepEqual(await ctl.json(['stream', 'switch', 'b', '1']),
		[{ id: 'b', input: 1 }]);
	assert.match(await ctl.out(['stream', 'switch', 'b']),
		/^b: takes input 2; input 2 was not monitored: .* 5 s, the /);
	await ctl.fails(['stream', 'switch', 'b', '3'], REFUSED, /1 to 2/);
	await sluice.stop();
});

test('viewers are listed and disconnected', async (t) => {
	const { sluice, port, ctl } = await open(t);
	const viewer = http.get(`http://127.0.0.1:${port}/news`);
	const closed = new Promise((done) => viewer.on('response', (reply) => {
		reply.resume();
		reply.on('error', done);
		reply.on('close', done);
	}));

	viewer.on('error', () => {});
	const [session] = await waitUntil('a viewer', async () => {
		const all = await ctl.json(['session', 'ls']);
		return all.length === 1 && all;
	});
	assert.equal(session.channel_id, 'news');
	assert.match(await ctl.out(['session', 'ls', '--sort', 'uptime']),
		/^ *\d+ {2}news {4}Néws 日本 {2}127\.0\.0\.1 +\d+ s$/m);
	assert.deepEqual(await ctl.json(['session', 'ls', '--stream', 'off']),
		[]);
	await ctl.fails(['session', 'ls', '--stream', 'nope'], REFUSED,
		/no stream has the id or the name "nope"/);
	await ctl.fails(['session', 'kick', 'x'], USAGE, /CLIENT/);
	assert.deepEqual(await ctl.json(['session', 'kick',
		String(session.client_id)]), [session.client_id]);
	await closed;
	await ctl.fails(['session', 'kick', '999999999'], REFUSED,
		/no session/);
	await sluice.stop();
});

test('the configuration is read, changed and compared', async (t) => {
	const { sluice, ctl } = await open(t);
	const file = path.join(sluice.dir, 'edited.json');
	const whole = await ctl.json(['config', 'get']);

	assert.deepEqual(whole, await sluice.json('/api/config'));
	assert.equal(await ctl.out(['config', 'get',
		'make_stream[news].name']), '"Néws 日本"\n');
	await ctl.fails(['config', 'get', 'make_stream[nope]'], REFUSED,
		/no make_stream\[nope\]/);

	// from standard input, from a file, from the command line
	const fresh = stream('fresh', 'udp://127.0.0.1:4343', [],
		{ enable: false });
	await ctl.out(['config', 'set', 'make_stream[fresh]'],
		JSON.stringify(fresh));
	fs.writeFileSync(file, '"From a file"');
	await ctl.out(['config', 'set', 'make_stream[fresh].name', file]);
	await ctl.out(['config', 'set', 'make_stream[fresh].groups',
		'--value', '{"Type":"News"}']);
	const { stream: stored } = await sluice.cmd('get-stream',
		{ id: 'fresh' });
	assert.equal(stored.name, 'From a file');
	assert.deepEqual(stored.groups, { Type: 'News' });

	// a value without effect, by the name of the field
	const idle = ['config', 'set', 'make_stream[fresh].lcn', '--value'];
	const { out, err } = await ctl.run([...idle, 'abc']);

	assert.equal(out, 'make_stream[fresh].lcn: stored, with warnings\n');
	assert.match(err, /stream\.lcn: "abc" is not a number: the playlist/);
	assert.match((await ctl.json([...idle, 'true'])).warnings.join(),
		/^stream\.lcn: is not a whole number: the playlist has no cha/);
	assert.equal(await ctl.out([...idle, '7']),
		'make_stream[fresh].lcn: in effect\n');

	// a value that the service rejects, by the name of the field
	await ctl.fails(['config', 'set', 'make_stream[fresh].output[0]',
		'--value', 'http://0.0.0.0:70000/x'], REFUSED,
	/stream\.output\[0\]: port: 70000 is not a port/);
	fs.writeFileSync(file, '{\n  "a": }\n');
	await ctl.fails(['config', 'set', 'x', file], REFUSED,
		/edited\.json:2:\d+: /);
	await ctl.fails(['config', 'set', 'category[0].name', '--value', 'x'],
		REFUSED, /there is no "category"/);
	await ctl.fails(['config', 'set', 'a..b', '--value', '1'], USAGE,
		/path "a\.\.b"/);
	await ctl.out(['config', 'set', 'categories[0]', '--value',
		'{"name":"Type","groups":[]}']);
	await ctl.fails(['config', 'set', 'categories[1]', '--value',
		'{"name":"Type"}'], REFUSED, new RegExp('category name ' +
		'already exists: category\\.name: "Type" is already the ' +
		'name of categories\\[0\\]'));

	// differences from an edited copy
	const edited = await ctl.json(['config', 'get']);
	edited.make_stream.find((s) => s.id === 'news').name = 'Other';
	edited.make_stream.pop();
	fs.writeFileSync(file, JSON.stringify(edited));
	const lines = (await ctl.out(['config', 'diff', file])).split('\n');
	assert.equal(lines[1],
		'~ make_stream[news].name: "Néws 日本" -> "Other"');
	assert.match(lines[0], /^- make_stream\[fresh\]: \{.*\}$/);
	const changes = await ctl.json(['config', 'diff', file]);
	assert.deepEqual(changes[1], { path: 'make_stream[news].name',
		change: 'changed', from: 'Néws 日本', to: 'Other',
		effect: 'continues' });
	assert.equal((await ctl.run(['config', 'diff', file, '--exit-code']))
		.code, DIFFERS);
	assert.equal(await ctl.out(['config', 'diff', file, file,
		'--exit-code']), '');

	await ctl.out(['config', 'unset', 'make_stream[fresh]']);
	assert.equal((await sluice.post({ cmd: 'get-stream', id: 'fresh' }))
		.status, 404);
	assert.deepEqual(await ctl.json(['config', 'set', 'own', '--value',
		'1']), { path: 'own', effect: 'at-restart',
		warnings: ['"own" is not known'] });
	await sluice.stop();
});

test('settings take effect by a restart that streams survive', async (t) => {
	const { sluice, ctl } = await open(t);
	const { pid } = (await sluice.status('news')).worker;

	assert.deepEqual(await ctl.json(['config', 'set',
		'settings.instance_name', '--value', 'head1']),
	{ path: 'settings.instance_name', effect: 'restarts' });
	await waitUntil('the new name', async () => /"head1"/.test(
		(await ctl.run(['status'])).out));
	assert.equal((await sluice.status('news')).worker.pid, pid);
	const restarts = () => sluice.log.match(/restarting/g).length;
	const before = restarts();
	assert.match(await ctl.out(['restart']), /restarts now, streams cont/);
	await waitUntil('the restart', () => restarts() > before);
	await sluice.ready();
	assert.equal((await sluice.status('news')).worker.pid, pid);

	// the whole, from a copy
	const copy = await ctl.json(['config', 'get']);
	copy.settings.instance_name = 'head2';
	assert.match(await ctl.out(['config', 'set', '.', '--restart'],
		JSON.stringify(copy)), /restarts now/);
	await waitUntil('the newer name', async () => /"head2"/.test(
		(await ctl.run(['status'])).out));
	await sluice.stop();
});

test('events are filtered, and continue after a restart', async (t) => {
	const { sluice, ctl } = await open(t);
	const lines = (child) => child.text.out.split('\n').slice(0, -1);

	const few = await ctl.run(['events', '--json', '-n', '2', '--scope',
		'stream_event', '--stream', 'Néws 日本']);
	assert.equal(few.code, OK);
	for (const line of few.out.trim().split('\n')) {
		const event = JSON.parse(line);
		assert.equal(event.scope, 'stream_event');
		assert.equal(event.channel_id, 'news');
	}
	assert.match((await ctl.run(['events', '-n', '1', '--stream',
		'gone'])).out, /^\d\d:\d\d:\d\d stream_event gone input 1 OFF/);

	const none = ctl.start(['events', '--stream', 'nope']);
	await waitUntil('a warning', () =>
		/no stream has the id .*"nope".*waiting/.test(none.text.err));
	none.kill('SIGTERM');
	await none.ended;
	const child = ctl.start(['events', '--json', '--scope', 'set-stream']);
	await waitUntil('the first event', async () => {
		await sluice.cmd('toggle-stream', { id: 'off' });
		return lines(child).length > 0;
	});
	await sluice.cmd('restart');
	await waitUntil('a new connection', () =>
		/connected again/.test(child.text.err));
	assert.match(child.text.err, /retry in 1 s: the service stops/);
	const before = lines(child).length;
	await sluice.cmd('toggle-stream', { id: 'off' });
	await waitUntil('an event', () => lines(child).length > before);
	for (const line of lines(child))
		assert.equal(JSON.parse(line).scope, 'set-stream');
	child.kill('SIGTERM');
	await child.ended;
	await sluice.stop();
});

test('a suspicious value is stored with a warning', async (t) => {
	const { sluice, ctl } = await open(t);
	const odd = { ...stream('odd', 'rtp://239.1.1.1#skew=5', [],
		{ enable: false }), inptu: [] };
	const want = ['stream.input[0]: skew: does nothing without merge',
		'stream: "inptu" is not known; is it "input"?'];

	assert.deepEqual(await sluice.cmd('set-stream', { stream: odd }),
		{ 'set-stream': 'ok', warnings: want });
	const { code, err } = await ctl.run(['config', 'set',
		'make_stream[odd].nmae', '--value', 'x']);
	assert.equal(code, OK);
	assert.match(err,
		/^sluicectl: warning: stream: "nmae" is not known; /m);
	await sluice.cmd('set-stream', { id: 'odd',
		stream: { ...stream('odd', 'rtp://239.1.1.1', []), own: 1 } });
	await sluice.stop();
});

test('changes of the input and alarms are printed in words', async (t) => {
	const sluice = await Sluice.start(t, config(stream('many',
		[CLIP, CLIP], ['udp://nosuch0@239.1.1.1:7000'],
		{ backup_type: 'disable' })));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	await sluice.onair('many');
	const child = ctl.start(['events', '--scope', 'stream_switch',
		'--scope', 'alarm']);
	for (let i = 2; !/-> input/.test(child.text.out); i = 3 - i) {
		await ctl.out(['stream', 'switch', 'many', String(i)]);
		await sluice.waitStatus('many', 'a change', ({ inputs }) =>
			inputs[i - 1].active);
	}
	assert.match(child.text.out, new RegExp('stream_switch many ' +
		'input (1 -> input 2|2 -> input 1) \\(chosen by hand\\)'));
	// it may have been raised before anybody listened
	for (let i = 0; i < 2; i++)
		await ctl.out(['stream', 'toggle', 'many']);
	await waitUntil('an alarm', () => new RegExp(' alarm many output 1 ' +
		'output_fault raised: .*nosuch0').test(child.text.out), 20000);
	await sluice.stop();
});

test('lines of the log are events on request', async (t) => {
	const { sluice, ctl } = await open(t);
	let ended = false;
	const first = ctl.run(['events', '--json', '-n', '1', '--scope', 'log'])
		.finally(() => { ended = true; });

	await waitUntil('an event', async () => {
		await sluice.cmd('restart-stream', { id: 'news' });
		await sleep(300);
		return ended;
	});
	const { scope, lines } = JSON.parse((await first).out);
	assert.equal(scope, 'log');
	assert.ok(lines.length > 0);
	await sluice.stop();
});

test('a closed pipe ends the events', async (t) => {
	const { sluice, ctl } = await open(t);
	const child = ctl.start(['events']);

	await waitUntil('an event', () => child.text.out.length > 0);
	child.stdout.destroy();
	const { code } = await child.ended;
	assert.notEqual(code, null);
	await sluice.stop();
});

// A server of another program: answer(request, reply).
async function other(t, answer) {
	const server = http.createServer(answer);

	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	t.after(() => server.close());
	t.after(() => server.closeAllConnections());
	return `http://127.0.0.1:${server.address().port}`;
}

test('a foreign or silent service is reported', async (t) => {
	const ctl = new Ctl(t, `http://127.0.0.1:${await freePort()}`);
	const end = await ctl.fails(['status', '--json'], UNREACHABLE,
		/no connection; does the service run/);
	const told = JSON.parse(end.out);
	assert.equal(told.code, UNREACHABLE);
	assert.match(told.error, /no connection/);

	const silent = net.createServer((socket) => {
		t.after(() => socket.destroy());
	});
	await new Promise((done) => silent.listen(0, '127.0.0.1', done));
	t.after(() => silent.close());
	const port = String(silent.address().port);
	await ctl.fails(['status', '-H', `127.0.0.1:${port}`, '--timeout',
		'1'], UNREACHABLE, /no answer within 1 s; see --timeout/);
	silent.removeAllListeners('connection');
	silent.on('connection', (socket) => socket.destroy());
	await ctl.fails(['status', '-H', `127.0.0.1:${port}`], UNREACHABLE,
		/closed without an answer/);

	const below = await Sluice.start(t, { settings:
		{ control_path: 'tv' } }, { wait: false });
	const url = `http://127.0.0.1:${below.port}`;

	await waitUntil('it', () => ctl.out(['status', '-H', `${url}/tv`]));
	await ctl.fails(['status', '-H', url], REFUSED,
		/no control interface .*control_path\?  Add it .*-H/);
	await below.stop();

	const page = await other(t, (request, reply) => reply.end('<html>'));
	await ctl.fails(['status', '-H', page], UNREACHABLE,
		/not a reply of Sluice \(status 200\)/);
	const moved = await other(t, (request, reply) => reply.writeHead(302,
		{ Location: 'http://127.0.0.1:1/' }).end());
	await ctl.fails(['status', '-H', moved], UNREACHABLE, /status 302/);
	const endless = await other(t, (request, reply) => {
		const piece = Buffer.alloc(1024 * 1024, 0x20);
		const more = () => {
			while (!reply.destroyed && reply.write(piece));
		};
		reply.on('drain', more);
		reply.on('error', () => {});
		more();
	});
	await ctl.fails(['status', '-H', endless], UNREACHABLE,
		/larger than 64 MiB/);
});

test('control characters in names do not reach the terminal', async (t) => {
	const sluice = await Sluice.start(t, config(stream('x', CLIP, [],
		{ enable: false, name: 'a\x1b[2J\nb' })));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	for (const words of [['status'], ['top'], ['stream', 'ls'],
		['stream', 'ls', '-q'], ['stream', 'show', 'x']]) {
		const out = await ctl.out(words);
		assert.ok(!out.includes('\x1b'), words.join(' '));
	}
	assert.match(await ctl.out(['stream', 'ls']), /a\?\[2J\?b/);
	await sluice.stop();
});

test('a wrong command line is rejected before a request is sent', async (t) => {
	const ctl = new Ctl(t, 'http://127.0.0.1:1');
	const wrong = [[], ['frob'], ['stream'], ['stream', 'frob'],
		['status', 'x'], ['status', '--sort', 'id'], ['--nope'],
		['stream', 'ls', '--sort', 'x'], ['config', 'set'],
		['status', '-H', 'ftp://x'], ['status', '-H', 'http://a:b@c'],
		['status', '--config', '/nonexistent']];

	for (const words of wrong)
		await ctl.fails(words, USAGE, /Try 'sluicectl --help'/);
	const incomplete = await ctl.fails(['stream'], USAGE,
		/needs a second word/);
	assert.match(incomplete.err, /^ {2}stream toggle STREAM/m);
	assert.doesNotMatch(incomplete.err, /config/);
	assert.equal(incomplete.out, '');
	await ctl.fails(['help', 'frob'], USAGE, /"frob" is not a command/);
	await ctl.fails(['help', 'stream', 'frob'], USAGE,
		/"stream frob" is not a command/);
	await ctl.fails(['strem', 'ls'], USAGE,
		/"strem ls" is not a command; is it "stream ls"\?/);
	await ctl.fails(['help', 'relaod'], USAGE,
		/"relaod" is not a command; is it "reload"\?/);
	for (const words of [['help', 'stream', 'ls', 'x'],
		['help', 'stream', 'ls', '--count', '5']])
		await ctl.fails(words, USAGE, /Try 'sluicectl --help'/);
});

test('help is a command, and works for a single noun', async (t) => {
	const ctl = new Ctl(t, 'http://127.0.0.1:1');
	const all = await ctl.out(['--help']);

	assert.match(all, /stream toggle STREAM/);
	for (const words of [['help'], ['-h', '-V']])
		assert.equal(await ctl.out(words), all);
	const ofStreams = await ctl.out(['help', 'stream']);
	assert.match(ofStreams, /stream toggle STREAM/);
	assert.doesNotMatch(ofStreams, /^ {2}(status|config get)/m);
	for (const words of [['help', 'stream', 'show'], ['stream', '-h'],
		['stream', 'show', '--help']])
		assert.equal(await ctl.out(words), ofStreams);
	assert.match(await ctl.out(['-V']), /^sluicectl \d+$/m);
});

test('the file of settings names services', async (t) => {
	const sluice = await Sluice.start(t, config());
	const ctl = new Ctl(t);
	const folder = path.join(ctl.home, '.config/sluicectl');

	fs.mkdirSync(folder, { recursive: true });
	fs.writeFileSync(path.join(folder, 'config'), `url = 127.0.0.1:1
[head]
url = 127.0.0.1:${sluice.port}
`);
	await ctl.fails(['status'], UNREACHABLE, /127\.0\.0\.1:1:/);
	await ctl.out(['status', '-H', 'head']);
	fs.appendFileSync(path.join(folder, 'config'), 'colour = red\n');
	await ctl.fails(['status', '-H', 'head'], USAGE, /config: line 4: /);
	await sluice.stop();
});
