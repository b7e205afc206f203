// SPDX-License-Identifier: GPL-3.0-or-later
// The completion of sluice for bash: the options of its help, and their values.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { afterCompletion, complete } from '../helpers/completion.mjs';
import { MASTER } from '../helpers/sluice.mjs';
import { run, tempDir } from '../helpers/util.mjs';

const offers = (...words) => complete('sluice', ['sluice', ...words]);

test('bash has a completion of sluice', async () => {
	assert.deepEqual(await afterCompletion('sluice', 'complete -p sluice'),
		['complete -F _sluice sluice']);
});

test('the options of the help are completed, and no other', async () => {
	const { out } = await run(MASTER, ['--help']);
	const lines = [...out.matchAll(
		/^ {2}(?:(-\w), | {4})(--[a-z-]+)( [A-Z]+)?/gm)];

	assert.ok(lines.length > 10, out);
	assert.deepEqual(await offers('-'), lines.flatMap(
		([, letter, word]) => letter ? [letter, word] : [word]).sort());
	assert.deepEqual(await offers('-c', 'x', '--che'), ['--check']);
	for (const [, letter, word, value] of lines)
		for (const option of [letter ?? word, word])
			assert.equal((await offers(option, '--d'))
				.includes('--debug'), !value, option);
});

test('files and folders are values', async (t) => {
	const dir = tempDir(t);
	const [file, folder] = ['a.json', 'abc'].map((name) =>
		path.join(dir, name));

	fs.writeFileSync(file, '');
	fs.mkdirSync(folder);
	for (const option of ['-c', '--config', '--log'])
		assert.deepEqual(await offers(option, `${dir}/a`),
			[file, folder].sort());
	for (const option of ['--web-dir', '--allow-path'])
		assert.deepEqual(await offers(option, `${dir}/a`), [folder]);
	assert.ok((await offers('--user', 'roo')).includes('root'));
	assert.deepEqual(await offers('--port', '8'), ['']);
});
