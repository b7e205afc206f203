// SPDX-License-Identifier: GPL-3.0-or-later
// same-bytes.mjs MUX FILE...: is each file a part of the packets of MUX, which
// was sent in a loop?  TAP without numbers and plan.
import fs from 'node:fs';
import path from 'node:path';

const PACKET = 188, LEAST = 500, MARK = 20;
const [muxFile, ...files] = process.argv.slice(2);
const mux = fs.readFileSync(muxFile);
const loop = Buffer.concat([mux, mux]);

function judge(file) {
	const data = fs.existsSync(file) ? fs.readFileSync(file)
		: Buffer.alloc(0);
	const whole = data.subarray(0, data.length - data.length % PACKET);
	let at = loop.indexOf(whole.subarray(0, MARK * PACKET));

	if (whole.length < LEAST * PACKET || at < 0)
		return `${whole.length / PACKET} packets`;
	at %= mux.length;
	for (let i = 0; i < whole.length; i += PACKET) {
		const from = (at + i) % mux.length;

		if (!whole.subarray(i, i + PACKET).equals(
			mux.subarray(from, from + PACKET)))
			return `another packet ${i / PACKET}`;
	}
	return null;
}

for (const file of files) {
	const error = judge(file);

	console.log(`${error === null ? 'ok' : 'not ok'} - ` +
		`${path.basename(file)} has the bytes that were sent`);
	if (error !== null)
		console.log(`# ${error}`);
}
