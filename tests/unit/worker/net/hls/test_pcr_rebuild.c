/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/pcr_rebuild.h"

#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	PID = 0x101,
	FRAME = 3600, /* 90 kHz */
	FRAMES = 30,
};

/* The start of a picture; pcr in 90 kHz, or -1. */
static void make(uint8_t *p, uint64_t dts, int64_t pcr)
{
	size_t at = 4;

	memset(p, 0xff, TS_PACKET);
	memcpy(p, (uint8_t[]){ TS_SYNC_BYTE, 0x41, 0x01, 0x10 }, 4);
	if (pcr >= 0) {
		p[3] |= 0x20;
		p[4] = 7;
		p[5] = 0x10;
		ts_set_pcr(p, (uint64_t)pcr * 300);
		at = 12;
	}
	memcpy(p + at, (uint8_t[]){ 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5 }, 9);
	pes_set_time(p + at + 9, dts);
}

/* Looks at a segment from that time on whose PCRs are `from` at first and go
 * on by `step` for each picture; -1: there are none. */
static void look(struct mend *m, uint64_t dts, int64_t from, int64_t step)
{
	uint8_t packet[TS_PACKET];

	for (int i = 0; i < FRAMES; i++) {
		make(packet, dts + (uint64_t)(i * FRAME),
		     from < 0 ? -1 : from + i * step);
		mend_look(m, packet);
	}
}

static enum mend_is judged(int64_t from, int64_t step)
{
	struct mend *m = mend_new();
	enum mend_is is;

	mend_segment(m, true);
	look(m, 9000000, from, step);
	is = mend_state(m);
	mend_free(&m);
	return is;
}

Test(mend, good_clocks_are_kept)
{
	cr_assert_eq(judged(8930000, FRAME), MEND_KEEPS);
	/* a little faster or slower is no matter */
	cr_assert_eq(judged(8930000, FRAME + 300), MEND_KEEPS);
}

Test(mend, clocks_that_are_none_are_made)
{
	cr_assert_eq(judged(-1, 0), MEND_MAKES);
	cr_assert_eq(judged(8930000, 0), MEND_MAKES);
	cr_assert_eq(judged(8930000, -FRAME), MEND_MAKES);
	cr_assert_eq(judged(1000, FRAME), MEND_MAKES);
	cr_assert_eq(judged(8930000, 4 * FRAME), MEND_MAKES);
}

Test(mend, a_short_programme_is_left_as_it_is)
{
	struct mend *m = mend_new();
	uint8_t packet[TS_PACKET];

	mend_segment(m, true);
	make(packet, 900000, -1);
	mend_look(m, packet);
	cr_assert_eq(mend_state(m), MEND_JUDGES);
	mend_decide(m);
	cr_assert_eq(mend_state(m), MEND_KEEPS);
	mend_free(&m);
}

Test(mend, pcrs_are_made_of_decoding_times)
{
	struct mend *m = mend_new();
	uint8_t packet[TS_PACKET], made[2 * TS_PACKET];
	struct pes_times at;
	uint64_t pcr;

	mend_segment(m, true);
	look(m, 900000, 900000, 0);
	make(packet, 2000000, 900000);
	ts_set_cc(packet, 5);
	cr_assert_eq(mend_make(m, packet, made), 2);
	cr_assert(ts_pcr(made, &pcr));
	cr_assert(!ts_has_payload(made));
	cr_assert_eq(ts_pid(made), PID);
	cr_assert_eq(ts_cc(made), 4);
	cr_assert(pcr / 300 < 2000000 &&
		  pcr / 300 >= 2000000 - MEND_LEAD_MAX_MS * 90);
	cr_assert(!ts_pcr(made + TS_PACKET, &pcr));
	cr_assert(pes_times(made + TS_PACKET, &at));
	cr_assert_eq(pes_time(made + TS_PACKET + at.dts), 2000000);
	mend_free(&m);
}

/* Neither of one that was there from the beginning, nor of one that broke. */
Test(mend, what_a_broken_clock_says_of_the_lead_is_not_believed)
{
	uint8_t packet[TS_PACKET], made[2 * TS_PACKET];
	uint64_t pcr = 0;

	for (int good = 0; good < 2; good++) {
		struct mend *m = mend_new();

		mend_segment(m, true);
		if (good > 0)
			look(m, 900000, 855000, FRAME);
		mend_segment(m, false);
		look(m, 1008000, 706000, 0);
		mend_segment(m, false);
		cr_assert_eq(mend_state(m), MEND_MAKES);
		make(packet, 1200000, -1);
		cr_assert_gt(mend_make(m, packet, made), 1);
		cr_assert(ts_pcr(made, &pcr));
		cr_assert_eq(1200000 - pcr / 300,
			     good > 0 ? 45000 : MEND_LEAD_MS * 90);
		mend_free(&m);
	}
}

/* At a border where PCRs go on by pcr_step and decoding times by dts_step. */
static bool takes_over(int64_t pcr_step, int64_t dts_step)
{
	struct mend *m = mend_new();
	uint8_t packet[TS_PACKET];
	struct ts_run head = { packet, 1 };
	uint64_t last = 900000 + (FRAMES - 1) * FRAME;
	bool is;

	mend_segment(m, true);
	look(m, 900000, 830000, FRAME);
	mend_segment(m, false);
	make(packet, last + (uint64_t)dts_step, 0);
	mend_look(m, packet);
	is = mend_takes_over(m, pcr_step * 300, &head);
	cr_assert_eq(mend_state(m), is ? MEND_MAKES : MEND_KEEPS);
	mend_free(&m);
	return is;
}

Test(mend, takes_over_where_only_the_clock_jumps)
{
	cr_assert(takes_over(-800000, FRAME));
	cr_assert(takes_over(5000000, FRAME));
	/* all of it jumps: that is a cut */
	cr_assert(!takes_over(5000000, 5000000));
	/* something is missing */
	cr_assert(!takes_over(90000, 90000));
}
