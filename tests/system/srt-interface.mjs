// SPDX-License-Identifier: GPL-3.0-or-later
// srt, interfaces: a listener on a named interface listens again when another
// interface gets that name, and keeps its connections.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { ip, tool } from '../helpers/net.mjs';
import { AS_SELF, MASTER, Sluice, WORKER, config, stream }
	from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender } from '../helpers/udp.mjs';
import { start, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const netnsOf = (pid) => fs.readlinkSync(`/proc/${pid}/ns/net`);

// A network of its own, at the other end (10.9.0.2) of a cable.
async function makeBeyond(t) {
	const child = start(t, 'unshare', ['-n', 'sh', '-euc',
		'ip link set lo up; echo up; exec sleep 1000']);

	await waitUntil('its network', () => child.text.out === 'up\n' &&
		netnsOf(child.pid) !== netnsOf('self'));
	return child.pid;
}

async function plug(beyond) {
	await ip('link', 'add', 'va', 'type', 'veth', 'peer', 'name', 'vb',
		'netns', String(beyond));
	await ip('addr', 'add', '10.9.0.1/24', 'dev', 'va');
	await tool('nsenter', '-t', String(beyond), '-n', 'sh', '-euc',
		'ip addr add 10.9.0.2/24 dev vb; ip link set vb up');
	await ip('link', 'set', 'va', 'up');
}

const unplug = () => ip('link', 'del', 'va');

// Packets of our output return to our input.
function relay(t, beyond, timeout) {
	const file = path.join(tempDir(t), 'beyond.json');

	fs.writeFileSync(file, JSON.stringify(config(stream('back',
		`srt://10.9.0.1:9001#timeout=${timeout}`,
		`srt://10.9.0.1:9002#timeout=${timeout}`))));
	return start(t, 'nsenter', ['-t', String(beyond), '-n', MASTER,
		...AS_SELF, '-p', '8001', '--no-web-auth', '-c', file],
	{ env: { ...process.env, SLUICE_WORKER: WORKER } });
}

async function begin(t, iface, timeout) {
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('out', 'udp://127.0.0.1:5000',
			`srt://${iface}@:9001#timeout=${timeout}`),
		stream('in', `srt://${iface}@:9002#timeout=${timeout}`,
			'udp://127.0.0.1:6000')));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	const ends = async () => [(await sluice.status('out')).outputs[0],
		(await sluice.status('in')).inputs[0]];

	return { sluice, ends,
		more: (what) => {
			const before = recorder.size();

			return waitUntil(what, () =>
				recorder.size() > before + 200000, 30000);
		},
		told: (pattern) => waitUntil(`${pattern}`, async () =>
			(await ends()).every(({ error }) =>
				pattern.test(error ?? '')), 20000) };
}

const gone = /^interface va: not found$/;
// How often both have logged that.
const times = (sluice, what) => [9001, 9002].map((port) => sluice.log.split(
	`srt port ${port}: interface va${what}`).length - 1);
const said = (sluice, what, n) => waitUntil(`${what}, ${n} times`, () =>
	times(sluice, what).every((count) => count >= n));

test('a new interface without connections is used', async (t) => {
	const timing = new Timing(t), beyond = await makeBeyond(t);
	const { sluice, more, told } = await begin(t, 'va', 2);
	const listens = () => waitUntil('both listen', () =>
		[9001, 9002].every(udpBound), 20000);

	t.after(() => unplug().catch(() => {}));
	// it was never there
	await told(gone);
	await plug(beyond);
	await timing.within(5000, listens());
	const first = relay(t, beyond, 2);
	await more('packets');
	first.kill('SIGTERM');
	await first.ended;
	await told(/^(|waiting for a caller.*)$/);
	await unplug();
	await told(gone);
	await said(sluice, ': not found', 1);
	await plug(beyond);
	await timing.within(2000,
		said(sluice, ' was replaced: listening on the new one', 1));
	await told(/^(|waiting for a caller.*)$/);
	relay(t, beyond, 2);
	await more('packets after the return');
	await sluice.stop();
});

test('a changed interface keeps its connections', async (t) => {
	const beyond = await makeBeyond(t);

	await plug(beyond);
	t.after(() => unplug().catch(() => {}));
	// named by its address: another interface may have that name
	const { sluice, ends, more } = await begin(t, '10.9.0.1', 60);
	const replaced = (n) => waitUntil('another socket', () =>
		[9001, 9002].every((port) => sluice.log.split(`srt port ` +
			`${port}: interface 10.9.0.1 was replaced`).length >
			n));

	relay(t, beyond, 60);
	await more('packets');
	for (let i = 1; i <= 3; i++) {
		await unplug();
		await plug(beyond);
		await replaced(i);
		await more('packets after the return');
	}
	for (const { stats } of await ends())
		assert.equal(stats.connects, 1);
	await sluice.stop();
});
