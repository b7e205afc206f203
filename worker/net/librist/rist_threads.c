/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_threads.h"

#include "common/base/mono.h"
#include "common/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <librist/opt.h>
#include <stdio.h>
#include <unistd.h>

/* calls at a shorter interval, as after a delay, are ignored */
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

static void on_thread(void *handle, int type, bool begins, void *arg)
{
	struct rist_threads *t = arg;
	struct rist_thread self = { .tid = gettid() };

	(void)handle;
	(void)pthread_mutex_lock(&t->lock);
	/* librist 0.2.7 passes `begins' in the argument `type' */
	if (begins || type != 0) {
		/* names for top and core dumps */
		(void)pthread_setname_np(pthread_self(),
					 t->n == 0 ? "rist sockets"
						   : "rist flow");
		if (t->n < RIST_THREADS_MAX &&
		    pthread_getcpuclockid(pthread_self(), &self.clock) == 0)
			t->list[t->n++] = self;
	} else {
		size_t i = 0;

		while (i < t->n && t->list[i].tid != self.tid)
			i++;
		if (i < t->n)
			t->list[i] = t->list[--t->n];
	}
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

/* Reads the state, context switches and CPU time of a thread.  False: the
 * thread has ended. */
static bool read_sample(const struct rist_thread *t,
			struct rist_thread_sample *ret)
{
	struct timespec ran;
	char path[64], line[128], state = '\0';
	uint64_t sleeps = 0;
	int found = 0;
	FILE *status;

	(void)snprintf(path, sizeof path, "/proc/self/task/%d/status",
		       (int)t->tid);
	status = fopen(path, "re");
	if (status == NULL)
		return false;
	/* The line "Groups:" may be longer than the buffer; no later part of it
	 * begins like the two lines that are read. */
	while (fgets(line, sizeof line, status) != NULL) {
		found += sscanf(line, "State: %c", &state) == 1;
		found += sscanf(line, "voluntary_ctxt_switches: %" SCNu64,
				&sleeps) == 1;
	}
	(void)fclose(status);
	if (found != 2 || clock_gettime(t->clock, &ran) < 0)
		return false;
	*ret = (struct rist_thread_sample){
		.ready = state == 'R',
		.sleeps = sleeps,
		.ran_ms = timespec_ns(&ran) / MS,
	};
	return true;
}

const char *rist_watchdog_check(struct rist_watchdog *w,
				const struct rist_thread_sample *s)
{
	if (s->sleeps != w->sleeps || s->reads) {
		*w = (struct rist_watchdog){ .sleeps = s->sleeps,
					     .ran_ms = s->ran_ms };
		return NULL;
	}
	if (s->ran_ms - w->ran_ms >= RIST_WATCHDOG_LOOP_MS)
		return "a thread of librist runs in a loop";
	w->looks += !s->ready;
	if (w->looks >= RIST_WATCHDOG_CHECKS)
		return "a thread of librist is blocked";
	return NULL;
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
