// SPDX-License-Identifier: GPL-3.0-or-later
// api, before the start: -t names every error of a configuration by its path.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { AS_SELF, MASTER, config, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { run, srcdir, tempDir } from '../helpers/util.mjs';

const good = () => ({ settings: { control_port: '127.0.0.1:8000' },
	...config(
		stream('a001', 'udp://239.1.1.1:1234#cc_limit=5',
			['http://0.0.0.0:8100/one', 'udp://239.2.2.2:1234']),
		stream('a002', 'file:///tmp/two.ts#loop',
			'http://0.0.0.0:8100/two')) });

// One case: the value, its place, and the path that the error must name.
const at = (place, value, complaint = place) => {
	const document = good();
	const keys = place.split(/[.[\]]+/).filter((key) => key !== '');
	const last = keys.pop();
	const parent = keys.reduce((object, key) => object[key] ??= {},
		document);

	if (value === undefined)
		delete parent[last];
	else
		parent[last] = value;
	return { text: JSON.stringify(document), complaint,
		what: `${place} = ${JSON.stringify(value)}` };
};

const not = {
	string: [7, true, null, [], {}, 1.5],
	boolean: [0, 1, 'true', null, [], {}],
	whole: ['1', -1, 1.5, true, null, {}],
	object: ['', 1, true, null, ['x']],
	list: ['', 1, true, null, {}],
};

const forms = {
	'gid': 'whole', 'settings': 'object', 'users': 'object',
	'auth': 'object', 'log': 'object', 'servers': 'list',
	'dvb_tune': 'list', 'softcam': 'list', 'cas': 'list',
	'categories': 'list', 'make_stream': 'list',
	'settings.control_port': 'string', 'settings.control_path': 'string',
	'settings.instance_name': 'string',
	'make_stream[0].id': 'string', 'make_stream[0].name': 'string',
	'make_stream[1].type': 'string', 'make_stream[1].enable': 'boolean',
	'make_stream[1].input': 'list', 'make_stream[0].output': 'list',
	'make_stream[0].groups': 'object',
	'make_stream[0].pmt_version': 'whole',
};

const ports = ['', 'x', '0', '65536', '99999', '-1', '80 80', '1.2.3.4',
	'1.2.3.4:', ':8000x', 'host:0', '[::1]', '[::1:8000', '1.2.3:8000'];
const ids = ['', ' ', 'a b', 'a/b', '../x', 'ä', 'x'.repeat(65)];
const types = ['', 'SPTS', 'tv', 'spts '];

const inputs = ['', 'udp', 'udp:', 'udp:/1', 'udp://', '://x', 'gopher://x',
	'udp://1.2.3:1', 'udp://1.2.3.4.5', 'udp://1.2.3.4:0',
	'udp://1.2.3.4:65536', 'udp://1.2.3.4:port', 'udp://1.2.3.4:',
	'udp://[::1', 'udp://[::g]:1', 'udp://::1:1234', 'udp://host:1234',
	`udp://${'e'.repeat(16)}@239.1.1.1`, 'udp://et/h0@239.1.1.1',
	'udp://239.1.1.1#=1', 'udp://239.1.1.1#a&&b',
	'udp://239.1.1.1#renew=x', 'udp://239.1.1.1#renew=-1',
	'udp://239.1.1.1#renew=1000000', 'udp://239.1.1.1#socket_size=1k',
	'udp://239.1.1.1#src=host', 'udp://239.1.1.1#src=239.1.1.2',
	'udp://239.1.1.1#src=::1', 'udp://10.1.1.1#src=10.1.1.2',
	'udp://239.1.1.1#cc_limit=', 'udp://239.1.1.1#cc_limit=1.5',
	'udp://239.1.1.1#bitrate_limit=0x10', 'udp://239.1.1.1#id=',
	`udp://239.1.1.1#id=${'i'.repeat(65)}`,
	'udp://239.1.1.1#no_analyze=maybe', 'udp://239.1.1.1\u0007',
	`udp://${'1'.repeat(1100)}`, `file:///${'f'.repeat(1100)}`,
	`udp://239.1.1.1#${Array.from({ length: 65 }, (_, i) => `o${i}`)
		.join('&')}`];
