/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All viewers in the order of their arrival, each with a number.
 *
 * Embedded.  Borrows the viewers, which add and remove themselves.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdint.h>
#include <sys/queue.h>

struct viewer;

struct viewer_sessions {
	TAILQ_HEAD(, viewer) viewers;
	uint64_t last; /* the last number in use */
};

/* Numbers start above all numbers of earlier workers, even if the last of them
 * ended in the same second. */
void viewer_sessions_init(struct viewer_sessions *, uint64_t wall_ms);

void viewer_sessions_add(struct viewer_sessions *, struct viewer *);
void viewer_sessions_remove(struct viewer_sessions *, struct viewer *);

/* NULL: no such viewer. */
struct viewer *viewer_sessions_find(const struct viewer_sessions *,
				    uint64_t client);

/* The viewers with a number above after, as many as fit.  Strings belong to the
 * viewers. */
void viewer_sessions_list(const struct viewer_sessions *, uint64_t after,
			  uint64_t now_ms, struct msg_deliver_sessions *ret);
