// SPDX-License-Identifier: GPL-3.0-or-later
// announcements: each session on the network is listed with the address of an
// input for it; a flood evicts no other sender.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import { test } from 'node:test';
import { Ctl } from '../helpers/ctl.mjs';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { isJoined } from '../helpers/net.mjs';
import { Sluice, config, sanitized, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Sender } from '../helpers/udp.mjs';
import { always, cpuSeconds, waitUntil } from '../helpers/util.mjs';

const GROUP = '239.255.255.255', PORT = 9875;
const FLOOD = 100000;
// KiB; a sanitizer uses some memory of its own
const MIB = sanitized ? 16 * 1024 : 1024;

// The announced sessions by name, when probe is content with them.
function listed(sluice, what, probe, timeoutMs = 20000) {
	return waitUntil(what, async () => {
		const reply = await sluice.json('/api/announcements');
		const byName = new Map(reply.announcements
			.map((one) => [one.name, one]));

		if (!probe(byName, reply))
			throw new Error(JSON.stringify(reply).slice(0, 2000));
		return byName;
	}, timeoutMs);
}

// Starts to listen; resolves when it can receive.
async function listen(sluice) {
	await sluice.json('/api/announcements');
	await waitUntil('ears', () => isJoined(GROUP, 'lo'));
	return sluice.worker('scan').pid;
}

const sdp = (id, more = '') => `v=0\r\no=- ${id} 1 IN IP4 127.0.0.2\r\n` +
	`s=Flood ${id}\r\nc=IN IP4 239.9.9.9/1\r\nt=0 0\r\n${more}` +
	'm=video 5004 RTP/AVP 33\r\n';

function packet(text, flags = 0x20) {
	return Buffer.concat([Buffer.from([flags, 0, 0, 1, 127, 0, 0, 2]),
		Buffer.from('application/sdp\0'), Buffer.from(text)]);
}

// A sender of announcements at that address.
async function announcer(t, from) {
	const socket = dgram.createSocket('udp4');

	await new Promise((done) => socket.bind(0, from, done));
	socket.setMulticastInterface(from);
	t.after(() => socket.close());
	return (bytes) => new Promise((done) =>
		socket.send(bytes, PORT, GROUP, done));
}

const memory = (pid, key) => Number(new RegExp(`${key}:\\s+(\\d+)`)
	.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

test('announcements are listed, and an input plays from one', async (t) => {
	const mux = new TsMux({ services: [PROGRAM] });
	const sender = stream('a001', 'udp://127.0.0.1:5000',
		['rtp://lo@239.1.1.2:1236#sap&sap_interval=1'],
		{ name: 'Nachrichten für alle' });
	const sluice = await Sluice.start(t, config(sender));

	await listen(sluice);
	await Sender.start(t, mux, 5000);
	const list = await listed(sluice, 'the session', (all) =>
		all.has('Nachrichten für alle'));
	const found = list.get('Nachrichten für alle');

	// on lo the kernel sends to groups from no address at all
	assert.deepEqual({ ...found, heard: 0 }, { name: sender.name,
		sender: '0.0.0.0', iface: 'lo', heard: 0,
		input: 'rtp://lo@239.1.1.2:1236' });
	assert.ok(Math.abs(found.heard - Date.now() / 1000) < 60);
	const text = await new Ctl(t, `http://127.0.0.1:${sluice.port}`)
		.out(['announcements']);

	assert.match(text, new RegExp(`^${sender.name} +0\\.0\\.0\\.0 ` +
		` *\\d+ s +${found.input} *$`, 'm'));
	await sluice.cmd('set-stream', { stream: stream('b001', found.input,
		'http://127.0.0.1:8100/b') });
	await sluice.onair('b001', 20000);
	await sluice.cmd('set-stream', { id: 'a001',
		stream: { ...sender, output: [] } });
	await listed(sluice, 'its end', (all) => all.size === 0);
	await sluice.stop();
});

test('a flood of announcements uses bounded memory and time and evicts none',
	async (t) => {
		const timing = new Timing(t);
		const sluice = await Sluice.start(t, config());
		const scan = await listen(sluice);
		const [flood, other] = await Promise.all([
			announcer(t, '127.0.0.2'), announcer(t, '127.0.0.3')]);
		const before = memory(sluice.pid, 'VmRSS');
		const cpu = cpuSeconds(scan) + cpuSeconds(sluice.pid);
		let sent = 0, slowest = 0;

		while (sent < FLOOD) {
			const some = [];

			for (let i = 0; i < 500; i++)
				some.push(flood(packet(sdp(sent++))));
			await Promise.all(some);
			if (sent % 10000 === 0) {
				const begin = performance.now();

				await sluice.cmd('version');
				slowest = Math.max(slowest,
					performance.now() - begin);
			}
		}
		timing.assert(slowest < 5000, `an answer took ${slowest} ms`);
		// the remaining announcements are in the sockets until the
		// table is full
		await waitUntil('the table', async () => {
			for (let i = 0; i < 20; i++)
				await flood(packet(sdp(sent++)));
			const { announcements } =
				await sluice.json('/api/announcements');

			always(() => assert.ok(announcements.length <= 256));
			return announcements.length === 256;
		}, 60000);
		await listed(sluice, 'the other one', (all) => {
			void other(packet(sdp(1).replace('Flood 1', 'News')));
			return all.get('News')?.sender === '127.0.0.3';
		});
		const more = cpuSeconds(scan) + cpuSeconds(sluice.pid) - cpu;

		t.diagnostic(`${sent} announcements: ${more.toFixed(2)} s of ` +
			`CPU, scan ${memory(scan, 'VmHWM')} KiB, master ` +
			`${before} -> ${memory(sluice.pid, 'VmRSS')} KiB`);
		assert.equal(sluice.worker('scan').pid, scan, 'the same');
		assert.ok(memory(scan, 'RssAnon') < 16 * MIB);
		assert.ok(memory(sluice.pid, 'VmRSS') - before < 8 * MIB);
		assert.ok(more < 10, `${more} s`);
	});

test('an invalid announcement is rejected and reported', async (t) => {
	const sluice = await Sluice.start(t, config());
	const scan = await listen(sluice);
	const say = await announcer(t, '127.0.0.2');
	const refused = (why) => listed(sluice, `${why}`, (all, reply) =>
		all.size === 0 && why.test(reply.error));

	await say(packet(sdp(1), 0x22));
	await refused(/127\.0\.0\.2 on lo: is encrypted/);
	await say(Buffer.alloc(3));
	await say(packet('v=0\r\nhello'));
	await say(packet(sdp(1, `a=${'x'.repeat(30000)}\r\n`)));
	await say(packet(sdp(1, 'a=x\r\n'.repeat(10000))));
	await say(packet(sdp(1, 'm=video 1 RTP/AVP 33\r\n'.repeat(40))));
	await refused(/^6 packets .* line 38: m=: occurs more than 32 times$/);
	await say(packet(sdp(1)
		.replace('s=Flood 1', 's=\x1b[2J\u202e\xff<b>')));
	const list = await listed(sluice, 'a name', (all) => all.size === 1);

	assert.equal([...list.keys()][0], ' [2J ÿ<b>');
	assert.equal(sluice.worker('scan').pid, scan);
	// the end of the worker is reported, and another one listens
	process.kill(scan, 'SIGSEGV');
	await listed(sluice, 'the new one', (all, reply) =>
		all.size === 0 && reply.error === undefined &&
		sluice.worker('scan') && sluice.worker('scan').pid !== scan);
});
