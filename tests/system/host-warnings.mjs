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

test('-t warns of a tuner whose frontend cannot be used', async (t) => {
	const file = path.join(tempDir(t), 'all.json');
	const tuner = { id: 'a', name: 'A', type: 'T', enable: true,
		frequency: 474, adapter: 99, device: 1 };

	fs.writeFileSync(file, JSON.stringify({ ...config(), dvb_tune: [tuner,
		{ ...tuner, id: 'b', enable: false },
		{ ...tuner, id: 'c', path: 'pci-0000:01:00.0' },
		{ id: 'd', name: 'D', type: 'T', enable: true,
			address: 'udp://239.1.1.1:1' }] }));
	fs.chmodSync(file, 0o600);
	const { code, out, err } = await run(MASTER,
		['-t', ...AS_SELF, '-c', file]);
	const lines = (out + err).split('\n').filter((line) =>
		line.includes('/dev/dvb/'));

	assert.equal(code, 0, out + err);
	assert.equal(lines.length, 1, out + err);
	assert.match(lines[0], /dvb_tune\[0\]\.adapter.*: warning: /);
	assert.match(lines[0], /: \/dev\/dvb\/adapter99\/frontend1: No such /);
});

test('upload and set-adapter warn of the interfaces and tuners of -t',
	async (t) => {
	const tuner = { id: 'a', name: 'A', type: 'T', enable: true,
		frequency: 474, adapter: 99, device: 1 };
	const sluice = await Sluice.start(t, config());
	const find = async (cmd, fields) => (await sluice.cmd(cmd,
		{ warnings: true, ...fields })).warnings.filter((text) =>
		/adapter99|nosuch0/.test(text));
	const upload = { config: { ...config(stream('s',
		'udp://nosuch0@239.1.1.1:1', [])), dvb_tune: [tuner] } };
	const [device] = await find('set-adapter', { adapter: tuner });
	const frontend = /^adapter\.adapter: \/dev\/.*\/frontend1: No such /;

	assert.match(device, frontend);
	for (const more of [{ dry_run: true }, {}]) {
		const list = await find('upload', { ...upload, ...more });

		assert.equal(list.length, 2, list.join());
		assert.match(list.join(), /: there is no "nosuch0"/);
		assert.ok(list.some((text) => text.endsWith(device.replace(
			'adapter.adapter', 'dvb_tune[0].adapter'))), list);
	}
	await sluice.stop();
});

test('set-config and set-settings warn of the interfaces and tuners of -t',
	async (t) => {
	const all = { ...config(stream('s', 'udp://nosuch0@239.1.1.1:1', [])),
		dvb_tune: [{ id: 'a', name: 'A', type: 'T', enable: true,
			frequency: 474, adapter: 99, device: 1 }],
		settings: { http_play_port: '192.0.2.1:8099',
			http_play_stream: true } };
	const wanted = {
		make_stream: /^make_stream\[0\]\.input\[0\].*no "nosuch0"/,
		dvb_tune: /^dvb_tune\[0\]\.adapter: .*\/frontend1: No such /,
		settings: /^settings\.http_play_port: .*192\.0\.2\.1/ };
	const sluice = await Sluice.start(t, config());
	const warns = async (cmd, key, fields) => {
		const { warnings = [] } = await sluice.cmd(cmd, {
			warnings: true, ...fields });

		assert.ok(warnings.some((text) => wanted[key].test(text)),
			`${cmd} ${key}: ${warnings.join()}`);
	};

	for (const more of [{ dry_run: true }, {}])
		for (const key of ['make_stream', 'dvb_tune', 'settings'])
			await warns('set-config', key, { key, data: all[key],
				...more });
	await warns('set-settings', 'settings', { dry_run: true,
		settings: all.settings });
	await sluice.stop();
});

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
	// an export of the guide there
	const exported = (await sluice.cmd('set-settings', { dry_run: true,
		warnings: true, settings: { epg_days: 1, epg_export:
			[`file://${own}/tv.xml`] } })).warnings;

	assert.deepEqual(exported.map((text) => text.replace(/: a file.*/, '')),
		['settings.epg_export[0]: exports into a folder with files ' +
			'of the service']);
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

