/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two copies of a stream with losses, compared by their bytes. */
#include "common/base/alloc.h"
#include "common/base/util.h"
#include "tests/unit/worker/merge/merge_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t skews[] = { 0, 7, 100, 400, -7, -400 };

/* Packets that a path loses. */
struct loss {
	unsigned path;
	size_t from, n;
};

/* All waiting packets are sent, and the paths are not refused as different. */
static struct ts_merge_counts play_lossy(const struct loss *lost, size_t n,
					 int64_t skew_ms)
{
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1);
	struct ts_merge_counts c;

	for (size_t i = 0; i < n; i++)
		model_lose(m, lost[i].path, lost[i].from, lost[i].n);
	rig_play(r, m, skew_ms);
	rig_judge(r, m);
	ts_merge_counts(r->merge, &c);
	cr_assert_eq(c.differ, 0, "refused, %d ms apart", (int)skew_ms);
	rig_free(r);
	return c;
}

static void play_lossy_apart(const struct loss *lost, size_t n)
{
	for (size_t s = 0; s < ARRAY_LEN(skews); s++)
		(void)play_lossy(lost, n, skews[s]);
}

Test(ts_merge, merges_two_complete_copies)
{
	for (size_t s = 0; s < ARRAY_LEN(skews); s++) {
		struct ts_merge_counts c = play_lossy(NULL, 0, skews[s]);

		cr_assert(c.aligned);
		cr_assert_eq(c.skew_us, skews[s] * 1000);
		cr_assert_eq(c.merged, 0);
		cr_assert_eq(c.lost[0] + c.lost[1], 0);
	}
}

Test(ts_merge, fills_the_gaps_of_each_copy_from_the_other)
{
	srandom(7);
	for (unsigned percent = 1; percent < 20; percent += 3)
		for (size_t s = 0; s < ARRAY_LEN(skews); s++) {
			struct rig *r = rig_new();
			struct model *m = rig_make(r, 0, percent);
			struct ts_merge_counts c;
			size_t lost[2] = { 0, 0 };

			for (size_t i = 2000; i < MODEL_N - 100; i++) {
				unsigned path = random() & 1;

				m->gone[i][path] = random() % 100 < percent;
				if (!model_is_null(m->packets[i]))
					lost[path] += m->gone[i][path];
			}
			rig_play(r, m, skews[s]);
			rig_judge(r, m);
			ts_merge_counts(r->merge, &c);
			cr_assert_eq(c.lost[0], lost[0]);
			cr_assert_eq(c.lost[1], lost[1]);
			rig_free(r);
		}
}

/* A loss among the first packets, and the next ones. */
Test(ts_merge, fills_gaps_from_the_start)
{
	static const int64_t apart[] = { 0, 7, 100, -7, -100 };
	static const struct loss lost[] = {
		{ 0, 10, 5 }, { 1, 40, 5 }, { 0, 60, 20 }, { 1, 200, 20 },
		{ 0, 450, 20 }, { 1, 520, 20 }, { 0, 600, 20 },
	};

	for (size_t s = 0; s < ARRAY_LEN(apart); s++) {
		struct ts_merge_counts c =
			play_lossy(lost, ARRAY_LEN(lost), apart[s]);

		cr_assert(c.aligned);
	}
}

Test(ts_merge, survives_bursts_and_cuts)
{
	static const struct loss lost[] = {
		{ 0, 2000, 1500 }, { 1, 4000, 700 },  { 0, 4800, 40 },
		{ 1, 4840, 40 },   { 0, 6000, 2000 },
	};

	play_lossy_apart(lost, ARRAY_LEN(lost));
}

/* Packets that one path delivers while the other is cut are no difference,
 * however many they are. */
Test(ts_merge, survives_cuts_of_the_paths_by_turns)
{
	static const struct loss lost[] = {
		{ 0, 1000, 1000 }, { 1, 2200, 1000 }, { 0, 3400, 1000 },
		{ 1, 4600, 1000 }, { 0, 5800, 1000 },
	};

	play_lossy_apart(lost, ARRAY_LEN(lost));
}

