// SPDX-License-Identifier: GPL-3.0-or-later
// output, interfaces: the output follows a replaced address at once and reports
// the loss once; it reports a removed address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from '../helpers/capture.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { ip, pair } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sender } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const RATE = 1e6;
const FIELDS = ['frame.time_epoch', 'ip.src', 'ip.dst', 'udp.dstport'];

const add = (n, dev = 'oa0') => ip('addr', 'add', `10.9.5.${n}/24`, 'dev', dev);
const del = (n, dev = 'oa0') => ip('addr', 'del', `10.9.5.${n}/24`, 'dev', dev);

// The datagrams that left by the interface, by group and port.
async function begin(t, outputs) {
	await pair(t, 'oa0', 'oa1');
	await add(1);
	const packets = await capture(t, 'oa1', 'udp', FIELDS);
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', outputs)));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: RATE }), 5000);
	await sluice.onair('a001');
	return { sluice, to: (group, port) => packets().filter((p) =>
		p['ip.dst'] === group && p['udp.dstport'] === `${port}`) };
}

const from = (list, address) => list.filter((p) => p['ip.src'] === address);

// The longest time without one, in milliseconds.
const longest = (list) => 1000 * Math.max(...list.slice(1).map((p, i) =>
	p['frame.time_epoch'] - list[i]['frame.time_epoch']));

test('a new address in place of the old one', async (t) => {
	const timing = new Timing(t);
	const { sluice, to } = await begin(t, ['udp://oa0@239.1.5.1:6000#sap',
		'rtp://oa0@239.1.5.2:6010#fec=5x5&path2=oa0@239.1.5.3:6020']);
	const places = [['239.1.5.1', 6000], ['239.1.5.2', 6010],
		['239.1.5.2', 6012], ['239.1.5.2', 6014], ['239.1.5.3', 6020],
		['239.255.255.255', 9875]];

	for (const [old, now] of [[1, 7], [7, 8]]) {
		const all = (n) => places.every((place) =>
			from(to(...place), `10.9.5.${n}`).length > 0);

		await waitUntil('each goes out', () => all(old), 20000);
		await del(old);
		await add(now);
		await waitUntil('each from the new one', () => all(now), 20000);
	}
	timing.stop();
	for (const place of places.slice(0, 2)) {
		const ms = longest(to(...place));

		timing.assert(ms < 1000, `${place}: nothing for ${ms} ms`);
	}
	await sluice.stop();
	for (const n of [1, 2])
		assert.match(sluice.log, new RegExp(`output ${n}: (addresses ` +
			'or routes changed|open again)'));
});

test('an address is removed for a while', async (t) => {
	const timing = new Timing(t);
	const { sluice, to } = await begin(t, 'udp://oa0@239.1.5.1:6000');
	const told = /output 1: open again after ([\d.]+) s; (\d+) packets/;

	await waitUntil('it goes out', () =>
		to('239.1.5.1', 6000).length > 0);
	await del(1);
	await sluice.logged(
		/output 1: interface oa0 has no address to send from/);
	const lost = async (least) => (await sluice.waitStatus('a001',
		`${least} lost`, (s) => s.outputs[0].dropped >= least,
		20000)).outputs[0];
	const long = 3 * RATE / 8 / 188;

	await lost(long);
	await add(1);
	await sluice.logged(told);
	const [s, n] = sluice.log.match(told).slice(1).map(Number);
	// the status of that second comes behind its line
	const { packets, dropped } = await lost(n);

	timing.stop();
	assert.ok(packets > 0);
	assert.ok(n >= long, `${n} packets`);
	timing.assert(dropped === n, `${dropped} were lost, ${n} reported`);
	// the loss is the data of the outage
	const seconds = n * 188 * 8 / RATE;

	timing.assert(Math.abs(seconds - s) < 0.5,
		`${seconds} s, reported ${s} s`);
	await sluice.stop();
	assert.doesNotMatch(sluice.log, /packets dropped: the network/);
});

test('http: the address is removed and added again', async (t) => {
	const { sluice } = await begin(t, 'http://10.9.5.1:8100/one');
	const [gone, back] = [/not on this host/, undefined];
	const told = (error, open) => sluice.waitStatus('a001', `${error}`,
		({ outputs: [o] }) => o.open === open && (error ?
			error.test(o.error) : o.error === undefined), 20000);

	await told(back, true);
	await del(1);
	await told(gone, false);
	await sluice.waitStatus('a001', 'its fault',
		({ outputs: [o] }) => gone.test(o.fault), 20000);
	await add(1);
	await told(back, true);
	await sluice.stop();
	assert.deepEqual(sluice.log.split('\n').filter((line) =>
		line.includes('10.9.5.1:8100')).map((line) =>
		line.replace(/^\S+ /, '')), [
		'error deliver: stream a001: http://10.9.5.1:8100/one: ' +
			'the address is not on this host',
		'info deliver: stream a001: http://10.9.5.1:8100/one: ' +
			'listening',
	]);
});

// The kernel accepts datagrams from an address that the machine has lost.
test('IPv6: no datagram from a removed address', async (t) => {
	await pair(t, 'oa0', 'oa1');
	const change = (verb, n) => ip('addr', verb, `fd00:5::${n}/64`, 'dev',
		'oa0', ...verb === 'add' ? ['nodad'] : []);

	await change('add', 1);
	const packets = await capture(t, 'oa1', 'udp port 6000',
		['ipv6.src', 'ipv6.dst']);
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', 'udp://oa0@[ff0e::5]:6000')));
	const comes = (address) => waitUntil(`from ${address}`, () =>
		packets().at(-1)?.['ipv6.src'] === address);

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: RATE }), 5000);
	await comes('fd00:5::1');
	await change('del', 1);
	await change('add', 2);
	await comes('fd00:5::2');
	await sluice.stop();
});
