// SPDX-License-Identifier: GPL-3.0-or-later
// The completion for bash: words, options, and streams of the service; and the
// words that options accept.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { complete as completions } from '../helpers/completion.mjs';
import { CTL, Ctl, UNREACHABLE, USAGE } from '../helpers/ctl.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Timing } from '../helpers/timing.mjs';
import { freePort, run, srcdir, tempDir, waitUntil }
	from '../helpers/util.mjs';

const complete = (t, url, ...words) => completions('sluicectl',
	[CTL, ...words], { HOME: tempDir(t), SLUICE_URL: url });

test('words and options are completed', async (t) => {
	const url = `http://127.0.0.1:${await freePort()}`;

	assert.deepEqual(await complete(t, url, 'st'), ['status', 'stream']);
	assert.deepEqual(await complete(t, url, 'stream', ''),
		['analysis', 'ls', 'restart', 'show', 'switch', 'toggle']);
	assert.deepEqual(await complete(t, url, '-H', 'x', 'config', 'd'),
		['diff']);
	assert.deepEqual(await complete(t, url, 'top', '--so'), ['--sort']);
	assert.deepEqual(await complete(t, url, 'status', '--so'), ['']);
	assert.deepEqual(await complete(t, url, 'top', '--sort', 'n'),
		['name']);
	assert.deepEqual(await complete(t, url, 'events', '--scope', 'stream'),
		['stream_event', 'stream_image', 'stream_switch']);
});

test('every command of the help is completed, and is in the manual',
	async (t) => {
	const url = `http://127.0.0.1:${await freePort()}`;
	const { out } = await run(CTL, ['--help']);
	const names = out.match(/^ {2}[a-z]+( [a-z]+)?(?= )/gm)
		.map((name) => name.trim());
	const manual = fs.readFileSync(path.join(srcdir, 'doc/sluicectl.1'),
		'utf8');
	const firsts = new Set(names.map((name) => name.split(' ')[0]));

	assert.ok(names.includes('stream ls') && names.length > 10);
	assert.deepEqual(await complete(t, url, ''), [...firsts].sort());
	for (const name of names) {
		const [first, second] = name.split(' ');

		assert.match(manual, new RegExp(`^\\.It .*\\bCm ${name}\\b`,
			'm'));
		if (second)
			assert.ok((await complete(t, url, first, second))
				.includes(second), name);
	}
});

// A command that does not run: its words are too few or too many.
const wrong = (name, ...options) => {
	const many = ['toggle', 'restart', 'kick'];
	const words = name.split(' ');

	return [...words, ...options,
		...many.includes(words[1]) ? [] : ['x', 'x', 'x', 'x']];
};

test('the options of each command are completed', async (t) => {
	const url = `http://127.0.0.1:${await freePort()}`;
	const env = { ...process.env, HOME: tempDir(t), SLUICE_URL: url };
	const { out } = await run(CTL, ['--help'], { env });
	const names = out.match(/^ {2}[a-z]+( [a-z]+)?(?= )/gm)
		.map((name) => name.trim()).filter((name) => name !== 'help');
	const offers = new Map();

	for (const name of names)
		offers.set(name, (await complete(t, url, ...name.split(' '),
			'--')));
	const common = offers.get('logout');
	const own = new Set([...offers.values()].flat()
		.filter((option) => !common.includes(option)));

	assert.ok(common.includes('--json') && own.has('--sort'));
	for (const name of names)
		for (const option of own) {
			const value = { '--scope': ['alarm'], '--count': ['1'],
				'--sort': ['id'], '--stream': ['x'],
				'--value': ['1'], '--password-file': ['x'] };
			const { err } = await run(CTL, wrong(name, option,
				...value[option] ?? []), { env });

			assert.match(err, /does not take|usage: sluicectl/);
			assert.equal(offers.get(name).includes(option),
				!err.includes('does not take'),
				`${name} ${option}: ${err}`);
		}
	// an option of the program that no command offers
	for (const [, option] of out.matchAll(/(--[a-z][a-z-]+)/g))
		if (option !== '--help')
			assert.ok(common.includes(option) || own.has(option),
				option);
});

