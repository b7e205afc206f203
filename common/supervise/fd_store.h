/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Leaves a handover with the service manager, so that a master that comes
 * after a crash of ours can take up what runs.
 *
 * Every descriptor is given to systemd's store (sd_pid_notify_with_fds(3))
 * when it is made and taken out when it is no more.  The document stands in
 * two memfds that are written in turn: a death in the middle of one leaves the
 * other.  Does nothing unless $FDSTORE says that there is a store.
 *
 * Owns a timer and the memfds; borrows the loop.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/handover.h"

struct ev_loop;
struct fd_store;

enum { FD_STORE_DELAY_MS = 100 };

struct fd_store_config {
	struct ev_loop *loop;
	/* All there is to hand over, as of now; the store frees it. */
	struct handover *(*write)(void *arg);
	void *arg;
};

/* before: what was handed to us, or NULL; its memfds are taken. */
struct fd_store *fd_store_new(const struct fd_store_config *,
			      struct handover *before);
/* Leaves the store as it is.  NULL-safe; sets *s to NULL. */
void fd_store_free(struct fd_store **);

/* Something changed: written a moment later, together with what follows. */
void fd_store_touch(struct fd_store *);

/* Writes what is not yet written, and notes the memfds for the next one. */
void fd_store_hand_on(struct fd_store *, struct handover *);

/* What a master that crashed left there; NULL when there is nothing. */
struct handover *fd_store_adopt(void);
