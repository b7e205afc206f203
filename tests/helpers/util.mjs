// SPDX-License-Identifier: GPL-3.0-or-later
// Small functions that every system test needs.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

export const builddir = process.env.builddir ?? process.cwd();
export const srcdir = process.env.srcdir ?? process.cwd();

// A parser of another project (make reference-tools); undefined: it is not
// installed.
export function npmParser(t, name) {
	const tools = path.join(builddir, 'reference-tools');

	if (fs.existsSync(path.join(tools, 'node_modules', name)))
		return createRequire(path.join(tools, 'package.json'))(name);
	t.diagnostic(`no ${name}: run make reference-tools`);
	return undefined;
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
export const now = () => performance.now();

// Ten seconds and more are patience, and a busy machine needs several times as
// much; a shorter time is a promise.
const PATIENCE_MS = 10000;
const BUSY = 6;

class Contradiction extends Error {}

// For a condition that is true at every probe of waitUntil(): the first failure
// of check ends the wait.
export function always(check) {
	try {
		check();
	} catch (error) {
		throw new Contradiction(error.message, { cause: error });
	}
}

// Calls probe until its result is true; returns that result. Any other error
// thrown by probe counts as "not yet" and is reported after the timeout. A
// delayed test probes once more: the state at the timeout counts.
export async function waitUntil(what, probe, timeoutMs = PATIENCE_MS) {
	const waitMs = timeoutMs * (timeoutMs < PATIENCE_MS ? 1 : BUSY);
	const begin = now(), end = begin + waitMs;
	let last = '', polls = 0;

	for (;;) {
		const late = now() > end;

		try {
			const result = await probe();
			if (result)
				return result;
			last = `it was ${JSON.stringify(result)}`;
		} catch (error) {
			if (error instanceof Contradiction)
				throw error;
			last = String(error);
		}
		if (late)
			throw new Error(
				`no ${what} in ${waitMs} ms: ${last}`);
		// a long wait leaves the cores to others; one of patience does
		// so earlier, because most probes are requests with replies
		const step = timeoutMs < PATIENCE_MS ?
			++polls < 10 ? 20 : polls < 40 ? 50 : 100 :
			Math.min(Math.max((now() - begin) / 5, 20), 100);

		await sleep(step);
	}
}

// A folder that is removed at the end of the test, with its mounts.
export function tempDir(t) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-test-'));

	t.after(async () => {
		if (fs.readFileSync('/proc/self/mounts', 'utf8').includes(dir))
			await run('umount', ['-l', dir]);
		// a program that is still to be ended may write meanwhile, and
		// the retries of rmSync() remove nothing new
		await waitUntil(`end of ${dir}`, () => {
			fs.rmSync(dir, { recursive: true, force: true });
			return true;
		});
	});
	return dir;
}

// Another file at this path of the system, as after a rename.
export function replaceFile(t, at, text) {
	// first: a file below another mount cannot be removed
	t.after(() => execFileSync('umount', [at]));
	const file = path.join(tempDir(t), path.basename(at));

	fs.writeFileSync(file, text);
	execFileSync('mount', ['--bind', file, at]);
}

// Debian's /etc/hosts: a name with addresses of both families.
export function bothFamilies(t) {
	replaceFile(t, '/etc/hosts', '127.0.0.1 localhost\n::1 localhost\n');
}

// The same as tempDir, in memory: writes of other processes do not delay it.
export async function memoryDir(t, size = '4m') {
	const dir = tempDir(t);
	const { code, err } = await run('mount',
		['-t', 'tmpfs', '-o', `size=${size}`, 'none', dir]);

	if (code !== 0)
		throw new Error(`mount ${dir}: ${err}`);
	return dir;
}

// Fills the disk of a folder until the function that it returns is called.
export function fillDisk(dir) {
	const file = path.join(dir, 'fill');
	const fill = fs.openSync(file, 'w');

	assert.throws(() => {
		for (;;)
			fs.writeSync(fill, Buffer.alloc(4096));
	}, /ENOSPC/);
	return () => {
		fs.closeSync(fill);
		fs.rmSync(file);
	};
}

const given = new Set();

