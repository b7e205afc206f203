// SPDX-License-Identifier: GPL-3.0-or-later
// rist: places that others have, that two ways share a part of, that cannot be
// had yet, and that a sender comes back to.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Fault, ip } from '../helpers/net.mjs';
import { assertWhole } from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender } from '../helpers/udp.mjs';
import { now, udpBound, waitUntil } from '../helpers/util.mjs';

const SILENT = 'path 2: brings nothing';

const input = async (sluice) => (await sluice.status('a002')).inputs[0];
const output = async (sluice) => (await sluice.status('a001')).outputs[0];

// a001 sends to a002 by these ways, which hands it to port 6000.
const link = (ways, options) => config(
	stream('a001', 'udp://127.0.0.1:5000', 'rist://' + ways + options),
	stream('a002', 'rist://' + ways.map((way) => `@${way}`) + options,
		'udp://127.0.0.1:6000'));

async function begin(t, sluice) {
	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a002', 30000);
}

const add = (...addresses) => Promise.all(addresses.map((address) =>
	ip('addr', 'replace', `${address}/32`, 'dev', 'lo')));

const setAlike = async (sluice, id) => {
	const reply = await sluice.post({ cmd: 'set-stream', id, stream:
		{ name: id, enable: true, type: 'spts',
			input: ['rist://@127.0.0.1:9100'], output: [] } });

	return [reply.status, JSON.parse(reply.body).error];
};

test('a place that a stream has is not given to another one', async (t) => {
	const sluice = await Sluice.start(t, link(['127.0.0.1:9100'], ''));

	await begin(t, sluice);
	const { pid } = sluice.worker('stream', 'a002');
	const { received } = (await input(sluice)).stats;

	assert.deepEqual(await setAlike(sluice, 'a003'), [400,
		'stream.input[0]: 127.0.0.1:9100 is already of ' +
		'make_stream[1].input[0]']);
	await waitUntil('packets after that', async () =>
		(await input(sluice)).stats.received > received + 100, 20000);
	assert.equal(sluice.worker('stream', 'a002').pid, pid);
	await sluice.stop();
});

// As librist and its programs have theirs: whoever comes later has all of it.
for (const [port, options, others] of [
	[9102, '', 9102],
	[9104, '#profile=simple', 9104],
	[9106, '#profile=simple', 9107]])
	test(`port ${others} of another program stays its own, asked for as ` +
		`${port}${options}`, async (t) => {
		const other = dgram.createSocket({ type: 'udp4',
			reuseAddr: true });
		let heard = 0;

		other.on('message', () => heard++);
		await new Promise((done) => other.bind(others, '127.0.0.1',
			done));
		const sluice = await Sluice.start(t, config(stream('a002',
			`rist://@127.0.0.1:${port}${options}`, [])));
		const error = async () => (await input(sluice)).error;
		const opened = () => sluice.log.split('input 1: open again')
			.length - 1;

		await waitUntil('why', async () => await error() === 'rist: ' +
			`listen on 127.0.0.1:${others}: Address already in ` +
			'use');
		const { pid } = sluice.worker('stream', 'a002');
		const failed = now() + 8000;

		// it is tried again and again meanwhile
		await waitUntil('tries', () => now() > failed, 20000);
		assert.equal(opened(), 0);
		const socket = dgram.createSocket('udp4');

		t.after(() => socket.close());
		await waitUntil('what comes there', () => {
			socket.send('x', others, '127.0.0.1');
			return heard > 0;
		});
		other.close();
		await waitUntil('the port', async () =>
			await error() === 'nobody is connected', 30000);
		assert.equal(opened(), 1);
		assert.equal(sluice.worker('stream', 'a002').pid, pid);
		await sluice.stop();
	});

