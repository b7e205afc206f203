// SPDX-License-Identifier: GPL-3.0-or-later
// A headend with streams in every state, for pictures of the page.
import http from 'node:http';
import path from 'node:path';
import { startGuarded } from './auth.mjs';
import { FakeService } from './fake-service.mjs';
import { Sluice, config as only, stream } from './sluice.mjs';
import { srcdir } from './util.mjs';

const PORT = 8100;
const ETC = path.resolve(srcdir, 'etc');
const LIVE = 'udp://239.1.1.1:5000';
const SILENT = 'udp://239.1.1.2:5000';

// Groups with the names of their streams; a sign says how one is.
const GROUPS = {
	News: ['News HD', 'News 24', 'City', 'Weather', 'Parliament'],
	Films: ['Film 1', 'Film 2', '<Film 3', 'Series', 'Classics'],
	Sport: ['Sport 1', 'Sport 2', '!Arena', 'Chess'],
	Kids: ['Cartoons', 'Nature', '-Toys'],
	Music: ['Jazz', 'Classic', '~Night'],
};

const idOf = (name) => name.toLowerCase().replace(/\W+/g, '');

// !: off air, <: on its backup, -: disabled, ~: waits for a viewer
function one(text, group, n) {
	const sign = /^[!<~-]/.exec(text)?.[0] ?? '';
	const name = text.slice(sign.length), id = idOf(name);
	const input = sign === '!' ? [SILENT] : sign === '<'
		? [SILENT, LIVE] : [LIVE];

	return { id, name, type: 'spts', enable: sign !== '-', input,
		output: [`http://127.0.0.1:${PORT}/${id}`,
			...sign === '~' ? [] : [`udp://239.2.1.${n}:5000`]],
		groups: { Type: group },
		...sign === '~' ? { http_keep_active: '0' } : {},
		...sign === '<' ? { backup_type: 'active' } : {} };
}

const config = {
	gid: 466560,
	settings: { instance_name: 'north', http_play_stream: true,
		http_play_hls: true },
	categories: [{ name: 'Type', groups: Object.keys(GROUPS)
		.map((name) => ({ name })) }],
	make_stream: Object.entries(GROUPS).flatMap(([group, names]) =>
		names.map((name) => [name, group]))
		.map(([name, group], i) => one(name, group, i + 1)),
	dvb_tune: [{ id: 'tp1', name: 'Transponder 1', type: 'S2',
		enable: true, address: 'udp://239.1.1.3:5000' },
	{ id: 'tp2', name: 'Channel 31', type: 'T2', enable: false,
		address: SILENT }],
	softcam: [{ id: 'cam1', name: 'Card 1', type: 'newcamd',
		host: '127.0.0.1', port: 10000, user: 'north',
		pass: 'secret' }],
	cas: [{ id: 'cas1', name: 'System 1', super_cas_id: '0x4ad20000',
		ecmg_channel_id: 1, ecmg_host: '127.0.0.1',
		ecmg_port: 2000 }],
};

// { sluice, admin, password } as startGuarded()
export async function startShow(t) {
	// a headend of its own sends the clip
	await Sluice.start(t, only(stream('clip', `file://${ETC}/demo.ts#loop`,
		LIVE)), { allow: [ETC] });
	const guarded = await startGuarded(t, { config,
		users: { olga: { type: 2, password: 'look', enable: true,
			comment: 'Night shift' } } });

	await guarded.sluice.logged(/stream newshd: on air/);
	for (const id of ['newshd', 'newshd', 'sport1', 'film1']) {
		const viewer = http.get({ port: PORT, path: `/${id}`,
			agent: false, headers: { 'User-Agent':
				'VLC/3.0.21 LibVLC/3.0.21' } }, (reply) =>
			reply.resume().on('error', () => {}));

		viewer.on('error', () => {});
		t.after(() => viewer.destroy());
	}
	return guarded;
}

// The state of a stream as GET /api/overview has it.
function overOf({ id, name, enable, input, output }, i) {
	const isOff = input[0] === SILENT && input.length === 1;
	const isBackup = input[0] === SILENT && !isOff;
	const isWaiting = id === 'night', runs = enable && !isWaiting;
	const since = Math.floor(Date.now() / 1000) - 41;

	return { id, name, type: 'spts', enable, ok: !isOff,
		onair: runs && !isOff, inputs: input.length,
		outputs: output.length, active_input: isBackup ? 2 : 1,
		...isWaiting ? { waiting: true } : {},
		bitrate: runs && !isOff ? 3200 + i * 311 : 0,
		sessions: i * 7 % 23,
		alarms: [], output_faults: [],
		input_faults: isBackup ? [{ position: 1, fault: 'no packets',
			fault_since: since - 300 }] : [],
		worker: { state: runs ? 'running' : 'stopped' },
		state: !enable ? 'disabled' : isWaiting ? 'waiting'
			: isOff ? 'OFF AIR' : 'on air',
		...isOff ? { error: 'no packets', off_since: since } : {} };
}

// The same headend, played: no load of this machine is on its pictures.
export function startPlayed(t) {
	const replies = { whoami: { login: 'olga', type: 1 },
		'ws-token': { token: 'x' }, load: config };
	const overview = () => ({ timestamp: Math.floor(Date.now() / 1000),
		version: '1', instance: 'north', alarms: [], adapters: [],
		softcams: [], system: { cpu_cores: 8, sys_cpu_usage: 96,
			sys_mem_usage: 12 },
		streams: config.make_stream.map(overOf) });

	return FakeService.start(t, (name) => name === 'api/overview'
		? overview() : replies[name]);
}
