// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of other projects, as a test starts them.
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { config, stream } from './sluice.mjs';
import { builddir, start, tempDir } from './util.mjs';

// Why a test is skipped: false when all of these are installed, programs by
// their names and elements of GStreamer as gst:NAME.
export function lacks(...wanted) {
	const missing = wanted.filter((name) => {
		const [, element] = /^gst:(.*)/.exec(name) ?? [];

		try {
			execFileSync(...element ?
				['gst-inspect-1.0', ['--exists', element]] :
				['which', [name]], { stdio: 'ignore' });
			return false;
		} catch {
			return true;
		}
	});

	return missing.length ? `not installed: ${missing.join(', ')}` : false;
}

// VLC does not want to be root, and a chroot has no user namespaces.
export const lacksUser = () =>
	spawnSync('unshare', ['-U', 'true']).status !== 0 &&
	'may not make a user namespace';

export function vlc(t, ...args) {
	const dir = tempDir(t);

	return start(t, 'unshare', ['-U', '--map-user=1000',
		'--map-group=1000', 'cvlc', '-I', 'dummy', ...args],
	{ env: { ...process.env, HOME: dir, XDG_RUNTIME_DIR: dir } });
}

// Its list of plugins takes a second to make: all tests have one.
export function gstreamer(t, ...args) {
	return start(t, 'gst-launch-1.0', ['-q', ...args.join(' ').split(' ')],
		{ env: { ...process.env, GST_DEBUG: '2', HOME: tempDir(t),
			GST_REGISTRY: path.join(builddir,
				'tests/gst-registry.bin') } });
}

// One stream is sent to each receiver, and to each sender (by UDP), which sends
// it to an input of ours.
export const peersConfig = (senders, receivers) => config(
	stream('from', 'udp://127.0.0.1:5000', [
		...receivers.map(({ output }) => output),
		...senders.map((_, i) => `udp://127.0.0.1:${5100 + i}`)
	]),
	...senders.map(({ input }, i) => stream(`in${i}`, input,
		`udp://127.0.0.1:${6000 + i}`)));
