// SPDX-License-Identifier: GPL-3.0-or-later
// outputs to files: whole packets, one file after the other; other files stay
// unchanged.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { liveMultiplex } from '../helpers/media.mjs';
import { Sluice, config, stream } from '../helpers/sluice.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { checkTs } from '../helpers/ts.mjs';
import { start, tempDir, udpBound, waitUntil } from '../helpers/util.mjs';

const output = async (sluice, position = 1) => (await sluice.json(
	'/api/stream-outputs/a001')).outputs[position - 1];

const size = (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

// The files of a folder in the order in which they were begun.
const files = (dir) => fs.readdirSync(dir).sort((a, b) =>
	a.length - b.length || (a < b ? -1 : 1)).map((f) => path.join(dir, f));

function tmpfs(dir, mib) {
	execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'none',
		dir]);
}

async function record(t, address, seconds = undefined, how = {}) {
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000',
			[address, 'udp://127.0.0.1:6000'])), how);

	await waitUntil('input', () => udpBound(5000));
	const live = liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ seconds });

	return { sluice, live };
}

test('a file has the whole stream, and the next run appends to it',
	async (t) => {
	const timing = new Timing(t);
	const file = path.join(tempDir(t), 'a.ts');
	const recorder = await Recorder.start(t, { port: 6000 });
	const { sluice, live } = await record(t,
		`file://${file}#min_free=0`, 2);

	await live.ended;
	await sluice.waitStatus('a001', 'silence', ({ packets }) => !packets);
	await recorder.quiet(1000);
	const [list] = await recorder.stop();
	const sent = joined(list);

	await waitUntil('every packet', () => size(file) >= sent.length);
	const lost = (await output(sluice, 2)).dropped;

	// what a busy machine does not send is in the file all the same
	timing.assert(lost === 0, `${lost} packets dropped`);
	if (lost > 0) {
		await sluice.stop();
		return;
	}
	assert.deepEqual(fs.readFileSync(file), sent);
	const { stats, dropped } = await waitUntil('the count', async () => {
		const o = await output(sluice);

		return o.packets === sent.length / 188 && o;
	});

	assert.equal(dropped, 0);
	assert.equal(stats.files, 1);
	await sluice.stop();

	// half a packet, as a power failure would leave it
	fs.appendFileSync(file, sent.subarray(0, 100));
	const next = await record(t, `file://${file}#min_free=0`);

	await waitUntil('more', () => size(file) > sent.length + 60000);
	await next.sluice.stop();
	assert.equal(size(file) % 188, 0);
	assert.deepEqual(fs.readFileSync(file).subarray(0, sent.length), sent);
});

test('the mask of the service sets who may read a recording', async (t) => {
	for (const [mask, mode] of [['077', 0o600], ['027', 0o640],
		['000', 0o644]]) {
		const file = path.join(tempDir(t), 'a.ts');
		const { sluice } = await record(t, `file://${file}#min_free=0`,
			undefined, { through: ['sh', '-c',
				`umask ${mask}; exec "$@"`, 'sh'] });

		await waitUntil('it', () => size(file) > 0);
		assert.equal(fs.statSync(file).mode & 0o777, mode);
		await sluice.stop();
	}
});

test('rotation by size and by time breaks and loses no packet', async (t) => {
	const timing = new Timing(t);
	const bySize = tempDir(t), byTime = tempDir(t);
	const recorder = await Recorder.start(t, { port: 6000 });
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', [
			'udp://127.0.0.1:6000',
			`file://${bySize}/s.ts#rotate_size=1&min_free=0`,
			`file://${byTime}/%s.ts#rotate_time=2&min_free=0`,
		])));

	await waitUntil('input', () => udpBound(5000));
	await liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316',
		{ seconds: 7, programs: 2 }).ended;
	await recorder.quiet(2000);
	timing.stop();
	const lost = (await output(sluice)).dropped;

	await sluice.stop();
	const [list] = await recorder.stop();
	const sent = joined(list);

	for (const dir of [bySize, byTime]) {
		const all = files(dir);
		const parts = all.map((file) => fs.readFileSync(file));

		assert.ok(all.length > 1, `${all}`);
		for (const part of parts)
			assert.equal(part.length % 188, 0);
		// the file is full if no picture began in the last eighth, and
		// without a picture for two seconds it starts with any packet
		for (const [i, part] of parts.slice(1).entries())
			timing.assert(parts[i].length > 1048576 - 188 ||
				(part[1] & 0x40 && part[3] & 0x20 &&
				part[5] & 0x40), `${all[i + 1]} begins with ` +
				part.subarray(0, 8).toString('hex'));
		// what a busy machine does not send is in the files
		const same = Buffer.concat(parts).equals(sent);

		if (lost > 0)
			timing.assert(same, `${lost} packets dropped`);
		else
			assert.ok(same, `${all}`);
	}
	for (const file of files(bySize).slice(0, -1))
		assert.ok(size(file) <= 1048576 && size(file) > 917504 - 188);
});

