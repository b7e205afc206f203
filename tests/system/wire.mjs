// SPDX-License-Identifier: GPL-3.0-or-later
// wire: the packets on the network, read by tshark.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from '../helpers/capture.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { ip, isJoined, pair } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

async function makeNetwork(t) {
	await pair(t, 'wa', 'wb');
	await ip('addr', 'add', '10.9.6.1/24', 'dev', 'wa');
	for (const [name, address] of [['wa', 'fe80::1'], ['wb', 'fe80::2'],
		['wa', 'fd00::1']])
		await ip('addr', 'add', `${address}/64`, 'dev', name, 'nodad');
}

test('outputs have the configured TTL and DSCP', async (t) => {
	await makeNetwork(t);
	const outputs = { // to: address, hops and class on the wire
		'udp://wa@239.1.1.1:1234#ttl=5&dscp=34': ['239.1.1.1', 5, 34],
		'rtp://wa@239.1.1.2:1234#dscp=63': ['239.1.1.2', 32, 63],
		'udp://wa@239.1.1.3:1234': ['239.1.1.3', 32, 0],
		'udp://wa@[ff15::1]:1234#ttl=7&dscp=46': ['ff15::1', 7, 46],
		'rtp://wa@[ff15::2]:1234#ttl=255&dscp=8': ['ff15::2', 255, 8],
	};
	const packets = await capture(t, 'wb', 'udp dst port 1234', ['ip.dst',
		'ip.ttl', 'ip.dsfield.dscp', 'ip.dsfield.ecn', 'ipv6.dst',
		'ipv6.hlim', 'ipv6.tclass.dscp', 'ipv6.tclass.ecn']);
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', Object.keys(outputs))));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	for (const [address, hops, dscp] of Object.values(outputs)) {
		const v6 = address.includes(':');
		const mine = await waitUntil(address, () => {
			const all = packets().filter((p) => address ===
				p[v6 ? 'ipv6.dst' : 'ip.dst']);
			return all.length > 20 && all;
		});
		const fields = v6 ? ['ipv6.hlim', 'ipv6.tclass.dscp',
			'ipv6.tclass.ecn'] : ['ip.ttl', 'ip.dsfield.dscp',
			'ip.dsfield.ecn'];

		for (const packet of mine)
			assert.deepEqual(fields.map((f) => Number(packet[f])),
				[hops, dscp, 0], address);
	}
	await sluice.stop();
});

// Records of IGMPv3 and MLDv2 reports, RFC 3376 4.2.12.
const LEAVES = 3;  // CHANGE_TO_INCLUDE_MODE, without a source
const BLOCKS = 6;  // BLOCK_OLD_SOURCES

const groups = {
	'239.1.2.1': { from: '10.9.6.1', iface: '10.9.6.1' },
	'232.1.2.2': { from: '10.9.6.1', iface: '10.9.6.1',
		src: '10.9.6.1' },
	'ff15::21': { from: 'fd00::1', iface: '::%wa' },
	'ff35::22': { from: 'fd00::1', iface: '::%wa', src: 'fd00::1' },
};

// One object per record of a report.
function recordsOf(packets) {
	return packets().flatMap((p) => {
		const v6 = p['icmpv6.type'] === '143';
		const [types, addresses, counts] = (v6
			? ['icmpv6.mldr.mar.record_type',
				'icmpv6.mldr.mar.multicast_address',
				'icmpv6.mldr.mar.nb_sources']
			: ['igmp.record_type', 'igmp.maddr', 'igmp.num_src'])
			.map((field) => p[field].split(','));

		return addresses.map((group, i) => ({ group,
			type: Number(types[i]), sources: Number(counts[i]) }));
	});
}

test('memberships are renewed on the wire, never left, and lose nothing',
	async (t) => {
		const timing = new Timing(t);
		await makeNetwork(t);
		const packets = await capture(t, 'wb',
			'igmp or (ip6[6] == 0 and ip6[48] == 143)',
			['igmp.type', 'igmp.record_type', 'igmp.maddr',
				'igmp.num_src', 'icmpv6.type',
				'icmpv6.mldr.mar.record_type',
				'icmpv6.mldr.mar.multicast_address',
				'icmpv6.mldr.mar.nb_sources']);
		const list = Object.entries(groups).map(([group, more], i) => ({
			group, ...more, port: 5000 + i, to: 6000 + i }));
		const recorder = await Recorder.start(t, ...list.map(({ to }) =>
			({ port: to })));
		const sluice = await Sluice.start(t, config(...list.map(
			({ group, src, port, to }) => stream(`s${port}`,
				`udp://wa@${group.includes(':') ? `[${group}]`
					: group}:${port}#renew=1` +
				(src ? `&src=${src}` : ''),
				`udp://127.0.0.1:${to}`))));

		await waitUntil('inputs', () => list.every(({ group }) =>
			isJoined(group, 'wa')));
		const senders = await Promise.all(list.map(
			({ group, from, iface, port }) => Sender.start(t,
				new TsMux(), port, { address: group, from,
					iface })));
		const of = (group) => recordsOf(packets).filter((r) =>
			r.group === group);
		const before = Object.fromEntries(list.map(({ group }) =>
			[group, of(group).length]));

		for (const { group } of list)
			await waitUntil(`${group} is reported again`, () =>
				of(group).length >= before[group] + 4, 20000);
		const records = recordsOf(packets);
		for (const { group, src } of list) {
			const mine = records.filter((r) => r.group === group);

			for (const { type, sources } of mine) {
				assert.ok(type !== LEAVES || sources > 0,
					`${group} is left`);
				assert.ok(!src || type !== BLOCKS,
					`${group}: its source is blocked`);
			}
		}
		const { log } = sluice;
		await recorder.all(...senders);
		const lists = await recorder.stop();
		timing.stop();
		const statuses = await Promise.all(list.map(({ port }) =>
			sluice.status(`s${port}`)));
		timing.unlessHeldUp(log, statuses, () => lists.forEach(
			(got, i) => assert.equal(joined(got).compare(
				new TsMux().take(senders[i].sent * 7)), 0,
			list[i].group)));
		await sluice.stop();
	});
