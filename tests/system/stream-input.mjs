// SPDX-License-Identifier: GPL-3.0-or-later
// inputs, stream://: one stream receives the output of another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areDue } from '../helpers/alarms.mjs';
import { Ctl } from '../helpers/ctl.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const faults = (list) => {
	const { ccErrors, syncErrors, crcErrors } = checkTs(joined(list));

	return ccErrors + syncErrors + crcErrors;
};
// The outputs of these streams.
async function assertWhole(timing, sluice, ids, lists) {
	const statuses = await Promise.all(ids.map((id) => sluice.status(id)));

	timing.unlessHeldUp('', statuses, () => {
		for (const list of lists) {
			assert.ok(list.length > 100);
			assert.equal(faults(list), 0);
		}
	});
}
const source = (more = {}) => stream('a', 'udp://127.0.0.1:5000',
	'udp://127.0.0.1:6000', more);
const reader = (...inputs) => stream('b', ['stream://a', ...inputs],
	'udp://127.0.0.1:6001');
const told = (sluice, pattern) => waitUntil(`${pattern}`, async () =>
	pattern.test((await sluice.json('/api/stream-inputs/b')).inputs[0]
		.error ?? ''));

test('a stream is read by another, whichever started first', async (t) => {
	const timing = new Timing(t);

	for (const streams of [[source(), reader()], [reader(), source()]]) {
		const recorder = await Recorder.start(t, { port: 6000 },
			{ port: 6001 });
		const sluice = await Sluice.start(t, config(...streams));
		await waitUntil('the input', () => udpBound(5000));
		const sender = await Sender.start(t, new TsMux(), 5000);

		await sluice.onair('a');
		await sluice.waitStatus('b', 'its rate', (s) =>
			Math.abs(s.bitrate - 2000) < 150);
		await recorder.all(sender);
		const lists = await recorder.stop();
		await assertWhole(timing, sluice, ['a', 'b'], lists);
		assert.doesNotMatch(sluice.log, /is not there/);
		await sluice.stop();
	}
});

test('a reader that starts later costs its source no packet', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(source()));
	await waitUntil('the input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);

	await sluice.onair('a');
	const { length } = sluice.log;
	const { pid } = sluice.worker('stream', 'a');
	await sluice.cmd('set-stream', { stream: reader() });
	await sluice.onair('b');
	await sluice.cmd('set-stream', { id: 'b', stream: { remove: true } });
	const log = sluice.log.slice(length);
	await recorder.all(sender);
	const [list] = await recorder.stop();
	timing.stop();
	timing.unlessHeldUp(log, [await sluice.status('a')], () =>
		assert.equal(joined(list).compare(new TsMux().take(
			sender.sent * 7)), 0));
	assert.equal(sluice.worker('stream', 'a').pid, pid);
	await sluice.stop();
});

test('a reader survives a new process, a new ring, an end and a ' +
	'return of the source',
	async (t) => {
		const timing = new Timing(t);
		const recorder = await Recorder.start(t, { port: 6001 });
		const sluice = await Sluice.start(t, config(source(),
			reader()));
		await waitUntil('the input', () => udpBound(5000));
		const sender = await Sender.start(t, new TsMux(), 5000);
		const play = async () => {
			const size = recorder.size();

			await waitUntil('more of it', () =>
				recorder.size() > size + 200000, 20000);
		};
		const replaced = (pid) => waitUntil('a new process', () => {
			const worker = sluice.worker('stream', 'a');

			return worker && worker.pid !== pid;
		});
		const { pid } = await waitUntil('b', () =>
			sluice.worker('stream', 'b'));
		let old = sluice.worker('stream', 'a').pid;

		await play();
		process.kill(old, 'SIGKILL');
		await replaced(old);
		await play();
		old = sluice.worker('stream', 'a').pid;
		// a ring of its own size for its viewers
		await sluice.cmd('set-stream', { id: 'a', stream: {
			...source(), output: ['udp://127.0.0.1:6000',
				'http://127.0.0.1:8100/a#buffer_size=32768']
		} });
		await replaced(old);
		await play();
		await sluice.cmd('toggle-stream', { id: 'a' });
		await told(sluice, /stream a is not there, or not enabled/);
		await sluice.cmd('toggle-stream', { id: 'a' });
		await play();
		await sluice.cmd('set-stream', { id: 'a',
			stream: { remove: true } });
		await told(sluice, /stream a is not there/);
		await sluice.cmd('set-stream', { stream: source() });
		await play();
		assert.equal(sluice.worker('stream', 'b').pid, pid);
		sender.stop();
		await recorder.quiet();
		await assertWhole(timing, sluice, ['a', 'b'],
			await recorder.stop());
		await sluice.stop();
	});

test('streams stay connected over a new control process', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6001 });
	const sluice = await Sluice.start(t, config(source(), reader()));
	await waitUntil('the input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);

	await sluice.onair('b');
	const before = ['a', 'b'].map((id) => sluice.worker('stream', id).pid);
	await sluice.cmd('restart');
	await waitUntil('the next one', () => /restarting/
		.test(sluice.log), 20000);
	await sluice.ready();
	const from = recorder.size();
	await waitUntil('more', () => recorder.size() > from + 400000);
	await recorder.all(sender);
	await assertWhole(timing, sluice, ['a', 'b'], await recorder.stop());
	assert.deepEqual(['a', 'b'].map((id) =>
		sluice.worker('stream', id).pid), before);
	// later messages reach them
	await sluice.cmd('toggle-stream', { id: 'a' });
	await told(sluice, /stream a is not there/);
	await sluice.cmd('toggle-stream', { id: 'a' });
	await waitUntil('the input', () => udpBound(5000));
	const next = await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('b', 20000);
	next.stop();
	await sluice.stop();
});

