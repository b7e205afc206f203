// SPDX-License-Identifier: GPL-3.0-or-later
// The stream that a line of the log is about.  Pure.

const STREAM = /^stream ([^/]+)(?:\/(\d+))?$/;

/**
 * The worker of an input of a multiplex logs as "stream ID/POSITION".
 * @param {string} where of a line
 * @returns {{id: string, input: string} | null} input: its position, or "";
 *	null: the line is about no stream
 */
export function streamOf(where) {
	const found = STREAM.exec(where);

	return found === null ? null : { id: found[1], input: found[2] ?? '' };
}
