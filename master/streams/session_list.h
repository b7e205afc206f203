/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests the list of viewers from the deliver workers, one after the other,
 * page by page.
 *
 * One page is requested at a time, with a pause between two, so that the list
 * of thousands of viewers does not exceed the limit of a channel.  A request
 * that arrives while a list is being collected gets the next list.  A list is
 * limited in length and time, because a deliver worker is not trusted: it
 * parses the requests of viewers.  A list ends early if no client waits for it.
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
	/* most entries of one worker: connections, and clients of HLS */
	SESSION_WORKER_MAX = 65536 + 65536,
	/* most entries of all workers; such a list takes some 12 s */
	SESSION_LIST_MAX = 65536 + 65536,
	SESSION_LIST_MS = 25000, /* time limit of a whole list */
};

struct session_list_config {
	struct ev_loop *loop;
	/* Requests the page of this worker that begins behind the client with
	 * the number `after' (0: the first page).  Returns 0, or -errno: there
	 * is no such worker. */
	int (*ask)(unsigned worker, uint64_t after, uint32_t seq, void *arg);
	/* Returns the session of a client, which is the same for all clients
	 * that are one viewer.  The member may be NULL: each client is a
	 * viewer. */
	uint64_t (*session_of)(uint64_t client, void *arg);
	void *arg;
	size_t worker_max; /* 0: SESSION_WORKER_MAX */
	size_t max;        /* 0: SESSION_LIST_MAX */
};

struct session_list *session_list_new(const struct session_list_config *);
/* NULL-safe; sets *l to NULL.  Open requests get NULL instead of a list. */
void session_list_free(struct session_list **);

/* Called once, from the loop, with a list of {client_id, channel_id, addr,
 * uptime, ...}, borrowed; NULL: deliver did not answer in time, or has too many
 * viewers.  Must not free the list. */
typedef void session_list_fn(const json_t *sessions, void *arg);

/* Requests a list.  The returned request is valid until done is called. */
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

/* Takes a page of a worker; a late one is ignored.  Returns 0, or -EPROTO with
 * error if the page does not continue the list or has more than a worker may
 * have: the caller must kill the worker. */
int session_list_answer(struct session_list *, const struct session_page *,
			struct errmsg *error) MUST_CHECK;
/* The worker has ended: removes its viewers from the list. */
void session_list_down(struct session_list *, unsigned worker);
