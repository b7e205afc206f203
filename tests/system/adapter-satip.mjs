// SPDX-License-Identifier: GPL-3.0-or-later
// adapters of a SAT>IP server: a session per adapter, which lasts.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { TsMux, catSection } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { waitUntil } from '../helpers/util.mjs';

const PORT = 5540; // of the first server; the others have the next ones
const RATE = 2e6;
const PNRS = [1, 2];
const programs = PNRS.map((pnr) => ({ pnr, pmtPid: 0x100 * pnr,
	video: 0x100 * pnr + 1 }));
const adapter = (more = {}) => ({ id: 'd', name: 'Multiplex', type: 'S2',
	enable: true, server: `127.0.0.1:${PORT}`, frequency: 11362,
	polarization: 'H', symbolrate: 22000, ...more });

// A server with one tuner: `replies' come before the good ones.
class Server {
	static count = 0;

	constructor(t) {
		this.t = t;
		this.number = Server.count++;
		this.rtsp = PORT + this.number;
		this.requests = [];
		this.replies = [];
		this.pids = new Set();
		this.sequence = this.taken = 0;
		this.udp = createSocket('udp4');
		this.mux = new TsMux({ programs, rate: RATE });
		this.listener = createServer((c) => this.accept(c));
	}

	async start() {
		// a name may lead to either family
		await new Promise((done) => this.listener.listen(this.rtsp,
			'::', done));
		this.begin = performance.now();
		this.timer = setInterval(() => this.send(), 20);
		this.t.after(() => {
			clearInterval(this.timer);
			this.connection?.destroy();
			this.listener.close();
			this.udp.close();
		});
		return this;
	}

	accept(connection) {
		let text = '';

		this.connection = connection;
		connection.on('error', () => {});
		connection.on('data', (data) => {
			text += data;
			for (let end; (end = text.indexOf('\r\n\r\n')) >= 0;) {
				this.answer(text.slice(0, end));
				text = text.slice(end + 4);
			}
		});
	}

	answer(request) {
		const [method] = request.split(' ');
		const cseq = /CSeq: (\d+)/.exec(request)[1];
		const port = /client_port=(\d+)/.exec(request);
		let status = this.replies.shift() ?? '200 OK';
		let fields = '';

		this.requests.push(request);
		if (this.lists && /pids=all/.test(request))
			status = '400 Bad Request';
		else
			this.take(request.split('\r\n')[0]);
		if (method === 'SETUP' && status === '200 OK') {
			this.tcp = /RTP\/AVP\/TCP/.test(request);
			this.port = port && Number(port[1]);
			fields = 'Session: 7;timeout=4\r\n' +
				'com.ses.streamID: 1\r\n' +
				/Transport: .*/.exec(request)[0] + '\r\n';
		}
		if (method === 'TEARDOWN')
			this.playing = false;
		this.connection.write(`RTSP/1.0 ${status}\r\n` +
			`Cseq: ${cseq}\r\n${fields}\r\n`);
		if (method === 'PLAY' && status === '200 OK')
			this.playing = !this.silent;
	}

	// The PIDs that the client names.
	take(line) {
		const named = (key) => (new RegExp(`[?&]${key}=([\\d,]+)`)
			.exec(line)?.[1] ?? '').split(',').filter(Boolean)
			.map(Number);

		if (/[?&]pids=/.test(line))
			this.pids = new Set(named('pids'));
		for (const pid of named('addpids'))
			this.pids.add(pid);
		for (const pid of named('delpids'))
			this.pids.delete(pid);
	}

	// The packets of the wanted PIDs, all of them by default.
	select(packets) {
		if (!this.lists)
			return packets;
		const parts = [];

		for (let i = 0; i < packets.length; i += 188)
			if (this.pids.has(packets.readUInt16BE(i + 1) & 8191))
				parts.push(packets.subarray(i, i + 188));
		return Buffer.concat(parts);
	}

	// The tuner: level 204 of 255, quality 9 of 15.
	report() {
		const text = 'ver=1.0;src=1;tuner=1,204,1,9,11362,h,dvbs2,';
		const rtcp = Buffer.concat([Buffer.from([0x80, 204, 0,
			3 + text.length / 4]), Buffer.from('ssrcSES1'),
		Buffer.from([0, 0, 0, text.length]), Buffer.from(text)]);

		if (this.tcp)
			this.connection.write(Buffer.concat([
				Buffer.from([0x24, 1, 0, rtcp.length]), rtcp]));
		else
			this.udp.send(rtcp, this.port + 1, '127.0.0.1');
	}

	send() {
		if (this.playing)
			this.report();
		const due = Math.floor((performance.now() - this.begin) *
			RATE / 8000 / 188) - this.taken;
		const packets = this.select(this.mux.take(due));

		this.taken += due;

		for (let i = 0; this.playing && i < packets.length; i += 1316)
			this.sendDatagram(packets.subarray(i, i + 1316));
	}

