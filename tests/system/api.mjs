// SPDX-License-Identifier: GPL-3.0-or-later
// api: every command and path, its replies, and its errors.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { AS_SELF, MASTER, Sluice, WORKER, config, request, stream }
	from '../helpers/sluice.mjs';
import { srcdir, start, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';
import { WsClient } from '../helpers/ws.mjs';

const one = (more) => stream('a001', 'udp://127.0.0.1:5000',
	'udp://127.0.0.1:6000', more);

// Sends a command that must fail; returns the sentence of its reply.
async function refused(sluice, status, command) {
	const before = await sluice.cmd('load');
	const reply = await sluice.post(command);

	assert.equal(reply.status, status, reply.body);
	assert.match(reply.headers['content-type'], /^application\/json/);
	const { error, ...rest } = JSON.parse(reply.body);
	assert.deepEqual(rest, {});
	assert.deepEqual(await sluice.cmd('load'), before, 'nothing changes');
	return error;
}

test('version and load', async (t) => {
	const given = { gid: 470000, settings: { instance_name: 'x' },
		make_stream: [one({ colour: 'blue', _input: ['udp://1.2.3.4'],
			groups: { Language: 'Español' } })],
		anything: [1, { else: null }, 1.25, 'ü'] };
	const sluice = await Sluice.start(t, given);

	assert.match((await sluice.cmd('version')).version, /^\d{6}$/);
	assert.deepEqual(await sluice.cmd('load'), given);
	assert.deepEqual(await sluice.json('/api/config'), given);
	// with a last slash, as any path
	for (const path of ['/api/stream-info/a001', '/api/stream-info/a001/'])
		assert.deepEqual(await sluice.json(path),
			given.make_stream[0]);
	await sluice.stop();
});

test('forms describe the options that the reader accepts', async (t) => {
	const sluice = await Sluice.start(t, config());
	const forms = await sluice.json('/api/forms');
	const { options } = forms.input.find(({ type }) => type === 'srt');
	const latency = options.find(({ key }) => key === 'latency');
	const set = (n) => sluice.post({ cmd: 'set-stream', id: 'a001',
		stream: stream('a001', `srt://127.0.0.1:5000#latency=${n}`,
			'udp://127.0.0.1:6000', { enable: false }) });

	assert.equal(latency.type, 'integer');
	assert.equal((await set(latency.max)).status, 200);
	assert.equal((await set(latency.max + 1)).status, 400);
	assert.equal(options.find(({ key }) => key === 'passphrase').secret,
		true);
	await sluice.stop();
});

test('a request from a page of another site changes nothing', async (t) => {
	const sluice = await Sluice.start(t, config());
	const own = `http://127.0.0.1:${sluice.port}`;
	const body = JSON.stringify({ cmd: 'set-stream', stream: one() });
	const post = async (headers) => (await request(sluice.port, {
		method: 'POST', path: '/control/', headers }, body)).status;

	for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' },
		{ 'Sec-Fetch-Site': 'same-site', Origin: own },
		{ Origin: 'http://evil.example', 'Content-Type': 'text/plain' },
		{ Origin: 'null' }])
		assert.equal(await post(headers), 403, JSON.stringify(headers));
	assert.deepEqual((await sluice.cmd('load')).make_stream, []);
	for (const headers of [{}, { Origin: own },
		{ 'Sec-Fetch-Site': 'same-origin', Origin: own },
		{ 'Sec-Fetch-Site': 'none' }])
		assert.notEqual(await post(headers), 403,
			JSON.stringify(headers));
	assert.equal((await sluice.cmd('load')).make_stream.length, 1);
	await sluice.stop();
});

