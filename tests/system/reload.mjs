// SPDX-License-Identifier: GPL-3.0-or-later
// reload: SIGHUP reads the file again and restarts only what differs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Ctl, REFUSED, USAGE } from '../helpers/ctl.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { Recorder, Sender, joined } from '../helpers/udp.mjs';
import { udpBound, waitUntil } from '../helpers/util.mjs';

const three = () => config(...[0, 1, 2].map((i) => stream(`a00${i}`,
	`udp://127.0.0.1:${5000 + i}`, `udp://127.0.0.1:${6000 + i}`)));

const pids = (sluice) => Object.fromEntries(sluice.workers()
	.map((w) => [w.object, w.pid]));

async function running(t, { document = three(), ...options } = {}) {
	const sluice = await Sluice.start(t, document, options);

	await waitUntil('inputs', () => [0, 1, 2].every((i) =>
		udpBound(5000 + i)));
	return { sluice, before: pids(sluice) };
}

function change(sluice, edit) {
	const document = JSON.parse(fs.readFileSync(sluice.file, 'utf8'));

	edit(document);
	fs.writeFileSync(sluice.file, JSON.stringify(document));
	return document;
}

const hup = (sluice, line) => {
	const from = sluice.log.length;

	process.kill(sluice.pid, 'SIGHUP');
	return waitUntil(line, () => sluice.log.slice(from).includes(line));
};

// The signal is held from the last turn of the old loop to the first of the new
// one, and each master reads the file.
test('a SIGHUP at any moment of a restart takes the file', async (t) => {
	const { sluice } = await running(t);
	const moments = [/restarting: /, /control at/];
	let n = 0;

	for (const moment of [...moments, ...moments, ...moments]) {
		const { length } = sluice.log, name = `name ${++n}`;

		await sluice.cmd('restart');
		await waitUntil(`${moment}`, () =>
			moment.test(sluice.log.slice(length)));
		change(sluice, (c) => {
			c.make_stream[0].name = name;
		});
		process.kill(sluice.pid, 'SIGHUP');
		await waitUntil('the file', async () => (await sluice.cmd(
			'get-stream', { id: 'a000' }).catch(() => null))
			?.stream.name === name);
	}
	await sluice.stop();
});

test('a changed stream is replaced, its neighbours lose nothing', async (t) => {
		const timing = new Timing(t);
		const { sluice, before } = await running(t);
		const events = await sluice.events(t);
		const recorder = await Recorder.start(t, { port: 6001 });
		const sender = await Sender.start(t, new TsMux(), 5001);

		await sluice.onair('a001');
		const { length } = sluice.log;
		const next = change(sluice, (c) => {
			c.make_stream[0].output = ['udp://127.0.0.1:6100'];
			c.make_stream[2] = stream('b', 'udp://127.0.0.1:5003',
				'udp://127.0.0.1:6003');
		});
		await hup(sluice, 'configuration reloaded');
		// a process ends some time after its input
		await waitUntil('inputs', () => {
			assert.deepEqual(sluice.workers().map((w) => w.object)
				.sort(), ['a000', 'a001', 'b']);
			return pids(sluice).a000 !== before.a000 &&
				[5000, 5001, 5003].every(udpBound);
		});
		assert.equal(pids(sluice).a001, before.a001);
		assert.deepEqual(await sluice.cmd('load'), next);
		await events.wait('the last event',
			(m) => m.stream?.id === 'b');
		assert.deepEqual(events.scope('set-stream')
			.map((m) => [m.stream.id, m.stream.remove ?? false]),
		[['a002', true], ['a000', false], ['b', false]]);
		assert.equal(events.closed, null);
		const log = sluice.log.slice(length).split('\n').filter((l) =>
			l.includes('stream a001')).join('\n');
		await recorder.all(sender);
		const [list] = await recorder.stop();
		timing.stop();
		timing.unlessHeldUp(log, [await sluice.status('a001')], () =>
			assert.equal(joined(list).compare(
				new TsMux().take(sender.sent * 7)), 0));
		await sluice.stop();
	});