test('a reader that starts after a new control process has its ring',
	async (t) => {
		const sluice = await Sluice.start(t, config(source()));
		await waitUntil('the input', () => udpBound(5000));
		await Sender.start(t, new TsMux(), 5000);

		await sluice.onair('a');
		await sluice.cmd('restart');
		await waitUntil('the next one', () => /restarting/
			.test(sluice.log), 20000);
		await sluice.ready();
		await sluice.cmd('set-stream', { stream: reader() });
		await sluice.onair('b', 20000);
		await sluice.stop();
	});

test('a reader reports an alarm of its source as an alarm of the source',
	async (t) => {
	let lose = false, n = 0;
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config(source(), reader(),
		stream('c', 'stream://b', [])));
	await waitUntil('the input', () => udpBound(5000));
	const told = await sluice.events(t, '&scope=alarm');
	const sender = await Sender.start(t, new TsMux(), 5000, {
		shape: (packets) => lose && ++n % 50 === 0 ? [] : [packets] });

	await sluice.onair('c');
	const whole = (s) => areDue([...s.alarms, ...s.inputs[0].alarms],
		timing);
	for (const id of ['a', 'b', 'c'])
		await sluice.waitStatus(id, 'no alarm', whole, 90000);
	const from = told.messages.length;
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const events = ctl.start(['events', '--scope', 'alarm',
		'--stream', 'b']);
	await waitUntil('none shown', async () =>
		!/continuity/.test(await ctl.out(['stream', 'show', 'b'])),
	90000);
	const line = / alarm b input 1 continuity \w+, as of stream a\n/;
	lose = true;
	// a busy machine raises others, too
	const marked = (s) => [s, s.inputs[0]].every((place) =>
		place.source_alarms?.includes('continuity'));
	for (const id of ['b', 'c'])
		await sluice.waitStatus(id, 'the mark', marked, 20000);
	assert.equal((await sluice.status('a')).source_alarms, undefined);
	await waitUntil('it shown', async () => {
		const shown = await ctl.out(['stream', 'show', 'b']);
		for (const place of ['    alarms', 'alarms of the output'])
			assert.match(shown, new RegExp(`^${place} ` +
				'.*continuity \\(of its source\\)', 'm'));
		return true;
	});
	await waitUntil('the mark, checked', async () => {
		const { status } = await sluice.cmd('check-stream',
			{ id: 'c', status: true });
		assert.ok(status.source_alarms.includes('continuity'));
		return true;
	});
	lose = false;
	const causes = { a: undefined, b: 'a', c: 'b' };
	for (const id of Object.keys(causes))
		for (const place of [1, 'output'])
			await waitUntil(`the end of ${id} ${place}`, () =>
				told.messages.slice(from).find((m) =>
					m.channel_id === id &&
					m.place === place && !m.raised &&
					m.alarm === 'continuity'), 20000);
	await waitUntil('it in words', () => line.test(events.text.out));
	for (const m of told.messages.slice(from))
		if (m.alarm === 'continuity')
			assert.equal(m.source, causes[m.channel_id],
				JSON.stringify(m));
	for (const id of ['a', 'b', 'c'])
		await sluice.waitStatus(id, 'no alarm again', whole, 90000);
	// each stream reports its own end: no other stream has this alarm
	const before = told.messages.length;
	await sluice.cmd('toggle-stream', { id: 'a' });
	sender.stop();
	const silent = await waitUntil('silence of b', () =>
		told.messages.slice(before).find((m) => m.channel_id === 'b' &&
			m.alarm === 'sync_loss' && m.raised), 20000);
	assert.equal(silent.source, undefined);
	await sluice.stop();
});

test('the reader of a stream off air reports that and the reason',
	async (t) => {
	const why = 'interface nosuch0: not found';
	const sluice = await Sluice.start(t, config(
		stream('a', 'udp://nosuch0@239.1.0.1:5000', []),
		stream('b', 'stream://a', []), stream('c', 'stream://b', [])));
	const causes = { a: why, b: `a is off air: ${why}`,
		c: `b is off air: a is off air: ${why}` };

	for (const [id, cause] of Object.entries(causes))
		await sluice.waitStatus(id, 'the cause', (s) =>
			s.inputs[0].error === cause, 30000);
	// the log names the same reason, and no other
	for (const [id, cause] of Object.entries(causes))
		await waitUntil(`the log of ${id}`, () =>
			sluice.log.includes(`stream ${id}: off air: ${cause}`),
		20000);
	assert.doesNotMatch(sluice.log, /stream [bc]: off air: no /);
	await sluice.stop();
});

test('a stream that would read itself is rejected, a missing stream ' +
	'is reported',
	async (t) => {
		const sluice = await Sluice.start(t, config(source(),
			reader(), stream('c', 'stream://b', [])));
		const refused = async (id, input) => {
			const reply = await sluice.post({ cmd: 'set-stream',
				id, stream: stream(id, input, []) });

			assert.equal(reply.status, 400, reply.body);
			assert.match(JSON.parse(reply.body).error,
				/^stream\.input\[0\]: stream "." would rec/);
		};

		await refused('a', 'stream://a');
		await refused('a', 'stream://b');
		await refused('a', 'stream://c#pnr=1');
		await refused('d', 'stream://d');
		await sluice.cmd('set-stream', { stream: stream('d',
			'stream://nobody', []) });
		// the source is there, and has no packets
		await told(sluice, /^a is off air: (starting|no packets)$/);
		await waitUntil('its error', async () => /nobody is not there/
			.test((await sluice.json('/api/stream-inputs/d'))
				.inputs[0].error));
		await sluice.stop();
	});
