/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/procfs.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <unistd.h>

Test(proc, sums_the_busy_ticks)
{
	uint64_t busy = 0, all = 0;

	cr_assert_eq(procfs_stat_parse("cpu  10 20 30 4000 500 6 7 8 9 10\n"
				       "cpu0 1 2 3 4 5 6 7 8 9 10\n",
				       &busy, &all),
		     0);
	cr_assert_eq(busy, 10u + 20 + 30 + 6 + 7 + 8);
	cr_assert_eq(all, busy + 4000 + 500);
	cr_assert_eq(procfs_stat_parse("cpu  10 20 30\n", &busy, &all),
		     -EINVAL);
	cr_assert_eq(procfs_stat_parse("", &busy, &all), -EINVAL);
}

Test(proc, reads_the_memory)
{
	uint64_t total = 0, available = 0;

	cr_assert_eq(procfs_meminfo_parse("MemTotal:       100 kB\n"
					  "MemFree:         10 kB\n"
					  "MemAvailable:    60 kB\n",
					  &total, &available),
		     0);
	cr_assert_eq(total, 100u);
	cr_assert_eq(available, 60u);
	cr_assert_eq(
		procfs_meminfo_parse("MemTotal: 100 kB\n", &total, &available),
		-EINVAL);
}

Test(proc, counts_processes_that_ended_for_lack_of_memory)
{
	uint64_t kills = 0;

	cr_assert_eq(procfs_oom_kills_parse("drop_slab 1\noom_kill 3\n",
					    &kills),
		     0);
	cr_assert_eq(kills, 3u);
	cr_assert_eq(procfs_oom_kills_parse("nr_free_pages 7\n", &kills),
		     -EINVAL);
}

Test(proc, is_not_misled_by_the_name_of_a_process)
{
	struct procfs_pid p = { 0 };

	cr_assert_eq(procfs_pid_stat_parse("7 (a) R 1 (b) S 1 2 3 4 5 6 7 8 9 "
					   "10 100 23 13 14 15 16 3 "
					   "18 19 20 21 22\n",
					   &p),
		     0);
	cr_assert_eq(p.ticks, 123u);
	cr_assert_eq(p.threads, 3u);
	cr_assert_eq(p.pages, 21u);
	cr_assert_eq(procfs_pid_stat_parse("7 (a) R 1 2", &p), -EINVAL);
	cr_assert_eq(procfs_pid_stat_parse("", &p), -EINVAL);
}

Test(proc, counts_the_private_memory_of_a_process)
{
	uint64_t kib = 0;

	cr_assert_eq(procfs_pid_status_parse("Name:\tx\nRssAnon:\t 5 kB\n"
					     "RssFile:\t 900 kB\n"
					     "RssShmem:\t 7 kB\n",
					     &kib),
		     0);
	cr_assert_eq(kib, 5u);
	/* a zombie has none */
	cr_assert_eq(procfs_pid_status_parse("Name:\tx\n", &kib), -EINVAL);
}

Test(proc, walks_a_list_of_pids)
{
	const char *text = "12 345 6 ";
	pid_t pid = 0;

	cr_assert(procfs_next_pid(&text, &pid));
	cr_assert_eq(pid, 12);
	cr_assert(procfs_next_pid(&text, &pid));
	cr_assert_eq(pid, 345);
	cr_assert(procfs_next_pid(&text, &pid));
	cr_assert_not(procfs_next_pid(&text, &pid));
}

Test(proc, reads_the_running_system)
{
	struct buf text = { 0 };
	struct procfs_pid self;
	uint64_t busy, all, total, available, kib;

	cr_assert_eq(procfs_read("/proc/stat", &text), 0);
	cr_assert_eq(procfs_stat_parse((char *)buf_head(&text), &busy, &all),
		     0);
	cr_assert_gt(busy, 0u);
	cr_assert_eq(procfs_read("/proc/meminfo", &text), 0);
	cr_assert_eq(procfs_meminfo_parse((char *)buf_head(&text), &total,
					  &available),
		     0);
	cr_assert_gt(total, available);
	cr_assert_eq(procfs_read("/proc/self/stat", &text), 0);
	cr_assert_eq(procfs_pid_stat_parse((char *)buf_head(&text), &self), 0);
	cr_assert_geq(self.threads, 1u);
	cr_assert_eq(procfs_read("/proc/self/status", &text), 0);
	cr_assert_eq(procfs_pid_status_parse((char *)buf_head(&text), &kib), 0);
	cr_assert_gt(kib, 0u);
	cr_assert_eq(procfs_read("/proc/no-such", &text), -ENOENT);
	buf_done(&text);
}

Test(proc, the_process_behind_a_pidfd)
{
	cr_assert_eq(procfs_fdinfo_pid_parse("pos:\t0\nflags:\t02000002\n"
					     "mnt_id:\t15\nPid:\t4711\n"
					     "NSpid:\t4711\n"),
		     4711);
	cr_assert_eq(procfs_fdinfo_pid_parse("pos:\t0\nPid:\t-1\n"), 0);
	cr_assert_eq(procfs_fdinfo_pid_parse("pos:\t0\nNSpid:\t1\n"), -EINVAL);
	cr_assert_eq(procfs_fdinfo_pid_parse(""), -EINVAL);
}
