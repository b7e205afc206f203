/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "common/supervise/heartbeat.h"

#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000 };

/* A child that uses all idle processor time. */
static pid_t spin(size_t cpu, int policy)
{
	const struct sched_param param = { 0 };
	pid_t pid = fork();
	cpu_set_t set;

	if (pid != 0)
		return pid;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof set, &set);
	(void)sched_setscheduler(0, policy, &param);
	for (;;)
		;
}

static void end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static size_t first_cpu(void)
{
	cpu_set_t set;
	size_t cpu = 0;

	cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	return cpu;
}

static void look(pid_t pid, struct cpu_share *ret)
{
	if (cpu_share_read(pid, ret) < 0)
		cr_skip_test("this kernel has no schedstat");
}

static void pause_ms(unsigned ms)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = (long)(ms * MS) }, NULL);
}

Test(cpu_share, of_a_process_that_waits_for_the_processor)
{
	const size_t cpu = first_cpu();
	pid_t hog = spin(cpu, SCHED_OTHER), idle = spin(cpu, SCHED_IDLE);
	uint64_t give_up_ns = mono_ns() + PATIENCE_MS * MS;
	struct cpu_share before, now = { 0 };

	do {
		cr_assert_lt(mono_ns(), give_up_ns,
			     "ran %llu ms, waited %llu ms",
			     (unsigned long long)(now.ran_ns / MS),
			     (unsigned long long)(now.waited_ns / MS));
		/* from zero, as it may have run before the other did */
		look(idle, &before);
		pause_ms(100);
		look(idle, &now);
	} while (!cpu_share_is_starved(&before, &now));
	end(hog);
	end(idle);
}

Test(cpu_share, of_a_process_that_has_stopped)
{
	pid_t pid = spin(first_cpu(), SCHED_OTHER);
	struct cpu_share before, now;

	(void)kill(pid, SIGSTOP);
	(void)waitpid(pid, NULL, WUNTRACED);
	look(pid, &before);
	pause_ms(100);
	look(pid, &now);
	cr_assert_not(cpu_share_is_starved(&before, &now));
	cr_assert_eq(now.ran_ns, before.ran_ns);
	end(pid);
}

Test(cpu_share, a_process_that_waits_and_gets_little_is_starved)
{
	static const struct {
		unsigned ms, ran_ms, waited_ms;
		bool starved;
	} cases[] = {
		{ 1000, 10, 990, true },   { 1000, 300, 700, true },
		{ 1000, 10, 250, true },   { 1000, 10, 249, false },
		{ 1000, 0, 0, false },     /* it sleeps, or was stopped */
		{ 1000, 1000, 0, false },  /* it turns in circles */
		{ 8000, 1499, 6500, true },
		{ 8000, 1500, 6500, false }, /* and on a busy machine */
		{ 0, 0, 0, false },
	};
	const struct cpu_share before = { 5 * MS, 70 * MS, 900 * MS };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct cpu_share now = {
			before.at_ns + cases[i].ms * MS,
			before.ran_ns + cases[i].ran_ms * MS,
			before.waited_ns + cases[i].waited_ms * MS,
		};

		cr_assert_eq(cpu_share_is_starved(&before, &now),
			     cases[i].starved, "case %zu", i);
	}
}

Test(cpu_share, of_no_process)
{
	struct cpu_share share;

	cr_assert_eq(cpu_share_read(-1, &share), -ENOENT);
}

/* --- too many heartbeats --- */

/* n beats at the same moment; how many of them are let through. */
static unsigned burst(struct pace *p, uint64_t now_ms, unsigned n)
{
	unsigned passed = 0;

	while (n-- > 0)
		passed += pace_beat(p, now_ms);
	return passed;
}

Test(pace, once_a_second_is_right_for_ever)
{
	struct pace p;

	pace_start(&p, 1000);
	for (uint64_t s = 1; s < 1000000; s++)
		cr_assert(pace_beat(&p, 1000 + s * 1000 + s % 200));
}

Test(pace, messages_queued_during_a_pause_of_the_master_are_allowed)
{
	struct pace p;

	pace_start(&p, 0);
	for (uint64_t s = 0; s < 10; s++)
		cr_assert(pace_beat(&p, s * 1000));
	cr_assert_eq(burst(&p, 250000, 240), 240);
}

Test(pace, faster_than_once_a_second_is_found_out)
{
	struct pace p;
	uint64_t ms = 5000;

	pace_start(&p, ms);
	while (pace_beat(&p, ms))
		ms += 500;
	cr_assert_gt(ms, 5000);
	cr_assert_lt(ms, 5000 + 10000);

	pace_start(&p, ms);
	cr_assert_lt(burst(&p, ms, 1900), 10);
}

/* A worker that is slow for a day may send no more than a channel holds. */
Test(pace, credit_has_an_end)
{
	struct pace p;

	pace_start(&p, 0);
	for (uint64_t ms = 0; ms < 86400000; ms += 2900)
		cr_assert(pace_beat(&p, ms));
	cr_assert_lt(burst(&p, 86400000, 2000), 350);
}
