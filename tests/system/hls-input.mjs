// SPDX-License-Identifier: GPL-3.0-or-later
// hls-input: playlists as inputs, for servers with every fault.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { Live, encrypted, ivOf, makeSegments, serveHls, withNewCounters,
	withPcrs } from '../helpers/hls.mjs';
import { Scripted, advancing, byTurns, endless, jar, list, moved, packed, page,
	segments, trailers } from '../helpers/hls-scripted.mjs';
import { assertOneStream, assertPlays, judge } from '../helpers/media.mjs';
import { TsMux } from '../helpers/mux.mjs';
import { Sluice, config, sanitized, stream } from '../helpers/sluice.mjs';
import { Recorder, joined } from '../helpers/udp.mjs';
import { Timing } from '../helpers/timing.mjs';
import { now, tempDir, waitUntil } from '../helpers/util.mjs';

const SECONDS = 10;

// Restarts its counters in each segment.
class Counters extends Live {
	data(i) { return withNewCounters(super.data(i)); }
}

// Restarts its numbers while it plays; names stay.
class Renumbers extends Live {
	number(i) { return i < 9 ? super.number(i) : i - 3; }
}

// Hangs: a segment and a playlist, once each.
class Stalls extends Live {
	segment(request, reply, i, n) {
		if (i === 8 && n === 1)
			reply.write(this.data(i).subarray(0, 2000));
		else
			super.segment(request, reply, i);
	}

	playlist(request, reply, n) {
		if (n !== 4)
			super.playlist(request, reply);
		else
			setTimeout(() => super.playlist(request, reply), 1200);
	}
}

// Lists segments before it has them.
class Late extends Live {
	segment(request, reply, i, n) {
		if (i % 3 === 0 && n === 1)
			reply.writeHead(404).end();
		else
			super.segment(request, reply, i);
	}
}

// Never has one of the segments.
class Misses extends Live {
	segment(request, reply, i) {
		if (i === 9)
			reply.writeHead(404).end();
		else
			super.segment(request, reply, i);
	}
}

// Breaks off in the middle, at first.
class Breaks extends Live {
	segment(request, reply, i, n) {
		const data = this.data(i);

		if (i % 4 !== 1 || n > 1) {
			super.segment(request, reply, i);
			return;
		}
		reply.writeHead(200, { 'Content-Length': data.length });
		reply.write(data.subarray(0, data.length / 2));
		setTimeout(() => reply.destroy(), 50);
	}
}

// Sends but a part of some, as if that were all.
class Truncates extends Live {
	data(i) {
		const data = super.data(i);

		return i === 8 ? data.subarray(0, data.length * 0.6) : data;
	}
}

// Another clip in the middle of it, with times of its own.
class Jumps extends Live {
	constructor(segments, others, tagged, options) {
		super(segments.map((s, i) => i >= 8 && i < 11 ? others[i] : s),
			options);
		this.tagged = tagged;
	}

	tags(i) {
		return this.tagged && (i === 8 || i === 11)
			? ['#EXT-X-DISCONTINUITY'] : [];
	}
}

// A new key for every second segment, with and without an IV.
class Keys extends Live {
	keys = new Map();

	key(i) {
		const k = Math.floor(i / 2);

		if (!this.keys.has(k))
			this.keys.set(k, crypto.randomBytes(16));
		return this.keys.get(k);
	}

	iv(i) {
		return Math.floor(i / 2) % 2 ? ivOf(0xabcdef)
			: ivOf(this.number(i));
	}

	tags(i) {
		const k = Math.floor(i / 2);

		return [`#EXT-X-KEY:METHOD=AES-128,URI="k${k}.key"` +
			(k % 2 ? ',IV=0xabcdef' : '')];
	}

	data(i) { return encrypted(super.data(i), this.key(i), this.iv(i)); }

	other(request, reply, rest) {
		reply.end(this.key(2 * Number(rest.slice(1, -4))));
	}
}

// All segments in one file, from a server with or without ranges.
class Ranges extends Live {
	constructor(segments, knows) {
		super(segments);
		this.knows = knows;
		this.all = Buffer.concat(segments.map((s) => s.data));
	}

