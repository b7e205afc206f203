// SPDX-License-Identifier: GPL-3.0-or-later
// A value for each row of GET /api/forms, and the way into its field.
import { request } from './sluice.mjs';

// Values that no row can tell.
const SAMPLES = {
	absent: 'still', 'aes-type': 256,
	backend: 'http://192.0.2.1/judge', backup_on: 'pts',
	biss: '0123456789ab', ca: '/etc/ca.pem',
	cas_components: 'video, audio',
	country: 'DEU', crt_chain: undefined,
	crt_key: undefined, control_path: undefined, control_port: undefined,
	epg_dictionary: '/etc/codes',
	epg_export: ['http://192.0.2.1/guide'],
	epg_sources: ['http://192.0.2.1/guide.xml'],
	fec: '10x10', filler: 'still',
	filter: '300,301', 'filter~': '300,301', filter_em: '400',
	'header.': 'x', hbbtv_url: 'http://192.0.2.1/app', http_play_port:
		'8099',
	http_ip_allow: ['192.0.2.0/24', '10.0.0.0/8'],
	http_ip_deny: ['192.0.2.7/32'], http_token_deny: ['bad'],
	iface: 'lo', 'lang.': 'fra', map: 'pmt=100, video=101', 'map.': 201,
	max_file_size: 5,
	merge: 'udp://239.9.9.9:5004', mux: undefined, mux_pid: undefined,
	order: '101,102', part: 300,
	packetfilter: 'fec,cols:10,rows:5', path2: undefined,
	passphrase: 'a secret text', pbkeylen: 16, pnr: 257,
	real_ip_trusted: ['192.0.2.1'], secret: 'another secret',
	src: '192.0.2.7', sap: '239.255.255.255', streamid: 'name',
	syslog: undefined,
	filename: undefined, textcode: '21', timezone: 'Europe/Berlin',
	tsdb_interval: 1.5, ua: 'player',
	playlist_arrange: 'Type', web_origins: ['http://192.0.2.9:8000'],
};
// Of one form.
const OWN = {
	// an enabled one has an address or a server
	'adapter.address': 'udp://239.1.1.9:1234', 'adapter.enable': false,
	'adapter.server': '192.0.2.5:554',
	'cas.ecmg_host': '192.0.2.1', 'cas.ecmg_host2': '192.0.2.2',
	'cas.emm_data': '0102', 'cas.super_cas_id': '4ad20000',
	'softcam.caid': '0b00', 'softcam.host': '192.0.2.3',
	'softcam.key': '0123456789abcdef0123456789ab',
};
// Behind the name of a prefix.
export const SUFFIX = { 'header.': 'X-Test', 'lang.': '101', 'map.': '101' };
export const TARGETS = { udp: '239.1.1.1:1234', rtp: '239.1.1.1:5004',
	file: '/tmp/a.ts', sdp: '/tmp/a.sdp', srt: '127.0.0.1:9000',
	rist: '@127.0.0.1:9000', http: '127.0.0.1:8100/a', stream: 'news',
	https: '127.0.0.1:8100/a', np: '127.0.0.1:8100/a' };

// A value of the row that is not its default; undefined: leave it out.
export function sample(row, form = '') {
	const { min = 0, max = 100, choices } = row;
	const own = OWN[`${form}.${row.key}`];

	if (own !== undefined)
		return own;
	if (row.type === 'boolean')
		return !(row.default ?? false);
	// another form may have words under the same key
	if (Object.hasOwn(SAMPLES, row.key) && (!choices || row.custom ||
		choices.includes(SAMPLES[row.key])))
		return SAMPLES[row.key];
	if (choices)
		return choices.find((one) => one !== row.default);
	switch (row.type) {
	case 'integer': case 'number':
		return [Math.max(min, 7), min, max].find((n) =>
			n <= max && n !== row.default);
	case 'list': return row.fields || row.item === 'object' ? undefined
		: ['one', 'two'];
	case 'object': return undefined;
	default: return 'text';
	}
}

// In the page: types values into fields, one after another, and draws between
// them as the browser does between two keys.
async function typeAll(list) {
	for (const { id, value } of list) {
		const field = document.getElementById(id);

		if (!field?.checkVisibility() || field.disabled)
			throw new Error(`${id} cannot be used`);
		field.focus();
		if (field.type === 'checkbox') {
			if (field.checked !== value)
				field.click();
		} else {
			field.value = Array.isArray(value) ? value.join('\n')
				: String(value);
			if (field.matches('select') &&
				field.value !== String(value))
				throw new Error(`${id} does not have ${value}`);
			field.dispatchEvent(new Event(field.matches('select')
				? 'change' : 'input', { bubbles: true }));
		}
		await new Promise((go) => setTimeout(go));
	}
}

// list: { id, value }; a thousand times faster than keys and pointers.
export const setFields = (page, list) => page.evaluate(typeAll, list);

export const forms = async (sluice, admin) => JSON.parse((await request(
	sluice.port, { path: '/api/forms', headers: admin })).body);

// Sets all keys of a form; the values.  fieldsOf: what is typed for a key.
export async function fillForm(page, rows, form,
	fieldsOf = (id, value) => [{ id, value }]) {
	const wanted = rows.filter((row) => row.key !== 'control_tls_only')
		.map((row) => [row.key, sample(row, form)])
		.filter(([, value]) => value !== undefined);

	await setFields(page, wanted.flatMap(([key, value]) =>
		fieldsOf(`${form}.${key}`, value, key)));
	return Object.fromEntries(wanted);
}
