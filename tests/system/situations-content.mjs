// SPDX-License-Identifier: GPL-3.0-or-later
// situations, contents: what is wrong with the packets is told everywhere.
import { test } from 'node:test';
import { playAll } from '../helpers/situations.mjs';

const JUNK = /^\d\d\d kbit\/s arrive without MPEG-TS packets$/;

const situations = {
	async 'the source becomes scrambled'(s) {
		const mux = await s.play(1);

		await s.stream(1);
		await s.tells({ state: 'on air', no: ['scrambled'] });
		mux.scrambled = true;
		await s.tells({ state: 'OFF AIR', error: /^scrambled/,
			alarms: ['scrambled'], sends: true,
			also: { scrambled: true } });
		mux.scrambled = false;
		await s.tells({ state: 'on air', error: null,
			also: { scrambled: false } });
	},

	async 'packets are missing'(s) {
		let lose = true, n = 0;

		await s.play(1, { shape: (p) =>
			lose && ++n % 50 === 0 ? [] : [p] });
		await s.stream(1);
		await s.tells({ state: 'on air', alarms: ['continuity'] });
		lose = false;
	},

	async 'cc_limit takes an input off air'(s) {
		let n = 0;

		await s.play(1, { shape: (p) => ++n % 10 === 0 ? [] : [p] });
		await s.stream(['#cc_limit=3']);
		await s.tells({ state: 'OFF AIR', error: / CC errors /,
			alarms: ['continuity'], sends: true });
	},

	async 'units do not begin as PES'(s) {
		const mux = await s.play(1);

		mux.breakPes = true;
		await s.stream(1);
		await s.tells({ state: 'OFF AIR', error: /PES errors/,
			sends: true });
	},

	async 'no packets, but other bytes arrive'(s) {
		const junk = [Buffer.alloc(1316, 0xaa)];
		let shape = (p) => [p];

		await s.play(1, { shape: (p) => shape(p) });
		await s.play(2, { shape: () => junk });
		await s.stream(2, { backup_type: 'active' });
		await s.tells({ state: 'on air', from: 1 });
		await s.waits([2, JUNK]);
		shape = () => junk;
		await s.tells({ state: 'OFF AIR', sends: false,
			error: JUNK });
		await s.sluice.logged(new RegExp(`stream ${s.id}: input 1: ` +
			'no MPEG-TS packets; |off air: \\d+ kbit/s arrive ' +
			'without MPEG-TS packets'));
		shape = () => [];
		await s.tells({ state: 'OFF AIR', error: /^no packets$/ });
	},

	async 'an rtp:// input receives datagrams that are no RTP'(s) {
		await s.play(1, { shape: () => [Buffer.alloc(1316, 0xaa)] });
		await s.stream([`rtp://127.0.0.1:${s.first}`]);
		await s.tells({ state: 'OFF AIR', sends: false,
			error: JUNK });
	},

	async 'there are no tables'(s) {
		const mux = await s.play(1);

		mux.psi = false;
		await s.stream(1);
		await s.tells({ state: 'OFF AIR', alarms: ['pat'] });
	},

	async 'tables have a wrong check sum'(s) {
		const mux = await s.play(1);

		await s.stream(1);
		await s.tells({ state: 'on air' });
		mux.breakCrc = true;
		await s.tells({ state: /^(on air|OFF AIR)$/, alarms: ['crc'] });
	},

	async 'the clock of the source freezes'(s) {
		const mux = await s.play(1);

		await s.stream(1);
		await s.tells({ state: 'on air', no: ['pcr_frozen'] });
		mux.frozen = mux.seconds;
		await s.tells({ state: 'on air',
			alarms: ['pcr_frozen', 'pcr_repetition'] });
	},

	async 'a frozen clock makes the backup play'(s) {
		const mux = await s.play(1);

		await s.play(2);
		await s.stream(2);
		await s.tells({ state: 'on air', from: 1 });
		mux.frozen = mux.seconds;
		await s.tells({ state: 'on air (input 2, backup)', from: 2 });
	},

	async 'the program is missing'(s) {
		await s.play(1);
		await s.stream(['#pnr=9']);
		await s.tells({ state: 'OFF AIR', error: /pnr=9/,
			sends: false });
	},

	async 'the filler plays, and the input returns'(s) {
		await s.play(1);
		await s.stream(1, { filler: 'still' });
		await s.tells({ state: 'on air', also: { filler: false } });
		s.stop(1);
		await s.tells({ state: 'OFF AIR (filler plays)',
			error: /^no packets$/, also: { filler: true } });
		await s.play(1);
		await s.tells({ state: 'on air', also: { filler: false } });
	},

	async 'the filler takes over at once'(s) {
		await s.play(1);
		await s.stream(1, { filler: 'still', backup_start_delay: 0 });
		await s.tells({ state: 'on air', also: { filler: false } });
		s.stop(1);
		await s.tells({ state: 'OFF AIR (filler plays)',
			error: /^no packets$/, also: { filler: true } });
	},

	async 'a multiplex is on air'(s) {
		await s.play(1);
		await s.stream(1, { type: 'mpts' });
		await s.tells({ state: 'on air', from: 1 });
	},

	async 'a multiplex is off air, whatever its event says'(s) {
		await s.stream(1, { type: 'mpts' });
		await s.tells({ state: 'OFF AIR', error: /^no packets$/,
			sends: false });
	},
};

test('contents', { concurrency: true }, (t) => playAll(t, situations));
