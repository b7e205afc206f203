/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control API: judges a request, carries it out, answers it.
 *
 * Borrows everything in its config; all must outlive it.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

struct api;
struct auth;
struct config;
struct ev_loop;
struct reconciler;
struct http_conn;
struct errmsg;
struct http_request;
struct hub;
struct log_lines;
struct options;
struct status;
struct system_status;
struct viewers;
struct write_paths;

/* error: NULL when the instance can be replaced. */
typedef void trial_done_fn(const char *error, void *arg);

struct reload_result {
	int status; /* of the HTTP reply */
	const char *error; /* NULL: the file is in force, or is soon */
	/* Borrowed: the ids of the streams that are added, changed and removed,
	 * and the other sections that differ.  NULL: the file is not used. */
	const json_t *changes;
	bool restarts;
};

typedef void reload_done_fn(const struct reload_result *, void *arg);
/* Reads the file again, as SIGHUP does.  0: it calls done, never inside;
 * -ENOENT: there is no file; -EBUSY with a sentence: a change replaces it, or
 * the service is stopping. */
typedef int reload_fn(reload_done_fn *done, void *done_arg, struct errmsg *ret,
		      void *arg);

struct api_config {
	struct ev_loop *loop;
	struct auth *auth;
	struct viewers *viewers; /* NULL: none */
	struct config *config;
	struct reconciler *reconciler;
	struct hub *hub;
	struct status *status;
	struct system_status *system;
	const struct options *options;
	const struct log_lines *log_lines; /* NULL: there are none */
	struct write_paths *write_paths; /* a reload adds to it */
	/* write_paths_own(); NULL: unknown. */
	const struct write_paths *own_paths;
	struct sockaddr_any control; /* where the control server listens */
	/* A new instance that reads the configuration again is to replace this
	 * one; workers continue. */
	void (*restart)(void *arg);
	/* Tries the new instance and calls done, never inside.  interrupt: it
	 * may replace workers of another protocol. */
	void (*try_restart)(bool interrupt, trial_done_fn *done, void *done_arg,
			    void *arg);
	/* Why the last restart or trial failed; NULL: it did not.  Both may be
	 * NULL. */
	const char *(*restart_error)(void *arg);
	/* The section `log` has changed; may be NULL. */
	void (*set_log)(void *arg);
	/* An alarm of the service was raised or cleared; may be NULL. */
	void (*on_alarm)(void *arg);
	/* As log_output_error() of master/setup/log_output.h; may be NULL. */
	int (*log_error)(struct errmsg *ret, void *arg);
	void *arg;
};

struct api *api_new(const struct api_config *);
/* Every request must be answered or gone. */
void api_free(struct api **);

/* Starts the streams of the configuration and logs why others do not run.
 * Call it once, when the reconciler is ready. */
void api_start_streams(struct api *);

/* The file holds another document, which was judged: adopts it, and applies and
 * reports the differences in streams, users, auth and log.  When more differs,
 * the new instance is tried, and follows a second later.  Calls done inside, or
 * after the trial. */
void api_reload(struct api *, const json_t *document, reload_done_fn *done,
		void *arg);
/* For the command reload. */
void api_set_reload(struct api *, reload_fn *, void *arg);

/* The restart that was wanted does not come.  Unless another one is due,
 * streams that change start with the settings in force, not with those of the
 * next instance. */
void api_restart_failed(struct api *);

/* Viewers came and left: sends session_event.  NULL-safe. */
void api_report_viewers(struct api *, const struct msg_deliver_changes *);

/* The file cannot be used: raises an alarm until the next reload or change of
 * the configuration. */
void api_reload_failed(struct api *, const char *error);
/* The alarms of the service, borrowed (master/status/system_alarms.h). */
struct system_alarms *api_alarms(struct api *);

/* A whole request: http_server_config.on_request.  Answers now or later. */
void api_handle(struct api *, struct http_conn *, const struct http_request *);

/* The head of a request with a long body: http_server_config.on_head.  The body
 * is received when the credential is right. */
void api_judge_head(struct api *, struct http_conn *,
		    const struct http_request *);

/* The connection is gone before its answer: http_server_config.on_gone. */
void api_gone(struct api *, struct http_conn *);
