// SPDX-License-Identifier: GPL-3.0-or-later
// Descrambling: a stream that is scrambled with changing control words leaves
// the service byte for byte as it was, and a softcam that fails costs nothing
// that its control words can prevent.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { PROGRAM, TsMux } from '../helpers/mux.mjs';
import { CamServer, wordsOf } from '../helpers/newcamd.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { crc32 } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { builddir, now, waitUntil } from '../helpers/util.mjs';

const udp = (port) => `udp://127.0.0.1:${port}`;
const CAID = 0x0b00, ECM = 0x200, EMM = 0x300, RATE = 2e6;
// Crypto periods in packets: 0.3 s, and 1.5 s where a worker has to start.
const PERIOD = 400, LONG_PERIOD = 2000;
// How long the packets of the stream whose softcam fails are held back.
const SHIFT_MS = 3000;
// Between the answer of a server and the packets that need it.
const ANSWER_MS = 100;
const COMPONENTS = [PROGRAM.video, PROGRAM.audio];

// A file of so many seconds, clear, and scrambled.
function clip(seconds, period = PERIOD) {
	const mux = new TsMux({ rate: RATE, programs: [{ ...PROGRAM,
		ca: { system: CAID, pid: ECM } }] });
	const clear = mux.take(Math.round(seconds * RATE / 8 / 188));
	const scrambled = execFileSync(
		path.join(builddir, 'tests/helpers/scramble-file'),
		[period, ECM, ...COMPONENTS].map(String),
		{ input: clear, maxBuffer: 1 << 28 });

	return { clear, scrambled };
}

// A packet with a whole section.
function packet(pid, section, cc) {
	const p = Buffer.alloc(188, 0xff);

	Buffer.from([0x47, 0x40 | pid >> 8, pid & 255, 0x10 | cc, 0]).copy(p);
	section.copy(p, 5);
	return p;
}

// A CAT that names the PID of EMMs, one for the card of the tests, and one for
// another.
function emms() {
	const cat = Buffer.from([1, 0xb0, 15, 0xff, 0xff, 0xc1, 0, 0, 9, 4,
		CAID >> 8, CAID & 255, 0xe0 | EMM >> 8, EMM & 255, 0, 0, 0, 0]);
	const own = Buffer.from('82700900a1b2c3d4e5f60102', 'hex');
	const other = Buffer.from('82700900a1b2c3d4e5f70102', 'hex');

	cat.writeUInt32BE(crc32(cat.subarray(0, -4)), 14);
	return [0, 1, 2].flatMap((cc) => [packet(1, cat, cc),
		packet(EMM, own, 2 * cc), packet(EMM, other, 2 * cc + 1)]);
}

// The periods of a clip: the place of its first ECM, and its number.
function periods(data) {
	const list = [];

	for (let at = 0; at + 188 <= data.length; at += 188)
		if ((data.readUInt16BE(at + 1) & 0x1fff) === ECM &&
			data[at + 8] !== list.at(-1)?.number)
			list.push({ at: at / 188, number: data[at + 8] });
	return list;
}

// A multiplex of udp.mjs that plays a buffer once.  A period follows when one
// of the servers has answered the ECM of the one before: on a machine that
// stalls no word is late, because the clip waits for it.
class Player {
	packets = 0; // of time
	rate = RATE;
	#at = 0;     // of the clip
	#next = 1;

	constructor(data, cams) {
		this.data = data;
		this.cams = cams;
		this.periods = periods(data);
	}

