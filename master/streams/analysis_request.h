/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks a stream's worker what it knows of its inputs and of what it sends,
 * part by part, and puts the parts together.
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
	ANALYSIS_MS = 3000,       /* that long a whole answer may take */
	ANALYSIS_MAX = 16,        /* requests at once */
	ANALYSIS_PARTS_MAX = 512, /* of one answer */
};

/* {"inputs": […], "output": {…}}, borrowed, or NULL with why.  From the loop;
 * the analysis may not be freed inside. */
typedef void analysis_fn(json_t *answer, const char *why, void *arg);

struct analysis *analysis_new(struct ev_loop *);
/* NULL-safe; sets *a to NULL.  Whoever waits is told. */
void analysis_free(struct analysis **);

/* Asks about n_inputs inputs and the output.  0, or -errno when it cannot be
 * asked: done is not called then. */
int analysis_ask(struct analysis *, struct channel *, size_t n_inputs,
		 analysis_fn *done, void *arg) MUST_CHECK;

/* A part of the answer. */
void analysis_answer(struct analysis *, struct channel *, uint32_t seq,
		     const struct msg_stream_analysis *);

/* The worker is gone: whoever waits is told. */
void analysis_down(struct analysis *);
