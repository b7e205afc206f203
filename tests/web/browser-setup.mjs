// SPDX-License-Identifier: GPL-3.0-or-later
// The forms of the web interface in a browser: each option and key is set
// there, and the service has it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { done } from '../helpers/auth.mjs';
import { TRIAL_REFUSED, Visitor, noBrowser as skip, pressKeys }
	from '../helpers/browser.mjs';
import { SUFFIX, TARGETS, fillForm, forms, sample }
	from '../helpers/form-fields.mjs';
import { EVIL, begin, useBrowser } from '../helpers/page-scene.mjs';
import { waitUntil } from '../helpers/util.mjs';

const own = useBrowser();

// In the page: sets options of an address by their fields, one after another,
// and returns the addresses.
async function setOptions([which, base, options]) {
	const box = document.querySelectorAll('.address-row')[
		which === 'input' ? 0 : 1];
	const raw = box.querySelector(':scope > input'), texts = [];
	const drawn = () => new Promise((go) => setTimeout(go));
	const type = async (field, text, event = 'input') => {
		field.value = text;
		field.dispatchEvent(new Event(event, { bubbles: true }));
		await drawn();
	};

	for (const { key, value } of options) {
		await type(raw, base);
		const add = box.querySelector('.add-option input');

		await type(add, key);
		add.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter',
			bubbles: true, cancelable: true }));
		await drawn();
		const field = box.querySelector(
			`[data-key="${CSS.escape(key)}"] :is(input, select)`);

		// it is on since it was added
		if (field.type !== 'checkbox')
			await type(field, String(value), field.matches('select')
				? 'change' : 'input');
		else if (field.checked !== value)
			field.click();
		await drawn();
		texts.push(raw.value);
	}
	return texts;
}

const tried = (which, text) => ({ cmd: 'set-stream', dry_run: true,
	stream: { id: 'x', type: 'spts', enable: false, [which]: [text] } });

test('each option of an address is set by its field', { skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const all = await forms(sluice, admin);
	let n = 0;

	// a half of an address is no address
	visitor.allowed = TRIAL_REFUSED;
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/edit/idle');
	await page.click('button[aria-label="Options: Input 1"]');
	await page.click('button[aria-label="Options: Output 1"]');
	for (const which of ['input', 'output'])
		for (const [i, { type, options }] of all[which].entries()) {
			const rows = which === 'input' && i === 0 ? [...options,
				...all.input_options, ...all.remux_options]
				: options;
			const base = `${type}://${TARGETS[type]}`;
			const list = rows.filter((row) => !row.idle &&
				sample(row) !== undefined).map((row) => ({
				key: row.key + (SUFFIX[row.key] ?? ''),
				value: sample(row) }));
			const texts = await page.evaluate(setOptions,
				[which, base, list]);

			assert.deepEqual(texts, list.map(({ key, value }) =>
				`${base}#${key}${value === true ? ''
					: `=${value}`}`));
			for (const text of texts.filter((one) =>
				!/^(rtp|srt).*merge=/.test(one)))
				await done(sluice, tried(which, text), admin);
			n += texts.length;
		}
	t.diagnostic(`${n} options`);
	assert.ok(n > 150);
	visitor.quiet();
	await sluice.stop();
});

