// SPDX-License-Identifier: GPL-3.0-or-later
// rename: a new id costs a stream no viewer, no counter and no packet, and the
// streams that read it follow.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Ctl } from '../helpers/ctl.mjs';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { always, udpBound, waitUntil } from '../helpers/util.mjs';

const source = (id, more = {}) => stream(id, 'udp://127.0.0.1:5000',
	['udp://127.0.0.1:6000', 'http://127.0.0.1:8100/one'], more);
const reader = stream('b', ['stream://a#watchdog=9', 'udp://127.0.0.1:5009'],
	'udp://127.0.0.1:6001');
const followed = ['stream://news#watchdog=9', reader.input[1]];
const pids = (sluice) => sluice.workers().map(({ pid }) => pid).sort();
const sessions = async (sluice) => (await sluice.cmd('sessions')).sessions
	.map(({ channel_id: id, client_id: client }) => ({ id, client }));
const clean = (data) => {
	const { ccErrors, syncErrors, crcErrors } = checkTs(data);

	assert.equal(ccErrors + syncErrors + crcErrors, 0);
};

test('a renamed stream keeps its packets, viewers, counters and readers',
	async (t) => {
		const timing = new Timing(t);
		const recorder = await Recorder.start(t, { port: 6000 },
			{ port: 6001 });
		const sluice = await Sluice.start(t, config(source('a'),
			reader));
		await waitUntil('the input', () => udpBound(5000));
		const sender = await Sender.start(t, new TsMux(), 5000);
		const events = await sluice.events(t, '&scope=set-stream');

		await sluice.onair('b');
		const viewer = await Viewer.open(t, 8100, '/one');
		await waitUntil('the viewer', () => viewer.bytes > 300000);
		const before = await sluice.status('a');
		const running = pids(sluice);
		const [{ client }] = await waitUntil('the session',
			async () => {
				const list = await sessions(sluice);
				return list.length === 1 && list;
			});
		await events.wait('the viewer', (m) =>
			m.scope === 'session_event');
		events.messages.length = 0;
		// also in advance
		const { effects, warnings } = await sluice.cmd('set-stream',
			{ id: 'a', stream: source('news'), dry_run: true });

		assert.deepEqual(effects, { streams: [], viewers: 0,
			restart: false });
		assert.equal(warnings, undefined);
		const reply = await sluice.cmd('set-stream', { id: 'a',
			stream: source('news') });

		assert.equal(reply.warnings, undefined);
		await events.expectNews([
			{ scope: 'set-stream', stream: { id: 'a', remove: true,
				up: true } },
			{ scope: 'set-stream', gid: 466560, stream: {
				...source('news'), pmt_version: 1,
				sdt_version: 1 } },
			{ scope: 'set-stream', stream: { ...reader,
				input: followed } },
		]);
		assert.deepEqual((await sluice.json('/api/stream-info/b'))
			.input, followed);
		assert.equal((await sluice.get('/api/stream-info/a')).status,
			404);
		// the minute, the counters and the viewer stay
		const after = await sluice.status('news');
		timing.unlessHeldUp(sluice.log, [after], () =>
			assert.ok(after.onair));
		assert.ok(after.outputs[0].packets >=
			before.outputs[0].packets);
		await waitUntil('the session', async () =>
			assert.deepEqual(await sessions(sluice),
				[{ id: 'news', client }]) ?? true);
		const got = viewer.bytes;
		await waitUntil('more', () => viewer.bytes > got + 600000);
		// of the same second, in which no process was delayed
		await waitUntil('one rate of both', async () => {
			const [udp, http] = (await sluice.json(
				'/api/stream-outputs/news')).outputs;

			always(() => assert.equal(http.stats.peers, 1));
			always(() => assert.ok(http.packets > 0));
			assert.ok(udp.bitrate > 0 && Math.abs(
				http.bitrate - udp.bitrate) < 500,
			`${http.bitrate}, not ${udp.bitrate} kbit/s`);
			return true;
		});
		assert.deepEqual(pids(sluice), running);
		assert.ok(!viewer.ended);
		viewer.close();
		await recorder.all(sender);
		const log = sluice.log;
		const statuses = [await sluice.status('news'),
			await sluice.status('b')];
		const lists = await recorder.stop();
		timing.stop();
		timing.unlessHeldUp(log, statuses, () => {
			clean(viewer.data());
			assert.equal(joined(lists[0]).compare(new TsMux().take(
				sender.sent * 7)), 0);
			clean(joined(lists[1]));
			assert.ok(joined(lists[1]).length > 600000);
		});
		assert.match(log, /stream a: renamed to news/);
		assert.doesNotMatch(log, /is not there/);
		await sluice.stop();
	});

