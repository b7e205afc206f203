// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of the web interface that need no browser.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { srcdir } from '../helpers/util.mjs';

const load = (name) => import(path.resolve(srcdir, 'web', name));
const { age, bytes, count, mbit, rateSum } =
	await load('common/units.js');
const { Skew, clock, dateTime, fieldTime, moment, timeField } =
	await load('common/time.js');
const { shown } = await load('common/text.js');
const { parseFilter } = await load('common/filter.js');
const { checksOf, markOf, outputMark, reasonOf, sinceOf } =
	await load('common/state.js');
const { RING_SECONDS, Ring } = await load('common/ring.js');
const { CATALOGUES, LATER, addLaterWords, languageOf, setLanguage, t } =
	await load('common/words.js');
const { href, parseRoute } = await load('headend/route.js');
const { sectionsOf } = await load('headend/groups.js');
const { fit, heightOf, perRow, shortNames } = await load('headend/sizes.js');
const { sorted } = await load('headend/rows.js');
const { diff, fieldOf, merge, same } =
	await load('headend/merge.js');

test('numbers have fixed places and thin separators', () => {
	assert.deepEqual([0, 7, 999, 1000, 1234567, 12.9].map(count),
		['0', '7', '999', '1\u2009000', '1\u2009234\u2009567', '12']);
	assert.deepEqual([0, 8, 8020, 40000, 1234567].map(mbit),
		['0.000', '0.008', '8.020', '40.000', '1\u2009234.567']);
	assert.deepEqual([500, 8020, 7900000].map(rateSum),
		['0.5 Mbit/s', '8.0 Mbit/s', '7.90 Gbit/s']);
	assert.deepEqual([12, 1500, 2.5e9].map(bytes),
		['12 B', '1.50 kB', '2.50 GB']);
});

test('an age has the unit that fits', () => {
	assert.deepEqual([-5, 0, 41, 843, 3600, 8043, 172799, 273600].map(age),
		['00:00', '00:00', '00:41', '14:03', '1:00:00', '2:14:03',
			'47:59:59', '3 d 4 h']);
});

test('times are those of the chosen zone', () => {
	const noon = Date.UTC(2026, 10, 26, 12, 0, 5) / 1000;

	assert.equal(clock(noon, 'utc'), '12:00:05');
	assert.equal(dateTime(noon, 'utc'), '2026-11-26 12:00:05');
	assert.equal(moment(noon, noon + 60, 'utc'), '12:00:05');
	assert.equal(moment(noon, noon + 86400, 'utc'),
		'2026-11-26 12:00:05');
	assert.match(clock(noon, 'local'), /^\d\d:\d\d:05$/);
	// a field has minutes
	assert.equal(timeField(noon, 'utc'), '2026-11-26T12:00');
	assert.equal(fieldTime('2026-11-26T12:00', 'utc'), noon - 5);
	assert.equal(fieldTime(timeField(noon, 'local'), 'local'), noon - 5);
	assert.equal(fieldTime('', 'utc'), undefined);
});

test('a clock of another time is reported, delays are not', () => {
	const skew = new Skew();

	assert.equal(skew.value, 0);
	// even where every reply takes seconds, and only the first one counts
	for (const delay of [9, 0.1, 0.9, 1.4])
		skew.note(1000, 1000.3, 1000.3 + delay);
	assert.equal(skew.value, 0);
	for (let i = 0; i < 20; i++) {
		const asked = 1060.5 + i;

		skew.note(1000 + i, asked, asked + i % 3);
		assert.equal(Math.round(skew.value), -60);
	}
	// set right, without a wait for many replies
	skew.note(1100, 1100.5, 1100.6);
	assert.equal(skew.value, 0);

	const late = new Skew();

	late.note(1000, 1000.3, 1009.3);
	assert.equal(late.value, 0);
	late.note(1009, 1004.3, 1009.4);
	assert.equal(late.value, 0);
	late.note(1070, 1010.3, 1015.3);
	assert.ok(late.value > 54 && late.value < 61, `${late.value}`);
});

