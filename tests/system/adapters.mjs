// SPDX-License-Identifier: GPL-3.0-or-later
// adapters: stored, announced, and followed by their streams.  A tuner without
// frequency does not run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { hello, ready, wrapper } from '../helpers/bad-worker.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { always, udpBound, waitUntil } from '../helpers/util.mjs';

const adapter = (id, more) => ({ id, name: `Adapter ${id}`, type: 'S2',
	enable: true, adapter: 0, device: 0, ...more });
const out = 'udp://127.0.0.1:6000';

test('set-adapter creates, changes, toggles, returns and removes an adapter',
	async (t) => {
	const sluice = await Sluice.start(t, config());
	const events = await sluice.events(t);
	const gid = 470000;

	assert.deepEqual(await sluice.cmd('set-adapter', { gid,
		adapter: adapter('a') }), { 'set-adapter': 'ok' });
	await sluice.cmd('set-adapter', { id: 'a', adapter: adapter('a',
		{ type: 'T2' }) });
	assert.deepEqual(await sluice.cmd('toggle-adapter', { id: 'a' }),
		{ 'toggle-adapter': 'ok' });
	const off = adapter('a', { type: 'T2', enable: false });
	assert.deepEqual(await sluice.cmd('get-adapter', { id: 'a' }),
		{ 'get-adapter': 'ok', adapter: off });
	assert.deepEqual(await sluice.json('/api/adapter-info/a'), off);
	assert.deepEqual((await sluice.cmd('load')).dvb_tune, [off]);
	assert.deepEqual(await sluice.cmd('restart-adapter', { id: 'a' }),
		{ 'restart-adapter': 'ok' });
	await sluice.cmd('set-adapter', { id: 'a',
		adapter: { remove: true } });
	assert.equal((await sluice.get('/api/adapter-info/a')).status, 404);
	const scope = 'set-adapter';
	await events.expectNews([
		{ scope, gid, adapter: adapter('a') },
		{ scope, adapter: { id: 'a', remove: true, up: true } },
		{ scope, gid, adapter: adapter('a', { type: 'T2' }) },
		{ scope, adapter: off },
		{ scope, adapter: { id: 'a', remove: true, up: false } }]);
	await sluice.stop();
});

test('the menu of a CAM needs a CAM', async (t) => {
	const sluice = await Sluice.start(t, { ...config(
		stream('p', 'dvb://a#pnr=1&cam', [])),
	dvb_tune: [adapter('a')] });
	const menu = async (fields) => {
		const reply = await sluice.post({ cmd: 'cam-menu', id: 'a',
			...fields });

		return [reply.status, JSON.parse(reply.body).error];
	};

	assert.deepEqual(await sluice.cmd('get-cam', { id: 'a' }),
		{ 'get-cam': 'ok', cam: [] });
	assert.deepEqual(await menu({}), [400, 'action: is missing']);
	assert.equal((await menu({ action: 'eject' }))[0], 400);
	assert.equal((await menu({ action: 'open', slot: 2 }))[0], 400);
	assert.equal((await menu({ action: 'text',
		text: 'x'.repeat(251) }))[0], 400);
	assert.deepEqual(await menu({ action: 'choice' }),
		[400, 'choice: is missing']);
	assert.deepEqual(await menu({ action: 'text' }),
		[400, 'text: is missing']);
	assert.deepEqual(await menu({ action: 'open', slot: 1 }),
		[409, 'slot: there is no CAM ready in slot 1']);
	await sluice.stop();
});

test('removing an adapter removes its streams, or leaves them without it',
	async (t) => {
	const sluice = await Sluice.start(t, { ...config(
		stream('only', 'dvb://a#pnr=1', []),
		stream('both', ['dvb://a#pnr=2', 'udp://127.0.0.1:5000'], out),
		stream('other', 'udp://127.0.0.1:5001', [])),
	dvb_tune: [adapter('a')] });
	const events = await sluice.events(t);
	const { pid } = await waitUntil('the other', () =>
		sluice.worker('stream', 'other'));

	const status = await sluice.json('/api/adapter-status/a');
	assert.deepEqual([status.lock, status.bitrate, status.name],
		[false, 0, 'Adapter a']);
	assert.match(status.worker.alarm, /frequency: is missing/);
	assert.equal(sluice.worker('adapter'), undefined);
	await waitUntil('the error of the input', async () =>
		/dvb:\/\/a is not there/.test((await sluice.json(
			'/api/stream-inputs/only')).inputs[0].error));

	await sluice.cmd('set-adapter', { id: 'a',
		adapter: { remove: true } });
	assert.deepEqual((await sluice.cmd('load')).make_stream
		.map((s) => [s.id, s.input]), [
		['both', ['udp://127.0.0.1:5000']],
		['other', ['udp://127.0.0.1:5001']]]);
	await waitUntil('the input that is left', () => udpBound(5000));
	assert.equal(sluice.worker('stream', 'other').pid, pid);
	assert.deepEqual((await events.news(3)).map((m) =>
		m.adapter ?? m.stream), [
		{ id: 'a', remove: true, up: false },
		{ id: 'only', remove: true },
		stream('both', ['udp://127.0.0.1:5000'], out)]);
	await sluice.stop();
});

