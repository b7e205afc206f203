// SPDX-License-Identifier: GPL-3.0-or-later
// The event channel of the web interface and its store.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { srcdir } from '../helpers/util.mjs';

const load = (name) => import(path.resolve(srcdir, 'web', name));
const { Api, ApiError } = await load('common/api.js');
const { DEADLINE_MS, Live, PAUSE_MAX_MS, PAUSE_MIN_MS, PING_MS, SILENT_S,
	pauseMs } = await load('common/live.js');
const { Headend } = await load('common/headend.js');
const { Store } = await load('common/store.js');

// A reply as fetch gives it.
const reply = (status, body) => ({ ok: status === 200, status,
	statusText: 'Text', json: async () => {
		if (body === undefined)
			throw new SyntaxError('no JSON');
		return body;
	} });

test('a request goes below the prefix and its error is a sentence',
	async () => {
	const asked = [];
	let next = reply(200, { ok: 1 }), refused = 0;
	const api = new Api('http://h:8000/north/side/', async (url, init) => {
		asked.push([url.href, init.method ?? 'GET']);
		if (next instanceof Error)
			throw next;
		return next;
	});

	api.onRefused = () => refused++;
	assert.deepEqual(await api.get('api/overview'), { ok: 1 });
	await api.cmd('load');
	assert.deepEqual(asked, [
		['http://h:8000/north/side/api/overview', 'GET'],
		['http://h:8000/north/side/control/', 'POST']]);
	for (const [answer, status, text] of [
		[reply(400, { error: 'id: wrong' }), 400, 'id: wrong'],
		[reply(502), 502, '502 Text'],
		[reply(403, { error: 'x' }), 403, 'x'],
		[reply(200), 0, 'the answer is incomplete'],
		[new TypeError('fetch'), 0, 'the service does not answer']]) {
		next = answer;
		await assert.rejects(api.cmd('x'), (error) =>
			error instanceof ApiError && error.status === status &&
			error.message === text);
	}
	assert.equal(refused, 1);
});

test('a request waits as long as the service for a hash', async (t) => {
	const waits = t.mock.method(AbortSignal, 'timeout').mock;
	const api = new Api('http://h/', async () => reply(200, {}));

	await api.cmd('login', { login: 'a' });
	await api.cmd('set-user', { id: 'a' });
	await api.cmd('load');
	await api.get('api/overview');
	assert.deepEqual(waits.calls.map((call) => call.arguments[0]),
		[15000, 30000, 15000, 15000]);
});

test('enable and disable are sent for the state of that moment', async () => {
	const asked = [];
	const api = new Api('http://h/', async (url, { body }) => {
		const { cmd, id } = JSON.parse(body);

		asked.push(`${cmd} ${id}`);
		return reply(200, cmd === 'get-stream' ? { [cmd]: 'ok',
			stream: { enable: true } } : cmd === 'get-user'
			? { enable: false } : { [cmd]: 'ok' });
	});

	// somebody else was faster
	await api.setEnabled('stream', 'a', true);
	await api.setEnabled('user', 'u', false);
	assert.deepEqual(asked.splice(0), ['get-stream a', 'get-user u']);
	await api.setEnabled('stream', 'a', false);
	await api.setEnabled('user', 'u', true);
	assert.deepEqual(asked, ['get-stream a', 'toggle-stream a',
		'get-user u', 'toggle-user u']);
});

// Timers on a clock that the test moves.
function fakeTimers(t) {
	const real = [setTimeout, clearTimeout], waiting = new Map();
	let now = 0, last = 0;

	globalThis.setTimeout = (run, ms) => {
		waiting.set(++last, { run, at: now + ms });
		return last;
	};
	globalThis.clearTimeout = (id) => waiting.delete(id);
	t.after(() => {
		[globalThis.setTimeout, globalThis.clearTimeout] = real;
	});
	return (ms) => {
		now += ms;
		for (const [id, { run, at }] of waiting)
			if (at <= now && waiting.delete(id))
				run();
	};
}

