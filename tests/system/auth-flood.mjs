// SPDX-License-Identifier: GPL-3.0-or-later
// auth-flood: a flood of logins does not delay other clients.  make bench
// measures the delay; here other processes may use the processor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, call, checked, cookie, enter, login, startGuarded }
	from '../helpers/auth.mjs';
import { Timing } from '../helpers/timing.mjs';
import { now } from '../helpers/util.mjs';

// Behind the hashing of all would be minutes.
const LIMIT_MS = 2000;
const ASKS = 300;
// For this time and longer, a valid credential is cached without another check.
const KNOWN_MS = 50000;
const users = { olga: { type: 2, password: 'look' } };

// Sends attacking requests from many addresses until the others have made their
// n requests, or as many as a slow machine answers in time, and enough attacks
// were answered; returns the 99th percentile of the others.
async function p99During(attack, n, ask, enough = () => true) {
	const times = [], answers = {}, end = now() + KNOWN_MS;
	let over = false, i = 0;

	const attackers = Array.from({ length: 32 }, async () => {
		while (!over) {
			const { status } = await attack(i++);
			answers[status] = (answers[status] ?? 0) + 1;
		}
	});
	for (let k = 0; (k < n && now() < end) || !enough(answers); k++) {
		const begin = now();
		assert.equal((await ask()).status, 200);
		times.push(now() - begin);
	}
	over = true;
	await Promise.all(attackers);
	times.sort((a, b) => a - b);
	return { ms: times[Math.ceil(times.length * 0.99) - 1], answers };
}

// The forged addresses are believed, so that the worker is really kept busy.
const trusting = { config: { settings: { allow_real_ip: true } }, users };
const from = (i) => ({ 'X-Real-IP': `10.${i >> 16 & 255}.${i >> 8 & 255}.` +
	`${i & 255}` });

test('during a flood of logins, requests of a session are answered',
	async (t) => {
	const timing = new Timing(t);
	const { sluice } = await startGuarded(t, trusting);
	const inside = cookie(await enter(sluice, 'olga', 'look'));
	const { ms, answers } = await p99During((i) =>
		login(sluice, 'olga', `w${i}`, {}, from(i)), ASKS,
	() => call(sluice, { cmd: 'whoami' }, inside),
	// something was checked
	(seen) => seen[403] > 5);

	t.diagnostic(`p99 ${ms.toFixed(1)} ms, ${JSON.stringify(answers)}`);
	timing.assert(ms < LIMIT_MS, `p99 is ${ms} ms`);
	// a locked or delayed client receives that error and no other
	for (const status of Object.keys(answers))
		assert.ok(['403', '429', '503'].includes(status), status);
	await sluice.stop();
});

test('during a flood of Basic, cached credentials are answered', async (t) => {
	const timing = new Timing(t);
	const { sluice } = await startGuarded(t, trusting);
	const known = basic('olga', 'look');

	assert.equal((await checked(() =>
		call(sluice, { cmd: 'whoami' }, known))).status, 200);
	const { ms } = await p99During((i) => call(sluice, { cmd: 'whoami' },
		{ ...basic(`u${i}`, 'x'), ...from(i) }), ASKS,
	() => call(sluice, { cmd: 'whoami' }, known));
	t.diagnostic(`p99 ${ms.toFixed(1)} ms`);
	timing.assert(ms < LIMIT_MS, `p99 is ${ms} ms`);
	await sluice.stop();
});
