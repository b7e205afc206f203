/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams that differ in one PID of few packets are not mixed, from the first
 * packet on. */
#include "common/base/util.h"
#include "tests/unit/worker/merge/merge_rig.h"
#include "worker/merge/ts_likeness.h"

#include <criterion/criterion.h>

enum {
	SOUND = 0x110,
	FOREIGN = 0x22, /* a byte of the sound of the second path */
	FOREIGN_AT = 20,
	DURATION_MS = MODEL_MS - RIG_DELAY_MS,
};

/* Parts of the packets that are sound: one of so many. */
static const unsigned parts[] = { 4, 6, 10, 30, 100, 250 };
static const int64_t skews[] = { 0, 7, 100, -7, -100 };

static void make_sound(struct model *m, unsigned one_of, bool foreign)
{
	uint8_t cc = 0;

	for (size_t i = 0; i < MODEL_N; i++) {
		uint8_t *p = m->packets[i];

		if (i % one_of != one_of / 2)
			continue;
		ts_set_pid(p, SOUND);
		p[3] = 0x10;
		ts_set_cc(p, cc++ & 0x0f);
		memcpy(p + 4, &i, sizeof i);
		if (foreign)
			p[FOREIGN_AT] = FOREIGN;
	}
}

/* Plays the start of two streams, the second one skew_ms behind the first. */
static struct ts_merge_counts play(struct rig *r, int64_t skew_ms)
{
	struct ts_merge_counts c;

	for (int64_t ms = MIN(0, skew_ms); ms < DURATION_MS; ms++) {
		rig_feed(r, r->model[0], ms, 0);
		rig_feed(r, r->model[1], ms - skew_ms, 1);
		rig_step(r, ms);
	}
	ts_merge_counts(r->merge, &c);
	return c;
}

/* The number of changes between both sounds in the output. */
static unsigned count_changes(const struct rig *r)
{
	int last = -1;
	unsigned n = 0;

	for (size_t i = 0; i < r->n; i++) {
		int foreign = r->out[i][FOREIGN_AT] == FOREIGN;

		if (ts_pid(r->out[i]) != SOUND)
			continue;
		n += last >= 0 && foreign != last;
		last = foreign;
	}
	cr_assert_geq(last, 0);
	return n;
}

Test(ts_likeness, sends_no_packet_of_another_sound)
{
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (size_t s = 0; s < ARRAY_LEN(skews); s++) {
			struct rig *r = rig_new();
			struct ts_merge_counts c;
			unsigned n;

			make_sound(rig_make(r, 0, 1), parts[i], false);
			make_sound(rig_make(r, 1, 1), parts[i], true);
			c = play(r, skews[s]);
			n = count_changes(r);
			/* of two streams that differ the first is preferred */
			cr_assert_leq(n, skews[s] < 0, "one of %u, %d ms: %u",
				      parts[i], (int)skews[s], n);
			cr_assert(!c.aligned);
			cr_assert(c.refused || parts[i] > 100);
			rig_free(r);
		}
}

/* Both copies lack other packets of their sound, among the first ones. */
Test(ts_likeness, accepts_copies_that_lost_rare_packets)
{
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (size_t s = 0; s < ARRAY_LEN(skews); s++) {
			struct rig *r = rig_new();
			const unsigned of = parts[i];

			make_sound(rig_make(r, 0, 1), of, false);
			make_sound(rig_make(r, 1, 1), of, false);
			model_lose(r->model[0], 0, of / 2, 1);
			model_lose(r->model[1], 1, of / 2 + of, 1);
			cr_assert(play(r, skews[s]).aligned,
				  "one of %u, %d ms", of, (int)skews[s]);
			rig_free(r);
		}
}

/* Each path lost another one of two packets of a PID that sends no more. */
Test(ts_likeness, forgets_an_old_loss)
{
	static struct ts_likeness l;
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE };

	ts_set_pid(packet, SOUND);
	ts_likeness_alone(&l, packet, 0);
	ts_likeness_alone(&l, packet, 1);
	ts_set_pid(packet, SOUND + 1);
	for (unsigned s = 0; s < 120; s++) {
		for (unsigned i = 0; i < 100; i++)
			ts_likeness_common(&l, packet);
		cr_assert(s > 50 || l.state == TS_LIKE_TRIAL, "%u s", s);
		ts_likeness_every_second(&l, true);
	}
	cr_assert_eq(l.state, TS_LIKE_SAME);
}
