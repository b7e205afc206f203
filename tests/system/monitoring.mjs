// SPDX-License-Identifier: GPL-3.0-or-later
// metrics, for monitoring systems: the rules and the dashboards of the examples
// name metrics and labels that exist, and Prometheus has data for each of them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { RULES, checkExpr, metricLabels, readDashboard, readRules }
	from '../helpers/monitoring.mjs';
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

	for (const { expr, annotations } of readRules())
		n += checkExpr(metrics, expr, Object.values(annotations),
			['instance', 'job']);
	assert.ok(n >= 10);
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
