/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All viewers of all streams: listeners, mounts, and the tick that feeds.
 *
 * Owns everything it was given; borrows the loop.  Viewers are fed by a timer
 * that runs only while there are any, so that a writer makes no system call
 * for its viewers and their number does not change how often it is done.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdint.h>

struct deliver;
struct ev_loop;

struct deliver_config {
	struct ev_loop *loop;
	/* 0 in any of these is the default */
	unsigned tick_ms;   /* between two passes */
	unsigned head_ms;   /* a request is given this long to come */
	unsigned start_ms;  /* a viewer waits this long for a picture */
	unsigned still_ms;  /* without a packet, what was is old */
	unsigned max_conns; /* viewers and requests; what descriptors allow */
};

struct deliver *deliver_new(const struct deliver_config *);
void deliver_free(struct deliver **);

/* fd (taken) is a listening socket; one of the same name is replaced. */
void deliver_listen(struct deliver *, const char *address, int fd);
/* fd (taken): where viewers who begin with TLS are handed on. */
void deliver_set_tls(struct deliver *, int fd);
/* Its viewers stay. */
void deliver_unlisten(struct deliver *, const char *address);

/* ring_fd is taken when it succeeds.  A mount of the same name and another
 * ring is replaced and its viewers are closed.  0 or -errno. */
int deliver_mount(struct deliver *, const struct msg_deliver_mount *,
		  int ring_fd) MUST_CHECK;
void deliver_unmount(struct deliver *, const struct msg_deliver_mount *);

/* Another master: what is listened on and mounted again from here on stays as
 * it is, what is not is dropped by deliver_settle().  All numbers are told
 * again. */
void deliver_renew(struct deliver *);
void deliver_settle(struct deliver *);

/* Once a second: measures the streams. */
void deliver_every_second(struct deliver *);

struct msg_deliver_status deliver_status(const struct deliver *);

/* The next mount whose numbers changed since it was last asked for, from
 * *cursor (0 at first) on; false when there is no more. */
bool deliver_next_change(struct deliver *, size_t *cursor,
			 struct msg_deliver_viewers *ret);

/* Viewers behind the number after, as many as fit; strings are borrowed until
 * the next call. */
void deliver_list(const struct deliver *, uint64_t after,
		  struct msg_deliver_sessions *ret);

/* Closes the viewer of this number, if it is there. */
void deliver_kick(struct deliver *, uint64_t client);