	tags(i) {
		const at = this.segments.slice(0, i)
			.reduce((sum, s) => sum + s.data.length, 0);

		return [`#EXT-X-BYTERANGE:${this.segments[i].data.length}` +
			(i === this.listed()[0] || i % 2 ? `@${at}` : '')];
	}

	name() { return 'all.bin'; }

	other(request, reply) {
		const [, from, to] = request.headers.range
			.match(/^bytes=(\d+)-(\d+)$/);

		if (!this.knows) {
			reply.end(this.all);
			return;
		}
		reply.writeHead(206);
		reply.end(this.all.subarray(Number(from), Number(to) + 1));
	}
}

// Everything is somewhere else; addresses are relative to there.
class Moved extends Live {
	playlist(request, reply) {
		reply.writeHead(302, { Location: 'deep/there.m3u8?x=1' }).end();
	}

	name(i) { return i % 2 ? `../${i}.ts` : `/moved/at/${i}.ts#part`; }

	other(request, reply, rest) {
		if (rest.startsWith('deep/there.m3u8'))
			super.playlist(request, reply);
		else if (rest.startsWith('at/'))
			reply.writeHead(302,
				{ Location: `../${rest.slice(3)}` }).end();
		else
			super.other(request, reply, rest);
	}
}

// Restarted: numbers, names and times.
class Restarts extends Live {
	anew = 9;

	name(i) { return `${i}.ts?${i < this.anew ? 'a' : 'b'}`; }
	number(i) { return i < this.anew ? super.number(i) : i - this.anew; }

	text() {
		const listed = this.listed();

		return super.text(listed.at(-1) < this.anew ? listed
			: listed.filter((i) => i >= this.anew));
	}
}

// The same while its numbers are few, and with names that were there before.
class Reuses extends Restarts {
	anew = Infinity;
	again;  // so many were listed when the first one was requested again

	constructor(segments) {
		super(segments, { window: 10, buffer: 5, sequence: 0 });
	}

	name(i) { return `${this.number(i)}.ts`; }
	isDone() { return this.again !== undefined; }

	segment(request, reply, i) {
		const later = i + this.anew;

		if (i === 12 && this.anew === Infinity)
			this.anew = this.count;
		if (later === this.anew && later < this.count)
			this.again ??= this.count - later;
		super.segment(request, reply, later < this.count ? later : i);
	}
}

// Shows old lists, and some segments twice.
class Repeats extends Live {
	playlist(request, reply, n) {
		if (n % 4 === 3)
			reply.end(this.old);
		else
			super.playlist(request, reply);
		if (n % 4 === 1)
			this.old = this.text();
	}

	name(i) { return i === 10 ? '9.ts' : super.name(i); }
}

// Two variants; the better one fails.
class Variants extends Live {
	constructor(high, low) {
		super(high);
		this.low = new Live(low);
		this.low.clock = this.clock;
	}

	playlist(request, reply) {
		reply.end(['#EXTM3U',
			'#EXT-X-STREAM-INF:BANDWIDTH=300000', 'low/live.m3u8',
			'#EXT-X-STREAM-INF:BANDWIDTH=900000', 'high.m3u8', '']
			.join('\n'));
	}

	segment(request, reply, i) {
		if (this.count > 9)
			reply.writeHead(500).end();
		else
			super.segment(request, reply, i);
	}

	other(request, reply, rest) {
		if (rest.startsWith('low/'))
			this.low.handle(request, reply, rest.slice(4));
		else
			reply.end(this.text());
	}
}

// Identifies its clients by a cookie, which it sets and replaces; segments are
// on another host, which must not receive it, and a cookie for TLS is never
// sent.
class Cookies extends Live {
	// a server that is trusted only by TLS
	host = '127.0.0.2';
	told = [];

	refuses(request, rest) {
		const cookie = request.headers.cookie ?? '';

		this.told.push(cookie);
		if (request.headers.host.startsWith('localhost'))
			return cookie !== '' || !rest.endsWith('?here');
		return rest !== 'live.m3u8' && !cookie.includes('pass=');
	}

