/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of PES that begin at the end of a packet: their times are moved in
 * all packets that have a part of them. */
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/splice/splice.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	VIDEO = 0x101,
	AUDIO = 0x102,
	UNIT = 300,        /* bytes of a PES of audio */
	UNITS_MAX = 2000,
	UNIT_MS = 24,
	LAP_MS = 480,
	LAPS = 4,
	HEADER = 28,       /* bytes with all stamps and stuffing */
	OUT_MAX = 20000,
};

#define MS UINT64_C(1000000)
/* The times wrap in the first lap. */
#define START (PES_TIME_WRAP - 90 * 200)
#define LAP (UINT64_C(90) * LAP_MS)

struct bench {
	struct splice *splice;
	struct build *ts;
	uint64_t now_ns;
	/* how it is split: bytes in the first packet, and in the second one */
	size_t first, second;
	bool doubled;      /* each packet of audio comes twice */
	size_t each;       /* packets of a feed */
	unsigned laps, ms; /* of this lap */
	unsigned lead_ms;  /* of the times over the clock */
	unsigned units;
	uint8_t unit[UNIT]; /* this unit, ... */
	size_t done;       /* ... whose first bytes have been sent */
	bool mute;         /* no packet follows the first one of a unit */
	uint64_t expected[UNITS_MAX][3]; /* PTS, DTS, ESCR */
	size_t n;
	uint8_t out[OUT_MAX][TS_PACKET];
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(b->n + runs[i].n, (size_t)OUT_MAX);
		memcpy(b->out[b->n], runs[i].data, runs[i].n * TS_PACKET);
		b->n += runs[i].n;
	}
}

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof *b);

	b->splice = splice_new(&(struct splice_config){ .out = take,
							.arg = b });
	b->ts = build_new();
	b->now_ns = 77 * MS;
	b->second = TS_PACKET - 4;
	b->lead_ms = 500;
	b->each = 1;
	return b;
}

static void bench_free(struct bench *b)
{
	splice_free(&b->splice);
	build_free(b->ts);
	free(b);
}

/* --- the source --- */

static uint64_t clock_of(const struct bench *b)
{
	return (START + 90 * (uint64_t)b->ms) % PES_TIME_WRAP;
}

static void set_escr(uint8_t *p, uint64_t base)
{
	p[0] = (uint8_t)(0xc4 | (base >> 30 & 7) << 3 | (base >> 28 & 3));
	p[1] = (uint8_t)(base >> 20);
	p[2] = (uint8_t)((base >> 15 & 31) << 3 | 4 | (base >> 13 & 3));
	p[3] = (uint8_t)(base >> 5);
	p[4] = (uint8_t)((base & 31) << 3 | 4 | 1);
	p[5] = 0x55;
}

static uint64_t escr_of(const uint8_t *p)
{
	return (uint64_t)(p[0] >> 3 & 7) << 30 |
	       (uint64_t)((p[0] & 3) << 13 | p[1] << 5 | p[2] >> 3) << 15 |
	       (uint64_t)((p[2] & 3) << 13 | p[3] << 5 | p[4] >> 3);
}

/* The next unit, with another set of stamps each time. */
static void make_unit(struct bench *b)
{
	static const uint8_t flags[] = { 0x80, 0xc0, 0xe0, 0xa0 };
	uint64_t shown = (clock_of(b) + 90 * b->lead_ms) % PES_TIME_WRAP;
	uint64_t moved = b->laps * LAP;
	uint8_t *p = b->unit, *at = p + PES_HEADER;

	cr_assert_lt(b->units, (unsigned)UNITS_MAX);
	memset(p, 0xff, UNIT);
	memcpy(p, (const uint8_t[]){ 0, 0, 1, 0xc0, 0, (UNIT - 6) & 0xff, 0x80,
				     flags[b->units % 4], HEADER - PES_HEADER },
	       PES_HEADER);
	p[4] = (UNIT - 6) >> 8;
	memcpy(at, (const uint8_t[]){ 0x21, 0, 1, 0, 1 }, 5);
	pes_set_time(at, shown);
	at += 5;
	b->expected[b->units][0] = (shown + moved) % PES_TIME_WRAP;
	if (p[7] & 0x40) {
		memcpy(at, (const uint8_t[]){ 0x11, 0, 1, 0, 1 }, 5);
		pes_set_time(at, shown);
		at += 5;
		b->expected[b->units][1] = (shown + moved) % PES_TIME_WRAP;
	}
	if (p[7] & 0x20) {
		set_escr(at, clock_of(b));
		b->expected[b->units][2] =
			(clock_of(b) + moved) % PES_TIME_WRAP;
	}
	memcpy(p + HEADER, &b->units, sizeof b->units);
	b->units++;
	b->done = 0;
}