const outputs = ['', 'http', 'http://', 'http:///x', 'http://:8100',
	'http://0.0.0.0:8100', 'http://0.0.0.0:0/x', 'http://0.0.0.0:70000/x',
	'http://0.0.0.0:8100/a%', 'http://0.0.0.0:8100/a%zz',
	'http://0.0.0.0:8100/a%00', 'http://0.0.0.0:8100/a%2fb',
	'http://0.0.0.0:8100/../x', 'http://0.0.0.0:8100//x',
	'http://0.0.0.0:8100/./x', 'http://host.example:8100/x',
	'http://0.0.0.0:8100/x#buffer_size=lots', 'http://127.0.0.1:8000/x',
	'http://0.0.0.0:8000/x', 'udp://', 'udp://0.0.0.0:1234',
	'udp://:1234', 'udp://[::]:1234', 'udp://239.1.1.1#ttl=0',
	'udp://239.1.1.1#ttl=256', 'udp://239.1.1.1#ttl=',
	'rtp://239.1.1.1:x', 'it950x://1', 'ftp://1.2.3.4/x'];

const cases = [
	...Object.entries(forms).flatMap(([place, form]) =>
		not[form].map((value) => at(place, value))),
	...ports.map((port) => at('settings.control_port', port)),
	at('settings.querier_timeout', 3601),
	...ids.map((id) => at('make_stream[0].id', id)),
	...types.map((type) => at('make_stream[1].type', type)),
	...inputs.map((input) => at('make_stream[1].input[0]', input)),
	...outputs.map((output) => at('make_stream[0].output[1]', output)),
	at('make_stream[1].enable', undefined),
	at('make_stream[1].type', undefined),
	at('make_stream[0].id', undefined),
	at('make_stream[1].id', 'a001'),
	at('make_stream[1].output[0]', 'http://0.0.0.0:8100/one'),
	at('make_stream[0].input', Array(33).fill('udp://239.1.1.1')),
	at('make_stream[0].output', Array(33).fill('udp://239.1.1.1')),
	at('make_stream[1].input[0]', 5),
	at('make_stream[1].input[0]', null),
	at('make_stream[1]', 'a stream'),
	at('softcam', ['x'], 'softcam[0]'),
	at('users', { root: 'x' }, 'users.root'),
	at('make_stream[0].groups', { a: 1 }, 'make_stream[0].groups.a'),
];

function documents() {
	const text = JSON.stringify(good(), null, 2);
	const cut = Array.from({ length: 40 }, (_, i) =>
		text.slice(0, Math.floor(text.length * i / 40)));

	return [...cut, 'null', '7', '"x"', '[]', '{', '{}}', '{"a":1,}',
		'{"gid":1,"gid":2}', '\ufeff{}', '{"a":"\u0001"}', "{'a':1}",
		'{"a":01}', '{"a":1e999}', '[1', 'nul', '{"a":"\\ud800"}',
		'{"a":"\\u0000"}', '[' .repeat(5000), '{"a":'.repeat(5000),
		'\0', 'x'.repeat(100000)];
}

async function judge(file, text) {
	fs.writeFileSync(file, text, { mode: 0o600 });
	const result = await run(MASTER, ['-t', '-c', file]);

	assert.equal(result.signal, null, `killed by ${result.signal}`);
	return { code: result.code, text: result.out + result.err };
}

// With the id of its stream behind it, if it has one.
const isAt = (line, place) => line.startsWith(`${place}: `) ||
	line.startsWith(`${place} (`);

test(`${cases.length} wrong documents: each error names its path`,
	async (t) => {
	const file = path.join(tempDir(t), 'wrong.json');

	assert.ok(cases.length >= 200);
	for (const { text, complaint, what } of cases) {
		const { code, text: said } = await judge(file, text);
		assert.equal(code, 78, `${what}: ${said}`);
		const lines = said.split('\n').filter((line) => line !== '');
		assert.ok(lines.every((line) => line.startsWith(`${file}: `)),
			`${what}: ${said}`);
		assert.ok(lines.some((line) => !line.includes('warning: ') &&
			isAt(line, `${file}: ${complaint}`)),
			`${what}: ${said}`);
	}
});

