// SPDX-License-Identifier: GPL-3.0-or-later
// Private data and cue messages pass changes of the input, too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CUE_LEAD, PROGRAM, TsMux } from '../helpers/mux.mjs';
import { Scene } from '../helpers/scene.mjs';
import { Sluice, config } from '../helpers/sluice.mjs';
import { Sections, checkTs, crc32 } from '../helpers/ts.mjs';
import { Sender, joined } from '../helpers/udp.mjs';

const CUES = 0x1f0, RATE = 1e6, WRAP = 2 ** 33;

const pesTime = (data, at) => (data[at] >> 1 & 7) * 2 ** 30 +
	(data.readUInt16BE(at + 1) >> 1) * 2 ** 15 +
	(data.readUInt16BE(at + 3) >> 1);

const field = (data, at) => (data[at] & 1) * 2 ** 32 +
	data.readUInt32BE(at + 1);

// For each message how long before its time it is, in seconds of the pictures.
function cueLeads(data) {
	const sections = new Sections(), leads = [];
	let shown;

	for (let at = 0; at < data.length; at += 188) {
		const packet = data.subarray(at, at + 188);
		const pid = packet.readUInt16BE(1) & 0x1fff;
		const start = packet[3] & 0x20 ? 5 + packet[4] : 4;
		if (pid === PROGRAM.video && packet[1] & 0x40)
			shown = pesTime(packet, start + 9);
		if (pid !== CUES || shown === undefined)
			continue;
		sections.push(packet, start, Boolean(packet[1] & 0x40), (s) => {
			assert.equal(crc32(s), 0, 'its CRC_32 is right');
			leads.push(((field(s, 14) + field(s, 4) - shown + 2 *
				WRAP) % WRAP) / 90000);
		});
	}
	return leads;
}

test('cue messages: their times move with the pictures', async (t) => {
	const sluice = await Sluice.start(t, config());
	const scene = await Scene.open(t, sluice, { inputs: ['', ''],
		options: { backup_type: 'passive', backup_initial_delay: 9 } });
	const programs = [{ ...PROGRAM, cues: CUES }];

	await Sender.start(t, new TsMux({ programs, rate: RATE }),
		scene.ports[0]);
	await Sender.start(t, new TsMux({ programs, rate: RATE,
		clock: 95442 }), scene.ports[1]);
	await scene.plays(1);
	await scene.record();
	await scene.more(RATE / 8);
	for (const input of [2, 1]) {
		await sluice.cmd('set-stream-input', { id: scene.id, input });
		await scene.plays(input);
		await scene.more(2 * RATE / 8);
	}
	const data = joined((await scene.recorded()).list);
	const leads = cueLeads(data);

	await sluice.stop();
	assert.equal(checkTs(data).ccErrors, 0);
	assert.ok(leads.length > 10);
	for (const lead of leads)
		assert.ok(Math.abs(lead - CUE_LEAD) < 0.1, `${lead} s before`);
});
