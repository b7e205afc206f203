/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A real worker, driven over its channel by a test in the master's place. */
#pragma once

#include "common/base/mono.h"
#include "proto/ipc/channel.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdbool.h>
#include <sys/types.h>

enum { RIG_PATIENCE_MS = 30000 };

struct worker_rig {
	struct ev_loop *loop;
	ev_timer pulse;
	struct channel *channel;
	pid_t worker;
	void (*hear)(const struct msg *, void *arg);
	void *arg;
	unsigned n[MSG_COUNT]; /* received so far */
	enum msg_type first;
	bool closed;
	char log[512]; /* the last line */
};

/* Starts program (of the build tree) in the role. hear is called for every
 * message after it was counted; may be NULL. */
void worker_rig_init(struct worker_rig *, const char *program,
		     const char *role,
		     void (*hear)(const struct msg *, void *arg), void *arg);

/* Closes the channel and waits for the worker; returns its status. */
int worker_rig_done(struct worker_rig *);

/* Runs the loop until condition holds. */
#define RIG_UNTIL(rig, condition)                                         \
	do {                                                              \
		uint64_t until_end = mono_ms() + RIG_PATIENCE_MS;         \
		while (!(condition)) {                                    \
			cr_assert_not((rig)->closed, "the worker ended"); \
			cr_assert_lt(mono_ms(), until_end, #condition);   \
			ev_run((rig)->loop, EVRUN_ONCE);                  \
		}                                                         \
	} while (0)
