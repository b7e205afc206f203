// SPDX-License-Identifier: GPL-3.0-or-later
// page: the control port serves the web interface, to everybody and nothing
// else.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { exchange } from '../helpers/http-raw.mjs';
import { Sluice, config, request } from '../helpers/sluice.mjs';
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
