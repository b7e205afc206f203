// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of a network, made by the kernel in the namespace of the test
// (run-node.sh), which also counts them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import { run, waitUntil } from './util.mjs';

export async function tool(program, ...args) {
	const { code, out, err } = await run(program, args);

	assert.equal(code, 0, `${program} ${args.join(' ')}: ${err}`);
	return out;
}

export const ip = (...args) => tool('ip', ...args);

// Two interfaces with a cable between them, until the test ends. The kernel
// drops packets into an interface that is up until a thread of its own has
// detected the other end of the cable.
export async function pair(t, a, b) {
	await ip('link', 'add', a, 'type', 'veth', 'peer', 'name', b);
	t?.after(() => ip('link', 'del', a));
	await ip('link', 'set', a, 'up');
	await ip('link', 'set', b, 'up');
	for (const name of [a, b])
		await waitUntil(`${name} in operation`, async () => JSON.parse(
			await ip('-j', 'link', 'show', name))[0]
			.operstate === 'UP');
}

// Is the group joined on the interface that has the name now?  A socket is
// bound a moment before that.
export function isJoined(group, name) {
	const v6 = net.isIPv6(group);
	const text = fs.readFileSync(`/proc/net/igmp${v6 ? '6' : ''}`, 'utf8');

	if (v6)
		return text.split('\n').some((line) =>
			line.includes(` ${name} `) &&
			line.includes(hexOf(group)));
	// as it lies in memory
	const hex = group.split('.').reverse().map((byte) =>
		Number(byte).toString(16).padStart(2, '0')).join('');
	const device = text.split(/\n(?=\d)/).find((part) =>
		new RegExp(`^\\d+\\s+${name}\\s`).test(part));

	return device?.includes(hex.toUpperCase()) ?? false;
}

function hexOf(address) {
	const [before, behind = ''] = address.split('::');
	const words = [before, behind].map((part) =>
		part.split(':').filter(Boolean));
	const gap = Array(8 - words[0].length - words[1].length).fill('0');

	return [...words[0], ...gap, ...words[1]].map((word) =>
		word.padStart(4, '0')).join('');
}

let faults = 0;

// A rule for datagrams to one UDP port.
export class Fault {
	// which: the datagrams, as an expression of nft; verdict: the action;
	// hook: on their way in or out.
	static async start(t, port, which, { verdict = 'drop',
		hook = 'input' } = {}) {
		const self = new Fault();

		self.table = `fault${faults++}`;
		await tool('nft', `add table inet ${self.table}; ` +
			`add counter inet ${self.table} struck; ` +
			`add chain inet ${self.table} way ` +
			`{ type filter hook ${hook} priority 0; }; ` +
			`add rule inet ${self.table} way udp dport ${port} ` +
			`${which} counter name struck ${verdict}`);
		t.after(() => self.#remove());
		return self;
	}

	// So many datagrams met it so far.
	async struck() {
		const text = await tool('nft', '-j', 'list', 'counters',
			'table', 'inet', this.table);

		return JSON.parse(text).nftables
			.find((entry) => entry.counter).counter.packets;
	}

	// The last count; from now on nothing is struck.
	async stop() {
		await tool('nft', 'flush', 'chain', 'inet', this.table, 'way');
		const struck = await this.struck();
		await this.#remove();
		return struck;
	}

	async #remove() {
		const { table } = this;

		this.table = null;
		if (table)
			await tool('nft', 'delete', 'table', 'inet', table);
	}
}
