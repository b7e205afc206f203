/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/analysis/pcr_check.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>

enum { PID = 0x101, EVERY = 100 /* packets */ };

/* 30 PCRs, each EVERY packets and `ticks` after the last; the last but one is
 * off by so many. */
static struct pcr_report check(uint64_t ticks, int64_t off, unsigned vary)
{
	struct build *build = build_new();
	struct pcr_check c = { 0 };
	struct pcr_report r;
	uint64_t pcr = 12345, n = 0;

	for (unsigned i = 0; i < 30; i++) {
		uint64_t value = pcr + (i == 28 ? (uint64_t)off : 0);

		pcr_check_feed(&c, build_pcr(build, PID, value), n,
			       i * 33 * MS);
		n += EVERY + i % 2 * vary;
		pcr += ticks;
	}
	pcr_check_second(&c, 30 * 33 * MS, &r);
	build_free(build);
	return r;
}

Test(pcr_check, a_constant_rate_is_measured)
{
	/* 100 packets in 33 ms */
	struct pcr_report r = check(33 * 27000, 0, 0);

	cr_assert(r.constant);
	cr_assert_leq(r.accuracy_ns, 40);
	cr_assert_eq(r.discontinuity_errors + r.repetition_errors, 0);
}

/* PCRs that are so far apart by the clock, behind a pause of the arrivals. */
static unsigned repetition_errors(unsigned step_ms, unsigned pause_ms)
{
	struct build *build = build_new();
	struct pcr_check c = { 0 };
	struct pcr_report r;
	uint64_t pcr = 12345, ns = SECOND_NS;

	for (unsigned i = 0; i < 10; i++) {
		pcr_check_feed(&c, build_pcr(build, PID, pcr), i * EVERY, ns);
		ns += (i == 4 ? pause_ms : 33) * MS;
		pcr += (i == 4 ? step_ms : 33) * UINT64_C(27000);
	}
	pcr_check_second(&c, ns, &r);
	build_free(build);
	return r.repetition_errors;
}

Test(pcr_check, a_late_burst_lacks_no_pcr)
{
	cr_expect_eq(repetition_errors(33, 33), 0);
	cr_expect_eq(repetition_errors(150, 150), 1);
	/* the network held them up */
	cr_expect_eq(repetition_errors(33, 800), 0);
}

Test(pcr_check, finds_a_pcr_that_is_off_by_a_microsecond)
{
	struct pcr_report r = check(33 * 27000, 27, 0);

	cr_assert(r.constant);
	cr_assert_gt(r.accuracy_ns, PCR_ACCURACY_MAX_NS);
	cr_assert_lt(r.accuracy_ns, 1100);
}

Test(pcr_check, a_rate_that_varies_has_no_accuracy)
{
	cr_assert(!check(33 * 27000, 0, 50).constant);
}

Test(pcr_check, a_pcr_that_steps_back_is_a_discontinuity)
{
	struct pcr_report r = check(33 * 27000, -27000000, 0);

	cr_assert_eq(r.discontinuity_errors, 2);
}

/* Discontinuities of a PCR that is so much later than the last one, after a
 * silence. */
static unsigned jumps_behind_silence(unsigned step_ms, unsigned silence_ms,
				     bool is_known)
{
	struct build *build = build_new();
	struct pcr_check c = { 0 };
	uint64_t pcr = 12345, ns = SECOND_NS;
	struct pcr_report r;

	for (unsigned i = 0; i < 10; i++) {
		if (i == 5 && is_known)
			pcr_check_resume(&c, ns);
		pcr_check_feed(&c, build_pcr(build, PID, pcr), i * EVERY, ns);
		ns += (i == 4 ? silence_ms : 33) * MS;
		pcr += (i == 4 ? step_ms : 33) * UINT64_C(27000);
	}
	pcr_check_second(&c, ns, &r);
	build_free(build);
	cr_expect_leq(r.interval_max_us, 33000u);
	return r.discontinuity_errors;
}

Test(pcr_check, a_silence_is_no_discontinuity)
{
	cr_expect_eq(jumps_behind_silence(2415, 2400, true), 0);
	cr_expect_eq(jumps_behind_silence(5931, 5986, true), 0);
	cr_expect_eq(jumps_behind_silence(33, 2400, true), 0);
	/* the clock went on by more */
	cr_expect_eq(jumps_behind_silence(4000, 2400, true), 1);
	cr_expect_eq(jumps_behind_silence(2415, 2400, false), 1);
}

/* Faults of PCRs of which every third is damaged, with so many in a row, or
 * missing without a trace. */
static unsigned faults_without(unsigned row, bool is_damaged, uint64_t jump_ms)
{
	struct build *build = build_new();
	struct pcr_check c = { 0 };
	struct pcr_report r;
	uint64_t ms = 0;

	for (unsigned i = 0; i < 30; i++) {
		uint64_t pcr = 12345 + ms * 27000;
		unsigned lost = i % 10 == 5 ? row : 0;

		pcr_check_feed(&c, build_pcr(build, PID, pcr), i * EVERY,
			       SECOND_NS + ms * MS);
		ms += 40;
		for (; lost > 0; lost--, ms += 40)
			if (is_damaged)
				pcr_check_damaged(&c);
		ms += i == 25 ? jump_ms : 0;
	}
	/* the last PCRs of the second */
	for (unsigned i = 0; i < 10 && is_damaged; i++, ms += 40)
		pcr_check_damaged(&c);
	pcr_check_second(&c, SECOND_NS + ms * MS, &r);
	build_free(build);
	return r.repetition_errors + r.discontinuity_errors;
}

Test(pcr_check, a_pcr_that_is_damaged_is_not_missing)
{
	cr_expect_eq(faults_without(3, false, 0), 6u);
	cr_expect_eq(faults_without(1, true, 0), 0u);
	cr_expect_eq(faults_without(3, true, 0), 0u);
	cr_expect_eq(faults_without(10, true, 0), 0u);
	/* it hides no jump */
	cr_expect_eq(faults_without(1, true, 5000), 2u);
}
