/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control API: judges a request, carries it out and answers it.
 *
 * Borrows everything in its config, which must outlive it.
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

/* error: why the instance cannot be replaced; NULL: it can. */
typedef void trial_done_fn(const char *error, void *arg);

struct reload_result {
	int status; /* status of the HTTP reply */
	/* why the reload failed; NULL: the file is in force, or will be after a
	 * restart */
	const char *error;
	/* Borrowed: the ids of the streams that are added, changed and removed,
	 * and the names of the other sections that differ (changes_list()).
	 * NULL: the file is not used. */
	const json_t *changes;
	bool restarts; /* a restart follows, or was needed and has failed */
	const char *warning; /* NULL: none */
};

typedef void reload_done_fn(const struct reload_result *, void *arg);
/* Reads the file again, as SIGHUP does.  Returns 0: done is called once, later;
 * -ENOENT: the service has no file; -EBUSY with a sentence: a change waits
 * for its save, or the service is stopping. */
typedef int reload_fn(reload_done_fn *done, void *done_arg, struct errmsg *ret,
		      void *arg);

struct api_config {
	struct ev_loop *loop;
	struct auth *auth;
	struct viewers *viewers; /* NULL: no rules for viewers */
	struct config *config;
	struct reconciler *reconciler;
	struct hub *hub;
	struct status *status;
	struct system_status *system;
	const struct options *options;
	const struct log_lines *log_lines; /* NULL: no lines are kept */
	/* Paths that the service may write; borrowed.  A reload replaces those
	 * of the configuration. */
	struct write_paths *write_paths;
	/* The result of write_roots_own(); NULL: unknown. */
	const struct write_paths *own_paths;
	struct sockaddr_any control; /* address of the control server */
	/* Replaces this instance by a new one that reads the configuration
	 * again; workers continue. */
	void (*restart)(void *arg);
	/* Tries whether a new instance can start, and calls done later.
	 * interrupt: the new instance may replace workers of another
	 * protocol. */
	void (*try_restart)(bool interrupt, trial_done_fn *done, void *done_arg,
			    void *arg);
	/* Returns why the last restart or trial failed; NULL: it did not.  The
	 * member may be NULL. */
	const char *(*restart_error)(void *arg);
	/* The section `log' has changed.  The member may be NULL. */
	void (*set_log)(void *arg);
	/* An alarm of the service was raised or cleared.  The member may be
	 * NULL. */
	void (*on_alarm)(void *arg);
	/* As log_output_error() of master/setup/log_output.h.  The member may
	 * be NULL. */
	int (*log_error)(struct errmsg *ret, void *arg);
	void *arg;
};

struct api *api_new(const struct api_config *);
/* Every request must have been answered or dropped. */
void api_free(struct api **);

/* Loads the certificate, and starts softcams, adapters, streams and alarms.
 * Logs for each enabled stream that cannot run why it does not.  Call it once,
 * when the reconciler is ready. */
void api_start_streams(struct api *);

/* Takes a new document of the file, which was judged: applies and reports the
 * differences in streams, users, auth and log.  If other sections differ, tries
 * a new instance, which replaces this one a second later.  Calls done before it
 * returns, or after the trial. */
void api_reload(struct api *, const json_t *document, reload_done_fn *done,
		void *arg);
/* Sets the function of the command reload. */
void api_set_reload(struct api *, reload_fn *, void *arg);

/* A restart that was requested has failed.  Unless another restart is due,
 * streams that change use the settings in force again, not those of the next
 * instance. */
void api_restart_failed(struct api *);

/* Viewers came or left: sends session_event.  NULL-safe. */
void api_report_viewers(struct api *, const struct msg_deliver_changes *);

/* A reload failed (error: why): raises an alarm until the next reload or change
 * of the configuration. */
void api_reload_failed(struct api *, const char *error);
/* Returns the alarms of the service, borrowed
 * (master/status/system_alarms.h). */
struct system_alarms *api_alarms(struct api *);

/* Implements on_request of http_server_config: takes a whole request and
 * answers it now or later. */
void api_handle(struct api *, struct http_conn *, const struct http_request *);

/* Implements on_head of http_server_config: takes the head of a request with a
 * long body.  The body is received only if the credential is right. */
void api_judge_head(struct api *, struct http_conn *,
		    const struct http_request *);

/* Implements on_gone of http_server_config: the client has closed the
 * connection before its answer. */
void api_gone(struct api *, struct http_conn *);
