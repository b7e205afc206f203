// SPDX-License-Identifier: GPL-3.0-or-later
// The forms of the web interface: their fields, and addresses, which the page
// reads as the service does.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { TARGETS } from '../helpers/form-fields.mjs';
import { Sluice } from '../helpers/sluice.mjs';
import { srcdir } from '../helpers/util.mjs';

const load = (name) => import(path.resolve(srcdir, 'web', name));
const { formatAddress, formatEndpoint, isIp4, isIp6, judgeAddress,
	parseAddress, parseEndpoint } = await load('common/address.js');
const { Forms, isJson, searchRows, textOf, valueOf } =
	await load('common/forms.js');
const { docDiff } = await load('headend/doc-diff.js');
const { groupRows } = await load('headend/field-groups.js');
const { errorKey, moved } = await load('headend/merge.js');

test('an address is split and put together without a loss', () => {
	const texts = ['udp://239.1.1.1:1234', 'udp://eth0@239.1.1.1',
		'rtp://[ff3e::1]:5000#fec&delay=20', 'file:///a b/c.ts#loop',
		'srt://host:9000?streamid=a%20b#latency=200&x', 'x-y+1.2://@',
		'http://user:pass@host/path?a=b&c=d#header.X=y=z', 'udp://',
		'udp://1.2.3.4#a=b#c&d='];

	for (const text of texts)
		assert.equal(formatAddress(parseAddress(text).address), text);
	assert.deepEqual(parseAddress('UDP://h#a&b=&c=1').address, {
		type: 'udp', target: 'h', options: [
			{ key: 'a', value: null }, { key: 'b', value: '' },
			{ key: 'c', value: '1' }] });
	assert.equal(formatAddress(parseAddress('udp://h#').address),
		'udp://h');
	for (const [text, error] of [['', /empty/], ['udp:/h', /not type/],
		['udp://h#&a', /option 1 has no name/], ['://h', /not type/],
		['udp://h#a&=b', /option 2 has no name/],
		['udp://\u0007', /control byte at 6/],
		[`udp://${'x'.repeat(1024)}`, /longer than 1024/],
		[`udp://h#${'a&'.repeat(64)}a`, /more than 64/]]) {
		assert.equal(parseAddress(text).address, null, text);
		assert.match(parseAddress(text).error, error);
	}
});

test('host, port and interface are the parts of a place', () => {
	for (const [text, iface, host, port] of [
		['239.1.1.1:1234', '', '239.1.1.1', '1234'],
		['eth0@239.1.1.1', 'eth0', '239.1.1.1', ''],
		['eth0@[ff02::1]:5', 'eth0', '[ff02::1]', '5'],
		[':1234', '', '', '1234'], ['', '', '', '']]) {
		assert.deepEqual(parseEndpoint(text), { iface, host, port });
		assert.equal(formatEndpoint({ iface, host, port }), text);
	}
	for (const text of ['0.0.0.0', '255.255.255.255', '1.2.3.4'])
		assert.ok(isIp4(text), text);
	for (const text of ['1.2.3', '1.2.3.256', '01.2.3.4', '1.2.3.4.', 'a'])
		assert.ok(!isIp4(text), text);
	for (const text of ['::', '::1', 'ff02::1', '1:2:3:4:5:6:7:8',
		'::ffff:1.2.3.4', '1::', '1:2:3:4:5:6:1.2.3.4'])
		assert.ok(isIp6(text), text);
	for (const text of ['', ':', ':::', '1:2', '1::2::3', '12345::',
		'1:2:3:4:5:6:7:8:9', '::1.2.3', '1:2:3:4:5:6:7::8:9', 'g::',
		'1.2.3.4', ':1', '1:'])
		assert.ok(!isIp6(text), text);
});

