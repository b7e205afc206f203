/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The context, the replies and the entry points of the API's files. */
#pragma once

#include "common/base/ratelimit.h"
#include "common/base/util.h"
#include "master/api/api.h"
#include "common/base/playlist_limit.h"
#include "master/api/text_cache.h"
#include "master/config/config.h"
#include "master/status/status.h"
#include "proto/ipc/msg.h"

#include <ev.h>
#include <jansson.h>
#include <stdbool.h>
#include <sys/queue.h>

struct alarms;
struct call;
struct caller;
struct discovery;
struct host_files;
struct log_feed;
struct revisions_query;
struct scans;

struct api {
	struct api_config cfg;
	char *prefix; /* "/" or "/path/" */
	LIST_HEAD(, call) calls; /* calls without an answer yet */
	struct ratelimit odd_limit;
	ev_timer restart;        /* delay before a restart */
	unsigned restart_holds;  /* replies that a restart must wait for */
	bool restart_waits;      /* it is due without them */
	reload_fn *reload;       /* NULL: there is none */
	void *reload_arg;
	/* the document before a reload that needs a restart, which has not
	 * come yet; NULL: there was none */
	json_t *in_force;
	/* tuners that an LNB stops, and why (lnb_sharers.h) */
	json_t *lnb_misfits;
	struct playlist_limit playlists;
	struct scans *scans;
	struct discovery *announcements, *satip_servers;
	struct alarms *alarms;
	struct host_advice *host;
	/* sections and streams have a list each, with its own limit */
	struct host_files *files, *stream_files;
	struct revisions_query *revisions;
	struct log_feed *log_feed;
	struct epg_exports *exports; /* of the guide; NULL: not yet */
	bool ready; /* the streams of the start have been tried */
	struct text_cache overview, document, forms, metrics;
	struct text_cache file; /* what observers receive of it */
};

struct reply {
	int status;
	json_t *body;  /* owned; NULL: the answer has none */
	const void *text; /* borrowed, instead of body; NULL: none */
	const char *type; /* of text; NULL: JSON */
	size_t len;
	char *headers; /* owned: more lines, each with CRLF; or NULL */
	bool page;     /* 403 as an HTML page instead of the body */
	bool drop;     /* the connection is closed without an answer */
	struct call *call;
};

/* The access of an observer; control users may do everything. */
enum observer_access {
	OBSERVER_FORBIDDEN, /* 403 */
	OBSERVER_ALLOWED,
	OBSERVER_HIDDEN,    /* 404 */
};

/* The access of a user of this type (common/account/user.h) where an observer
 * has the access `observer`. */
enum observer_access api_access(int user_type, enum observer_access observer);

/* request is an object. */
typedef void command_fn(struct api *, const json_t *request, struct reply *);

enum {
	COMMAND_NAMES_OBJECT = 1 << 0, /* the access log has "id:null" when
					* the request has no id */
	COMMAND_UNLOGGED = 1 << 1,     /* the access log leaves it out */
	COMMAND_DRY = 1 << 2,          /* can be run with dry_run */
};

/*
 * A command of POST control/.  A file of commands ends with its rows, and
 * api.c lists the files.
 */
struct api_command {
	const char *name; /* NULL: the end of the rows */
	command_fn *run;
	enum observer_access observer;
	unsigned flags;
};

/* NULL when there is no such command. */
const struct api_command *api_command_find(const char *name);

/* id: what follows the path, or "". */
typedef void get_fn(struct api *, const char *id, enum status_span,
		    struct reply *);

/* body: any JSON value. */
typedef void post_fn(struct api *, const char *id, const json_t *body,
		     struct reply *);

enum path_id {
	PATH_ALONE,    /* no id */
	PATH_ID,       /* "/{id}" follows */
	PATH_MAYBE_ID,
};

/* A path below api/; it has either get or post. */
struct api_path {
	const char *path; /* without prefix and last slash; NULL: the end */
	enum path_id id;
	enum observer_access observer;
	get_fn *get;
	post_fn *post;
	bool takes_span; /* looks at the query t */
	bool open; /* needs no credential, and is not logged */
};

