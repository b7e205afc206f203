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
// Those that a sender without a processor raises: its packets are late.
const ofTimes = new Set(['pat', 'pmt', 'pid', 'pcr_repetition', 'pcr_accuracy',
	'pts', 'nit', 'sdt', 'eit', 'tdt']);
// Is none of these alarms one too many? On a machine that is too busy to judge
// times, an alarm of times is none.
export const areDue = (alarms, timing) =>
	alarms.every((name) => ofTimes.has(name)) &&
	(alarms.length === 0 || timing.busy());
export const event = (told, alarm, raised) => told.wait(
	`${alarm} ${raised ? 'raised' : 'cleared'}`, (m) =>
		m.scope === 'alarm' && m.alarm === alarm &&
		m.raised === raised, 30000);