test('a broken file changes nothing and its errors are named', async (t) => {
		const { sluice, before } = await running(t);
		const document = await sluice.cmd('load');

		fs.writeFileSync(sluice.file, '{"make_stream": [');
		await hup(sluice,
			'SIGHUP: reload failed, nothing changed: line 1');
		fs.writeFileSync(sluice.file, JSON.stringify({ ...document,
			setings: {}, make_stream: [{ ...document.make_stream[0],
				output: ['udp://127.0.0.1:70000'] }] }));
		await hup(sluice, 'make_stream[0].output[0]');
		await hup(sluice, 'make_stream[0].output[0] (a000, ');
		// a warning about the whole document has no place
		assert.match(sluice.log, /config: "setings" is not known/);
		fs.rmSync(sluice.file);
		await hup(sluice, 'the configuration file does not exist');
		assert.deepEqual(await sluice.cmd('load'), document);
		assert.deepEqual(pids(sluice), before);
		await sluice.stop();
	});

test('settings that need a new instance get one, streams keep running',
	async (t) => {
		const { sluice, before } = await running(t);
		const events = await sluice.events(t);

		change(sluice, (c) => {
			c.settings = { instance_name: 'renamed' };
			c.make_stream[1].enable = false;
		});
		await hup(sluice, 'restarting');
		await sluice.ready();
		assert.equal(await events.waitClosed(), 1001);
		const { instance } = await sluice.json('/api/system-status');
		assert.equal(instance, 'renamed');
		delete before.a001;
		await waitUntil('one less', () => {
			assert.deepEqual(pids(sluice), before);
			return true;
		});
		await sluice.stop();
	});

test('a change of auth is in force at once, without a restart', async (t) => {
	const document = three();

	document.make_stream[0].output = ['http://127.0.0.1:8100/one'];
	// the outputs stay closed until this has a clear meaning
	document.auth = { enable: 'yes' };
	const { sluice, before } = await running(t, { document });
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const expect = (wanted) => waitUntil(`${wanted}`, () =>
		request(8100, { path: '/one', method: 'HEAD' }).then(
			({ status }) => status === wanted, () => false));
	const set = async (auth) => {
		change(sluice, (c) => { c.auth = auth; });
		assert.match((await ctl.json(['config', 'diff', sluice.file]))
			.map((one) => one.effect).join(), /^at-once/);
		assert.deepEqual(await sluice.cmd('reload'), { reload: 'ok',
			restart: false, added: [], changed: [], removed: [],
			sections: ['auth'] });
	};

	await Sender.start(t, new TsMux(), 5000);
	await sluice.waitStatus('a000', 'its closed output',
		(s) => /^closed: the section auth/.test(s.outputs[0].error));
	await set({ enable: false });
	await expect(200);
	await set({ enable: true });
	await expect(403);
	assert.deepEqual(pids(sluice), before);
	await sluice.stop();
});

test('the same file again restarts nothing', async (t) => {
	const { sluice, before } = await running(t);
	const events = await sluice.events(t);

	for (let i = 0; i < 5; i++)
		await hup(sluice, 'configuration reloaded');
	assert.deepEqual(pids(sluice), before);
	assert.deepEqual(events.scope('set-stream'), []);
	await sluice.stop();
});

test('a reload applies adapters that set-config stored', async (t) => {
	const sluice = await Sluice.start(t, config());
	const adapters = [{ id: 'd', name: 'Multiplex', type: 'S2',
		enable: true, address: 'udp://127.0.0.1:5000' }];

	await sluice.cmd('set-config', { key: 'dvb_tune', data: adapters });
	await waitUntil('the save', () => JSON.parse(fs.readFileSync(
		sluice.file, 'utf8')).dvb_tune);
	assert.equal((await sluice.cmd('reload')).restart, false);
	await waitUntil('the adapter', () => udpBound(5000));
	const { pid } = sluice.worker('adapter', 'd');
	await sluice.cmd('reload');
	assert.equal(sluice.worker('adapter', 'd').pid, pid);
	await sluice.stop();
});

