// SPDX-License-Identifier: GPL-3.0-or-later
// auth-lock: only the address that guesses passwords is locked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { again, basic, call as callOnce, checked, cookie, enter,
	login as loginOnce, startGuarded } from '../helpers/auth.mjs';
import { now } from '../helpers/util.mjs';
import { request } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';

const users = { olga: { type: 2, password: 'look' } };
// A request without an answer in time does not count as a guess.
const call = (...args) => checked(() => callOnce(...args));
const login = (...args) => checked(() => loginOnce(...args));
const whoami = (sluice, headers) => call(sluice, { cmd: 'whoami' }, headers);
const from = (address) => ({ 'X-Real-IP': address });

// Failures count for a minute.  False, and the test is skipped: a busy machine
// needed that for the checks since begin.
function inTime(timing, begin) {
	const s = (now() - begin) / 1000;

	timing.assert(s < 55, `${s.toFixed()} s for the checks`);
	return s < 55;
}

// Returns how n wrong passwords were answered.
async function guess(sluice, n, headers = () => ({})) {
	const answers = [];

	for (let i = 0; i < n; i++)
		answers.push((await login(sluice, 'olga', `wrong${i}`, {},
			headers(i))).status);
	return answers;
}

test('five wrong passwords lock the address, also for Basic', async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const inside = cookie(await enter(sluice, 'olga', 'look'));

	assert.equal((await whoami(sluice, basic('olga', 'look'))).status, 200);
	assert.deepEqual(await guess(sluice, 7),
		[403, 403, 403, 403, 403, 429, 429]);
	const right = await login(sluice, 'olga', 'look');
	assert.equal(right.status, 429);
	assert.equal(typeof right.json.error, 'string');
	assert.equal(right.headers['set-cookie'], undefined);
	assert.equal((await whoami(sluice, basic('olga', 'look'))).status, 429);
	assert.equal((await request(sluice.port, { path: '/api/system-status',
		headers: basic('olga', 'look') })).status, 429);
	// sessions continue; a request without a credential gets its usual
	// reply
	assert.equal((await whoami(sluice, inside)).status, 200);
	assert.equal((await whoami(sluice, {})).status, 403);
	assert.equal((await call(sluice, { cmd: 'login' })).status, 400);
	await sluice.stop();
});

test('failures of Basic count, and a success forgets those of its login',
	async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const fail = (i) => whoami(sluice, basic('olga', `x${i}`));

	for (let i = 0; i < 4; i++)
		assert.equal((await fail(i)).status, 403);
	await enter(sluice, 'olga', 'look');
	for (let i = 0; i < 4; i++)
		assert.equal((await fail(i)).status, 403);
	assert.equal((await login(sluice, 'nobody', 'x')).status, 403);
	assert.equal((await login(sluice, 'olga', 'look')).status, 429);
	await sluice.stop();
});

test('passwords of every login lock the address for all', async (t) => {
	const { sluice, admin, password } = await startGuarded(t, { users });
	const wrong = ['admin', 'olga', 'admin', 'nobody', 'olga', 'admin'];
	const answers = [];

	// both were right from there
	await enter(sluice, 'admin', password);
	await enter(sluice, 'olga', 'look');
	for (const [i, name] of wrong.entries())
		answers.push((await login(sluice, name, `w${i}`)).status);
	assert.deepEqual(answers, [403, 403, 403, 403, 403, 429]);
	assert.equal((await login(sluice, 'admin', password)).status, 429);
	assert.equal((await login(sluice, 'olga', 'look')).status, 429);
	assert.equal((await whoami(sluice, admin)).status, 200);
	await sluice.stop();
});

test('an own success buys no guesses of the password of another user',
	async (t) => {
	const { sluice, password } = await startGuarded(t, { users: { ...users,
		vera: { type: 3, password: 'watch' } } });
	const answers = [], timing = new Timing(t), begin = now();

	// a new password each time: a known one is not checked again
	for (let i = 0; i < 6; i++) {
		const reply = await login(sluice, 'admin', `guess${i}`);
		answers.push(reply.status);
		if (reply.status === 429)
			break;
		await call(sluice, { cmd: 'set-user', id: 'olga',
			user: { password: `look${i}` } }, basic('olga',
			i ? `look${i - 1}` : 'look'));
		// a viewer never comes in; its password is right
		await login(sluice, 'vera', 'watch');
	}
	if (inTime(timing, begin)) {
		assert.deepEqual(answers, [403, 403, 403, 403, 403, 429]);
		assert.equal((await login(sluice, 'admin', password)).status,
			429);
	}
	await sluice.stop();
});

