// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make soak SOAK=types: all types of input and output at once, for a long time.
 * No packet may be lost, and neither memory nor descriptors nor the log may
 * grow.
 *
 *	SOAK_SECONDS=600 SOAK_RATE=2 (Mbit/s each)
 *
 * Most types are a stream that sends and another one that receives it and sends
 * it by UDP to the checker.
 */
import dgram from 'node:dgram';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { certificate, settingsOf } from '../helpers/tls.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { TsChecker } from '../helpers/ts.mjs';
import { sleep, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';
import { startChecker, startGenerator } from './load.mjs';
import { cpuNs, Scope } from './measure.mjs';
import { growth, growthOf, judgeGrowth, number, SETTLE_S, watch, weighAll,
	workersOf } from './soak.mjs';
import { ofAll } from './report.mjs';

const FROM = 10000, BETWEEN = 11000, TO = 20000;
const WEB = 8100, HLS = 7000, PUSH = 7100, LIST = 12000;
const SEGMENT_MS = 1000, KEPT = 12, LISTED = 6;
const FILES = 3;
/* librist has tables of half a million packets, 8 bytes each, that are touched
 * one after the other; a list holds one file or two. */
const LIMIT = { workerKib: 256, masterKib: 256, fds: 1, logLines: 20,
	/* of alarms: one is raised and cleared in six seconds, no faster */
	alarmLines: 1 / 3 };

// The outputs of the first stream, and the input of the second; each has 20
// ports.
function typesOf(dir, cert, rate) {
	const at = (i, more = 0) => `127.0.0.1:${BETWEEN + 20 * i + more}`;
	const escaped = (text) => text.replace('#', '%23');

	return [
		['udp', (i) => [`udp://127.0.0.1:${TO + i}`,
			`file://${dir}/%F-%H%M%S.ts#rotate_size=1&min_free=1`,
			`np://127.0.0.1:${PUSH}/in`]],
		['rtp', (i) => `rtp://${at(i)}`, (i) => `rtp://${at(i)}`],
		['fec', (i) => `rtp://${at(i)}#fec=5x5`,
			(i) => `rtp://${at(i)}#fec`],
		['hitless', (i) => `rtp://${at(i)}#path2=${at(i, 10)}`,
			(i) => `rtp://${at(i)}#merge=rtp://${at(i, 10)}`],
		['merge', (i) => [`udp://${at(i)}`, `udp://${at(i, 10)}`],
			(i) => `udp://${at(i)}#merge=` +
				escaped(`udp://${at(i, 10)}`)],
		['cbr', (i) => `udp://${at(i)}#cbr=${rate * 1250}`,
			(i) => `udp://${at(i)}`],
		['http', () => `http://127.0.0.1:${WEB}/http`,
			() => `http://127.0.0.1:${WEB}/http`],
		['https', () => `https://127.0.0.1:${WEB}/https`,
			() => `https://127.0.0.1:${WEB}/https#ca=${cert}`],
		['hls', (i) => `udp://${at(i)}`,
			() => `http://127.0.0.1:${HLS}/live.m3u8`],
		['srt', (i) => `srt://${at(i)}`,
			(i) => `srt://:${BETWEEN + 20 * i}`],
		['rist', (i) => `rist://${at(i)}`, (i) => `rist://@${at(i)}`],
		['stream', () => [], () => 'stream://stream'],
	];
}

// A server that makes a playlist of the stream at a port.
async function serveSegments(scope, port) {
	const segments = new Map();
	let parts = [], count = 0;
	const socket = dgram.createSocket('udp4');
	const server = http.createServer((request, reply) => {
		const data = segments.get(request.url.slice(1));

		reply.on('error', () => { /* disconnected */ });
		if (data !== undefined)
			reply.end(data);
		else if (request.url === '/live.m3u8')
			reply.end(listOf(count));
		else
			reply.writeHead(404).end();
	});
	const timer = setInterval(() => {
		if (parts.length === 0)
			return;
		segments.set(`${count++}.ts`, Buffer.concat(parts));
		segments.delete(`${count - KEPT}.ts`);
		parts = [];
	}, SEGMENT_MS);

	socket.on('message', (data) => parts.push(data));
	await new Promise((done) => socket.bind(port, '127.0.0.1', done));
	socket.setRecvBufferSize(1 << 20);
	await new Promise((done) => server.listen(HLS, '127.0.0.1', done));
	server.keepAliveTimeout = 60000;
	scope.after(() => {
		clearInterval(timer);
		socket.close();
		server.closeAllConnections();
		server.close();
	});
}

function listOf(count) {
	const first = Math.max(count - LISTED, 0);

	return ['#EXTM3U', '#EXT-X-TARGETDURATION:1',
		`#EXT-X-MEDIA-SEQUENCE:${first}`,
		...Array.from({ length: count - first }, (_, i) =>
			`#EXTINF:1,\n${first + i}.ts`), ''].join('\n');
}

// Accepts the pushed stream.
async function takePushed(scope) {
	const taken = { bytes: 0, requests: 0 };
	const server = http.createServer((request) => {
		taken.requests++;
		request.on('data', (data) => { taken.bytes += data.length; });
		request.on('error', () => { /* disconnected */ });
	});

	await new Promise((done) => server.listen(PUSH, '127.0.0.1', done));
	scope.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return taken;
}

// Only the last files of the recording stay.
function keepFew(scope, dir) {
	const seen = new Set();
	const timer = setInterval(() => {
		const files = fs.readdirSync(dir).sort();

		files.forEach((file) => seen.add(file));
		for (const file of files.slice(0, -FILES))
			fs.rmSync(path.join(dir, file));
	}, 1000);

	scope.after(() => clearInterval(timer));
	return seen;
}

function makeList(dir) {
	const names = ['a.ts', 'b.ts', 'c.ts'];

	for (const [i, name] of names.entries())
		fs.writeFileSync(path.join(dir, name), new TsMux({ rate: 2e6,
			clock: i }).take(8000));
	fs.writeFileSync(path.join(dir, 'list'), names.join('\n') + '\n');
	return `file://${path.join(dir, 'list')}#list&loop`;
}

function fleetOf(types, list) {
	const streams = types.flatMap(([name, sends, takes], i) => [
		stream(name, `udp://127.0.0.1:${FROM + i}`, sends(i)),
		...takes ? [stream(`${name}-in`, takes(i),
			`udp://127.0.0.1:${TO + i}`)] : []]);

	return config(...streams, stream('list', list,
		`udp://127.0.0.1:${LIST}#cbr=3000`));
}

// The list has no stamps: its output is read here.
async function readList(scope) {
	const seen = new TsChecker();
	const socket = dgram.createSocket('udp4');

	socket.on('message', (data) => seen.push(data));
	await new Promise((done) => socket.bind(LIST, '127.0.0.1', done));
	socket.setRecvBufferSize(1 << 20);
	scope.after(() => socket.close());
	return () => ({ packets: seen.packets, lost: seen.ccErrors });
}

// Alarms also show how late the generator is.
const ofAlarm = /alarms/;
const linesOf = (sluice) => sluice.log.split('\n').length;

async function run({ seconds, rate }) {
	return Scope.within(async (scope) => {
		const dir = tempDir(scope), records = path.join(dir, 'rec');
		const cert = await certificate(dir, 'headend');

		fs.mkdirSync(records);
		const types = typesOf(records, cert.chain, rate);
		const of = (name) => types.findIndex(([is]) => is === name);
		const checker = await startChecker(scope,
			{ streams: types.length, rate, port: TO });
		const pushed = await takePushed(scope);
		const readOfList = await readList(scope);
		await serveSegments(scope, BETWEEN + 20 * of('hls'));
		const sluice = await Sluice.start(scope, {
			settings: settingsOf(cert),
			...fleetOf(types, makeList(dir)) });

		await waitUntil('open inputs', () => types.every((_, i) =>
			udpBound(FROM + i)), 30000);
		const generator = startGenerator(scope, { rate, port: FROM,
			streams: types.length,
			seconds: SETTLE_S + seconds + 2 });
		const files = keepFew(scope, records);

		await sleep(SETTLE_S * 1000);
		const start = await checker.snapshot();
		const listed = readOfList();
		const lines = linesOf(sluice), bytes = pushed.bytes;
		const weighed = [weighAll(sluice)];
		const pids = [sluice.pid, ...workersOf(sluice)];
		const before = cpuNs(pids);

		await watch(sluice, seconds, weighed);
		const cpu = cpuNs(pids) - before;
		// buffers grow to the longest pause: by half-time that has
		// ended
		const samples = weighed.slice(weighed.length / 2);
		const logged = sluice.log.split('\n').slice(lines);
		const list = readOfList();
		await generator.ended;
		await sleep(1000);
		const seen = await checker.stop();
		const named = new Map([...sluice.log.matchAll(
			/stream (\S+): running, pid (\d+)/g)]
			.map(([, name, pid]) => [Number(pid), name]));

		return { ...growth(samples), log: logged,
			lines: logged.filter((line) => !ofAlarm.test(line))
				.length,
			alarms: logged.filter((line) => ofAlarm.test(line))
				.length / seconds / pids.length,
			restarts: (sluice.log
				.match(/restart(ing| in)/g) ?? []).length,
			types: types.map(([name], i) => ({ name,
				packets: seen.next[i] - start.next[i],
				lost: seen.lost_by_stream[i] -
					start.lost_by_stream[i] })),
			disorder: seen.duplicated + seen.reordered -
				start.duplicated - start.reordered,
			list: { packets: list.packets - listed.packets,
				lost: list.lost - listed.lost },
			pushed: (pushed.bytes - bytes) * 8 / 1e6 / seconds,
			requests: pushed.requests, files: files.size,
			cores: cpu / 1e9 / seconds,
			each: weighed[0].workers.map(({ pid }) => ({
				name: named.get(pid) ?? String(pid),
				series: weighed.map(({ workers }) => workers
					.find((one) => one.pid === pid).pss),
				pss: growthOf(samples, pid, 'pss'),
				fds: growthOf(samples, pid, 'fds') })) };
	});
}

function judge(report, r, { seconds, rate }) {
	const all = [...r.types, { name: 'list', ...r.list }];
	const least = rate * 1e6 / 8 / 188 * seconds * 0.8;
	const sum = (key) => all.reduce((n, type) => n + type[key], 0);
	const bad = all.filter((type) => type.lost > 0)
		.map((type) => `${type.name} ${type.lost}`);
	const short = all.filter((type) => type.packets < least)
		.map((type) => `${type.name} ${type.packets}`);

	report.judge(bad.length === 0 && r.disorder === 0, 'types: ' +
		`${ofAll(sum('lost'), sum('packets'))} packets lost ` +
		`${bad.join()}, ${r.disorder} doubled or out of order`);
	report.judge(short.length === 0, 'types: all deliver every packet' +
		short.map((text) => `, not ${text}`).join(''));
	report.judge(r.pushed > rate * 0.8 && r.requests === 1 &&
		r.files > seconds * rate / 8 / 2, 'types: ' +
		`${r.pushed.toFixed(1)} Mbit/s pushed in ${r.requests} ` +
		`request, ${r.files} files recorded`);
	report.judge(r.restarts === 0, `types: ${r.restarts} workers were ` +
		'replaced');
	report.judge(r.lines <= LIMIT.logLines &&
		r.alarms <= LIMIT.alarmLines, `types: ${r.lines} lines in ` +
		`the log (limit ${LIMIT.logLines}), and ` +
		`${r.alarms.toFixed(3)} a second of alarms, of each worker`);
	judgeGrowth(report, 'types', r, LIMIT);
}

export async function types(report) {
	const o = { seconds: number('SOAK_SECONDS', 600),
		rate: number('SOAK_RATE', 2) };

	report.section(`types: all types of input and output, ` +
		`${o.rate} Mbit/s each, for ${o.seconds} s`);
	const r = await run(o);

	report.table([['type', 'packets', 'lost'],
		...r.types.map((type) => [type.name, String(type.packets),
			String(type.lost)])]);
	report.table([['worker', 'PSS +KiB', 'descriptors +'], ...r.each
		.sort((a, b) => b.pss - a.pss).slice(0, 8)
		.map(({ name, pss, fds }) => [name, String(pss),
			String(fds)])]);
	report.keep('types', { ...o, ...r });
	judge(report, r, o);
	if (r.lines > LIMIT.logLines)
		console.log(r.log.slice(0, 60).join('\n'));
}
