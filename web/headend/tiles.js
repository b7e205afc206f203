// SPDX-License-Identifier: GPL-3.0-or-later
// The tiles of the wall.  They are made when streams come and go; each second
// only their texts and marks change, and no tile moves.

import { mbit } from '../common/units.js';
import { shown } from '../common/text.js';
import { href } from './route.js';
import { heightOf, perRow, shortNames } from './sizes.js';
import { drawStrip } from './strip.js';
import { markWord } from './view.js';

/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('../common/state.js').Mark} Mark */
/** @typedef {{title: string, streams: Stream[]}} Section */
/** @typedef {import('./sizes.js').Size} Size */

/** So many new tiles a frame: one with those of a large headend would keep the
 * page from answering. */
const SLICE = 100;

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
	#id = '';
	/** @type {(name: string) => string} */
	#short = (name) => name;

	/**
	 * @param {Stream} stream
	 * @param {Size} size
	 * @param {string} base of the page of another headend, or ""
	 */
	constructor(stream, size, base) {
		this.stream = stream;
		this.base = base;
		this.link = document.createElement('a');
		this.link.className = 'tile';
		this.link.tabIndex = -1;
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
	 * The names of the others, the id or the language are new.
	 * @param {(name: string) => string} short
	 */
	rename(short) {
		const { id } = this.stream;

		this.#short = short;
		this.#mark = '';
		if (id !== this.#id) {
			this.#id = id;
			this.link.href = this.base + href('stream', id);
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
			const text = this.#short(name);

			this.#name = name;
			this.#mark = mark;
			if (this.name.textContent !== text)
				this.name.textContent = text;
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

/**
 * Makes the node the child at this place.
 * @param {Element} parent
 * @param {number} at
 * @param {Element} node
 */
function put(parent, at, node) {
	const there = parent.children[at] ?? null;

	if (there !== node)
		parent.insertBefore(node, there);
}

/** @returns {Element} with a title and a grid */
function emptySection() {
	const part = document.createElement('section');
	const grid = document.createElement('div');

	grid.className = 'tiles';
	part.append(document.createElement('h2'), grid);
	return part;
}

export class Tiles {
	/** Those in place, in their order.
	 * @type {Tile[]} */
	#tiles = [];
	/** @type {Map<Stream, Tile>} */
	#made = new Map();
	/** The tile in the order of Tab; the arrows move.
	 * @type {Tile | undefined} */
	#current;
	/** Puts the next slice in its place.
	 * @type {Iterator<void> | null} */
	#filling = null;
	/** Of the last build that was complete: the place of the current tile,
	 * and whether it had the focus.  Null: no build is under way.
	 * @type {{at: number, hadFocus: boolean} | null} */
	#before = null;

	/**
	 * @param {HTMLElement} box
	 * @param {string} [base] of the page of another headend
	 */
	constructor(box, base = '') {
		this.box = box;
		this.base = base;
		box.addEventListener('keydown', (event) => this.#key(event));
		box.addEventListener('focusin', (event) => {
			const tile = this.#tiles.find(({ link }) =>
				link === event.target);

			if (tile)
				this.#rove(tile);
		});
	}

	get isEmpty() {
		return this.#tiles.length === 0;
	}

	/**
	 * @param {Section[]} sections
	 * @param {Size} size
	 * @param {number} now
	 */
	build(sections, size, now) {
		const { box } = this;

		this.#before ??= {
			at: this.#tiles.findIndex((tile) => tile === this.#current),
			hadFocus: box.contains(document.activeElement),
		};
		if (box.dataset.size !== size) {
			box.dataset.size = size;
			box.replaceChildren();
			this.#made.clear();
		}
		// what lies below has its place from the first frame on
		box.style.minHeight = `${heightOf(sections.map(({ streams }) =>
			streams.length), size, box.clientWidth)}px`;
		this.#filling = this.#fill(sections, size, now);
		this.#go();
	}

	#go() {
		const filling = this.#filling;

		if (filling?.next().done === false)
			requestAnimationFrame(() => {
				if (filling === this.#filling)
					this.#go();
			});
	}

	/**
	 * Tiles of streams that stay are kept.
	 * @param {Section[]} sections
	 * @param {Size} size
	 * @param {number} now
	 */
	*#fill(sections, size, now) {
		const { box } = this;
		const streams = new Set(sections.flatMap((one) => one.streams));
		const short = size !== 's' ? (/** @type {string} */ name) => name
			: shortNames([...streams].map(({ name }) => shown(name)));
		let fresh = 0;

		for (const [stream, { link }] of this.#made)
			if (!streams.has(stream)) {
				this.#made.delete(stream);
				link.remove();
			}
		this.#tiles = [];
		for (const [i, section] of sections.entries()) {
			const grid = this.#grid(section, i);

			for (const [n, stream] of section.streams.entries()) {
				let tile = this.#made.get(stream);

				if (tile === undefined) {
					if (fresh++ === SLICE) {
						fresh = 1;
						yield;
					}
					tile = new Tile(stream, size, this.base);
					this.#made.set(stream, tile);
				}
				this.#tiles.push(tile);
				tile.rename(short);
				tile.update(now, false);
				put(grid, n, tile.link);
			}
		}
		while (box.children.length > sections.length)
			box.lastElementChild?.remove();
		box.style.minHeight = '';
		this.#follow();
	}

	/**
	 * The box for the tiles of the section at this place.
	 * @param {Section} section
	 * @param {number} i
	 */
	#grid({ title }, i) {
		const part = this.box.children[i] ?? emptySection();
		const head = /** @type {HTMLElement} */ (part.firstElementChild);

		head.textContent = shown(title);
		head.title = head.textContent;
		put(this.box, i, part);
		return /** @type {Element} */ (part.lastElementChild);
	}

	/** If the tile with the focus is gone, another one has it. */
	#follow() {
		const { at, hadFocus } = this.#before ?? { at: 0, hadFocus: false };
		const tiles = this.#tiles;

		this.#before = null;

		if (!this.#current || !tiles.includes(this.#current))
			this.#rove(tiles[Math.min(Math.max(0, at),
				tiles.length - 1)]);
		// a tile that moves loses it
		if (hadFocus && document.activeElement === document.body)
			this.#current?.link.focus();
	}

	/**
	 * @param {number} now
	 * @param {boolean} stale
	 */
	update(now, stale) {
		for (const tile of this.#tiles)
			tile.update(now, stale);
	}

	/** @param {Tile | undefined} tile */
	#rove(tile) {
		if (this.#current)
			this.#current.link.tabIndex = -1;
		if (tile)
			tile.link.tabIndex = 0;
		this.#current = tile;
	}

	/** @param {KeyboardEvent} event */
	#key(event) {
		const step = this.#step(event.key), tiles = this.#tiles;

		if (step === 0 || event.ctrlKey || event.altKey ||
			event.metaKey)
			return;
		const at = tiles.findIndex((tile) => tile === this.#current);
		const i = Math.min(Math.max(at + step, 0), tiles.length - 1);

		event.preventDefault();
		tiles[i]?.link.focus();
	}

	/** How many tiles a key moves. @param {string} key */
	#step(key) {
		const { dataset, clientWidth } = this.box;
		const row = perRow(/** @type {Size} */ (dataset.size),
			clientWidth);

		switch (key) {
		case 'ArrowRight': return 1;
		case 'ArrowLeft': return -1;
		case 'ArrowDown': case 'j': return row;
		case 'ArrowUp': case 'k': return -row;
		case 'Home': return -this.#tiles.length;
		case 'End': return this.#tiles.length;
		default: return 0;
		}
	}
}