test('a stream is created, read, changed, renamed and removed', async (t) => {
	const sluice = await Sluice.start(t, config());
	const ok = { 'set-stream': 'ok' };

	assert.deepEqual(await sluice.cmd('set-stream',
		{ stream: one({ name: 'One' }), gid: 466561 }), ok);
	assert.deepEqual(await sluice.cmd('get-stream', { id: 'a001' }),
		{ 'get-stream': 'ok', stream: one({ name: 'One',
			pmt_version: 1, sdt_version: 1 }) });
	assert.equal((await sluice.cmd('load')).gid, 466561);
	await waitUntil('input', () => udpBound(5000));

	// another input: no part of the old input remains
	assert.deepEqual(await sluice.cmd('set-stream', { id: 'a001',
		stream: one({ input: ['udp://127.0.0.1:5001'],
			pmt_version: 1, sdt_version: 31 }) }), ok);
	const changed = await sluice.json('/api/stream-info/a001');
	assert.deepEqual([changed.pmt_version, changed.sdt_version,
		changed.input[0]], [2, 0, 'udp://127.0.0.1:5001']);
	await waitUntil('the new input', () => udpBound(5001) &&
		!udpBound(5000));

	assert.deepEqual(await sluice.cmd('set-stream', { id: 'a001',
		stream: { ...one(), id: 'b-2.x_Y' } }), ok);
	assert.equal((await sluice.get('/api/stream-info/a001')).status, 404);
	assert.equal((await sluice.json('/api/stream-info/b-2.x_Y')).id,
		'b-2.x_Y');
	await waitUntil('its worker', () =>
		sluice.worker('stream', 'b-2.x_Y') &&
		!sluice.worker('stream', 'a001'));

	assert.deepEqual(await sluice.cmd('set-stream', { id: 'b-2.x_Y',
		stream: { remove: true } }), ok);
	assert.deepEqual((await sluice.cmd('load')).make_stream, []);
	await waitUntil('the end of its worker', () =>
		!sluice.worker('stream', 'b-2.x_Y') && !udpBound(5000));
	await sluice.stop();
});

test('a removed entry comes back to its place', async (t) => {
	const sluice = await Sluice.start(t, { ...config(...['a', 'b', 'c']
		.map((id) => stream(id, 'udp://127.0.0.1:5000', [],
			{ enable: false }))),
	dvb_tune: ['d', 'e'].map((id) => ({ id, type: 'S2', enable: false })),
	softcam: ['s', 'u'].map((id) => ({ id, name: id, type: 'newcamd',
		host: '127.0.0.1', port: 1, user: 'u', pass: 'p' })),
	cas: ['x', 'y'].map((id) => ({ id, ecmg_channel_id: 1, ecmg_port: 1,
		ecmg_host: '127.0.0.1' })) });
	const events = await sluice.events(t);
	const order = async (key) => (await sluice.cmd('load'))[key]
		.map(({ id }) => id).join('');

	for (const [cmd, member, key, before] of [
		['set-stream', 'stream', 'make_stream', 'b'],
		['set-adapter', 'adapter', 'dvb_tune', 'e'],
		['set-softcam', 'softcam', 'softcam', 'u'],
		['set-cas', 'cas', 'cas', 'y']]) {
		const [old] = (await sluice.cmd('load'))[key];
		const was = await order(key);
		const back = { [member]: old, was: null, before };

		await sluice.cmd(cmd, { id: old.id, [member]:
			{ remove: true } });
		await sluice.cmd(cmd, { ...back, dry_run: true });
		assert.equal(await order(key), was.slice(1));
		assert.deepEqual(await sluice.cmd(cmd, back), { [cmd]: 'ok' });
		assert.equal(await order(key), was);
		assert.equal((await events.wait(`the event of ${cmd}`, (m) =>
			m.scope === cmd && !m[member].remove)).before, before);
	}
	// the entry behind it has gone, too: it is the last
	const { stream: old } = await sluice.cmd('get-stream', { id: 'a' });

	for (const id of ['a', 'b'])
		await sluice.cmd('set-stream', { id,
			stream: { remove: true } });
	assert.deepEqual((await sluice.cmd('set-stream', { stream: old,
		before: 'b' })).warnings, ['before: there is no stream "b": ' +
		'the new entry is the last of the list']);
	assert.equal(await order('make_stream'), 'ca');
	await sluice.stop();
});

