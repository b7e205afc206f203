// SPDX-License-Identifier: GPL-3.0-or-later
// What a scan of an adapter found, and the adapters and streams that are made
// of it.  Pure.

import { parseAddress } from '../common/address.js';
import { streamOf } from './programs.js';

/** @typedef {import('../common/store.js').Stream} Stream */
/** @typedef {import('./merge.js').Entry} Entry */

/**
 * @typedef {object} Service
 * @property {number} pnr
 * @property {string} [name]
 * @property {string} [name_error]
 * @property {string} [provider]
 * @property {number} [service_type]
 * @property {boolean} scrambled
 * @property {number[]} [caids]
 */

/**
 * @typedef {object} Transponder
 * @property {number} number
 * @property {Entry} tuning
 * @property {boolean} lock
 * @property {number} [signal]
 * @property {number} [signal_db]
 * @property {number} [snr]
 * @property {number} [snr_db]
 * @property {number} [bitrate]
 * @property {string} [error]
 * @property {boolean} complete
 * @property {Service[]} services
 */

/** @typedef {'transponder' | 'network' | 'blind'} Search */

/**
 * @typedef {object} Choice
 * @property {Entry | null} stored the adapter; null: a new one
 * @property {Entry} fresh the keys of a new one
 * @property {Search} search
 * @property {Record<string, string>} grid as typed
 */

/** @typedef {{key: string, adapter: Entry, request: Entry}} Plan */

/** Of a blind scan; a network has fewer. */
const TRANSPONDERS_MAX = 4096;
/** What a found tuning says, beside the type, in place of the adapter. */
const TUNING = ['frequency', 'polarization', 'symbolrate', 'stream_id',
	'bandwidth', 'modulation', 'fec', 'rolloff'];
const NOT_SCANNED = ['id', 'enable', 'scan'];

/**
 * @param {Entry} entry
 * @param {string[]} keys
 */
function without(entry, keys) {
	return Object.fromEntries(Object.entries(entry).filter(([key, value]) =>
		!keys.includes(key) && value !== undefined && value !== ''));
}

/** A number, or what was typed: the service names the error.
 * @param {string} text */
function numberOf(text) {
	const number = Number(text);

	return Number.isFinite(number) ? number : text;
}

/** @param {Record<string, string>} grid */
function gridOf({ symbolrate = '', polarization = '', ...numbers }) {
	const rates = symbolrate.split(/[\s,]+/).filter(Boolean).map(numberOf);

	return { ...Object.fromEntries(Object.entries(numbers)
		.filter(([, text]) => text.trim() !== '')
		.map(([key, text]) => [key, numberOf(text.trim())])),
	...polarization.trim() !== '' && { polarization: polarization.trim() },
	...rates.length > 0 && { symbolrate: rates } };
}

/**
 * Why the service scans one transponder alone with such an adapter; "": it
 * scans its network and a range as well.
 * @param {Entry} adapter
 * @returns {'' | 'address' | 't2mi' | 'lnb_sharing'}
 */
export function singleBy(adapter) {
	const isSet = (/** @type {string} */ key) =>
		adapter[key] !== undefined && adapter[key] !== '';
	const isOn = (/** @type {string} */ key) =>
		['true', '1'].includes(String(adapter[key]));

	if (isSet('address'))
		return 'address';
	if (isOn('t2mi'))
		return 't2mi';
	// another tuner selects band and polarization
	return isOn('lnb_sharing') && !isSet('server') &&
		['S', 'S2'].includes(String(adapter.type)) ? 'lnb_sharing' : '';
}

/** ATSC has no NIT, so that no network is searched. @param {Entry} adapter */
export function lacksNetwork({ type }) {
	return type === 'ATSC';
}

/**
 * What scan-init gets.
 * @param {Choice} choice
 * @returns {unknown}
 */
export function scanOf({ stored, fresh, search, grid }) {
	// it receives already, and lends its packets
	if (stored?.enable === true && search === 'transponder')
		return `dvb://${stored.id}`;
	return { search, adapter: without(stored ?? fresh, NOT_SCANNED),
		...search === 'blind' && { grid: gridOf(grid) } };
}

/**
 * Each is reported whole, again when it changes.
 * @param {Transponder[]} was
 * @param {Transponder[]} added
 */
export function addTransponders(was, added) {
	const all = new Map(was.map((one) => [one.number, one]));

	for (const one of added)
		if (all.has(one.number) || all.size < TRANSPONDERS_MAX)
			all.set(one.number, one);
	return [...all.values()].sort((a, b) => a.number - b.number);
}

/** A tuning in short. @param {Entry} tuning */
export function tuningText({ frequency, polarization, symbolrate, bandwidth,
	type }) {
	return [frequency, polarization, symbolrate, bandwidth, type]
		.filter((part) => part !== undefined && part !== '').join(' ');
}

/** The address that is received in place of a tuner; "": none.
 * @param {Choice} choice */
export function addressOf({ stored, fresh }) {
	return String((stored ?? fresh).address ?? '');
}

/** @param {Transponder} transponder @param {Service} service */
export function serviceKey({ number }, { pnr }) {
	return `${number}.${pnr}`;
}

/**
 * The names of the streams that have a program of an adapter, by its number.
 * @param {Iterable<Stream>} streams
 * @param {string} id of the adapter
 * @returns {Map<number, string>}
 */
export function usersOf(streams, id) {
	/** @type {Map<number, string>} */
	const users = new Map();

	for (const { name, config } of streams)
		for (const input of config?.input ?? []) {
			const { address } = parseAddress(String(input));
			const pnr = Number(address?.options.find(({ key }) =>
				key === 'pnr')?.value ?? 0);

			if (address?.type === 'dvb' && address.target === id &&
				pnr > 0 && !users.has(pnr))
				users.set(pnr, name);
		}
	return users;
}

/** The streams of a scan of one transponder belong to the stored adapter.
 * @param {Choice} choice */
export function targetOf({ stored, search }) {
	return search === 'transponder' ? stored : null;
}

/** @param {Choice} choice @param {Transponder} transponder */
function freshAdapter(choice, { tuning }) {
	const { stored, fresh, search } = choice;
	const base = without(stored ?? fresh, [...NOT_SCANNED, ...TUNING]);
	const text = addressOf(choice) || tuningText(tuning);
	const name = search === 'transponder' && base.name ? base.name
		: [base.name, text].filter(Boolean).join(' ');

	// other keys of a tuning are no keys of an adapter
	const found = Object.fromEntries(Object.entries(without(tuning, []))
		.filter(([key]) => key === 'type' || TUNING.includes(key)));

	return { ...base, ...found, name, enable: false };
}

/**
 * A command for each adapter that gets streams: they are stored with it or not
 * at all.
 * @param {Choice} choice
 * @param {Transponder[]} transponders
 * @param {Set<string>} chosen
 * @returns {Plan[]}
 */
export function plansOf(choice, transponders, chosen) {
	const target = targetOf(choice);

	return transponders.flatMap((one) => {
		const services = one.services.filter((service) =>
			chosen.has(serviceKey(one, service)));

		if (services.length === 0)
			return [];
		const scan = services.map(({ pnr, name = '' }) => {
			const { input: _, ...stream } = streamOf('', { pnr, name });

			return { pnr, ...stream };
		});
		const adapter = target ?? freshAdapter(choice, one);

		return [{ key: String(one.number), adapter, request: { ...target &&
			{ id: target.id, was: target }, adapter: { ...adapter,
			scan } } }];
	});
}
