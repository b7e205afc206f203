// SPDX-License-Identifier: GPL-3.0-or-later
// faults, from inside: whatever a worker sends or does not send, the master and
// the other streams continue.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { both, hello as helloOf, ready, wrapper }
	from '../helpers/bad-worker.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, sanitized } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { cpuSeconds, now, sleep, udpBound, waitUntil }
	from '../helpers/util.mjs';

// Runs bad workers beside a good one until each was started twice; the good one
// must not lose a packet.
async function beside(t, scripts, { timeoutMs = 20000,
	check = async () => {} } = {}) {
	const timing = new Timing(t), bad = wrapper(t, scripts);
	const recorder = await Recorder.start(t, { port: 6000 });
	const ids = Object.keys(scripts);
	const sluice = await Sluice.start(t, both(ids),
		{ env: { SLUICE_WORKER: bad.file } });

	await waitUntil('input', () => udpBound(5000));
	const sender = await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('good');
	const { length } = sluice.log;
	const { pid } = sluice.worker('stream', 'good');
	await waitUntil('two starts of each bad one', () => {
		const missing = ids.filter((id) => bad.starts(id).length < 2);

		if (missing.length > 0)
			throw new Error(`${missing}`);
		return true;
	}, timeoutMs);
	await check(sluice, bad, timing);
	await sluice.onair('good');
	assert.equal(sluice.worker('stream', 'good').pid, pid);
	const log = sluice.log.slice(length).split('\n').filter((line) =>
		line.includes('stream good')).join('\n');
	await recorder.all(sender);
	const [list] = await recorder.stop();
	timing.stop();
	timing.unlessHeldUp(log, [await sluice.status('good')], () => {
		assert.equal(list.length, sender.sent,
			'the good one lost datagrams');
		assert.equal(checkTs(joined(list)).ccErrors, 0);
	});
	const { code } = await sluice.stop();
	assert.equal(code, 0, sluice.log.slice(-2000));
	return { sluice, bad };
}

const hello = helloOf();

test('a flood of valid messages', (t) => beside(t, { bad:
	`${hello}; ${ready}; while :; do ` +
	`say '{"type":"worker.log","body":{"level":"info","component":"x",` +
	`"text":"flood"}}'; done` }, { check: async (sluice) => {
		assert.ok(sluice.log.length < 2e6, 'the log is not flooded');
		await sluice.logged(/stream bad: .*a flood of messages/);
	} }));

// Lists of receivers as long as possible, in number and bytes far below a
// flood, as soon as the file `flood' is there.  The first start ends at once.
const LISTS = `import json, os, socket, sys, time
channel = socket.socket(fileno=3)
channel.setblocking(True)
folder = sys.argv[1]
for text in sys.argv[2:]:
    channel.send(text.encode())
def message(type, body):
    return json.dumps({"type": type, "body": body}).encode()
receivers = message("stream.receivers", {"output": 1, "list": [
    {"client": (1 << 52) + i, "peer": "srt://192.0.2.1:%d" % i,
     "uptime": 1, "bytes": 0} for i in range(60)]})
status = message("stream.status", {"packets": 1, "alarms": 0, "changes": [],
    "chosen": 1, "by_hand": False, "filler": False, "join": 0, "gop": 0,
    "inputs": [], "outputs": []})
if len(open(folder + "/starts-bad").readlines()) == 1:
    sys.exit(1)
floods, sent = False, 0
while True:
    if time.monotonic() > sent + 1:
        sent = time.monotonic()
        channel.send(status)
    floods = floods or os.path.exists(folder + "/flood")
    for i in range(11 if floods else 0):
        channel.send(receivers)
    time.sleep(.01)
`;
// What the messages of a worker may cost (proto/ipc/contract.h).
const [PERCENT, SAVED_MS] = ['PERCENT', 'SAVED_MS'].map((name) => Number(
	new RegExp(`CHANNEL_COST_${name} = (\\d+)`).exec(fs.readFileSync(
		path.join(process.env.srcdir, 'proto/ipc/contract.h'),
		'utf8'))[1]));

const share = PERCENT / 100 * (sanitized ? 8 : 1);

