/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A request from its arrival to its answer, which may come later.
 *
 * Owns the decoded body and the reply; borrows the connection and its
 * request, which live until the answer is given or the client has left.
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

/* The check of the files that a request names (host_files.h). */
enum files_end {
	FILES_UNKNOWN,
	FILES_FOUND,
	FILES_LATE, /* the disk has not answered in time */
};

struct call {
	LIST_ENTRY(call) link;
	struct api *api;
	struct http_conn *conn;
	const struct http_request *request;
	struct caller caller;
	struct route route;
	json_t *body; /* body of the request; NULL: not read */
	struct reply reply;
	/* the running check of the password, which calls go() on success;
	 * NULL: none */
	struct gate_wait *wait;
	void (*go)(struct call *);
	/* set by the owner of a later answer; NULL: no owner */
	void (*on_gone)(void *arg);
	void *arg;
	bool later;
	bool after_save; /* the answer of 200 waits for the save */
	bool certified; /* the certificate in body is valid */
	enum files_end files_end;
	struct findings files; /* about the files that body names */
	bool listed; /* by a page of an origin in settings.web_origins */
};

struct call *call_new(struct api *, struct http_conn *,
		      const struct http_request *);

/* The caller is an observer, and receives a part of what others receive. */
bool call_is_reduced(const struct call *);

/* Leaves in the body of the reply what this caller may receive. */
void call_reduce(struct call *);

/* Writes the reply as HTTP and frees the call. */
void call_answer(struct call *);

/* A number of the query of the request; *ret stays without the parameter.
 * False after a reply. */
bool call_query_number(struct call *, const char *key, uint64_t max,
		       uint64_t *ret);

/* The connection was answered in another way. */
void call_free(struct call *);

/* The request is for the web interface, which needs no credential. */
bool page_is_wanted(const struct call *);
/* Answers it and frees the call. */
void page_answer(struct call *);

/* Runs a command.  The changes that it makes inside are those of the caller. */
void call_run(struct call *, command_fn *run);

/* Runs a command again after the check of its certificate, and answers. */
void call_again(struct call *, command_fn *run);

/* Logs the call when log.api_access is set:
 * "set softcam id:s1 Login:admin IP:192.0.2.1".  The line has the names and ids
 * of a request, no password, no token and no query.  Call it before the call is
 * carried out: its answer may free it. */
void access_line(const struct call *);

/* GET control/event/: ends the call.  The event channel takes the connection,
 * or it is answered with 400 or 403.  Only the token decides; a client without
 * one gets answers to its "ping" and no events. */
void event_handshake(struct call *);
/* Users or the settings changed: closes event channels whose user may receive
 * other events now.  The channel of a disabled or removed user stays open, but
 * for that with the lines of the log. */
void event_review(struct api *);

/* The client left before the answer: calls on_gone and frees the call. */
void call_drop(struct call *);
