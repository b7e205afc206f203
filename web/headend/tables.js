// SPDX-License-Identifier: GPL-3.0-or-later
// Sections of tables as scan-check reports them.  Pure.

/** @typedef {{psi: string, pid: number, table_id?: number, version?: number,
 *	section_number?: number, next?: boolean, error?: string,
 *	[key: string]: any}} Section */

const SECTIONS_MAX = 2000;
/** The order of the tables. */
const TABLES = ['pat', 'cat', 'pmt', 'nit', 'sdt', 'vct', 'bat', 'eit', 'tdt',
	'tot', 'splice', 't2mi'];
const SHOWN = ['psi', 'pid', 'version', 'next', 'error', 'crc32'];

/** @param {Section} section */
function keyOf(section) {
	const { psi, pid, table_id = 0, section_number = 0, next } = section;
	const object = section.pnr ?? section.sid ?? section.bouquet_id ??
		section.network_id ?? section.tsid ?? 0;

	return [String(TABLES.indexOf(psi) + 1).padStart(2, '0'), psi,
		...[pid, table_id, object, section_number].map((n) =>
			String(n).padStart(6, '0')), next ? 1 : 0].join(' ');
}

/**
 * The newest of each section; a new version replaces the old one.
 * @param {Map<string, Section>} was
 * @param {Section[]} added
 */
export function addSections(was, added) {
	const all = new Map(was);

	for (const section of added) {
		const key = keyOf(section);

		// what was announced is in force now
		if (!section.next)
			all.delete(key.replace(/0$/, '1'));
		if (all.has(key) || all.size < SECTIONS_MAX)
			all.set(key, section);
	}
	return all;
}

/**
 * What an entry of a list or a section is, in short.
 * @param {any} one
 * @returns {string}
 */
export function label(one) {
	if (one === null || typeof one !== 'object')
		return '';
	const { psi, type_name, pnr, sid, pid, tsid, event_id } = one;

	if (psi !== undefined)
		return [String(psi).toUpperCase(), pnr ?? sid,
			one.section_number ? `#${one.section_number}` : '']
			.filter((part) => part !== undefined && part !== '')
			.join(' ');
	if (type_name !== undefined)
		return pid === undefined ? type_name : `${type_name} ${pid}`;
	const id = pnr ?? sid ?? event_id ?? tsid ?? pid;

	return id === undefined ? '' : String(id);
}

/** What the line of a section does not have already.
 * @param {Section} section */
export function rest(section) {
	return Object.fromEntries(Object.entries(section)
		.filter(([key]) => !SHOWN.includes(key)));
}
