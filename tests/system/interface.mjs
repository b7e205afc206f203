// SPDX-License-Identifier: GPL-3.0-or-later
// inputs, interfaces: inputs follow the changes of an interface.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ctl } from '../helpers/ctl.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { ip, isJoined, pair } from '../helpers/net.mjs';
import { TO, joinedOn, make } from '../helpers/interface.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const GROUP6 = 'ff15::77';
const shown = (t, sluice) => new Ctl(t, `http://127.0.0.1:${sluice.port}`)
	.out(['stream', 'show', 'a001']);

for (const type of ['udp', 'rtp'])
	test(`${type}: an interface disappears, and another one gets its name`,
		async (t) => {
			const timing = new Timing(t);
			await make();
			t.after(() => ip('link', 'del', 'vc').catch(() => {}));
			const sluice = await Sluice.start(t, config(
				stream('a001', `${type}://vc@239.1.0.1:5000`,
					'udp://127.0.0.1:6000')));
			const told = (pattern) => waitUntil(`${pattern}`,
				async () => pattern.test((await sluice.json(
					'/api/stream-inputs/a001')).inputs[0]
					.error ?? ''));

			await waitUntil('input', () => joinedOn('vc'));
			const first = await Sender.start(t, new TsMux(), 5000,
				TO);
			await sluice.onair('a001');
			await sluice.waitStatus('a001', 'its name', (s) =>
				s.inputs[0].interface === 'vc');
			assert.match(await shown(t, sluice),
				/^input 1 .* on vc$/m);
			first.stop();
			await ip('link', 'set', 'vc', 'down');
			await told(/^interface vc is down$/);
			await ip('link', 'set', 'vc', 'up');
			await timing.within(5000,
				sluice.logged(/interface vc: recovered/));
			const second = await Sender.start(t, new TsMux(), 5000,
				TO);
			await timing.within(5000, sluice.onair('a001'));
			second.stop();
			await ip('link', 'del', 'vc');
			await told(/^interface vc: not found/);
			await make();
			await timing.within(5000,
				waitUntil('the group is joined', () =>
					joinedOn('vc')));
			await Sender.start(t, new TsMux(), 5000, TO);
			await timing.within(5000, sluice.onair('a001'));
			await sluice.logged(/interface vc: created again/);
			await sluice.stop();
		});

test('addresses that appear and disappear cost no packet', async (t) => {
	const timing = new Timing(t);

	await make();
	t.after(() => ip('link', 'del', 'vc'));
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://vc@239.1.0.1:5000',
			'udp://127.0.0.1:6000')));
	await waitUntil('input', () => joinedOn('vc'));
	const sender = await Sender.start(t, new TsMux(), 5000, TO);

	await sluice.onair('a001');
	for (let i = 2; i <= 4; i++) {
		const from = sender.mux.seconds;

		await ip('addr', 'add', `10.9.3.${i}/24`, 'dev', 'vc');
		await waitUntil('a second look', () =>
			sender.mux.seconds > from + 1.2);
		await ip('addr', 'del', `10.9.3.${i}/24`, 'dev', 'vc');
	}
	await recorder.all(sender);
	const [list] = await recorder.stop();
	const held = timing.heldUp(sluice.log, await sluice.status('a001'));

	if (!held)
		assert.equal(joined(list).compare(
			new TsMux().take(sender.sent * 7)), 0);
	await sluice.stop();
});

// Packets on the old path continue to arrive: no watchdog reopens the input.
for (const [family, group, route] of [
	['IPv4', TO.address, ['239.1.0.0/16']],
	['IPv6', GROUP6, ['-6', 'multicast', 'ff15::/16', 'table', 'local',
		'metric', '10']],
])
	test(`${family}: a group without an interface follows its route`,
		async (t) => {
			const [first, ...rest] = route;
			const on = (name) => isJoined(group, name);
			const lead = (verb, to) => first === '-6'
				? ip('-6', 'route', verb, rest[0], rest[1],
					'dev', to, ...rest.slice(2))
				: ip('route', verb, first, 'dev', to);

			await pair(t, 'ra', 'rb');
			await make();
			t.after(() => ip('link', 'del', 'vc'));
			await ip('addr', 'add', '10.9.4.1/24', 'dev', 'ra');
			await lead('add', 'ra');
			const sluice = await Sluice.start(t, config(
				stream('a001', `udp://${first === '-6' ?
					`[${group}]` : group}:5000#watchdog=0`,
					'udp://127.0.0.1:6000')));
			await waitUntil('it is joined', () => on('ra'));
			assert.ok(!on('vc'));
			await lead('del', 'ra');
			await lead('add', 'vc');
			await waitUntil('it is joined there', () => on('vc'));
			await waitUntil('it is left here', () => !on('ra'));
			await sluice.logged(/joined the group on interface vc/);
			await Sender.start(t, new TsMux(), 5000,
				family === 'IPv4' ? TO : { address: GROUP6,
					iface: '::%vc' });
			await sluice.onair('a001');
			await sluice.stop();
		});

// One cause, one error: Sluice knows that the interface is down, so it reopens
// nothing, expects no querier, and raises no alarm unprotected.
for (const type of ['udp', 'rtp'])
	test(`${type}: an interface that is down is reported once`,
		async (t) => {
		await make();
		t.after(() => ip('link', 'del', 'vc'));
		const sluice = await Sluice.start(t, { ...config(
			stream('a001', `${type}://vc@239.1.0.1:5000#watchdog=1`,
				'udp://127.0.0.1:6000')),
		settings: { querier_timeout: 1 } });
		const said = (what) => sluice.log.split(what).length - 1;

		await waitUntil('input', () => udpBound(5000));
		await Sender.start(t, new TsMux(), 5000, TO);
		await sluice.onair('a001');
		// all earlier messages have arrived
		await sluice.logged(/stream a001: on air/);
		// the packets of the second when it goes down may be too few
		const lines = () => said('off air') - said(/off air: \d+ kbit/);
		const before = lines(), asked = said('a querier?');
		const opened = said('opening it again');

		await ip('link', 'set', 'vc', 'down');
		await sluice.logged(/off air: interface vc is down/);
		const uptime = async () => (await sluice.json(
			'/api/system-status')).app_uptime;
		const down = await uptime();

		await waitUntil('long enough for all of it', async () =>
			await uptime() > down + 8, 60000);
		const { inputs } = await sluice.status('a001');

		assert.deepEqual(inputs[0].alarms.filter((a) =>
			['no_querier', 'unprotected'].includes(a)), []);
		assert.equal(lines() - before, 1, sluice.log);
		assert.equal(said('opening it again'), opened, sluice.log);
		assert.equal(said('a querier?'), asked, sluice.log);
		await ip('link', 'set', 'vc', 'up');
		// the second line is of a worker that started meanwhile,
		// because the machine left the first one no processor
		await sluice.logged(
			/interface vc: recovered|input 1: open again/);
		await sluice.onair('a001');
		await sluice.stop();
	});