	playlist(request, reply, n) {
		reply.writeHead(302, { Location: 'list?x', 'Set-Cookie': [
			`pass=${n}; Path=/cookies`, 'far=1; Secure',
			'else=1; Path=/elsewhere'] }).end();
	}

	segment(request, reply, i) {
		if (i % 2 || request.headers.host.startsWith('localhost'))
			super.segment(request, reply, i);
		else
			reply.writeHead(302, { Location:
				`http://localhost:7000/cookies/${i}.ts?here` })
				.end();
	}

	other(request, reply) { reply.end(this.text()); }
}

// Each list has tokens of its own, and rejects others.
class Tokens extends Live {
	now = 0;

	playlist(request, reply) {
		this.now++;
		super.playlist(request, reply);
	}

	name(i) { return `${i}.ts?token=${this.now}`; }

	refuses(request, rest) {
		const [, token] = rest.match(/token=(\d+)/) ?? [];

		return token !== undefined && this.now - Number(token) > 1;
	}
}

// As Apple's tools write it for low latency; packed, with a mark in front, the
// lines end as they do elsewhere.
class LowLatency extends Live {
	head(listed) {
		return ['#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,' +
			'PART-HOLD-BACK=1.5,CAN-SKIP-UNTIL=12.0',
		'#EXT-X-PART-INF:PART-TARGET=0.5',
		'#EXT-X-START:TIME-OFFSET=-2.5,PRECISE=YES',
		`#EXT-X-DISCONTINUITY-SEQUENCE:${listed[0] % 3}`,
		'#EXT-X-DEFINE:NAME="a",VALUE="b"'];
	}

	tags(i) {
		return ['#EXT-X-PROGRAM-DATE-TIME:' +
			new Date(1.7e12 + i * 1000).toISOString(),
		...[0, 1].map((part) => '#EXT-X-PART:DURATION=0.5,' +
			`URI="${i}.${part}.ts"${part ? '' :
				',INDEPENDENT=YES'}`), '#EXT-X-BITRATE:300'];
	}

	text() {
		return super.text() + [
			`#EXT-X-PART:DURATION=0.5,URI="${this.count}.0.ts"`,
			'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="' +
				`${this.count}.1.ts"`,
			'#EXT-X-RENDITION-REPORT:URI="../x.m3u8",LAST-MSN=9,' +
				'LAST-PART=1', ''].join('\n');
	}

	playlist(request, reply) {
		assert.match(request.headers['accept-encoding'], /gzip/);
		reply.setHeader('Content-Encoding', 'gzip');
		reply.end(zlib.gzipSync(
			`\ufeff${this.text().replaceAll('\n', '\r\n')}`));
	}

	refuses(request, rest) { return /^\d+\.\d/.test(rest); }
}

// Returns 404 for one segment.
class Gaps extends Live {
	tags(i) { return i === 9 ? ['#EXT-X-GAP'] : []; }
	refuses(request, rest) { return rest === '9.ts'; }
}

// Has PCRs of its own making: change(i) makes those of segment i.
class Clocks extends Live {
	constructor(segments, change) {
		super(segments);
		this.change = change;
	}

	data(i) { return withPcrs(super.data(i), this.change(i)); }
}

// Plays each programme for SECONDS and passes the output to `judged`, with the
// status at the end, and with the reference of times.
async function play(t, programmes, judged) {
	const names = Object.keys(programmes);
	const timing = new Timing(t);

	await serveHls(t, programmes);
	const sluice = await Sluice.start(t, config(...names.map((name, i) =>
		stream(name, `http://${programmes[name].host ?? '127.0.0.1'}` +
			`:7000/${name}/live.m3u8#follow=any&` +
			`buffer_time=${programmes[name].buffer}`,
			`udp://127.0.0.1:${6000 + i}`))));
	const recorder = await Recorder.start(t, ...names.map((_, i) => ({
		port: 6000 + i })));

	for (const name of names)
		await sluice.onair(name, 20000);
	const until = now() + SECONDS * 1000;
	await waitUntil('enough of it', () => now() > until &&
		Object.values(programmes).every((one) => one.isDone()),
	SECONDS * 3000);
	const statuses = new Map();

	timing.stop();
	const lists = await recorder.stop();

	for (const name of names)
		statuses.set(name, await sluice.status(name));
	await sluice.stop();
	const dir = tempDir(t);

	for (const [i, name] of names.entries())
		await t.test(name, async () => {
			const file = path.join(dir, `${name}.ts`);

			fs.writeFileSync(file, joined(lists[i]));
			await judged(name, await judge(recorder.file, i), file,
				statuses.get(name), timing);
		});
}