test('an error names the id and name of its stream', async (t) => {
	const file = path.join(tempDir(t), 'names.json');
	const said = async (make_stream) =>
		(await judge(file, JSON.stringify({ make_stream }))).text;
	const one = (id, name, more) => ({ id, name, type: 'spts',
		enable: true, input: ['udp://239.1.1.1'],
		output: ['udp://239.2.2.2:7'], ...more });
	const conflict = await said([one('a', 'News, 24'), one('b', 'b')]);

	assert.ok(conflict.includes(': make_stream[1].output[0] (b): ' +
	'warning: has the same destination as make_stream[0].output[0] (a, ' +
	'"News, 24")\n'), conflict);
	assert.match(await said([one('a', 'A', { type: 'x' })]),
		/make_stream\[0\]\.type \(a, "A"\): /);
	assert.match(await said([one(7, 'A')]), /make_stream\[0\]\.id: /);
	assert.match(await said([7]), /make_stream\[0\]: /);
});

test('a name and an address of one interface are one place', async (t) => {
	const file = path.join(tempDir(t), 'places.json');
	const one = (id, iface, port) => ({ id, type: 'spts', enable: true,
		input: [`udp://${iface}127.0.0.1:${port}`],
		output: [`udp://${iface}239.2.2.2:7`] });
	const { code, text } = await judge(file, JSON.stringify({ make_stream: [
		one('a', 'lo@', 5), one('b', '127.0.0.1@', 5),
		one('c', '192.0.2.77@', 5), one('d', '', 5)] }));

	assert.equal(code, 0, text);
	assert.deepEqual(text.replace(/ok, \d+ warnings/, 'ok').split('\n')
		.filter((line) => !line.includes('192.0.2.77')), [
		'make_stream[1].input[0] (b): warning: is the address of ' +
			'make_stream[0].input[0] (a), too: only one of them ' +
			'can receive there',
		'make_stream[1].output[0] (b): warning: has the same ' +
		'destination as make_stream[0].output[0] (a)',
		'ok', ''].map((line) => line && `${file}: ${line}`));
});

test('a document that is no JSON object is rejected with its line',
	async (t) => {
	const file = path.join(tempDir(t), 'wrong.json');

	for (const text of documents()) {
		const { code, text: said } = await judge(file, text);
		assert.equal(code, 78, `${text.slice(0, 60)}: ${said}`);
		assert.ok(said.startsWith(`${file}: `), said);
		assert.ok(said.split('\n').length <= 4, said);
	}
});

test('every error is reported, not only the first', async (t) => {
	const document = good();

	document.gid = 'x';
	document.make_stream[0].output[1] = 'udp://239.2.2.2:0';
	document.make_stream[1].type = 'x';
	const file = path.join(tempDir(t), 'wrong.json');
	const { text } = await judge(file, JSON.stringify(document));
	for (const place of ['gid', 'make_stream[0].output[1]',
		'make_stream[1].type'])
		assert.ok(text.split('\n').some((line) =>
			isAt(line, `${file}: ${place}`)), text);
});

test('a valid document is accepted, with a warning where one is due',
	async (t) => {
	const file = path.join(tempDir(t), 'right.json');
	const strange = good();

	strange.colour = { any: ['thing'] };
	strange.make_stream[0].colour = 'blue';
	strange.make_stream[0].input[0] += '&colour=blue';
	for (const text of [JSON.stringify(good()), '{}',
		JSON.stringify(strange)]) {
		const result = await judge(file, text);
		assert.equal(result.code, 0, result.text);
	}
	const { text } = await judge(file, JSON.stringify(strange));
	assert.match(text, /m\[0\]\.input\[0\] \(.*\): warning: .*colour/);
	for (const name of ['etc/sluice.json', 'etc/demo.json']) {
		const { code, err } = await run(MASTER,
			['-t', '-c', path.join(srcdir, name)]);
		assert.equal(code, 0, err);
	}
});

