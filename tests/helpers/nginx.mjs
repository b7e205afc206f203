// SPDX-License-Identifier: GPL-3.0-or-later
// nginx as a server of playlists and segments.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { start, waitUntil } from './util.mjs';

// Serves with these directives of each context; its files are in dir.
export async function startNginx(t, dir, { main, events = '', http, server }) {
	const conf = path.join(dir, 'nginx.conf');

	fs.writeFileSync(conf, `
		daemon off;
		pid ${dir}/pid;
		${main}
		events { ${events} }
		http {
			client_body_temp_path ${dir}/t1;
			proxy_temp_path ${dir}/t2;
			fastcgi_temp_path ${dir}/t3;
			uwsgi_temp_path ${dir}/t4;
			scgi_temp_path ${dir}/t5;
			types {
				application/vnd.apple.mpegurl m3u8;
				video/mp2t ts;
			}
			${http}
			server {
				root ${dir};
				${server}
			}
		}`);
	const nginx = start(t, 'nginx', ['-p', dir, '-c', conf], {
		env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
	});

	// its worker would outlive SIGKILL
	t.after(() => {
		nginx.kill('SIGTERM');
		return nginx.ended;
	});
	await waitUntil('nginx', () => {
		assert.equal(nginx.exitCode, null, nginx.text.err);
		return fs.existsSync(path.join(dir, 'pid'));
	});
	return nginx;
}