test('a scan list creates streams', async (t) => {
	const sluice = await Sluice.start(t, config());
	const events = await sluice.events(t);

	await sluice.cmd('set-adapter', { adapter: adapter('a', { scan: [
		{ pnr: 1, name: 'One' }, { pnr: 2, name: 'Two',
			groups: { Type: 'TV' } }] }) });
	const { make_stream: made, dvb_tune: tuners, gid } =
		await sluice.cmd('load');
	assert.deepEqual(made.map((s) => [s.id, s.name, s.enable, s.input]), [
		['a000', 'One', true, ['dvb://a#pnr=1']],
		['a001', 'Two', true, ['dvb://a#pnr=2']]]);
	assert.deepEqual(tuners, [adapter('a')]);
	await events.expectNews([
		{ scope: 'set-adapter', adapter: adapter('a'), gid },
		{ scope: 'set-stream', stream: made[0] },
		{ scope: 'set-stream', stream: made[1] }]);
	await sluice.stop();
});

test('restart-adapter restarts the streams that name it', async (t) => {
	const sluice = await Sluice.start(t, { ...config(
		stream('both', ['udp://127.0.0.1:5000', 'dvb://a#pnr=2'], []),
		stream('other', 'udp://127.0.0.1:5001', [])),
	dvb_tune: [adapter('a')] });
	const [both, other] = await Promise.all(['both', 'other'].map((id) =>
		waitUntil(id, () => sluice.worker('stream', id)?.pid)));

	assert.deepEqual(await sluice.cmd('restart-adapter', { id: 'a' }),
		{ 'restart-adapter': 'ok' });
	await sluice.replaced('stream', 'both', both);
	assert.equal(sluice.worker('stream', 'other').pid, other);
	await sluice.stop();
});

test('a tuner whose device is absent reports that, and raises an alarm',
	async (t) => {
	if (fs.existsSync('/dev/dvb')) {
		t.skip('this machine has tuners');
		return;
	}
	const tuner = adapter('a', { frequency: 11362, symbolrate: 22000,
		polarization: 'H', adapter: 7 });
	const sluice = await Sluice.start(t, { ...config(),
		dvb_tune: [tuner] });
	const events = await sluice.events(t);
	const status = () => sluice.json('/api/adapter-status/a');
	const alarms = async () => (await sluice.json(
		'/api/system-status?t=0')).alarms ?? [];

	await waitUntil('the error', async () =>
		(await status()).error === 'no device ' +
			'/dev/dvb/adapter7/frontend0');
	const { pid } = sluice.worker('adapter', 'a');

	// it binds no port
	for (const set of ['CapPrm', 'CapEff', 'CapAmb'])
		assert.match(fs.readFileSync(`/proc/${pid}/status`, 'utf8'),
			new RegExp(`^${set}:\\s+0+$`, 'm'));
	await events.wait('its event', (m) => m.scope === 'adapter_event' &&
		m.dvb_id === 'a' && m.status === 0 && m.snr_db === 0);
	await waitUntil('the alarm', async () =>
		(await alarms()).some((text) =>
			/^adapter a: .*no device/.test(text)), 20000);
	// another tuning needs no other process
	await sluice.cmd('set-adapter', { id: 'a', adapter: { ...tuner,
		frequency: 12188 } });
	assert.equal(sluice.worker('adapter', 'a').pid, pid);
	const { status: code } = await sluice.post({ cmd: 'set-adapter',
		id: 'a', adapter: { ...tuner, frequency: 8000 } });
	assert.equal(code, 400);
	// a scan does not take its tuner
	const { id: _id, enable, ...keys } = tuner;
	const scan = await sluice.post({ cmd: 'scan-init',
		scan: { adapter: keys } });
	assert.equal(scan.status, 409);
	assert.match(scan.body, /enabled adapter ..a/);
	await sluice.cmd('toggle-adapter', { id: 'a' });
	await waitUntil('the end of the alarm', async () =>
		!(await alarms()).some((text) => /no device/.test(text)));
	await sluice.stop();
});

test('a stream that reads an adapter with an error has that error',
	async (t) => {
	if (fs.existsSync('/dev/dvb')) {
		t.skip('this machine has tuners');
		return;
	}
	const sluice = await Sluice.start(t, { ...config(
		stream('r', 'dvb://a#pnr=1', [])),
	dvb_tune: [adapter('a', { frequency: 11362, symbolrate: 22000,
		polarization: 'H', adapter: 7 })] });
	const text = 'adapter a: no device /dev/dvb/adapter7/frontend0';

	await waitUntil('its error', async () =>
		(await sluice.status('r')).error === text, 20000);
	assert.equal((await sluice.json('/api/stream-inputs/r'))
		.inputs[0].error, text);
	assert.equal((await sluice.cmd('check-stream', { id: 'r',
		status: true })).status.error, text);
	await sluice.logged(new RegExp(`r.*: off air: ${text}`));
	// not the error of the past
	await sluice.cmd('toggle-adapter', { id: 'a' });
	await waitUntil('the disabled adapter', async () =>
		/^dvb:\/\/a is not there/.test(
			(await sluice.status('r')).error));
	await sluice.stop();
});