test('m2ts: packets of 192 bytes with their arrival times', async (t) => {
	const timing = new Timing(t);
	const file = path.join(tempDir(t), 'a.m2ts');
	const { sluice } = await record(t, `file://${file}#m2ts&min_free=0`);

	await waitUntil('a second', () => size(file) > 150000);
	timing.stop();
	await sluice.stop();
	const data = fs.readFileSync(file);
	let passed = 0;

	assert.equal(data.length % 192, 0);
	for (let i = 192; i < data.length; i += 192) {
		const stamp = data.readUInt32BE(i);
		const step = (stamp - data.readUInt32BE(i - 192) + 2 ** 30) %
			2 ** 30;

		assert.equal(data[i + 4], 0x47);
		timing.assert(step < 27e6, `${step} at ${i}`);
		passed += step;
	}
	const plain = Buffer.concat(Array.from({ length: data.length / 192 },
		(_, i) => data.subarray(i * 192 + 4, i * 192 + 192)));
	const { pcrs } = checkTs(plain);
	const [all] = [...pcrs.values()];
	const media = all.at(-1).value - all[0].value;

	// the same clock: 27 MHz, from the first packet to the last
	timing.assert(Math.abs(passed - media) < 27e6 / 2,
		`${passed} ${media}`);
});

test('a full disk stops the recording and no other output', async (t) => {
	const timing = new Timing(t);
	const dir = tempDir(t);
	const recorder = await Recorder.start(t, { port: 6000 });

	tmpfs(dir, 16);
	fs.writeFileSync(path.join(dir, 'ballast'), Buffer.alloc(10 << 20));
	const { sluice } = await record(t, `file://${dir}/a.ts#min_free=4`);

	await waitUntil('packets', () => size(`${dir}/a.ts`) > 100000);
	fs.appendFileSync(path.join(dir, 'ballast'), Buffer.alloc(3 << 20));
	const words = 'recording paused until 4.4 MiB are free (min_free=4)';

	await waitUntil('its word', async () =>
		(await output(sluice)).error === words);
	await sluice.logged(/output 1: recording paused until 4\.4 MiB are /);
	// more than min_free, but not a tenth more
	const { bavail, bsize } = fs.statfsSync(dir);

	fs.truncateSync(path.join(dir, 'ballast'), (13 << 20) -
		(Math.round(4.2 * 1048576) - bavail * bsize));
	await waitUntil('more than min_free', async () =>
		(await output(sluice)).stats.free_mib === 4);
	assert.equal((await output(sluice)).error, words);
	const sent = recorder.size();

	await waitUntil('the stream', () => recorder.size() > sent + 100000);
	await waitUntil('the count', async () =>
		(await output(sluice)).dropped > 0);
	const before = size(`${dir}/a.ts`);

	assert.equal(before % 188, 0);
	fs.truncateSync(path.join(dir, 'ballast'), 1 << 20);
	await sluice.logged(/output 1: open again after [\d.]+ s; \d+ packets/);
	await waitUntil('more', () => size(`${dir}/a.ts`) > before + 100000);
	// an outage is one line at its begin, and one at its end
	assert.equal(sluice.log.match(/recording paused/g).length, 1);
	const { inputs, outputs: [, good] } = await sluice.status('a001');

	timing.stop();
	await sluice.stop();
	const [list] = await recorder.stop();

	timing.unlessHeldUp('', [{ inputs, outputs: [good] }], () =>
		assert.equal(checkTs(joined(list)).ccErrors, 0));
});

