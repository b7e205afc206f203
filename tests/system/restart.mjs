// SPDX-License-Identifier: GPL-3.0-or-later
// restart: the control process is replaced, and streams and viewers do not
// notice.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, request, sanitized, stream }
	from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Timing } from '../helpers/timing.mjs';
import { DATAGRAM, Recorder, Sender, joined } from '../helpers/udp.mjs';
import { now, run, sleep, udpBound, waitUntil } from '../helpers/util.mjs';

const N = 4;
const ids = Array.from({ length: N }, (_, i) => `a00${i}`);
const BACK_MS = sanitized ? 6000 : 2000;

const loaded = () => config(...ids.map((id, i) => stream(id,
	`udp://127.0.0.1:${5000 + i}`, [`udp://127.0.0.1:${6000 + i}`,
		`http://127.0.0.1:8100/${id}`])));

const pids = (sluice) => sluice.workers()
	.filter((w) => w.role !== 'auth')
	.map((w) => `${w.role} ${w.object} ${w.pid}`).sort();

const openFds = (pid) => fs.readdirSync(`/proc/${pid}/fd`).length;

const restarts = (sluice) => (sluice.log.match(/restarting/g) ?? []).length;

// All at once: streams, a viewer of each, and recordings of what they send.
async function underLoad(t) {
	const sluice = await Sluice.start(t, loaded());
	const recorder = await Recorder.start(t,
		...ids.map((_, i) => ({ port: 6000 + i })));

	await waitUntil('inputs', () =>
		ids.every((_, i) => udpBound(5000 + i)));
	const senders = await Promise.all(ids.map((_, i) =>
		Sender.start(t, new TsMux({ rate: 2e6 }), 5000 + i)));
	for (const id of ids)
		await sluice.onair(id);
	const viewers = await Promise.all(ids.map((id) =>
		Viewer.open(t, 8100, `/${id}`)));
	await waitUntil('pictures', () =>
		viewers.every((v) => v.bytes > 100000));
	return { sluice, recorder, senders, viewers,
		begun: sluice.log.length };
}

// No output lost or changed a packet, no viewer was disconnected.
async function assertUnharmed(timing, load) {
	const { sluice, recorder, senders, viewers, begun } = load;
	const before = viewers.map((v) => v.bytes);

	await waitUntil('viewers continue', () => viewers.every((v, i) =>
		v.bytes > before[i] + 100000 && !v.ended));
	const log = sluice.log.slice(begun);
	await recorder.all(...senders);
	const lists = await recorder.stop();
	timing.stop();
	const statuses = await Promise.all(ids.map((id) => sluice.status(id)));
	timing.unlessHeldUp(log, statuses, () => {
		lists.forEach((list, i) => {
			const sent = new TsMux({ rate: 2e6 })
				.take(senders[i].sent * 7);
			const where = joined(list).compare(sent.subarray(0,
				list.length * DATAGRAM)) === 0 ? 'at the end' :
				'in between';
			assert.equal(joined(list).compare(sent), 0,
				`output ${i}: ${list.length} of ` +
				`${senders[i].sent}, ${where}; ` +
				sluice.log.slice(-2000));
		});
		for (const viewer of viewers) {
			const seen = checkTs(viewer.data().subarray(0,
				Math.floor(viewer.bytes / 188) * 188));
			assert.equal(seen.ccErrors + seen.syncErrors, 0);
		}
	});
	assert.ok(viewers.every((viewer) => !viewer.ended));
}

// Connects all the time; returns the rejected and unanswered connections.
function knock(port) {
	const seen = { asked: 0, refused: 0, answered: 0, darkMs: 0 };
	let going = true, last = now();

	const one = () => new Promise((done) => {
		const call = http.get({ host: '127.0.0.1', port, agent: false,
			path: '/api/system-status' }, (reply) => {
			reply.resume();
			reply.on('close', done);
			seen.answered++;
			seen.darkMs = Math.max(seen.darkMs, now() - last);
			last = now();
		});
		seen.asked++;
		call.on('error', (error) => {
			seen.refused += error.code === 'ECONNREFUSED';
			done();
		});
	});
	const loop = (async () => {
		while (going) {
			await one();
			await sleep(2);
		}
	})();
	return { seen, stop: async () => { going = false; await loop; } };
}

async function restarted(sluice, action) {
	const n = restarts(sluice);

	await action();
	await waitUntil('restart', () => restarts(sluice) > n);
	await sluice.ready();
}