test('a change of an object that somebody else has changed is 409',
	async (t) => {
	const softcam = (name) => ({ id: 's1', name, type: 'newcamd',
		host: '127.0.0.1', port: 1, user: 'u', pass: 'p' });
	const cas = (name) => ({ id: 'c1', name, ecmg_channel_id: 1,
		ecmg_host: '127.0.0.1', ecmg_port: 1 });
	const server = (name) => ({ type: 'streamer', enable: false, name,
		host: '127.0.0.1', port: 1, user: 'u', pass: 'p' });
	const sluice = await Sluice.start(t, config());
	const stored = async (key) => (await sluice.cmd('load'))[key].at(-1);

	for (const [noun, key, id, make] of [
		['stream', 'make_stream', 'a001', (name) => one({ name,
			enable: false, pmt_version: 1, sdt_version: 1 })],
		['adapter', 'dvb_tune', 'd1', (name) => ({ id: 'd1', name,
			type: 'S2', enable: false, adapter: 0 })],
		['softcam', 'softcam', 's1', softcam],
		['cas', 'cas', 'c1', cas],
		['server', 'servers', 0, server],
		['category', 'categories', 0, (name) => ({ name,
			groups: [] })]]) {
		const cmd = `set-${noun}`;
		const set = (was, name, at = { id }) => sluice.post({ cmd,
			...at, was, [noun]: make(name) });
		const isConflict = async (reply) => {
			assert.equal(reply.status, 409, `${cmd} ${reply.body}`);
			const { error, now } = JSON.parse(reply.body);

			assert.match(error, /^was: /);
			assert.deepEqual(now, await stored(key) ?? null);
		};

		// "null": there is none yet
		const fresh = typeof id === 'number' ? {} : { id: undefined };
		assert.equal((await set(null, 'one', fresh)).status, 200, cmd);
		const was = await stored(key);

		await isConflict(await set(null, 'two'));
		await isConflict(await set({ ...was, name: 'other' }, 'two'));
		await isConflict(await set({}, 'two'));
		// another order of keys, a number of another form
		const turned = JSON.stringify(Object.fromEntries(
			Object.entries(was).reverse())).replace(
			/:1([,}])/g, ':1.0$1').replace('"groups":[]',
			'"groups":{}');
		assert.equal((await sluice.post(JSON.stringify({ cmd, id,
			was: 0, [noun]: make('two') }).replace('"was":0',
			`"was":${turned}`))).status, 200, `${cmd} ${turned}`);
		assert.equal((await stored(key)).name, 'two');
		await isConflict(await set(was, 'three'));
		assert.equal((await set(undefined, 'three')).status, 200);
		// a removal, too
		await isConflict(await sluice.post({ cmd, id, was,
			[noun]: { remove: true } }));
		assert.equal((await sluice.post({ cmd, id,
			was: await stored(key),
			[noun]: { remove: true } })).status, 200);
	}
	await sluice.stop();
});

test('a change of a section that somebody else has changed is 409',
	async (t) => {
	const user = { enable: true, type: 2, comment: 'x' };
	const sluice = await Sluice.start(t, config());
	const conflict = async (command) => {
		const reply = await sluice.post(command);

		assert.equal(reply.status, 409, reply.body);
		return JSON.parse(reply.body).now;
	};

	await sluice.cmd('set-user', { id: 'olga', was: null, user });
	const { users: { olga } } = await sluice.cmd('load');

	assert.deepEqual(await conflict({ cmd: 'set-user', id: 'olga',
		was: null, user }), olga);
	await sluice.cmd('set-user', { id: 'olga', was: olga, user });
	for (const [cmd, more] of [['set-auth', { auth: {} }],
		['set-log', { set: {} }], ['set-settings', { settings: {} }],
		['set-config', { key: 'own', data: 1 }]])
		assert.equal(await conflict({ cmd, was: { other: 1 },
			...more }), null);
	await sluice.stop();
});

