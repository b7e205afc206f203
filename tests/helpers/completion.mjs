// SPDX-License-Identifier: GPL-3.0-or-later
// The completions of contrib/completion, asked as bash asks them.
import assert from 'node:assert/strict';
import path from 'node:path';
import { run, srcdir } from './util.mjs';

// Lines that bash prints after it has read the completion of the program.
export async function afterCompletion(program, code, words = [], env = {}) {
	const script = path.join(srcdir, 'contrib/completion', program);
	const { code: end, out, err } = await run('bash', ['--norc', '-c',
		`. '${script}'\n${code}`, 'bash', ...words],
	{ env: { ...process.env, ...env } });

	assert.equal(end, 0, err);
	assert.equal(err, '');
	return out.trim().split('\n').sort();
}

// The words that bash would offer for the last of these words; the first names
// the program.
export const complete = (program, words, env) => afterCompletion(program,
	`COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_${program}
((\${#COMPREPLY[@]})) && printf '%s\\n' "\${COMPREPLY[@]}"
true`, words, env);
