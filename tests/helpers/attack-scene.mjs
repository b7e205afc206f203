// SPDX-License-Identifier: GPL-3.0-or-later
// A service with every kind of port for viewers, good clients that notice each
// fault, and bad ones in processes of their own.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import process from 'node:process';
import { Viewer } from './media.mjs';
import { TsMux } from './mux.mjs';
import { Sluice, config, stream } from './sluice.mjs';
import { certificate, settingsOf } from './tls.mjs';
import { checkTs } from './ts.mjs';
import { Sender } from './udp.mjs';
import { now, sleep, srcdir, start, tempDir, udpBound, waitUntil }
	from './util.mjs';

// The port of outputs by http and https, and the play port.
export const PORT = 8100, PLAY = 8200;
export const PLAYLIST = '/live.m3u8';

export const rssKib = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(
	fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);

export async function begin(t) {
	const cert = await certificate(tempDir(t), 'headend.example');
	const sluice = await Sluice.start(t, {
		settings: { ...settingsOf(cert), http_play_port: PLAY,
			http_play_stream: true, http_play_hls: true },
		...config(stream('a', 'udp://127.0.0.1:5000', [
			`http://127.0.0.1:${PORT}/a`,
			`https://127.0.0.1:${PORT}/s`,
			`http://127.0.0.1:${PORT}${PLAYLIST}#duration=1`,
			`https://127.0.0.1:${PORT}/s/live.m3u8#duration=1`
		])) });

	await waitUntil('the input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 1e6 }), 5000);
	await sluice.onair('a');
	return { sluice, cert };
}

// The segments of a playlist: { uri, joins: it continues the one before }.
function listed(playlist) {
	const found = [];
	let joins = true;

	for (const line of playlist.split('\n'))
		if (line === '#EXT-X-DISCONTINUITY') {
			joins = false;
		} else if (line.startsWith('live/')) {
			found.push({ uri: line, joins });
			joins = true;
		}
	return found;
}

// A playlist has four segments of a second: who asks for it again later than
// this may miss one.
const LISTED_MS = 3000;

// A good client of HLS: gets each segment once, in order.
class Follower {
	parts = [[]]; // segments that continue each other
	faults = [];

	// under: the folder of the playlist
	static start(t, ask, under = '') {
		const self = new Follower();

		t.after(() => { self.ended = true; });
		self.done = self.#follow((target) => ask(under + target));
		return self;
	}

	async #follow(ask) {
		let next, before = now();

		while (!this.ended) {
			const { status, body } = await ask(PLAYLIST);
			const late = now() - before > LISTED_MS;

			before = now();
			const first = Number(
				/MEDIA-SEQUENCE:(\d+)/.exec(body)?.[1]);

			if (status !== 200)
				this.faults.push(`playlist: ${status}`);
			for (const [i, { uri, joins }] of
				listed(body).entries()) {
				if (first + i < (next ?? 0))
					continue;
				const misses = next !== undefined &&
					first + i > next;

				if (misses && !late)
					this.faults.push(`no ${next}`);
				const reply = await ask(`/${uri}`);

				if (reply.status !== 200)
					this.faults.push(
						`${uri}: ${reply.status}`);
				if (!joins || misses)
					this.parts.push([]);
				this.parts.at(-1).push(reply.data);
				next = first + i + 1;
			}
			await sleep(200);
		}
	}

	async stop() {
		this.ended = true;
		await this.done;
		for (const part of this.parts) {
			const { ccErrors, syncErrors } =
				checkTs(Buffer.concat(part));

			if (ccErrors + syncErrors > 0)
				this.faults.push(
					`${ccErrors} continuity errors`);
		}
		const n = this.parts.flat().length;

		if (n < 3)
			this.faults.push(`${n} segments`);
		return this.faults;
	}
}

const fetched = (module, options) => (target) => new Promise((done, fail) =>
	module.get({ host: '127.0.0.1', port: PORT, path: target,
		agent: false, ...options }, (reply) => {
		const parts = [];

		reply.on('data', (part) => parts.push(part));
		reply.on('error', fail);
		reply.on('end', () => {
			const data = Buffer.concat(parts);

			done({ status: reply.statusCode, data,
				body: data.toString('latin1') });
		});
	}).on('error', fail));

// Asks for the version all the time; the longest answer.
class Prober {
	longest = 0;
	n = 0;

	static start(t, sluice) {
		const self = new Prober();

		t.after(() => { self.ended = true; });
		self.done = (async () => {
			while (!self.ended) {
				const asked = now();

				await sluice.cmd('version');
				self.longest = Math.max(self.longest,
					now() - asked);
				self.n++;
				await sleep(100);
			}
		})();
		return self;
	}

	async stop() {
		this.ended = true;
		await this.done;
		assert.ok(this.n > 0);
		return this.longest;
	}
}

function faultsOf(viewer) {
	const { ccErrors, syncErrors } = checkTs(viewer.data().subarray(0,
		viewer.bytes - viewer.bytes % 188));

	return [...viewer.ended ? ['a viewer was disconnected'] : [],
		...ccErrors + syncErrors > 0 ?
			[`${ccErrors} continuity errors of a viewer`] : []];
}

// The good clients beside the bad ones.  Returns a function that stops them:
// their faults, the milliseconds of the longest answer to a command, and the
// pauses that their playlists announce or that they make.
export async function watch(t, { sluice, cert }) {
	const viewers = [await Viewer.open(t, PORT, '/a'),
		await Viewer.open(t, PORT, '/s', { ca: cert.pem }),
		await Viewer.open(t, PLAY, '/play/a')];
	const followers = [Follower.start(t, fetched(http, {})),
		Follower.start(t, fetched(https, { ca: cert.pem }), '/s')];
	const prober = Prober.start(t, sluice);

	assert.ok(viewers.every(({ status }) => status === 200));
	return async () => {
		const at = viewers.map(({ bytes }) => bytes);

		await waitUntil('more', () => viewers.every(
			({ bytes, ended }, i) => ended ||
			bytes > at[i] + 50000));
		const faults = viewers.flatMap(faultsOf);

		viewers.forEach((viewer) => viewer.close());
		for (const follower of followers)
			faults.push(...await follower.stop());
		return { faults, longest: await prober.stop(),
			// where the source or a follower was held up
			pauses: followers.reduce((n, { parts }) =>
				n + parts.length - 1, 0) };
	};
}

// Runs an attack in a process of its own until end(); its findings.
export async function attack(t, name, options) {
	const child = start(t, process.execPath, [path.join(srcdir,
		'tests/helpers/bad-clients.mjs'), name,
	JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'pipe'] });

	child.stdin.on('error', () => {});
	await waitUntil(name, () => {
		assert.equal(child.exitCode, null, child.text.err);
		return child.text.out.startsWith('ready');
	}, 60000);
	return async () => {
		child.stdin.end();
		const { out, err } = await child.ended;

		assert.equal(err, '');
		return JSON.parse(out.split('\n')[1]);
	};
}