test('a missing certificate is a warning that names it', async (t) => {
		const file = path.join(tempDir(t), 'certificate.json');
		const { code, text } = await judge(file, JSON.stringify({
			settings: { crt_chain: '-----BEGIN CERTIFICATE-----',
				crt_key: '/nowhere/key.pem' } }));

		assert.equal(code, 0, text);
		assert.match(text, new RegExp('settings.crt_key: warning: ' +
			'/nowhere/key.pem: No such file'));
		assert.doesNotMatch(text, /crt_chain/);
		// that of the service is another one
		const own = await judge(file, JSON.stringify({ settings: {
			crt_chain: '/dev/stdin', crt_key: '/dev/stdin' } }));
		assert.equal(own.code, 0);
		assert.doesNotMatch(own.text, /warning/);
	});

test('a certificate out of its time is a warning, as the alarm says it',
	async (t) => {
	const dir = tempDir(t);
	const file = path.join(dir, 'time.json');
	const said = async (days) => (await judge(file, JSON.stringify({
		settings: settingsOf(await certificate(dir, `is${days}`,
			{ days })) }))).text;

	assert.match(await said(3), new RegExp('settings.crt_chain: warning: ' +
		'the certificate of CN = is3 expires in [23] days: install'));
	assert.doesNotMatch(await said(40), /warning/);
});

test('files and interfaces that this machine lacks are warnings', async (t) => {
	const file = path.join(tempDir(t), 'surroundings.json');
	const one = (id, input, output, more = {}) => ({ id, type: 'spts',
		enable: true, input: [input], output: [output], ...more });
	fs.writeFileSync(`${file}.list`, '#EXTM3U\n\n/nowhere/z.ts\n' +
		`${file}\n`);
	fs.writeFileSync(`${file}.many`, '/nowhere/z.ts\n'.repeat(8));
	fs.writeFileSync(`${file}.none`, '#EXTM3U\n');
	const { code, text } = await judge(file, JSON.stringify({
		make_stream: [
			one('a', 'file:///nowhere/x.ts#list',
				'file:///nowhere/y.ts'),
			one('b', 'udp://nosuch0@239.1.1.1',
				'rtp://239.1.1.2:2#path2=nosuch1@239.1.1.3:2',
				{ filler: '/nowhere/f.ts' }),
			one('c', 'https://h/x#ca=/nowhere/ca.pem',
				'udp://127.0.0.1@239.1.1.5'),
			one('d', 'udp://lo@239.1.1.4#merge=' +
				'udp://nosuch2@239.1.1.4', `file://${file}.ts`),
			one('e', 'sdp:///nowhere/x.sdp',
				'udp://192.0.2.77@239.1.1.6'),
			one('s', 'udp://192.0.2.77@239.1.1.7',
				'udp://127.0.0.1:7'),
			one('f', `file://${file}.list#list`,
				'http://192.0.2.77:8100/f'),
			one('g', `file://${file}.many#list`,
				'http://127.0.0.1:8100/g'),
			one('h', `file://${file}.none#list`,
				'http://[::1]:8100/h'),
			one('off', 'file:///nowhere/z.ts', 'udp://1.1.1.1',
				{ enable: false })] }));
	const user = os.userInfo().username;
	const missing = (name) =>
		`${name}: No such file or directory for user ${user}`;
	const want = [
		`make_stream[0].input[0] (a): warning: path: ${
			missing('/nowhere/x.ts')}`,
		`make_stream[0].output[0] (a): warning: path: ${
			missing('/nowhere')}`,
		'make_stream[1].input[0] (b): warning: interface: there ' +
			'is no "nosuch0"',
		'make_stream[1].output[0] (b): warning: interface: there ' +
			'is no "nosuch1"',
		`make_stream[1].filler (b): warning: ${
			missing('/nowhere/f.ts')}`,
		`make_stream[2].input[0] (c): warning: ca: ${
			missing('/nowhere/ca.pem')}`,
		'make_stream[3].input[0] (d): warning: interface: there ' +
			'is no "nosuch2"',
		`make_stream[4].input[0] (e): warning: path: ${
			missing('/nowhere/x.sdp')}`,
		'make_stream[4].output[0] (e): warning: interface: there ' +
			'is no "192.0.2.77"',
		'make_stream[5].input[0] (s): warning: interface: there is ' +
		'no "192.0.2.77"; for a sender write src=192.0.2.77',
		`make_stream[6].input[0] (f): warning: path: ${file}.list: ` +
			`line 3: ${missing('/nowhere/z.ts')}`,
		'make_stream[6].output[0] (f): warning: 192.0.2.77:8100: ' +
			'Cannot assign requested address',
		...[1, 2, 3, 4, 5].map((line) => 'make_stream[7].input[0] ' +
			`(g): warning: path: ${file}.many: line ${line}: ` +
			missing('/nowhere/z.ts')),
		`make_stream[7].input[0] (g): warning: path: ${file}.many: ` +
			'3 more files of the list cannot be read',
		`make_stream[8].input[0] (h): warning: path: ${file}.none: ` +
			'the list is empty',
		'make_stream[3].output[0] (d): warning: records into a ' +
			'folder with files of the service, which a recording ' +
			'may replace or leave without room: use another folder',
		'ok, 20 warnings', ''];

	assert.equal(code, 0, text);
	assert.deepEqual(text.split('\n'), want.map((line) =>
		line && `${file}: ${line}`));
});

