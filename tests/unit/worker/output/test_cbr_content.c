/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The packets that a constant bit rate sends: duplicates stay consecutive
 * packets of their PID, and an overflow drops no table. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/output/cbr.h"
#include "worker/output/pacer.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define START (UINT64_C(77777) * MS)

enum { PMT = 0x100, VIDEO = 0x101, TICK_MS = 10 };

struct bench {
	struct cbr *cbr;
	struct build *ts;
	uint64_t now_ns;
	unsigned kbps;
	struct cc cc;
	unsigned errors, duplicates, inserted;
	uint64_t pcr; /* the last one */
	/* per table: the place of the last one, and the largest distance */
	uint64_t places;
	uint64_t last[2];
	double gap_ms[2];
};

static struct bench *bench_new(unsigned kbps)
{
	struct bench *b = calloc(1, sizeof *b);

	b->cbr = cbr_new(kbps, PACER_BURST_MS);
	b->ts = build_new();
	b->kbps = kbps;
	b->now_ns = START;
	return b;
}

static void bench_free(struct bench *b)
{
	cbr_free(&b->cbr);
	build_free(b->ts);
	free(b);
}

static void take_table(struct bench *b, unsigned table)
{
	double ms = (double)(b->places - b->last[table]) * TS_PACKET * 8 /
		    b->kbps;

	b->gap_ms[table] = MAX(b->gap_ms[table], ms);
	b->last[table] = b->places;
}

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++, b->places++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			enum cc_verdict cc = cc_feed(&b->cc, p);

			(void)ts_pcr(p, &b->pcr);
			b->errors += cc == CC_ERROR;
			b->duplicates += cc == CC_DUPLICATE;
			b->inserted += ts_pid(p) == VIDEO &&
				       !ts_has_payload(p);
			if (ts_pid(p) == TS_PID_PAT)
				take_table(b, 0);
			if (ts_pid(p) == PMT)
				take_table(b, 1);
		}
}

static void feed(struct bench *b)
{
	struct ts_run run = build_run(b->ts);

	b->now_ns += TICK_MS * MS;
	cbr_feed(b->cbr, &run, run.n > 0, b->now_ns);
	cbr_run(b->cbr, b->now_ns, take, b);
	b->ts->n = 0;
}

static uint64_t source_pcr(const struct bench *b)
{
	return (b->now_ns - START) / 1000 * 27;
}

static void repeat_last(struct bench *b)
{
	memcpy(b->ts->data + b->ts->n * TS_PACKET,
	       b->ts->data + (b->ts->n - 1) * TS_PACKET, TS_PACKET);
	b->ts->n++;
}

static struct cbr_counters counted(const struct bench *b)
{
	struct cbr_counters c;

	cbr_counters(b->cbr, &c);
	return c;
}

/* --- duplicates --- */

/* Every packet of the PCR PID is sent twice in a row, the PCRs 90 ms apart. */
Test(cbr_content, keeps_duplicates_consecutive)
{
	static const unsigned rates[] = { 500, 2000, 20000 };

	for (size_t r = 0; r < ARRAY_LEN(rates); r++) {
		struct bench *b = bench_new(rates[r]);
		unsigned made = 0;

		for (unsigned i = 0; i < 2000; i++) {
			if (i % 9 == 0)
				(void)build_pcr(b->ts, VIDEO, source_pcr(b));
			(void)build_payload(b->ts, VIDEO, (uint8_t)i);
			repeat_last(b);
			made++;
			feed(b);
		}
		cr_assert_eq(b->errors, 0, "%u kbit/s: %u", rates[r],
			     b->errors);
		cr_assert_geq(b->duplicates, made - 3);
		cr_assert_gt(b->inserted, 300);
		cr_assert_eq(counted(b).duplicates, 0);
		bench_free(b);
	}
}