/* A packet that both paths lose is lost. */
Test(ts_merge, continues_after_a_loss_of_both)
{
	static const struct loss lost[] = { { 0, 3000, 50 }, { 1, 3010, 20 } };

	(void)play_lossy(lost, ARRAY_LEN(lost), 30);
}

/* Filler is the same bytes each sixteenth time; it goes out all the same when a
 * path has died. */
Test(ts_merge, does_not_take_filler_for_late_packets)
{
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1);

	for (size_t i = 0; i < MODEL_N; i++)
		if (i % 3 != 0 && ts_pid(m->packets[i]) == 0x101)
			memset(m->packets[i] + 4, 0xff, TS_PACKET - 4);
	for (size_t i = 7; i < MODEL_N; i += 300) {
		if (ts_pid(m->packets[i]) != 0x101)
			continue;
		/* a PES begins */
		m->packets[i][1] |= 0x40;
		memcpy(m->packets[i] + 4, "\0\0\1", 3);
		memcpy(m->packets[i] + 8, &i, sizeof i);
	}
	model_lose(m, 1, 3000, MODEL_N - 3000);
	rig_play(r, m, 0);
	rig_judge(r, m);
	rig_free(r);
}

/* A payload that never changes is the same each sixteenth time, and stuffing
 * without payload each time: nothing of them was doubled by the network, but
 * for the first time that they come again nothing shows it. */
Test(ts_merge, does_not_take_constant_payloads_for_duplicates)
{
	for (int payload = 0; payload < 2; payload++) {
		struct rig *r = rig_new();
		struct model *m = rig_make(r, 0, 1);
		size_t out = 0, in = 0;

		for (size_t i = 0; i < MODEL_N; i++) {
			uint8_t *p = m->packets[i];

			if (ts_pid(p) != 0x101)
				continue;
			in++;
			memset(p + 4, 0xff, TS_PACKET - 4);
			p[1] &= 0x1f;
			p[3] = (uint8_t)(payload ? 0x10 | ts_cc(p) : 0x20);
			p[4] = payload ? 0x47 : TS_PACKET - 5;
			p[5] = 0;
		}
		rig_play(r, m, 0);
		for (size_t i = 0; i < r->n; i++)
			out += ts_pid(r->out[i]) == 0x101;
		cr_expect_geq(out + 32, in, "%d: %zu of %zu", payload, out, in);
		rig_free(r);
	}
}

/* Only filler, with continuing counters. */
static void fill(struct model *m, size_t from, size_t n)
{
	uint8_t cc[TS_PIDS] = { 0 };

	for (size_t i = from; i < from + n; i++) {
		memset(m->packets[i] + 4, 0xff, TS_PACKET - 4);
		ts_set_pid(m->packets[i], 0x101);
	}
	for (size_t i = 0; i < MODEL_N; i++)
		if (!model_is_null(m->packets[i]))
			ts_set_cc(m->packets[i], cc[ts_pid(m->packets[i])]++);
}

/* A path returns in front of filler, and the other has filler a moment earlier:
 * the packets in front of each are sent in their order. */
Test(ts_merge, distinguishes_filler_from_other_filler)
{
	for (size_t back = 3075; back < 3079; back++) {
		struct rig *r = rig_new();
		struct model *m = rig_make(r, 0, 1);

		fill(m, 3000, 30);
		fill(m, 3079, 30);
		model_lose(m, 0, 2000, back - 2000);
		rig_play(r, m, 0);
		rig_judge(r, m);
		rig_free(r);
	}
}

/* Streams with half of their packets equal are not mixed. */
static void play_alike_in_part(size_t one_of)
{
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1), *other = rig_make(r, 1, 2);
	size_t strange = 0;

	for (size_t i = 0; i < MODEL_N; i += one_of)
		memcpy(other->packets[i], m->packets[i], TS_PACKET);
	rig_play_both(r, m, other);
	/* but for the first moment */
	for (size_t i = r->n / 2; i + MODEL_PER_MS < r->n; i++)
		strange += ts_pid(r->out[i]) >= 0x100 &&
			   ts_pid(r->out[i]) != TS_PID_NULL &&
			   r->out[i][8] != 1;
	cr_assert_eq(strange, 0, "%zu of the other", strange);
	cr_assert_leq(r->n, MODEL_N + MODEL_N / 4, "%zu went out", r->n);
	rig_free(r);
}

