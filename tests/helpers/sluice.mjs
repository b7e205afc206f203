// SPDX-License-Identifier: GPL-3.0-or-later
// The real master, started as an operator would, seen from outside.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { judgeReply } from './reference.mjs';
import { builddir, freePort, now, processes, start, tempDir, waitUntil }
	from './util.mjs';
import { WsClient } from './ws.mjs';

export const MASTER = path.join(builddir, 'sluice');
// Arguments of a master that the tests start: those of root stay root, in the
// namespaces of the tests there is no other user.
export const AS_SELF = process.getuid() === 0 ? ['--user', 'root'] : [];
export const WORKER = path.join(builddir, 'sluice-worker');
const MANAGER = path.join(builddir, 'tests/helpers/fake-manager');

// Sanitizers make everything slower; deadlines of the product stay.
export const sanitized = /^#define SANITIZED 1$/m.test(
	fs.readFileSync(path.join(builddir, 'config.h'), 'utf8'));

// What a service without a processor answers.
const VIEWERS = /the process that serves viewers does not answer/;
const BUSY = { restart: /: no result within \d+ s/,
	sessions: VIEWERS, 'close-session': VIEWERS,
	'set-user': /the password cannot be hashed now/ };

// Ports of control interfaces: their replies are checked.
const control = new Set();

function judge(port, options, sent, reply) {
	if (control.has(port))
		judgeReply({ method: options.method ?? 'GET',
			target: options.path ?? '/', sent, ...reply });
	return reply;
}

// One HTTP exchange: { status, headers, body }.
export function request(port, options = {}, body = undefined) {
	return exchange(port, options, body)
		.then((reply) => judge(port, options, body, reply));
}

function exchange(port, options, body) {
	return new Promise((done, fail) => {
		const call = http.request({ host: '127.0.0.1', port,
			agent: false, timeout: 60000, ...options }, (reply) => {
			const parts = [];
			reply.on('data', (part) => parts.push(part));
			reply.on('error', fail);
			reply.on('end', () => done({ status: reply.statusCode,
				headers: reply.headers,
				body: Buffer.concat(parts).toString() }));
		});
		call.on('timeout', () => call.destroy(new Error('no answer')));
		call.on('error', fail);
		call.end(body);
	});
}