test('local addresses that this machine lacks are warnings', async (t) => {
	const file = path.join(tempDir(t), 'addresses.json');
	const lacks = ['udp://192.0.2.70:5000', 'rtp://192.0.2.71:5000',
		'srt://192.0.2.72:5000#mode=listener',
		'rist://@192.0.2.73:5000'];
	const has = ['udp://127.0.0.1:5001', 'udp://:5002',
		'udp://239.1.1.1:5003', 'srt://192.0.2.77:5004',
		'rist://192.0.2.77:5005', 'rist://@:5006'];
	const { code, text } = await judge(file, JSON.stringify({
		settings: { http_play_stream: true,
			http_play_port: '192.0.2.77:8200' },
		make_stream: [...lacks, ...has].map((input, i) =>
			stream(`a${i}`, input, [])) }));
	const found = text.split('\n').filter((line) =>
		line.includes('Cannot assign'));

	assert.equal(code, 0, text);
	assert.equal(found.length, lacks.length + 1, text);
	for (const [i, line] of found.slice(0, -1).entries())
		assert.match(line, new RegExp(`\\[${i}\\]\\.input\\[0\\] .*` +
			`host: 192\\.0\\.2\\.7${i}:5000: `));
	assert.match(found.at(-1), /: settings\.http_play_port: warning: 192/);
});

test('likely typing errors are warnings', async (t) => {
	const file = path.join(tempDir(t), 'slips.json');
	const { code, text } = await judge(file, JSON.stringify({
		make_steam: [], settings: { contol_port: '1' }, _note: 1,
		servers: [{ name: 'x' }],
		make_stream: [{ id: 'a', type: 'spts', enable: true,
			inputs: ['udp://239.1.1.1'] }] }));

	assert.equal(code, 0, text);
	assert.match(text, /"make_steam" is not known; is it "make_stream"\?/);
	assert.match(text, /settings: warning: .*is it "control_port"\?/);
	assert.match(text, /servers\[0\].*: warning: host: is missing/);
	assert.match(text, /m\[0\] \(a\): warning: .*is it "input"\?/);
	assert.match(text, /warning: is enabled and does not run: input: /);
	assert.match(text, /: ok, [0-9]+ warnings\n$/);
	// for a script that accepts no slip
	const check = async (...args) => (await run(MASTER, [...AS_SELF,
		...args, '-c', file])).code;
	assert.equal(await check('-t', '--strict'), 78);
	assert.equal(await check('--strict'), 64);
	fs.writeFileSync(file, '{}', { mode: 0o600 });
	assert.equal(await check('-t', '--strict'), 0);
	assert.doesNotMatch(text, /_note/);
});

test('a byte order mark is reported', async (t) => {
	const { code, text } = await judge(path.join(tempDir(t), 'bom.json'),
		'\ufeff{}');

	assert.equal(code, 78);
	assert.match(text, /begins with a byte order mark/);
});

