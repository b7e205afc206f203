// SPDX-License-Identifier: GPL-3.0-or-later
// rist: a port or an address that is missing at first is used when it exists.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { test } from 'node:test';
import { Fault } from '../helpers/net.mjs';
import { SILENT, add, assertWhole, begin, input, link, output }
	from '../helpers/rist.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder } from '../helpers/udp.mjs';
import { now, waitUntil } from '../helpers/util.mjs';

// As librist and its programs bind theirs: the last one receives all datagrams.
for (const [port, options, others] of [
	[9102, '', 9102],
	[9104, '#profile=simple', 9104],
	[9106, '#profile=simple', 9107]])
	test(`port ${others} of another program stays its own, ` +
		`requested as ${port}${options}`, async (t) => {
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
		const failed = now() + 4000;

		// the input retries after 1 s and 3 s, then after 7 s
		await waitUntil('tries', () => now() > failed, 20000);
		assert.equal(opened(), 0);
		const socket = dgram.createSocket('udp4');

		t.after(() => socket.close());
		await waitUntil('packets there', () => {
			socket.send('x', others, '127.0.0.1');
			return heard > 0;
		});
		other.close();
		await waitUntil('the port', async () =>
			await error() === 'no peer connected', 30000);
		assert.equal(opened(), 1);
		assert.equal(sluice.worker('stream', 'a002').pid, pid);
		await sluice.stop();
	});

for (const [i, profile] of ['main', 'simple'].entries())
	test(`of several paths the one without its address joins ` +
		`later, ${profile} profile`, async (t) => {
		const timing = new Timing(t);
		const recorder = await Recorder.start(t, { port: 6000 });
		const late = `10.9.${i}.1`;
		const sluice = await Sluice.start(t, link([`${late}:9120`,
			'127.0.0.1:9122'], `#profile=${profile}`));

		await begin(t, sluice);
		await waitUntil('its error', async () => {
			const { error, alarms } = await input(sluice);

			return error === 'path 1: rist: listen on ' + late +
				':9120: Cannot assign requested address' &&
				alarms?.includes('unprotected');
		}, 20000);
		const { pid } = sluice.worker('stream', 'a002');

		await add(late);
		await waitUntil('both paths', async () =>
			(await output(sluice)).stats?.peers === 2 &&
			(await input(sluice)).error === undefined, 60000);
		const { received } = (await input(sluice)).stats;

		await waitUntil('packets by both', async () =>
			(await input(sluice)).stats.received > received + 300,
		30000);
		// the stream of one path continues on the other
		const cut = await Promise.all([9122, 9123].map((port) =>
			Fault.start(t, port, '')));

		await waitUntil('alarm of path 2', async () =>
			(await input(sluice)).error === SILENT, 30000);
		await sluice.onair('a002');
		await Promise.all(cut.map((fault) => fault.stop()));
		assert.equal(sluice.worker('stream', 'a002').pid, pid);
		await sluice.stop();
		assertWhole(timing, await recorder.stop());
	});