test('the letter of an option is completed beside its word', async (t) => {
	const url = `http://127.0.0.1:${await freePort()}`;
	const source = fs.readFileSync(path.join(srcdir, 'ctl/ctl_options.c'),
		'utf8');
	const letters = [...source.matchAll(/^\t\{ "([a-z-]+)", '(\w)'/gm)];

	assert.ok(letters.length >= 8);
	for (const words of [['status'], ['stream', 'ls'], ['events']]) {
		const offers = await complete(t, url, ...words, '-');

		assert.deepEqual(
			offers.filter((offer) => /^-\w$/.test(offer)),
			letters.filter(([, word]) =>
				offers.includes(`--${word}`))
				.map(([, , letter]) => `-${letter}`).sort());
	}
});

test('the orders of --sort are completed', async (t) => {
	const url = `http://127.0.0.1:${await freePort()}`;

	for (const name of ['top', 'stream ls', 'session ls']) {
		const { err } = await run(CTL, [...name.split(' '), '--sort',
			'x'], { env: { ...process.env, HOME: tempDir(t),
			SLUICE_URL: url } });
		const orders = err.match(/--sort: is not (.*)/)[1]
			.split(/, | or /);

		assert.deepEqual(await complete(t, url, ...name.split(' '),
			'--sort', ''), orders.sort());
	}
});

test('scopes, sections and nouns are those of the program', async (t) => {
	const url = `http://127.0.0.1:${await freePort()}`;
	const env = { ...process.env, HOME: tempDir(t), SLUICE_URL: url };
	const { out } = await run(CTL, ['help', 'events'], { env });
	const scopes = /^scopes:([^]*?)\n\n/m.exec(out)[1]
		.trim().split(/\s+/);

	assert.ok(scopes.length > 10, out);
	for (const line of out.split('\n'))
		assert.ok(line.length <= 80, line);
	assert.deepEqual(await complete(t, url, 'events', '--scope', ''),
		scopes.sort());
	const source = fs.readFileSync(path.join(srcdir,
		'ctl/config_edit.c'), 'utf8');
	const sections = [...source.matchAll(/^\t{ "(\w+)", "set-/gm)]
		.map(([, key]) => key);

	assert.ok(sections.length >= 10);
	for (const command of ['get', 'set', 'unset'])
		assert.deepEqual(await complete(t, url, 'config', command, ''),
			sections.sort());
	for (const noun of ['stream', 'session', 'config'])
		assert.deepEqual(await complete(t, url, 'help', noun, ''),
			await complete(t, url, noun, ''));
});

test('the value of an option is no word of the command', async (t) => {
	const url = `http://127.0.0.1:${await freePort()}`;
	const env = { ...process.env, HOME: tempDir(t), SLUICE_URL: url };
	const { out } = await run(CTL, ['--help'], { env });
	const nouns = await complete(t, url, 'stream', '');
	const options = new Set(out.match(/(?<![\w-])--?[a-zA-Z][a-z-]*/g));
	let n = 0;

	options.add('--timeout');
	for (const option of options) {
		const { err } = await run(CTL, ['status', option], { env });

		if (!err.includes('needs a value'))
			continue;
		n++;
		assert.deepEqual(await complete(t, url, option, 'config',
			'stream', ''), nouns, option);
	}
	assert.ok(n >= 10, `${n} options with a value`);
});

test('streams are completed by id and name', async (t) => {
	const sluice = await Sluice.start(t, config(
		stream('news', 'udp://127.0.0.1:4242', [],
			{ enable: false, name: 'Evening news' }),
		stream('next', 'udp://127.0.0.1:4243', [],
			{ enable: false, name: 'Other' })));
	const url = `http://127.0.0.1:${sluice.port}`;

	// it is asked for a second, and no longer
	const completes = (words, wanted) => waitUntil(words.at(-1),
		async () => {
			assert.deepEqual(await complete(t, ...words), wanted);
			return true;
		});
	await completes([url, 'stream', 'show', 'ne'], ['news', 'next']);
	await completes([url, 'stream', 'restart', 'news', 'E'],
		['Evening\\ news']);
	// bash parts the words at a colon
	assert.deepEqual(await complete(t, 'http://127.0.0.1:1', '-H',
		'127.0.0.1', ':', String(sluice.port), 'events', '--stream',
		'ot'), ['']);
	await completes(['http://127.0.0.1:1', '-H', '127.0.0.1', ':',
		String(sluice.port), 'events', '--stream', 'Ot'], ['Other']);
	await sluice.stop();
});

test('an unreachable service does not delay the completion', async (t) => {
	const timing = new Timing(t);

	assert.deepEqual(await timing.within(10000, complete(t,
		'http://192.0.2.1', 'stream', 'show', '')), ['']);
});

test('an unknown scope is rejected, those of the service are accepted',
	async (t) => {
	const ctl = new Ctl(t, 'http://127.0.0.1:1');
	const text = fs.readFileSync(path.join(srcdir, 'doc/asyncapi.yaml'),
		'utf8');
	const scopes = new Set([...text.matchAll(/scope: {const: ([\w-]+)}/g)]
		.map(([, scope]) => scope));
	const reserved = [...text.matchAll(
		/^    ([\w-]+):\n(?: {6}.*\n)*? {6}x-reserved: true$/gm)]
		.map(([, scope]) => scope);

	assert.ok(scopes.size >= 20 && reserved.length >= 1);
	const args = (scope) => ['events', '--scope', scope];
	assert.equal((await ctl.run(args('foo'))).code, USAGE);
	// the service sends none of these: the wait would never end
	for (const scope of reserved) {
		scopes.delete(scope);
		await ctl.fails(args(scope), USAGE, new RegExp(
			`this version of Sluice sends no ${scope}`));
	}
	for (const scope of scopes)
		assert.equal((await ctl.run(args(scope))).code, UNREACHABLE,
			scope);
});
