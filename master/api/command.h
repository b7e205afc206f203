/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the API share: struct api, replies, the tables of commands
 * and paths, and functions that other files call. */
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
	LIST_HEAD(, call) calls; /* calls without an answer so far */
	/* limit of log lines with warnings about streams */
	struct ratelimit odd_limit;
	ev_timer restart;        /* delay before a restart */
	/* number of replies for which a restart waits */
	unsigned restart_holds;
	/* a restart is due when restart_holds is 0 */
	bool restart_waits;
	reload_fn *reload;       /* NULL: the command reload is not possible */
	void *reload_arg;
	/* The document that the service runs with, if the last reload needs a
	 * restart that has not happened; NULL: no such reload. */
	json_t *in_force;
	/* Adapters that cannot share their LNB, and why (lnb_sharers.h). */
	json_t *lnb_misfits;
	struct playlist_limit playlists;
	struct scans *scans;
	struct discovery *announcements, *satip_servers;
	struct alarms *alarms;
	struct host_advice *host;
	/* Checks of files that sections (files) and single streams
	 * (stream_files) name; each has its own limit of parallel checks. */
	struct host_files *files, *stream_files;
	struct revisions_query *revisions;
	struct log_feed *log_feed;
	/* exports of the guide; NULL: not started yet */
	struct epg_exports *exports;
	/* since the start of the service, each enabled stream has run, failed
	 * or waited for a viewer */
	bool ready;
	struct text_cache overview, document, forms, metrics;
	/* the configuration file as observers receive it */
	struct text_cache file;
};

struct reply {
	int status;
	json_t *body;  /* owned; NULL: no body */
	const void *text; /* borrowed; sent instead of body; NULL: none */
	const char *type; /* Content-Type of text; NULL: JSON */
	size_t len;
	/* owned: more header lines, each with CRLF; NULL: none */
	char *headers;
	bool page;     /* sends 403 as an HTML page instead of the body */
	bool drop;     /* closes the connection without an answer */
	struct call *call;
};

/* What an observer may do; control users may do everything. */
enum observer_access {
	OBSERVER_FORBIDDEN, /* the answer is 403 */
	OBSERVER_ALLOWED,
	OBSERVER_HIDDEN,    /* the answer is 404 */
};

/* Returns the access of a user of this type (common/account/user.h) to a
 * command or path.  observer: the access that an observer has. */
enum observer_access api_access(int user_type, enum observer_access observer);

/* A command; request is a JSON object. */
typedef void command_fn(struct api *, const json_t *request, struct reply *);

enum {
	/* the access log shows "id:null" for a request without an id */
	COMMAND_NAMES_OBJECT = 1 << 0,
	/* the access log does not show the command */
	COMMAND_UNLOGGED = 1 << 1,
	COMMAND_DRY = 1 << 2,          /* the command supports dry_run */
};

/*
 * A command of POST control/.  Each file of commands ends with an array of
 * these rows, and command.c lists the files.
 */
struct api_command {
	const char *name; /* NULL: end of the array */
	command_fn *run;
	enum observer_access observer;
	unsigned flags;
};

/* Returns the command with this name; NULL: none. */
const struct api_command *api_command_find(const char *name);
/* Returns the name of the command of which `name' is probably a misspelling, or
 * NULL. */
const char *api_command_nearest(const char *name);

/* Answers GET of a path.  id: the text behind the path, or "". */
typedef void get_fn(struct api *, const char *id, enum status_span,
		    struct reply *);

/* Answers POST of a path.  body: any JSON value. */
typedef void post_fn(struct api *, const char *id, const json_t *body,
		     struct reply *);

enum path_id {
	PATH_ALONE,    /* the path has no id */
	PATH_ID,       /* "/{id}" follows */
	PATH_MAYBE_ID,
};

/* A path below the prefix, such as api/log; it has either get or post. */
struct api_path {
	/* the path without prefix and last slash; NULL: end of the array */
	const char *path;
	enum path_id id;
	enum observer_access observer;
	get_fn *get;
	post_fn *post;
	bool takes_span; /* the path reads the query parameter t */
	bool open; /* the path needs no credential, and is not logged */
};

/* Replies 200 with this body (taken). */
void reply_json(struct reply *, json_t *take_body);

/* Replies 200 with {command: "ok"}. */
void reply_ok(struct reply *, const char *command);

