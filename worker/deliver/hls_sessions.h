/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sessions of clients of HLS.
 *
 * Requests of one address with the same token, or the same login and password,
 * for one playlist belong to one session, whatever the connection.  Without
 * these the whole query must be the same.  Where no permission is needed, all
 * requests of one address belong to one session.  The first request asks for
 * the permission, which counts for the others.  A session without a request for
 * HLS_SESSION_MS ends, unless an answer is still being sent.
 *
 * A session that the operator ended refuses requests until none has arrived for
 * HLS_SESSION_MS.  A refused request prolongs this time, also in the master,
 * which is asked again about the client once a second at most.  A session that
 * a limit ended refuses requests in the same way, without these questions.  If
 * its client made no request for longer than a client that plays, it had left:
 * its next request begins a new session.
 *
 * A path may have the number of a session (hls_index.h), which is part of what
 * must be the same.  With hls_sessions_name() a session may begin with a number
 * that a process with the same seed chose, but with no other number.
 *
 * An address has a limited number of sessions: a further one replaces the least
 * recently used one.
 *
 * A request by HEAD is judged with a session that is no viewer and belongs to
 * its connection, unless its client has one here.
 *
 * Each session belongs to a mount, which counts it as a viewer once it has a
 * permission.  It follows the mount to another path, stream or ring, and ends
 * with the mount.
 *
 * Owns the sessions; borrows the door, and the connections that wait.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct door;
struct hls_session;
struct hls_sessions;
struct mount;
struct session;
struct session_config;
struct sessions;
struct viewer_conn;

enum {
	HLS_SESSION_MS = 35000,
	HLS_SESSIONS_MAX = 65536,
};

struct hls_sessions_config {
	struct sessions *sessions;
	struct door *door;
	/* a session without a request for this time ends: HLS_SESSION_MS */
	unsigned idle_ms;
	/* Called when the request of the connection has the permission for the
	 * stream. */
	void (*serve)(struct viewer_conn *, const char *stream);
	/* Called when the request of the connection has no permission. */
	void (*refuse)(struct viewer_conn *,
		       const struct msg_deliver_answer *);
	/* Returns the ms within which a client that plays makes its next
	 * request; 0: unknown. */
	unsigned (*reload_ms)(struct mount *);
};

struct hls_sessions *hls_sessions_new(const struct hls_sessions_config *);
/* NULL-safe; sets *h to NULL. */
void hls_sessions_free(struct hls_sessions **);

/* Sets the seed of the keys and of the numbers in paths, before the first
 * session: the same in all workers, and secret. */
void hls_sessions_set_seed(struct hls_sessions *, uint64_t seed);

/* Sets how many sessions an address may have; 0: any number.  Sessions of
 * clients without a limit for viewers are not counted. */
void hls_sessions_limit(struct hls_sessions *, unsigned per_address);

/* Sets whether sessions with a number in their path may begin.  Before the
 * first call they may not. */
void hls_sessions_name(struct hls_sessions *, bool named);
/* A number for a new session, above 0. */
uint64_t hls_sessions_choose(const struct hls_sessions *);

/* Takes a request for the playlist of this mount, or its segments, and calls
 * serve() or refuse() before it returns, or later.  False: it calls neither,
 * because no session has the number in the path, and the number may begin none.
 * For a request by HEAD (probe) on_verdict() of cfg->events may be called
 * instead. */
bool hls_sessions_visit(struct hls_sessions *, struct viewer_conn *,
			const struct session_config *, struct mount *);
/* Call it when the connection ends, or has another request: it leaves its
 * session. */
void hls_sessions_forget(struct viewer_conn *);
/* Sets the id of the mount's stream in its sessions. */
void hls_sessions_rename(struct mount *, const char *stream);
/* Moves the sessions of mount `from' to mount `to', which replaces it, with the
 * same path and stream. */
void hls_sessions_move(struct mount *from, struct mount *to);
/* Call it when the mount ends.  Ends its sessions, and rejects the requests
 * that wait. */
void hls_sessions_end(struct mount *);
/* Ends idle sessions; call it about once a second. */
void hls_sessions_expire(struct hls_sessions *, uint64_t now_ms);
/* Call it when a limit leaves no place for another viewer.  Ends the session if
 * it is one of HLS whose client seems to have left: the client is late with its
 * next request, or it requested only the list that names the session. */
void hls_sessions_end_idle(struct session *, uint64_t now_ms);
/* Call it when the policy changes whether viewers need a permission.  Ends the
 * sessions of mounts without no_auth; the next request of a client begins a new
 * session. */
void hls_sessions_judge_anew(struct hls_sessions *);