test('the alarm of an adapter continues over a restart', async (t) => {
	if (fs.existsSync('/dev/dvb')) {
		t.skip('this machine has tuners');
		return;
	}
	const sluice = await Sluice.start(t, { ...config(),
		dvb_tune: [adapter('a', { frequency: 11362, symbolrate: 22000,
			polarization: 'H', adapter: 7 })] });
	const find = async () => (await sluice.json('/api/overview')).alarms
		.find(({ alarm, subject }) => alarm === 'adapter' &&
			subject === 'a');
	const before = await waitUntil('the alarm', find, 20000);
	const { pid } = sluice.worker('adapter', 'a');

	await sluice.logged(/alarm adapter: adapter a: no device/);
	const { length } = sluice.log;
	await sluice.cmd('restart');
	await waitUntil('the restart', () => /restarting/
		.test(sluice.log.slice(length)));
	let reported = false;

	(await sluice.events(t)).wait('a report', (m) =>
		m.scope === 'adapter_event' && m.dvb_id === 'a', 20000)
		.then(() => { reported = true; });
	await waitUntil('a report of its worker', async () => {
		const now = await find();

		always(() => assert.deepEqual(now, before));
		return reported;
	}, 20000);
	assert.equal(sluice.worker('adapter', 'a').pid, pid);
	assert.doesNotMatch(sluice.log.slice(length), /alarm adapter/);
	await sluice.stop();
});

// A second of the worker of tuner 5; ber: its number.
const second = (ber, more = {}) => `say '${JSON.stringify({
	type: 'adapter.status', body: { lock: true, on_air: true, signal: 80,
		snr: 60, bitrate: 900, lost: 0, tuner: { taken: true,
			adapter: 5, silent: false, status: 31, signal: 1,
			snr: 1, signal_db: 0, snr_db: 0, ber, unc: 0,
			ber_is_rate: false, ...more } } })}'; sleep 1`;
const tuner = (id) => adapter(id, { type: 'T', frequency: 474, adapter: 5 });

// The hosts of tests have no tuner: scripts are the workers.
test('a tuner is taken, stopped by a watchdog and released; one fails',
	async (t) => {
	const bad = wrapper(t, { bad1: 'exit 3',
		bad: [hello('adapter'), ready, second(1), second(2),
			// a watchdog stops it; it is back
			second(3, { status: 0 }), second(4, { silent: true }),
			second(5, { silent: true }), second(6),
			`while :; do ${second(7)}; done`].join('; ') });
	const sluice = await Sluice.start(t, { ...config(),
		dvb_tune: [] }, { env: { SLUICE_WORKER: bad.file } });
	const events = await sluice.events(t);
	const updates = () => events.scope('adapter_status_update');
	const scope = 'adapter_status_update';

	for (const id of ['bad', 'bad1'])
		await sluice.cmd('set-adapter', { adapter: tuner(id) });
	await sluice.cmd('set-stream', { stream: stream('reader',
		'dvb://bad1#pnr=1', []) });
	await events.wait('its last second', (m) => m.ber === 7, 20000);
	// a script without a processor is replaced by another one
	const seconds = events.scope('adapter_event').map(({ ber, status }) =>
		[ber, status]);

	const whole = seconds.slice(0, 1 + seconds.findIndex(([ber]) =>
		ber === 7));

	assert.deepEqual(whole.slice(whole.findLastIndex(([ber]) =>
		ber === 1)), [[1, 31], [2, 31], [3, 0], [6, 31], [7, 31]]);
	const taken = updates().length;

	assert.ok(taken % 2 === 1 && taken <= 2 * bad.starts('bad').length - 1,
		`${taken} events`);
	await sluice.cmd('toggle-adapter', { id: 'bad' });
	await waitUntil('its release', () => updates().length === taken + 1);
	assert.deepEqual(updates(), Array.from({ length: taken + 1 }, (_, i) =>
		({ scope, adapter: 5, busy: i % 2 === 0 })));

	const worker = async () => (await sluice.json(
		'/api/adapter-status/bad1')).worker;
	const { alarm } = await waitUntil('quarantine', async () => {
		const found = await worker();

		return found.state === 'quarantine' && found;
	}, 20000);
	assert.match(alarm, /^5 failures in a row, the last: exit code 3; /);
	await sluice.logged(/alarm worker: adapter bad1 worker: 5 fail/);
	// the stream that reads it has that reason
	await sluice.waitStatus('reader', 'the reason', (s) =>
		s.error?.includes(`adapter bad1: quarantine: ${alarm}`));
	assert.match((await sluice.json('/api/stream-inputs/reader'))
		.inputs[0].error, /^adapter bad1: quarantine: 5 failures/);
	const { length } = bad.starts('bad1');
	assert.ok(length >= 5, `${length} starts`);
	await sluice.cmd('restart-adapter', { id: 'bad1' });
	await waitUntil('another start', () =>
		bad.starts('bad1').length > length);
	await sluice.stop();
});