/* 200 with the body, whose reference is taken. */
void reply_json(struct reply *, json_t *take_body);

/* 200 with {command: "ok"}. */
void reply_ok(struct reply *, const char *command);

/* The sentence of a warning; the path may be "" (a key that is not known).  The
 * caller owns it. */
json_t *warning_text(const char *path, const char *text);

/* Adds it to a list, up to a limit. */
void warnings_add(json_t *list, const char *path, const char *text);

/* Adds a sentence to the warnings of a reply of 200, up to that limit. */
void reply_warn(struct reply *, const char *path, const char *text);

/* {"error": sentence}; the first reply stands. */
void reply_error(struct reply *, int status, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Closes the connection without an answer: a settings, softcam or CAS command
 * lacks a required field.  The log names the field. */
void reply_drop(struct reply *, const char *field);

/* Removes the answer. */
void reply_reset(struct reply *);

/* Adds a line to the head of the answer. */
void reply_header(struct reply *, const char *name, const char *value);

/* The caller of the request (master/auth/caller.h). */
const struct caller *reply_caller(const struct reply *);

/*
 * The answer comes later: from the loop, fill call_reply() and end with
 * call_finish().  Until then the request's JSON stays.  When the client leaves
 * before, on_gone is called and the call is freed.
 */
struct call *reply_later(struct reply *, void (*on_gone)(void *arg),
			 void *arg);
/* As reply_later(), for an object that outlives the call: *place becomes the
 * call, and NULL when the client leaves. */
void reply_later_into(struct reply *, struct call **place);
struct reply *call_reply(struct call *);
void call_finish(struct call *);

/* The command takes rights away: its answer of 200 waits until the
 * configuration is on disk, at most two seconds (held_answer_begin()). */
void reply_when_saved(struct reply *);

/* settings.instance_name, or NULL. */
const char *api_instance(const struct api *);

/* The limits of the host that cost the inputs packets: sentences by the names
 * of the settings, borrowed. */
json_t *api_host_advice(struct api *);

/* Reports splice commands to clients of the scope `cue`. */
void api_watch_cues(struct api *);
/* Reports present and following events to clients of the scope `epg', and
 * exports the guide. */
void api_watch_guide(struct api *);
/* A client of the scope has come. */
void guide_events_renew(struct api *);

/* Starts the adapters of the configuration, and those that a change replaces;
 * ends the others. */
void api_start_adapters(struct api *);
/* Adds the state of an adapter to its status. */
/* Lock, signal, errors and rate. */
void adapters_put_signal(json_t *, const struct msg_adapter_status *);
void adapters_describe(const struct api *, const json_t *adapter,
		       enum status_span, json_t *status);

/* Adds `cam': what its slots for modules have. */
void cams_describe(const struct api *, const char *id, json_t *status);
/* All adapters: id, type, enable and the status; a new reference. */
json_t *adapters_overview(const struct api *);

/* Starts the softcams of the configuration, and those that a change replaces;
 * ends the others. */
void api_start_softcams(struct api *);
/* Adds the state of a softcam to its object in the overview. */
void softcams_describe(const struct api *, const char *id, json_t *object);

/* Counts the version of each table before a stream is stored, modulo 32.
 * spts: pmt_version and sdt_version, from 1; mpts: pat_, cat_, sdt_ and
 * nit_version, from 0. */
void streams_count_versions(json_t *stream);

/* After a change of users or settings: the log names observers that read
 * secrets of other hosts, and so does the answer if the request has `warnings`
 * true: other clients expect its one key. */
void users_warn_observers(const struct api *, bool in_reply, struct reply *);
bool users_wants_warnings(const json_t *request);

/* The stream that request names in `id`, borrowed; NULL after a reply of 400
 * or 404. */
const json_t *api_request_stream(struct api *, const json_t *request,
				 struct reply *);
