// SPDX-License-Identifier: GPL-3.0-or-later
// What the page knows: the configuration and the state of each stream.  A
// message is stored and nothing more; the views read once a second.

import { Ring } from './ring.js';
import { markOf } from './state.js';

/** @typedef {import('./api-types').Config} Config */
/** @typedef {import('./api-types').Message} Message */
/** @typedef {import('./api-types').Overview} Overview */
/** @typedef {import('./api-types').StreamConfig} StreamConfig */
/** @typedef {import('./api-types').StreamEvent} StreamEvent */
/** @typedef {import('./api-types').StreamOverview} StreamOverview */
/** @typedef {import('./state.js').Mark} Mark */

/** The events of a second may come late by this. */
const FRESH_S = 3;
/** Alarms of a stream that its charts mark. */
const MARKS_MAX = 64;

/** Events of changes of the configuration; log_event is that of set-log. */
const SECTIONS = /^(set-|log_event$|post-output-group$)/;

export class Stream {
	/** @type {StreamConfig | null} */
	config = null;
	/** @type {StreamOverview | null} */
	over = null;
	/** Raised alarms of its output and of its inputs.
	 * @type {string[]} */
	alarms = [];
	/** Of the active input. @type {StreamEvent | null} */
	event = null;
	eventTime = 0;
	ring = new Ring();
	/** Alarms since the page was opened, the newest last; times of the
	 * service.
	 * @type {{time: number, text: string}[]} */
	marks = [];

	/** @param {string} id */
	constructor(id) {
		this.id = id;
	}

	get name() {
		return this.config?.name || this.over?.name || this.id;
	}

	/** @returns {string[]} the names of its groups */
	get groups() {
		return Object.values(this.config?.groups ?? {})
			.filter((name) => typeof name === 'string');
	}

	/** @param {number} now Unix time of the browser */
	isFresh(now) {
		return this.event !== null &&
			Math.abs(now - this.eventTime) < FRESH_S;
	}

	/**
	 * The events of a multiplex say "on air" always.
	 * @param {number} now
	 * @returns {Mark}
	 */
	mark(now) {
		return markOf(this.over, this.isFresh(now) &&
			this.config?.type !== 'mpts' ?
			/** @type {StreamEvent} */ (this.event).onair : null);
	}

	/**
	 * While the filler plays, the events have the rate of the input: 0.
	 * @param {number} now
	 */
	rate(now) {
		return (this.isFresh(now) && !this.over?.filler
			? this.event?.bitrate : this.over?.bitrate) ?? 0;
	}

	/** @param {number} now */
	cc(now) {
		return (this.isFresh(now) ? this.event?.cc_error
			: this.over?.cc_error) ?? 0;
	}

	/** @param {number} now */
	pes(now) {
		return (this.isFresh(now) ? this.event?.pes_error
			: this.over?.pes_error) ?? 0;
	}
}

/**
 * The names of the raised alarms by stream; those of an input have its place,
 * and those that follow from another stream have its id.  One that the output
 * has because of an input is that of the input.
 * @param {Overview} overview
 */
function alarmsOf({ alarms = [] }) {
	/** @type {Map<string, Set<string>>} */
	const all = new Map();

	for (const { channel_id: id = '', place, alarm, cause, source }
		of alarms) {
		const list = all.get(id) ?? new Set();
		const name = typeof place === 'number'
			? `input ${place}: ${alarm}` : alarm;

		if (cause === undefined)
			list.add(source === undefined ? name
				: `${name} (stream ${source})`);
		all.set(id, list);
	}
	return all;
}

export class Store {
	/** By id, in the order of the configuration.
	 * @type {Map<string, Stream>} */
	streams = new Map();
	/** @type {Config} */
	config = {};
	/** @type {Overview | null} */
	overview = null;
	/** Unix time of the browser at which the overview came. */
	overviewTime = 0;
	/** Counts changes of the set of streams, their names and groups. */
	shape = 0;
	/** Something happened that only a new overview shows. */
	wantsOverview = false;
	/** A section changed whose event does not carry the whole. */
	wantsConfig = false;

	/** Changes of streams that an awaited reply may not contain yet.
	 * @type {Message[] | null} */
	#held = null;
	/** The id under which a replaced stream comes back.
	 * @type {string | null} */
	#replaced = null;
	/** The inputs of a stream whose events came in this second.
	 * @type {{id: string, inputs: Set<number | string>}} */
	#run = { id: '', inputs: new Set() };

	/** Before a request for the state: its reply may be older than events
	 * that arrive meanwhile. */
	hold() {
		this.#held = [];
		this.wantsOverview = false;
		this.wantsConfig = false;
	}

