// SPDX-License-Identifier: GPL-3.0-or-later
// viewer-lock: viewers and the control interface check the same passwords, and
// a guess counts where it was made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, call, checked, cookie, done, enter, login, startGuarded }
	from '../helpers/auth.mjs';
import { Viewer } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { config, request, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const PORT = 8100, A = '198.51.100.1', B = '198.51.100.2';
const from = (address) => ({ 'X-Real-IP': address });
const users = { olga: { type: 2, password: 'look' },
	anna: { type: 3, password: 'watch' },
	bert: { type: 3, password: 'see' } };

async function scene(t, auth = { enable: true }) {
	const made = await startGuarded(t, { users, config: {
		...config(stream('a001', 'udp://127.0.0.1:5000',
			`http://127.0.0.1:${PORT}/one`)),
		auth, settings: { http_play_stream: true, allow_real_ip: true,
			real_ip_trusted: ['127.0.0.0/8'] } } });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux(), 5000);
	await waitUntil('the output', () => request(PORT, { path: '/none' }));
	return made;
}

// A request without an answer in time does not count as a guess.
async function watch(address, credential) {
	const { status } = await checked(() => request(PORT, { method: 'HEAD',
		path: `/one?auth=${credential}`, headers: from(address) }));

	return status;
}
const list = ({ port }, address, credential) => request(port,
	{ path: `/playlist.m3u8?auth=${credential}`, headers: from(address) });
async function log(sluice, address, name, password) {
	return (await checked(() => login(sluice, name, password, {},
		from(address)))).status;
}

test('guesses of viewers lock viewers only', async (t) => {
	const { sluice, password } = await scene(t);
	const inside = { ...from(A), ...cookie(await enter(sluice, 'olga',
		'look')) };
	const viewer = await Viewer.open(t, PORT, '/one?auth=anna:watch',
		{ headers: from(A) });

	assert.equal(viewer.status, 200);
	for (let i = 0; i < 4; i++) {
		assert.equal(await watch(A, `admin:guess${i}`), 403);
		// the success of another login clears nothing
		assert.equal(await watch(A, 'anna:watch'), 200);
		assert.equal(await log(sluice, A, 'olga', 'look'), 200);
	}
	assert.equal((await list(sluice, A, 'admin:last')).status, 200);
	await sluice.logged(
		/198\.51\.100\.1 is locked for a minute for viewers: 5 wrong/);
	assert.equal(await watch(A, 'bert:see'), 403);
	assert.equal((await list(sluice, A, 'bert:see')).status, 503);
	// the operator behind the same address enters for the first time
	assert.equal(await log(sluice, A, 'admin', password), 200);
	for (let i = 0; i < 5; i++)
		assert.equal(await log(sluice, A, 'nobody', `word${i}`), 403);
	await sluice.logged(/198\.51\.100\.1 is locked for a minute: 5 wrong/);
	assert.equal(await log(sluice, A, 'bert', 'see'), 429);
	// the control interface knows no password under its lock
	assert.equal(await log(sluice, A, 'admin', password), 429);
	// sessions and viewers continue, and so do other addresses
	assert.equal((await call(sluice, { cmd: 'whoami' }, inside)).status,
		200);
	const { bytes } = viewer;
	await waitUntil('more of it', () => viewer.ended ||
		viewer.bytes > bytes + 100000);
	assert.equal(viewer.ended, false);
	assert.equal(await watch(B, 'bert:see'), 200);
	assert.equal((await call(sluice, { cmd: 'whoami' }, { ...from(B),
		...basic('olga', 'look') })).status, 200);
	await sluice.stop();
});

test('parallel guesses are no more than others', async (t) => {
	const { sluice } = await scene(t);
	const answers = await Promise.all(Array.from({ length: 16 }, (_, i) =>
		i % 2 ? watch(A, `anna:guess${i}`)
			: log(sluice, A, 'olga', `guess${i}`)));

	assert.equal(await log(sluice, A, 'olga', 'look'), 429);
	await sluice.logged(/198\.51\.100\.1 is locked for a minute: 5 wrong/);
	await sluice.logged(/is locked for a minute for viewers: 5 wrong/);
	// a check without a result in time counts, and is no denial
	const wrong = sluice.log.match(/denied: the password is wrong/g) ?? [];
	const failed = wrong.length + answers.filter((status, i) =>
		i % 2 === 0 && status === 403).length;

	assert.ok(failed <= 10, `${failed} guesses`);
	await sluice.stop();
});

test('a wrong password behind an address locks out no user of it',
	async (t) => {
	const { sluice } = await scene(t);

	assert.equal(await watch(A, 'anna:watch'), 200);
	// a player that repeats its request
	for (let i = 0; i < 10; i++)
		assert.equal(await watch(A, 'bert:old'), 403);
	assert.equal((await list(sluice, A, 'bert:old')).status, 200);
	assert.equal(await log(sluice, A, 'olga', 'look'), 200);
	// a user that guesses
	for (let i = 0; i < 4; i++)
		assert.equal(await watch(A, `bert:guess${i}`), 403);
	await sluice.logged(/is locked for a minute for viewers: 5 wrong/);
	assert.equal(await watch(A, 'bert:see'), 403);
	assert.equal(await watch(A, 'anna:watch'), 200);
	assert.match((await list(sluice, A, 'anna:watch')).body, /a001/);
	assert.equal(await log(sluice, A, 'olga', 'look'), 200);
	// the lock answers few guesses of what it knows
	for (let i = 0; i < 5; i++)
		assert.equal(await watch(A, `anna:guess${i}`), 403);
	assert.equal(await watch(A, 'anna:watch'), 403);
	assert.equal(await watch(B, 'anna:watch'), 200);
	await sluice.stop();
});

test('a password that decides nothing is no guess', async (t) => {
	const { sluice, admin } = await scene(t, { enable: false });
	const ask = async (i) => {
		assert.equal(await watch(A, `olga:guess${i}`), 200);
		assert.match((await checked(() => list(sluice, A,
			`olga:word${i}`))).body, /a001/);
	};

	for (let i = 0; i < 6; i++)
		await ask(i);
	assert.equal(await log(sluice, A, 'olga', 'look'), 200);
	await done(sluice, { cmd: 'set-auth', auth: { enable: true,
		http_ip_allow: [A] } }, admin);
	for (let i = 0; i < 6; i++)
		await ask(i);
	assert.equal(await log(sluice, A, 'olga', 'look'), 200);
	await sluice.stop();
});
