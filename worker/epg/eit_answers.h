/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of requests for the events of a stream in the form of an EIT.  One
 * request is answered at a time, one service in each call of eit_answers_run().
 *
 * Embedded.  Owns the memory of the answers; borrows the guide.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/epg/guide.h"

struct guide_eit;

/* requests in the queue; the master sends few at once */
enum { EIT_ANSWERS_MAX = 8 };

struct eit_answers {
	size_t n; /* length of the list; the answer to its first entry is being
		   * written */
	struct {
		struct guide_eit *eit;
		uint32_t seq; /* seq of the request */
	} list[EIT_ANSWERS_MAX];
};

void eit_answers_done(struct eit_answers *);

/* Queues a request for the events of a stream, and lets the guide report
 * changes of the stream from now on (guide_show()).  Takes fd, the memory for
 * the answer.  False: the queue is full, and fd is not taken. */
bool eit_answers_add(struct eit_answers *, struct guide *, const struct msg *,
		     int fd, int64_t now_s);
/* Writes the next service of the first answer; the queue is not empty.  If the
 * answer is complete, or failed, removes its request, sets *ret and returns its
 * seq; otherwise returns 0. */
uint32_t eit_answers_run(struct eit_answers *, struct msg_epg_result *ret);