test('a field holds a value of its type, and keeps what it cannot read', () => {
	const integer = { key: 'n', type: 'integer' };
	const list = { key: 'l', type: 'list', item: 'text' };

	for (const [row, text, value] of [[integer, '12', 12],
		[integer, '-1', -1], [integer, '', undefined],
		[integer, '1x', '1x'], [integer, '007', '007'],
		[{ key: 'r', type: 'number' }, '1.5', 1.5],
		[{ key: 'r', type: 'number' }, '1.', '1.'],
		[{ key: 'b', type: 'boolean' }, 'true', true],
		[{ key: 't', type: 'text' }, '5', '5'],
		[{ key: 's', type: 'scalar' }, '8000', '8000'],
		[list, 'a\n\n b ', ['a', 'b']]])
		assert.deepEqual(valueOf(row, text), value, text);
	assert.equal(textOf(list, ['a', 'b']), 'a\nb');
	assert.equal(textOf(integer, 12), '12');
	assert.equal(textOf(integer, null), '');
	assert.equal(textOf({ key: 'm', type: 'text' }, [1, 2]), '1, 2');
	assert.ok(isJson({ key: 'o', type: 'object' }));
	assert.ok(isJson({ key: 'o', type: 'list', fields: [] }));
	assert.ok(!isJson(list));
	const rows = [{ key: 'latency', help: 'Delay of the receiver.',
		unit: 'ms' }, { key: 'ttl', help: 'Hops.' }];

	assert.deepEqual(searchRows(rows, 'delay MS').map((row) => row.key),
		['latency']);
	assert.equal(searchRows(rows, '').length, 2);
	assert.equal(searchRows(rows, 'x').length, 0);
});

test('every field has one group, and groups with fields are shown', () => {
	const rows = ['backup_type', 'lcn', 'x', 'pmt_version'].map((key) =>
		({ key, type: 'text' }));

	assert.deepEqual(groupRows('stream', rows).map(([word, list]) =>
		[word, list.map((row) => row.key)]), [
		['group_backup', ['backup_type']],
		['group_delivery', ['lcn']],
		['group_versions', ['pmt_version']], ['group_other', ['x']]]);
	assert.deepEqual(groupRows('nothing', rows).map(([word]) => word),
		['group_entry']);
});

test('an error names a key; an item moves', () => {
	assert.equal(errorKey('settings.crt_key: is empty', 'settings'),
		'crt_key');
	assert.equal(errorKey('stream.filter~: x', 'stream'), 'filter~');
	assert.equal(errorKey('stream.input[1]: x', 'stream'), 'input');
	assert.equal(errorKey('other: x', 'stream'), '');
	assert.deepEqual(moved(['a', 'b', 'c'], 0, 2), ['b', 'c', 'a']);
	assert.deepEqual(moved(['a', 'b', 'c'], 2, 1), ['a', 'c', 'b']);
});

test('the difference of two configurations has a path for each change', () => {
	const a = { gid: 1, settings: { x: 1 }, users: { o: { type: 1 } },
		make_stream: [{ id: 'a', output: ['u'] },
			{ id: 'b', name: 'B' }],
		categories: [{ name: 'T', groups: [{ name: 'N' }] }], n: [1] };
	const b = { gid: 2, settings: { x: 1, y: 3 }, n: [2],
		users: { o: { type: 2 }, p: { type: 1 } },
		make_stream: [{ id: 'b', name: 'B2' }, { id: 'c' }],
		categories: [{ name: 'T', groups: [{ name: 'N' },
			{ name: 'M' }] }] };
	const paths = (x, y) => docDiff(x, y).map(({ path: one }) => one);

	assert.deepEqual(paths(a, b), ['gid', 'settings.y', 'users.o.type',
		'users.p', 'make_stream[a]', 'make_stream[b].name',
		'make_stream[c]', 'categories[T].groups[M]', 'n']);
	assert.deepEqual(paths(a, structuredClone(a)), []);
	assert.deepEqual(paths({ s: [{ id: 1 }, { id: 2 }] },
		{ s: [{ id: 2 }, { id: 1 }] }), ['s']);
	assert.deepEqual(paths({}, { log: { debug: true } }), ['log']);
	assert.deepEqual(paths({ l: {} }, { l: [] }), []);
});

// A sequence of numbers that every run has.
function sequence() {
	let seed = 20261126;

	return (n) => {
		seed = (seed * 1103515245 + 12345) % 2147483648;
		return Math.floor(seed / 65536) % n;
	};
}

const HOSTS = ['239.1.1.1', '192.0.2.7', '127.0.0.1', '[ff3e::1]', '[::1]',
	'', '0.0.0.0', '[::]', '::1', 'ff02::1', '1.2.3', '01.2.3.4', 'host',
	'[1.2.3.4]', '[', '[::1', '1.2.3.4x', '[::1]x', '1.2.3.256',
	`${'1'.repeat(64)}`];
const PORTS = ['', ':1234', ':1', ':65535', ':0', ':65536', ':', ':x', ':-1',
	':12 ', ':00080', '::1', ':1:2', ':5/eth0', ':5?ttl=3'];