/* A packet with n bytes of the unit. */
static void add_part(struct bench *b, size_t n)
{
	uint8_t *p = build_payload(b->ts, AUDIO, 0xff);

	n = MIN(n, UNIT - b->done);
	if (b->done == 0)
		p[1] |= 0x40;
	if (n < TS_PACKET - 4) {
		p[3] |= 0x20;
		p[4] = (uint8_t)(TS_PACKET - 5 - n);
		if (p[4] > 0)
			p[5] = 0;
	}
	memcpy(p + TS_PACKET - n, b->unit + b->done, n);
	b->done += n;
	if (b->doubled)
		memcpy(build_packet(b->ts, b->ts->n++), p, TS_PACKET);
}

/* One millisecond of the source. */
static void make(struct bench *b)
{
	if (b->ms % 100 == 0)
		build_tables(b->ts);
	if (b->ms % UNIT_MS == 5)
		make_unit(b);
	if (b->ms % 20 == 0)
		(void)build_pcr(b->ts, VIDEO, clock_of(b) * 300);
	else if (b->ms % 4 == 1 && b->done < UNIT && b->units > 0 &&
		 !(b->mute && b->done > 0))
		add_part(b, b->done == 0 ? b->first
			    : b->done == b->first ? b->second : TS_PACKET - 4);
	else
		(void)build_payload(b->ts, VIDEO, 0xaa);
	b->ms++;
}

static void play(struct bench *b, unsigned ms)
{
	for (unsigned i = 0; i < ms; i++) {
		b->ts->n = 0;
		make(b);
		for (size_t at = 0; at < b->ts->n; at += b->each) {
			struct ts_run run = build_run(b->ts);

			run.data += at * TS_PACKET;
			run.n = MIN(b->each, b->ts->n - at);
			splice_feed(b->splice, &run, 1, b->now_ns);
		}
		b->now_ns += MS;
		splice_turn(b->splice, b->now_ns);
	}
}

static void play_laps(struct bench *b)
{
	for (; b->laps < LAPS; b->laps++) {
		play(b, LAP_MS);
		splice_shift(b->splice, LAP);
		b->ms = 0;
	}
	/* the last packets pass */
	b->now_ns += 300 * MS;
	splice_turn(b->splice, b->now_ns);
}

/* --- the judge, which reassembles each PES --- */

static void judge_unit(const struct bench *b, const uint8_t *p, unsigned *seen)
{
	const uint8_t *at = p + PES_HEADER;
	const uint64_t *expected;
	unsigned number;

	memcpy(&number, p + HEADER, sizeof number);
	cr_assert_eq(number, *seen, "unit %u instead of %u", number, *seen);
	expected = b->expected[number];
	cr_assert_eq(pes_time(at), expected[0], "PTS of unit %u, %zu and %zu",
		     number, b->first, b->second);
	at += 5;
	if (p[7] & 0x40) {
		cr_assert_eq(pes_time(at), expected[1],
			     "DTS of unit %u, %zu and %zu", number, b->first,
			     b->second);
		at += 5;
	}
	if (p[7] & 0x20) {
		cr_assert_eq(escr_of(at), expected[2],
			     "ESCR of unit %u, %zu and %zu", number, b->first,
			     b->second);
		cr_assert_eq(at[5], 0x55);
		at += 6;
	}
	while (at < p + HEADER)
		cr_assert_eq(*at++, 0xff);
	*seen = number + 1;
}