test('a dry run names what a change interrupts, and changes nothing',
	async (t) => {
	const sluice = await Sluice.start(t, config(one()));
	const socket = await WsClient.open(t, sluice.port,
		'/control/event/?token=x');
	const pid = await waitUntil('the worker', () =>
		sluice.worker('stream', 'a001')?.pid);
	const before = await sluice.cmd('load');
	const dry = async (more) => (await sluice.cmd('set-stream',
		{ id: 'a001', dry_run: true, ...more })).effects;
	const changed = { ...one(), input: ['udp://127.0.0.1:5001'] };

	assert.deepEqual(await dry({ stream: { ...one(), name: 'other' } }),
		{ streams: [], viewers: 0, restart: false });
	for (const [stream, change] of [[changed, 'restart'],
		[{ ...one(), enable: false }, 'stop'],
		[{ remove: true }, 'stop']])
		assert.deepEqual((await dry({ stream })).streams,
			[{ id: 'a001', change, viewers: 0 }]);
	assert.deepEqual((await sluice.cmd('set-settings', { dry_run: true,
		settings: { cc_limit: 7 } })).effects, { streams: [{
		id: 'a001', change: 'restart', viewers: 0 }], viewers: 0,
	restart: true });
	const uploaded = await sluice.cmd('upload', { dry_run: true,
		config: { make_stream: [{ ...changed, id: 'b001' }] } });

	assert.deepEqual(uploaded.changes.added, ['b001']);
	assert.deepEqual(uploaded.changes.removed, ['a001']);
	assert.deepEqual(uploaded.effects.streams.map((s) =>
		[s.id, s.change]), [['b001', 'start'], ['a001', 'stop']]);
	assert.equal((await sluice.cmd('restart', { dry_run: true }))
		.effects.restart, true);
	assert.deepEqual(await sluice.cmd('load'), before);
	assert.equal(sluice.worker('stream', 'a001').pid, pid);
	assert.deepEqual(socket.messages.filter(({ scope }) =>
		scope.startsWith('set-')), []);
	// what was foreseen happens
	await sluice.cmd('set-stream', { id: 'a001', stream: changed });
	await waitUntil('another worker', () =>
		(sluice.worker('stream', 'a001')?.pid ?? pid) !== pid);
	await sluice.stop();
});

test('an id is derived from the counter when the request has none',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const { id, ...nameless } = one({ enable: false });

	await sluice.cmd('set-stream', { stream: nameless });
	await sluice.cmd('set-stream', { stream: nameless });
	assert.equal((await sluice.cmd('load')).gid, parseInt('a002', 36));
	// the counter in the request becomes the counter
	await sluice.cmd('set-stream', { stream: nameless, gid: 500000 });
	const document = await sluice.cmd('load');
	assert.deepEqual(document.make_stream.map((s) => s.id),
		['a000', 'a001', 'a002']);
	assert.equal(document.gid, 500000);
	assert.notEqual(id, undefined);
	await sluice.stop();
});

test('table versions count modulo 32', async (t) => {
	const sluice = await Sluice.start(t, config());
	const versions = async (stream) => {
		await sluice.cmd('set-stream', { id: 'a001', stream });
		const stored = await sluice.json('/api/stream-info/a001');
		return Object.fromEntries(Object.entries(stored)
			.filter(([key]) => key.endsWith('_version')));
	};
	const off = (more) => one({ enable: false, ...more });

	assert.deepEqual(await versions(off()),
		{ pmt_version: 1, sdt_version: 1 });
	assert.deepEqual(await versions(off({ pmt_version: 31 })),
		{ pmt_version: 0, sdt_version: 1 });
	assert.deepEqual(await versions(off({ type: 'mpts' })),
		{ pat_version: 0, cat_version: 0, sdt_version: 0,
			nit_version: 0 });
	assert.deepEqual(await versions(off({ type: 'mpts', pat_version: 0,
		cat_version: 5, sdt_version: 31, nit_version: 30 })),
		{ pat_version: 1, cat_version: 6, sdt_version: 0,
			nit_version: 31 });
	await sluice.stop();
});

