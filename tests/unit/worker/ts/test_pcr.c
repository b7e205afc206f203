/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pcr.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>

enum { PID = 0x101 };

struct rig {
	struct pcr_clock clock;
	struct build *build;
};

static struct rig rig_new(uint16_t pid)
{
	struct rig rig = { .build = build_new() };

	pcr_clock_init(&rig.clock, pid);
	return rig;
}

/* A packet with this PCR, then n - 1 without. */
static bool feed(struct rig *rig, uint16_t pid, uint64_t pcr, size_t n)
{
	bool set;

	rig->build->n = 0;
	set = pcr_clock_feed(&rig->clock,
			     build_pcr(rig->build, pid, pcr % PCR_WRAP));
	for (size_t i = 1; i < n; i++)
		(void)pcr_clock_feed(&rig->clock, build_null(rig->build));
	return set;
}

Test(pcr, the_difference_includes_the_wrap)
{
	cr_assert_eq(pcr_diff(5, 3), 2);
	cr_assert_eq(pcr_diff(5, 5), 0);
	cr_assert_eq(pcr_diff(2, PCR_WRAP - 3), 5);
	cr_assert_eq(pcr_diff(0, 1), PCR_WRAP - 1);
}

Test(pcr, reports_rate_and_time)
{
	struct rig rig = rig_new(TS_PID_NULL);

	cr_assert(!feed(&rig, PID, 1000, 100));
	cr_assert_eq(pcr_clock_bps(&rig.clock), 0);
	cr_assert_eq(pcr_clock_ticks(&rig.clock), 0);

	/* 100 packets in 40 ms: 3.76 Mbit/s */
	cr_assert(feed(&rig, PID, 1000 + PCR_HZ / 25, 50));
	cr_assert_eq(pcr_clock_bps(&rig.clock), 3760000);
	cr_assert_eq(pcr_clock_ticks(&rig.clock),
		     PCR_HZ / 25 + PCR_HZ / 50);
	build_free(rig.build);
}

Test(pcr, continues_over_the_wrap)
{
	struct rig rig = rig_new(PID);
	uint64_t pcr = PCR_WRAP - PCR_HZ;

	for (int i = 0; i < 100; i++, pcr += PCR_HZ / 25)
		cr_assert_eq(feed(&rig, PID, pcr, 100), i > 0);
	cr_assert_eq(pcr_clock_ticks(&rig.clock), PCR_HZ * 4);
	cr_assert_eq(rig.clock.jumps, 0);
	build_free(rig.build);
}

Test(pcr, a_jump_begins_a_new_base_and_time_continues)
{
	static const int64_t jumps[] = {
		-1, -27000000, 6 * 27000000, INT64_C(1) << 40,
	};

	for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
		struct rig rig = rig_new(PID);
		uint64_t pcr = PCR_HZ * 100;

		(void)feed(&rig, PID, pcr, 100);
		(void)feed(&rig, PID, pcr + PCR_HZ / 25, 100);
		pcr += (uint64_t)jumps[i];
		if (jumps[i] != -1)
			pcr += PCR_HZ / 25 * 2;
		cr_expect(!feed(&rig, PID, pcr, 100), "jump %zu", i);
		cr_expect_eq(rig.clock.jumps, 1);
		cr_expect_eq(pcr_clock_bps(&rig.clock), 3760000);
		cr_expect_eq(pcr_clock_ticks(&rig.clock), PCR_HZ / 25 * 3);
		cr_expect(feed(&rig, PID, pcr + PCR_HZ / 50, 100));
		cr_expect_eq(pcr_clock_bps(&rig.clock), 7520000);
		cr_expect_eq(pcr_clock_ticks(&rig.clock), PCR_HZ / 25 * 2 +
			     PCR_HZ / 50 * 2);
		build_free(rig.build);
	}
}

Test(pcr, an_announced_discontinuity_is_not_measured)
{
	struct rig rig = rig_new(PID);
	uint8_t *p;

	(void)feed(&rig, PID, PCR_HZ, 100);
	(void)feed(&rig, PID, PCR_HZ + PCR_HZ / 25, 100);
	p = build_pcr(rig.build, PID, PCR_HZ + PCR_HZ);
	p[5] |= 0x80;
	cr_assert(!pcr_clock_feed(&rig.clock, p));
	cr_assert_eq(rig.clock.jumps, 1);
	cr_assert_eq(pcr_clock_bps(&rig.clock), 3760000);
	build_free(rig.build);
}

Test(pcr, a_repeated_packet_and_an_absurd_rate_change_nothing)
{
	struct rig rig = rig_new(PID);

	(void)feed(&rig, PID, PCR_HZ, 100);
	(void)feed(&rig, PID, PCR_HZ + PCR_HZ / 25, 1);
	cr_assert(!feed(&rig, PID, PCR_HZ + PCR_HZ / 25, 99));
	cr_assert_eq(rig.clock.jumps, 0);
	cr_assert(!feed(&rig, PID, PCR_HZ + PCR_HZ / 25 + 3, 100));
	cr_assert_eq(rig.clock.jumps, 1);
	cr_assert_eq(pcr_clock_bps(&rig.clock), 3760000);
	build_free(rig.build);
}

Test(pcr, other_pids_do_not_disturb)
{
	for (int fixed = 0; fixed < 2; fixed++) {
		struct rig rig = rig_new(fixed ? PID : TS_PID_NULL);

		(void)feed(&rig, PID, PCR_HZ, 50);
		(void)feed(&rig, PID + 1, PCR_HZ * 77, 50);
		cr_expect(feed(&rig, PID, PCR_HZ + PCR_HZ / 25, 50));
		cr_expect(!feed(&rig, PID + 1, PCR_HZ * 77 + 900, 50));
		cr_expect_eq(pcr_clock_bps(&rig.clock), 3760000);
		build_free(rig.build);
	}
}

Test(pcr, looks_for_another_pid_when_its_own_falls_silent)
{
	for (int fixed = 0; fixed < 2; fixed++) {
		struct rig rig = rig_new(fixed ? PID : TS_PID_NULL);
		uint64_t pcr = PCR_HZ;

		(void)feed(&rig, PID, pcr, 100);
		(void)feed(&rig, PID, pcr + PCR_HZ / 25, 100);
		for (int i = 0; i < 200; i++, pcr += PCR_HZ / 50)
			(void)feed(&rig, PID + 1, pcr, 100);
		cr_expect_eq(rig.clock.pid, fixed ? PID : PID + 1);
		cr_expect_eq(pcr_clock_bps(&rig.clock),
			     fixed ? 3760000 : 7520000);
		build_free(rig.build);
	}
}
