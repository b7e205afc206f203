// SPDX-License-Identifier: GPL-3.0-or-later
// crash: under a service manager that keeps descriptors, the master's death
// costs the control interface a moment and the streams nothing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, request, sanitized, stream }
	from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { now, sleep, udpBound, waitUntil } from '../helpers/util.mjs';

const N = 4;
const ids = Array.from({ length: N }, (_, i) => `a00${i}`);
const BACK_MS = sanitized ? 6000 : 2000;
const KILLS = 10;

const loaded = () => config(...ids.map((id, i) => stream(id,
	`udp://127.0.0.1:${5000 + i}`, [`udp://127.0.0.1:${6000 + i}`,
		`http://127.0.0.1:8100/${id}`])));

const pids = (sluice) => sluice.workers()
	.filter((w) => w.role !== 'auth')
	.map((w) => `${w.role} ${w.object} ${w.pid}`).sort();

// The descriptors that the manager stores: channel and process of each worker,
// rings, memories, the listeners of viewers and of the control port, the lock,
// two documents.
const KEPT = 2 * (N + 1) + 2 * N + 2 + 1 + 2;

async function managed(t) {
	const sluice = await Sluice.start(t, loaded(), { managed: true });

	await waitUntil('inputs', () =>
		ids.every((_, i) => udpBound(5000 + i)));
	await waitUntil('all is kept', () => sluice.kept === KEPT);
	// and is stored in the same turn, before the next one answers
	await sluice.ready();
	return sluice;
}

// kill -9; the time until the API answers again.
async function crash(sluice) {
	const { pid } = sluice;
	const begin = now();

	process.kill(pid, 'SIGKILL');
	await waitUntil('a new master', () => sluice.pid !== pid);
	await sluice.ready();
	return now() - begin;
}

test(`${KILLS} times kill -9 of the master: streams and clients continue`,
	async (t) => {
	const timing = new Timing(t);
	const sluice = await managed(t);
	const recorder = await Recorder.start(t,
		...ids.map((_, i) => ({ port: 6000 + i })));
	const senders = await Promise.all(ids.map((_, i) =>
		Sender.start(t, new TsMux({ rate: 2e6 }), 5000 + i)));
	const viewers = await Promise.all(ids.map((id) =>
		Viewer.open(t, 8100, `/${id}`)));
	const before = pids(sluice);
	const back = [];
	const threads = async () => (await sluice.json(
		'/api/system-status?t=0')).app_threads;
	const counted = await threads();

	assert.equal(before.length, N + 1);
	for (let i = 0; i < KILLS; i++) {
		back.push(Math.round(await crash(sluice)));
		await sluice.waitStatus(ids[i % N], 'its viewer',
			(s) => s.onair && s.sessions === 1);
		await sleep(i * 37 % 200);
	}
	t.diagnostic(`the API was back after ${back.join(' ')} ms`);
	timing.assert(Math.max(...back) < BACK_MS);
	assert.deepEqual(pids(sluice), before);
	// the workers, children of init by now, count as before; the master
	// may have a helper thread less
	await waitUntil('all threads', async () =>
		await threads() > counted - N);
	const { log } = sluice;
	// no line about a process that has ended already
	assert.doesNotMatch(log, /pid 0\b/);
	await recorder.all(...senders);
	const lists = await recorder.stop();
	if (timing.heldUp(log, ...await Promise.all(
		ids.map((id) => sluice.status(id))))) {
		await sluice.stop();
		return;
	}
	lists.forEach((list, i) =>
		assert.equal(joined(list).compare(new TsMux({ rate: 2e6 })
			.take(senders[i].sent * 7)), 0, `output ${i}`));
	for (const viewer of viewers) {
		const seen = checkTs(viewer.data().subarray(0,
			Math.floor(viewer.bytes / 188) * 188));
		assert.equal(seen.ccErrors + seen.syncErrors, 0);
		assert.equal(viewer.ended, false);
	}
	await waitUntil('nothing more is kept', () => {
		assert.equal(sluice.kept, KEPT, sluice.child.text.out);
		return true;
	});
	const { code, ms } = await sluice.stop();
	assert.equal(code, 0);
	timing.assert(ms < 5000, `${ms} ms`);
});

// The documents that the manager stores.
const documents = (sluice) => {
	const dir = `/proc/${sluice.child.pid}/fd`;

	return fs.readdirSync(dir).map((fd) => path.join(dir, fd))
		.filter((file) => fs.readlinkSync(file).includes('handover'))
		.map((file) => fs.readFileSync(file, 'utf8'));
};

