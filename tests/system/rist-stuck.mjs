// SPDX-License-Identifier: GPL-3.0-or-later
// rist: a thread of librist that stops is reported, and the stream restarts.
import assert from 'node:assert/strict';
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

// Stops a thread, again where it had a lock at that moment.
async function stops(t, id, name, through) {
	let found = false;

	for (let i = 0; i < 3 && !found; i++) {
		const sluice = await pair(t, through);
		const pids = pidsOf(sluice);

		await sending(sluice);
		await hold(t, threads(pids[id], name)[0]);
		found = await replaced(sluice, id, pids, 'is blocked');
	}
	assert.ok(found, 'the thread had a lock each time');
}

for (const [what, id, name] of [['output', 'from', 'rist sockets'],
	['input', 'to', 'rist sockets'],
	['input whose sockets are read', 'to', 'rist flow']])
	test(`a thread that stops, of an ${what}`, async (t) => {
		await stops(t, id, name);
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
	await stops(t, 'from', 'rist sockets', manyGroups);
});
