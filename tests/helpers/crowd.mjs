// SPDX-License-Identifier: GPL-3.0-or-later
// A headend of 1,000 streams for the page, and what the browser does with it.
import { FakeService } from './fake-service.mjs';

export const STREAMS = 1000;

export const id = (i) => `s${String(i).padStart(4, '0')}`;
export const config = { categories: [{ name: 'Type', groups: [{ name: 'A' },
	{ name: 'B' }] }],
make_stream: Array.from({ length: STREAMS }, (_, i) => ({ id: id(i),
	name: `Stream ${i}`, type: 'spts', enable: true,
	input: [`udp://239.1.1.1:${i + 1}`], output: [],
	groups: { Type: 'AB'[i % 2] } })) };

export const overview = () => ({ timestamp: Math.floor(Date.now() / 1000),
	version: '1', alarms: [], adapters: [], softcams: [],
	system: { cpu_cores: 2, sys_cpu_usage: 20, sys_mem_usage: 5 },
	streams: config.make_stream.map((one, i) => ({ id: one.id,
		name: one.name, type: 'spts', enable: true, state: 'on air',
		ok: i > 2, onair: i > 2, inputs: 1, active_input: 1,
		bitrate: 8000, sessions: i % 7, alarms: [], input_faults: [],
		output_faults: [], worker: { state: 'running' },
		...i > 2 ? {} : { error: 'no packets',
			off_since: 1, state: 'OFF AIR' } })) });
const replies = { whoami: () => ({ login: '-', type: 1 }),
	'ws-token': () => ({ token: 'x' }), load: () => config,
	'api/overview': overview };

export const event = (i, second) => ({ scope: 'stream_event', channel_id: id(i),
	input_id: 1, onair: i > 2, bitrate: i > 2 ? 7000 + (second * 7 + i) %
		2000 : 0, scrambled: false, cc_error: second % 50 === i % 50 ?
		1 : 0, pes_error: 0 });

// Notes what the browser does: long tasks, moved content, banners, events of
// streams, when all tiles are there, how many came at once, and how long keys
// and clicks wait for a frame.
export const watchWork = () => {
	const Socket = WebSocket;

	globalThis.work = { longest: 0, tasks: 0, shift: 0, moves: 0, moved: [],
		banners: new Set(), messages: 0, complete: 0, tiles: 0,
		slice: 0, waits: {} };
	globalThis.WebSocket = class extends Socket {
		constructor(...args) {
			super(...args);
			work.socket = this;
			this.addEventListener('message', ({ data }) => {
				if (data.includes('"stream_event"'))
					work.messages++;
			});
		}
	};
	const tiles = new MutationObserver(() => {
		const n = document.getElementsByClassName('tile').length;

		work.slice = Math.max(work.slice, n - work.tiles);
		work.tiles = n;
		if (n < 1000)
			return;
		work.complete = performance.now();
		tiles.disconnect();
	});

	tiles.observe(document, { childList: true, subtree: true });
	new PerformanceObserver((list) => {
		for (const { interactionId: id, duration } of list.getEntries())
			if (id > 0)
				work.waits[id] = Math.max(work.waits[id] ?? 0,
					duration);
	}).observe({ type: 'event', durationThreshold: 16 });
	new MutationObserver(() => {
		for (const one of document.querySelectorAll('.banners p'))
			work.banners.add(one.textContent.trim());
	}).observe(document, { childList: true, subtree: true });
	new PerformanceObserver((list) => {
		for (const { duration } of list.getEntries()) {
			work.tasks++;
			work.longest = Math.max(work.longest, duration);
		}
	}).observe({ type: 'longtask' });
	new PerformanceObserver((list) => {
		for (const { hadRecentInput, value, sources } of
			list.getEntries()) {
			if (hadRecentInput)
				continue;
			work.shift += value;
			// of the list of what is wrong, the newest in front,
			// and of the name behind a new mark
			if (!sources.every(({ node }) => node?.parentElement
				?.closest('.wrong, .tile')))
				work.moves += value;
			work.moved = [...work.moved, ...sources.map(
				({ node }) => node?.outerHTML?.slice(0, 90))]
				.slice(-20);
		}
	}).observe({ type: 'layout-shift', buffered: true });
};

/*
 * n ticks, each after the action that brings the values: the ms of the scripts
 * of each.  cost: called with the drawing to measure it.
 */
export async function drawTicks({ page }, n, action, cost = (draw) => draw()) {
	const list = [];
	const draw = () => new Promise((done) => {
		const begin = performance.now();

		document.dispatchEvent(new Event('visibilitychange'));
		const took = performance.now() - begin;

		requestAnimationFrame(() => requestAnimationFrame(() =>
			done(took)));
	});

	for (let i = 0; i < n; i++) {
		await action(i);
		await cost(async () => {
			list.push(await page.evaluate(draw));
		});
	}
	return list;
}

// Bytes of the heap that are in use after a collection.
export async function heap(visitor) {
	const session = await visitor.context.newCDPSession(visitor.page);

	await session.send('HeapProfiler.collectGarbage');
	const { usedSize } = await session.send('Runtime.getHeapUsage');

	await session.detach();
	return usedSize;
}

// Bytes of what the scripts have: the heap without their compiled code, of
// which the browser makes more for hours, and without its own objects.
export async function objects(visitor) {
	const session = await visitor.context.newCDPSession(visitor.page);
	const parts = [];

	session.on('HeapProfiler.addHeapSnapshotChunk',
		({ chunk }) => parts.push(chunk));
	await session.send('HeapProfiler.takeHeapSnapshot');
	await session.detach();
	const { snapshot: { meta }, nodes } = JSON.parse(parts.join(''));
	const { node_fields: fields, node_types: [types] } = meta;
	const type = fields.indexOf('type'), size = fields.indexOf('self_size');
	let sum = 0;

	for (let i = 0; i < nodes.length; i += fields.length)
		if (!['code', 'native'].includes(types[nodes[i + type]]))
			sum += nodes[i + size];
	return sum;
}

// Seconds of all streams, in batches as the service sends them.
export async function play(service, from, seconds, speed) {
	for (let second = from; second < from + seconds; second++) {
		const list = Array.from({ length: STREAMS },
			(_, i) => JSON.stringify(event(i, second)));

		for (let at = 0; at < STREAMS; at += 100) {
			service.send(list.slice(at, at + 100));
			await new Promise((done) =>
				setTimeout(done, 100 / speed));
			await service.drained();
		}
	}
}

// Waits until the page has stored the events of so many seconds, or receives no
// more of them.
export const received = (visitor, seconds) => visitor.until((n) => {
	const { work } = globalThis, at = performance.now();

	if (work.seen !== work.messages) {
		work.seen = work.messages;
		work.seenAt = at;
	}
	return work.messages >= n || at - work.seenAt > 3000;
}, seconds * STREAMS);

// answer: of replies beside the usual ones, or undefined
export const startCrowd = (t, answer = () => undefined) => FakeService.start(t,
	async (name, body, query) => await answer(name, query) ??
		replies[name]());
