// SPDX-License-Identifier: GPL-3.0-or-later
// events, for clients of other projects: python3-websockets and Node.js use the
// channel without errors.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { run, srcdir, start, waitUntil } from '../helpers/util.mjs';

const helper = (name) => path.join(srcdir, 'tests/helpers', name);

async function works(program, args) {
	try {
		return (await run(program, args)).code === 0;
	} catch {
		return false;
	}
}

// How to run each of them, or why not.
async function python() {
	for (const program of ['/usr/bin/python3', 'python3'])
		if (await works(program, ['-c', 'import websockets']))
			return [program, helper('ws-peer.py')];
	return 'python3-websockets is not installed';
}

async function node() {
	for (const option of [[], ['--experimental-websocket']])
		if (await works(process.execPath,
			[...option, '-e', 'WebSocket.CLOSED']))
			return [process.execPath, ...option,
				helper('ws-peer.mjs')];
	return `Node.js ${process.version} has no WebSocket client`;
}

class Peer {
	static async connect(t, command, sluice) {
		const self = new Peer();
		const url = `ws://127.0.0.1:${sluice.port}/control/event/` +
			'?token=x';

		self.child = start(t, command[0], [...command.slice(1), url],
			{ stdio: ['pipe', 'pipe', 'pipe'] });
		self.child.stdin.on('error', () => {});
		await waitUntil('the handshake', () => {
			if (self.child.exitCode !== null)
				throw new Error(self.child.text.err);
			return self.heard.some((what) => what.open);
		});
		return self;
	}

	get heard() {
		return this.child.text.out.split('\n').slice(0, -1)
			.map((line) => JSON.parse(line));
	}

	tell(what) { this.child.stdin.write(`${JSON.stringify(what)}\n`); }

	texts(n) {
		return waitUntil(`${n} texts`, () => {
			const list = this.heard.filter((what) => 'text' in what)
				.map(({ text }) => text);
			return list.length >= n && list;
		});
	}

	async closed() {
		const { closed } = await waitUntil('the close', () =>
			this.heard.find((what) => 'closed' in what));
		this.child.stdin.end();
		await this.child.ended;
		return closed;
	}
}

const off = (more) => stream('a001', [], [], { enable: false, ...more });

// The cases that every client must handle.
async function common(t, command) {
	const sluice = await Sluice.start(t, config(off()));
	const peer = await Peer.connect(t, command, sluice);
	const image = (url) => sluice.cmd('set-stream-image',
		{ id: 'a001', url });
	// each length of a frame's header, and characters of every length
	const images = ['', 'x', 'a'.repeat(50), 'b'.repeat(125),
		'c'.repeat(126), 'd'.repeat(65470), 'e'.repeat(65536),
		'f'.repeat(250000), 'aé€\u{1d11e}\u0001"\\'.repeat(1000)];

	for (const url of images)
		await image(url);
	assert.deepEqual((await peer.texts(images.length)).map((text) =>
		JSON.parse(text).src), images);
	peer.tell({ text: 'ping' });
	assert.equal((await peer.texts(images.length + 1)).at(-1), 'pong');
	// many small messages in a row
	const many = Array.from({ length: 200 }, (_, i) => `${i + 1000}`);
	await Promise.all(many.map(image));
	const all = await peer.texts(images.length + 201);
	assert.deepEqual(all.slice(-200).map((text) => JSON.parse(text).src)
		.sort(), many);
	// 1006: the connection ended without a code
	for (const [what, code] of [[{ text: 'hello' }, 1008],
		[{ text: 'x'.repeat(256 * 1024) }, 1008],
		[{ text: 'x'.repeat(256 * 1024 + 1) }, 1006],
		[{ binary: [1, 2, 3] }, 1006], [{ close: 1000 }, 1006]]) {
		const other = await Peer.connect(t, command, sluice);
		other.tell(what);
		assert.equal(await other.closed(), code,
			JSON.stringify(what).slice(0, 40));
	}
	await sluice.stop();
	assert.equal(await peer.closed(), 1001);
}

test('python3-websockets', async (t) => {
	const command = await python();
	if (typeof command === 'string') {
		t.skip(command);
		return;
	}
	await common(t, command);
	const sluice = await Sluice.start(t, config(off()));
	const peer = await Peer.connect(t, command, sluice);
	for (const ping of ['', 'hello', 'p'.repeat(125)]) {
		peer.tell({ ping });
		await waitUntil('pong', () => peer.heard.some((what) =>
			what.pong === ping));
	}
	peer.tell({ pieces: ['p', '', 'in', 'g'] });
	assert.deepEqual(await peer.texts(1), ['pong']);
	peer.tell({ bad: [0x70, 0xff] });
	assert.equal(await peer.closed(), 1002);
	await sluice.stop();
});

test('the client of Node.js', async (t) => {
	const command = await node();
	if (typeof command === 'string') {
		t.skip(command);
		return;
	}
	await common(t, command);
});
