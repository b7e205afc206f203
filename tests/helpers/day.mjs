// SPDX-License-Identifier: GPL-3.0-or-later
// A day of the headend of crowd.mjs: in each minute a stream is off air, and
// another one plays its backup, with the alarms, switches and lines of the log
// that the service would tell.
import { STREAMS, event, id, overview } from './crowd.mjs';

// Streams with trouble, in their turns; seconds of a minute.
const OFF = { first: 100, from: 10, to: 30 };
const BACKUP = { first: 200, from: 20, to: 50 };
const TURNS = 50, LINES_MAX = 5000, HOUR = 3600;

const turn = (second) => Math.floor(second / 60) % TURNS;
const isIn = ({ first, from, to }, i, second) => i === first + turn(second) &&
	second % 60 >= from && second % 60 < to;

// As event() of a usual second.
function eventOf(i, second) {
	const usual = event(i, second);

	if (isIn(OFF, i, second))
		return { ...usual, onair: false, bitrate: 0, cc_error: 0 };
	return isIn(BACKUP, i, second) ? { ...usual, input_id: 2 } : usual;
}

export class Day {
	// Of those that have begun the last one.
	second = -1;
	#lines = [];

	// begin: Unix time
	constructor(begin) {
		this.begin = begin;
	}

	#line(second, level, where, text) {
		const line = { n: (this.#lines.at(-1)?.n ?? 0) + 1,
			time: this.begin + second, ms: 0, level, where, text };

		this.#lines.push(line);
		if (this.#lines.length > 2 * LINES_MAX)
			this.#lines.splice(0, LINES_MAX);
		return line;
	}

	// What happens in a second beside the values: messages.
	#happenings(second) {
		const time = this.begin + second, k = second % 60;
		const off = id(OFF.first + turn(second));
		const backup = id(BACKUP.first + turn(second));
		const alarm = (raised) => ({ scope: 'alarm', channel_id: off,
			place: 1, alarm: 'sync_loss', priority: 1, raised,
			time });
		const change = (from, to, reason) => ({ scope: 'stream_switch',
			channel_id: backup, time, from, to, reason });
		const line = (level, of, text) =>
			this.#line(second, level, `stream ${of}`, text);

		switch (k) {
		case OFF.from: return [alarm(true), line('error', off,
			'off air: no packets on udp://239.1.1.1')];
		case OFF.to: return [alarm(false), line('info', off,
			'on air, 8000 kbit/s')];
		case BACKUP.from: return [change(1, 2, 'fault'), line('warning',
			backup, 'input 1: cc_error; input 2 is active')];
		case BACKUP.to: return [change(2, 1, 'return'), line('info',
			backup, 'input 1 is active')];
		default: return [line('info', id(k), `${k} viewers`)];
		}
	}

	// All messages of the next second, as texts.
	next() {
		const second = ++this.second;
		const all = this.#happenings(second);
		const lines = all.filter(({ scope }) => scope === undefined);

		return [...all.filter(({ scope }) => scope !== undefined),
			{ scope: 'log', lines },
			...Array.from({ length: STREAMS },
				(_, i) => eventOf(i, second))]
			.map((one) => JSON.stringify(one));
	}

	#overview(second) {
		const reply = overview();

		reply.timestamp = this.begin + second;
		for (const [i, one] of reply.streams.entries())
			if (isIn(OFF, i, second))
				Object.assign(one, { ok: false, onair: false,
					state: 'OFF AIR', bitrate: 0,
					error: 'no packets', off_since:
					reply.timestamp - second % 60 +
					OFF.from });
			else if (isIn(BACKUP, i, second))
				one.active_input = 2;
		return reply;
	}

	// GET api/history/ID, and api/stream-status/ID?t=0
	#history(i, second) {
		const from = Math.max(0, second - HOUR);
		const all = Array.from({ length: second - from },
			(_, s) => eventOf(i, from + s));
		const column = (key) => all.map((one) => one[key]);

		return { first: this.begin + from, columns: {
			bitrate: column('bitrate'), onair: column('onair'),
			cc_error: column('cc_error'),
			pes_error: column('pes_error') } };
	}

	#status(i, second) {
		const { onair, bitrate, cc_error, input_id } =
			eventOf(i, second);
		const end = { bitrate, cc_error, pes_error: 0, sc_error: 0,
			lost: 0, alarms: [], open: true, scrambled: false,
			damped: false };

		return { timestamp: this.begin + second, name: `Stream ${i}`,
			state: onair ? 'on air' : 'OFF AIR', input_id, onair,
			active: true, waiting: false, filler: false, bitrate,
			sessions: 3, cc_error, pes_error: 0, sc_error: 0,
			alarms: [], worker: { state: 'running' },
			inputs: [{ ...end, position: 1, state: 'up', onair,
				active: input_id === 1 }],
			outputs: [{ position: 1, open: true, bitrate,
				packets: second * 800, dropped: 0 }],
			switches: [{ time: this.begin + second - second % 60,
				from: 1, to: 2, reason: 'fault' }] };
	}

	#log(query) {
		const of = (key) => query.get(key);
		const lines = this.#lines.filter(({ n, where }) =>
			n > Number(of('since')) && (of('stream') === null ||
			where === `stream ${of('stream')}`));
		const limit = Number(of('limit') ?? 200);

		return { first: this.#lines[0]?.n ?? 0,
			last: this.#lines.at(-1)?.n ?? 0,
			lines: of('since') === null ? lines.slice(-limit)
				: lines.slice(0, limit) };
	}

	// The reply to a request now; undefined: the usual one.
	answer(name, query) {
		const second = Math.max(0, this.second);
		const [, kind, of] = /^api\/([^/]+)(?:\/s(\d+))?/.exec(name) ??
			[];

		switch (kind) {
		case 'overview': return this.#overview(second);
		case 'log': return this.#log(query);
		case 'history': return this.#history(Number(of), second);
		case 'stream-status': return this.#status(Number(of), second);
		case 'stream-analysis': return {
			timestamp: this.begin + second,
			inputs: [], output: { alarms: [], pids: [] } };
		default: return undefined;
		}
	}
}
