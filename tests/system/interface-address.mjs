// SPDX-License-Identifier: GPL-3.0-or-later
// interface, addresses: an address names the interface that has it now.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { ip, isJoined, pair, tool } from '../helpers/net.mjs';
import { TO, joinedOn, make } from '../helpers/interface.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder, Sender } from '../helpers/udp.mjs';
import { start, udpBound, waitUntil } from '../helpers/util.mjs';

// Datagrams to a group loop back to the members on that interface.
test('an address names the interface that has it now', async (t) => {
	const OUT = { address: '239.1.9.9', port: 6001 };
	const LATER = '10.9.8.8';
	const of = async (id) => (await sluice.json(
		`/api/stream-inputs/${id}`)).inputs[0];
	// the status covers a whole second: maybe the one before
	const plays = async (name) => {
		const [{ ifindex }] = JSON.parse(await ip('-j', 'link', 'show',
			name));

		await sluice.waitStatus('a001', `on air by ${name}`, (s) =>
			s.onair && s.inputs[0].stats?.interface === ifindex);
	};

	await make();
	t.after(() => ip('link', 'del', 'vc'));
	await pair(t, 'ra', 'rb');
	const sluice = await Sluice.start(t, config(
		stream('a001', `udp://${TO.iface}@239.1.0.1:5000`,
			`udp://${TO.iface}@${OUT.address}:${OUT.port}`),
		stream('a002', `rtp://${LATER}@239.1.0.2:5002`, [])));

	await waitUntil('the group', () => joinedOn('vc'));
	await waitUntil('why', async () => (await of('a002')).error ===
		`interface ${LATER}: there is none with that address`);
	await ip('addr', 'add', `${LATER}/24`, 'dev', 'ra');
	await waitUntil('the later one', () => isJoined('239.1.0.2', 'ra'));
	const here = await Recorder.start(t, { ...OUT, iface: 'ra' });
	const first = await Sender.start(t, new TsMux(), 5000, TO);
	await plays('vc');
	await sluice.waitStatus('a001', 'packets', (s) =>
		s.outputs[0].packets > 1000);
	assert.equal(here.size(), 0);
	first.stop();

	await ip('addr', 'del', `${TO.iface}/24`, 'dev', 'vc');
	await waitUntil('why', async () => (await of('a001')).error ===
		`interface ${TO.iface}: there is none with that address`);
	await ip('addr', 'add', `${TO.iface}/24`, 'dev', 'ra');
	await waitUntil('the group there', () => joinedOn('ra'));
	await waitUntil('no group here', () => !joinedOn('vc'));
	await Sender.start(t, new TsMux(), 5000, TO);
	await plays('ra');
	await waitUntil('packets there', () => here.size() > 100000);
	await sluice.stop();
});

// An output to a group on the interface that has the address; the datagrams are
// received on the interfaces of the names.
async function send(t, address, options, names) {
	const OUT = { address: '239.1.9.9', port: 6001 };
	const recorders = await Promise.all(names.map((iface) =>
		Recorder.start(t, { ...OUT, iface })));
	const sluice = await Sluice.start(t, config(stream('a001',
		'udp://127.0.0.1:5000',
		`rtp://${address}@${OUT.address}:${OUT.port}${options}`)));

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	const { pid } = (await sluice.status('a001')).worker;

	return { sluice, pid, isSentOn: (name, n = 100000) => {
		const recorder = recorders[names.indexOf(name)];
		const from = recorder.size();

		return waitUntil(`it is sent on ${name}`, () =>
			recorder.size() > from + n);
	} };
}

// The kernel lists hundreds of addresses more slowly than packets may wait.
test('the cost of an address does not depend on their number', async (t) => {
		await make();
		t.after(() => ip('link', 'del', 'vc'));
		for (let i = 0; i < 50; i++) {
			await pair(t, `many${i}`, `peer${i}`);
			await ip('addr', 'add', `10.8.${i}.1/24`, 'dev',
				`many${i}`);
		}
		const { sluice, pid, isSentOn } = await send(t, TO.iface,
			'#fec=5x5', ['vc']);
		const trace = start(t, 'strace', ['-qq', '-f', '-p', `${pid}`,
			'-e', 'trace=ioctl,sendto,sendmsg']);
		const count = (what) => trace.text.err.split(what).length - 1;

		await waitUntil('the trace', () => fs.readFileSync(
			`/proc/${pid}/status`, 'utf8').includes(
			`TracerPid:\t${trace.pid}\n`));
		const uptime = async () => (await sluice.json(
			'/api/system-status')).app_uptime;
		const quiet = { asked: -1, since: 0 };

		// those that were made just now change for some seconds
		await waitUntil('nothing is asked where nothing changes',
			async () => {
				const asked = count('RTM_GET') +
					count('SIOCGIF');
				const at = await uptime();

				if (asked !== quiet.asked)
					Object.assign(quiet, { asked,
						since: at });
				return at > quiet.since + 3;
			}, 30000);
		const before = count('SIOCGIF');

		await ip('addr', 'add', '10.8.200.1/24', 'dev', 'many0');
		await waitUntil('a look', () => count('SIOCGIF') > before);
		await isSentOn('vc');
		trace.kill('SIGINT');
		await trace.ended;
		assert.equal(count('NLM_F_DUMP'), 0, trace.text.err);
		assert.ok(count('SIOCGIF') < before + 100, trace.text.err);
		await sluice.stop();
	});

test('a failed query of addresses ends no stream, and is repeated',
	async (t) => {
	await make();
	t.after(() => ip('link', 'del', 'vc'));
	await pair(t, 'ra', 'rb');
	const { sluice, pid, isSentOn } = await send(t, TO.iface, '',
		['vc', 'ra']);
	const allow = (n) => tool('prlimit', '--pid', `${pid}`,
		`--nofile=${n}:`);
	const before = fs.readFileSync(`/proc/${pid}/limits`, 'utf8')
		.match(/Max open files +(\d+)/)[1];

	await allow(3);
	await ip('addr', 'add', '10.9.3.2/24', 'dev', 'vc');
	await isSentOn('vc', 1000000);
	assert.doesNotMatch(sluice.log, /output 1: /);
	await ip('addr', 'del', `${TO.iface}/24`, 'dev', 'vc');
	await ip('addr', 'add', `${TO.iface}/24`, 'dev', 'ra');
	await isSentOn('vc', 1000000);
	await allow(before);
	await isSentOn('ra');
	assert.doesNotMatch(sluice.log, /there is none with that address/);
	await sluice.stop();
});

test('of two interfaces with the address, the one in state up is used',
	async (t) => {
	await make();
	t.after(() => ip('link', 'del', 'vc'));
	await pair(t, 'ra', 'rb');
	await ip('addr', 'add', `${TO.iface}/24`, 'dev', 'ra');
	const { sluice, isSentOn } = await send(t, TO.iface, '',
		['vc', 'ra']);
	const set = (name, state) => ip('link', 'set', name, state);

	for (let i = 0; i < 2; i++) {
		await set('vc', 'up');
		await set('ra', 'down');
		await isSentOn('vc');
		await set('vc', 'down');
		await set('ra', 'up');
		await isSentOn('ra');
	}
	await sluice.stop();
});
