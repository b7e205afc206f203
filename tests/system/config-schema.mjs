// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON schema of the configuration, as another project judges by it: it
// accepts what the service accepts, and finds wrong types and bounds.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { MASTER, Sluice, stream } from '../helpers/sluice.mjs';
import { builddir, run, srcdir, start, tempDir, waitUntil }
	from '../helpers/util.mjs';

const JUDGE = path.join(srcdir, 'tests/helpers/schema-errors.py');
const PYTHON = '/usr/bin/python3';
const { code } = await run(PYTHON, ['-c', 'import jsonschema'])
	.catch(() => ({}));
const skip = code !== 0 && 'python3-jsonschema is not installed';
const schema = JSON.parse((await run(MASTER, ['--schema'])).out);

// The paths of the errors of each document.
async function errors(t, documents) {
	const judge = start(t, PYTHON, [JUDGE],
		{ stdio: ['pipe', 'pipe', 'pipe'] });

	judge.stdin.end(JSON.stringify({ schema, documents }));
	const { code: end, out, err } = await judge.ended;
	assert.equal(end, 0, err);
	return JSON.parse(out);
}

// What the service says of the document: its errors.
async function faults(t, document) {
	const file = path.join(tempDir(t), 'x.json');

	fs.writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
	const { err } = await run(MASTER, ['-t', '-c', file]);
	return err.split('\n').filter((line) => line.startsWith(file) &&
		!line.includes('warning: ')).map((line) =>
		line.slice(file.length + 2));
}

test('the file to install is the schema', () => {
	const file = path.join(builddir, 'etc/config.schema.json');

	assert.deepEqual(JSON.parse(fs.readFileSync(file, 'utf8')), schema);
});

test('examples are accepted', { skip }, async (t) => {
	const samples = path.join(srcdir, 'tests/fuzz/corpus/check');
	const files = ['sluice', 'demo'].map((name) =>
		path.join(srcdir, `etc/${name}.json`)).concat(
		fs.readdirSync(samples).map((name) =>
			path.join(samples, name)));
	const all = files.map((file) =>
		JSON.parse(fs.readFileSync(file, 'utf8')));
	const good = [];

	for (const document of all)
		if ((await faults(t, document)).every((line) =>
			line.startsWith('ok')))
			good.push(document);
	assert.ok(good.length >= 3);
	good.push({}, { settings: [], users: [], mine: [{ own: 1 }] },
		{ make_stream: [stream('a', 'udp://:5000', [], {
			own: 1, set_pnr: '7', cc_limit: '', backup_type: null,
			backup_force_return: 1, eit: '' })] });
	assert.deepEqual(await errors(t, good), good.map(() => []));
});

test('$schema is known and kept', { skip }, async (t) => {
	const $schema = '/usr/share/sluice/config.schema.json';
	const sluice = await Sluice.start(t, { $schema,
		make_stream: [stream('a', 'udp://127.0.0.1:5000', [])] });
	const read = () => JSON.parse(fs.readFileSync(sluice.file));

	assert.deepEqual(await errors(t, [read()]), [[]]);
	assert.doesNotMatch((await run(MASTER, ['-t', '-c',
		sluice.file])).err, /\$schema/);
	await sluice.cmd('set-settings', {
		settings: { ...read().settings, instance_name: 'x' } });
	await waitUntil('save', () => read().settings.instance_name === 'x');
	assert.equal(read().$schema, $schema);
	await sluice.stop();
});

const VALUES = [true, 1, -1, 1.5, 'x', '', null, [], { a: 1 },
	99999999999];

test('a key of one object is judged as by the service', { skip },
	async (t) => {
	const sections = ['settings', 'auth', 'log'];
	const documents = VALUES.map((value) => Object.fromEntries(
		sections.map((section) => [section, Object.fromEntries(
			Object.keys(schema.properties[section].properties)
				.map((key) => [key, value]))])));
	const found = await errors(t, documents);

	for (const [i, document] of documents.entries()) {
		const lines = await faults(t, document);

		for (const [section, key] of found[i])
			assert.ok(lines.some((line) => line.startsWith(
				`${section}.${key}`)),
			`${section}.${key} = ${VALUES[i]}`);
	}
	for (const section of sections)
		assert.ok(found.flat().filter((place) =>
			place[0] === section).length > VALUES.length, section);
});

// An entry without errors of each list in which the service finds errors.
const ENTRIES = {
	users: () => ({ enable: true, type: 1 }),
	make_stream: (id) => stream(id, 'udp://127.0.0.1:5000', [],
		{ enable: false }),
	dvb_tune: (id) => ({ id, enable: true, type: 'S', frequency: 11000 }),
	softcam: (id) => ({ id, name: 'n', type: 'newcamd', host: 'h',
		port: 1, user: 'u', pass: 'p' }),
};

