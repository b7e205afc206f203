// SPDX-License-Identifier: GPL-3.0-or-later
// epg_sources: XMLTV from a server and from a file into the guide, and what
// happens when a source fails, lies or goes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { PROGRAM, TsMux, eitSection } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const HOUR_S = 3600;
const SERVER = 8200;
const NOW = Math.floor(Date.now() / 1000);
const BEGIN = NOW - NOW % 60 - HOUR_S / 2;

const date = (time) => `${new Date(time * 1000).toISOString()
	.replace(/[-:T]/g, '').slice(0, 14)} +0000`;
const from = (channel, begin, title, more = '') =>
	`<programme channel="${channel}" start="${date(begin)}"` +
	` stop="${date(begin + HOUR_S)}"><title lang="en">${title}` +
	`</title>${more}</programme>\n`;
const programme = (channel, i, title, more) =>
	from(channel, BEGIN + i * HOUR_S, title, more);
const document = (...programmes) => '<?xml version="1.0"?>\n' +
	'<!DOCTYPE tv SYSTEM "xmltv.dtd">\n' +
	`<tv>\n${programmes.join('')}</tv>\n`;

const guided = (...sources) => ({ ...config({ ...stream('a001',
	'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000'),
xmltv_id: 'one.tv' }), settings: { epg_days: 3, epg_sources: sources } });

// The titles of the stream.
const titled = (sluice, what, ...titles) => waitUntil(what, async () => {
	const reply = await sluice.get('/api/stream-epg/a001');
	const [service] = reply.status === 200
		? JSON.parse(reply.body).services : [];
	const have = service?.events.map((e) => e.texts[0].title).join();

	if (have !== titles.join())
		throw new Error(reply.body);
	return service;
}, 20000);

const alarmed = (sluice, pattern) => waitUntil('the alarm', async () => {
	const { raised } = await sluice.json('/api/system-status');
	const one = raised.find(({ alarm }) => alarm === 'epg');

	if (pattern === null ? one : !pattern.test(one?.reason))
		throw new Error(JSON.stringify(raised));
	return true;
}, 20000);

// A server whose answer the test changes.
async function serve(t) {
	const source = { status: 200, body: document() };
	const server = http.createServer((request_, response) => {
		const { authorization } = request_.headers;

		// u:secret
		response.writeHead(authorization === 'Basic dTpzZWNyZXQ='
			? source.status : 401,
		{ 'WWW-Authenticate': 'Basic realm="x"' });
		response.end(source.body);
	});

	server.listen(SERVER, '127.0.0.1');
	await once(server, 'listening');
	t.after(() => server.close());
	t.after(() => server.closeAllConnections?.());
	return source;
}

test('the guide of a server, and its last good one while it fails',
	async (t) => {
		const source = await serve(t);
		const dir = tempDir(t);
		const settings = guided(
			`http://u:secret@127.0.0.1:${SERVER}/tv.gz#interval=1`);

		source.body = zlib.gzipSync(document(
			programme('one.tv', 0, 'One', '<desc>text</desc>'),
			programme('one.tv', 1, 'Two'),
			programme('other', 0, 'Not wanted')));
		let sluice = await Sluice.start(t, settings, { dir });
		// before the stream has a packet
		const early = await titled(sluice, 'the guide', 'One', 'Two');
		assert.equal(early.pnr, 0);
		assert.equal(early.now.imported, true);
		await waitUntil('input', () => udpBound(5000));
		const mux = new TsMux();
		// the source counts, not the EIT
		mux.more = [[0x12, eitSection(PROGRAM.pnr, [{ id: 1,
			start: BEGIN, minutes: 30, title: 'Not read' }])]];
		await Sender.start(t, mux, 5000);
		await waitUntil('its service', async () => {
			const { pnr } = await titled(sluice, 'the guide', 'One',
				'Two');

			return pnr > 0;
		});
		source.body = document('<programme>').replace('</tv>', '&x;');
		await alarmed(sluice, /^epg_sources\[0\]: line 4: /);
		await titled(sluice, 'the old guide', 'One', 'Two');
		await sluice.stop();

		// the saved guide, while the server has an error
		source.status = 500;
		sluice = await Sluice.start(t, settings, { dir });
		await alarmed(sluice,
			/^epg_sources\[0\]: the server answers 500/);
		await titled(sluice, 'the saved guide', 'One', 'Two');
		const { pid } = sluice.worker('epg');
		source.status = 200;
		source.body = document(programme('one.tv', 0, 'New'));
		process.kill(pid, 'SIGKILL');
		await titled(sluice, 'the next guide', 'New');
		await alarmed(sluice, null);
		assert.doesNotMatch(sluice.log, /secret/);
		await sluice.stop();
	});

