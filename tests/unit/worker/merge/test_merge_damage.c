/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two copies of a stream with packets that have transport_error_indicator. */
#include "common/base/util.h"
#include "tests/unit/worker/merge/merge_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const int64_t skews[] = { 0, 7, 100, 400, -7, -400 };

enum {
	KNOWN = 2000, /* the copies are known to be the same */
	UNTIL = MODEL_N - 100,
};

/* A receiver that could not correct a packet: any bit may be wrong. */
static void damage(uint8_t *p, bool header)
{
	if (header) {
		p[2] ^= (uint8_t)random();
		p[3] ^= (uint8_t)(random() & 0x0f);
	}
	p[1] |= 0x80;
	for (unsigned i = 0; i < 20; i++)
		p[4 + random() % (TS_PACKET - 4)] ^= (uint8_t)random();
}

static void play(struct rig *r, struct model *const copies[2], int64_t skew_ms)
{
	int64_t end = MODEL_MS + labs(skew_ms) + RIG_DELAY_MS + 10;

	for (int64_t ms = MIN(0, skew_ms); ms < end; ms++) {
		rig_feed(r, copies[0], ms, 0);
		rig_feed(r, copies[1], ms - skew_ms, 1);
		rig_step(r, ms);
	}
	cr_assert_not(ts_merge_waits(r->merge));
}

static struct rig *scene(struct model *copies[2], struct model *clean)
{
	struct rig *r = rig_new();

	for (unsigned i = 0; i < 2; i++)
		copies[i] = rig_make(r, i, 1);
	memcpy(clean, copies[0], sizeof *clean);
	return r;
}

static struct model clean;

/* Each packet is damaged or lost on one path at most. */
static void play_damaged(unsigned percent, bool header, bool lossy,
			 int64_t skew_ms)
{
	struct model *copies[2];
	struct rig *r = scene(copies, &clean);
	struct ts_merge_counts c;
	size_t missing[2] = { 0, 0 };

	for (size_t i = KNOWN; i < UNTIL; i++) {
		unsigned path = random() & 1;

		if (model_is_null(clean.packets[i]) ||
		    (unsigned)random() % 100 >= percent)
			continue;
		missing[path]++;
		if (lossy && random() & 1)
			model_lose(copies[path], path, i, 1);
		else
			damage(copies[path]->packets[i], header);
	}
	play(r, copies, skew_ms);
	rig_judge(r, &clean);
	ts_merge_counts(r->merge, &c);
	cr_assert_eq(c.differ, 0, "refused, %d ms apart", (int)skew_ms);
	/* a damaged PID may be that of another packet which is expected */
	for (unsigned i = 0; i < 2; i++)
		cr_assert(c.lost[i] >= missing[i] &&
				  c.lost[i] <= missing[i] + (header ? 8 : 0),
			  "path %u: %ju, not %zu; %d ms apart", i + 1,
			  (uintmax_t)c.lost[i], missing[i], (int)skew_ms);
	rig_free(r);
}

static void play_each(bool header, bool lossy)
{
	static const unsigned percents[] = { 1, 5, 12 };

	srandom(7);
	for (size_t i = 0; i < ARRAY_LEN(percents) * ARRAY_LEN(skews); i++)
		play_damaged(percents[i % ARRAY_LEN(percents)], header, lossy,
			     skews[i / ARRAY_LEN(percents)]);
}

Test(merge_damage, the_clean_packet_of_the_other_path_is_sent)
{
	play_each(false, false);
}

Test(merge_damage, a_damaged_header_leads_to_nothing)
{
	play_each(true, false);
}

Test(merge_damage, beside_losses)
{
	play_each(true, true);
}

/* As when the damage is older than the two paths, or none has a clean one. */
Test(merge_damage, a_packet_that_no_path_has_clean_is_sent_once)
{
	for (unsigned same = 0; same < 2; same++)
		for (size_t s = 0; s < ARRAY_LEN(skews); s++) {
			struct model *copies[2];
			struct rig *r = scene(copies, &clean);
			size_t n = 0, tei = 0;

			srandom(7);
			for (size_t i = KNOWN; i < UNTIL; i += 50) {
				if (model_is_null(clean.packets[i]))
					continue;
				n++;
				for (unsigned k = 0; k < 2; k++)
					damage(copies[k]->packets[i], false);
				if (same)
					memcpy(copies[1]->packets[i],
					       copies[0]->packets[i],
					       TS_PACKET);
			}
			play(r, copies, skews[s]);
			for (size_t i = 0; i < r->n; i++)
				tei += ts_tei(r->out[i]);
			cr_assert_eq(tei, n, "%zu of %zu, %d ms apart", tei, n,
				     (int)skews[s]);
			rig_free(r);
		}
}

/* Half of the packets of a path: it is no other stream. */
Test(merge_damage, a_damaged_copy_is_not_refused)
{
	struct model *copies[2];
	struct rig *r = scene(copies, &clean);
	struct ts_merge_counts c;

	srandom(7);
	for (size_t i = KNOWN; i < UNTIL; i++)
		if (!model_is_null(clean.packets[i]) && random() & 1)
			damage(copies[0]->packets[i], true);
	for (size_t i = KNOWN; i < UNTIL; i += 11)
		if (!ts_tei(copies[0]->packets[i]))
			model_lose(copies[1], 1, i, 1);
	play(r, copies, 20);
	rig_judge(r, &clean);
	ts_merge_counts(r->merge, &c);
	cr_assert_eq(c.differ, 0);
	rig_free(r);
}

Test(merge_damage, a_path_alone_is_sent_as_it_is)
{
	struct model *copies[2];
	struct rig *r = scene(copies, &clean);
	size_t n = 0, tei = 0;

	srandom(7);
	model_lose(copies[1], 1, KNOWN, MODEL_N - KNOWN);
	for (size_t i = KNOWN + 1000; i < UNTIL; i += 7) {
		damage(copies[0]->packets[i], false);
		n++;
	}
	play(r, copies, 0);
	for (size_t i = 0; i < r->n; i++)
		tei += ts_tei(r->out[i]);
	cr_assert_eq(tei, n, "%zu of %zu", tei, n);
	rig_free(r);
}