test('a restart loses no packet, no viewer and no connection', async (t) => {
		const timing = new Timing(t);
		const load = await underLoad(t);
		const { sluice } = load;
		const uptime = async () => (await sluice.json(
			'/api/system-status')).app_uptime;
		const up = await waitUntil('two seconds', async () => {
			const s = await uptime();
			return s >= 2 && s;
		});
		const events = await sluice.events(t);
		const before = pids(sluice);
		const knocker = knock(sluice.port);

		await restarted(sluice, () => sluice.cmd('restart'));
		assert.equal(await events.waitClosed(), 1001);
		// as after an upgrade of the package
		await restarted(sluice, () =>
			process.kill(sluice.pid, 'SIGUSR2'));
		const { answered } = knocker.seen;
		await waitUntil('answers', () =>
			knocker.seen.answered > answered + 50);
		await knocker.stop();
		t.diagnostic(JSON.stringify(knocker.seen));
		assert.equal(knocker.seen.refused, 0);
		timing.assert(knocker.seen.darkMs < BACK_MS,
			`${knocker.seen.darkMs} ms without an answer`);
		assert.deepEqual(pids(sluice), before);
		assert.ok(await uptime() >= up);
		for (const id of ids) {
			const status = await sluice.onair(id);
			assert.equal(status.restarts ?? 0, 0);
		}
		await assertUnharmed(timing, load);
		const { code } = await sluice.stop();
		assert.equal(code, 0, sluice.log.slice(-2000));
	});

test('the last minute and the last hour survive a restart', async (t) => {
	const timing = new Timing(t);
	const { sluice } = await underLoad(t);
	const minute = () => sluice.json(`/api/stream-status/${ids[0]}`);
	const hour = () => sluice.json(`/api/history/${ids[0]}`);

	await waitUntil('three seconds', async () =>
		(await minute()).packets > 3 * 1000);
	const before = await minute();
	const past = await hour();
	await restarted(sluice, () => sluice.cmd('restart'));
	const next = await hour();
	assert.equal(next.first, past.first);
	for (const [name, list] of Object.entries(past.columns))
		assert.deepEqual(next.columns[name].slice(0, list.length - 1),
			list.slice(0, -1), name);
	const after = await minute();
	assert.ok(after.packets >= before.packets,
		`${after.packets} of ${before.packets}`);
	timing.unlessHeldUp(sluice.log, [after], () =>
		assert.equal(after.onair, true));
	await sluice.stop();
});

// Its worker for viewers stands still: the new master has no report of it.
test('the viewers are counted before their worker reports them', async (t) => {
	const timing = new Timing(t);
	const { sluice, viewers } = await underLoad(t);
	const sessions = async () => {
		const { streams } = await sluice.json('/api/overview');

		return ids.map((id) => streams.find((s) => s.id === id)
			.sessions);
	};

	await Viewer.open(t, 8100, `/${ids[0]}`);
	await waitUntil('viewers', async () =>
		(await sessions()).join() === '2,1,1,1');
	const { pid } = sluice.worker('deliver');
	const begin = now();

	process.kill(pid, 'SIGSTOP');
	await restarted(sluice, () => sluice.cmd('restart'));
	const counted = await sessions();

	// its end is seen a moment later than its viewers go
	if (sluice.worker('deliver')?.pid !== pid || now() - begin > 2500) {
		timing.assert(false, 'silent for 3 s, the worker was replaced');
		return;
	}
	assert.deepEqual(counted, [2, 1, 1, 1]);
	// the first report is the truth, also of a path without viewers
	viewers[1].close();
	process.kill(pid, 'SIGCONT');
	await waitUntil('the report', async () =>
		(await sessions()).join() === '2,0,1,1');
	assert.equal(sluice.worker('deliver').pid, pid);
	await sluice.stop();
});

test('settings that changed with the restart take effect', async (t) => {
	const sluice = await Sluice.start(t, loaded());

	await waitUntil('inputs', () =>
		ids.every((_, i) => udpBound(5000 + i)));
	await waitUntil('deliver', () => sluice.worker('deliver'));
	const before = pids(sluice);
	await restarted(sluice, () => sluice.cmd('set-settings', {
		settings: { instance_name: 'second' }, restart: true }));
	const { instance } = await sluice.json('/api/system-status');
	assert.equal(instance, 'second');
	await sluice.cmd('set-config', { key: 'x', data: 1 });
	await restarted(sluice, () => sluice.cmd('restart'));
	assert.equal((await sluice.cmd('load')).x, 1);
	assert.deepEqual(pids(sluice), before);
	await sluice.stop();
});

