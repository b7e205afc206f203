/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who watches: asks deliver page by page, for everybody who wants to know.
 *
 * One question at a time, with a pause between two, so that thousands of
 * viewers are no flood.  Whoever asks while a list is made gets the next one.
 *
 * Owns two timers; borrows the loop.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdint.h>

struct ev_loop;
struct session_list;

struct session_list_config {
	struct ev_loop *loop;
	/* Asks deliver for those behind after; -errno when nobody can be
	 * asked. */
	int (*ask)(uint64_t after, uint32_t seq, void *arg);
	void *arg;
};

struct session_list *session_list_new(const struct session_list_config *);
/* NULL-safe; sets *l to NULL.  Whoever waits is told NULL. */
void session_list_free(struct session_list **);

/* {client_id, channel_id, addr, uptime}, a new reference; and its client. */
json_t *session_format(const struct msg_session *);
uint64_t session_client(const json_t *session);

/* Called once, from the loop: a list of {client_id, channel_id, addr, uptime},
 * borrowed, or NULL when deliver does not answer.  The list may not be freed
 * inside. */
typedef void session_list_fn(const json_t *sessions, void *arg);

void session_list_get(struct session_list *, session_list_fn *, void *arg);

/* Deliver's answer. */
void session_list_answer(struct session_list *,
			 const struct msg_deliver_sessions *, uint32_t seq);
/* Deliver is gone, and its viewers with it. */
void session_list_down(struct session_list *);
