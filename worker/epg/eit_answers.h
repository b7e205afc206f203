/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The questions for events in the form of an EIT that wait: one is answered at
 * a time, a service in each turn.
 *
 * Embedded.  Owns the memory of the answers; borrows the guide.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/epg/guide.h"

struct guide_eit;

enum { EIT_ANSWERS_MAX = 8 /* the master asks for few at once */ };

struct eit_answers {
	size_t n; /* the first one is being written */
	struct {
		struct guide_eit *eit;
		uint32_t seq;
	} list[EIT_ANSWERS_MAX];
};

void eit_answers_done(struct eit_answers *);

/* Queues a question for events of a stream, and reports changes of the stream
 * from now on.  Takes fd.  False: the queue is full, and fd is not taken. */
bool eit_answers_add(struct eit_answers *, struct guide *, const struct msg *,
		     int fd, int64_t now_s);
/* Writes a part of the first answer; n must be above 0.  Returns the seq of the
 * answer if it is complete, with its result; otherwise 0. */
uint32_t eit_answers_run(struct eit_answers *, struct msg_epg_result *ret);
