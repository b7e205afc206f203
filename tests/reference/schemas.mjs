// SPDX-License-Identifier: GPL-3.0-or-later
// The judge of tests/helpers/schema.mjs judges as the validator of another
// project does, for every schema of the documents: samples of each, and the
// same with one fault.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { Reference } from '../helpers/reference.mjs';
import { Schemas } from '../helpers/schema.mjs';
import { srcdir } from '../helpers/util.mjs';

const { openapi, asyncapi } = new Reference(path.join(srcdir, 'doc'));
const documents = { 'openapi.yaml': openapi, 'asyncapi.yaml': asyncapi };
const schemas = new Schemas(documents);
const Ajv = createRequire(import.meta.url)('ajv');
const ajv = new Ajv({ meta: false, validateSchema: false, logger: false,
	unknownFormats: 'ignore' });

for (const [name, document] of Object.entries(documents))
	ajv.addSchema(document, name);

const DEPTH = 7;
const BY_TYPE = { string: 'a', integer: 5, number: 1.5, boolean: true,
	null: null };

// One value per branch of the schema, most of which match it.
function samples(document, schema, depth = 0) {
	if (typeof schema === 'boolean' || depth > DEPTH)
		return [1];
	if (schema.$ref) {
		const [file, pointer] = schema.$ref.split('#');
		const name = file || document;

		return samples(name, schemas.find(name, pointer), depth + 1);
	}
	if ('const' in schema)
		return [schema.const];
	if (schema.enum)
		return schema.enum.slice(0, 2);
	const branches = (schema.oneOf ?? schema.anyOf ?? [])
		.flatMap((one) => samples(document, one, depth + 1));
	const parts = (schema.allOf ?? [])
		.flatMap((one) => samples(document, one, depth + 1));
	const own = [schema.type ?? []].flat().flatMap((type) =>
		ofType(document, schema, type, depth));
	const mixed = [...branches, ...parts].filter((one) => typeof one ===
		'object').map((one) => Object.assign({}, own[0], one));

	return [...own, ...branches, ...mixed].slice(0, 40);
}

function ofType(document, schema, type, depth) {
	if (type === 'object') {
		const all = Object.entries(schema.properties ?? {}).map(
			([name, rule]) => [name,
				samples(document, rule, depth + 1)]);
		const least = all.filter(([name]) =>
			schema.required?.includes(name));

		return [all, least].map((some) => Object.fromEntries(
			some.map(([name, [value]]) => [name, value])));
	}
	if (type === 'array') {
		const items = samples(document, schema.items ?? true,
			depth + 1);

		return [[], items, Array(schema.minItems ?? 1).fill(items[0])];
	}
	if (type === 'integer' || type === 'number')
		return [schema.minimum, schema.maximum, schema.minimum - 1,
			schema.maximum + 1, BY_TYPE[type]]
			.filter((n) => Number.isFinite(n)).reverse();
	return [BY_TYPE[type]];
}

// The value with one fault in each of its places.
function* faulty(value) {
	yield* [null, true, -1, 1.5, 2 ** 40, '', '€'.repeat(9), [], {}];
	if (typeof value !== 'object' || value === null)
		return;
	if (Array.isArray(value)) {
		yield [...value, ...value];
		yield Array(300).fill(value[0] ?? null);
	} else {
		yield { ...value, odd: 1 };
	}
	for (const key of Object.keys(value)) {
		const copy = Array.isArray(value) ? [...value] : { ...value };

		delete copy[key];
		if (!Array.isArray(value))
			yield copy;
		for (const inner of faulty(value[key]))
			yield Object.assign(Array.isArray(value) ? [...value] :
				{ ...value }, { [key]: inner });
	}
}

const FAULTS = 40; // of each sample: the first ones

test('both judges agree about every schema of the documents', (t) => {
	const all = Object.entries(documents).flatMap(([name, document]) =>
		Object.entries(document.components.schemas)
			.map(([key, schema]) => ({ name, key, schema })));
	let matching = 0, differing = 0;

	for (const { name, key, schema } of all) {
		const pointer = `/components/schemas/${key}`;
		const check = ajv.getSchema(`${name}#${pointer}`);
		const agree = (value) => {
			const found = schemas.differences(name, pointer, value);

			assert.equal(found.length === 0, check(value),
				`${key}: ${JSON.stringify(value)}`);
			matching += found.length === 0;
			differing += found.length > 0;
		};

		for (const value of samples(name, schema)) {
			let left = FAULTS;

			agree(value);
			for (const wrong of faulty(value)) {
				if (left-- === 0)
					break;
				agree(wrong);
			}
		}
	}
	t.diagnostic(`${matching} values match, ${differing} do not`);
	assert.ok(matching > 1000 && differing > 5000);
});

test('a keyword that the judge does not know is an error', () => {
	const odd = new Schemas({ a: { b: { type: 'string', format: 'ip' } } });

	assert.throws(() => odd.differences('a', '/b', 'x'),
		/keyword "format"/);
});
