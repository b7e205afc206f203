// SPDX-License-Identifier: GPL-3.0-or-later
// metrics, for monitoring systems: rules, dashboard and template of the
// examples name metrics and labels that exist, and Prometheus has their data.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { RULES, checkExpr, metricLabels, readDashboard, readRules, readSamples,
	readYaml } from '../helpers/monitoring.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Sender } from '../helpers/udp.mjs';
import { freePort, run, start, tempDir, udpBound, waitUntil }
	from '../helpers/util.mjs';

// A service with each kind of object: all metrics have samples, but those of
// the front end of a tuner.
const TUNER = /sluice_adapter_(?:snr|signal|bit_|uncorrected)/;
async function everyKind(t) {
	const sluice = await Sluice.start(t, { ...config(
		stream('a001', 'udp://127.0.0.1:5000', 'udp://127.0.0.1:6000'),
		stream('dark', 'udp://127.0.0.1:5001#cam=c', []),
		stream('tuned', 'dvb://d', [])),
	dvb_tune: [{ id: 'd', enable: true, type: 'S2',
		address: 'udp://127.0.0.1:5007' }],
	softcam: [{ id: 'c', name: 'c', type: 'newcamd', host: '127.0.0.1',
		port: 1, user: 'u', pass: 'p' }] });

	await waitUntil('input', () => udpBound(5000));
	await Sender.start(t, new TsMux({ rate: 2e6 }), 5000);
	await sluice.onair('a001');
	await waitUntil('softcam', () => sluice.worker('softcam', 'c'));
	await sluice.waitStatus('dark', 'an alarm', (s) => !s.onair);
	await waitUntil('every family', async () => {
		const { body } = await sluice.get('/metrics');

		return ['stream_alarm{', 'input_onair{', 'output_fault{',
			'adapter_lock{', 'softcam_up{'].every((name) =>
			body.includes(`sluice_${name}`));
	});
	return sluice;
}

const panels = () => readDashboard().panels.filter(({ type }) =>
	type !== 'row');

test('rules and panels name metrics and labels that exist', async (t) => {
	const sluice = await everyKind(t);
	const { body } = await sluice.get('/metrics');
	const metrics = metricLabels(body);
	const shown = new Set();
	let n = 0;

	for (const { alert, expr, annotations } of readRules()) {
		n += checkExpr(metrics, expr, Object.values(annotations),
			['instance', 'job']);
		// several headends, or several instances of one machine
		assert.match(annotations.summary, /\$labels\.instance/, alert);
	}
	assert.ok(n >= 10);
	assert.ok(readRules().some(({ expr }) => /sluice_alarms/.test(expr)));
	for (const { title, targets } of panels())
		for (const { expr, legendFormat } of targets) {
			assert.ok(checkExpr(metrics, expr, [legendFormat]) > 0,
				title);
			for (const [name] of expr.matchAll(/sluice_\w+/g))
				shown.add(name);
		}
	for (const { query } of readDashboard().templating.list)
		if (query.query)
			checkExpr(metrics, query.query.replace(
				/label_values\((.*), (\w+)\)/, '$1 by ($2)'));
	// the dashboard shows every metric but these
	assert.deepEqual([...metrics.keys()].filter((name) =>
		!shown.has(name)).sort(), ['sluice_build_info',
		'sluice_config_changes_total', 'sluice_event_clients',
		'sluice_input_packets_total', 'sluice_instance_info',
		'sluice_adapter_worker_restarts_total'].sort());
	await sluice.stop();
});

test('panels have places of their own', () => {
	const taken = new Set();

	for (const { title, gridPos: { x, y, w, h } } of
		readDashboard().panels) {
		assert.ok(x + w <= 24, title);
		for (let i = x; i < x + w; i++)
			for (let k = y; k < y + h; k++) {
				assert.ok(!taken.has(`${i},${k}`), title);
				taken.add(`${i},${k}`);
			}
	}
});

// The item that a pattern of the template finds, as Zabbix reads it.
function match(samples, pattern) {
	const [, name, list] = /^(\w+)(?:\{(.*)\})?$/.exec(pattern);
	const wanted = [...(list ?? '').matchAll(/(\w+)="([^"]*)"/g)];

	return samples.filter((sample) => sample.name === name &&
		wanted.every(([, label, word]) =>
			sample.labels[label] === word));
}

