// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make joins: viewers join streams of real encoders over HTTP, at every phase
 * of their groups of pictures.  The first picture of each is a random access
 * point, by ffprobe and without an error of the decoder.
 *
 *	JOINS=100        viewers of each stream
 *	KINDS=h264       only the streams whose names begin so
 */
import process from 'node:process';
import { encodeJoin, inParallel, join, Joins, KINDS }
	from '../helpers/joins.mjs';
import { config, Sluice, stream } from '../helpers/sluice.mjs';
import { sleep, tempDir } from '../helpers/util.mjs';
import { Scope } from './measure.mjs';
import { ofAll } from './report.mjs';
import { number } from './soak.mjs';

const PORT = 8100;
const SPREAD_MS = 30000; // more than two groups of pictures of the longest

// The joins of one stream, at even distances.
async function joinAll(to, name, joins) {
	await Promise.all(Array.from({ length: joins }, async (_, i) => {
		await sleep(i * SPREAD_MS / joins);
		to.add(await join(PORT, `/${name}`));
	}));
}

async function judge(scope, report) {
	const dir = tempDir(scope), count = number('JOINS', 100);
	const names = Object.keys(KINDS).filter((name) =>
		name.startsWith(process.env.KINDS ?? ''));

	await inParallel(names, (name) => encodeJoin(dir, name));
	const sluice = await Sluice.start(scope, config(...names.map(
		(name, i) => stream(`a${100 + i}`,
			`file://${dir}/${name}.ts#loop`,
			`http://127.0.0.1:${PORT}/${name}`))));
	const all = names.map((name) => new Joins(name));

	await Promise.all(names.map((name, i) => joinAll(all[i], name, count)));
	const status = await Promise.all(names.map((_, i) =>
		sluice.status(`a${100 + i}`)));
	await sluice.stop();
	for (const [i, name] of names.entries()) {
		const faults = await all[i].judge(dir);
		const { random_access: where, gop = '-' } = status[i];

		report.judge(faults.length === 0, `${name}: ` +
			`${ofAll(count - faults.length, count)} joins, ` +
			`${all[i].starts} different, status ${where}, ` +
			`${gop} ms ${[...new Set(faults)].slice(0, 3)
				.join('; ')}`);
	}
}

export function joins(report) {
	report.section('viewers of real encoders');
	return Scope.within((scope) => judge(scope, report));
}