test('sluicectl config set names the streams that a setting restarts',
	async (t) => {
		const { sluice, before } = await running(t);
		const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
		const replaced = (ids) => waitUntil('the processes', () =>
			ids.every((id) => pids(sluice)[id] !== before[id]));

		// with one input the setting has no effect
		const { effects } = await sluice.cmd('set-settings', {
			dry_run: true, settings: { backup_return_delay: 5 } });

		assert.deepEqual(effects.streams, []);
		for (const [name, value] of [['cc_limit', '5'],
			['http_play_hls', 'true']]) {
			Object.assign(before, pids(sluice));
			assert.equal(await ctl.out(['config', 'set',
				`settings.${name}`, '--value', value]),
			`settings.${name}: in effect after the restart\n` +
				'streams that restart: a000, a001, a002\n' +
				'the control process restarts now, the other ' +
				'streams continue\n');
			await replaced(['a000', 'a001', 'a002']);
			await sluice.ready();
		}
		await ctl.fails(['config', 'set', 'settings.x', 'true'], USAGE,
			/no file "true": a value is given by --value/);
		await sluice.stop();
	});

test('sluicectl reload prints what was taken, or the error', async (t) => {
	const { sluice, before } = await running(t);
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);

	assert.equal(await ctl.out(['reload']),
		'unchanged: the file equals the running configuration\n');
	assert.deepEqual(await sluice.cmd('reload'), { reload: 'ok',
		restart: false, added: [], changed: [], removed: [],
		sections: [] });
	change(sluice, (c) => {
		c.make_stream[0].output = ['udp://127.0.0.1:6100'];
		c.make_stream[2] = stream('b', 'udp://127.0.0.1:5003', []);
		c.make_stream[1].name = 'Other';
		c.users = { eva: { type: 2, enable: true } };
	});
	// what config diff announces is what the reload does
	const diff = ['config', 'diff', sluice.file];
	const effects = (await ctl.out(diff)).split('\n').filter((line) =>
		/^[a-z]/.test(line));

	assert.deepEqual(effects, ['streams that start: b',
		'streams that stop: a002', 'streams that restart: a000',
		'streams that differ and continue: a001']);
	assert.deepEqual((await ctl.json(diff)).map((one) =>
		[one.path, one.effect]), [
		['make_stream[a000].output[0]', 'restarts'],
		['make_stream[a001].name', 'continues'],
		['make_stream[a002]', 'stops'],
		['make_stream[b]', 'starts'],
		['users', 'at-once'],
	]);
	assert.equal(await ctl.out(['reload']), 'streams added: b\n' +
		'streams changed: a000, a001\nstreams removed: a002\n' +
		'sections changed: users\nstreams that restart: a000\n');
	await waitUntil('its processes', () => {
		assert.deepEqual(Object.keys(pids(sluice)).sort(),
			['a000', 'a001', 'b']);
		return pids(sluice).a000 !== before.a000;
	});
	assert.equal(pids(sluice).a001, before.a001);
	const bad = change(sluice, (c) => {
		c.make_stream[1].output = ['udp://127.0.0.1:70000'];
	});
	await ctl.fails(['reload'], REFUSED,
		/make_stream\[1\]\.output\[0\] \(a001, .*70000/);
	assert.equal((await sluice.post({ cmd: 'reload' })).status, 400);
	assert.notDeepEqual(await sluice.cmd('load'), bad);
	// a change through the API that waits for its save
	const isSaved = () => !JSON.parse(fs.readFileSync(
		sluice.file, 'utf8')).make_stream[1].enable;
	await sluice.cmd('toggle-stream', { id: 'a001' });
	const busy = await sluice.post({ cmd: 'reload' });
	assert.ok(busy.status === 409 || isSaved(), busy.body);
	await waitUntil('the save', isSaved);
	change(sluice, (c) => { c.settings = { instance_name: 'other' }; });
	assert.match(await ctl.out(diff), /^the control process restarts$/m);
	assert.deepEqual(await ctl.json(['reload']), { reload: 'ok',
		restart: true, added: [], changed: [], removed: [],
		sections: ['settings'] });
	await waitUntil('the next instance', async () =>
		(await sluice.json('/api/system-status')).instance === 'other');
	await sluice.stop();
});

// Each start of a worker is a line of the log.
const starts = (log, id) =>
	log.split(`stream ${id}: running, pid`).length - 1;

// The log behind the first starts of these workers.
async function started(sluice, ...ids) {
	await waitUntil('first starts', () => ids.every((id) =>
		starts(sluice.log, id) === 1));
	return sluice.log.length;
}

