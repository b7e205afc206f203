// SPDX-License-Identifier: GPL-3.0-or-later
// Some system test has exercised every item of the documents: the last test of
// make check, which reads the records of the others.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Reference } from '../helpers/reference.mjs';
import { builddir, srcdir } from '../helpers/util.mjs';

const reference = new Reference(path.join(srcdir, 'doc'));
const { openapi, asyncapi } = reference;
const folder = path.join(builddir, 'tests/reference/seen');
const seen = { commands: {}, paths: {}, events: {}, closes: {} };

for (const file of fs.readdirSync(folder)) {
	const one = JSON.parse(fs.readFileSync(path.join(folder, file)));
	for (const kind of Object.keys(seen))
		for (const [name, what] of Object.entries(one[kind]))
			seen[kind][name] = [...new Set([
				...seen[kind][name] ?? [], ...what])].sort();
}

// Prints the counts of each, and returns those that were not exercised enough.
function report(t, kind, wanted, well) {
	for (const name of wanted)
		t.diagnostic(`${name}: ${seen[kind][name]?.join(' ') ??
			'not seen'}`);
	return wanted.filter((name) => !well(seen[kind][name] ?? []));
}

test('every command was carried out', (t) => {
	const wanted = Object.entries(openapi.components.schemas)
		.filter(([name, schema]) => name.endsWith('.request') &&
			!schema['x-reserved'] && !schema['x-hardware'])
		.map(([name]) => name.replace(/\.request$/, ''));

	assert.deepEqual(report(t, 'commands', wanted,
		(statuses) => statuses.includes(200)), []);
});

test('each command gave each described error', (t) => {
	const wanted = Object.entries(openapi.components.schemas)
		.filter(([name, schema]) => name.endsWith('.request') &&
			!schema['x-reserved']);
	const unseen = wanted.flatMap(([name, schema]) => {
		const cmd = name.replace(/\.request$/, '');
		return schema['x-errors'].filter((status) =>
			!seen.commands[cmd]?.includes(status))
			.map((status) => `${cmd} ${status}`);
	});

	t.diagnostic(`${unseen.length} unseen: ${unseen.join(', ')}`);
	assert.deepEqual(unseen, []);
});

test('every path was answered', (t) => {
	const wanted = Object.entries(openapi.paths).flatMap(
		([route, methods]) => ['get', 'post']
			.filter((method) => methods[method] &&
				!methods['x-viewers'] &&
				!route.startsWith('/control/'))
			.map((method) => `${method.toUpperCase()} ${route}`));

	assert.deepEqual(report(t, 'paths', wanted,
		(statuses) => statuses.includes(200)), []);
});

test('every event was sent', (t) => {
	const wanted = Object.entries(asyncapi.components.messages)
		.filter(([name, message]) => name !== 'ping' &&
			name !== 'pong' && !message['x-reserved'] &&
			!message['x-hardware'])
		.map(([name]) => name);

	assert.deepEqual(report(t, 'events', wanted,
		(times) => times.length > 0), []);
});

test('every close code was used', (t) => {
	const wanted = reference.closeCodes().filter((c) => c !== 'none');

	assert.deepEqual(report(t, 'closes', wanted,
		(times) => times.length > 0), []);
});