Test(ts_merge, sends_one_of_two_similar_streams)
{
	play_alike_in_part(20);
	play_alike_in_part(7);
	play_alike_in_part(3);
}

/* A second path with another stream is not mixed in. */
Test(ts_merge, sends_one_of_two_different_streams)
{
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1), *other = rig_make(r, 1, 2);
	struct ts_merge_counts c;

	rig_play_both(r, m, other);
	ts_merge_counts(r->merge, &c);
	cr_assert_eq(c.merged, 0);
	/* their tables are the same */
	for (size_t i = 0; i + MODEL_PER_MS < r->n; i++)
		if (ts_pid(r->out[i]) != TS_PID_NULL &&
		    ts_pid(r->out[i]) != TS_PID_PAT)
			cr_assert_eq(r->out[i][8], 1);
	rig_free(r);
}

static bool is_refused(const struct rig *r)
{
	struct ts_merge_counts c;

	ts_merge_counts(r->merge, &c);
	return c.refused;
}

/* Around and around, for so many seconds. */
static void play_around(struct rig *r, const struct model *a,
			const struct model *b, unsigned seconds)
{
	for (unsigned ms = 0; ms < 1000 * seconds; ms++) {
		rig_feed(r, a, ms % MODEL_MS, 0);
		if (b != NULL)
			rig_feed(r, b, ms % MODEL_MS, 1);
		rig_step(r, ms);
		r->n = 0;
	}
}

/* A difference is reported at once, and not while a path is silent; equal
 * copies are not reported. */
Test(ts_merge, reports_different_streams)
{
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1), *other = rig_make(r, 1, 2);

	play_around(r, m, m, 8);
	cr_assert_not(is_refused(r));
	play_around(r, m, other, 2);
	cr_assert(is_refused(r));
	play_around(r, m, NULL, 3);
	cr_assert_not(is_refused(r));
	rig_free(r);
}

/* Bursts of the other path do not hide it. */
Test(ts_merge, reports_a_different_stream_in_bursts)
{
	enum { BURST_MS = 100 };
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1), *other = rig_make(r, 1, 2);

	for (int64_t ms = 0; ms < MODEL_N / MODEL_PER_MS; ms++) {
		rig_feed(r, m, ms, 0);
		for (int64_t i = 0; ms % BURST_MS == 0 && i < BURST_MS; i++)
			rig_feed(r, other, ms - i, 1);
		rig_step(r, ms);
	}
	cr_assert(is_refused(r));
	rig_free(r);
}

/* Nor that both do, a picture or a datagram of radio at a time. */
Test(ts_merge, reports_different_streams_in_bursts_by_turns)
{
	static const int64_t bursts[] = { 10, 40, 80, 160 };

	for (size_t k = 0; k < ARRAY_LEN(bursts); k++) {
		struct rig *r = rig_new();
		struct model *m = rig_make(r, 0, 1), *other = rig_make(r, 1, 2);
		const int64_t burst = bursts[k];

		for (int64_t ms = 0; ms < 4 * MODEL_MS; ms++) {
			const struct model *second =
				ms < MODEL_MS ? m : other;

			for (int64_t i = burst; i > 0; i--) {
				if (ms % burst == 0)
					rig_feed(r, m, (ms - i) % MODEL_MS, 0);
				if (ms % burst == burst / 2)
					rig_feed(r, second,
						 (ms - i) % MODEL_MS, 1);
			}
			rig_step(r, ms);
			r->n = 0;
			if (ms == MODEL_MS)
				cr_assert_not(is_refused(r));
		}
		cr_assert(is_refused(r), "every %d ms", (int)burst);
		rig_free(r);
	}
}

/* The difference of the second path. */
enum differs { SOUND, TABLES, TIMES };

