/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/input/file_clock.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <string.h>

#define START (777 * MS)

enum { PID = 0x101, EVERY = 40 /* packets between two PCRs */ };

static void make(uint8_t *p, bool has_pcr, uint64_t pcr)
{
	uint64_t base = pcr / 300, extension = pcr % 300;

	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = PID >> 8;
	p[2] = PID & 0xff;
	p[3] = 0x10;
	if (!has_pcr)
		return;
	p[3] = 0x20;
	p[4] = 183;
	p[5] = 0x10;
	p[6] = (uint8_t)(base >> 25);
	p[7] = (uint8_t)(base >> 17);
	p[8] = (uint8_t)(base >> 9);
	p[9] = (uint8_t)(base >> 1);
	p[10] = (uint8_t)((base & 1) << 7 | 0x7e | (extension >> 8));
	p[11] = (uint8_t)extension;
}

/* Feeds n packets, the first with this PCR. */
static void feed(struct file_clock *c, uint64_t pcr, size_t n, uint64_t now)
{
	uint8_t p[TS_PACKET];

	for (size_t i = 0; i < n; i++) {
		make(p, i == 0, pcr);
		if (file_clock_feed(c, p))
			file_clock_advance(c, now, false);
	}
}

static uint64_t pcr_of_ms(uint64_t ms)
{
	return ms * 27000;
}

Test(file_clock, spreads_packets_evenly_between_two_pcrs)
{
	struct file_clock c;

	file_clock_init(&c, START);
	feed(&c, pcr_of_ms(1000), EVERY, START);
	feed(&c, pcr_of_ms(1040), 1, START);
	cr_assert_eq(c.to, EVERY);
	for (uint64_t ms = 0; ms < 40; ms++)
		cr_assert_eq(file_clock_due(&c, START + ms * MS), ms);
	cr_assert_eq(file_clock_due(&c, START + 40 * MS), EVERY);
	cr_assert_eq(file_clock_due(&c, START + 900 * MS), EVERY,
		     "never more than was read");
}

Test(file_clock, follows_a_rate_that_changes)
{
	struct file_clock c;

	file_clock_init(&c, START);
	feed(&c, pcr_of_ms(0), EVERY, START);
	feed(&c, pcr_of_ms(40), EVERY, START);
	feed(&c, pcr_of_ms(120), 1, START);
	cr_assert_eq(c.from, EVERY);
	cr_assert_eq(c.to, 2 * EVERY);
	cr_assert_eq(c.from_ns, START + 40 * MS);
	cr_assert_eq(c.to_ns, START + 120 * MS);
}

Test(file_clock, continues_over_the_seam_of_a_loop)
{
	struct file_clock c;
	uint64_t laps = 5, per_lap = 25, due = START;

	/* a second of 1000 packets, over and over, each time from PCR 9000 */
	file_clock_init(&c, START);
	for (uint64_t lap = 0; lap < laps; lap++) {
		for (uint64_t i = 0; i < per_lap; i++) {
			feed(&c, pcr_of_ms(9000 + 40 * i), EVERY, due);
			if (lap + i == 0)
				continue;
			due += 40 * MS;
			cr_assert_eq(c.to_ns, due, "lap %d, PCR %d",
				     (int)lap, (int)i);
		}
	}
}

Test(file_clock, continues_from_now_when_it_is_too_late)
{
	struct file_clock c;
	uint64_t now = START + 5000 * MS;

	file_clock_init(&c, START);
	feed(&c, pcr_of_ms(0), EVERY, START);
	feed(&c, pcr_of_ms(40), EVERY, START);
	feed(&c, pcr_of_ms(80), 1, now);
	cr_assert_eq(c.from_ns, now);
	cr_assert_eq(file_clock_due(&c, now), EVERY);
	cr_assert_eq(file_clock_due(&c, now + 20 * MS), EVERY + EVERY / 2);
}

/* As the packets of a live source that waited. */
Test(file_clock, catches_up_after_a_stop_of_less_than_a_second)
{
	struct file_clock c;
	uint64_t now = START + 900 * MS;

	file_clock_init(&c, START);
	for (unsigned i = 0; i < 20; i++)
		feed(&c, pcr_of_ms(40 * i), EVERY, now);
	cr_assert_eq(c.slipped_ns, 0u);
	cr_assert_eq(c.to_ns, START + 19 * 40 * MS);
	cr_assert_eq(file_clock_due(&c, now), c.to);
}

Test(file_clock, has_a_rate_for_files_without_pcr)
{
	struct file_clock c;
	uint8_t p[TS_PACKET];
	size_t n = 3000;

	file_clock_init(&c, START);
	make(p, false, 0);
	for (size_t i = 0; i < n; i++)
		cr_assert_not(file_clock_feed(&c, p));
	file_clock_advance(&c, START, true);
	cr_assert_eq(c.to, n);
	cr_assert_eq(c.to_ns - c.from_ns,
		     n * TS_PACKET * 8 * UINT64_C(1000000000) /
			     FILE_CLOCK_BPS);
}

Test(file_clock, does_not_go_back_after_too_fast_an_estimate)
{
	struct file_clock c;

	file_clock_init(&c, START);
	feed(&c, pcr_of_ms(0), EVERY, START);
	feed(&c, pcr_of_ms(40), 10 * EVERY, START);
	/* all that is read ahead, by the last rate: 400 ms */
	file_clock_advance(&c, START, true);
	cr_assert_eq(c.to_ns, START + 440 * MS);
	/* and then the PCR shows that it was only 80 */
	feed(&c, pcr_of_ms(120), 1, START);
	cr_assert_eq(c.to, 11 * EVERY);
	cr_assert_eq(c.from_ns, START + 440 * MS);
	cr_assert_eq(c.to_ns, START + 440 * MS);
}