/* The duplicates arrive so late that PCRs were inserted in front of them. */
Test(cbr_content, drops_a_duplicate_behind_an_inserted_pcr)
{
	struct bench *b = bench_new(2000);

	for (unsigned i = 0; i < 2000; i++) {
		uint8_t copy[TS_PACKET];

		if (i % 9 == 0)
			(void)build_pcr(b->ts, VIDEO, source_pcr(b));
		memcpy(copy, build_payload(b->ts, VIDEO, (uint8_t)i),
		       TS_PACKET);
		for (unsigned k = 0; k <= i % 4; k++)
			feed(b);
		memcpy(b->ts->data, copy, TS_PACKET);
		b->ts->n = 1;
		feed(b);
	}
	cr_assert_eq(b->errors, 0, "%u", b->errors);
	cr_assert_gt(counted(b).duplicates, 100);
	cr_assert_gt(b->duplicates, 100);
	bench_free(b);
}

/* Packets of other PIDs that were damaged into this one.  The PCRs of the
 * source are so far apart that others are inserted behind them. */
Test(cbr_content, inserted_pcrs_have_the_counter_of_an_intact_packet)
{
	struct bench *b = bench_new(2000);

	for (unsigned i = 0; i < 2000; i++) {
		if (i % 9 == 0)
			(void)build_pcr(b->ts, VIDEO, source_pcr(b));
		if (i % 9 == 3) {
			(void)build_payload(b->ts, VIDEO, (uint8_t)i);
			memset(b->ts->data + b->ts->n * TS_PACKET, 0x55,
			       TS_PACKET);
			b->ts->data[b->ts->n * TS_PACKET] = TS_SYNC_BYTE;
			b->ts->data[b->ts->n * TS_PACKET + 1] =
				0x80 | VIDEO >> 8;
			b->ts->data[b->ts->n * TS_PACKET + 2] = VIDEO & 0xff;
			b->ts->data[b->ts->n++ * TS_PACKET + 3] =
				(uint8_t)(0x10 | i % 16);
		}
		feed(b);
	}
	cr_assert_eq(b->errors, 0, "%u", b->errors);
	cr_assert_gt(b->inserted, 300);
	bench_free(b);
}

/* Feeds a second of the source.  Its first packet announces a time base that is
 * `ahead' of the source's time, and is repeated when PCRs were inserted. */
static void feed_base(struct bench *b, uint64_t ahead)
{
	uint8_t *p = build_payload(b->ts, VIDEO, 1), copy[TS_PACKET];

	p[3] |= 0x20;
	p[4] = 7;
	p[5] = 0x90; /* discontinuity_indicator, PCR */
	ts_set_pcr(p, source_pcr(b) + ahead);
	memcpy(copy, p, TS_PACKET);
	for (unsigned i = 0; i < 6; i++)
		feed(b);
	memcpy(b->ts->data, copy, TS_PACKET);
	b->ts->n = 1;
	feed(b);
	for (unsigned i = 0; i < 93; i++) {
		(void)build_pcr(b->ts, VIDEO, source_pcr(b) + ahead);
		(void)build_payload(b->ts, VIDEO, (uint8_t)i);
		feed(b);
	}
}

Test(cbr_content, a_dropped_duplicate_announces_no_time_base)
{
	struct bench *b = bench_new(2000);

	for (unsigned i = 0; i < 5; i++) {
		uint64_t ahead = i % 2 * 20 * PCR_HZ;

		feed_base(b, ahead);
		cr_assert_eq(counted(b).duplicates, i + 1);
		cr_assert_lt(llabs(wrap_diff(b->pcr, source_pcr(b) + ahead,
					     PCR_WRAP)),
			     (int64_t)PCR_HZ, "%u", i);
	}
	cr_assert_eq(b->errors, 0);
	bench_free(b);
}

/* --- overflow --- */

