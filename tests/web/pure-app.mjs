// SPDX-License-Identifier: GPL-3.0-or-later
// What the page keeps, for how long, and how it names its requests.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { setImmediate as afterReplies } from 'node:timers/promises';
import { Timeouts } from '../helpers/timeouts.mjs';
import { srcdir } from '../helpers/util.mjs';

const load = (name) => import(path.resolve(srcdir, 'web', name));
const { Headend } = await load('common/headend.js');
const { addLaterWords } = await load('common/words.js');
const { Store, Stream } = await load('common/store.js');
const { placeOf } = await load('headend/actions.js');
const { curlLine, statusPath } = await load('headend/curl-line.js');
const { isOld } = await load('headend/current.js');
const { bringBackGroup, saveGroup } =
	await load('headend/output-group-edit.js');
const { bitsOf } = await load('headend/units-dvb.js');
const { bringBack, passwordChange, userChange, userRemoval } =
	await load('headend/user-edit.js');
const { titleOf, wrongEverywhere, wrongNow } = await load('headend/wrong.js');

test('a new stream may have a place; the one behind it may be gone', () => {
	const store = new Store();
	const add = (id, before) => store.apply({ scope: 'set-stream',
		stream: { id, enable: true, type: 'spts' }, before }, 1000);

	add('c');
	add('b');
	add('a', 'b');
	add('e');
	add('f', 'gone');
	assert.deepEqual([...store.streams.keys()], ['c', 'a', 'b', 'e', 'f']);
});

test('what comes back goes before the next of its list that is left', () => {
	const place = (id, ...left) => placeOf(['a', 'b', 'c', 'd'], id,
		(one) => left.includes(one));

	assert.deepEqual(place('b', 'a', 'c', 'd'), { before: 'c' });
	assert.deepEqual(place('b', 'a', 'd', 'new'), { before: 'd' });
	assert.deepEqual(place('b', 'a'), {});
	assert.deepEqual(place('d', 'a', 'b', 'c'), {});
});

// its events say "on air" always
test('a multiplex has the mark of its overview', () => {
	const mux = new Stream('m');

	mux.config = { type: 'mpts' };
	mux.event = { onair: true };
	mux.eventTime = 100;
	mux.over = { enable: true, ok: false, onair: false, worker: {},
		alarms: [], output_faults: [], input_faults: [] };
	assert.equal(mux.mark(100), 'fault');
	mux.config = { type: 'spts' };
	assert.equal(mux.mark(100), 'on');
});

test('a table names its request for a shell', () => {
	const url = (name) => new URL(name, 'https://h:8000/tv/');

	assert.equal(curlLine(url, 'api/overview', 'olga'),
		'curl -u \'olga\' \'https://h:8000/tv/api/overview\'');
	assert.equal(curlLine(url, { cmd: 'get-cam', id: 'a\'b' }, ''),
		'curl -d \'{"cmd":"get-cam","id":"a\'\\\'\'b"}\' ' +
		'\'https://h:8000/tv/control/\'');
	assert.equal(curlLine(url, statusPath('a/b\'c'), ''),
		'curl \'https://h:8000/tv/api/stream-status/a%2Fb\'\\\'\'c' +
		'?t=0\'');
});

async function newApp(t) {
	const { location, document } = globalThis;

	t.after(() => Object.assign(globalThis, { location, document }));
	Object.assign(globalThis, { location: { hash: '' },
		document: { baseURI: 'http://h/' } });
	const clock = new Timeouts(t);
	const { App } = await load('headend/app.js');

	return Object.assign(new App(), { clock });
}

