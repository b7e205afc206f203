// SPDX-License-Identifier: GPL-3.0-or-later
// A master that requires logins, and clients of every kind.
import assert from 'node:assert/strict';
import { Sluice, request } from './sluice.mjs';
import { always, now, waitUntil } from './util.mjs';

export const basic = (login, password) => ({ Authorization: 'Basic ' +
	Buffer.from(`${login}:${password}`).toString('base64') });
export const bearer = (id) => ({ Authorization: `Bearer ${id}` });
export const cookie = (id) => ({ Cookie: `svc_session=${id}` });

// One command: { status, headers, body, json }.
export async function call(sluice, command, headers = {}, options = {}) {
	const text = typeof command === 'string' ? command :
		JSON.stringify(command);
	const reply = await request(sluice.port, { method: 'POST',
		path: '/control/', ...options,
		headers: { 'Content-Length': Buffer.byteLength(text),
			...headers } }, text);

	if (reply.headers['content-type']?.startsWith('application/json'))
		reply.json = JSON.parse(reply.body);
	return reply;
}

// A password is hashed or checked within five seconds, or the reply is 503:
// repeats the request until the machine has had the time.
export function checked(ask) {
	return waitUntil('an answer', async () => {
		const reply = await ask();

		if (reply.status === 503)
			throw new Error(reply.body);
		return reply;
	});
}

// The same of an answer that waits for the check: 503 comes after its time.
export function patient(ask) {
	return checked(async () => {
		const begin = now(), reply = await ask();

		always(() => assert.ok(reply.status !== 503 ||
			now() - begin > 4000, 'it did not wait'));
		return reply;
	});
}

// A command that is to succeed; its decoded reply.
export async function done(sluice, command, headers) {
	const reply = await checked(() => call(sluice, command, headers));

	assert.equal(reply.status, 200,
		`${JSON.stringify(command)}: ${reply.body}`);
	return reply.json;
}

export function login(sluice, name, password, more = {}, headers = {}) {
	return call(sluice, { cmd: 'login', login: name, password, ...more },
		headers);
}

// The id in the cookie that an answer sets.
export function sessionOf(reply) {
	const [set] = reply.headers['set-cookie'] ?? [''];

	return /^svc_session=([0-9a-f]{64});/.exec(set)?.[1];
}

// Logs in, which is to succeed; the session id.
export async function enter(sluice, name, password, more = {}) {
	const reply = await checked(() => login(sluice, name, password, more));
	const id = sessionOf(reply);

	assert.equal(reply.status, 200, reply.body);
	assert.ok(id, 'no cookie');
	return id;
}

export const PASSWORD = /password "([a-z0-9]{16})"/;

// A first start; admin creates users: { login: { type, password, … } }. The
// result has the session and password of admin.
export async function startGuarded(t, { config = {}, users = {},
	options = {} } = {}) {
	const { withoutFile = false, ...rest } = options;
	const sluice = await Sluice.start(t, withoutFile ? undefined : config,
		{ auth: true, ...rest });
	const password = await waitUntil('first password',
		() => PASSWORD.exec(sluice.log)?.[1]);
	const admin = cookie(await enter(sluice, 'admin', password));

	for (const [id, user] of Object.entries(users))
		await done(sluice, { cmd: 'set-user', id,
			user: { enable: true, ...user } }, admin);
	return { sluice, password, admin };
}

// Ends it and starts it again on the same files.
export async function again(t, sluice) {
	await sluice.stop();
	return Sluice.start(t, null, { auth: true, dir: sluice.dir });
}
