// SPDX-License-Identifier: GPL-3.0-or-later
// Incidents of streams, made of the lines of the log.  Pure.

import { streamOf } from './place.js';

/** @typedef {import('./log.js').Line} Line */
/** @typedef {'off' | 'backup' | 'alarm' | 'process'} Kind */

/**
 * @typedef {object} Incident
 * @property {number} n of its first line
 * @property {number} start Unix time
 * @property {number | null} end null: not over
 * @property {string} where "stream ID", or the process of another role
 * @property {string} stream its id; "": it concerns no single stream
 * @property {string} input position of the input of a multiplex whose worker
 *	it concerns; "": that of the stream
 * @property {Kind} kind
 * @property {string} part "input 1", "output"; "": the whole
 * @property {string} cause in the words of the service
 */

const INCIDENTS_MAX = 500;

const OFF = /^off air: (.*)$/;
const ON = /^on air, \d+ kbit\/s$/;
const NOTHING = /^input \d+: (.*); no other input is on air: (.*)$/;
const SWITCH = /^(?:input (\d+): (.*); )?input (\d+) is (?:active|on air)/;
const ALARMS = /^(input \d+|output): alarms: (.*)$/;
const CLEARED = /^(input \d+|output): all alarms cleared$/;
const ENDED = /^(.*); (?:restarting at once$|.*restart in [\d.]+ s)/;
const QUARANTINE = /^alarm: (.*)$/;
const RUNNING = /^(?:running, pid \d+|alarm cleared)$/;
const STOPPED = 'stopped';

export class Incidents {
	/** The oldest first. @type {Incident[]} */
	list = [];

	/** @param {Line[]} lines in their order */
	take(lines) {
		for (const line of lines)
			this.#line(line);
		this.list = this.list.slice(-INCIDENTS_MAX);
	}

	/** @param {Line} line */
	#line(line) {
		const { text } = line;
		const begin = (/** @type {Kind} */ kind,
			/** @type {string} */ cause, part = '') =>
			this.#begin(line, kind, cause, part);
		const end = (/** @type {Kind | null} */ kind, part = '') =>
			this.#end(line, kind, part);
		/** @type {RegExpExecArray | null} */
		let found;

		if (!line.where.startsWith('stream ')) {
			this.#process(line);
			return;
		}
		if ((found = OFF.exec(text) ?? NOTHING.exec(text)))
			begin('off', found[1]);
		else if (ON.test(text))
			end('off');
		else if ((found = ALARMS.exec(text)))
			begin('alarm', found[2], found[1]);
		else if ((found = CLEARED.exec(text)))
			end('alarm', found[1]);
		else if (text === STOPPED)
			end(null);
		else if ((found = SWITCH.exec(text)))
			this.#switch(line, found);
		else
			this.#process(line);
	}

	/** @param {Line} line @param {RegExpExecArray} found */
	#switch(line, [text, from, fault, to]) {
		if (to === '1')
			this.#end(line, 'backup', '');
		else
			this.#begin(line, 'backup', from === undefined ? text
				: `input ${from}: ${fault}`, `input ${to}`);
	}

	/** @param {Line} line */
	#process(line) {
		const found = ENDED.exec(line.text) ?? QUARANTINE.exec(line.text);

		if (found !== null)
			this.#begin(line, 'process', found[1], '');
		else if (RUNNING.test(line.text))
			this.#end(line, 'process', '');
	}

	/**
	 * Those that are not over.
	 * @param {string} where
	 * @param {Kind | null} kind
	 * @param {string} part
	 */
	#open(where, kind, part) {
		return this.list.filter((one) => one.end === null &&
			one.where === where && (kind === null ||
				(one.kind === kind &&
					(kind !== 'alarm' || one.part === part))));
	}

	/**
	 * @param {Line} line
	 * @param {Kind} kind
	 * @param {string} cause
	 * @param {string} part
	 */
	#begin(line, kind, cause, part) {
		const [open] = this.#open(line.where, kind, part);
		const { id = '', input = '' } = streamOf(line.where) ?? {};

		if (open === undefined) {
			this.list.push({ n: line.n, start: line.time, end: null,
				where: line.where, kind, part, cause, stream: id,
				input });
			return;
		}
		// the cause changes, the incident goes on
		const causes = new Set([...open.cause.split(', '),
			...cause.split(', ')]);

		open.cause = kind === 'alarm' ? [...causes].join(', ')
			: open.cause;
		open.part = part;
	}

	/**
	 * @param {Line} line
	 * @param {Kind | null} kind null: all, the process is stopped
	 * @param {string} part
	 */
	#end(line, kind, part) {
		for (const one of this.#open(line.where, kind, part))
			one.end = line.time;
	}
}

/**
 * @param {Incident[]} list
 * @param {Kind | ''} kind "": all
 * @param {string} text in the name, the id or the cause
 * @param {(id: string) => string} nameOf
 * @returns {Incident[]} the newest first
 */
export function chosen(list, kind, text, nameOf) {
	const low = text.trim().toLowerCase();

	return list.filter((one) => (kind === '' || one.kind === kind) &&
		`${one.where} ${nameOf(one.stream)} ${one.part} ${one.cause}`
			.toLowerCase().includes(low)).reverse();
}