	/**
	 * After the reply was stored, or without one.
	 * @param {number} now Unix time of the browser
	 */
	release(now) {
		const held = this.#held ?? [];

		this.#held = null;
		for (const message of held)
			this.apply(message, now);
	}

	/** @param {Config} config the reply of `load` */
	load(config) {
		const old = this.streams;

		this.config = config;
		this.streams = new Map();
		for (const one of config.make_stream ?? []) {
			if (typeof one?.id !== 'string')
				continue;
			const stream = old.get(one.id) ?? new Stream(one.id);

			stream.config = one;
			this.streams.set(one.id, stream);
		}
		this.shape++;
	}

	/**
	 * @param {Overview} overview
	 * @param {number} now Unix time of the browser
	 */
	take(overview, now) {
		this.overview = overview;
		this.overviewTime = now;
		const here = new Set(), alarms = alarmsOf(overview);

		for (const over of overview.streams) {
			let stream = this.streams.get(over.id);

			here.add(over.id);
			if (stream === undefined) {
				stream = new Stream(over.id);
				this.streams.set(over.id, stream);
				this.shape++;
			}
			stream.over = over;
			stream.alarms = [...alarms.get(over.id) ?? over.alarms];
			if (stream.config === null)
				this.wantsConfig = true;
		}
		for (const id of this.streams.keys())
			if (!here.has(id)) {
				this.streams.delete(id);
				this.shape++;
			}
	}

	/**
	 * @param {Message} message
	 * @param {number} now
	 */
	apply(message, now) {
		switch (message.scope) {
		case 'stream_event':
			this.#event(/** @type {StreamEvent} */ (
				/** @type {unknown} */ (message)), now);
			break;
		case 'set-stream':
			if (this.#held !== null) {
				this.#held.push(message);
				break;
			}
			this.#setStream(message.stream, message.before);
			this.wantsOverview = true;
			break;
		case 'alarm':
			this.#alarm(message);
			this.wantsOverview = true;
			break;
		case 'stream_switch':
			this.wantsOverview = true;
			break;
		case 'set-adapter':
			this.wantsConfig = true;
			this.wantsOverview = true;
			break;
		case 'session_event':
		case 'stream_image':
			break;
		default:
			this.wantsConfig ||= SECTIONS.test(message.scope);
		}
	}

	/**
	 * Events of a stream come together, and the active input is the first.
	 * @param {StreamEvent} event
	 * @param {number} now
	 */
	#event(event, now) {
		const id = event.channel_id, run = this.#run;
		const isFirst = run.id !== id || run.inputs.has(event.input_id);

		if (isFirst) {
			run.id = id;
			run.inputs.clear();
		}
		run.inputs.add(event.input_id);
		const stream = this.streams.get(id);

		if (!isFirst || stream === undefined)
			return;
		if (stream.over?.onair !== event.onair)
			this.wantsOverview = true;
		stream.event = event;
		stream.eventTime = now;
		stream.ring.write(Math.floor(now), event);
	}

	/** @param {Message} event */
	#alarm({ channel_id, alarm, raised, time }) {
		const stream = this.streams.get(channel_id);

		if (stream === undefined || !raised)
			return;
		stream.marks = [...stream.marks, { time, text: alarm }]
			.slice(-MARKS_MAX);
	}

	/**
	 * @param {StreamConfig & {remove?: boolean, up?: boolean}} config
	 * @param {string} [behind] id of the stream in front of which a new one
	 *	is stored
	 */
	#setStream(config, behind) {
		if (typeof config?.id !== 'string')
			return;
		if (config.remove) {
			// a replacement follows, which may have another id
			if (config.up)
				this.#replaced = config.id;
			else if (this.streams.delete(config.id))
				this.shape++;
			return;
		}
		const before = this.#replaced;

		this.#replaced = null;
		this.shape++;
		if (before !== null && before !== config.id)
			this.#rename(before, config.id);
		const stream = this.streams.get(config.id) ??
			new Stream(config.id);

		stream.config = config;
		this.#put(stream, behind);
	}

	/**
	 * @param {Stream} stream
	 * @param {string} [behind]
	 */
	#put(stream, behind) {
		const { id } = stream, entries = [...this.streams];
		const place = behind === undefined || this.streams.has(id) ? -1
			: entries.findIndex(([other]) => other === behind);

		if (place < 0)
			this.streams.set(id, stream);
		else
			this.streams = new Map([...entries.slice(0, place),
				[id, stream], ...entries.slice(place)]);
	}

	/**
	 * Keeps the place.
	 * @param {string} from
	 * @param {string} to
	 */
	#rename(from, to) {
		const entries = [...this.streams];

		this.streams = new Map(entries.map(([id, stream]) => {
			if (id !== from)
				return [id, stream];
			stream.id = to;
			return [to, stream];
		}));
	}
}