test('each key of a stream is set by its field and comes back equal', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const rows = (await forms(sluice, admin)).stream.filter(({ key }) =>
		!['id', 'enable', 'type', 'name', 'input', 'output', 'groups',
			'cas_list'].includes(key) && !key.endsWith('_version'));
	const before = (await done(sluice, { cmd: 'get-stream', id: 'idle' },
		admin)).stream;
	const expected = { ...before, my_note: 7, _input: ['kept'],
		_output: ['kept'] };

	await done(sluice, { cmd: 'set-stream', id: 'idle', stream: expected },
		admin);
	visitor.allowed = TRIAL_REFUSED;
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/edit/idle');
	await page.waitForSelector('.edit .address-row');
	// each one is found by its name
	Object.assign(expected, await fillForm(page, rows, 'stream',
		(id, value, key) => [{ id: 'stream-search', value: key },
			{ id, value }]));
	await page.fill('#stream-search', 'no option has this');
	await page.waitForSelector('text=No option matches.');
	await page.fill('#stream-search', '');
	await page.click('text=JSON');
	await visitor.accessible('editor with JSON');
	await page.keyboard.press('Control+Enter');
	await page.waitForSelector('.sentence');
	const { pmt_version, sdt_version, ...stream } = (await done(sluice,
		{ cmd: 'get-stream', id: 'idle' }, admin)).stream;

	delete expected.pmt_version;
	delete expected.sdt_version;
	assert.ok(pmt_version > 0 && sdt_version > 0);
	assert.deepEqual(stream, expected);
	// the fields show it again
	await visitor.go(sluice.port, '#/edit/idle');
	await page.waitForSelector('[id="stream.service_name"]');
	assert.equal(await page.inputValue('[id="stream.textcode"]'), '21');
	await page.click('[data-key=textcode] .reset');
	await page.click('.changes summary');
	await page.waitForSelector('.changes del:has-text("21")');
	await page.waitForSelector('text=Saving interrupts nothing.');
	visitor.quiet();
	await sluice.stop();
});

test('settings, authorization and log are set by their fields', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const all = await forms(sluice, admin);
	const stored = async (section) => (await done(sluice, { cmd: 'load' },
		admin))[section];
	const save = () => page.keyboard.press('Control+Enter');

	visitor.allowed = TRIAL_REFUSED;
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await pressKeys(page, 'g', 'c');
	await page.waitForSelector('h1:has-text("Settings")');
	await page.click('text=Authorization');
	await page.waitForSelector('[id="auth.enable"]');
	await page.waitForSelector('text=Authorization is off');
	const auth = await fillForm(page, all.auth, 'auth');

	await save();
	await page.waitForSelector('.toast');
	assert.deepEqual(await stored('auth'), auth);
	await page.waitForSelector('text=Authorization is off',
		{ state: 'detached' });
	await visitor.accessible('authorization');
	await page.click('.tabs a:has-text("Logging")');
	await page.waitForSelector('[id="log.debug"]');
	// another user's change: an untouched field follows, a touched one asks
	await page.fill('[id="log.max_file_size"]', '7');
	await done(sluice, { cmd: 'set-log', set: { debug: true,
		max_file_size: 3 } }, admin);
	await page.waitForSelector('.note:has-text("max_file_size")');
	assert.ok(await page.isChecked('[id="log.debug"]'));
	await visitor.accessible('two users of the log');
	await page.click('text=Take theirs');
	assert.equal(await page.inputValue('[id="log.max_file_size"]'), '3');
	// the request has another name than the section
	await page.fill('[id="log.filename"]', '/proc/x.log');
	await page.waitForSelector('[data-key=filename] .problem' +
		':has-text("filename")');
	await page.click('.save button:has-text("Discard")');
	const log = await fillForm(page, all.log, 'log');

	await save();
	await waitUntil('the log', async () => {
		assert.deepEqual(await stored('log'), log);
		return true;
	});
	await visitor.accessible('logging');
	await page.click('.tabs a:has-text("Settings")');
	await page.waitForSelector('[id="settings.instance_name"]');
	// the error of the service stands at its field
	await page.fill('[id="settings.querier_timeout"]', '0x');
	await page.waitForSelector('[data-key=querier_timeout] .problem' +
		':has-text("querier_timeout")');
	await visitor.accessible('an error in the settings');
	const settings = await fillForm(page, all.settings, 'settings');

	visitor.disturbed = true;
	await save();
	await page.waitForSelector('dialog:has-text("Viewers now: 0")');
	await page.click('dialog .primary');
	await page.waitForSelector('text=The service restarts.');
	await page.waitForSelector('text=The service is back.');
	visitor.disturbed = false;
	assert.deepEqual(await stored('settings'), settings);
	await visitor.accessible('settings');
	visitor.quiet();
	await sluice.stop();
});

