/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/procfs.h"

#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CHUNK = 4096,
	/* indexes of words in /proc/PID/stat, from 0 */
	PID_STAT_USER = 13,
	PID_STAT_SYSTEM = 14,
	PID_STAT_THREADS = 19,
	PID_STAT_PAGES = 23,
	PID_STAT_WORDS
};

int procfs_read(const char *path, struct buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	buf_reset(text, SIZE_MAX);
	do {
		n = read(fd, buf_reserve(text, CHUNK), CHUNK);
		if (n > 0)
			buf_added(text, (size_t)n);
	} while (n > 0);
	n = n < 0 ? -errno : 0;
	fd_close(&fd);
	buf_append(text, "", 1);
	return (int)n;
}

int procfs_stat_parse(const char *text, uint64_t *ret_busy,
		      uint64_t *ret_all)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;

	/* guest time is part of user */
	if (sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   &user, &nice, &system, &idle, &iowait, &irq, &softirq,
		   &steal) != 8)
		return -EINVAL;
	*ret_busy = user + nice + system + irq + softirq + steal;
	*ret_all = *ret_busy + idle + iowait;
	return 0;
}

/* Reads the number in the line that starts with key; 0 or -errno. */
static int find_number(const char *text, const char *key, uint64_t *ret)
{
	size_t len = strlen(key);
	const char *line = text;

	while (line != NULL) {
		if (strncmp(line, key, len) == 0)
			return sscanf(line + len, "%" SCNu64, ret) == 1
				       ? 0
				       : -EINVAL;
		line = strchr(line, '\n');
		if (line != NULL)
			line++;
	}
	return -EINVAL;
}

int procfs_meminfo_parse(const char *text, uint64_t *ret_total,
			 uint64_t *ret_available)
{
	uint64_t total, available;

	if (find_number(text, "MemTotal:", &total) < 0 ||
	    find_number(text, "MemAvailable:", &available) < 0)
		return -EINVAL;
	*ret_total = total;
	*ret_available = available;
	return 0;
}

int procfs_oom_kills_parse(const char *text, uint64_t *ret)
{
	return find_number(text, "oom_kill ", ret);
}

int procfs_pid_stat_parse(const char *text, struct procfs_pid *ret)
{
	/* the name in brackets may hold anything, brackets too */
	const char *at = strrchr(text, ')');
	uint64_t words[PID_STAT_WORDS] = { 0 };
	size_t n = 2; /* the words behind pid and name */

	/* with 1,000 workers sscanf() would take more CPU time than the kernel
	 * takes for the files */
	while (at != NULL && n < PID_STAT_WORDS &&
	       (at = strchr(at, ' ')) != NULL)
		words[n++] = strtoull(++at, NULL, 10);
	if (n <= PID_STAT_THREADS)
		return -EINVAL;
	*ret = (struct procfs_pid){
		.ticks = words[PID_STAT_USER] + words[PID_STAT_SYSTEM],
		.threads = words[PID_STAT_THREADS],
		.pages = words[PID_STAT_PAGES],
	};
	return 0;
}

int procfs_pid_status_parse(const char *text, uint64_t *ret_kib)
{
	return find_number(text, "RssAnon:", ret_kib);
}

int procfs_fdinfo_pid_parse(const char *text)
{
	const char *line = strstr(text, "\nPid:");
	int pid;

	if (line == NULL || sscanf(line, " Pid: %d", &pid) != 1)
		return -EINVAL;
	return MAX(pid, 0);
}

bool procfs_next_pid(const char **text, pid_t *ret)
{
	int used = 0;

	if (sscanf(*text, "%d%n", ret, &used) != 1)
		return false;
	*text += used;
	return true;
}
