/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests the list of viewers from the deliver workers, one after the other,
 * page by page.
 *
 * One page at a time, with a pause between two, so that the list of thousands
 * of viewers does not exceed the limit of a channel.  A request during a list
 * gets the next list.  The list is limited in length and time, because deliver
 * parses the requests of viewers, and it ends when no client waits for it.
 *
 * Owns two timers; borrows the loop.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdint.h>

struct ev_loop;
struct session_list;
struct session_wait; /* a request for the list */

enum {
	/* a worker has so many connections, and clients of HLS */
	SESSION_WORKER_MAX = 65536 + 65536,
	/* all workers together; a list of this length takes some 12 s */
	SESSION_LIST_MAX = 65536 + 65536,
	SESSION_LIST_MS = 25000, /* limit of a whole list */
};

struct session_list_config {
	struct ev_loop *loop;
	/* Requests the page of this worker that follows the client after;
	 * -errno: there is no such worker. */
	int (*ask)(unsigned worker, uint64_t after, uint32_t seq, void *arg);
	/* The session of a client: the same for all clients that are one
	 * viewer.  NULL: each client is one. */
	uint64_t (*session_of)(uint64_t client, void *arg);
	void *arg;
	size_t worker_max; /* SESSION_WORKER_MAX */
	size_t max;        /* SESSION_LIST_MAX */
};

struct session_list *session_list_new(const struct session_list_config *);
/* NULL-safe; sets *l to NULL.  Open requests get NULL. */
void session_list_free(struct session_list **);

/* Called once, from the loop: a list of {client_id, channel_id, addr, uptime},
 * borrowed, or NULL when deliver does not answer in time or has too many.  The
 * list may not be freed inside. */
typedef void session_list_fn(const json_t *sessions, void *arg);

/* The request is valid until the call. */
struct session_wait *session_list_get(struct session_list *, session_list_fn *,
				      void *arg);
/* Cancels a request: its function will not be called.  NULL-safe; sets *w to
 * NULL. */
void session_list_forget(struct session_wait **);

struct session_page {
	unsigned worker;
	uint32_t seq;
	const struct msg_deliver_sessions *sessions;
};

/* A page from a worker.  0, or -EPROTO with error for a list that goes back or
 * has more than a worker may have: the worker must be ended. */
int session_list_answer(struct session_list *, const struct session_page *,
			struct errmsg *error) MUST_CHECK;
/* The worker has ended, and its viewers are disconnected. */
void session_list_down(struct session_list *, unsigned worker);
