// SPDX-License-Identifier: GPL-3.0-or-later
// doc/openapi.yaml and doc/asyncapi.yaml match their standards.  The official
// meta-schemas come from npm (make reference-tools).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { Reference } from '../helpers/reference.mjs';
import { builddir, srcdir } from '../helpers/util.mjs';

const { openapi, asyncapi } = new Reference(path.join(srcdir, 'doc'));
const npm = path.join(builddir, 'reference-tools');
const missing = fs.existsSync(path.join(npm, 'node_modules')) ? false :
	'no meta-schemas: run make reference-tools (needs npm)';
const require = createRequire(path.join(npm, 'package.json'));

function load(name) {
	return JSON.parse(fs.readFileSync(path.join(npm, 'node_modules', name),
		'utf8'));
}

// A check of documents: undefined, or the first error.
function judge(dialect, schema) {
	const Ajv = require(dialect);
	const known = typeof schema === 'string';
	// a bundle may hold the schema of schemas itself
	const ajv = new Ajv({ strict: false, logger: false, meta: known,
		validateSchema: false });

	require('ajv-formats')(ajv);
	const check = known ? ajv.getSchema(schema) : ajv.compile(schema);
	return (document) => check(document) ? undefined :
		JSON.stringify(check.errors.slice(0, 5), null, 1);
}

const OPENAPI = '@seriousme/openapi-schema-validator/schemas/v3.1/schema.json';
const ASYNCAPI = '@asyncapi/specs/schemas/3.0.0.json';
const D2020 = 'https://json-schema.org/draft/2020-12/schema';
const D07 = 'http://json-schema.org/draft-07/schema';

test('openapi.yaml is an OpenAPI 3.1 document', { skip: missing }, () => {
	const check = judge('ajv/dist/2020.js', load(OPENAPI));
	const broken = structuredClone(openapi);

	assert.equal(check(openapi), undefined);
	broken.paths['/control/'].post.responses['two hundred'] = {};
	assert.match(check(broken), /two hundred|patternProp|unevaluated/);
});

test('asyncapi.yaml is an AsyncAPI 3.0 document', { skip: missing }, () => {
	const check = judge('ajv', load(ASYNCAPI));
	const broken = structuredClone(asyncapi);

	assert.equal(check(asyncapi), undefined);
	broken.operations.tell.action = 'shout';
	assert.match(check(broken), /shout|action/);
});

test('every schema is one of JSON Schema', { skip: missing }, () => {
	const check2020 = judge('ajv/dist/2020.js', D2020);
	const check07 = judge('ajv', D07);

	for (const document of [openapi, asyncapi])
		for (const [name, schema] of Object.entries(
			document.components.schemas)) {
			assert.equal(check2020(schema), undefined, name);
			assert.equal(check07(schema), undefined, name);
		}
	assert.notEqual(check2020({ type: 'text' }), undefined);
	assert.notEqual(check07({ type: 'text' }), undefined);
});

// Calls visit with every object below value.
function walk(value, visit) {
	if (typeof value !== 'object' || value === null)
		return;
	visit(value);
	for (const inner of Object.values(value))
		walk(inner, visit);
}

function resolve(documents, from, ref) {
	const [file, pointer] = ref.split('#');
	let at = documents[file || from];

	for (const part of pointer.split('/').slice(1))
		at = at?.[decodeURIComponent(part).replaceAll('~1', '/')
			.replaceAll('~0', '~')];
	return at;
}

test('every reference has a target, and has no other key', () => {
	const documents = { 'openapi.yaml': openapi,
		'asyncapi.yaml': asyncapi };
	const used = new Set();

	for (const [name, document] of Object.entries(documents))
		walk(document, (object) => {
			if (typeof object.$ref !== 'string')
				return;
			assert.deepEqual(Object.keys(object), ['$ref']);
			const found = resolve(documents, name, object.$ref);
			assert.notEqual(found, undefined, object.$ref);
			used.add(found);
		});
	for (const document of Object.values(documents))
		for (const [kind, all] of Object.entries(document.components))
			for (const [name, part] of Object.entries(all))
				assert.ok(used.has(part) ||
					kind === 'securitySchemes',
				`${kind}.${name} is not used`);
});