test('a clock that differs by about two seconds is reported without a pause',
	() => {
	for (const differs of [1.6, 2, 2.4, -1.6, -2, -2.4]) {
		const skew = new Skew();
		let reports = 0, before = 0;

		// the replies move slowly through the second
		for (let i = 0; i < 4000; i++) {
			const asked = 1000 + i * 5.003;

			skew.note(Math.floor(asked + 0.02 + differs), asked,
				asked + 0.04);
			reports += before === 0 && skew.value !== 0 ? 1 : 0;
			before = skew.value;
		}
		assert.equal(reports, 1, `${differs} s`);
		assert.ok(Math.abs(skew.value - differs) <= 0.6,
			`${differs} s: ${skew.value}`);
	}
	// set right to less than a second
	const skew = new Skew();

	skew.note(1005, 1000.5, 1000.6);
	assert.ok(skew.value > 3);
	skew.note(1010, 1009.4, 1009.5);
	assert.equal(skew.value, 0);
});

test('characters that hide or turn a text are visible', () => {
	assert.equal(shown('News HD'), 'News HD');
	assert.equal(shown('<b>x</b>'), '<b>x</b>');
	assert.equal(shown('a\u202eb\u0000c\u200bd\ne'),
		'a\ufffdb\ufffdc\ufffdd\ufffde');
	assert.equal(shown('Ж'.repeat(10000)).length, 2001);
	assert.equal(shown(undefined), '');
	assert.equal(shown({}), '[object Object]');
	assert.equal(shown('שלום'), 'שלום');
});

test('an output of a stream off air is not marked as on air', () => {
	assert.equal(outputMark({ open: true }, true), 'on');
	assert.equal(outputMark({ open: true }, false), 'wait');
	assert.equal(outputMark({ open: true, bitrate: 0 }, false), 'wait');
	assert.equal(outputMark({ open: true, bitrate: 8 }, false), 'on');
	assert.equal(outputMark({ open: false }, true), 'wait');
	assert.equal(outputMark({ open: true, fault: 'x' }, false), 'fault');
	assert.equal(outputMark({ open: true, bitrate: 8, fault: 'x' }, true),
		'warn');
});

const row = (more) => ({ id: 'a001', name: 'News HD', groups: ['News'],
	inputs: ['udp://eth0@239.1.1.1:1234'], outputs: ['srt://:9000'],
	alarms: ['pts'], mark: 'on', cc: 3, pes: 0, sc: 0, rate: 8020,
	viewers: 10, ...more });

test('the filter finds words, states, numbers and keys', () => {
	const yes = ['', '   ', 'news', 'NEWS hd', 'a001', '239.1.1.1', 'on',
		'cc>0', 'cc>=3', 'cc=3', 'cc<4', 'rate>8', 'rate<=8.02',
		'viewers>=10', 'group:new', 'input:udp', 'output:srt',
		'alarm:pts', 'alarm', 'id:a0', 'name:hd', '-off', '-group:film',
		'"news hd"', '-"news sd"', 'group:"New"', 'Name:"news hd"',
		'-group:"off"', '-name:"hd news"', 'udp://eth0', '"cc>0x', '-'];
	const no = ['film', 'off', 'backup', 'disabled', 'cc>3', 'pes>0',
		'rate<8', 'group:film', 'input:srt', '-news', '-cc>0',
		'"hd news"', '"off"', 'news off', 'x:y',
		'group:"news hd"', 'x:"y"'];

	for (const text of yes.slice(0, -2))
		assert.ok(parseFilter(text).test(row()), text);
	for (const text of no)
		assert.ok(!parseFilter(text).test(row()), text);
	assert.ok(parseFilter('off').test(row({ mark: 'fault' })));
	assert.ok(parseFilter('backup').test(row({ mark: 'warn' })));
	assert.ok(parseFilter('on').test(row({ mark: 'warn' })));
	assert.ok(parseFilter('disabled').test(row({ mark: 'disabled' })));
	assert.ok(!parseFilter('alarm').test(row({ alarms: [] })));
	assert.ok(parseFilter('').empty);
	assert.ok(parseFilter('-').empty);
});

test('what the filter does not have is marked and matches all', () => {
	const filter = parseFilter('news size>3 cc>x rate>');

	assert.deepEqual(filter.unknown, [
		{ from: 5, to: 11, text: 'size>3' },
		{ from: 12, to: 16, text: 'cc>x' },
		{ from: 17, to: 22, text: 'rate>' }]);
	assert.ok(filter.test(row()));
	assert.ok(!parseFilter('constructor>1').test === false);
	assert.equal(parseFilter('constructor>1 toString:x').unknown.length, 1);
	// no filter may take long
	const long = parseFilter('"'.repeat(5000) + '-'.repeat(5000));

	assert.equal(typeof long.test(row()), 'boolean');
});

