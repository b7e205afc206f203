// SPDX-License-Identifier: GPL-3.0-or-later
// authorization: callers of an srt output, by their stream ids.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { WATCH, secureToken, sessions, user }
	from '../helpers/authorization.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { start, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

// A caller of the srt output; the program takes the stream id as it is.
function call(t, streamid, port = 9002) {
	return start(t, 'srt-live-transmit', ['-q', '-a:no', '-chunk:1316',
		`srt://127.0.0.1:${port}?streamid=${streamid}`,
		'udp://127.0.0.1:6009']);
}

// libsrt sometimes misses the answer to its own call, and waits for ever.
async function refused(caller) {
	const timer = setTimeout(() => caller.kill('SIGKILL'), 10000);

	await caller.ended;
	clearTimeout(timer);
}

const callFfmpeg = (t, streamid, file = '/dev/null') => start(t, 'ffmpeg', [
	'-nostdin', '-v', 'error', '-f', 'data', '-i',
	`srt://127.0.0.1:9002?streamid=${streamid}`, '-map', '0', '-c', 'copy',
	'-flush_packets', '1', '-f', 'data', '-y', file]);

async function callable(t, auth, users) {
	const sluice = await Sluice.start(t, {
		...config(stream('a001', 'udp://127.0.0.1:5000',
			['srt://:9002',
				'srt://:9003#no_auth'])),
		auth: { enable: true, ...auth }, users });

	await waitUntil('ports', () =>
		[5000, 9002, 9003].every(udpBound));
	await Sender.start(t, new TsMux(), 5000);
	await sluice.onair('a001');
	return sluice;
}

const logins = async (sluice) =>
	(await sessions(sluice)).map((s) => s.login).sort();

test('a caller of an srt output needs a permission, by its stream id',
	async (t) => {
	const sluice = await callable(t, { securetoken: 's3cret',
		http_token_deny: ['stolen'] }, {
		anna: user('anna'), stolen: user('stolen'),
		news: user('news', { packages: ['News'] }),
		home: user('home', { ip: '10.0.0.7' }) });
	const now = Math.floor(Date.now() / 1000);
	const events = await sluice.events(t);

	await sluice.cmd('set-user', { id: 'bert',
		user: { ...WATCH, password: 'p w' } });
	for (const id of ['anna', 'token=nobody', 'token=stolen',
		'token=news', 'token=home', 'anna:anna', 'bert:wrong',
		'#!::u=bert,s=bad', '#!::s=nobody', '#!::s=anna,m=publish',
		'#!::s=anna,s=anna',
		`token=${secureToken('127.0.0.2', now - 9, now + 900)}`])
		await refused(call(t, id));
	assert.deepEqual(await sessions(sluice), []);
	assert.equal((await sluice.status('a001')).outputs[0].packets, 0);
	await sluice.logged(/call refused: its stream id is not a valid/);
	for (const id of ['token=anna', '#!::s=anna', 'bert:p w',
		'auth=bert:p%20w', '#!::r=any,u=bert,s=p w,m=request',
		`token=${secureToken('127.0.0.1', now - 9, now + 900)}`])
		call(t, id);
	callFfmpeg(t, 'token=anna');
	call(t, 'any', 9003);
	const list = await waitUntil('sessions', async () => {
		const all = await sessions(sluice);

		return all.length === 8 && all.every((s) => s.bytes > 0) &&
			all;
	}, 20000);
	assert.deepEqual(list.map((s) => s.login ?? '').sort(), ['', '',
		'anna', 'anna', 'anna', 'bert', 'bert', 'bert']);
	assert.ok(list.every((s) => s.protocol === 'srt' &&
		s.channel_id === 'a001' && s.addr === '127.0.0.1'));
	await sluice.waitStatus('a001', 'eight sessions', (s) =>
		s.sessions === 8);
	const told = () => events.messages.filter((e) =>
		e.scope === 'session_event').flatMap((e) => e.sessions);

	await waitUntil('session_event', () => list.every(({ client_id: id }) =>
		told().some((s) => s.client_id === id && s.addr)));
	const [{ client_id: id }] = list;
	await sluice.cmd('close-session', { id });
	await waitUntil('its end', () => told().some((s) =>
		s.client_id === id && s.addr === undefined));
	assert.doesNotMatch(sluice.log, /s3cret|p w|p%20w|token=/);
	await sluice.stop();
});

test('a change and the limit of a user apply to srt callers', async (t) => {
	const sluice = await callable(t, { conlimit_mode: 'oldest' }, {
		anna: user('anna', { conlimit: 1 }), bert: user('bert') });
	const has = (...wanted) => waitUntil(`${wanted}`, async () =>
		`${await logins(sluice)}` === `${wanted}`, 20000);
	const anna = call(t, 'token=anna'), bert = call(t, 'token=bert');
	const file = path.join(tempDir(t), 'received');

	await has('anna', 'bert');
	// the newest has the place of the oldest
	const second = call(t, 'token=anna');
	await anna.ended;
	await has('anna', 'bert');
	// the next master knows them
	await sluice.cmd('restart');
	await sluice.logged(/restarting/);
	await waitUntil('the new master', async () =>
		(await sessions(sluice).catch(() => [])).length === 2);
	const third = call(t, 'token=anna');
	await second.ended;
	// without an answer nobody gets in, and nobody is cut
	sluice.child.kill('SIGSTOP');
	try {
		await callFfmpeg(t, 'token=bert', file).ended;
	} finally {
		sluice.child.kill('SIGCONT');
	}
	assert.ok(!fs.existsSync(file) || fs.statSync(file).size === 0);
	await has('anna', 'bert');
	await sluice.cmd('set-user', { id: 'bert',
		user: user('bert', { enable: false }) });
	await bert.ended;
	await sluice.cmd('set-auth', { auth: { enable: false } });
	const open = call(t, 'any');
	await waitUntil('it', async () =>
		(await sessions(sluice)).length === 2);
	await sluice.cmd('set-auth', { auth: { enable: true } });
	await open.ended;
	await has('anna');
	await sluice.cmd('set-auth', { auth: { enable: true,
		http_ip_deny: ['127.0.0.1'] } });
	await third.ended;
	await has();
	await sluice.stop();
});
