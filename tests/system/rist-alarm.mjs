// SPDX-License-Identifier: GPL-3.0-or-later
// rist: a path that fails raises the alarm unprotected.
import { test } from 'node:test';
import { losePaths } from '../helpers/rist.mjs';

for (const [i, name, paths] of [
	[0, 'listener', ['@127.0.0.1:9020', '@127.0.0.1:9022']],
	[2, 'caller', ['127.0.0.1:9028', '127.0.0.1:9030']]])
	test(`a path that fails raises the alarm unprotected: ${name}`,
		(t) => losePaths(t, i, paths, ''));