test('the output is one clean stream, whatever the server does', async (t) => {
	const { segments: clip } = await makeSegments({ seconds: 60 });
	const { segments: other } = await makeSegments({ tone: 880,
		offset: 5000, seconds: 60 });
	const programmes = {
		plain: new Live(clip),
		counters: new Counters(clip),
		renumbers: new Renumbers(clip),
		stalls: new Stalls(clip, { window: 10, buffer: 5 }),
		late: new Late(clip),
		misses: new Misses(clip),
		breaks: new Breaks(clip),
		truncates: new Truncates(clip),
		jumps: new Jumps(clip, other, true),
		unannounced: new Jumps(clip, other, false),
		keys: new Keys(clip),
		ranges: new Ranges(clip, true),
		whole: new Ranges(clip, false),
		moved: new Moved(clip),
		clockless: new Clocks(clip, () => () => null),
		frozen: new Clocks(clip, () => () => 900000),
		strange: new Clocks(clip, (i) =>
			(pcr) => pcr + (i % 2 ? 45000000 : 7)),
		restarts: new Restarts(clip),
		reuses: new Reuses(clip),
		repeats: new Repeats(clip),
		variants: new Variants(clip, other),
		cookies: new Cookies(clip),
		tokens: new Tokens(clip),
		low: new LowLatency(clip),
		gaps: new Gaps(clip),
	};
	const skips = new Set(['misses', 'gaps']);

	await play(t, programmes, async (name, found, file, status, timing) => {
		// no pause, except those of a busy machine
		timing.unlessHeldUp('', [status], () => assertOneStream(found,
			{ pauses: timing.busy() ? Infinity : 0 }));
		timing.assert(found.pcrStray < 1500,
			`strayed ${found.pcrStray} ms`);
		timing.assert(found.pcrSpan > SECONDS * 1000 - 2000,
			`${found.pcrSpan} ms came`);
		if (name === 'reuses')
			timing.assert(programmes.reuses.again <= 4,
				`${programmes.reuses.again} were listed`);
		// a server that is kept from its work has lost some by then
		const skipped = status.inputs[0].stats?.segments_skipped;
		const isWhole = skipped === (skips.has(name) ? 1 : 0);

		timing.assert(isWhole, `${skipped} were skipped`);
		// a picture without its end cannot be repaired
		if (isWhole && name !== 'truncates')
			await assertPlays(file);
	});
	const told = programmes.cookies.told.join();

	assert.match(told, /pass=[2-9]/);
	assert.doesNotMatch(told, /far|else/);
});

