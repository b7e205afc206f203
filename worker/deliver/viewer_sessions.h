/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All viewers in the order in which they came, each with a number of its own.
 *
 * Embedded.  Borrows the viewers, who enter and leave by themselves.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdint.h>
#include <sys/queue.h>

struct viewer;

struct roster {
	TAILQ_HEAD(, viewer) viewers;
	uint64_t last; /* the number given last */
};

/* Numbers begin where none from before wall_ms can be: a worker that follows
 * another one within the same second gives none of that one's. */
void roster_init(struct roster *, uint64_t wall_ms);

void roster_enter(struct roster *, struct viewer *);
void roster_leave(struct roster *, struct viewer *);

/* NULL when there is none. */
struct viewer *roster_find(const struct roster *, uint64_t client);

/* Those behind the number after, as many as fit; strings are the viewers'. */
void roster_list(const struct roster *, uint64_t after, uint64_t now_ms,
		 struct msg_deliver_sessions *ret);
