/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks the master about viewers, and keeps them away without its permission.
 *
 * Questions are sent at a bounded rate.  Those about new viewers go first, but
 * a quarter of the rate is for viewers that watch.  A question without an
 * answer in time counts as answered with ASK_BUSY.  A viewer that watches stays
 * after ASK_BUSY, and is asked about again.
 *
 * Until the master says otherwise, every viewer needs a permission.  With
 * `shared` of the policy the master is asked about every viewer; a viewer that
 * needs no permission is admitted if there is no answer.
 *
 * Owns a timer and the lists of the questions; borrows the loop and the
 * sessions.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct door;
struct ev_loop;
struct http_request;
struct session;
struct sessions;
struct sockaddr_any;

enum {
	/* a question without an answer for this time counts as ASK_BUSY */
	DOOR_ASK_MS = 6500,
	/* time after ASK_BUSY until a viewer that watches is asked about */
	DOOR_RETRY_MS = 15000,
	DOOR_PER_SECOND = 1000,
};

struct door_config {
	struct ev_loop *loop;
	struct sessions *sessions;
	/* Sends a message to the master; 0 or -errno. */
	int (*send)(const struct msg *, void *arg);
	void *arg;
};

struct door *door_new(const struct door_config *);
/* NULL-safe; sets *d to NULL. */
void door_free(struct door **);

void door_set_policy(struct door *, const struct msg_deliver_policy *);
/* Sets the proxies whose X-Real-IP is used (copied). */
void door_set_proxies(struct door *, const struct ip_prefix *, size_t n);

/* The address of the client that sent this request. */
struct ip_address door_address(const struct door *, const struct sockaddr_any *,
			       const struct http_request *);

/* True if a viewer needs no permission.  free_entry: the mount of the viewer
 * has no_auth (struct session). */
bool door_is_open(const struct door *, bool free_entry);
/* Asks the master whether the viewer may watch, or allows it without a
 * question.  on_verdict() is called before this function returns, or later. */
void door_ask(struct door *, struct session *);
/* Takes the answer of the master to the question with this number. */
void door_answer(struct door *, const struct msg_deliver_answer *,
		 uint32_t seq);
/* Asks the master again about the session with this number, or with 0 about all
 * joined sessions, but not about sessions that need no permission. */
void door_review(struct door *, uint64_t client);
/* Call it for a new master: sends it the open questions, and asks it about all
 * sessions. */
void door_renew(struct door *);
/* Call it about once a second: asks again about sessions whose recheck_ms has
 * come. */
void door_every_second(struct door *);