test('what was removed can be brought back for 30 s', async (t) => {
	const app = await newApp(t), undo = { word: 'Undo', run: () => {} };
	const texts = () => app.toasts.map(({ text }) => text).join(' ');

	for (const [action, ms] of [[undo, 30000], [undefined, 5000]]) {
		app.say('Gone', false, action);
		app.clock.tick(ms - 1);
		assert.deepEqual(app.toasts, [{ text: 'Gone', error: false,
			action }]);
		app.clock.tick(1);
		assert.deepEqual(app.toasts, []);
	}
	// another message has a time of its own
	app.say('Gone', false, undo);
	app.clock.tick(29000);
	app.say('Also', false, undo);
	assert.equal(texts(), 'Gone Also');
	app.clock.tick(1000);
	assert.equal(texts(), 'Also');
	app.clock.tick(28999);
	assert.equal(texts(), 'Also');
	app.clock.tick(1);
	assert.equal(texts(), '');
	// other messages stand beside it
	app.say('Removed');
	app.say('Gone', false, undo);
	assert.equal(texts(), 'Gone');
	app.say('Saved');
	app.say('Refused', true);
	assert.equal(texts(), 'Gone Refused');
	app.dismiss(app.say('Also', false, undo));
	assert.equal(texts(), 'Gone Refused');
	app.clock.tick(15000);
	assert.equal(texts(), 'Gone');
	app.clock.tick(14999);
	assert.equal(texts(), 'Gone');
	app.clock.tick(1);
	assert.equal(texts(), '');
	// the action is taken once
	app.say('Saved');
	app.dismiss(app.say('Gone', false, undo));
	assert.equal(texts(), '');
	// there is room for so many
	for (const text of 'abcdef')
		app.say(text, false, undo);
	assert.equal(texts(), 'c d e f');
});

test('entries of other headends are forgotten with a logout', async (t) => {
	const app = await newApp(t), secret = 'a-secret';

	app.user = { login: 'olga', type: 1 };
	app.api.cmd = async () => ({});
	app.refusedServers.add(JSON.stringify({ host: 'h', pass: secret }));
	assert.ok(contents(app).includes(secret));
	await app.logout();
	assert.ok(!contents(app).includes(secret));
});

// A session that the service can end, over a form with changes.
async function newSession(t) {
	const app = await newApp(t), user = { login: 'olga', type: 1 };
	const { ApiError } = await load('common/api.js');
	let isOver = false;

	app.api.cmd = async (cmd) => {
		if (cmd === 'whoami' && isOver)
			throw new ApiError(403, 'login needed');
		isOver &&= cmd !== 'login';
		// the event channel waits for its token
		return cmd === 'ws-token' ? new Promise(() => {}) : user;
	};
	// Node.js 20 has no WebSocket
	app.live.config.Socket = class {};
	app.user = user;
	app.forms.add(() => false);
	return { app, end: async () => {
		isOver = true;
		app.home.on.lost();
		await afterReplies();
	} };
}

test('a form waits 15 minutes for the login of its user', async (t) => {
	const { app, end } = await newSession(t), minutes = 60000;

	const began = Date.now();

	await end();
	assert.equal(app.expired, true);
	assert.ok(app.keptUntil * 1000 >= began + 15 * minutes &&
		app.keptUntil * 1000 <= Date.now() + 15 * minutes);
	app.clock.tick(15 * minutes - 1);
	assert.equal(app.expired, true);
	assert.equal(app.user.login, 'olga');
	// the next time begins with the next end
	await app.login('olga', 'look', false);
	app.clock.tick(15 * minutes);
	assert.deepEqual([app.expired, app.user.login], [false, 'olga']);
	assert.equal(app.keptUntil, 0);
	await end();
	app.clock.tick(15 * minutes - 1);
	assert.equal(app.expired, true);
	app.clock.tick(1);
	assert.deepEqual([app.expired, app.user], [false, null]);
	assert.ok(app.keptUntil > 0);
	await app.login('olga', 'look', false);
	assert.deepEqual([app.expired, app.user.login], [false, 'olga']);
});

test('nothing is asked for while a form waits for the login', async (t) => {
	const { app, end } = await newSession(t), asked = [];

	app.api.get = async (name) => {
		asked.push(name);
		throw new Error('no overview here');
	};
	app.live.state = 'open';
	await app.home.everySecond();
	assert.deepEqual([asked, app.lostAt], [['api/overview'], null]);
	app.store.wantsOverview = true;
	await end();
	await app.home.everySecond();
	assert.deepEqual(asked, ['api/overview']);
	// this ends the requests of the components
	assert.notEqual(app.lostAt, null);
	await app.login('olga', 'look', false);
	assert.equal(app.lostAt, null);
});

