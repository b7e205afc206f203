// SPDX-License-Identifier: GPL-3.0-or-later
// The page's own words, by language.  Texts of the service stay English.

import { en } from './words-en.js';

/** @typedef {typeof import('./words-later-en.js').en} LaterCatalogue */
/** @typedef {Record<keyof typeof en, string>} Catalogue */
/** @typedef {keyof typeof en | keyof LaterCatalogue} Word */
/** @typedef {'en' | 'ru'} Language */

/** The words of the first page.
 * @type {Record<Language, () => Promise<Catalogue>>} */
export const CATALOGUES = {
	en: async () => en,
	ru: async () => (await import('./words-ru.js')).ru,
};

/** The words of the pages that are loaded later.
 * @type {Record<Language,
 *	() => Promise<Record<keyof LaterCatalogue, string>>>} */
export const LATER = {
	en: async () => (await import('./words-later-en.js')).en,
	ru: async () => (await import('./words-later-ru.js')).ru,
};

/** @type {Record<string, string>} */
let words = en;
/** @type {Language} */
let language = 'en';
let hasLater = false;
/** The last load().  Earlier ones end as it does.
 * @type {Promise<void>} */
let loading = Promise.resolve();
/** @type {Promise<void> | null} */
let adding = null;

function load() {
	/** @type {Promise<void>} */
	const mine = Promise.all([CATALOGUES[language](),
		hasLater ? LATER[language]() : {}]).then((parts) => {
		if (mine !== loading)
			return loading;
		words = Object.assign({}, ...parts);
	}, (error) => {
		if (mine !== loading)
			return loading;
		throw error;
	});

	loading = mine;
	return mine;
}

/** @param {Language} wanted */
export function setLanguage(wanted) {
	language = wanted;
	return load();
}

async function add() {
	await LATER[language]();
	hasLater = true;
	await load();
}

/** Before a page that is loaded later. */
export function addLaterWords() {
	adding ??= add().catch((error) => {
		hasLater = false;
		adding = null;
		throw error;
	});
	return adding;
}

/**
 * The words in the chosen language; {name} is replaced by the value.
 * @param {Word} word
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(word, values = {}) {
	return words[word].replace(/\{(\w+)\}/g,
		(whole, name) => String(values[name] ?? whole));
}

/**
 * The language of a browser's list.
 * @param {readonly string[]} wanted such as navigator.languages
 * @returns {Language}
 */
export function languageOf(wanted) {
	for (const tag of wanted) {
		const short = tag.slice(0, 2).toLowerCase();

		if (short === 'ru' || short === 'en')
			return short;
	}
	return 'en';
}