test('alarms and off_since from before a crash are those behind it',
	async (t) => {
	const sluice = await managed(t);
	const offSince = async () => (await sluice.status('a000')).off_since;
	const alarmsOf = async () => (await sluice.json('/api/overview'))
		.alarms.filter((a) => a.channel_id === 'a000' && a.since)
		.map(({ alarm, since }) => ({ alarm, since }));
	// nothing is sent to the input
	const before = await waitUntil('alarms', async () => {
		const list = await alarmsOf();

		return list.length > 0 && list;
	});

	await waitUntil('a later second, and the stored document', () =>
		Date.now() / 1000 > before[0].since + 2 &&
		documents(sluice).some((text) => JSON.parse(text).history
			?.streams.a000?.raised.length > 0));
	const off = await offSince();
	await crash(sluice);
	const events = await sluice.events(t, '&scope=alarm');
	assert.equal(await offSince(), off);
	assert.deepEqual((await alarmsOf()).filter((one) =>
		before.some(({ alarm }) => alarm === one.alarm)), before);
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	const cleared = (m) => m.channel_id === 'a000' &&
		m.alarm === before[0].alarm && !m.raised;
	await events.wait('its end', cleared);
	assert.deepEqual(events.scope('alarm').filter((m) => m.raised &&
		m.channel_id === 'a000' && m.alarm === before[0].alarm), []);
	await sluice.stop();
});

test('connections to a dead master wait and are answered', async (t) => {
	const sluice = await managed(t);

	process.kill(sluice.pid, 'SIGKILL');
	const replies = await Promise.all(Array.from({ length: 50 }, () =>
		request(sluice.port, { path: '/api/system-status' })));
	assert.deepEqual(replies.map((r) => r.status),
		Array(50).fill(200));
	await sluice.stop();
});

test('workers that ended, hung or changed meanwhile are restored',
	async (t) => {
	const timing = new Timing(t);
	const sluice = await managed(t);
	const before = ids.map((id) => sluice.worker('stream', id).pid);

	await sluice.cmd('set-stream', { id: ids[3], stream: {
		...stream(ids[3], 'udp://127.0.0.1:5003',
			'udp://127.0.0.1:6103') } });
	await sluice.replaced('stream', ids[3], before[3]);
	process.kill(before[1], 'SIGSTOP');
	process.kill(sluice.pid, 'SIGKILL');
	process.kill(before[0], 'SIGKILL');
	await sluice.ready();
	const replaced = await sluice.replaced('stream', ids[0], before[0]);
	await timing.within(6000,
		sluice.replaced('stream', ids[1], before[1]));
	assert.equal(sluice.worker('stream', ids[2]).pid, before[2]);
	await waitUntil('inputs', () =>
		ids.every((_, i) => udpBound(5000 + i)));
	assert.equal(sluice.worker('stream', ids[0]).pid, replaced.pid);
	for (const [i, id] of ids.entries()) {
		await Sender.start(t, new TsMux(), 5000 + i);
		await sluice.onair(id);
	}
	assert.equal(sluice.workers().filter((w) =>
		w.role === 'stream').length, N);
	await sluice.stop();
});

test('a restart and a crash after it, and one before all streams have started',
	async (t) => {
		const sluice = await managed(t);
		const before = pids(sluice);
		const { pid } = sluice;

		await sluice.cmd('restart');
		await waitUntil('restart', () =>
			sluice.log.includes('restarting'));
		await sluice.ready();
		assert.equal(sluice.pid, pid);
		assert.deepEqual(pids(sluice), before);
		await crash(sluice);
		assert.deepEqual(pids(sluice), before);

		// kills at any moment of a start leave neither orphan nor twin
		for (let i = 0; i < 10; i++) {
			const old = sluice.pid;

			process.kill(old, 'SIGKILL');
			await waitUntil('the next', () => sluice.pid !== old);
			await sleep(i * 7);
		}
		await sluice.ready();
		await waitUntil('one of each', () =>
			pids(sluice).length === N + 1);
		await sluice.stop();
	});

// The documents that the manager keeps.
function keptDocuments(sluice) {
	const dir = `/proc/${sluice.child.pid}/fd`;

	return fs.readdirSync(dir).map((fd) => path.join(dir, fd))
		.filter((file) => /memfd:handover/.test(fs.readlinkSync(file)))
		.map((file) => fs.readFileSync(file, 'utf8'));
}

// It would be that of an earlier moment.
test('the manager keeps no configuration of a restart', async (t) => {
	const sluice = await managed(t);

	assert.equal(keptDocuments(sluice).length, 2);
	await sluice.cmd('restart');
	await waitUntil('the next program', () =>
		sluice.log.match(/sluice \S+, configuration/g).length === 2);
	for (const text of keptDocuments(sluice))
		assert.doesNotMatch(text, /"configuration"|make_stream/);
	await sluice.ready();
	await sluice.stop();
});

test('when the manager stops the service for good, no process remains',
	async (t) => {
	const sluice = await managed(t);

	sluice.child.kill('SIGKILL');
	process.kill(sluice.pid, 'SIGKILL');
	await waitUntil('the end of all', () =>
		sluice.workers().length === 0);
});
