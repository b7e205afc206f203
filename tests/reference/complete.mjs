// SPDX-License-Identifier: GPL-3.0-or-later
// The documents name what the sources have, and the sources have what the
// documents name.
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

// The first string of each row of a C table.
function rows(file, table) {
	const body = new RegExp(`\\b${table}\\[\\] = \\{\n(.*?)\n\\};`, 's')
		.exec(read(file));

	assert.ok(body, `${file} has no table ${table}`);
	return [...body[1].matchAll(/^\t\{ "([^"]+)"(?:, (\w+))?/gm)]
		.map(([, name, second]) => [name, second]);
}

const names = (table) => table.map(([name]) => name);

function sources(folder) {
	return fs.readdirSync(path.join(srcdir, folder), { recursive: true })
		.filter((name) => name.endsWith('.c'))
		.map((name) => read(path.join(folder, name)));
}

const requests = Object.entries(openapi.components.schemas)
	.filter(([name]) => name.endsWith('.request'))
	.map(([name, schema]) => [name.replace(/\.request$/, ''), schema]);
const answered = requests.filter(([, s]) => !s['x-reserved']);

test('every command of the API is described, and no other', () => {
	assert.deepEqual(sorted(names(answered)),
		sorted(names(rows('master/api/api.c', 'commands'))),
		'doc/openapi.yaml, components.schemas.<cmd>.request, against ' +
		'commands[] of master/api/api.c');
});

test('every command stands in the unions, with its answer', () => {
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

test('what an observer may do is said of every command and path', () => {
	const words = { ACCESS_YES: 'allowed', ACCESS_HIDDEN: 'hidden' };
	const rules = (table) => new Map(rows('master/auth/access.c', table)
		.map(([name, access]) => [name, words[access]]));
	const commands = rules('commands'), paths = rules('paths');

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
	const gets = [...read('master/api/api.c').matchAll(
		/^\t\{ "(api\/[a-z-]+)", (true|false), /gm)]
		.map(([, name, id]) => `GET /${name}${id === 'true' ? '/{}' :
			''}`);
	const posts = rows('master/api/api.c', 'posts').flatMap(([name]) =>
		[`POST /${name}`, `POST /${name}/{}`]);
	const fixed = [...read('master/api/route.c').matchAll(
		/is_path\(path, "(control[^"]*)"\)/g)].map(([, name]) =>
		name === 'control' ? 'POST /control/' : `GET /${name}/`);
	const described = Object.entries(openapi.paths).flatMap(
		([route, methods]) => ['get', 'post', 'put', 'delete']
			.filter((method) => methods[method]).map((method) =>
				`${method.toUpperCase()} ` +
				route.replace(/\{[^}]*\}/, '{}')));

	assert.equal(gets.length, rows('master/api/api.c', 'paths').length);
	assert.equal(fixed.length, 2);
	assert.deepEqual(sorted(described),
		sorted([...gets, ...posts, ...fixed]));
});

test('every event of the sources is described, and no other', () => {
	const said = sources('master').flatMap((text) => [
		...text.matchAll(/edit_message\("([^"]+)"\)/g),
		...text.matchAll(/"scope"[,:]\s*(?:json_string\()?"([^"]+)"/g),
	].map(([, scope]) => scope).concat(
		// collection.c sends the command of a list as the scope
		[...text.matchAll(/\.command = "([\w-]+)"/g)]
			.map(([, name]) => name)));
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
		const shapes = schemas[scope].anyOf ?? [schemas[scope]];
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
