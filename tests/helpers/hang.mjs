// SPDX-License-Identifier: GPL-3.0-or-later
// A file system that stops answering on request, as a lost server behind a
// network mount does.
import fs from 'node:fs';
import path from 'node:path';
import { builddir, run, start, tempDir, waitUntil } from './util.mjs';

// A folder with one file that can stop answering; null where mounting is
// forbidden.
export async function hangingFolder(t, content) {
	let folder;
	// before the folder goes
	t.after(() => run('umount', ['-l', folder]));
	const dir = tempDir(t);
	const [clip, sign] = ['clip', 'sign'].map((name) =>
		path.join(dir, name));

	folder = path.join(dir, 'mnt');
	fs.mkdirSync(folder);
	fs.writeFileSync(clip, content);
	const child = start(t, path.join(builddir, 'tests/helpers/hang-fs'),
		[folder, clip, sign], { stdio: ['pipe', 'pipe', 'pipe'] });
	await waitUntil('a mount', () => child.text.out !== '' ||
		child.exitCode !== null);
	if (child.text.out !== 'ready\n') {
		t.skip(`no mount: ${child.text.out}`);
		return null;
	}
	return {
		file: path.join(folder, 'clip.ts'),
		hang: () => fs.writeFileSync(sign, ''),
		goOn: () => fs.rmSync(sign, { force: true }),
	};
}
