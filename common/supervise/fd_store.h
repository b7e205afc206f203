/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps a handover in the service manager, so that workers survive a crash of
 * the master.
 *
 * Each write adds the new descriptors to the store of systemd
 * (sd_pid_notify_with_fds(3)) and removes those that are no longer part of the
 * state.  The document is written alternately into two stored memfds, so that
 * one is always complete.  Does nothing unless $FDSTORE and $NOTIFY_SOCKET are
 * set.
 *
 * Owns a timer and the memfds; borrows the loop.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/handover.h"

struct ev_loop;
struct fd_store;

enum {
	FD_STORE_DELAY_MS = 100,
	/* The writes take at most this part, 1/50, of the CPU time: a large
	 * state is written less often. */
	FD_STORE_SHARE = 50,
	FD_STORE_DELAY_MAX_MS = 3000,
};

struct fd_store_config {
	struct ev_loop *loop;
	/* Returns the present state, which the store frees. */
	struct handover *(*write)(void *arg);
	void *arg;
};

/* before: the handover to this process, or NULL; its memfds are taken. */
struct fd_store *fd_store_new(const struct fd_store_config *,
			      struct handover *before);
/* Leaves the store as it is.  NULL-safe; sets *s to NULL. */
void fd_store_free(struct fd_store **);

/* Writes the present state FD_STORE_DELAY_MS later, or later if the last write
 * took long, because workers can cause many changes. */
void fd_store_touch(struct fd_store *);

/* Writes the present state, and adds the memfds of the document to the
 * handover. */
void fd_store_hand_on(struct fd_store *, struct handover *);

/* The handover of a crashed master; NULL: none, or (logged) it is not
 * usable. */
struct handover *fd_store_adopt(void);
