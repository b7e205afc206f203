/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions to the worker that keeps the guide, each with memory for the
 * answer.
 *
 * Embedded.  Owns the memory; borrows the loop.
 */
#pragma once

#include "common/base/util.h"
#include "master/streams/epg_proc.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct ev_loop;

struct epg_asks {
	struct ev_loop *loop;
	LIST_HEAD(, epg_ask) list;
	size_t n;
	uint32_t last_seq;
};

struct epg_question {
	size_t size; /* bytes of the memory for the answer */
	unsigned limit_s;
	epg_done_fn *done; /* called once, from the loop */
	void *arg;
};

void epg_asks_init(struct epg_asks *, struct ev_loop *);

/* Adds a question; returns the descriptor of its memory (borrowed), and in
 * *ret_seq the number for the message; or -errno (-EBUSY: EPG_ASKS_MAX are
 * open). */
int epg_asks_add(struct epg_asks *, const struct epg_question *,
		 uint32_t *ret_seq) MUST_CHECK;
/* Takes the reply to the question with this seq; an unknown seq is ignored. */
void epg_asks_answer(struct epg_asks *, uint32_t seq,
		     const struct msg_epg_result *);
/* Ends all questions with this error. */
void epg_asks_fail(struct epg_asks *, const char *error);
