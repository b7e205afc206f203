// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A stream on demand: how long its first viewer waits for the first byte, from
 * the first packet of the source, which begins with a picture.
 */
import net from 'node:net';
import { TsMux } from '../helpers/mux.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { now, udpBound, waitUntil } from '../helpers/util.mjs';
import { median, Scope } from './measure.mjs';

const PORT = 18100, FROM = 10000, RATE = 4e6, TURNS_A_ROUND = 10;
const LIMIT_MS = 300;

// Resolves with the time of the first packet after the head of the answer.
function watch(scope) {
	const socket = net.connect(PORT, '127.0.0.1');

	scope.after(() => socket.destroy());
	socket.write('GET /0 HTTP/1.1\r\nHost: bench\r\n\r\n');
	return new Promise((done, fail) => {
		let got = Buffer.alloc(0);

		socket.on('error', fail);
		socket.on('end', () => fail(new Error(String(got))));
		socket.on('data', (data) => {
			const at = now();

			got = Buffer.concat([got, data]);
			if (got.indexOf('\r\n\r\n') + 4 < got.length)
				done(at);
		});
	});
}

function turn() {
	return Scope.within(async (scope) => {
		const first = watch(scope);

		await waitUntil('the start', () => udpBound(FROM), 15000);
		const begin = now();

		await Sender.start(scope, new TsMux({ rate: RATE }), FROM);
		return await first - begin;
	});
}

export async function demand(report, { rounds }) {
	report.section('the first viewer of a stream on demand');
	const times = await Scope.within(async (scope) => {
		const sluice = await Sluice.start(scope, config(stream('a',
			`udp://127.0.0.1:${FROM}`, `http://127.0.0.1:${PORT}/0`,
			{ http_keep_active: '0' })));
		const found = [];

		for (let i = 0; i < rounds * TURNS_A_ROUND; i++) {
			await sluice.waitStatus('a', 'no viewer', (s) =>
				s.worker.state === 'stopped');
			found.push(await turn());
		}
		return found.sort((a, b) => a - b);
	});
	const p99 = times[Math.ceil(times.length * 0.99) - 1];

	report.keep('demand', times);
	report.judge(p99 <= LIMIT_MS, `demand: the first byte of ${
		times.length} first viewers: median ` +
		`${median(times).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms ` +
		`after the first packet (at most ${LIMIT_MS})`);
}
