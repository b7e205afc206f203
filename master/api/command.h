/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the API share: the context, replies, the entry points. */
#pragma once

#include "common/base/ratelimit.h"
#include "common/base/util.h"
#include "master/api/api.h"
#include "master/config/config.h"
#include "master/status/status.h"

#include <ev.h>
#include <jansson.h>
#include <stdbool.h>
#include <sys/queue.h>

struct announcement_list;
struct call;
struct caller;
struct scan_list;

struct api {
	struct api_config cfg;
	char *prefix; /* "/" or "/path/" */
	LIST_HEAD(, call) calls; /* not yet answered */
	struct ratelimit odd_limit;
	ev_timer restart;        /* runs before one */
	struct scan_list *scans;
	struct announcement_list *announcements;
	struct host_advice *host;
};

struct reply {
	int status;
	json_t *body;  /* owned; NULL: the answer has none */
	char *headers; /* owned: more lines, each with CRLF; or NULL */
	bool page;     /* 403 as a page for people instead of the body */
	bool drop;     /* the connection is closed without an answer */
	struct call *call;
};

/* One "cmd"; request is an object. */
typedef void command_fn(struct api *, const json_t *request, struct reply *);

/* One path; id is what stands behind it, "" when nothing may. */
typedef void path_fn(struct api *, const char *id, enum status_span,
		     struct reply *);

/* One path that takes a body, any JSON value; id is what stands behind the
 * path, or "". */
typedef void post_fn(struct api *, const char *id, const json_t *body,
		     struct reply *);

/* 200 with the body, whose reference is taken. */
void reply_json(struct reply *, json_t *take_body);

/* 200 with {command: "ok"}. */
void reply_ok(struct reply *, const char *command);

/* {"error": sentence}; the first reply stands. */
void reply_error(struct reply *, int status, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* What a settings, softcam or CAS command gets that lacks a required field: no
 * answer, and its connection is closed.  field is for the log. */
void reply_drop(struct reply *, const char *field);

/* Forgets what stands in it. */
void reply_reset(struct reply *);

/* One more line of the answer's head. */
void reply_header(struct reply *, const char *name, const char *value);

/* Who asks (master/auth/caller.h). */
const struct caller *reply_caller(const struct reply *);

/*
 * The answer comes later: from the loop, fill call_reply() and end with
 * call_finish().  Until then the request's JSON stays.  When the client leaves
 * before, on_gone is called instead and the call is no more.
 */
struct call *reply_later(struct reply *, void (*on_gone)(void *arg),
			 void *arg);
struct reply *call_reply(struct call *);
void call_finish(struct call *);

/* settings.instance_name, or NULL. */
const char *api_instance(const struct api *);

/* What the host takes away from the inputs; borrowed sentences. */
json_t *api_host_advice(struct api *);

/* The stream that request names in `id`, borrowed; NULL after a reply of 400
 * or 404. */
const json_t *api_request_stream(struct api *, const json_t *request,
				 struct reply *);

/* streams.c */
command_fn streams_get;
command_fn streams_toggle;
command_fn streams_restart;
command_fn streams_check;
path_fn streams_info;
path_fn streams_inputs;
path_fn streams_outputs;
path_fn streams_status;

/* set_stream.c */
command_fn streams_set;

/* announcements.c */
path_fn announcements_get;

/* config.c */
command_fn config_load;
command_fn config_put;
path_fn config_get;

/* status.c */
command_fn status_version;
path_fn status_network_get;
path_fn status_system;

/* settings.c */
command_fn settings_set;
command_fn settings_set_config;
command_fn settings_restart;
command_fn settings_set_license;

/* sections.c */
command_fn sections_set_auth;
command_fn sections_set_log;

/* servers.c */
command_fn servers_set;

/* softcams.c, cas.c */
command_fn softcams_set;
command_fn cas_set;

/* login.c */
command_fn login_login;
command_fn login_logout;
command_fn login_whoami;
command_fn login_ws_token;

/* users.c */
command_fn users_get;
command_fn users_toggle;

/* set_user.c */
command_fn users_set;

/* adapters.c */
command_fn adapters_get;
command_fn adapters_toggle;
command_fn adapters_restart;
path_fn adapters_info;
path_fn adapters_status;

/* set_adapter.c */
command_fn adapters_set;

/* categories.c */
command_fn categories_set;

/* stream_analysis.c */
path_fn streams_analysis;

/* stream_input.c */
command_fn streams_set_input;
command_fn streams_set_image;

/* output_groups.c */
post_fn output_groups_post;

/* scans.c */
command_fn scans_init;
command_fn scans_check;
command_fn scans_kill;

/* test_softcam.c */
command_fn softcams_test;

/* sessions.c */
command_fn sessions_list;
command_fn sessions_close;
