// SPDX-License-Identifier: GPL-3.0-or-later
// roles: every command and path for every kind of client.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { again, basic, call, checked, cookie, done, enter, startGuarded }
	from '../helpers/auth.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Reference } from '../helpers/reference.mjs';
import { request, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { sleep, srcdir, tempDir, udpReaders, waitUntil }
	from '../helpers/util.mjs';

// The reply to an observer, as doc/openapi.yaml promises it: Y an answer, F
// 403, H 404.
const LETTERS = { allowed: 'Y', forbidden: 'F', hidden: 'H' };
const COMMANDS = {
	...Object.fromEntries(Object.entries(
		new Reference(`${srcdir}/doc`).openapi.components.schemas)
		.filter(([name, schema]) => name.endsWith('.request') &&
			!schema['x-reserved'])
		.map(([name, schema]) => [name.replace(/\.request$/, ''),
			LETTERS[schema['x-observer']]])),
	// only the own password
	'set-user': 'F',
	'no-such-command': 'F',
};
const PATHS = {
	'/api/announcements': 'Y', '/api/network-status': 'Y',
	'/api/satip-servers': 'Y',
	'/api/system-status': 'Y', '/api/stream-info/x': 'Y',
	'/api/stream-status/x': 'Y', '/api/stream-analysis/x': 'Y',
	'/api/stream-plan/x': 'Y',
	'/api/stream-inputs/x': 'Y', '/api/adapter-info/x': 'Y',
	'/api/adapter-status/x': 'Y', '/api/config': 'H',
	'/api/log': 'H', '/api/forms': 'Y', '/api/history/x': 'Y',
	'/api/revisions': 'H',
	'/api/revisions/0': 'H',
	'/api/stream-inputs/x': 'Y', '/api/stream-outputs/x': 'Y',
	'/metrics': 'Y',
};
const OBSERVER_404 = 'not found';

const users = {
	carl: { type: 1, password: 'pw' }, olga: { type: 2, password: 'pw' },
	viewer: { type: 3, password: 'pw' },
	off: { type: 1, password: 'pw' }, late: { type: 1, password: 'pw' },
	gone: { type: 1, password: 'pw' },
};

// All clients without access, for every request.
async function strangers(t, sluice, admin) {
	const ids = {};

	for (const name of ['off', 'late', 'gone', 'carl'])
		ids[name] = await enter(sluice, name, 'pw');
	await call(sluice, { cmd: 'logout' }, cookie(ids.carl));
	await done(sluice, { cmd: 'toggle-user', id: 'off' }, admin);
	await done(sluice, { cmd: 'set-user', id: 'gone',
		user: { remove: true } }, admin);
	await sluice.stop();
	// one whose session has expired
	const file = `${sluice.file}.sessions`;
	const saved = JSON.parse(fs.readFileSync(file, 'utf8'));
	for (const session of saved.sessions)
		if (session.login === 'late')
			session.expires = Math.floor(Date.now() / 1000) + 1;
	fs.writeFileSync(file, JSON.stringify(saved));
	const next = await again(t, sluice);
	await sleep(1100);
	return [next, {
		nobody: {},
		'type 3': basic('viewer', 'pw'),
		disabled: cookie(ids.off),
		'disabled, Basic': basic('off', 'pw'),
		expired: cookie(ids.late),
		revoked: cookie(ids.carl),
		removed: cookie(ids.gone),
		invented: cookie('0123456789abcdef'.repeat(4)),
	}];
}

// 'dropped' when the connection was closed without an answer.
const ask = (sluice, cmd, headers) => checked(() => call(sluice, { cmd },
	headers).catch((error) => ({ status: 'dropped', error })));

function judge(reply, letter, what) {
	if (letter === 'F')
		assert.equal(reply.status, 403, what);
	else if (letter === 'H')
		assert.deepEqual([reply.status, reply.json.error],
			[404, OBSERVER_404], what);
	else
		assert.ok(![401, 403, 429].includes(reply.status) &&
			reply.json?.error !== OBSERVER_404,
		`${what}: ${reply.status} ${reply.body}`);
}

test('the table names every existing command', () => {
	const folder = `${srcdir}/master/api`;
	const names = fs.readdirSync(folder).filter((name) =>
		name.endsWith('.c')).flatMap((name) => [...fs.readFileSync(
		`${folder}/${name}`, 'utf8').matchAll(
		/^\t\{ "([a-z-]+)", (?!PATH_)\w+,\s+OBSERVER_/gm)])
		.map((m) => m[1]);

	assert.ok(names.length > 10);
	for (const name of names)
		assert.ok(name in COMMANDS, name);
});

test('every request without a valid credential is rejected', async (t) => {
	const guarded = await startGuarded(t, { users });
	const [sluice, who] = await strangers(t, guarded.sluice, guarded.admin);

	for (const [name, headers] of Object.entries(who)) {
		for (const cmd of Object.keys(COMMANDS)) {
			// no failure of Basic: it would lock us all out
			const reply = await ask(sluice, cmd, headers);
			assert.equal(reply.status, cmd === 'login' ? 400 : 403,
				`${name}: ${cmd}`);
		}
		assert.equal((await checked(() => call(sluice, { name: 'x' },
			headers, { path: '/api/output-group' }))).status, 403,
		name);
		for (const path of [...Object.keys(PATHS), '/x', '/api/x',
			'/control', '/play/x']) {
			const reply = await checked(() => request(sluice.port,
				{ path, headers }));
			assert.equal(reply.status, 403, `${name}: ${path}`);
		}
	}
	await sluice.stop();
});

for (const [name, letterOf] of [['observer', (letter) => letter],
	['control user', () => 'Y']])
	test(`permissions of each role: ${name}`, async (t) => {
		const { sluice } = await startGuarded(t, { users });
		const login = name === 'observer' ? 'olga' : 'carl';
		const session = cookie(await enter(sluice, login, 'pw'));
		const path = (target) => request(sluice.port,
			{ path: target, headers: session }).then((reply) =>
			({ ...reply, json: reply.body[0] === '{' ?
				JSON.parse(reply.body) : undefined }));

		for (const [cmd, letter] of Object.entries(COMMANDS)) {
			// these two end a session or process that the others
			// need
			if (['logout', 'restart'].includes(cmd) &&
				letterOf(letter) === 'Y')
				continue;
			// the form comes first: 400 without id
			judge(await ask(sluice, cmd, session),
				cmd === 'set-user' ? 'Y' : letterOf(letter),
				cmd);
		}
		for (const [target, letter] of Object.entries(PATHS))
			judge(await path(target), letterOf(letter), target);
		judge(await call(sluice, {}, session,
			{ path: '/api/output-group' }), letterOf('F'),
		'output-group');
		assert.equal((await call(sluice, { cmd: 'logout' }, session))
			.status, 200);
		await sluice.stop();
	});

test('observers load the file: softcams by name, no hash, all other ' +
	'keys unchanged',
	async (t) => {
		const given = { gid: 466561, settings: { instance_name: 'x' },
			softcam: [{ id: 's', name: 'n', type: 'newcamd',
				host: 'h', port: 1, user: 'u', pass: 'geheim' },
			{ id: 'bare' }], cas: [{ id: 'c', ecmg_host: 'h' }],
			servers: [{ name: 'p', host: 'h', user: 'u' }],
			make_stream: [stream('a', [], [], { enable: false })],
			categories: [{ name: 'Type', groups: [] }],
			own: { cipher: 'of another kind', softcam: [1] } };
		const { sluice, admin } = await startGuarded(t,
			{ users, config: given });
		const olga = cookie(await enter(sluice, 'olga', 'pw'));
		const control = await done(sluice, { cmd: 'load' }, admin);

		assert.ok(Object.values(control.users).every((user) =>
			user.cipher));
		await sluice.stop();
		const next = await again(t, sluice);
		for (const user of Object.values(control.users))
			delete user.cipher;
		const wanted = { ...control, softcam: [{ id: 's', name: 'n' },
			{ id: 'bare' }] };
		assert.deepEqual(await done(next, { cmd: 'load' }, olga),
			wanted);
		// the running configuration differs until it is saved
		const load = () => done(next, { cmd: 'load' }, olga);
		let before, data = 0;

		// a client that gets no processor for a second reads too late
		do {
			await done(next, { cmd: 'set-config', key: 'new',
				data: ++data }, admin);
			before = (await load()).new;
		} while (before === data && data < 5);
		assert.notEqual(before, data);
		await waitUntil('the save', async () =>
			(await load()).new === data);
		assert.deepEqual(await load(), { ...wanted, new: data });
		await next.stop();
	});

test('without a file an observer cannot load', async (t) => {
	const { sluice, admin } = await startGuarded(t, { users,
		options: { withoutFile: true } });

	assert.equal((await checked(() => call(sluice, { cmd: 'load' },
		basic('olga', 'pw')))).status, 404);
	assert.ok((await done(sluice, { cmd: 'load' }, admin)).users.olga);
	await sluice.stop();
});

// What the observer receives of an analysis, until it has a PAT.
const tables = (sluice, id, headers) => waitUntil('a PAT', async () => {
	const { json } = await call(sluice, { cmd: 'scan-check', id }, headers);

	if (!json.scan?.some((r) => r.psi === 'pat'))
		throw new Error(JSON.stringify(json));
	return json;
});

test('an observer analyzes what streams receive, and nothing is opened for it',
	async (t) => {
		const port = 5004;
		const taken = `udp://127.0.0.1:${port}`;
		let requests = 0;
		const server = http.createServer((request_, reply) => {
			const mux = new TsMux();
			const timer = setInterval(() =>
				reply.write(mux.take(20)), 20);

			requests++;
			reply.on('close', () => clearInterval(timer));
		}).listen(0, '127.0.0.1');
		t.after(() => server.closeAllConnections());
		t.after(() => server.close());
		await once(server, 'listening');
		const web = `http://127.0.0.1:${server.address().port}/geheim`;
		const sdp = path.join(tempDir(t), 'x.sdp');
		const kinds = { srt: 'srt://:9100', rist: 'rist://@:9102',
			sdp: `sdp://${sdp}` };

		fs.writeFileSync(sdp, 'v=0\no=- 1 1 IN IP4 127.0.0.1\ns=x\n' +
			'c=IN IP4 127.0.0.1\nt=0 0\nm=video 5010 RTP/AVP 33\n');
		const config = { settings: { observer_redact: true },
			make_stream: [stream('a', taken, [
				'srt://127.0.0.1:9100', 'rist://127.0.0.1:9102',
				'rtp://127.0.0.1:5010'], { enable: false }),
				...Object.entries(kinds).map(([id, input]) =>
					stream(id, input, [])),
				stream('w', web, []),
				stream('r', 'stream://w', []),
				stream('two', [`${web}/1`, `${web}/2`], [])] };
		const { sluice, admin } = await startGuarded(t,
			{ users, config });
		const olga = cookie(await enter(sluice, 'olga', 'pw'));
		const ask = (command) => call(sluice, command, olga);
		const init = (scan) => ask({ cmd: 'scan-init', scan });
		const input = (id, n = 1) => init({ stream: id, input: n });

		for (let i = 0; i < 16; i++)
			for (const scan of [taken, 'udp://239.1.1.1:5001',
				'rtp://lo@239.1.1.2:5002', 'srt://:5003',
				'rist://@:5006', 'sdp:///etc/x'])
				assert.equal((await init(scan)).status, 403,
					scan);
		assert.equal((await input('a')).status, 503);
		const heard = await request(sluice.port, { headers: olga,
			path: '/api/announcements' });
		assert.equal(heard.status, 200);
		assert.match(JSON.parse(heard.body).error,
			/only while a control user/);
		// the stream gets its port at once
		await done(sluice, { cmd: 'toggle-stream', id: 'a' }, admin);
		const opened = (id) => waitUntil(`input of ${id}`, async () => {
			const { body } = await request(sluice.port, {
				headers: admin,
				path: `/api/stream-status/${id}?t=0` });

			return JSON.parse(body).inputs?.[0].open;
		});
		await Sender.start(t, new TsMux(), port);
		for (const id of ['a', 'w', 'r', 'two', ...Object.keys(kinds)])
			await opened(id);
		const readers = () => [5004, 5010, 9100, 9102].map(udpReaders);
		const before = requests, bound = readers();

		assert.ok(bound.every((n) => n > 0), `${bound}`);
		for (const scan of [taken, { stream: 'a', input: 1 },
			...Object.keys(kinds).map((id) =>
				({ stream: id, input: 1 })),
			{ stream: 'w', input: 1 },
			{ stream: 'r', input: '1' }]) {
			const reply = await init(scan);

			assert.equal(reply.status, 200, reply.body);
			await tables(sluice, reply.json.id, olga);
			assert.equal((await ask({ cmd: 'scan-kill',
				id: reply.json.id })).status, 200);
		}
		assert.deepEqual(readers(), bound);
		assert.equal(requests, before);
		assert.equal(sluice.worker('scan'), undefined);

		// one input of a stream at a time, and clients share it
		const first = (await input('two')).json.id;
		assert.equal((await input('two', 2)).status, 503);
		const second = (await input('two')).json.id;
		await tables(sluice, first, olga);
		await tables(sluice, second, olga);
		for (const id of [first, second])
			await ask({ cmd: 'scan-kill', id });
		for (const [scan, status] of [[{ stream: 'x', input: 1 }, 404],
			[{ stream: 'two', input: 3 }, 400],
			[{ stream: 'two', input: 0 }, 400], [{ input: 1 }, 400],
			[{ stream: 'two' }, 400]])
			assert.equal((await init(scan)).status, status);
		// the end of the worker ends the analysis
		const last = (await input('w')).json.id;
		process.kill(sluice.worker('stream', 'w').pid, 'SIGKILL');
		await waitUntil('the end', async () => {
			const { json } = await ask({ cmd: 'scan-check',
				id: last });

			return /the worker of the stream/.test(json.error);
		});
		await sluice.stop();
	});

test('scan-init does not tell an observer whether it guessed an address',
	async (t) => {
		const whole = 'srt://127.0.0.1:5007#passphrase=geheim-geheim&' +
			'latency=20';
		const file = `file://${process.execPath}`;
		const config = { settings: { observer_redact: true },
			make_stream: [stream('a', whole, []),
				stream('f', file, [])] };
		const { sluice, admin } = await startGuarded(t,
			{ users, config });
		const olga = cookie(await enter(sluice, 'olga', 'pw'));
		const scan = (address, who) => call(sluice,
			{ cmd: 'scan-init', scan: address }, who);

		await waitUntil('the worker', async () => (await scan(
			whole.replace('geheim-geheim', '***'), olga)).status ===
				200);
		const wrong = await scan(whole.replace('geheim', 'gehein'),
			olga);
		const right = await scan(whole, olga);
		assert.equal(wrong.status, 403);
		assert.deepEqual(right.json, wrong.json);
		assert.equal(right.status, wrong.status);
		for (const address of ['file:///etc/shadow', 'sdp:///etc/x',
			'http://127.0.0.1:1/x', `${file}#loop`]) {
			assert.deepEqual((await scan(address, olga)).json,
				wrong.json, address);
			assert.equal((await scan(address, admin)).status, 200);
		}
		await sluice.stop();
	});