test('the rate of a stream is that of its filler while that plays', () => {
	const stream = new Stream('a');

	stream.over = { bitrate: 996, filler: true };
	stream.event = { onair: false, bitrate: 0, cc_error: 0, pes_error: 0 };
	stream.eventTime = 100;
	assert.equal(stream.rate(100), 996);
	stream.over.filler = false;
	assert.equal(stream.rate(100), 0);
	assert.equal(stream.rate(200), 996, 'the event is old');
});

test('a clock that is set back stops no request and makes no value new',
	async (t) => {
	const { now } = Date, stream = new Stream('a');
	let seconds = 1000, asked = 0;

	t.after(() => {
		Date.now = now;
	});
	Date.now = () => seconds * 1000;
	const home = new Headend({ get: async () => {
		asked++;
		return { timestamp: seconds, streams: [] };
	} }, { changed: () => {}, draw: () => {} });

	home.live.state = 'open';
	stream.event = { onair: true };
	stream.eventTime = seconds;
	for (const [step, wanted] of [[0, 1], [5, 1], [-600, 2], [5, 2]]) {
		seconds += step;
		await home.everySecond();
		assert.equal(asked, wanted, step);
	}
	assert.equal(stream.isFresh(1000), true);
	assert.equal(stream.isFresh(seconds), false);
	// what comes while the display stands still is not old
	assert.deepEqual([false, true].map((frozen) =>
		isOld(1000, { now: seconds, frozen })), [true, false]);
});

// All that an object leads to, as one text.
function contents(object, seen = new Set()) {
	if (typeof object !== 'object' || object === null)
		return String(object);
	if (seen.has(object))
		return '';
	seen.add(object);
	const inner = object instanceof Map ? [...object].flat()
		: object instanceof Set ? [...object] : Object.values(object);

	return inner.map((one) => contents(one, seen)).join(' ');
}

test('secrets in events are dropped on receipt', () => {
	const store = new Store(), secret = 'a-secret';
	const stream = { id: 'a', name: 'A', type: 'spts', enable: true,
		input: ['udp://h:1'], output: [] };
	const events = [
		['set-user', { user_id: 'u', user: { type: 1, cipher: secret,
			password: secret } }],
		['set-softcam', { softcam: { id: 's', user: 'u',
			pass: secret, key: secret } }],
		['set-cas', { cas: { id: 'c', ecm_key: secret } }],
		['set-server', { server: { host: 'h', pass: secret } }],
		['set-auth', { auth: { secret } }],
		['set-adapter', { adapter: { id: 'd', password: secret } }],
		['set-config', { key: 'settings', data: { crt_key: secret } }],
		['log', { lines: [{ text: secret }] }],
		['an event of another version', { secret }]];

	store.load({ make_stream: [stream] });
	for (const isHeld of [false, true]) {
		if (isHeld)
			store.hold();
		for (const [scope, fields] of events)
			store.apply({ scope, ...fields }, 1);
		assert.ok(!contents(store).includes(secret), `${isHeld}`);
	}
	store.release(2);
	// it asks for what this user may see
	assert.equal(store.wantsConfig, true);
	assert.match(contents(store), /udp:\/\/h:1/);
});

test('every change of the configuration asks for it again', () => {
	for (const [scope, wanted] of [['set-user', true], ['set-config', true],
		['set-adapter', true], ['log_event', true],
		['post-output-group', true],
		['set-settings', true], ['log', false], ['sysinfo', false],
		['session_event', false]]) {
		const store = new Store();

		store.apply({ scope }, 1000);
		assert.equal(store.wantsConfig, wanted, scope);
	}
});

