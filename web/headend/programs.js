// SPDX-License-Identifier: GPL-3.0-or-later
// The programs of an input, and the streams that they become.  Pure.

/** @typedef {import('./tables.js').Section} Section */

/**
 * @typedef {object} Program
 * @property {number} pnr
 * @property {string} name
 * @property {string} nameError why an extended name is not decoded
 * @property {string} provider
 * @property {string[]} streams their kinds
 * @property {boolean} scrambled
 */

/**
 * By PAT, PMT, and SDT or VCT.
 * @param {Iterable<Section>} sections
 * @returns {Program[]}
 */
export function programsOf(sections) {
	/** @type {Map<number, Program>} */
	const programs = new Map();
	const list = [...sections].filter((section) => !section.next);
	const at = (/** @type {number} */ pnr) => {
		const known = programs.get(pnr) ?? { pnr, name: '', nameError: '',
			provider: '', streams: [], scrambled: false };

		programs.set(pnr, known);
		return known;
	};

	for (const section of list)
		if (section.psi === 'pat')
			for (const { pnr } of section.programs ?? [])
				if (pnr > 0)
					at(pnr);
	for (const section of list) {
		const known = programs.get(section.pnr);

		if (section.psi === 'pmt' && known)
			known.streams = (section.streams ?? []).map(
				(/** @type {any} */ one) => one.type_name);
		// 66: of this multiplex
		if (section.psi === 'sdt' && section.table_id === 66)
			for (const service of section.services ?? [])
				name(programs.get(service.sid), service);
		if (section.psi === 'vct')
			for (const channel of section.channels ?? [])
				if (channel.tsid === section.tsid)
					nameChannel(programs.get(channel.pnr), channel);
	}
	return [...programs.values()].sort((a, b) => a.pnr - b.pnr);
}

/**
 * @param {Program | undefined} program
 * @param {any} service
 */
function name(program, service) {
	const text = (service.descriptors ?? []).find(
		(/** @type {any} */ one) => one.type_name === 'service');

	if (program === undefined)
		return;
	program.name = text?.service_name ?? '';
	program.provider = text?.service_provider ?? '';
	program.scrambled = service.free_ca === true;
}

/**
 * ATSC names a program by its channel.
 * @param {Program | undefined} program
 * @param {any} channel
 */
function nameChannel(program, channel) {
	if (program === undefined)
		return;
	program.name = channel.name ?? channel.short_name;
	program.nameError = channel.name_error ?? '';
	program.scrambled = channel.access_controlled;
}

/**
 * The address with the program as an option.
 * @param {string} address
 * @param {number} pnr
 */
export function withProgram(address, pnr) {
	const [target, ...rest] = address.split('#');
	const options = rest.join('#').split('&').filter((one) =>
		one !== '' && !one.startsWith('pnr='));

	return `${target}#${[`pnr=${pnr}`, ...options].join('&')}`;
}

/**
 * The stream of a program, disabled until it has an output.
 * @param {string} address
 * @param {Pick<Program, 'pnr' | 'name'>} program
 */
export function streamOf(address, { pnr, name: title }) {
	return { type: 'spts', enable: false, name: title || `${pnr}`,
		input: [withProgram(address, pnr)], output: [] };
}

/**
 * What is scanned: a stream that receives the address already lends its
 * packets, because no port is bound twice.
 * @param {Iterable<import('../common/store.js').Stream>} streams
 * @param {string} address
 * @returns {string | {stream: string, input: number}}
 */
export function sourceOf(streams, address) {
	const [target] = address.split('#');

	for (const { id, config } of streams) {
		const i = (config?.input ?? []).findIndex((input) =>
			typeof input === 'string' && input.split('#')[0] === target);

		if (i >= 0 && config?.enable)
			return { stream: id, input: i + 1 };
	}
	return address;
}
