/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces the reconciler, the hub and the HTTP server, so that the API and the
 * status can be tested alone.  Their calls are recorded in order, one line
 * each.
 */
#pragma once

#include "master/streams/epg_proc.h"
#include "master/streams/reconciler.h"
#include "common/supervise/jobs.h"
#include "common/supervise/tls_proc.h"

#include <jansson.h>
#include <stdbool.h>

/* A short-lived worker that a test speaks for. */
struct job {
	const struct job_kind *kind; /* NULL: freed */
	void *self;
};

struct fakes {
	char told[65536];
	bool listeners;              /* the hub has some */
	bool wants_more;             /* ... that receive events */
	bool wants_log;              /* ... and the log */
	/* the last client that requested it, or NULL */
	session_list_fn *on_sessions;
	void *on_sessions_arg;
	size_t n_jobs; /* that were started; then there is room for no more */
	struct job jobs[40];
	/* the client of the check of a pair, or NULL */
	tls_judgement_fn *on_judged;
	void *on_judged_arg;
	bool secure;                 /* requests come over TLS */
	const struct tls_facts *facts; /* of the certificate; NULL: none */
	/* the last client that requested it, or NULL */
	input_choice_fn *on_choice;
	void *on_choice_arg;
	const struct input_scan_events *on_scan; /* reconciler_scan() */
	void *on_scan_arg;
	splice_fn *on_splice; /* reconciler_watch_splices() */
	void *on_splice_arg;
	bool wants_cues;
	struct epg_watcher watcher; /* epg_proc_watch() */
	bool wants_guide;
	char defaults[256]; /* reconciler_set_defaults() */
	int scan_error;
	int choice; /* the answer of the reconciler */
	struct stream_proc_info
		stream; /* the answer of the reconciler about any stream */
	/* reconciler_foresee(): the only stream with a process; NULL: none */
	const char *running;
	int status;                  /* of the last answer */
	char headers[256];
	char content_type[64];
	char body[65536]; /* its begin */
	char tail[64];
};

extern struct fakes fakes;

/* JSON text with ' for ", so that a test can be read; new reference. */
json_t *fakes_json(const char *text);

/* The reconciler's answer to all session requests; NULL: there is none. */
void fakes_tell_sessions(const char *text);

/* The tls worker's answer to the last client. */
void fakes_tell_judgement(int result, const char *why);

/* Clears the recorded calls. */
void fakes_clear(void);

struct http_request {
	const char *method;
	const char *path;
	const char *query;
	const char *body;
	const char *(*headers)[2]; /* lower-case name, value; ends with NULL */
};
