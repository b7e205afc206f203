// SPDX-License-Identifier: GPL-3.0-or-later
// http inputs: a hostile server cannot make the headend request addresses of
// the networks around it, and no other server receives its headers.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { waitUntil } from '../helpers/util.mjs';

const SOURCE = '127.0.0.1', INNER = '127.0.0.2', PORT = 7000;
const REFUSED = `the server redirects or links to ${INNER}, which is neither ` +
	'its own address nor public: follow=any allows it';

// A server; returns its requests.
async function serve(t, host, answer) {
	const seen = [];
	const server = http.createServer((request, reply) => {
		seen.push({ url: request.url, headers: request.headers });
		answer(request, reply);
	});

	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	await new Promise((done) => server.listen(PORT, host, done));
	return seen;
}

const media = (request, reply) => {
	reply.writeHead(200, { 'Content-Type': 'video/mp2t' });
	reply.end(new TsMux({ rate: 2e6 }).take(20000));
};
const playlist = (url) => ['#EXTM3U', '#EXT-X-VERSION:3',
	'#EXT-X-TARGETDURATION:15', '#EXTINF:15,', url, '#EXT-X-ENDLIST', '']
	.join('\n');

// What leads to the inner server: by path of the source.
const leads = {
	'/redirect': (reply) => reply.writeHead(302,
		{ Location: `http://${INNER}:${PORT}/redirect` }).end('moved'),
	'/twice': (reply) => reply.writeHead(302,
		{ Location: '/redirect' }).end(),
	'/segment.m3u8': (reply) => reply.end(
		playlist(`http://${INNER}:${PORT}/segment`)),
	'/variant.m3u8': (reply) => reply.end(['#EXTM3U',
		'#EXT-X-STREAM-INF:BANDWIDTH=1000000',
		`http://${INNER}:${PORT}/variant.m3u8`, ''].join('\n')),
	'/key.m3u8': (reply) => reply.end(playlist('seg.ts').replace('#EXTINF',
		'#EXT-X-KEY:METHOD=AES-128,' +
		`URI="http://${INNER}:${PORT}/key"\n#EXTINF`)),
};
const paths = Object.keys(leads);

async function servers(t) {
	const inner = await serve(t, INNER, media);
	const source = await serve(t, SOURCE, (request, reply) => {
		const lead = leads[request.url];

		if (lead)
			lead(reply);
		else
			media(request, reply);
	});

	return { inner, source };
}

const streams = (options) => config(...paths.map((path, i) => stream(`a${i}`,
	`http://${SOURCE}:${PORT}${path}#header.X-Api-Key=mine${options}`,
	`udp://127.0.0.1:${6000 + i}`)));

test('what a source leads to is its own or public', async (t) => {
	const { inner } = await servers(t);
	const sluice = await Sluice.start(t, streams(''));

	for (const i of paths.keys())
		await sluice.waitStatus(`a${i}`, paths[i], (s) =>
			s.inputs[0].error?.includes(REFUSED), 20000);
	assert.deepEqual(inner, []);
	await sluice.stop();
});

test('follow=any allows it, without the headers of the source', async (t) => {
	const { inner, source } = await servers(t);
	const sluice = await Sluice.start(t, streams('&follow=any'));

	for (const url of ['/redirect', '/segment', '/variant.m3u8', '/key'])
		await waitUntil(`a request of ${url}`, () =>
			inner.some((request) => request.url === url), 20000);
	for (const { url, headers } of inner)
		assert.equal(headers['x-api-key'], undefined, url);
	for (const { url, headers } of source)
		assert.equal(headers['x-api-key'], 'mine', url);
	await sluice.stop();
});
