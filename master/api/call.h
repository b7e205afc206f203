/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A request from its arrival to its answer, which may come later.
 *
 * Owns the decoded body and the reply; borrows the connection and its request,
 * which live until the answer is sent or the client has left.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "master/api/command.h"
#include "master/api/route.h"
#include "master/auth/caller.h"
#include "master/auth/password_check.h"
#include "master/config/findings.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* State of the check of the files that a request names (host_files.h). */
enum files_end {
	FILES_UNKNOWN,
	FILES_FOUND,
	FILES_LATE, /* the disk did not answer in time */
};

struct call {
	LIST_ENTRY(call) link;
	struct api *api;
	struct http_conn *conn;
	const struct http_request *request;
	struct caller caller;
	struct route route;
	json_t *body; /* decoded body of the request; NULL: not read */
	struct reply reply;
	/* The running check of the password, which calls go() on success; NULL:
	 * none. */
	struct gate_wait *wait;
	void (*go)(struct call *);
	/* Called if the client leaves before the answer; set by the module that
	 * answers later; NULL: none. */
	void (*on_gone)(void *arg);
	void *arg;
	bool later; /* reply_later() was called: call_finish() answers */
	bool after_save; /* an answer of 200 waits until all is saved */
	bool certified; /* the certificate in body was checked and is valid */
	enum files_end files_end;
	struct findings files; /* findings about the files that body names */
	bool listed; /* sent by a page of an origin in settings.web_origins */
};

struct call *call_new(struct api *, struct http_conn *,
		      const struct http_request *);

/* True: the caller is an observer, and observer_redact hides a part of the
 * replies. */
bool call_is_reduced(const struct call *);

/* Removes from the reply what observer_redact hides from this caller. */
void call_reduce(struct call *);

/* Writes the reply as HTTP and frees the call.  After reply_when_saved(), does
 * so only when the configuration is saved. */
void call_answer(struct call *);

/* Reads the number `key' of the query, at most max, into *ret.  Without this
 * parameter *ret does not change.  False: the reply already has the error. */
bool call_query_number(struct call *, const char *key, uint64_t max,
		       uint64_t *ret);

/* Frees a call whose connection was answered in another way. */
void call_free(struct call *);

/* True: the request is for the web interface, which needs no credential. */
bool page_is_wanted(const struct call *);
/* Answers a request for the web interface and frees the call. */
void page_answer(struct call *);

/* Runs a command.  The caller is recorded as the author of changes of the
 * configuration that the command makes. */
void call_run(struct call *, command_fn *run);

/* Runs a command again after the check of its certificate or files, and
 * answers. */
void call_again(struct call *, command_fn *run);

/* Logs the call if log.api_access is set, except some frequent commands
 * (COMMAND_UNLOGGED): "set softcam id:s1 Login:admin IP:192.0.2.1".  The line
 * has the names and ids of a request, but no password, token or query.  Call
 * it before the call is carried out, because the answer may free the call. */
void access_line(const struct call *);

/* Answers GET control/event/ and frees the call: passes the connection to the
 * event channel, or answers 400 or 403.  Only the token in the query decides; a
 * client without a token gets answers to its "ping" and no events. */
void event_handshake(struct call *);
/* Users or settings have changed: closes event channels whose user may not
 * receive the same events any more.  The channel of a disabled or removed user
 * stays open, unless it gets events for control users (log, cam, cue). */
void event_review(struct api *);

/* The client left before the answer: calls on_gone and frees the call. */
void call_drop(struct call *);
