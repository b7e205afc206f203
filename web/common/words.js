// SPDX-License-Identifier: GPL-3.0-or-later
// The page's own words, by language.  Texts of the service stay English.

import { en } from './words-en.js';

/** @typedef {keyof typeof en} Word */
/** @typedef {'en' | 'ru'} Language */
/** @typedef {Record<Word, string>} Catalogue */

/** @type {Record<Language, () => Promise<Catalogue>>} */
export const CATALOGUES = {
	en: async () => en,
	ru: async () => (await import('./words-ru.js')).ru,
};

/** @type {Catalogue} */
let words = en;

/** @param {Language} wanted */
export async function setLanguage(wanted) {
	words = await CATALOGUES[wanted]();
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