// What each section stores and does not use: the warnings without their path.
const IDLE = {
	stream: [{ ...stream('one', 'udp://127.0.0.1:5000#renew=5&' +
		'absent=still&' +
		'rate_min=100&priority=7&watchdog=2&no_reload',
	['http://127.0.0.1:8100/a#segment=fmp4&part=500',
		'http://127.0.0.1:8100/b.m3u8#segment=fmp4&part=500']),
	bitrate: 8000, timezone: 'Europe/Berlin', bouquet_name: 'B',
	eit_rate: 100,
	cas_components: 'video', hls_header: 'A=1', si_interval: 500,
	service_name: 'Новости', service_provider: 'Ärzte' }, [
		'service_name: the character set of textcode 0 lacks a ' +
		'character of this text: the text is sent in ISO 8859-5',
		'input[0]: renew: does nothing with an address that is no ' +
			'multicast group',
		'input[0]: absent: does nothing in a stream of type spts',
		'input[0]: rate_min: does nothing in a stream of type spts',
		'input[0]: priority: does nothing in a stream of type spts',
		'input[0]: watchdog: does nothing beside no_reload',
		'output[0]: segment: does nothing with a path that is no ' +
			'playlist (.m3u8)',
		'output[0]: part: does nothing with a path that is no ' +
			'playlist (.m3u8)',
		'bitrate: does nothing in a stream of type spts',
		'timezone: does nothing without tdt "own"',
		'bouquet_name: does nothing without bat "own"',
		'cas_components: does nothing without cas_list',
		'hls_header: does nothing without hls_group',
		'si_interval: does nothing without nit "own" or bat "own"',
		'eit_rate: does nothing without eit "own" or sdt[].eit ' +
			'"own" or eit_other "present" or eit_other "all"',
	]],
	single: [{ ...stream('lone', 'udp://127.0.0.1:5004', []),
		backup_type: 'passive', backup_return_delay: 5,
		backup_start_delay: 2, backup_damping: 9 }, [
		'backup_type: does nothing with one input',
		'backup_return_delay: does nothing with one input',
		'backup_start_delay: does nothing with one input without ' +
			'filler or backup_type "stop"',
		'backup_damping: does nothing with one input',
	]],
	mpts: [{ ...stream('two', ['udp://127.0.0.1:5002#no_tdt',
		'udp://127.0.0.1:5003#rate_min=100'], []), type: 'mpts',
	bitrate: 8000, cue_pid: 500, backup_type: 'passive', map: 'pmt=100',
	onid: 5 }, [
		'input[0]: no_tdt: does nothing in an mpts of several inputs',
		'cue_pid: does nothing in an mpts of several inputs',
		'backup_type: does nothing in an mpts of several inputs',
		'map: does nothing in an mpts of several inputs',
	]],
	softcam: [{ id: 'c', name: 'C', type: 'newcamd', host: 'h', port: 1,
		user: 'u', pass: 'p', key: '01', caid: 'x', timeout: 99,
		hots: 1 }, [
		'key: is not 28 hexadecimal digits: the default is used',
		'caid: is not 4 hexadecimal digits: that of the server is used',
		'timeout: 99 is not between 1 and 60: the default is used',
		'"hots" is not known; is it "host"?',
	]],
	cas: [{ id: 's', ecmg_host: 'h', ecmg_port: 1 },
		['ecmg_channel_id: is missing']],
	adapter: [{ id: 'd', enable: true, type: 'T', adapter: 9, device: 0,
		frequency: 500, symbolrate: 27500, uni_frequency: 1200 }, [
		'symbolrate: does nothing with this type',
		'uni_frequency: does nothing with this type',
	]],
	settings: [{ epg_services: 5, http_server_name: 'x', hls_fmp4: true }, [
		'epg_services: does nothing without epg_days',
		'http_server_name: does nothing here',
		'hls_fmp4: does nothing without http_play_hls',
	]],
	// --log FILE has it, too
	log: [{ max_file_size: 5 }, []],
	auth: [{ http_token_deny: ['x'], promo: 'http://h/', conlimit_mode:
		'oldest', backend: 'http://h/', securetoken: 's',
	backend_unreachable: 'deny', http_ip_deny: ['10.0.0.1'] },
	['without enable these have no effect: backend, ' +
		'backend_unreachable, conlimit_mode, http_ip_deny, ' +
		'http_token_deny, promo, securetoken']],
	user: [{ enable: true, type: 3, packages: ['Typo', 'Type', 'ALL'],
		token: 't', ip: '10.0.0.1', expire: 5, conlimit: '2' },
	['packages[0]: there is no category "Typo"']],
};
// Keys of users, once for all where they are read as a whole.
const CLOSED = 'without auth.enable these have no effect: token, ip, ' +
	'expire, conlimit, packages';