test('what is wrong is as old as the clock of its service says', () => {
	const now = 10000, words = { refused: '', unreachable: '' };
	// a headend with a stream that went off air some seconds ago
	const failed = (name, ago, skew) => {
		const store = new Store();

		store.take({ timestamp: now + skew, streams: [{ id: name, name,
			enable: true, onair: false, ok: false, state: 'off air',
			off_since: now + skew - ago, alarms: [],
			input_faults: [], output_faults: [],
			worker: { state: 'running' } }],
		alarms: [{ alarm: 'log', since: now + skew - ago - 10 }] },
		now);
		return { name, base: `http://${name}/`, headend: { store,
			lostAt: null, skew: { value: skew } } };
	};
	const agesOf = ({ headend: own }, other) => wrongEverywhere(
		wrongNow(own.store, now, own.skew.value), [other], now, words)
		.map(({ title, since }) => `${title} ${now - since}`);

	assert.deepEqual(agesOf(failed('own', 2, 0), failed('far', 5, 600)),
		['own 2', 'far 5', 'log 12', 'log 15']);
	assert.deepEqual(agesOf(failed('own', 7, -90), failed('far', 5, 600)),
		['far 5', 'own 7', 'log 15', 'log 17']);
	// the time of an event is that of the browser
	const { headend } = failed('own', 2, 600), [stream] =
		headend.store.streams.values();

	Object.assign(stream.over, { ok: true, onair: true });
	Object.assign(stream, { event: { onair: false }, eventTime: now - 1 });
	assert.equal(wrongNow(headend.store, now, 600)[0].since, now - 1);
});

test('the title of an alarm repeats no subject that its reason names', () => {
	assert.equal(titleOf({ alarm: 'epg', subject: 'epg_sources[0]',
		reason: 'epg_sources[0]: no channel' }), 'epg');
	assert.equal(titleOf({ alarm: 'tls', subject: 'certificate',
		reason: 'expired' }), 'tls certificate');
	assert.equal(titleOf({ alarm: 'log' }), 'log');
});

test('each bit of the status of a frontend has a word', () => {
	assert.deepEqual([0x1f, 0x03, 0x60, 0, 0x80].map((status) =>
		bitsOf(status).join(' ')), [
		'bit_signal bit_carrier bit_fec bit_sync lock',
		'bit_signal bit_carrier', 'bit_timeout bit_reset',
		'bit_none', '']);
});

test('a change of a user names the entry that the page shows', async () => {
	const known = { type: 2, enable: true, cipher: 'hash' };
	const user = { type: 2, enable: false };

	assert.deepEqual(userChange('olga', known, user),
		{ id: 'olga', was: known, user });
	assert.equal(userChange('new', null, user).was, null);
	assert.deepEqual(userRemoval('olga', known),
		{ id: 'olga', was: known, user: { remove: true } });
	// the hash is the service's, and an observer sends the password alone
	assert.deepEqual(passwordChange('olga', known, 'x'), { id: 'olga',
		was: known, user: { type: 2, enable: true, password: 'x' } });
	assert.deepEqual(passwordChange('olga', null, 'x'),
		{ id: 'olga', user: { password: 'x' } });
});

test('a removed user is back beside the users of that moment', async () => {
	const sent = [];
	const app = (users) => ({ store: {}, api: { cmd: async (cmd, fields) =>
		cmd === 'load' ? { users } : sent.push(fields) },
	run: (request) => request().catch(() => sent.push('refused')) });

	await addLaterWords();
	for (const users of [{ admin: { type: 1 }, zoe: {}, new: {} },
		{ admin: { type: 1 } }, undefined, { olga: {} }])
		await bringBack(app(users), 'olga', { type: 2 },
			['admin', 'olga', 'zoe']);
	const refused = sent.pop();

	assert.deepEqual(sent.map(({ key, was }) => [key, was]), [
		['users', { admin: { type: 1 }, zoe: {}, new: {} }],
		['users', { admin: { type: 1 } }], ['users', null]]);
	assert.deepEqual(sent.map(({ data }) => JSON.stringify(data)), [
		'{"admin":{"type":1},"olga":{"type":2},"zoe":{},"new":{}}',
		'{"admin":{"type":1},"olga":{"type":2}}',
		'{"olga":{"type":2}}']);
	assert.equal(refused, 'refused');
});

