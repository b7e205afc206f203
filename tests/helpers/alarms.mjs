// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the tests of alarms of the service.
import assert from 'node:assert/strict';
import { config, stream } from './sluice.mjs';
import { waitUntil } from './util.mjs';

export const one = () => config(stream('a001', 'udp://127.0.0.1:5000',
	'udp://127.0.0.1:6000'));
export const alarmsOf = async (sluice) =>
	(await sluice.json('/api/system-status')).alarms ?? [];
export const states = (sluice, what, probe) => waitUntil(what, async () => {
	const list = await alarmsOf(sluice);

	assert.ok(probe(list), JSON.stringify(list));
	return list;
}, 20000);
export const event = (told, alarm, raised) => told.wait(
	`${alarm} ${raised ? 'raised' : 'cleared'}`, (m) =>
		m.scope === 'alarm' && m.alarm === alarm &&
		m.raised === raised, 30000);
