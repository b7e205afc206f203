// SPDX-License-Identifier: GPL-3.0-or-later
// querier: an alarm reports a silent group on a network without a querier; the
// network status lists the querier of each network.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Ctl } from '../helpers/ctl.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { ROUTER, TIMEOUT_S, US, alarmed, asking, query, setUp, waitNetwork }
	from '../helpers/querier.mjs';
import { stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { always, waitUntil } from '../helpers/util.mjs';

test('silent without a querier: an alarm, until packets or a querier come',
	async (t) => {
		const sluice = await setUp(t, '239.1.0.1');
		const told = await sluice.events(t, '&scope=alarm');
		const event = (raised) => told.wait(`raised: ${raised}`, (m) =>
			m.scope === 'alarm' && m.alarm === 'no_querier' &&
			m.raised === raised, 20000);

		await sluice.waitStatus('a001', 'the alarm', alarmed, 20000);
		const up = await event(true);
		assert.equal(up.channel_id, 'a001');
		assert.equal(up.place, 1);
		const { status } = await sluice.cmd('check-stream',
			{ id: 'a001', status: true });
		assert.ok(status.input[0].alarms.includes('no_querier'));
		assert.ok(!(await sluice.status('a001')).alarms
			.includes('no_querier'), 'it is of the input');
		await sluice.logged(
			/a001: input 1: no packets, and no multicast querier/);
		assert.match((await waitNetwork(sluice, 'silent', (i) =>
			i.silent === 1)).advice,
		/^qa: no IGMP querier for 3 s: .*querier/);
		// an edit that leaves the address alone leaves the alarm alone
		const { make_stream: [edited] } = await sluice.cmd('load');
		await sluice.cmd('set-stream', { id: 'a001', stream: {
			...edited, output: [...edited.output,
				'udp://127.0.0.1:6009'] } });
		const { timestamp } = await sluice.waitStatus('a001',
			'the edit', (s) => s.outputs.length === 2);
		await sluice.waitStatus('a001', 'a later second', (s) => {
			always(() => assert.ok(alarmed(s)));
			return s.timestamp > timestamp + 1;
		});
		const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
		const table = /^INTERFACE +PROTOCOL +QUERIER .*NOTE\n/;
		// inputs whose status is late are not counted
		await waitUntil('missing in words', async () => new RegExp(
			`${table.source}qa +igmp +missing +1 +1 +qa: no IGMP`)
			.test(await ctl.out(['network'])), 20000);

		// packets: it may fall silent some day, and no more
		const sender = await Sender.start(t, new TsMux(), 5000,
			{ address: '239.1.0.1', iface: US });
		await sluice.onair('a001');
		await event(false);
		await sluice.waitStatus('a001', 'no alarm', (s) => !alarmed(s));
		const plays = await waitNetwork(sluice, 'it plays', (i) =>
			i.silent === 0 && i.inputs === 1);
		assert.equal(plays.state, 'missing');
		assert.match(plays.advice, /groups arrive/);
		// beside it another group is silent: that is its sender
		await sluice.cmd('set-stream', { stream: stream('b001',
			'udp://qa@239.1.0.9:5009', []) });
		await waitNetwork(sluice, 'two', (i) => i.inputs === 2 &&
			i.silent === 1 && i.state === 'missing');
		assert.ok(!alarmed(await sluice.status('b001')));
		sender.stop();
		await sluice.waitStatus('b001', 'the alarm', alarmed, 20000);
		await sluice.cmd('set-stream', { id: 'b001',
			stream: { remove: true } });
		await waitNetwork(sluice, 'one', (i) => i.inputs === 1);

		// silent, and asked for
		await asking('igmp3', async () => {
			const heard = await waitNetwork(sluice, 'heard', (i) =>
				i.state === 'heard' && i.silent === 1 &&
				i.querier.age < TIMEOUT_S);

			assert.equal(heard.advice, undefined);
			const { age, ...querier } = heard.querier;
			assert.ok(age >= 0);
			assert.deepEqual(querier, { address: ROUTER,
				version: 3, interval: 125 });
			// a query may be late where a core is waited for
			await sluice.waitStatus('a001', 'no alarm', (st) =>
				!alarmed(st), 20000);
			await waitUntil('it in words', async () => new RegExp(
				`${table.source}qa +igmp +heard +1 +1 ` +
				` +${ROUTER}, version 3 +\\d+ s\n$`).test(
				await ctl.out(['network'])), 20000);
			await waitUntil('it in JSON', async () =>
				(await ctl.json(['network'])).interfaces[0]
					.querier?.address === ROUTER, 20000);
		});
		await sluice.waitStatus('a001', 'the alarm again', alarmed,
			20000);
		await sluice.stop();
	});

test('queries of each version of IGMP and MLD are received', async (t) => {
	const sluice = await setUp(t, '239.1.0.1', '[ff15::77]');
	const inputs = { igmp: 'a001', mld: 'a002' };

	await query('noise');
	for (const id of Object.values(inputs))
		await sluice.waitStatus(id, 'the alarm', alarmed, 20000);
	for (const kind of ['igmp1', 'igmp2', 'mld1', 'mld2'])
		await asking(kind, async () => {
			const protocol = kind.slice(0, -1);
			const { querier } = await waitNetwork(sluice, kind,
				(i) => i.state === 'heard' &&
				i.querier.version === Number(kind.at(-1)),
				protocol);

			assert.equal(querier.address, protocol === 'mld'
				? 'fe80::2' : ROUTER);
			await sluice.waitStatus(inputs[protocol], 'no alarm',
				(s) => !alarmed(s));
		});
	await sluice.stop();
});

test('without CAP_NET_RAW no network is judged, and the status reports that',
	async (t) => {
	const sluice = await setUp(t, '239.1.0.1', null, { through: ['setpriv',
		'--bounding-set', '-net_raw', '--inh-caps', '-net_raw'] });

	await sluice.logged(
		/cannot detect IGMP and MLD queriers: CAP_NET_RAW is mis/);
	await waitNetwork(sluice, 'it', (i) => i.state === 'unknown');
	const network = await sluice.json('/api/network-status');
	assert.equal(network.igmp_error, 'CAP_NET_RAW is missing');
	const { out, err } = await new Ctl(t,
		`http://127.0.0.1:${sluice.port}`).run(['network']);
	assert.match(out, /^qa +igmp +unknown +1/m);
	assert.match(err, /^cannot receive IGMP queries: CAP_NET_RAW is/m);
	assert.ok(!alarmed(await sluice.status('a001')));
	await sluice.stop();
});

// The rest of a group is not the group: a programme that is missing in it is no
// reason to expect a querier.
test('a group that arrives without its programme is not silent', async (t) => {
	const sluice = await setUp(t, '239.1.0.1', null, {},
		TIMEOUT_S, '#pnr=99');

	await sluice.waitStatus('a001', 'the alarm', alarmed, 20000);
	await Sender.start(t, new TsMux(), 5000,
		{ address: '239.1.0.1', iface: US });
	await sluice.logged(/off air: the PAT lists no program pnr=99/);
	await sluice.waitStatus('a001', 'no alarm', (s) => !alarmed(s));
	await sluice.stop();
});

test('packets that the kernel drops are no question of a querier',
	async (t) => {
		const setting = '/proc/sys/net/ipv4/conf/qa/rp_filter';
		const sluice = await setUp(t, '239.1.0.1', undefined,
			{ prepare: () => fs.writeFileSync(setting, '1') });

		await waitNetwork(sluice, 'silent, and none asks', (i) =>
			i.silent === 1 && i.state === 'missing');
		const { timestamp } = await sluice.status('a001');

		await sluice.waitStatus('a001', 'five more seconds', (s) => {
			always(() => assert.ok(!alarmed(s), 'the alarm'));
			return s.timestamp > timestamp + 4;
		}, 20000);
		await sluice.logged(/groups on qa: the kernel drops packets/);
		assert.ok(!/no multicast querier/.test(sluice.log));
		await sluice.stop();
	});
