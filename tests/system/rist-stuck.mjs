// SPDX-License-Identifier: GPL-3.0-or-later
// rist: a thread of librist that stops is reported, and the stream restarts.
import fs from 'node:fs';
import { test } from 'node:test';
import { helper, pair, pidsOf, replaced, sending }
	from '../helpers/rist-stuck.mjs';
import { run, start, waitUntil } from '../helpers/util.mjs';

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