static void judge(const struct bench *b)
{
	uint8_t unit[UNIT];
	const uint8_t *last = NULL;
	size_t len = UNIT;
	unsigned seen = 0;

	for (size_t i = 0; i < b->n; i++) {
		const uint8_t *p = b->out[i];
		size_t at = ts_payload_offset(p);

		if (ts_pid(p) != AUDIO)
			continue;
		if (last != NULL && ts_cc(p) == ts_cc(last)) {
			cr_assert(b->doubled);
			cr_assert_arr_eq(p, last, TS_PACKET);
			continue;
		}
		cr_assert(last == NULL ||
			  ts_cc(p) == ((ts_cc(last) + 1) & 0x0f));
		last = p;
		if (ts_pusi(p))
			len = 0;
		if (len == UNIT)
			continue;
		cr_assert_leq(len + TS_PACKET - at, (size_t)UNIT);
		memcpy(unit + len, p + at, TS_PACKET - at);
		len += TS_PACKET - at;
		if (len == UNIT)
			judge_unit(b, unit, &seen);
	}
	/* the last one may not have ended */
	cr_assert_geq(seen + 1, b->units, "%u of %u", seen, b->units);
}

/* --- */

Test(split, times_are_moved_wherever_the_header_is_split)
{
	for (size_t first = 1; first < 30; first++)
		for (size_t each = 1; each <= 4; each += 3) {
			struct bench *b = bench_new();

			b->first = first;
			b->each = each;
			play_laps(b);
			judge(b);
			bench_free(b);
		}
}

Test(split, a_header_may_have_parts_in_three_packets)
{
	for (size_t first = 1; first < 24; first++)
		for (size_t second = 1; second < 24; second += 3) {
			struct bench *b = bench_new();

			b->first = first;
			b->second = second;
			play_laps(b);
			judge(b);
			bench_free(b);
		}
}

Test(split, duplicates_have_the_same_times)
{
	for (size_t first = 1; first < 26; first++) {
		struct bench *b = bench_new();

		b->first = first;
		b->doubled = true;
		play_laps(b);
		judge(b);
		bench_free(b);
	}
}

/* The rest of a header never comes: nothing waits longer than for a PCR, and
 * no time of the source goes out. */
Test(split, a_header_without_its_rest_has_no_times)
{
	struct bench *b = bench_new();
	size_t before, units = 0;

	b->first = 14; /* the PTS is whole, and the DTS is not */
	play(b, LAP_MS);
	splice_shift(b->splice, LAP);
	b->laps++;
	b->ms = 0;
	before = b->n;
	b->mute = true;
	play(b, LAP_MS);
	b->now_ns += SPLICE_WAITS_MS * MS;
	splice_turn(b->splice, b->now_ns);
	for (size_t i = before; i < b->n; i++) {
		const uint8_t *p = b->out[i];
		uint64_t pts;

		if (ts_pid(p) != AUDIO || !ts_pusi(p))
			continue;
		units++;
		/* the PES whose header has no more stamps is whole */
		cr_assert(!pes_pts(p, &pts) || pts == b->expected[b->units -
								 1][0] ||
			  (p[ts_payload_offset(p) + 7] & 0x60) == 0);
	}
	cr_assert_gt(units, (size_t)(LAP_MS / UNIT_MS - 3));
	bench_free(b);
}

