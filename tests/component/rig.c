/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/component/rig.h"

#include "common/base/log.h"
#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *below(const char *variable, const char *name)
{
	static char paths[2][4096];
	static unsigned next;
	const char *folder = getenv(variable);
	char *path = paths[next++ % 2];

	(void)snprintf(path, sizeof paths[0], "%s/%s",
		       folder != NULL ? folder : ".", name);
	return path;
}

const char *rig_built(const char *name)
{
	return below("builddir", name);
}

const char *rig_source(const char *name)
{
	static char path[PATH_MAX];

	cr_assert_not_null(realpath(below("srcdir", name), path),
			   "no file %s: srcdir is not the source tree",
			   below("srcdir", name));
	return path;
}

const char *rig_host(void)
{
	static char host[sizeof "127.127.255.255"];
	unsigned pid = (unsigned)getpid(); /* of 22 bits at most */

	(void)snprintf(host, sizeof host, "127.%u.%u.%u",
		       64 + (pid >> 16 & 63), pid >> 8 & 255, pid & 255);
	return host;
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)t, (void)revents;
}

/* One turn of the loop, at most 10 ms long. */
static void turn(struct ev_loop *loop)
{
	ev_timer t;

	ev_timer_init(&t, on_timer, 0.01, 0.);
	ev_timer_start(loop, &t);
	ev_run(loop, EVRUN_ONCE);
	ev_timer_stop(loop, &t);
}

enum { BUSY = 6 }; /* times the patience */

void rig_run_until(struct ev_loop *loop, bool (*is_so)(void *arg), void *arg,
		   unsigned ms, const char *what)
{
	unsigned patience_ms = BUSY * ms;
	uint64_t end = mono_ms() + patience_ms;

	while (!is_so(arg)) {
		cr_assert_lt(mono_ms(), end, "not within %u ms: %s\n%s",
			     patience_ms, what, rig_log());
		turn(loop);
	}
}

bool rig_is_busy(void)
{
	FILE *f = fopen("/proc/self/schedstat", "re");
	unsigned long long ran_ns, waited_ns, turns;
	int n;

	if (f == NULL)
		return false;
	n = fscanf(f, "%llu %llu %llu", &ran_ns, &waited_ns, &turns);
	(void)fclose(f);
	return n == 3 && waited_ns > turns * 1000000;
}

void rig_run_for(struct ev_loop *loop, unsigned ms)
{
	uint64_t end = mono_ms() + ms;

	while (mono_ms() < end)
		turn(loop);
}

/* --- the log --- */

static char kept[1 << 20];
static size_t kept_len;

static void keep(enum log_level level, const char *component,
		 const char *text, void *arg)
{
	int n;

	(void)arg;
	n = snprintf(kept + kept_len, sizeof kept - kept_len, "%s %s: %s\n",
		     log_level_format(level), component, text);
	if (n > 0 && (size_t)n < sizeof kept - kept_len)
		kept_len += (size_t)n;
}

void rig_keep_log(void)
{
	log_open(keep, NULL, LOG_LEVEL_DEBUG);
}

unsigned rig_count_log(const char *text)
{
	unsigned n = 0;

	for (const char *c = kept; (c = strstr(c, text)) != NULL; c++)
		n++;
	return n;
}

const char *rig_log(void)
{
	return kept;
}

/* --- processes --- */

/* The numbers of our children into pids; how many. */
static unsigned children(pid_t *pids, unsigned max)
{
	unsigned n = 0;
	char path[64];
	FILE *f;
	int pid;

	(void)snprintf(path, sizeof path, "/proc/self/task/%d/children",
		       (int)getpid());
	f = fopen(path, "r");
	cr_assert_not_null(f);
	while (n < max && fscanf(f, "%d", &pid) == 1)
		pids[n++] = pid;
	(void)fclose(f);
	return n;
}

pid_t rig_find_child(const char *text)
{
	pid_t pids[1024];
	unsigned n = children(pids, 1024);

	for (unsigned i = 0; i < n; i++) {
		char path[64], line[512] = "";
		size_t len;
		FILE *f;

		(void)snprintf(path, sizeof path, "/proc/%d/cmdline",
			       (int)pids[i]);
		f = fopen(path, "r");
		if (f == NULL)
			continue;
		len = fread(line, 1, sizeof line - 1, f);
		(void)fclose(f);
		for (size_t c = 0; c + 1 < len; c++)
			if (line[c] == '\0')
				line[c] = ' ';
		if (strstr(line, text) != NULL)
			return pids[i];
	}
	return 0;
}

unsigned rig_count_children(void)
{
	pid_t pids[1024];

	return children(pids, 1024);
}
