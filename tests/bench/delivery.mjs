// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The cost of a viewer: CPU a delivered Mbit beside other fan-outs in the same
 * rounds, memory, the time to the first picture, and TLS.
 *
 *	MSD_LITE=FILE    that program, as another fan-out
 */
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import process from 'node:process';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { now, sleep, start, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';
import { program, Reporter, startGenerator, startReady } from './load.mjs';
import { cpuNs, median, memoryKib, Scope } from './measure.mjs';
import { ofAll } from './report.mjs';

const GROUP = '239.1.1.1', FROM = 10000, PORT = 18100, RATE = 8;
const TLS_VIEWERS = 20;
const LIMIT = { ofMsdLite: 0.8, viewerKib: 16, joinMs: 300, tlsShare: 0.5,
	shareOfRate: 0.98 };
const msdLite = process.env.MSD_LITE;

const outputs = (scheme, n) => Array.from({ length: n }, (_, i) => stream(
	`s${i}`, `udp://lo@${GROUP}:${FROM + i}`,
	`${scheme}://127.0.0.1:${PORT}/${i}`));

async function startSluice(scope, n, more = {}, scheme = 'http') {
	const sluice = await Sluice.start(scope, { ...config(
		...outputs(scheme, n)), ...more });

	await waitUntil('open inputs', () => Array.from({ length: n },
		(_, i) => FROM + i).every(udpBound), 15000);
	return { sluice, deliver: sluice.worker('deliver').pid,
		pids: () => sluice.workers().map(({ pid }) => pid),
		place: (i) => [PORT, `/${i}`] };
}

// Its own defaults, one thread as ours.
async function startMsdLite(scope) {
	const file = path.join(tempDir(scope), 'msd.conf');
	const profile = (name, inside) => `<${name}List><${name}>${inside}` +
		`</${name}></${name}List>`;

	fs.writeFileSync(file, '<?xml version="1.0"?><msd><log><level>3' +
		'</level></log><threadPool><threadsCountMax>1' +
		'</threadsCountMax><fBindToCPU>no</fBindToCPU></threadPool>' +
		`<HTTP><bindList><bind><address>127.0.0.1:${PORT}</address>` +
		'</bind></bindList><hostnameList><hostname>*</hostname>' +
		'</hostnameList></HTTP>' + profile('hubProfile',
		'<fDropSlowClients>no</fDropSlowClients><fSocketTCPNoDelay>' +
		'yes</fSocketTCPNoDelay><fSocketTCPNoPush>yes' +
		'</fSocketTCPNoPush><precache>4096</precache><ringBufSize>' +
		'1024</ringBufSize><skt><sndBuf>512</sndBuf><sndLoWatermark>' +
		'64</sndLoWatermark></skt>') + profile('sourceProfile',
		'<skt><rcvBuf>512</rcvBuf><rcvLoWatermark>48' +
		'</rcvLoWatermark><rcvTimeout>2</rcvTimeout></skt><multicast>' +
		'<ifName>lo</ifName></multicast>') + '</msd>');
	const child = start(scope, msdLite, ['-c', file]);

	await sleep(1000);
	return { pids: () => [child.pid],
		place: (i) => [PORT, `/udp/${GROUP}:${FROM + i}`] };
}

async function startFanouts(scope, n) {
	const children = [];

	for (let i = 0; i < n; i++)
		children.push(await startReady(scope, 'fanout', ['--from',
			FROM + i, '--port', PORT + i, '--tick', 50]));
	return { pids: () => children.map(({ pid }) => pid),
		place: (i) => [PORT + i, '/'], unicast: true };
}

const sum = (list, probe) => list.reduce((all, one) => all + probe(one), 0);

function startFarm(scope, place, i, viewers) {
	const [port, target] = place(i);

	return new Reporter(start(scope, program('viewer_farm'), ['--viewers',
		viewers, '--port', port, '--path', target].map(String)));
}

const snapshots = (farms) => Promise.all(farms.map((f) => f.snapshot()));

// One fan-out with so many streams, and viewers of each.
function measure(begin, { streams, viewers, window }) {
	return Scope.within(async (scope) => {
		const { pids, place, deliver, unicast } =
			await begin(scope, streams);

		startGenerator(scope, { streams, rate: RATE, port: FROM,
			address: unicast ? undefined : GROUP, seconds: 600 });
		await sleep(3000);
		const empty = deliver && memoryKib(deliver).pss;
		const farms = Array.from({ length: streams }, (_, i) =>
			startFarm(scope, place, i, viewers));
		await Promise.all(farms.map((farm) => farm.ready(60000)));
		await sleep(2000);
		const before = await snapshots(farms), cpu = cpuNs(pids());
		const own = deliver && cpuNs([deliver]);
		await sleep(window * 1000);
		const after = await snapshots(farms);
		const used = cpuNs(pids()) - cpu;
		const alone = deliver && cpuNs([deliver]) - own;
		const pss = deliver && memoryKib(deliver).pss;
		const seen = await Promise.all(farms.map((f) => f.stop()));
		const bytes = (list) => sum(list, (one) => one.bytes);
		const mbit = (bytes(after) - bytes(before)) * 8 / 1e6;
		const seconds = (after[0].at_ns - before[0].at_ns) / 1e9;

		return { us: used / 1000 / mbit, mbit,
			aloneUs: alone / 1000 / mbit,
			share: mbit / seconds / streams / viewers / RATE,
			kib: (pss - empty) / streams / viewers,
			bad: sum(seen, (s) => s.lost + s.broken +
				s.duplicated + s.reordered),
			packets: sum(seen, (s) => s.packets),
			gone: sum(seen, (s) => s.viewers - s.watching),
			joinMs: Math.max(...seen.map((s) => s.join_ms.p99)) };
	});
}

// All in turn, so that the machine is the same for all.
async function compare(report, load, { rounds, window }) {
	const candidates = { sluice: startSluice, fanout: startFanouts,
		...msdLite ? { msd_lite: startMsdLite } : {} };
	const runs = Object.fromEntries(Object.keys(candidates)
		.map((name) => [name, []]));

	for (let round = 0; round < rounds; round++)
		for (const name of Object.keys(runs))
			runs[name].push(await measure(candidates[name],
				{ ...load, window }));
	const ratio = (name) => median(runs.sluice.map((run, i) =>
		run.us / runs[name][i].us));
	report.table([['', 'CPU us/Mbit', 'Sluice of it', 'lost', 'of rate'],
		...Object.entries(runs).map(([name, all]) => [name,
			median(all.map((run) => run.us)).toFixed(1),
			ratio(name).toFixed(2), sum(all, (run) => run.bad),
			`${(100 * median(all.map((run) => run.share)))
				.toFixed(1)} %`])]);
	return { runs, ratio };
}

function judgeCrowd(report, { runs, ratio }, what) {
	const ours = runs.sluice;
	const bad = sum(ours, (run) => run.bad);
	const gone = sum(ours, (run) => run.gone);
	const share = Math.min(...ours.map((run) => run.share));
	const others = Object.keys(runs).filter((name) => name !== 'sluice');
	const most = Math.max(...others.map(ratio));
	const joinMs = median(ours.map((run) => run.joinMs));
	const kib = Math.max(...ours.map((run) => run.kib));

	report.judge(bad === 0 && gone === 0 && share >= LIMIT.shareOfRate,
		`${what}: ${ofAll(bad, sum(ours, (run) => run.packets))} ` +
		`packets lost or out of order, ${gone} viewers lost, ` +
		`${(share * 100).toFixed(1)} % of the rate delivered`);
	report.judge(most <= 1, `${what}: CPU a Mbit ${most.toFixed(2)} x ` +
		'that of the best of the others (at most 1), without the ' +
		'analysis of the streams ' + median(ours.map((run) =>
		run.aloneUs)).toFixed(1) + ' us');
	report.judge(joinMs <= LIMIT.joinMs, `${what}: first packet of a ` +
		`picture p99 after ${joinMs} ms (at most ${LIMIT.joinMs})`);
	report.judge(kib <= LIMIT.viewerKib, `${what}: a viewer adds ` +
		`${kib.toFixed(1)} KiB PSS (at most ${LIMIT.viewerKib})`);
}

// --- TLS ---

// Microseconds of the processes that serve the viewers for a Mbit.
function perMbit(scheme, window) {
	return Scope.within(async (scope) => {
		const cert = await certificate(tempDir(scope), 'x.example');
		const { sluice } = await startSluice(scope, 1,
			{ settings: settingsOf(cert) }, scheme);
		const get = scheme === 'https' ? https.get : http.get;
		const pids = () => sluice.workers().filter(({ role }) =>
			['deliver', 'tls'].includes(role))
			.map(({ pid }) => pid);
		let bytes = 0;

		startGenerator(scope, { streams: 1, rate: RATE, port: FROM,
			address: GROUP, seconds: 600 });
		await sluice.onair('s0');
		for (let i = 0; i < TLS_VIEWERS; i++) {
			const call = get({ host: '127.0.0.1', port: PORT,
				path: '/0', agent: false, ca: cert.pem,
				checkServerIdentity: () => undefined },
			(reply) => {
				reply.on('data', (d) => { bytes += d.length; });
				reply.on('error', () => {});
			}).on('error', () => {});

			scope.after(() => call.destroy());
		}
		await waitUntil('viewers', async () => (await sluice.status(
			's0')).sessions === TLS_VIEWERS);
		await sleep(2000);
		const cpu = cpuNs(pids()), from = bytes;
		await sleep(window * 1000);
		return (cpuNs(pids()) - cpu) / 1000 /
			((bytes - from) * 8 / 1e6);
	});
}

async function tls(report, { rounds, window }) {
	const ratios = [], costs = [];

	report.section(`delivery: ${TLS_VIEWERS} viewers by http and https`);
	for (let round = 0; round < rounds; round++) {
		const plain = await perMbit('http', window);
		const secure = await perMbit('https', window);

		ratios.push(plain / secure);
		costs.push([plain, secure]);
	}
	report.keep('delivery_tls', costs);
	report.judge(median(ratios) >= LIMIT.tlsShare, 'delivery: a CPU ' +
		`second serves ${median(ratios).toFixed(2)} x as much by ` +
		`https as by http (at least ${LIMIT.tlsShare}); ` +
		`${costs.map(([a, b]) => `${b.toFixed(0)} and ` +
			`${a.toFixed(0)}`).join(', ')} us/Mbit`);
}

export async function delivery(report, options) {
	report.section('delivery: 1 stream, 200 viewers');
	const one = await compare(report, { streams: 1, viewers: 200 },
		options);
	report.keep('delivery_200', one.runs);
	if (msdLite)
		report.judge(one.ratio('msd_lite') <= LIMIT.ofMsdLite,
			'delivery, 200 viewers: CPU ' +
			`${one.ratio('msd_lite').toFixed(2)} x msd_lite ` +
			`(at most ${LIMIT.ofMsdLite})`);
	else
		report.skip('delivery: no MSD_LITE');
	report.section('delivery: 10 streams, 500 viewers');
	const many = await compare(report, { streams: 10, viewers: 50 },
		options);
	report.keep('delivery_500', many.runs);
	judgeCrowd(report, many, 'delivery, 500 viewers');
	await tls(report, options);
}
