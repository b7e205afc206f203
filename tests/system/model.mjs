// SPDX-License-Identifier: GPL-3.0-or-later
// model: for any commands in any order, the configuration, every answer and
// every event match the specification.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { Generator, initial, send } from '../helpers/commands.mjs';
import { Model } from '../helpers/model.mjs';
import { Sluice, sanitized } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

const COMMANDS = sanitized ? 150 : 500;

const stored = (sluice) => JSON.parse(fs.readFileSync(sluice.file, 'utf8'));

// A command that ends in a restart is last: it is saved when it is answered.
async function setSettings(sluice, events, model, generator) {
	const command = { cmd: 'set-settings', ...generator.gid(),
		settings: generator.settings(model.doc) };
	const wanted = model.run(structuredClone(command));

	assert.deepEqual(await sluice.cmd(command.cmd, command), wanted.body);
	assert.deepEqual(stored(sluice), model.doc);
	await events.expectNews(model.events);
	assert.equal(await events.waitClosed(), 1001);
	await sluice.ready();
	assert.deepEqual(await sluice.cmd('load'), model.doc);
}

const seeds = [1, 2, 3, 4, 5, 6];
const all = {};

for (const seed of seeds)
	test(`${COMMANDS} commands from seed ${seed}`, async (t) => {
		const sluice = await Sluice.start(t, initial);
		const events = await sluice.events(t);
		const generator = new Generator(seed);
		const model = new Model(initial);
		const counts = {};

		for (let i = 0; i < COMMANDS; i++) {
			const command = generator.next(model.doc);
			const text = `${i}: ${JSON.stringify(command)}`;
			const wanted = model.run(structuredClone(command));
			const got = await send(sluice, command);

			assert.equal(got.status, wanted.status,
				`${text}: ${JSON.stringify(got.body)}`);
			// the model has no rule for odd values
			delete got.body?.warnings;
			if (wanted.body)
				assert.deepEqual(got.body, wanted.body, text);
			const loaded = await sluice.cmd('load');
			model.learn(loaded);
			assert.deepEqual(loaded, model.doc, text);
			const kind = `${command.cmd} ${got.body?.error ? 'er' :
				got.status}`;
			counts[kind] = (counts[kind] ?? 0) + 1;
		}
		await events.expectNews(model.events);
		// those of removed and disabled streams end
		await waitUntil('workers of enabled streams alone', () =>
			sluice.workers().every((w) => w.role !== 'stream' ||
				model.doc.make_stream.some((s) =>
					s.id === w.object && s.enable)));
		await setSettings(sluice, events, model, generator);
		await sluice.stop();
		assert.deepEqual(stored(sluice), model.doc);
		t.diagnostic(JSON.stringify(counts));
		for (const [kind, n] of Object.entries(counts))
			all[kind] = (all[kind] ?? 0) + n;
	});

// sequences that are always rejected would prove nothing
test('of each command many succeeded', () => {
	for (const cmd of ['set-stream', 'set-softcam', 'set-cas',
		'set-adapter', 'set-category', 'set-user', 'toggle-user',
		'set-server', 'set-config'])
		assert.ok(all[`${cmd} 200`] >= seeds.length * COMMANDS / 100,
			`${cmd}: ${JSON.stringify(all)}`);
});
