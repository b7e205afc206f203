/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/system_status.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/shared.h"
#include "common/loop/timer.h"
#include "common/supervise/procfs.h"

#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MARKS = 64,
	WORKERS_MAX = 4096,
	LOOK_MS = 1000,
	/* The timer runs this many times in LOOK_MS: once it reads CPU times,
	 * once memory.  They are separate, because the memory takes 2.5 ms for
	 * 200 workers. */
	LOOK_TURNS = 2,
	/* interval of the readings without requests */
	REST_MS = 5000,
	/* Time after the last request in which memory is read and the interval
	 * is LOOK_MS.  A reading opens a file of each process. */
	INTEREST_MS = REST_MS,
	SPAN_MS = 60000,
};

/* A reading of CPU times so far, in clock ticks. */
struct mark {
	uint64_t at_ms;   /* monotonic time of the reading */
	uint64_t machine; /* busy time of all processors */
	uint64_t app;     /* CPU time of the master and its workers */
	uint64_t all; /* busy and idle time of all processors; 0: unknown */
};

struct process {
	pid_t pid;
	uint64_t ticks; /* CPU time at the last reading */
};

struct system_status {
	struct ev_loop *loop;
	ev_timer timer;
	unsigned turn;
	/* lists workers that are not children; NULL: there are none */
	workers_fn *workers;
	void *workers_arg;
	uint64_t started_ms; /* monotonic time of the start of the service */
	uint64_t asked_ms; /* time of the last request; 0: never */
	struct buf text; /* content of the file read last */

	/* the master and its workers, sorted by pid */
	struct process *processes;
	size_t n_processes;
	bool counted; /* app_ticks is valid */
	/* CPU time in ticks of the master and all its workers, also those that
	 * have ended, since the start of the service */
	uint64_t app_ticks;
	uint64_t threads;
	uint64_t memory_kib; /* memory of the processes in the list */

	struct mark now;
	struct mark marks[MARKS]; /* ring of the last readings */
	size_t n_marks;
	size_t next_mark;
};

static int read_pid(struct system_status *s, pid_t pid, const char *file)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	return procfs_read(path, &s->text);
}

static const char *text_of(const struct system_status *s)
{
	return (const char *)buf_head(&s->text);
}

static int by_pid(const void *a, const void *b)
{
	pid_t left = ((const struct process *)a)->pid;
	pid_t right = ((const struct process *)b)->pid;

	return (left > right) - (left < right);
}

/* Returns the master, its children and its workers, sorted by pid, without CPU
 * times. */
static struct process *list_processes(struct system_status *s, size_t *ret_n)
{
	struct process *list = xcalloc(1, sizeof *list);
	size_t n = 1, n_workers = 0;
	pid_t workers[WORKERS_MAX];
	const char *text;
	pid_t pid;

	list[0].pid = getpid();
	/* this thread starts the workers, so they are its children */
	if (procfs_read("/proc/thread-self/children", &s->text) == 0) {
		text = text_of(s);
		while (procfs_next_pid(&text, &pid)) {
			list = xrealloc(list, (n + 1) * sizeof *list);
			list[n++] = (struct process){ .pid = pid };
		}
	}
	/* workers that were adopted after a crash are children of init */
	if (s->workers != NULL)
		n_workers = MIN(s->workers(workers, WORKERS_MAX,
					   s->workers_arg),
				(size_t)WORKERS_MAX);
	list = xrealloc(list, (n + n_workers) * sizeof *list);
	for (size_t i = 0; i < n_workers; i++)
		list[n++] = (struct process){ .pid = workers[i] };
	qsort(list, n, sizeof *list, by_pid);
	*ret_n = 1;
	for (size_t i = 1; i < n; i++)
		if (list[i].pid != list[*ret_n - 1].pid)
			list[(*ret_n)++] = list[i];
	return list;
}

/* Reads the CPU time of the host and of all processes. */
static void look(struct system_status *s)
{
	size_t n;
	struct process *list = list_processes(s, &n);
	struct procfs_pid seen;
	uint64_t busy, all;

	s->threads = 0;
	for (size_t i = 0; i < n; i++) {
		const struct process *old = NULL;

		if (read_pid(s, list[i].pid, "stat") < 0 ||
		    procfs_pid_stat_parse(text_of(s), &seen) < 0)
			continue;
		list[i].ticks = seen.ticks;
		s->threads += seen.threads;
		if (s->processes != NULL)
			old = bsearch(&list[i], s->processes, s->n_processes,
				      sizeof list[i], by_pid);
		if (s->counted)
			s->app_ticks += seen.ticks;
		/* a process with fewer ticks is a new one with the same pid */
		if (s->counted && old != NULL && old->ticks <= seen.ticks)
			s->app_ticks -= old->ticks;
	}
	s->counted = true;
	free(s->processes);
	s->processes = list;
	s->n_processes = n;
	s->now.at_ms = mono_ms();
	s->now.app = s->app_ticks;
	if (procfs_read("/proc/stat", &s->text) == 0 &&
	    procfs_stat_parse(text_of(s), &busy, &all) == 0) {
		s->now.machine = busy;
		s->now.all = all;
	}
}

