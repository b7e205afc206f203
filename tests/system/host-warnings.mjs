// SPDX-License-Identifier: GPL-3.0-or-later
// set-stream and toggle-stream warn of what this machine lacks, as -t does, and
// a disk that does not answer delays no other request.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { AS_SELF, MASTER, Sluice, config, stream }
	from '../helpers/sluice.mjs';
import { builddir, run, srcdir, start, tempDir, waitUntil }
	from '../helpers/util.mjs';

const CLIP = path.join(srcdir, 'etc/demo.ts');

test('the warnings of set-stream are those of -t', async (t) => {
	const dir = tempDir(t);
	const one = stream('a', [`file://${CLIP}`, 'udp://nosuch0@239.1.1.1:1',
		`file://${dir}/missing.ts`, 'stream://nobody',
		'udp://239.1.1.2:1#skew=5'],
	[`file://${dir}/no/x.ts`, 'http://192.0.2.1:8100/a',
		'udp://239.1.1.3:1'],
	{ filler: `${dir}/filler.ts`, inptu: [], foreign: 1 });
	const file = path.join(tempDir(t), 'all.json');

	fs.writeFileSync(file, JSON.stringify(config(one)));
	fs.chmodSync(file, 0o600);
	const told = await run(MASTER, ['-t', ...AS_SELF, '-c', file]);
	const wanted = (told.out + told.err).split('\n')
		.filter((line) => line.includes('make_stream[0]'))
		.map((line) => line.replace(/^.*make_stream\[0\]/, 'stream')
			.replace(' (a, "Stream a")', '')
			.replace(': warning', ''));
	const sluice = await Sluice.start(t, config());
	const { warnings } = await sluice.cmd('set-stream', { stream: one });

	assert.ok(wanted.length >= 6, told.out + told.err);
	assert.deepEqual([...warnings].sort(), wanted.sort());
	await sluice.logged(/stream a: input\[2\]: path: .*missing\.ts: No /);
	// those of toggle-stream too, when it enables the stream
	const toggle = () => sluice.cmd('toggle-stream', { id: 'a' });
	assert.equal((await toggle()).warnings, undefined);
	assert.deepEqual((await toggle()).warnings.sort(), wanted.sort());
	// one that cannot run
	fs.writeFileSync(file, JSON.stringify(config(stream('b', [], []))));
	const { out, err } = await run(MASTER,
		['-t', ...AS_SELF, '-c', file]);
	const [idle] = (await sluice.cmd('set-stream', { stream: stream('b',
		[], []) })).warnings;

	assert.match(idle, /^stream: is enabled and does not run: /);
	assert.ok((out + err).includes(idle.replace('stream: ',
		': warning: ')), out + err);
	// a recording beside the configuration
	const { dir: own } = sluice;
	const recording = (await sluice.cmd('set-stream', { stream: stream('r',
		`file://${CLIP}`, `file://${own}/x.ts`) })).warnings;

	assert.equal(recording.length, 1);
	assert.match(recording[0],
		/^stream\.output\[0\]: records into a folder with files of /);
	await sluice.logged(/stream r: output\[0\]: records into a folder /);
	// a stream that is well, or not enabled, has none
	for (const more of [{ input: [`file://${CLIP}`] },
		{ enable: false }])
		assert.equal((await sluice.cmd('set-stream', { id: 'a',
			stream: stream('a', `file://${dir}/missing.ts`, [],
				more) })).warnings, undefined);
	await sluice.stop();
});

test('set-stream and -t warn of names that do not exist', async (t) => {
	const one = stream('a', `file://${CLIP}`, 'udp://127.0.0.1:6000', {
		tdt: 'own', timezone: 'Mars/X', lcn: 'x',
		cas_list: [{ cas_id: 'nope' }, {}, { cas_id: 'c' }],
		groups: { Nope: 'x', Type: 'nope' } });
	const sections = { cas: [{ id: 'c', name: 'C' }],
		categories: [{ name: 'Type', groups: [{ name: 'News' }] }] };
	const file = path.join(tempDir(t), 'all.json');
	const wanted = [/: cas_list\[0\]\.cas_id: there is no CAS entry "nope"/,
		/: cas_list\[1\]\.cas_id: is missing/,
		/: groups\.Nope: there is no such category/,
		/: groups\.Type: the category has no group "nope"/,
		/: lcn: "x" is not a number/,
		/: timezone: .*Mars\/X: No such file/]
		.map(({ source }) => source.slice(2));

	fs.writeFileSync(file, JSON.stringify({ ...config(one), ...sections }));
	fs.chmodSync(file, 0o600);
	const told = await run(MASTER, ['-t', ...AS_SELF, '-c', file]);
	const sluice = await Sluice.start(t, { ...config(), ...sections });
	const { warnings } = await sluice.cmd('set-stream', { stream: one });

	assert.equal(warnings.length, wanted.length, warnings.join('\n'));
	for (const text of wanted) {
		assert.match(warnings.join('\n'),
			new RegExp(`stream\\.${text}`));
		assert.match((told.out + told.err).replaceAll(
			' (a, "Stream a"): warning', ''),
		new RegExp(`make_stream\\[0\\]\\.${text}`));
	}
	await sluice.stop();
});

test('a disk that does not answer delays no other request', async (t) => {
	let folder;
	// before the folder goes
	t.after(() => run('umount', ['-l', folder]));
	const dir = tempDir(t), sign = path.join(dir, 'sign');

	folder = path.join(dir, 'mount');
	fs.mkdirSync(folder);
	const child = start(t, path.join(builddir, 'tests/helpers/hang-fs'),
		[folder, CLIP, sign], { stdio: ['pipe', 'pipe', 'pipe'] });
	await waitUntil('a mount', () => child.text.out !== '' ||
		child.exitCode !== null);
	if (child.text.out !== 'ready\n') {
		t.skip(`no mount: ${child.text.out}`);
		return;
	}
	const sluice = await Sluice.start(t, config());

	fs.writeFileSync(sign, '');
	let answered = 0;
	const slow = Array.from({ length: 10 }, (_, i) => sluice.cmd(
		'set-stream', { stream: stream(`s${i}`,
			`file://${folder}/later.ts`, []) })
		.then(() => { answered++; }));
	// these are answered at once, those in time, and without warnings
	await waitUntil('the streams', async () => (await sluice.cmd('load'))
		.make_stream?.length === 10);
	await Promise.all(slow);
	assert.equal(answered, 10);
	assert.doesNotMatch(sluice.log, /later\.ts: No such file/);
	fs.rmSync(sign);
	// what the disk says later is in the log
	await sluice.logged(/stream s\d: input\[0\]: path: .*later\.ts: No /);
	await sluice.stop();
});