// "make_stream[0].x (a, ...): warning: text" and "stream.x: text" are one.
const plain = (text) => text.replace(/ \([^()]*"\)/g, '')
	.replace(': warning', '')
	.replace(/^(users\.u|[a-z_]+(\[\d\])?)[.:] ?/, '');

// The command that stores a value: [command, request, name in IDLE].
const COMMANDS = (of) => [
	['set-stream', { id: 'one', stream: of.stream }, 'stream'],
	['set-stream', { id: 'lone', stream: of.single }, 'single'],
	['set-stream', { id: 'two', stream: of.mpts }, 'mpts'],
	['set-softcam', { id: 'c', softcam: of.softcam }, 'softcam'],
	['set-cas', { id: 's', cas: of.cas }, 'cas'],
	['set-adapter', { id: 'd', adapter: of.adapter }, 'adapter'],
	['set-user', { id: 'u', user: of.user }, 'user'],
	['set-log', { set: of.log }, 'log'],
	['set-auth', { auth: of.auth }, 'auth'],
	['set-config', { key: 'dvb_tune', data: [of.adapter] }, 'adapter'],
	['set-config', { key: 'users', data: { u: of.user } }, 'user'],
	['set-config', { key: 'make_stream', data: [of.stream, of.single,
		of.mpts] }, 'single'],
	['set-settings', { settings: of.settings }, 'settings'],
];
const of = Object.fromEntries(Object.entries(IDLE).map(([name, [value]]) =>
	[name, value]));
const DOCUMENT = { make_stream: [of.stream, of.single, of.mpts],
	softcam: [of.softcam], cas: [of.cas], dvb_tune: [of.adapter],
	settings: of.settings, log: of.log, auth: of.auth,
	users: { u: of.user }, categories: [{ name: 'Type', groups: [] }] };
const LINE = /^\S+ warning (config|stream \w+|adapter|softcam|cas|user): /;

test('options without effect are warnings everywhere, in the same words',
	async (t) => {
	const file = path.join(tempDir(t), 'all.json');
	const wanted = Object.values(IDLE).flatMap(([, list]) => list);
	const missing = (lines, list) => {
		const there = lines.flatMap((line) => [line, plain(line)]);

		return list.filter((text) => !there.includes(text));
	};

	fs.writeFileSync(file, JSON.stringify(DOCUMENT));
	fs.chmodSync(file, 0o600);
	const { out, err } = await run(MASTER, ['-t', ...AS_SELF, '-c', file]);
	const lines = (out + err).split('\n').map((line) =>
		line.slice(file.length + 2));
	assert.deepEqual(missing(lines, wanted), [], out + err);
	assert.doesNotMatch(out + err, /max_file_size/);
	assert.equal(lines.filter((line) => line.includes('auth.enable'))
		.join(), `users: warning: ${CLOSED} (users: 1)`);

	const sluice = await Sluice.start(t, DOCUMENT);
	const logged = (from) => sluice.log.slice(from).split('\n')
		.map((line) => line.replace(LINE, '')
			.replace(/^[a-z]+: (?=\w+(\[\d\])?: |")/, ''));

	assert.deepEqual(missing(logged(0), wanted), []);
	for (const [cmd, request, name] of COMMANDS(of)) {
		const [, list] = IDLE[name];
		const ask = async (more) => (await sluice.cmd(cmd,
			{ ...request, ...more })).warnings ?? [];
		const judge = (warnings) => assert.deepEqual(
			missing(warnings, list), [], `${cmd} ${name}`);

		judge(await ask({ dry_run: true, warnings: true }));
		judge(await ask({ warnings: true }));
		// it always has them, and twenty lines in ten seconds
		if (cmd === 'set-stream')
			continue;
		const { length } = sluice.log;
		// replies of other clients have one key
		assert.deepEqual(await ask({}), [], `${cmd} ${name}`);
		await waitUntil(`the log of ${cmd} ${name}`, () => {
			assert.deepEqual(missing(logged(length), list), []);
			return true;
		});
	}
	// of a user in the reply, and in the log where all are read
	assert.ok((await sluice.cmd('set-user', { id: 'u', user: of.user,
		warnings: true })).warnings.includes(`user: ${CLOSED}`));
	// the restart after set-settings reads the file again
	const [log] = sluice.log.split('restarting');

	assert.equal(log.split(CLOSED).length, 1 + 3, log);
	await sluice.stop();
});

test('an adapter that is enabled has the warnings of set-adapter',
	async (t) => {
	const sluice = await Sluice.start(t, { ...config(),
		dvb_tune: [{ ...of.adapter, enable: false }] });
	const [first] = IDLE.adapter[1];
	const { warnings } = await sluice.cmd('toggle-adapter',
		{ id: 'd', warnings: true });

	assert.deepEqual(IDLE.adapter[1].filter((text) =>
		!warnings.map(plain).includes(text)), []);
	await sluice.logged(new RegExp(`adapter: d: ${first}`));
	assert.deepEqual(await sluice.cmd('toggle-adapter', { id: 'd',
		warnings: true }), { 'toggle-adapter': 'ok' });
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