	sendDatagram(payload) {
		const head = Buffer.alloc(12);

		head[0] = 0x80;
		head[1] = 33;
		head.writeUInt16BE(this.sequence++ & 0xffff, 2);
		const rtp = Buffer.concat([head, payload]);
		if (!this.tcp) {
			this.udp.send(rtp, this.port, '127.0.0.1');
			return;
		}
		const frame = Buffer.from([0x24, 0, rtp.length >> 8,
			rtp.length & 255]);
		this.connection.write(Buffer.concat([frame, rtp]));
	}

	all(method) {
		return this.requests.filter((r) => r.startsWith(method));
	}

	count(method) { return this.all(method).length; }
}

// A server, and what receives from it.
class Scene {
	static async open(t, sluice, more = {}, replies = [], lists = false,
		host = '127.0.0.1') {
		const self = new Scene();
		const server = await new Server(t).start();
		const k = server.number;
		const port = (pnr) => 6000 + 10 * k + pnr;

		self.recorder = await Recorder.start(t,
			...PNRS.map((pnr) => ({ port: port(pnr) })));
		self.streams = PNRS.map((pnr) => `p${k}${pnr}`);
		self.keys = adapter({ id: `d${k}`,
			server: `${host}:${server.rtsp}`, ...more });
		Object.assign(self, { server, sluice });
		Object.assign(server, { replies, lists });
		await sluice.cmd('set-adapter', { adapter: self.keys });
		for (const [i, pnr] of PNRS.entries())
			await sluice.cmd('set-stream', { stream: stream(
				self.streams[i], `dvb://d${k}#pnr=${pnr}`,
				`udp://127.0.0.1:${port(pnr)}`) });
		await Promise.all(self.streams.map((id) =>
			sluice.onair(id, 20000)));
		return self;
	}

	status() {
		return this.sluice.json(`/api/adapter-status/${this.keys.id}`);
	}

	lock() {
		return waitUntil('a lock', async () =>
			(await this.status()).lock);
	}

	// What the streams sent, with a program each.
	async outputs() {
		const outputs = (await this.recorder.stop())
			.map((list) => checkTs(joined(list)));

		assert.deepEqual(outputs.map((ts) =>
			[...ts.pat.programs.keys()]), PNRS.map((n) => [n]));
		return outputs;
	}
}

async function receive(scene, timing) {
	const { server, sluice, keys } = scene;

	await waitUntil('a keep-alive', () => server.count('OPTIONS') > 0);
	assert.match(server.requests[0], new RegExp('^SETUP rtsp://' +
		`127\\.0\\.0\\.1:${server.rtsp}/\\?freq=11362&msys=dvbs2&` +
		'src=1&pol=h&mtype=8psk&sr=22000&pids=all RTSP/1\\.0'));
	assert.match(server.requests[0], keys.transport === 'tcp' ?
		/RTP\/AVP\/TCP/ : /RTP\/AVP;/);
	const s = await waitUntil('a report of the tuner', async () => {
		const now = await scene.status();

		assert.deepEqual([now.lock, now.signal, now.snr, now.error],
			[true, 80, 60, undefined]);
		return now;
	});
	// a server without a processor for seconds loses its session
	const lasts = server.count('SETUP') === 1;

	timing.assert(lasts, 'the session did not last');
	if (keys.transport === 'tcp' && lasts)
		assert.equal(s.lost, 0);
	const outputs = await scene.outputs();
	const statuses = await Promise.all(scene.streams.map((id) =>
		sluice.status(id)));
	// what the sockets of the adapter dropped
	statuses.push({ inputs: [{ socket_drops: s.lost }], outputs: [] });
	timing.unlessHeldUp(sluice.log, statuses, () => {
		assert.equal(s.lost, 0);
		for (const ts of outputs)
			assert.equal(ts.ccErrors + ts.syncErrors, 0);
	});
}

async function leave({ server, sluice, keys }) {
	await sluice.cmd('toggle-adapter', { id: keys.id });
	await waitUntil('TEARDOWN', () => server.count('TEARDOWN') > 0);
}

test('programs of servers by udp and tcp', async (t) => {
	const timing = new Timing(t);
	const sluice = await Sluice.start(t, config());
	const scenes = await Promise.all(['udp', 'tcp'].map((transport) =>
		Scene.open(t, sluice, { transport })));

	await Promise.all(scenes.map((scene) => receive(scene, timing)));
	await Promise.all(scenes.map(leave));
	await sluice.stop();
});

