// SPDX-License-Identifier: GPL-3.0-or-later
// api, with observer_redact: no reply and no event tells an observer a secret
// of another host.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { call, cookie, done, enter, startGuarded }
	from '../helpers/auth.mjs';
import { Ctl, DIFFERS, OK } from '../helpers/ctl.mjs';
import { MASTER, Sluice, request, stream } from '../helpers/sluice.mjs';
import { run, srcdir, tempDir, waitUntil } from '../helpers/util.mjs';
import { WsClient } from '../helpers/ws.mjs';

// Every secret has this in it, and a number.  Types are written in small
// letters.
// The key of BISS is hexadecimal.
const BISS = 'feedfacecafe';
const MARK = new RegExp(`geheim|${BISS}`, 'i');
let secrets = 0;
const secret = () => `geheimnis${++secrets}x`;
const other = () => ({ pwd: secret(), list: [{ deep: secret() }] });

// Valid addresses with a secret in each place that can have one.
const inputs = () => [
	`srt://127.0.0.1:9001#passphrase=${secret()}&streamid=#!::u=` +
		`${secret()},pwd=${secret()}&pw=${secret()}` +
		`&p%61ssphrase=${secret()}&pasphrase=${secret()};${secret()}`,
	`http://${secret()}:${secret()}@127.0.0.1:1/${secret()}/a/${secret()}` +
		`?token=${secret()};t%6Fken=${secret()}#header.${secret()}=` +
		`${secret()}&ua=${secret()}&${secret()}=1&biss=${BISS}`,
	`rist://127.0.0.1:9002#secret=${secret()}&oem=${secret()}`,
	`srt://127.0.0.1:9004?passphrase=${secret()}&streamid=${secret()}`,
	`udp://127.0.0.1:9006#merge=udp://127.0.0.1:9007%23key=${secret()}` +
		`&ts_size=${secret()}&cc_limit=${secret()}&cc_limit=9`,
	`dvb://a1#pass=${secret()}`,
];
const outputs = () => [
	`np://${secret()}:${secret()}@127.0.0.1:1/${secret()}?${secret()}` +
		`#header.Authorization=${secret()}`,
	`srt://127.0.0.1:9003#passphrase=${secret()}&streamid=${secret()}`,
];
// Addresses that this version cannot read.
const wrong = () => [`udp://${secret()}:${secret()}@h:1`,
	`${secret()}://h`, `srt://h:1#latency=${secret()}`,
	`http://h:${secret()}/`, `rist://a:${secret()}@h:1`, secret(),
	`udp://239.1.1.1:1#filter=${secret()}`];
const entries = () => ({
	stream: stream('a001', inputs(), outputs(), { name: 'a "name"',
		...other(), http_keep_active: secret(),
		cas_list: [{ cas_id: 'c1', ...other() }] }),
	adapter: { id: 'a1', name: 'adapter', enable: false, type: 'S',
		address: secret(), ...other() },
	server: { type: 'streamer', enable: true, name: 'second', port: 8000,
		host: `${secret()}:${secret()}@h/${secret()}`,
		user: secret(), pass: secret(), ...other() },
	softcam: { id: 's1', name: 'cam', type: 'newcamd', host: secret(),
		port: 1, user: secret(), pass: secret(), key: secret(),
		...other() },
	cas: { id: 'c1', name: 'cas', ecmg_channel_id: 1, ecmg_port: 1,
		ecmg_host: `u:${secret()}@h`, emm_data: secret(), ...other() },
	category: { name: 'kind', groups: [{ name: 'News', ...other() }],
		...other() },
	auth: { enable: false, securetoken: secret(), promo:
		`https://h/${secret()}`, http_token_deny: [secret()],
	backend: { format: 'http', host: `u:${secret()}@h`, port: 80,
		secret: secret() },
	ministra: `http://u:${secret()}@h/`, smarty: `x-${secret()}`,
	...other() },
	user: { enable: true, type: 3, token: secret(), comment: secret(),
		...other() },
	log: { debug: false, ...other() },
});
const sections = (e) => ({ servers: [e.server], auth: e.auth,
	cas: [e.cas], mine: other(), output: [{ name: 'x', ...other() }],
	softcam: [{ id: 's2', name: 'cam', user: secret(), login: secret() },
		e.softcam],
	categories: [e.category], dvb_tune: [e.adapter] });

