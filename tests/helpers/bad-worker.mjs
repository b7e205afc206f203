// SPDX-License-Identifier: GPL-3.0-or-later
// A worker that is a script instead of the program.
import fs from 'node:fs';
import path from 'node:path';
import { WORKER, config, stream } from './sluice.mjs';
import { builddir, srcdir, tempDir } from './util.mjs';

const catalogue = fs.readFileSync(path.join(srcdir, 'proto/ipc/msg.h'),
	'utf8');
const PROTO = 1000 * /MSG_FORMAT = (\d+)/.exec(catalogue)[1] +
	catalogue.match(/^\t(ROW|EMPTY)\(/gm).length;
const BUILD = /PACKAGE_VERSION "([^"]+)"/.exec(fs.readFileSync(
	path.join(builddir, 'config.h'), 'utf8'))[1];

// The first message of a valid worker; the build is not checked.
export const hello = (role = 'stream') => `say '${JSON.stringify({
	type: 'worker.hello', body: { proto: PROTO, build: BUILD, role } })}'`;
export const ready = `say '{"type":"worker.ready","body":{}}'`;

// The workers of the streams in scripts, "bad" and others, are scripts; all
// others are the real one.  $real is the real program, $dir is a folder for
// notes.
export function wrapper(t, scripts) {
	const dir = tempDir(t);
	const file = path.join(dir, 'sluice-worker');

	fs.writeFileSync(file, `#!/bin/bash
real='${WORKER}'
dir='${dir}'
case "$2" in
bad*) ;;
*) exec -a sluice-worker "$real" "$@" ;;
esac
echo "$(date +%s.%N)" >> "$dir/starts-$2"
say() { printf '%s' "$1" >&3; }
case "$2" in
${Object.entries(scripts).map(([id, script]) =>
	`${id})\n${script}\n;;`).join('\n')}
esac
`, { mode: 0o755 });
	return { file, starts: (id = 'bad') => {
		try {
			return fs.readFileSync(path.join(dir, `starts-${id}`),
				'utf8').trim().split('\n').map(Number);
		} catch {
			return [];
		}
	} };
}

export const both = (ids = ['bad']) => config(
	...ids.map((id, i) => stream(id, `udp://127.0.0.1:${5001 + i}`,
		`udp://127.0.0.1:${6001 + i}`)),
	stream('good', 'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000'));