test('categories and their groups, by keyboard', { skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const groups = async () => (await done(sluice, { cmd: 'load' }, admin))
		.categories.map((one) => [one.name, ...one.groups.map((group) =>
			group.name)]);
	const press = async (selector) => {
		await page.focus(selector);
		await page.keyboard.press('Enter');
	};
	const until = (wanted) => waitUntil(JSON.stringify(wanted),
		async () => {
		assert.deepEqual(await groups(), wanted);
		return true;
	});

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/categories');
	await page.waitForSelector('.box:has-text("News")');
	await visitor.accessible('categories');
	await page.click('li:has-text("News") a');
	await page.waitForSelector('tr[data-id=news]');
	assert.equal(await page.locator('tr[data-id]').count(), 1);
	await visitor.go(sluice.port, '#/categories');
	await press('[aria-label="Move down: News"]');
	await until([['Type', 'Films', 'News']]);
	await page.waitForSelector('.movable li:nth-child(2):has-text("News")');
	await press('[aria-label="Rename: News"]');
	await page.keyboard.type(' at ten');
	await visitor.accessible('a name');
	await page.keyboard.press('Enter');
	await page.waitForSelector('li:has-text("News at ten")');
	assert.equal((await done(sluice, { cmd: 'get-stream', id: 'news' },
		admin)).stream.groups.Type, 'News at ten');
	await press('[aria-label="Add a group: Type"]');
	await page.keyboard.type('<b>');
	await page.keyboard.press('Enter');
	// the service explains
	await page.waitForSelector('dialog .problem:not(:empty)');
	await page.fill('dialog [name=name]', 'Sport');
	await page.keyboard.press('Enter');
	await page.waitForSelector('li:has-text("Sport")');
	await press('button:has-text("Add a category")');
	await page.keyboard.type('Language');
	await page.keyboard.press('Enter');
	await until([['Type', 'Films', 'News at ten', 'Sport'], ['Language']]);
	// dragged
	await page.dragAndDrop('li:has-text("Sport") .handle',
		'li:has-text("Films")');
	await until([['Type', 'Sport', 'Films', 'News at ten'], ['Language']]);
	await page.waitForSelector('.movable li:first-child:has-text("Sport")');
	await press('[aria-label="Remove: Films"]');
	await page.waitForSelector('dialog:has-text("Streams in it: 1")');
	await page.click('dialog .primary');
	await until([['Type', 'Sport', 'News at ten'], ['Language']]);
	visitor.quiet();
	await sluice.stop();
});

