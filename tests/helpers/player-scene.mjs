// SPDX-License-Identifier: GPL-3.0-or-later
// One stream with an http and an HLS output, players of other projects, and
// what happens to the stream meanwhile.
import { assertOneStream, judge, makeClip } from './media.mjs';
import { RATE, curl, lacksBrowser, playInBrowser, players }
	from './players.mjs';
import { Sluice, config, stream } from './sluice.mjs';
import { Timing } from './timing.mjs';
import { sleep, tempDir, waitUntil } from './util.mjs';

const PORT = 8100;
const TS = `http://127.0.0.1:${PORT}/a`;
const HLS = `http://127.0.0.1:${PORT}/a.m3u8`;
// With this a player that is late still finds its next segment.
export const LONG_WINDOW = '#duration=2&quantity=30';
// A player of a file gets the pictures that were sent before it came, and one
// of segments the last part when it is complete.
const MARGIN_S = 4;
const PIDS = 2;

// window: the options of the HLS output; none for the default window.
export async function begin(t, window = '') {
	const dir = tempDir(t);

	for (const [name, tone] of [['a', 440], ['b', 880]])
		await makeClip(dir, name, { pictures: ['-c:v', 'libx264'],
			tone });
	const sluice = await Sluice.start(t, config(stream('a',
		[`file://${dir}/a.ts#loop`, `file://${dir}/b.ts#loop`],
		[TS, `${HLS}${window}`], { backup_type: 'passive' })));

	await sluice.onair('a');
	return sluice;
}

async function switchInput(sluice) {
	const { active_input: now } = await sluice.status('a');

	await sluice.cmd('set-stream-input', { id: 'a',
		input: now === 1 ? 2 : 1 });
}

// The pictures and the sound that are being sent are cut.
async function kill(sluice) {
	const { pid } = sluice.worker('stream', 'a');

	process.kill(pid, 'SIGKILL');
	await sluice.replaced('stream', 'a', pid);
}

async function restart(sluice) {
	const times = () => sluice.log.match(/restarting/g)?.length ?? 0;
	const before = times();

	await sluice.cmd('restart');
	await waitUntil('the restart', () => times() > before);
	await sluice.ready();
}

const disturbances = [switchInput, kill, restart];

// What a player reports of the picture and the sound that a killed process has
// cut, until it has recovered: two lines for each frame of a PES packet.
const LINES_PER_KILL = 100;

// The faults of a finding, after so many kills; those of its times are not
// among them.
export const faultsOf = ({ errors, damaged = [] }, kills) => [...errors,
	...damaged.length > kills * LINES_PER_KILL ? damaged : []];

// The timing stops with it, while players still run.
async function watchByCurl(t, seconds, counts, timing) {
	const file = await curl(t, TS, seconds);

	timing.stop();
	const found = await judge(file);
	const cut = found.cutShort - counts.kills * PIDS;

	try {
		assertOneStream({ ...found, cutShort: Math.max(cut, 0) },
			{ pauses: counts.all });
	} catch (error) {
		return [{ name: 'curl', errors: [error.message] }];
	}
	return [{ name: 'curl', errors: [] }];
}

// A browser without a processor skips pictures, half of them at most.  It plays
// longer than the others, and has a timing of its own.
async function watchInBrowser(t, seconds) {
	const timing = new Timing(t);
	const found = await playInBrowser(t, { hls: HLS, ts: TS }, seconds,
		timing);

	return found.map((seen) => ({ ...seen, timing, times: [...seen.times,
		...seen.pictures < seconds * RATE / 2 ?
			[`${seen.pictures} pictures in ${seconds} s`] : []] }));
}

async function watchBy(t, name, url, seconds) {
	const seen = await players[name].play(t, url, seconds);
	const least = (seconds - MARGIN_S) * RATE;
	const { times = [] } = seen;

	// what a late player skips it does not show
	return [{ name: `${name} ${url === HLS ? 'HLS' : 'TS'}`, ...seen,
		times: [...times, ...seen.pictures < least ?
			[`${seen.pictures} pictures of ${least}`] : []] }];
}

// Plays with all of them for so long, a disturbance at a time: the findings of
// each, the machine meanwhile, and the reasons why others did not play.
export async function playAll(t, sluice, { seconds, everyS, browser = true,
	only = Object.keys(players) }) {
	const names = only.filter((name) => !players[name].lacks);
	const missing = only.map((name) => players[name].lacks);
	const skipped = browser && lacksBrowser();
	const counts = { all: 0, kills: 0 };
	const timing = new Timing(t);
	let over = false;
	const all = Promise.all([
		watchByCurl(t, seconds, counts, timing),
		...names.flatMap((name) => [TS, HLS].map((url) =>
			watchBy(t, name, url, seconds))),
		...browser && !skipped ? [watchInBrowser(t, seconds)] : []]);
	const disturb = async () => {
		while (!over)
			for (const what of disturbances) {
				await sleep(everyS * 1000);
				if (over)
					return;
				counts.all++;
				counts.kills += what === kill;
				await what(sluice);
			}
	};
	const disturbed = disturb();
	const found = await all.finally(() => { over = true; });

	await disturbed;
	return { found: found.flat().map((seen) => ({ timing, ...seen })),
		happened: counts.all, kills: counts.kills,
		missing: [...missing, skipped].filter(Boolean) };
}