// A port that no process has, and that was not returned before.
export async function freePort() {
	const server = net.createServer();

	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	const { port } = server.address();
	const taken = given.has(port);
	given.add(port);
	// while this one is held, the kernel gives another one
	const result = taken ? await freePort() : port;
	await new Promise((done) => server.close(done));
	return result;
}

// Runs a program to its end: { code, signal, out, err }.
export function run(program, args, options = {}) {
	return new Promise((done, fail) => {
		const child = spawn(program, args, {
			stdio: ['ignore', 'pipe', 'pipe'], ...options });
		const out = [], err = [];

		child.stdout.on('data', (data) => out.push(data));
		child.stderr.on('data', (data) => err.push(data));
		child.on('error', fail);
		child.on('close', (code, signal) => done({ code, signal,
			out: Buffer.concat(out).toString(),
			err: Buffer.concat(err).toString() }));
	});
}

// A program in the background; killed with the test if it still runs.
export function start(t, program, args, options = {}) {
	const child = spawn(program, args, {
		stdio: ['ignore', 'pipe', 'pipe'], ...options });

	child.text = { out: '', err: '' };
	child.stdout?.on('data', (data) => { child.text.out += data; });
	child.stderr?.on('data', (data) => { child.text.err += data; });
	child.ended = new Promise((done) => child.on('close',
		(code, signal) => done({ code, signal, ...child.text })));
	t.after(async () => {
		if (child.exitCode === null && child.signalCode === null) {
			child.kill('SIGKILL');
			await once(child, 'exit');
		}
		// a process that it started may hold them
		child.stdout?.destroy();
		child.stderr?.destroy();
		await child.ended;
	});
	return child;
}

const netns = fs.readlinkSync('/proc/self/ns/net');
// Numbers of processes of others, until a number may be given again: a list is
// read often, and most of it are tests beside this one.
const FOREIGN_MS = 1000;
const foreign = { pids: new Set(), since: 0 };

// The arguments of a process; undefined: it is not of this test, or has ended.
function argsOf(pid) {
	try {
		if (fs.readlinkSync(`/proc/${pid}/ns/net`) === netns)
			return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
				.split('\0').slice(0, -1);
		foreign.pids.add(pid);
	} catch {
		// ended meanwhile
	}
	return undefined;
}

// Every process named as one of the programs in this test's network namespace.
export function processes(...programs) {
	const found = [];

	if (now() - foreign.since > FOREIGN_MS) {
		foreign.pids.clear();
		foreign.since = now();
	}
	for (const entry of fs.readdirSync('/proc')) {
		if (!/^\d+$/.test(entry) || foreign.pids.has(entry))
			continue;
		const args = argsOf(entry);

		if (args && programs.includes(path.basename(args[0] ?? '')))
			found.push({ pid: Number(entry), args });
	}
	return found;
}

// CPU seconds a process has used.
export function cpuSeconds(pid) {
	const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');

	return (Number(fields[11]) + Number(fields[12])) / 100;
}

// Every UDP socket of this namespace: the columns of /proc/net/udp.
const udpSockets = () => ['udp', 'udp6'].flatMap((table) =>
	fs.readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n')
		.slice(1).map((line) => line.trim().split(/\s+/)));

// How many sockets of this namespace are bound to the UDP port.
export function udpReaders(port) {
	const hex = ':' + port.toString(16).toUpperCase().padStart(4, '0');

	return udpSockets().filter(([, local]) => local.endsWith(hex)).length;
}

// Every UDP port that is bound in this namespace.
export const udpPorts = () => new Set(udpSockets().map(([, local]) =>
	parseInt(local.split(':')[1], 16)));

export const udpBound = (port) => udpReaders(port) > 0;

// The number of datagrams for which the only socket of this port had no room.
export const udpDrops = (port) => Number(udpSockets().find(([, local]) =>
	local.endsWith(':' + port.toString(16).toUpperCase().padStart(4, '0')))
	.at(-1));

// How many bytes came for UDP sockets and were not read yet.
export const udpWaiting = () => udpSockets().reduce((sum, columns) =>
	sum + parseInt(columns[4].split(':')[1], 16), 0);
