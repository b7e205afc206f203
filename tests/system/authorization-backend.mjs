// SPDX-License-Identifier: GPL-3.0-or-later
// authorization: viewers without a user are the decision of a backend, and what
// applies while backend or master do not answer.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { gone, playing, sessions, status, user, watch }
	from '../helpers/authorization.mjs';
import { Viewer } from '../helpers/media.mjs';
import { playScene } from '../helpers/scene.mjs';
import { WORKER } from '../helpers/sluice.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';

// The backend is in this process: delayed for three seconds it has no answer.
test('a backend decides about viewers without a user',
	(t) => playScene(t, async () => {
	const asked = [];
	let answer = (query) => ({ ok: 200, no: 403, long: 403,
		slow: 403, moved: 200, single: 200 })[
		query.get('token')] ?? 500;
	const backend = http.createServer((request, reply) => {
		const { searchParams } = new URL(request.url, 'http://x');
		const token = searchParams.get('token');

		asked.push({ url: request.url, headers: request.headers });
		reply.writeHead(answer(searchParams), {
			'X-Session-Name': `name-${token}`,
			'X-AuthDuration': '1',
			...token === 'moved' && {
				'X-Location': 'http://other.example/' },
			...token === 'single' && { 'X-UserId': 'u',
				'X-Max-Sessions': '1' } });
		if (token === 'slow')
			reply.write('text');
		else
			reply.end('text'.repeat(
				token === 'long' ? 50000 : 1));
	}).listen(9000, '127.0.0.1');

	t.after(() => {
		backend.close();
		backend.closeAllConnections();
	});
	const url = 'http://127.0.0.1:9000/a?b=c';
	const sluice = await playing(t, { backend: url,
		backend_unreachable: 'deny' }, { anna: user('anna') });
	const viewer = await watch(t, '?token=ok&more=1');

	assert.equal(asked[0].url, '/a?b=c&token=ok&more=1');
	assert.equal(asked[0].headers['x-channel-id'], 'a001');
	assert.equal(asked[0].headers['x-real-ip'], '127.0.0.1');
	assert.equal(asked[0].headers['x-real-path'], '/one');
	assert.equal(asked[0].headers['x-real-host'],
		'127.0.0.1:8100');
	assert.equal((await sessions(sluice))[0].login, 'name-ok');
	assert.equal(await status('?token=anna'), 200);
	assert.equal(await status('?token=no'), 403);
	assert.equal(await status('?token=moved'), 302);
	// a viewer of the same user at the same time is one too many
	const single = await watch(t, '?token=single');
	assert.equal((await Viewer.open(t, 8100, '/one?token=single')).status,
		403);
	single.close();
	// the head decides, whatever its body is
	assert.equal(await status('?token=long'), 403);
	assert.equal(await status('?token=slow'), 403);
	assert.doesNotMatch(sluice.log, /the backend gives no decision/);
	// an error is no decision
	assert.equal(await status('?token=other'), 403);
	await sluice.logged(/the backend gives no decision: .*status 500/);
	// it is asked again when its decision has expired
	answer = () => 403;
	await gone(viewer);
	// without an answer an older decision counts, then the setting
	answer = () => 200;
	const again = await waitUntil('a permission', async () => {
		const v = await Viewer.open(t, 8100, '/one?token=ok');

		return v.status === 200 && v;
	}, 20000);
	const before = asked.length;
	answer = () => 500;
	await waitUntil('another question', () => asked.length > before, 20000);
	assert.equal(again.ended, false);
	assert.equal(await status('?token=new'), 403);
	// the alarm has the present policy and the present error
	const alarm = async () => (await sluice.json('/api/system-status'))
		.alarms?.find((text) => text.startsWith('auth: the backend'));

	assert.match(await alarm(), /status 500: new viewers are denied/);
	await sluice.cmd('set-auth', { auth: { enable: true, backend: url,
		backend_unreachable: 'allow' } });
	assert.match(await alarm(), /status 500: new viewers are allowed/);
	answer = () => 502;
	assert.equal(await status('?token=newer'), 200);
	assert.match(await alarm(), /status 502: new viewers are allowed/);
	await sluice.cmd('set-auth', { auth: { enable: false, backend: url } });
	assert.equal(await alarm(), undefined);
	await sluice.cmd('set-auth', { auth: { enable: true,
		backend: 'http://127.0.0.1:9/',
		backend_unreachable: 'allow' } });
	assert.equal(await status('?token=new'), 200);
	await sluice.stop();
}));

test('a flood of questions to a silent backend lets nobody in unasked',
	async (t) => {
	let asked = 0;
	const backend = http.createServer(() => asked++)
		.listen(9000, '127.0.0.1');

	t.after(() => {
		backend.close();
		backend.closeAllConnections();
	});
	const sluice = await playing(t, { backend: 'http://127.0.0.1:9000/',
		backend_unreachable: 'allow' });
	const answers = await Promise.all(Array.from({ length: 200 },
		(_, i) => status(`?token=guess${i}`)));
	const allowed = answers.filter((s) => s === 200).length;

	assert.ok(allowed <= asked, `${allowed} allowed, ${asked} asked`);
	assert.ok(answers.every((s) => s === 200 || s === 503));
	await sluice.stop();
});

test('a backend worker that cannot start is a backend without an answer',
	async (t) => {
	const program = path.join(tempDir(t), 'sluice-worker');

	for (const kind of ['', '-tls'])
		fs.copyFileSync(WORKER + kind, program + kind);
	const auth = { enable: true, backend: 'http://127.0.0.1:9000/' };
	const sluice = await playing(t, { ...auth,
		backend_unreachable: 'allow' }, {}, {},
	{ env: { SLUICE_WORKER: program } });

	assert.equal(await status('?token=new'), 200);
	await sluice.logged(new RegExp('the backend gives no decision: the ' +
		'process that asks it does not run: new viewers are allowed'));
	await waitUntil('the quarantine', async () =>
		(await sluice.json('/api/system-status')).alarms?.some(
			(text) => /^backend worker: .* in a row/.test(text)));
	assert.equal(await status('?token=other'), 200);
	await sluice.cmd('set-auth', { auth: { ...auth,
		backend_unreachable: 'deny' } });
	assert.equal(await status('?token=new'), 403);
	await sluice.stop();
});

test('without an answer of the master nobody gets in, and nobody is cut',
	async (t) => {
	const sluice = await playing(t, {}, { anna: user('anna') });
	const anna = await watch(t, '?token=anna');

	sluice.child.kill('SIGSTOP');
	try {
		assert.equal(await status('?token=anna'), 503);
	} finally {
		sluice.child.kill('SIGCONT');
	}
	const { bytes } = anna;
	await waitUntil('more', () => anna.bytes > bytes);
	await waitUntil('an answer', async () =>
		await status('?token=anna') === 200);
	await sluice.stop();
});
