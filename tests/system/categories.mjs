// SPDX-License-Identifier: GPL-3.0-or-later
// categories: set-category changes every reference and interrupts no stream.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

const groups = (...names) => names.map((name) => name === null ?
	{ remove: true } : { name });

test('a rename reaches streams, settings and users; streams keep running',
	async (t) => {
		const before = { ...config(
			stream('a', 'udp://127.0.0.1:5000', [],
				{ groups: { Type: 'Films', Lang: 'en' } }),
			stream('b', 'udp://127.0.0.1:5001', [])),
		categories: [{ name: 'Type', groups: groups('Films', 'News') }],
		settings: { playlist_arrange: 'Type' },
		users: { u: { type: 3, enable: true, packages: ['Type'],
			interface: { arrange: ['Type'] } } } };
		const sluice = await Sluice.start(t, before);
		const events = await sluice.events(t);
		const { pid } = await waitUntil('the worker', () =>
			sluice.worker('stream', 'a'));

		assert.deepEqual(await sluice.cmd('set-category', { id: 0,
			category: { name: 'Тип', groups: groups('Кино',
				null) } }), { 'set-category': 'ok',
			streams: [{ id: 'a', name: 'Stream a' }],
			users: ['u'] });
		const after = await sluice.cmd('load');
		assert.deepEqual(after.make_stream[0].groups,
			{ Тип: 'Кино', Lang: 'en' });
		assert.deepEqual(after.make_stream[1], before.make_stream[1]);
		assert.deepEqual(after.settings, { playlist_arrange: 'Тип' });
		assert.deepEqual(after.users.u, { ...before.users.u,
			packages: ['Тип'], interface: { arrange: ['Тип'] } });
		await events.expectNews([
			{ scope: 'set-stream', stream: after.make_stream[0] },
			{ scope: 'set-category', id: 0, category: {
				name: 'Тип', groups: groups('Кино') } }]);
		assert.equal(sluice.worker('stream', 'a').pid, pid);
		await sluice.stop();
	});

test('a rename is in force at once, and a reload then restarts nothing',
	async (t) => {
		const sluice = await Sluice.start(t, { ...config(
			stream('a', 'udp://127.0.0.1:5000', [],
				{ groups: { Type: 'Films' } })),
		categories: [{ name: 'Type', groups: groups('Films') }],
		settings: { playlist_arrange: 'Type',
			http_play_stream: true } });
		const list = async () => (await request(sluice.port,
			{ path: '/playlist.m3u8' })).body;
		const category = { name: 'Тип', groups: groups('Films') };

		assert.match(await list(), /group-title="Films"/);
		await sluice.cmd('set-category', { id: 0, category });
		assert.match(await list(), /group-title="Films"/);
		await waitUntil('the file', () => JSON.parse(fs.readFileSync(
			sluice.file)).settings.playlist_arrange === 'Тип');
		assert.equal((await sluice.cmd('reload')).restart, false);
		await sluice.stop();
	});

test('a removal that would open every stream to a user needs force',
	async (t) => {
		const sluice = await Sluice.start(t, { ...config(),
			categories: [{ name: 'A', groups: [] },
				{ name: 'B', groups: [] }],
			users: { u: { type: 3, enable: true,
				packages: ['A'] } } });
		const before = await sluice.cmd('load');
		const removal = { id: 0, category: { remove: true } };

		assert.deepEqual(await sluice.cmd('set-category', removal),
			{ 'set-category': 'er', users: ['u'],
				error: 'package list would be left empty' });
		assert.deepEqual(await sluice.cmd('load'), before);
		assert.deepEqual(await sluice.cmd('set-category',
			{ ...removal, force: true }),
		{ 'set-category': 'ok', users: ['u'] });
		const after = await sluice.cmd('load');
		assert.deepEqual(after.categories,
			[{ name: 'B', groups: [] }]);
		assert.deepEqual(after.users.u.packages, []);
		await sluice.stop();
	});

test('an invalid category is named and changes nothing', async (t) => {
	const sluice = await Sluice.start(t, { ...config(), categories:
		[{ name: 'A', groups: groups('x') }] });
	const events = await sluice.events(t);
	const before = await sluice.cmd('load');

	for (const [fields, error] of [
		[{}, 'category is required'],
		[{ id: 'x', category: {} }, 'id must be a number'],
		[{ category: { remove: true } },
			'id is required to remove a category'],
		[{ id: 1, category: { name: 'B' } }, 'category not found'],
		[{ category: {} }, 'category name is required'],
		[{ category: { name: 'a\u200eb' } },
			'category name is not valid'],
		[{ category: { name: 'A' } }, 'category name already exists'],
		[{ category: { name: 'B', groups: groups('a', 'b,c') } },
			'group name is not valid (groups[1])'],
		[{ category: { name: 'B', groups: groups('a', 'a') } },
			'duplicate group name (groups[1])'],
		[{ category: { name: 'B' }, reorder: {} },
			'reorder must be an array of group names'],
		[{ category: { name: 'B', groups: groups('a') }, reorder: [] },
			'reorder must name every group of the category once'],
	])
		assert.deepEqual(await sluice.cmd('set-category', fields),
			{ 'set-category': 'er', error });
	const rule = 'is not 1 to 64 letters, digits, spaces (not at an ' +
		'end) and - _ . & + /';

	for (const [category, detail] of [
		[{ name: 'a:b' }, `category.name: "a:b" ${rule}`],
		[{ name: 1 }, 'category.name: is not a string'],
		[{ name: 'A' }, 'category.name: "A" is already the name of ' +
			'categories[0]'],
		[{ name: 'B', groups: 'a' }, 'category.groups: is not a list'],
		[{ name: 'B', groups: groups('a', 'b,c') },
			`category.groups[1].name: "b,c" ${rule}`],
		[{ name: 'B', groups: groups('a', 'a') },
			'category.groups[1].name: another group has "a"'],
	])
		assert.equal((await sluice.cmd('set-category', { category,
			warnings: true })).detail, detail);
	assert.deepEqual(await sluice.cmd('load'), before);
	assert.deepEqual(await sluice.cmd('set-category', { dry_run: true,
		warnings: true, category: { name: 'C',
			groups: [{ name: 'g', names: 'g' }] } })
		.then((reply) => reply.warnings), ['category.groups[0]: ' +
			'"names" is not known; is it "name"?']);
	await sluice.cmd('set-category', { category: { name: 'B' } });
	await events.wait('the last', (m) => m.scope === 'set-category');
	await events.expectNews([{ scope: 'set-category',
		category: { name: 'B', groups: [] } }]);
	await sluice.stop();
});
