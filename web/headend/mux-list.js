// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs and services of a multiplex (an mpts), and what it is set to.
// Pure.

import { formatAddress, parseAddress } from '../common/address.js';

/** @typedef {import('./merge.js').Entry} Entry */
/** @typedef {import('../common/api-types').MuxService} MuxService */

/**
 * @typedef {object} ServiceRow
 * @property {number} pnr
 * @property {MuxService | undefined} live undefined: it is not sent now
 * @property {Entry | undefined} set its entry of `sdt`
 */

/**
 * An option of an address; "": it has none.
 * @param {string} text
 * @param {string} key
 */
export function optionOf(text, key) {
	return parseAddress(text).address?.options.find((one) =>
		one.key === key)?.value ?? '';
}

/**
 * The address with an option, which keeps its place; "" takes it out.
 * @param {string} text
 * @param {string} key
 * @param {string} value
 */
export function withOption(text, key, value) {
	const { address } = parseAddress(text);

	if (address === null)
		return text;
	const { options } = address;
	const i = options.findIndex((one) => one.key === key);
	const at = i < 0 ? options.length : i;

	return formatAddress({ ...address, options: [...options.slice(0, at),
		...value === '' ? [] : [{ key, value }],
		...options.slice(at + 1).filter((one) => one.key !== key)] });
}

/** @param {unknown} text */
const target = (text) => String(text).split('#', 1)[0];

/**
 * The position from 1 at which the service runs each address of a draft; 0:
 * it does not run it.
 * @param {unknown} before list of the stored stream
 * @param {unknown} after that of the draft; neither is a list if it was typed
 *	as text
 * @returns {number[]}
 */
export function placesOf(before, after) {
	/** @type {unknown[]} */
	const stored = Array.isArray(before) ? before : [];
	/** @type {unknown[]} */
	const mine = Array.isArray(after) ? after : [];
	const places = mine.map(() => 0), free = stored.map(() => true);

	// an address as it is comes before one whose options were changed
	for (const same of [(/** @type {unknown} */ a,
		/** @type {unknown} */ b) => a === b,
	(/** @type {unknown} */ a, /** @type {unknown} */ b) =>
		target(a) === target(b)])
		mine.forEach((text, i) => {
			const at = places[i] > 0 ? -1 : stored.findIndex(
				(one, k) => free[k] && same(one, text));

			if (at >= 0) {
				places[i] = at + 1;
				free[at] = false;
			}
		});
	return places;
}

/**
 * All services that are sent or set, by their number.
 * @param {MuxService[]} services
 * @param {unknown} sdt of the stream
 * @returns {ServiceRow[]}
 */
export function serviceRows(services, sdt) {
	/** @type {Entry[]} */
	const list = Array.isArray(sdt) ? sdt : [];
	const pnrs = new Set([...services.map(({ pnr }) => pnr),
		...list.map((one) => one?.pnr).filter(Number.isInteger)]);

	return [...pnrs].sort((a, b) => a - b).map((pnr) => ({ pnr,
		live: services.find((one) => one.pnr === pnr),
		set: list.find((one) => one?.pnr === pnr) }));
}

/**
 * `sdt` with a key of a service; undefined takes the key out, and an entry
 * without any.
 * @param {unknown} sdt
 * @param {number} pnr
 * @param {string} key
 * @param {unknown} value
 * @returns {Entry[] | undefined}
 */
export function withService(sdt, pnr, key, value) {
	/** @type {Entry[]} */
	const list = Array.isArray(sdt) ? sdt : [];
	const i = list.findIndex((one) => one?.pnr === pnr);
	const at = i < 0 ? list.length : i;
	const { [key]: _, ...rest } = list[at] ?? { pnr };
	const entry = value === undefined ? rest : { ...rest, [key]: value };
	const all = [...list.slice(0, at),
		...Object.keys(entry).length > 1 ? [entry] : [],
		...list.slice(at + 1)];

	return all.length > 0 ? all : undefined;
}

/**
 * A rate as a share of the whole, in percent of at most one decimal.
 * @param {number} kbps
 * @param {unknown} total kbit/s
 */
export function share(kbps, total) {
	const whole = Number(total);

	return whole > 0 ? Math.min(100, Math.round(kbps * 1000 / whole) / 10)
		: 0;
}

/** @param {MuxService[]} services */
export function rateOf(services) {
	return services.reduce((sum, { bitrate }) => sum + bitrate, 0);
}

/** @param {Entry | null | undefined} config */
export function isMux(config) {
	return config?.type === 'mpts' && Array.isArray(config.input) &&
		config.input.length > 1;
}