test('each source that fails has an alarm of its own', async (t) => {
	const dir = tempDir(t);
	const [a, b] = [`${dir}/a.xml`, `${dir}/b.xml`];
	const write = (file, channel) => fs.writeFileSync(file,
		document(programme(channel, 0, channel)));

	write(b, 'one.tv');
	const sluice = await Sluice.start(t, guided(
		`file://${a}#interval=1`, `file://${b}#interval=1`));
	const raised = (...expected) => waitUntil('the alarms', async () => {
		const list = (await sluice.json('/api/system-status')).raised
			.filter(({ alarm }) => alarm === 'epg');

		if (list.map(({ subject }) => subject).join() !==
			expected.map((i) => `epg_sources[${i}]`).join())
			throw new Error(JSON.stringify(list));
		return list;
	}, 20000);
	const [first] = await raised(0);

	assert.match(first.reason, /^epg_sources\[0\]: .*a\.xml: No such/);
	// begins are whole seconds
	await waitUntil('another second', () =>
		Math.floor(Date.now() / 1000) > first.since);
	fs.unlinkSync(b);
	const [, second] = await raised(0, 1);
	assert.match(second.reason, /^epg_sources\[1\]: .*b\.xml: No such/);
	assert.ok(second.since > first.since, JSON.stringify([first, second]));
	write(a, 'one.tv');
	assert.equal((await raised(1))[0].since, second.since);
	await sluice.stop();
});

test('a file is read again when it changes, and a channel has a new id',
	async (t) => {
		const file = `${tempDir(t)}/tv.xml`;
		const write = (...programmes) => {
			fs.writeFileSync(`${file}.new`,
				document(...programmes));
			fs.renameSync(`${file}.new`, file);
		};

		write(programme('one.tv', 0, 'One'),
			programme('two.tv', 0, 'Two'));
		const sluice = await Sluice.start(t,
			guided(`file://${file}#interval=1`));
		await titled(sluice, 'the guide', 'One');
		const edited = (await sluice.cmd('load')).make_stream[0];
		await sluice.cmd('set-stream', { id: 'a001',
			stream: { ...edited, xmltv_id: 'two.tv' } });
		await titled(sluice, 'the other channel', 'Two');
		// gone for a while
		fs.renameSync(file, `${file}.new`);
		await alarmed(sluice, /tv\.xml: No such file or dir/);
		fs.renameSync(`${file}.new`, file);
		await alarmed(sluice, null);
		write(programme('one.tv', 0, 'Wrong'),
			programme('two.tv', 0, 'Other', '<icon src="x"/>'));
		await titled(sluice, 'the file', 'Other');
		write(programme('three.tv', 0, 'Third'));
		await alarmed(sluice, /no channel .* set xmltv_id/);
		fs.unlinkSync(file);
		await alarmed(sluice, /tv\.xml: No such file or dir/);
		await titled(sluice, 'the old guide', 'Other');
		await sluice.stop();
	});

test('a file that stays the same fills the days of the guide', async (t) => {
	const file = `${tempDir(t)}/tv.xml`;
	const settings = guided(`file://${file}#interval=1`);

	settings.settings.epg_days = 1;
	fs.writeFileSync(file, document(programme('one.tv', 0, 'One'),
		from('one.tv', Math.floor(Date.now() / 1000) + 86400 + 15,
			'Tomorrow')));
	const sluice = await Sluice.start(t, settings);

	await titled(sluice, 'the guide', 'One');
	await titled(sluice, 'its next day', 'One', 'Tomorrow');
	await sluice.stop();
});

test('an address of a source is judged', async (t) => {
	const sluice = await Sluice.start(t, guided());
	const set = async (...list) => (await sluice.post({
		cmd: 'set-settings',
		settings: { epg_days: 1, epg_sources: list } })).body;

	for (const [address, error] of [
		['udp://127.0.0.1:5000', /type: .* is none of file, http/],
		['file://tv.xml', /does not begin with '\/'/],
		['http://h/x#interval=0', /interval: 0 is not between 1 and/],
		['http://h/x#loop', /option .*loop.* is not known/]])
		assert.match(await set('http://h/a', address), error);
	assert.match(await set('udp://h:1'), /settings\.epg_sources\[0\]/);
	assert.match(await set(...Array(9).fill('http://h/x')),
		/epg_sources/);
	await sluice.stop();
});
