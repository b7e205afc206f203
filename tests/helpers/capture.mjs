// SPDX-License-Identifier: GPL-3.0-or-later
// What passes an interface, as tshark's dissectors read it.
import { execFileSync } from 'node:child_process';
import { start, waitUntil } from './util.mjs';

// Resolves once it captures what matches the filter (pcap-filter(7)) on the
// interface; then a function: the packets so far, an object of the fields of
// each.  A field that a packet has twice is told twice, between commas.
export async function capture(t, iface, filter, fields) {
	const args = ['-l', '-n', '-Q', '-i', iface, '-f', filter,
		'-T', 'fields', '-E', 'separator=|'];

	for (const field of fields)
		args.push('-e', field);
	let child;
	// the other signal leaves the program behind that captures for it
	t.after(() => {
		child.kill('SIGTERM');
		return child.ended;
	});
	child = start(t, 'tshark', args);

	// It does not say when it has begun.  A socket is there a while before
	// it hears anything, and what it hears before it has the filter, behind
	// one of a single instruction that takes nothing, is thrown away.
	const begun = new RegExp(`:${iface} [^(]*bpf filter \\((?!1\\))`);

	await waitUntil('the capture', () => begun.test(execFileSync('ss',
		['-0', '-H', '-b'], { encoding: 'utf8' })), 20000);
	// the last line may still be on its way
	return () => child.text.out.split('\n').slice(0, -1).map(
		(line) => Object.fromEntries(line.split('|').map((value, i) =>
			[fields[i], value])));
}