test('toggle and restart', async (t) => {
	const sluice = await Sluice.start(t, config(one()));

	await waitUntil('input', () => udpBound(5000));
	const { pid } = sluice.worker('stream', 'a001');
	assert.deepEqual(await sluice.cmd('restart-stream', { id: 'a001' }),
		{ 'restart-stream': 'ok' });
	const { pid: second } = await sluice.replaced('stream', 'a001', pid);
	assert.deepEqual(await sluice.cmd('toggle-stream', { id: 'a001' }),
		{ 'toggle-stream': 'ok' });
	await waitUntil('silence', () => !sluice.worker('stream', 'a001'));
	const off = await sluice.status('a001');
	assert.equal(off.active, false);
	assert.equal((await sluice.json('/api/stream-info/a001')).enable,
		false);
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await sluice.replaced('stream', 'a001', second);
	await sluice.stop();
});

test('a rejected command changes nothing and names the error', async (t) => {
	const sluice = await Sluice.start(t, config(one(), stream('a002',
		'udp://127.0.0.1:5002', 'http://127.0.0.1:8100/two')));
	const set = (more, id) => ({ cmd: 'set-stream', id,
		stream: one(more) });

	for (const [command, status, pattern] of [
		['', 400, /JSON/], ['{', 400, /JSON/], ['[]', 400, /object/],
		['"x"', 400, /object/], ['{}', 400, /^cmd: is missing/],
		['[' .repeat(3000), 400, /deep/],
		[{ cmd: 1 }, 400, /^cmd:/], [{ cmd: '' }, 400, /^cmd:/],
		[{ cmd: 'no-such-thing' }, 400, /no-such-thing/],
		[{ cmd: 'set-stream' }, 400, /^stream: is missing/],
		[{ cmd: 'set-stream', stream: [] }, 400, /^stream:/],
		[{ cmd: 'set-stream', id: 1, stream: one() }, 400, /^id:/],
		[{ ...set(), gid: 'x' }, 400, /^gid:/],
		[set(), 400, /a001/],
		[set({ id: 'a002' }, 'a001'), 400, /a002/],
		[set({ id: 'x' }, 'nobody'), 404, /nobody/],
		[set({ id: 'a/b' }, 'a001'), 400, /^stream\.id: /],
		[set({ type: 'tv' }, 'a001'), 400, /^stream\.type: /],
		[set({ enable: 1 }, 'a001'), 400, /^stream\.enable: /],
		[set({ enable: undefined }, 'a001'), 400,
			/^stream\.enable: is missing/],
		[set({ type: undefined }, 'a001'), 400,
			/^stream\.type: is missing/],
		[set({ input: ['udp://1.2.3.4:70000'] }, 'a001'), 400,
			/^stream\.input\[0\]: port: .*70000/],
		[set({ output: ['http://127.0.0.1:8100/two'] }, 'a001'), 400,
			/^stream\.output\[0\]: /],
		[set({ output: [`http://0.0.0.0:${sluice.port}/x`] }, 'a001'),
			400, /^stream\.output\[0\]: .*control/],
		[{ cmd: 'set-stream', stream: { remove: true } }, 400, /^id:/],
		[{ cmd: 'set-stream', id: 'nobody', stream: { remove: true } },
			404, /nobody/],
		...['get-stream', 'toggle-stream', 'restart-stream',
			'check-stream'].flatMap((cmd) => [
			[{ cmd }, 400, /^id: is missing/],
			[{ cmd, id: 5 }, 400, /^id:/],
			[{ cmd, id: 'nobody' }, 404, /nobody/]]),
	])
		assert.match(await refused(sluice, status, command), pattern);
	for (const path of ['/api/stream-info/nobody', '/api/nothing', '/x',
		'/api/stream-status/nobody', '/api/stream-info', '/control/x',
		'/web', '/web/', '/web/x/headend/main.js'])
		assert.equal((await sluice.get(path)).status, 404, path);
	assert.equal((await sluice.get('/api/stream-status/a001?t=7')).status,
		400);
	const wrong = await sluice.get('/control/');
	assert.equal(wrong.status, 405);
	assert.equal(wrong.headers.allow, 'POST');
	const put = await request(sluice.port, { method: 'PUT',
		path: '/api/config' });
	assert.equal(put.status, 405);
	await sluice.stop();
});

