// SPDX-License-Identifier: GPL-3.0-or-later
// Media playlists of HLS: what they contain, and the judgement of other
// projects' parsers.
import assert from 'node:assert/strict';
import { npmParser, waitUntil } from './util.mjs';

// The playlist as hls-parser reads it; undefined: it is not installed.
export function strictly(t, text) {
	const HLS = npmParser(t, 'hls-parser');

	if (HLS === undefined)
		return undefined;
	HLS.setOptions({ strictMode: true });
	try {
		return HLS.parse(text);
	} catch ({ message }) {
		return assert.fail(`${message}\n${text}`);
	}
}

const attributes = (text) => Object.fromEntries(
	[...text.matchAll(/([A-Z-]+)=("[^"]*"|[^,]*)/g)]
		.map(([, name, value]) => [name, value.replaceAll('"', '')]));

// The playlist as an object; `open' has the parts of the segment that is not
// complete.
export function parsePlaylist(text) {
	const list = { text, segments: [] };
	let next = { parts: [], jump: false };

	assert.match(text, /^#EXTM3U\n/);
	for (const line of text.split('\n')) {
		const [, tag, value] = /^#EXT-?X?-?([A-Z3-]+):?(.*)$/
			.exec(line) ?? [undefined, '', ''];

		if (tag === 'TARGETDURATION')
			list.target = Number(value);
		else if (tag === 'MEDIA-SEQUENCE')
			list.first = Number(value);
		else if (tag === 'DISCONTINUITY-SEQUENCE')
			list.base = list.at = Number(value);
		else if (tag === 'PART-INF')
			list.part = Number(attributes(value)['PART-TARGET']);
		else if (tag === 'MAP')
			list.map = attributes(value).URI;
		else if (tag === 'PRELOAD-HINT')
			list.hint = attributes(value).URI;
		else if (tag === 'DISCONTINUITY')
			next.jump = true;
		else if (tag === 'PROGRAM-DATE-TIME')
			next.date = Date.parse(value);
		else if (tag === 'PART')
			next.parts.push({ uri: attributes(value).URI,
				duration: Number(attributes(value).DURATION),
				independent: attributes(value).INDEPENDENT ===
					'YES' });
		else if (tag === 'INF')
			next.duration = Number(value.replace(',', ''));
		if (line === '' || line.startsWith('#'))
			continue;
		list.at += next.jump ? 1 : 0;
		list.segments.push({ ...next, uri: line, base: list.at,
			number: list.first + list.segments.length });
		next = { parts: [], jump: false };
	}
	list.open = next.parts;
	return list;
}

// Playlists of one stream, asked for again and again: what was said once about
// a segment stays true, and no number goes back.
export class Playlists {
	#get;
	#targets;
	#kept;
	#last;

	constructor(get, targets) {
		this.#get = get;
		this.#targets = targets;
		this.#kept = targets.map(() => new Map());
		this.#last = targets.map(() => ({ first: 0, base: 0 }));
	}

	async #ask(i) {
		const { status, body } = await this.#get(this.#targets[i]);

		if (status !== 200)
			return undefined;
		const list = parsePlaylist(body.toString());

		assert.ok(list.first >= this.#last[i].first, list.text);
		assert.ok(list.base >= this.#last[i].base, list.text);
		this.#last[i] = list;
		for (const { number, base, duration, date, uri }
			of list.segments) {
			const said = { base, duration, date, uri };

			assert.deepEqual(said,
				this.#kept[i].get(number) ?? said, list.text);
			this.#kept[i].set(number, said);
		}
		return list;
	}

	// Those that this is true of.
	async reach(wanted, timeoutMs = 20000) {
		const lists = [];

		for (const i of this.#targets.keys())
			await waitUntil(`${wanted} of ${this.#targets[i]}`,
				async () => {
				const list = await this.#ask(i);

				lists[i] = list;
				return list !== undefined && wanted(list);
			}, timeoutMs);
		return lists;
	}
}
