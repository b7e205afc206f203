// SPDX-License-Identifier: GPL-3.0-or-later
// The processor time of a page.  On a busy machine its promises hold in this
// time, and those in wall time cannot be judged.
import fs from 'node:fs';
import { family } from './timing.mjs';

function read(file) {
	try {
		return fs.readFileSync(file, 'latin1');
	} catch {
		return ''; // it has ended
	}
}

// The processes that run the pages of this test's browser.
const renderers = () => family().filter((pid) =>
	read(`/proc/${pid}/cmdline`).includes('--type=renderer'));

const msOf = (pid, tid) => Number(read(`/proc/${pid}/task/${tid}/schedstat`)
	.split(' ')[0]) / 1e6;

function threads(pid) {
	try {
		return fs.readdirSync(`/proc/${pid}/task`);
	} catch {
		return [];
	}
}

// ms so far: of the threads that run the scripts, and of all.
export function pageMs() {
	const pids = renderers();

	return { main: pids.reduce((sum, pid) => sum + msOf(pid, pid), 0),
		all: pids.flatMap((pid) => threads(pid).map((tid) =>
			msOf(pid, tid))).reduce((sum, ms) => sum + ms, 0) };
}

// The ms of the main threads that the action takes.
export async function costMs(action) {
	const before = pageMs();

	await action();
	return pageMs().main - before.main;
}

// The value that the share of the list does not exceed.
export const quantile = (list, share) => [...list].sort((a, b) => a - b)[
	Math.ceil(list.length * share) - 1];
