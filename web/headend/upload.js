// SPDX-License-Identifier: GPL-3.0-or-later
// The request that replaces the whole configuration.

import { ApiError } from '../common/api.js';
import { t } from '../common/words.js';
import { same } from './merge.js';

/** @typedef {import('../common/api.js').Api} Api */
/** @typedef {import('./merge.js').Entry} Entry */

/** The service accepts 8 MiB and 200,000 values in a request: of larger
 * documents only the new one is sent. */
const BOTH_MAX = 2 * 1024 * 1024;

/** The configuration is not the one that the user has compared with. */
export class Changed extends Error {}

/**
 * @param {Api} api
 * @param {Entry} config
 * @param {Entry} was the document that the user has seen the difference to
 */
export async function upload(api, config, was) {
	if (!same(await api.get('api/config'), was))
		throw new Changed(t('config_changed'));
	const both = { config, was };

	try {
		await api.cmd('upload', JSON.stringify(both).length > BOTH_MAX
			? { config } : both);
	} catch (error) {
		throw error instanceof ApiError && error.status === 409
			? new Changed(t('config_changed')) : error;
	}
}