test('groups of outputs and headends', { skip }, async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	// an address of the API has no slash in a name
	const name = EVIL.replaceAll('/', '');
	const stored = async (section) => (await done(sluice, { cmd: 'load' },
		admin))[section];

	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/outputs');
	await page.click('text=Add a group of outputs');
	await page.fill('dialog [name=name]', name);
	await page.fill('dialog textarea >> nth=0',
		'udp://239.2.1.1:1234\nudp://239.2.1.2:1234');
	// it stays while it is typed: the page draws again each second
	for (let i = 0; i < 2; i++)
		await visitor.until((before) => document.querySelector(
			'.live time').textContent !== before,
		await page.textContent('.live time'));
	assert.match(await page.inputValue('dialog textarea >> nth=0'),
		/239\.2\.1\.2/);
	await page.fill('dialog .further textarea', '{"note": 1}');
	await visitor.accessible('a group of outputs');
	await page.click('dialog .primary');
	await page.waitForSelector('.box');
	await page.click('[aria-label="Move down: udp://239.2.1.1:1234"]');
	await page.waitForSelector('.movable li:first-child:has-text("1.2")');
	const group = { name, note: 1,
		output: ['udp://239.2.1.2:1234', 'udp://239.2.1.1:1234'] };

	assert.deepEqual(await stored('output'), [group]);
	await visitor.accessible('groups of outputs');
	await page.click('.box button:has-text("Remove")');
	await page.waitForSelector('.box', { state: 'detached' });
	await page.click('.toast button');
	await page.waitForSelector('.box');
	assert.deepEqual(await stored('output'), [group]);
	await page.click('.tabs a:has-text("Headends")');
	await page.click('text=Add a headend');
	await page.fill('[id="server.name"]', 'oslo');
	await page.fill('[id="server.host"]', '127.0.0.1');
	await page.fill('[id="server.user"]', 'look');
	await page.fill('[id="server.pass"]', 'secret');
	await page.uncheck('[id="server.enable"]');
	await visitor.accessible('a headend');
	// a hand that clicks twice adds one
	await page.locator('dialog .primary').evaluate((button) => {
		button.click();
		button.click();
	});
	await page.waitForSelector('td:has-text("oslo")');
	assert.deepEqual(await stored('servers'), [{ enable: false,
		name: 'oslo', host: '127.0.0.1', port: 8000, user: 'look',
		pass: 'secret' }]);
	await visitor.accessible('headends');
	// another user moves it by an entry in front, and changes it
	const [oslo] = await stored('servers');
	const put = (list) => done(sluice, { cmd: 'set-config', key: 'servers',
		data: list }, admin);

	await page.click('td button:has-text("Edit")');
	await page.fill('[id="server.user"]', 'mine');
	await put([{ ...oslo, name: 'bergen' }, oslo]);
	await page.waitForSelector('td:has-text("bergen")');
	await put([{ ...oslo, name: 'bergen' }, { ...oslo, port: 8001 }]);
	await visitor.until(() => document.querySelector(
		'[id="server.port"]').value === '8001');
	await page.click('dialog .primary');
	await page.waitForSelector('td:has-text("mine")');
	assert.deepEqual(await stored('servers'), [{ ...oslo, name: 'bergen' },
		{ ...oslo, port: 8001, user: 'mine' }]);
	const two = [oslo, { ...oslo, name: 'tromso' }];

	await put(two);
	await page.waitForSelector('td:has-text("tromso")');
	await page.click('td button:has-text("Remove")');
	await page.click('dialog .primary');
	await page.waitForSelector('td:has-text("oslo")',
		{ state: 'detached' });
	await page.click('.toast button');
	await page.waitForSelector('td:has-text("oslo")');
	assert.deepEqual(await stored('servers'), two);
	visitor.quiet();
	await sluice.stop();
});

test('undo gives a user and a group of outputs its place again', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const put = (key, data) => done(sluice, { cmd: 'set-config', key,
		data }, admin);
	const stored = async (key) => (await done(sluice, { cmd: 'load' },
		admin))[key];
	const users = Object.entries(await stored('users'));
	const groups = ['one', 'two', 'three'].map((name) => ({ name,
		output: ['udp://239.2.1.1:1234'] }));

	users.splice(1, 0, ['mia', { type: 3, enable: true, cipher: 'x' }]);
	await put('users', Object.fromEntries(users));
	await put('output', groups);
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/users');
	await page.click('tr:has-text("mia") button:has-text("Remove")');
	await page.click('dialog .primary');
	await page.waitForSelector('tr:has-text("mia")', { state: 'detached' });
	await page.click('.toast button:has-text("Undo")');
	await page.waitForSelector('tr:has-text("mia")');
	assert.deepEqual(Object.entries(await stored('users')), users);
	await page.click('.tabs a:has-text("Output groups")');
	await page.click('[aria-label=two] button:has-text("Remove")');
	await page.waitForSelector('[aria-label=two]', { state: 'detached' });
	await page.click('.toast button:has-text("Undo")');
	await page.waitForSelector('[aria-label=two]');
	assert.deepEqual(await stored('output'), groups);
	visitor.quiet();
	await sluice.stop();
});