test('messages reach a renamed stream and its reader, also from the next ' +
	'control process', async (t) => {
	const sluice = await Sluice.start(t, config(source('a'), reader));
	const told = (pattern) => waitUntil(`${pattern}`, async () =>
		pattern.test((await sluice.json('/api/stream-inputs/b'))
			.inputs[0].error ?? ''));

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('b');
	const running = pids(sluice);
	await sluice.cmd('set-stream', { id: 'a', stream: source('news') });
	await sluice.cmd('restart');
	await waitUntil('the next one', () => /restarting/.test(sluice.log),
		20000);
	await sluice.ready();
	await sluice.onair('b');
	assert.deepEqual(pids(sluice), running);
	// the worker of the reader knows the new id
	await sluice.cmd('toggle-stream', { id: 'news' });
	await told(/stream news is not there, or not enabled/);
	await sluice.cmd('toggle-stream', { id: 'news' });
	await sluice.onair('b', 20000);
	// and back, while the old id is still that of a process that ends
	await sluice.cmd('set-stream', { stream: stream('gone', [], []) });
	await sluice.cmd('set-stream', { id: 'gone',
		stream: { remove: true } });
	await sluice.cmd('set-stream', { id: 'news', stream: source('gone') });
	await sluice.onair('gone');
	await sluice.onair('b');
	await sluice.stop();
});

test('a removed or disabled stream names its readers in answer and log',
	async (t) => {
		const sluice = await Sluice.start(t, config(source('a'),
			reader, { ...reader, id: 'c', output: [] },
			{ ...reader, id: 'd', output: [], enable: false }));
		const expect = async (name, fields, what) => {
			const { length } = sluice.log;
			const { warnings } = await sluice.cmd(name, fields);

			assert.deepEqual(warnings, [`${what}, but stream:// ` +
				'inputs of b, c read it']);
			await waitUntil('the log', () => sluice.log
				.slice(length).includes('inputs of b, c'));
		};

		await expect('toggle-stream', { id: 'a' },
			'stream.enable: the stream is disabled');
		await expect('set-stream', { id: 'a', stream: source('a',
			{ enable: false }) },
		'stream.enable: the stream is disabled');
		assert.equal((await sluice.cmd('toggle-stream', { id: 'a' }))
			.warnings, undefined);
		const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
		const { out, err } = await ctl.run(['stream', 'toggle', 'a']);
		assert.equal(out, 'a: disabled\n');
		assert.match(err, /^sluicectl: warning: .* of b, c read it\n$/);
		// SIGHUP: the same list in the log
		const reload = async (edit, what) => {
			const { length } = sluice.log;
			const document = await sluice.cmd('load');

			await waitUntil('the save', () => isDeepStrictEqual(
				JSON.parse(fs.readFileSync(sluice.file,
					'utf8')), document));
			edit(document.make_stream);
			fs.writeFileSync(sluice.file, JSON.stringify(document));
			process.kill(sluice.pid, 'SIGHUP');
			await waitUntil('the reload', () => sluice.log
				.slice(length).includes('reloaded'));
			const said = sluice.log.slice(length);

			assert.equal(said.includes(`${what}, but stream:// ` +
				'inputs of b, c read it'), what !== '', said);
		};

		await sluice.cmd('toggle-stream', { id: 'a' });
		await reload(([a]) => { a.enable = false; },
			'stream a: enable: the stream is disabled');
		await reload(([a]) => { a.enable = true; }, '');
		await reload(([a]) => { a.id = 'other'; },
			'stream a: the stream is removed');
		await reload(([a]) => { a.id = 'a'; }, '');
		await reload((list) => list.shift(),
			'stream a: the stream is removed');
		await sluice.cmd('set-stream', { stream: source('a') });
		await expect('set-stream', { id: 'a',
			stream: { remove: true } },
		'stream: the stream is removed');
		await sluice.stop();
	});
