// SPDX-License-Identifier: GPL-3.0-or-later
// doc/openapi.yaml and doc/asyncapi.yaml as judges of what the control
// interface answers and tells.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const OPENAPI = 'openapi.yaml', ASYNCAPI = 'asyncapi.yaml';
const require = createRequire(import.meta.url);

// Where the documents stand; unset outside of the tests: nobody judges.
const folder = process.env.REFERENCE;

export class Reference {
	#ajv;

	constructor(where = folder) {
		const yaml = require('js-yaml');
		const Ajv = require('ajv');
		const read = (name) => yaml.load(fs.readFileSync(
			path.join(where, name), 'utf8'));

		this.openapi = read(OPENAPI);
		this.asyncapi = read(ASYNCAPI);
		this.#ajv = new Ajv({ meta: false, validateSchema: false,
			unknownFormats: 'ignore', logger: false });
		this.#ajv.addSchema(this.openapi, OPENAPI);
		this.#ajv.addSchema(this.asyncapi, ASYNCAPI);
		this.routes = Object.entries(this.openapi.paths)
			.map(([route, methods]) => ({ route, methods,
				pattern: pattern(route) }));
	}

	// Of a command; undefined when it is none.
	request(cmd) {
		return this.openapi.components.schemas[`${cmd}.request`];
	}

	// What differs from the schema at the pointer, or undefined.
	judge(document, pointer, value) {
		const check = this.#ajv.getSchema(`${document}#${pointer}`);

		if (check === undefined)
			return `doc/${document} has no ${pointer}`;
		return check(value) ? undefined :
			explain(document, pointer, check.errors);
	}

	judgeNamed(name, value) {
		return this.judge(OPENAPI, `/components/schemas/${name}`,
			value);
	}

	judgeEvent(message) {
		const scope = message.scope;

		if (this.asyncapi.components.messages[scope] === undefined)
			return `doc/${ASYNCAPI} has no message of the scope ` +
				`"${scope}": add it to channels.events, ` +
				'operations.tell, components.messages and ' +
				'components.schemas';
		return this.judge(ASYNCAPI, `/components/schemas/${scope}`,
			message);
	}

	closeCodes() {
		return Object.keys(this.asyncapi.channels.events[
			'x-close-codes']);
	}
}

// The prefix of control_path may stand before, a slash behind.
function pattern(route) {
	const text = route.replace(/\/$/, '').replaceAll('.', '\\.')
		.replace(/\{[^}]*\}/g, '[^/].*');

	return new RegExp(`^(?:/.*)?${text}/?$`);
}

// One sentence that says what to extend.
function explain(document, pointer, errors) {
	const told = errors.slice(0, 4).map((e) => {
		const more = e.params?.additionalProperty ??
			e.params?.allowedValue;
		return `${e.dataPath || 'the body'} ${e.message}` +
			(more !== undefined ? `: ${JSON.stringify(more)}` : '');
	});
	// the innermost schema of ours that complained
	const named = errors.map((e) => /#\/components\/schemas\/([^/]+)/
		.exec(e.schemaPath)?.[1]).find((name) => name !== undefined);

	return `it differs from doc/${document}, ${pointer}` +
		`${named ? ` (schema ${named})` : ''}: ${told.join('; ')}. ` +
		'Mend the program, or describe it there';
}
