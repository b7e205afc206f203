// SPDX-License-Identifier: GPL-3.0-or-later
// The sections of the wall: by the groups of the first category.  Pure.

/** @typedef {import('../common/api-types').Category} Category */
/** @typedef {import('../common/store.js').Stream} Stream */

/**
 * Every stream once, at a place that depends on the configuration alone.
 * @param {Iterable<Stream>} streams
 * @param {Category[]} categories
 * @param {{all: string, rest: string}} words
 * @returns {{title: string, streams: Stream[]}[]}
 */
export function sectionsOf(streams, categories, words) {
	const [category] = categories;
	const names = (category?.groups ?? []).map((group) => group?.name)
		.filter((name) => typeof name === 'string');
	/** @type {Map<string, Stream[]>} */
	const lists = new Map(names.map((name) => [name, []]));
	/** @type {Stream[]} */
	const rest = [];

	for (const stream of streams) {
		const name = stream.config?.groups?.[category?.name ?? ''];

		(lists.get(name ?? '') ?? rest).push(stream);
	}
	const sections = [...lists].filter(([, list]) => list.length > 0)
		.map(([name, list]) => ({ title: `${category.name} / ${name}`,
			streams: list }));

	if (rest.length > 0)
		sections.push({ title: sections.length > 0 ? words.rest
			: words.all, streams: rest });
	return sections;
}

/**
 * The categories with the wanted one first, by which the wall is divided.
 * @param {Category[]} categories
 * @param {string} name
 */
export function chosenFirst(categories, name) {
	return [...categories.filter((one) => one?.name === name),
		...categories.filter((one) => one?.name !== name)];
}
