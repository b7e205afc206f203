// SPDX-License-Identifier: GPL-3.0-or-later
// Collects figures and judges them; prints a line for each.
import fs from 'node:fs';
import os from 'node:os';

export class Report {
	#lines = [];
	#data = { when: new Date().toISOString(), cores: os.cpus().length,
		kernel: os.release(), model: os.cpus()[0]?.model ?? '',
		load_before: os.loadavg()[0], scenarios: {} };

	section(title) { console.log(`\n== ${title}`); }

	// A table: rows of equally many cells, the first row is the head.
	table(rows) {
		const widths = rows[0].map((_, column) => Math.max(
			...rows.map((row) => String(row[column]).length)));

		for (const row of rows)
			console.log('   ' + row.map((cell, column) =>
				column === 0 ?
					String(cell).padEnd(widths[column]) :
					String(cell).padStart(widths[column]))
				.join('  '));
	}

	// Keeps raw figures for the JSON file.
	keep(scenario, figures) {
		this.#data.scenarios[scenario] = figures;
	}

	#line(verdict, text) {
		this.#lines.push({ verdict, text });
		console.log(`${verdict} ${text}`);
	}

	judge(ok, text) { this.#line(ok ? 'PASS' : 'FAIL', text); }
	skip(text) { this.#line('SKIP', text); }

	// Prints the verdicts again, writes file; true when none failed.
	finish(file) {
		const count = (verdict) => this.#lines.filter(
			(line) => line.verdict === verdict).length;

		this.section('verdicts');
		for (const { verdict, text } of this.#lines)
			console.log(`${verdict} ${text}`);
		console.log(`${count('PASS')} passed, ${count('FAIL')} ` +
			`failed, ${count('SKIP')} skipped; figures in ${file}`);
		fs.writeFileSync(file, JSON.stringify({ ...this.#data,
			verdicts: this.#lines }, null, '\t') + '\n');
		return count('FAIL') === 0;
	}
}

// "0 of 303,900"
export function ofAll(part, all) {
	return `${part.toLocaleString('en')} of ${all.toLocaleString('en')}`;
}
