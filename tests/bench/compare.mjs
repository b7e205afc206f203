// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make compare: the same work done by Sluice and by the programs of Debian, 4
 * streams of 8 Mbit/s by UDP in and out, others with a process a stream:
 * unchanged, in bursts, with datagrams lost at the input, and with a source
 * that dies beside one that lives. A table, no verdicts.
 */
import { spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Fault } from '../helpers/net.mjs';
import { vlc } from '../helpers/peers.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { now, sleep, start, udpBound, waitUntil } from '../helpers/util.mjs';
import { measureFlow, startChecker, startGenerator } from './load.mjs';
import { cpuNs, Scope } from './measure.mjs';

const LOAD = { streams: 4, rate: 8, warm: 3 };
const FROM = 10000, BACKUP = 11000, TO = 20000;
const BURST_MS = 40, ONE_OF = 100, GAP_MS = 3000;

const each = (make) => Array.from({ length: LOAD.streams }, (_, i) => make(i));
const pidsOf = (children) => () => children.map(({ pid }) => pid);

async function bound() {
	await waitUntil('open inputs', () => each((i) => FROM + i)
		.every(udpBound), 15000);
}

function ours(scope, options, ...first) {
	return Sluice.start(scope, config(...each((i) => stream(`s${i}`,
		first.map((port) => `udp://127.0.0.1:${port + i}`),
		`udp://127.0.0.1:${TO + i}`, options))));
}

// How each is started; a child for a stream, but for us.
const peers = {
	multicat: (scope, i) => start(scope, 'multicat', ['-u', '-U',
		`@127.0.0.1:${FROM + i}`, `127.0.0.1:${TO + i}`]),

	dvblast(scope, i) {
		const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'compare-'));
		const file = path.join(dir, 'conf');

		scope.after(() => fs.rmSync(dir, { recursive: true }));
		fs.writeFileSync(file, `127.0.0.1:${TO + i}/udp 1 1\n`);
		return start(scope, 'dvblast', ['-D',
			`@127.0.0.1:${FROM + i}/udp`, '-U', '-c', file]);
	},

	'srt-live-transmit': (scope, i) => start(scope, 'srt-live-transmit',
		['-q', '-chunk:1316', `udp://127.0.0.1:${FROM + i}`,
			`udp://127.0.0.1:${TO + i}`]),

	ffmpeg: (scope, i) => start(scope, 'ffmpeg', ['-nostdin', '-loglevel',
		'fatal', '-analyzeduration', '1000000', '-i',
		`udp://127.0.0.1:${FROM + i}?fifo_size=50000` +
		'&overrun_nonfatal=1', '-map', '0', '-c', 'copy', '-f',
		'mpegts', `udp://127.0.0.1:${TO + i}?pkt_size=1316`]),

	vlc: (scope, i) => vlc(scope, '-q',
		`udp://@127.0.0.1:${FROM + i}`, '--sout',
		`#std{access=udp,mux=ts,dst=127.0.0.1:${TO + i}}`),
};

async function begin(scope, name) {
	if (name === 'sluice') {
		const sluice = await ours(scope, {}, FROM);

		await bound();
		return () => [sluice.pid,
			...sluice.workers().map(({ pid }) => pid)];
	}
	const children = each((i) => peers[name](scope, i));

	await bound();
	return pidsOf(children);
}

// The received packets; dropped: datagrams that were lost before.
function flow(name, window, { burst, drops } = {}) {
	return Scope.within(async (scope) => {
		const checker = await startChecker(scope,
			{ ...LOAD, port: TO });
		const pids = await begin(scope, name);
		const fault = drops && await Fault.start(scope,
			`${FROM}-${FROM + LOAD.streams - 1}`,
			`numgen inc mod ${ONE_OF} 0`);
		const seen = await measureFlow(scope, checker,
			{ ...LOAD, port: FROM, window, burst },
			() => cpuNs(pids()));

		return { ...seen, dropped: drops ? await fault.struck() : 0 };
	});
}

// Milliseconds without a packet of the stream when its source dies; NaN: for
// good.
function gap(name) {
	return Scope.within(async (scope) => {
		if (name !== 'sluice')
			return NaN;
		const socket = dgram.createSocket('udp4');
		let last = 0, longest = 0, packets = 0;

		await new Promise((done) => socket.bind(TO, done));
		scope.after(() => socket.close());
		await ours(scope, { backup_start_delay: 0 }, FROM, BACKUP);
		await bound();
		const [first] = [FROM, BACKUP].map((port) => startGenerator(
			scope, { ...LOAD, port, seconds: 60 }));
		socket.on('message', () => {
			longest = Math.max(longest, now() - last);
			last = now();
			packets++;
		});
		await waitUntil('a stream', () => packets > 100);
		await sleep(3000);
		longest = 0;
		first.kill('SIGKILL');
		await sleep(GAP_MS);
		return now() - last > 1000 ? NaN : longest;
	});
}

// A program that cuts units into packets of its own: the generator's are not
// found again.
const REMAKES = ['ffmpeg', 'vlc'];

const percent = (part, all) => `${(100 * part / all).toFixed(2)} %`;

async function row(name, window) {
	const plain = await flow(name, window);
	const bursts = await flow(name, window, { burst: BURST_MS });
	const drops = await flow(name, window, { drops: true });
	const ms = await gap(name);

	if (plain.mbit < LOAD.streams * LOAD.rate * window / 2)
		throw new Error('does not take what the generator makes');
	return { raw: { plain, bursts, drops, gap_ms: ms }, cells: [name,
		plain.cpu_us_per_mbit.toFixed(0),
		REMAKES.includes(name) ? '-'
			: percent(plain.between, plain.sent),
		plain.burst_ms.p99.toFixed(1),
		bursts.burst_ms.p99.toFixed(1),
		(drops.cc_errors / drops.dropped).toFixed(2),
		Number.isNaN(ms) ? 'for good' : ms.toFixed(0)] };
}

const isThere = (name) => name === 'sluice' ||
	spawnSync('which', [name === 'vlc' ? 'cvlc' : name]).status === 0;

export async function compare(report, { window }) {
	const kept = {};
	const rows = [['', 'CPU us/Mbit', 'lost', 'burst p99 ms',
		`of ${BURST_MS} ms bursts`, 'CC errors a lost datagram',
		'gap ms']];

	report.section(`compare: ${LOAD.streams} streams of ${LOAD.rate} ` +
		'Mbit/s, UDP to UDP, one round');
	for (const name of ['sluice', ...Object.keys(peers)]) {
		if (!isThere(name)) {
			report.skip(`compare: ${name} is not installed`);
			continue;
		}
		try {
			const { raw, cells } = await row(name, window);

			kept[name] = raw;
			rows.push(cells);
		} catch (error) {
			report.skip(`compare: ${name}: ${error.message}`);
		}
	}
	report.table(rows);
	report.keep('compare', kept);
}
