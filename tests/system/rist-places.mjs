// SPDX-License-Identifier: GPL-3.0-or-later
// rist: places that another stream uses, that two paths share in part, and to
// which a sender returns.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Fault, ip } from '../helpers/net.mjs';
import { SILENT, add, assertWhole, begin, input, link, output }
	from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { now, waitUntil } from '../helpers/util.mjs';

const setAlike = async (sluice, id) => {
	const reply = await sluice.post({ cmd: 'set-stream', id, stream:
		{ name: id, enable: true, type: 'spts',
			input: ['rist://@127.0.0.1:9100'], output: [] } });

	return [reply.status, JSON.parse(reply.body).error];
};

test('a place that a stream uses is not given to another stream', async (t) => {
	const sluice = await Sluice.start(t, link(['127.0.0.1:9100'], ''));

	await begin(t, sluice);
	const { pid } = sluice.worker('stream', 'a002');
	const { received } = (await input(sluice)).stats;

	assert.deepEqual(await setAlike(sluice, 'a003'), [400,
		'stream.input[0]: 127.0.0.1:9100 is already the address of ' +
		'make_stream[1].input[0] (a002, "Stream a002")']);
	await waitUntil('packets after that', async () =>
		(await input(sluice)).stats.received > received + 100, 20000);
	assert.equal(sluice.worker('stream', 'a002').pid, pid);
	await sluice.stop();
});

test('two addresses with one port are two paths, simple profile', async (t) => {
	const timing = new Timing(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const hosts = ['10.1.0.1', '10.2.0.1'];

	await add(...hosts);
	const sluice = await Sluice.start(t, link(hosts.map((host) =>
		`${host}:9110`), '#profile=simple&buffer=1000'));
	const both = () => waitUntil('both paths', async () =>
		(await output(sluice)).stats?.peers === 2 &&
		(await output(sluice)).error === undefined &&
		(await input(sluice)).error === undefined &&
		!(await input(sluice)).alarms?.includes('unprotected'), 60000);

	await begin(t, sluice);
	await both();
	// by number: retransmissions are lost, too
	const lossy = await Fault.start(t, 9110,
		`ip daddr ${hosts[0]} udp length > 500 @th,80,16 & 0xf == 3`);

	await waitUntil('loss', async () => await lossy.struck() >= 60, 60000);
	await waitUntil('the loss', async () =>
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
	// librist remembers a lost sender for this time
	const forgotten = now() + 10000;

	await waitUntil('that he is forgotten', () => now() > forgotten, 20000);
	await Promise.all(cut.map((fault) => fault.stop()));
	await both();
	await sluice.stop();
});

test('a receiver with an unknown host name costs the other receivers nothing',
	async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			'rist://127.0.0.1:9130,nowhere.invalid:9132'),
		stream('a002', 'rist://@127.0.0.1:9130', [])));

	await begin(t, sluice);
	await waitUntil('its error', async () =>
		/^path 2: host: nowhere\.invalid: /.test(
			(await output(sluice)).error), 60000);
	const { packets } = await output(sluice);

	await waitUntil('packets', async () =>
		(await output(sluice)).packets > packets + 1000, 20000);
	await sluice.stop();
});

test('a restarted sender with four paths is not too many, simple profile',
	async (t) => {
	const ports = [9140, 9142, 9144, 9146];
	let first = 36000;
	// for librist, a sender at a port that it knows is no new one
	const giveOtherPorts = () => {
		first += 4000;
		fs.writeFileSync('/proc/sys/net/ipv4/ip_local_port_range',
			`${first} ${first + 3999}`);
	};

	giveOtherPorts();
	const sluice = await Sluice.start(t, link(ports.map((port) =>
		`127.0.0.1:${port}`), '#profile=simple'));
	const all = () => waitUntil('all paths', async () =>
		(await output(sluice)).stats?.peers === ports.length &&
		(await input(sluice)).error === undefined, 60000);

	await begin(t, sluice);
	await all();
	for (let i = 0; i < 3; i++) {
		const { pid } = sluice.worker('stream', 'a001');
		const { connects } = (await input(sluice)).stats;

		giveOtherPorts();
		await sluice.cmd('restart-stream', { id: 'a001' });
		await waitUntil('another process', () =>
			sluice.worker('stream', 'a001')?.pid !== pid, 30000);
		// reports about the previous sender are not about this one
		await waitUntil('its paths', async () => (await input(sluice))
			.stats.connects >= connects + ports.length, 60000);
		await all();
	}
	assert.doesNotMatch(sluice.log, /too many peers/);
	await sluice.stop();
});