// The event channel on a clock of its own, with sockets that the test plays.
function scene(t, more = {}) {
	const sockets = [], seen = [];
	let token = 0, fail = null, isBusy = false;

	const pass = fakeTimers(t);

	class Socket {
		sent = [];
		constructor(url) {
			this.url = url;
			sockets.push(this);
		}
		send(text) { this.sent.push(text); }
		close() { this.closed = true; }
	}
	const live = new Live({ api: { cmd: async () => {
		if (fail)
			throw fail;
		return { token: `t${++token}` };
	}, url: (name) => new URL(name, 'https://h/') },
	Socket, random: () => 1, onOpen: async () => {
		seen.push('load');
		if (isBusy)
			throw new ApiError(503, 'the service is busy');
	},
	onMessage: (message) => seen.push(message.scope),
	onState: (state) => seen.push(state), ...more });
	// promises of the token run between two timers
	const settle = async () => {
		for (let i = 0; i < 5; i++)
			await null;
	};

	t.after(() => live.stop());
	return { live, sockets, seen, settle,
		fail: (error) => { fail = error; },
		busy: (is) => { isBusy = is; },
		open: async () => {
			sockets.at(-1).onopen();
			await settle();
		},
		get last() { return sockets.at(-1); },
		pass: async (ms) => {
			pass(ms);
			await settle();
		} };
}

test('a socket gets a fresh token, opens, and loads the state', async (t) => {
	const s = scene(t);

	s.live.start();
	await s.settle();
	assert.equal(s.last.url,
		'wss://h/control/event/?token=t1&scope=alarm');
	await s.open();
	s.last.onmessage({ data: '{"scope":"alarm"}' });
	assert.deepEqual(s.seen, ['load', 'open', 'alarm']);
});

test('a socket that answers no ping is given up', async (t) => {
	const s = scene(t);

	s.live.start();
	await s.settle();
	s.last.onopen();
	for (let i = 0; i < 3; i++) {
		await s.pass(PING_MS);
		assert.equal(s.last.sent.length, i + 1);
		s.last.onmessage({ data: 'pong' });
	}
	await s.pass(PING_MS);
	assert.equal(s.sockets.length, 1);
	const first = s.last;

	await s.pass(DEADLINE_MS);
	assert.ok(first.closed);
	assert.equal(s.seen.at(-1), 'lost');
	await s.pass(PAUSE_MIN_MS);
	assert.equal(s.sockets.length, 2);
	assert.match(s.last.url, /token=t2/);
	// what the first one still says does not count
	first.onmessage({ data: '{"scope":"old"}' });
	first.onclose();
	await s.open();
	assert.deepEqual(s.seen.slice(-3), ['lost', 'load', 'open']);
});

test('values of a service that does not answer are old after three seconds',
	async (t) => {
	const pass = fakeTimers(t);
	const real = [Date.now, globalThis.WebSocket];
	let now = 1000, socket = null, changes = 0;

	t.after(() => {
		[Date.now, globalThis.WebSocket] = real;
	});
	Date.now = () => now * 1000;
	globalThis.WebSocket = class {
		constructor() { socket = this; }
		send() {}
		close() {}
	};
	const home = new Headend({ url: (name) => new URL(name, 'https://h/'),
		cmd: async (cmd) => cmd === 'load' ? { make_stream: [] }
			: { token: 't' },
		get: async () => ({ timestamp: now, streams: [] }) },
	{ changed: () => changes++, draw: () => {} });
	const later = async (seconds) => {
		now += seconds;
		pass(seconds * 1000);
		await home.everySecond();
		for (let i = 0; i < 20; i++)
			await null;
	};

	home.start();
	t.after(() => home.stop());
	await later(0);
	socket.onopen();
	await later(0);
	assert.equal(home.live.state, 'open');
	await later(PING_MS / 1000);
	socket.onmessage({ data: 'pong' });
	const heard = now;

	await later(PING_MS / 1000);
	assert.equal(home.lostAt, null);
	changes = 0;
	await later(SILENT_S);
	// a busy page may have the answer, but has not read it
	assert.equal(home.lostAt, null);
	await later(1);
	assert.equal(home.lostAt, heard);
	assert.equal(home.live.state, 'open');
	assert.equal(changes, 1);
	socket.onmessage({ data: 'pong' });
	await later(0);
	assert.equal(home.lostAt, null);
	const again = now;

	// given up: of the last answer, too
	await later(PING_MS / 1000);
	await later(DEADLINE_MS / 1000);
	assert.equal(home.live.state, 'lost');
	assert.equal(home.lostAt, again);
});