/* Packets with an error or with the same counter have no part of a header. */
Test(split, packets_without_the_rest_do_not_prolong_the_wait)
{
	struct bench *b = bench_new();
	size_t before;
	unsigned last;

	b->first = PES_HEADER + 1;
	play(b, LAP_MS);
	splice_shift(b->splice, LAP);
	b->laps++;
	b->ms = 0;
	b->mute = true;
	/* the first packet of a unit is the last one */
	play(b, 6);
	before = b->n;
	last = ts_cc(build_packet(b->ts, b->ts->n - 1));
	for (unsigned ms = 0; ms < SPLICE_DOUBT_MS + 50; ms++) {
		struct ts_run run;
		uint8_t *p;

		b->ts->n = 0;
		p = build_payload(b->ts, AUDIO, 0xff);
		if (ms % 2 == 0)
			p[1] |= 0x80;
		ts_set_cc(p, last);
		(void)build_payload(b->ts, VIDEO, 0xaa);
		run = build_run(b->ts);
		splice_feed(b->splice, &run, 1, b->now_ns);
		b->now_ns += MS;
		splice_turn(b->splice, b->now_ns);
	}
	cr_expect_gt(b->n, before + SPLICE_DOUBT_MS);
	bench_free(b);
}

Test(split, headers_on_ever_more_pids_do_not_add_up_their_waits)
{
	enum { MOST = SPLICE_SPLIT_WAITS_MS + 10, LAST_MS = 3000 };
	struct bench *b = bench_new();
	struct ts_run run;
	size_t before;

	play(b, LAP_MS);
	splice_shift(b->splice, LAP);
	before = b->n;
	for (unsigned ms = 1; ms < LAST_MS; ms++) {
		b->ts->n = 0;
		(void)build_payload(b->ts, VIDEO, 0xaa);
		if (ms % 30 == 0) {
			(void)build_pes(b->ts, (uint16_t)(0x400 + ms), "", 0);
			build_split(b->ts, 5);
			b->ts->n--; /* the rest never comes */
		}
		run = build_run(b->ts);
		splice_feed(b->splice, &run, 1, b->now_ns);
		b->now_ns += MS;
		splice_turn(b->splice, b->now_ns);
		cr_assert_leq(ms, b->n - before + MOST);
	}
	bench_free(b);
}

/* Streams without the optional header have no times to wait for. */
Test(split, a_short_pes_without_times_does_not_wait)
{
	static const uint8_t padding[] = { 0, 0, 1, 0xbe, 0, 1, 0xff };
	struct bench *b = bench_new();
	struct ts_run run;
	size_t before;
	uint8_t *p;

	play(b, LAP_MS);
	splice_shift(b->splice, LAP);
	b->mute = true;
	before = b->n;
	b->ts->n = 0;
	memcpy(b->unit, padding, sizeof padding);
	b->done = 0;
	add_part(b, sizeof padding);
	p = build_payload(b->ts, VIDEO, 0xaa);
	cr_assert_eq(ts_pid(p), VIDEO);
	run = build_run(b->ts);
	splice_feed(b->splice, &run, 1, b->now_ns);
	cr_expect_eq(b->n, before + 2);
	bench_free(b);
}

/* The PTS of each unit is later than the one before. */
static void judge_order(const struct bench *b, size_t least)
{
	uint8_t header[HEADER];
	uint64_t pts, before = 0;
	size_t len = HEADER, units = 0;

	for (size_t i = 0; i < b->n; i++) {
		const uint8_t *p = b->out[i];
		size_t at = ts_payload_offset(p), n;

		if (ts_pid(p) != AUDIO)
			continue;
		if (ts_pusi(p))
			len = 0;
		if (len == HEADER)
			continue;
		n = MIN(TS_PACKET - at, HEADER - len);
		memcpy(header + len, p + at, n);
		len += n;
		if (len < HEADER)
			continue;
		pts = pes_time(header + PES_HEADER);
		cr_assert(units++ == 0 ||
			  wrap_diff(pts, before, PES_TIME_WRAP) > 0,
			  "unit %zu, split at %zu: %d ms back", units, b->first,
			  (int)wrap_diff(before, pts, PES_TIME_WRAP) / 90);
		before = pts;
	}
	cr_assert_geq(units, least);
}

/* The rest comes later than packets wait.  The first packet does not have the
 * flags that say which times follow. */