static void make_other(struct model *m, enum differs what)
{
	for (size_t i = 0; i < MODEL_N; i++) {
		uint8_t *p = m->packets[i];

		if (what == SOUND && ts_pid(p) == 0x102)
			p[20] = 0x22;
		if (what == TABLES && ts_pid(p) == TS_PID_PAT)
			p[20] = 0x22;
		if (what == TIMES && ts_pid(p) == 0x101 && i % 40 == 7) {
			p[3] |= 0x20;
			memcpy(p + 4, "\7\x10\0\0\0\0\x7e", 7);
			memcpy(p + 13, &i, sizeof i);
		}
	}
}

/* The number of packets of the other path that were sent by now. */
static size_t mixed(const struct rig *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->out[i][20] == 0x22;
	return n;
}

/* Equal video is not enough: one PID that differs makes them different streams,
 * and no packet of the second path is sent. */
Test(ts_merge, sends_one_of_two_streams_with_equal_video)
{
	for (enum differs what = SOUND; what <= TIMES; what++) {
		struct rig *r = rig_new();
		struct model *m = rig_make(r, 0, 1), *other = rig_make(r, 1, 1);
		struct ts_merge_counts c;

		make_other(other, what);
		if (what == TIMES) {
			make_other(m, what);
			for (size_t i = 0; i < MODEL_N; i++)
				if (other->packets[i][4] == 7)
					other->packets[i][6] = 1;
		}
		play_around(r, m, other, 4);
		ts_merge_counts(r->merge, &c);
		cr_assert(c.refused, "%d", what);
		cr_assert(c.differ > 0 && c.differ < c.of);
		cr_assert_eq(c.pid, what == SOUND    ? 0x102u
				    : what == TABLES ? TS_PID_PAT
						     : TS_PIDS);
		rig_play(r, m, 0);
		cr_assert_eq(mixed(r), 0);
		rig_free(r);
	}
}

/* A refused path is tried again, and mixed when it no longer differs. */
Test(ts_merge, tries_again_after_a_while)
{
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1), *other = rig_make(r, 1, 2);
	struct ts_merge_counts c;

	play_around(r, m, other, 2);
	cr_assert(is_refused(r));
	play_around(r, m, m, 12);
	cr_assert_not(is_refused(r));
	ts_merge_counts(r->merge, &c);
	cr_assert(c.aligned);
	/* the next time it takes longer */
	play_around(r, m, other, 2);
	cr_assert(is_refused(r));
	play_around(r, m, m, 8);
	cr_assert(is_refused(r));
	play_around(r, m, m, 10);
	cr_assert_not(is_refused(r));
	rig_free(r);
}

/* The one with fewer gaps. */
Test(ts_merge, sends_the_healthier_of_two_different_streams)
{
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1), *other = rig_make(r, 1, 2);
	struct ts_merge_counts c;

	for (size_t i = 0; i < MODEL_N; i += 20)
		model_lose(m, 0, i, 1 + i % 3);
	play_around(r, m, m, 2);
	play_around(r, m, other, 2);
	ts_merge_counts(r->merge, &c);
	cr_assert(c.refused);
	cr_assert_eq(c.lead, 1);
	rig_free(r);
}

Test(ts_merge, keeps_the_pace_when_a_path_is_cut)
{
	struct rig *r = rig_new();
	struct model *m = rig_make(r, 0, 1);

	model_lose(m, 0, 4000, MODEL_N - 4000);
	for (int64_t ms = 0; ms < MODEL_N / MODEL_PER_MS; ms++) {
		size_t before = r->n;

		rig_feed(r, m, ms, 0);
		rig_feed(r, m, ms - 300, 1);
		rig_step(r, ms);
		const long more = (long)(r->n - before) - MODEL_PER_MS;

		if (ms > 1300)
			cr_assert_leq(labs(more), 2, "at %d ms", (int)ms);
	}
	rig_free(r);
}

enum {
	FILL_PID = 0x200,
	PICTURE = 20, /* packets of one picture, all different */
	FILLER = 12, /* and filler behind it, up to a constant rate */
	PICTURE_MS = 40,
};

