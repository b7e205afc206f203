// SPDX-License-Identifier: GPL-3.0-or-later
// Losses and their causes: Sluice reports the packets that the kernel dropped,
// by its own count, at the place of the loss.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Fault, ip, pair } from '../helpers/net.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, udpDrops, waitUntil } from '../helpers/util.mjs';

const RATE = 1e6;
// Alarms that a busy machine raises are no losses.
const LOSSES = ['continuity', 'network_loss', 'socket_loss', 'two_senders'];
const losses = (alarms) => alarms.filter((name) => LOSSES.includes(name));
const raised = (status) => losses(status.inputs[0].alarms);
// a sender that waits for a processor sends nothing: that is no loss
const isFree = (s) => raised(s).length === 0 && losses(s.alarms).length === 0;
const calm = (s) => s.onair && isFree(s);

function rtp(sequence, packets) {
	const head = Buffer.alloc(12);

	head[0] = 0x80;
	head[1] = 33;
	head.writeUInt16BE(sequence & 0xffff, 2);
	head.writeUInt32BE(0xcafe, 8);
	return Buffer.concat([head, packets]);
}

// A stream of single packets from a port to another one, on air.
async function relay(t, sluice, id, port, { kind = 'udp', more = '' } = {}) {
	let sequence = 0;
	const self = { id, recorder: await Recorder.start(t,
		{ port: port + 1000 }), mux: new TsMux({ rate: RATE }) };

	await sluice.cmd('set-stream', { stream: stream(id,
		`${kind}://127.0.0.1:${port}${more}`,
		`udp://127.0.0.1:${port + 1000}`) });
	await waitUntil('input', () => udpBound(port));
	self.sender = await Sender.start(t, self.mux, port, { per: 1,
		shape: (packet) => [kind === 'rtp' ?
			rtp(sequence++, packet) : packet] });
	await sluice.waitStatus(id, 'calm', calm, 15000);
	return self;
}

// Ends the sender and waits for its last packet; returns the output, and how
// many packets are missing after its first one.
async function finish({ mux, sender, recorder }) {
	await recorder.all(sender);
	const sent = new TsMux({ rate: RATE }).take(mux.packets);
	const output = joined((await recorder.stop())[0]);
	const first = sent.indexOf(output.subarray(0, 188));

	assert.ok(first >= 0 && first < 14 * 188, `begins at ${first}`);
	return { output, missing: (sent.length - first - output.length) / 188 };
}

// Loses each 50th on its way to the input, and returns the reported counts.
async function lossy(t, sluice, id, port, kind) {
	const flow = await relay(t, sluice, id, port, { kind });
	const fault = await Fault.start(t, port, 'numgen inc mod 50 0');
	const status = await sluice.waitStatus(id, 'continuity', (s) =>
		raised(s).includes('continuity'));

	await waitUntil('fifty', async () => await fault.struck() >= 50);
	const struck = await fault.stop();
	// a packet after the last gap shows it
	await sluice.waitStatus(id, 'calm', calm, 15000);
	const { cc_error: told } = await sluice.json(
		`/api/stream-status/${id}`);
	const { output, missing } = await finish(flow);

	assert.equal(missing, struck, 'no other was lost');
	assert.equal(told, checkTs(output).ccErrors);
	assert.ok(told > 0.8 * struck && told <= struck);
	return raised(status);
}