const over = (more) => ({ id: 'a', type: 'spts', enable: true,
	state: 'on air', ok: true, onair: true, inputs: 2, active_input: 1,
	bitrate: 1, sessions: 0,
	alarms: [], input_faults: [], output_faults: [],
	worker: { state: 'running' }, ...more });
const fault = { position: 2, fault: 'no packets', fault_since: 7 };

test('a relay has the checks of its input and those of outputs', () => {
	const input = { indicators: [{ alarm: 'sync_loss', count: 3 }] };
	const output = { relay: true, indicators: [
		{ alarm: 'sync_loss', count: 0 },
		{ alarm: 'cbr_overflow', count: 7 }] };

	assert.deepEqual(checksOf(input, output, false),
		[input.indicators[0], output.indicators[1]]);
	assert.deepEqual(checksOf(input, output, true), input.indicators);
	assert.deepEqual(checksOf(output, { ...output, relay: false }, false),
		output.indicators);
	assert.deepEqual(checksOf({}, { relay: true }, false), []);
});

test('a stream has the mark of its worst fact', () => {
	const cases = [
		['stale', null, null], ['on', over(), null],
		['on', over(), true],
		['fault', over(), false], ['disabled', over({ enable: false,
			ok: false, onair: false }), null],
		['wait', over({ waiting: true, onair: false }), null],
		['fault', over({ ok: false, onair: false }), null],
		// the event is newer than the overview
		['on', over({ ok: false, onair: false }), true],
		['fault', over({ ok: false }), true],
		['change', over({ ok: false, onair: false,
			worker: { state: 'starting' } }), null],
		['fault', over({ worker: { state: 'quarantine' } }), true],
		['warn', over({ active_input: 2 }), true],
		['warn', over({ filler: true }), true],
		['warn', over({ alarms: ['pts'] }), true],
		['warn', over({ input_faults: [fault] }), true],
		['warn', over({ output_faults: [fault] }), true],
	];

	for (const [mark, overview, onair] of cases)
		assert.equal(markOf(overview, onair), mark,
			JSON.stringify([overview, onair]));
});

test('the reason is the most important of several', () => {
	assert.equal(reasonOf(over()), '');
	assert.equal(reasonOf(over({ error: 'no packets', filler: true })),
		'no packets (filler plays)');
	assert.equal(reasonOf(over({ alarms: ['pts', 'pcr_accuracy'] })),
		'pts, pcr_accuracy');
	assert.equal(reasonOf(over({ input_faults: [fault],
		alarms: ['pts'] })), 'input 2: no packets');
	assert.equal(reasonOf(over({ output_faults: [fault] })),
		'output 2: no packets');
	assert.equal(reasonOf(over({ error: 'e', output_faults: [fault] })),
		'e');
	assert.equal(reasonOf(over({ state: 'on air (input 2, backup)' })),
		'on air (input 2, backup)');
	// those of inputs do not replace the state
	assert.deepEqual([over(), over({ alarms: ['pts'], state: 'x' }),
		over({ state: 'off air' })].map((one) =>
		reasonOf(one, ['pts', 'input 2: cc'])),
	['pts, input 2: cc', 'pts, input 2: cc', 'off air']);
	assert.equal(sinceOf(over({ off_since: 3, error_since: 4 })), 3);
	assert.equal(sinceOf(over({ input_faults: [fault] })), 7);
	assert.equal(sinceOf(over()), undefined);
});

test('the ring keeps the last seconds and knows its holes', () => {
	const ring = new Ring(), value = (bitrate, cc_error = 0) =>
		({ onair: bitrate > 0, bitrate, cc_error, pes_error: 2 });

	assert.equal(ring.rate(1000), null);
	ring.write(1000, value(5, 70000));
	ring.write(1003, value(0));
	assert.deepEqual([999, 1000, 1001, 1002, 1003, 1004]
		.map((s) => ring.rate(s)), [null, 5, null, null, 0, null]);
	assert.equal(ring.cc(1000), 65535);
	assert.deepEqual([ring.onair(1000), ring.onair(1003)], [true, false]);
	// the same second again
	ring.write(1003, value(9));
	assert.equal(ring.rate(1003), 9);
	ring.write(1000 + RING_SECONDS, value(6));
	assert.deepEqual([1000, 1003, 1000 + RING_SECONDS]
		.map((s) => ring.rate(s)), [null, 9, 6]);
	// a long silence leaves nothing old
	ring.write(5000, value(7));
	assert.equal(ring.rate(5000 - RING_SECONDS + 3), null);
	// the clock was set back, by little and by much
	ring.write(4995, value(8));
	assert.deepEqual([ring.rate(4995), ring.rate(5000)], [null, 7]);
	ring.write(100, value(8));
	ring.write(101, value(9));
	assert.deepEqual([100, 101, 4999, 5000].map((s) => ring.rate(s)),
		[8, 9, null, null]);
});

