// SPDX-License-Identifier: GPL-3.0-or-later
// model-crash: after a kill at any moment the file is whole, it is a
// configuration that existed, and every change older than a second is in it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Generator, initial, send } from '../helpers/commands.mjs';
import { Model, withoutFresh } from '../helpers/model.mjs';
import { Sluice } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { memoryDir, now, sleep } from '../helpers/util.mjs';

const ROUNDS = 3;
const SAVED_MS = 1000;   // the promise
const SLACK_MS = 1000;   // a machine that others use, too

// Sends commands until the service is killed after ms; returns every
// configuration that existed, with the time of its answer (Infinity: there was
// none).
async function live(sluice, generator, model, ms) {
	const history = [{ at: 0, doc: structuredClone(model.doc) }];
	const end = now() + ms;
	let killed = Infinity;
	const killer = setTimeout(() => {
		killed = now();
		sluice.child.kill('SIGKILL');
	}, ms);

	while (now() < end && sluice.child.exitCode === null) {
		const command = generator.next(model.doc);
		const wanted = model.run(structuredClone(command));
		const entry = { at: Infinity,
			doc: structuredClone(model.doc) };

		history.push(entry);
		const got = await send(sluice, command);
		if (got.status === 0 && wanted.status !== 0)
			break;
		assert.equal(got.status, wanted.status);
		entry.at = now();
		await sleep(generator.below(30));
	}
	await sluice.child.ended;
	clearTimeout(killer);
	return { history, killed };
}

// The place of the configuration in the history; the last one of equals.
function place(history, doc) {
	return history.findLastIndex((entry) => isDeepStrictEqual(
		withoutFresh(entry.doc), withoutFresh(doc)));
}

for (const seed of [11, 12, 13])
	test(`a service killed ${ROUNDS} times keeps its saved ` +
		`changes, seed ${seed}`, async (t) => {
		const timing = new Timing(t), dir = await memoryDir(t);
		const generator = new Generator(seed);
		let doc = initial;

		for (let round = 0; round < ROUNDS; round++) {
			const sluice = await Sluice.start(t,
				round === 0 ? initial : null, { dir });
			assert.deepEqual(await sluice.cmd('load'), doc,
				'another configuration than that of the file');
			const { history, killed } = await live(sluice,
				generator, new Model(doc),
				300 + generator.below(3500));

			doc = JSON.parse(fs.readFileSync(sluice.file, 'utf8'));
			const found = place(history, doc);
			assert.ok(found >= 0,
				'there was no such configuration');
			const due = history.findLastIndex(({ at }) =>
				at < killed - SAVED_MS - SLACK_MS);
			timing.assert(found >= due,
				`${due - found} changes are lost`);
			t.diagnostic(`${history.length} commands, ` +
				`${found} in the file, ${due} had to be`);
		}
	});
