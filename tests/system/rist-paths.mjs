// SPDX-License-Identifier: GPL-3.0-or-later
// rist: several paths of the simple profile, each with losses.
import dgram from 'node:dgram';
import { test } from 'node:test';
import { liveMultiplex } from '../helpers/media.mjs';
import { Fault } from '../helpers/net.mjs';
import { assertWhole } from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const input = async (sluice) => (await sluice.status('a002')).inputs[0];
const output = async (sluice) => (await sluice.status('a001')).outputs[0];

// Forwards all datagrams of one end to a pair of ports, and its answers, with
// this delay.
async function relay(t, from, to, ms) {
	for (const half of [0, 1]) {
		const [near, far] = [0, 1].map(() =>
			dgram.createSocket('udp4'));
		let caller, open = true;
		const later = (send) => setTimeout(() => open && send(), ms);

		await new Promise((done) => far.bind(0, '127.0.0.1', done));
		await new Promise((done) =>
			near.bind(from + half, '127.0.0.1', done));
		near.on('message', (data, { address, port }) => {
			caller = { address, port };
			later(() => far.send(data, to + half, '127.0.0.1'));
		});
		far.on('message', (data) => later(() => caller &&
			near.send(data, caller.port, caller.address)));
		t.after(() => {
			open = false;
			near.close();
			far.close();
		});
	}
}

for (const slow of [1, 0])
	test(`packets that one path loses arrive on the other one, ` +
		`simple profile: path ${slow + 1} is later`, async (t) => {
		const timing = new Timing(t);
		const recorder = await Recorder.start(t, { port: 6000 });
		const ports = [9032 + 8 * slow, 9034 + 8 * slow];
		const options = '#profile=simple&buffer=1000';
		const to = ports.map((port, i) => i === slow ? port + 100
			: port);

		await relay(t, ports[slow] + 100, ports[slow], 40);
		const sluice = await Sluice.start(t, config(
			stream('a001', 'udp://127.0.0.1:5000', 'rist://' +
				to.map((port) => `127.0.0.1:${port}`) +
				options),
			stream('a002', 'rist://' +
				ports.map((port) => `@127.0.0.1:${port}`) +
				options, 'udp://127.0.0.1:6000')));

		await waitUntil('input', () => udpBound(5000));
		liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
			{ seconds: 120 });
		await sluice.onair('a002', 15000);
		await waitUntil('both paths', async () =>
			(await output(sluice)).stats?.peers === 2);
		// by number: retransmissions are lost, too
		const fault = await Fault.start(t, ports[1 - slow],
			'udp length > 500 @th,80,16 & 0xf == 3');

		await waitUntil('loss', async () => await fault.struck() >= 40,
			30000);
		await waitUntil('the loss', async () =>
			(await input(sluice)).stats.recovered >= 5, 20000);
		const { stats } = await input(sluice);

		timing.assert(stats.dropped === 0, `${stats.dropped} dropped`);
		await fault.stop();
		await sluice.stop();
		assertWhole(timing, await recorder.stop());
	});

// The usual mistake in a firewall: the reports about the data pass.
test('a path without data raises the alarm unprotected, though ' +
	'reports arrive, simple profile', async (t) => {
	const options = '#buffer=300&profile=simple';
	const ports = [9052, 9054];
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', 'rist://' +
			ports.map((port) => `127.0.0.1:${port}`) + options),
		stream('a002', 'rist://' +
			ports.map((port) => `@127.0.0.1:${port}`) + options,
		[])));

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ seconds: 120 });
	await sluice.onair('a002', 15000);
	await waitUntil('both paths', async () =>
		(await input(sluice)).error === undefined, 30000);
	for (const [i, port] of ports.entries()) {
		const fault = await Fault.start(t, port, '');

		await waitUntil(`alarm of path ${i + 1}`, async () => {
			const { error, alarms } = await input(sluice);

			return error === `path ${i + 1}: no packets` &&
				alarms?.includes('unprotected');
		}, 20000);
		await fault.stop();
		await waitUntil('both paths', async () => {
			const { error, alarms } = await input(sluice);

			return error === undefined &&
				!alarms?.includes('unprotected');
		}, 30000);
	}
	await sluice.stop();
});
