/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sessions: a number for each viewer, and the reports to the master.
 *
 * A session begins when a viewer asks for a stream, and ends when the viewer is
 * rejected or leaves.  From session_join() to its end it is joined: its viewer
 * is served, it is in the list of sessions, and its begin and its end are
 * reported.
 *
 * Owns the sessions and their texts.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct session;
struct sessions;

enum {
	SESSION_AGENT_MAX = 128, /* bytes; longer texts are cut */
	SESSION_HOST_MAX = 255,
	SESSION_QUERY_MAX = 2000, /* bytes; a request with more is rejected */
};

struct session_events {
	/* Called with a decision about the viewer.  If the viewer is permitted
	 * already, the decision is not ASK_BUSY.  The receiver may free the
	 * session. */
	void (*on_verdict)(struct session *, const struct msg_deliver_answer *,
			   void *arg);
};

/* A list of sessions with a question to the master that is not sent, or not
 * answered yet (door.h).  Embedded. */
struct session_asks {
	TAILQ_HEAD(, session) list;
	unsigned n;
};

struct session {
	TAILQ_ENTRY(session) entry;   /* in the joined sessions, by number */
	TAILQ_ENTRY(session) in_news; /* in the joined sessions that are not
				       * reported yet */
	TAILQ_ENTRY(session) in_asks; /* in `asks', a list of the door */
	LIST_ENTRY(session) by_client;
	struct sessions *owner;
	const struct session_events *events;
	void *arg;
	uint64_t client;      /* number of the session */
	char *stream;
	char peer[IP_TEXT_MAX];
	const char *protocol; /* constant text */
	char *host, *path, *query, *agent;
	char *login;
	uint64_t begun_ms;
	const uint64_t *bytes; /* the owner's counter of sent bytes; NULL:
				* none */
	uint64_t player; /* as in msg_deliver_ask */
	/* key, mount and unlimited: as in msg_session */
	uint64_t key;
	uint64_t mount;
	bool unlimited;
	bool free_entry; /* the viewer needs no permission */
	bool probe;      /* a request by HEAD, which is no viewer */
	bool asked;      /* the master got `client' in a question */
	bool joined, in_list_of_news;
	bool permitted; /* the viewer watches, or waits for packets */
	bool kicked;
	bool limited; /* kicked because another viewer has its place */
	uint64_t recheck_ms; /* time of the next question; 0: never */
	unsigned judged; /* number of reviews of all sessions at the last
			  * verdict about this one */
	struct session_asks *asks; /* the list that has the session; NULL:
				    * none */
	uint32_t seq;    /* number of the last question that was sent */
	uint64_t ask_ms; /* time at which the question was queued or sent */
};

struct session_config {
	const char *stream;
	const struct ip_address *peer;
	const char *protocol;
	const char *host, *path, *query, *agent; /* NULL: none */
	uint64_t player; /* as in msg_deliver_ask */
	/* key, mount and unlimited: as in msg_session */
	uint64_t key;
	uint64_t mount;
	bool unlimited;
	bool free_entry;
	bool probe;
	uint64_t now_ms;
	const struct session_events *events;
	void *arg;
};

/* Called when sessions_take_changes() has changes to return. */
typedef void sessions_changed_fn(void *arg);

/* Makes the list of sessions.  worker: the number of this worker, from 0, as in
 * msg_deliver_of().  The worker's numbers of viewers start above all numbers of
 * the worker before it, even if that one ended in the same second. */
struct sessions *sessions_new(uint64_t wall_ms, unsigned worker,
			      sessions_changed_fn *changed, void *arg);
/* NULL-safe; sets *s to NULL.  All sessions must have ended. */
void sessions_free(struct sessions **);

struct session *session_new(struct sessions *, const struct session_config *);
/* NULL-safe; sets *s to NULL.  The answer to an open question is ignored. */
void session_free(struct session **);

/* Moves a session to the end of this list; NULL: removes it from its list. */
void session_ask_move(struct session *, struct session_asks *);

void session_set_owner(struct session *, const struct session_events *,
		       void *arg);
void session_set_login(struct session *, const char *login);
void session_set_stream(struct session *, const char *stream);
/* Lists the session as joined: its viewer is served from now on. */
void session_join(struct session *, uint64_t now_ms);

/* A session, joined or not; NULL: there is none with this number. */
struct session *sessions_find(const struct sessions *, uint64_t client);
/* The joined session after this one, or the first one for NULL. */
struct session *sessions_next(const struct sessions *, const struct session *);

/* Lists the joined sessions with a number above after, as many as fit.  Strings
 * belong to the sessions. */
void sessions_list(const struct sessions *, uint64_t after, uint64_t now_ms,
		   struct msg_deliver_sessions *ret);

/* Takes the sessions that began and ended since the last call, as many as fit;
 * false: none.  Strings belong to the sessions. */
bool sessions_take_changes(struct sessions *, uint64_t now_ms,
			   struct msg_deliver_changes *ret);
/* Reports all joined sessions again, because the master is new. */
void sessions_renew(struct sessions *);