const IFACES = ['', '', '', 'eth0@', '@', 'a/b@', 'sixteen-letters-@',
	'fifteen-letters@', '.@', '..@', 'a b@', '[x]@', 'eth0:1@'];
const NUMBERS = ['0', '1', '7', '32', '100', '1000', '65535', '4294967296',
	'x', '', '-1', '-0', '007', '1.5', '99999999999999999999999', ' 1',
	'0x1'];
const FLAGS = ['', 'true', 'false', '0', '1', 'yes', 'TRUE'];
const BROKEN = ['', 'udp', 'udp:', 'udp:/x', '://', 'udp://', 'UDP://',
	'Udp://239.1.1.1:1234', 'u dp://239.1.1.1', 'udp://239.1.1.1#',
	'udp://239.1.1.1#&', 'udp://239.1.1.1#a&&b', 'udp://239.1.1.1#=1',
	'udp://239.1.1.1#a#b=c', 'foo://239.1.1.1', 'udp://239.1.1.1\n',
	'udp://239.1.1.1\u007f', 'udp://239.1.1.1:1234#ttl=4#5', '\u00fcdp://x',
	`udp://239.1.1.1#${'a&'.repeat(63)}a`, `udp://239.1.1.1#${
		'a&'.repeat(64)}a`, `udp://239.1.1.1#x=${'\u00fc'.repeat(505)}`,
	`udp://239.1.1.1#x=${'\u00fc'.repeat(503)}`];

// Some switches are read by the service, and some are not.
const isJudged = (row) => !row.prefix && (row.type === 'integer' ||
	row.choices !== undefined || row.default !== undefined);

function valuesOf(row, isShort) {
	if (row.type === 'boolean')
		return isShort ? ['true', 'yes'] : FLAGS;
	return row.type === 'integer' ? [...isShort ? ['x', ''] : NUMBERS,
		row.min - 1, row.min, row.max, row.max + 1]
		: [...row.choices ?? [], 'wrong', ''];
}

// Addresses of all types.  The page reads the targets of udp and rtp.
function* corpus(forms, which) {
	const random = sequence();
	const pick = (list) => list[random(list.length)];

	yield* BROKEN;
	for (const host of HOSTS)
		yield `udp://${host}:1234`;
	for (const port of PORTS)
		yield `rtp://239.1.1.1${port}`;
	for (const iface of IFACES)
		yield `udp://${iface}239.1.1.1:1234`;
	for (let i = 0; i < 100; i++)
		yield `${pick(['udp', 'rtp', 'RTP'])}://${pick(IFACES)}${
			pick(HOSTS)}${pick(PORTS)}`;
	for (const type of forms.types(which)) {
		const isShort = !['udp', 'rtp'].includes(type);
		const base = `${type}://${TARGETS[type] ?? 's1'}`;

		for (const row of forms.options(which, type).filter(isJudged))
			for (const value of valuesOf(row, isShort))
				yield `${base}#${row.key}=${value}`;
	}
	for (const key of ['ttl', 'watchdog', 'renew'])
		yield `udp://239.1.1.1:1234#${key}=x&${key}=5`;
}

// "host", "port", "ttl" or another first word of an error; "" without one.
const fieldIn = (error) => /^([\w~.-]+): /.exec(error)?.[1] ?? '';

// What is accepted instead: the words of the same list in both.
const listIn = (error) => / is not (.+ or .+)$/.exec(error)?.[1] ?? '';

const tried = (which, text) => ({ cmd: 'set-stream', dry_run: true,
	stream: { id: 'x', type: 'spts', enable: true, [which]: [text] } });

for (const which of ['input', 'output'])
	test(`${which}s: the page refuses what the service refuses`,
		async (t) => {
		const sluice = await Sluice.start(t);
		const forms = new Forms(await sluice.json('/api/forms'));
		let refused = 0, n = 0;

		for (const text of corpus(forms, which)) {
			const { status, body } = await sluice.post(
				tried(which, text));
			const here = judgeAddress(text, which, forms);
			const there = status === 200 ? '' : JSON.parse(body)
				.error.replace(`stream.${which}[0]: `, '');

			n++;
			refused += status === 200 ? 0 : 1;
			assert.equal(here === '', there === '',
				`${text}: "${here}", the service: "${there}"`);
			assert.equal(fieldIn(here), fieldIn(there), text);
			assert.equal(listIn(here), listIn(there), text);
		}
		t.diagnostic(`${n} addresses, ${refused} refused`);
		assert.ok(n > 300 && refused > 100 && n - refused > 100);
		await sluice.stop();
	});