export class Sluice {
	// config: an object, a function of the port that returns it (then
	// without -p), or undefined for no -c at all; through: a program and
	// its arguments that start the master.  user: of root's service.
	// input: a descriptor, its standard input.
	static async start(t, config, { env = {}, args = [], wait = true,
		dir = tempDir(t), auth = false, managed = false,
		master = MASTER, through = [],
		allow = [os.tmpdir()], user = null, input = 'ignore' } = {}) {
		const self = new Sluice();

		self.dir = dir;
		self.file = path.join(dir, 'sluice.json');
		self.port = await freePort();
		control.add(self.port);
		const own = typeof config === 'function';
		const all = [...own ? [] : ['-p', String(self.port)],
			...allow.flatMap((folder) => ['--allow-path', folder]),
			...args,
			...user === null ? AS_SELF : ['--user', user]];
		if (!auth)
			all.push('--no-web-auth');
		if (config !== undefined) {
			if (config !== null) {
				const { uid, gid } = fs.statSync(dir);

				fs.writeFileSync(self.file, JSON.stringify(
					own ? config(self.port) : config,
					null, 4), { mode: 0o600 });
				fs.chownSync(self.file, uid, gid);
			}
			all.push('-c', self.file);
		}
		const line = managed ? [MANAGER, path.join(dir, 'notify'),
			master] : [...through, master];
		self.managed = managed;
		self.child = start(t, line[0], [...line.slice(1), ...all],
			{ stdio: [input, 'pipe', 'pipe'],
				env: { ...process.env, SLUICE_WORKER: WORKER,
					...env } });
		t.after(() => self.#mopUp());
		if (wait)
			await self.ready();
		return self;
	}

	// Of the master; under a manager, of the last one started.
	get pid() {
		return this.managed ? this.#last('pid') : this.child.pid;
	}
	// How many descriptors the manager keeps.
	get kept() { return this.#last('store'); }
	#last(word) {
		const found = this.child.text.out.matchAll(
			new RegExp(`^${word} (\\d+)$`, 'gm'));

		return Number([...found].at(-1)?.[1]);
	}
	get log() { return this.child.text.err + this.child.text.out; }

	// Log lines arrive by another pipe than the replies, and later.
	logged(pattern) {
		return waitUntil(`${pattern} in the log`, () => {
			if (!pattern.test(this.log))
				throw new Error(this.log.slice(-2000));
			return true;
		});
	}

	async ready() {
		await waitUntil('answer of the API', async () => {
			if (this.child.exitCode !== null)
				throw new Error(`sluice ended: ${this.log}`);
			const reply = await this.post({ cmd: 'version' });
			return reply.status < 500;
		});
	}

	// POST /control/ as it is: { status, headers, body }.
	post(command) {
		const text = typeof command === 'string' ? command :
			JSON.stringify(command);

		return request(this.port, { method: 'POST', path: '/control/',
			headers: { 'Content-Type': 'application/json',
				'Content-Length': Buffer.byteLength(text) },
		}, text);
	}

	// A command that is to succeed; the decoded reply.  A restart is
	// refused where a busy machine leaves the trial no time, and set-user
	// where the worker that hashes does not begin in time, and viewers are
	// not listed where their worker does not answer: a client repeats it,
	// at most twice.  A change stays without its restart then, which a
	// client asks for.
	async cmd(name, fields = {}, tries = 3) {
		const reply = await this.post({ cmd: name, ...fields });

		if (reply.status === 503 && tries > 1 &&
		    BUSY[name]?.test(reply.body)) {
			console.error(`${name} again: ${reply.body}`);
			return this.cmd(name, fields, tries - 1);
		}
		assert.equal(reply.status, 200, `${name}: ${reply.body}`);
		const decoded = JSON.parse(reply.body);

		if (!decoded.warnings?.some((text) => BUSY.restart.test(text)))
			return decoded;
		console.error(`restart after ${name}: ${reply.body}`);
		await this.cmd('restart');
		const { warnings, ...rest } = decoded;
		const others = warnings.filter((text) =>
			!BUSY.restart.test(text));

		return others.length > 0 ? { ...rest, warnings: others } : rest;
	}

	get(target) { return request(this.port, { path: target }); }

	// A GET that is to succeed; the decoded reply.
	async json(target) {
		const reply = await this.get(target);

		assert.equal(reply.status, 200, `${target}: ${reply.body}`);
		return JSON.parse(reply.body);
	}

	status(id) { return this.json(`/api/stream-status/${id}?t=0`); }

	// Waits until the stream's status satisfies probe.
	waitStatus(id, what, probe, timeoutMs = 10000) {
		return waitUntil(`${what} of ${id}`, async () => {
			const status = await this.status(id);
			if (!probe(status))
				throw new Error(JSON.stringify(status));
			return status;
		}, timeoutMs);
	}

	onair(id, timeoutMs) {
		return this.waitStatus(id, 'onair', (s) => s.onair, timeoutMs);
	}

	// Its status of when the first output had sent so many packets, or of
	// later.
	sent(id, packets) {
		return this.waitStatus(id, `${packets} packets sent`, (s) =>
			s.outputs[0].packets + s.outputs[0].dropped >= packets);
	}

	// A listener on the channel; any token is good without logins.
	// more: "&scope=alarm"
	events(t, more = '') {
		return WsClient.open(t, this.port,
			`/control/event/?token=x${more}`);
	}

	workers() {
		return processes(...['', '-net', '-tls', '-picture'].map(
			(suffix) => `sluice-worker${suffix}`))
			.map(({ pid, args }) => ({ pid, role: args[1],
				object: args[2] }));
	}

	// The only worker of a role (and object); undefined when none runs.
	worker(role, object = undefined) {
		return this.workers().find((w) => w.role === role &&
			(object === undefined || w.object === object));
	}

	// Waits for a worker other than pid.
	replaced(role, object, pid, timeoutMs) {
		return waitUntil(`new ${role} ${object ?? ''}`, () => {
			const found = this.worker(role, object);
			return found && found.pid !== pid && found;
		}, timeoutMs);
	}

	// SIGTERM; { code, signal, ms }.  Nothing of it may be left.
	async stop(signal = 'SIGTERM') {
		const begin = now();

		this.child.kill(signal);
		const { code, signal: by } = await this.child.ended;
		const ms = now() - begin;
		assert.deepEqual(this.workers(), [], 'orphans are left');
		return { code, signal: by, ms };
	}

	async #mopUp() {
		if (this.child.exitCode === null)
			this.child.kill('SIGKILL');
		await this.child.ended;
		// a worker that is a script does not end with the master
		for (const { pid } of [...this.workers(), ...processes('bash')
			.filter(({ args }) => args[1]?.endsWith(
				'/sluice-worker'))]) {
			try {
				process.kill(pid, 'SIGKILL');
			} catch {
				// ended meanwhile
			}
		}
	}
}

// A stream object as operators write them.
export function stream(id, input, output, more = {}) {
	return { id, name: `Stream ${id}`, type: 'spts', enable: true,
		input: [input].flat(), output: [output].flat(), ...more };
}

export function config(...streams) {
	return { gid: 466560, make_stream: streams };
}
