/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The monitor and the judge of the system tests (tests/helpers/buffers.h),
 * which share no code, find the same faults of buffers in captured streams.
 * The captures are parts of a multiplex: null packets bring them to a constant
 * rate again.
 */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/helpers/buffers.h"
#include "tests/unit/worker/ts/sample.h"
#include "worker/analysis/monitor_state.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	SAMPLE_MOST = 1 << 14,
	MOST = 1 << 18,
	RATE = 20000000,
	SHIFT_MS = 450,
};

/* A multiplex of RATE. */
struct multiplex {
	size_t n;
	uint8_t packets[MOST][TS_PACKET];
};

static void add_null(struct multiplex *x)
{
	static const uint8_t head[] = { TS_SYNC_BYTE, 0x1f, 0xff, 0x10 };

	cr_assert_lt(x->n, MOST);
	memset(x->packets[x->n], 0xff, TS_PACKET);
	memcpy(x->packets[x->n++], head, sizeof head);
}

/* The packets between two PCRs are spread evenly over the time between them. */
static void load(struct multiplex *x, const char *name)
{
	static uint8_t list[SAMPLE_MOST][TS_PACKET];
	size_t n = sample_packets(name, list, SAMPLE_MOST), from = 0;
	uint64_t first = 0, last = 0, pcr;
	uint16_t pid = TS_PID_NULL;

	x->n = 0;
	for (size_t i = 0; i < n; i++) {
		double begin, end;

		if (!ts_pcr(list[i], &pcr) ||
		    (pid != TS_PID_NULL && ts_pid(list[i]) != pid))
			continue;
		if (pid == TS_PID_NULL)
			first = pcr;
		begin = (double)(last - first) * RATE / TS_PACKET / 8 / 27e6;
		end = (double)(pcr - first) * RATE / TS_PACKET / 8 / 27e6;
		for (size_t k = from; k < i && pid != TS_PID_NULL; k++) {
			double at = begin + (end - begin) *
				    (double)(k - from) / (double)(i - from);

			while ((double)x->n < at)
				add_null(x);
			cr_assert_lt(x->n, MOST);
			memcpy(x->packets[x->n++], list[k], TS_PACKET);
		}
		pid = ts_pid(list[i]);
		last = pcr;
		from = i;
	}
}

/* What was found, by the kind of buffer. */
struct found {
	uint64_t transport, media, tables;
};

static struct found judged(const struct multiplex *x, size_t n, uint64_t bps)
{
	struct buffers *b = buffers_new(27e6 * 8 * TS_PACKET / (double)bps);
	struct buffers_found f;

	for (size_t i = 0; i < n; i++)
		buffers_take(b, x->packets[i]);
	buffers_end(b, &f);
	return (struct found){
		.transport = f.tb_video + f.tb_audio + f.tb_tables,
		.media = f.eb + f.main + f.late + f.late_audio,
		.tables = f.sys,
	};
}

static void run(struct monitor *m, const struct multiplex *x, size_t from,
		size_t to)
{
	static const struct monitor_counts none;
	struct ts_run part = { x->packets[from], to - from };
	uint64_t ns = SECOND_NS * (1 + to * TS_PACKET * 8 / RATE);

	(void)monitor_feed(m, &part, 1, NULL, ns);
	(void)monitor_second(m, &none, ns, 1);
}

static struct found count(const struct monitor *m)
{
	struct found found = { 0 };

	for (size_t i = 0; i < m->pids.n; i++) {
		const struct pid_stats *s = &m->pids.list[i];

		found.transport += s->overflows;
		*(s->class == PID_PSI ? &found.tables : &found.media) +=
			s->unit_errors;
	}
	return found;
}

static void subtract(struct found *all, const struct found *before)
{
	all->transport -= before->transport;
	all->media -= before->media;
	all->tables -= before->tables;
}

/* What both find in the second half; units that are late are media. */
static struct found find(const struct multiplex *x)
{
	struct monitor *m = monitor_new(NULL, SECOND_NS);
	size_t from = x->n / 2;
	struct found before, here, theirs, theirs_before;
	uint64_t bps;