test('the set commands of api.md are accepted as they are printed',
	async (t) => {
	const text = fs.readFileSync(path.join(srcdir, 'doc/api.md'), 'utf8');
	const examples = [...text.matchAll(/^ {4}curl .*-d '(\{[^']*\})'/gm)]
		.filter(([, body]) => !body.includes('…'))
		.map(([, body]) => JSON.parse(body))
		.filter(({ cmd }) => cmd?.startsWith('set-'));
	const sluice = await Sluice.start(t, { ...config(),
		users: { olga: { enable: true, type: 3 } } });

	assert.ok(examples.length >= 12, `${examples.length}`);
	// later examples change the streams of earlier ones; the others would
	// move the control port, or close it
	for (const example of examples)
		await sluice.cmd(example.cmd, { ...example,
			dry_run: example.cmd !== 'set-stream' });
	await sluice.stop();
});

test('a prefix applies to all paths', async (t) => {
	const sluice = await Sluice.start(t,
		{ ...config(one()), settings: { control_path: 'north/side' } },
		{ wait: false });
	const inside = await waitUntil('answer', () =>
		request(sluice.port, { path: '/north/side/api/config' }));

	assert.equal(inside.status, 200);
	assert.equal((await sluice.get('/api/config')).status, 404);
	assert.equal((await sluice.post({ cmd: 'version' })).status, 404);
	const command = await request(sluice.port, { method: 'POST',
		path: '/north/side/control/' }, '{"cmd":"version"}');
	assert.equal(command.status, 200);
	assert.equal((await WsClient.open(t, sluice.port,
		'/north/side/control/event/')).status, 101);
	assert.equal((await WsClient.open(t, sluice.port,
		'/control/event/')).status, 404);
	await sluice.stop();
});

test('control_port sets the listener, and -p overrides it', async (t) => {
		const dir = tempDir(t), file = path.join(dir, 'sluice.json');
		const listen = async (value, args = []) => {
			fs.writeFileSync(file, JSON.stringify({ settings: {
				control_port: value } }));
			const child = start(t, MASTER, [...AS_SELF, '-c', file,
				'--no-web-auth', ...args], { env: {
				...process.env, SLUICE_WORKER: WORKER } });
			const at = async (host, port) => {
				const reply = await waitUntil('an answer',
					() => request(port, { host, path:
						'/api/system-status' }));
				assert.equal(reply.status, 200);
			};
			return { at, end: () => {
				child.kill('SIGTERM');
				return child.ended;
			} };
		};
		const refused = (host, port) => assert.rejects(
			request(port, { host, path: '/' }), /ECONNREFUSED/);

		const everywhere = await listen('8111');
		await everywhere.at('127.0.0.2', 8111);
		await everywhere.end();
		const one = await listen('127.0.0.3:8112');
		await one.at('127.0.0.3', 8112);
		await refused('127.0.0.1', 8112);
		await one.end();
		const other = await listen('8113', ['-p', '8114']);
		await other.at('127.0.0.1', 8114);
		await refused('127.0.0.1', 8113);
		await other.end();
	});

test('without --no-web-auth every request needs a login', async (t) => {
	const sluice = await Sluice.start(t, config(one()), { auth: true });

	for (const path of ['/api/config', '/api/system-status', '/x',
		'/api/stream-info/a001'])
		assert.equal((await sluice.get(path)).status, 403, path);
	assert.equal((await sluice.get('/control/event/')).status, 400);
	for (const cmd of ['load', 'version', 'set-stream', 'x'])
		assert.equal((await sluice.post({ cmd })).status, 403, cmd);
	await sluice.stop();
});

test('without a file every command works and nothing is saved', async (t) => {
	const sluice = await Sluice.start(t, undefined);

	await sluice.cmd('set-stream', { stream: one() });
	await waitUntil('input', () => udpBound(5000));
	assert.equal((await sluice.cmd('load')).make_stream.length, 1);
	await sluice.stop();
});