async function tuneAgain(t, sluice) {
	const scene = await Scene.open(t, sluice);
	const { server, keys } = scene;
	const { pid } = (await scene.status()).worker;

	await sluice.cmd('set-adapter', { id: keys.id,
		adapter: { ...keys, frequency: 11494 } });
	const begin = () => server.requests.findIndex((r) =>
		/^SETUP .*\?freq=11494&/.test(r));

	await waitUntil('a session of the other multiplex', () =>
		begin() > 0 && server.requests.slice(begin())
			.some((r) => r.startsWith('PLAY')));
	assert.match(server.requests[begin() - 1], /^TEARDOWN/);
	await scene.lock();
	for (const request of server.requests.slice(begin()))
		assert.doesNotMatch(request, /freq=11362/);
	assert.equal((await scene.status()).worker.pid, pid);
}

async function findByName(t, sluice) {
	const scene = await Scene.open(t, sluice, { transport: 'tcp' }, [],
		false, 'localhost');

	assert.match(scene.server.requests[0], new RegExp('^SETUP rtsp://' +
		`(127\\.0\\.0\\.1|\\[::1\\]):${scene.server.rtsp}/\\?`));
	await scene.lock();
}

async function tryAgain(t, sluice) {
	const scene = await Scene.open(t, sluice, {},
		['503 Service Unavailable']);
	const { server } = scene;

	for (const request of server.requests.slice(0, 2))
		assert.match(request, /^SETUP/);
	const played = server.count('PLAY');

	server.replies = ['454 Session Not Found'];
	await waitUntil('another session', () =>
		server.count('PLAY') > played);
	await scene.lock();
	const { length } = server.all('SETUP');

	server.silent = true;
	server.playing = false;
	await waitUntil('the error', async () => /no packets|neither packets/
		.test((await scene.status()).error), 20000);
	await waitUntil('a new session', () =>
		server.count('SETUP') > length, 20000);
	server.silent = false;
	server.playing = true;
	await scene.lock();
}

async function namePids(t, sluice, budget) {
	const timing = new Timing(t);
	const scene = await Scene.open(t, sluice, { budget }, [], true);
	const { server } = scene;

	await waitUntil('all PIDs of the programs', () => [...server.pids]
		.sort((a, b) => a - b).join() ===
		'0,1,16,17,18,20,256,257,512,513');
	const setups = server.all('SETUP').map((r) => /pids=all/.test(r));
	const wanted = budget ? 2 : 0, whole = setups.indexOf(false);

	// a server that replies late is asked again
	assert.ok(whole >= wanted && (budget || whole === 0), `${setups}`);
	assert.ok(!setups.slice(whole).includes(true), `${setups}`);
	timing.assert(setups.length === wanted + 1, `${setups}`);
	// the next session of such a server has all of them from its beginning
	timing.assert(server.all('PLAY').some((r) =>
		/\/stream=1\?addpids=/.test(r)), 'no PID was added');
	await scene.outputs();
	const setOptions = (options) => sluice.cmd('set-stream', {
		id: scene.streams[0], stream: stream(scene.streams[0],
			`dvb://${scene.keys.id}#pnr=${PNRS[0]}&${options}`,
			'udp://127.0.0.1:5999') });

	// a PID that no table has
	await setOptions('set_pcr_pid=2000');
	await waitUntil('the PID that a stream names', () =>
		server.pids.has(2000));
	// EMMs of a CA system that no PMT names
	server.mux.more = [[1, catSection([[0x500, 2001]])]];
	assert.ok(!server.pids.has(2001));
	await setOptions('cam=c&ecm_pid=2002');
	await waitUntil('the PIDs of ECMs and EMMs', () =>
		server.pids.has(2001) && server.pids.has(2002));
}

// They wait for their servers most of the time.
test('sessions with a server', { concurrency: true }, async (t) => {
	const sluice = await Sluice.start(t, config());

	await Promise.all([
		t.test('another tuning is a session of the same process',
			(s) => tuneAgain(s, sluice)),
		t.test('a server has a name', (s) => findByName(s, sluice)),
		t.test('a busy server is asked again, a lost session is made ' +
			'again', (s) => tryAgain(s, sluice)),
		...[true, false].map((budget) =>
			t.test(`PIDs of the programs, budget ${budget}`,
				(s) => namePids(s, sluice, budget))),
	]);
	await sluice.stop();
});

test('a wrong key is an error that names it', async (t) => {
	const sluice = await Sluice.start(t, config());

	for (const [more, error] of [
		[{ server: 'a b' }, /server: .*a b.* is neither an IP address/],
		[{ polarization: 'X' }, /polarization: X is not a value/],
		[{ transport: 'x' }, /transport/],
		[{ address: 'udp://:1234' },
			/address: is not possible beside server/],
	]) {
		const reply = await sluice.post({ cmd: 'set-adapter', id: 'd',
			adapter: adapter(more) });

		assert.equal(reply.status, 400);
		assert.match(reply.body, error);
	}
	await sluice.stop();
});
