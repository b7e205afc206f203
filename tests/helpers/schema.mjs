// SPDX-License-Identifier: GPL-3.0-or-later
// Judges values by the schemas of doc/*.yaml, with the keywords of JSON Schema
// that these use.  It compiles nothing: a test uses a few of 200 schemas for an
// instant.  tests/reference/schemas.mjs compares it with a validator of another
// project.
import { isDeepStrictEqual } from 'node:util';

const typeOf = (value) => value === null ? 'null' :
	Array.isArray(value) ? 'array' : typeof value;
const isOf = (type, value) => type === 'integer' ? Number.isInteger(value) :
	typeOf(value) === type;
const length = (text) => [...text].length;

// The keywords that ask one question: the type of values for which they count,
// the question, and the text for a value to which the answer is no.
const QUESTIONS = {
	type: [null, (types, v) => Array.isArray(types) ?
		types.some((type) => isOf(type, v)) : isOf(types, v),
		'is not of the type'],
	enum: [null, (all, v) => all.some((one) => isDeepStrictEqual(one, v)),
		'is none of'],
	const: [null, isDeepStrictEqual, 'is not'],
	minimum: ['number', (n, v) => v >= n, 'is less than'],
	maximum: ['number', (n, v) => v <= n, 'is more than'],
	minLength: ['string', (n, v) => length(v) >= n, 'is shorter than'],
	maxLength: ['string', (n, v) => length(v) <= n, 'is longer than'],
	pattern: ['string', (text, v) => new RegExp(text).test(v),
		'does not match'],
	minItems: ['array', (n, v) => v.length >= n, 'has fewer items than'],
	maxItems: ['array', (n, v) => v.length <= n, 'has more items than'],
	uniqueItems: ['array', (wanted, v) => !wanted || v.every((one, i) =>
		!v.slice(0, i).some((other) => isDeepStrictEqual(one, other))),
	'repeats an item, uniqueItems is'],
	maxProperties: ['object', (n, v) => Object.keys(v).length <= n,
		'has more properties than'],
};

// The keywords with schemas in them: the differences.
const PARTS = {
	$ref: (ref, value, place) => {
		const [document, pointer] = ref.split('#');

		return place.schemas.differences(document || place.document,
			pointer, value, place.at);
	},
	required: (names, value, place) => typeOf(value) !== 'object' ? [] :
		names.filter((name) => !Object.hasOwn(value, name))
			.map((name) => place.error(`lacks '${name}'`)),
	properties: (all, value, place) => typeOf(value) !== 'object' ? [] :
		Object.keys(all).filter((name) => Object.hasOwn(value, name))
			.flatMap((name) => judge(all[name], value[name],
				place.inside(`.${name}`))),
	additionalProperties: (rule, value, place, { properties = {} }) =>
		typeOf(value) !== 'object' ? [] : Object.keys(value)
			.filter((name) => !Object.hasOwn(properties, name))
			.flatMap((name) => rule === false ?
				[place.error(`has the property "${name}"`)] :
				judge(rule, value[name],
					place.inside(`.${name}`))),
	items: (rule, value, place) => typeOf(value) !== 'array' ? [] :
		value.flatMap((item, i) => judge(rule, item,
			place.inside(`[${i}]`))),
	allOf: (rules, value, place) =>
		rules.flatMap((rule) => judge(rule, value, place)),
	anyOf: (rules, value, place) => choice(rules, value, place,
		(matching) => matching > 0),
	oneOf: (rules, value, place) => choice(rules, value, place,
		(matching) => matching === 1),
	not: (rule, value, place) => judge(rule, value, place).length > 0 ?
		[] : [place.error('matches what it must not')],
};

// What describes and does not judge.
const isNote = (keyword) => keyword.startsWith('x-') || ['description',
	'default', 'examples', 'discriminator'].includes(keyword);

function choice(rules, value, place, isRight) {
	const found = rules.map((rule) => judge(rule, value, place));
	const matching = found.filter((list) => list.length === 0).length;

	return isRight(matching) ? [] : [...found.flat(),
		place.error(`matches ${matching} of ${rules.length} schemas`)];
}

class Place {
	constructor(schemas, document, pointer, at) {
		this.schemas = schemas;
		this.document = document;
		this.pointer = pointer;
		this.at = at;
	}

	inside(step) {
		return new Place(this.schemas, this.document, this.pointer,
			this.at + step);
	}

	error(message) {
		return { at: this.at, pointer: this.pointer, message };
	}
}

const NONE = [];

// The function that judges a value by a keyword; pointer: of its document.
function checkOf(schema, keyword, pointer) {
	const rule = schema[keyword];

	if (Object.hasOwn(PARTS, keyword))
		return (value, place) => PARTS[keyword](rule, value, place,
			schema);
	// an ignored keyword would allow everything
	if (!Object.hasOwn(QUESTIONS, keyword))
		throw new Error(`${pointer}: tests/helpers/schema.mjs has no ` +
			`keyword "${keyword}"`);
	const [type, ask, text] = QUESTIONS[keyword];

	return (value, place) =>
		(type && typeOf(value) !== type) || ask(rule, value) ? NONE :
			[place.error(`${text} ${JSON.stringify(rule)}`)];
}

// Those of each schema that has judged a value.
const checks = new WeakMap();

function judge(schema, value, place) {
	if (typeof schema === 'boolean')
		return schema ? NONE : [place.error('is not allowed')];
	if (!checks.has(schema))
		checks.set(schema, Object.keys(schema)
			.filter((keyword) => !isNote(keyword))
			.map((keyword) => checkOf(schema, keyword,
				place.pointer)));
	return checks.get(schema).flatMap((check) => check(value, place));
}

export class Schemas {
	#documents;
	#found = new Map(); // schemas by document and pointer

	// documents: the name of each, and its content
	constructor(documents) { this.#documents = documents; }

	// The schema at the pointer ("/components/schemas/x"), or undefined.
	find(document, pointer) {
		const name = `${document}#${pointer}`;

		if (!this.#found.has(name))
			this.#found.set(name, this.#look(document, pointer));
		return this.#found.get(name);
	}

	#look(document, pointer) {
		return pointer.split('/').slice(1).reduce((at, part) =>
			at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
		this.#documents[document]);
	}

	// Where the value differs from the schema: [{ at, pointer, message }].
	differences(document, pointer, value, at = '') {
		const schema = this.find(document, pointer);

		if (schema === undefined)
			throw new Error(`doc/${document} has no ${pointer}`);
		return judge(schema, value,
			new Place(this, document, pointer, at));
	}
}
