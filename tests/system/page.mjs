// SPDX-License-Identifier: GPL-3.0-or-later
// page: the control port serves the web interface, to everybody and nothing
// else.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { basic, checked, cookie, done, enter, startGuarded }
	from '../helpers/auth.mjs';
import { exchange } from '../helpers/http-raw.mjs';
import { Sluice, config, request, stream } from '../helpers/sluice.mjs';
import { builddir, tempDir, waitUntil } from '../helpers/util.mjs';

const tree = path.join(builddir, 'web/tree');

// As it is sent: { status, headers, body }, the body as bytes.
async function raw(port, target, headers = {}) {
	const reply = await fetch(`http://127.0.0.1:${port}${target}`,
		{ headers, redirect: 'manual' });

	return { status: reply.status, type: reply.headers.get('content-type'),
		headers: reply.headers,
		body: Buffer.from(await reply.arrayBuffer()) };
}

function hashOf(page) {
	return /web\/([0-9a-f]{16})\//.exec(page)?.[1];
}

test('the page is for everybody, with its policy, and is asked for again',
	async (t) => {
	const sluice = await Sluice.start(t, config(), { auth: true });
	const page = await sluice.get('/');

	assert.equal(page.status, 200);
	assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
	assert.equal(page.headers['cache-control'], 'no-cache');
	assert.equal(page.headers['x-content-type-options'], 'nosniff');
	const policy = page.headers['content-security-policy'];

	for (const part of ["default-src 'none'", "script-src 'self'",
		"frame-ancestors 'none'", "form-action 'none'",
		"base-uri 'none'", "require-trusted-types-for 'script'"])
		assert.ok(policy.split('; ').includes(part), part);
	assert.doesNotMatch(policy, /unsafe|\*|http/);
	const { etag } = page.headers;

	assert.match(etag, /^"[0-9a-f]{16}"$/);
	for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
		const again = await request(sluice.port, { path: '/',
			headers: { 'If-None-Match': tag } });

		assert.equal(again.status, 304, tag);
		assert.equal(again.body, '');
		assert.equal(again.headers.etag, etag);
	}
	assert.equal((await request(sluice.port, { path: '/', headers: {
		'If-None-Match': '"other"' } })).status, 200);
	const head = await request(sluice.port, { path: '/', method: 'HEAD' });

	assert.equal(head.status, 200);
	assert.equal(head.headers['content-length'],
		String(Buffer.byteLength(page.body)));
	assert.equal(head.body, '');
	await sluice.stop();
});

test('the page may connect to other headends for who is logged in',
	async (t) => {
	const server = (host, more) => ({ type: 'streamer', enable: true,
		host, port: 8000, user: 'u', pass: 'p', ...more });
	const { sluice, admin } = await startGuarded(t, { config: {
		servers: [server('berlin.example'), server('2001:db8::1'),
			server('off.example', { enable: false }),
			server("x; script-src *"), server('port.example',
				{ port: 0 })] } });
	const sources = async (headers) => /connect-src ([^;]*);/.exec(
		(await request(sluice.port, { path: '/', headers }))
			.headers['content-security-policy'])[1];

	assert.equal(await sources({}), "'self'");
	assert.equal(await sources(cookie('0'.repeat(64))), "'self'");
	assert.equal(await sources(admin), ["'self'",
		...['berlin.example', '[2001:db8::1]'].flatMap((host) =>
			['http', 'https', 'ws', 'wss'].map((scheme) =>
				`${scheme}://${host}:8000`))].join(' '));
	// a copy in the cache of the browser gets the present list
	const { headers } = await request(sluice.port, { path: '/', headers: {
		...admin, 'If-None-Match': '*' } });

	assert.match(headers['content-security-policy'], /berlin/);
	await sluice.stop();
});

