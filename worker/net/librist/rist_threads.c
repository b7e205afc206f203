/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_threads.h"

#include "common/base/mono.h"
#include "common/base/units.h"

#include <errno.h>
#include <librist/opt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Calls in a shorter interval, after a delay, count as one. */
enum { LOOK_MS = 500 };

void rist_threads_init(struct rist_threads *t)
{
	*t = (struct rist_threads){ .n = 0 };
	(void)pthread_mutex_init(&t->lock, NULL);
}

void rist_threads_done(struct rist_threads *t)
{
	(void)pthread_mutex_destroy(&t->lock);
}

/* --- in librist's threads --- */

static void note_begin(struct rist_threads *t)
{
	struct rist_thread new = { .tid = gettid() };

	/* names for top and core dumps */
	(void)pthread_setname_np(pthread_self(), t->n == 0 ? "rist sockets"
							   : "rist flow");
	if (t->n < RIST_THREADS_MAX &&
	    pthread_getcpuclockid(pthread_self(), &new.clock) == 0)
		t->list[t->n++] = new;
}

static void note_end(struct rist_threads *t)
{
	pid_t tid = gettid();

	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].tid == tid) {
			t->list[i] = t->list[--t->n];
			return;
		}
}

static void on_thread(void *handle, int type, bool begins, void *arg)
{
	struct rist_threads *t = arg;

	(void)handle;
	(void)pthread_mutex_lock(&t->lock);
	/* librist 0.2.7 passes `begins' in the place of the type */
	if (begins || type != 0)
		note_begin(t);
	else
		note_end(t);
	(void)pthread_mutex_unlock(&t->lock);
}

/* --- in the worker's thread --- */

int rist_threads_follow(struct rist_threads *t, struct rist_ctx *ctx)
{
	rist_thread_callback_t callback = { .thread_callback = on_thread };

	return rist_set_opt(ctx, RIST_OPT_THREAD_CALLBACK, &callback, t,
			    NULL) == 0
		       ? 0
		       : -EINVAL;
}

static const char *value_of(const char *line, const char *name)
{
	size_t len = strlen(name);

	return strncmp(line, name, len) == 0 ? line + len : NULL;
}

/* The line of groups may exceed the buffer; no later piece of it starts like
 * the two lines that are read. */
static bool read_status(FILE *status, struct rist_thread_sample *ret)
{
	char line[128];
	unsigned found = 0;

	while (fgets(line, sizeof line, status) != NULL) {
		const char *state = value_of(line, "State:\t");
		const char *sleeps = value_of(line,
					      "voluntary_ctxt_switches:\t");

		if (state != NULL)
			ret->ready = *state == 'R';
		if (sleeps != NULL)
			ret->sleeps = strtoull(sleeps, NULL, 10);
		found += (state != NULL ? 1U : 0) + (sleeps != NULL ? 1U : 0);
	}
	return found == 2;
}

/* False: the thread has ended. */
static bool read_sample(const struct rist_thread *t,
			struct rist_thread_sample *ret)
{
	struct rist_thread_sample sample = { 0 };
	struct timespec ran;
	char path[64];
	FILE *status;
	bool whole;

	(void)snprintf(path, sizeof path, "/proc/self/task/%d/status",
		       (int)t->tid);
	status = fopen(path, "re");
	if (status == NULL)
		return false;
	whole = read_status(status, &sample);
	(void)fclose(status);
	if (!whole || clock_gettime(t->clock, &ran) < 0)
		return false;
	sample.ran_ms = timespec_ns(&ran) / MS;
	*ret = sample;
	return true;
}

const char *rist_threads_check(struct rist_threads *t, bool reads)
{
	uint64_t now_ms = mono_ms();
	const char *error = NULL;
	struct rist_thread_sample sample;

	if (now_ms - t->looked_ms < LOOK_MS)
		return NULL;
	t->looked_ms = now_ms;
	(void)pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->n && error == NULL; i++) {
		if (!read_sample(&t->list[i], &sample))
			continue;
		sample.reads = reads && i == 0;
		error = rist_watchdog_check(&t->list[i].watchdog, &sample);
	}
	(void)pthread_mutex_unlock(&t->lock);
	return error;
}