Test(split, a_header_whose_rest_is_late_has_no_times_of_the_source)
{
	for (size_t first = 1; first < PES_HEADER - 1; first++) {
		struct bench *b = bench_new();

		b->first = first;
		play(b, LAP_MS);
		splice_shift(b->splice, LAP);
		b->laps++;
		b->ms = 0;
		while (b->done != first)
			play(b, 1);
		b->now_ns += (SPLICE_DOUBT_MS + 1) * MS;
		splice_turn(b->splice, b->now_ns);
		play(b, LAP_MS / 2);
		judge_order(b, LAP_MS / UNIT_MS);
		bench_free(b);
	}
}

/* Units of another source that begin before the end of those that were sent
 * are dropped, from the first cut on. */
Test(split, units_of_another_source_follow_those_that_were_sent)
{
	for (size_t first = 1; first < 24; first++)
		for (size_t each = 1; each <= 4; each += 3) {
			struct bench *b = bench_new();

			b->first = first;
			b->each = each;
			for (unsigned source = 0; source < 3; source++) {
				play(b, LAP_MS);
				splice_cut(b->splice, NULL, false, b->now_ns);
				b->lead_ms -= 150;
			}
			b->now_ns += 300 * MS;
			splice_turn(b->splice, b->now_ns);
			judge_order(b, 2 * LAP_MS / UNIT_MS);
			bench_free(b);
		}
}

/* A switch waits for the end of such a unit. */
Test(split, a_drain_ends_the_unit)
{
	for (size_t first = 1; first < 24; first++) {
		struct bench *b = bench_new();
		struct ts_run run;
		size_t sent = 0;

		b->first = first;
		play(b, LAP_MS);
		while (b->done != first + b->second)
			play(b, 1);
		splice_cut(b->splice, NULL, true, b->now_ns);
		cr_assert(splice_is_draining(b->splice, b->now_ns),
			  "split at %zu", first);
		b->ts->n = 0;
		add_part(b, UNIT);
		run = build_run(b->ts);
		splice_drain(b->splice, &run, 1, b->now_ns);
		cr_assert(!splice_is_draining(b->splice, b->now_ns));
		for (size_t i = 0; i < b->n; i++) {
			const uint8_t *p = b->out[i];

			if (ts_pid(p) != AUDIO)
				continue;
			sent = ts_pusi(p) ? 0 : sent;
			sent += TS_PACKET - ts_payload_offset(p);
		}
		cr_assert_eq(sent, (size_t)UNIT);
		bench_free(b);
	}
}

/* The bytes of the last unit that was sent. */
static size_t last_unit(const struct bench *b)
{
	size_t len = 0;

	for (size_t i = 0; i < b->n; i++) {
		const uint8_t *p = b->out[i];

		if (ts_pid(p) != AUDIO)
			continue;
		len = ts_pusi(p) ? 0 : len;
		len += TS_PACKET - ts_payload_offset(p);
	}
	return len;
}

/* A cut comes while a header waits for its rest: its unit is not begun. */
static void cut_in_header(size_t first, bool changed, bool drain)
{
	struct bench *b = bench_new();
	size_t len;

	b->first = first;
	play(b, LAP_MS);
	if (changed) {
		splice_cut(b->splice, NULL, false, b->now_ns);
		b->lead_ms += 200;
		play(b, 2 * LAP_MS);
	}
	while (b->done != first || pes_head_len(b->unit, UNIT) <= first)
		play(b, 1);
	splice_cut(b->splice, NULL, drain, b->now_ns);
	cr_expect(!splice_is_draining(b->splice, b->now_ns));
	len = last_unit(b);
	cr_expect_eq(len, (size_t)UNIT, "split at %zu, %d, %d: %zu bytes",
		     first, changed, drain, len);
	bench_free(b);
}

Test(split, a_cut_in_a_header_begins_no_unit)
{
	for (size_t first = 1; first < 24; first++)
		for (unsigned i = 0; i < 4; i++)
			cut_in_header(first, i & 1, i & 2);
}