test('two addresses with one port are two ways, simple profile', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const hosts = ['10.1.0.1', '10.2.0.1'];

	await add(...hosts);
	const sluice = await Sluice.start(t, link(hosts.map((host) =>
		`${host}:9110`), '#profile=simple&buffer=1000'));
	const both = () => waitUntil('both ways', async () =>
		(await output(sluice)).stats?.peers === 2 &&
		(await output(sluice)).error === undefined &&
		(await input(sluice)).error === undefined &&
		!(await input(sluice)).alarms?.includes('unprotected'), 60000);

	await begin(t, sluice);
	await both();
	// by number: what is sent again is lost, too
	const lossy = await Fault.start(t, 9110,
		`ip daddr ${hosts[0]} udp length > 500 @th,80,16 & 0xf == 3`);

	await waitUntil('loss', async () => await lossy.struck() >= 60, 60000);
	await waitUntil('what was lost', async () =>
		(await input(sluice)).stats.recovered >= 20, 20000);
	const { error, stats } = await input(sluice);

	assert.equal(error, undefined);
	timing.assert(stats.dropped === 0, `${stats.dropped} dropped`);
	await lossy.stop();
	assertWhole(timing, await recorder.stop());
	const cut = await Promise.all([9110, 9111].map((port) =>
		Fault.start(t, port, `ip daddr ${hosts[1]}`)));

	await waitUntil('alarm of path 2', async () =>
		(await input(sluice)).error === SILENT, 30000);
	// so long librist keeps who is gone
	const forgotten = now() + 10000;

	await waitUntil('that he is forgotten', () => now() > forgotten, 20000);
	await Promise.all(cut.map((fault) => fault.stop()));
	await both();
	await sluice.stop();
});

for (const [i, profile] of ['main', 'simple'].entries())
	test('of several ways the one whose address is not there yet joins ' +
		`later, ${profile} profile`, async (t) => {
		const timing = new Timing(t);
		const recorder = await Recorder.start(t, { port: 6000 });
		const late = `10.9.${i}.1`;
		const sluice = await Sluice.start(t, link([`${late}:9120`,
			'127.0.0.1:9122'], `#profile=${profile}`));

		await begin(t, sluice);
		await waitUntil('what is wrong', async () => {
			const { error, alarms } = await input(sluice);

			return error === 'path 1: rist: listen on ' + late +
				':9120: Cannot assign requested address' &&
				alarms?.includes('unprotected');
		}, 20000);
		const { pid } = sluice.worker('stream', 'a002');

		await add(late);
		await waitUntil('both ways', async () =>
			(await output(sluice)).stats?.peers === 2 &&
			(await input(sluice)).error === undefined, 60000);
		const { received } = (await input(sluice)).stats;

		await waitUntil('packets by both', async () =>
			(await input(sluice)).stats.received > received + 300,
		30000);
		// what came by one way goes on by the other
		const cut = await Promise.all([9122, 9123].map((port) =>
			Fault.start(t, port, '')));

		await waitUntil('alarm of path 2', async () =>
			(await input(sluice)).error === SILENT, 30000);
		assert.equal((await sluice.status('a002')).onair, true);
		await Promise.all(cut.map((fault) => fault.stop()));
		assert.equal(sluice.worker('stream', 'a002').pid, pid);
		await sluice.stop();
		assertWhole(timing, await recorder.stop());
	});

test('of several receivers one whose name is not known costs the others ' +
	'nothing', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'rist://127.0.0.1:9130,nowhere.invalid:9132'),
		stream('a002', 'rist://@127.0.0.1:9130', [])));

	await begin(t, sluice);
	await waitUntil('what is wrong', async () =>
		/^path 2: host: nowhere\.invalid: /.test(
			(await output(sluice)).error), 60000);
	const { packets } = await output(sluice);

	await waitUntil('packets', async () =>
		(await output(sluice)).packets > packets + 1000, 20000);
	await sluice.stop();
});

test('a sender of four ways that starts again is not too many, simple profile',
	async (t) => {
	const ports = [9140, 9142, 9144, 9146];
	const sluice = await Sluice.start(t, link(ports.map((port) =>
		`127.0.0.1:${port}`), '#profile=simple'));
	const all = () => waitUntil('all ways', async () =>
		(await output(sluice)).stats?.peers === ports.length &&
		(await input(sluice)).error === undefined, 60000);

	await begin(t, sluice);
	await all();
	for (let i = 0; i < 3; i++) {
		const { pid } = sluice.worker('stream', 'a001');
		const { connects } = (await input(sluice)).stats;

		await sluice.cmd('restart-stream', { id: 'a001' });
		await waitUntil('another process', () =>
			sluice.worker('stream', 'a001')?.pid !== pid, 30000);
		// what is told of the one before is not of this one
		await waitUntil('its ways', async () => (await input(sluice))
			.stats.connects >= connects + ports.length, 60000);
		await all();
	}
	assert.doesNotMatch(sluice.log, /there are too many peers/);
	await sluice.stop();
});
