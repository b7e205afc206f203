/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests to the worker of a stream, each with a number and a deadline, until
 * their answers arrive.
 *
 * A request is embedded in an object of its owner.  Borrows the loop.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

enum { WORKER_REQUEST_MS = 3000 /* time limit of the whole answer */ };

struct channel;
struct worker_requests;

struct worker_request {
	TAILQ_ENTRY(worker_request) link;
	struct worker_requests *owner;
	uint32_t seq;
	ev_timer deadline;
};

struct worker_requests {
	struct ev_loop *loop;
	/* A request has failed and is not in the list any more; fail may free
	 * it. */
	void (*fail)(struct worker_request *, const char *error);
	unsigned max;
	unsigned n;
	uint32_t last_seq;
	TAILQ_HEAD(, worker_request) list;
};

void worker_requests_init(struct worker_requests *, struct ev_loop *,
			  unsigned max,
			  void (*fail)(struct worker_request *,
				       const char *error));
/* The worker has ended: calls fail for all requests. */
void worker_requests_down(struct worker_requests *);

/* Sends m with the next number; adds the request to the list unless it is
 * there.  -EBUSY: max requests are open.  After -errno the list is
 * unchanged. */
int worker_request_send(struct worker_requests *, struct worker_request *,
			struct channel *, struct msg *m) MUST_CHECK;
/* Returns the request with this number; NULL: none. */
struct worker_request *worker_request_find(const struct worker_requests *,
					   uint32_t seq);
/* Removes a request from the list after its answer. */
void worker_request_end(struct worker_request *);