test('a removed group of outputs is back at its place', async () => {
	const sent = [], group = { name: 'b', output: [] };
	const back = (...names) => bringBackGroup({ cmd: async (cmd, fields) =>
		cmd === 'load' ? { output: names.map((name) => ({ name })) }
			: sent.push(fields) }, group, ['a', 'b', 'c']);

	await addLaterWords();
	await back('a', 'c', 'new');
	await back('a');
	await assert.rejects(back('b', 'c'), /with this name/);
	assert.deepEqual(sent.map(({ was, data, ...rest }) => ({ ...rest,
		was: was.map(({ name }) => name), data })), [
		{ key: 'output', was: ['a', 'c', 'new'], data: [{ name: 'a' },
			group, { name: 'c' }, { name: 'new' }] },
		{ key: 'output', was: ['a'], data: [{ name: 'a' }, group] }]);
});

test('a group of outputs is saved if nobody else has changed it', async () => {
	const known = { name: 'a/b', output: ['udp://239.0.0.1:1'] };
	const mine = { ...known, output: [] }, posted = [];
	const api = (output) => ({ cmd: async () => ({ output }),
		post: async (path, group) => posted.push([path, group]) });

	await saveGroup(api([known]), 'a/b', known, mine);
	await saveGroup(api(undefined), '', null, mine);
	assert.deepEqual(posted.splice(0), [['api/output-group/a%2Fb', mine],
		['api/output-group', mine]]);
	for (const output of [[], undefined, [{ ...known, output: [] }]])
		await assert.rejects(saveGroup(api(output), 'a/b', known, mine),
			/somebody else/i);
	assert.deepEqual(posted, []);
});

// The words of another page.
let pages = 0;
const newWords = () => load(`common/words.js?${pages++}`);

// Holds the words of a language back until the function is called.
function hold(list, language) {
	const get = list[language];
	let release;
	const held = new Promise((resolve) => {
		release = resolve;
	});

	list[language] = () => held.then(get);
	return release;
}

async function hasEnded(promise) {
	let is = false;

	promise.then(() => {
		is = true;
	});
	for (let i = 0; i < 20; i++)
		await afterReplies();
	return is;
}

test('a page waits for its words, also if another one has asked for them',
	async () => {
	const words = await newWords();
	const release = hold(words.CATALOGUES, 'en');

	await words.LATER.en();
	const first = words.addLaterWords();

	assert.equal(await hasEnded(first), false);
	const second = words.addLaterWords();

	assert.equal(await hasEnded(second), false);
	release();
	await Promise.all([first, second]);
	assert.equal(words.t('rename'), 'Rename');
});

test('a page waits for its words in a language that is chosen meanwhile',
	async () => {
	const words = await newWords();
	const english = hold(words.CATALOGUES, 'en');
	const russian = hold(words.LATER, 'ru');

	await words.LATER.en();
	const page = words.addLaterWords();

	assert.equal(await hasEnded(page), false);
	const change = words.setLanguage('ru');

	english();
	assert.equal(await hasEnded(page), false);
	russian();
	await Promise.all([page, change]);
	assert.equal(words.t('rename'), 'Переименовать');
});

test('words that did not load are asked for again', async () => {
	const words = await newWords();
	const { en } = words.CATALOGUES;
	const fail = async () => {
		throw new Error('gone');
	};

	words.CATALOGUES.en = fail;
	await assert.rejects(words.addLaterWords(), /gone/);
	words.CATALOGUES.en = en;
	await words.addLaterWords();
	assert.equal(words.t('rename'), 'Rename');
	// those of a page that did not load are not missed by a language
	const other = await newWords();

	other.LATER.en = fail;
	other.LATER.ru = fail;
	await assert.rejects(other.addLaterWords(), /gone/);
	await other.setLanguage('ru');
	assert.equal(other.t('wall'), 'Стена');
});

test('words that did not load are no error once another language is chosen',
	async () => {
	const words = await newWords();

	words.CATALOGUES.ru = async () => {
		throw new Error('gone');
	};
	await assert.rejects(words.setLanguage('ru'), /gone/);
	const replaced = words.setLanguage('ru');

	await words.setLanguage('en');
	await replaced;
	assert.equal(words.t('wall'), 'Wall');
});