test('a configuration is downloaded, replaced and brought back', { skip },
	async (t) => {
	const { sluice, admin, password, visitor, page } = await begin(t, own);
	const name = async () => (await done(sluice, { cmd: 'get-stream',
		id: 'film' }, admin)).stream.name;
	const replace = async () => {
		visitor.disturbed = true;
		await page.click('.review .primary');
		await page.waitForSelector('dialog:has-text("Viewers")');
		await page.click('dialog .primary');
		await page.waitForSelector('text=The service is back.');
		visitor.disturbed = false;
	};

	visitor.allowed = TRIAL_REFUSED;
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	await visitor.go(sluice.port, '#/configuration');
	const waiting = page.waitForEvent('download');

	await page.click('a:has-text("Download")');
	const config = JSON.parse(fs.readFileSync(
		await (await waiting).path()));

	assert.equal(config.make_stream[0].name, 'Film 1');
	const file = path.join(sluice.dir, 'new.json');
	const choose = async (document) => {
		fs.writeFileSync(file, document);
		await page.setInputFiles('input[type=file]', file);
	};

	await choose('{"make_stream": ');
	await page.waitForSelector('.problem:has-text("JSON")');
	config.settings.control_port = 8000;
	await choose(JSON.stringify(config));
	await page.waitForSelector('.review .is-warn:has-text("control_port")');
	await page.click('.review button:has-text("Cancel")');
	delete config.settings.control_port;
	config.make_stream[0].name = EVIL;
	await page.setInputFiles('input[type=file]', []);
	await choose(JSON.stringify(config));
	await page.waitForSelector('dt:has-text("make_stream[film].name")');
	await visitor.accessible('a difference');
	await replace();
	assert.equal(await name(), EVIL);
	await page.reload();
	await page.click('button[aria-label^="Compare"] >> nth=0');
	await page.waitForSelector('.review ins:has-text("Film 1")');
	await visitor.accessible('configuration');
	await replace();
	assert.equal(await name(), 'Film 1');
	visitor.quiet();
	await sluice.stop();
});

// The actions of a wide table and their head stay at the edge of a phone.
const isActionHeld = (page) => page.evaluate(() => {
	const [head, cell, box] = ['th:last-child', 'td.actions', '']
		.map((part) => document.querySelector(`.wide-box ${part}`)
			.getBoundingClientRect());

	return head.left === cell.left && Math.abs(cell.right - box.right) < 3;
});

test('an observer has no page of the configuration; all fit a phone', { skip },
	async (t) => {
	const { sluice, password, visitor, page } = await begin(t, own,
		{ width: 360 });
	const olga = await Visitor.open(t, own.browser);
	const pages = ['settings', 'auth', 'users', 'categories', 'outputs',
		'servers', 'logging', 'configuration', 'edit/news', 'new'];

	await olga.go(sluice.port);
	await olga.login('olga', 'look');
	await olga.page.waitForSelector('.tile');
	assert.equal(await olga.page.locator('.rail a:has-text("Setup")')
		.count(), 0);
	for (const name of pages) {
		await olga.go(sluice.port, `#/${name}`);
		await olga.page.waitForSelector('text=There is no such page.');
		await olga.until(() => document.title ===
			'There is no such page. · Sluice');
	}
	olga.quiet();
	await visitor.login('admin', password);
	await page.waitForSelector('.tile');
	for (const name of pages) {
		await visitor.go(sluice.port, `#/${name}`);
		await page.waitForSelector(/^(edit|new)/.test(name)
			? '.address-row'
			: `.tabs a[href="#/${name}"][aria-current]`);
		assert.ok(await page.evaluate('document.documentElement' +
			'.scrollWidth <= innerWidth'), name);
		if (name === 'users')
			assert.ok(await isActionHeld(page));
		await visitor.accessible(`${name}, narrow`);
	}
	visitor.quiet();
	await sluice.stop();
});
