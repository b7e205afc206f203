// SPDX-License-Identifier: GPL-3.0-or-later
// make install: the files that an installed text names are beside it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { builddir, run, tempDir } from '../helpers/util.mjs';

test('the guide of the web interface has its pictures', async (t) => {
	const root = tempDir(t), docs = path.join(root, 'doc');
	const env = { ...process.env };

	delete env.MAKEFLAGS;
	delete env.MFLAGS;
	const { code, err } = await run('make', ['-s', '-C', builddir,
		'install-data', `DESTDIR=${root}`, 'docdir=/doc'], { env });
	assert.equal(code, 0, err);
	const text = fs.readFileSync(path.join(docs, 'web.md'), 'utf8');
	const pictures = [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)];

	assert.ok(pictures.length > 3);
	for (const [, name] of pictures)
		assert.ok(fs.existsSync(path.join(docs, name)), name);
});