test('a restart applies the new configuration, other streams keep running',
	async (t) => {
		const sluice = await Sluice.start(t, loaded());

		await waitUntil('inputs', () =>
			ids.every((_, i) => udpBound(5000 + i)));
		await waitUntil('all', () => pids(sluice).length === N + 1);
		const before = pids(sluice);
		const next = await sluice.cmd('load');
		next.make_stream[0].output = ['udp://127.0.0.1:6100'];
		next.make_stream.splice(1, 1);
		next.make_stream[1].enable = false;
		next.make_stream.push(stream('new', 'udp://127.0.0.1:5900',
			'http://127.0.0.1:8100/new'));
		await sluice.cmd('upload', { config: next });
		await restarted(sluice, () => sluice.cmd('restart'));
		const stay = before.filter((w) => w.includes(ids[3]) ||
			w.includes('deliver'));
		// the old workers need time to end
		await waitUntil('the new ones', () => {
			const after = pids(sluice);
			assert.deepEqual(after.filter((w) =>
				before.includes(w)), stay);
			assert.equal(after.length, 4);
			return ['new', ids[0]].every((id) => after.some((w) =>
				w.startsWith(`stream ${id} `))) &&
				udpBound(5900) && udpBound(5000) &&
				!udpBound(5001) && !udpBound(5002);
		});
		await Sender.start(t, new TsMux(), 5900);
		await sluice.onair('new');
		const viewer = await Viewer.open(t, 8100, '/new');
		await waitUntil('a picture', () => viewer.bytes > 50000);
		// the status of removed streams is after that of new ones
		await waitUntil('an end of the old path', async () =>
			(await request(8100, { method: 'HEAD',
				path: `/${ids[1]}` })).status === 404);
		await sluice.stop();
	});

test('20 restarts leak nothing', async (t) => {
	const timing = new Timing(t);
	const load = await underLoad(t);
	const { sluice } = load;
	const before = pids(sluice);
	const fds = [];
	// settings that were changed by hand ask for a restart without delay
	const byHand = (i) => () => {
		fs.writeFileSync(sluice.file, JSON.stringify({ ...loaded(),
			settings: { instance_name: `number ${i}` } }));
		sluice.child.kill('SIGHUP');
	};

	for (let i = 0; i < 20; i++) {
		const often = i % 5 !== 0;

		await restarted(sluice, often ? byHand(i) :
			() => sluice.cmd('restart'));
		if (!often)
			await sluice.waitStatus(ids[0], 'its viewer',
				(s) => s.sessions === 1);
		// some are open for a moment
		fds.push(await waitUntil('no descriptor more', () => {
			const n = openFds(sluice.pid);
			assert.ok(i < 2 || n <= fds[1] + 1, `${fds} ${n}`);
			return n;
		}));
	}
	t.diagnostic(`descriptors: ${fds.join(' ')}`);
	assert.deepEqual(pids(sluice), before);
	await assertUnharmed(timing, load);
	await sluice.stop();
});

test('a worker that ends after a restart is replaced as before', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, loaded());

	await waitUntil('all', () => pids(sluice).length === N + 1);
	await waitUntil('inputs', () =>
		ids.every((_, i) => udpBound(5000 + i)));
	await restarted(sluice, () => sluice.cmd('restart'));
	const { pid } = sluice.worker('stream', ids[1]);
	process.kill(pid, 'SIGKILL');
	await timing.within(1500, sluice.replaced('stream', ids[1], pid));
	const deliver = sluice.worker('deliver').pid;
	process.kill(deliver, 'SIGKILL');
	await timing.within(1500,
		sluice.replaced('deliver', undefined, deliver));
	await Sender.start(t, new TsMux(), 5001);
	await sluice.onair(ids[1]);
	const viewer = await Viewer.open(t, 8100, `/${ids[1]}`);
	await waitUntil('a picture', () => viewer.bytes > 50000);
	await sluice.stop();
});

test('an invalid configuration file prevents the restart', async (t) => {
	const sluice = await Sluice.start(t, loaded());

	await waitUntil('all', () => pids(sluice).length === N + 1);
	const before = pids(sluice);
	const events = await sluice.events(t);
	fs.writeFileSync(sluice.file, '{');
	const reply = await sluice.post({ cmd: 'restart' });
	assert.equal(reply.status, 503);
	assert.match(reply.body, /exit code 79: master: configuration file: /);
	// a setting that asks for a restart by itself has the same fate
	sluice.child.kill('SIGHUP');
	await sluice.logged(/SIGHUP: reload failed, nothing changed/);
	await sluice.logged(/cannot restart, the running program continues/);
	assert.equal(events.closed, null);
	assert.deepEqual(pids(sluice), before);
	await sluice.stop();
});

// The leak check of sanitizers needs a process that nothing traces.
test('a signal during the start waits until it is over',
	{ skip: sanitized }, async (t) => {
	const { code } = await run('strace', ['-o', '/dev/null', 'true'])
		.catch(() => ({}));

	if (code !== 0)
		return t.skip('strace cannot trace here');
	for (const [name, pattern] of [['USR2', /restarting: the streams/],
		['HUP', /SIGHUP: configuration reloaded/]]) {
		const sluice = await Sluice.start(t, config(), {
			through: ['strace', '-D', '-o', '/dev/null',
				'-e', 'trace=listen',
				'-e', `inject=listen:signal=${name}:when=1`] });

		await sluice.logged(pattern);
		await sluice.ready();
		await sluice.stop();
	}
	return undefined;
});