const scenes = {
	async 'UDP: exactly the gaps that the kernel made are counted'(t,
		sluice) {
		const alarms = await lossy(t, sluice, 's0', 5000, 'udp');

		assert.deepEqual(alarms, ['continuity']);
	},

	async 'RTP: the same, attributed to the network'(t, sluice) {
		const alarms = await lossy(t, sluice, 's1', 5001, 'rtp');

		assert.deepEqual(alarms, ['continuity', 'network_loss']);
	},

	async 'lost behind Sluice: no loss is counted or logged'(t,
		sluice) {
		const flow = await relay(t, sluice, 's2', 5002);
		const fault = await Fault.start(t, 6002, 'numgen inc mod 9 0');

		await waitUntil('ten', async () => await fault.struck() >= 10);
		await fault.stop();
		const status = await sluice.status('s2');
		const { output } = await finish(flow);

		assert.ok(checkTs(output).ccErrors >= 10);
		assert.ok(isFree(status), JSON.stringify(status));
		const minute = await sluice.json('/api/stream-status/s2');
		assert.equal(minute.cc_error, 0);
	},

	async 'an output that a firewall forbids does not affect others'(t,
		sluice) {
		const recorder = await Recorder.start(t, { port: 6003 },
			{ port: 6103 });
		const before = sluice.log.length;

		await sluice.cmd('set-stream', { stream: stream('s3',
			'udp://127.0.0.1:5003', ['udp://127.0.0.1:6003',
				'udp://127.0.0.1:6103']) });
		await waitUntil('input', () => udpBound(5003));
		const sender = await Sender.start(t, new TsMux({ rate: RATE }),
			5003);
		await sluice.waitStatus('s3', 'calm', calm, 15000);
		const fault = await Fault.start(t, 6003, '',
			{ hook: 'output' });
		await waitUntil('two seconds of it', async () =>
			await fault.struck() > 2 * RATE / 8 / 1316);
		const { outputs } = await sluice.waitStatus('s3', 'its name',
			(s) => /^send: /.test(s.outputs[0].error));
		await fault.stop();
		const size = recorder.size();
		await waitUntil('both again', () =>
			recorder.size() > size + 2 * RATE / 8);
		sender.stop();
		await sluice.waitStatus('s3', 'silence', (s) =>
			s.packets === 0);
		const [forbidden, free] = await recorder.stop();

		assert.equal(free.length, sender.sent);
		assert.equal(checkTs(joined(free)).ccErrors, 0);
		assert.ok(forbidden.length < free.length);
		assert.ok(outputs[0].dropped > 0);
		assert.equal(outputs[1].dropped, 0);
		const lines = sluice.log.slice(before).split('\n')
			.filter((line) => /s3: output 1/.test(line));
		assert.match(lines.join('\n'),
			/send: Operation not permitted/);
		assert.ok(lines.length < 10, lines.join('\n'));
	},

	async 'a worker without a processor: the socket counts the loss'(t,
		sluice) {
		const flow = await relay(t, sluice, 's4', 5004,
			{ more: '#socket_size=60000' });
		const { pid } = sluice.worker('stream', 's4');
		const dropped = () => udpDrops(5004);

		// the sender may have been late at the start as well
		const before = dropped();

		process.kill(pid, 'SIGSTOP');
		await waitUntil('a full socket', () =>
			dropped() > before + 100);
		process.kill(pid, 'SIGCONT');
		await sluice.waitStatus('s4', 'the alarm', (s) =>
			['socket_loss', 'continuity'].every((name) =>
				raised(s).includes(name)) &&
			!raised(s).includes('network_loss'));
		await sluice.waitStatus('s4', 'calm', calm, 20000);
		// such a small socket may lose the last ones, too
		const { missing } = await finish(flow);
		const lost = dropped();
		const { outputs: [{ dropped: late }] } =
			await sluice.status('s4');

		assert.equal(sluice.worker('stream', 's4').pid, pid);
		// every packet is accounted for
		assert.ok(missing <= lost + late &&
			missing >= lost + late - before,
			`${missing} of ${before}, ${lost} and ${late}`);
	},

	async 'two senders to one group: an alarm, and src= selects one'(
		t, sluice) {
		const to = { address: '232.9.9.9' };
		const other = { pnr: 9, pmtPid: 0x190, video: 0x191,
			audio: 0x192 };

		await pair(t, 'pa', 'pb');
		for (const n of [1, 2])
			await ip('addr', 'add', `10.8.0.${n}/24`, 'dev', 'pa');
		for (const [id, more] of [['s5', ''], ['s6', '#src=10.8.0.1']])
			await sluice.cmd('set-stream', { stream: stream(id,
				`udp://pa@232.9.9.9:5005${more}`,
				`udp://127.0.0.1:60${id[1]}5`) });
		await waitUntil('inputs', () => udpBound(5005));
		await Sender.start(t, new TsMux({ rate: RATE }), 5005,
			{ ...to, from: '10.8.0.1', iface: '10.8.0.1' });
		for (const id of ['s5', 's6'])
			await sluice.waitStatus(id, 'calm', calm, 15000);
		const second = await Sender.start(t, new TsMux({ rate: RATE,
			programs: [other] }), 5005,
		{ ...to, from: '10.8.0.2', iface: '10.8.0.2' });
		await sluice.waitStatus('s5', 'two', (s) =>
			raised(s).includes('two_senders'));
		assert.ok(isFree(await sluice.status('s6')));
		second.stop();
		await sluice.waitStatus('s5', 'calm', calm, 20000);
		const minute = await sluice.json('/api/stream-status/s6');
		assert.equal(minute.cc_error, 0);
	},
};

test('losses', { concurrency: true }, async (t) => {
	const sluice = await Sluice.start(t, config());

	await Promise.all(Object.entries(scenes).map(([name, play]) =>
		t.test(name, (sub) => play(sub, sluice))));
	await sluice.stop();
});
