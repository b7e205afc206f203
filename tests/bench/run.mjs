// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make bench: runs the scenarios in a network namespace of its own, says PASS
 * or FAIL for each figure the project promises, leaves bench.json.
 *
 *	BENCH=udp,http   only these (default: all)
 *	ROUNDS=3         how often each candidate has its turn
 *	WINDOW=8         seconds measured in a turn
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const scenarios = ['udp', 'outputs', 'rtp', 'stages', 'remux', 'http',
	'hls', 'memory', 'fleet', 'api', 'events', 'tls', 'pull', 'srt',
	'delivery', 'demand', 'decisions', 'csa', 'descramble',
	'opening', 'mux'];
// takes long, or has no verdict: runs only when it is named
const byName = ['soak', 'types', 'players', 'attacks', 'compare', 'merge',
	'joins', 'web', 'wall', 'dvb', 'muxsoak'];
const INSIDE = 'SLUICE_BENCH_INSIDE';

/*
 * The network of the measurement: nothing but a loopback, with the packet
 * size of an Ethernet (or small writes to TCP would wait for the peer's
 * acknowledgement and be sent on its account) and the usual congestion
 * control.
 */
const network = `
	ip link set lo up mtu 1500 multicast on
	ip route add 239.0.0.0/8 dev lo
	for to in 127.0.0.0/8 127.0.0.1; do
		ip route replace local $to dev lo table local \\
			proto kernel scope host src 127.0.0.1 congctl cubic ||
			echo "no cubic here: the system's it is"
	done
	exec "$@"`;

// Runs this file again in a namespace of its own.
function enterNamespace() {
	const spaces = process.getuid() === 0 ? '-n' : '-rn';
	const { status, error } = spawnSync('unshare', [spaces, 'sh', '-euc',
		network, 'sh', process.execPath,
		fileURLToPath(import.meta.url)],
	{ stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } });

	if (error !== undefined)
		throw error;
	process.exit(status ?? 1);
}

function number(name, standard) {
	const value = Number(process.env[name] || standard);

	if (!Number.isInteger(value) || value < 1)
		throw new Error(`${name}: ${process.env[name]} is no count`);
	return value;
}

function wanted() {
	const names = (process.env.BENCH || scenarios.join()).split(',');

	for (const name of names)
		if (![...scenarios, ...byName].includes(name))
			throw new Error(`BENCH: no ${name}; there are ` +
				[...scenarios, ...byName].join(', '));
	return names;
}

async function main() {
	const { builddir } = await import('../helpers/util.mjs');
	const { Report } = await import('./report.mjs');
	const report = new Report();
	const options = { rounds: number('ROUNDS', 3),
		window: number('WINDOW', 8) };

	for (const name of wanted()) {
		const scenario = await import(`./${name}.mjs`);
		try {
			await scenario[name](report, options);
		} catch (error) {
			report.judge(false, `${name}: ${error.message}`);
		}
	}
	return report.finish(path.join(builddir, 'bench.json'));
}

if (process.env[INSIDE] === undefined)
	enterNamespace();
process.exit(await main() ? 0 : 1);