// These workers started before the restart, and not again; a001, their
// neighbour, runs with the new settings.  On a machine that is held up for a
// second they start behind the restart.
async function startedOnce(timing, sluice, from, ...ids) {
	const log = () => sluice.log.slice(from);

	await waitUntil('restart', () => log().includes('restarting'));
	await sluice.ready();
	await waitUntil('all', () => ['a001', ...ids].every((id) =>
		starts(log(), id) >= 1));
	timing.stop();
	await sluice.stop();
	const [before] = log().split('restarting');
	const late = ids.filter((id) => starts(before, id) === 0);

	timing.assert(late.length === 0,
		`started behind the restart: ${late}\n${log()}`);
	if (late.length === 0)
		for (const id of ['a001', ...ids])
			assert.equal(starts(log(), id), 1, id);
}

test('a stream and settings that change with one file start it once',
	async (t) => {
	const multiplex = { ...stream('a000', [5000, 5003].map((port) =>
		`udp://127.0.0.1:${port}`), 'udp://127.0.0.1:6000'),
	type: 'mpts', bitrate: 6000 };
	const document = three();

	document.make_stream[0] = multiplex;
	const timing = new Timing(t);
	const { sluice } = await running(t, { document });
	const from = await started(sluice, 'a000', 'a000/1', 'a000/2', 'a001');

	change(sluice, (c) => {
		c.settings = { cc_limit: 7 };
		c.make_stream[0].input = c.make_stream[0].input.map((input) =>
			`${input}#socket_size=300000`);
	});
	await hup(sluice, 'a restart follows');
	await startedOnce(timing, sluice, from, 'a000/1', 'a000/2');
});

test('a stream that changes before the restart for settings starts once',
	async (t) => {
	const timing = new Timing(t);
	const { sluice } = await running(t);
	const from = await started(sluice, 'a000', 'a001');

	await sluice.cmd('set-settings', { settings: { cc_limit: 7 } });
	await sluice.cmd('set-stream', { id: 'a000', stream: stream('a000',
		'udp://127.0.0.1:5000', 'udp://127.0.0.1:6100') });
	await startedOnce(timing, sluice, from, 'a000');
});

test('without a file there is nothing to reload', async (t) => {
	const sluice = await Sluice.start(t, undefined);

	assert.equal((await sluice.post({ cmd: 'reload' })).status, 404);
	await sluice.stop();
});

// The file is overwritten by hand; the service runs another configuration.
test('a restart takes no file that a reload refuses', async (t) => {
	const { sluice, before } = await running(t);
	const document = await sluice.cmd('load');
	const [first, second] = document.make_stream;
	const write = (make_stream, more = {}) => fs.writeFileSync(sluice.file,
		JSON.stringify({ ...document, ...more, make_stream }));
	const faulty = () => write([first, { ...second,
		output: ['udp://127.0.0.1:70000'] }]);
	const refused = async (more = {}) => {
		const { status, body } = await sluice.post({ cmd: 'restart',
			...more });

		assert.equal(status, 503);
		assert.match(body, /configuration file: /);
		return body;
	};

	faulty();
	assert.match(await refused(), /make_stream\[1\]\.output\[0\]/);
	await refused({ dry_run: true });
	fs.rmSync(sluice.file);
	assert.match(await refused(), /file not found/);
	// the restart would take a sound file: the dry run names its effects
	write([first, { ...second, output: ['udp://127.0.0.1:6100'] }]);
	const { effects } = await sluice.cmd('restart', { dry_run: true });
	assert.deepEqual(effects.streams.map((s) => [s.id, s.change]),
		[['a001', 'restart'], ['a002', 'stop']]);
	assert.doesNotMatch(sluice.log, /restarting/);
	// the restart that a reload asks for comes a second later: a test that
	// is held up for so long tries again
	for (let i = 0, end = []; end[0] !== 'cannot restart'; i++) {
		const from = sluice.log.length;

		assert.ok(i < 3, 'the service took the faulty file');
		write(document.make_stream, { settings:
			{ instance_name: `x${i}` } });
		assert.equal((await sluice.cmd('reload')).restart, true);
		faulty();
		await waitUntil('the end of the restart', () => {
			end = /cannot restart|restarting/.exec(
				sluice.log.slice(from));
			return end !== null;
		});
		await sluice.ready();
	}
	assert.deepEqual(pids(sluice), before);
	await sluice.stop();
});