/* Formats a warning as "path: text", or as text if path is "".  Returns a new
 * reference. */
json_t *warning_text(const char *path, const char *text);

/* Adds a warning to a list, unless the list is full (20 warnings). */
void warnings_add(json_t *list, const char *path, const char *text);

/* Adds a warning to `warnings' of a reply of 200, which also has at most 20. */
void reply_warn(struct reply *, const char *path, const char *text);

/* Replies {"error": sentence} with this status, instead of a body that the
 * reply may have. */
void reply_error(struct reply *, int status, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Has the connection closed without an answer, because the request lacks this
 * required field: the specification demands this for some commands.  The log
 * names the field. */
void reply_drop(struct reply *, const char *field);

/* Removes the reply made so far. */
void reply_reset(struct reply *);

/* Adds a header line to the answer. */
void reply_header(struct reply *, const char *name, const char *value);

/* Returns the caller of the request (master/auth/caller.h). */
const struct caller *reply_caller(const struct reply *);

/*
 * Postpones the answer: later, from the loop, fill call_reply() and end with
 * call_finish().  Until then the JSON of the request stays valid.  If the
 * client leaves before, on_gone is called and the call is freed.
 */
struct call *reply_later(struct reply *, void (*on_gone)(void *arg),
			 void *arg);
/* As reply_later(), for an object that outlives the call: *place is set to the
 * call, and to NULL if the client leaves. */
void reply_later_into(struct reply *, struct call **place);

/* Replies 503, because a command could not be sent to a stream.  error: -errno
 * of the reconciler. */
void reply_unsent(struct reply *, int error);
struct reply *call_reply(struct call *);
void call_finish(struct call *);

/* For a command that takes rights away: its answer of 200 waits until the
 * configuration is on disk, at most two seconds (held_answer_begin()). */
void reply_when_saved(struct reply *);

/* Returns settings.instance_name; NULL: not set. */
const char *api_instance(const struct api *);

/* Returns the advice about settings of the host that make inputs lose packets,
 * borrowed: {name of the setting: sentence} (host_advice.h). */
json_t *api_host_advice(struct api *);

/* Sends new splice commands to clients of the scope `cue' from now on. */
void api_watch_cues(struct api *);
/* From now on, sends present and following events to clients of the scope
 * `epg', and exports the guide. */
void api_watch_guide(struct api *);
/* A client of the scope `epg' has connected: has the worker of the guide send
 * changes of present and following events. */
void guide_events_renew(struct api *);

/* Starts new and changed adapters of the configuration, and stops adapters that
 * are no longer in the configuration. */
void api_start_adapters(struct api *);
/* Adds lock, signal, errors and rate to a status. */
void adapters_put_signal(json_t *, const struct msg_adapter_status *);
/* Adds the state of an adapter to its status. */
void adapters_describe(const struct api *, const json_t *adapter,
		       enum status_span, json_t *status);

/* Adds `cam', the state of the CAM slots, to the status of an adapter. */
void cams_describe(const struct api *, const char *id, json_t *status);
/* Returns id, type, enable and status of all adapters, a new reference. */
json_t *adapters_overview(const struct api *);

/* Starts new and changed softcams of the configuration, and stops softcams that
 * are no longer in the configuration. */
void api_start_softcams(struct api *);
/* Adds the state of a softcam to its object in the overview. */
void softcams_describe(const struct api *, const char *id, json_t *object);

/* Call it before a stream is stored: increments the version of each table,
 * modulo 32.  An spts has pmt_version and sdt_version, which begin with 1; an
 * mpts has pat_, cat_, sdt_ and nit_version, which begin with 0. */
void streams_count_versions(json_t *stream);

/* Call it after a change of users or settings: logs a warning if observers can
 * read secrets of other hosts in addresses.  in_reply: the request has
 * `warnings' true, so the reply gets the warning as well. */
void users_warn_observers(const struct api *, bool in_reply, struct reply *);
bool users_wants_warnings(const json_t *request);
/* True: accounts are in use, and no user of this document may log in as a
 * control user; ret is the warning for the section users. */
bool users_lack_control(const struct api *, const json_t *document,
			struct errmsg *ret);

/* Returns the stream that `id' of the request names, borrowed; NULL: the reply
 * already has the error, 400 or 404. */
const json_t *api_request_stream(struct api *, const json_t *request,
				 struct reply *);