test('a key of an entry is judged as by the service', { skip }, async (t) => {
	for (const [section, make] of Object.entries(ENTRIES)) {
		const { items, additionalProperties } =
			schema.properties[section];
		const keys = Object.keys(
			(items ?? additionalProperties).properties);
		const cases = keys.flatMap((key) =>
			VALUES.map((value) => [key, value]));
		const list = cases.map(([key, value], i) =>
			({ ...make(`e${i}`), [key]: value }));
		const document = { [section]: items ? list :
			Object.fromEntries(list.map((e, i) => [`e${i}`, e])) };
		const number = new RegExp(
			`^${section}(?:\\[(\\d+)\\]|\\.e(\\d+))`);
		const wrong = new Set((await faults(t, document)).map((line) =>
			number.exec(line)).filter((m) => m !== null)
			.map((m) => Number(m[1] ?? m[2])));
		const found = new Set((await errors(t, [document]))[0]
			.map((place) => Number(String(place[1]).slice(
				items ? 0 : 1))));

		for (const i of found)
			assert.ok(wrong.has(i), `${section} ${cases[i]}`);
		assert.ok(found.size > wrong.size / 2,
			`${section}: ${found.size} of ${wrong.size}`);
	}
});

// Values of keys that code judges, beside VALUES.
const PORTS = ['8000', '1', '65535', '65536', '0', '00080', '000000000080',
	'0000000000000080', '99999', '80x', '-1', '127.0.0.1:8000',
	'127.0.0.1:0', '127.0.0.1:', '127.0.0.1', '127.0.0:80', '1.2.3.4.:80',
	'1.2.3.4.5:80', '256.0.0.1:80', '255.249.199.9:80', '01.2.3.4:80',
	'[::1]:8000', '[::1]', '[::1]:70000', '::1:80', '[]:80', '@8000',
	'@127.0.0.1:80', 'lo@127.0.0.1:80', 'localhost:80', ':80', ' 80'];
const PATHS = ['/', '//', 'a', '/a', 'a/', '//a/b//', 'a//b', '.', '..', 'a/..',
	'a/../b', './a', 'a/.', '...', '.a', 'a.', 'a/..b/c..', 'a?b', 'a#b',
	'a%20b', 'a b', 'a\\b', 'a\u0001', 'a\u007f', 'ä/ö', 'http://x',
	'x'.repeat(200), 'x'.repeat(201), `//${'x'.repeat(200)}//`,
	`${'x'.repeat(100)}/${'x'.repeat(99)}/`,
	`${'x'.repeat(100)}/${'x'.repeat(100)}`];
const IDS = ['a', 'A_b-c.9', 'x'.repeat(64), 'x'.repeat(65), 'a b', 'ä', 'a/b',
	' a', '.', '-'];
const PAGES = [0, 9, 10, 11, 12, 13, 15, 16, 20, 21, 22, '0', '5', '05', '11',
	'12', '15', '16', '21', '22', '+5', ' 5'];
const own = (section, key) => (value) => ({ [section]: { [key]: value } });
const entry = (section, key) => (value) => {
	const one = { ...ENTRIES[section]('e'), [key]: value };

	if (value === undefined)
		delete one[key];
	return { [section]: section === 'users' ? { e: one } : [one] };
};
// The key, the documents with a value of it, and values besides VALUES.
const CASES = [
	['settings.control_port', own('settings', 'control_port'), PORTS],
	['settings.control_path', own('settings', 'control_path'), PATHS],
	['settings.playlist_arrange', own('settings', 'playlist_arrange'), []],
	['settings.http_keep_active', own('settings', 'http_keep_active'),
		['-1', '60', -2, 'never']],
	['auth.enable', own('auth', 'enable'), [false, 'true']],
	['users.e.type', entry('users', 'type'),
		[0, 2, 3, 4, 2.5, '1', 1e300]],
	['make_stream[0].type', entry('make_stream', 'type'),
		['spts', 'mpts', 'SPTS', 'spts ']],
	['make_stream[0].http_keep_active',
		entry('make_stream', 'http_keep_active'), ['-1', -2]],
	...['textcode', 'epg_codepage'].map((key) =>
		[`make_stream[0].${key}`, entry('make_stream', key), PAGES]),
	...['make_stream', 'dvb_tune', 'softcam'].map((section) =>
		[`${section}[0].id`, entry(section, 'id'),
			[...IDS, undefined]]),
];

test('values that code judges are accepted and refused as by the service',
	{ skip }, async (t) => {
	for (const [key, make, more] of CASES) {
		const values = [...VALUES, ...more];
		const found = await errors(t, values.map(make));
		let accepted = 0;

		for (const [i, value] of values.entries()) {
			const lines = await faults(t, make(value));
			const isFine = !lines.some((line) => [`${key}: `,
				`${key} (`].some((head) =>
				line.startsWith(head)));

			accepted += isFine ? 1 : 0;
			assert.equal(found[i].length === 0, isFine,
				`${key} = ${JSON.stringify(value)}: ${lines}`);
		}
		assert.ok(accepted > 0, key);
	}
});