test('pages of listed origins may ask, with a login and without a cookie',
	async (t) => {
	const listed = 'https://other.example:8443';
	const { sluice, admin } = await startGuarded(t, {
		users: { olga: { type: 1, password: 'look' } },
		config: { settings: { web_origins: [listed] } } });
	const from = (origin, more) => ({ 'Sec-Fetch-Site': 'cross-site',
		Origin: origin, ...more });
	const ask = (method, path, headers, body) => request(sluice.port,
		{ method, path, headers }, body);
	const preflight = (origin, path = '/control/') => ask('OPTIONS', path,
		from(origin, { 'Access-Control-Request-Method': 'POST',
			'Access-Control-Request-Headers': 'authorization' }));
	const version = '{"cmd":"version"}';
	const post = (origin, more) => ask('POST', '/control/',
		from(origin, more), version);

	for (const path of ['/control/', '/api/overview']) {
		const { status, headers } = await preflight(listed, path);

		assert.equal(status, 204);
		assert.equal(headers['access-control-allow-origin'], listed);
		assert.equal(headers['access-control-allow-headers'],
			'Authorization, Content-Type');
		assert.equal(headers['access-control-allow-credentials'],
			undefined);
	}
	for (const origin of ['https://evil.example', 'null',
		`${listed}.evil`, 'https://OTHER.example:8443']) {
		const { status, headers } = await preflight(origin);

		assert.equal(status, 403, origin);
		assert.equal(headers['access-control-allow-origin'],
			undefined);
		assert.equal((await post(origin, basic('olga', 'look')))
			.status, 403);
	}
	assert.equal((await preflight(listed, '/'))
		.headers['access-control-allow-origin'], undefined);
	const right = await checked(() => post(listed,
		basic('olga', 'look')));

	assert.equal(right.status, 200, right.body);
	assert.equal(right.headers['access-control-allow-origin'], listed);
	assert.equal(right.headers.vary, 'Origin');
	// the page can read why a request fails
	const wrong = await checked(() => post(listed, basic('olga', 'x')));

	assert.equal(wrong.status, 403);
	assert.equal(wrong.headers['access-control-allow-origin'], listed);
	// the cookie counts for the own page alone
	assert.equal((await post(listed, admin)).status, 403);
	assert.equal((await ask('GET', '/api/overview', from(listed, admin)))
		.status, 403);
	assert.equal((await ask('POST', '/control/', { ...admin,
		'Sec-Fetch-Site': 'same-origin', Origin: listed }, version))
		.status, 200);
	await sluice.stop();
});

test('web_origins are origins as browsers write them', async (t) => {
	const sluice = await Sluice.start(t, config());

	for (const origin of ['*', 'https://other.example/',
		'http://other.example:80']) {
		const { status, body } = await sluice.post({
			cmd: 'set-settings', dry_run: true,
			settings: { web_origins: [origin] } });

		assert.equal(status, 400);
		assert.match(JSON.parse(body).error,
			/^settings\.web_origins: ".*" is not an origin/);
	}
	await sluice.stop();
});

test('each file of the tree is there, plain and compressed, for ever',
	async (t) => {
	const sluice = await Sluice.start(t, config(), { auth: true });
	const hash = hashOf((await sluice.get('/')).body) ?? (await sluice
		.get('/')).headers.etag.slice(1, -1);
	const names = fs.readdirSync(tree, { recursive: true })
		.filter((name) => /\.\w+$/.test(name) && !name.endsWith('.gz'));

	assert.ok(names.length > 0);
	for (const name of names) {
		const target = `/web/${hash}/${name}`;
		const wanted = fs.readFileSync(path.join(tree, name));
		const plain = await request(sluice.port, { path: target });

		assert.equal(plain.status, 200, name);
		assert.equal(plain.body, wanted.toString(), name);
		assert.equal(plain.headers['content-encoding'], undefined);
		assert.equal(plain.headers['cache-control'],
			'public, max-age=31536000, immutable');
		assert.equal(plain.headers.vary, 'Accept-Encoding');
		const reply = await exchange(t, sluice.port, `GET ${target} ` +
			'HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n' +
			'Connection: close\r\n\r\n');

		assert.deepEqual(reply.replies, [200]);
		assert.match(reply.got, /^Content-Encoding: gzip\r$/m);
		const packed = await raw(sluice.port, target);

		assert.ok(packed.body.equals(wanted), name);
	}
	assert.ok(gunzipSync(fs.readFileSync(path.join(tree,
		`${names[0]}.gz`))).equals(fs.readFileSync(
		path.join(tree, names[0]))));
	await sluice.stop();
});

