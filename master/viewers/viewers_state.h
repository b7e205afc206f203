/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of struct viewers, for viewers.c and viewer_*.c only. */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/peers.h"
#include "common/base/util.h"
#include "master/viewers/closed_sessions.h"
#include "master/viewers/denial_log.h"
#include "master/viewers/surplus.h"
#include "master/viewers/viewer_credential.h"
#include "master/viewers/viewer_table.h"
#include "master/viewers/viewers.h"
#include "master/config/viewer_settings.h"

#include <ev.h>
#include <jansson.h>
#include <sys/queue.h>

struct backend_cache;
struct backend_job;
struct gate;
struct gate_wait;
struct viewer_rules;

enum {
	/* bytes of the name of a group: kind, ':', login and NUL */
	GROUP_MAX = 2 + USER_LOGIN_MAX + 1,
	PREVIEWS_MAX = 256, /* tokens of previews that are valid at a time */
	/* requests for lists that have no answer yet */
	VIEWER_LISTS_MAX = 512,
};

struct question {
	LIST_ENTRY(question) link;
	struct viewers *owner;
	struct viewer_way *way; /* the worker that asks */
	uint32_t seq;
	struct msg_deliver_ask ask; /* owns its texts */
	struct ip_address address;
	bool malformed;
	/* the password was checked and is right; proof is its keyed hash */
	bool password_right;
	struct digest proof;
	struct viewer_credential credential;
	struct digest key; /* key in the cache of the backend */
	struct gate_wait *gate;
	struct backend_job *job;
	/* Runs while the user is at the limit and a viewer may be about to
	 * leave; at its end the question is judged again. */
	ev_timer place;
	unsigned waits;
	uint64_t asked_ms;
};

/* A token of a preview that was issued. */
struct preview {
	struct digest token;
	char login[USER_LOGIN_MAX + 1]; /* "": the entry is free */
};

struct viewers {
	struct viewers_config cfg;
	struct viewer_rules *rules;
	struct viewer_table *table;
	struct backend_cache *cache;
	LIST_HEAD(, question) questions;
	/* open requests for lists (viewer_list.c) */
	LIST_HEAD(, list_question) lists;
	unsigned n_lists;
	LIST_HEAD(, viewer_way) ways; /* workers that run */
	/* answers requests for lists; NULL: they get 503 */
	viewers_list_fn *list;
	void *list_arg;
	uint64_t seed; /* seed of the keys of sessions */
	/* number of viewers of each address in all shared workers */
	struct peers *peers;
	struct closed_sessions closed; /* closed sessions and players */
	/* a player was closed, so workers ask about every viewer */
	bool asks_all;
	ev_timer open; /* ends asks_all when the last entry of closed ends */
	struct surplus *surplus; /* viewers that several workers count */
	struct preview previews[PREVIEWS_MAX];
	/* modulo PREVIEWS_MAX: index of the oldest preview, which the next
	 * token replaces */
	size_t next_preview;
	struct viewer_settings settings;
	/* why the backend gives no decision; NULL: no error */
	char *backend_error;
	struct denial_log denials;
};

/* Returns the entry of a viewer of this worker, and adds it if there is none.
 * NULL: the table is full, the worker has too many viewers, or another worker
 * has a viewer with this number. */
struct viewer_entry *viewers_put(struct viewers *, struct viewer_way *,
				 uint64_t client);
/* Returns the number of a player (msg_deliver_ask) among the streams with the
 * hls_group of this stream; 0: the stream has none, or player is 0. */
uint64_t viewers_player(const struct viewers *, const char *stream,
			uint64_t player);
/* True: the session of the viewer, or its player, was closed. */
bool viewers_has_closed(struct viewers *, const struct viewer_way *,
			const struct msg_deliver_ask *);
/* Returns the section `auth', borrowed; NULL: none. */
const json_t *viewers_auth(const struct viewers *);
/* Frees a question without an answer. */
void question_free(struct question *);
/* Ends the requests of this worker for lists; way NULL: those of all
 * workers. */
void viewers_end_lists(struct viewers *, const struct viewer_way *);
/* Reports the end of a session.  The caller ends it in the worker of this
 * entry; this function ends it in the other workers. */
void viewers_end_entry(struct viewers *, struct viewer_entry *);
/* Has the worker end a viewer.  A session of HLS is then closed in all shared
 * workers.  limit: the viewer ends because of conlimit, in favour of another
 * viewer. */
void viewers_kick(struct viewers *, const struct viewer_entry *, bool limit);
/* Another viewer of the same user is at the limit: has the worker end this
 * viewer if its client has left. */
void viewers_kick_idle(const struct viewer_entry *);
