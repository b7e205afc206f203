// SPDX-License-Identifier: GPL-3.0-or-later
// output: an output that cannot send, or is slow, delays no other output, and
// reports its error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { ip, pair, tool } from '../helpers/net.mjs';
import { judgeRate } from '../helpers/rate.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined, within } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const RATE = 4e6, FULL = 1, ROUTE = 2, DOWN = 3, REFUSED = 4;

// A link of 256 kbit/s that queues the data that it cannot send.
async function slowWire(t) {
	await pair(t, 'slow0', 'slow1');
	await ip('addr', 'add', '10.9.9.1/24', 'dev', 'slow0');
	await ip('neigh', 'add', '10.9.9.2', 'lladdr', '02:00:00:00:00:02',
		'dev', 'slow0', 'nud', 'permanent');
	await tool('tc', 'qdisc', 'add', 'dev', 'slow0', 'root', 'tbf',
		'rate', '256kbit', 'burst', '4kb', 'latency', '60s');
}

async function setOut(t) {
	await slowWire(t);
	await ip('route', 'add', '10.8.8.0/24', 'dev', 'lo');
	await pair(t, 'down0', 'down1');
	await ip('addr', 'add', '10.7.7.1/24', 'dev', 'down0');
	await tool('nft', 'add table inet wall; add chain inet wall out ' +
		'{ type filter hook output priority 0; }');
	const recorder = await Recorder.start(t, { port: 6000 },
		{ port: 6001 });
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000', ['udp://127.0.0.1:6000',
			'udp://10.9.9.2:7000#socket_size=65536',
			'udp://10.8.8.2:7000', 'udp://down0@239.1.1.9:7000',
			'udp://127.0.0.1:7003',
			'rtp://127.0.0.1:6001#cbr=6000'])));

	await waitUntil('input', () => udpBound(5000));
	return { recorder, sluice, sender: await Sender.start(t,
		new TsMux({ rate: RATE }), 5000) };
}

async function breakAll() {
	await ip('route', 'del', '10.8.8.0/24', 'dev', 'lo');
	await ip('link', 'set', 'down0', 'down');
	await tool('nft', 'add rule inet wall out udp dport 7003 drop');
}

async function mendAll() {
	await ip('route', 'add', '10.8.8.0/24', 'dev', 'lo');
	await ip('link', 'set', 'down0', 'up');
	await ip('addr', 'replace', '10.7.7.1/24', 'dev', 'down0');
	await tool('nft', 'flush chain inet wall out');
}

test('outputs that fail or are slow cost the other outputs nothing',
	async (t) => {
	const timing = new Timing(t);
	const { recorder, sluice, sender } = await setOut(t);
	const outputs = (what, probe) => sluice.waitStatus('a001', what,
		(s) => probe(s.outputs), 20000).then((s) => s.outputs);

	await outputs('all open', (list) => list.every((o) => o.open));
	await breakAll();
	const broken = await outputs('faults', (list) =>
		list[FULL].dropped > 0 &&
		[ROUTE, DOWN, REFUSED].every((i) => list[i].error));
	await mendAll();
	await outputs('all open again', (list) => list.every((o) => o.open));
	const last = await outputs('some more', (list) =>
		[ROUTE, DOWN, REFUSED].every((i) =>
			list[i].packets > broken[i].packets + 1000));
	await recorder.all(sender);
	await recorder.quiet(1000);
	const [list, constant] = await recorder.stop();
	timing.stop();
	const { inputs, outputs: all } = await sluice.status('a001');
	const unlessHeldUp = (output, check) => timing.unlessHeldUp('',
		[{ inputs, outputs: [output] }], check);
	await sluice.stop();

	// each reports its own error
	assert.ok(last[FULL].open && !last[FULL].error);
	assert.match(sluice.log, /output 2: \d+ packets dropped: the network/);
	assert.match(broken[ROUTE].error, /route|unreachable/i);
	assert.match(broken[DOWN].error, /down|unreachable/i);
	assert.match(broken[REFUSED].error, /not permitted/i);
	timing.assert(last[0].dropped + last[5].dropped === 0,
		`${last[0].dropped} and ${last[5].dropped} dropped`);
	// and the good outputs are unaffected
	unlessHeldUp(all[0], () => {
		assert.equal(list.length, sender.sent, 'all came through');
		assert.equal(checkTs(joined(list)).ccErrors, 0);
	});
	const later = list.filter(({ ns }) => ns - list[0].ns > 1000000000n);
	const bursts = within(later, RATE, 1);
	const most = bursts[Math.floor(bursts.length * 0.99)];
	// the size of one release: 10 ms and a datagram of 2.6 ms
	timing.assert(most <= 14.5, `${most} ms at once`);
	const seen = judgeRate(constant.map(({ ns, data }) =>
		({ ns, data: data.subarray(12) })), PROGRAM.video, 6e6);
	unlessHeldUp(all[5], () => assert.equal(seen.ts.ccErrors, 0));
	timing.assert(last[5].stats.cbr_late === 0, 'it was late');
	timing.assert(seen.rateOff <= 0.001 && seen.wrongNs <= 500,
		`${seen.rateOff} of the rate, ${seen.wrongNs} ns off`);
});
