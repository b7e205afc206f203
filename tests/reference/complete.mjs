// SPDX-License-Identifier: GPL-3.0-or-later
// The documents name every item of the sources, and the sources have every item
// of the documents.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Reference } from '../helpers/reference.mjs';
import { srcdir } from '../helpers/util.mjs';

const reference = new Reference(path.join(srcdir, 'doc'));
const { openapi, asyncapi } = reference;
const read = (name) => fs.readFileSync(path.join(srcdir, name), 'utf8');
const sorted = (names) => [...new Set(names)].sort();

const list = (folder) => fs.readdirSync(path.join(srcdir, folder),
	{ recursive: true }).filter((name) => name.endsWith('.c'))
	.map((name) => read(path.join(folder, name)));

// Name, function or kind of id, and access of each row of commands or paths.
function rows(kind) {
	const table = new RegExp(
		`api_${kind} \\w+\\[\\] = \\{\n(.*?)\n\\};`, 'gs');
	const row = /^\t\{ "([^"]+)", (\w+),\s+OBSERVER_(\w+)(.*?) \},$/gms;

	return list('master/api')
		.flatMap((text) => [...text.matchAll(table)])
		.flatMap(([, body]) => [...body.matchAll(row)])
		.map(([, name, second, access, more]) =>
			({ name, second, access, more }));
}

const names = (table) => table.map(([name]) => name);

const requests = Object.entries(openapi.components.schemas)
	.filter(([name]) => name.endsWith('.request'))
	.map(([name, schema]) => [name.replace(/\.request$/, ''), schema]);
const answered = requests.filter(([, s]) => !s['x-reserved']);

test('every command of the API is described, and no other', () => {
	assert.deepEqual(sorted(names(answered)),
		sorted(rows('command').map((row) => row.name)),
		'doc/openapi.yaml, components.schemas.<cmd>.request, against ' +
		'the rows of commands in master/api');
});

test('every command is in the unions, with its answer', () => {
	const { Command, Reply } = openapi.components.schemas;
	const base = '#/components/schemas/';
	const all = sorted(names(requests));

	assert.deepEqual(Command.oneOf.map((s) => s.$ref),
		all.map((cmd) => `${base}${cmd}.request`));
	assert.deepEqual(Command.discriminator.mapping, Object.fromEntries(
		all.map((cmd) => [cmd, `${base}${cmd}.request`])));
	assert.deepEqual(Reply.anyOf.map((s) => s.$ref),
		all.map((cmd) => `${base}${cmd}.reply`));
	for (const [cmd, schema] of requests) {
		assert.equal(schema.properties.cmd.const, cmd);
		assert.ok(Array.isArray(schema['x-errors']), cmd);
	}
});

test('every command and path has the permission of an observer', () => {
	const rules = (kind) => new Map(rows(kind)
		.map((row) => [row.name, row.access.toLowerCase()]));
	const commands = rules('command'), paths = rules('path');

	for (const [cmd, schema] of requests)
		assert.equal(schema['x-observer'],
			commands.get(cmd) ?? 'forbidden', cmd);
	for (const [route, methods] of Object.entries(openapi.paths)) {
		const name = route.slice(1).replace(/\/\{.*/, '');
		if (!name.startsWith('api/'))
			continue;
		for (const method of ['get', 'post'])
			if (methods[method])
				assert.equal(methods[method]['x-observer'],
					paths.get(name) ?? 'forbidden', route);
	}
});

test('every path of the API is described, and no other', () => {
	const ids = { PATH_ALONE: [''], PATH_ID: ['/{}'],
		PATH_MAYBE_ID: ['', '/{}'] };
	const paths = rows('path').flatMap(({ name, second, more }) =>
		ids[second].map((id) => `${more.includes('.get')
			? 'GET' : 'POST'} /${name}${id}`));
	const fixed = [...read('master/api/route.c').matchAll(
		/is_path\(path, "(control[^"]*)"\)/g)].map(([, name]) =>
		name === 'control' ? 'POST /control/' : `GET /${name}/`);
	const described = Object.entries(openapi.paths).filter(
		([, methods]) => !methods['x-viewers']).flatMap(
		([route, methods]) => ['get', 'post', 'put', 'delete']
			.filter((method) => methods[method]).map((method) =>
				`${method.toUpperCase()} ` +
				route.replace(/\{[^}]*\}/, '{}')));

	assert.ok(paths.length > 10);
	assert.equal(fixed.length, 2);
	assert.deepEqual(sorted(described),
		sorted([...paths, ...fixed]));
});

test('every path of viewers is in both documents', () => {
	const cells = [...read('doc/api.md')
		.matchAll(/^\| (`\/(?:play|epg)[^|]*) \|/gm)];
	const paths = cells.flatMap(([, cell]) =>
		[...cell.matchAll(/`([^`]+)`/g)]).map(([, name]) => name
		.replace(/[A-Z]{2,}/g, (word) => `{${word.toLowerCase()}}`));

	assert.deepEqual(sorted(Object.keys(openapi.paths).filter((route) =>
		openapi.paths[route]['x-viewers'])), sorted(paths));
});

test('every event of the sources is described, and no other', () => {
	const said = list('master').flatMap((text) => [
		...text.matchAll(/edit_message\("([^"]+)"\)/g),
		...text.matchAll(/"scope"[,:]\s*(?:json_string\()?"([^"]+)"/g),
		...text.matchAll(/^\t+\.command = "([^"]+)"/gm),
	].map(([, scope]) => scope));
	const { messages, schemas } = asyncapi.components;
	const scopes = Object.keys(messages).filter((name) =>
		name !== 'ping' && name !== 'pong');

	assert.deepEqual(sorted(scopes.filter((name) =>
		!messages[name]['x-reserved'])), sorted(said),
	'doc/asyncapi.yaml, components.messages, against the sources');
	assert.deepEqual(Object.keys(asyncapi.channels.events.messages),
		Object.keys(messages));
	assert.deepEqual(asyncapi.operations.tell.messages.map((m) =>
		m.$ref.split('/').at(-1)), scopes);
	for (const scope of scopes) {
		const { properties, anyOf, oneOf } = schemas[scope];
		const shapes = properties ? [schemas[scope]] :
			(anyOf ?? oneOf).map((shape) => shape.$ref ?
				schemas[shape.$ref.split('/').at(-1)] : shape);
		for (const shape of shapes)
			assert.equal(shape.properties.scope.const, scope);
		for (const by of messages[scope]['x-pushed-by'] ?? [])
			assert.ok(reference.request(by) ?? openapi.paths[
				by.replace('POST ', '')], `${scope}: ${by}`);
	}
});

test('doc/api.md names every command, path and event', () => {
	const text = read('doc/api.md');
	const wanted = [...names(answered), ...Object.keys(openapi.paths)
		.map((route) => route.replace(/\/\{.*/, '')),
	...Object.entries(asyncapi.components.messages)
		.filter(([, m]) => !m['x-reserved']).map(([name]) => name)];

	assert.deepEqual(wanted.filter((name) => !new RegExp(
		`[\`/ ]${name}[\`/?{ ]`).test(text)), []);
});

test('the documents are of this version', () => {
	const [, version] = /^AC_INIT\(\[sluice\], \[(\d+)\]/m
		.exec(read('configure.ac'));

	assert.equal(openapi.info.version, version);
	assert.equal(asyncapi.info.version, version);
});