test('the command line', async (t) => {
	const wrong = [['-x'], ['-p'], ['-p', 'x'], ['-p', '0'], ['-c'],
		['-t'], ['extra'], ['--no-such-thing'], ['-p', '70000'],
		['-T'], ['-t', '-c', 'x', '--secrets']];

	for (const args of wrong) {
		const { code, err } = await run(MASTER, args);
		assert.equal(code, 64, `${args}: ${err}`);
		assert.notEqual(err, '');
	}
	assert.match((await run(MASTER, ['-p', 'abc'])).err,
		/-p: "abc" is not a port/);
	const version = await run(MASTER, ['-V']);
	assert.match(version.out, /^sluice \d{6}\n$/);
	assert.equal(version.code, 0);
	const help = await run(MASTER, ['-h']);
	assert.equal(help.code, 0);
	for (const option of ['-c', '-p', '--no-web-auth', '-t', '-T', '-V',
		'-h'])
		assert.ok(help.out.includes(option), option);
	const full = await run('sh',
		['-c', '"$0" --describe > /dev/full', MASTER]);
	assert.equal(full.code, 74);
	assert.match(full.err, /standard output: No space left/);
	const missing = path.join(tempDir(t), 'none.json');
	const { code, err } = await run(MASTER, ['-t', '-c', missing]);
	assert.equal(code, 78, err);
	assert.ok(err.includes(missing));
});

test('-T prints the configuration with its defaults', async (t) => {
	const file = path.join(tempDir(t), 'effective.json');
	const write = (text) => fs.writeFileSync(file, text, { mode: 0o600 });
	const print = (...args) => run(MASTER, ['-T', '-c', file, ...args]);
	const document = { ...good(), log: { syslog: 'own' } };

	document.settings.cc_limit = 7;
	document.auth = { securetoken: 'hush' };
	document.make_stream[1].cc_limit = 9;
	write(JSON.stringify(document));
	const { code, out, err } = await print('-p', '8001', '--debug',
		'--syslog', 'other');
	const shown = JSON.parse(out);

	assert.equal(code, 0, err);
	assert.match(err, /: ok/);
	assert.equal(shown.settings.control_port, '8001');
	assert.equal(shown.auth.securetoken, '***');
	assert.deepEqual([shown.log.debug, shown.log.stdout, shown.log.syslog],
		[true, true, 'own']);
	assert.deepEqual(shown.make_stream.map((s) => s.cc_limit), [7, 9]);
	assert.equal(shown.make_stream[0].backup_type, 'active');
	// a configuration of its own, which means the same
	const whole = (await print('--secrets')).out;
	assert.match(whole, /"securetoken": "hush"/);
	write(whole);
	assert.equal((await print('--secrets')).out, whole);
	write('{"make_stream":[{"id":"a b"}]}');
	const bad = await print();
	assert.equal(bad.code, 78);
	assert.equal(bad.out, '');
	assert.match(bad.err, /1 error|errors/);
	write('{}');
	assert.equal((await run('sh', ['-c', '"$0" -T -c "$1" > /dev/full',
		MASTER, file])).code, 74);
});

test('an output on the control port is an error', async (t) => {
	const file = path.join(tempDir(t), 'port.json');
	const check = (...args) => run(MASTER, ['-t', '-c', file, ...args]);

	// without control_port the service listens on port 8000
	fs.writeFileSync(file, JSON.stringify(config(stream('a', 'udp://:5000',
		'http://0.0.0.0:8000/x'))), { mode: 0o600 });
	const { code, err } = await check();
	assert.equal(code, 78, err);
	assert.match(err, /\[0\].*: port: 8000 is the port of the control/);
	assert.equal((await check('-p', '9000')).code, 0);
});

test('an invalid document prevents the start, too', async (t) => {
	const file = path.join(tempDir(t), 'wrong.json');

	fs.writeFileSync(file, '{"settings": {"control_port": 8000}}');
	const { code, err } = await run(MASTER, [...AS_SELF, '-c', file]);
	assert.equal(code, 78);
	assert.match(err, /settings\.control_port/);
});
