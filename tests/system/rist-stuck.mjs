// SPDX-License-Identifier: GPL-3.0-or-later
// rist: a hung thread of librist is reported, and the stream restarts.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { liveMultiplex } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { builddir, run, start, udpBound, waitUntil }
	from '../helpers/util.mjs';

const helper = (name) => path.join(builddir, 'tests/helpers', name);

// The threads of a process, by name.
const threads = (pid, name) => fs.readdirSync(`/proc/${pid}/task`)
	.filter((tid) => fs.readFileSync(`/proc/${pid}/task/${tid}/comm`,
		'utf8').trim() === name);

async function hold(t, tid) {
	const child = start(t, helper('hold-thread'), [tid],
		{ stdio: ['pipe', 'pipe', 'pipe'] });

	await waitUntil('a thread that is held', () =>
		child.text.out.startsWith('held'));
}

// To one stream from another, which is not affected.
async function pair(t, through = []) {
	const sluice = await Sluice.start(t, config(
		stream('from', 'udp://127.0.0.1:5000', 'rist://127.0.0.1:9080'),
		stream('to', 'rist://@127.0.0.1:9080',
			'udp://127.0.0.1:6000')), { through });

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ seconds: 200 });
	await sluice.onair('to', 30000);
	return sluice;
}

const sending = (sluice) => waitUntil('packets', async () =>
	(await sluice.status('from')).outputs[0].stats?.sent > 100, 20000);

// The worker of this stream ends for that reason; the other one does not.
async function replaced(sluice, id, pids, why) {
	await sluice.replaced('stream', id, pids[id], 60000);
	await sluice.logged(new RegExp('rist port 9080: a thread of librist ' +
		`${why}: worker restarts`));
	await sluice.onair('to', 60000);
	await sending(sluice);
	for (const other of ['from', 'to'].filter((name) => name !== id))
		assert.equal(sluice.worker('stream', other).pid, pids[other]);
	await sluice.stop();
}

const pidsOf = (sluice) => Object.fromEntries(['from', 'to'].map((id) =>
	[id, sluice.worker('stream', id).pid]));

for (const [what, id, name] of [['output', 'from', 'rist sockets'],
	['input', 'to', 'rist sockets'],
	['input whose sockets are read', 'to', 'rist flow']])
	test(`a thread that stops, of an ${what}`, async (t) => {
		const sluice = await pair(t);
		const pids = pidsOf(sluice);

		await sending(sluice);
		await hold(t, threads(pids[id], name)[0]);
		await replaced(sluice, id, pids, 'is blocked');
	});

// They fill pages of the kernel's list of each thread.
const GROUPS = Array.from({ length: 2000 }, (_, i) => 100000 + i);
const manyGroups = ['setpriv', `--groups=${GROUPS}`];

async function lacksGroups() {
	const { code, err } = await run(manyGroups[0],
		[...manyGroups.slice(1), 'true']);

	return code !== 0 && `no groups here: ${err}`;
}

test('a thread that stops, of an input in many groups', async (t) => {
	const why = await lacksGroups();

	if (why) {
		t.skip(why);
		return;
	}
	const sluice = await pair(t, manyGroups);
	const pids = pidsOf(sluice);

	await sending(sluice);
	await hold(t, threads(pids.from, 'rist sockets')[0]);
	await replaced(sluice, 'from', pids, 'is blocked');
});

// The datagram that the filter drops: a part of RTCP that has no end in it.
const RR = [0x80, 201, 0, 1, 1, 2, 3, 4];
const ENDLESS = [0x80, 207, 0, 2, 1, 2, 3, 4, 0, 0, 255, 255];
const HEAD = [0, 0, 0x88, 0xb6, 0x80, 0, 0x80, 1];

test('a thread that runs in a loop', async (t) => {
	const sluice = await pair(t);
	const pids = pidsOf(sluice);
	const socket = dgram.createSocket('udp4');
	let bare;
	// a worker that was started meanwhile has its filter again
	const expose = async () => {
		const { pid } = sluice.worker('stream', 'to') ?? {};

		if (pid === undefined || pid === bare)
			return;
		if ((await run(helper('bare-port'), [pid, 9080])).code === 0)
			bare = pid;
	};

	t.after(() => socket.close());
	await waitUntil('a port without a filter', async () => {
		await expose();
		return bare !== undefined;
	});
	// a new sender is accepted from its second datagram on
	const timer = setInterval(() => socket.send(
		Buffer.from([...HEAD, ...RR, ...ENDLESS]), 9080, '127.0.0.1'),
	100);
	t.after(() => clearInterval(timer));
	await waitUntil('a line of the log', async () => {
		const told = /in a loop/.test(sluice.log);

		if (!told)
			await expose();
		return told;
	}, 60000);
	clearInterval(timer);
	await replaced(sluice, 'to', pids, 'runs in a loop');
});