test('every fault of a hostile server is reported, and costs little',
	async (t) => {
	const block = Buffer.alloc(65536, 'x');
	const cases = {
		endless: [/longer than/, { 'live.m3u8':
			endless('#EXTM3U\n', '#EXT-X-X:3\n'.repeat(999)) }],
		line: [/longer than/, { 'live.m3u8':
			endless('#EXTM3U\n#', block) }],
		long: [/line 3: longer/, { 'live.m3u8':
			list(block.toString()) }],
		trailers: [/headers of the reply are longer/, {
			'live.m3u8': trailers('#EXTM3U\n') }],
		nul: [/does not begin/, { 'live.m3u8': (request, reply) =>
			reply.setHeader('Content-Type',
				'application/x-mpegurl').end('\0') }],
		loop: [/redirects/i, { 'live.m3u8': moved('live.m3u8') }],
		file: [/only http and https/, { 'live.m3u8':
			list(...segments('file:///etc/passwd', 'ftp://x')) }],
		variant: [/only http and https/, { 'live.m3u8':
			list('#EXT-X-STREAM-INF:BANDWIDTH=1', 'file:///x') }],
		sound: [/group "g": .*only http and https/, { 'live.m3u8':
			list('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",NAME="n",' +
				'URI="file:///etc/passwd"',
			'#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="g"', 'v.m3u8'),
		'v.m3u8': list('#EXT-X-MEDIA-SEQUENCE:7', ...segments('s')),
		s: page(new TsMux({ rate: 1e6 }).take(665)) }],
		away: [/redirects to file/, {
			'live.m3u8': advancing(...segments('s')),
			s: moved('file:///etc/passwd') }],
		nested: [/variant is a master/, { 'live.m3u8':
			list('#EXT-X-STREAM-INF:BANDWIDTH=1', 'live.m3u8') }],
		fragments: [/MP4/, { 'live.m3u8':
			list('#EXT-X-MAP:URI="i"', ...segments('s')) }],
		samples: [/SAMPLE-AES/, { 'live.m3u8':
			list('#EXT-X-KEY:METHOD=SAMPLE-AES,URI="k"',
				...segments('s')) }],
		key: [/key: longer than 16/, { 'live.m3u8':
			advancing('#EXT-X-KEY:METHOD=AES-128,URI="k"',
				...segments('s')), k: endless('', block) }],
		junk: [/no transport stream/, { 'live.m3u8':
			advancing(...segments('s')), s: page(block) }],
		junkEndless: [/too slowly/, { 'live.m3u8':
			list(...segments('s')), s: endless('', block) }],
		text: [/line 2: .*not an HLS/, { 'live.m3u8':
			page('#EXTM3U\nhttp://127.0.0.1/a.ts\n') }],
		// shorter than the usual wait
		short: [/playlist has ended/, { 'live.m3u8':
			list(...segments('s'), '#EXT-X-ENDLIST'),
		s: page(new TsMux({ rate: 1e6 }).take(665)) }],
		// a jar of cookies that is never full
		jar: [/playlist has ended/, jar()],
		bomb: [/longer than/, { 'live.m3u8': packed(
			Buffer.concat([Buffer.from('#EXTM3U\n'),
				Buffer.alloc(1 << 28)])) }],
		bomb2: [/compressed/, { 'live.m3u8': packed(
			Buffer.alloc(1 << 28, new TsMux({ rate: 1e6 })
				.take(7))) }],
		still: [/lists no new segments/, { 'live.m3u8':
			list('#EXT-X-MEDIA-SEQUENCE:7') }],
		// 7 if a slow client asks for the first list again
		back: [/old segments, up to number [56]: number [78] is/, {
			'live.m3u8': byTurns(...['s5,s6,s7', 's5,s6', 's5'].map(
				(uris) => list('#EXT-X-MEDIA-SEQUENCE:5',
					...segments(...uris.split(','))))),
			...Object.fromEntries(['s5', 's6', 's7'].map((uri) =>
				[uri, page(new TsMux({ rate: 1e6 })
					.take(665))])) }],
	};
	const names = Object.keys(cases);

	await serveHls(t, Object.fromEntries(names.map((name) =>
		[name, new Scripted(cases[name][1])])));
	const sluice = await Sluice.start(t, config(...names.map((name, i) =>
		stream(name, `http://127.0.0.1:7000/${name}/live.m3u8`,
			`udp://127.0.0.1:${6000 + i}`))));

	// the first fault may be followed by others: the report stays in the
	// log
	await Promise.all(names.map((name) => sluice.waitStatus(name,
		String(cases[name][0]), (s) => {
			const told = sluice.log.split('\n').filter((line) =>
				line.includes(`stream ${name}: `));

			return [s.inputs[0].error ?? '', ...told].some((text) =>
				cases[name][0].test(text));
		}, 60000)));
	assert.ok((await sluice.status('short')).outputs[0].packets > 550);
	for (const name of names) {
		const { pid } = sluice.worker('stream', name);
		const [, kib] = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
			.match(/VmHWM:\s*(\d+)/);

		// the program and a full buffer are 32 MiB; a bomb has 256
		assert.ok(sanitized || Number(kib) < 48 * 1024,
			`${name}: ${kib} KiB`);
		assert.equal((await sluice.status(name)).worker.restarts, 0);
	}
	await sluice.stop();
});
