/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/tuner_watch.h"

#include "common/base/units.h"

#include <criterion/criterion.h>

static struct tuner_watch w;
static struct watch_facts f;

static void setup(void)
{
	w = (struct tuner_watch){ .timeout_s = 20, .powers = true };
	f = (struct watch_facts){ .now_ns = 100 * SECOND_NS,
				  .tuned_ns = 100 * SECOND_NS, .tuned = true,
				  .lock = true, .packets = 1 };
}

/* The second of the next step, and the step. */
static unsigned next(unsigned max_s, enum watch_step *ret)
{
	for (unsigned s = 1; s <= max_s; s++) {
		f.now_ns += SECOND_NS;
		*ret = tuner_watch_second(&w, &f);
		if (*ret != WATCH_NONE)
			return s;
	}
	return 0;
}

static void expect(unsigned from_s, unsigned to_s, enum watch_step wanted)
{
	enum watch_step step;
	unsigned s = next(200, &step);

	cr_expect(s >= from_s && s <= to_s, "after %u s, not %u to %u", s,
		  from_s, to_s);
	cr_expect_eq(step, wanted);
	f.tuned_ns = f.now_ns;
}

Test(tuner_watch, does_nothing_to_a_tuner_that_receives)
{
	enum watch_step step;

	setup();
	cr_assert_eq(next(300, &step), 0u);
}

/* Weather: the delays grow, and no process is ended. */
Test(tuner_watch, no_lock)
{
	setup();
	f.lock = false;
	f.packets = 0;
	expect(5, 7, WATCH_RETUNE);
	expect(10, 12, WATCH_REOPEN);
	expect(20, 22, WATCH_POWER);
	expect(40, 42, WATCH_RETUNE);
	expect(60, 62, WATCH_RETUNE);
	expect(60, 62, WATCH_REOPEN);
	cr_assert_str_eq(w.reason, "no lock");
}

Test(tuner_watch, a_dish_may_move)
{
	setup();
	w.moves_ms = 60000;
	f.lock = false;
	expect(64, 67, WATCH_RETUNE);
}

Test(tuner_watch, lock_without_packets)
{
	setup();
	f.packets = 0;
	w.powers = false;
	expect(20, 21, WATCH_RETUNE);
	cr_assert_str_eq(w.reason, "dvr receiving timeout");
	expect(20, 42, WATCH_REOPEN);
	expect(20, 42, WATCH_REOPEN);
	expect(20, 65, WATCH_RENEW);
	setup();
	w.timeout_s = 0;
	f.packets = 0;
	{
		enum watch_step step;

		cr_assert_eq(next(500, &step), 0u);
	}
}

/* The thread of the tuner has another clock reading than the loop. */
Test(tuner_watch, a_tuning_may_be_later_than_the_second)
{
	enum watch_step step;

	setup();
	f.packets = 0;
	f.tuned_ns = f.now_ns + 2 * SECOND_NS;
	cr_assert_eq(next(21, &step), 0u);
	cr_assert_eq(next(2, &step), 1u);
	cr_assert_eq(step, WATCH_RETUNE);
}

Test(tuner_watch, wrong_packets_have_to_last)
{
	enum watch_step step;

	setup();
	f.pat_packets = 10;
	f.cc_errors = 5;
	cr_assert_eq(next(2, &step), 0u);
	f.cc_errors = 4;
	cr_assert_eq(next(5, &step), 0u);
	f.cc_errors = 5;
	cr_assert_eq(next(5, &step), 3u);
	cr_assert_str_eq(w.reason, "dvr cc error");
	setup();
	f.sync_errors = 5;
	cr_assert_eq(next(5, &step), 3u);
	cr_assert_str_eq(w.reason, "dvr sync byte error");
	setup();
	f.pat_sections = 10;
	f.pat_errors = 4;
	cr_assert_eq(next(5, &step), 0u);
	f.pat_errors = 5;
	cr_assert_eq(next(5, &step), 3u);
	cr_assert_str_eq(w.reason, "PAT checksum error");
	setup();
	f.pes_starts = 8;
	cr_assert_eq(next(1, &step), 0u);
	f.pes_errors = 5;
	cr_assert_eq(next(5, &step), 3u);
	cr_assert_str_eq(w.reason, "PES error");
	/* the step was in vain: the next one follows */
	cr_assert_eq(next(20, &step), 13u);
}

Test(tuner_watch, a_slow_pat_is_judged_too)
{
	enum watch_step step;

	setup();
	f.pat_packets = 2;
	f.cc_errors = 1;
	cr_assert_eq(next(5, &step), 3u);
	cr_assert_str_eq(w.reason, "dvr cc error");
	setup();
	f.pat_sections = 4;
	f.pat_errors = 1;
	cr_assert_eq(next(30, &step), 0u);
	f.pat_errors = 2;
	cr_assert_eq(next(5, &step), 3u);
	cr_assert_str_eq(w.reason, "PAT checksum error");
	/* the PAT is not received */
	setup();
	cr_assert_eq(next(30, &step), 0u);
}

Test(tuner_watch, one_bad_program_is_no_fault_of_the_tuner)
{
	enum watch_step step;

	setup();
	f.pes_starts = 400;
	cr_assert_eq(next(1, &step), 0u);
	f.pes_errors = 100;
	cr_assert_eq(next(30, &step), 0u);
	/* few, as of still pictures, are no proof */
	f.pes_starts = f.pes_errors = 4;
	cr_assert_eq(next(30, &step), 0u);
	/* a multiplex that never had any other */
	setup();
	f.pes_starts = f.pes_errors = 400;
	cr_assert_eq(next(30, &step), 0u);
}

Test(tuner_watch, time_without_fault_forgives)
{
	enum watch_step step;

	setup();
	f.lock = false;
	expect(5, 7, WATCH_RETUNE);
	f.lock = true;
	cr_assert_eq(next(35, &step), 0u);
	f.lock = false;
	expect(5, 7, WATCH_RETUNE);
}

/* The thread of the tuner retries by itself. */
Test(tuner_watch, leaves_a_closed_device_alone)
{
	enum watch_step step;

	setup();
	f.tuned = f.lock = false;
	cr_assert_eq(next(100, &step), 0u);
}