/* Pictures of constant rate: the filler repeats after 16 packets. */
static void feed_picture(struct rig *r, uint32_t picture, bool filled,
			 unsigned n_paths)
{
	static uint8_t packets[PICTURE + FILLER][TS_PACKET];
	static uint8_t cc;
	uint32_t n = filled ? PICTURE + FILLER : PICTURE;
	const struct ts_run run = { .data = packets[0], .n = n };

	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = picture * PICTURE + i;
		uint8_t *p = packets[i];

		memset(p, 0xff, TS_PACKET);
		p[0] = TS_SYNC_BYTE;
		p[1] = i == 0 ? 0x40 : 0;
		ts_set_pid(p, FILL_PID);
		p[3] = 0x10 | (cc++ & 0x0f);
		if (i == 0)
			memcpy(p + 4, "\0\0\1\340\0\0", 6);
		if (i < PICTURE)
			memcpy(p + 20, &number, sizeof number);
	}
	for (unsigned path = 0; path < n_paths; path++)
		ts_merge_feed(r->merge, &run, 1, path, r->now_ns);
	for (unsigned ms = 0; ms < PICTURE_MS; ms++) {
		r->now_ns += 1000000;
		ts_merge_turn(r->merge, &r->batch, r->now_ns);
	}
}

/* One of two paths dies after 50 pictures; filler from this one on. */
static void play_filler(uint32_t filled_from)
{
	struct rig *r = rig_new();
	struct ts_merge_counts c;
	size_t in = 0;

	for (uint32_t i = 0; i < 150; i++) {
		bool filled = i >= filled_from;

		feed_picture(r, i, filled, i < 50 ? 2 : 1);
		in += filled ? PICTURE + FILLER : PICTURE;
		if (i % 25 == 0)
			ts_merge_every_second(r->merge, r->now_ns);
	}
	r->now_ns += UINT64_C(1000000) * RIG_DELAY_MS;
	ts_merge_turn(r->merge, &r->batch, r->now_ns);
	ts_merge_counts(r->merge, &c);
	cr_assert_eq(c.dropped, 0, "%zu dropped, filler from %u",
		     (size_t)c.dropped, filled_from);
	cr_assert_eq(r->n, in);
	for (size_t i = 1; i < r->n; i++)
		cr_assert_eq(ts_cc(r->out[i]),
			     (ts_cc(r->out[i - 1]) + 1) & 0x0f);
	rig_free(r);
}

Test(ts_merge, keeps_filler_that_repeats_itself_when_a_path_dies)
{
	play_filler(0);
	play_filler(49);
	play_filler(50); /* the other path delivered a moment ago */
	play_filler(70);
	play_filler(90); /* and is silent for long */
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The processor time of turns at 50 Mbit/s.  nulls: the second path has null
 * packets alone. */
static double spend_s(bool nulls)
{
	enum { TURNS = 2000, PER_TURN = 33 };
	struct rig *r = rig_new();
	uint8_t p[TS_PACKET] = { TS_SYNC_BYTE }, null[TS_PACKET] = {
		TS_SYNC_BYTE, 0x1f, 0xff, 0x10 };
	struct ts_run runs[] = { { .data = p, .n = 1 },
				 { .data = null, .n = 1 } };
	double spent_s = 0, before_s;

	ts_set_pid(p, 0x100);
	for (uint32_t i = 0; i < TURNS * PER_TURN; i++) {
		p[3] = 0x10 | (i & 0x0f);
		memcpy(p + 4, &i, sizeof i);
		for (unsigned path = 0; path < (nulls ? 2 : 1); path++)
			ts_merge_feed(r->merge, &runs[path], 1, path,
				      r->now_ns);
		if (i % PER_TURN != PER_TURN - 1)
			continue;
		before_s = cpu_s();
		rig_step(r, i / PER_TURN);
		spent_s += cpu_s() - before_s;
		r->n = 0;
	}
	rig_free(r);
	return spent_s;
}

/* A path that has nothing to compare is not searched in each turn. */
Test(ts_merge, a_path_of_null_packets_costs_little)
{
	double alone_s = spend_s(false), both_s = spend_s(true);

	cr_assert_lt(both_s, 12 * alone_s, "%.3f s, alone %.3f s", both_s,
		     alone_s);
}
