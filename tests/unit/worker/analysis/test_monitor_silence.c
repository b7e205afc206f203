/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The alarms of a source that is silent for some time. */
#include "tests/unit/worker/analysis/bench.h"

static void end_second(struct bench *b)
{
	b->ms = (b->ms / 1000 + 1) * 1000;
	b->changed |= monitor_second(b->monitor, &b->counts, START + b->ms * MS,
				     b->ms);
}

/* It begins and ends within a second. */
Test(monitor_silence, what_a_silence_delays_is_no_other_alarm)
{
	struct bench b;

	setup(&b);
	run(&b, 3, NULL);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 15; i++)
			step(&b, NULL);
		for (int s = 0; s < 12; s++)
			end_second(&b);
		b.ms += 820;
		/* packets in front of the first tables */
		for (int i = 0; i < 8; i++)
			step(&b, NULL);
		end_second(&b);
		only(&b, ALARM_SYNC_LOSS, ALARM_COUNT);
		run(&b, 1, NULL);
		only(&b, ALARM_SYNC_LOSS, ALARM_COUNT);
	}
	/* behind it as before it */
	b.no_tables = b.no_audio = true;
	run(&b, 7, NULL);
	cr_expect(raised(&b, ALARM_PAT));
	cr_expect(raised(&b, ALARM_PMT));
	cr_expect(raised(&b, ALARM_PID));
	cr_expect(raised(&b, ALARM_NO_AUDIO));
	done(&b);
}

/* As behind a switch to a backup, which continues the clock. */
Test(monitor_silence, a_clock_that_goes_on_behind_it_is_no_jump)
{
	struct bench b;

	setup(&b);
	run(&b, 3, NULL);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 15; i++)
			step(&b, NULL);
		end_second(&b);
		end_second(&b);
		b.ms += 700;
		b.pcr += 2415 * UINT64_C(27000);
		b.pts += 2415 * 90;
		for (int i = 0; i < 14; i++)
			step(&b, NULL);
		end_second(&b);
		run(&b, 1, NULL);
		only(&b, ALARM_SYNC_LOSS, ALARM_COUNT);
	}
	/* and further jumps are */
	b.pcr += 2415 * UINT64_C(27000);
	run(&b, 1, NULL);
	cr_expect_eq(count(&b, ALARM_PCR_DISCONTINUITY), 1u);
	done(&b);
}

/* Without a second that has no packet. */
Test(monitor_silence, tables_that_a_short_pause_delays_are_late)
{
	struct bench b;

	setup(&b);
	run(&b, 3, NULL);
	for (int i = 0; i < 15; i++)
		step(&b, NULL);
	end_second(&b);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	run(&b, 1, NULL);
	cr_expect_eq(count(&b, ALARM_PAT), 1u);
	cr_expect_eq(count(&b, ALARM_PMT), 1u);
	cr_expect_eq(count(&b, ALARM_SYNC_LOSS), 0u);
	done(&b);
}