const STREAMS = 300; // their overview has more than 64 KiB

test('large replies are compressed for who accepts it, and are the same',
	async (t) => {
	const { sluice, admin } = await startGuarded(t, {
		users: { olga: { type: 2, password: 'look' } },
		config: config(...Array.from({ length: STREAMS }, (_, i) =>
			stream(`s${i}`, `udp://239.1.1.1:${i + 1}#x=secret`, [],
				{ enable: false, name: 'A stream' }))) });
	const olga = cookie(await enter(sluice, 'olga', 'look'));
	const ask = (path, headers) => request(sluice.port, path === 'load' ?
		{ method: 'POST', path: '/control/', headers } :
		{ path, headers }, path === 'load' ? '{"cmd":"load"}' : '');
	const packed = async (path, headers) => {
		const reply = await fetch(`http://127.0.0.1:${sluice.port}${
			path === 'load' ? '/control/' : path}`, { headers,
			...path === 'load' ? { method: 'POST',
				body: '{"cmd":"load"}' } : {} });

		assert.equal(reply.headers.get('content-encoding'), 'gzip',
			path);
		assert.equal(reply.headers.get('vary'), 'Accept-Encoding');
		return reply.json();
	};
	const compare = async (path, headers) => {
		const plain = await ask(path, headers);

		assert.equal(plain.status, 200, path);
		assert.equal(plain.headers['content-encoding'], undefined);
		assert.equal(plain.headers.vary, 'Accept-Encoding', path);
		assert.deepEqual(await packed(path, headers),
			JSON.parse(plain.body), path);
	};

	for (const path of ['load', '/api/config', '/api/forms'])
		await compare(path, admin);
	// her document is the file
	await waitUntil('the save', async () =>
		(await packed('load', olga)).users?.olga);
	await compare('load', olga);
	// two texts of the same overview differ in ages and figures
	const ids = ({ streams }) => streams.map(({ id }) => id);
	const over = await fetch(`http://127.0.0.1:${sluice.port}/api/overview`,
		{ headers: olga });

	assert.deepEqual(ids(await packed('/api/overview', olga)),
		ids(JSON.parse((await ask('/api/overview', admin)).body)));
	// what a page receives of each stream
	assert.equal(over.headers.get('content-encoding'), 'gzip');
	const each = (await over.text()).length / STREAMS;

	t.diagnostic(`${each.toFixed(1)} bytes a stream, ${(over.headers
		.get('content-length') / STREAMS).toFixed(1)} compressed`);
	assert.ok(each <= 300, `${each} bytes a stream`);
	// what an observer may see is a text of its own
	await done(sluice, { cmd: 'set-config', key: 'settings',
		data: { observer_redact: true } }, admin);
	await waitUntil('the save', async () =>
		(await packed('load', olga)).settings?.observer_redact);
	await compare('load', olga);
	const shown = JSON.stringify(await packed('load', olga));

	assert.ok(!shown.includes('secret'), shown.slice(0, 500));
	assert.ok(JSON.stringify(await packed('load', admin))
		.includes('secret'));
	// a small reply is not worth it
	const small = await fetch(`http://127.0.0.1:${sluice.port}/control/`,
		{ method: 'POST', headers: olga, body: '{"cmd":"whoami"}' });

	assert.equal(small.headers.get('content-encoding'), null);
	await sluice.stop();
});