async function sameWords(catalogues) {
	const en = await catalogues.en(), keys = Object.keys(en);

	assert.deepEqual(keys, [...keys].sort());
	for (const [language, load] of Object.entries(catalogues)) {
		const words = await load();

		assert.deepEqual(Object.keys(words), keys, language);
		for (const [key, text] of Object.entries(words))
			assert.deepEqual((text.match(/\{\w+\}/g) ?? [])
				.sort(), (en[key]
				.match(/\{\w+\}/g) ?? []).sort(), key);
	}
	return keys;
}

test('every language has every word, and no other', async () => {
	const first = await sameWords(CATALOGUES);
	const later = await sameWords(LATER);

	assert.deepEqual(first.filter((word) => later.includes(word)), []);
	// a later page brings its words, in the language of the page
	await setLanguage('ru');
	await addLaterWords();
	assert.equal(t('rename'), 'Переименовать');
	await setLanguage('en');
	assert.equal(t('rename'), 'Rename');
	assert.equal(t('more', { n: 3 }), '3 more');
	assert.equal(t('more', { n: '{n}' }), '{n} more');
	await setLanguage('ru');
	assert.equal(t('wall'), 'Стена');
	// and units
	assert.deepEqual([rateSum(7900000), rateSum(500), bytes(1500),
		age(273600)], ['7.90 Гбит/с', '0.5 Мбит/с', '1.50 кБ',
		'3 д 4 ч']);
	await setLanguage('en');
	assert.equal(languageOf(['de-DE', 'ru-RU', 'en']), 'ru');
	assert.equal(languageOf(['de']), 'en');
	assert.equal(languageOf([]), 'en');
});

test('an address names the page, its object and its filter', () => {
	const ids = ['a001', 'a/b', 'ü?#&', '%', 'a b', '..'];

	assert.equal(parseRoute('').page, 'wall');
	assert.equal(parseRoute('#/').page, 'wall');
	assert.equal(parseRoute('#/wall').page, 'wall');
	for (const id of ids) {
		const route = parseRoute(href('stream', id));

		assert.deepEqual([route.page, route.id], ['stream', id]);
	}
	const streams = parseRoute(href('streams', '',
		{ filter: 'off cc>0 "a b"&', sort: '' }));

	assert.equal(streams.page, 'streams');
	assert.equal(streams.query.get('filter'), 'off cc>0 "a b"&');
	assert.equal(streams.query.has('sort'), false);
	for (const hash of ['#/x', '#/stream', '#/stream/', '#/stream/%',
		'#/streams/x', '#javascript:alert(1)'])
		assert.equal(parseRoute(hash).page, 'none', hash);
});

test('each stream is on the wall once, by the first category', () => {
	const stream = (id, groups) => ({ id, config: { groups } });
	const list = [stream('a', { Type: 'News' }), stream('b'),
		stream('c', { Type: 'Films' }), stream('d', { Other: 'News' }),
		stream('e', { Type: 'gone' }), { id: 'f', config: null },
		stream('g', { Type: 'News' })];
	const words = { all: 'all', rest: 'rest' };
	const ids = (categories) => sectionsOf(list, categories, words)
		.map(({ title, streams }) => [title,
			streams.map((s) => s.id).join('')]);

	assert.deepEqual(ids([]), [['all', 'abcdefg']]);
	assert.deepEqual(ids([{ name: 'Type', groups: [{ name: 'Films' },
		{ name: 'News' }, { name: 'None' }] }]),
	[['Type / Films', 'c'], ['Type / News', 'ag'], ['rest', 'bdef']]);
});

test('names that begin alike differ in the smallest tiles', () => {
	const short = shortNames(['Stream 10', 'Stream 11', 'Discovery',
		'News HD', 'News HD 2', 'Канал №1', 'Канал №2']);

	assert.deepEqual(['Stream 10', 'Stream 11', 'Discovery', 'News HD',
		'News HD 2', 'Канал №1', 'another'].map(short), ['St…10',
		'St…11', 'Discovery', 'News HD', 'Ne…D 2', 'Ка…№1', 'another']);
});