test('many addresses that guess one login lock the login only', async (t) => {
	const settings = { allow_real_ip: true,
		real_ip_trusted: ['127.0.0.0/8'] };
	const { sluice: first, admin, password } = await startGuarded(t,
		{ users, config: { settings } });
	const timing = new Timing(t);
	let sluice = first;
	const spread = async () => {
		const answers = [], begin = now();

		for (let i = 0; i < 25; i++)
			answers.push((await login(sluice, 'admin', `guess${i}`,
				{}, from(`198.51.100.${i}`))).status);
		if (!inTime(timing, begin))
			return false;
		assert.deepEqual(answers, [...Array(20).fill(403),
			...Array(5).fill(429)]);
		return true;
	};

	if (!await spread()) {
		await sluice.stop();
		return;
	}
	await sluice.logged(/warning auth: a login is locked for a minute/);
	// the right password too, but not where admin was before
	assert.equal((await login(sluice, 'admin', password, {},
		from('198.51.100.99'))).status, 429);
	await enter(sluice, 'admin', password);
	assert.equal((await whoami(sluice, admin)).status, 200);
	assert.equal((await login(sluice, 'olga', 'look', {},
		from('198.51.100.99'))).status, 200);
	// a restart forgets where admin was; a session renews its address
	sluice = await again(t, sluice);
	assert.equal((await whoami(sluice, admin)).status, 200);
	await spread();
	await enter(sluice, 'admin', password);
	await sluice.stop();
});

test('parallel connections get no more guesses than sequential ones',
	async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const begin = now();
	const answers = await Promise.all(Array.from({ length: 8 },
		(_, i) => login(sluice, 'olga', `w${i}`)));
	const wasFast = now() - begin < 5000;
	const count = (status) => answers.filter((reply) =>
		reply.status === status).length;

	// after five seconds the answer is 503, and a repetition finds the lock
	assert.ok(count(403) <= 5, `${count(403)} guesses`);
	assert.equal(count(403) + count(429), 8);
	if (wasFast)
		assert.equal(count(403), 5);
	await sluice.stop();
});

test('the same valid password from many connections is one check',
	async (t) => {
	const { sluice } = await startGuarded(t, { users });
	const answers = await Promise.all(Array.from({ length: 30 },
		() => whoami(sluice, basic('olga', 'look'))));

	assert.ok(answers.every((reply) => reply.status === 200));
	await sluice.stop();
});

test('a forged X-Real-IP is ignored', async (t) => {
	const { sluice } = await startGuarded(t, { users });

	assert.deepEqual(await guess(sluice, 6, (i) => from(`198.51.100.${i}`)),
		[403, 403, 403, 403, 403, 429]);
	await sluice.logged(/IP:127\.0\.0\.1/);
	assert.doesNotMatch(sluice.log, /198\.51\.100/);
	await sluice.stop();
});

test('only a listed proxy may set X-Real-IP', async (t) => {
	const settings = { allow_real_ip: true,
		real_ip_trusted: ['192.0.2.0/24'] };
	const { sluice } = await startGuarded(t,
		{ users, config: { settings } });

	// our address is not in the list: a hundred addresses are still one
	assert.deepEqual((await guess(sluice, 100,
		(i) => from(`10.0.0.${i}`))).slice(0, 6),
	[403, 403, 403, 403, 403, 429]);
	assert.doesNotMatch(sluice.log, /real_ip_trusted/);
	await sluice.stop();
});

test('behind a listed proxy each client is locked separately', async (t) => {
	const settings = { allow_real_ip: true,
		real_ip_trusted: ['127.0.0.0/8', '::1'] };
	const { sluice } = await startGuarded(t,
		{ users, config: { settings } });

	assert.deepEqual(await guess(sluice, 6, () => from('198.51.100.7')),
		[403, 403, 403, 403, 403, 429]);
	await sluice.logged(/Login:olga IP:198\.51\.100\.7$/m);
	assert.equal((await login(sluice, 'olga', 'look', {},
		from('198.51.100.8'))).status, 200);
	assert.equal((await login(sluice, 'olga', 'look', {},
		from('198.51.100.7'))).status, 429);
	// the IPv6 network of a client counts as one address
	assert.deepEqual(await guess(sluice, 6,
		(i) => from(`2001:db8:1:2::${i + 1}`)),
	[403, 403, 403, 403, 403, 429]);
	// an invalid address counts as the proxy itself
	assert.equal((await login(sluice, 'olga', 'look', {},
		from('nonsense'))).status, 200);
	await sluice.stop();
});

test('trusting the X-Real-IP of every address raises a warning', async (t) => {
	const { sluice } = await startGuarded(t,
		{ config: { settings: { allow_real_ip: true } } });

	await sluice.logged(
		/warning config: settings\.allow_real_ip: .*real_ip_trusted/);
	await sluice.stop();
});

test('an unknown login takes as long as a wrong password', async (t) => {
	const timing = new Timing(t);
	// two users: twenty guesses would lock one
	const { sluice } = await startGuarded(t, { users: { olga: users.olga,
		otto: users.olga }, config: { settings: {
		allow_real_ip: true } } });
	const times = { known: [], unknown: [] };
	const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

	// each from an address of its own, so that nothing is locked
	for (let i = 0; i < (timing.busy() ? 8 : 60); i++) {
		const name = [['nobody', 'olga'], ['no one', 'otto']][
			i >> 1 & 1][i & 1];
		const begin = now();
		assert.equal((await login(sluice, name, `w${i}`, {},
			from(`198.51.100.${i}`))).status, 403);
		times[i % 2 ? 'known' : 'unknown'].push(now() - begin);
	}
	const ratio = median(times.known) / median(times.unknown);
	timing.assert(ratio > 0.6 && ratio < 1.67, `ratio ${ratio}`);
	await sluice.stop();
});