test('no path leads elsewhere, and no method changes anything', async (t) => {
	const sluice = await Sluice.start(t, config(), { auth: true });
	const hash = (await sluice.get('/')).headers.etag.slice(1, -1);
	const status = async (target, method = 'GET', headers = '') => (await
	exchange(t, sluice.port, `${method} ${target} HTTP/1.1\r\nHost: x\r\n` +
		`${headers}Connection: close\r\n\r\n`)).replies[0];

	for (const target of [`/web/${hash}`, `/web/${hash}/`, '/web/', '/web',
		'/web/0000000000000000/headend/index.html',
		`/web/${hash}/headend`, `/web/${hash}/headend/`,
		`/web/${hash}/headend/index.html/`,
		`/web/${hash}/headend/index.html.gz`,
		`/web/${hash}/package.json`, `/web/${hash}/etc/passwd`,
		`/web/${'x'.repeat(4000)}/a.js`,
		`/web/${hash}/${'x/'.repeat(2000)}a.js`, '/index.html'])
		assert.ok([403, 404].includes(await status(target)), target);
	for (const target of [`/web/${hash}/../../etc/passwd`,
		`/web/${hash}/%2e%2e/%2e%2e/etc/passwd`,
		`/web/${hash}/..%2f..%2fetc/passwd`, `/web/${hash}/a%00.js`,
		`/web/${hash}/..\\..\\etc`])
		assert.equal(await status(target), 400, target);
	for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
		for (const target of ['/', `/web/${hash}/headend/index.html`])
			assert.equal(await status(target, method,
				'Content-Length: 0\r\n'), 403, method);
	// a body that is not read ends the connection
	assert.equal(await status('/', 'GET', 'Content-Length: 9000000\r\n'),
		413);
	assert.equal(await status('/', 'GET', 'Content-Length: 100000\r\n'),
		200);
	await sluice.stop();
});

test('the page follows control_path, with and without its slash',
	async (t) => {
	const sluice = await Sluice.start(t, { ...config(),
		settings: { control_path: 'north/side' } }, { wait: false });
	const page = await waitUntil('the page', () =>
		request(sluice.port, { path: '/north/side/' }));
	const hash = page.headers.etag.slice(1, -1);

	assert.equal(page.status, 200);
	assert.equal((await sluice.get(
		`/north/side/web/${hash}/headend/index.html`)).status, 200);
	const bare = await sluice.get('/north/side');

	assert.equal(bare.status, 308);
	assert.equal(new URL(bare.headers.location,
		'http://proxy/outer/north/side').pathname,
	'/outer/north/side/');
	for (const target of ['/', '/north', '/north/', `/web/${hash}/` +
		'headend/index.html', '/north/sidex', '/north/side/x'])
		assert.equal((await sluice.get(target)).status, 404, target);
	await sluice.stop();
});

test('--web-dir serves a folder instead, for who works on the page',
	async (t) => {
	const dir = tempDir(t), file = path.join(dir, 'headend/new.js');

	fs.mkdirSync(path.join(dir, 'headend'));
	fs.writeFileSync(file, 'one');
	fs.symlinkSync('/etc/passwd', path.join(dir, 'headend/out.js'));
	const sluice = await Sluice.start(t, config(),
		{ args: ['--web-dir', dir] });
	const get = (name) => sluice.get(`/web/any/${name}`);

	assert.equal((await get('headend/new.js')).body, 'one');
	fs.writeFileSync(file, 'two');
	const changed = await get('headend/new.js');

	assert.equal(changed.body, 'two');
	assert.equal(changed.headers['cache-control'], 'no-cache');
	assert.equal((await get('headend/out.js')).status, 404);
	const post = await request(sluice.port, { path: '/', method: 'POST' });

	assert.equal(post.status, 405);
	assert.equal(post.headers.allow, 'GET, HEAD');
	// what the folder lacks is that of the program
	assert.equal((await sluice.get('/')).status, 200);
	await sluice.stop();
});
