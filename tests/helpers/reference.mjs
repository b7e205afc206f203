// SPDX-License-Identifier: GPL-3.0-or-later
// Checks every reply and event of the control interface against
// doc/openapi.yaml and doc/asyncapi.yaml.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Schemas } from './schema.mjs';

const OPENAPI = 'openapi.yaml', ASYNCAPI = 'asyncapi.yaml';
const require = createRequire(import.meta.url);

// The place of the documents; unset outside of the tests: no check.
const folder = process.env.REFERENCE;

// Statuses that any request may get, whatever it asks for.
const ANY = [403, 405, 408, 413, 414, 417, 429, 431, 501, 503, 505];
// The commands whose body may be missing.
const BARE = [408, 413, 417, 503];

// The YAML takes half a second: make has written it as JSON for the tests.
function readDocument(where, name) {
	const source = path.join(where, name);
	const built = path.join(process.env.builddir ?? '.',
		'tests/reference', name.replace('.yaml', '.json'));
	const time = (file) => fs.statSync(file,
		{ throwIfNoEntry: false })?.mtimeMs ?? 0;

	if (where === folder && time(built) > time(source))
		return JSON.parse(fs.readFileSync(built, 'utf8'));
	return require('js-yaml').load(fs.readFileSync(source, 'utf8'));
}

export class Reference {
	#schemas;

	constructor(where = folder) {
		this.openapi = readDocument(where, OPENAPI);
		this.asyncapi = readDocument(where, ASYNCAPI);
		this.#schemas = new Schemas({ [OPENAPI]: this.openapi,
			[ASYNCAPI]: this.asyncapi });
		// deliver answers the others, whose bodies are no JSON
		const all = Object.entries(this.openapi.paths)
			.map(([route, methods]) => ({ route, methods,
				pattern: pattern(route) }));

		this.routes = all.filter((r) => !r.methods['x-viewers']);
		this.viewers = all.filter((r) => r.methods['x-viewers']);
	}

	// The name of a command; undefined when it is none.
	request(cmd) {
		return this.openapi.components.schemas[`${cmd}.request`];
	}

	// The difference from the schema at the pointer, or undefined.
	judge(document, pointer, value) {
		if (this.#schemas.find(document, pointer) === undefined)
			return `doc/${document} has no ${pointer}`;
		const found = this.#schemas.differences(document, pointer,
			value);

		return found.length === 0 ? undefined :
			explain(document, pointer, found);
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

// The prefix of control_path may precede it, a slash may follow.
function pattern(route) {
	const text = route.replace(/\/$/, '').replaceAll('.', '\\.')
		.replace(/\{[^}]*\}/g, '[^/].*');

	return new RegExp(`^(?:/.*)?${text}/?$`);
}

// One sentence that names the part to extend.
function explain(document, pointer, found) {
	const told = found.slice(0, 4).map(({ at, message }) =>
		`${at || 'the body'} ${message}`);
	// a schema of ours that did not match
	const named = found[0].pointer.split('/').at(-1);

	return `it differs from doc/${document}, ${pointer}` +
		` (schema ${named}): ${told.join('; ')}. ` +
		'Correct the program, or describe it there';
}

// --- the record of exchanges, for tests/reference/seen.mjs ---

const seen = { commands: {}, paths: {}, events: {}, closes: {} };

function note(kind, name, what) {
	seen[kind][name] ??= [];
	if (!seen[kind][name].includes(what))
		seen[kind][name].push(what);
}

// --- judging ---

// Read before a test begins: reading delays its senders.
const reference = folder !== undefined ? new Reference() : undefined;
const complaints = [];

// The documents of a test; undefined without a check.
export function theReference() {
	return reference;
}

function complain(what, why) {
	complaints.push(`${what}: ${why}`);
	throw new Error(complaints.at(-1));
}

