/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces the reconciler, the hub and the HTTP server, so that the API and
 * the status can be tested alone.  What they are told is written down in
 * order, one line each.
 */
#pragma once

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
	bool wants_more;             /* ... who hear all */
	session_list_fn *on_sessions; /* who asked last, or NULL */
	void *on_sessions_arg;
	size_t n_jobs; /* that were started; then there is room for no more */
	struct job jobs[40];
	tls_judgement_fn *on_judged; /* who wants a pair judged, or NULL */
	void *on_judged_arg;
	bool secure;                 /* requests come over TLS */
	input_choice_fn *on_choice;  /* who asked last, or NULL */
	void *on_choice_arg;
	int choice; /* what the reconciler says at once */
	struct stream_proc_info
		stream; /* what the reconciler says of any stream */
	int status;                  /* of the last answer */
	char headers[256];
	char content_type[64];
	char body[65536];
};

extern struct fakes fakes;

/* JSON text with ' for ", so that a test can be read; new reference. */
json_t *fakes_json(const char *text);

/* The reconciler's answer to all session requests; NULL: there is none. */
void fakes_tell_sessions(const char *text);

/* The tls worker's answer to who asked last. */
void fakes_tell_judgement(int result, const char *why);

/* Forgets what was told. */
void fakes_clear(void);

struct http_request {
	const char *method;
	const char *path;
	const char *query;
	const char *body;
	const char *(*headers)[2]; /* lower-case name, value; ends with NULL */
};
