/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/pcr_rebuild.h"

#include "tests/unit/worker/ts/build.h"
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

/* Feeds a segment from that time on, with PCRs that start with `from' and grow
 * by `step' per picture; -1: none. */
static void look(struct pcr_rebuild *m, uint64_t dts, int64_t from,
		 int64_t step)
{
	uint8_t packet[TS_PACKET];

	for (int i = 0; i < FRAMES; i++) {
		make(packet, dts + (uint64_t)(i * FRAME),
		     from < 0 ? -1 : from + i * step);
		pcr_rebuild_feed(m, packet);
	}
}

static enum pcr_rebuild_state judged(int64_t from, int64_t step)
{
	struct pcr_rebuild *m = pcr_rebuild_new();
	enum pcr_rebuild_state is;

	pcr_rebuild_segment(m, true);
	look(m, 9000000, from, step);
	is = pcr_rebuild_state(m);
	pcr_rebuild_free(&m);
	return is;
}

Test(pcr_rebuild, matching_pcrs_are_kept)
{
	cr_assert_eq(judged(8930000, FRAME), PCR_KEPT);
	/* small drift is tolerated */
	cr_assert_eq(judged(8930000, FRAME + 300), PCR_KEPT);
}

Test(pcr_rebuild, missing_or_unrelated_pcrs_are_rebuilt)
{
	cr_assert_eq(judged(-1, 0), PCR_REBUILT);
	cr_assert_eq(judged(8930000, 0), PCR_REBUILT);
	cr_assert_eq(judged(8930000, -FRAME), PCR_REBUILT);
	cr_assert_eq(judged(1000, FRAME), PCR_REBUILT);
	cr_assert_eq(judged(8930000, 4 * FRAME), PCR_REBUILT);
}

Test(pcr_rebuild, a_short_programme_keeps_its_pcrs)
{
	struct pcr_rebuild *m = pcr_rebuild_new();
	uint8_t packet[TS_PACKET];

	pcr_rebuild_segment(m, true);
	make(packet, 900000, -1);
	pcr_rebuild_feed(m, packet);
	cr_assert_eq(pcr_rebuild_state(m), PCR_UNDECIDED);
	pcr_rebuild_decide(m);
	cr_assert_eq(pcr_rebuild_state(m), PCR_KEPT);
	pcr_rebuild_free(&m);
}

Test(pcr_rebuild, pcrs_are_made_from_decoding_times)
{
	struct pcr_rebuild *m = pcr_rebuild_new();
	uint8_t packet[TS_PACKET], made[2 * TS_PACKET];
	struct pes_times at;
	uint64_t pcr;

	pcr_rebuild_segment(m, true);
	look(m, 900000, 900000, 0);
	make(packet, 2000000, 900000);
	ts_set_cc(packet, 5);
	cr_assert_eq(pcr_rebuild_write(m, packet, made), 2);
	cr_assert(ts_pcr(made, &pcr));
	cr_assert(!ts_has_payload(made));
	cr_assert_eq(ts_pid(made), PID);
	cr_assert_eq(ts_cc(made), 4);
	cr_assert(pcr / 300 < 2000000 &&
		  pcr / 300 >= 2000000 - PCR_REBUILD_LEAD_MAX_MS * 90);
	cr_assert(!ts_pcr(made + TS_PACKET, &pcr));
	cr_assert(pes_times(made + TS_PACKET, &at));
	cr_assert_eq(pes_time(made + TS_PACKET + at.dts), 2000000);
	pcr_rebuild_free(&m);
}

/* Adaptation fields leave a few bytes of each PES header in its first packet:
 * the PCR precedes the packet with the DTS. */
Test(pcr_rebuild, pcrs_are_made_from_headers_in_two_packets)
{
	static const size_t splits[] = { 2, 8, 10 };

	for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
		struct pcr_rebuild *m = pcr_rebuild_new();
		struct build *b = build_new();
		unsigned pcrs = 0;

		pcr_rebuild_segment(m, true);
		for (int k = 0; k < FRAMES; k++) {
			uint8_t *p = build_pes(b, PID, "", 0);
			struct pes_times at;

			cr_assert(pes_times(p, &at));
			pes_set_time(p + at.pts, 900000 + (uint64_t)k * FRAME);
			build_split(b, splits[i]);
		}
		for (size_t k = 0; k < b->n; k++)
			pcr_rebuild_feed(m, build_packet(b, k));
		cr_assert_eq(pcr_rebuild_state(m), PCR_REBUILT, "%zu",
			     splits[i]);
		for (size_t k = 0; k < b->n; k++) {
			uint8_t made[2 * TS_PACKET];
			uint64_t pcr;

			if (pcr_rebuild_write(m, build_packet(b, k), made) < 2)
				continue;
			cr_assert(ts_pcr(made, &pcr));
			cr_assert_eq(900000 + pcrs * FRAME - pcr / 300,
				     PCR_REBUILD_LEAD_MS * 90u);
			pcrs++;
		}
		cr_assert_eq(pcrs, (unsigned)FRAMES);
		build_free(b);
		pcr_rebuild_free(&m);
	}
}

/* PCRs that were wrong from the start, or that became wrong. */
Test(pcr_rebuild, ignores_the_lead_of_unreliable_pcrs)
{
	uint8_t packet[TS_PACKET], made[2 * TS_PACKET];
	uint64_t pcr = 0;

	for (int good = 0; good < 2; good++) {
		struct pcr_rebuild *m = pcr_rebuild_new();

		pcr_rebuild_segment(m, true);
		if (good > 0)
			look(m, 900000, 855000, FRAME);
		pcr_rebuild_segment(m, false);
		look(m, 1008000, 706000, 0);
		pcr_rebuild_segment(m, false);
		cr_assert_eq(pcr_rebuild_state(m), PCR_REBUILT);
		make(packet, 1200000, -1);
		cr_assert_gt(pcr_rebuild_write(m, packet, made), 1);
		cr_assert(ts_pcr(made, &pcr));
		cr_assert_eq(1200000 - pcr / 300,
			     good > 0 ? 45000 : PCR_REBUILD_LEAD_MS * 90);
		pcr_rebuild_free(&m);
	}
}

/* At a border where PCRs advance by pcr_step and decoding times by dts_step. */
static bool takes_over(int64_t pcr_step, int64_t dts_step)
{
	struct pcr_rebuild *m = pcr_rebuild_new();
	uint8_t packet[TS_PACKET];
	struct ts_run head = { packet, 1 };
	uint64_t last = 900000 + (FRAMES - 1) * FRAME;
	bool is;

	pcr_rebuild_segment(m, true);
	look(m, 900000, 830000, FRAME);
	pcr_rebuild_segment(m, false);
	make(packet, last + (uint64_t)dts_step, 0);
	pcr_rebuild_feed(m, packet);
	is = pcr_rebuild_takes_over(m, pcr_step * 300, &head);
	cr_assert_eq(pcr_rebuild_state(m), is ? PCR_REBUILT : PCR_KEPT);
	pcr_rebuild_free(&m);
	return is;
}

Test(pcr_rebuild, takes_over_if_only_the_pcr_jumps)
{
	cr_assert(takes_over(-800000, FRAME));
	cr_assert(takes_over(5000000, FRAME));
	/* both jump: that is a cut */
	cr_assert(!takes_over(5000000, 5000000));
	/* segments are missing */
	cr_assert(!takes_over(90000, 90000));
}