test('1,000 tiles fit on a screen of 1920 to 1080', () => {
	const width = 1920 - 64 - 24 - 15, height = 1080 - 40 - 200;

	assert.equal(fit([6], width, height), 'l');
	assert.equal(fit([150], width, height), 'm');
	assert.equal(fit([1000], width, height), 's');
	// a phone is scrolled anyway
	assert.equal(fit([5, 5, 5], 340, 400), 'm');
	assert.equal(fit([1000], 340, 400), 's');
	// a title has two places of one row, here behind 3 tiles of 5 places
	assert.deepEqual([[3], [2, 1], [3, 1], [8]].map((counts) =>
		heightOf(counts, 's', 268)), [22, 46, 46, 46]);
	assert.equal(heightOf([3, 4], 'm', 364), 24 + 50 + 24 + 100);
	const columns = perRow('s', width);

	assert.ok(Math.ceil(1000 / columns) * 24 + 26 <= height, `${columns}`);
	// the last column has no gap
	assert.deepEqual([['s', 1240], ['s', 1239], ['m', 364], ['l', 10]]
		.map((room) => perRow(...room)), [23, 22, 3, 1]);
});

test('rows that are equal keep their order', () => {
	const rows = [row({ id: 'b', cc: 1 }), row({ id: 'a', cc: 5 }),
		row({ id: 'c', cc: 1, mark: 'fault' })];
	const ids = (sort) => sorted(rows, sort).map((r) => r.id).join('');

	assert.equal(ids(''), 'bac');
	assert.equal(ids('cc'), 'abc');
	assert.equal(ids('-cc'), 'bca');
	assert.equal(ids('id'), 'abc');
	assert.equal(ids('state'), 'cba');
	assert.equal(ids('constructor'), 'bac');
	assert.equal(ids('__proto__'), 'bac');
});

test('objects are compared as the service compares them', () => {
	for (const [a, b] of [[1, 1], [null, undefined], [{}, []],
		[{ a: 1, b: [2] }, { b: [2], a: 1 }], ['', '']])
		assert.ok(same(a, b) && same(b, a), JSON.stringify([a, b]));
	for (const [a, b] of [[1, '1'], [0, null], [[1, 2], [2, 1]],
		[{ a: 1 }, { a: 1, b: null }], [[1], { 0: 1 }], [{}, null],
		[{ a: 1 }, { toString: 1 }]])
		assert.ok(!same(a, b) && !same(b, a), JSON.stringify([a, b]));
});

test('untouched fields follow the other user, touched ones stay', () => {
	const base = { name: 'a', input: ['x'], my_note: 1, pmt_version: 3 };
	const theirs = { ...base, name: 'theirs', output: ['y'],
		pmt_version: 4 };

	assert.deepEqual(merge(base, base, theirs),
		{ merged: theirs, conflicts: [] });
	assert.deepEqual(merge(base, { ...base, input: ['z'] }, theirs),
		{ merged: { ...theirs, input: ['z'] }, conflicts: [] });
	assert.deepEqual(merge(base, { ...base, name: 'mine' }, theirs),
		{ merged: { ...theirs, name: 'mine' }, conflicts: ['name'] });
	// the same change twice is none
	assert.deepEqual(merge(base, { ...base, name: 'theirs' }, theirs),
		{ merged: theirs, conflicts: [] });
	// removed by me, removed by them
	const { my_note, ...without } = base;

	assert.equal(my_note, 1);
	assert.deepEqual(merge(base, without, theirs).merged, { name: 'theirs',
		input: ['x'], output: ['y'], pmt_version: 4 });
	assert.deepEqual(merge(base, base, without).merged, without);
});

test('a diff has what the user changed, and no counter of tables', () => {
	const before = { enable: true, name: 'a', input: ['x'],
		pmt_version: 1 };
	const named = { ...before, name: 'b', pmt_version: 2 };

	assert.deepEqual(diff(before, named),
		[{ key: 'name', before: 'a', after: 'b' }]);
});

test('an error leads to its field', () => {
	assert.deepEqual(fieldOf('stream.output[1]: port: 70000 is not a port'),
		{ key: 'output', place: 1 });
	assert.deepEqual(fieldOf('stream.name: is not a string'),
		{ key: 'name', place: -1 });
	assert.equal(fieldOf('id: is missing'), null);
	assert.equal(fieldOf(''), null);
});

