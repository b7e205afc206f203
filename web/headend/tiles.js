// SPDX-License-Identifier: GPL-3.0-or-later
// The tiles of the wall.  They are made when streams come and go; each second
// only their texts and marks change, and no tile moves.

import { mbit } from '../common/units.js';
import { shown } from '../common/text.js';
import { href } from './route.js';
import { SIZES, shortNames } from './sizes.js';
import { drawStrip } from './strip.js';
import { markWord } from './view.js';

/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('../common/state.js').Mark} Mark */
/** @typedef {{title: string, streams: Stream[]}} Section */
/** @typedef {import('./sizes.js').Size} Size */
/** One tile; it touches the document only where something differs. */
class Tile {
	/** @type {Mark | ''} */
	#mark = '';
	#name = '';
	#rate = '';
	/** Absent in the smallest tiles, which have no room for it.
	 * @type {HTMLElement | null} */
	#rateText = null;
	/** @type {HTMLCanvasElement | null} */
	#strip = null;

	/**
	 * @param {Stream} stream
	 * @param {Size} size
	 * @param {string} base of the page of another headend, or ""
	 * @param {(name: string) => string} short
	 */
	constructor(stream, size, base, short) {
		this.stream = stream;
		this.short = short;
		this.link = document.createElement('a');
		this.link.className = 'tile';
		this.link.tabIndex = -1;
		this.link.href = base + href('stream', stream.id);
		if (base !== '') {
			this.link.target = '_blank';
			this.link.rel = 'noreferrer';
		}
		this.name = document.createElement('b');
		this.link.append(this.name);
		if (size !== 's') {
			this.#rateText = document.createElement('i');
			this.link.append(this.#rateText);
		}
		if (size === 'l') {
			this.#strip = document.createElement('canvas');
			this.#strip.width = 184;
			this.#strip.height = 24;
			this.link.append(this.#strip);
		}
	}

	/**
	 * @param {number} now
	 * @param {boolean} stale
	 */
	update(now, stale) {
		const { stream } = this;
		const mark = stream.mark(now), name = shown(stream.name);
		const rate = mark === 'disabled' || this.#rateText === null ? ''
			: mbit(stream.rate(now));

		if (name !== this.#name || mark !== this.#mark) {
			this.#name = name;
			this.#mark = mark;
			this.name.textContent = this.short(name);
			this.link.title = `${name}: ${markWord(mark)}`;
			this.link.dataset.mark = mark;
		}
		if (this.#rateText !== null && rate !== this.#rate) {
			this.#rate = rate;
			this.#rateText.textContent = rate;
		}
		if (this.#strip !== null && !stale)
			drawStrip(this.#strip, stream.ring, Math.floor(now));
	}
}

export class Tiles {
	/** @type {Tile[]} */
	#tiles = [];
	#at = 0;

	/**
	 * @param {HTMLElement} box
	 * @param {string} [base] of the page of another headend
	 */
	constructor(box, base = '') {
		this.box = box;
		this.base = base;
		box.addEventListener('keydown', (event) => this.#key(event));
		box.addEventListener('focusin', (event) => {
			const i = this.#tiles.findIndex((tile) =>
				tile.link === event.target);

			if (i >= 0)
				this.#rove(i);
		});
	}

	/**
	 * @param {Section[]} sections
	 * @param {Size} size
	 */
	build(sections, size) {
		const hadFocus = this.box.contains(document.activeElement);

		const short = size !== 's' ? (/** @type {string} */ name) => name
			: shortNames(sections.flatMap(({ streams }) =>
				streams.map(({ name }) => shown(name))));

		this.#tiles = [];
		this.box.dataset.size = size;
		this.box.replaceChildren(...sections.map((section) =>
			this.#section(section, size, short)));
		this.#rove(Math.min(this.#at, this.#tiles.length - 1));
		if (hadFocus)
			this.#tiles[this.#at]?.link.focus();
	}

	/**
	 * @param {Section} section
	 * @param {Size} size
	 * @param {(name: string) => string} short
	 */
	#section(section, size, short) {
		const part = document.createElement('section');
		const title = document.createElement('h2');
		const grid = document.createElement('div');

		title.textContent = shown(section.title);
		title.title = title.textContent;
		grid.className = 'tiles';
		for (const stream of section.streams) {
			const tile = new Tile(stream, size, this.base,
				short);

			this.#tiles.push(tile);
			grid.append(tile.link);
		}
		part.append(title, grid);
		return part;
	}

	/**
	 * @param {number} now
	 * @param {boolean} stale
	 */
	update(now, stale) {
		for (const tile of this.#tiles)
			tile.update(now, stale);
	}

	/** One tile is in the order of Tab, the arrows move.
	 * @param {number} i */
	#rove(i) {
		const before = this.#tiles[this.#at], after = this.#tiles[i];

		if (before)
			before.link.tabIndex = -1;
		if (after)
			after.link.tabIndex = 0;
		this.#at = Math.max(0, i);
	}

	/** @param {KeyboardEvent} event */
	#key(event) {
		const step = this.#step(event.key);

		if (step === 0 || event.ctrlKey || event.altKey ||
			event.metaKey)
			return;
		const i = Math.min(Math.max(this.#at + step, 0),
			this.#tiles.length - 1);

		event.preventDefault();
		this.#tiles[i]?.link.focus();
	}

	/** How many tiles a key moves. @param {string} key */
	#step(key) {
		const [w] = SIZES[/** @type {Size} */ (this.box.dataset.size)];
		const perRow = Math.max(1, Math.floor(
			this.box.clientWidth / w));

		switch (key) {
		case 'ArrowRight': return 1;
		case 'ArrowLeft': return -1;
		case 'ArrowDown': case 'j': return perRow;
		case 'ArrowUp': case 'k': return -perRow;
		case 'Home': return -this.#tiles.length;
		case 'End': return this.#tiles.length;
		default: return 0;
		}
	}
}
