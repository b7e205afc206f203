// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of rist share.

// The first input or output of a stream.
export const one = async (sluice, id, kind) => (await sluice.json(
	`/api/stream-${kind}s/${id}`))[`${kind}s`][0];

// Of an input.
export const url = (port, secret) => `rist://@127.0.0.1:${port}` +
	(secret ? `#secret=${secret}` : '');