// Sends every command that stores something.
async function store(sluice, admin, again) {
	const e = entries();
	const place = (id) => again ? { id } : {};
	const commands = [
		{ cmd: 'set-stream', id: 'a001', stream: e.stream },
		{ cmd: 'set-adapter', id: 'a1', adapter: e.adapter },
		{ cmd: 'set-server', ...place(0), server: e.server },
		{ cmd: 'set-softcam', ...place('s1'), softcam: e.softcam },
		{ cmd: 'set-cas', ...place('c1'), cas: e.cas },
		{ cmd: 'set-category', ...place(0), category: e.category },
		{ cmd: 'set-auth', auth: e.auth },
		{ cmd: 'set-log', set: e.log },
		{ cmd: 'set-user', id: 'otto',
			user: { password: 'p1', ...e.user } },
		{ cmd: 'set-stream-image', id: 'a001',
			url: `http://h/${secret()}` },
		...Object.entries(sections(entries())).map(([key, data]) =>
			({ cmd: 'set-config', key, data })),
	];

	for (const command of commands)
		await done(sluice, command, admin);
}

const listen = async (t, sluice, headers) => WsClient.open(t, sluice.port,
	`/control/event/?scope=alarm&token=${
		(await done(sluice, { cmd: 'ws-token' }, headers)).token}`);

const COMMANDS = [{ cmd: 'load' }, { cmd: 'sessions' }, { cmd: 'version' },
	{ cmd: 'whoami' }, { cmd: 'get-stream', id: 'a001' },
	{ cmd: 'get-stream', id: 'bad' }, { cmd: 'get-user', id: 'otto' },
	{ cmd: 'check-stream', id: 'a001', status: true },
	{ cmd: 'check-stream', id: 'bad', status: true },
	{ cmd: 'get-adapter', id: 'a1' }];
const PATHS = ['system-status', 'overview', 'announcements', 'network-status',
	'satip-servers', 'forms',
	...['stream-info', 'stream-status', 'stream-inputs', 'stream-outputs',
		'stream-analysis', 'stream-epg', 'stream-plan', 'history']
		.flatMap((p) => [`${p}/a001`, `${p}/bad`]),
	'adapter-info/a1', 'adapter-status/a1'].map((p) => `/api/${p}`)
	.concat('/metrics');
// Their replies have nothing of the configuration, or another test has them.
const NO_CONFIGURATION = ['login', 'logout', 'ws-token', 'set-user',
	'scan-init', 'scan-check', 'scan-kill'];

// All that a user can read, as text.
async function everything(sluice, headers) {
	const all = [];

	for (const command of COMMANDS)
		all.push((await call(sluice, command, headers)).body);
	for (const path of PATHS)
		all.push((await request(sluice.port, { path, headers })).body);
	return all.join('\n');
}

// An observer compares the file with what the service shows of it.
async function compares(t, sluice) {
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const file = `${tempDir(t)}/edited.json`;
	const diff = () => ctl.run(['config', 'diff', file, '--exit-code']);
	const edited = JSON.parse(fs.readFileSync(sluice.file, 'utf8'));

	await ctl.out(['login', '-u', 'olga'], 'look\n');
	fs.writeFileSync(file, JSON.stringify(edited));
	const same = await diff();
	assert.equal(same.out, '');
	assert.equal(same.code, OK);
	assert.match(same.err, /secrets are not compared/);
	edited.make_stream.find((s) => s.id === 'a001').name = 'Other';
	edited.users.new = { enable: false, type: 3, cipher: '$y$other' };
	fs.writeFileSync(file, JSON.stringify(edited));
	const { code, out } = await diff();
	assert.equal(code, DIFFERS);
	assert.match(out, /^~ make_stream\[a001\]\.name: .* -> "Other"$/m);
	assert.match(out, /^\+ users\.new: \{.*"type":3.*\}$/m);
	assert.doesNotMatch(out, MARK);
	assert.doesNotMatch(out, /\$y\$/);
}

// sluice -T hides what an observer may not read, whatever the setting.
async function prints(file) {
	const print = (...args) => run(MASTER, ['-T', ...args, '-c', file]);
	const document = JSON.parse(fs.readFileSync(file, 'utf8'));

	document.softcam.shift(); // it has an error
	fs.writeFileSync(file, JSON.stringify(document));
	const { code, out, err } = await print();

	assert.equal(code, 0, err);
	assert.match(out, /"id": "a001"/);
	assert.match(out, /"key": "\*\*\*"/);
	assert.doesNotMatch(out, MARK);
	assert.doesNotMatch(out, /\$y\$/);
	assert.match((await print('--secrets')).out, MARK);
}