	#isAnswered({ number }) {
		return this.cams.length === 0 || this.cams.some((c) =>
			c.answered.get(number) + ANSWER_MS < now());
	}

	take(n) {
		const from = this.#at;

		while (this.#next < this.periods.length &&
			this.#isAnswered(this.periods[this.#next - 1]))
			this.#next++;
		this.packets += n;
		this.#at = Math.min(from + n,
			this.periods[this.#next]?.at ?? Infinity);
		return this.data.subarray(from * 188, this.#at * 188);
	}
	get ended() { return this.#at * 188 >= this.data.length; }
}

async function play(t, data, port, ...cams) {
	const player = new Player(data, cams);
	const sender = await Sender.start(t, player, port,
		{ shape: (packets) => packets.length > 0 ? [packets] : [] });

	return { player, sender, end: () => waitUntil('end of the clip',
		() => player.ended, 30000) };
}

// The packets of the components, in their order.
function components(data) {
	const list = [];

	for (let at = 0; at + 188 <= data.length; at += 188)
		if (COMPONENTS.includes(data.readUInt16BE(at + 1) & 0x1fff))
			list.push(data.subarray(at, at + 188));
	return list;
}

function why(all, p, want) {
	const at = all.findIndex((q) => q.subarray(3).equals(p.subarray(3)));

	return p[3] & 0x80 ? 'its word is late' : at < 0 ? 'a wrong word' :
		`it is packet ${at - want} after it`;
}

// What left is what was sent, from the first packet on.  Returns how many
// packets left scrambled.
function assertSame(clear, sent, from = 0) {
	const a = components(clear), b = components(sent);
	const skip = a.findIndex((p) => p.subarray(4).equals(
		b[from].subarray(4)));

	assert.ok(skip >= 0, 'the first packet is not one that was sent');
	assert.ok(b.length - from > 0.9 * (a.length - skip),
		`${b.length - from} of ${a.length - skip} packets`);
	for (let i = from; i < b.length; i++)
		if (!b[i].subarray(3).equals(a[skip + i - from].subarray(3)))
			assert.fail(`packet ${i} of ${b.length} differs: ` +
				why(a, b[i], skip + i - from));
}

// False, and the test is skipped: a busy machine lost packets of the input.
async function isSame(timing, sluice, id, clear, sent) {
	const lines = sluice.log.split('\n').filter((line) =>
		line.includes(`stream ${id}:`)).join('\n');
	const status = await sluice.status(id);
	let same = false;

	timing.unlessHeldUp(lines, [status], () => {
		assertSame(clear, sent, firstClear(sent));
		same = true;
	});
	return same;
}

const firstClear = (data) => components(data).findIndex((p) => p[3] < 0x80);

const softcamEvents = (events, id, status) => events.scope('softcam_event')
	.filter((m) => m.softcam_id === id && m.status === status);

const add = (sluice, object) => object.type === 'newcamd' ?
	sluice.cmd('set-softcam', { softcam: object }) :
	sluice.cmd('set-stream', { stream: object });

// Two streams with one softcam.
async function manyKeys(t, sluice) {
	const timing = new Timing(t);
	const { clear, scrambled } = clip(6);
	const cam = await CamServer.start(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const events = await sluice.events(t);

	cam.pieces = true;
	cam.delayMs = 60;
	await add(sluice, cam.entry('many', { caid: '' }));
	await add(sluice, stream('a', `${udp(5000)}#cam=many&shift=2000`,
		udp(6000)));
	await add(sluice, stream('b', `${udp(5001)}#cam=many`, udp(6001)));
	await waitUntil('login', () =>
		softcamEvents(events, 'many', 3).length > 0);
	assert.deepEqual({ ...softcamEvents(events, 'many', 3)[0],
		ecm_rate: 0 },
		{ scope: 'softcam_event', softcam_id: 'many', status: 3,
			caid: CAID, ecm_rate: 0, emm_rate: 0 });
	const one = await play(t, Buffer.concat([scrambled.subarray(0, 188000),
		...emms(), scrambled.subarray(188000)]), 5000, cam);
	const two = await play(t, scrambled, 5001, cam);

	await one.end();
	await two.end();
	await recorder.quiet();
	const [list] = await recorder.stop();
	const sent = joined(list);

	if (!await isSame(timing, sluice, 'a', clear, sent))
		return;
	assert.ok(firstClear(sent) < 400, `${firstClear(sent)} packets`);
	assert.deepEqual(cam.emms.map((m) => m.body.toString('hex')),
		['00a1b2c3d4e5f60102']);
	// no CA descriptor, no ECM, no EMM
	assert.ok(!sent.includes(Buffer.from([9, 4, 0x0b, 0, 0xe2, 0])));
	for (let at = 0; at < sent.length; at += 188)
		assert.ok(![1, ECM, EMM].includes(
			sent.readUInt16BE(at + 1) & 0x1fff));
	// both streams share the answers; each ECM is asked about once
	const periods = cam.ecms.map((m) => m.body[0]);

	assert.ok(periods.length > 15, `${periods.length} ECMs`);
	assert.deepEqual([cam.ecms[0].sid, cam.ecms[0].caid], [1, CAID]);
	// a server without a processor has to be asked again
	timing.assert(cam.logins === 1, `${cam.logins} logins`);
	if (cam.logins > 1)
		return;
	assert.equal(new Set(periods).size, periods.length);
	await waitUntil('its counts', async () => {
		const { softcams } = await sluice.json('/api/overview');
		const info = softcams.find((c) => c.id === 'many');

		assert.equal(info.status, 3);
		assert.equal(info.ecm_misses, periods.length);
		assert.ok(info.ecm_hits > 0);
		assert.equal(info.ecm_times.reduce((a, b) => a + b),
			periods.length);
		return true;
	});
}

// The worker of the softcam is killed, then its connection is cut.
async function killed(t, sluice) {
	const timing = new Timing(t);
	const { clear, scrambled } = clip(9, LONG_PERIOD);
	const cam = await CamServer.start(t);
	const recorder = await Recorder.start(t, { port: 6010 });

	await add(sluice, cam.entry('kill', { force: true,
		disable_emm: true }));
	await waitUntil('login', () => cam.logins > 0);
	await add(sluice, stream('k', `${udp(5010)}#cam=kill&` +
		`shift=${SHIFT_MS}`, udp(6010)));
	const { pid } = await waitUntil('worker', () =>
		sluice.worker('stream', 'k'));
	const one = await play(t, Buffer.concat([scrambled.subarray(0, 188000),
		...emms(), scrambled.subarray(188000)]), 5010, cam);

	await waitUntil('two keys', () => cam.ecms.length > 1);
	const since = now(), first = cam.logins;
	process.kill(sluice.worker('softcam', 'kill').pid, 'SIGKILL');
	await waitUntil('second login', () => cam.logins > first);
	const known = cam.ecms.length;

	await waitUntil('another key', () => cam.ecms.length > known);
	// the clip waits for a word, an input would not: it is needed this
	// time after its ECM
	const within = (pause, what) => timing.assert(pause < SHIFT_MS,
		`${what}: ${pause.toFixed()} ms until the next ECM`);

	within(now() - since, 'the worker was killed');
	const cut = now(), asked = cam.ecms.length, second = cam.logins;

	cam.drop();
	await waitUntil('third login', () => cam.logins > second);
	await waitUntil('its key', () => cam.ecms.length > asked);
	within(now() - cut, 'the connection was cut');
	await one.end();
	await recorder.quiet();
	const [list] = await recorder.stop();
	const sent = joined(list);

	await isSame(timing, sluice, 'k', clear, sent);
	assert.equal(sluice.worker('stream', 'k').pid, pid);
	assert.deepEqual(cam.emms, [], 'disable_emm');
}

// A server that refuses, one with another password, and wrong control words.
async function reasons(t, sluice) {
	const { scrambled } = clip(30);
	const cam = await CamServer.start(t, () => null);
	const events = await sluice.events(t);

	for (const entry of [cam.entry('c1'),
		cam.entry('c2', { pass: 'wrong' }), cam.entry('unused')])
		await add(sluice, entry);
	await add(sluice, stream('r', `${udp(5020)}#cam=c1`, udp(6020)));
	await add(sluice, stream('s', `${udp(5021)}#cam=c2`, udp(6021)));
	const one = await play(t, scrambled, 5020);

	await play(t, scrambled, 5021);
	const a = await sluice.waitStatus('r', 'its reason', (s) =>
		/no control word/.test(s.error) && s.sc_error > 0);

	assert.equal(a.error,
		'softcam c1: no control word: the server found none');
	const b = await sluice.waitStatus('s', 'its reason', (s) =>
		/login failed/.test(s.error));

	assert.equal(b.error, 'softcam c2: login failed');
	await waitUntil('failed attempts', () =>
		softcamEvents(events, 'c2', 0).length > 1);
	for (const event of softcamEvents(events, 'c2', 0))
		assert.deepEqual(event, { scope: 'softcam_event',
			softcam_id: 'c2', status: 0 });
	assert.ok(!events.scope('softcam_event')
		.some((m) => m.softcam_id === 'unused'));

	// wrong control words
	cam.on_ecm = (m) => Buffer.from('0102030604050615'.repeat(2), 'hex')
		.map((x, i) => i % 8 === 0 ? x + m.body[0] & 255 : x)
		.map((x, i, all) => i % 4 === 3 ? all[i - 3] + all[i - 2] +
			all[i - 1] & 255 : x);
	const wrong = await sluice.waitStatus('r', 'wrong words', (s) =>
		/words are wrong/.test(s.error) && s.pes_error > 0 &&
		s.sc_error === 0);

	assert.match(wrong.error, /^softcam c1: the control words are wrong: /);
	// another entry: the connection is another, too
	const logins = cam.logins;

	await sluice.cmd('set-softcam', { id: 'c2', softcam: cam.entry('c2') });
	await waitUntil('login of the new entry', () => cam.logins > logins);
	cam.on_ecm = wordsOf;
	await sluice.onair('r', 10000);
	await sluice.onair('s', 10000);
	assert.doesNotMatch(sluice.log, /pass|wrong"/);
	await sluice.cmd('set-softcam', { id: 'c1',
		softcam: { remove: true } });
	await waitUntil('end of the worker', () =>
		!sluice.worker('softcam', 'c1'));
	one.sender.stop();
}

// The first one falls silent, then it refuses.
async function two(t, sluice) {
	const timing = new Timing(t);
	const { clear, scrambled } = clip(8);
	const [first, second] = [await CamServer.start(t),
		await CamServer.start(t)];
	const recorder = await Recorder.start(t, { port: 6030 });

	await add(sluice, first.entry('one'));
	await add(sluice, second.entry('two', { split_cam: true }));
	await add(sluice, stream('t', `${udp(5030)}#cam=one,two&shift=3000`,
		udp(6030)));
	await waitUntil('logins', () => first.logins > 0 && second.logins > 0);
	await waitUntil('own worker', () => sluice.worker('softcam', 'two/t'));
	const one = await play(t, scrambled, 5030, first, second);

	await waitUntil('some keys', () => first.ecms.length > 4);
	first.on_ecm = () => undefined; /* silent */
	await waitUntil('answers of the second', () => second.ecms.length > 4);
	first.on_ecm = () => null;
	await one.end();
	await recorder.quiet();
	const [list] = await recorder.stop();
	const sent = joined(list);

	await isSame(timing, sluice, 't', clear, sent);
}

// The control words of the standby arrive while the input on air is read.
async function standby(t, sluice) {
	const timing = new Timing(t);
	const { clear, scrambled } = clip(7);
	const cam = await CamServer.start(t);
	const recorder = await Recorder.start(t, { port: 6050 });

	cam.delayMs = 30;
	await add(sluice, cam.entry('here'));
	await add(sluice, cam.entry('there'));
	await add(sluice, stream('i', [`${udp(5050)}#cam=here&shift=1000`,
		`${udp(5051)}#cam=there&shift=1000`], udp(6050),
	// a sender that pauses is left for no other
	{ backup_type: 'active', backup_start_delay: 600 }));
	await waitUntil('logins', () => cam.logins >= 2);
	const one = await play(t, scrambled, 5050, cam);

	// other packets, and other times of the keys
	await play(t, scrambled.subarray(188 * 1000), 5051, cam);
	await one.end();
	await recorder.quiet(); // for longer than the shift
	const [list] = await recorder.stop();
	const sent = joined(list);

	await isSame(timing, sluice, 'i', clear, sent);
	assert.ok(cam.ecms.length > 20, `${cam.ecms.length} ECMs`);
}

// The master is replaced: the streams stay, the softcam logs in again.
async function restarted(t, sluice) {
	const timing = new Timing(t);
	const { clear, scrambled } = clip(6, LONG_PERIOD);
	const cam = await CamServer.start(t);
	const recorder = await Recorder.start(t, { port: 6040 });

	await add(sluice, cam.entry('stay'));
	await add(sluice, stream('m', `${udp(5040)}#cam=stay&shift=3000`,
		udp(6040)));
	await waitUntil('login', () => cam.logins > 0);
	const { pid } = sluice.worker('stream', 'm');
	const one = await play(t, scrambled, 5040, cam);

	await waitUntil('two keys', () => cam.ecms.length > 1);
	const { logins } = cam;
	await sluice.cmd('restart');
	await waitUntil('second login', () => cam.logins > logins, 20000);
	await one.end();
	await recorder.quiet();
	const [list] = await recorder.stop();
	const sent = joined(list);

	await isSame(timing, sluice, 'm', clear, sent);
	assert.equal(sluice.worker('stream', 'm').pid, pid);
}

// They wait for their streams most of the time.
test('streams are descrambled', { concurrency: true }, async (t) => {
	const sluice = await Sluice.start(t, config());

	await Promise.all([
		t.test('over many key changes, each ECM asked about once',
			(s) => manyKeys(s, sluice)),
		t.test('without a loss while a softcam worker is replaced',
			(s) => killed(s, sluice)),
		t.test('or name the softcam and the reason',
			(s) => reasons(s, sluice)),
		t.test('by a second softcam when the first does not answer',
			(s) => two(s, sluice)),
		t.test('each input with its own packets, on standby too',
			(s) => standby(s, sluice)),
	]);
	await t.test('without a loss while the master is replaced',
		(s) => restarted(s, sluice));
	await sluice.stop();
});
