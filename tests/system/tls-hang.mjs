// SPDX-License-Identifier: GPL-3.0-or-later
// tls: a certificate on a mount that does not answer holds up no request.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { hangingFolder } from '../helpers/hang.mjs';
import { Sluice } from '../helpers/sluice.mjs';
import { certificate, secureRequest, settingsOf, shown }
	from '../helpers/tls.mjs';
import { Timing } from '../helpers/timing.mjs';
import { now, tempDir, waitUntil } from '../helpers/util.mjs';

const STATUS = { path: '/api/system-status' };
// The time of an open that does not return is far above it.
const SLOW_MS = 1500;
// PEM_THREADS_MAX: of the master, that open certificates
const THREADS_MAX = 16;

const reloads = (sluice) =>
	sluice.log.match(/SIGHUP: configuration reloaded/g)?.length ?? 0;

// Requests are answered at once, ten in a row.
async function assertQuick(sluice, timing) {
	let slowest = 0;

	for (let i = 0; i < 10; i++) {
		const begin = now();

		await sluice.cmd('version');
		slowest = Math.max(slowest, now() - begin);
	}
	timing.assert(slowest < SLOW_MS, `${slowest} ms`);
}

const alarm = (sluice, probe) => waitUntil('alarm', async () => {
	const { alarms = [] } = await sluice.json(STATUS.path);

	assert.ok(probe(alarms), alarms.join());
	return true;
});
const isSilent = (list) => list.some((text) =>
	/^tls: settings\.crt_chain: .* does not answer/.test(text));

test('a mount that does not answer delays the certificate, and no request',
	async (t) => {
	const timing = new Timing(t);
	const cert = await certificate(tempDir(t), 'headend.example');
	const folder = await hangingFolder(t, fs.readFileSync(cert.chain));

	if (folder === null)
		return;
	const settings = { ...settingsOf(cert), crt_chain: folder.file };

	// at the start
	folder.hang();
	const sluice = await Sluice.start(t, { settings });
	await alarm(sluice, isSilent);
	await assertQuick(sluice, timing);
	// it is used when the mount answers, also after more reloads than there
	// are helper threads
	for (let i = 1; i <= THREADS_MAX; i++) {
		sluice.child.kill('SIGHUP');
		await waitUntil('a reload', () => reloads(sluice) >= i);
	}
	// and another pair has a thread meanwhile: this one is judged
	const wrong = await certificate(tempDir(t), 'other.example');
	const mixed = await sluice.post({ cmd: 'set-settings', settings: {
		...settingsOf(cert), crt_key: wrong.key } });
	assert.equal(mixed.status, 400, mixed.body);
	folder.goOn();
	await shown(sluice.port, cert);
	await alarm(sluice, (list) => !isSilent(list));

	// SIGHUP reads it again; the earlier certificate stays in use
	folder.hang();
	for (let i = 0; i < 30; i++)
		sluice.child.kill('SIGHUP');
	await alarm(sluice, isSilent);
	await assertQuick(sluice, timing);
	assert.equal((await secureRequest(sluice.port, cert, STATUS)).status,
		200);

	// a command
	const other = { ...settings, crt_key: folder.file };
	const reply = sluice.post({ cmd: 'set-settings', settings: other });
	await assertQuick(sluice, timing);
	assert.equal((await reply).status, 503);
	assert.match((await reply).body, /does not answer/);
	folder.goOn();
	await sluice.stop();
});
