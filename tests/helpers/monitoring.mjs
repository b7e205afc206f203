// SPDX-License-Identifier: GPL-3.0-or-later
// The files for monitoring systems among the examples, and the metrics that the
// service serves.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { srcdir } from './util.mjs';

export const RULES = path.join(srcdir, 'etc/prometheus-alerts.yml');
const read = (name) => fs.readFileSync(path.join(srcdir, 'etc', name), 'utf8');
export const readYaml = (name) => createRequire(import.meta.url)('js-yaml')
	.load(read(name));
export const readRules = () => readYaml('prometheus-alerts.yml').groups
	.flatMap((group) => group.rules);
export const readDashboard = () => JSON.parse(
	read('grafana-dashboard.json'));

// The labels of each metric of the text; those of a family have all the labels
// of its members, some of which have no sample.
export function metricLabels(text) {
	const families = new Map(), all = new Map();
	const family = (name) => name.split('_')[1];

	for (const [, name, labels] of text.matchAll(
		/^(sluice_\w+)(?:\{(.*)\})? /gm)) {
		const known = families.get(family(name)) ?? new Set();

		for (const [, label] of (labels ?? '').matchAll(/(\w+)="/g))
			known.add(label);
		families.set(family(name), known);
	}
	for (const [, name] of text.matchAll(/^# TYPE (\w+) /gm))
		all.set(name, families.get(family(name)) ?? new Set());
	return all;
}

// The metrics of an expression of PromQL exist, and have the labels that it and
// the texts beside it name.  labels: those that Prometheus adds.
export function checkExpr(metrics, expr, texts = [], labels = ['instance']) {
	const known = new Set(labels);
	const used = [...expr.matchAll(/\b(sluice_\w+)(?:\{([^}]*)\})?/g)];

	for (const [, name, matchers] of used) {
		assert.ok(metrics.has(name), `${expr}: no metric ${name}`);
		const own = metrics.get(name);

		for (const [, label] of (matchers ?? '').matchAll(
			/(\w+)\s*(?:=~|!~|!=|=)/g))
			assert.ok(own.has(label) || labels.includes(label),
				`${expr}: ${name} has no label ${label}`);
		own.forEach((label) => known.add(label));
	}
	const named = [...expr.matchAll(
		/\b(?:by|on|ignoring|group_left|group_right) *\(([^)]*)\)/g)]
		.flatMap(([, list]) => list.split(/[ ,]+/)).filter(Boolean);
	const shown = texts.flatMap((text) => [...text.matchAll(
		/\{\{ *(?:\$labels\.)?([a-z_]+) *\}\}/g)].map(([, l]) => l));

	for (const label of [...named, ...shown])
		assert.ok(known.has(label), `${expr}: no label ${label}`);
	return used.length;
}

// The samples of the text: name, labels, value.
export const readSamples = (text) => [...text.matchAll(
	/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels, value]) =>
	({ name, value: Number(value), labels: Object.fromEntries(
		[...(labels ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
			.map(([, key, word]) => [key, word])) }));