/* Returns an earlier reading; back: 1 is the newest. */
static const struct mark *past(const struct system_status *s, size_t back)
{
	return &s->marks[(s->next_mark + MARKS - back) % MARKS];
}

static void remember(struct system_status *s)
{
	s->marks[s->next_mark] = s->now;
	s->next_mark = (s->next_mark + 1) % MARKS;
	s->n_marks = MIN(s->n_marks + 1, (size_t)MARKS);
}

/* Counts the memory of all processes in KiB.  Several of them map the same
 * ring, so shared memory counts by its descriptors, which the master keeps. */
static void count_memory(struct system_status *s)
{
	uint64_t all = 0, kib;

	for (size_t i = 0; i < s->n_processes; i++)
		if (read_pid(s, s->processes[i].pid, "status") == 0 &&
		    procfs_pid_status_parse(text_of(s), &kib) == 0)
			all += kib;
	s->memory_kib = all + shared_bytes() / 1024;
}

static bool is_asked(const struct system_status *s)
{
	return s->asked_ms != 0 && mono_ms() - s->asked_ms < INTEREST_MS;
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct system_status *s =
		container_of(w, struct system_status, timer);

	(void)loop, (void)revents;
	s->turn = (s->turn + 1) % LOOK_TURNS;
	if (s->turn != 0) {
		if (is_asked(s))
			count_memory(s);
		return;
	}
	if (!is_asked(s) && mono_ms() - past(s, 1)->at_ms < REST_MS)
		return;
	look(s);
	remember(s);
}

struct system_status *system_status_new(struct ev_loop *loop)
{
	struct system_status *s = xcalloc(1, sizeof *s);

	s->loop = loop;
	s->started_ms = mono_ms();
	look(s);
	remember(s);
	ev_init(&s->timer, on_timer);
	timer_repeat(loop, &s->timer, LOOK_MS / 1e3 / LOOK_TURNS,
		     LOOK_MS / 1e3 / LOOK_TURNS);
	return s;
}

void system_status_set_workers(struct system_status *s, workers_fn *workers,
			       void *arg)
{
	s->workers = workers;
	s->workers_arg = arg;
}

void system_status_free(struct system_status **p)
{
	struct system_status *s = *p;

	*p = NULL;
	if (s == NULL)
		return;
	ev_timer_stop(s->loop, &s->timer);
	buf_done(&s->text);
	free(s->processes);
	free(s);
}

/* Returns the reading with which the span begins: for STATUS_SECOND, the newest
 * that is about a second old or older; else the oldest of the last minute. */
static const struct mark *base_of(const struct system_status *s,
				  enum status_span span)
{
	size_t back = 1;

	while (back < s->n_marks) {
		uint64_t age = s->now.at_ms - past(s, back)->at_ms;

		if (span == STATUS_SECOND && age >= LOOK_MS * 9 / 10)
			break;
		if (s->now.at_ms - past(s, back + 1)->at_ms >
		    SPAN_MS + LOOK_MS)
			break;
		back++;
	}
	return past(s, back);
}

/* Rounds x (>= 0) to an integer. */
static json_int_t whole(double x)
{
	return (json_int_t)(x + 0.5);
}

/* Returns a CPU time (ticks, between two readings) in per cent of one
 * processor, at most 100 times the number of processors.  Divides by the busy
 * and idle time of the kernel instead of the time of the clock, because the
 * kernel counts these at the same moments as the CPU time. */
static json_int_t usage(const struct mark *base, const struct mark *now,
			uint64_t ticks)
{
	double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
	double all = (double)(now->at_ms - base->at_ms) / 1e3 * cores *
		     (double)sysconf(_SC_CLK_TCK);

	if (base->all > 0 && now->all > base->all)
		all = (double)(now->all - base->all);
	return all > 0 ? whole(MIN((double)ticks / all, 1.) * 100 * cores) : 0;
}

static void set_int(json_t *o, const char *key, json_int_t value)
{
	(void)json_object_set_new_nocheck(o, key, json_integer(value));
}

static void add_memory(struct system_status *s, json_t *o)
{
	uint64_t total = 0, available = 0;

	if (procfs_read("/proc/meminfo", &s->text) < 0 ||
	    procfs_meminfo_parse(text_of(s), &total, &available) < 0 ||
	    total == 0)
		total = available = 1;
	set_int(o, "sys_mem_usage", whole((double)(total - available) * 1e2 /
					   (double)total));
	set_int(o, "app_mem_usage",
		whole((double)s->memory_kib * 1e2 / (double)total));
	set_int(o, "app_mem_kb", (json_int_t)s->memory_kib);
}