test('packets that a full disk rejects are counted', async (t) => {
	const dir = tempDir(t);

	tmpfs(dir, 1);
	fs.writeFileSync(path.join(dir, 'ballast'), Buffer.alloc(800 << 10));
	const { sluice, live } = await record(t,
		`file://${dir}/a.ts#min_free=0`, 6);
	const counts = async () => (await sluice.json(
		'/api/stream-outputs/a001')).outputs;

	await sluice.logged(/output 1: .*No space left on device/);
	await live.ended;
	await sluice.waitStatus('a001', 'silence', ({ packets }) => !packets);
	await waitUntil('the count', async () => {
		const [file, udp] = await counts();
		const all = file.packets + file.dropped;

		if (all !== udp.packets)
			throw new Error(`${all} of ${udp.packets}`);
		return file.dropped > 0;
	});
	await sluice.stop();
});

test('a removed folder is reported, and used when it returns', async (t) => {
	const dir = path.join(tempDir(t), 'rec');
	const recorder = await Recorder.start(t, { port: 6000 });

	fs.mkdirSync(dir);
	const { sluice } = await record(t,
		`file://${dir}/a.ts#rotate_time=60&min_free=0`);

	await waitUntil('packets', () => files(dir).some((f) =>
		size(f) > 50000));
	fs.renameSync(dir, `${dir}.old`);
	await waitUntil('its word', async () => /rec: No such file or directory/
		.test((await output(sluice)).error));
	const sent = recorder.size();
	fs.mkdirSync(dir);
	await waitUntil('more', () => files(dir).some((f) => size(f) > 50000),
		20000);
	assert.ok(recorder.size() > sent, 'the other');
	// another program removes the file
	files(dir).forEach((f) => fs.rmSync(f));
	await waitUntil('another', () => files(dir).some((f) =>
		size(f) > 50000), 20000);
	await waitUntil('no word', async () => !(await output(sluice)).error);
	await sluice.stop();
});

test('a disk that needs a minute for a write delays no other output',
	async (t) => {
	const timing = new Timing(t);
	const file = path.join(tempDir(t), 'a.ts');
	const recorder = await Recorder.start(t, { port: 6000 });
	const { sluice } = await record(t, `file://${file}#min_free=0`);

	await waitUntil('packets', () => size(file) > 100000);
	const { pid } = (await sluice.status('a001')).worker;
	const slow = start(t, 'strace', ['-qq', '-f', '-p', String(pid), '-P',
		file, '-e', 'trace=write', '-e',
		'inject=write:delay_enter=60000000']);

	await waitUntil('the disk to hang', async () => (await output(sluice))
		.stats.queued_kib > 150, 15000);
	const waits = size(file), sent = recorder.size();

	await waitUntil('the other', () => recorder.size() > sent + 100000);
	assert.equal(size(file), waits);
	// the queue has some seconds, and a busy machine needs more for this
	const { error } = await output(sluice);
	timing.assert(error === undefined, error);
	slow.kill('SIGINT');
	await slow.ended;
	await waitUntil('the end', () => size(file) > waits + 200000, 15000);
	const { dropped } = await output(sluice);
	timing.assert(dropped === 0, `${dropped} packets dropped`);
	await sluice.stop();
	const [list] = await recorder.stop();

	if (dropped === 0)
		assert.ok(fs.readFileSync(file).equals(
			joined(list).subarray(0, size(file))));
});

test('a file that is no recording is left unchanged, and reported',
	async (t) => {
	const dir = tempDir(t);
	const text = 'no transport stream, and dear to somebody'.repeat(100);
	const at = (name) => path.join(dir, name);

	fs.writeFileSync(at('letter'), text);
	fs.symlinkSync(at('letter'), at('link.ts'));
	execFileSync('mkfifo', [at('fifo.ts')]);
	const cases = {
		'letter': /exists and contains no transport stream/,
		'link.ts': /a symbolic link/,
		'fifo.ts': /not a regular file/,
		'nowhere/a.ts': /No such file or directory/,
	};
	const addresses = Object.keys(cases).map((n) => `file://${at(n)}`);
	const sluice = await Sluice.start(t, config(
		stream('a001', 'udp://127.0.0.1:5000', [...addresses,
			'file:///proc/sysrq-trigger'])));

	await waitUntil('input', () => udpBound(5000));
	liveMultiplex(t, 'udp://127.0.0.1:5000?pkt_size=1316');
	let position = 1;
	for (const why of [...Object.values(cases),
		/the file system stores no files/])
		await waitUntil(`${why}`, async () =>
			why.test((await output(sluice, position)).error)) &&
			position++;
	assert.equal(fs.readFileSync(at('letter'), 'utf8'), text);
	assert.equal((await output(sluice, 4)).packets, 0);
	await sluice.stop();
});