const users = { olga: { type: 2, password: 'look' } };
const redacts = { settings: { observer_redact: true } };

test('the lists of this test have all that an observer may read', () => {
	const text = fs.readFileSync(`${srcdir}/doc/openapi.yaml`, 'utf8');
	const commands = [], paths = [];
	let name;

	for (const line of text.split('\n')) {
		name = /^ {2,4}((?:\/api)?\/[a-z-]+|[a-z-]+(?=\.request:))/
			.exec(line)?.[1] ?? name;
		if (line.trim() === 'x-observer: allowed')
			(name.startsWith('/') ? paths : commands).push(name);
	}
	assert.deepEqual([...commands].sort(), [...new Set([...NO_CONFIGURATION,
		...COMMANDS.map((c) => c.cmd)])].sort());
	assert.deepEqual([...paths].sort(), [...new Set(PATHS.map((p) =>
		/^(\/api)?\/[a-z-]+/.exec(p)[0]))].sort());
});

test('an observer reads no secret, and a control user reads all',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users,
		config: { ...redacts, make_stream: [stream('bad', wrong(),
			wrong(), { enable: false, ...other() })] } });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const hers = await listen(t, sluice, olga);
	const his = await listen(t, sluice, admin);

	await store(sluice, admin, false);
	await store(sluice, admin, true);
	await done(sluice, { cmd: 'set-config', key: 'last', data: 1 }, admin);
	for (const client of [hers, his])
		await client.wait('message', (m) => m.key === 'last');
	const heard = hers.messages.filter((m) => m.scope.startsWith('set-'));
	assert.deepEqual(heard.map((m) => m.scope), his.messages.filter((m) =>
		m.scope.startsWith('set-')).map((m) => m.scope));
	const text = JSON.stringify(hers.messages);
	assert.doesNotMatch(text, MARK);
	assert.doesNotMatch(text, /\$y\$/);
	assert.match(text, /"srt:\/\/127\.0\.0\.1:9001#passphrase=\*\*\*&/);
	assert.match(text, /"http:\/\/\*\*\*@127\.0\.0\.1:1\/\*\*\*#header/);
	assert.match(text, /"name":"a \\"name\\""/);
	const whole = JSON.stringify(his.messages);
	assert.match(whole, /\$y\$/);
	assert.ok(new Set(whole.match(/geheimnis\d+x/g)).size > 100);

	await waitUntil('the save', () =>
		fs.readFileSync(sluice.file, 'utf8').includes('"last"'));
	const read = await everything(sluice, olga);
	assert.match(read, /"id":"a001"/);
	assert.match(read, /"cas_id":"c1"/);
	assert.doesNotMatch(read, MARK);
	assert.doesNotMatch(read, /\$y\$/);
	assert.match(await everything(sluice, admin), MARK);
	await compares(t, sluice);
	// a parser of JSON quotes what it does not understand
	fs.writeFileSync(sluice.file, `{"users": ${secret()}}`);
	process.kill(sluice.pid, 'SIGHUP');
	await sluice.logged(/reload failed/);
	assert.match(sluice.log, /near 'geheim/);
	const broken = await everything(sluice, olga);
	assert.match(broken, /the configuration file: line 1/);
	assert.match(broken, /reload failed, nothing changed/);
	assert.doesNotMatch(broken, MARK);
	await sluice.stop();
});

test('without the setting an observer receives what the document says',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const hers = await listen(t, sluice, olga);

	await store(sluice, admin, false);
	const { user } = await hers.wait('message', (m) => m.id === 'otto');
	assert.match(user.cipher, /^\$y\$/);
	const { stream: seen } = JSON.parse((await call(sluice,
		{ cmd: 'get-stream', id: 'a001' }, olga)).body);
	assert.match(seen.input[1], new RegExp(
		`^http://geheim.*biss=${BISS}$`));
	await done(sluice, { cmd: 'set-config', key: 'last', data: 1 }, admin);
	await waitUntil('the save', () =>
		fs.readFileSync(sluice.file, 'utf8').includes('"last"'));
	await compares(t, sluice);
	await sluice.stop();
	await prints(sluice.file);
});