/* The tables arrive every_ms; from: the first tick that counts. */
static void overflow(unsigned kbps, unsigned packets, unsigned every_ms,
		     unsigned from)
{
	struct bench *b = bench_new(kbps);

	for (unsigned i = 0; i < 3000; i++) {
		size_t half = packets / 2;

		if (i % 4 == 0)
			(void)build_pcr(b->ts, VIDEO, source_pcr(b));
		for (size_t k = 0; k < half; k++)
			(void)build_payload(b->ts, VIDEO, (uint8_t)k);
		if (i % (every_ms / TICK_MS) == 1)
			build_tables(b->ts);
		for (size_t k = half; k < packets; k++)
			(void)build_payload(b->ts, VIDEO, (uint8_t)k);
		if (i == from)
			memset(b->gap_ms, 0, sizeof b->gap_ms);
		feed(b);
	}
	cr_assert_gt(counted(b).overflow, 1000);
	for (unsigned i = 0; i < 2; i++)
		cr_assert_leq(b->gap_ms[i], 500, "%u kbit/s: table %u: %.0f ms",
			      kbps, i, b->gap_ms[i]);
	bench_free(b);
}

/* TR 101 290 1.3 and 1.5 require a PAT and each PMT in 500 ms. */
Test(cbr_content, drops_no_table_in_an_overflow)
{
	/* from the first packet on, while the queue becomes longer */
	overflow(500, 5, 100, 0);
	overflow(2000, 15, 200, 0);
	overflow(2000, 60, 100, 0);
	overflow(20000, 150, 200, 0);
	/* with a full queue, tables that are just often enough */
	overflow(500, 5, 400, 400);
	overflow(2000, 15, 400, 400);
	overflow(2000, 60, 400, 400);
	overflow(20000, 150, 400, 400);
}

/* --- PIDs of the clock --- */

static void put_tables(struct bench *b, uint16_t pcr_pid, uint8_t version)
{
	const struct build_entry pat = { 1, PMT }, pmt = { 1, pcr_pid };
	const struct build_es es = { .type = 0x1b, .pid = pcr_pid,
				     .desc = "" };
	uint8_t section[1024];

	(void)build_section(b->ts, TS_PID_PAT, section,
			    build_pat(section, 0, &pat, 1));
	(void)build_section(b->ts, PMT, section,
			    build_pmt(section, pmt, version, &es, 1));
}

/* Plays a source with PCRs on this PID each 30 ms. */
static void play(struct bench *b, uint16_t pcr_pid, uint8_t version,
		 unsigned ms)
{
	for (unsigned at = 0; at < ms; at += TICK_MS) {
		if (at % 100 == 0)
			put_tables(b, pcr_pid, version);
		if (at % 30 == 0)
			(void)build_pcr(b->ts, pcr_pid, source_pcr(b));
		(void)build_payload(b->ts, pcr_pid, 0);
		feed(b);
	}
}

Test(cbr_content, inserts_no_pcr_on_the_pid_of_the_source_before)
{
	struct bench *b = bench_new(2000);
	unsigned inserted;

	play(b, VIDEO, 0, 2000);
	/* while its table is valid, its clock continues */
	inserted = b->inserted;
	for (unsigned i = 0; i < 100; i++)
		feed(b);
	cr_assert_gt(b->inserted, inserted + 25);
	play(b, VIDEO + 0x10, 1, 50);
	inserted = b->inserted;
	play(b, VIDEO + 0x10, 1, 3000);
	cr_assert_eq(b->inserted, inserted, "%u", b->inserted - inserted);
	bench_free(b);
}

Test(cbr_content, a_program_has_a_clock_whatever_other_pids_have_pcrs)
{
	struct bench *b = bench_new(8000);
	unsigned inserted;

	for (unsigned i = 0; i < 200; i++) {
		if (i % 10 == 0)
			put_tables(b, VIDEO, 0);
		for (unsigned k = 0; i % 3 == 0 && k < CBR_CLOCKS; k++)
			(void)build_pcr(b->ts, (uint16_t)(0x200 + k),
					source_pcr(b));
		if (i % 3 == 0 && i > 100)
			(void)build_pcr(b->ts, VIDEO, source_pcr(b));
		feed(b);
	}
	inserted = b->inserted;
	for (unsigned i = 0; i < 100; i++)
		feed(b);
	cr_assert_gt(b->inserted, inserted + 25);
	bench_free(b);
}
