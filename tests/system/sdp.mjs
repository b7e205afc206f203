// SPDX-License-Identifier: GPL-3.0-or-later
// sdp: a file with SDP is the input that it describes; an invalid or hostile
// file costs only an error.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Fault, pair } from '../helpers/net.mjs';
import { Sluice, config, sanitized, stream } from '../helpers/sluice.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const sdp = (...lines) => ['v=0', 'o=- 7 1 IN IP4 192.0.2.1', 's=x',
	't=0 0', ...lines, ''].join('\r\n');

function fileOf(t, text) {
	const file = path.join(tempDir(t), 'x.sdp');

	if (text !== undefined)
		fs.writeFileSync(file, text);
	return file;
}

test('a file describes two paths and error correction', async (t) => {
	const timing = new Timing(t);
	const file = fileOf(t, sdp('a=group:DUP a b', 'a=group:FEC-FR a c',
		'm=video 5004 RTP/AVP 96', 'c=IN IP4 239.1.1.1/8',
		'a=rtpmap:96 MP2T/90000', 'a=mid:a',
		'm=video 5004 RTP/AVP 96', 'c=IN IP4 239.1.1.2/8',
		'a=rtpmap:96 MP2T/90000', 'a=mid:b',
		'm=application 5006 RTP/AVP 97', 'c=IN IP4 239.1.1.1/8',
		'a=rtpmap:97 parityfec/90000', 'a=mid:c'));
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('from', 'udp://127.0.0.1:5000',
			'rtp://lo@239.1.1.1:5004#fec=5x5' +
			'&path2=lo@239.1.1.2:5004'),
		stream('to', `sdp://${file}#iface=lo&delay=100`,
			'udp://127.0.0.1:6000')));

	await waitUntil('inputs', () => [5000, 5004, 5006].every(udpBound));
	await sluice.logged(new RegExp('x.sdp: rtp://lo@239.1.1.1:5004' +
		'#fec&merge=rtp://lo@239.1.1.2:5004'));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('to');
	const fault = await Fault.start(t, 5004,
		'ip daddr 239.1.1.1 numgen inc mod 50 < 5');

	await waitUntil('faults', async () => await fault.struck() > 20);
	const { inputs } = await sluice.waitStatus('to', 'its input',
		({ inputs: [one] }) => one.stats.recovered > 10);

	assert.equal(inputs[0].stats.paths, 2);
	assert.ok(inputs[0].stats.fec_received > 10);
	assert.equal(inputs[0].lost, 0);
	const status = await sluice.status('to');

	timing.stop();
	await sluice.stop();
	const { ccErrors } = checkTs(joined((await recorder.stop())[0]));

	timing.unlessHeldUp('', [status], () =>
		assert.equal(ccErrors, 0));
});

// The announcement with that name.
async function announced(t, name) {
	const socket = dgram.createSocket({ type: 'udp4', reuseAddr: true });

	t.after(() => socket.close());
	await new Promise((done) => socket.bind(9875, '239.255.255.255', done));
	socket.addMembership('239.255.255.255', '127.0.0.1');
	return new Promise((done) => socket.on('message', (packet) => {
		const text = packet.subarray(packet.indexOf('v=0'));

		if (text.includes(`\r\ns=${name}\r\n`))
			done(text);
	}));
}

test('our announcement of paths and error correction is accepted',
	async (t) => {
	const sluice = await Sluice.start(t, config(stream('from',
		'udp://127.0.0.1:5000', 'rtp://lo@239.1.1.1:5004#fec=5x5' +
		'&path2=lo@239.1.1.2:6004&sap&sap_interval=1',
		{ name: 'Neun' })));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	const file = fileOf(t, await announced(t, 'Neun (FEC, 2 paths)'));

	await sluice.cmd('set-stream', { stream: stream('to',
		`sdp://${file}#iface=lo`, 'http://127.0.0.1:8100/to') });
	await sluice.logged(new RegExp('x.sdp: rtp://lo@239.1.1.1:5004' +
		'#fec&merge=rtp://lo@239.1.1.2:6004$', 'm'));
	await sluice.waitStatus('to', 'every packet', ({ inputs: [one] }) =>
		one.stats?.paths === 2 && one.stats.fec_received > 10 &&
		one.stats.path2_received > 10);
});

test('only the sender in the description is accepted', async (t) => {
	await pair(t, 'wa', 'wb');
	const file = fileOf(t, sdp('c=IN IP4 232.1.1.1/8',
		'a=source-filter:incl IN IP4 232.1.1.1 127.0.0.2',
		'm=video 5004 udp MP2T'));
	const sluice = await Sluice.start(t, config(stream('a',
		`sdp://${file}#iface=lo`, 'http://127.0.0.1:8100/a')));
	const to = { address: '232.1.1.1', iface: '127.0.0.1' };

	await waitUntil('input', () => udpBound(5004));
	const wrong = await Sender.start(t, new TsMux(), 5004,
		{ ...to, from: '127.0.0.3' });

	await waitUntil('packets of others', () => wrong.sent > 200);
	assert.equal((await sluice.status('a')).packets, 0);
	await Sender.start(t, new TsMux(), 5004, { ...to, from: '127.0.0.2' });
	await sluice.onair('a');
});

test('an unusable file is reported, and accepted once it is valid',
	async (t) => {
	const bad = [
		[undefined, /No such file/],
		['v=0\r\nhello', /x\.sdp: line 2: is not field=value$/],
		[`v=0\r\na=${'x'.repeat(60000)}`,
			/line 2: is longer than 2048 bytes$/],
		[Buffer.alloc(10 << 20, 'a=x\n'), /is longer than 64 KiB$/],
		[sdp('m=audio 1 RTP/AVP 0', 'c=IN IP4 239.1.1.1'),
			/m=: audio over RTP\/AVP is not an MPEG transport/],
	];
	const files = bad.map(([text]) => fileOf(t, text));
	const sluice = await Sluice.start(t, config(...files.map((file, i) =>
		stream(`a${i}`, `sdp://${file}`,
			`http://127.0.0.1:8100/a${i}`))));

	for (const [i, [, why]] of bad.entries())
		await sluice.waitStatus(`a${i}`, `${why}`,
			({ inputs: [one] }) => !one.open && why.test(one.error),
			20000);
	const { pid } = sluice.worker('stream', 'a3');
	const memory = Number(/RssAnon:\s+(\d+)/.exec(fs.readFileSync(
		`/proc/${pid}/status`, 'utf8'))[1]);

	assert.ok(memory < (sanitized ? 256 : 16) * 1024, `${memory} KiB`);
	fs.writeFileSync(`${files[3]}.new`, sdp('m=video 5004 RTP/AVP 33',
		'c=IN IP4 127.0.0.1'));
	fs.renameSync(`${files[3]}.new`, files[3]);
	await waitUntil('input', () => udpBound(5004), 40000);
	await sluice.waitStatus('a3', 'no fault', ({ inputs: [one] }) =>
		one.open && !/KiB/.test(one.error));
	await Sender.start(t, new TsMux(), 5004);
	await sluice.onair('a3');
	assert.equal(sluice.worker('stream', 'a3').pid, pid, 'the same');
});