test('events that arrive prove a socket that has not answered yet',
	async (t) => {
		const s = scene(t);

		s.live.start();
		await s.settle();
		await s.open();
		await s.pass(PING_MS);
		s.last.onmessage({ data: '{"scope":"alarm"}' });
		await s.pass(DEADLINE_MS);
		assert.equal(s.sockets.length, 1);
		assert.deepEqual(s.seen, ['load', 'open', 'alarm']);
		// the next ping has a deadline of its own
		await s.pass(PING_MS + DEADLINE_MS);
		assert.equal(s.seen.at(-1), 'lost');
	});

test('pauses grow to their limit and end with a success', async (t) => {
	const s = scene(t);

	s.live.start();
	await s.settle();
	for (let i = 1; i < 9; i++) {
		const before = s.sockets.length;

		s.last.onclose();
		await s.pass(pauseMs(i, 1) - 1);
		assert.equal(s.sockets.length, before);
		await s.pass(1);
		assert.equal(s.sockets.length, before + 1);
	}
	await s.open();
	s.last.onclose();
	await s.pass(PAUSE_MIN_MS);
	assert.equal(s.sockets.length, 10);
	for (let i = 1; i < 99; i++)
		for (const random of [0, 0.5, 1]) {
			assert.ok(pauseMs(i, random) >= PAUSE_MIN_MS);
			assert.ok(pauseMs(i, random) <= PAUSE_MAX_MS);
		}
});

test('a service that accepts sockets and sends no state has growing pauses',
	async (t) => {
	const s = scene(t);

	s.busy(true);
	s.live.start();
	await s.settle();
	for (let i = 1; i < 9; i++) {
		const before = s.sockets.length, socket = s.last;

		await s.open();
		assert.ok(socket.closed);
		assert.equal(s.live.state, 'lost');
		await s.pass(pauseMs(i, 1) - 1);
		assert.equal(s.sockets.length, before);
		await s.pass(1);
		assert.equal(s.sockets.length, before + 1);
	}
	assert.ok(!s.seen.includes('open'));
	s.busy(false);
	await s.open();
	assert.equal(s.seen.at(-1), 'open');
	s.last.onclose();
	await s.pass(PAUSE_MIN_MS);
	assert.equal(s.sockets.length, 10);
	// a state that arrives after its socket was closed opens nothing
	const last = s.last;

	last.onopen();
	last.onclose();
	await s.settle();
	assert.equal(s.live.state, 'lost');
});

test('no answer to the handshake, no token, and the end of a session',
	async (t) => {
	const s = scene(t);

	s.live.start();
	await s.settle();
	await s.pass(PING_MS + DEADLINE_MS);
	assert.equal(s.seen.at(-1), 'lost');
	s.fail(new ApiError(0, 'the service does not answer'));
	await s.pass(PAUSE_MIN_MS);
	s.fail(null);
	await s.pass(PAUSE_MIN_MS * 2);
	assert.equal(s.sockets.length, 2);
	// the network is there again: at once
	s.last.onclose();
	s.live.hurry();
	await s.settle();
	assert.equal(s.sockets.length, 3);
	// a refusal may be an error of a moment
	s.fail(new ApiError(403, 'the session is over'));
	s.last.onclose();
	await s.pass(PAUSE_MAX_MS);
	s.fail(null);
	await s.pass(PAUSE_MAX_MS);
	assert.equal(s.sockets.length, 4);
	// the page asks for a login
	s.last.onclose();
	s.live.stop();
	await s.pass(PAUSE_MAX_MS * 4);
	assert.equal(s.sockets.length, 4);
	assert.ok(s.last.closed);
});

test('a login that another headend refuses is sent once', async (t) => {
	const s = scene(t, { endsRefused: true });

	s.live.start();
	await s.settle();
	s.fail(new ApiError(503, 'the password cannot be checked'));
	s.last.onclose();
	await s.pass(PAUSE_MIN_MS);
	assert.equal(s.live.state, 'lost');
	s.fail(new ApiError(403, 'wrong login'));
	await s.pass(PAUSE_MAX_MS);
	assert.equal(s.live.state, 'refused');
	s.fail(null);
	s.live.hurry();
	await s.pass(PAUSE_MAX_MS * 4);
	assert.equal(s.sockets.length, 1);
	// the user asks for another try
	s.live.start();
	await s.settle();
	assert.equal(s.sockets.length, 2);
	s.live.refuse();
	await s.pass(PAUSE_MAX_MS);
	assert.deepEqual([s.live.state, s.sockets.length, s.last.closed],
		['refused', 2, true]);
});

