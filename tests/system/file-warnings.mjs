// SPDX-License-Identifier: GPL-3.0-or-later
// upload, set-config and set-settings warn of missing files as -t does, and a
// disk that does not answer delays no other request.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { hangingFolder } from '../helpers/hang.mjs';
import { AS_SELF, MASTER, Sluice, config, stream }
	from '../helpers/sluice.mjs';
import { now, run, tempDir } from '../helpers/util.mjs';

const ofFiles = (list = []) => list.filter((text) =>
	/: No such file/.test(text)).sort();

// What -t says of the document, without names and the number of them.
async function fileLines(t, document) {
	const file = path.join(tempDir(t), 'all.json');

	fs.writeFileSync(file, JSON.stringify(document));
	fs.chmodSync(file, 0o600);
	const { out, err } = await run(MASTER, ['-t', ...AS_SELF, '-c', file]);

	return ofFiles((out + err).split('\n').filter((line) => line !== '')
		.map((line) => line.slice(file.length + 2)
			.replace(/ \([^()]*"\)/g, '')
			.replace(': warning', '')));
}

function documentOf(dir) {
	return { ...config(stream('a', `file://${dir}/in.ts`,
		`file://${dir}/no/out.ts`, { filler: `${dir}/filler.ts` })),
	settings: { crt_chain: `${dir}/chain.pem`,
		crt_key: `${dir}/key.pem` },
	log: { filename: `${dir}/no/x.log` } };
}

test('upload, set-config and set-settings warn of the files of -t',
	async (t) => {
	const dir = tempDir(t), all = documentOf(dir);
	const wanted = await fileLines(t, all);
	const { settings } = all;
	// the tls worker judges a pair that is new
	const sluice = await Sluice.start(t, { ...config(), settings });
	const ask = async (cmd, fields) => ofFiles((await sluice.cmd(cmd,
		{ warnings: true, ...fields })).warnings);
	const of = (key) => wanted.filter((text) => text.startsWith(key));

	assert.deepEqual(wanted.map((text) => text.replace(/:.*/, '')),
		['log', 'make_stream[0].filler',
			'make_stream[0].input[0]', 'make_stream[0].output[0]',
			'settings.crt_chain', 'settings.crt_key']);
	for (const more of [{ dry_run: true }, {}]) {
		assert.deepEqual(await ask('upload', { config: all, ...more }),
			wanted);
		for (const key of ['log', 'make_stream', 'settings'])
			assert.deepEqual(await ask('set-config', { key,
				data: all[key], ...more }), of(key), key);
	}
	assert.deepEqual(await ask('set-settings', { settings,
		dry_run: true }), of('settings'));
	await sluice.stop();
});

test('without warnings in the request, the log has them later', async (t) => {
	const dir = tempDir(t), all = documentOf(dir);
	const { settings } = all;
	const sluice = await Sluice.start(t, { ...config(), settings });

	for (const [key, name] of [['log', 'no'], ['make_stream', 'filler.ts'],
		['settings', 'chain.pem']]) {
		assert.deepEqual(await sluice.cmd('set-config', { key,
			data: all[key] }), { 'set-config': 'ok' });
		await sluice.logged(new RegExp(
			`warning config: ${key}.*${name}: No such file`));
	}
	await sluice.stop();
});

test('a disk that does not answer delays one reply, two seconds',
	async (t) => {
	const folder = await hangingFolder(t, 'x');

	if (folder === null)
		return;
	const missing = path.join(path.dirname(folder.file), 'later.ts');
	const data = [stream('a', `file://${missing}`, [])];
	const sluice = await Sluice.start(t, config());
	const events = await sluice.events(t);

	folder.hang();
	const begin = now();
	let answered = false;
	const slow = sluice.cmd('set-config', { key: 'make_stream', data,
		warnings: true }).then((reply) => {
		answered = true;
		return reply;
	});
	// other requests are answered meanwhile, the plain one too
	for (let i = 0; i < 20; i++)
		await sluice.cmd('version');
	assert.deepEqual(await sluice.cmd('set-config',
		{ key: 'make_stream', data: [] }), { 'set-config': 'ok' });
	assert.ok(!answered || now() - begin >= 2000);
	assert.deepEqual(ofFiles((await slow).warnings), []);
	assert.ok(now() - begin >= 1900, `${now() - begin} ms`);
	assert.deepEqual((await sluice.cmd('load')).make_stream, data);
	assert.doesNotMatch(sluice.log, /later\.ts: No such file/);
	await events.wait('the event', (m) => m.scope === 'set-config' &&
		m.data.length === 1);
	// more requests than places: the others do not wait for the disk
	const many = Array.from({ length: 12 }, () => sluice.cmd('upload',
		{ config: { make_stream: data }, warnings: true,
			dry_run: true }));
	await sluice.cmd('version');
	await Promise.all(many);
	folder.goOn();
	// the log gets what the disk answers later
	await sluice.logged(
		/config: make_stream\[0\]\.input\[0\]: path: .*later\.ts: No /);
	await sluice.stop();
});
