// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of rist share.
import { checkTs } from './ts.mjs';
import { joined } from './udp.mjs';

// The first input or output of a stream.
export const one = async (sluice, id, kind) => (await sluice.json(
	`/api/stream-${kind}s/${id}`))[`${kind}s`][0];

// Of an input.
export const url = (port, secret) => `rist://@127.0.0.1:${port}` +
	(secret ? `#secret=${secret}` : '');

// No packet is missing of what a recorder received.  A receiver does not wait
// for packets that are later than its buffer is long, so a machine without time
// for it skips the test.
export function assertWhole(timing, lists) {
	for (const list of lists) {
		const { ccErrors } = checkTs(joined(list));

		timing.assert(ccErrors === 0, `${ccErrors} gaps`);
	}
}