const config = (...ids) => ({ make_stream: ids.map((id) =>
	({ id, name: `n ${id}`, type: 'spts', enable: true })) });
const overview = (ids, more = {}) => ({ timestamp: 1, version: '1',
	system: {}, alarms: [], streams: ids.map((id) => ({ id, enable: true,
		state: 'on air', ok: true, onair: true, inputs: 2,
		active_input: 1, bitrate: 5, sessions: 0, alarms: [],
		input_faults: [], output_faults: [],
		worker: { state: 'running' }, ...more })) });
const second = (id, input_id, onair = true, bitrate = 8000) => ({
	scope: 'stream_event', channel_id: id, input_id, onair, bitrate,
	scrambled: false, cc_error: 0, pes_error: 0 });
const ids = (store) => [...store.streams.keys()].join(' ');

function filled(...all) {
	const store = new Store();

	store.load(config(...all));
	store.take(overview(all), 1000);
	return store;
}

test('alarms of inputs are those of their stream', () => {
	const store = new Store();

	store.load(config('a', 'b'));
	store.take({ ...overview(['a', 'b']), alarms: [
		{ channel_id: 'a', place: 2, alarm: 'cc', priority: 1 },
		{ channel_id: 'a', place: 'output', alarm: 'pts', priority: 2 },
		{ alarm: 'log', priority: 1 }] }, 1000);
	assert.deepEqual(store.streams.get('a').alarms,
		['input 2: cc', 'pts']);
	assert.deepEqual(store.streams.get('b').alarms, []);
	store.take(overview(['a', 'b']), 1001);
	assert.deepEqual(store.streams.get('a').alarms, []);
	// those that follow from others: under their cause
	store.take({ ...overview(['a', 'b']), alarms: [
		{ channel_id: 'a', place: 'output', alarm: 'cc', priority: 1,
			cause: 2 },
		{ channel_id: 'a', place: 2, alarm: 'cc', priority: 1 },
		{ channel_id: 'b', place: 1, alarm: 'cc', priority: 1,
			source: 'a' }] }, 1002);
	assert.deepEqual(store.streams.get('a').alarms, ['input 2: cc']);
	assert.deepEqual(store.streams.get('b').alarms,
		['input 1: cc (stream a)']);
});

test('the order is that of the configuration', () => {
	const store = filled('c', 'a', 'b');

	assert.equal(ids(store), 'c a b');
	store.take(overview(['a', 'b', 'c', 'd']), 1001);
	assert.equal(ids(store), 'c a b d');
	store.take(overview(['b', 'c']), 1002);
	assert.equal(ids(store), 'c b');
	assert.equal(store.streams.get('c').name, 'n c');
});

test('the second of a stream is that of its active input', () => {
	const store = filled('a', 'b');
	const rate = (id) => store.streams.get(id).rate(1000);

	// the active one is the first of each second
	for (const message of [second('a', 1, true, 10),
		second('a', 2, true, 20), second('b', 1, true, 30),
		second('a', 2, true, 40), second('a', 1, true, 50)])
		store.apply(message, 1000);
	assert.deepEqual([rate('a'), rate('b')], [40, 30]);
	// of one stream alone: the same input begins the next second
	store.apply(second('a', 1, true, 60), 1001);
	assert.equal(store.streams.get('a').rate(1001), 60);
	assert.equal(store.streams.get('a').ring.rate(1001), 60);
	store.apply(second('gone', 1), 1001);
	assert.equal(ids(store), 'a b');
});

test('a stream is off air with the event, and its reason is asked for',
	() => {
	const store = filled('a');
	const stream = store.streams.get('a');

	assert.equal(stream.mark(1000), 'on');
	assert.equal(store.wantsOverview, false);
	store.apply(second('a', 1), 1000);
	assert.equal(store.wantsOverview, false);
	store.apply(second('a', 1, false, 0), 1001);
	assert.equal(stream.mark(1001), 'fault');
	assert.equal(store.wantsOverview, true);
	// without events the overview counts again
	assert.equal(stream.mark(1010), 'on');
});