// The processor time of the loop of a process, in seconds, and the time.
const loopTime = (pid) => [Number(fs.readFileSync(`/proc/${pid}/schedstat`,
	'utf8').split(' ')[0]) / 1e9, now() / 1000];

// Python may take seconds to start, and a worker that has said that it is ready
// must have a status soon: Python says hello and ready, not the shell.
const FIRST = [hello, ready].map((say) => say.replace(/^say /, '')).join(' ');

// From one loopTime() to another.
const spent = ([cpu0, at0], [cpu, at]) => [cpu - cpu0, at - at0];

test('messages that cost the master much', (t) => beside(t,
	{ bad: `exec python3 -c '${LISTS}' "$dir" ${FIRST}` }, {
		check: async (sluice, bad, timing) => {
			await sluice.waitStatus('bad', 'run',
				(s) => s.worker.state === 'running');
			const quiet = loopTime(sluice.pid);
			await sleep(2000);
			const begin = loopTime(sluice.pid);
			fs.writeFileSync(path.join(path.dirname(bad.file),
				'flood'), '');
			// one without a processor is no flood
			const judged = await sluice.logged(
				/warning stream bad: .*the master too much/)
				.catch(() => false);
			const [usual, while_] = spent(quiet, begin);
			const [cpu, span] = spent(begin, loopTime(sluice.pid));
			// what the same master does without the flood
			const cost = cpu - usual / while_ * span;
			t.diagnostic(`${(100 * usual / while_).toFixed(2)} % ` +
				'without a flood; a flood of ' +
				`${span.toFixed(2)} s cost ` +
				`${(1000 * cost).toFixed()} ms more`);
			const most = SAVED_MS / 1000 + span * share;
			assert.ok(cost <= most, `${cost} s in ${span} s`);
			timing.assert(judged, `no flood in ${span} s`);
		} }));

// fewer than a flood, each of them sound
test('a status a hundred times a second', (t) => beside(t, { bad:
	`${hello}; ${ready}; while :; do ` +
	`say '{"type":"stream.status","body":{"packets":1,` +
	`"alarms":0,"changes":[],"chosen":1,"by_hand":false,` +
	`"filler":false,"join":0,"gop":0,"inputs":[],` +
	`"outputs":[]}}'; sleep 0.01; done` },
	{ check: async (sluice) => {
		await sluice.logged(
			/stream bad: .*stream.status more often than once/);
	} }));

// Each ends, or is ended, and starts again.
const faulty = {
	'garbage instead of messages':
		`${hello}; ${ready}; while :; do say 'no JSON'; done`,
	'bytes that are not text':
		`${hello}; while :; do head -c 70 /dev/urandom >&3; done`,
	'messages that only the master may send': `${hello}; ${ready}; ` +
		`while :; do say '{"type":"deliver.listen",` +
		`"body":{"address":"0.0.0.0:1"}}'; done`,
	'numbers out of range and unknown keys':
		`${hello}; ${ready}; while :; do ` +
		`say '{"type":"stream.status","body":{"packets":-1}}'; ` +
		`say '{"type":"worker.log","body":{"level":99}}'; done`,
	'a message that is too long': `${hello}; for i in 1 2 3 4; do ` +
		`head -c 90000 /dev/zero >&3; done; exec sleep 100`,
	'a hello of another version': `${hello.replace(/"proto":\d+/,
		'"proto":999')}; exec sleep 100`,
	'no hello': `${ready}; exec sleep 100`,
	'no message, and signals are ignored':
		`trap '' TERM ABRT; while :; do sleep 0.1; done`,
	'no message after a valid start': `${hello}; ${ready}; exec sleep 100`,
	'a channel that is closed by a process that lives on':
		`${hello}; ${ready}; exec 3>&-; exec sleep 100`,
};

test('workers with faults of many kinds, all at once', (t) => beside(t,
	Object.fromEntries(Object.values(faulty).map((script, i) =>
		[`bad${i}`, script])), { timeoutMs: 60000,
		check: async (sluice, bad) => {
			for (const [i, name] of Object.keys(faulty).entries())
				await t.test(name, () => assert.ok(
					bad.starts(`bad${i}`).length >= 2));
		} }));
