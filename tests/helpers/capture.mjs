// SPDX-License-Identifier: GPL-3.0-or-later
// The packets of an interface, as tshark's dissectors read them.
import { execFileSync } from 'node:child_process';
import { start, tempDir, waitUntil } from './util.mjs';

// Resolves once it captures packets that match the filter (pcap-filter(7)) on
// the interface; the result is a function that returns the packets so far, an
// object of the fields of each. A field that a packet has twice has both
// values, between commas.
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
	// at its start it runs each program of this folder, for interfaces that
	// no test has
	child = start(t, 'tshark', args, { env: { ...process.env,
		WIRESHARK_EXTCAP_DIR: tempDir(t) } });

	// tshark does not report when it has begun. A socket exists a while
	// before it receives packets, and those that it receives before it has
	// the filter are discarded, by a filter of a single instruction that
	// accepts nothing.
	const begun = new RegExp(`:${iface} [^(]*bpf filter \\((?!1\\))`);

	await waitUntil('the capture', () => begun.test(execFileSync('ss',
		['-0', '-H', '-b'], { encoding: 'utf8' })), 20000);
	// the last line may still be in the pipe
	return () => child.text.out.split('\n').slice(0, -1).map(
		(line) => Object.fromEntries(line.split('|').map((value, i) =>
			[fields[i], value])));
}