// WCAG 2.2: contrast of two colours, of the channels 0 to 255.
function contrast(a, b) {
	const light = (value) => value <= 0.04045 * 255 ? value / 255 / 12.92
		: ((value / 255 + 0.055) / 1.055) ** 2.4;
	const [high, low] = [a, b].map((rgb) => rgb.map(light))
		.map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b)
		.sort((x, y) => y - x);

	return (high + 0.05) / (low + 0.05);
}

function rgbOf(text) {
	const hex = text.slice(1).replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3');

	return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// As it is drawn when it is old: grey, or not, and mixed with what is behind.
const faded = (rgb, behind, opacity, isGrey) => rgb.map((value, i) => {
	const grey = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];

	return Math.round((isGrey ? grey : value) * opacity +
		behind[i] * (1 - opacity));
});

// The colours of a theme, by their names.
function tokensOf(css, theme) {
	const [, rule] = new RegExp(`data-theme=${theme}\\] \\{([^}]*` +
		'--bg[^}]*)\\}').exec(css);

	return Object.fromEntries([...rule.matchAll(
		/--([a-z-]+): (#[0-9a-f]+)/g)].map(([, name, value]) =>
		[name, rgbOf(value)]));
}

test('text can be read in both themes, also when it is old', () => {
	const css = fs.readFileSync(path.resolve(srcdir,
		'web/common/tokens.css'), 'utf8');
	const opacity = Number(/--stale: ([0-9.]+)/.exec(css)[1]);
	const texts = ['text', 'dim', 'accent', 'fault', 'warn'];
	const behind = ['bg', 'surface', 'raised', 'fault-soft', 'warn-soft'];
	const pairs = texts.flatMap((text) => behind.map((on) => [text, on]));

	pairs.push(['on-accent', 'accent'], ['on-fault', 'fault']);
	const ways = [[1, false], [opacity, false], [opacity, true]];

	for (const theme of ['light', 'dark'])
		for (const [[text, on], [share, isGrey]] of pairs.flatMap(
			(pair) => ways.map((way) => [pair, way]))) {
			const tokens = tokensOf(css, theme);
			const drawn = (name) => faded(tokens[name], tokens.bg,
				share, isGrey);
			const found = contrast(drawn(text), drawn(on));

			assert.ok(found >= 4.5, `${theme}: ${text} on ${on}, ` +
				`${share}: ${found}`);
		}
	for (const file of ['frame.css', 'pages.css'])
		assert.match(fs.readFileSync(path.resolve(srcdir,
			'web/headend', file), 'utf8'),
		/grayscale\(1\);\n\topacity: var\(--stale\)/);
});

test('programs of ATSC are named by their channels', async () => {
	const { programsOf } = await load('headend/programs.js');
	const pat = { psi: 'pat', pid: 0, tsid: 7, programs: [
		{ pnr: 1, pid: 100 }, { pnr: 2, pid: 200 }] };
	const vct = { psi: 'vct', pid: 8187, tsid: 7, channels: [
		{ tsid: 7, pnr: 1, short_name: 'WABC', name: 'A long name',
			access_controlled: true },
		{ tsid: 7, pnr: 2, short_name: 'WDEF', name_error: 'cut',
			access_controlled: false },
		{ tsid: 8, pnr: 2, short_name: 'other' },
		{ tsid: 7, pnr: 9, short_name: 'absent' }] };

	assert.deepEqual(programsOf([pat, vct]).map((one) =>
		[one.name, one.nameError, one.scrambled]),
	[['A long name', '', true], ['WDEF', 'cut', false]]);
});

test('the searches that the service refuses are known', async () => {
	const { singleBy } = await load('headend/transponder-list.js');
	const shared = { type: 'S2', lnb_sharing: true };

	for (const [adapter, wanted] of [
		[{ type: 'S2' }, ''],
		[shared, 'lnb_sharing'],
		[{ type: 'S', lnb_sharing: '1' }, 'lnb_sharing'],
		[{ ...shared, lnb_sharing: false }, ''],
		[{ ...shared, type: 'T2' }, ''],
		[{ ...shared, server: '192.0.2.1' }, ''],
		[{ ...shared, server: '' }, 'lnb_sharing'],
		[{ type: 'S2', t2mi: true, server: '192.0.2.1' }, 't2mi'],
		[{ type: 'S2', address: 'udp://239.1.1.1' }, 'address'],
		[{ type: 'S2', address: '' }, '']])
		assert.equal(singleBy(adapter), wanted,
			JSON.stringify(adapter));
});