function parse(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

// The difference in the body of an error.
function judgeError(ref, status, text, mayBeEmpty) {
	if (text === '' && (mayBeEmpty || BARE.includes(status)))
		return undefined;
	return ref.judgeNamed('Error', parse(text));
}

function judgeCommand(ref, x) {
	const body = parse(x.sent);
	const cmd = typeof body?.cmd === 'string' ? body.cmd : undefined;
	const schema = cmd !== undefined ? ref.request(cmd) : undefined;

	if (schema === undefined)
		return [400, ...ANY].includes(x.status) ?
			judgeError(ref, x.status, x.text) :
			`an undocumented command gets ${x.status}: ` +
			`add ${cmd}.request and ${cmd}.reply to doc/${OPENAPI}`;
	// a stricter reader than ours: duplicate keys, and the like
	if (x.status === 400 && parse(x.text)?.error
		?.startsWith('the body is not JSON'))
		return judgeError(ref, x.status, x.text);
	note('commands', cmd, x.status);
	if (x.status === 200) {
		const reply = parse(x.text);
		// an accepted request matches its description
		return ref.judgeNamed(`${cmd}.reply`, reply) ??
			(reply.error !== undefined ? undefined :
				ref.judgeNamed(`${cmd}.request`, body));
	}
	if (![...schema['x-errors'], ...ANY].includes(x.status) &&
	    !(x.status === 404 && schema['x-observer'] === 'hidden'))
		return `the status ${x.status} is not in x-errors of ` +
			`${cmd}.request in doc/${OPENAPI}`;
	return judgeError(ref, x.status, x.text,
		cmd === 'login' && x.status === 400);
}

function judgePath(ref, x, found) {
	const method = x.method === 'HEAD' ? 'GET' : x.method;
	const described = found.methods[method.toLowerCase()];
	const answer = described?.responses[x.status];

	if (described === undefined)
		return [400, ...ANY].includes(x.status) ?
			judgeError(ref, x.status, x.text) :
			`${method} is not described in doc/${OPENAPI}`;
	note('paths', `${method} ${found.route}`, x.status);
	if (answer === undefined && !ANY.includes(x.status))
		return `the status ${x.status} is not described in ` +
			`doc/${OPENAPI}`;
	if (x.method === 'HEAD' || x.type?.startsWith('text/html'))
		return undefined;
	if (x.status !== 200)
		return judgeError(ref, x.status, x.text);
	const [type] = Object.keys(answer.content);

	if (type !== 'application/json')
		return x.type?.startsWith(type) ? undefined :
			`the type ${x.type} is not ${type}`;
	// always a named error
	const { $ref } = answer.content[type].schema;
	return ref.judgeNamed($ref.split('/').at(-1), parse(x.text));
}

// The path that is meant, as the server reads it.
function normalise(target) {
	const text = target.replace(/^https?:\/\/[^/]*/, '')
		.split('?')[0].replace(/%([0-9a-f]{2})/gi, (_, hex) =>
			String.fromCharCode(parseInt(hex, 16)));

	return text.replace(/\/(\.?\/)+/g, '/').replace(/\/\.$/, '/');
}

function isPage(x) {
	return ['GET', 'HEAD'].includes(x.method) &&
		([304, 308].includes(x.status) || (x.status === 200 &&
			x.type && !x.type.startsWith('application/json')));
}

// The difference of one exchange with the control port, { method, target, sent,
// status, type, text }, from its description, or undefined.
export function differs(x) {
	const ref = theReference();
	const where = normalise(x.target);
	const found = ref.routes.find((r) => r.pattern.test(where));

	// what a browser asks before a request of another page
	if (x.method === 'OPTIONS' && x.status === 204 && x.text === '')
		return undefined;
	// the web interface is no part of the documents
	if (found === undefined && (isPage(x) ||
		ref.viewers.some((r) => r.pattern.test(where))))
		return undefined;
	if (found === undefined && x.status === 200)
		return `the path is not described in doc/${OPENAPI}`;
	// outside of control_path, too
	if (found === undefined || (x.status === 404 &&
		parse(x.text)?.error === 'there is no such path'))
		return judgeError(ref, x.status, x.text);
	if (found.route === '/control/' && x.method === 'POST')
		return judgeCommand(ref, x);
	return judgePath(ref, x, found);
}

// Throws when an answer of the control port is not as it is described.
export function judgeReply({ headers, body, ...rest }) {
	const x = { ...rest, text: body, type: headers['content-type'] };
	const why = theReference() && differs(x);

	if (why !== undefined)
		complain(`${x.method} ${x.target} ${x.sent?.slice(0, 300) ??
			''} answered ${x.status} ${x.text.slice(0, 1000)}`,
		why);
}

export function judgeEvent(message) {
	const why = theReference()?.judgeEvent(message);

	note('events', message.scope, true);
	if (why !== undefined)
		complain(`the event ${JSON.stringify(message)
			.slice(0, 1000)}`, why);
}

// The code of a close frame that the server has sent.
export function judgeClose(code) {
	const codes = theReference()?.closeCodes();

	note('closes', String(code), true);
	if (codes !== undefined && !codes.includes(String(code)))
		complain('the event channel', `the close code ${code} is not ` +
			`among x-close-codes of doc/${ASYNCAPI}`);
}

// An error that a test has caught counts, too.
process.on('exit', () => {
	const test = process.argv[1] ?? '';

	if (complaints.length > 0) {
		process.exitCode ||= 1;
		for (const text of complaints.slice(0, 5))
			process.stderr.write(`# reference: ${text}\n`);
	}
	if (folder === undefined || !test.includes('tests/system/'))
		return;
	const into = path.join(process.env.builddir, 'tests/reference/seen');
	fs.mkdirSync(into, { recursive: true });
	fs.writeFileSync(path.join(into, `${path.basename(test)}.json`),
		JSON.stringify(seen));
});
