// SPDX-License-Identifier: GPL-3.0-or-later
// Addresses of inputs and outputs: type://target#option&option=value.  Pure; it
// splits and judges as the service does, as far as the forms tell.

/** @typedef {import('./forms.js').Forms} Forms */
/** @typedef {import('./forms.js').Row} Row */

/**
 * @typedef {object} Option
 * @property {string} key
 * @property {string | null} value null: without '='
 */

/**
 * @typedef {object} Address
 * @property {string} type in lower case
 * @property {string} target
 * @property {Option[]} options
 */

/**
 * @typedef {object} Endpoint
 * @property {string} iface
 * @property {string} host
 * @property {string} port
 */

const TEXT_MAX = 1024;
const OPTIONS_MAX = 64;
const IFACE_MAX = 15;
const HOST_MAX = 63;
const FLAGS = ['', 'true', 'false', '0', '1'];
const CONTROL = /[\u0000-\u001f\u007f]/;

const bytes = (/** @type {string} */ text) =>
	new TextEncoder().encode(text).length;

/**
 * An address without a target is an error, and has its parts all the same.
 * @param {string} text
 * @returns {{address: Address | null, error: string}}
 */
export function parseAddress(text) {
	const fail = (/** @type {string} */ error) => ({ address: null, error });

	if (text === '')
		return fail('is empty');
	if (bytes(text) > TEXT_MAX)
		return fail(`is longer than ${TEXT_MAX} bytes`);
	const control = CONTROL.exec(text);

	if (control !== null)
		return fail(`has a control byte at ${
			bytes(text.slice(0, control.index))}`);
	const found = /^([A-Za-z0-9_+.-]+):\/\/([^#]*)(?:#(.*))?$/s.exec(text);

	if (found === null)
		return fail(`"${text.slice(0, 64)}" is not type://target`);
	const [, type, target, rest = ''] = found;

	const options = rest === '' ? [] : rest.split('&').map((piece) => {
		const at = piece.indexOf('=');

		return at < 0 ? { key: piece, value: null }
			: { key: piece.slice(0, at), value: piece.slice(at + 1) };
	});
	const nameless = options.findIndex(({ key }) => key === '');

	if (nameless >= 0 && nameless < OPTIONS_MAX)
		return fail(`option ${nameless + 1} has no name`);
	if (options.length > OPTIONS_MAX)
		return fail(`has more than ${OPTIONS_MAX} options`);
	return { address: { type: type.toLowerCase(), target, options },
		error: target !== '' ? ''
			: `nothing follows ${type.toLowerCase()}://` };
}

/** @param {Address} address */
export function formatAddress({ type, target, options }) {
	const list = options.map(({ key, value }) =>
		value === null ? key : `${key}=${value}`);

	return `${type}://${target}${list.length > 0 ? '#' : ''}` +
		list.join('&');
}

/**
 * [iface@]host[:port].
 * @param {string} target
 * @returns {Endpoint}
 */
export function parseEndpoint(target) {
	const at = target.indexOf('@');
	const place = target.slice(at + 1);
	const found = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(place);

	return { iface: at < 0 ? '' : target.slice(0, at),
		host: found === null ? place : found[1],
		port: found?.[2] ?? '' };
}

/** @param {Endpoint} endpoint */
export function formatEndpoint({ iface, host, port }) {
	return (iface === '' ? '' : `${iface}@`) + host +
		(port === '' ? '' : `:${port}`);
}

/** @param {string} text */
export function isIp4(text) {
	const parts = text.split('.');

	return parts.length === 4 && parts.every((part) =>
		/^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** @param {string} text */
export function isIp6(text) {
	const halves = text.split('::');

	if (halves.length > 2 || !/^[0-9A-Fa-f:.]+$/.test(text))
		return false;
	const groups = halves.flatMap((half) => half === '' ? []
		: half.split(':'));
	const last = groups.at(-1) ?? '';
	// an IPv4 address at the end has the place of two groups
	const isMixed = last.includes('.');

	if (isMixed && (!isIp4(last) || text.endsWith(':')))
		return false;
	const plain = isMixed ? groups.slice(0, -1) : groups;
	const n = plain.length + (isMixed ? 2 : 0);

	return plain.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group)) &&
		(halves.length === 2 ? n <= 7 : n === 8);
}

/** @param {string} text */
function isPort(text) {
	return /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65535;
}

/** @param {string} iface */
function judgeIface(iface) {
	if (bytes(iface) > IFACE_MAX)
		return `interface: "${iface.slice(0, 64)}" is longer than ` +
			`${IFACE_MAX} bytes`;
	return /[/: "[\]]/.test(iface) || iface === '.' || iface === '..'
		? `interface: "${iface}" is not a name` : '';
}

/** @param {string} place host[:port] */
function judgePlace(place) {
	const isBracket = place.startsWith('[');
	const end = isBracket ? place.indexOf(']') : place.search(/:|$/);

	if (end < 0)
		return 'host: \']\' is missing';
	const host = isBracket ? place.slice(1, end) : place.slice(0, end);
	const rest = place.slice(isBracket ? end + 1 : end);

	if (!isBracket && rest.indexOf(':', 1) > 0)
		return `host: "${place.slice(0, 64)}": an IPv6 address needs ` +
			'brackets';
	if (bytes(host) > HOST_MAX)
		return `host: is longer than ${HOST_MAX} bytes`;
	if ((isBracket || host !== '') && !(isBracket ? isIp6 : isIp4)(host))
		return `host: "${host}" is not an IP${isBracket ? 'v6' : ''} ` +
			'address';
	if (rest !== '' && rest[0] !== ':')
		return `host: "${rest.slice(0, 64)}" follows the address`;
	if (rest === ':')
		return 'port: nothing follows \':\'';
	return rest === '' || isPort(rest.slice(1)) ? ''
		: `port: ${rest.slice(1, 65)} is not a port (1 to 65535)`;
}

/**
 * @param {string} target of udp:// and rtp://
 * @param {'input' | 'output'} which
 */
function judgeEndpoint(target, which) {
	const at = target.indexOf('@');
	const { host } = parseEndpoint(target);

	if (target.includes('?'))
		return 'port: a \'?\' follows; options begin with \'#\'';
	if (target.includes('/'))
		return 'port: a \'/\' follows; write an interface in front of an @';
	const error = (at < 0 ? '' : judgeIface(target.slice(0, at))) ||
		judgePlace(target.slice(at + 1));

	if (error !== '' || which === 'input')
		return error;
	if (host === '')
		return 'host: is missing';
	return host === '0.0.0.0' || /^\[(0*:)*:?0*\]$/.test(host)
		? `host: ${host} is not a destination` : '';
}

/** "a, b or c", as the service lists words. @param {string[]} words */
function listed(words) {
	return words.length < 2 ? words.join('')
		: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/**
 * The error of a value that has a type, or "".
 * @param {Row} row
 * @param {string} text
 */
export function judgeText(row, text) {
	if (row.choices !== undefined && row.type === 'text')
		return row.choices.includes(text) || row.custom ? ''
			: `"${text.slice(0, 32)}" is not ${listed(row.choices)}`;
	// without a default or bounds the service may not look at it
	if (row.type === 'boolean')
		return row.default === undefined || FLAGS.includes(text) ? ''
			: `"${text.slice(0, 64)}" is not true or false`;
	if (row.type === 'text') {
		const n = bytes(text), { min = 0, max = Infinity } = row;

		return n >= min && n <= max ? ''
			: `has ${n} bytes, not ${min} to ${max}`;
	}
	if (row.type !== 'integer' || (row.min ?? row.max) === undefined)
		return '';
	const n = Number(text), { min = 0, max = 2 ** 63 } = row;
	const bounds = `between ${min} and ${max}` +
		(row.unit ? ` ${row.unit}` : '');

	if (row.choices !== undefined)
		return row.choices.includes(text.replace(/^0+(?=\d)/, '')) ? ''
			: `${text.slice(0, 20)} is not ${listed(row.choices)}`;
	if (!/^-?\d+$/.test(text))
		return `"${text.slice(0, 64)}" is not a number ${bounds}`;
	return n < min || n > max || (text[0] === '-' && min >= 0)
		? `${text.slice(0, 20)} is not ${bounds}` : '';
}

/**
 * What the service would refuse, as far as it can be known here; "" otherwise.
 * @param {string} text
 * @param {'input' | 'output'} which
 * @param {Forms} forms
 */
export function judgeAddress(text, which, forms) {
	const { address, error } = parseAddress(text);

	if (address === null || error !== '')
		return error;
	const { type, target, options } = address;

	if (!forms.types(which).includes(type))
		return `type "${type.slice(0, 32)}" is not ` +
			listed(forms.types(which));
	if (type === 'udp' || type === 'rtp') {
		const wrong = judgeEndpoint(target, which);

		if (wrong !== '')
			return wrong;
	}
	const rows = forms.options(which, type);

	for (const [i, { key, value }] of options.entries()) {
		const row = forms.find(rows, key);
		const isLast = !options.some((one, k) => k > i &&
			one.key === key);

		// the last value of a key counts
		if (row === null || row.prefix ||
			!(isLast || row.repeats))
			continue;
		const wrong = judgeText(row, value ?? '');

		if (wrong !== '')
			return `${key}: ${wrong}`;
	}
	return '';
}