// Every object of a kind in the template.
const collect = (node, key) => node === null || typeof node !== 'object' ? [] :
	Object.entries(node).flatMap(([name, value]) => [
		...name === key ? [value].flat() : [],
		...collect(value, key)]);

const pattern = (item) => item.preprocessing[0].parameters[0];

// Of a rule: a text with the labels of a sample.
function filler(rule) {
	const macro = Object.fromEntries(rule.lld_macro_paths.map((m) =>
		[m.lld_macro, m.path.replace('$.labels.', '')]));

	return (text, { labels }) => text.replace(/\{#[A-Z]+\}/g,
		(word) => labels[macro[word]]);
}

// Host and key of each item of an expression.
const itemsOf = (expression) => [...expression.matchAll(
	/\(\/([^/]*)\/([\w.]+(?:\[[^\]]*\])?)/g)];

test('the template of Zabbix finds each item in the metrics', async (t) => {
	const sluice = await everyKind(t);
	const { body } = await sluice.get('/metrics');
	const samples = readSamples(body), metrics = metricLabels(body);
	const { zabbix_export: whole } = readYaml('zabbix-template.yaml');
	const [{ template: name, items, discovery_rules: rules, macros }] =
		whole.templates;
	const prototypes = rules.flatMap((rule) => rule.item_prototypes);
	const all = [...items, ...prototypes];
	const keys = new Set(all.map((item) => item.key));
	const ids = collect(whole, 'uuid');

	assert.equal(whole.version, '6.0');
	assert.equal(new Set(ids).size, ids.length);
	for (const id of ids) // of version 4
		assert.match(id, /^[0-9a-f]{12}4...[89ab][0-9a-f]{15}$/);
	assert.equal(keys.size, all.length);
	for (const master of collect(whole, 'master_item'))
		assert.ok(keys.has(master.key));
	for (const expression of collect(whole, 'expression'))
		for (const [, host, key] of itemsOf(expression))
			assert.ok(host === name && keys.has(key), expression);
	for (const [macro] of JSON.stringify(whole).matchAll(
		/\{\$[A-Z.]+\}/g))
		assert.ok(macros.some((m) => m.macro === macro), macro);

	// a rate is that of a counter, other values are as they are
	for (const item of all.filter(({ type }) => type === 'DEPENDENT')) {
		checkExpr(metrics, pattern(item));
		assert.equal(item.preprocessing.some(({ type }) =>
			type === 'CHANGE_PER_SECOND'),
		pattern(item).includes('_total{') &&
			!item.key.includes('restarts'), item.key);
	}
	for (const item of items.filter(({ type }) => type === 'DEPENDENT'))
		assert.equal(match(samples, pattern(item)).length, 1, item.key);
	for (const rule of rules) {
		const rows = match(samples, pattern(rule));
		const fill = filler(rule);
		const made = new Set(), found = new Set();

		assert.ok(rows.length > 0, rule.key);
		for (const row of rows)
			for (const item of rule.item_prototypes) {
				const hits = match(samples,
					fill(pattern(item), row));

				assert.ok(hits.length <= 1, item.key);
				made.add(fill(item.key, row));
				if (hits.length > 0)
					found.add(item.key);
			}
		assert.equal(made.size, rows.length *
			rule.item_prototypes.length, rule.key);
		for (const item of rule.item_prototypes)
			assert.ok(found.has(item.key) ||
				TUNER.test(pattern(item)), item.key);
	}
	await sluice.stop();
});

// Without values, Zabbix does not evaluate a trigger again: its problem would
// stay until the item is dropped.
test('a problem of Zabbix ends with its object', async (t) => {
	const sluice = await everyKind(t);
	const { zabbix_export: { templates: [{ discovery_rules: rules }] } } =
		readYaml('zabbix-template.yaml');
	const read = async () => readSamples(
		(await sluice.get('/metrics')).body);
	const before = await read();

	const gone = { remove: true };

	for (const id of ['dark', 'tuned'])
		await sluice.cmd('set-stream', { id, stream: gone });
	await sluice.cmd('toggle-stream', { id: 'a001' });
	await sluice.cmd('set-adapter', { id: 'd', adapter: gone });
	const after = await waitUntil('fewer samples', async () => {
		const samples = await read();

		return ['output_fault', 'softcam_up', 'adapter_lock'].every(
			(name) => match(samples, `sluice_${name}`)
				.length === 0) && samples;
	});

	for (const rule of rules) {
		const fill = filler(rule), rows = match(before, pattern(rule));
		const hasGone = (key) => rows.some((row) => {
			const wanted = fill(pattern(rule.item_prototypes.find(
				(item) => item.key === key)), row);

			return match(before, wanted).length > 0 &&
				match(after, wanted).length === 0;
		});

		for (const { expression } of
			collect(rule, 'trigger_prototypes')) {
			const keys = itemsOf(expression).map(([, , key]) => key)
				.filter(hasGone);

			assert.ok(keys.length > 0, expression);
			assert.ok(keys.some((key) => expression.includes(
				` and nodata(/Sluice by HTTP/${key},2m)=0`)),
			expression);
		}
	}
	await sluice.stop();
});

test('1,000 streams are within what Zabbix accepts', () => {
	// of one master item
	const DEPENDENT_MAX = 29999;
	const numbers = { 'sluice.streams': 1000, 'sluice.inputs': 2000,
		'sluice.outputs': 2000, 'sluice.adapters': 100,
		'sluice.softcams': 100 };
	const { zabbix_export: { templates: [{ items, discovery_rules: rules }]
	} } = readYaml('zabbix-template.yaml');
	const sums = {};
	const add = ({ master_item: master }, n) => {
		if (master)
			sums[master.key] = (sums[master.key] ?? 0) + n;
	};

	for (const item of items)
		add(item, 1);
	for (const rule of rules) {
		add(rule, 1);
		for (const item of rule.item_prototypes)
			add(item, numbers[rule.key]);
	}
	for (const [key, n] of Object.entries(sums))
		assert.ok(n < DEPENDENT_MAX, `${key}: ${n}`);
});

const installed = async (program) => (await run(program, ['--version'])
	.catch(() => ({}))).code === 0;
const skip = !(await installed('prometheus') && await installed('promtool')) &&
	'prometheus is not installed';

test('Prometheus accepts metrics and rules, and has data for every panel',
	{ skip }, async (t) => {
	const sluice = await everyKind(t);
	const tool = start(t, 'promtool', ['check', 'metrics'],
		{ stdio: ['pipe', 'pipe', 'pipe'] });

	tool.stdin.end((await sluice.get('/metrics')).body);
	const { out, err } = await tool.ended;
	// of rates, which have the unit of broadcasting
	assert.deepEqual((out + err).split('\n').filter((line) => line &&
		!/_bits_per_second use base unit "bytes"/.test(line)), []);
	const rules = await run('promtool', ['check', 'rules', RULES]);
	assert.equal(rules.code, 0, rules.out + rules.err);

	const dir = tempDir(t), port = await freePort();
	const file = path.join(dir, 'prometheus.yml');

	fs.writeFileSync(file, `global: {scrape_interval: 500ms}
scrape_configs:
  - job_name: sluice
    static_configs: [{targets: ['127.0.0.1:${sluice.port}']}]
`);
	start(t, 'prometheus', [`--config.file=${file}`, '--log.level=error',
		`--storage.tsdb.path=${dir}/data`,
		`--web.listen-address=127.0.0.1:${port}`]);
	const query = async (expr) => {
		const words = { instance: '.*', stream: '.*', adapter: '.*',
			__rate_interval: '10s' };
		const reply = await fetch(`http://127.0.0.1:${port}/api/v1/` +
			`query?query=${encodeURIComponent(expr.replace(
				/\$(\w+)/g, (_, word) => words[word]))}`);
		const { status, error, data } = await reply.json();

		assert.equal(status, 'success', `${expr}: ${error}`);
		return data.result;
	};

	await waitUntil('a rate', async () => (await query(
		'rate(sluice_input_bytes_total[10s]) > 0')).length);
	for (const { title, targets: [{ expr }] } of panels())
		await waitUntil(title, async () =>
			(await query(expr)).length > 0 || TUNER.test(expr));
	const [off] = await query(panels()[0].targets[0].expr);
	assert.equal(typeof off.metric.name, 'string');
	assert.notEqual(off.metric.stream, 'a001');
	await sluice.stop();
});
