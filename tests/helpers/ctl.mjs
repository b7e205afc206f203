// SPDX-License-Identifier: GPL-3.0-or-later
// sluicectl, as an operator runs it: with files of his own, or at a terminal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { builddir, start, tempDir } from './util.mjs';

export const CTL = path.join(builddir, 'sluicectl');
export const OK = 0, REFUSED = 1, USAGE = 2, UNREACHABLE = 3, AUTH = 4,
	DIFFERS = 5;

export class Ctl {
	// url: of the service; or undefined for the default.
	constructor(t, url, env = {}) {
		this.t = t;
		this.home = tempDir(t);
		this.env = { PATH: process.env.PATH, HOME: this.home,
			ASAN_OPTIONS: process.env.ASAN_OPTIONS ?? '', ...env };
		if (url !== undefined)
			this.env.SLUICE_URL = url;
	}

	// { code, out, err }; input goes to standard input.
	run(args, input = '') {
		return new Promise((done, fail) => {
			const child = spawn(CTL, args, { env: this.env });
			let out = '', err = '';

			child.stdout.on('data', (data) => { out += data; });
			child.stderr.on('data', (data) => { err += data; });
			child.on('error', fail);
			child.stdin.on('error', () => {});
			child.on('close', (code) => done({ code, out, err }));
			child.stdin.end(input);
		});
	}

	// Runs a command that must succeed; returns its output.
	async out(args, input) {
		const { code, out, err } = await this.run(args, input);

		assert.equal(code, OK, `${args.join(' ')}: ${err}`);
		return out;
	}

	// The same with --json, decoded.
	async json(args, input) {
		return JSON.parse(await this.out([...args, '--json'], input));
	}

	// Runs a command that must fail with this code; pattern: of its
	// sentence.
	async fails(args, code, pattern, input) {
		const end = await this.run(args, input);

		assert.equal(end.code, code, `${args.join(' ')}: ${end.err}`);
		assert.match(end.err, pattern);
		assert.match(end.err, /^sluicectl: /);
		return end;
	}

	// In the background; text.out and text.err grow.
	start(args) {
		return start(this.t, CTL, args, { env: this.env });
	}

	// At a terminal of its own: stdin is the keyboard.
	terminal(args) {
		const line = [CTL, ...args].map((word) => `'${word}'`);

		return start(this.t, 'script', ['-qfec', line.join(' '),
			'/dev/null'], { stdio: ['pipe', 'pipe', 'pipe'],
			env: { ...this.env, TERM: 'xterm' } });
	}
}