test('an open channel sends no more than its user may receive now',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, { users: { ...users,
		carl: { type: 1, password: 'rule' } } });
	const open = async (name, password) => listen(t, sluice,
		cookie(await enter(sluice, name, password)));
	const set = (id, user) => done(sluice, { cmd: 'set-user', id,
		user: { enable: true, type: 1, ...user } }, admin);
	const hers = await open('olga', 'look');
	const carls = await open('carl', 'rule');
	const his = await listen(t, sluice, admin);

	await set('carl', { description: 'the same rights' });
	const { settings } = await done(sluice, { cmd: 'load' }, admin);
	await done(sluice, { cmd: 'set-config', key: 'settings',
		data: { ...settings, ...redacts.settings } }, admin);
	assert.equal(await hers.waitClosed(), 1001);
	const reduced = await open('olga', 'look');
	await set('carl', { type: 2 });
	assert.equal(await carls.waitClosed(), 1001);
	await store(sluice, admin, false);
	await done(sluice, { cmd: 'set-config', key: 'last', data: 1 }, admin);
	for (const client of [reduced, his])
		await client.wait('message', (m) => m.key === 'last');
	for (const client of [hers, carls, reduced])
		assert.doesNotMatch(JSON.stringify(client.messages),
			MARK);
	await sluice.stop();
});

test('a first start hides, and observers without the setting raise a warning',
	async (t) => {
	const first = await Sluice.start(t, null, { auth: true });
	await waitUntil('the file', () => fs.existsSync(first.file));
	await first.stop();
	// the second one is what the package installs
	for (const name of [first.file, `${srcdir}/etc/sluice.json`])
		assert.equal(JSON.parse(fs.readFileSync(name, 'utf8'))
			.settings.observer_redact, true, name);

	const file = `${tempDir(t)}/x.json`;
	const pattern =
		/observer_redact: (warning: )?is not true: 1 observer reads/;
	// a user without a password, and no control user, are other warnings
	const document = { users: {
		olga: { enable: true, type: 2, cipher: '$y$x' },
		boss: { enable: true, type: 1, cipher: '$y$x' } } };
	fs.writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
	const checked = await run(MASTER, ['-t', '-c', file]);
	assert.equal(checked.code, 0);
	assert.match(checked.err, pattern);
	const sluice = await Sluice.start(t, document);
	await sluice.logged(pattern);
	// an observer that is made or enabled while it runs, too
	const warns = async (number, cmd, fields) => {
		const { length } = sluice.log;
		const { warnings } = await sluice.cmd(cmd,
			{ ...fields, warnings: true });
		const told = `settings.observer_redact: is not true: ` +
			`${number} observer${number === 1 ? ' reads' :
				's read'} passphrases `;

		assert.equal(warnings?.length, 1, cmd);
		assert.ok(warnings[0].startsWith(told), warnings[0]);
		await waitUntil('the log', () => sluice.log.slice(length)
			.includes(`warning config: ${told}`));
	};
	const quiet = async (cmd, fields) => assert.equal((await sluice.cmd(
		cmd, { ...fields, warnings: true })).warnings, undefined, cmd);
	const user = (enable, type) => ({ enable, type });

	await warns(2, 'set-user', { id: 'otto',
		user: { ...user(true, 2), password: 'x' } });
	await quiet('set-user', { id: 'vera', user: user(true, 3) });
	await quiet('set-user', { id: 'udo', user: user(false, 2) });
	await warns(3, 'toggle-user', { id: 'udo' });
	await quiet('toggle-user', { id: 'udo' });
	// a client that does not ask receives one key
	assert.deepEqual(await sluice.cmd('set-user', { id: 'udo',
		user: user(true, 2) }), { 'set-user': 'ok' });
	await warns(1, 'set-config', { key: 'users', data: document.users });
	await quiet('set-config', { key: 'users', data: {} });
	await quiet('set-config', { key: 'settings', data: redacts.settings });
	await quiet('set-user', { id: 'olga',
		user: { ...user(true, 2), password: 'x' } });
	await sluice.stop();
	fs.writeFileSync(file, JSON.stringify({ ...document, ...redacts }));
	assert.doesNotMatch((await run(MASTER, ['-t', '-c', file])).err,
		/observer/);
});
