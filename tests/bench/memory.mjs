// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The memory of a stream worker beyond its ring, with 50 of them that send 8
 * Mbit/s each to UDP and into a ring for HTTP viewers.
 */
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { sleep, udpBound, waitUntil } from '../helpers/util.mjs';
import { startGenerator } from './load.mjs';
import { median, memoryKib, Scope } from './measure.mjs';

const LOAD = { streams: 50, rate: 8 };
const FROM = 10000, TO = 20000, HTTP = 18100, LIMIT_KIB = 1024;
const RING = /\/memfd:/;

function weigh() {
	return Scope.within(async (scope) => {
		const sluice = await Sluice.start(scope, config(...Array.from(
			{ length: LOAD.streams }, (_, i) => stream(`s${i}`,
				`udp://127.0.0.1:${FROM + i}`,
				[`udp://127.0.0.1:${TO + i}`,
					`http://127.0.0.1:${HTTP}/s${i}`]))));

		await waitUntil('open inputs', () => Array.from(
			{ length: LOAD.streams }, (_, i) => FROM + i)
			.every(udpBound), 15000);
		startGenerator(scope, { ...LOAD, port: FROM, seconds: 60 });
		await sleep(5000);
		return sluice.workers().filter(({ role }) => role === 'stream')
			.map(({ pid }) => memoryKib(pid, RING));
	});
}

export async function memory(report) {
	report.section(`memory: ${LOAD.streams} stream workers of ` +
		`${LOAD.rate} Mbit/s, UDP and a ring each`);
	const all = await weigh();
	const own = all.map((m) => m.pss - m.sharedPss);
	const rings = all.filter((m) => m.sharedRss > 0).length;
	const worst = Math.max(...own);

	report.table([['KiB', 'median', 'most'],
		['PSS beyond the ring', median(own), worst],
		['RSS with the ring', median(all.map((m) => m.rss)),
			Math.max(...all.map((m) => m.rss))]]);
	report.keep('memory', all);
	report.judge(rings === LOAD.streams,
		`memory: ${rings} of ${LOAD.streams} workers have a ring`);
	report.judge(worst <= LIMIT_KIB, 'memory: PSS of a stream worker ' +
		`beyond its ring ${worst} KiB at most (limit ${LIMIT_KIB})`);
}
