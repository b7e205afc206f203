/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More PIDs than the splice can follow have a PES header in several packets. */
#include "tests/unit/worker/ts/build.h"
#include "worker/splice/splice.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	PMT = 0x100, CLOCK = 0x101, FIRST = 0x200,
	FOLLOWED = 64, /* SPLICE_SPLITS */
	PIDS = 2 * FOLLOWED + 2,
};

#define MS UINT64_C(1000000)
#define LAP (UINT64_C(90) * 480)
#define SHOWN (UINT64_C(90) * 500)

struct rig {
	struct splice *splice;
	struct build *b;
	uint64_t now_ns;
	struct pes_reader reader;
	unsigned units[PIDS];  /* with a PTS */
	unsigned begun[PIDS];
	uint64_t pts[PIDS];    /* the last one */
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			unsigned pid = ts_pid(p) - FIRST;
			struct pes_stamps unit;
			enum pes_sign sign;

			if (ts_pid(p) < FIRST || pid >= PIDS)
				continue;
			r->begun[pid] += ts_pusi(p);
			sign = pes_reader_take(&r->reader, p, &unit);
			/* it reads fewer at once than begin here */
			if (sign == PES_READ) {
				r->units[pid]++;
				r->pts[pid] = unit.pts;
			}
		}
}

static void feed(struct rig *r)
{
	struct ts_run run = build_run(r->b);

	splice_feed(r->splice, &run, 1, r->now_ns);
	r->b->n = 0;
	r->now_ns += 20 * MS;
	splice_turn(r->splice, r->now_ns);
}

static void add_unit(struct rig *r, unsigned i)
{
	uint8_t *p = build_pes(r->b, (uint16_t)(FIRST + i), "data", 4);
	struct pes_times at;

	cr_assert(pes_times(p, &at));
	pes_set_time(p + at.pts, SHOWN);
}

static void add_tables(struct rig *r)
{
	const struct build_entry pat = { 1, PMT }, pmt = { 1, CLOCK };
	struct build_es es[PIDS + 1] = { { .type = 0x1b, .pid = CLOCK } };
	uint8_t section[1024];

	for (unsigned i = 0; i < PIDS; i++)
		es[i + 1] = (struct build_es){ .type = 0x06,
					       .pid = (uint16_t)(FIRST + i) };
	build_section(r->b, 0, section, build_pat(section, 0, &pat, 1));
	build_section(r->b, PMT, section,
		      build_pmt(section, pmt, 0, es, PIDS + 1));
}

/* Units of n PIDs whose first packets, with so many bytes, are in front of all
 * others. */
static void feed_split(struct rig *r, unsigned from, unsigned n, size_t first)
{
	struct build *sorted = build_new();

	for (unsigned i = 0; i < n; i++) {
		add_unit(r, from + i);
		build_split(r->b, first);
	}
	for (size_t i = 0; i < 2 * n; i++)
		memcpy(sorted->data + i * TS_PACKET,
		       build_packet(r->b, i < n ? 2 * i : 2 * (i - n) + 1),
		       TS_PACKET);
	memcpy(r->b->data, sorted->data, 2 * n * TS_PACKET);
	build_free(sorted);
	feed(r);
}

/* A lap of whole units, and the begin of the next one. */
static void rig_init(struct rig *r)
{
	*r = (struct rig){ .b = build_new(), .now_ns = 77 * MS };
	r->splice = splice_new(&(struct splice_config){ .out = take,
							.arg = r });
	for (unsigned i = 0; i < 24; i++) {
		if (i % 5 == 0)
			add_tables(r);
		(void)build_pcr(r->b, CLOCK, (uint64_t)i * 20 * 27000);
		for (unsigned k = 0; i == 1 && k < PIDS; k++)
			add_unit(r, k);
		feed(r);
	}
	splice_shift(r->splice, LAP);
	add_tables(r);
	(void)build_pcr(r->b, CLOCK, 0);
	feed(r);
	(void)build_pcr(r->b, CLOCK, 20 * 27000);
	feed(r);
}

static void rig_done(struct rig *r)
{
	splice_free(&r->splice);
	build_free(r->b);
}

Test(many_splits, no_time_of_the_source_goes_out)
{
	for (size_t first = 1; first < PES_HEADER + 2; first++) {
		struct rig r;
		unsigned moved = 0;

		rig_init(&r);
		memset(r.begun, 0, sizeof r.begun);
		memset(r.pts, 0, sizeof r.pts);
		feed_split(&r, 0, FOLLOWED + 1, first);
		for (unsigned i = 0; i <= FOLLOWED; i++) {
			moved += r.pts[i] == SHOWN + LAP;
			cr_expect_neq(r.pts[i], SHOWN, "%u, split at %zu", i,
				      first);
		}
		cr_expect_geq(moved, (unsigned)PES_READER_MAX - 1);
		cr_expect_eq(r.begun[FOLLOWED], first >= PES_HEADER - 1,
			     "split at %zu", first);
		rig_done(&r);
	}
}

/* Their headers have ended, so that there is room for others. */
Test(many_splits, pids_that_have_ended_cost_no_time)
{
	struct rig r;

	rig_init(&r);
	for (unsigned i = 0; i < PIDS; i++) {
		memset(r.pts, 0, sizeof r.pts);
		feed_split(&r, i, 1, 10);
		cr_assert_eq(r.pts[i], SHOWN + LAP, "PID %u", i);
	}
	rig_done(&r);
}

static uint64_t dropped(const struct rig *r)
{
	struct splice_counters c;

	splice_counters(r->splice, &c);
	return c.dropped;
}

/* At any time one header waits for its rest, but each only for a moment. */
Test(many_splits, waits_without_a_pause_between_them_drop_no_unit)
{
	enum { LAST_MS = 2000, EVERY_MS = 6, LATE_MS = 10, AT_ONCE = 8 };
	uint8_t rests[AT_ONCE][TS_PACKET];
	uint64_t before;
	struct rig r;

	rig_init(&r);
	before = dropped(&r);
	for (unsigned ms = 0; ms < LAST_MS; ms++) {
		struct build *b = r.b;
		struct pes_times at;
		struct ts_run run;

		if (ms % 20 == 0)
			(void)build_pcr(b, CLOCK, (uint64_t)(40 + ms) * 27000);
		if (ms >= LATE_MS && (ms - LATE_MS) % EVERY_MS == 0)
			memcpy(b->data + b->n++ * TS_PACKET,
			       rests[(ms - LATE_MS) / EVERY_MS % AT_ONCE],
			       TS_PACKET);
		if (ms % EVERY_MS == 0) {
			add_unit(&r, ms / EVERY_MS % AT_ONCE);
			cr_assert(pes_times(build_packet(b, b->n - 1), &at));
			pes_set_time(build_packet(b, b->n - 1) + at.pts,
				     SHOWN + 90 * (uint64_t)ms);
			build_split(b, 10);
			memcpy(rests[ms / EVERY_MS % AT_ONCE],
			       build_packet(b, b->n - 1), TS_PACKET);
			b->n--;
		}
		run = build_run(b);
		splice_feed(r.splice, &run, 1, r.now_ns);
		b->n = 0;
		r.now_ns += MS;
		splice_turn(r.splice, r.now_ns);
	}
	cr_assert_eq(dropped(&r), before);
	cr_assert_gt(r.units[0], LAST_MS / EVERY_MS / AT_ONCE - 2);
	rig_done(&r);
}