test('changes keep the place, removals with a successor are none', () => {
	const store = filled('a', 'b', 'c');
	const ring = store.streams.get('b').ring;
	const set = (stream) => store.apply({ scope: 'set-stream', stream });

	set({ id: 'b', remove: true, up: true });
	assert.equal(ids(store), 'a b c');
	set({ id: 'b', name: 'other', type: 'spts', enable: true });
	assert.equal(store.streams.get('b').name, 'other');
	// renamed
	set({ id: 'b', remove: true, up: true });
	set({ id: 'x', name: 'new id', type: 'spts', enable: true });
	assert.equal(ids(store), 'a x c');
	assert.equal(store.streams.get('x').ring, ring);
	assert.equal(store.streams.get('x').id, 'x');
	set({ id: 'd', name: 'D', type: 'spts', enable: true });
	set({ id: 'a', remove: true, up: false });
	set({ id: 'c', remove: true });
	assert.equal(ids(store), 'x d');
	set({ id: 'nobody', remove: true });
	set({ remove: true });
	set(null);
	assert.equal(ids(store), 'x d');
});

test('what an event does not carry is asked for', () => {
	const store = filled('a');

	store.apply({ scope: 'set-category', id: 1 });
	assert.equal(store.wantsConfig, true);
	store.apply({ scope: 'alarm', alarm: 'save' });
	assert.equal(store.wantsOverview, true);
	store.hold();
	assert.deepEqual([store.wantsOverview, store.wantsConfig],
		[false, false]);
	store.load(config('a'));
	store.take(overview(['a']), 1000);
	store.release(1000);
	store.apply({ scope: 'session_event', sessions: [] });
	store.apply({ scope: 'something new' });
	assert.deepEqual([store.wantsOverview, store.wantsConfig],
		[false, false]);
});

test('an event is newer than the reply that is awaited', () => {
	const store = filled('a', 'b', 'c');
	const ring = store.streams.get('b').ring;
	const set = (stream) => store.apply({ scope: 'set-stream', stream },
		1001);

	// the reply is older than all of them
	store.hold();
	set({ id: 'd', name: 'D', type: 'spts', enable: true });
	set({ id: 'a', remove: true });
	set({ id: 'b', remove: true, up: true });
	set({ id: 'x', name: 'X', type: 'spts', enable: true });
	store.apply(second('c', 1, false, 0), 1001);
	assert.equal(store.streams.get('c').mark(1001), 'fault');
	store.apply({ scope: 'set-category', id: 1 }, 1001);
	store.take(overview(['a', 'b', 'c']), 1002);
	store.release(1002);
	assert.equal(ids(store), 'x c d');
	assert.equal(store.streams.get('x').ring, ring);
	assert.equal(store.streams.get('d').name, 'D');
	assert.deepEqual([store.wantsOverview, store.wantsConfig],
		[true, true]);
	// the same events, which a newer reply contains already
	store.hold();
	set({ id: 'c', remove: true });
	set({ id: 'e', name: 'E', type: 'spts', enable: true });
	store.load(config('x', 'd', 'e'));
	store.take(overview(['x', 'd', 'e']), 1003);
	store.release(1003);
	assert.equal(ids(store), 'x d e');
	assert.equal(store.streams.get('e').name, 'E');
	// events that arrive later are not held
	set({ id: 'e', remove: true });
	assert.equal(ids(store), 'x d');
});

test('the page follows streams that others make and remove', async (t) => {
	let changes = 0, now = 1e9, streams = ['a', 'b'];
	const home = new Headend({ cmd: async () => config(...streams),
		get: async () => overview(streams) },
	{ changed: () => changes++, draw: () => {} });
	// with a request for the state each time
	const pass = async () => {
		changes = 0;
		now += 20000;
		return home.everySecond().then(() => changes);
	};

	t.mock.method(Date, 'now', () => now);
	home.live.state = 'open';
	await pass().then(pass); // the streams, and their configuration
	for (const [stream, left] of [[{ id: 'a', remove: true }, ['b']],
		[config('c').make_stream[0], ['b', 'c']]]) {
		streams = left;
		home.store.apply({ scope: 'set-stream', stream }, 1000);
		assert.deepEqual([await pass(), await pass()], [1, 0]);
		assert.equal(ids(home.store), left.join(' '));
	}
});

test('the configuration of an unknown stream is asked for', () => {
	const store = filled('a');

	assert.equal(store.wantsConfig, false);
	store.hold();
	store.take(overview(['a', 'b']), 1001);
	store.release(1001);
	assert.equal(store.wantsConfig, true);
	store.hold();
	store.load(config('a', 'b'));
	store.take(overview(['a', 'b']), 1002);
	store.release(1002);
	assert.equal(store.wantsConfig, false);
});