uint64_t system_status_uptime_s(const struct system_status *s)
{
	return (mono_ms() - s->started_ms) / 1000;
}

json_t *system_status_get(struct system_status *s, enum status_span span,
			  const char *instance)
{
	static const char *const load_keys[] = { "la1", "la5", "la15" };
	double load[ARRAY_LEN(load_keys)] = { 0 };
	json_t *o = json_object();
	const struct mark *base, *now = &s->now;
	struct timespec uptime;
	json_int_t machine;

	/* while requests arrive, the timer reads */
	if (!is_asked(s)) {
		look(s);
		count_memory(s);
	}
	s->asked_ms = mono_ms();
	base = base_of(s, span);
	machine = usage(base, now, now->machine - base->machine);
	set_int(o, "timestamp", time(NULL));
	if (instance != NULL)
		(void)json_object_set_new(o, "instance",
					  json_string(instance));
	(void)getloadavg(load, ARRAY_LEN(load));
	for (size_t i = 0; i < ARRAY_LEN(load_keys); i++)
		set_int(o, load_keys[i], whole(load[i] * 100));
	set_int(o, "app_threads", (json_int_t)s->threads);
	set_int(o, "cpu_cores", sysconf(_SC_NPROCESSORS_ONLN));
	set_int(o, "sys_cpu_usage", machine);
	/* at most the use of the host: the processes were read a little
	 * earlier */
	set_int(o, "app_cpu_usage",
		MIN(usage(base, now, now->app - base->app), machine));
	add_memory(s, o);
	(void)clock_gettime(CLOCK_BOOTTIME, &uptime);
	set_int(o, "sys_uptime", uptime.tv_sec);
	set_int(o, "app_uptime",
		(json_int_t)system_status_uptime_s(s));
	return o;
}

/* --- from master to master: the monotonic clock is the same for both --- */

json_t *system_status_write(const struct system_status *s)
{
	json_t *list = json_array();
	json_t *o = json_pack("{s:I, s:o}", "started_ms",
			      (json_int_t)s->started_ms, "marks", list);

	for (size_t back = s->n_marks; back > 0; back--) {
		const struct mark *m = past(s, back);

		(void)json_array_append_new(
			list, json_pack("[I, I, I, I]", (json_int_t)m->at_ms,
					(json_int_t)m->machine,
					(json_int_t)m->app,
					(json_int_t)m->all));
	}
	return o;
}

/* Takes a reading from a record; false: it is invalid, or its time or a CPU
 * time is less than that of the reading before. */
static bool take_mark(const json_t *value, const struct mark *before,
		      struct mark *ret)
{
	/* records of older programs do not have the last member */
	bool is_old = json_array_size(value) == 3;
	json_int_t at = -1, machine = -1, app = -1, all = 0;

	if (json_unpack((json_t *)(uintptr_t)value,
			is_old ? "[I, I, I!]" : "[I, I, I, I!]", &at, &machine,
			&app, &all) < 0 ||
	    at < 0 || machine < 0 || app < 0 || all < 0)
		return false;
	*ret = (struct mark){ (uint64_t)at, (uint64_t)machine, (uint64_t)app,
			      (uint64_t)all };
	return ret->at_ms >= before->at_ms &&
	       ret->machine >= before->machine && ret->app >= before->app;
}

static void take_marks(struct system_status *s, const json_t *list)
{
	struct mark first = s->now, before = { 0 }, mark;
	json_t *value;
	size_t i;

	if (json_array_size(list) == 0 || json_array_size(list) > MARKS)
		return;
	json_array_foreach((json_t *)(uintptr_t)list, i, value) {
		if (!take_mark(value, &before, &mark) ||
		    mark.at_ms > first.at_ms || mark.machine > first.machine)
			return;
		before = mark;
	}
	s->n_marks = s->next_mark = 0;
	json_array_foreach((json_t *)(uintptr_t)list, i, value) {
		(void)take_mark(value, &(struct mark){ 0 }, &s->now);
		remember(s);
	}
	/* app_ticks of this master began at 0: add those of the record */
	s->app_ticks += s->now.app;
	first.app += s->now.app;
	s->now = first;
	remember(s);
}

void system_status_take(struct system_status *s, const json_t *record)
{
	const json_t *started = json_object_get(record, "started_ms");
	json_int_t at = json_integer_value(started);

	/* the service has run longer than this master */
	if (json_is_integer(started) && at >= 0 &&
	    (uint64_t)at <= s->started_ms)
		s->started_ms = (uint64_t)at;
	take_marks(s, json_object_get(record, "marks"));
}
