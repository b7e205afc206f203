/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sources of the viewers share; no others include it. */
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
	GROUP_MAX = 2 + USER_LOGIN_MAX + 1,
	PREVIEWS_MAX = 256, /* tokens of previews that are known */
	VIEWER_LISTS_MAX = 512, /* that wait for a password */
};

struct question {
	LIST_ENTRY(question) link;
	struct viewers *owner;
	struct viewer_way *way; /* to the worker that asks */
	uint32_t seq;
	struct msg_deliver_ask ask; /* with texts of its own */
	struct ip_address address;
	bool malformed;
	bool password_right; /* ... with this login and stored hash */
	struct digest proof;
	struct viewer_credential credential;
	struct digest key; /* in the cache of the backend */
	struct gate_wait *gate;
	struct backend_job *job;
	/* for a place that a viewer leaves now */
	ev_timer place;
	unsigned waits;
	uint64_t asked_ms;
};

/* A token that was given out. */
struct preview {
	struct digest token;
	char login[USER_LOGIN_MAX + 1]; /* "": none */
};

struct viewers {
	struct viewers_config cfg;
	struct viewer_rules *rules;
	struct viewer_table *table;
	struct backend_cache *cache;
	LIST_HEAD(, question) questions;
	LIST_HEAD(, list_question) lists; /* as viewer_list.c has them */
	unsigned n_lists;
	LIST_HEAD(, viewer_way) ways; /* workers that run */
	viewers_list_fn *list; /* NULL: no writer of lists */
	void *list_arg;
	uint64_t seed; /* of the keys of sessions */
	struct peers *peers; /* addresses of viewers of shared workers */
	struct closed_sessions closed; /* ... sessions of theirs, and players */
	bool asks_all; /* a player was closed: workers ask about everybody */
	ev_timer open; /* ... until then */
	struct surplus *surplus; /* ... and entries beside the first */
	struct preview previews[PREVIEWS_MAX];
	size_t next_preview; /* replaces the oldest one */
	struct viewer_settings settings;
	char *backend_error; /* NULL: it answers */
	struct denial_log denials;
};

/* The viewer of this worker, which is added if it is not there; NULL: the table
 * is full, the worker has too many, or another one has a viewer with this
 * number. */
struct viewer_entry *viewers_put(struct viewers *, struct viewer_way *,
				 uint64_t client);
/* A player (msg_deliver_ask) of the variants of a stream: of the streams with
 * its hls_group.  0: it has none. */
uint64_t viewers_player(const struct viewers *, const char *stream,
			uint64_t player);
/* Its session was closed, or that of its player. */
bool viewers_has_closed(struct viewers *, const struct viewer_way *,
			const struct msg_deliver_ask *);
/* The section `auth`; NULL: there is none. */
const json_t *viewers_auth(const struct viewers *);
/* Ends a question without an answer. */
void question_free(struct question *);
/* Ends the questions of this worker for lists; NULL: of all. */
void viewers_end_lists(struct viewers *, const struct viewer_way *);
/* Reports the end of a session that the caller ends in the worker of this
 * entry.  Other workers end it inside. */
void viewers_end_entry(struct viewers *, struct viewer_entry *);
/* Ends a viewer in its worker; a client of HLS finds its session closed in all
 * workers.  limit: because another viewer has its place. */
void viewers_kick(struct viewers *, const struct viewer_entry *, bool limit);
/* Another viewer wants its place: the worker ends it if its client has left. */
void viewers_kick_idle(const struct viewer_entry *);
