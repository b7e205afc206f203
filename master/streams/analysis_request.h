/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests the analysis of a stream, or the plan of a multiplex, from its
 * worker, part by part, and joins the parts.
 *
 * Owns its requests and their timers; borrows the loop.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <jansson.h>

struct analysis;
struct channel;
struct ev_loop;

enum {
	ANALYSIS_MAX = 16, /* open requests at a time */
	ANALYSIS_PARTS_MAX = 512, /* parts of an answer */
};

enum analysis_kind {
	/* the analysis of each input and of the output (stream.analyze) */
	ANALYSIS_PACKETS,
	ANALYSIS_PLAN, /* the plan of each input of a mux (stream.plan) */
};

struct analysis_scope {
	enum analysis_kind kind;
	size_t n_inputs; /* number of inputs of the stream */
};

/* Gets either the answer {"inputs": […], "output": {…}} (without "output" for a
 * plan), borrowed, with error NULL; or the error, with answer NULL.  Called
 * from the loop; must not free the analysis. */
typedef void analysis_fn(json_t *answer, const char *error, void *arg);

struct analysis *analysis_new(struct ev_loop *);
/* NULL-safe; sets *a to NULL.  Calls done with an error for open requests. */
void analysis_free(struct analysis **);

/* Starts a request; returns 0 or -errno.  After 0, done is called once; after
 * -errno, it is not called. */
int analysis_ask(struct analysis *, struct channel *, struct analysis_scope,
		 analysis_fn *done, void *arg) MUST_CHECK;

/* Takes a part of the answer, the message stream.analysis or stream.planned;
 * requests the next part, or ends the request if it was the last one. */
void analysis_answer(struct analysis *, struct channel *, const struct msg *);

/* The worker has ended: open requests end with an error. */
void analysis_down(struct analysis *);
