// SPDX-License-Identifier: GPL-3.0-or-later
// sluicectl top: live at a terminal, with figures of now or a mark.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { Ctl, OK } from '../helpers/ctl.mjs';
import { FakeService } from '../helpers/fake-service.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { srcdir, waitUntil } from '../helpers/util.mjs';

const CLIP = `file://${path.join(srcdir, 'etc/demo.ts')}#loop`;

async function open(t) {
	const sluice = await Sluice.start(t, config(
		stream('news', CLIP, [], { name: 'Néws 日本' }),
		stream('gone', 'udp://127.0.0.1:4242', [])));

	await sluice.onair('news');
	return { sluice,
		ctl: new Ctl(t, `http://127.0.0.1:${sluice.port}`) };
}

test('top refreshes, sorts and restores the terminal', async (t) => {
	const { sluice, ctl } = await open(t);
	const child = ctl.terminal(['top']);
	const last = () => child.text.out.split('\x1b[H').at(-1);
	const seen = (what, pattern) => waitUntil(what, () =>
		pattern.test(last()));

	await seen('the streams', /gone.*news.*q quit/s);
	assert.ok(child.text.out.startsWith('\x1b[?1049h'));
	child.stdin.write('n'); // by name: Néws before Stream
	await seen('another order', /news.*gone.*q quit/s);
	child.stdin.write('r');
	await seen('the order turned round', /gone.*news.*q quit/s);
	await ctl.out(['stream', 'toggle', 'news']);
	await seen('the change', /news[^\n]*disabled/);
	child.stdin.write('q');
	const { code, out } = await child.ended;
	assert.equal(code, OK, out);
	assert.ok(out.includes('\x1b[?25h\x1b[?1049l'));
	await sluice.stop();
});

test('top asks for all facts once a second', async (t) => {
	const asked = [];
	const service = await FakeService.start(t, (name) => {
		if (name === 'api/overview')
			asked.push(performance.now());
		return { streams: [], adapters: [], softcams: [],
			alarms: [] };
	});
	const child = new Ctl(t, `http://127.0.0.1:${service.port}`)
		.terminal(['top']);

	// a busy machine may take longer, but not ten times as long
	await waitUntil('six requests', () => asked.length >= 6);
	assert.ok(asked[5] - asked[0] > 4000, `${asked}`);
	child.stdin.write('q');
	assert.equal((await child.ended).code, OK);
});

test('top counts the rows that are hidden, and scrolls', async (t) => {
	const ids = Array.from({ length: 60 }, (_, i) => `s${10 + i}`);
	const sluice = await Sluice.start(t, config(...ids.map((id) =>
		stream(id, CLIP, [], { enable: false }))));
	const ctl = new Ctl(t, `http://127.0.0.1:${sluice.port}`);
	const child = ctl.terminal(['top']);
	const last = () => child.text.out.split('\x1b[H').at(-1);
	const rows = () => last().match(/^s\d\d(?= )/gm);
	// a screen may arrive in parts
	const seen = (what, pattern) => waitUntil(what, () =>
		pattern.test(last()) && rows()?.length === 18);

	// 24 rows, of which 6 are head and foot
	await seen('the first rows', new RegExp('rows 1 to 18 of 60; 42 ' +
		'are hidden: .*\ns10 .*\ns27 ', 's'));
	assert.deepEqual(rows(), ids.slice(0, 18));
	child.stdin.write('\x1b[B');
	await seen('one further', /rows 2 to 19 of 60;/);
	assert.deepEqual(rows(), ids.slice(1, 19));
	child.stdin.write('\x1b[6~');
	await seen('a page further', /rows 20 to 37 of 60;/);
	for (let i = 0; i < 3; i++)
		child.stdin.write('\x1b[6~');
	await seen('the end', /rows 43 to 60 of 60;/);
	assert.deepEqual(rows(), ids.slice(42));
	child.stdin.write('\x1b[A\x1b[5~');
	await seen('back', /rows 24 to 41 of 60;/);
	child.stdin.write('q');
	assert.equal((await child.ended).code, OK);
	// without a terminal nothing is hidden
	const once = await ctl.out(['top', '--once']);
	assert.deepEqual(once.match(/^s\d\d(?= )/gm), ids);
	assert.doesNotMatch(once, /hidden/);
	await sluice.stop();
});

test('top marks figures of a service that does not answer', async (t) => {
	const { sluice, ctl } = await open(t);
	const child = ctl.terminal(['top']);
	const last = () => child.text.out.split('\x1b[H').at(-1);
	const seen = (what, pattern) => waitUntil(what, () =>
		pattern.test(last()), 20000);

	await seen('the streams', /gone.*news[^\n]*on air.*q quit/s);
	process.kill(sluice.pid, 'SIGSTOP');
	await seen('the age', new RegExp('OLD: figures of \\d\\d:\\d\\d:' +
		'\\d\\d, \\d+ s ago: the service does not answer.*' +
		'news[^\n]*\\? on air', 's'));
	process.kill(sluice.pid, 'SIGCONT');
	await waitUntil('figures of now', () =>
		/news[^\n]*on air/.test(last()) && !/OLD|\?/.test(last()),
	30000);
	child.stdin.write('q');
	assert.equal((await child.ended).code, OK);
	await sluice.stop();
});
