// SPDX-License-Identifier: GPL-3.0-or-later
// epg_export: the guide as a file and by POST, and what happens when a folder
// or a server is away.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { tempDir, waitUntil } from '../helpers/util.mjs';
import { judge } from '../helpers/xmltv.mjs';

const SERVER = 8200;
const BEGIN = Math.floor(Date.now() / 1000) - 600;
const date = (time) => `${new Date(time * 1000).toISOString()
	.replace(/[-:T]/g, '').slice(0, 14)} +0000`;

// A guide of one programme, from a file of XMLTV.
function guided(dir, title, ...exports) {
	const file = `${dir}/source.xml`;

	fs.writeFileSync(`${file}.new`, `<tv><programme channel="one.tv"
		start="${date(BEGIN)}" stop="${date(BEGIN + 7200)}"
		><title lang="en">${title}</title></programme></tv>`);
	fs.renameSync(`${file}.new`, file);
	return { ...config({ ...stream('a001', 'udp://127.0.0.1:5000',
		'udp://127.0.0.1:6000'), xmltv_id: 'one.tv' }),
	settings: { epg_days: 3, epg_export: exports,
		epg_sources: [`file://${file}#interval=1`] } };
}

const alarms = async (sluice) => (await sluice.json('/api/system-status'))
	.raised.filter(({ alarm }) => alarm === 'epg')
	.map(({ subject, reason }) => `${subject} ${reason}`);
const alarmed = (sluice, ...patterns) => waitUntil('the alarms', async () => {
	const list = await alarms(sluice);

	if (list.length !== patterns.length ||
		!patterns.every((p, i) => p.test(list[i])))
		throw new Error(JSON.stringify(list));
	return true;
}, 20000);

const titles = (document) => JSON.parse(document).programmes
	.map(({ channel, texts }) => `${channel} ${texts[0].title}`).join();

test('files are replaced whole, and the folder may be away', async (t) => {
	const dir = tempDir(t), out = `${dir}/www`;
	const xml = `${out}/tv.xml`, json = `${out}/tv.json.gz`;

	fs.mkdirSync(out);
	const sluice = await Sluice.start(t, guided(dir, 'One',
		`file://${xml}#interval=1`,
		`file://${json}#format=json&gzip&interval=1`));
	const written = (title) => waitUntil(title, () => titles(zlib
		.gunzipSync(fs.readFileSync(json))) === `one.tv ${title}` &&
		fs.readFileSync(xml, 'utf8').includes(title), 30000);

	await written('One');
	assert.equal(fs.statSync(xml).mode & 0o777, 0o644);
	await judge(t, fs.readFileSync(xml));
	assert.deepEqual(JSON.parse(zlib.gunzipSync(fs.readFileSync(json)))
		.channels, [{ id: 'one.tv', name: 'Stream a001' }]);

	fs.renameSync(out, `${out}.away`);
	await alarmed(sluice, /^epg_export\[0\] epg_export\[0\]: .*tv\.xml/,
		/^epg_export\[1\] .*tv\.json\.gz.*: No such file or/);
	guided(dir, 'Two');
	fs.mkdirSync(out);
	await written('Two');
	await alarmed(sluice);
	// between two exports there is nothing else
	await waitUntil('no other file', () => fs.readdirSync(out).sort()
		.join() === 'tv.json.gz,tv.xml');
	await sluice.stop();
});

// A server whose answer the test changes; it wants a login first.
async function serve(t) {
	const server = { status: 200, methods: [], bodies: [], headers: [] };
	const s = http.createServer(async (request, response) => {
		const { authorization } = request.headers, parts = [];

		for await (const part of request)
			parts.push(part);
		// u:secret
		if (authorization !== 'Basic dTpzZWNyZXQ=') {
			response.writeHead(401,
				{ 'WWW-Authenticate': 'Basic realm="x"' });
			response.end();
			return;
		}
		server.methods.push(request.method);
		server.bodies.push(Buffer.concat(parts));
		server.headers.push(request.headers);
		response.writeHead(server.status, server.status === 302
			? { location: '/other' } : {});
		response.end('x');
	});

	s.listen(SERVER, '127.0.0.1');
	await once(s, 'listening');
	t.after(() => s.close());
	t.after(() => s.closeAllConnections?.());
	return server;
}

test('a server gets the guide by POST, again after a failure', async (t) => {
	const server = await serve(t);
	const dir = tempDir(t);
	const url = `http://u:secret@127.0.0.1:${SERVER}/g`;
	const sluice = await Sluice.start(t, guided(dir, 'One',
		`${url}#format=json&gzip&interval=1`));

	await waitUntil('a post', () => server.bodies.length > 0);
	assert.equal(titles(zlib.gunzipSync(server.bodies[0])), 'one.tv One');
	assert.equal(server.headers[0]['content-type'], 'application/json');
	assert.equal(server.headers[0]['content-encoding'], 'gzip');
	for (const status of [500, 302]) {
		server.status = status;
		await alarmed(sluice, new RegExp('^epg_export\\[0\\] ' +
			`.*: the server answers ${status}$`));
	}
	assert.ok(server.methods.every((method) => method === 'POST'));
	server.status = 200;
	await alarmed(sluice);
	// a worker that ends in a post
	const n = server.bodies.length;
	process.kill(sluice.worker('epg').pid, 'SIGKILL');
	await waitUntil('the next one', () => server.bodies.length > n, 20000);
	assert.doesNotMatch(sluice.log, /secret/);
	await sluice.stop();
});

test('a file that the service may not write is refused', async (t) => {
	const dir = tempDir(t);
	const sluice = await Sluice.start(t, guided(dir, 'One',
		`file://${dir}/tv.xml`));
	const set = async (...list) => (await sluice.post({
		cmd: 'set-settings',
		settings: { epg_days: 1, epg_export: list } }));
	const { body } = await set(`file://${dir}/a.xml`,
		'file:///etc/cron.d/tv');

	assert.match(body, /settings\.epg_export\[1\]: .* is in no folder/);
	for (const [address, error] of [
		['udp://127.0.0.1:5000', /epg_export\[0\]: type: .* none of/],
		['http://h/x#format=csv', /format: .*csv.* is not xmltv or j/],
		['http://h/x#follow=any', /option .*follow.* is not known/]])
		assert.match((await set(address)).body, error);
	await sluice.stop();
});
