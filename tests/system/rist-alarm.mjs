// SPDX-License-Identifier: GPL-3.0-or-later
// rist: a way that is gone raises the alarm unprotected.
import { test } from 'node:test';
import { losePaths } from '../helpers/rist.mjs';

for (const [i, name, ways] of [
	[0, 'waited for', ['@127.0.0.1:9020', '@127.0.0.1:9022']],
	[2, 'called', ['127.0.0.1:9028', '127.0.0.1:9030']]])
	test(`a way that is gone raises the alarm unprotected: ${name}`,
		(t) => losePaths(t, i, ways, ''));