	/* the rate and the sizes of the buffers are known behind this */
	run(m, x, 0, from / 2);
	run(m, x, from / 2, from);
	bps = m->rate;
	cr_assert(bps > RATE * .999 && bps < RATE * 1.001);
	before = count(m);
	run(m, x, from, x->n);
	here = count(m);
	subtract(&here, &before);
	monitor_free(&m);

	theirs = judged(x, x->n, bps);
	theirs_before = judged(x, from, bps);
	subtract(&theirs, &theirs_before);
	cr_expect_eq(here.transport, theirs.transport, "%lu, %lu",
		     here.transport, theirs.transport);
	cr_expect_eq(here.tables, theirs.tables, "%lu, %lu", here.tables,
		     theirs.tables);
	cr_expect_eq(here.media, theirs.media, "%lu, %lu", here.media,
		     theirs.media);
	return here;
}

static bool is_audio(const uint8_t *packet)
{
	size_t len;
	const uint8_t *pes = pes_find(packet, &len);

	return pes != NULL && ((pes[3] & 0xe0) == 0xc0 || pes[3] == 0xbd);
}

/* Audio is so much later. */
static void shift_audio(struct multiplex *x, int ms)
{
	for (size_t i = 0; i < x->n; i++) {
		uint8_t *p = x->packets[i];
		struct pes_times times;
		uint64_t pts;

		if (!ts_pusi(p) || !is_audio(p) || !pes_times(p, &times))
			continue;
		pts = pes_time(p + times.pts) + (uint64_t)(ms * 90);
		pes_set_time(p + times.pts, pts & (PES_TIME_WRAP - 1));
	}
}

/* A burst of the packet: n copies in place of every so many null packets. */
static void repeat(struct multiplex *x, const uint8_t *packet, unsigned n,
		   unsigned every)
{
	uint8_t copy[TS_PACKET];
	unsigned nulls = 0;

	memcpy(copy, packet, TS_PACKET);
	for (size_t i = x->n * 3 / 4; i < x->n && n > 0; i++) {
		if (ts_pid(x->packets[i]) != TS_PID_NULL ||
		    nulls++ % every > 0)
			continue;
		memcpy(x->packets[i], copy, TS_PACKET);
		n--;
	}
	cr_assert_eq(n, 0u);
}

static const uint8_t *find_section(const struct multiplex *x, uint8_t id)
{
	for (size_t i = 0; i < x->n; i++) {
		const uint8_t *p = x->packets[i];
		size_t at = ts_payload_offset(p);

		if (ts_pusi(p) && at + 2 < TS_PACKET && p[at] == 0 &&
		    p[at + 1] == id && (p[at + 2] & 0xb0) == 0xb0)
			return p;
	}
	cr_assert_fail("no table %u", id);
	return NULL;
}

static struct multiplex *load_new(const char *name)
{
	struct multiplex *x = xcalloc(1, sizeof *x);

	load(x, name);
	return x;
}

Test(tstd_judge, captures_have_no_fault)
{
	static const char *const names[] = { "test-025.ts", "test-026.ts",
					     "test-072.ts" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct multiplex *x = load_new(names[i]);
		struct found found = find(x);

		cr_expect_eq(found.transport + found.media + found.tables, 0u,
			     "%s", names[i]);
		free(x);
	}
}

/* MPEG audio, and three of AC-3. */
Test(tstd_judge, audio_that_is_too_early_or_late_is_a_fault)
{
	static const char *const names[] = { "test-025.ts", "test-026.ts" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct multiplex *x = load_new(names[i]);

		shift_audio(x, SHIFT_MS);
		cr_expect_geq(find(x).media, 3u, "%s", names[i]);
		shift_audio(x, -2 * SHIFT_MS);
		cr_expect_geq(find(x).media, 6u, "%s", names[i]);
		free(x);
	}
}

Test(tstd_judge, bursts_of_tables_are_faults)
{
	struct multiplex *x = load_new("test-025.ts");

	/* every packet too fast, or too many of them */
	repeat(x, find_section(x, 0), 8, 1);
	cr_expect_geq(find(x).transport, 4u);
	free(x);
	x = load_new("test-025.ts");
	repeat(x, find_section(x, 2), 400, 16);
	cr_expect_geq(find(x).tables, 100u);
	free(x);
}
