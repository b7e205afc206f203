// SPDX-License-Identifier: GPL-3.0-or-later
// Guesses passwords until its input ends, from invented addresses; then prints
// the number of each status.
//
//	flood.mjs PORT ATTACKERS
import process from 'node:process';
import { request } from '../helpers/sluice.mjs';

const [port, attackers] = process.argv.slice(2).map(Number);
const answers = {};
let over = false, n = 0;

async function attack() {
	while (!over) {
		const i = n++;
		const from = `10.${i >> 16 & 255}.${i >> 8 & 255}.${i & 255}`;
		const { status } = await request(port, { method: 'POST',
			path: '/control/', headers: { 'X-Real-IP': from } },
		JSON.stringify({ cmd: 'login', login: 'admin',
			password: `guess ${i}` }));

		answers[status] = (answers[status] ?? 0) + 1;
	}
}

process.stdin.on('end', () => { over = true; });
process.stdin.resume();
console.log('ready');
await Promise.all(Array.from({ length: attackers }, attack));
console.log(JSON.stringify(answers));
