// SPDX-License-Identifier: GPL-3.0-or-later
// What the web interface is made of: its files, its types, and the packages of
// npm.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { builddir, run, srcdir, tempDir } from '../helpers/util.mjs';

const web = path.resolve(srcdir, 'web');
const modules = path.join(web, 'node_modules');
const tree = path.join(builddir, 'web/tree');
const read = (...names) => fs.readFileSync(path.join(...names), 'utf8');
const has = (...names) => fs.existsSync(path.join(...names));

const skip = !has(modules, 'typescript') &&
	'no packages of npm: npm --prefix web ci --ignore-scripts';
const without = !has(tree, 'headend/main.js') &&
	'this build has no web interface';

const parts = read(web, 'parts.list').split('\n')
	.filter((line) => line !== '' && !line.startsWith('#'))
	.map((line) => line.split(' '));

test('the lock file has a checksum and a free licence for each package', () => {
	const { packages } = JSON.parse(read(web, 'package-lock.json'));
	const { dependencies, devDependencies } =
		JSON.parse(read(web, 'package.json'));

	for (const version of Object.values(
		{ ...dependencies, ...devDependencies }))
		assert.match(version, /^\d+\.\d+\.\d+$/);
	for (const [name, entry] of Object.entries(packages)) {
		if (name === '')
			continue;
		assert.match(entry.integrity, /^sha512-/, name);
		assert.equal(entry.resolved, undefined, name);
		assert.equal(entry.hasInstallScript, undefined, name);
		assert.match(entry.license, /^(MIT|Apache-2\.0|MPL-2\.0)$/,
			name);
	}
});

test('the installed packages are those of the lock file', { skip }, () => {
	const { packages } = JSON.parse(read(web, 'package-lock.json'));

	for (const [name, entry] of Object.entries(packages)) {
		if (name === '')
			continue;
		const { version, license } = JSON.parse(
			read(web, name, 'package.json'));

		assert.equal(version, entry.version, name);
		assert.equal(license, entry.license, name);
	}
});

test('the page serves the licence of each package that it contains',
	{ skip: without || skip }, () => {
	const text = read(tree, 'licences.txt');
	const used = new Set(parts.filter(([kind]) => kind === 'file')
		.map(([, , file]) => file.split('/')[0]));
	const named = new Map(parts.filter(([kind]) => kind === 'licence')
		.map(([, name, licence]) => [name, licence]));

	for (const name of used) {
		const { license } = JSON.parse(
			read(modules, name, 'package.json'));

		assert.equal(named.get(name), license);
		assert.ok(text.includes(`${name}: ${license}`));
		assert.ok(text.includes(read(modules, name, 'LICENSE').trim()));
	}
});

test('types are right', { skip }, async (t) => {
	// below the time of a test: the compiler is one process
	const { code, out } = await run(process.execPath,
		[path.join(modules, 'typescript/bin/tsc'), '-p', web]);

	t.diagnostic(out.slice(0, 2000));
	assert.equal(code, 0, out);
});

const files = fs.existsSync(tree) ? fs.readdirSync(tree,
	{ recursive: true }).filter((name) => name.endsWith('.js')) : [];

test('modules import each other by relative names alone', { skip: without },
	() => {
	for (const name of files)
		for (const [, from] of read(tree, name).matchAll(
			/\b(?:im|ex)port\b[^'"();]*?from\s*['"]([^'"]+)/g))
			assert.ok(from.startsWith('.') && has(tree,
				path.dirname(name), from), `${name}: ${from}`);
});

test('the page loads the modules that the program needs, and no other',
	{ skip: without }, () => {
	const page = read(tree, 'headend/index.html');
	const [, hash] = /web\/([0-9a-f]{16})\/headend\/main\.js/.exec(page);
	const listed = [...page.matchAll(/modulepreload" href="([^"]+)"/g)]
		.map(([, name]) => name.replace(`web/${hash}/`, '')).sort();
	const needed = new Set();
	const visit = (name) => {
		if (needed.has(name))
			return;
		needed.add(name);
		for (const [, from] of read(tree, name).matchAll(
			/from\s*['"](\.[^'"]+)['"]/g))
			visit(path.join(path.dirname(name), from));
	};

	visit('headend/main.js');
	assert.deepEqual(listed, [...needed].sort());
	assert.ok(!page.includes('@'), 'nothing is left to be filled in');
	// nothing inline, nothing of another host
	assert.doesNotMatch(page, /<script>|<style|style=| on\w+=|https?:/);
});

test('the first load is small', { skip: without }, (t) => {
	const page = read(tree, 'headend/index.html');
	const names = [...page.matchAll(/href="web\/[^/]+\/([^"]+)"/g)]
		.map(([, name]) => name).concat('headend/index.html');
	const sum = names.reduce((all, name) => all +
		fs.statSync(path.join(tree, `${name}.gz`)).size, 0);

	t.diagnostic(`${sum} bytes, compressed`);
	assert.ok(sum <= 60000, `${sum} bytes`);
});

test('the first load has the words of its modules alone', { skip: without },
	async () => {
	const page = read(tree, 'headend/index.html');
	const texts = [...page.matchAll(/href="web\/[^/]+\/([^"]+\.js)"/g)]
		.map(([, name]) => name)
		.filter((name) => !name.includes('words-'))
		.map((name) => read(tree, name)).join('\n');
	const { en } = await import(path.join(web, 'common/words-en.js'));

	assert.deepEqual(Object.keys(en).filter((word) =>
		!new RegExp(`\\b${word}\\b`).test(texts)), []);
});

test('a build without the web interface says so', async (t) => {
	const dir = tempDir(t);
	const { code, err } = await run('sh', [path.join(web, 'embed'), 'tree',
		web, dir, 'none/index.html']);

	assert.equal(code, 0, err);
	assert.deepEqual(fs.readdirSync(path.join(dir, 'tree'),
		{ recursive: true }).sort(), ['headend', 'headend/index.html',
		'headend/index.html.gz']);
	assert.match(read(dir, 'tree/headend/index.html'), /--without-web/);
	assert.match(read(dir, 'static_tree.c'), /"headend\/index.html", /);
});
